"""What the desks keep for SQL, tables of `mart`; the sheets of `pagamentos` print the columns of theirs.

A column is said once: `lastro.schema.dictionary` has its header and meaning, a function here where its value comes
from, and its table what differs and how wide it is on the sheet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import date
from typing import TYPE_CHECKING, Final

from lastro.desk.decisions import PAY, Decisions
from lastro.desk.desks import PESSOA, TITULO
from lastro.desk.payables import QUESTION, Payables
from lastro.desk.plan import BLOCKS, PROBABLE, AccountDay, AccountLine, DayLine, Payments
from lastro.desk.promises import Promise
from lastro.desk.sheets import Parts, make_view, take
from lastro.grid.prints import Print
from lastro.grid.tables import Alert, Table

if TYPE_CHECKING:
    from lastro.desk.found import DeskFound

PAYABLE: Final = (
    "pessoa_id", "pessoa", "descricao", "documento", "parcela", "grupo", "data_vencimento", "data_efetiva",
    "dias_de_atraso",
    "valor", "encargos_est", "aviso", "titulo_id",
)  # fmt: skip
"""What is said of every payable; amounts are signed as in the books: negative."""
_OF_DAY: Final = {"em_aberto": "o que vence no dia, em D também o vencido, sem decisão, negativo"}
_PRINTED: Final = {"pessoa": 28, "documento": 12, "parcela": 8}
"""Widths of what both lists of payables print."""
PROMISES: Final[Print[None]] = Print(
    "promessas",
    "Cobrança: uma promessa de um cliente ou de um título, e o que veio dela",
    about={
        "pessoa_id": "quem prometeu, 0 sem pessoa; nulo numa promessa de um título",
        "titulo_id": "o título que se prometeu pagar; nulo numa promessa de um cliente",
        "dia": "o dia prometido",
        "valor": "o que se prometeu, positivo; nulo se o digitado não é um valor",
    },
)
DECISIONS: Final[Print[None]] = Print(
    "decisoes",
    "Pagamentos: um dia que se decidiu para um título a pagar, e o que veio",
    about={
        "dia": "o dia útil dele, ou o seguinte",
        "valor": "o valor do título em D, negativo; nulo se não existe mais",
        "valor_antes": "o valor que o arquivo mostrava, negativo",
        "estado": "em aberto, cumprida, paga depois, vencida, trocada, aguarda aprovação ou sem efeito",
        "motivo": "por que não está aprovada; nulo se está, ou se não precisa",
    },
)
DECIDE: Final[Print[None]] = Print(
    "pagamentos_decidir",
    "Pagamentos: um título a decidir, na ordem da planilha",
    keys=("titulo_id",),
    about={
        "bloco": "Parcelamento em risco, Decisão vencida, Folha até 10 dias, Vencido e hoje ou Próximos 15 dias",
        "conta_id": "de onde sai: a conta digitada, senão a do título",
        "saldo_antes": "saldo_depois sem este pagamento",
        "saldo_depois": (
            "saldo da conta no banco no dia em que se paga, no vencimento e com as decisões em vigor; nulo se não se "
            "sabe"
        ),
        "decisao": "estado da decisão que vale, como decisoes.estado; nulo sem nenhuma",
    },
    headers={"pessoa": "Fornecedor", "valor": "A pagar"},
    widths={**_PRINTED, "descricao": 28, "dia_decidido": 13, "aviso": 20, "decisao": 24},
    alerts={"saldo_depois": Alert.FALTA, "cabe": Alert.FALTA},
    title="Decidir: a folha primeiro, vencidos, de hoje e dos próximos 15 dias, na ordem em que o atraso pesa",
)
PAID: Final[Print[None]] = Print(
    "pagamentos_ja_pagos",
    "Pagamentos: um título vencido de que se pergunta se já foi pago (Q33), ou um tributo vencido",
    keys=("titulo_id",),
    about={"prova": "o que o banco diz, ou provável; nulo se nada indica que foi pago"},
    headers={"pessoa": "Fornecedor", "valor": "A pagar"},
    widths={**_PRINTED, "descricao": 30, "prova": 24, "aviso": 26},
    hidden=("grupo", "data_efetiva", "encargos_est"),
    title="Já pagos? Vencidos que talvez já não se devam: responda pago, em parcelamento ou devo",
)
ACCOUNTS: Final[Print[None]] = Print(
    "pagamentos_contas",
    "Pagamentos: uma conta, o que sai dela e o que sobra",
    keys=("conta_id",),
    about={
        "saldo_em_d": "saldo pelos livros em D; nulo se é só variação (S23)",
        "em_transito": "nos livros em D e ainda não no banco (S23)",
        "decidido": "o que se paga por decisões em aberto, negativo",
        "adiado": "o que decisões em aberto adiam, negativo",
    },
    widths={"conta": 24, "proposta": 36},
    alerts={"sobra": Alert.FALTA},
    title="Contas: o que há, o que sai, o que sobra. À direita, o saldo que o banco mostrou no fim de um dia",
)
DAYS: Final[Print[None]] = Print(
    "pagamentos_dias",
    "Pagamentos: um dia, da data-base a 15 dias depois",
    about={
        **_OF_DAY,
        "com_o_combinado": "saldo final do dia no plano, com decisões e promessas; não se soma entre dias",
        "conservador": "saldo final do dia pagando já o vencido; não se soma entre dias",
        "cobre": "Sim (e se usa o limite ou fica abaixo do mínimo), o que falta além do limite do banco, ou sem saldo",
    },
    headers={"dia": "Dia"},
    widths={"vence": 24},
    alerts={"com_o_combinado": Alert.FALTA, "cobre": Alert.FALTA},
    title="Dias: o que vence, o que se decidiu e o saldo no fim de cada dia",
)
ACCOUNT_DAYS: Final[Print[None]] = Print(
    "pagamentos_contas_dias",
    "Pagamentos: um dia útil de uma conta, da data-base a 15 dias depois",
    about=_OF_DAY,
    headers={"dia": "Dia"},
    widths={"conta": 24},
    alerts={"saldo_no_banco": Alert.FALTA},
    title="Por conta, no banco: no vencimento e com o que se decidiu, sem o que ainda está em trânsito",
)

PAYMENTS: Final = (DECIDE, PAID, ACCOUNTS, DAYS, ACCOUNT_DAYS)
"""The tables of `pagamentos`."""


def list_desk_tables(found: DeskFound, payments: Payments) -> tuple[Table, ...]:
    """List promises, decisions and the sheets of `pagamentos`."""
    return _list_tables(found.promises, found.decisions, list_payments(found.payables, payments, found.banco.provas))


def list_empty_tables() -> tuple[Table, ...]:
    """List the same tables without any row."""
    return _list_tables((), Decisions(), list_payments(Payables(date.min), Payments((), (), ()), {}))


def _list_tables(promises: Sequence[Promise], decisions: Decisions, payments: Sequence[Parts]) -> tuple[Table, ...]:
    return (list_promises(promises), list_decisions(decisions), *map(make_view, PAYMENTS, payments))


def list_promises(promises: Sequence[Promise]) -> Table:
    """List every promise: of a customer or of a título, amounts positive; by the day promised."""
    said = take(
        PROMISES, promises, pessoa_id=lambda one: one.key[1] if one.key[0] == PESSOA else None,
        titulo_id=lambda one: one.key[1] if one.key[0] == TITULO else None, feita_em="feita", dia="dia", valor="valor",
        recebido="recebido", estado="estado", tudo="tudo",
    )  # fmt: skip
    return make_view(PROMISES, said)


def list_decisions(decisions: Decisions) -> Table:
    """List every decision ever made, by the day typed."""
    said = take(
        DECISIONS, decisions.todas, "titulo_id", feita_em="feita",
        o_que=lambda one: "pagar" if one.campo == PAY else "adiar", dia_digitado="digitado", dia="dia", valor="valor",
        valor_antes="antes", responsavel="responsavel", aprovado_por="aprovado_por", data_pagamento="pago_em",
        estado="estado", motivo="motivo",
    )  # fmt: skip
    return make_view(DECISIONS, said)


def list_payments(payables: Payables, payments: Payments, provas: Mapping[int, str]) -> tuple[Parts, ...]:
    """List the columns of each table of `PAYMENTS`; amounts to pay are negative."""
    return (
        take(
            DECIDE, payments.linhas, "ordem", bloco=lambda line: BLOCKS[line.bloco],
            **{key: f"titulo.{key}" for key in PAYABLE}, conta_id="conta_id", acumulado="acumulado",
            dia_decidido="dia", saldo_antes="antes", saldo_depois="depois", cabe="cabe",
            decisao=lambda line: line.decisao.estado if line.decisao else None,
        ),
        take(
            PAID, payables.ja_pagos, *PAYABLE, "conta_id",
            prova=lambda payable: provas.get(payable.titulo_id, PROBABLE if QUESTION in payable.aviso else None),
        ),
        take(ACCOUNTS, payments.contas, *_names(AccountLine)),
        take(DAYS, payments.dias, *_names(DayLine)),
        take(ACCOUNT_DAYS, payments.contas_dias, *_names(AccountDay)),
    )  # fmt: skip


def _names(kind: type) -> tuple[str, ...]:
    """Name the columns that rows of a class have, in its order."""
    return tuple(each.name for each in fields(kind))
