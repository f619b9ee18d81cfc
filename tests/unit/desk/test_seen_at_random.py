"""Título × what somebody did × kind of file, against a table written by hand (S26.4, *Pagamentos*).

Nobody's word counts for what they did not see, and nobody's honest word is lost: what does not count is kept with its
reason, and counts once it is shown in a file that is known. 3004 are 9.000,00 of goods, 1004 are 1.500,00 of rent, both
late on D, and 3000 are 2.500,00 of which *Já pagos* asks; from 1.000,00 on two people are asked.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from openpyxl.utils import get_column_letter

from lastro.desk.answers import Answers, Asking, find_answers
from lastro.desk.decisions import ABERTA, AGUARDA
from lastro.desk.model import Key, Shown
from lastro.desk.seen import SeenWords
from tests.desk_sheets import SOFFICE, header_of, put, row_with
from tests.marks import thinned
from tests.unit.desk.mesa import ID, NINE, TWO, Mesa, payables, work_in, write_original
from tests.unit.desk.written import NAME, D

PAY = ("Decidir", {"Pagar em": date(2026, 3, 20), "Responsável": "Bia", "Aprovado por": "Ana Diretora"})
SAY = ("Já pagos", {"Resposta": "pago", "Aprovado por": "Ana Diretora"})
WORDS: dict[int, tuple[str, dict[str, Any]]] = {3004: PAY, 1004: PAY, 3000: SAY}
"""Título -> the sheet on which it is asked about, and what two people type there."""
KINDS = ("known", "old", "copied", "filtered", "forged", "restored", "of 0.3.0")
COUNTS, WAITS, ASTRAY = "counts", "waits", "astray"
TABLE: Mapping[str, Mapping[str, str]] = {
    # What was done:         known files          filtered: hidden row   nobody knows the file
    "nothing else":         {"seen": COUNTS, "filtered": WAITS, "unknown": WAITS},
    "sorted":               {"seen": COUNTS, "filtered": WAITS, "unknown": WAITS},
    "formatted alike":      {"seen": COUNTS, "filtered": WAITS, "unknown": WAITS},
    "own column":           {"seen": COUNTS, "filtered": WAITS, "unknown": WAITS},
    "amount as text":       {"seen": COUNTS, "filtered": WAITS, "unknown": WAITS},
    "column hidden":        {"seen": WAITS, "filtered": WAITS, "unknown": WAITS},
    "second column":        {"seen": WAITS, "filtered": WAITS, "unknown": WAITS},
    "format of text":       {"seen": WAITS, "filtered": WAITS, "unknown": WAITS},
    "format of thousands":  {"seen": WAITS, "filtered": WAITS, "unknown": WAITS},
    "due day":              {"seen": WAITS, "filtered": WAITS, "unknown": WAITS},
    "account":              {"seen": WAITS, "filtered": WAITS, "unknown": WAITS},
    "name by formula":      {"seen": WAITS, "filtered": WAITS, "unknown": WAITS},
    "supplier":             {"seen": ASTRAY, "filtered": ASTRAY, "unknown": WAITS},
    "amount":               {"seen": ASTRAY, "filtered": ASTRAY, "unknown": WAITS},
    "key of another row":   {"seen": ASTRAY, "filtered": ASTRAY, "unknown": WAITS},
}  # fmt: skip
"""What was done to the row besides -> what becomes of the words in it, by how the file is known.

Waits: kept beside its row with the reason, not counted. Astray: an orphan, for the row may be another título's."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[Key, Shown]]:
    return write_original(tmp_path_factory.mktemp("mesa"))


def _cell(sheet: Any, number: int, header: str) -> Any:
    return sheet.cell(row_with(sheet, "titulo_id", number), header_of(sheet)[header])


def _sort(sheet: Any, number: int) -> None:
    """Put the row to the end, as sorting does."""
    row = [cell.value for cell in sheet[row_with(sheet, "titulo_id", number)]]
    formats = [cell.number_format for cell in sheet[row_with(sheet, "titulo_id", number)]]
    sheet.delete_rows(row_with(sheet, "titulo_id", number))
    last = sheet.max_row + 1
    for place, (value, code) in enumerate(zip(row, formats, strict=True), 1):
        sheet.cell(last, place).value = value
        sheet.cell(last, place).number_format = code


def _double(sheet: Any, number: int) -> None:
    beside = sheet.max_column + 1
    true = get_column_letter(header_of(sheet)["A pagar"])
    sheet.cell(4, beside).value = "A pagar"
    sheet.cell(row_with(sheet, "titulo_id", number), beside).value = 60
    sheet.column_dimensions[true].hidden = True


def _own(sheet: Any, number: int) -> None:
    beside = sheet.max_column + 1
    sheet.cell(4, beside).value = "Minha conta"
    sheet.cell(row_with(sheet, "titulo_id", number), beside).value = 60


def _set(header: str, value: Any, of: str = "value") -> Callable[[Any, int], None]:
    return lambda sheet, number: setattr(_cell(sheet, number, header), of, value)


def _hide(sheet: Any, number: int) -> None:
    del number
    sheet.column_dimensions[get_column_letter(header_of(sheet)["Fornecedor"])].hidden = True


CHANGES: dict[str, Callable[[Any, int], None]] = {
    "nothing else": lambda *_: None,
    "sorted": _sort,
    "formatted alike": _set("A pagar", '"R$ "#,##0.00', "number_format"),
    "own column": _own,
    "amount as text": lambda sheet, number: _set("A pagar", _as_text(_cell(sheet, number, "A pagar").value))(
        sheet, number
    ),
    "column hidden": _hide,
    "second column": _double,
    "format of text": _set("A pagar", '"60,00"', "number_format"),
    "format of thousands": _set("A pagar", "#,##0.00,", "number_format"),
    "due day": _set("Vencimento", date(2026, 12, 20)),
    "account": _set("Conta do título", "Conta que não é"),
    "name by formula": _set("Aprovado por", '="Ana Diretora"'),
    "supplier": _set("Fornecedor", "Papelaria"),
    "amount": _set("A pagar", 60),
    "key of another row": _set("titulo_id", 1016),
}


def _as_text(value: Any) -> str:
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def _work(number: int, change: str, kind: str) -> Callable[[Any], None]:
    def work(book: Any) -> None:
        name, typed = WORDS[number]
        sheet = book[name]
        put(sheet, row_with(sheet, "titulo_id", number), **typed)
        if kind == "filtered":  # before the change: a program keeps it where the row goes
            sheet.row_dimensions[row_with(sheet, "titulo_id", number)].hidden = True
            if change == "sorted":
                return
        CHANGES[change](sheet, number)
        if kind == "forged":
            book["_lastro"]["B1"].value = "ouro/pagamentos/2026-03-17/" + "0" * 32

    return work


def _know(shown: dict[Key, Shown], kind: str) -> dict[str, dict[Key, Shown]]:
    """What is known of the file when it is read."""
    if kind in ("restored", "forged"):
        return {}
    if kind == "of 0.3.0":
        return {ID: {key: replace(one, conta=None, perguntado=None) for key, one in shown.items()}}
    return {ID: shown}


def _judge(mesa: Mesa) -> Answers:
    return find_answers(SeenWords(mesa.notes, mesa.shown), {3000: -2500_00}, Asking(D, D, TWO))


def _find_outcome(mesa: Mesa, number: int) -> str:
    """Say what became of the words: `COUNTS`, `WAITS` or `ASTRAY`; anything else is a word that was lost."""
    counts = number in _judge(mesa).dadas if number == 3000 else _is_open(mesa, number)
    if counts:
        return COUNTS
    if any(note.key is None and note.rotulo.startswith("a linha mostrava outra coisa") for note in mesa.notes):
        return ASTRAY
    kept = [text for note in mesa.notes for name, text in note.extras.items() if "(sem efeito: " in name]
    return WAITS if any("Ana Diretora" in text or text == "pago" for text in kept) else "lost"


def _is_open(mesa: Mesa, number: int) -> bool:
    latest = mesa.decide(payables()).latest().get(number)
    assert latest is None or latest.estado in (ABERTA, AGUARDA)
    return latest is not None and latest.estado == ABERTA


EVERY = [(number, change, kind) for number in WORDS for change in CHANGES for kind in KINDS]
DAILY = {*random.Random(62).sample(EVERY, 14), *((3000, "nothing else", kind) for kind in KINDS)}  # noqa: S311


@pytest.mark.parametrize(("number", "change", "kind"), thinned(EVERY, DAILY))
def test_a_word_counts_for_what_its_row_showed_and_no_word_is_lost(
    original: tuple[Path, dict[Key, Shown]], tmp_path: Path, number: int, change: str, kind: str
) -> None:
    path, shown = original
    mesa = Mesa(path, _know(shown, kind), tmp_path)
    if kind == "old":  # some days after it was written
        mesa.now = NINE + timedelta(days=20)
    mesa.save(_work(number, change, kind), "cópia.xlsx" if kind == "copied" else NAME)
    row = {"forged": "unknown", "restored": "unknown", "filtered": "filtered"}.get(kind, "seen")
    expected = TABLE[change][row]
    assert _find_outcome(mesa, number) == expected
    # The next morning the file is known, nothing of its row is hidden, and the same two people type the same.
    mesa.shown[ID] = shown
    mesa.save(_work(number, "nothing else", "known"), "de novo.xlsx", of="nada")
    assert _find_outcome(mesa, number) == COUNTS


@pytest.mark.maquinas
def test_libreoffice_saves_every_file_and_what_is_seen_stays_what_it_was(
    original: tuple[Path, dict[Key, Shown]], tmp_path: Path
) -> None:
    if SOFFICE is None:
        pytest.skip("LibreOffice is not installed")
    path, shown = original
    cases = [(3004, change, "known") for change in CHANGES]
    cases += [(3004, "nothing else", "filtered"), (3000, "nothing else", "known"), (3000, "second column", "known")]
    typed, saved = tmp_path / "digitado", tmp_path / "salvo"
    typed.mkdir()
    for place, (number, change, kind) in enumerate(cases):
        (typed / f"{place}.xlsx").write_bytes(work_in(path.read_bytes(), _work(number, change, kind)))
    subprocess.run(  # noqa: S603 - the office suite of this machine
        [SOFFICE, f"-env:UserInstallation={(tmp_path / 'perfil').as_uri()}", "--headless", "--convert-to", "xlsx",
         "--outdir", str(saved), *map(str, sorted(typed.iterdir()))],
        check=True, capture_output=True, timeout=600,
    )  # fmt: skip
    wrong = []
    for place, (number, change, kind) in enumerate(cases):
        mesa = Mesa(path, {ID: shown}, saved)
        mesa.read(f"{place}.xlsx", NINE + timedelta(hours=1))
        row = "filtered" if kind == "filtered" else "seen"
        if (found := _find_outcome(mesa, number)) != TABLE[change][row]:
            wrong.append((number, change, kind, found))
    assert wrong == []


@pytest.mark.parametrize("seed", thinned(range(20), (0,)))
def test_a_word_that_counted_goes_on_whatever_becomes_of_its_row_in_later_copies(
    original: tuple[Path, dict[Key, Shown]], tmp_path: Path, seed: int
) -> None:
    """Each copy bears what counts already, as one that is made of the last; the next row is worked in besides."""
    draw, (path, shown) = random.Random(seed), original  # noqa: S311 - test data, no secret
    mesa, honest = Mesa(path, {ID: shown}, tmp_path), dict.fromkeys(WORDS, False)
    for step in range(6):
        number, change = draw.choice([*WORDS]), draw.choice([*CHANGES])
        kind = draw.choice(("known", "copied", "filtered", "forged"))
        before = [_work(one, "nothing else", "known") for one, said in honest.items() if said and one != number]
        mesa.save(_in_turn((*before, _work(number, change, kind))), f"{step}.xlsx", of="nada")
        row = {"forged": "unknown", "filtered": "filtered"}.get(kind, "seen")
        honest[number] |= TABLE[change][row] == COUNTS
        found = {one: one in _judge(mesa).dadas if one == 3000 else _is_open(mesa, one) for one in honest}
        assert found == honest, (step, number, change, kind)


def _in_turn(works: Sequence[Callable[[Any], None]]) -> Callable[[Any], None]:
    def work(book: Any) -> None:
        for one in works:
            one(book)

    return work


def test_the_table_has_every_change() -> None:
    assert TABLE.keys() == CHANGES.keys()
