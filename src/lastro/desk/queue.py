"""Who is to be asked for money, in which order, and what stands against it: the rows of the desk before any note.

Belongs here: what follows from the position. Does not belong here: notes (`notes`) and sheets (`book`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.charges import find_differences
from lastro.analysis.collection_ladder import find_steps, leave_returned, list_steps
from lastro.analysis.frames import join_rows, records_of
from lastro.analysis.ratios import select_receivables
from lastro.desk.receipts import index_receipts
from lastro.reports.shared.charge_detail import label_status
from lastro.reports.shared.open_items import SEM_COBRANCA, describe_titulo, format_installment, label_titulos
from lastro.settings import DAR_BAIXA
from lastro.transform.charges import find_repasses
from lastro.transform.habits import find_habits

if TYPE_CHECKING:
    from lastro.transform.position import Position

REMIND_DAYS: Final = 7
"""Títulos due so many days ahead are on the desk too."""
SEM_PESSOA: Final = 0
"""Key of the row of those without a person: it must be one to be typed against."""
_READ: Final = (
    "titulo_id", "pessoa_id", "tipo", "transferencia", "fora_resultado", "pago", "data_pagamento", "valor_centavos",
    "documento", "descricao",
)  # fmt: skip
"""What is looked at of every receivable, paid ones too."""


@dataclass(frozen=True)
class Debt:
    """A título on the desk; amounts in centavos, positive.

    Attributes:
        cancelada: day on which its last charge was cancelled, where no live one is left.
        na_fila: overdue or due today: its customer is in the queue for it.
        suspeito: its day looks mistyped: nobody is written to about it until it is corrected (Q43).
        a_receber: overdue, without a paid charge: what a promise of everything means.
        efetivo: the same, and not within the days of grace.
    """

    titulo_id: int
    pessoa_id: int
    documento: str
    descricao: str
    parcela: str
    data_vencimento: date | None
    data_efetiva: date | None
    dias_de_mora: int
    valor: int
    multa_est: int
    juros_est: int
    situacao: str
    etapa: int
    cobranca: str
    link: str
    segunda_via: bool
    cancelada: date | None
    tem_cobranca: bool
    efetivo: bool
    na_fila: bool
    a_receber: bool
    suspeito: bool = False


@dataclass(frozen=True)
class Customer:
    """A customer of the queue, with the debts for which it is there."""

    pessoa_id: int
    nome: str
    debts: tuple[Debt, ...]
    etapa: int
    habito: int | None

    @property
    def efetivo(self) -> int:
        """Overdue without grace and without paid charges."""
        return sum(debt.valor for debt in self.debts if debt.efetivo)

    @property
    def encargos(self) -> int:
        """Estimated fine and interest of that."""
        return sum(debt.multa_est + debt.juros_est for debt in self.debts if debt.efetivo)


@dataclass(frozen=True)
class Queue:
    """The desk before any note.

    Attributes:
        etapas: steps of the ladder, from harmless to worst.
        clientes: those with something overdue or due today, in no order.
        titulos: overdue, due today or soon; the longest in mora first, then the larger.
        divergencias: as `find_differences` gives them.
        nomes, chamados: name of every person, told apart; as written: how a letter calls it.
        contatos: pessoa_id -> telephone and e-mail.
        abertos: titulo_id -> centavos of every open receivable without a paid charge.
        recebidos: pessoa_id -> payments: day, centavos and titulo_id, ascending.
        recebido_titulo: titulo_id -> day and centavos, of paid ones.
        rotulos: titulo_id -> what it is called, of every receivable.
    """

    data_base: date
    etapas: tuple[str, ...]
    clientes: tuple[Customer, ...]
    titulos: tuple[Debt, ...]
    divergencias: tuple[Mapping[str, Any], ...]
    nomes: Mapping[int, str]
    contatos: Mapping[int, tuple[str, str]]
    abertos: Mapping[int, int]
    recebidos: Mapping[int, tuple[tuple[date, int, int], ...]] = field(default_factory=dict)
    recebido_titulo: Mapping[int, tuple[date, int]] = field(default_factory=dict)
    rotulos: Mapping[int, str] = field(default_factory=dict)
    chamados: Mapping[int, str] = field(default_factory=dict)


def build_queue(position: Position, devolvidos: Iterable[int] = ()) -> Queue:
    """Build the desk of D over receivables that are not `fora_resultado` (S9) and are asked of somebody (S12).

    Args:
        position: as of D.
        devolvidos: open títulos whose money came and went back (S20): a paid charge of theirs is owed.
    """
    recebiveis = select_receivables(position.titulos[list(_READ)])
    abertos = leave_returned(select_receivables(position.titulos[~position.titulos["pago"]]), devolvidos)
    limit = pd.Timestamp(position.data_base + timedelta(days=REMIND_DAYS))
    due = abertos["vencido"] | abertos["vence_hoje"] | (abertos["data_ref"] <= limit)
    chosen = abertos[due & ~find_repasses(abertos, position.parametros)]
    debts = _read_debts(position, chosen)
    mails: dict[int | None, str] = {}
    for pessoa_id, email in records_of(position.cobrancas, "pessoa_id", "email"):
        if email:
            mails.setdefault(pessoa_id, email)
    # A charge may know an e-mail that the register does not.
    contacts = {
        pessoa_id: (telefone or "", email or mails.get(pessoa_id, ""))
        for pessoa_id, telefone, email in records_of(position.pessoas, "pessoa_id", "telefone", "email")
    }
    names = {pessoa_id: position.rotulos.pessoa(pessoa_id or None) for pessoa_id in (*contacts, SEM_PESSOA)}
    usual = dict(records_of(find_habits(position).pagadores, "pessoa_id", "habito_dias"))
    by_person: dict[int, list[Debt]] = {}
    for debt in debts:
        if debt.na_fila:
            by_person.setdefault(debt.pessoa_id, []).append(debt)
    clients = []
    for pessoa_id, own in sorted(by_person.items()):
        name, stage = names.get(pessoa_id) or position.rotulos.pessoa(pessoa_id), max(debt.etapa for debt in own)
        clients.append(Customer(pessoa_id, name, tuple(own), stage, usual.get(pessoa_id or None)))
    return Queue(
        position.data_base,
        list_steps(position),
        tuple(clients),
        debts,
        tuple(find_differences(position)),
        names,
        contacts,
        dict(records_of(abertos[~abertos["cobranca_paga"]], "titulo_id", "valor_centavos")),
        *index_receipts(recebiveis),
        label_titulos(recebiveis, position.rotulos),
        dict(records_of(position.pessoas, "pessoa_id", "nome")),
    )


def _read_debts(position: Position, chosen: pd.DataFrame) -> tuple[Debt, ...]:
    """Read the debts by columns, those of `Debt`; the longest in mora first, then the oldest, then the larger."""
    order = ["dias_de_mora", "data_vencimento", "valor_centavos", "titulo_id"]
    chosen = chosen.sort_values(order, ascending=[False, True, False, True], na_position="first")
    again = position.cobrancas.loc[position.cobrancas["permitir_segunda_via"], "cobranca_id"]
    cancelled = position.cobrancas[~position.cobrancas["viva"]][["cobranca_id", "data_cancelamento"]]
    days = position.cobranca_titulos.merge(cancelled, on="cobranca_id").groupby("titulo_id")["data_cancelamento"].max()
    gone = pd.to_datetime(chosen["titulo_id"].map(days.dropna().to_dict()))
    live, late, unpaid = chosen["cobranca_id"].notna(), chosen["vencido"], ~chosen["cobranca_paga"]
    status = chosen["cobranca_status"].map(lambda text: label_status(text or "").lower())
    own: dict[str, pd.Series | list[Any]] = {
        "titulo_id": chosen["titulo_id"],
        "pessoa_id": chosen["pessoa_id"].fillna(SEM_PESSOA),
        "documento": chosen["documento"].fillna(""),
        "descricao": [describe_titulo(*each) for each in records_of(chosen, "descricao", "qtde_linhas")],
        "parcela": [format_installment(*each) for each in records_of(chosen, "numero_repeticao", "total_repeticoes")],
        "data_vencimento": chosen["data_vencimento"].dt.date,
        "data_efetiva": chosen["data_efetiva"].dt.date,
        "dias_de_mora": chosen["dias_de_mora"],
        "valor": chosen["valor_centavos"],
        "multa_est": chosen["multa_centavos"],
        "juros_est": chosen["juros_centavos"],
        "situacao": chosen["situacao"],
        "etapa": find_steps(position, chosen),
        "cobranca": status.where(live, gone.notna().map({True: "cancelada", False: SEM_COBRANCA})),
        "link": chosen["cobranca_link"].fillna(""),
        "segunda_via": chosen["cobranca_id"].isin(again),
        "cancelada": gone.mask(live).dt.date,
        "tem_cobranca": live,
        "efetivo": late & ~chosen["em_carencia"] & unpaid,
        "na_fila": (late | chosen["vence_hoje"]) & ~chosen["suspeito"],
        "a_receber": late & unpaid,
        "suspeito": chosen["suspeito"],
    }
    return tuple(Debt(*row) for row in join_rows(own.values()))


def describe_charges(debts: tuple[Debt, ...]) -> str:
    """Say what charges a customer has, those without one first."""
    counts = Counter(debt.cobranca for debt in debts)
    ordered = sorted(counts.items(), key=lambda item: (item[0] != SEM_COBRANCA, item[0] != "cancelada", item[0]))
    return ", ".join(f"{status} ({count})" for status, count in ordered)


def score(customer: Customer, etapas: tuple[str, ...]) -> int:
    """Weigh a customer: effective overdue in reais x place of its stage on the ladder, cents dropped."""
    return customer.efetivo // 100 * customer.etapa if etapas[customer.etapa] != DAR_BAIXA else 0
