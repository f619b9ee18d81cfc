"""R06: the golden figures (section 5), and what a map, a month without competence and zero values do."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.grid.cells import UNDEFINED
from lastro.grid.sections import Style
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.settings import Parametros
from tests.golden import expected
from tests.unit.reports.positions import MAPA, make_golden, make_position
from tests.unit.reports.readers import assert_well_formed, record, records, section, table
from tests.views import view_of

ZERO = Decimal("0.00")


def _months(values: Mapping[tuple[int, int], Any]) -> dict[date, Any]:
    return {date(year, month, 1): value for (year, month), value in values.items()}


def test_the_sheet_shows_of_each_month_what_the_table_holds() -> None:
    report = R06.build(view_of(make_golden()))
    sheet, held = section(report, "dre"), records(table(report, "dre"))
    shown = {(row["Código"], row["Linha"], row["Mês"]): row for row in held if row["Nível"] == 0}
    periods = {column.period for column in sheet.columns if column.period is not None}
    for row in (row for row in sheet.rows if row.level == 0):
        for period in periods:
            place = sheet.place(period.key)
            cells = shown[str(row.key).removeprefix("dre-"), row.cells[0], period.month]
            assert row.cells[place : place + 3] == (cells["Valor"], cells["Pago/recebido"], cells["Em aberto"])


def test_paid_and_open_are_collapsed_and_headers_say_how_far_a_month_is() -> None:
    sheet = section(R06.build(view_of(make_golden())), "dre")
    headers = {
        column.period.month: (column.group, column.header)
        for column in sheet.columns
        if column.period and column.key == column.period.key
    }
    assert headers[date(2026, 2, 1)] == ("fev/26", "fev/26")
    assert headers[date(2026, 3, 1)] == ("mar/26", "mar/26 em curso")
    assert headers[date(2026, 4, 1)] == ("abr/26", "abr/26 contratado")
    assert [column.level for column in sheet.columns[1:7]] == [0, 1, 1, 0, 1, 1]


def test_year_share_and_change() -> None:
    # By hand: revenue jan-mar 5000 - 200 + 4500 = 9300; expense -1500 - 4600 - 2520 = -8620, of which payroll -2850;
    # -2850/9300 = -30.65 %. March against February: expense -2520 against -4600 is 2080 or 45.22 % better; revenue 4500
    # against -200 has no percent. December and April are outside the year to date.
    report = R06.build(view_of(make_golden()))
    revenue = record(table(report, "dre_acumulado"), codigo="receitas", nivel=0)
    expense = record(table(report, "dre_acumulado"), codigo="despesas", nivel=0)
    assert (revenue["Acumulado no ano"], expense["Acumulado no ano"]) == (Decimal("9300.00"), Decimal("-8620.00"))
    assert (expense["Variação"], expense["Var. %"]) == (Decimal("2080.00"), Decimal("45.22"))
    assert (revenue["Variação"], revenue["Var. %"], revenue["Var. nota"]) == (Decimal("4700.00"), None, "n/s")
    printed = records(section(report, "dre"))[0]
    assert (printed["Variação"], printed["Var. %"]) == (UNDEFINED, UNDEFINED)  # nothing a year before
    assert "% receita líquida" not in printed
    mapped = table(R06.build(view_of(make_golden(dre_mapa=MAPA))), "dre_acumulado")
    net = record(mapped, codigo="receita_liquida", nivel=0)
    payroll = record(mapped, codigo="pessoal", nivel=0)
    assert (net["Acumulado no ano"], net["% receita líquida"]) == (Decimal("9300.00"), Decimal("100.00"))
    assert (payroll["Acumulado no ano"], payroll["% receita líquida"]) == (Decimal("-2850.00"), Decimal("-30.65"))


def test_a_share_of_a_net_revenue_that_is_not_positive_is_none() -> None:
    """More given back than sold: a loss of 700 is not 175 % of a revenue of -400 (K10)."""
    entries = [
        {"id": number, "conta_id": 101, "categoria_id": category, "valor": valor, "data_vencimento": "2026-02-10"}
        for number, (category, valor) in enumerate([(11, "100.00"), (11, "-500.00"), (21, "-300.00")], 1)
    ]
    position = make_position(entries, parametros=Parametros(dre_mapa=MAPA))
    report = R06.build(view_of(position))
    shares = {row["Código"]: row["% receita líquida"] for row in records(table(report, "dre_acumulado"))}
    assert record(table(report, "dre_acumulado"), codigo="resultado", nivel=0)["Acumulado no ano"] == Decimal("-700.00")
    assert set(shares.values()) == {None}
    assert {row["% receita líquida"] for row in records(section(report, "dre")) if row["% receita líquida"]} == {
        UNDEFINED
    }


def test_category_tree_with_direct_amounts() -> None:
    report = R06.build(view_of(make_golden()))
    rows = [row for row in section(report, "dre").rows if row.key and row.key.startswith("dre-despesas")]
    assert [(row.cells[0], row.level) for row in rows] == [
        ("Despesas", 0),  # its only category, of the same name and figures, is no second row
        ("(direto)", 1),
        ("Aluguel", 1),
        ("Marketing (inativa)", 1),
        ("Pessoal", 1),
        ("Serviços de terceiros", 1),
    ]
    april = record(table(report, "dre"), codigo="despesas", linha="(direto)", mes=date(2026, 4, 1))
    assert (april["Valor"], april["Categoria id"]) == (Decimal("-600.00"), 20)
    assert rows[2].link is not None
    assert rows[2].link.key == "cat-Saídas-21"
    assert rows[0].link is not None
    assert rows[0].link.key == "cat-Saídas-20"


def test_cost_centres() -> None:
    report = R06.build(view_of(make_golden()))
    centros = table(report, "dre_centros")
    for month, figures in _months(expected.R06_CENTROS).items():
        for centro, amount in figures.items():
            assert record(centros, codigo="resultado", centro_custo_lucro_id=centro, mes=month)["Valor"] == amount
    sheet = section(report, "dre_centros_periodo")
    assert [column.header for column in sheet.columns] == ["Linha", "Centro #201", "Centro #202", "Sem centro", "Total"]
    assert [row.cells[0] for row in sheet.rows if row.style is Style.SECTION] == ["mar/26 até dia 16", "2026 até 16/03"]
    # Of March 1000.00 - 1500.00 - 120.00 is of the 16th or before; January 3500.00 and February -4800.00 precede it.
    up_to_now = [row["Total"] for row in records(sheet) if row["Linha"] == "Resultado"]
    assert up_to_now == [Decimal("-620.00"), Decimal("-1920.00")]
    february = record(centros, codigo="resultado", centro_custo_lucro_id=202, mes=date(2026, 2, 1))
    assert february["Valor"] == Decimal("-3100.00")


def test_tags_overlap_but_the_total_does_not() -> None:
    report = R06.build(view_of(make_golden()))
    listed = [(row["Id"], row["Resultado"]) for row in records(table(report, "dre_tags"))]
    assert listed == [(1, expected.TAGS[1]), (2, expected.TAGS[2])]
    (total,) = records(table(report, "dre_tags_total"))
    assert total["Resultado"] == expected.TAGS["total_sem_repeticao"]


def test_categories_without_a_group_are_listed() -> None:
    listed = section(R06.build(view_of(make_golden())), "dre_sem_grupo")
    assert {row["Id"] for row in records(listed)} == expected.R15["Q20"]
    without_map = R06.build(view_of(make_golden(dre_mapa={})))
    assert {row["Id"] for row in records(section(without_map, "dre_sem_grupo"))} == {*expected.R15["Q20"], 30}
    # Without the map the loan (mixed type, an inflow) is in Receitas, so the result moves by it and by nothing else.
    march = record(table(without_map, "dre"), codigo="resultado", nivel=0, mes=date(2026, 3, 1))
    assert march["Valor"] == Decimal("7980.00")


def test_map_moves_categories_between_lines_but_not_the_result() -> None:
    report = R06.build(view_of(make_golden(dre_mapa=MAPA)))
    assert report.title == ""  # that of its sheet
    lines = table(report, "dre")
    february, march = date(2026, 2, 1), date(2026, 3, 1)
    by_line = {(row["Código"], row["Mês"]): row["Valor"] for row in records(lines) if row["Nível"] == 0}
    assert by_line["pessoal", february] == Decimal("-2850.00")
    assert by_line["custos_variaveis", february] == Decimal("-250.00")
    assert by_line["administrativas", february] == Decimal("-1500.00")  # rent inherits from 20
    assert by_line["margem_contribuicao", february] == Decimal("-450.00")  # -200 - 250
    assert by_line["ebitda", february] == Decimal("-4800.00")
    assert by_line["comerciais", march] == Decimal("-900.00")
    assert "nao_classificadas" not in {codigo for codigo, _ in by_line}
    for month, figures in _months(expected.R06).items():
        assert record(lines, codigo="resultado", nivel=0, mes=month)["Valor"] == figures["resultado"]


def test_entries_without_competence_are_left_out_and_said_so() -> None:
    report = R06.build(view_of(make_golden(competencia_nula="excluir")))
    assert record(table(report, "dre"), codigo="resultado", nivel=0, mes=date(2026, 3, 1))["Valor"] == Decimal(
        "2880.00"
    )
    assert any("1 linha(s), -R$ 900,00" in note for note in section(report, "dre").notes)


def test_months_outside_the_sheet_stay_in_the_table_and_in_a_note() -> None:
    old = {"id": 1, "valor": "70.00", "conta_id": 101, "data_vencimento": "2020-05-10", "categoria_id": 11}
    new = {"id": 2, "valor": "-30.00", "conta_id": 101, "data_vencimento": "2026-03-10", "categoria_id": 21}
    report = R06.build(view_of(make_position([old, new])))
    sheet = section(report, "dre")
    shown = [column.period.month for column in sheet.columns if column.period and column.key == column.period.key]
    assert (shown[0], shown[-1], len(shown)) == (date(2025, 3, 1), date(2026, 3, 1), 13)
    assert "Resultado líquido de meses anteriores aos mostrados: R$ 70,00." in sheet.notes
    assert record(table(report, "dre"), codigo="resultado", nivel=0, mes=date(2020, 5, 1))["Valor"] == Decimal("70.00")


def test_unknown_and_missing_categories_go_to_outras() -> None:
    base = {"conta_id": 101, "data_vencimento": "2026-03-10"}
    position = make_position(
        [
            {"id": 1, "valor": "70.00", **base},
            {"id": 2, "valor": "-30.00", "categoria_id": 999, **base},
            {"id": 3, "valor": "0.00", "categoria_id": 24, **base},
            {"id": 4, "valor": "5.00", "lancamento_transferencia_id": 5, **base},
        ],
        parametros=Parametros(dre_mapa=MAPA),
    )
    sheet = section(R06.build(view_of(position)), "dre")
    rows = [row for row in sheet.rows if row.key and row.key.startswith("dre-outras")]
    march = sheet.place("2026_03_total")
    assert [(row.cells[0], row.cells[march]) for row in rows] == [
        ("11 Outras", Decimal("40.00")),
        ("Categoria #999 (não encontrada)", Decimal("-30.00")),
        ("Sem categoria", Decimal("70.00")),
    ]
    assert "Marketing (inativa)" not in {row.cells[0] for row in sheet.rows}


def test_company_without_amounts_still_has_every_line() -> None:
    report = R06.build(
        view_of(
            make_position(
                [{"id": 1, "conta_id": 101, "data_vencimento": "2026-03-10"}],
                parametros=Parametros(dre_mapa=MAPA),
            )
        )
    )
    assert_well_formed(report)
    rows = section(report, "dre").rows
    assert len(rows) == 15
    assert all(cell in (ZERO, None, UNDEFINED) for row in rows for cell in row.cells[1:])
    assert [row.style for row in rows if row.cells[0] == "14 = Resultado líquido"] == [Style.TOTAL]


@pytest.mark.parametrize("mapa", [{}, {30: "fora"}])
def test_without_a_map_there_are_three_lines_and_no_margin(mapa: dict[int, str]) -> None:
    report = R06.build(view_of(make_golden(dre_mapa=mapa)))
    assert report.title == "DRE gerencial (competência) · DRE não mapeada — rode `lastro mapa`"
    printed = [row.cells[0] for row in section(report, "dre").rows if row.level == 0]
    assert printed == ["Receitas", "Despesas", "Resultado", "Fora do resultado (memo)"]
    every = str([(part.columns, part.rows, part.notes) for part in report.sections if part.name != "dre"])
    assert "EBITDA" not in every
    assert "Margem" not in every
    # Fora is taken out where it is named; without any map the loan is a revenue.
    march = {"nivel": 0, "mes": date(2026, 3, 1)}
    assert record(table(report, "dre"), codigo="fora", **march)["Valor"] == (Decimal("6000.00") if mapa else ZERO)


def test_a_partial_map_keeps_what_it_does_not_know_apart() -> None:
    # Twelve months up to 16/03: without a group rent -1500 x 3 and third parties -250 - 120; besides those only
    # payroll -3000 and +150 is expense, so 4870 / 8020 = 60.72 %.
    mapa = {10: "receita_bruta", 22: "pessoal", 30: "fora"}
    report = R06.build(view_of(make_golden(dre_mapa=mapa)))
    assert report.title == "DRE gerencial (competência) · DRE parcial: 60,72 % sem grupo"
    february = {
        row["Código"]: row["Valor"]
        for row in records(table(report, "dre"))
        if row["Nível"] == 0 and row["Mês"] == date(2026, 2, 1)
    }
    assert (february["pessoal"], february["nao_classificadas"]) == (Decimal("-2850.00"), Decimal("-1750.00"))
    assert (february["administrativas"], february["resultado"]) == (ZERO, Decimal("-4800.00"))
    assert (february["margem_contribuicao"], february["ebitda"]) == (None, None)
    ebitda = next(row for row in section(report, "dre").rows if row.key == "dre-ebitda")
    assert set(ebitda.cells[1:]) == {UNDEFINED}
    centros = [row for row in records(section(report, "dre_centros_periodo")) if row["Linha"] == "9 = EBITDA gerencial"]
    assert [row["Total"] for row in centros] == [UNDEFINED, UNDEFINED]


@pytest.mark.parametrize(("tolerancia", "shown"), [("60.72", False), ("60.73", True)])
def test_a_tolerance_lets_margins_through(tolerancia: str, shown: bool) -> None:
    # 4870 / 8020 = 60.7232 %: the tolerance is held against the exact share.
    mapa = {10: "receita_bruta", 22: "pessoal", 30: "fora"}
    view = view_of(make_golden(dre_mapa=mapa, dre_mapa_tolerancia_pct=Decimal(tolerancia)))
    ebitda = record(table(R06.build(view), "dre"), codigo="ebitda", nivel=0, mes=date(2026, 2, 1))
    assert ebitda["Valor"] == (Decimal("-4800.00") if shown else None)
    assert view.dre_map.margens is shown
