"""R06: the golden figures (section 5), and what a map, a month without competence and zero values do."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.grid.model import Style
from lastro.reports.r06_income_statement import build_r06
from lastro.settings import Parametros
from tests.golden import dataset, expected
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import assert_well_formed, record, records, section, table
from tests.views import view_of

ZERO = Decimal("0.00")


def _months(values: Mapping[tuple[int, int], Any]) -> dict[date, Any]:
    return {date(year, month, 1): value for (year, month), value in values.items()}


@pytest.mark.parametrize("forma", dataset.FORMAS_COMPOSTO)
def test_golden_figures_in_every_shape_of_the_composite(forma: str) -> None:
    report = build_r06(view_of(make_golden(forma)))
    assert_well_formed(report)
    lines = table(report, "dre")
    for month, figures in _months(expected.R06).items():
        result = record(lines, codigo=14, nivel=0, mes=month)
        assert record(lines, codigo=1, nivel=0, mes=month)["Valor"] == figures["receitas"]
        assert record(lines, codigo=7, nivel=0, mes=month)["Valor"] == figures["despesas"]
        assert result["Valor"] == figures["resultado"]
        assert result["Pago/recebido"] == figures["pago"]
        assert result["Em aberto"] == figures["em_aberto"]
    elsewhere = [row["Valor"] for row in records(lines) if row["Mês"] not in _months(expected.R06)]
    assert set(elsewhere) == {ZERO}


def test_sheet_shows_what_the_table_holds() -> None:
    report = build_r06(view_of(make_golden()))
    sheet = section(report, "dre")
    table_rows = iter(records(table(report, "dre")))
    periods = [column.period for column in sheet.columns if column.period is not None and not column.figure]
    for row in sheet.rows:
        for period in periods:
            place = sheet.place(period.key)
            cells = next(table_rows)
            assert cells["Mês"] == period.month
            assert row.cells[place : place + 3] == (cells["Valor"], cells["Pago/recebido"], cells["Em aberto"])
    assert next(table_rows, None) is None


def test_paid_and_open_are_collapsed_and_unfinished_months_are_partial() -> None:
    sheet = section(build_r06(view_of(make_golden())), "dre")
    headers = {
        column.period.month: (column.group, column.header)
        for column in sheet.columns
        if column.period and not column.figure
    }
    assert headers[date(2026, 2, 1)] == ("fev/26", "fev/26")
    assert headers[date(2026, 3, 1)] == ("mar/26", "mar/26 parcial")
    assert headers[date(2026, 4, 1)] == ("abr/26", "abr/26 parcial")
    assert [column.level for column in sheet.columns[1:7]] == [0, 1, 1, 0, 1, 1]


def test_year_share_and_change() -> None:
    # By hand: revenue jan-mar 5000 - 200 + 4500 = 9300; expense -1500 - 4600 - 2520 = -8620; -8620/9300 = -92.69 %;
    # March against February -2520 / -4600 - 1 = -45.22 %. December and April are outside the year to date.
    report = build_r06(view_of(make_golden()))
    revenue = record(table(report, "dre_acumulado"), codigo=3, nivel=0)
    expense = record(table(report, "dre_acumulado"), codigo=7, nivel=0)
    assert (revenue["Acumulado no ano"], revenue["% receita líquida"]) == (Decimal("9300.00"), Decimal("100.00"))
    assert (expense["Acumulado no ano"], expense["% receita líquida"]) == (Decimal("-8620.00"), Decimal("-92.69"))
    assert expense["AH %"] == Decimal("-45.22")


def test_category_tree_with_direct_amounts() -> None:
    report = build_r06(view_of(make_golden()))
    rows = [row for row in section(report, "dre").rows if row.key and row.key.startswith("dre-7")]
    assert [(row.cells[0], row.level) for row in rows] == [
        ("7 Administrativas", 0),
        ("Despesas", 1),
        ("(direto)", 2),
        ("Aluguel", 2),
        ("Marketing (inativa)", 2),
        ("Pessoal", 2),
        ("Serviços de terceiros", 2),
    ]
    april = record(table(report, "dre"), codigo=7, linha="(direto)", mes=date(2026, 4, 1))
    assert (april["Valor"], april["Categoria id"]) == (Decimal("-600.00"), 20)
    assert rows[3].link is not None
    assert rows[3].link.key == "cat-Saídas-21"
    assert rows[1].link is not None
    assert rows[1].link.key == "cat-Saídas-20"


def test_cost_centres() -> None:
    report = build_r06(view_of(make_golden()))
    centros = table(report, "dre_centros")
    for month, figures in _months(expected.R06_CENTROS).items():
        for centro, amount in figures.items():
            assert record(centros, codigo=14, centro_id=centro, mes=month)["Valor"] == amount
    sheet = section(report, "dre_centros")
    assert [column.header for column in sheet.columns] == ["Linha", "Centro #201", "Sem centro", "Total"]
    assert record(sheet, linha="14 = Resultado líquido")["Total"] == Decimal("1980.00")
    february = record(centros, codigo=14, centro_id=202, mes=date(2026, 2, 1))
    assert february["Valor"] == Decimal("-3100.00")


def test_tags_overlap_but_the_total_does_not() -> None:
    sheet = section(build_r06(view_of(make_golden())), "dre_tags")
    assert [(row["Id"], row["Resultado"]) for row in records(sheet)] == [
        (1, expected.TAGS[1]),
        (2, expected.TAGS[2]),
        (None, expected.TAGS["total_sem_repeticao"]),
    ]


def test_categories_without_a_group_are_listed_only_when_a_map_is_set() -> None:
    listed = section(build_r06(view_of(make_golden())), "dre_sem_grupo")
    assert {row["Id"] for row in records(listed)} == expected.R15["Q20"]
    without_map = build_r06(view_of(make_golden(dre_mapa={})))
    assert "dre_sem_grupo" not in {part.name for part in without_map.sections}
    # Without the map the loan (mixed type) is in 11 Outras, so line 14 moves by it and by nothing else.
    march = record(table(without_map, "dre"), codigo=14, nivel=0, mes=date(2026, 3, 1))
    assert march["Valor"] == Decimal("7980.00")


def test_map_moves_categories_between_lines_but_not_the_result() -> None:
    mapa = {30: "fora", 22: "pessoal", 23: "custos_variaveis", 24: "comerciais", 20: "outras"}
    lines = table(build_r06(view_of(make_golden(dre_mapa=mapa))), "dre")
    february, march = date(2026, 2, 1), date(2026, 3, 1)
    assert record(lines, codigo=6, nivel=0, mes=february)["Valor"] == Decimal("-2850.00")
    assert record(lines, codigo=4, nivel=0, mes=february)["Valor"] == Decimal("-250.00")
    assert record(lines, codigo=11, nivel=0, mes=february)["Valor"] == Decimal("-1500.00")  # rent inherits from 20
    assert record(lines, codigo=5, nivel=0, mes=february)["Valor"] == Decimal("-450.00")  # -200 - 250
    assert record(lines, codigo=8, nivel=0, mes=march)["Valor"] == Decimal("-900.00")
    for month, figures in _months(expected.R06).items():
        assert record(lines, codigo=14, nivel=0, mes=month)["Valor"] == figures["resultado"]


def test_entries_without_competence_are_left_out_and_said_so() -> None:
    report = build_r06(view_of(make_golden(competencia_nula="excluir")))
    assert record(table(report, "dre"), codigo=14, nivel=0, mes=date(2026, 3, 1))["Valor"] == Decimal("2880.00")
    assert any("1 linha(s), -R$ 900,00" in note for note in section(report, "dre").notes)


def test_months_outside_the_sheet_stay_in_the_table_and_in_a_note() -> None:
    old = {"id": 1, "valor": "70.00", "conta_id": 101, "data_vencimento": "2020-05-10", "categoria_id": 11}
    new = {"id": 2, "valor": "-30.00", "conta_id": 101, "data_vencimento": "2026-03-10", "categoria_id": 21}
    report = build_r06(view_of(make_position([old, new])))
    sheet = section(report, "dre")
    shown = [column.period.month for column in sheet.columns if column.period and not column.figure]
    assert (shown[0], shown[-1], len(shown)) == (date(2025, 3, 1), date(2026, 3, 1), 13)
    assert "Resultado líquido de meses anteriores aos mostrados: R$ 70,00." in sheet.notes
    assert record(table(report, "dre"), codigo=14, nivel=0, mes=date(2020, 5, 1))["Valor"] == Decimal("70.00")


def test_unknown_and_missing_categories_go_to_outras() -> None:
    base = {"conta_id": 101, "data_vencimento": "2026-03-10"}
    position = make_position(
        [
            {"id": 1, "valor": "70.00", **base},
            {"id": 2, "valor": "-30.00", "categoria_id": 999, **base},
            {"id": 3, "valor": "0.00", "categoria_id": 24, **base},
            {"id": 4, "valor": "5.00", "lancamento_transferencia_id": 5, **base},
        ]
    )
    sheet = section(build_r06(view_of(position)), "dre")
    rows = [row for row in sheet.rows if row.key and row.key.startswith("dre-11")]
    march = sheet.place("2026_03_total")
    assert [(row.cells[0], row.cells[march]) for row in rows] == [
        ("11 Outras", Decimal("40.00")),
        ("Categoria #999 (não encontrada)", Decimal("-30.00")),
        ("Sem categoria", Decimal("70.00")),
    ]
    assert "Marketing (inativa)" not in {row.cells[0] for row in sheet.rows}


def test_company_without_amounts_still_has_every_line() -> None:
    report = build_r06(
        view_of(
            make_position(
                [{"id": 1, "conta_id": 101, "data_vencimento": "2026-03-10"}],
                parametros=Parametros(dre_mapa={30: "fora"}),
            )
        )
    )
    assert_well_formed(report)
    rows = section(report, "dre").rows
    assert len(rows) == 15
    assert all(cell in (ZERO, None) for row in rows for cell in row.cells[1:])
    assert [row.style for row in rows if row.cells[0] == "14 = Resultado líquido"] == [Style.TOTAL]
