"""What the desks keep for SQL: views of `mart`; the sheets of `pagamentos` are printed from theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from operator import attrgetter
from typing import Any, Final

from lastro.desk.decisions import PAY, Decisions
from lastro.desk.desks import PESSOA, TITULO
from lastro.desk.payables import Payables
from lastro.desk.plan import BLOCKS, PROBABLE, Payments
from lastro.desk.promises import Promise
from lastro.grid.cells import Kind
from lastro.grid.tables import Column, Table, TableColumn
from lastro.money import decimal_or_none
from lastro.transform.scenarios import COMBINADO, CONSERVADOR, DECISOES

_Spec = tuple[str, Kind, str | Callable[[Any], Any], str]
"""Header, kind, where its value stands in a row or how it is told (money in centavos), what SQL is told of it."""
_OR_NULL: Final = frozenset({"Grupo", "Aviso", "Proposta", "Motivo"})
"""Texts that are null where there is none."""
_T, _I, _D, _M = Kind.TEXT, Kind.INTEGER, Kind.DATE, Kind.MONEY


def _take(rows: Sequence[Any], *specs: _Spec) -> tuple[TableColumn, ...]:
    """Make columns of rows of one class."""
    columns = []
    for header, kind, tell, about in specs:
        values = [(attrgetter(tell) if isinstance(tell, str) else tell)(row) for row in rows]
        if header in _OR_NULL:
            values = [value or None for value in values]
        key = "titulo_id" if header == "Título id" else header.removesuffix("?").lower() if header[-1] == "?" else ""
        columns.append(
            (Column(header, kind, about, key=key), [*map(decimal_or_none, values)] if kind is _M else values)
        )
    return tuple(columns)


def list_promises(promises: Sequence[Promise]) -> Table:
    """List every promise: of a customer or of a título, amounts positive; by the day promised."""
    whose = "quem prometeu, 0 sem pessoa; nulo numa promessa de um título"
    which = "o título que se prometeu pagar; nulo numa promessa de um cliente"
    return Table.of(
        "promessas",
        _take(
            promises,
            ("Pessoa id", _I, lambda one: one.key[1] if one.key[0] == PESSOA else None, whose),
            ("Título id", _I, lambda one: one.key[1] if one.key[0] == TITULO else None, which),
            ("Feita em", _D, "feita", "o dia em que se salvou o arquivo com ela"),
            ("Dia", _D, "dia", "o dia prometido"),
            ("Valor", _M, "valor", "o que se prometeu, positivo; nulo se o digitado não é um valor"),
            ("Recebido", _M, "recebido", "o que veio dele desde então, até outra tomar o lugar, positivo"),
            ("Estado", _T, "estado", "cumprida, em parte, quebrada, em aberto, renegociada ou retirada"),
            ("Tudo", Kind.BOOLEAN, "tudo", "não se digitou valor: é tudo o que está vencido"),
        ),
        "Cobrança: uma promessa de um cliente ou de um título, e o que veio dela",
    )


def list_decisions(decisions: Decisions) -> Table:
    """List every decision ever made, by the day typed."""
    states = "em aberto, cumprida, paga depois, vencida, trocada, aguarda aprovação ou sem efeito"
    return Table.of(
        "decisoes",
        _take(
            decisions.todas,
            ("Título id", _I, "titulo_id", ""),
            ("Feita em", _D, "feita", "o dia em que se salvou o arquivo com ela"),
            ("O que", _T, lambda one: "pagar" if one.campo == PAY else "adiar", "pagar ou adiar"),
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
        "Pagamentos: um dia que se decidiu para um título a pagar, e o que veio",
    )


_PAYABLE: Final[tuple[_Spec, ...]] = (
    ("Pessoa id", _I, "pessoa_id", ""),
    ("Fornecedor", _T, "fornecedor", "nome de quem se paga; «Sem pessoa» onde não há"),
    ("Descrição", _T, "descricao", ""),
    ("Documento", _T, "documento", ""),
    ("Parcela", _T, "parcela", ""),
    ("Grupo", _T, "grupo", "grupo da DRE pelo mapa, senão pelo nome da categoria; só ordena"),
    ("Vencimento", _D, "vencimento", ""),
    ("Data efetiva", _D, "efetiva", ""),
    ("Dias", _I, "dias", ""),
    ("Valor", _M, "valor", ""),
    ("Encargos est.", _M, "encargos", "multa e juros estimados (S8), negativos"),
    ("Aviso", _T, "aviso", "possível duplicidade (Q13), e se por ela está fora das somas; senão nulo"),
    ("Título id", _I, "titulo_id", ""),
)
"""What is said of every payable; amounts are signed as in the books: negative."""
_OF_DAY: Final[tuple[_Spec, ...]] = (
    ("Decidido", _M, "decidido", "o que se paga no dia por decisões em aberto, negativo"),
    ("Adiado", _M, "adiado", "o que decisões em aberto adiam para o dia, negativo"),
    ("Em aberto", _M, "em_aberto", "o que vence no dia, em D também o vencido, sem decisão, negativo"),
)
_PLANNED = "no vencimento e com as decisões em vigor; nulo se não se sabe"


def list_payments(payables: Payables, payments: Payments, provas: Mapping[int, str]) -> tuple[Table, ...]:
    """List the sheets of `pagamentos`, Decidir, Já pagos, Contas and Dias: what is to be paid is negative."""
    places = count(1)
    blocks = "Decisão vencida, Folha até 10 dias, Vencido e hoje ou Próximos 15 dias"
    closing = "saldo final do dia{}; não se soma entre dias"
    return (
        Table.of(
            "pagamentos_decidir",
            (
                *_take(
                    payments.linhas,
                    ("Ordem", _I, lambda _: next(places), ""),
                    ("Bloco", _T, lambda line: BLOCKS[line.bloco], blocks),
                ),
                *_take([line.titulo for line in payments.linhas], *_PAYABLE),
                *_take(
                    payments.linhas,
                    ("Conta id", _I, "conta_id", "de onde sai: a conta digitada, senão a do título"),
                    ("Acumulado", _M, "acumulado", "o que sai da conta até esta linha, negativo"),
                    ("Dia decidido", _D, "dia", "o dia da decisão em vigor, D ou depois; nulo sem nenhuma"),
                    ("Saldo antes", _M, "antes", "saldo_depois sem este pagamento"),
                    ("Saldo depois", _M, "depois", f"saldo da conta no banco no dia em que se paga, {_PLANNED}"),
                    ("Cabe?", _T, "cabe", "Sim, o que falta em saldo_depois, depois de um dia, ou sem saldo"),
                    (
                        "Decisão", _T, lambda line: line.decisao.estado if line.decisao else None,
                        "estado da decisão que vale, como decisoes.estado; nulo sem nenhuma",
                    ),
                ),
            ),
            "Pagamentos: um título a decidir, na ordem da planilha",
        ),
        Table.of(
            "pagamentos_ja_pagos",
            _take(
                payables.ja_pagos,
                *_PAYABLE,
                ("Conta id", _I, "conta_id", ""),
                (
                    "Prova", _T, lambda payable: provas.get(payable.titulo_id, PROBABLE),
                    "o que o extrato diz do pagamento: confirmada ou provável",
                ),
            ),
            "Pagamentos: um título com jeito de já pago (Q33)",
        ),
        Table.of(
            "pagamentos_contas",
            _take(
                payments.contas,
                ("Conta id", _I, "conta_id", ""),
                ("Conta", _T, "nome", ""),
                ("Saldo em D", _M, "saldo", "saldo pelos livros em D; nulo se é só variação (S23)"),
                ("Em trânsito", _M, "transito", "nos livros em D e ainda não no banco (S23)"),
                ("Último extrato", _D, lambda one: one.extrato[0], "dia do saldo de extrato mais novo"),
                ("Saldo do extrato", _M, lambda one: one.extrato[1], "esse saldo"),
                ("Diferença", _M, lambda one: one.extrato[2], ""),
                ("Vencido e hoje", _M, "vencido", "o que venceu ou vence em D, negativo"),
                ("Próximos 15 dias", _M, "proximos", "o que vence de D+1 a D+15, negativo"),
                ("Decidido", _M, "decidido", "o que se paga por decisões em aberto, negativo"),
                ("Adiado", _M, "adiado", "o que decisões em aberto adiam, negativo"),
                ("Sobra", _M, "sobra", "saldo_em_d mais decidido; nulo se é só variação (S23)"),
                ("Proposta", _T, "proposta", "que transferência cobre o primeiro dia abaixo de zero; ou nula"),
            ),
            "Pagamentos: uma conta, o que sai dela e o que sobra",
        ),
        Table.of(
            "pagamentos_dias",
            _take(
                payments.dias,
                ("Dia", _D, "dia", ""),
                ("Vence", _M, "vence", "o que vence no dia, em D também o vencido, negativo"),
                *_OF_DAY,
                ("Contratual", _M, lambda one: one.saldos[0], closing.format(", como fluxo_diario.saldo_final")),
                (CONSERVADOR, _M, lambda one: one.saldos[1], closing.format(" pagando já o vencido")),
                (DECISOES, _M, lambda one: one.saldos[2], closing.format(" em Com decisões")),
                (COMBINADO, _M, lambda one: one.saldos[3], closing.format(" com decisões e promessas")),
                ("Cobre?", _T, "cobre", "Sim, o que falta para o saldo mínimo, ou sem saldo"),
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
    )  # fmt: skip
