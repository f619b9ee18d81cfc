"""An approval is for what the approver saw: files as people work in them, read as a run reads them.

The golden company with its entries of the payments desk; 3004 are 9.000,00 of goods, 1004 are 1.500,00 of rent; D is
16/03/2026. From 1.000,00 on two people are asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils import get_column_letter

from lastro.desk.decisions import ABERTA, AGUARDA, CUMPRIDA, VENCIDA, Approval
from lastro.desk.desks import PAGAR
from lastro.desk.model import Key, Note, Shown
from lastro.desk.payables import Payables
from lastro.secret_key import seal
from tests.desk_sheets import header_of, put, row_with
from tests.unit.desk.bare import build_payables
from tests.unit.desk.mesa import ID, NINE, TWO, Mesa, payables, write_original
from tests.unit.desk.written import NAME, golden

KEY = bytes(range(32))
DECIDED = {"Pagar em": date(2026, 3, 20), "Responsável": "Bia", "Aprovado por": "Ana Diretora"}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[Key, Shown]]:
    return write_original(tmp_path_factory.mktemp("mesa"))


@pytest.fixture
def mesa(original: tuple[Path, dict[Key, Shown]], tmp_path: Path) -> Mesa:
    path, shown = original
    return Mesa(path, {ID: shown}, tmp_path)


@dataclass(frozen=True)
class Typing:
    """Somebody types into a row of *Decidir*."""

    number: int
    cells: tuple[tuple[str, Any], ...]

    def __call__(self, book: Any) -> None:
        put(book["Decidir"], row_with(book["Decidir"], "titulo_id", self.number), **dict(self.cells))


def write(number: int = 3004, **typed: Any) -> Typing:
    return Typing(number, tuple(typed.items()))


def fill(number: int = 3004, **other: Any) -> Typing:
    """Decide and approve a row."""
    return write(number, **{**DECIDED, **{name.replace("_", " "): value for name, value in other.items()}})


def empty(*headers: str, number: int = 3004) -> Typing:
    return write(number, **dict.fromkeys(headers))


def other_book(number: int = 3004, **changes: Any) -> Payables:
    """The books of the next morning, in which a payable is another one."""
    titulos = tuple(replace(one, **changes) if one.titulo_id == number else one for one in payables().titulos)
    valores = {**payables().valores, **({number: changes["valor"]} if "valor" in changes else {})}
    return replace(payables(), titulos=titulos, valores=valores)


@pytest.mark.parametrize(
    ("now", "state", "why"),
    [
        (seal(KEY, "1"), ABERTA, ""),
        (seal(KEY, "2"), AGUARDA, "mudou depois da aprovação: outros dados bancários"),
        ("", AGUARDA, "mudou depois da aprovação: outros dados bancários"),
        # The key was lost, and another one made: whom it would pay nobody can tell.
        (seal(bytes(32), "1"), AGUARDA, "não dá para comparar os dados bancários: confira e aprove de novo"),
    ],
)
def test_a_bank_account_is_compared_under_the_key_of_its_approval(mesa: Mesa, now: str, state: str, why: str) -> None:
    shown = {key: replace(each, dados_bancarios=seal(KEY, "1")) for key, each in mesa.shown[ID].items()}
    mesa = replace(mesa, shown={ID: shown})
    mesa.save(fill())
    document = next(one for one in payables().titulos if one.titulo_id == 3004).recebedor[0]
    found = mesa.decide(other_book(recebedor=(document, now)))
    assert (found.latest()[3004].estado, found.latest()[3004].motivo) == (state, why)
    changed = {key: each.motivo for key, each in found.changed().items()}
    assert changed == ({3004: why} if "mudou" in why else {})


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"valor": -9000_01}, "era 9.000,00, é 9.000,01"),
        ({"valor": -8999_99}, ""),
        ({"pessoa_id": 502}, "outro fornecedor"),
        ({"pessoa_id": None}, "outro fornecedor"),
        ({"recebedor": ("11.222.333/0001-44", "")}, "outro fornecedor"),
        ({"recebedor": ("", "0a1b2c3d4e5f6a7b")}, "outros dados bancários"),
        ({"data_vencimento": date(2026, 4, 5)}, "outro vencimento"),
        ({"conta_id": 102}, "outra conta"),
        ({"conta_id": None}, "outra conta"),
        ({"descricao": "Mercadorias, nota 9"}, ""),
    ],
)
def test_what_is_to_be_paid_otherwise_needs_another_approval(mesa: Mesa, changes: dict[str, Any], why: str) -> None:
    mesa.save(fill())
    given = payables().titulos[[one.titulo_id for one in payables().titulos].index(3004)].recebedor
    if changes.get("recebedor", ("x", ""))[0] == "":
        changes = {"recebedor": (given[0], changes["recebedor"][1])}
    now = other_book(**changes)
    found = mesa.decide(now)
    state = found.latest()[3004]
    assert state.estado == (AGUARDA if why else ABERTA)
    assert why in state.motivo
    assert found.celulas[3004]["aprovado_por"] == ("" if why else "Ana Diretora")
    told = {number: each.motivo for number, each in found.changed().items()}
    assert told == ({3004: state.motivo} if why else {})
    assert state.motivo.startswith("mudou depois da aprovação: ") or not why


def test_the_account_typed_and_seen_is_the_one_that_was_approved(mesa: Mesa) -> None:
    mesa.save(fill(Conta="Poupança"))
    assert mesa.state(now=other_book(conta_id=None)).estado == ABERTA
    mesa.save(fill(1004, Conta="Banco do Zé"))  # none of the company's
    assert (mesa.state(1004).estado, mesa.state(1004).motivo) == (AGUARDA, "não entendi a conta «Banco do Zé»")
    assert mesa.state(1004, approval=Approval()).estado == AGUARDA  # whoever may approve it
    assert "outra conta" in mesa.state(1004, other_book(1004, conta_id=102)).motivo


@pytest.mark.parametrize(
    ("document", "name", "state"),
    [
        ("", "Delta", ABERTA),
        ("", "DELTA (#502)", ABERTA),  # there is a namesake now
        ("", "Zé da Esquina", AGUARDA),
        ("1", "Delta Comércio", ABERTA),  # the document says that it is the same one
    ],
)
def test_who_has_no_document_is_the_name_that_the_file_showed(mesa: Mesa, document: str, name: str, state: str) -> None:
    own = next(key for key in mesa.shown[ID] if key == (PAGAR, 3004))
    kept = mesa.shown[ID][own]
    mesa.shown = {ID: {**mesa.shown[ID], own: replace(kept, documento=document)}}
    mesa.save(fill())
    now = other_book(pessoa=name.replace("502", str(kept.pessoa_id)), recebedor=(document, kept.dados_bancarios))
    assert mesa.state(now=now).estado == state


@pytest.mark.parametrize(
    ("typed", "estado", "why"),
    [
        ({"Pagar em": date(2026, 3, 18)}, AGUARDA, "Pagar em"),
        ({"Conta": "Poupança"}, AGUARDA, "Conta"),
        ({"Pagar em": None, "Adiar para": date(2026, 3, 12)}, VENCIDA, ""),  # nobody pays any more
        ({"Anotação": "ligar antes"}, ABERTA, ""),
    ],
)
def test_what_somebody_decides_after_the_approval_needs_another_one(
    mesa: Mesa, typed: dict[str, Any], estado: str, why: str
) -> None:
    mesa.save(fill())
    mesa.save(write(**typed), "outra cópia.xlsx", of=NAME)
    state = mesa.state()
    assert (state.estado, state.motivo) == (estado, why and f"mudou depois da aprovação: {why}")


def test_a_change_that_is_taken_back_does_not_bring_the_approval_back(mesa: Mesa) -> None:
    mesa.save(fill())
    mesa.save(fill(Pagar_em=date(2026, 3, 18)))
    mesa.save(fill())
    assert mesa.state().estado == AGUARDA
    assert mesa.state().digitado == date(2026, 3, 20)
    # The next file asks anew, and there the same name is another approval.
    mesa.shown["ouro/pagamentos/8/2026-03-17"] = mesa.shown[ID]
    given = dict(mesa.notes[-1].valores, aprovado_por="Ana Diretora")
    later = mesa.now + timedelta(hours=1)
    mesa.notes.append(
        Note(PAGAR, 3004, "", given, {"aprovado_por": ""}, {}, later, "novo", "ouro/pagamentos/8/2026-03-17", "z")
    )
    assert mesa.state().estado == ABERTA


def test_an_older_copy_read_after_the_approval_ends_it_where_it_decides_otherwise(mesa: Mesa) -> None:
    mesa.save(empty(), "velha.xlsx")
    mesa.save(fill(), hours=3)
    book = openpyxl.load_workbook(mesa.original)
    fill(Pagar_em=date(2026, 3, 30), Aprovado_por=None)(book)
    book.save(mesa.folder / "achada depois.xlsx")
    mesa.read("achada depois.xlsx", NINE + timedelta(minutes=5))
    assert mesa.state().estado == AGUARDA


TOGETHER = {3002: "33333333000103", 3005: "33333333000103"}
"""400,00 and 300,00 that go to one payee."""


def test_what_one_payee_gets_on_one_day_asks_for_a_second_name_together(mesa: Mesa) -> None:
    alone = build_payables(golden(), typed=TOGETHER)
    both, least = replace(alone, favorecidos=TOGETHER), Approval(700_00, TWO.aprovadores)

    def tell(now: Payables, approval: Approval = least) -> list[str]:
        return [mesa.state(number, now, approval).estado for number in TOGETHER]

    for number in TOGETHER:
        mesa.save(fill(number, Aprovado_por=None))
    assert tell(alone) == [ABERTA, ABERTA]  # without a person each is alone
    assert tell(both, replace(least, minimo=700_01)) == [ABERTA, ABERTA]
    assert tell(both) == [AGUARDA, AGUARDA]
    assert mesa.state(3005, both, least).motivo == "falta Aprovado por (ao favorecido, no dia: 700,00)"
    paid = replace(both, pagos={3002: date(2026, 3, 20)}, abertos=both.abertos - {3002})
    assert tell(paid) == [CUMPRIDA, AGUARDA]  # what is left of a payment that was split is no smaller one
    mesa.save(fill(3002))
    assert tell(both) == [ABERTA, AGUARDA]
    mesa.save(write(3005, **{"Pagar em": date(2026, 3, 23)}))
    assert tell(both) == [ABERTA, ABERTA]


def test_a_payee_is_a_document_whatever_the_people_are_called() -> None:
    people = golden().pessoas
    same = replace(
        golden(), pessoas=people.assign(documento=people["documento"].where(people["pessoa_id"] != 602, "1"))
    )
    twins = replace(golden(), pessoas=people.assign(documento="1"))
    bare = replace(golden(), pessoas=people.assign(documento=""))
    found = [build_payables(one, typed=()) for one in (same, twins, bare)]
    payees = [[one.find_payee(number) for number in (1004, 3004, 1016, 3002, 3003)] for one in found]
    assert [own[0] == own[1] for own in payees] == [True, True, True]
    assert [own[0] == own[2] for own in payees] == [False, True, False]
    assert [len({*own[3:]}) for own in payees] == [2, 2, 2]  # nobody's


def test_a_payment_undone_in_the_books_is_asked_for_anew(mesa: Mesa) -> None:
    """Run 7 wrote the file; run 9 found unpaid again what was paid since."""
    mesa.shown = {ID: {key: replace(each, execucao_id=7) for key, each in mesa.shown[ID].items()}}
    mesa.save(fill())
    assert mesa.state(now=replace(payables(), desfeitos={3004: 7, 1004: 9})).estado == ABERTA
    state = mesa.state(now=replace(payables(), desfeitos={3004: 9}))
    assert (state.estado, state.motivo) == (AGUARDA, "mudou depois da aprovação: pagamento desfeito")


@pytest.mark.parametrize("arquivo_id", [None, "ouro/pagamentos/8/2026-03-16", "azul/pagamentos/7/2026-03-16"])
def test_a_file_that_is_not_known_approves_nothing(mesa: Mesa, arquivo_id: str | None) -> None:
    def forge(book: Any) -> None:
        fill()(book)
        if arquivo_id is None:
            del book["_lastro"]
        else:
            book["_lastro"]["B1"].value = arquivo_id

    mesa.save(forge, "forjada.xlsx")
    mesa.shown.update({"ouro/pagamentos/8/2026-03-16": mesa.shown[ID]})  # a later run writes one that is called so
    state = mesa.state()
    assert (state.estado, "não escreveu o arquivo da aprovação" in state.motivo) == (AGUARDA, True)
    assert not mesa.decide().celulas[3004].get("aprovado_por")
    assert mesa.decide().celulas[3004]["responsavel"] == "Bia"
    mesa.save(fill(), "nova.xlsx")  # of the file that is known
    assert mesa.state().estado == ABERTA


@pytest.mark.parametrize(
    "changes",
    [
        {1004: {"titulo_id": 3004}},
        {
            1004: {"titulo_id": 1003},  # one that the file does not show
            1016: {"A pagar": 60}, 3000: {"A pagar": None}, 3002: {"A pagar": "R$ 60"},
            3003: {"Fornecedor": "Papelaria"}, 3004: {"Descrição": "Papel"}, 3005: {"Documento": "NF 77"},
        },
    ],
)  # fmt: skip
def test_a_row_that_showed_something_else_is_an_orphan(mesa: Mesa, changes: dict[int, dict[str, Any]]) -> None:
    def work(book: Any) -> None:
        ws = book["Decidir"]
        for number, cells in changes.items():
            row = row_with(ws, "titulo_id", number)
            put(ws, row, **{**DECIDED, **cells})
            for name, value in cells.items():
                if isinstance(value, str):
                    ws.cell(row, header_of(ws)[name]).data_type = "s"

    found = mesa.save(work)
    assert mesa.decide().todas == ()
    assert len(mesa.notes) == len(changes)
    for orphan in mesa.notes:
        assert (orphan.key, orphan.rotulo.startswith("a linha mostrava outra coisa: ")) == (None, True)
        assert orphan.valores["aprovado_por"] == "Ana Diretora"  # kept
    assert [row for row in found.rows if row.chave == 3004] or len(changes) > 1


@pytest.mark.parametrize(
    "changes",
    [
        {
            "Fornecedor": lambda text: f"  {text.upper()} ",
            "A pagar": float,
            "titulo_id": float,
            "Grupo": "outro".format,
        },
        {"A pagar": lambda _: "9.000,00", "titulo_id": str},
        {"titulo_id": lambda number: f" 0{number} "},
    ],
)
def test_what_programs_make_of_a_row_is_the_same_row(mesa: Mesa, changes: dict[str, Callable[[Any], Any]]) -> None:
    def work(book: Any) -> None:
        ws, row = book["Decidir"], row_with(book["Decidir"], "titulo_id", 3004)
        fill()(book)
        for name, change in changes.items():
            cell = ws.cell(row, header_of(ws)[name])
            cell.value = change(cell.value)

    mesa.save(work)
    assert mesa.state().estado == ABERTA


@pytest.mark.parametrize("column", ["A pagar", "Fornecedor", "Documento"])
def test_a_row_that_does_not_show_what_is_paid_approves_nothing(mesa: Mesa, column: str) -> None:
    def hide(book: Any) -> None:
        fill()(book)
        book["Decidir"].delete_cols(header_of(book["Decidir"])[column])

    mesa.save(hide)
    (note,) = mesa.notes
    why = f"falta a coluna «{column}»"
    assert note.extras == {f"Aprovado por (sem efeito: {why})": "Ana Diretora"}
    assert (mesa.state().estado, mesa.state().motivo) == (AGUARDA, why)


def _column(book: Any, header: str) -> str:
    return get_column_letter(header_of(book["Decidir"])[header])


def _cell(book: Any, header: str) -> Any:
    ws = book["Decidir"]
    return ws.cell(row_with(ws, "titulo_id", 3004), header_of(ws)[header])


def _double(book: Any, header: str, value: Any, hidden: str) -> None:
    """Put a second column of a name beside the table, with a figure of one's own."""
    ws = book["Decidir"]
    beside = ws.max_column + 1
    ws.cell(4, beside).value = header
    ws.cell(row_with(ws, "titulo_id", 3004), beside).value = value
    if hidden:
        ws.column_dimensions[_column(book, header) if hidden == "ours" else get_column_letter(beside)].hidden = True


HIDDEN_ROW = "linha oculta por filtro: mostre-a e salve"
BLIND: dict[str, tuple[Callable[[Any], object], str]] = {
    "another amount": (lambda book: _double(book, "A pagar", 60, "ours"), "duas colunas «A pagar»"),
    "a hidden copy": (lambda book: _double(book, "A pagar", 9000, "copy"), "duas colunas «A pagar»"),
    "two amounts": (lambda book: _double(book, "A pagar", 60, ""), "duas colunas «A pagar»"),
    "another name": (lambda book: _double(book, "Fornecedor", "Papelaria", "ours"), "duas colunas «Fornecedor»"),
    "no amount": (
        lambda book: setattr(book["Decidir"].column_dimensions[_column(book, "A pagar")], "hidden", True),
        "coluna «A pagar» oculta: mostre-a e salve",
    ),
    "the row": (lambda book: setattr(_row(book), "hidden", True), HIDDEN_ROW),
    "a row of no height": (lambda book: setattr(_row(book), "height", 0.5), HIDDEN_ROW),
    "the sheet": (lambda book: setattr(book["Decidir"], "sheet_state", "hidden"), "folha oculta: mostre-a e salve"),
    "a due day": (
        lambda book: setattr(_cell(book, "Vencimento"), "value", date(2026, 12, 20)), "não é o que o lastro escreveu"
    ),
    "an account": (lambda book: setattr(_cell(book, "Conta do título"), "value", "Poupança"), "Conta do título"),
    "a text for a day": (
        lambda book: setattr(_cell(book, "Vencimento"), "number_format", '"20/12/2026"'), "o formato de «Vencimento»"
    ),
    "a text for a name": (
        lambda book: setattr(_cell(book, "Fornecedor"), "number_format", ';;;"Papelaria"'), "o formato de «Fornecedor»"
    ),
    "a formula": (lambda book: setattr(_cell(book, "A pagar"), "value", "=60"), "«A pagar» é uma fórmula"),
    **{
        code: (partial(lambda code, book: setattr(_cell(book, "A pagar"), "number_format", code), code), "o formato de")
        for code in ('"60,00"', "0.00%", "dd/mm/yyyy")  # all others: tests/unit/entrada/test_display.py
    },
}  # fmt: skip


def _row(book: Any) -> Any:
    return book["Decidir"].row_dimensions[row_with(book["Decidir"], "titulo_id", 3004)]


@pytest.mark.parametrize("way", BLIND)
def test_what_a_person_cannot_see_is_not_approved_and_waits_for_the_next_save(mesa: Mesa, way: str) -> None:
    blind, why = BLIND[way]

    def work(book: Any) -> None:
        fill()(book)
        fill(1004)(book)
        blind(book)

    mesa.save(work)
    if way in ("a formula", "dd/mm/yyyy"):  # it is read as no amount at all
        assert mesa.notes[-1].rotulo.startswith("a linha mostrava outra coisa: ")
        return
    state = mesa.state()
    assert (state.estado, why in state.motivo) == (AGUARDA, True)
    kept = next(note.extras for note in mesa.notes if note.chave == 3004)
    assert kept[f"Aprovado por (sem efeito: {state.motivo})"] == "Ana Diretora"
    if way in ("the row", "a due day", '"60,00"'):  # of a row alone, not of a column
        assert mesa.state(1004).estado == ABERTA
    mesa.save(fill(), of="nada")  # as lastro wrote it, nothing hidden
    assert mesa.state().estado == ABERTA


def test_a_row_that_is_shown_again_counts_at_the_next_save(mesa: Mesa) -> None:
    mesa.save(lambda book: (fill()(book), setattr(_row(book), "hidden", True)))  # type: ignore[func-returns-value]
    mesa.save(write(Anotação="x"))
    assert mesa.state().motivo == HIDDEN_ROW
    mesa.save(lambda book: setattr(_row(book), "hidden", False))
    assert mesa.state().estado == ABERTA
    # Filtered away later, it was still seen when it was given.
    mesa.save(lambda book: setattr(_row(book), "hidden", True))
    assert (mesa.state().estado, len(mesa.notes)) == (ABERTA, 3)
    mesa.save(empty("Aprovado por"))  # taken back, seen or not
    assert mesa.state().estado == AGUARDA


def test_a_format_that_a_program_rewrote_shows_the_same_figure(mesa: Mesa) -> None:
    code = "[$R$-416]\\ #,##0.00;[RED]-[$R$-416]\\ #,##0.00"
    mesa.save(lambda book: (fill()(book), setattr(_cell(book, "A pagar"), "number_format", code)))  # type: ignore[func-returns-value]
    assert mesa.state().estado == ABERTA


def test_a_second_column_of_the_same_is_a_persons_own_business(mesa: Mesa) -> None:
    mesa.save(lambda book: (fill()(book), _double(book, "A pagar", 9000, "")))  # type: ignore[func-returns-value]
    assert mesa.state().estado == ABERTA


def test_a_formula_is_nobodys_name(mesa: Mesa) -> None:
    found = mesa.save(fill(Aprovado_por='=IF(A1="","","Ana Diretora")'))
    assert next(row.cego["aprovado_por"] for row in found.rows if row.chave == 3004) == "fórmula não vale: digite"
    assert (mesa.state().estado, mesa.state().motivo) == (AGUARDA, "fórmula não vale: digite")


@pytest.mark.parametrize(
    ("by", "of", "why"),
    [
        ("Ana Diretora", "Bia", ""),
        ("ANA  DIRETÓRA", "Bia", ""),
        ("Ana Diretora", "Ana Diretora", "Responsável"),
        ("Ana Diretora", "Ana Diretora.", "Responsável"),
        ("Ana Diretora", "ana-diretora", "Responsável"),
        ("Ana Diretora", "Ana\u200b Diretora", "Responsável"),
        ("Ana Diretora", "\uff21na Diretora", "Responsável"),  # full width
        ("Ana Diretora", "\u0410na Diretora", "letras latinas"),  # Cyrillic A
        ("Ana Diretora", "An\u03b1 Diretora", "letras latinas"),  # Greek alpha
        ("\u0410na Diretora", "Bia", "letras latinas"),
        ("Ana Diretora", ".", "letras latinas"),
        ("Ana Diretora", "\u200b", "letras latinas"),
        ("Ana Diretora", "123", "letras latinas"),
        ("Ana Diretora", "", "falta Responsável"),
        ("Ana Diretora", "  ", "falta Responsável"),
        ("Bia", "Rui", "não está na lista"),
        ("", "Bia", "falta Aprovado por"),
        ("Rui", "Ana Diretora", ""),
    ],
)
def test_two_people_are_two(by: str, of: str, why: str) -> None:
    found = TWO.find_fault({"aprovado_por": by, "responsavel": of})
    assert why in found
    assert bool(found) == bool(why)


def test_who_is_responsible_is_one_of_the_list_where_there_is_one() -> None:
    listed = replace(TWO, responsaveis=("Bia", "Rui"))
    assert listed.find_fault({"aprovado_por": "Rui", "responsavel": "x"}) == "«x» não está na lista de Responsável"
    assert listed.find_fault({"aprovado_por": "Rui", "responsavel": "BIA "}) == ""


@pytest.mark.parametrize(
    ("number", "day", "state"),
    [
        (1016, date(2026, 3, 17), AGUARDA),  # 900.00, due on 31/03
        (1016, date(2026, 3, 31), ABERTA),
        (1016, date(2026, 4, 10), ABERTA),
        (3004, date(2026, 3, 17), ABERTA),  # overdue
    ],
)
def test_who_puts_a_payment_off_to_a_day_before_it_is_due_pays(mesa: Mesa, number: int, day: date, state: str) -> None:
    typed = {"Pagar em": None, "Responsável": None, "Aprovado por": None, "Adiar para": day}
    mesa.save(write(number, **typed))
    now = replace(payables(), valores={**payables().valores, 1016: -900_00})
    assert mesa.state(number, now, Approval(500_00, ("Rui",))).estado == state


def test_an_approval_before_the_day_is_of_no_day(mesa: Mesa) -> None:
    mesa.save(fill(Pagar_em=None))
    assert mesa.decide().todas == ()
    mesa.save(fill())
    assert (mesa.state().estado, "Pagar em" in mesa.state().motivo) == (AGUARDA, True)


def test_a_row_doubled_is_read_once_and_the_second_one_counts_too(mesa: Mesa) -> None:
    def double(book: Any) -> None:
        ws = book["Decidir"]
        row, last = row_with(ws, "titulo_id", 3004), ws.max_row + 1
        for place in range(1, ws.max_column + 1):
            ws.cell(last, place).value = ws.cell(row, place).value
        put(ws, last, **DECIDED)

    mesa.save(double)
    assert mesa.state().estado == ABERTA


APPROVED_CELLS = ("Pagar em", "Aprovado por")


@pytest.mark.parametrize(
    ("steps", "held"),
    [
        # name, copied from, cells emptied or filled in
        ([(NAME, "", empty("Aprovado por"))], "approval"),
        ([("revisto.xlsx", NAME, empty("Aprovado por"))], "approval"),
        ([("revisto.xlsx", NAME, empty(*APPROVED_CELLS))], "none"),
        ([("revisto.xlsx", NAME, empty(*DECIDED))], "none"),
        ([("mesa-DESKTOP-7.xlsx", "", lambda _: None)], "none"),  # a copy of the original that somebody saved
        # Two people, each with the original, or one who emptied all: nobody can tell, and no approval is the safer.
        ([("mesa-DESKTOP-7.xlsx", "", fill(1004))], "approval"),
        ([("revisto.xlsx", NAME, fill(1004)), ("revisto.xlsx", "", empty(*APPROVED_CELLS))], "none"),
        ([("revisto.xlsx", NAME, fill(1004)), (NAME, "", fill(3003))], "all"),
        ([("outra.xlsx", "", fill(1004)), (NAME, "", fill(3003))], "approval"),
        ([("revisto.xlsx", NAME, empty(*APPROVED_CELLS)), (NAME, "", fill(3003))], "none"),
        ([("revisto.xlsx", NAME, empty(*APPROVED_CELLS)), ("revisto.xlsx", "", fill())], "all"),
    ],
)
def test_what_is_emptied_in_a_copy_is_taken_back(
    mesa: Mesa, steps: list[tuple[str, str, Callable[[Any], None]]], held: str
) -> None:
    mesa.save(fill())
    for name, of, work in steps:
        mesa.save(work, name, of=of or (name if (mesa.folder / name).exists() else "nada"))
    latest = mesa.decide().latest().get(3004)
    found = "none" if latest is None else "all" if latest.estado == ABERTA else "approval"
    assert found == held
    assert latest is None or latest.motivo in ("", *(f"aprovação retirada em «{name}»" for name, _, _ in steps))


@pytest.mark.parametrize("emptied", [APPROVED_CELLS, ("Aprovado por",), ("Pagar em",)])
def test_what_is_emptied_in_a_copy_saved_over_the_original_is_taken_back(mesa: Mesa, emptied: tuple[str, ...]) -> None:
    mesa.save(fill(), "aprovado.xlsx")
    mesa.save(fill(1004))  # somebody goes on in the original, without undoing it
    assert mesa.state().estado == ABERTA
    mesa.save(empty(*emptied), NAME, of="aprovado.xlsx")
    latest = mesa.decide().latest().get(3004)
    assert (latest is None) == ("Pagar em" in emptied)
    assert latest is None or latest.estado == AGUARDA


@pytest.mark.parametrize(
    ("clerk", "approver", "why"),
    [
        ({"Pagar em": DECIDED["Pagar em"], "Responsável": "Bia"}, {"Aprovado por": "Ana Diretora"}, ""),
        ({"Conta": "Poupança"}, DECIDED, "mudou depois da aprovação: Conta"),
    ],
)
def test_an_approval_is_of_the_account_in_its_own_row_and_of_a_day_typed_before(
    mesa: Mesa, clerk: dict[str, Any], approver: dict[str, Any], why: str
) -> None:
    """The clerk's copy was saved before; the approver has another one, in which the row shows none of that."""
    mesa.save(write(**clerk), "a.xlsx")
    mesa.save(lambda book: (write(**approver)(book), fill(1004)(book)), "b.xlsx")
    assert (mesa.state().estado, mesa.state().motivo) == (AGUARDA if why else ABERTA, why)


def test_a_file_that_is_not_known_brings_no_name_for_another_ones_approval(mesa: Mesa) -> None:
    mesa.save(fill(Aprovado_por="ok"))

    def forge(book: Any) -> None:
        fill()(book)
        del book["_lastro"]

    mesa.save(forge, "sem folha.xlsx")
    assert (mesa.state().estado, "não escreveu o arquivo" in mesa.state().motivo) == (AGUARDA, True)


def test_a_text_typed_again_after_another_one_is_new(mesa: Mesa) -> None:
    mesa.save(write(Anotação="X"))
    mesa.save(write(Anotação="Y"))
    mesa.save(write(Anotação="X"), "cópia.xlsx", of=NAME)
    assert mesa.decide().celulas[3004]["anotacao"] == "X"
    mesa.save(write(Anotação="Y"))  # as it is there since it was read last
    assert mesa.decide().celulas[3004]["anotacao"] == "X"
    assert [one.valores["anotacao"] for one in mesa.notes] == ["X", "Y", "X"]


def test_a_file_whose_clock_went_back_is_still_the_later_one(mesa: Mesa) -> None:
    mesa.save(fill())
    book = openpyxl.load_workbook(mesa.folder / NAME)
    empty(*APPROVED_CELLS)(book)
    book.save(mesa.folder / NAME)
    mesa.read(NAME, datetime(1970, 1, 1))  # noqa: DTZ001
    assert mesa.decide().latest() == {}
