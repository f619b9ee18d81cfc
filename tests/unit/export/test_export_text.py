"""Aligned text: a page that a bookkeeper can read, and that a terminal cannot be tricked by."""

from __future__ import annotations

import doctest
from datetime import date, datetime
from decimal import Decimal
from types import ModuleType

import pytest
from export_values import STAMP, report, section

from lastro.export import cells, layout, looks, rows, text, xlsx
from lastro.export.text import render_text
from lastro.reports.model import UNDEFINED, Cell, Column, Formula, Kind, Link, Row, Section, Style

COLUMNS = (Column("Categoria", Kind.TEXT), Column("mar/26", Kind.MONEY), Column("AV %", Kind.PERCENT))


def test_a_statement() -> None:
    rows_ = (
        Row(("Entradas", Decimal("6900.00"), Decimal("100.00"))),
        Row(("Serviços", Decimal("0.00"), Decimal("0.00")), level=1),
        Row(("Saldo final", Decimal("-1234567.80"), UNDEFINED), style=Style.TOTAL),
    )
    expected = (
        "Fluxo\n"
        "Categoria           mar/26    AV %\n"
        "──────────────────────────────────\n"
        "Entradas          6.900,00  100,0%\n"
        "  Serviços               –       –\n"
        "──────────────────────────────────\n"
        "Saldo final  -1.234.567,80       —\n"
        "nota\n"
    )
    assert render_text(Section("r04", COLUMNS, rows_, title="Fluxo", notes=("nota",))) == expected


def test_a_report_with_its_stamp() -> None:
    printed = render_text(report(section(Column("Qtde", Kind.INTEGER)), sheet="Resumo"), stamp=STAMP)
    assert printed.splitlines() == [
        "RESUMO — Acme Ltda",
        "[CONFIÁVEL · 0 erros · 1 alerta]",
        (
            "Data-base 16/03/2026 (seg) · Extraído 16/03/2026 06:05 BRT · Execução 2 · Contas: 2 de 2 · Filtro: nenhum "
            "· Extração COMPLETA"
        ),
        "",
        "Qtde",
        "────",
        "Nenhum registro para o filtro e a data-base",
    ]


@pytest.mark.parametrize(
    ("kind", "value", "printed"),
    [
        (Kind.INTEGER, 0, "0"),
        (Kind.DATE, date(2026, 3, 16), "16/03/2026"),
        (Kind.MONTH, date(2026, 3, 1), "mar/26"),
        (Kind.TIMESTAMP, datetime(2026, 3, 16, 6, 5, 9), "16/03/2026 06:05"),  # noqa: DTZ001
        (Kind.NUMBER, Decimal("12.25"), "12,3"),
        (Kind.PERCENT, Decimal("-0.05"), "-0,1%"),
        (Kind.LINK, Link("abrir", url="https://a.example"), "abrir"),
        (Kind.MONEY, Formula("SUM(A1)", Decimal("2.50")), "2,50"),
        (Kind.TEXT, Cell(Decimal("2.50"), Kind.MONEY), "2,50"),
        (Kind.TEXT, "linha 1\nlinha 2\x1b[31m", "linha 1 linha 2 [31m"),
        (Kind.TEXT, None, ""),
    ],
)
def test_values(kind: Kind, value: object, printed: str) -> None:
    assert text.value_text(value, Column("Campo", kind)) == printed  # type: ignore[arg-type]


def test_long_texts_are_cut_and_wide_characters_keep_the_columns_straight() -> None:
    lines = render_text(
        section(Column("Pessoa", Kind.TEXT), Column("Id", Kind.INTEGER), rows=(("x" * 60, 1), ("日本", 22))),
        text_width=10,
    ).splitlines()
    assert lines[2:] == ["xxxxxxxxx…   1", "日本        22"]


@pytest.mark.parametrize("module", [cells, layout, looks, rows, text, xlsx])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
