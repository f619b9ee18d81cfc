"""What a workbook must be: section 3 of the functional design, one rule per test."""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections import Counter
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.utils.cell import coordinate_to_tuple
from openpyxl.utils.datetime import from_excel

from lastro.errors import StorageError
from lastro.export import layout, references
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import UNDEFINED, Cell, Formula, Kind, Link, row_key
from lastro.grid.sections import Mark, Row, Section, Style
from lastro.grid.tables import Alert, Column, period_of_month
from lastro.grid.verdict import Lack, Trust
from lastro.grid.workbook import Family, Sheet, Workbook
from tests.marks import examples
from tests.unit.export.export_values import STAMP, D, book, make_sheet, one_column, reopened, section

MONEY = '"R$" #,##0.00;-"R$" #,##0.00;"–"'
DENSE = '#,##0.00;-#,##0.00;"–"'
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
TEXT = Column("Descrição", Kind.TEXT)
VALOR = Column("Valor", Kind.MONEY)
COVER = make_sheet(section(TEXT, rows=(("Saldo",),), name="resumo"), name="Resumo")


def sheet_xml(path: Path, number: int = 1) -> str:
    with zipfile.ZipFile(path) as archive:
        return archive.read(f"xl/worksheets/sheet{number}.xml").decode()


# --- the file --------------------------------------------------------------------------------------------------------


def test_same_value_gives_the_same_bytes(tmp_path: Path) -> None:
    link = Link("abrir", url="https://a.example/x")
    value = book(COVER, one_column(Kind.MONEY, Decimal("1.00"), Decimal("-2.00")), one_column(Kind.LINK, link))
    first, second = (render_workbook(value, tmp_path / name) for name in ("a.xlsx", "b.xlsx"))
    assert first.read_bytes() == second.read_bytes()
    later = replace(value, stamp=replace(STAMP, extraido_em=datetime(2026, 3, 17, 6, 5)))  # noqa: DTZ001
    assert render_workbook(later, tmp_path / "c.xlsx").read_bytes() != first.read_bytes()


def test_times_inside_are_the_stamps(tmp_path: Path) -> None:
    path = render_workbook(book(COVER), tmp_path / "a.xlsx")
    with zipfile.ZipFile(path) as archive:
        assert {info.date_time for info in archive.infolist()} == {(2026, 3, 16, 6, 5, 0)}
        times = re.findall(r"<dcterms:\w+[^>]*>([^<]*)", archive.read("docProps/core.xml").decode())
    assert times == ["2026-03-16T06:05:00Z", "2026-03-16T06:05:00Z"]


def test_properties_say_what_the_file_is_and_when_it_was_read_in_utc(tmp_path: Path) -> None:
    stamp = replace(STAMP, empresa="Ipê & Filhos", extraido_utc=datetime(2026, 3, 16, 9, 5))  # noqa: DTZ001
    path = render_workbook(book(COVER, stamp=stamp), tmp_path / "a.xlsx")
    properties = openpyxl.load_workbook(path).properties
    assert properties.created == datetime(2026, 3, 16, 9, 5)  # noqa: DTZ001 - openpyxl drops the zone; 06:05 BRT
    assert (properties.language, properties.subject) == ("pt-BR", "Posição financeira de Ipê & Filhos em 16/03/2026")
    with zipfile.ZipFile(path) as archive:
        assert "<Company>Ipê &amp; Filhos</Company>" in archive.read("docProps/app.xml").decode()


def test_an_unwritable_place_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "ocupado").write_text("a file where a folder is needed")
    with pytest.raises(StorageError, match=r"gerencial.xlsx não pôde ser escrito em .*ocupado: .*; libere espaço ou"):
        render_workbook(book(COVER), tmp_path / "ocupado" / "gerencial.xlsx")


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StorageError, match="No space left on device"):
        render_workbook(book(COVER), tmp_path / "gerencial.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_a_failing_report_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"section 'lancamentos', column 'Valor': a float cannot stand"):
        render_workbook(book(one_column(Kind.MONEY, 1.5, header="Valor")), tmp_path / "gerencial.xlsx")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


# --- head of a sheet -------------------------------------------------------------------------------------------------


def test_head_rows(tmp_path: Path) -> None:
    sheets = reopened(book(COVER, one_column(Kind.TEXT, "x")), tmp_path)
    resumo, detail = sheets["Resumo"], sheets["Lançamentos"]
    assert resumo["A1"].value == "RESUMO"
    assert detail["A1"].value == "LANÇAMENTOS"
    flag = [cell for cell in resumo[1] if cell.value][-1]
    assert (flag.value, flag.fill.start_color.rgb) == ("[CONFIÁVEL · 0 erros · 1 alerta]", "001B5E20")
    assert resumo["A2"].value == (
        "Acme Ltda · Data-base 16/03/2026 (seg) · Extraído 16/03/2026 06:05 BRT · Execução 2 · Contas: 2 de 2 · "
        "Filtro: nenhum · Extração COMPLETA"
    )
    assert resumo["A3"].value is None
    assert detail["A3"].value == "« Resumo"
    assert detail["A3"].hyperlink.location == "'Resumo'!A1"
    assert detail["A4"].value == "Campo"
    assert detail["A4"].font.b
    assert detail["A4"].alignment.wrap_text
    assert detail["A5"].value == "x"


@pytest.mark.parametrize(
    ("change", "flag", "colour", "words"),
    [
        (
            {"trust": Trust(erros=2, alertas=1), "reconstituido": True},
            "[NÃO CONFIÁVEL · 2 erros · 1 alerta]",
            "B71C1C",
            "RECONSTITUÍDO · NÃO C",
        ),
        (
            {"trust": Trust(alertas=1, rejeitados=3)},
            "[ATENÇÃO · 0 erros · 1 alerta · 3 registros ilegíveis]",
            "8A4B00",
            "Atenção: 3 registros",
        ),
        (
            {"trust": Trust(alertas=1, falta=Lack(1, 2))},
            "[SOMAS CONFEREM · falta: mapa da DRE, 2 saldos · 0 erros · 1 alerta]",
            "8A4B00",
            "Falta: mapa da DRE, 2 saldos",
        ),
        ({"contas_lidas": 1, "extracao": "PARCIAL"}, "[CONFIÁVEL · 0 erros · 1 alerta]", "1B5E20", "Contas: 1 de 2"),
    ],
)
def test_distrust_is_visible(tmp_path: Path, change: dict[str, Any], flag: str, colour: str, words: str) -> None:
    sheet = reopened(book(COVER, stamp=replace(STAMP, **change)), tmp_path)["Resumo"]
    last = [cell for cell in sheet[1] if cell.value][-1]
    assert (last.value, last.fill.start_color.rgb[2:]) == (flag, colour)
    assert words in sheet["A2"].value


def test_freeze_and_print(tmp_path: Path) -> None:
    wide = make_sheet(section(TEXT, *[replace(VALOR, header=f"V{i}") for i in range(12)], rows=(("a", *[None] * 12),)))
    sheet = reopened(book(wide), tmp_path)["Lançamentos"]
    assert sheet.freeze_panes == "B5"
    assert (sheet.page_setup.orientation, sheet.page_setup.paperSize) == ("landscape", 9)
    assert (sheet.print_title_rows, sheet.print_title_cols) == ("$1:$4", None)  # one page: 20 + 12 x 16 characters
    assert sheet.print_area == "'Lançamentos'!$A$1:$M$5"
    assert sheet.oddFooter.left.text == "Acme Ltda · Data-base 16/03/2026"
    assert sheet.oddFooter.center.text == "&A · página &P de &N"
    assert sheet.oddFooter.right.text == "[CONFIÁVEL · 0 erros · 1 alerta]"


def test_tab_colours(tmp_path: Path) -> None:
    reports = [replace(COVER, family=family, name=family) for family in Family]
    sheets = reopened(book(*reports), tmp_path)
    assert [sheet.sheet_properties.tabColor.rgb[2:] for sheet in sheets.values()] == [
        "0D47A1",
        "1B5E20",
        "6A1B9A",
        "EF6C00",
        "9E9E9E",
        "424242",
    ]


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("report_value", "stored", "number_format"),
    [
        (one_column(Kind.MONEY, Decimal("123456789012345.67")), "123456789012345.67", MONEY),
        (one_column(Kind.MONEY, Decimal("-0.10")), "-0.10", MONEY),
        (one_column(Kind.MONEY, Decimal("1E+3"), dense=True), "1000", DENSE),
        (one_column(Kind.MONEY, Decimal("0.00"), show_zero=True), "0.00", MONEY.rsplit(";", 1)[0]),
        (one_column(Kind.PERCENT, Decimal("49.28")), "0.4928", "0.0%"),
        (one_column(Kind.PERCENT, Decimal("0.00")), "0.0000", '0.0%;-0.0%;"–"'),
        (one_column(Kind.NUMBER, Decimal("12.5")), "12.5", "#,##0.0"),
        (one_column(Kind.INTEGER, 1234, header="Qtde"), "1234", "#,##0"),
        (one_column(Kind.INTEGER, 7001, header="Id"), "7001", "0"),
        (one_column(Kind.DATE, D), "46097", "dd/mm/yyyy"),
        (one_column(Kind.MONTH, date(2026, 3, 1)), "46082", "[$-416]mmm/yy"),
        (one_column(Kind.TEXT, Cell(Decimal("5.00"), Kind.MONEY)), "5.00", MONEY),
        (one_column(Kind.MONEY, Cell(3, Kind.INTEGER)), "3", "#,##0"),
    ],
)
def test_stored_number_and_format(tmp_path: Path, report_value: Sheet, stored: str, number_format: str) -> None:
    path = render_workbook(book(report_value), tmp_path / "a.xlsx")
    assert re.search(r'<c r="A5" s="\d+"><v>([^<]*)</v></c>', sheet_xml(path)).group(1) == stored  # type: ignore[union-attr]
    assert openpyxl.load_workbook(path).worksheets[0]["A5"].number_format == number_format


def test_timestamps_come_back_to_the_second(tmp_path: Path) -> None:
    moment = datetime(2026, 3, 16, 23, 59, 59)  # noqa: DTZ001
    path = render_workbook(book(one_column(Kind.TIMESTAMP, moment)), tmp_path / "a.xlsx")
    serial = re.search(r'<c r="A5" s="\d+"><v>([^<]*)</v>', sheet_xml(path)).group(1)  # type: ignore[union-attr]
    assert serial == "46097.999988426"  # 46097 + 86399/86400
    assert from_excel(float(serial)).replace(microsecond=0) == moment


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+55 11 9999", "-10", "@SUM(A1)", "#N/A", "1,5", "TRUE", "00123", "  dois espaços ", "a\nb", "ação & <b>"],
)
def test_text_stays_text(tmp_path: Path, text: str) -> None:
    cell = reopened(book(one_column(Kind.TEXT, text)), tmp_path)["Lançamentos"]["A5"]
    assert (cell.value, cell.data_type) == (text, "s")
    path = tmp_path / "w.xlsx"
    assert 't="inlineStr"' in sheet_xml(path).split('r="A5"')[1][:30]


def test_unprintable_characters_are_dropped(tmp_path: Path) -> None:
    dirty = "a\x00b\x1bc\ud800d\ufffee\uffff\x0bf"
    sheet = reopened(book(one_column(Kind.TEXT, dirty, Link(dirty))), tmp_path)["Lançamentos"]
    assert [sheet["A5"].value, sheet["A6"].value] == ["abcdef", "abcdef"]


def test_long_text_is_cut_with_an_ellipsis(tmp_path: Path) -> None:
    sheet = reopened(book(one_column(Kind.TEXT, "x" * 40_000, "x" * 32_767, "😀" * 20_000)), tmp_path)["Lançamentos"]
    cut, whole, pairs = (sheet[f"A{row}"].value for row in (5, 6, 7))
    assert (len(cut), cut[-2:]) == (32_767, "x…")
    assert whole == "x" * 32_767
    assert len(pairs.encode("utf-16-le")) // 2 <= 32_767
    assert pairs.endswith("😀…")


def test_undefined_prints_a_right_aligned_dash(tmp_path: Path) -> None:
    cell = reopened(book(one_column(Kind.MONEY, UNDEFINED)), tmp_path)["Lançamentos"]["A5"]
    assert (cell.value, cell.alignment.horizontal) == ("—", "right")


def test_a_date_that_excel_cannot_hold_is_text(tmp_path: Path) -> None:
    assert (
        reopened(book(one_column(Kind.DATE, date(1899, 12, 31))), tmp_path)["Lançamentos"]["A5"].value == "31/12/1899"
    )


def test_month_headers_are_of_one_kind_and_bands_are_named(tmp_path: Path) -> None:
    """Most have a word beside the month, which a date cannot have in a narrow column: so all are text (D26)."""
    march, april = (period_of_month(date(2026, month, 1)) for month in (3, 4))
    columns = (
        TEXT,
        Column("mar/26", Kind.MONEY, period=march),
        Column("Realizado", Kind.MONEY, group="abr/26", period=april),
        Column("abr/26 contratado", Kind.MONEY, period=april),
    )
    sheet = reopened(book(make_sheet(section(*columns, rows=(("a", None, None, None),)))), tmp_path)["Lançamentos"]
    assert [cell.value for cell in sheet[4]][1:4] == ["mar/26", "abr/26 Realizado", "abr/26 contratado"]


# --- sections, totals, formulas --------------------------------------------------------------------------------------


def test_empty_section_says_so(tmp_path: Path) -> None:
    sheet = reopened(book(make_sheet(section(TEXT, VALOR))), tmp_path)["Lançamentos"]
    assert [cell.value for cell in sheet[4]][:2] == ["Descrição", "Valor"]
    assert sheet["A5"].value == "Nenhum registro para o filtro e a data-base"


def test_sections_stand_below_each_other(tmp_path: Path) -> None:
    first = section(TEXT, rows=(("a",), ("b",)), title="Primeira", notes=("nota",), name="a")
    second = section(TEXT, VALOR, rows=(("c", Decimal("1.00")),), title="Segunda", name="b")
    sheet = reopened(book(make_sheet(first, second)), tmp_path)["Lançamentos"]
    assert [sheet.cell(row, 1).value for row in range(4, 12)] == [
        "Descrição",
        "a",
        "b",
        "nota",
        None,
        "Segunda",
        "Descrição",
        "c",
    ]
    assert sheet["B11"].value == 1


def test_detail_gets_filter_and_subtotal_with_its_result(tmp_path: Path) -> None:
    rows = (("a", Decimal("0.10")), ("b", Decimal("0.20")), ("c", Decimal("123456789012.34")))
    detail = make_sheet(section(TEXT, replace(VALOR, total=True), rows=rows, detail=True))
    path = render_workbook(book(detail), tmp_path / "a.xlsx")
    sheet = openpyxl.load_workbook(path).worksheets[0]
    assert sheet.auto_filter.ref == "A4:B7"
    assert (sheet["A8"].value, sheet["A9"].value, sheet["B9"].value) == (None, "Total", "=SUBTOTAL(109,B5:B7)")
    assert "<f>SUBTOTAL(109,B5:B7)</f><v>123456789012.64</v>" in sheet_xml(path)
    assert openpyxl.load_workbook(path, data_only=True).worksheets[0]["B9"].value is not None


def test_subtotal_leaves_the_subtotals_of_the_report_out(tmp_path: Path) -> None:
    columns = (TEXT, replace(VALOR, total=True))
    rows = (
        Row(("a", Decimal("1.00"))),
        Row(("b", Decimal("2.00"))),
        Row(("1-30", Decimal("3.00")), style=Style.SUBTOTAL),
        Row(("c", Decimal("4.00"))),
        Row(("Total", Decimal("7.00")), style=Style.TOTAL),
    )
    sheet = reopened(book(make_sheet(Section("x", columns, rows, detail=True))), tmp_path)["Lançamentos"]
    assert (sheet["A10"].value, sheet["B10"].value) == ("Total", "=SUBTOTAL(109,B5:B6,B8:B8)")
    assert sheet["A9"].value is None
    assert "<v>7.00</v>" in sheet_xml(tmp_path / "w.xlsx").split("</f>")[1]


def test_formulas_find_sections_of_other_sheets(tmp_path: Path) -> None:
    rows = (
        Row(("a", Decimal("1.00"))),
        Row(("b", Decimal("2.00")), key="b"),
        Row(("T", Decimal("3.00")), style=Style.TOTAL),
    )
    target = make_sheet(Section("r09_c", (TEXT, VALOR), rows), name="D'Ávila")
    live = one_column(Kind.MONEY, Formula("SUM({r09_c:valor})-{r09_c:valor@b}", Decimal("1.00")))
    sheet = reopened(book(target, live), tmp_path)["Lançamentos"]
    assert sheet["A5"].value == "=SUM('D''Ávila'!$B$5:$B$6)-'D''Ávila'!$B$6"
    assert openpyxl.load_workbook(tmp_path / "w.xlsx", data_only=True)["Lançamentos"]["A5"].value == 1
    with pytest.raises(ValueError, match="r99"):
        render_workbook(book(one_column(Kind.MONEY, Formula("{r99:valor}", 0))), tmp_path / "b.xlsx")


def test_more_rows_than_excel_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "MAX_ROWS", 6)
    with pytest.raises(ValueError, match=r"'Lançamentos' needs 7 rows .* has to be split"):
        render_workbook(book(one_column(Kind.TEXT, "a", "b", "c")), tmp_path / "a.xlsx")


def test_outline_opens_to_level_two(tmp_path: Path) -> None:
    rows = tuple(Row((f"n{level}",), level=level) for level in (0, 1, 2, 3, 9, 1))
    sheet = reopened(book(make_sheet(Section("fluxo_mensal", (TEXT,), rows, outline=True))), tmp_path)["Lançamentos"]
    found = [(sheet.row_dimensions[row].outlineLevel, sheet.row_dimensions[row].hidden) for row in range(5, 11)]
    assert found == [(0, False), (1, False), (2, False), (3, True), (7, True), (1, False)]
    assert sheet.row_dimensions[7].collapsed
    assert not sheet.sheet_properties.outlinePr.summaryBelow
    assert sheet.sheet_format.outlineLevelRow == 7
    assert [sheet.cell(row, 1).alignment.indent for row in (5, 6, 7)] == [0, 1, 2]


def test_column_details_start_collapsed(tmp_path: Path) -> None:
    columns = (
        TEXT,
        Column("Realizado", Kind.MONEY, group="mar/26", level=1),
        Column("A realizar", Kind.MONEY, group="mar/26", level=1),
        Column("Total", Kind.MONEY, group="mar/26"),
    )
    dre = (TEXT, Column("mar/26", Kind.MONEY, group="mar/26"), replace(columns[1], header="Pago"), VALOR)
    sheets = reopened(
        book(make_sheet(section(*columns, rows=((None,) * 4,)), name="A"), make_sheet(section(*dre), name="B")),
        tmp_path,
    )
    left, right = sheets["A"].column_dimensions, sheets["B"].column_dimensions
    assert (left["B"].outlineLevel, left["B"].hidden) == (1, True)
    assert (left["C"].outlineLevel, left["C"].hidden, left["D"].collapsed) == (1, True, True)
    # The trust flag stands in the first column beside the label that is in sight.
    assert (sheets["A"]["B1"].value, sheets["A"]["D1"].value) == (None, "[CONFIÁVEL · 0 erros · 1 alerta]")
    assert sheets["A"].sheet_properties.outlinePr.summaryRight
    assert (right["C"].hidden, right["B"].collapsed) == (True, True)
    assert not sheets["B"].sheet_properties.outlinePr.summaryRight


def test_widths_by_kind(tmp_path: Path) -> None:
    columns = (
        Column("Data", Kind.DATE),
        Column("Valor", Kind.MONEY),
        Column("Qtde", Kind.INTEGER),
        Column("Curto", Kind.TEXT),
        Column("Longo", Kind.TEXT),
        Column("Grande", Kind.MONEY),
        Column("Dia", Kind.TEXT, width=6),
    )
    row = (D, Decimal("1.00"), 1, "a", "b" * 90, Decimal("-123456789012345.67"), "seg")
    sheet = reopened(book(make_sheet(section(*columns, rows=(row,)))), tmp_path)["Lançamentos"]
    widths = [sheet.column_dimensions[letter].width for letter in "ABCDEFG"]
    assert widths[:5] == [20, 16, 9, 18, 45]
    assert widths[5] >= len("-R$ 123.456.789.012.345,67")
    assert widths[6] == 6


def test_a_long_text_does_not_widen_the_figures_of_another_section(tmp_path: Path) -> None:
    figures = section(TEXT, VALOR, VALOR, VALOR, rows=(("a", *[Decimal("1.00")] * 3),), name="a")
    advice = section(TEXT, Column("O que fazer", Kind.TEXT, width=45), rows=(("a", "b" * 60),), name="b")
    sheet = reopened(book(make_sheet(figures, advice)), tmp_path)["Lançamentos"]
    assert sheet.column_dimensions["B"].width == 26
    assert not sheet["B9"].alignment.wrap_text  # it runs over C and D


# --- looks -----------------------------------------------------------------------------------------------------------


def test_marks_and_styles_show(tmp_path: Path) -> None:
    def row(*marks: Mark, style: Style = Style.NORMAL) -> Row:
        return Row(("x", Decimal("1.00")), style=style, marks=frozenset(marks))

    rows = (
        row(Mark.TODAY),
        row(Mark.NON_BUSINESS_DAY),
        row(Mark.LATE_90),
        row(Mark.PROVISIONAL),
        row(style=Style.TOTAL),
    )
    sheet = reopened(book(make_sheet(Section("fluxo_diario", (TEXT, VALOR), rows))), tmp_path)["Lançamentos"]
    today, grey, late, provisional, total = (sheet.cell(number, 2) for number in range(5, 10))
    assert (today.border.top.style, today.border.top.color.rgb[2:]) == ("medium", "0D47A1")
    assert grey.fill.start_color.rgb[2:] == "EEEEEE"
    assert late.font.color.rgb[2:] == "B71C1C"
    assert provisional.font.i
    assert total.font.b


def test_conditional_formats(tmp_path: Path) -> None:
    columns = (
        Column("Saldo final", Kind.MONEY, alert=Alert.SALDO),
        Column("Situação", Kind.TEXT, alert=Alert.SITUACAO),
    )
    rows = ((Decimal("-1.00"), "Crítico"), (Decimal("10.00"), "OK"))
    value = book(make_sheet(section(*columns, rows=rows)), saldo_minimo=Decimal("50.00"))
    sheet = reopened(value, tmp_path)["Lançamentos"]
    rules = {
        str(area.sqref): [(rule.formula[0], rule.dxf.fill and rule.dxf.fill.bgColor.rgb[2:]) for rule in area.rules]
        for area in sheet.conditional_formatting
    }
    assert rules == {
        "A5:A6": [("AND(ISNUMBER(A5),A5<0)", "FFCDD2"), ("AND(ISNUMBER(A5),A5<50.00)", "FFE0B2"), ("0", None)],
        "B5:B6": [('B5="OK"', "E8F5E9"), ('B5="Atenção"', "FFF3E0"), ('B5="Crítico"', "FFEBEE")],
    }
    assert (sheet["B5"].value, sheet["B5"].number_format) == ("Crítico", '"✖ "@')
    # What the bank lends is amber, with a mark of its own; below the minimum less the limit as well.
    for minimum, beyond in (("50.00", []), ("900.00", [("AND(ISNUMBER(A5),A5<100.00)", "FFE0B2", None)])):
        value = book(make_sheet(section(*columns, rows=rows)), saldo_minimo=Decimal(minimum), limite=Decimal("800.00"))
        areas = reopened(value, tmp_path)["Lançamentos"].conditional_formatting
        dxfs = [(rule.formula[0], rule.dxf) for area in areas if str(area.sqref) == "A5:A6" for rule in area.rules]
        assert [(text, dxf.fill.bgColor.rgb[2:], dxf.numFmt and dxf.numFmt.formatCode) for text, dxf in dxfs[:-1]] == [
            ("AND(ISNUMBER(A5),A5<-800.00)", "FFCDD2", None),
            ("AND(ISNUMBER(A5),A5<0)", "FFE0B2", '#,##0.00;"▲ "-#,##0.00'),
            *beyond,
        ]


def test_of_a_statement_only_results_are_red(tmp_path: Path) -> None:
    """What it costs is below zero by nature; a list without results is red wherever it is below zero."""
    styles = (Style.SECTION, Style.NORMAL, Style.SUBTOTAL, Style.NORMAL, Style.TOTAL)
    rows = tuple(Row((style.value, Decimal("-1.00")), style) for style in styles)
    columns = (Column("Linha", Kind.TEXT), Column("mar/26", Kind.MONEY))
    for shown, area in ((rows, "B7 B9"), (rows[1:2] * 2, "B5:B6")):
        sheet = reopened(book(make_sheet(replace(section(*columns), rows=shown))), tmp_path)["Lançamentos"]
        assert [str(one.sqref) for one in sheet.conditional_formatting] == [area]


# --- links and names -------------------------------------------------------------------------------------------------


def linked_workbook() -> Workbook:
    links = (
        Link("bloco", sheet="Lançamentos", key="bloco_b"),
        Link("topo", sheet="Lançamentos", key="não existe"),
        Link("sem planilha", sheet="Nada"),
        Link("boleto", url="https://pay.example/c?a=1&b=á b"),
        Link("script", url="javascript:alert(1)"),
        Link("arquivo", url="file:///etc/passwd"),
        Link("longo", url="https://pay.example/" + "x" * 2_100),
        Link("usual", url="http://pay.example:80/c%20d/(e)?f=1&g='2'#h"),
        Link("sem lugar", url="https:///c"),
        Link("quebrado", url="https://[c/"),
        Link("duas linhas", url="https://pay.example/c\nd"),
    )
    index = make_sheet(section(Column("Abrir", Kind.LINK), rows=tuple((link,) for link in links)), name="Resumo")
    rows = (Row(("a",)), Row(("b",), key="bloco_b", link=Link("b", sheet="Resumo")))
    return book(index, make_sheet(Section("lancamentos", (TEXT,), rows)))


def test_links_lead_to_rows_and_web_addresses_only(tmp_path: Path) -> None:
    sheets = reopened(linked_workbook(), tmp_path)
    resumo = sheets["Resumo"]
    targets = [cell.hyperlink and (cell.hyperlink.location or cell.hyperlink.target) for (cell,) in resumo["A5:A15"]]
    assert targets == [
        "'Lançamentos'!A6",
        "'Lançamentos'!A1",
        None,
        "https://pay.example/c?a=1&b=%C3%A1%20b",
        None,
        None,
        None,
        "http://pay.example:80/c%20d/(e)?f=1&g='2'#h",
        None,
        None,
        None,
    ]
    assert [cell.value for (cell,) in resumo["A5:A7"]] == ["bloco", "topo", "sem planilha"]
    assert sheets["Lançamentos"]["A6"].hyperlink.location == "'Resumo'!A1"
    assert sheets["Lançamentos"]["A6"].value == "b"


def test_a_linked_label_keeps_the_format_of_its_kind(tmp_path: Path) -> None:
    to_cover = Link("", sheet="Resumo")
    dates = Section("a", (Column("Vencimento", Kind.DATE),), (Row((D,), link=to_cover),))
    texts = Section("b", (TEXT,), (Row(("Serviços",), link=to_cover),))
    sheet = reopened(book(COVER, make_sheet(dates, texts)), tmp_path)["Lançamentos"]
    assert (sheet["A5"].number_format, sheet["A5"].hyperlink.location) == ("dd/mm/yyyy", "'Resumo'!A1")
    assert (sheet["A8"].value, sheet["A8"].number_format) == ("Serviços", '@" »"')


def test_a_link_finds_the_preferred_row_of_an_id(tmp_path: Path) -> None:
    columns = (Column("Título", Kind.INTEGER, key="titulo_id"), Column("Id", Kind.INTEGER, key="linha_id"))
    listed_rows = (Row((7, 3)), Row((7, 7)), Row((8, 9)), Row((8, 5)))
    listed = Section("lancamentos", columns, listed_rows, anchors=(("titulo_id", "linha_id"),))
    links = (Link(7, sheet="L", key=row_key("titulo_id", 7)), Link(8, sheet="L", key=row_key("titulo_id", 8)))
    index = Section("a", (Column("Lançamento", Kind.INTEGER),), tuple(Row((link,)) for link in links))
    sheet = reopened(book(make_sheet(index, name="A"), make_sheet(listed, name="L")), tmp_path)["A"]
    assert [(cell.value, cell.hyperlink.location) for (cell,) in sheet["A5:A6"]] == [(7, "'L'!A6"), (8, "'L'!A7")]


def test_no_more_links_than_excel_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "MAX_LINKS", 3)
    links = [Link(str(i), url=f"https://pay.example/{i}") for i in range(5)]
    sheet = reopened(book(one_column(Kind.LINK, *links)), tmp_path)["Lançamentos"]
    assert sum(cell.hyperlink is not None for row in sheet.iter_rows() for cell in row) == 2
    assert [sheet.cell(row, 1).value for row in range(5, 10)] == ["0", "1", "2", "3", "4"]


def test_defined_names_point_at_their_rows(tmp_path: Path) -> None:
    cover = Section(
        "resumo", (Column("Indicador", Kind.TEXT), VALOR), (Row(("Saldo", Decimal("5.00")), key="kpi_saldo"),)
    )
    parameters = Section("par", (TEXT, VALOR), (Row(("data_base", Cell(D, Kind.DATE)), key="data_base"),))
    value = book(
        make_sheet(cover, name="Resumo"),
        make_sheet(parameters, name="Parâmetros"),
        names={"kpi_saldo": Decimal("5.00"), "data_base": D, "kpi_ausente": None},
    )
    names = openpyxl.load_workbook(render_workbook(value, tmp_path / "a.xlsx")).defined_names
    assert {name: names[name].attr_text for name in names} == {
        "kpi_saldo": "'Resumo'!$B$5",
        "data_base": "'Parâmetros'!$B$5",
    }


# --- structure -------------------------------------------------------------------------------------------------------

CELLS = st.one_of(
    st.none(),
    st.just(UNDEFINED),
    st.text(max_size=40),
    st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**13), max_value=10**13),
    st.dates(),
    st.builds(Link, st.text(max_size=10), url=st.text(max_size=30).map(lambda text: f"https://{text}")),
    st.builds(Link, st.text(max_size=10), sheet=st.just("Planilha 0"), key=st.just("k")),
)


@st.composite
def workbooks(draw: st.DrawFn) -> Workbook:
    reports = []
    for sheet in range(draw(st.integers(1, 3))):
        sections = []
        for index in range(draw(st.integers(1, 3))):
            width = draw(st.integers(1, 5))
            columns = tuple(
                Column(f"C{i}", draw(st.sampled_from([Kind.TEXT, Kind.MONEY])), total=draw(st.booleans()))
                for i in range(width)
            )
            marks = st.frozensets(st.sampled_from(Mark), max_size=2)
            row = st.builds(
                Row,
                st.tuples(*[CELLS] * width),
                style=st.sampled_from(Style),
                level=st.integers(0, 8),
                key=st.sampled_from([None, "k"]),
                marks=marks,
            )
            rows = tuple(draw(st.lists(row, max_size=6)))
            title, notes = draw(st.sampled_from([None, "Título"])), draw(st.sampled_from([(), ("a", "b")]))
            name = f"s{sheet}_{index}"
            sections.append(Section(name, columns, rows, title, draw(st.booleans()), notes, draw(st.booleans())))
        reports.append(Sheet(f"Planilha {sheet}", "Título", tuple(sections)))
    return book(*reports)


@examples(15)
@given(workbooks())
def test_any_report_gives_a_file_that_readers_accept(workbook: Workbook) -> None:
    """Rows and cells ascend, styles exist, and every figure can be read back to the cent."""
    with tempfile.TemporaryDirectory() as folder:
        path = render_workbook(workbook, Path(folder) / "w.xlsx")
        with zipfile.ZipFile(path) as archive:
            styles = ElementTree.fromstring(archive.read("xl/styles.xml"))  # noqa: S314 - our own file
            known = len(styles.findall(f"{MAIN}cellXfs/{MAIN}xf"))
            for number, report_value in enumerate(workbook.sheets, 1):
                root = ElementTree.fromstring(archive.read(f"xl/worksheets/sheet{number}.xml"))  # noqa: S314
                rows = root.findall(f"{MAIN}sheetData/{MAIN}row")
                numbers = [int(row.attrib["r"]) for row in rows]
                assert numbers == sorted(set(numbers))
                for row in rows:
                    positions = [coordinate_to_tuple(cell.attrib["r"]) for cell in row]
                    assert positions == sorted(set(positions))
                    assert {position[0] for position in positions} <= {int(row.attrib["r"])}
                    assert all(int(cell.attrib["s"]) < known for cell in row)
                stored = Counter(
                    Decimal(cell.findtext(f"{MAIN}v") or "")
                    for row in rows
                    for cell in row
                    if "t" not in cell.attrib and len(cell)
                )
                wanted = Counter(
                    value
                    for one in report_value.sections
                    for row in one.rows
                    for value in row.cells
                    if isinstance(value, Decimal)
                )
                totals = any(one.detail and any(c.total for c in one.columns) for one in report_value.sections)
                assert totals or not wanted - stored
        openpyxl.load_workbook(path).close()
