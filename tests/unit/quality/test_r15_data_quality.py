"""R15: findings, checks, rejected records, schema changes and the formulas that re-add the sheets."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from lastro.grid.cells import Cell, Formula, Kind, Link
from lastro.grid.sections import Style
from lastro.grid.workbook import Report
from lastro.quality.queries import read_findings, read_queries
from lastro.reports.r15_data_quality import SPEC as R15
from tests.findings import find_all
from tests.unit.quality.checked_books import Books
from tests.unit.reports.readers import section, table
from tests.views import view_of


@pytest.fixture(scope="module")
def r15(books: Books, verified):
    return _build(books, verified, find_all(books.position).findings, books.reports)


def _build(books: Books, verified, findings=(), reports=None, **facts) -> Report:
    view = view_of(books.position, **facts)
    return R15.build(view.judged(tuple(verified.values()), findings, tuple((reports or {}).values())))


def test_findings_are_printed_by_rule_with_examples(r15) -> None:
    shown: Any = section(r15, "achados")
    assert [column.header for column in shown.columns if column.shown] == [
        "Regra", "Gravidade", "Qtde", "Entra", "Sai", "Exemplos", "Por que importa", "Como corrigir",
    ]  # fmt: skip
    rows = {row.cells[0]: row for row in shown.rows}
    assert len(rows) == len(read_findings())
    assert rows["Q20 Categoria sem grupo na DRE"].cells[2] == 7
    assert rows["Q20 Categoria sem grupo na DRE"].cells[5].text == "11, 12, 20, 21, 22"
    memo = rows["MEMO: baixas automáticas do mês"]
    assert (memo.style, *memo.cells[3:5]) == (Style.MEMO, Decimal("0.00"), Decimal("120.00"))


def test_every_record_behind_an_error_or_alert_is_listed_and_leads_to_its_entry(books: Books, verified) -> None:
    found = find_all(books.position)
    view = view_of(books.position).judged(tuple(verified.values()), found.findings, (), found.itens)
    report = R15.build(view)
    shown: Any = section(report, "achados_itens")
    told = {one.regra: one for one in found.findings}
    listed: dict[str, set[object]] = {}
    for row in shown.rows:
        number = row.cells[2]
        listed.setdefault(str(row.cells[0])[:3], set()).add(number.text if isinstance(number, Link) else number)
    assert listed == {
        rule: set(one.ids) for rule, one in told.items() if one.gravidade in ("erro", "alerta") and one.ids
    }
    (link,) = {row.cells[2] for row in shown.rows if row.cells[:2] == ("Q20 Categoria sem grupo na DRE", "categoria")
               and row.cells[2].text == 21}  # fmt: skip
    assert link == Link(21, sheet="Lançamentos", key="categoria_id=21")
    assert told["Q05"].gravidade == "informação"
    assert len(table(report, "achados_itens").rows) > len(shown.rows)


def test_checks_are_printed_in_order_with_what_differs(r15) -> None:
    rows: Any = section(r15, "verificacoes").rows
    assert [row.cells[0][:3] for row in rows] == list(read_queries())
    assert rows[0].cells[1:6] == (
        "Erro", "OK", Cell(Decimal("15980.00"), Kind.MONEY), Cell(Decimal("15980.00"), Kind.MONEY), Decimal("0.00"),
    )  # fmt: skip
    assert rows[12].cells[2] == "Informação"
    assert rows[12].cells[7] == "cobrança 9003"


def test_formulas_add_the_sheets_again(r15) -> None:
    rows: Any = {row.cells[0]: row.cells for row in section(r15, "conferencias").rows}
    wanted = {
        "Lançamentos: soma de Valor": "8480.00",
        "Pagar: soma dos títulos": "-2400.00",
        "Pagar: soma das faixas": "-2400.00",
        "Receber: soma dos títulos": "6900.00",
        "Receber: soma das faixas": "6900.00",
        "Inadimplência: soma de Vencido": "3400.00",
        "Pessoas: soma da posição líquida": "4500.00",
        "Saldos: Saldo em 16/03/2026": "15980.00",
        "Fluxo mensal: saldo inicial + movimentos = saldo final": "18580.00",
        "DRE: resultado do ano": "680.00",  # 3500 - 4800 + 1980
    }
    for label, amount in wanted.items():
        assert rows[label][1] == Decimal(amount), label
        assert isinstance(rows[label][2], Formula)
        assert rows[label][2].cached == Decimal(amount), label
    assert all(cells[3].cached == 0 for cells in rows.values())
    assert rows["Lançamentos: soma de Valor"][2].text == "SUM({lancamentos:valor})"


def test_a_changed_cell_shows_as_a_difference(books: Books, verified) -> None:
    report = books.reports["R08"]
    detail = section(report, "a_pagar")
    place = detail.place("valor")
    row = detail.rows[0]
    cells = (*row.cells[:place], Decimal("-1.00"), *row.cells[place + 1 :])
    changed = replace(detail, rows=(replace(row, cells=cells), *detail.rows[1:]))
    sections = tuple(changed if one is detail else one for one in report.sections)
    planilhas = {**books.reports, "R08": replace(report, sections=sections)}
    r15 = _build(books, verified, reports=planilhas)
    rows: Any = {found.cells[0]: found.cells for found in section(r15, "conferencias").rows}
    assert rows["Pagar: soma dos títulos"][3].cached == Decimal("1499.00")  # -1500.00 became -1.00


def test_tables_are_the_sheets_cells(r15) -> None:
    tables = {one.name: one for one in r15.tables}
    assert set(tables) == {"achados", "verificacoes", "conferencias", "rejeitados", "esquema"}
    assert [len(tables[name].rows) for name in ("achados", "verificacoes")] == [
        len(read_findings()),
        len(read_queries()),
    ]
    first = tables["verificacoes"].rows[0]
    assert first[1:6] == ("Erro", "OK", "15980.00", "15980.00", Decimal("0.00"))  # amounts among words are text
    assert all(not isinstance(cell, Formula | Cell) for row in tables["conferencias"].rows for cell in row)


def test_rejected_records_and_schema_changes_have_sections_when_there_are_any(books: Books, verified) -> None:
    quiet = _build(books, verified)
    assert [one.name for one in quiet.sections] == ["achados", "verificacoes"]
    report = _build(
        books,
        verified,
        rejeitados=[("lancamentos", "/v1/lancamentos?conta_id=101", 3, 17, "valor: não é um valor em dinheiro")],
        esquema=[("cobrancas", "novo_campo", "desconhecido", 4)],
    )
    assert [one.name for one in report.sections] == ["achados", "verificacoes", "rejeitados", "esquema"]
    assert section(report, "rejeitados").rows[0].cells[2:4] == (3, 17)
    assert [column.kind for column in section(report, "esquema").columns][-1] is Kind.INTEGER
