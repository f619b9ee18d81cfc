"""What the desks keep for SQL: views of `mart`; the sheets of `pagamentos` are printed from theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from lastro.desk.decisions import PAY, Decisions
from lastro.desk.desks import PESSOA, TITULO
from lastro.desk.payables import Payables
from lastro.desk.plan import BLOCKS, PROBABLE, Payments
from lastro.desk.promises import Promise
from lastro.grid.cells import Kind
from lastro.grid.tables import Column, Table, TableColumn
from lastro.money import decimal_or_none
from lastro.transform.scenarios import COMBINADO, CONSERVADOR, DECISOES

_Spec = tuple[str, Kind, str, str]
"""Header, kind, where its value stands in a row (money in centavos), what SQL is told of it."""
_OR_NULL = frozenset({"Grupo", "Aviso", "Proposta", "Motivo"})
"""Texts that are null where there is none."""
_T, _I, _D, _M = Kind.TEXT, Kind.INTEGER, Kind.DATE, Kind.MONEY


def _take(rows: Sequence[Any], *specs: _Spec) -> tuple[TableColumn, ...]:
    """Make columns of rows of one class."""
    columns = []
    for header, kind, place, about in specs:
        values = list(map(attrgetter(place), rows))
        if header in _OR_NULL:
            values = [value or None for value in values]
        key = "titulo_id" if header == "Título id" else header.removesuffix("?").lower() if header[-1] == "?" else ""
        columns.append(
            (Column(header, kind, about, key=key), [*map(decimal_or_none, values)] if kind is _M else values)
        )
    return tuple(columns)


def list_promises(promises: Sequence[Promise]) -> Table:
    """List every promise: of a customer or of a título, amounts positive; by the day promised."""
    keys = {
        kind: [promise.key[1] if promise.key[0] == kind else None for promise in promises] for kind in (PESSOA, TITULO)
    }
    whose = "quem prometeu, 0 sem pessoa; nulo numa promessa de um título"
    which = "o título que se prometeu pagar; nulo numa promessa de um cliente"
    return Table.of(
        "promessas",
        (
            (Column("Pessoa id", Kind.INTEGER, whose), keys[PESSOA]),
            (Column("Título id", Kind.INTEGER, which, key="titulo_id"), keys[TITULO]),
            *_take(
                promises,
                ("Feita em", _D, "feita", "o dia em que se salvou o arquivo com ela"),
                ("Dia", _D, "dia", "o dia prometido"),
                ("Valor", _M, "valor", "o que se prometeu, positivo; nulo se o digitado não é um valor"),
                ("Recebido", _M, "recebido", "o que veio dele desde então, até outra tomar o lugar, positivo"),
                ("Estado", _T, "estado", "cumprida, em parte, quebrada, em aberto, renegociada ou retirada"),
                ("Tudo", Kind.BOOLEAN, "tudo", "não se digitou valor: é tudo o que está vencido"),
            ),
        ),
        "Cobrança: uma promessa de um cliente ou de um título, e o que veio dela",
    )


def list_decisions(decisions: Decisions) -> Table:
    """List every decision ever made, by the day typed."""
    made = decisions.todas
    states = "em aberto, cumprida, paga depois, vencida, trocada, aguarda aprovação ou sem efeito"
    return Table.of(
        "decisoes",
        (
            *_take(
                made,
                ("Título id", _I, "titulo_id", ""),
                ("Feita em", _D, "feita", "o dia em que se salvou o arquivo com ela"),
            ),
            (Column("O que", _T, "pagar ou adiar"), ["pagar" if one.campo == PAY else "adiar" for one in made]),
            *_take(
                made,
                ("Dia digitado", _D, "digitado", "o dia como se digitou"),
                ("Dia", _D, "dia", "o dia útil dele, ou o seguinte"),
                ("Valor", _M, "valor", "o valor do título em D, negativo; nulo se não existe mais"),
                ("Valor antes", _M, "antes", "o valor que o arquivo mostrava, negativo"),
                ("Responsável", _T, "responsavel", "quem responde pelo pagamento, como se digitou"),
                ("Aprovado por", _T, "aprovado_por", "quem aprovou, como se digitou"),
                ("Pago em", _D, "pago_em", "o dia do pagamento; nulo se em aberto"),
                ("Estado", _T, "estado", states),
                ("Motivo", _T, "motivo", "por que não está aprovada; nulo se está, ou se não precisa"),
            ),
        ),
        "Pagamentos: um dia que se decidiu para um título a pagar, e o que veio",
    )


def _describe(rows: Sequence[Any], at: str = "") -> tuple[TableColumn, ...]:
    """Describe payables, which stand at a place of each row; amounts are signed as in the books: negative."""
    return _take(
        rows,
        ("Pessoa id", _I, f"{at}pessoa_id", ""),
        ("Fornecedor", _T, f"{at}fornecedor", "nome de quem se paga; «Sem pessoa» onde não há"),
        ("Descrição", _T, f"{at}descricao", ""),
        ("Documento", _T, f"{at}documento", ""),
        ("Parcela", _T, f"{at}parcela", ""),
        ("Grupo", _T, f"{at}grupo", "grupo da DRE pelo mapa, senão pelo nome da categoria; só ordena"),
        ("Vencimento", _D, f"{at}vencimento", ""),
        ("Data efetiva", _D, f"{at}efetiva", ""),
        ("Dias", _I, f"{at}dias", ""),
        ("Valor", _M, f"{at}valor", ""),
        ("Encargos est.", _M, f"{at}encargos", "multa e juros estimados (S8), negativos"),
        ("Aviso", _T, f"{at}aviso", "possível duplicidade (Q13), e se por ela está fora das somas; senão nulo"),
        ("Título id", _I, f"{at}titulo_id", ""),
    )


_OF_DAY: tuple[_Spec, ...] = (
    ("Decidido", _M, "decidido", "o que se paga no dia por decisões em aberto, negativo"),
    ("Adiado", _M, "adiado", "o que decisões em aberto adiam para o dia, negativo"),
    ("Em aberto", _M, "em_aberto", "o que vence no dia, em D também o vencido, sem decisão, negativo"),
)
_PLANNED = "no vencimento e com as decisões em vigor; nulo se não se sabe"


def list_payments(payables: Payables, payments: Payments, provas: Mapping[int, str]) -> tuple[Table, ...]:
    """List the sheets of `pagamentos`, Decidir, Já pagos, Contas and Dias: what is to be paid is negative."""
    lines, paid, accounts, days = payments.linhas, payables.ja_pagos, payments.contas, payments.dias
    blocks = "Decisão vencida, Folha até 10 dias, Vencido e hoje ou Próximos 15 dias"
    state = "estado da decisão que vale, como decisoes.estado; nulo sem nenhuma"
    proof = "o que o extrato diz do pagamento: confirmada ou provável"
    newest = [each.extrato for each in accounts]
    booked, conservative, decided, agreed = ([each.saldos[place] for each in days] for place in range(4))
    closing = "saldo final do dia{}; não se soma entre dias"
    return (
        Table.of(
            "pagamentos_decidir",
            (
                (Column("Ordem", _I), range(1, len(lines) + 1)),
                (Column("Bloco", _T, blocks), [BLOCKS[line.bloco] for line in lines]),
                *_describe(lines, "titulo."),
                *_take(
                    lines,
                    ("Conta id", _I, "conta_id", "de onde sai: a conta digitada, senão a do título"),
                    ("Acumulado", _M, "acumulado", "o que sai da conta até esta linha, negativo"),
                    ("Dia decidido", _D, "dia", "o dia da decisão em vigor, D ou depois; nulo sem nenhuma"),
                    ("Saldo antes", _M, "antes", "saldo_depois sem este pagamento"),
                    ("Saldo depois", _M, "depois", f"saldo da conta no banco no dia em que se paga, {_PLANNED}"),
                    ("Cabe?", _T, "cabe", "Sim, o que falta em saldo_depois, depois de um dia, ou sem saldo"),
                ),
                (Column("Decisão", _T, state), [line.decisao.estado if line.decisao else None for line in lines]),
            ),
            "Pagamentos: um título a decidir, na ordem da planilha",
        ),
        Table.of(
            "pagamentos_ja_pagos",
            (
                *_describe(paid),
                *_take(paid, ("Conta id", _I, "conta_id", "")),
                (Column("Prova", _T, proof), [provas.get(payable.titulo_id, PROBABLE) for payable in paid]),
            ),
            "Pagamentos: um título com jeito de já pago (Q33)",
        ),
        Table.of(
            "pagamentos_contas",
            (
                *_take(
                    accounts,
                    ("Conta id", _I, "conta_id", ""),
                    ("Conta", _T, "nome", ""),
                    ("Saldo em D", _M, "saldo", "saldo pelos livros em D; nulo se é só variação (S23)"),
                    ("Em trânsito", _M, "transito", "nos livros em D e ainda não no banco (S23)"),
                ),
                (
                    Column("Último extrato", _D, "dia do saldo de extrato mais novo"),
                    [each.dia if each else None for each in newest],
                ),
                (
                    Column("Saldo do extrato", _M, "esse saldo"),
                    [decimal_or_none(each.valor) if each else None for each in newest],
                ),
                (Column("Diferença", _M), [decimal_or_none(each.diferenca) if each else None for each in newest]),
                *_take(
                    accounts,
                    ("Vencido e hoje", _M, "vencido", "o que venceu ou vence em D, negativo"),
                    ("Próximos 15 dias", _M, "proximos", "o que vence de D+1 a D+15, negativo"),
                    ("Decidido", _M, "decidido", "o que se paga por decisões em aberto, negativo"),
                    ("Adiado", _M, "adiado", "o que decisões em aberto adiam, negativo"),
                    ("Sobra", _M, "sobra", "saldo_em_d mais decidido; nulo se é só variação (S23)"),
                    ("Proposta", _T, "proposta", "que transferência cobre o primeiro dia abaixo de zero; ou nula"),
                ),
            ),
            "Pagamentos: uma conta, o que sai dela e o que sobra",
        ),
        Table.of(
            "pagamentos_dias",
            (
                *_take(
                    days,
                    ("Dia", _D, "dia", ""),
                    ("Vence", _M, "vence", "o que vence no dia, em D também o vencido, negativo"),
                    *_OF_DAY,
                ),
                *(
                    (Column(header, _M, closing.format(more)), list(map(decimal_or_none, values)))
                    for header, more, values in (
                        ("Contratual", ", como fluxo_diario.saldo_final", booked),
                        (CONSERVADOR, " pagando já o vencido", conservative),
                        (DECISOES, " em Com decisões", decided),
                        (COMBINADO, " com decisões e promessas", agreed),
                    )
                ),
                *_take(days, ("Cobre?", _T, "cobre", "Sim, o que falta para o saldo mínimo, ou sem saldo")),
            ),
            "Pagamentos: um dia, da data-base a 15 dias depois",
        ),
        Table.of(
            "pagamentos_contas_dias",
            _take(
                payments.contas_dias,
                ("Dia", _D, "dia", ""),
                ("Conta", _T, "nome", ""),
                *_OF_DAY,
                ("Saldo no banco", _M, "saldo", f"saldo da conta no banco ao fim do dia, {_PLANNED}"),
                ("Conta id", _I, "conta_id", ""),
            ),
            "Pagamentos: um dia útil de uma conta, da data-base a 15 dias depois",
        ),
    )
