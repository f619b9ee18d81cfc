"""R23 Previsão: the golden table of section 5 with extension E, and what is said where nothing can be expected."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

from lastro.grid.pivot import list_rows
from lastro.reports.facts import Facts
from lastro.reports.r23_forecast import SPEC as R23
from lastro.reports.shared.forecast_words import tell_forecast
from lastro.reports.view import View
from tests.unit.analysis.forecasts import list_forecasts
from tests.unit.reports.positions import make_golden
from tests.unit.reports.readers import table


def make_view(*, extensao: bool = True, medidas: bool = True) -> View:
    forecasts = list_forecasts() if extensao else ()
    position = make_golden(extensao=True) if extensao else make_golden()
    return View(position, facts=Facts(medidas=forecasts if medidas else None))


def test_the_weeks_to_come_carry_the_golden_balances_and_bands() -> None:
    weeks = table(R23.build(make_view()), "previsao_semanal")
    told = {
        fim: row
        for tipo, fim, *row in list_rows(weeks, ("tipo", "fim", "saldo_previsto", "faixa_de", "faixa_ate", "medicoes"))
        if tipo == "Previsto"
    }
    assert len(told) == 13
    assert told[date(2026, 3, 22)] == [Decimal("33843.64"), Decimal("32314.30"), Decimal("34166.72"), 32]
    assert told[date(2026, 6, 14)] == [Decimal("31931.60"), None, None, 20]


def test_four_weeks_that_were_and_the_part_of_this_one_lead_to_the_balance_of_today() -> None:
    weeks = table(R23.build(make_view()), "previsao_semanal")
    past = [row for row in list_rows(weeks, ("tipo", "inicio", "fim", "saldo_previsto")) if row[0] == "Realizado"]
    assert [row[1:3] for row in past[-2:]] == [
        (date(2026, 3, 9), date(2026, 3, 15)),
        (date(2026, 3, 16), date(2026, 3, 16)),
    ]
    assert len(past) == 5
    assert past[-1][3] == Decimal("30680.00")


def test_the_cover_tells_the_lowest_week_and_how_good_the_record_is() -> None:
    assert tell_forecast(make_view()) == (
        "Pela linha dos clientes, menor saldo 30.428,23 em 17/05 · 12 de 14 previsões de 4 semanas ficaram dentro"
    )


def test_the_sheet_tells_what_a_band_covered_and_why_there_is_none() -> None:
    notes = R23.build(make_view()).sections[0].notes
    assert (
        "12 de 14 previsões de 4 semanas ficaram dentro da faixa, alargada a 236 % (29 medidas: 0 gravadas, 29 "
        "reconstituídas)." in notes
    )
    assert (
        "Sem faixa, por semanas à frente: 7 (só 4 de 8 previsões ficaram dentro); 9, 10, 11, 12, 13 (menos de 5 "
        "previsões para comparar)." in notes
    )
    assert not any("de 13 semanas" in note for note in notes)


def test_the_correction_is_a_note_with_its_reason_and_no_column() -> None:
    section = R23.build(make_view()).sections[0]
    assert "correcao" not in [column.key for column in section.printed]
    said = [note for note in section.notes if "correção" in note]
    assert "1 semana -236,36 (32 medidas), 4 semanas -1.586,36 (29 medidas)" in said[0]
    # In the week to 05/04 900.00 are booked and 659.91 corrected; in the one before nothing is booked.
    assert said[1].startswith("A correção passa do que está lançado na semana até 29/03 (-320,78), 12/04 (-369,31),")


def test_with_two_closed_months_the_sheet_has_what_is_booked_and_says_why() -> None:
    view = make_view(extensao=False)
    report = R23.build(view)
    notes = report.sections[0].notes
    assert notes[0] == "Previsão além do lançado a partir de 6 meses fechados com movimento (há 2)."
    weeks = table(report, "previsao_semanal")
    assert {row[0] for row in list_rows(weeks, ("faixa_de",))} == {None}
    assert not tell_forecast(view)
    assert [one.name for one in report.sections] == ["previsao_semanal"]


def test_a_scope_shows_what_is_booked_alone() -> None:
    view = make_view(medidas=False)
    report = R23.build(view)
    assert report.sections[0].notes[0].startswith("Recorte: só o que está lançado")
    expected = list_rows(table(report, "previsao_semanal"), ("esperado_entra", "esperado_sai", "correcao"))
    assert {cell for row in expected for cell in row} <= {None, Decimal("0.00")}
    assert not tell_forecast(view)


def test_categories_print_their_months_side_by_side() -> None:
    shown = R23.build(make_view()).sections[1]
    services = next(row for row in shown.rows if str(row.cells[0]).endswith("Serviços"))
    assert services.cells[1:3] == ("corrente", Decimal("1350.00"))
    assert list(services.cells[3:]) == [
        Decimal(text) for text in ("1000.00", "350.00", "0.00", "1350.00", "3500.00", "0.00", "0.00", "1350.00")
    ]


def test_a_balance_that_is_a_variation_is_called_so() -> None:
    position = make_golden(extensao=True)
    contas = position.contas.assign(provisoria=True)
    view = View(replace(position, contas=contas), facts=Facts(medidas=list_forecasts()))
    headers = [column.header for column in R23.build(view).sections[0].columns]
    assert "Variação prevista" in headers
    assert not tell_forecast(view)
