"""Decisions about payables and their state (manual: Pagamentos)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Final

from lastro.desk.desks import CONTA, PAGAMENTOS, PAGAR
from lastro.desk.model import Note, Shown, read_value
from lastro.desk.notes import fold_notes
from lastro.desk.payables import Payable, Payables
from lastro.desk.seen import APPROVED, SeenWords
from lastro.entrada.saldos import find_paying_account
from lastro.folding import fold_person, fold_words
from lastro.grid.cells import Kind
from lastro.grid.words import format_date
from lastro.money import format_centavos, to_centavos
from lastro.reports.facts import Changed
from lastro.secret_key import names_same_key
from lastro.settings import Empresa
from lastro.transform.scenarios import Decided

ABERTA, CUMPRIDA, TARDIA, VENCIDA = "em aberto", "cumprida", "paga depois", "vencida"
TROCADA, AGUARDA, SEM_EFEITO = "trocada", "aguarda aprovação", "sem efeito"
PAY, POSTPONE = "pagar_em", "adiar_para"
"""The two cells of which one is the decision."""
CHANGED: Final = "mudou depois da aprovação"
INCOMPARABLE: Final = "não dá para comparar os dados bancários: confira e aprove de novo"
"""Of an approval that was given under another key: whom it would pay nobody can tell."""
Cells = Mapping[str, str]


@dataclass(frozen=True)
class Approval:
    """Who must agree to what.

    Attributes:
        minimo: centavos from which on a payment counts only with a second name; None: never.
        aprovadores: whose name that may be.
        responsaveis: who may be responsible; empty: anybody.
    """

    minimo: int | None = None
    aprovadores: tuple[str, ...] = ()
    responsaveis: tuple[str, ...] = ()

    @classmethod
    def of(cls, empresa: Empresa) -> Approval:
        """Take it from a company's settings."""
        least = empresa.aprovacao_minima
        return cls(None if least is None else to_centavos(least), empresa.aprovadores, empresa.responsaveis)

    def is_needed(self, centavos: int) -> bool:
        """Tell whether a payment of so much needs a second name."""
        return self.minimo is not None and abs(centavos) >= self.minimo

    def find_fault(self, cells: Cells) -> str:
        """Say why no two people stand in a row, an approver and who is responsible; "" where they do."""
        by, of = cells.get(APPROVED, ""), cells.get("responsavel", "")
        return self.find_stranger(by, of) or _find_stranger(
            of, "Responsável", self.responsaveis, any_name=not self.responsaveis
        )

    def find_stranger(self, by: str, of: str) -> str:
        """Say why a name is no second one beside who is responsible; "" where it is."""
        if fold_person(by) and fold_person(by) == fold_person(of):
            return "quem aprova é o Responsável"
        return _find_stranger(by, "Aprovado por", self.aprovadores, any_name=False)


def _find_stranger(text: str, header: str, listed: Sequence[str], *, any_name: bool) -> str:
    """Say why a text names nobody who may stand there; "" where it does."""
    if not text.strip():
        return f"falta {header}"
    if not fold_person(text):
        return f"{header} «{text}» não é um nome em letras latinas"
    known = any_name or fold_person(text) in map(fold_person, listed)
    return "" if known else f"«{text}» não está na lista de {header}"


@dataclass(frozen=True)
class Decision:
    """A day that was decided for a payable.

    Attributes:
        feita: day on which the file with it was saved.
        campo: PAY or POSTPONE.
        digitado: the day typed.
        dia: its business day.
        estado: ABERTA .. SEM_EFEITO.
        valor: centavos of the título on D, signed; None where it is gone.
        antes: signed centavos that the file showed; None where that is not known.
        responsavel, aprovado_por: as typed.
        motivo: why it is not approved; "" where no second name is needed, or two people stand there for what it is now.
        aprovada: whether two people stand there, needed or not; None where the money does not leave by it.
        mudou: what is not as it was approved.
    """

    titulo_id: int
    feita: date
    campo: str
    digitado: date
    dia: date
    estado: str
    valor: int | None
    antes: int | None
    responsavel: str
    aprovado_por: str
    pago_em: date | None
    motivo: str = ""
    aprovada: bool | None = None
    mudou: Changed | None = None


@dataclass(frozen=True)
class Decisions:
    """What the payments desk decided.

    Attributes:
        todas: every decision ever made, by the day typed, then título.
        celulas: titulo_id -> field -> text that holds for its row.
    """

    todas: tuple[Decision, ...] = ()
    celulas: Mapping[int, Cells] = field(default_factory=dict)

    def latest(self) -> dict[int, Decision]:
        """Return the decision of each título that no other took the place of."""
        return {decision.titulo_id: decision for decision in self.todas if decision.estado != TROCADA}

    def in_force(self) -> tuple[Decided, ...]:
        """List the payables that leave on a day to come, D or later, by título."""
        open_ones = sorted((each.titulo_id, each.dia) for each in self.todas if each.estado == ABERTA)
        return tuple(Decided(*each) for each in open_ones)

    def broken(self) -> tuple[int, ...]:
        """List the payables whose day is over, still open."""
        return tuple(sorted(each.titulo_id for each in self.todas if each.estado == VENCIDA))

    def changed(self) -> dict[int, Changed]:
        """Say of each payable that is not what was approved any more what changed."""
        return {each.titulo_id: each.mudou for each in self.todas if each.estado == AGUARDA and each.mudou}


@dataclass(frozen=True)
class _Typed:
    """What a save says: from then on this is decided, or nothing (`dia` None)."""

    note: Note
    campo: str
    dia: date | None


def find_decisions(
    words: SeenWords, payables: Payables, approval: Approval, next_business_day: Callable[[date], date]
) -> Decisions:
    """Find every decision in the notes, and its state by the open and the paid títulos.

    The decision is the date changed last: another one, a text that is none, or an emptied cell takes its place. Of two
    dates in one save `Pagar em` counts, and both cells stay. An approval is for what its file showed: a título that
    costs more since, is paid to another, from elsewhere or on another day, was decided anew, or whose payment the books
    took back, needs another one. Whether one is needed is asked of all that leaves to one payee on one day.
    """
    held, _ = fold_notes(PAGAMENTOS, words.notes)
    decisions: list[Decision] = []
    cells: dict[int, Cells] = {}
    missing: dict[int, str] = {}
    for titulo_id, read in sorted(words.by_titulo.items()):
        made, dates = _collect(sorted(read, key=lambda note: note.moment))
        own = cells[titulo_id] = held[PAGAR, titulo_id].valores | dates
        if own.get(APPROVED):
            approved = words.find_last(titulo_id, APPROVED)
            own[APPROVED] = approved.valores[APPROVED] if approved else ""
        for typed in made:
            if typed.dia is None:
                continue
            before = words.find_seen(typed.note)
            days = (typed.note.quando.date(), typed.campo, typed.dia, next_business_day(typed.dia))
            seen = None if before is None or before.valor is None else -before.valor
            people = (own.get("responsavel", ""), own.get("aprovado_por", ""), payables.pagos.get(titulo_id))
            decision = Decision(titulo_id, *days, TROCADA, payables.valores.get(titulo_id), seen, *people)
            if typed is made[-1]:
                payable, text = payables.by_id.get(titulo_id), own.get("conta", "")
                account = find_paying_account(text, payables.contas)
                doubt = doubt_account(text) if payable and text and account is None else ""
                decision = replace(decision, motivo=doubt)
                decision = replace(decision, estado=_find_state(decision, payables))
                if _leaves(decision, payable):
                    missing[titulo_id], mudou = _find_missing(words, own, decision, payables, approval)
                    decision = replace(decision, aprovada=not missing[titulo_id], mudou=mudou)
            decisions.append(decision)
    asked = [*_ask(decisions, missing, payables, approval)]
    cells |= {one.titulo_id: {**cells[one.titulo_id], APPROVED: ""} for one in asked if one.mudou}
    return Decisions(
        tuple(sorted(asked, key=lambda decision: (decision.digitado, decision.titulo_id, decision.feita))), cells
    )


def doubt_account(text: str) -> str:
    """Say that an account typed to pay is none: what would leave waits until it is one."""
    return f"não entendi a conta «{text}»"


def _ask(
    decisions: Sequence[Decision], missing: Mapping[int, str], payables: Payables, approval: Approval
) -> Iterator[Decision]:
    """Let what is not approved wait where it, or all that leaves to its payee on its day, asks for a second name."""
    sums = sum_by_payee(decisions, payables)
    for one in decisions:
        own, together = abs(one.valor or 0), sums[payables.find_payee(one.titulo_id), one.dia]
        if one.aprovada is not False or not approval.is_needed(max(own, together)):
            yield replace(one, mudou=None)
            continue
        motivo = missing[one.titulo_id]
        if not one.mudou and not approval.is_needed(own):
            motivo += f" (ao favorecido, no dia: {format_centavos(together)})"
        yield replace(one, motivo=motivo, estado=AGUARDA if one.estado in (ABERTA, VENCIDA) else one.estado)


def sum_by_payee(decisions: Iterable[Decision], payables: Payables) -> Counter[tuple[str, date]]:
    """Add up what leaves by decisions to one payee on one day, centavos; what was paid of it meanwhile counts, too."""
    sums: Counter[tuple[str, date]] = Counter()
    for one in decisions:
        if one.aprovada is not None and one.estado != SEM_EFEITO:
            sums[payables.find_payee(one.titulo_id), one.dia] += abs(one.valor or 0)
    return sums


def _leaves(decision: Decision, payable: Payable | None) -> bool:
    """Tell whether the money leaves by a decision: on a day typed to pay on, or before it is due."""
    if decision.valor is None:
        return False
    if decision.campo == PAY or payable is None:
        return decision.campo == PAY
    return decision.dia < max(payable.prevista, payable.data_vencimento or payable.prevista)


def _find_missing(
    words: SeenWords, cells: Cells, decision: Decision, payables: Payables, approval: Approval
) -> tuple[str, Changed | None]:
    """Say what is missing to an approval of the payment as it is now, "" where it holds, and what changed since one."""
    given, notes = words.find_last(decision.titulo_id, APPROVED), words.by_titulo[decision.titulo_id]
    seen = words.find_seen(given) if given else None
    fault = approval.find_fault(cells)
    fault = fault and (words.unseen[decision.titulo_id].get(APPROVED) or fault)
    if given is None or seen is None or not given.valores[APPROVED]:
        return f"aprovação retirada em «{given.arquivo}»" if given else fault, None
    place = notes.index(given)
    later = [note for at, note in enumerate(notes) if at != place and (note.moment > given.moment or at > place)]
    anew = _list_typed_anew(given, later, {decision.campo: cells[decision.campo], "conta": cells.get("conta", "")})
    other = []
    if (payable := payables.by_id.get(decision.titulo_id)) is not None:
        typed = find_paying_account(cells.get("conta", ""), payables.contas) is not None
        other = _list_other(seen, payable, typed=typed)
    if seen.execucao_id < payables.desfeitos.get(decision.titulo_id, 0):
        other.append("pagamento desfeito")
    before, now = abs(seen.valor or 0), abs(decision.valor or 0)
    grown = [f"era {format_centavos(before)}, é {format_centavos(now)}"] if now > before else []
    told = [*anew, *grown, *other]
    if not told and payable is not None and not names_same_key(seen.dados_bancarios, payable.recebedor[1]):
        return INCOMPARABLE, None
    if not told:
        return fault, None
    motivo = f"{CHANGED}: {', '.join(told)}"
    return motivo, Changed(motivo, -before, ", ".join([*anew, *other]))


def _list_typed_anew(given: Note, later: Sequence[Note], cells: Cells) -> list[str]:
    """List what was decided after an approval, or holds, otherwise than its row, which may lack an earlier day."""
    headers = {PAY: "Pagar em", POSTPONE: "Adiar para", "conta": "Conta"}
    said = {name: [note.valores.get(name, "") for note in later if name in note.antes] for name in headers}
    for name, text in cells.items():
        if name == "conta" or given.valores.get(name):
            said[name].append(text)
    return [header for name, header in headers.items() if {*said[name]} - {given.valores.get(name, "")}]


def _list_other(seen: Shown, payable: Payable, *, typed: bool) -> list[str]:
    """List what changed in a título since its approver saw it; an account typed at the desk is no change."""
    document, account = payable.recebedor
    told = []
    renamed = not document and _name(seen.rotulo, payable) != _name(payable.pessoa, payable)
    if (seen.pessoa_id, seen.documento) != (payable.pessoa_id, document) or renamed:
        told.append("outro fornecedor")
    if seen.dados_bancarios != account and names_same_key(seen.dados_bancarios, account):
        told.append("outros dados bancários")
    if seen.data_vencimento != payable.data_vencimento:
        was = f" (era {format_date(seen.data_vencimento)})" if seen.data_vencimento else ""
        told.append(f"outro vencimento{was}")
    if seen.conta_id != payable.conta_id and not typed:
        told.append("outra conta")
    return told


def _name(label: str, payable: Payable) -> str:
    """Return the name that a label begins with; a namesake bears its id only while there is another one."""
    return fold_words(label.split(" · ")[0].removesuffix(f" (#{payable.pessoa_id})"))


def _collect(notes: Sequence[Note]) -> tuple[list[_Typed], dict[str, str]]:
    """Collect the decisions about a título, in order, and the present values of its two cells."""
    made: list[_Typed] = []
    cells = {PAY: "", POSTPONE: ""}
    for note in notes:
        changed = {name: note.valores.get(name, "") for name in (PAY, POSTPONE) if name in note.antes}
        if not changed:
            continue
        given = [name for name, text in changed.items() if text]
        cells = {PAY: "", POSTPONE: "", **changed} if given else {**cells, **changed}
        campo = next((name for name in (PAY, POSTPONE) if cells[name]), PAY)
        day = read_value(cells[campo], Kind.DATE)
        typed = _Typed(note, campo, day if isinstance(day, date) else None)
        if not made or (made[-1].campo, made[-1].dia) != (typed.campo, typed.dia):
            made.append(typed)
    return made, cells


def _find_state(decision: Decision, payables: Payables) -> str:
    """Find the state of the decision in force."""
    paid = decision.pago_em
    if paid is not None:
        return SEM_EFEITO if paid < decision.feita else CUMPRIDA if paid <= decision.dia else TARDIA
    if decision.titulo_id not in payables.abertos:
        return SEM_EFEITO
    if decision.motivo:
        return AGUARDA
    return ABERTA if decision.dia >= payables.data_base else VENCIDA


def find_statements(notes: Sequence[Note]) -> dict[tuple[int, date], tuple[Note, int]]:
    """Find the balances typed on *Contas* that hold (S23); an emptied one takes that of its day back.

    Returns:
        Account and day -> what was saved last of it: the note, and the balance in signed centavos.
    """
    held: dict[tuple[int, date], tuple[Note, int]] = {}
    for note in sorted(notes, key=lambda note: note.moment):
        day = read_value(note.valores.get("extrato_em", ""), Kind.DATE)
        text = note.valores.get("saldo_no_extrato", "")
        amount = read_value(text, Kind.MONEY, signed=True)
        if note.tipo != CONTA or note.chave is None or not isinstance(day, date):
            continue
        if isinstance(amount, Decimal):
            held[note.chave, day] = note, to_centavos(amount)
        elif not text:
            held.pop((note.chave, day), None)
    return held
