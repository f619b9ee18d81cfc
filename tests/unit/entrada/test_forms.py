"""Files under another form than their names say: read rightly, or refused with the true cause (S18)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lastro.bank.ofx import read_ofx
from lastro.desk.reader import is_desk_file, read_desk
from lastro.entrada.csv_table import decode
from lastro.entrada.door import NotRead, list_seen, name_form, read_file
from lastro.entrada.saldos import TypedBalance, append_balances, read_balances
from lastro.entrada.workbook import read_workbook

CONTAS = {101: "Conta Alfa", 102: "Poupança"}
TEXT = "data;conta;saldo;nota\r\n2026-02-28;Poupança;7900,00;março\r\n"
FEVEREIRO = TypedBalance(102, date(2026, 2, 28), Decimal("7900.00"))
USUAL = (
    b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    b"http://schemas.openxmlformats.org/officeDocument/2006/",
)
STRICT = (b"http://purl.oclc.org/ooxml/spreadsheetml/main", b"http://purl.oclc.org/ooxml/officeDocument/")


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode("utf-16"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-16-le"),
        TEXT.replace(";", "\t").encode("utf-16"),
        f"sep=;\r\n{TEXT}".encode(),
        f"\ufeffSEP=;\n{TEXT}".encode(),
        f'"sep=,"\n{TEXT.replace(",00", ".00").replace(";", ",")}'.encode("cp1252"),
        f"sep=|;;;\n{TEXT.replace(';', '|')}".encode(),
    ],
)  # fmt: skip
def test_a_list_of_balances_in_other_clothes_says_the_same(content: bytes) -> None:
    read = read_balances(content, CONTAS)
    assert (read.saldos, read.recusadas) == ((FEVEREIRO,), ())


def test_a_line_is_told_by_its_place_below_one_that_says_what_delimits() -> None:
    read = read_balances(f"sep=;\n{TEXT}2026-02-28;999;1,00;\n".encode(), CONTAS)
    assert [each.linha for each in read.recusadas] == [4]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("end", ["", "\r\n"])
def test_a_balance_is_appended_as_the_file_is_written(tmp_path: Path, encoding: str, end: str) -> None:
    mark = "" if encoding == "cp1252" else "\ufeff"
    (tmp_path / "saldos.csv").write_bytes((mark + TEXT.rstrip() + end).encode(encoding))
    later = TypedBalance(101, date(2026, 3, 31), Decimal("5.00"))
    append_balances(tmp_path, [later], "até março")
    content = (tmp_path / "saldos.csv").read_bytes()
    assert set(read_balances(content, CONTAS).saldos) == {FEVEREIRO, later}
    assert decode(content).splitlines()[2:] == ["2026-03-31;101;5,00;até março"]


def save_workbook(sheet: str = "Fila") -> bytes:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    book.worksheets[0].title = sheet
    book.worksheets[0].append(["Título", date(2026, 12, 4), 7.5])
    book.save(stream)
    return stream.getvalue()


def rewrite(content: bytes, change: Callable[[str, bytes], tuple[str, bytes]]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for part in old.infolist():
            new.writestr(*change(part.filename, old.read(part)))
    return stream.getvalue()


def make_strict(name: str, content: bytes) -> tuple[str, bytes]:
    """As Excel does when it saves as "Strict Open XML": the same parts under other namespaces."""
    for usual, strict in zip(USUAL, STRICT, strict=True):
        content = content.replace(usual, strict)
    return name, content


def move_list(name: str, content: bytes) -> tuple[str, bytes]:
    return name.replace("workbook.xml", "livro2.xml"), content.replace(b"workbook.xml", b"livro2.xml")


def write_wide(name: str, content: bytes) -> tuple[str, bytes]:
    return (name, content.decode().encode("utf-16")) if name == "xl/workbook.xml" else (name, content)


@pytest.mark.parametrize("change", [make_strict, move_list, write_wide])
def test_a_workbook_of_another_writer_is_read_whole(change: Callable[[str, bytes], tuple[str, bytes]]) -> None:
    whole = save_workbook()
    content = rewrite(whole, change)
    assert content != whole
    assert read_workbook(content) == read_workbook(whole)
    assert len(read_workbook(content).rows["Fila"]) == 1
    assert is_desk_file(io.BytesIO(content))
    assert not is_desk_file(io.BytesIO(rewrite(save_workbook("Plan1"), change)))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (save_workbook(), "é uma planilha .xlsx; salve como CSV"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "é uma planilha .xls"),
        (b"%PDF-1.7\n1 0 obj", "é um PDF"),
        (b"\r\n<!DOCTYPE html><html>", "é uma página da internet"),
        (b"<table><html xmlns:x=''>", "é uma página da internet"),
        (b"\x01\x02data\x00;conta;saldo", "é um arquivo binário"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_refused_with_the_true_cause(content: bytes, told: str) -> None:
    with pytest.raises(NotRead, match=told):
        read_balances(content, CONTAS)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (TEXT.encode(), "é texto, como um CSV; abra e salve como .xlsx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "é uma planilha .xls, ou uma com senha"),
        (b"<html><table>", "é uma página da internet"),
        (rewrite(save_workbook(), lambda name, own: (name.replace("xl/", "x/"), own)), "falta nele a lista das folhas"),
    ],
)  # fmt: skip
def test_what_is_no_workbook_is_refused_with_the_true_cause(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "cobranca_2026-11-26.xlsx").write_bytes(content)
    with (tmp_path / "cobranca_2026-11-26.xlsx").open("rb") as stream, pytest.raises(NotRead, match=told):
        is_desk_file(stream)


def test_a_strict_workbook_of_a_desk_is_read_as_any_other(tmp_path: Path) -> None:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    rows: list[list[Any]] = [["Fila — Casos Ltda"], [], [], ["Cliente", "Promessa", "Anotação", "pessoa_id"]]
    for row in [*rows, ["Azul", date(2026, 12, 4), "ligou", 501]]:
        book.worksheets[0].append(row)
    book.worksheets[0].title = "Fila"
    book.save(stream)
    (tmp_path / "mesa.xlsx").write_bytes(rewrite(stream.getvalue(), make_strict))
    (azul,) = read_desk(read_file(tmp_path / "mesa.xlsx"), date(2026, 11, 26)).rows
    assert (azul.chave, azul.valores["promessa"], azul.valores["anotacao"]) == (501, "2026-12-04", "ligou")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_statement_of_two_bytes_a_character_is_read(encoding: str) -> None:
    text = "OFXHEADER:100\n<OFX><STMTTRN><DTPOSTED>20260301<TRNAMT>5,00<MEMO>CAFÉ</STMTTRN></OFX>\n"
    (statement,) = read_ofx(text.encode(encoding)).extratos
    assert [(line.valor, line.historico) for line in statement.linhas] == [(500, "CAFÉ")]


def test_what_a_system_leaves_in_a_folder_is_nobodys_typing(tmp_path: Path) -> None:
    for name in (
        "desktop.ini",
        "Thumbs.db",
        "Icon",
        "Icon\r",
        ".DS_Store",
        "~$saldos.csv",
        ".~lock.saldos.csv#",
        "a.csv",
    ):
        (tmp_path / name).write_bytes(b"x")
    assert [path.name for path in list_seen(tmp_path)] == ["a.csv"]


def test_a_text_is_never_named_anything_else() -> None:
    assert [name_form(each) for each in (b"", b"data;conta", TEXT.encode("utf-16"), TEXT.encode("utf-16-be"))] == [
        ""
    ] * 4
