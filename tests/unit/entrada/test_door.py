"""The door for files of people: what is opened, what is refused, and that nobody waits."""

from __future__ import annotations

import hashlib
import io
import os
import resource
import zipfile
from decimal import Decimal
from functools import cache
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lastro.entrada.archive import MAX_TEXT, open_parts
from lastro.entrada.door import MAX_BYTES, NotRead, Refusals, hold_unread, read_file, show_name
from lastro.entrada.workbook import read_workbook
from lastro.errors import LastroError
from tests.unit.entrada.hostile import HOSTILE, compress_again, make_odd, make_workbook, note_of, spoil


def test_a_file_is_read_once_with_its_digest_and_time(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"abc")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    found = read_file(path)
    assert (found.name, found.content, found.sha256) == ("a.xlsx", b"abc", hashlib.sha256(b"abc").hexdigest())
    assert found.saved.timestamp() == 1_700_000_000


@pytest.mark.parametrize("error", [ValueError, OverflowError, MemoryError, RecursionError, UnicodeError, KeyError])
def test_whatever_a_reader_raises_is_told_and_what_is_ours_is_not_hidden(error: type[Exception]) -> None:
    with pytest.raises(NotRead, match=f"^não pôde ser lido \\({error.__name__}\\)$"), hold_unread():
        raise error("segredo")
    with pytest.raises(NotRead, match=r"^vazio$"), hold_unread():
        raise NotRead("vazio")
    with pytest.raises(LastroError, match="disco"), hold_unread():
        raise LastroError("disco")
    with pytest.raises(KeyboardInterrupt), hold_unread():
        raise KeyboardInterrupt


def test_a_thousand_refused_parts_are_kept_one_by_one_and_of_the_others_their_number_and_sum() -> None:
    refused = Refusals()
    for linha in range(2, 1_002):
        refused.add("não entendi a data", linha, "a;b", Decimal("1.50"))
    assert (refused.quantas, len(refused.list_parts()), refused.list_parts()[-1].linha) == (1_000, 1_000, 1_001)
    refused.add("não entendi a data", 1_002, "a;b", Decimal("2.00"))
    last = refused.list_parts()[-1]
    assert (last.linha, last.motivo, last.valor) == (1_002, "mais 1 linha sem ler, desta em diante", Decimal("2.00"))
    refused.add("não entendi o valor", 1_003)
    last = refused.list_parts()[-1]
    assert (refused.quantas, len(refused.list_parts())) == (1_002, 1_001)
    assert (last.linha, last.motivo, last.valor) == (1_002, "mais 2 linhas sem ler, desta em diante", Decimal("2.00"))


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    for name, reason in make_odd(tmp_path).items():
        with pytest.raises(NotRead, match=reason):
            read_file(tmp_path / name)
    with pytest.raises(NotRead, match="saiu da pasta"):
        read_file(tmp_path / "nada.xlsx")
    (tmp_path / "grande").write_bytes(b"\0" * (MAX_BYTES + 1))
    with pytest.raises(NotRead, match="50 MB"):
        read_file(tmp_path / "grande")


def test_a_name_that_is_none_is_shown_and_stored_all_the_same() -> None:
    name = os.fsdecode(b"cobranca_\xff\n.xlsx")
    assert show_name(Path(name)) == "cobranca_\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}.xlsx"
    show_name(Path(name)).encode()


@pytest.mark.parametrize("name", HOSTILE)
def test_what_would_fill_the_memory_is_refused_before_a_reader_sees_it(name: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    content = HOSTILE[name]()
    assert len(content) < 3_000_000
    with pytest.raises(NotRead):
        read_workbook(content)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 150_000  # kB


@cache
def saved_workbook() -> bytes:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Fila"
    sheet.append(["pessoa_id", "Anotação", 7, 2.5, None])
    sheet.append([501, "=1+1"])
    book.save(stream)
    return stream.getvalue()


def test_cells_come_as_stored_and_a_formula_without_result_as_typed() -> None:
    found = read_workbook(saved_workbook())
    assert found.rows == {"Fila": [("pessoa_id", "Anotação", 7, 2.5), (501, "=1+1")]}
    assert found.left_out == ()


def test_what_lies_beyond_a_list_is_not_read_and_told() -> None:
    row = '<row r="{0}"><c r="A{0}"><v>1</v></c></row>'
    beyond = "o que está abaixo da linha 100.000 ou além da coluna 200 não foi lido"
    far = read_workbook(make_workbook([row.format(1).encode(), row.format(1_048_576).encode()]))
    assert (far.rows["Fila"][0], far.left_out) == ((1,), (beyond,))
    wide = read_workbook(make_workbook([b'<row r="1"><c r="GR1"><v>1</v></c><c r="GS1"><v>2</v></c></row>']))
    assert (len(wide.rows["Fila"][0]), wide.left_out) == (200, (beyond,))
    unnumbered = read_workbook(make_workbook([b'<row r="100000"><c><v>1</v></c></row><row><c><v>2</v></c></row>']))
    assert unnumbered.left_out == (beyond,)
    # Formatted to the edge, with nothing in it: nothing is lost.
    bare = read_workbook(make_workbook([b'<row r="1"><c r="A1"><v>1</v></c><c r="XFD1" s="0"/></row>']))
    assert (bare.rows["Fila"], bare.left_out) == ([(1,)], ())


def test_a_text_longer_than_a_cell_costs_its_end_and_no_more() -> None:
    found = read_workbook(note_of(b"x" * 1000, 33))
    assert found.rows["Fila"] == [("x" * MAX_TEXT,)]
    assert found.left_out == ("um texto de mais de 32.767 caracteres foi cortado",)


def test_damage_of_any_kind_is_one_sentence() -> None:
    whole = saved_workbook()
    damaged = [
        b"", b"PK", b"x" * 1000, whole[:-30], whole[:200],
        spoil(whole, "xl/workbook.xml"), spoil(whole, "xl/worksheets/sheet1.xml"),
        compress_again(whole, zipfile.ZIP_LZMA), compress_again(whole, zipfile.ZIP_BZIP2),
        make_workbook([b"<row><c><v>" + b"1" * 5000 + b"</v></c></row>"]),
        make_workbook([b'<row><c t="n"><v>abc</v></c></row>']),
        make_workbook([b"<row><c></row>"]),
        whole[:-22] + b"PK\x05\x06" + b"\xff" * 18,
    ]  # fmt: skip
    for content in damaged:
        with pytest.raises(NotRead, match=r"danificado|compactado|grande demais"):
            read_workbook(content)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_stands_in_a_file_it_is_read_or_refused(data: st.DataObject) -> None:
    content = bytearray(saved_workbook())
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    for source in (bytes(content), data.draw(st.binary(max_size=300))):
        try:
            read_workbook(source)
            with open_parts(io.BytesIO(source)) as archive:
                archive.namelist()
        except NotRead:
            continue
