"""Whatever lies in the desk's folder, and whatever is typed into a cell, `lastro run` ends as it would without it."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
from click.testing import CliRunner

from lastro.cli import main
from lastro.export.looks import RED
from lastro.operation.causes import CauseKind, find_causes
from lastro.operation.state import read_states
from lastro.settings import load_settings
from tests.desk_sheets import header_of, put, row_with, rows_of
from tests.served import clock_at
from tests.unit.entrada.hostile import HOSTILE, compress_again, make_odd, make_workbook, spoil

D = date(2026, 11, 23)
DIGITS = ("12345678901234567890", "99999999999999999,00", "NaN", "1E+999999", "-50", "R$ 2.000", "1.500")
"""Typed as text into *Valor prometido*: nothing of it is an amount."""
NUMBERS = {1e40: f"1{'0' * 40}", 33.333: "33.333"}
"""Numbers that are no amount, and how they come back."""
NO_DAYS = ("sexta", "31/02/2026", "NaN")
"""Typed into *Pagar em*."""
NOT_FOUND = ("cobranca_sem_linhas.xlsx", "outro_nome.xlsx")
"""Workbooks with a sheet of ours in which nothing of ours is found."""
SOON = ("uma_linha_larga.xlsx",)
"""Of the bombs the one that is refused soonest."""


@dataclass(frozen=True)
class Mesa:
    """A desk: the sheet of its títulos, the column into which is typed what it cannot be, what is said of that.

    Attributes:
        twice: sheets on which a título stands that is noted on the first of them.
        loose: a sheet without keys.
    """

    name: str
    sheet: str
    column: str
    typed: tuple[Any, ...]
    said: str
    twice: tuple[str, ...]
    loose: str


MESAS = (
    Mesa(
        "cobranca", "Títulos", "Valor prometido", (*DIGITS, *NUMBERS), "não entendi o valor «R$ 2.000»",
        ("Sem cobrança", "Títulos"), "Promessas",
    ),
    Mesa("pagamentos", "Decidir", "Pagar em", NO_DAYS, "não entendi a data «sexta»", ("Decidir",), "Dias"),
)  # fmt: skip
at_both = pytest.mark.parametrize("mesa", MESAS, ids=[mesa.name for mesa in MESAS])


@dataclass
class Morning:
    """What a run made of the folder."""

    folder: Path
    names: dict[str, str]
    output: str
    code: int
    books: dict[str, Any]
    published: Path
    typed: dict[str, dict[int, Any]]
    settings_file: Path
    noted: dict[str, int]


def fill(folder: Path, original: Path, bombs: Iterable[str]) -> dict[str, str]:
    """Put hostile files into the folder, and bombs: name as it is shown -> why it is not read."""
    whole = original.read_bytes()
    told = make_odd(folder) | {"esparso.xlsx": "danificado"}  # the end of it says so already
    for name in bombs:
        (folder / name).write_bytes(HOSTILE[name]())
        told[name] = ""
    damaged = {
        "deflate_danificado.xlsx": spoil(whole, "xl/workbook.xml"),
        "folha_danificada.xlsx": spoil(whole, "xl/worksheets/sheet1.xml"),
        "lzma.xlsx": compress_again(whole, zipfile.ZIP_LZMA),
        "cortado.xlsx": whole[: len(whole) // 2],
        "vazio.xlsx": b"",
        "lixo.xlsx": bytes(range(256)) * 40,
        "5000_digitos.xlsx": make_workbook([b"<row><c><v>" + b"1" * 5000 + b"</v></c></row>"]),
        "gerencial_do_ano.xlsx": b"x",
        **dict.fromkeys(NOT_FOUND, make_workbook([])),
    }
    for name, content in damaged.items():
        (folder / name).write_bytes(content)
        told[name] = "nenhuma linha da mesa foi encontrada" if name in NOT_FOUND else ""
    (folder / "Thumbs.db").write_bytes(b"x")  # nobody's typing, like the desktop.ini
    (folder / f"~${original.name}").write_bytes(b"x")  # somebody has it open
    (folder / "fechamento_2026-10.xlsx").write_bytes(b"x")  # a damaged closing is nobody's desk
    (folder / os.fsdecode(b"cobranca_\xff.xlsx")).write_bytes(whole[:3000])
    (folder / "cobranca.ods").write_bytes(b"x")
    return told | {"cobranca_\N{REPLACEMENT CHARACTER}.xlsx": "", "cobranca.ods": "salvo como .ods; salve como .xlsx"}


@pytest.fixture(scope="module", params=[SOON, pytest.param(tuple(HOSTILE), marks=pytest.mark.longo)], ids=len)
def morning(
    demo_run: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Morning]:
    """A run over the folder; each bomb costs it seconds, so by default there is one."""
    shutil.copytree(demo_run, place := tmp_path_factory.mktemp("hostil") / "empresa", symlinks=True)
    settings = load_settings(place / "lastro.toml", {}, place)
    published = settings.pasta(settings.empresas[0]) / "lastro.duckdb"
    folder = published.parent / "relatorios"
    typed, noted, names = {}, {}, fill(folder, folder / f"cobranca_{D}.xlsx", request.param)
    for mesa in MESAS:
        typed[mesa.name], noted[mesa.name] = type_badly(mesa, original := folder / f"{mesa.name}_{D}.xlsx")
        book = openpyxl.load_workbook(original)
        del book["_lastro"]  # as some web editors do; and it is another company's
        for sheet in book.worksheets:
            sheet["A1"] = "Fila — Outra Empresa SA"
        book.save(folder / f"sem_identificacao_{mesa.name}.xlsx")
        names[f"sem_identificacao_{mesa.name}.xlsx"] = "não puderam ser reconhecidas como desta empresa"
        os.utime(original, (16_000_000_000, 16_000_000_000))  # by a machine that is in 2477
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SANDBOX_TOKEN", "x")
        ran = CliRunner().invoke(main, ["run", "--modo", "recalculo", "--config", str(place / "lastro.toml")])
    books_of = {mesa.name: openpyxl.load_workbook(folder / f"{mesa.name}_{D}_r2.xlsx") for mesa in MESAS}
    yield Morning(folder, names, ran.output, ran.exit_code, books_of, published, typed, place / "lastro.toml", noted)
    (folder / "fifo.xlsx").unlink()


def type_badly(mesa: Mesa, original: Path) -> tuple[dict[int, Any], int]:
    """Type what is not understood; return it by título, and a título that is noted on one of its sheets."""
    book = openpyxl.load_workbook(original)
    titles = book[mesa.sheet]
    typed: dict[int, Any] = dict(zip(rows_of(titles, "titulo_id"), mesa.typed, strict=False))
    assert len(typed) == len(mesa.typed)
    for number, value in typed.items():
        row = row_with(titles, "titulo_id", number)
        put(titles, row, **{mesa.column: value, "Anotação": f"nota {number}"})
        if mesa is MESAS[0]:
            put(titles, row, Promessa=date(2026, 11, 25))
        if isinstance(value, str):
            titles.cell(row, header_of(titles)[mesa.column]).data_type = "s"
    if mesa is MESAS[0]:
        put(book["Fila"], 5, Promessa="sexta")
    noted = next(number for number in rows_of(book[mesa.twice[0]], "titulo_id") if number not in typed)
    put(book[mesa.twice[0]], row_with(book[mesa.twice[0]], "titulo_id", noted), Anotação="emitir hoje")
    book[mesa.loose]["A30"] = "ligar para todos na sexta"
    book.save(original)
    return typed, noted


def lines_of(book: Any, sheet: str) -> list[list[Any]]:
    return [[cell for cell in row if cell is not None] for row in book[sheet].iter_rows(values_only=True)]


@at_both
def test_the_run_ends_and_names_every_file(morning: Morning, mesa: Mesa) -> None:
    assert morning.code == 0, morning.output
    assert "Traceback" not in morning.output
    told = {str(cell) for line in lines_of(morning.books[mesa.name], "Histórico") for cell in line}
    for name, why in morning.names.items():
        (line,) = [text for text in told if text.startswith(f"{name}: ")]
        assert why in line
        assert name in morning.output
    # Both desks share the folder: each tells of it, and nothing else does, for it is read as it was saved last.
    assert f"cobranca_{D}.xlsx: está aberto; o que ainda não foi salvo não foi lido" in told
    first = morning.books[mesa.name].worksheets[0]
    assert f"ATENÇÃO: {len(morning.names) + 1} arquivo(s)" in str(first["A3"].value)


def test_every_file_is_still_there(morning: Morning) -> None:
    there = {os.fsencode(path.name).decode("utf-8", "replace") for path in morning.folder.iterdir()}
    assert there >= set(morning.names)


def test_quality_and_notices_name_them_too(morning: Morning) -> None:
    with closing(duckdb.connect(str(morning.published), read_only=True)) as con:
        ((count, text),) = con.execute(
            "SELECT registros, detalhe FROM ops.verificacoes WHERE (execucao_id, verificacao) = (2, 'Q31')"
        ).fetchall()
        kept = con.execute("SELECT count(*) FROM raw.arquivo_rejeitados").fetchall()
        read = {name for (name,) in con.execute("SELECT arquivo FROM hist.arquivos_mesa").fetchall()}
    assert not read & {*NOT_FOUND}
    assert (count, kept) == (len(morning.names), [(len(morning.names),)])
    assert all(name in text for name in morning.names)
    settings, now = load_settings(morning.settings_file, {}, morning.settings_file.parent), clock_at(D)()
    causes = find_causes(read_states(settings, now), settings.avisos, now, None)
    (cause,) = [cause for cause in causes if cause.kind is CauseKind.ARQUIVO]
    assert "fifo.xlsx: não é um arquivo comum" in cause.houve


@at_both
def test_what_is_not_understood_stays_as_typed_marked_and_uncounted(morning: Morning, mesa: Mesa) -> None:
    titles = morning.books[mesa.name][mesa.sheet]
    rows = rows_of(titles, "titulo_id")
    for number, value in morning.typed[mesa.name].items():
        cell = titles.cell(row_with(titles, "titulo_id", number), header_of(titles)[mesa.column])
        assert str(cell.value) == (value if isinstance(value, str) else NUMBERS[value])
        assert cell.font.color.rgb.endswith(RED)
        assert rows[number]["Anotação"] == f"nota {number}"  # the rest of the row is read
    states = {str(line[1]) for line in lines_of(morning.books[mesa.name], "Histórico")[4:] if len(line) > 1}
    assert any(mesa.said in text for text in states)
    promises = morning.books["cobranca"]["Promessas"]
    assert [row[2] for row in promises.iter_rows(min_row=5, max_row=5, values_only=True)] == [0]
    with closing(duckdb.connect(str(morning.published), read_only=True)) as con:
        assert con.execute("SELECT DISTINCT valor FROM mart.promessas WHERE titulo_id > 0").fetchall() == [(None,)]
        assert con.execute("FROM mart.decisoes").fetchall() == []
        ((count,),) = con.execute(
            "SELECT registros FROM ops.verificacoes WHERE (execucao_id, verificacao) = (2, 'Q39')"
        ).fetchall()
    assert count == sum(map(len, morning.typed.values())) + 1


def test_a_clock_that_is_ahead_wins_no_conflict_for_ever(morning: Morning) -> None:
    with closing(duckdb.connect(str(morning.published), read_only=True)) as con:
        ((latest,),) = con.execute("SELECT max(quando) FROM hist.anotacoes").fetchall()
        ((began,),) = con.execute("SELECT max(iniciada_em) FROM ops.execucoes").fetchall()
    assert latest <= began


@at_both
def test_notes_on_the_other_sheets_are_not_lost(morning: Morning, mesa: Mesa) -> None:
    book = morning.books[mesa.name]
    for sheet in mesa.twice:
        assert rows_of(book[sheet], "titulo_id")[morning.noted[mesa.name]]["Anotação"] == "emitir hoje"
    orphans = [line for line in lines_of(book, "Histórico") if "linha sem chave" in line]
    assert [line[-2] for line in orphans] == [f"{mesa.loose}: ligar para todos na sexta"]


@at_both
def test_rows_of_another_company_are_nobodys(morning: Morning, mesa: Mesa) -> None:
    """The same numbers are somebody here, too."""
    with closing(duckdb.connect(str(morning.published), read_only=True)) as con:
        found = con.execute(
            "SELECT DISTINCT mesa, chave, starts_with(rotulo, 'de que empresa?') FROM hist.anotacoes WHERE arquivo = ?",
            [f"sem_identificacao_{mesa.name}.xlsx"],
        ).fetchall()
    assert found == [(mesa.name, None, True)]
    assert [line for line in lines_of(morning.books[mesa.name], "Histórico") if "de que empresa?" in line]
