"""What the desks keep for SQL: views of `mart`, made of the same values as their sheets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from lastro.desk.decisions import PAY, Decisions
from lastro.desk.desks import PESSOA
from lastro.desk.payables import Payable, Payables
from lastro.desk.plan import BLOCKS, PROBABLE, Payments
from lastro.desk.promises import Promise
from lastro.grid.cells import Kind, Value
from lastro.grid.model import Column, Table
from lastro.money import decimal_or_none, to_decimal

_PROMISES: Final = (
    Column("Pessoa id", Kind.INTEGER),
    Column("Título id", Kind.INTEGER, key="titulo_id"),
    Column("Feita em", Kind.DATE),
    Column("Dia", Kind.DATE),
    Column("Valor", Kind.MONEY),
    Column("Recebido", Kind.MONEY),
    Column("Estado", Kind.TEXT),
    Column("Tudo", Kind.BOOLEAN),
)


def list_promises(promises: Sequence[Promise]) -> Table:
    """List every promise: of a customer or of a título, amounts positive; by the day promised."""
    rows = [
        (
            *((one.key[1], None) if one.key[0] == PESSOA else (None, one.key[1])),
            one.feita,
            one.dia,
            decimal_or_none(one.valor),
            to_decimal(one.recebido),
            one.estado,
            one.tudo,
        )
        for one in promises
    ]
    return Table(
        "promessas", _PROMISES, rows, "Cobrança: uma promessa de um cliente ou de um título, e o que veio dela"
    )


_DECISIONS: Final = (
    Column("Título id", Kind.INTEGER, key="titulo_id"),
    Column("Feita em", Kind.DATE),
    Column("O que", Kind.TEXT),
    Column("Dia digitado", Kind.DATE),
    Column("Dia", Kind.DATE),
    Column("Valor", Kind.MONEY),
    Column("Valor antes", Kind.MONEY),
    Column("Responsável", Kind.TEXT),
    Column("Aprovado por", Kind.TEXT),
    Column("Pago em", Kind.DATE),
    Column("Estado", Kind.TEXT),
)
_PAYABLE: Final = (
    Column("Pessoa id", Kind.INTEGER),
    Column("Fornecedor", Kind.TEXT),
    Column("Descrição", Kind.TEXT),
    Column("Documento", Kind.TEXT),
    Column("Parcela", Kind.TEXT),
    Column("Grupo", Kind.TEXT),
    Column("Vencimento", Kind.DATE),
    Column("Data efetiva", Kind.DATE),
    Column("Dias", Kind.INTEGER),
    Column("Valor", Kind.MONEY),
    Column("Encargos est.", Kind.MONEY),
    Column("Título id", Kind.INTEGER, key="titulo_id"),
)
_DECIDE: Final = (
    Column("Ordem", Kind.INTEGER),
    Column("Bloco", Kind.TEXT),
    *_PAYABLE,
    Column("Conta id", Kind.INTEGER),
    Column("Acumulado", Kind.MONEY),
    Column("Cabe?", Kind.TEXT, key="cabe"),
    Column("Decisão", Kind.TEXT),
)
_PAID: Final = (*_PAYABLE, Column("Conta id", Kind.INTEGER), Column("Prova", Kind.TEXT))
_ACCOUNTS: Final = (
    Column("Conta id", Kind.INTEGER),
    Column("Conta", Kind.TEXT),
    Column("Saldo em D", Kind.MONEY),
    Column("Último extrato", Kind.DATE),
    Column("Saldo do extrato", Kind.MONEY),
    Column("Diferença", Kind.MONEY),
    Column("Vencido e hoje", Kind.MONEY),
    Column("Próximos 15 dias", Kind.MONEY),
    Column("Decidido", Kind.MONEY),
    Column("Sobra", Kind.MONEY),
)
_DAYS: Final = (
    Column("Dia", Kind.DATE),
    Column("Vence", Kind.MONEY),
    Column("Decidido", Kind.MONEY),
    Column("Contratual", Kind.MONEY),
    Column("Conservador", Kind.MONEY),
    Column("Com decisões", Kind.MONEY),
    Column("Com o combinado", Kind.MONEY),
    Column("Cobre?", Kind.TEXT, key="cobre"),
)


def list_decisions(decisions: Decisions) -> Table:
    """List every decision ever made, by the day typed."""
    rows = [
        (
            one.titulo_id,
            one.feita,
            "pagar" if one.campo == PAY else "adiar",
            one.digitado,
            one.dia,
            decimal_or_none(one.valor),
            decimal_or_none(one.antes),
            one.responsavel,
            one.aprovado_por,
            one.pago_em,
            one.estado,
        )
        for one in decisions.todas
    ]
    return Table("decisoes", _DECISIONS, rows, "Pagamentos: um dia que se decidiu para um título a pagar, e o que veio")


def list_payments(payables: Payables, payments: Payments, provas: Mapping[int, str]) -> tuple[Table, ...]:
    """List the sheets of `pagamentos`: what is to be paid is negative, as in every view."""
    decide = [
        (
            place,
            BLOCKS[line.bloco],
            *_payable_cells(line.titulo),
            line.conta_id,
            to_decimal(line.acumulado),
            line.cabe,
            None if line.decisao is None else line.decisao.estado,
        )
        for place, line in enumerate(payments.linhas, 1)
    ]
    paid = [(*_payable_cells(one), one.conta_id, provas.get(one.titulo_id, PROBABLE)) for one in payables.ja_pagos]
    accounts = [
        (
            one.conta_id,
            one.nome,
            decimal_or_none(one.saldo),
            None if one.extrato is None else one.extrato.dia,
            None if one.extrato is None else to_decimal(one.extrato.valor),
            None if one.extrato is None else decimal_or_none(one.extrato.diferenca),
            *map(to_decimal, (one.vencido, one.proximos, one.decidido)),
            decimal_or_none(one.sobra),
        )
        for one in payments.contas
    ]
    days = [
        (one.dia, to_decimal(one.vence), to_decimal(one.decidido), *map(decimal_or_none, one.saldos), one.cobre)
        for one in payments.dias
    ]
    return (
        Table("pagamentos_decidir", _DECIDE, decide, "Pagamentos: um título a decidir, na ordem da planilha"),
        Table("pagamentos_ja_pagos", _PAID, paid, "Pagamentos: um título com jeito de já pago (Q33)"),
        Table("pagamentos_contas", _ACCOUNTS, accounts, "Pagamentos: uma conta, o que sai dela e o que sobra"),
        Table("pagamentos_dias", _DAYS, days, "Pagamentos: um dia, da data-base a 15 dias depois"),
    )


def _payable_cells(one: Payable) -> tuple[Value, ...]:
    return (
        one.pessoa_id,
        one.fornecedor,
        one.descricao,
        one.documento,
        one.parcela,
        one.grupo or None,
        one.vencimento,
        one.efetiva,
        one.dias,
        to_decimal(one.valor),
        to_decimal(one.encargos),
        one.titulo_id,
    )
