"""The tables of R20: accounts, what only one side has, pairs, files; figures only, no sheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.bank.anchors import refuse_anchor
from lastro.bank.coverage import find_coverage
from lastro.bank.identity import count_kept
from lastro.bank.matching import DEVOLVIDA, IGNORADA, MANUAL, BookItem, Match
from lastro.bank.reconciliation import BankReconciliation, Reconciled
from lastro.bank.returns import DAYS_APART
from lastro.bank.statements import BankLine
from lastro.grid.cells import Kind, Value
from lastro.grid.tables import Column, Table, id_columns
from lastro.money import decimal_or_none, to_decimal
from lastro.transform.position import Position

BANCO, LIVRO = "Banco", "Livro"
_ABOUT_SUGGESTION: Final = (
    "o título em aberto que a linha pode ser, pelo valor; até quando uma baixa está em trânsito, ou quando o dinheiro "
    "voltou; ou nula"
)
_ABOUT_LINE: Final = "número que a linha do banco tem em qualquer arquivo; nulo no que só o livro tem"
ACCOUNTS: Final = (
    Column("Conta", Kind.TEXT),
    Column("Extrato até", Kind.DATE,
        "último dia que os extratos da conta cobrem, no máximo a data-base; nulo sem extrato", undefined=True),
    Column("Saldo do livro", Kind.MONEY,
        "saldo calculado ao fim desse dia, com sinal; nulo antes do controle da conta", undefined=True),
    Column("No banco, sem livro", Kind.MONEY, "linhas do banco sem lançamento, com sinal; nulo sem extrato"),
    Column("No livro, sem banco", Kind.MONEY,
        "menos as baixas do livro sem linha no banco: negativo o recebido; nulo sem extrato"),
    Column("Diferenças explicadas", Kind.MONEY,
        "linhas do banco menos os títulos que elas pagam, com sinal; nulo sem extrato"),
    Column("Ignoradas", Kind.MONEY, "linhas do banco que alguém mandou ignorar, com sinal; nulo sem extrato"),
    Column("Fora do período", Kind.MONEY,
        "títulos com linha no banco e baixa fora dos dias do extrato, com sinal; nulo sem extrato"),
    Column("Abertura", Kind.MONEY,
        "o que os dois lados já diferiam na véspera do extrato; nulo onde não se sabe o saldo de um", undefined=True),
    Column("Saldo do banco", Kind.MONEY,
        "saldo do livro mais todas as parcelas até aqui; nulo onde nenhum extrato diz o saldo", undefined=True),
    Column("Conciliado até", Kind.DATE,
        "véspera da primeira coisa que só um lado tem; nulo enquanto abertura não é 0", undefined=True),
    Column("Situação", Kind.TEXT, "OK, Pendências, Sem extrato ou Desatualizado", width=15),
    Column("Abertura: em trânsito", Kind.MONEY,
        "da abertura, o que na véspera do extrato o livro já tinha e o banco ainda não; nulo onde ela é nula"),
    Column("Abertura: baixas esquecidas", Kind.MONEY,
        "da abertura, prováveis baixas esquecidas (Q33) vencidas antes do extrato; nulo onde ela é nula"),
    Column("Abertura: não explicado", Kind.MONEY, "da abertura, o resto, que nada explica; nulo onde ela é nula",
        key="nao_explicado"),
    Column("Derivado", Kind.BOOLEAN, "saldo_do_banco é um saldo anterior do banco mais as linhas desde então",
        shown=False),
    *id_columns("conta_id"),
)  # fmt: skip
LEFT: Final = (
    Column("Lado", Kind.TEXT, width=8),
    Column("Conta", Kind.TEXT, width=22),
    Column("Data", Kind.DATE, key="dia"),
    Column("Histórico ou descrição", Kind.TEXT, "texto do banco; do livro, a descrição do título, senão a categoria",
        width=28),
    Column("Valor", Kind.MONEY),
    Column("Dias", Kind.INTEGER, "dias do movimento à data-base"),
    Column("Sugestão", Kind.TEXT, _ABOUT_SUGGESTION, width=34),
    Column("Título", Kind.INTEGER, key="titulo_id"),
    Column("Extrato id", Kind.INTEGER, _ABOUT_LINE, width=17),
    *id_columns("conta_id"),
)  # fmt: skip
MATCHED: Final = (
    Column("Conta", Kind.TEXT),
    Column(
        "Passo", Kind.TEXT, "como a linha achou seus títulos: manual, 1:1 ou lote; ou ignorada ou devolvida, sem título"
    ),
    Column("Dia no banco", Kind.DATE, "dia da linha do banco"),
    Column("Histórico", Kind.TEXT, "texto do banco"),
    Column("Valor no banco", Kind.MONEY,
        "valor da linha inteira, que se repete em cada título de um lote; positivo entra, negativo sai"),
    Column("Dia no livro", Kind.DATE, "dia da baixa do título; nulo sem título"),
    Column("Descrição", Kind.TEXT),
    Column("Valor", Kind.MONEY),
    Column("Dias", Kind.INTEGER, "dia no banco menos dia no livro; nulo sem título"),
    Column("Diferença", Kind.MONEY, "a linha menos os seus títulos, no de menor número; 0 nos demais"),
    Column("Devolução", Kind.TEXT, "quando o dinheiro voltou, ou de que dia volta; nula onde nada voltou", width=22),
    Column("Extrato id", Kind.INTEGER, _ABOUT_LINE, width=17),
    *id_columns("titulo_id", "conta_id"),
)  # fmt: skip
FILES: Final = (
    Column("Arquivo", Kind.TEXT, "nome do arquivo OFX"),
    Column("Extrato", Kind.INTEGER, "qual dos extratos do arquivo, desde 1"),
    Column("Chave", Kind.TEXT, "banco/conta, como estão no arquivo; extrato, na configuração da conta, a liga a ela"),
    Column("Conta", Kind.TEXT),
    Column("De", Kind.DATE, "primeiro dia que o arquivo cobre; nulo quando não cobre nenhum"),
    Column("Até", Kind.DATE, "último dia que o arquivo cobre; nulo quando não cobre nenhum"),
    Column("Linhas", Kind.INTEGER, "transações que movem dinheiro"),
    Column("Linhas de saldo", Kind.INTEGER, "transações que são saldos, e não movimentos: conferem as outras"),
    Column("Retiradas", Kind.INTEGER,
        "linhas que um arquivo mais novo já não traz e que os saldos dizem que o banco tirou"),
    Column("Repetidas", Kind.INTEGER, "quantas das linhas outro arquivo já traz"),
    Column("Rejeitadas", Kind.INTEGER,
        "quantas transações do arquivo não se entenderam, no primeiro extrato dele; 0 nos demais"),
    Column("Saldo", Kind.MONEY, "saldo que o arquivo diz, com sinal; nulo se não diz, ou não se acredita nele"),
    Column("Saldo em", Kind.DATE, "dia desse saldo; nulo se não diz"),
    Column("Parcial", Kind.BOOLEAN, "tirado antes de o dia do saldo acabar: não confere nem ancora; nulo sem saldo"),
    Column("Por que não abre", Kind.TEXT,
        "por que nenhuma abertura segue do saldo dele (S20); nulo quando pode seguir"),
    Column("Visto em", Kind.DATE, "dia da primeira execução que leu este conteúdo"),
    Column("Resumo", Kind.TEXT, "resumo do conteúdo do arquivo", key="sha256"),
    *id_columns("conta_id"),
    Column("Palpite conta id", Kind.INTEGER,
        "conta cujas baixas mais se parecem com as linhas; nulo com a conta ligada, ou sem palpite", shown=False),
)  # fmt: skip
_UNBOOKED: Final = "sem lançamento"
_TYPED: Final = {MANUAL: "título à mão", IGNORADA: "ignorada", DEVOLVIDA: "devolvida"}
"""What else the payments desk may type beside, by step: what it typed, and what it may take apart."""


@dataclass(frozen=True)
class BankFound:
    """What a run found of the bank's side.

    Attributes:
        conciliacao: every account.
        sugestoes: extrato_id of a line without book -> the open título that it may be.
        rejeitadas: file -> its transactions that were not understood.
        palpites: key of an account that none is linked to -> the account whose payments are most like its lines.
    """

    conciliacao: BankReconciliation
    sugestoes: Mapping[int, int]
    rejeitadas: Mapping[str, int]
    palpites: Mapping[str, int] = field(default_factory=dict)


def build_tables(
    position: Position | None, bank_found: BankFound | None, order: Sequence[int] = ()
) -> tuple[Table, Table, Table, Table]:
    """Build the four tables of R20.

    Args:
        position: the position as of D.
        bank_found: what a run found; where either is None the tables are empty.
        order: conta_ids in the order of R01; other accounts follow by id.
    """
    accounts = {} if bank_found is None else bank_found.conciliacao.contas
    ordered = [accounts[conta_id] for conta_id in dict.fromkeys((*order, *accounts)) if conta_id in accounts]
    rows: list[list[tuple[Value, ...]]] = [[], [], [], []]
    if position is not None and bank_found is not None:
        names = describe_titulos(position)
        rows = [
            [_account_cells(position, account) for account in ordered],
            sorted(_list_left(position, bank_found, names), key=_order_left),
            [cells for account in ordered for cells in _list_matched(position, account, names)],
            [*_list_files(position, bank_found)],
        ]
    named = (
        ("conciliacao", ACCOUNTS, "R20: uma conta, do saldo do livro ao do banco no fim do extrato; as parcelas somam"),
        (
            "conciliacao_pendencias",
            LEFT,
            "R20: linha do banco sem lançamento, ou baixa do livro sem linha no banco",
        ),
        (
            "conciliadas",
            MATCHED,
            "R20: linha do banco e título que ela paga; a diferença está no de menor número",
        ),
        (
            "extrato_arquivos",
            FILES,
            "R20: extrato de um arquivo OFX; repetidas são as linhas que outro arquivo já traz",
        ),
    )
    accounts_of, left, matched, files = (
        Table(name, columns, own, comment) for (name, columns, comment), own in zip(named, rows, strict=True)
    )
    return accounts_of, left, matched, files


def _account_cells(position: Position, account: Reconciled) -> tuple[Value, ...]:
    return (
        position.rotulos.conta(account.conta_id),
        account.ate,
        decimal_or_none(account.livro),
        *(to_decimal(value) if account.blocos else None for value in (
            account.sem_livro, -account.sem_banco, account.diferencas, account.ignoradas, account.fora,
        )),
        decimal_or_none(account.abertura),
        decimal_or_none(account.banco),
        account.conciliado_ate,
        account.situacao,
        *(None if account.abertura is None else to_decimal(value) for value in (
            account.em_transito, sum(account.esquecidas.values()), account.nao_explicado,
        )),
        account.derivado,
        account.conta_id,
    )  # fmt: skip


def _list_left(position: Position, bank_found: BankFound, names: Mapping[int, str]) -> Iterator[tuple[Value, ...]]:
    arrivals = _list_arrivals(position)
    for account in bank_found.conciliacao.contas.values():
        conta = position.rotulos.conta(account.conta_id)
        for line in account.linhas:
            suggested = bank_found.sugestoes.get(line.extrato_id)
            text = _say_suggestion(bank_found, names, line)
            days = (position.data_base - line.dia).days
            yield (
                BANCO, conta, line.dia, line.historico, to_decimal(line.valor), days, text, suggested,
                line.extrato_id, account.conta_id,
            )  # fmt: skip
        returned = [pair for pair in account.casados.pares if pair.passo == DEVOLVIDA]
        for item in account.titulos:
            days, day = (position.data_base - item.dia).days, arrivals.get(item.titulo_id)
            way = _say_returned(returned, item)
            if day is not None and account.ate is not None and day > account.ate:
                way = f"em trânsito até {day:%d/%m}"
            yield (
                LIVRO, conta, item.dia, names[item.titulo_id], to_decimal(item.valor), days, way, item.titulo_id,
                None, account.conta_id,
            )  # fmt: skip


def _say_returned(returned: Iterable[Match], item: BookItem) -> str | None:
    """Say of a título that was settled that the money of its line went back."""
    near = [pair for pair in returned if abs((pair.linha.dia - item.dia).days) <= DAYS_APART]
    return next((f"{pair.volta}: desfaça a baixa" for pair in near if pair.linha.valor == item.valor), None)


def _list_arrivals(position: Position) -> dict[int, date]:
    """List the days on which the bank receives what customers paid earlier, by título (S23)."""
    return {titulo_id: day.date() for titulo_id, day in records_of(position.em_transito, "titulo_id", "chegada")}


def _order_left(cells: tuple[Value, ...]) -> tuple[Value, Decimal, Value]:
    value = cells[4]
    return cells[2], -abs(value if isinstance(value, Decimal) else Decimal(0)), cells[8] or cells[7]


def describe_titulos(position: Position) -> dict[int, str]:
    """Say what each título is: its description, else its category."""
    return {
        titulo_id: text or position.rotulos.categoria(category)
        for titulo_id, text, category in records_of(position.titulos, "titulo_id", "descricao", "categoria_id")
    }


def _list_matched(position: Position, account: Reconciled, names: Mapping[int, str]) -> Iterator[tuple[Value, ...]]:
    conta = position.rotulos.conta(account.conta_id)
    for pair in account.casados.pares:
        line = pair.linha
        own: tuple[Value, ...] = (conta, pair.passo, line.dia, line.historico, to_decimal(line.valor))
        if not pair.titulos:
            back = pair.volta or None
            yield (*own, None, None, None, None, to_decimal(0), back, line.extrato_id, None, account.conta_id)
        for place, item in enumerate(pair.titulos):
            difference = to_decimal(0 if place else pair.diferenca)
            yield (
                *own, item.dia, names[item.titulo_id], to_decimal(item.valor), (line.dia - item.dia).days, difference,
                None, line.extrato_id, item.titulo_id, account.conta_id,
            )  # fmt: skip


def _list_files(position: Position, bank_found: BankFound) -> Iterator[tuple[Value, ...]]:
    gone = count_kept(bank_found.conciliacao.retiradas)
    kept = count_kept((*bank_found.conciliacao.linhas, *bank_found.conciliacao.retiradas))
    for each in sorted(bank_found.conciliacao.lidos, key=lambda statement: (statement.arquivo, statement.ordem)):
        covered = find_coverage(each)
        account = None if each.conta_id is None else position.rotulos.conta(each.conta_id)
        new = min(kept[each.arquivo, each.conta_id or 0], len(each.linhas)) if each.conta_id else len(each.linhas)
        yield (
            each.arquivo,
            each.ordem,
            each.chave,
            account,
            None if covered is None else covered.inicio,
            None if covered is None else covered.fim,
            len(each.linhas),
            len(each.saldos),
            gone[each.arquivo, each.conta_id or 0] if each.conta_id else 0,
            len(each.linhas) - new,
            bank_found.rejeitadas.get(each.arquivo, 0) if each.ordem == 1 else 0,
            decimal_or_none(each.saldo),
            each.saldo_em,
            None if each.saldo_em is None else each.parcial,
            refuse_anchor(each) or None,
            each.vista_em,
            each.sha256,
            each.conta_id,
            bank_found.palpites.get(each.chave) if each.conta_id is None else None,
        )


def _say_suggestion(bank_found: BankFound, names: Mapping[int, str], line: BankLine) -> str | None:
    suggested = bank_found.sugestoes.get(line.extrato_id)
    return None if suggested is None else f"dar baixa em «{names[suggested]}» ({suggested})"


def list_lines(position: Position | None, bank_found: BankFound | None) -> Table:
    """List what the payments desk may type beside: lines without book, then those that are typed or came back.

    Args:
        position: the position as of D.
        bank_found: what a run found; where either is None the table is empty.
    """
    told: list[tuple[str, str, BankLine, int, str | None]] = []
    if position is not None and bank_found is not None:
        names = describe_titulos(position)
        for account in bank_found.conciliacao.contas.values():
            lines = [(_UNBOOKED, line, _say_suggestion(bank_found, names, line)) for line in account.linhas]
            lines += [
                (_TYPED[pair.passo], pair.linha, pair.volta or None)
                for pair in account.casados.pares
                if pair.passo in _TYPED
            ]
            conta = position.rotulos.conta(account.conta_id)
            told += [(state, conta, line, (position.data_base - line.dia).days, text) for state, line, text in lines]
    told.sort(key=lambda row: (row[0] != _UNBOOKED, row[2].dia, row[2].extrato_id))
    return Table.of(
        "pagamentos_extrato",
        (
            (Column("Conta", Kind.TEXT, width=24), [conta for _, conta, *_ in told]),
            (Column("Data", Kind.DATE, key="dia"), [line.dia for _, _, line, *_ in told]),
            (Column("Histórico", Kind.TEXT, "texto do banco", width=36), [line.historico for _, _, line, *_ in told]),
            (Column("Valor", Kind.MONEY), pd.Series([line.valor for _, _, line, *_ in told], dtype="int64")),
            (Column("Dias", Kind.INTEGER, "dias do movimento à data-base"), [days for _, _, _, days, _ in told]),
            (Column("Sugestão", Kind.TEXT, _ABOUT_SUGGESTION, width=32), [text for *_, text in told]),
            (Column("Situação", Kind.TEXT, "sem lançamento, título à mão, ignorada ou devolvida", width=15),
                [state for state, *_ in told]),
            (Column("extrato_id", Kind.INTEGER, _ABOUT_LINE), [line.extrato_id for _, _, line, *_ in told]),
        ),
        "R20: uma linha do banco na folha Extrato de pagamentos: sem lançamento, devolvida, à mão ou ignorada",
    )  # fmt: skip
