"""What is new in a file that came back, what holds, what lost: worked by hand, at every desk."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from lastro.desk.desks import COBRANCA, EXTRATO, PAGAMENTOS, PAGAR, PESSOA, TITULO
from lastro.desk.model import Desk, DeskFile, Note, TypedRow
from lastro.desk.notes import find_misunderstood, find_new_notes, fold_notes, hold_to_company, list_changed

NINE, TEN, ELEVEN = (datetime(2026, 3, 16, hour) for hour in (9, 10, 11))  # noqa: DTZ001 - local, as stored


def read(found: DeskFile, earlier: list[Note], name: str = "a.xlsx", when: datetime = NINE) -> list[Note]:
    return find_new_notes(found, earlier, arquivo=name, sha256=f"{name} {when}", quando=when)


@dataclass(frozen=True)
class Case:
    """A desk with two of its kinds of rows, which share the note, and a text and two days of its own (`first` ...)."""

    desk: Desk
    kind: str
    other: str
    first: str
    day: str
    other_day: str

    @property
    def key(self) -> tuple[str, int]:
        return self.kind, 501

    @property
    def blank(self) -> dict[str, str]:
        return self.desk.kind(self.kind).blank

    def row(self, chave: int | None = 501, tipo: str | None = None, linha: str = "", **valores: str) -> TypedRow:
        blank = self.desk.kind(tipo or self.kind).blank
        return TypedRow(
            self.kind if tipo is None else tipo, chave, "Ana", {**blank, **self._name(valores)}, linha=linha
        )

    def file(self, *rows: TypedRow, arquivo_id: str = "um", **written: str) -> DeskFile:
        return DeskFile(self.desk, arquivo_id, {self.key: {**self.blank, **self._name(written)}}, rows)

    def _name(self, valores: dict[str, str]) -> dict[str, str]:
        own = {"first": self.first, "day": self.day, "other_day": self.other_day}
        return {own.get(name, name): text for name, text in valores.items()}


CALLS = Case(COBRANCA, PESSOA, TITULO, "resultado", "promessa", "proximo_contato")


@pytest.fixture(
    params=[
        CALLS,
        Case(PAGAMENTOS, PAGAR, EXTRATO, "conta", "pagar_em", "adiar_para"),
    ],
    ids=["cobranca", "pagamentos"],
)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def test_only_what_differs_from_what_was_written_is_a_note(case: Case) -> None:
    found = case.file(case.row(first="Prometeu", responsavel="Bia"), case.row(502), responsavel="Bia")
    (note,) = read(found, [])
    assert (note.key, note.antes, note.valores[case.first]) == (case.key, {case.first: ""}, "Prometeu")
    assert read(case.file(case.row(responsavel="Bia"), responsavel="Bia"), []) == []


def test_a_column_that_is_gone_clears_nothing_and_an_emptied_cell_does(case: Case) -> None:
    gone = TypedRow(*case.key, "Ana", {"anotacao": "ligar"})
    (note,) = read(DeskFile(case.desk, "um", {case.key: {**case.blank, case.first: "Contesta"}}, (gone,)), [])
    assert note.antes == {"anotacao": ""}
    (emptied,) = read(case.file(case.row(), first="Contesta"), [])
    assert emptied.antes == {case.first: "Contesta"}
    assert emptied.valores[case.first] == ""


def test_a_file_read_again_brings_only_what_was_typed_since(case: Case) -> None:
    first = read(case.file(case.row(first="Prometeu")), [])
    assert read(case.file(case.row(first="Prometeu")), first, when=TEN) == []
    (second,) = read(case.file(case.row(first="Prometeu", anotacao="às 15h")), first, when=TEN)
    assert second.antes == {"anotacao": ""}
    (undone,) = read(case.file(case.row()), first, when=TEN)
    assert undone.antes == {case.first: "Prometeu"}
    held, lost = fold_notes(case.desk, [*first, undone])
    assert (held[case.key].valores, lost) == ({case.first: ""}, {})


def test_a_copy_under_another_name_brings_nothing_twice(case: Case) -> None:
    first = read(case.file(case.row(first="Prometeu")), [])
    assert read(case.file(case.row(first="Prometeu")), first, name="cópia.xlsx", when=TEN) == []


def test_a_key_on_several_rows_says_what_the_last_filled_one_does_each_morning_the_same(case: Case) -> None:
    found = case.file(case.row(), case.row(first="Contesta"), case.row(first="Prometeu"), case.row())
    first = read(found, [])
    assert [note.valores[case.first] for note in first] == ["Contesta", "Prometeu"]
    assert fold_notes(case.desk, first)[0][case.key].valores == {case.first: "Prometeu"}
    assert read(found, first, when=TEN) == []
    (changed,) = read(case.file(case.row(first="Contesta"), case.row(first="Negociado")), first, when=TEN)
    assert (changed.antes, changed.valores[case.first]) == ({case.first: "Prometeu"}, "Negociado")


def test_two_copies_both_count_and_of_one_cell_the_later_file_wins(case: Case) -> None:
    one = read(case.file(case.row(first="Prometeu", anotacao="dia 20")), [])
    two = read(case.file(case.row(first="Contesta", responsavel="Bia")), one, name="b.xlsx", when=TEN)
    for notes in ([*one, *two], [*two, *one]):
        held, lost = fold_notes(case.desk, notes)
        assert held[case.key].valores == {
            case.first: "Contesta", "anotacao": "dia 20", "responsavel": "Bia",
        }  # fmt: skip
        assert held[case.key].contato == TEN
        assert lost == {notes.index(one[0]): "b.xlsx"}


def test_who_saw_the_earlier_note_and_changes_it_overrules_nobody(case: Case) -> None:
    one = read(case.file(case.row(first="Prometeu")), [])
    next_day = read(case.file(case.row(first="Negociado"), arquivo_id="dois", first="Prometeu"), one, when=TEN)
    held, lost = fold_notes(case.desk, [*one, *next_day])
    assert (held[case.key].valores[case.first], lost) == ("Negociado", {})


def test_what_came_of_a_day_is_said_anew_each_day_and_overrules_nobodys() -> None:
    """Once more nobody answered: the cell was empty, so it is a contact; of the note beside it one lost."""
    one = read(CALLS.file(CALLS.row(resultado="Não atendeu", anotacao="ligar")), [])
    tomorrow = NINE + timedelta(days=1)
    again = read(
        CALLS.file(CALLS.row(resultado="Não atendeu", anotacao="às 15h"), arquivo_id="dois"), one, when=tomorrow
    )
    held, lost = fold_notes(COBRANCA, [*one, *again])
    assert held[CALLS.key].mudou["resultado"] == held[CALLS.key].contato == tomorrow
    assert lost == {0: "a.xlsx"}
    (called,) = read(CALLS.file(CALLS.row(resultado="Prometeu"), arquivo_id="dois"), one, when=tomorrow)
    assert fold_notes(COBRANCA, [*one, called])[1] == {}


def test_an_older_file_that_is_found_later_does_not_win(case: Case) -> None:
    new = read(case.file(case.row(first="Contesta")), [], name="b.xlsx", when=ELEVEN)
    old = read(case.file(case.row(first="Prometeu")), new, name="a.xlsx", when=NINE)
    held, lost = fold_notes(case.desk, [*new, *old])
    assert held[case.key].valores[case.first] == "Contesta"
    assert lost == {1: "b.xlsx"}


def test_a_row_without_key_is_kept_once_with_all_that_stood_in_it(case: Case) -> None:
    orphan = case.row(None, "", "Zé | 99 | pagou metade", anotacao="pagou metade")
    (note,) = read(case.file(orphan), [])
    assert (note.key, note.rotulo) == (None, "Zé | 99 | pagou metade")
    assert read(case.file(orphan), [note], when=TEN) == []
    assert fold_notes(case.desk, [note]) == ({}, {})


def test_a_row_that_lost_its_key_and_shows_what_was_written_is_no_note(case: Case) -> None:
    assert read(case.file(case.row(None, "", "Ana", first="Contesta"), first="Contesta"), []) == []


def test_what_stands_in_a_column_of_the_clerks_own_is_kept(case: Case) -> None:
    found = DeskFile(
        case.desk, "um", {case.key: case.blank}, (TypedRow(*case.key, "Ana", case.blank, {"Filial": "Centro"}),)
    )
    (note,) = read(found, [])
    assert (note.extras, note.antes) == ({"Filial": "Centro"}, {})
    assert read(found, [note], when=TEN) == []


def test_customers_and_titles_of_one_number_are_two_things(case: Case) -> None:
    found = DeskFile(case.desk, "um", {}, (case.row(anotacao="a"), case.row(tipo=case.other, anotacao="b")))
    held, _ = fold_notes(case.desk, read(found, []))
    assert {key: state.valores["anotacao"] for key, state in held.items()} == {case.key: "a", (case.other, 501): "b"}


def test_a_titulo_on_two_sheets_is_noted_once_and_undone_by_neither(case: Case) -> None:
    key = (case.other, 9)

    def read_both(first: str, second: str) -> list[Note]:
        rows = case.row(9, case.other, anotacao=first), TypedRow(case.other, 9, "Ana · NF 9", {"anotacao": second})
        return read(DeskFile(case.desk, "um", {key: case.blank}, rows), [])

    (note,) = read_both("boleto amanhã", "")
    assert (note.key, note.antes, note.valores["anotacao"]) == (key, {"anotacao": ""}, "boleto amanhã")
    (other,) = read_both("", "x")
    assert other.antes == {"anotacao": ""}
    one, two = read_both("a", "b")
    assert (one.antes, two.antes) == ({"anotacao": ""}, {"anotacao": "a"})


def test_a_file_without_its_hidden_sheet_is_held_to_company_and_names(case: Case) -> None:
    def lost(chave: int, rotulo: str, titulo: str, tipo: str = case.kind) -> TypedRow:
        blank = case.desk.kind(tipo).blank
        return TypedRow(tipo, chave, rotulo, {**blank, "anotacao": "pagou"}, {}, f"{rotulo} | pagou", titulo)

    title = "Fila: um cliente por linha — Ipê SA"
    rows = (
        lost(501, "Ana", title),
        lost(501, "ANA (#501)", title),  # a namesake, told apart
        lost(9, "Ana · NF 9", title, case.other),
        lost(502, "Ana", title),  # another one here
        lost(501, "Ana Maria", title),
        lost(777, "Zé", title),
        lost(501, "Ana", "Fila: um cliente por linha — Outra Ipê SA"),
        lost(501, "Ana", ""),  # copied without its head
        case.row(None, "", "Ana | pagou"),
    )
    names = {(case.kind, 501): "Ana", (case.kind, 502): "Bia", (case.other, 9): "Ana"}
    held = hold_to_company(DeskFile(case.desk, "", {}, rows), "Ipê SA", names)
    assert [one.chave for one in held.rows] == [501, 501, 9, *[None] * 6]
    orphans = [note.rotulo for note in read(held, []) if note.key is None]
    assert orphans[0] == "de que empresa? Ana | pagou"
    assert all(text.startswith("de que empresa?") for text in orphans)


def test_what_is_not_understood_is_found_where_it_holds(case: Case) -> None:
    first = read(case.file(case.row(day="sexta", other_day="1.500"), case.row(502, day="2026-03-20")), [])
    keys = [case.key, (case.kind, 502)]
    assert find_misunderstood(case.desk, first, keys) == [case.key, case.key]
    mended = read(case.file(case.row(day="2026-03-20", other_day="2026-03-21")), first, when=TEN)
    assert find_misunderstood(case.desk, [*first, *mended], keys) == []
    assert find_misunderstood(case.desk, first, []) == []


def test_what_is_emptied_in_a_copy_of_what_was_typed_is_taken_back(case: Case) -> None:
    """A copy that holds other texts of the first one was made of it, and so was one that holds nothing else."""
    one = read(case.file(case.row(first="Prometeu", day="2026-03-20")), [])
    kept = read(case.file(case.row(first="Prometeu")), one, name="b.xlsx", when=TEN)
    assert [note.antes for note in kept] == [{case.day: "2026-03-20"}]
    held, lost = fold_notes(case.desk, [*one, *kept])
    assert (held[case.key].valores, lost) == ({case.first: "Prometeu", case.day: ""}, {})
    bare = read(case.file(case.row()), one, name="b.xlsx", when=TEN)
    assert [note.antes for note in bare] == [{case.first: "Prometeu", case.day: "2026-03-20"}]
    # Of somebody who worked in the file as lastro wrote it nothing is taken back.
    other = read(case.file(case.row(), case.row(502, anotacao="ligar")), one, name="b.xlsx", when=TEN)
    assert [(note.chave, note.antes) for note in other] == [(502, {"anotacao": ""})]


def test_who_had_the_file_all_the_time_empties_nothing_that_another_copy_brought(case: Case) -> None:
    """What a copy of a name said when it was read last is known: nobody emptied a cell that was empty there."""
    mine = case.file(case.row(anotacao="ligar"))
    first = read(mine, [], name="minha.xlsx")
    copies = {"minha.xlsx": list_changed(mine)}
    theirs = read(case.file(case.row(anotacao="ligar", day="2026-03-20")), first, name="b.xlsx", when=TEN)
    again = case.file(case.row(anotacao="ligar às 15h"))
    (note,) = find_new_notes(
        again, [*first, *theirs], copies, arquivo="minha.xlsx", sha256="z", quando=ELEVEN
    )  # fmt: skip
    assert note.antes == {"anotacao": "ligar"}


def test_a_text_typed_again_is_new_and_an_older_copy_of_it_is_not(case: Case) -> None:
    one = read(case.file(case.row(first="X")), [])
    two = read(case.file(case.row(first="Y")), one, when=TEN)
    (again,) = read(case.file(case.row(first="X")), [*one, *two], name="b.xlsx", when=ELEVEN)
    assert again.antes in ({case.first: ""}, {case.first: "Y"})
    assert fold_notes(case.desk, [*one, *two, again])[0][case.key].valores[case.first] == "X"
    later = read(case.file(case.row(first="X")), [], name="b.xlsx", when=TEN)
    assert read(case.file(case.row(first="X")), later, name="a.xlsx", when=NINE) == []


def test_in_an_hour_that_comes_twice_the_later_save_wins(case: Case) -> None:
    notes: list[Note] = []
    for name, text, minute, utc in (("a", "antes", 40, 5), ("b", "depois", 10, 6)):  # 01:40, and 01:10 once more
        notes += find_new_notes(
            case.file(case.row(first=text)), notes, arquivo=name, sha256=name,
            quando=datetime(2026, 11, 1, 1, minute), quando_utc=datetime(2026, 11, 1, utc, minute),  # noqa: DTZ001
        )  # fmt: skip
    held, lost = fold_notes(case.desk, notes)
    assert (held[case.key].valores[case.first], lost) == ("depois", {0: "b"})
