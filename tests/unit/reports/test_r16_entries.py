"""R16 and Parâmetros: order and blocks, situations, the split by year, what the sheet of parameters says."""

from __future__ import annotations

from dataclasses import fields
from datetime import date, datetime
from decimal import Decimal

import pytest

from lastro.grid.cells import Cell, Kind
from lastro.grid.sections import SheetRows
from lastro.reports.parametros import SPEC as PAR
from lastro.reports.r04_monthly_flow import SPEC as R04
from lastro.reports.r16_entries import build_r16
from lastro.reports.shared.drill_down import find_blocks
from lastro.reports.sheets import lay_out
from lastro.settings import Conta, Empresa, Parametros
from tests.unit.reports.positions import entry, make_golden, make_position
from tests.unit.reports.readers import records, section, table
from tests.views import view_of


def test_order_and_blocks() -> None:
    rows = section(build_r16(view_of(make_golden())), "lancamentos").rows
    assert [row.cells[14] for row in rows] == [
        1011, 1001, 1017, 1012, 1015, 1013, 1019, 1002, 1003, 1004, 1016, 1007, 1009, 1008, 1010, 1014, 1005, 1006,
    ]  # fmt: skip
    assert [row.key for row in rows if row.key] == [
        "cat-Entradas-12", "cat-Entradas-11", "cat-Entradas-sem", "cat-Saídas-20", "cat-Saídas-21", "cat-Saídas-24",
        "cat-Saídas-22", "cat-Saídas-23", "cat-Não operacional-30", "cat-Transferências-sem",
    ]  # fmt: skip


def test_labels_dates_and_situations() -> None:
    rows = {row["Id"]: row for row in records(table(build_r16(view_of(make_golden(tags={1: "Obra"}))), "lancamentos"))}
    assert rows[1001]["Pessoa"] == "Azul"
    assert (rows[1001]["Data caixa"], rows[1001]["Data competência"]) == (date(2026, 2, 3), date(2026, 1, 15))
    assert rows[1004]["Situação"] == "Vencido"
    assert rows[1004]["Data caixa"] is None
    assert rows[1012]["Situação"] == "Em carência"
    assert rows[1012]["Tags"] == "Obra, Tag #2"
    assert rows[1013]["Situação"] == "Em aberto"
    assert rows[1016]["Competência presumida"] is True
    assert rows[1003]["Parcela"] == "2/3"
    assert (rows[1008]["Título"], rows[1008]["Origem"]) == (1007, "item")
    assert isinstance(rows[1001]["Alterado em"], datetime | None)


def test_payment_before_control_is_named() -> None:
    conta = Conta(101, "A", Decimal("1.00"), date(2026, 2, 1))
    rows = records(
        table(
            build_r16(view_of(make_position([entry(1, "5.00", "2026-01-10", "2026-01-10")], contas=[conta]))),
            "lancamentos",
        )
    )
    assert (rows[0]["Situação"], rows[0]["Data caixa"], rows[0]["Data"]) == (
        "Fora do controle",
        None,
        date(2026, 1, 10),
    )


def test_valor_prints_zeros_and_is_the_only_total() -> None:
    columns = section(build_r16(view_of(make_golden())), "lancamentos").columns
    assert [column.header for column in columns if column.total] == ["Valor"]
    assert [column.header for column in columns if column.show_zero] == ["Valor"]


@pytest.mark.parametrize(
    ("folha", "expected"),
    [
        (SheetRows(10, 17), {"2025": 1, "2026": 17}),
        (SheetRows(10, 16), {"2025": 1, "2026-01": 1, "2026-02": 8, "2026-03": 7, "2026-04": 1}),
        (SheetRows(10, 7), {"2025": 1, "2026-01": 1, "2026-02": 0, "2026-03": 7, "2026-04": 1}),
    ],
)
def test_in_parts_every_linha_keeps_its_place_and_its_links(folha: SheetRows, expected: dict[str, int]) -> None:
    """18 linhas, one of 2025: too long for the usual sheet; a year too long for any; a month too long for any."""
    view = view_of(make_golden(), folha=folha)
    report = build_r16(view)
    sheets = lay_out([report])
    assert {sheet.name: len(sheet.sections[0].rows) for sheet in sheets} == {
        f"Lançamentos {part}": rows for part, rows in expected.items()
    }
    assert len(table(report, "lancamentos").rows) == 18
    keys = {(sheet.name, row.key) for sheet in sheets for row in sheet.sections[0].rows if row.key}
    told = {sheet.name: sheet.sections[0].empty for sheet in sheets if sheet.sections[0].empty}
    links = [row.link for row in section(R04.build(view), "fluxo_mensal").rows if row.link]
    assert links
    assert all((link.sheet, link.key) in keys or link.sheet in told for link in links)
    assert told == (
        {}
        if folha.most > 7
        else {
            "Lançamentos 2026-02": "8 lançamentos, mais do que cabe numa folha: estão em mart.lancamentos (lastro sql) "
            "e, em Parquet, ao lado de dados (LEIA-ME)"
        }
    )


def test_the_year_or_month_of_d_is_where_a_category_leads() -> None:
    """Category 11 has linhas of February to April 2026; D is in March, and so is the block that is led to."""
    blocks = find_blocks(view_of(make_golden(), folha=SheetRows(10, 16)))
    assert blocks["Entradas", 11] == "Lançamentos 2026-03"
    assert find_blocks(view_of(make_golden(), folha=SheetRows(10, 17)))["Entradas", 11] == "Lançamentos 2026"


def _empresa(parametros: Parametros) -> Empresa:
    return Empresa("ouro", "Ouro Ltda", "https://servico.exemplo", "OURO_TOKEN", parametros=parametros)


def test_parameters_are_all_explained_and_no_address_is_printed() -> None:
    position = make_golden()
    report = PAR.build(
        view_of(position, empresa=_empresa(position.parametros), extras=[("fuso", "America/Sao_Paulo", "fuso")])
    )
    rows = {row.cells[0]: row.cells for row in section(report, "parametros").rows}
    assert {item.name for item in fields(Parametros)} <= set(rows)
    assert rows["data_base"][1] == Cell(date(2026, 3, 16), Kind.DATE)
    assert rows["fuso"][1] == "America/Sao_Paulo"
    assert rows["dre_mapa"][1] == "30 = fora"
    assert rows["composto decidido"][1] == "parcela (0 a favor de total, 1 contra)"
    printed = "".join(str(cell) for part in report.sections for row in part.rows for cell in row.cells)
    assert "exemplo" not in printed
    assert "OURO_TOKEN" not in printed


def test_accounts_and_certificate() -> None:
    position = make_golden()
    report = PAR.build(
        view_of(
            position,
            empresa=_empresa(position.parametros),
            certificado=[("lancamentos", "Banco Alfa", 1, 17, 1, 17, 17, 0, 0, 17, "provada", "contagem", "")],
        )
    )
    contas = section(report, "parametros_contas").rows
    assert contas[0].cells == ("Banco Alfa", 101, "Conta", True, True, date(2026, 1, 1), Decimal("10000.00"))
    assert section(report, "parametros_certificado").rows[0].cells[1:4] == ("Banco Alfa", 1, 17)
