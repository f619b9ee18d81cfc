"""Two workbooks side by side: what counts as a difference, what does not, and what cannot be compared."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner, Result

from lastro.catalogue import RunFacts, build_catalogue
from lastro.cli import main
from lastro.export.comparison import CHANGED, ONLY_A, ONLY_B, WHOLE_ROW, Comparison, compare_files
from lastro.export.sheet_reader import UnreadableBook
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Formula, Kind, Value
from lastro.grid.model import Column, Report, Row, Section, Style
from lastro.grid.workbook import Workbook
from lastro.quality.evidence import CheckInputs
from lastro.settings import Empresa
from tests.unit.export.export_values import STAMP, book, report, section
from tests.unit.reports.positions import make_golden

Line = tuple[int, str, date, Decimal]
LINES: tuple[Line, ...] = (
    (11, "Beta", date(2026, 3, 10), Decimal("100.00")),
    (12, "Gama", date(2026, 3, 11), Decimal("-40.10")),
    (13, "Gama", date(2026, 3, 12), Decimal("12345678901234.56")),
)


def open_items(lines: tuple[Line, ...] = LINES, header: str = "Pessoa") -> Report:
    """Pagar títulos: a detail with its total, which is a formula."""
    columns = (
        Column("Título", Kind.INTEGER, key="titulo_id"),
        Column(header, Kind.TEXT),
        Column("Vencimento", Kind.DATE),
        Column("Valor", Kind.MONEY, total=True),
    )
    return report(section(*columns, rows=lines, name="a_pagar", detail=True), code="R08", sheet="Pagar títulos")


def balances(final: str = "10.00", share: str = "25") -> Report:
    """Saldos: two tables, the second with accounts whose lines have the same names, and a note."""
    columns = (Column("Conta", Kind.TEXT), Column("mar/26", Kind.MONEY), Column("Parte", Kind.PERCENT))
    rows = []
    for account, amount in (("Alfa", Decimal("5.00")), ("Beta", Decimal(final))):
        rows.append(Row((account, None, None), Style.SECTION))
        rows.append(Row(("Saldo final", amount, Decimal(share)), level=1))
    first = section(Column("Item", Kind.TEXT), Column("Qtde", Kind.INTEGER), rows=(("Contas", 2),), name="itens")
    second = Section("saldos", columns, tuple(rows), title="Por conta", outline=True, notes=("Sem transferências.",))
    return report(first, second, code="R01", sheet="Saldos")


def parameters(run: int = 2) -> Report:
    """Parâmetros with one stamp and one setting."""
    rows: tuple[tuple[Value, ...], ...] = (("execucao_id", str(run)), ("saldo_minimo", "0.00"))
    return report(section(Column("Parâmetro", Kind.TEXT), Column("Valor", Kind.TEXT), rows=rows), sheet="Parâmetros")


Compare = Callable[[Workbook, Workbook], Comparison]


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """Write two workbooks and compare the files."""

    def write_and_compare(a: Workbook, b: Workbook) -> Comparison:
        return compare_files(render_workbook(a, tmp_path / "a.xlsx"), render_workbook(b, tmp_path / "b.xlsx"))

    return write_and_compare


def run_diff(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["diff", *map(str, arguments)])


def test_the_same_figures_are_equal_whatever_the_stamp_says(compare: Compare) -> None:
    later = replace(STAMP, execucao_id=3, extraido_em=datetime(2026, 3, 16, 9, 30))  # noqa: DTZ001
    found = compare(
        book(open_items(), balances(), parameters()), book(open_items(), balances(), parameters(3), stamp=later)
    )
    assert found.is_equal
    assert {each.linha for each in found.carimbos} == {"propriedades", "linhas 1 a 3", "execucao_id"}


def test_a_changed_amount_is_named_by_row_and_column_and_counts_once(compare: Compare) -> None:
    changed = (LINES[0], (12, "Gama", date(2026, 3, 11), Decimal("-40.35")), LINES[2])
    found = compare(book(open_items()), book(open_items(changed)))
    cell, total = found.diferencas
    assert (cell.planilha, cell.linha, cell.coluna, cell.tipo) == ("Pagar títulos", "12", "Valor", CHANGED)
    assert (cell.a, cell.b, cell.valor, cell.ids) == ("-40.10", "-40.35", Decimal("-0.25"), (12,))
    # The total is a formula: its results are 100,00 - 40,10 + 12.345.678.901.234,56 and 25 centavos less.
    assert (total.linha, total.a, total.b, total.valor) == ("Total", "12345678901294.46", "12345678901294.21", None)
    assert found.valor == Decimal("-0.25")
    (summed,) = found.sheets()
    assert (summed.diferencas, summed.valor, summed.ids, summed.ids_total) == (2, Decimal("-0.25"), (12,), 1)


def test_an_added_and_a_lost_row_count_whole(compare: Compare) -> None:
    added = (*LINES[1:], (14, "Delta", date(2026, 3, 13), Decimal("7.07")))
    rows = [each for each in compare(book(open_items()), book(open_items(added))).diferencas if each.linha != "Total"]
    assert [(each.linha, each.coluna, each.tipo, each.valor, each.ids) for each in rows] == [
        ("11", WHOLE_ROW, ONLY_A, Decimal("-100.00"), (11,)),
        ("14", WHOLE_ROW, ONLY_B, Decimal("7.07"), (14,)),
    ]


def test_rows_that_moved_are_no_difference(compare: Compare) -> None:
    assert compare(book(open_items()), book(open_items(LINES[::-1]))).is_equal


def test_a_renamed_header_is_a_column_of_each_and_no_amount(compare: Compare) -> None:
    found = compare(book(open_items()), book(open_items(header="Fornecedor")))
    assert [(each.coluna, each.tipo, each.valor) for each in found.diferencas] == [
        ("Pessoa", ONLY_A, None), ("Fornecedor", ONLY_B, None),
    ]  # fmt: skip


def test_rows_of_one_name_are_told_apart_by_those_above(compare: Compare) -> None:
    found = compare(book(balances()), book(balances("12.50")))
    (cell,) = found.diferencas
    assert (cell.tabela, cell.linha, cell.coluna, cell.valor) == (
        "Por conta", "Beta · Saldo final", "mar/26", Decimal("2.50"),
    )  # fmt: skip


def test_a_percent_is_no_money(compare: Compare) -> None:
    found = compare(book(balances()), book(balances(share="30")))
    assert [(each.coluna, each.a, each.b, each.valor) for each in found.diferencas] == [
        ("Parte", "0.25", "0.30", None)
    ] * 2


def test_rows_of_equal_names_are_paired_equal_ones_first(compare: Compare) -> None:
    def twins(*amounts: str) -> Workbook:
        rows = tuple(("Tarifa", Decimal(amount)) for amount in amounts)
        return book(report(section(Column("Descrição", Kind.TEXT), Column("Valor", Kind.MONEY), rows=rows)))

    (row,) = compare(twins("1.00", "2.00", "3.00"), twins("3.00", "1.00")).diferencas
    assert (row.linha, row.tipo, row.valor) == ("Tarifa", ONLY_A, Decimal("-2.00"))


def test_a_sheet_of_one_file_alone_and_a_note_are_told(compare: Compare) -> None:
    told = balances()
    other = replace(told, sections=(told.sections[0], replace(told.sections[1], notes=("Com transferências.",))))
    found = compare(book(told), book(other, open_items()))
    assert [(each.planilha, each.coluna, each.tipo, each.b or each.a) for each in found.diferencas] == [
        ("Saldos", "(ao lado)", ONLY_A, "Sem transferências."),
        ("Saldos", "(ao lado)", ONLY_B, "Com transferências."),
        ("Pagar títulos", "(planilha)", ONLY_B, None),
    ]
    # 100,00 - 40,10 + 12.345.678.901.234,56; the total row is not counted again.
    assert found.valor == Decimal("12345678901294.46")


def test_amounts_that_another_program_saved_as_floats_are_equal(tmp_path: Path) -> None:
    lines = ((1, "Beta", date(2026, 3, 10), Decimal("0.30")), (2, "Gama", date(2026, 3, 11), Decimal("1.10")))
    a = render_workbook(book(report(*open_items(lines).sections, sheet="Pagar títulos")), tmp_path / "a.xlsx")
    b = tmp_path / "b.xlsx"
    rewrite(a, b, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"<v>0.30</v>", b"<v>0.30000000000000004</v>"))
    assert b"0.30000000000000004" in zipfile.ZipFile(b).read("xl/worksheets/sheet1.xml")
    assert compare_files(a, b).is_equal


def rewrite(source: Path, target: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    """Copy an archive with one part changed."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for part in old.namelist():
            new.writestr(part, change(old.read(part)) if part == name else old.read(part))


def test_the_command_says_equal_different_or_not_comparable(tmp_path: Path) -> None:
    a = render_workbook(book(open_items()), tmp_path / "a.xlsx")
    b = render_workbook(book(open_items((*LINES[1:],))), tmp_path / "b.xlsx")
    same = run_diff(a, a)
    assert (same.exit_code, "Iguais: nenhum número e nenhum texto difere." in same.output) == (0, True)
    other = run_diff(a, b)
    assert other.exit_code == 1
    assert re.search(r"Pagar títulos +11 +\(linha\) +só em A +– +– +-100,00", other.output)
    assert "… e mais 1; --limite N mostra mais." in run_diff(a, b, "--limite", 1).output
    assert re.search(r"Todas +2 +-100,00", other.output)
    told = json.loads(run_diff(a, b, "--json").output)
    assert (told["iguais"], told["valor"], told["planilhas"][0]["ids"]) == (False, "-100.00", [11])


def test_at_most_ten_entries_of_a_sheet_are_listed(tmp_path: Path) -> None:
    many = tuple((number, "Beta", date(2026, 3, 10), Decimal("1.00")) for number in range(21, 33))
    a = render_workbook(book(open_items(many)), tmp_path / "a.xlsx")
    b = render_workbook(book(open_items(tuple((*line[:3], Decimal("2.00")) for line in many))), tmp_path / "b.xlsx")
    assert "21, 22, 23, 24, 25, 26, 27, 28, 29, 30 (+2)" in run_diff(a, b).output


def test_a_title_that_counts_is_told_and_its_table_still_found(compare: Compare) -> None:
    def series(*titles: str) -> Workbook:
        columns = (Column("Descrição", Kind.TEXT), Column("Valor", Kind.MONEY))
        rows = (("Aluguel", Decimal("9.00")),)
        return book(report(*(section(*columns, rows=rows, title=title, name=title) for title in titles)))

    found = compare(series("Resumo", "Vivos (1)", "Encerrados (1)"), series("Resumo", "Encerrados (2)"))
    assert [(each.tabela, each.coluna, each.tipo, each.valor) for each in found.diferencas] == [
        ("Vivos (1)", "(tabela)", ONLY_A, Decimal("-9.00")), ("Encerrados (1)", "(título)", CHANGED, None),
    ]  # fmt: skip


def test_one_centavo_in_the_whole_golden_workbook_is_found(tmp_path: Path) -> None:
    position = make_golden()
    empresa = Empresa("ouro", "Ouro", "http://localhost", "TOKEN", parametros=position.parametros)
    reports = build_catalogue(position, empresa, RunFacts(inputs=CheckInputs())).reports
    a = render_workbook(book(*reports), tmp_path / "a.xlsx")
    assert compare_files(a, render_workbook(book(*reports), tmp_path / "b.xlsx")).diferencas == ()
    names = [each.sheet for each in reports]
    part = f"xl/worksheets/sheet{names.index('Lançamentos') + 1}.xml"
    # Entry 1015 of the golden company, "Serviço de abril": 3.500,00, which is first met in the column Valor.
    rewrite(a, tmp_path / "c.xlsx", part, lambda xml: xml.replace(b"<v>3500.00</v>", b"<v>3500.01</v>", 1))
    found = compare_files(a, tmp_path / "c.xlsx")
    (cell,) = found.diferencas
    assert (cell.planilha, cell.coluna, cell.valor, cell.ids) == (
        "Lançamentos", "Valor", Decimal("0.01"), (1015,),
    )  # fmt: skip
    rewrite(
        a, tmp_path / "d.xlsx", "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"<v>13580.00<", b"<v>13580.09<")
    )
    assert [(each.planilha, each.linha, each.b) for each in compare_files(a, tmp_path / "d.xlsx").diferencas] == [
        ("Resumo", "Menor saldo em 45 dias (conservador)", "13580.09"),
        ("Resumo", "Conservador", "13580.09"),
    ]


def unreadable(folder: Path) -> dict[str, tuple[Path, str]]:
    """Files that cannot be compared with a gerencial, each with what is said of it."""
    good = render_workbook(book(open_items()), folder / "good.xlsx")
    cut, text, foreign, empty = (folder / f"{name}.xlsx" for name in ("cut", "text", "foreign", "empty"))
    cut.write_bytes(good.read_bytes()[:3000])
    text.write_text("Título;Valor\n", encoding="utf-8")
    openpyxl.Workbook().save(foreign)
    rewrite(good, empty, "xl/worksheets/sheet1.xml", lambda xml: re.sub(rb"(</f>)<v>[^<]*</v>", rb"\1", xml))
    broken = folder / "broken.xlsx"
    rewrite(good, broken, "xl/worksheets/sheet1.xml", lambda xml: xml[: len(xml) // 2])
    bare = folder / "bare.xlsx"
    rewrite(good, bare, "xl/styles.xml", lambda _: b"<styleSheet/>")
    grupo = render_workbook(replace(book(open_items()), kind="grupo"), folder / "grupo.xlsx")
    return {
        "cut": (cut, "arquivo danificado, protegido por senha ou que não é xlsx"),
        "text": (text, "arquivo danificado, protegido por senha ou que não é xlsx"),
        "broken": (broken, "arquivo danificado, protegido por senha ou que não é xlsx"),
        "bare": (bare, "arquivo danificado, protegido por senha ou que não é xlsx"),
        "foreign": (foreign, "não é uma planilha do lastro"),
        "empty": (empty, "não tem resultado guardado"),
        "grupo": (grupo, "good.xlsx é gerencial e grupo.xlsx é grupo"),
        "missing": (folder / "missing.xlsx", "o arquivo não existe"),
        "folder": (folder, "é uma pasta"),
        **beyond_bounds(good, folder),
    }


def beyond_bounds(good: Path, folder: Path) -> dict[str, tuple[Path, str]]:
    """What would be waited for, or would take the machine's memory or a minute."""
    names = ("fifo", "device", "large", "bomb", "held", "packed", "deep", "number")
    fifo, device, large, bomb, held, packed, deep, number = (folder / f"{name}.xlsx" for name in names)
    os.mkfifo(fifo)
    device.symlink_to("/dev/zero")
    large.touch()
    os.truncate(large, 200 * 10**6 + 1)
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("xl/sharedStrings.xml", "w") as part:
        for _ in range(301):
            part.write(bytes(10**6))
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("docProps/core.xml", b"<a>" + b" " * 50 * 10**6)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("docProps/core.xml", b"<a/>")
    sheet = "xl/worksheets/sheet1.xml"
    rewrite(good, deep, sheet, lambda xml: xml.replace(b'<row r="5"', b'<row outlineLevel="20000" r="5"'))
    rewrite(good, number, sheet, lambda xml: xml.replace(b"<v>100.00</v>", b"<v>1E400000000</v>"))
    return {
        "fifo": (fifo, "é uma pasta, fila ou dispositivo"),
        "device": (device, "é uma pasta, fila ou dispositivo"),
        "large": (large, "mais de 200 MB"),
        "bomb": (bomb, "descompactado, tem mais de 300 MB"),
        "held": (held, "docProps/core.xml tem mais de 50 MB"),
        "packed": (packed, "compactado de um modo"),
        "deep": (deep, "está no nível 20000"),
        "number": (number, "não cabe em nenhuma: '1E400000000'"),
    }


def test_what_cannot_be_compared_ends_with_2_and_a_sentence(tmp_path: Path) -> None:
    for kind, (path, said) in unreadable(tmp_path).items():
        with pytest.raises(UnreadableBook, match=re.escape(said)):
            compare_files(tmp_path / "good.xlsx", path)
        result = run_diff(tmp_path / "good.xlsx", path)
        told = result.output.startswith("lastro: não deu para comparar: ")
        assert (kind, result.exit_code, told) == (kind, 2, True)


def test_a_formula_of_text_is_compared_by_its_result(compare: Compare) -> None:
    def one(result: str) -> Workbook:
        rows = (("Conferência", Formula('IF(1=1,"OK","")', result)),)
        return book(report(section(Column("Item", Kind.TEXT), Column("Resultado", Kind.TEXT), rows=rows)))

    (cell,) = compare(one("OK"), one("PLANILHA ALTERADA")).diferencas
    assert (cell.linha, cell.coluna, cell.a, cell.b) == ("Conferência", "Resultado", "OK", "PLANILHA ALTERADA")
