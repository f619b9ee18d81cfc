"""What the desks keep for SQL: views of `mart`; the sheets of `pagamentos` are printed from theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lastro.desk.decisions import PAY, Decisions
from lastro.desk.desks import PESSOA, TITULO
from lastro.desk.payables import Payable, Payables
from lastro.desk.plan import BLOCKS, PROBABLE, Payments
from lastro.desk.promises import Promise
from lastro.grid.cells import Kind
from lastro.grid.tables import Column, Table, TableColumn
from lastro.money import decimal_or_none, to_decimal
from lastro.transform.scenarios import COMBINADO, CONSERVADOR, DECISOES


def list_promises(promises: Sequence[Promise]) -> Table:
    """List every promise: of a customer or of a título, amounts positive; by the day promised."""
    keys = {
        kind: [promise.key[1] if promise.key[0] == kind else None for promise in promises] for kind in (PESSOA, TITULO)
    }
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
                [promise.feita for promise in promises],
            ),
            (Column("Dia", Kind.DATE, "o dia prometido"), [promise.dia for promise in promises]),
            (
                Column("Valor", Kind.MONEY, "o que se prometeu, positivo; nulo se o digitado não é um valor"),
                [decimal_or_none(promise.valor) for promise in promises],
            ),
            (
                Column(
                    "Recebido", Kind.MONEY, "o que veio dele desde então, até outra promessa tomar o lugar, positivo"
                ),
                [to_decimal(promise.recebido) for promise in promises],
            ),
            (
                Column("Estado", Kind.TEXT, "cumprida, em parte, quebrada, em aberto, renegociada ou retirada"),
                [promise.estado for promise in promises],
            ),
            (
                Column("Tudo", Kind.BOOLEAN, "não se digitou valor: é tudo o que está vencido"),
                [promise.tudo for promise in promises],
            ),
        ),
        "Cobrança: uma promessa de um cliente ou de um título, e o que veio dela",
    )


def list_decisions(decisions: Decisions) -> Table:
    """List every decision ever made, by the day typed."""
    all_decisions = decisions.todas
    return Table.of(
        "decisoes",
        (
            (Column("Título id", Kind.INTEGER, key="titulo_id"), [decision.titulo_id for decision in all_decisions]),
            (
                Column("Feita em", Kind.DATE, "o dia em que se salvou o arquivo com ela"),
                [decision.feita for decision in all_decisions],
            ),
            (
                Column("O que", Kind.TEXT, "pagar ou adiar"),
                ["pagar" if decision.campo == PAY else "adiar" for decision in all_decisions],
            ),
            (
                Column("Dia digitado", Kind.DATE, "o dia como se digitou"),
                [decision.digitado for decision in all_decisions],
            ),
            (Column("Dia", Kind.DATE, "o dia útil dele, ou o seguinte"), [decision.dia for decision in all_decisions]),
            (
                Column("Valor", Kind.MONEY, "o valor do título em D, negativo; nulo se não existe mais"),
                [decimal_or_none(decision.valor) for decision in all_decisions],
            ),
            (
                Column("Valor antes", Kind.MONEY, "o valor que o arquivo mostrava, negativo"),
                [decimal_or_none(decision.antes) for decision in all_decisions],
            ),
            (
                Column("Responsável", Kind.TEXT, "quem responde pelo pagamento, como se digitou"),
                [decision.responsavel for decision in all_decisions],
            ),
            (
                Column("Aprovado por", Kind.TEXT, "quem aprovou, como se digitou"),
                [decision.aprovado_por for decision in all_decisions],
            ),
            (
                Column("Pago em", Kind.DATE, "o dia do pagamento; nulo se em aberto"),
                [decision.pago_em for decision in all_decisions],
            ),
            (
                Column(
                    "Estado",
                    Kind.TEXT,
                    "em aberto, cumprida, paga depois, vencida, trocada, aguarda aprovação ou sem efeito",
                ),
                [decision.estado for decision in all_decisions],
            ),
            (
                Column("Motivo", Kind.TEXT, "por que não está aprovada; nulo se está, ou se não precisa"),
                [decision.motivo or None for decision in all_decisions],
            ),
        ),
        "Pagamentos: um dia que se decidiu para um título a pagar, e o que veio",
    )


def _describe(payables: Sequence[Payable]) -> tuple[TableColumn, ...]:
    """Describe payables; amounts are signed as in the books: negative."""
    return (
        (Column("Pessoa id", Kind.INTEGER), [payable.pessoa_id for payable in payables]),
        (
            Column("Fornecedor", Kind.TEXT, "nome de quem se paga; «Sem pessoa» onde não há"),
            [payable.fornecedor for payable in payables],
        ),
        (Column("Descrição", Kind.TEXT), [payable.descricao for payable in payables]),
        (Column("Documento", Kind.TEXT), [payable.documento for payable in payables]),
        (Column("Parcela", Kind.TEXT), [payable.parcela for payable in payables]),
        (
            Column("Grupo", Kind.TEXT, "grupo da DRE pelo mapa, senão pelo nome da categoria; só ordena"),
            [payable.grupo or None for payable in payables],
        ),
        (Column("Vencimento", Kind.DATE), [payable.vencimento for payable in payables]),
        (Column("Data efetiva", Kind.DATE), [payable.efetiva for payable in payables]),
        (Column("Dias", Kind.INTEGER), [payable.dias for payable in payables]),
        (Column("Valor", Kind.MONEY), [to_decimal(payable.valor) for payable in payables]),
        (
            Column("Encargos est.", Kind.MONEY, "multa e juros estimados (S8), negativos"),
            [to_decimal(payable.encargos) for payable in payables],
        ),
        (
            Column("Aviso", Kind.TEXT, "possível duplicidade (Q13), e se por ela está fora das somas; senão nulo"),
            [payable.aviso or None for payable in payables],
        ),
        (Column("Título id", Kind.INTEGER, key="titulo_id"), [payable.titulo_id for payable in payables]),
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
                    Column(
                        "Bloco", Kind.TEXT, "Decisão vencida, Folha até 10 dias, Vencido e hoje ou Próximos 15 dias"
                    ),
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
                (Column("Conta id", Kind.INTEGER), [payable.conta_id for payable in paid]),
                (
                    Column("Prova", Kind.TEXT, "o que o extrato diz do pagamento: confirmada ou provável"),
                    [provas.get(payable.titulo_id, PROBABLE) for payable in paid],
                ),
            ),
            "Pagamentos: um título com jeito de já pago (Q33)",
        ),
        Table.of(
            "pagamentos_contas",
            (
                (Column("Conta id", Kind.INTEGER), [account.conta_id for account in accounts]),
                (Column("Conta", Kind.TEXT), [account.nome for account in accounts]),
                (
                    Column("Saldo em D", Kind.MONEY, "saldo pelos livros em D; nulo se é só variação (S23)"),
                    [decimal_or_none(account.saldo) for account in accounts],
                ),
                (
                    Column("Último extrato", Kind.DATE, "dia do saldo de extrato mais novo"),
                    [account.extrato.dia if account.extrato else None for account in accounts],
                ),
                (
                    Column("Saldo do extrato", Kind.MONEY, "esse saldo"),
                    [to_decimal(account.extrato.valor) if account.extrato else None for account in accounts],
                ),
                (
                    Column("Diferença", Kind.MONEY),
                    [decimal_or_none(account.extrato.diferenca) if account.extrato else None for account in accounts],
                ),
                (
                    Column("Vencido e hoje", Kind.MONEY, "o que venceu ou vence em D, negativo"),
                    [to_decimal(account.vencido) for account in accounts],
                ),
                (
                    Column("Próximos 15 dias", Kind.MONEY, "o que vence de D+1 a D+15, negativo"),
                    [to_decimal(account.proximos) for account in accounts],
                ),
                (
                    Column("Decidido", Kind.MONEY, "o que sai por decisões em aberto, negativo"),
                    [to_decimal(account.decidido) for account in accounts],
                ),
                (
                    Column("Sobra", Kind.MONEY, "saldo_em_d mais decidido; nulo se é só variação (S23)"),
                    [decimal_or_none(account.sobra) for account in accounts],
                ),
            ),
            "Pagamentos: uma conta, o que sai dela e o que sobra",
        ),
        Table.of(
            "pagamentos_dias",
            (
                (Column("Dia", Kind.DATE), [day.dia for day in days]),
                (
                    Column("Vence", Kind.MONEY, "o que vence no dia, em D também o vencido, negativo"),
                    [to_decimal(day.vence) for day in days],
                ),
                (
                    Column("Decidido", Kind.MONEY, "o que sai no dia por decisões em aberto, negativo"),
                    [to_decimal(day.decidido) for day in days],
                ),
                (
                    Column(
                        "Contratual",
                        Kind.MONEY,
                        "saldo final do dia, como fluxo_diario.saldo_final; não se soma entre dias",
                    ),
                    [decimal_or_none(day.saldos[0]) for day in days],
                ),
                (Column(CONSERVADOR, Kind.MONEY), [decimal_or_none(day.saldos[1]) for day in days]),
                (
                    Column(DECISOES, Kind.MONEY, "saldo final do dia em Com decisões; não se soma entre dias"),
                    [decimal_or_none(day.saldos[2]) for day in days],
                ),
                (
                    Column(
                        COMBINADO, Kind.MONEY, "saldo final do dia com decisões e promessas; não se soma entre dias"
                    ),
                    [decimal_or_none(day.saldos[3]) for day in days],
                ),
                (
                    Column("Cobre?", Kind.TEXT, "Sim, o que falta para o saldo mínimo, ou sem saldo", key="cobre"),
                    [day.cobre for day in days],
                ),
            ),
            "Pagamentos: um dia, da data-base a 15 dias depois",
        ),
    )
