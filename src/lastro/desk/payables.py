"""The payables of the desk before any decision: order, group and facts of each.

Does not belong here: what was typed (`lastro.desk.decisions`) and the sheets (`lastro.desk.payments`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from typing import Any, Final

import pandas as pd

from lastro.analysis.account_projection import DECIDE_DAYS, find_coming, project_accounts
from lastro.analysis.arrears import OUT
from lastro.analysis.dre_map import find_groups
from lastro.analysis.frames import join_rows, records_of
from lastro.desk.desks import PAGAR
from lastro.desk.model import Key, Shown
from lastro.folding import fold_words
from lastro.reports.shared.open_items import describe_titulo, format_installment, label_titulos
from lastro.transform.categories import DIVIDA, FORA, OUTSIDE
from lastro.transform.double_entries import REPEATED, find_repeats
from lastro.transform.position import Position, is_open
from lastro.transform.taxes import find_instalments, find_taxes

PAYROLL, PAYROLL_DAYS = "pessoal", 10
"""The group that is paid before all others when it leaves within so many days."""
QUESTION: Final = "já foi pago? um posterior foi"
"""What stands beside a payable that Q33 asks about."""
_TAX: Final = re.compile(r"\b(inss|fgts|irrf|iss|pis|cofins|impostos?|encargos?|guias?|gps|darf|dctfweb|esocial)\b")
"""What stands among `pessoal` and is no payroll: by the name of the category, or where the título begins with it."""
_PERSON: Final = ("pessoa_id", "documento", "dados_bancarios")


@dataclass(frozen=True)
class Payable:
    """An open título to pay; amounts in centavos, signed as in the books: negative.

    Attributes:
        grupo: of the DRE: the map's, else what its category's name suggests; "" for none. It orders, and no more.
        folha: it is payroll, not what is due on it.
        prevista: the day on which it is due.
        projetada: the business day on which projections count it (S4); None where it is overdue.
        sai: the same, and D where it is overdue.
        dias_de_atraso: since it was due; below zero before it.
        encargos_est: estimated fine and interest, signed as the amount.
        aviso: that it may be booked twice (Q13), or have been paid (Q33).
        parcelamento: it is an instalment of a plan (R21), and of no group of the result: a debt, whatever its category.
        contado: it is in sums of what is to be decided; the second of two that may be one is not.
        recebedor: who is paid: document, and digest of the bank account.
    """

    titulo_id: int
    pessoa_id: int | None
    pessoa: str
    descricao: str
    documento: str
    parcela: str
    grupo: str
    folha: bool
    data_vencimento: date | None
    prevista: date
    data_efetiva: date
    projetada: date | None
    sai: date
    dias_de_atraso: int
    valor: int
    encargos_est: int
    conta_id: int | None
    recebedor: tuple[str, str] = ("", "")
    aviso: str = ""
    contado: bool = True
    parcelamento: bool = False

    @property
    def somado(self) -> int:
        """What sums of what is to be decided count of it."""
        return self.valor if self.contado else 0

    def move(self, conta_id: int | None, dia: date | None) -> tuple[tuple[int | None, date | None, int], ...]:
        """Return what changes where it is not paid as booked: from an account, and on a day if one is decided."""
        return (self.conta_id, self.projetada, -self.valor), (conta_id, dia or self.projetada, self.valor)


@dataclass(frozen=True)
class Payables:
    """The desk before any decision.

    Attributes:
        titulos: open payables that leave by D + `DECIDE_DAYS` or were decided about, in no order; no transfers, none of
            no value, and no late one that a bank line proves paid or the desk answered to be owed no more (S26).
        ja_pagos: late payables of which it is asked whether they were paid (Q33), those that were found out or answered
            to be, and late taxes, which may be in a plan of instalments; by day, then id.
        contas: conta_id -> name, of every account.
        cartoes: accounts that are cards.
        transito: conta_id -> what the books have on D and the bank has not yet (S23).
        previsto: conta_id -> for each day from D to the last one of R02 how far the bank's balance is projected to be
            from the books' on D: what is booked falls due, and what is in transit arrives.
        abertos: ids of `titulos`, and of all that is open later.
        pagos: titulo_id -> day of payment, of what was decided about.
        valores: titulo_id -> signed centavos, of what was decided about.
        rotulos: titulo_id -> what it is called, of every payable.
        favorecidos: titulo_id -> who is paid, by document, else by person; none of a título without a person.
        desfeitos: titulo_id -> the run that found it unpaid again after it was paid.
    """

    data_base: date
    titulos: tuple[Payable, ...] = ()
    ja_pagos: tuple[Payable, ...] = ()
    contas: Mapping[int, str] = field(default_factory=dict)
    cartoes: frozenset[int] = frozenset()
    transito: Mapping[int, int] = field(default_factory=dict)
    previsto: Mapping[int, Sequence[int]] = field(default_factory=dict)
    abertos: frozenset[int] = frozenset()
    pagos: Mapping[int, date] = field(default_factory=dict)
    valores: Mapping[int, int] = field(default_factory=dict)
    rotulos: Mapping[int, str] = field(default_factory=dict)
    favorecidos: Mapping[int, str] = field(default_factory=dict)
    desfeitos: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def by_id(self) -> Mapping[int, Payable]:
        """`titulos` by id."""
        return {payable.titulo_id: payable for payable in self.titulos}

    def find_payee(self, titulo_id: int) -> str:
        """Return who a título is paid to; without a person each is alone."""
        return self.favorecidos.get(titulo_id, f"#{titulo_id}")

    def complete(self, shown: Mapping[Key, Shown]) -> dict[Key, Shown]:
        """Add to what a file shows of payables to whom, when and from where each is to be paid."""
        found = {**self.by_id, **{payable.titulo_id: payable for payable in self.ja_pagos}}
        asked = {payable.titulo_id for payable in self.ja_pagos}
        whole = dict(shown)
        for (kind, titulo_id), each in shown.items():
            if kind == PAGAR and (one := found.get(titulo_id)):
                account = self.contas.get(one.conta_id or 0, "")
                facts = (one.pessoa_id, *one.recebedor, one.data_vencimento, one.conta_id, account, titulo_id in asked)
                whole[kind, titulo_id] = Shown(each.rotulo, each.valor, *facts)
        return whole


def build_payables(
    position: Position,
    *,
    typed: Iterable[int],
    questioned: Collection[int],
    moved: Collection[int],
    answers: Mapping[int, str],
    undone: Mapping[int, int],
    told: Mapping[int, str],
) -> Payables:
    """Build the desk of D over payables, `fora_resultado` included, transfers out.

    Args:
        typed: payables about which anything was typed.
        questioned: payables that Q33 asks about, without those that a bank proves unpaid.
        moved: open títulos that a bank line proves paid (S20).
        answers: late payable -> what the desk answered of it (S26.4).
        undone: títulos whose payment the books took back, and the run that found them so.
        told: payable -> why a word about it has no effect.
    """
    own = position.titulos[(position.titulos["tipo"] == "P") & ~position.titulos["transferencia"]]
    opened = own[is_open(own)]
    out = opened["vencido"] & opened["titulo_id"].isin(
        [*moved, *(titulo_id for titulo_id, answer in answers.items() if answer in OUT)]
    )
    asked = opened[out | _find_asked(position, opened, {*questioned, *answers})]
    noted = own[own["titulo_id"].isin(list(typed))]
    limit = pd.Timestamp(position.data_base + timedelta(days=DECIDE_DAYS))
    due = opened["data_projetada"].isna() | (opened["data_projetada"] <= limit)
    shown = opened[~out & (due | opened["titulo_id"].isin(noted["titulo_id"]))]
    groups, repeated = find_groups(position.categorias, position.parametros.dre_mapa), position.repetidos
    doubted = frozenset(questioned) - answers.keys() - {*moved}
    paid = noted[noted["pago"]]
    contas = position.contas.dropna(subset=["conta_id"]).astype({"conta_id": "int64"})
    ids, coming = contas["conta_id"], find_coming(position).groupby("conta_id")["valor_centavos"].sum().reset_index()
    return Payables(
        position.data_base,
        _read_payables(position, shown, groups, repeated, doubted, told),
        tuple(
            sorted(
                _read_payables(position, asked, groups, repeated, doubted, told),
                key=lambda payable: (payable.prevista, payable.titulo_id),
            )
        ),
        {conta_id: position.rotulos.conta(conta_id) for conta_id in ids.tolist()},
        frozenset(ids[contas["tipo"] == "cartao"].tolist()),
        dict(records_of(coming, "conta_id", "valor_centavos")),
        project_accounts(position, ids.tolist()),
        frozenset(opened.loc[~out, "titulo_id"].tolist()),
        {titulo_id: day.date() for titulo_id, day in records_of(paid, "titulo_id", "data_pagamento")},
        dict(records_of(noted, "titulo_id", "valor_centavos")),
        label_titulos(own, position.rotulos),
        _find_payees(position, pd.concat([shown, noted])),
        undone,
    )


def _find_payees(position: Position, titulos: pd.DataFrame) -> dict[int, str]:
    documents = {
        person: document for person, document in records_of(position.pessoas, "pessoa_id", "documento") if document
    }
    whose = records_of(titulos.dropna(subset=["pessoa_id"]), "titulo_id", "pessoa_id")
    return {titulo_id: documents.get(person, f"pessoa {person}") for titulo_id, person in whose}


def _find_asked(position: Position, opened: pd.DataFrame, asked: Collection[int]) -> pd.Series:
    """Find the late payables that may be answered: Q33 asks about them, they were answered, or are taxes."""
    late = opened["vencido"] & ~opened["em_carencia"]
    taxes = find_taxes(position, opened.loc[late, "titulo_id"])
    return opened["vencido"] & opened["titulo_id"].isin([*asked, *taxes])


def _read_payables(
    position: Position,
    chosen: pd.DataFrame,
    groups: Mapping[int, str],
    repeated: frozenset[int],
    doubted: frozenset[int],
    told: Mapping[int, str],
) -> tuple[Payable, ...]:
    """Read payables by columns, those of `Payable`, by id."""
    chosen, rotulos = chosen.sort_values("titulo_id"), position.rotulos
    people = {one: (document or "", account or "") for one, document, account in records_of(position.pessoas, *_PERSON)}
    names = dict(records_of(position.categorias, "categoria_id", "descricao"))
    whose, categories = ([one for (one,) in records_of(chosen, name)] for name in ("pessoa_id", "categoria_id"))
    described = [describe_titulo(*each) for each in records_of(chosen, "descricao", "qtde_linhas")]
    in_plan = chosen["titulo_id"].isin([*find_instalments(position, chosen["titulo_id"])]).tolist()
    grupo = [groups.get(one, "") for one in categories]
    planned = [plan and own in OUTSIDE for plan, own in zip(in_plan, grupo, strict=True)]
    grupo = [DIVIDA if plan else own for plan, own in zip(planned, grupo, strict=True)]
    of_payroll = zip(grupo, categories, described, strict=True)
    due, charges = chosen["data_prevista"], chosen["multa_centavos"] + chosen["juros_centavos"]
    marked, asked = (chosen["titulo_id"].isin([*ids]) for ids in (repeated, doubted))
    twice = find_repeats(chosen, marked)
    says = {(True, True): f"{REPEATED}, fora das somas", (True, False): REPEATED}
    own: dict[str, pd.Series | list[Any]] = {
        "titulo_id": chosen["titulo_id"],
        "pessoa_id": chosen["pessoa_id"],
        "pessoa": [rotulos.pessoa(one) for one in whose],
        "descricao": described,
        "documento": chosen["documento"].fillna(""),
        "parcela": [format_installment(*each) for each in records_of(chosen, "numero_repeticao", "total_repeticoes")],
        "grupo": grupo,
        "folha": [own == PAYROLL and not _is_tax(names.get(one) or "", text) for own, one, text in of_payroll],
        "data_vencimento": chosen["data_vencimento"].dt.date,
        "prevista": due.dt.date,
        "data_efetiva": chosen["data_efetiva"].dt.date,
        "projetada": chosen["data_projetada"].dt.date,
        "sai": chosen["data_projetada"].fillna(pd.Timestamp(position.data_base)).dt.date,
        "dias_de_atraso": (pd.Timestamp(position.data_base) - due).dt.days,
        "valor": chosen["valor_centavos"],
        "encargos_est": charges.where(chosen["valor_centavos"] > 0, -charges),
        "conta_id": chosen["conta_id"],
        "recebedor": [people.get(one, ("", "")) for one in whose],
        "aviso": [
            "; ".join(filter(None, (told.get(one), QUESTION if doubt else "", says.get((mark, two), ""))))
            for one, doubt, mark, two in zip(chosen["titulo_id"], asked, marked, twice, strict=True)
        ],
        "contado": [not (mark and two) for mark, two in zip(marked, twice, strict=True)],
        "parcelamento": planned,
    }
    return tuple(Payable(*row) for row in join_rows(own.values()))


def _is_tax(category: str, description: str) -> bool:
    return bool(_TAX.search(fold_words(category)) or _TAX.match(fold_words(description)))


def sort_payables(
    titulos: Sequence[Payable], blocks: Mapping[int, int], order: Sequence[str]
) -> list[tuple[int, Payable]]:
    """Order payables: block, then group, then effective day, then the larger amount, then id.

    Groups stand in the order of the settings, others after them; what has no group after `outras`. What can kill comes
    first of what is no result: plans of instalments, then other debts, then what partners draw.
    """
    places = {group: place for place, group in reversed(list(enumerate(order)))}
    if FORA in places:  # an order that was written before debts had a group of their own
        places.setdefault(DIVIDA, places[FORA])

    def place(one: Payable) -> tuple[int, int, int, date, int, int]:
        group = places.get(one.grupo or "outras", len(order))
        within = 0 if one.parcelamento else 2 if one.grupo in ("", FORA) else 1
        return blocks[one.titulo_id], group, within, one.data_efetiva, -abs(one.valor), one.titulo_id

    return [(blocks[payable.titulo_id], payable) for payable in sorted(titulos, key=place)]
