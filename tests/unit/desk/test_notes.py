"""What is new in a file that came back, what holds, what lost: worked by hand."""

from __future__ import annotations

from datetime import datetime

from lastro.desk.desks import COBRANCA, PESSOA, TITULO
from lastro.desk.model import DeskFile, Note, TypedRow
from lastro.desk.notes import find_misunderstood, find_new_notes, fold_notes, hold_to_company

NINE, TEN, ELEVEN = (datetime(2026, 3, 16, hour) for hour in (9, 10, 11))  # noqa: DTZ001 - local, as stored
KEY = (PESSOA, 501)
BLANK = COBRANCA.kind(PESSOA).blank


def row(chave: int | None = 501, tipo: str = PESSOA, linha: str = "", **valores: str) -> TypedRow:
    return TypedRow(tipo, chave, "Ana", {**BLANK, **valores}, linha=linha)


def file(*rows: TypedRow, arquivo_id: str = "um", **written: str) -> DeskFile:
    return DeskFile(COBRANCA, arquivo_id, {KEY: {**BLANK, **written}}, rows)


def read(found: DeskFile, earlier: list[Note], name: str = "a.xlsx", when: datetime = NINE) -> list[Note]:
    return find_new_notes(found, earlier, arquivo=name, sha256=f"{name} {when}", quando=when)


def test_only_what_differs_from_what_was_written_is_a_note() -> None:
    found = file(row(resultado="Prometeu", responsavel="Bia"), row(502), responsavel="Bia")
    (note,) = read(found, [])
    assert (note.key, note.antes, note.valores["resultado"]) == (KEY, {"resultado": ""}, "Prometeu")
    assert read(file(row(responsavel="Bia"), responsavel="Bia"), []) == []


def test_a_column_that_is_gone_clears_nothing_and_an_emptied_cell_does() -> None:
    gone = TypedRow(PESSOA, 501, "Ana", {"anotacao": "ligar"})
    (note,) = read(DeskFile(COBRANCA, "um", {KEY: {**BLANK, "resultado": "Contesta"}}, (gone,)), [])
    assert note.antes == {"anotacao": ""}
    (emptied,) = read(file(row(), resultado="Contesta"), [])
    assert emptied.antes == {"resultado": "Contesta"}
    assert emptied.valores["resultado"] == ""


def test_a_file_read_again_brings_only_what_was_typed_since() -> None:
    first = read(file(row(resultado="Prometeu")), [])
    assert read(file(row(resultado="Prometeu")), first, when=TEN) == []
    (second,) = read(file(row(resultado="Prometeu", anotacao="às 15h")), first, when=TEN)
    assert second.antes == {"anotacao": ""}
    (undone,) = read(file(row()), first, when=TEN)
    assert undone.antes == {"resultado": "Prometeu"}
    held, lost = fold_notes(COBRANCA, [*first, undone])
    assert (held[KEY].valores, lost) == ({"resultado": ""}, {})


def test_a_copy_under_another_name_brings_nothing_twice() -> None:
    first = read(file(row(resultado="Prometeu")), [])
    assert read(file(row(resultado="Prometeu")), first, name="cópia.xlsx", when=TEN) == []


def test_two_copies_both_count_and_of_one_cell_the_later_file_wins() -> None:
    one = read(file(row(resultado="Prometeu", anotacao="dia 20")), [])
    two = read(file(row(resultado="Contesta", responsavel="Bia")), one, name="b.xlsx", when=TEN)
    for notes in ([*one, *two], [*two, *one]):
        held, lost = fold_notes(COBRANCA, notes)
        assert held[KEY].valores == {
            "resultado": "Contesta", "anotacao": "dia 20", "responsavel": "Bia",
        }  # fmt: skip
        assert held[KEY].contato == TEN
        assert lost == {notes.index(one[0]): "b.xlsx"}


def test_who_saw_the_earlier_note_and_changes_it_overrules_nobody() -> None:
    one = read(file(row(resultado="Prometeu")), [])
    next_day = read(file(row(resultado="Negociado"), arquivo_id="dois", resultado="Prometeu"), one, when=TEN)
    held, lost = fold_notes(COBRANCA, [*one, *next_day])
    assert (held[KEY].valores["resultado"], lost) == ("Negociado", {})


def test_an_older_file_that_is_found_later_does_not_win() -> None:
    new = read(file(row(resultado="Contesta")), [], name="b.xlsx", when=ELEVEN)
    old = read(file(row(resultado="Prometeu")), new, name="a.xlsx", when=NINE)
    held, lost = fold_notes(COBRANCA, [*new, *old])
    assert held[KEY].valores["resultado"] == "Contesta"
    assert lost == {1: "b.xlsx"}


def test_a_row_without_key_is_kept_once_with_all_that_stood_in_it() -> None:
    orphan = row(None, "", "Zé | 99 | pagou metade", anotacao="pagou metade")
    (note,) = read(file(orphan), [])
    assert (note.key, note.rotulo) == (None, "Zé | 99 | pagou metade")
    assert read(file(orphan), [note], when=TEN) == []
    assert fold_notes(COBRANCA, [note]) == ({}, {})


def test_a_row_that_lost_its_key_and_shows_what_was_written_is_no_note() -> None:
    assert read(file(row(None, "", "Ana", resultado="Contesta"), resultado="Contesta"), []) == []


def test_what_stands_in_a_column_of_the_clerks_own_is_kept() -> None:
    found = DeskFile(COBRANCA, "um", {KEY: BLANK}, (TypedRow(PESSOA, 501, "Ana", BLANK, {"Filial": "Centro"}),))
    (note,) = read(found, [])
    assert (note.extras, note.antes) == ({"Filial": "Centro"}, {})
    assert read(found, [note], when=TEN) == []


def test_customers_and_titles_of_one_number_are_two_things() -> None:
    found = DeskFile(COBRANCA, "um", {}, (row(anotacao="a"), row(tipo=TITULO, anotacao="b")))
    held, _ = fold_notes(COBRANCA, read(found, []))
    assert {key: state.valores["anotacao"] for key, state in held.items()} == {KEY: "a", (TITULO, 501): "b"}


def test_a_titulo_on_two_sheets_is_noted_once_and_undone_by_neither() -> None:
    key = (TITULO, 9)
    shown = TypedRow(TITULO, 9, "Ana · NF 9", {"anotacao": ""})
    found = DeskFile(COBRANCA, "um", {key: BLANK}, (row(9, TITULO, anotacao="boleto amanhã"), shown))
    (note,) = read(found, [])
    assert (note.key, note.antes, note.valores["anotacao"]) == (key, {"anotacao": ""}, "boleto amanhã")
    (other,) = read(
        DeskFile(COBRANCA, "um", {key: BLANK}, (row(9, TITULO), TypedRow(TITULO, 9, "", {"anotacao": "x"}))), []
    )
    assert other.antes == {"anotacao": ""}
    typed_in_both = DeskFile(
        COBRANCA, "um", {key: BLANK}, (row(9, TITULO, anotacao="a"), TypedRow(TITULO, 9, "", {"anotacao": "b"}))
    )
    first, second = read(typed_in_both, [])
    assert (first.antes, second.antes) == ({"anotacao": ""}, {"anotacao": "a"})


NAMES = {(PESSOA, 501): "Ana", (PESSOA, 502): "Bia", (TITULO, 9): "Ana"}


def lost(chave: int, rotulo: str, titulo: str, tipo: str = PESSOA) -> TypedRow:
    """A row of a file without its hidden sheet."""
    return TypedRow(tipo, chave, rotulo, {**BLANK, "anotacao": "pagou"}, {}, f"{rotulo} | pagou", titulo)


def test_a_file_without_its_hidden_sheet_is_held_to_company_and_names() -> None:
    title = "Fila: um cliente por linha — Ipê SA"
    rows = (
        lost(501, "Ana", title),
        lost(501, "ANA (#501)", title),  # a namesake, told apart
        lost(9, "Ana · NF 9", title, TITULO),
        lost(502, "Ana", title),  # another one here
        lost(501, "Ana Maria", title),
        lost(777, "Zé", title),
        lost(501, "Ana", "Fila: um cliente por linha — Outra Ipê SA"),
        lost(501, "Ana", ""),  # copied without its head
        row(None, "", "Ana | pagou"),
    )
    held = hold_to_company(DeskFile(COBRANCA, "", {}, rows), "Ipê SA", NAMES)
    assert [one.chave for one in held.rows] == [501, 501, 9, *[None] * 6]
    notes = read(held, [])
    orphans = [note.rotulo for note in notes if note.key is None]
    assert orphans[0] == "de que empresa? Ana | pagou"
    assert all(text.startswith("de que empresa?") for text in orphans)


def test_what_is_not_understood_is_found_where_it_holds() -> None:
    first = read(file(row(promessa="sexta", valor_prometido="1.500"), row(502, promessa="2026-03-20")), [])
    keys = [KEY, (PESSOA, 502)]
    assert find_misunderstood(COBRANCA, first, keys) == [KEY, KEY]
    mended = read(file(row(promessa="2026-03-20", valor_prometido="1500.00")), first, when=TEN)
    assert find_misunderstood(COBRANCA, [*first, *mended], keys) == []
    assert find_misunderstood(COBRANCA, first, []) == []
