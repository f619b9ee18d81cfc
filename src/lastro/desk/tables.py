"""What the desks keep for SQL: views of `mart`; the sheets of `pagamentos` are printed from theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lastro.desk.decisions import PAY, Decisions
from lastro.desk.desks import PESSOA, TITULO
from lastro.desk.payables import Payable, Payables
from lastro.desk.plan import BLOCKS, PROBABLE, Payments
from lastro.desk.promises import Promise
from lastro.grid.cells import Kind
from lastro.grid.model import Column, Table, TableColumn
from lastro.money import decimal_or_none, to_decimal
from lastro.transform.scenarios import COMBINADO, CONSERVADOR, DECISOES


def list_promises(promises: Sequence[Promise]) -> Table:
    """List every promise: of a customer or of a título, amounts positive; by the day promised."""
    keys = {kind: [one.key[1] if one.key[0] == kind else None for one in promises] for kind in (PESSOA, TITULO)}
    return Table.of(
        "promessas",
        (
            (
                Column("Pessoa id", Kind.INTEGER, "quem prometeu, 0 sem pessoa; nulo numa promessa de um título"),
                keys[PESSOA],
            ),
            (
                Column(
                    "Título id",
                    Kind.INTEGER,
                    "o título que se prometeu pagar; nulo numa promessa de um cliente",
                    key="titulo_id",
                ),
                keys[TITULO],
            ),
            (
                Column("Feita em", Kind.DATE, "o dia em que se salvou o arquivo com ela"),
                [one.feita for one in promises],
            ),
            (Column("Dia", Kind.DATE, "o dia prometido"), [one.dia for one in promises]),
            (
                Column("Valor", Kind.MONEY, "o que se prometeu, positivo; nulo se o digitado não é um valor"),
                [decimal_or_none(one.valor) for one in promises],
            ),
            (
                Column(
                    "Recebido", Kind.MONEY, "o que veio dele desde então, até outra promessa tomar o lugar, positivo"
                ),
                [to_decimal(one.recebido) for one in promises],
            ),
            (
                Column("Estado", Kind.TEXT, "cumprida, em parte, quebrada, em aberto, renegociada ou retirada"),
                [one.estado for one in promises],
            ),
            (
                Column("Tudo", Kind.BOOLEAN, "não se digitou valor: é tudo o que está vencido"),
                [one.tudo for one in promises],
            ),
        ),
        "Cobrança: uma promessa de um cliente ou de um título, e o que veio dela",
    )


def list_decisions(decisions: Decisions) -> Table:
    """List every decision ever made, by the day typed."""
    found = decisions.todas
    return Table.of(
        "decisoes",
        (
            (Column("Título id", Kind.INTEGER, key="titulo_id"), [one.titulo_id for one in found]),
            (Column("Feita em", Kind.DATE, "o dia em que se salvou o arquivo com ela"), [one.feita for one in found]),
            (Column("O que", Kind.TEXT, "pagar ou adiar"), ["pagar" if one.campo == PAY else "adiar" for one in found]),
            (Column("Dia digitado", Kind.DATE, "o dia como se digitou"), [one.digitado for one in found]),
            (Column("Dia", Kind.DATE, "o dia útil dele, ou o seguinte"), [one.dia for one in found]),
            (
                Column("Valor", Kind.MONEY, "o valor do título em D, negativo; nulo se não existe mais"),
                [decimal_or_none(one.valor) for one in found],
            ),
            (
                Column("Valor antes", Kind.MONEY, "o valor que o arquivo mostrava, negativo"),
                [decimal_or_none(one.antes) for one in found],
            ),
            (
                Column("Responsável", Kind.TEXT, "quem responde pelo pagamento, como se digitou"),
                [one.responsavel for one in found],
            ),
            (Column("Aprovado por", Kind.TEXT, "quem aprovou, como se digitou"), [one.aprovado_por for one in found]),
            (Column("Pago em", Kind.DATE, "o dia do pagamento; nulo se em aberto"), [one.pago_em for one in found]),
            (
                Column(
                    "Estado",
                    Kind.TEXT,
                    "em aberto, cumprida, paga depois, vencida, trocada, aguarda aprovação ou sem efeito",
                ),
                [one.estado for one in found],
            ),
        ),
        "Pagamentos: um dia que se decidiu para um título a pagar, e o que veio",
    )


def _describe(found: Sequence[Payable]) -> tuple[TableColumn, ...]:
    """Describe payables; amounts are signed as in the books: negative."""
    return (
        (Column("Pessoa id", Kind.INTEGER), [one.pessoa_id for one in found]),
        (
            Column("Fornecedor", Kind.TEXT, "nome de quem se paga; «Sem pessoa» onde não há"),
            [one.fornecedor for one in found],
        ),
        (Column("Descrição", Kind.TEXT), [one.descricao for one in found]),
        (Column("Documento", Kind.TEXT), [one.documento for one in found]),
        (Column("Parcela", Kind.TEXT), [one.parcela for one in found]),
        (
            Column("Grupo", Kind.TEXT, "grupo da DRE pelo mapa, senão pelo nome da categoria; só ordena"),
            [one.grupo or None for one in found],
        ),
        (Column("Vencimento", Kind.DATE), [one.vencimento for one in found]),
        (Column("Data efetiva", Kind.DATE), [one.efetiva for one in found]),
        (Column("Dias", Kind.INTEGER), [one.dias for one in found]),
        (Column("Valor", Kind.MONEY), [to_decimal(one.valor) for one in found]),
        (
            Column("Encargos est.", Kind.MONEY, "multa e juros estimados (S8), negativos"),
            [to_decimal(one.encargos) for one in found],
        ),
        (Column("Título id", Kind.INTEGER, key="titulo_id"), [one.titulo_id for one in found]),
    )


def list_payments(payables: Payables, payments: Payments, provas: Mapping[int, str]) -> tuple[Table, ...]:
    """List the sheets of `pagamentos`, Decidir, Já pagos, Contas and Dias: what is to be paid is negative."""
    lines, paid, accounts, days = payments.linhas, payables.ja_pagos, payments.contas, payments.dias
    return (
        Table.of(
            "pagamentos_decidir",
            (
                (Column("Ordem", Kind.INTEGER), range(1, len(lines) + 1)),
                (
                    Column("Bloco", Kind.TEXT, "Decisão vencida, Vencido e hoje ou Próximos 15 dias"),
                    [BLOCKS[line.bloco] for line in lines],
                ),
                *_describe([line.titulo for line in lines]),
                (
                    Column("Conta id", Kind.INTEGER, "de onde sai: a conta digitada, senão a do título"),
                    [line.conta_id for line in lines],
                ),
                (
                    Column("Acumulado", Kind.MONEY, "o que sai da conta até esta linha, negativo"),
                    [to_decimal(line.acumulado) for line in lines],
                ),
                (
                    Column("Cabe?", Kind.TEXT, "Sim, o que falta do saldo da conta em D, ou sem saldo", key="cabe"),
                    [line.cabe for line in lines],
                ),
                (
                    Column("Decisão", Kind.TEXT, "estado da decisão que vale, como decisoes.estado; nulo sem nenhuma"),
                    [line.decisao.estado if line.decisao else None for line in lines],
                ),
            ),
            "Pagamentos: um título a decidir, na ordem da planilha",
        ),
        Table.of(
            "pagamentos_ja_pagos",
            (
                *_describe(paid),
                (Column("Conta id", Kind.INTEGER), [one.conta_id for one in paid]),
                (
                    Column("Prova", Kind.TEXT, "o que o extrato diz do pagamento: confirmada ou provável"),
                    [provas.get(one.titulo_id, PROBABLE) for one in paid],
                ),
            ),
            "Pagamentos: um título com jeito de já pago (Q33)",
        ),
        Table.of(
            "pagamentos_contas",
            (
                (Column("Conta id", Kind.INTEGER), [one.conta_id for one in accounts]),
                (Column("Conta", Kind.TEXT), [one.nome for one in accounts]),
                (
                    Column("Saldo em D", Kind.MONEY, "saldo pelos livros em D; nulo se é só variação (S23)"),
                    [decimal_or_none(one.saldo) for one in accounts],
                ),
                (
                    Column("Último extrato", Kind.DATE, "dia do saldo de extrato mais novo"),
                    [one.extrato.dia if one.extrato else None for one in accounts],
                ),
                (
                    Column("Saldo do extrato", Kind.MONEY, "esse saldo"),
                    [to_decimal(one.extrato.valor) if one.extrato else None for one in accounts],
                ),
                (
                    Column("Diferença", Kind.MONEY),
                    [decimal_or_none(one.extrato.diferenca) if one.extrato else None for one in accounts],
                ),
                (
                    Column("Vencido e hoje", Kind.MONEY, "o que venceu ou vence em D, negativo"),
                    [to_decimal(one.vencido) for one in accounts],
                ),
                (
                    Column("Próximos 15 dias", Kind.MONEY, "o que vence de D+1 a D+15, negativo"),
                    [to_decimal(one.proximos) for one in accounts],
                ),
                (
                    Column("Decidido", Kind.MONEY, "o que sai por decisões em aberto, negativo"),
                    [to_decimal(one.decidido) for one in accounts],
                ),
                (
                    Column("Sobra", Kind.MONEY, "saldo_em_d mais decidido; nulo se é só variação (S23)"),
                    [decimal_or_none(one.sobra) for one in accounts],
                ),
            ),
            "Pagamentos: uma conta, o que sai dela e o que sobra",
        ),
        Table.of(
            "pagamentos_dias",
            (
                (Column("Dia", Kind.DATE), [one.dia for one in days]),
                (
                    Column("Vence", Kind.MONEY, "o que vence no dia, em D também o vencido, negativo"),
                    [to_decimal(one.vence) for one in days],
                ),
                (
                    Column("Decidido", Kind.MONEY, "o que sai no dia por decisões em aberto, negativo"),
                    [to_decimal(one.decidido) for one in days],
                ),
                (
                    Column(
                        "Contratual",
                        Kind.MONEY,
                        "saldo final do dia, como fluxo_diario.saldo_final; não se soma entre dias",
                    ),
                    [decimal_or_none(one.saldos[0]) for one in days],
                ),
                (Column(CONSERVADOR, Kind.MONEY), [decimal_or_none(one.saldos[1]) for one in days]),
                (
                    Column(DECISOES, Kind.MONEY, "saldo final do dia em Com decisões; não se soma entre dias"),
                    [decimal_or_none(one.saldos[2]) for one in days],
                ),
                (
                    Column(
                        COMBINADO, Kind.MONEY, "saldo final do dia com decisões e promessas; não se soma entre dias"
                    ),
                    [decimal_or_none(one.saldos[3]) for one in days],
                ),
                (
                    Column("Cobre?", Kind.TEXT, "Sim, o que falta para o saldo mínimo, ou sem saldo", key="cobre"),
                    [one.cobre for one in days],
                ),
            ),
            "Pagamentos: um dia, da data-base a 15 dias depois",
        ),
    )
