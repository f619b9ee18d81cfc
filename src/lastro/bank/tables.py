"""The tables of R20: accounts, what only one side has, pairs, files; figures only, no sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from lastro.analysis.cash_series import sort_accounts
from lastro.analysis.frames import records_of
from lastro.bank.anchors import judge_openings
from lastro.bank.coverage import find_coverage, fix_moment
from lastro.bank.found import BankFound
from lastro.bank.matching import DEVOLVIDA, IGNORADA, MANUAL, BookItem, Match
from lastro.bank.reconciliation import CERTO, Reconciled
from lastro.bank.returns import DAYS_APART
from lastro.bank.statements import BankLine
from lastro.grid.cells import Kind
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.tables import Table
from lastro.grid.words import count_text
from lastro.money import format_centavos
from lastro.transform.position import Position

if TYPE_CHECKING:
    from lastro.reports.view import View

BANCO, LIVRO = "Banco", "Livro"
_LEFT: Final = (
    "lado", "conta", "dia", "historico_ou_descricao", "valor", "dias", "sugestao", "titulo_id", "extrato_id",
    "conta_id",
)  # fmt: skip
_MATCHED: Final = (
    "conta", "passo", "dia_no_banco", "historico", "valor_no_banco", "dia_no_livro", "descricao", "valor", "dias",
    "diferenca", "devolucao", "extrato_id", "titulo_id", "conta_id",
)  # fmt: skip
_LINES: Final = ("conta", "dia", "historico", "valor", "dias", "sugestao", "situacao", "extrato_id")
_UNBOOKED: Final = "sem lançamento"
_TYPED: Final = {MANUAL: "título à mão", IGNORADA: "ignorada", DEVOLVIDA: "devolvida"}
"""What else the payments desk may type beside, by step: what it typed, and what it may take apart."""


def take_found(view: View) -> BankFound | None:
    """Find what the run found; without statements, and in a scope, there is nothing, and no row in any table."""
    return view.facts.banco if isinstance(view.facts.banco, BankFound) else None


def _order_accounts(view: View) -> list[Reconciled]:
    """Put the accounts in the order of R01; others follow by id."""
    bank_found = take_found(view)
    accounts = {} if bank_found is None else bank_found.conciliacao.contas
    order = [view.series.accounts[place].conta_id for place in sort_accounts(view.series)]
    return [accounts[one] for one in dict.fromkeys((*order, *accounts)) if one is not None and one in accounts]


def list_reconciled(view: View) -> Columns:
    """List the accounts, from the books' balance to the bank's: the parts add up."""
    accounts = _order_accounts(view)

    def covered(tell: Callable[[Reconciled], int]) -> list[int | None]:
        return [tell(one) if one.blocos else None for one in accounts]

    def opened(tell: Callable[[Reconciled], int]) -> list[int | None]:
        return [None if one.abertura is None else tell(one) for one in accounts]

    return {
        "conta": [view.position.rotulos.conta(one.conta_id) for one in accounts],
        "extrato_ate": [one.ate for one in accounts],
        "saldo_do_livro": [one.livro for one in accounts],
        "no_banco_sem_livro": covered(lambda one: one.sem_livro),
        "no_livro_sem_banco": covered(lambda one: -one.sem_banco),
        "diferencas_explicadas": covered(lambda one: one.diferencas),
        "ignoradas": covered(lambda one: one.ignoradas),
        "fora_do_periodo": covered(lambda one: one.fora),
        "abertura": [one.abertura for one in accounts],
        "saldo_do_banco": [one.banco for one in accounts],
        "conciliado_ate": [one.conciliado_ate for one in accounts],
        "situacao": [say_ignored(one) if one.situacao == CERTO else one.situacao for one in accounts],
        "abertura_em_transito": opened(lambda one: one.em_transito),
        "abertura_baixas_esquecidas": opened(lambda one: sum(one.esquecidas.values())),
        "nao_explicado": opened(lambda one: one.nao_explicado),
        "derivado": [one.derivado for one in accounts],
        "conta_id": [one.conta_id for one in accounts],
    }


def say_ignored(*accounts: Reconciled) -> str:
    """Say which lines a person took out of sight, or OK where there is none: what nobody booked is not in order."""
    pairs = [pair for account in accounts for pair in account.casados.pares if pair.passo == IGNORADA]
    if not pairs:
        return CERTO
    return f"{count_text(len(pairs), 'linha ignorada', 'linhas ignoradas')}: {say_gross(p.linha.valor for p in pairs)}"


def say_gross(amounts: Iterable[int]) -> str:
    """Write what came in and what went out, in centavos, never the difference of the two."""
    told = list(amounts)
    sides = [sum(amount for amount in told if amount > 0), sum(amount for amount in told if amount < 0)]
    return " e ".join(format_centavos(side) for side in sides if side)


def list_left(view: View) -> Columns:
    """List what only one side has, by day, then the larger amount."""
    bank_found, position = take_found(view), view.position
    rows = () if bank_found is None else _list_left(position, bank_found, describe_titulos(position))
    return list_columns(_LEFT, sorted(rows, key=lambda row: (row[2], -abs(row[4]), row[8] or row[7])))


def _list_left(position: Position, bank_found: BankFound, names: Mapping[int, str]) -> Iterator[tuple[Any, ...]]:
    arrivals = _list_arrivals(position)
    for account in bank_found.conciliacao.contas.values():
        conta = position.rotulos.conta(account.conta_id)
        for line in account.linhas:
            own = (BANCO, conta, line.dia, line.historico, line.valor, (position.data_base - line.dia).days)
            text, titulo_id = _say_suggestion(bank_found, names, line), bank_found.sugestoes.get(line.extrato_id)
            yield (*own, text, titulo_id, line.extrato_id, account.conta_id)
        returned = [pair for pair in account.casados.pares if pair.passo == DEVOLVIDA]
        for item in account.titulos:
            day, way = arrivals.get(item.titulo_id), _say_returned(returned, item)
            if day is not None and account.ate is not None and day > account.ate:
                way = f"em trânsito até {day:%d/%m}"
            text, days = names[item.titulo_id], (position.data_base - item.dia).days
            own = (LIVRO, conta, item.dia, text, item.valor, days)
            yield (*own, way, item.titulo_id, None, account.conta_id)


def _say_returned(returned: Iterable[Match], item: BookItem) -> str | None:
    """Say of a título that was settled that the money of its line went back."""
    near = [pair for pair in returned if abs((pair.linha.dia - item.dia).days) <= DAYS_APART]
    return next((f"{pair.volta}: desfaça a baixa" for pair in near if pair.linha.valor == item.valor), None)


def _list_arrivals(position: Position) -> dict[int, date]:
    """List the days on which the bank receives what customers paid earlier, by título (S23)."""
    return {titulo_id: day.date() for titulo_id, day in records_of(position.em_transito, "titulo_id", "chegada")}


def describe_titulos(position: Position) -> dict[int, str]:
    """Say what each título is: its description, else its category."""
    return {
        titulo_id: text or position.rotulos.categoria(category)
        for titulo_id, text, category in records_of(position.titulos, "titulo_id", "descricao", "categoria_id")
    }


def list_matched(view: View) -> Columns:
    """List the lines of the bank with the títulos that they pay; the difference stands beside the lowest number."""
    names = describe_titulos(view.position)
    rows = (row for account in _order_accounts(view) for row in _list_matched(view.position, account, names))
    return list_columns(_MATCHED, rows)


def list_returned(view: View) -> Columns:
    """List the lines that came back, and what returned them: neither side lacks them."""
    rows = [
        (conta, pair.linha.dia, pair.linha.historico, pair.linha.valor, pair.volta)
        for account in _order_accounts(view)
        for conta in [view.position.rotulos.conta(account.conta_id)]
        for pair in account.casados.pares
        if pair.volta
    ]
    return list_columns(("conta", "dia_no_banco", "historico", "valor_no_banco", "devolucao"), rows)


def _list_matched(position: Position, account: Reconciled, names: Mapping[int, str]) -> Iterator[tuple[Any, ...]]:
    conta = position.rotulos.conta(account.conta_id)
    for pair in account.casados.pares:
        line = pair.linha
        own = (conta, pair.passo, line.dia, line.historico, line.valor)
        if not pair.titulos:
            yield (*own, None, None, None, None, 0, pair.volta or None, line.extrato_id, None, account.conta_id)
        for place, item in enumerate(pair.titulos):
            difference, days = 0 if place else pair.diferenca, (line.dia - item.dia).days
            book = (item.dia, names[item.titulo_id], item.valor, days, difference, None)
            yield (*own, *book, line.extrato_id, item.titulo_id, account.conta_id)


def list_files(view: View) -> Columns:
    """List the statements of the files, by name."""
    bank_found, names = take_found(view), view.position.rotulos
    told = () if bank_found is None else map(fix_moment, bank_found.conciliacao.lidos)
    files = sorted(told, key=lambda each: (each.arquivo, each.ordem))
    covered = [find_coverage(each) for each in files]
    united = () if bank_found is None else bank_found.conciliacao.unidas
    refused = {key: why for account in united for key, why in judge_openings(account)[1].items()}
    rejected = {} if bank_found is None else bank_found.rejeitadas
    guessed = {} if bank_found is None else bank_found.palpites
    return {
        "arquivo": [each.arquivo for each in files],
        "extrato": [each.ordem for each in files],
        "chave": [each.chave for each in files],
        "conta": [None if each.conta_id is None else names.conta(each.conta_id) for each in files],
        "de": [None if block is None else block.inicio for block in covered],
        "ate": [None if block is None else block.fim for block in covered],
        "linhas": [len(each.linhas) for each in files],
        "linhas_de_saldo": [len(each.saldos) for each in files],
        "rejeitadas": [rejected.get(each.arquivo, 0) if each.ordem == 1 else 0 for each in files],
        "saldo": [each.saldo for each in files],
        "saldo_em": [each.saldo_em for each in files],
        "parcial": [None if each.saldo_em is None else each.parcial for each in files],
        "por_que_nao_abre": [refused.get((each.sha256, each.ordem)) or None for each in files],
        "visto_em": [each.vista_em for each in files],
        "sha256": [each.sha256 for each in files],
        "conta_id": [each.conta_id for each in files],
        "palpite_conta_id": [guessed.get(each.chave) if each.conta_id is None else None for each in files],
    }


def list_divergences(view: View) -> Columns:
    """List what two files of an account say differently, by account, then by day."""
    bank_found, names = take_found(view), view.position.rotulos
    accounts = () if bank_found is None else bank_found.conciliacao.unidas
    told = [(account.conta_id, each) for account in accounts for each in account.divergencias]
    return {
        "conta": [names.conta(conta_id) for conta_id, _ in told],
        "divergencia": [each.tipo for _, each in told],
        "de": [each.inicio for _, each in told],
        "ate": [each.fim for _, each in told],
        "historico": [each.historico for _, each in told],
        "valor": [each.valor for _, each in told],
        "arquivo": [each.arquivo for _, each in told],
        "arquivo_novo": [each.novo for _, each in told],
        "desde": [each.desde for _, each in told],
        "extrato_id": [each.extrato_id for _, each in told],
        "conta_id": [conta_id for conta_id, _ in told],
    }


def _say_suggestion(bank_found: BankFound, names: Mapping[int, str], line: BankLine) -> str | None:
    suggested = bank_found.sugestoes.get(line.extrato_id)
    return None if suggested is None else f"dar baixa em «{names[suggested]}» ({suggested})"


def list_lines(position: Position | None, bank_found: BankFound | None) -> Table:
    """List what the payments desk may type beside: lines without book, then those that are typed or came back.

    Args:
        position: the position as of D.
        bank_found: what a run found; where either is None the table is empty.
    """
    rows: list[tuple[Any, ...]] = []
    if position is not None and bank_found is not None:
        names = describe_titulos(position)
        for account in bank_found.conciliacao.contas.values():
            lines = [(_UNBOOKED, line, _say_suggestion(bank_found, names, line)) for line in account.linhas]
            typed = [pair for pair in account.casados.pares if pair.passo in _TYPED]
            lines += [(_TYPED[pair.passo], pair.linha, pair.volta or None) for pair in typed]
            conta = position.rotulos.conta(account.conta_id)
            for state, line, text in lines:
                own = (conta, line.dia, line.historico, line.valor, (position.data_base - line.dia).days)
                rows.append((*own, text, state, line.extrato_id))
    rows.sort(key=lambda row: (row[6] != _UNBOOKED, row[1], row[7]))
    return LINES.table(list_columns(_LINES, rows), None)


# The sheet is one page wide.
ACCOUNTS: Final = Print(
    "conciliacao",
    "R20: uma conta, do saldo do livro ao do banco no fim do extrato; as parcelas somam",
    list_reconciled,
    keys=("conta_id",),
    about={"situacao": "OK, «1 linha ignorada: -35,90», Pendências, Sem extrato ou Desatualizado"},
    widths={"situacao": 24},
    undefined=("extrato_ate", "saldo_do_livro", "abertura", "saldo_do_banco", "conciliado_ate"),
    hidden=("derivado",),
    used=(
        "diferencas_explicadas", "ignoradas", "fora_do_periodo", "abertura_em_transito", "abertura_baixas_esquecidas",
        "nao_explicado",
    ),
    title="Do livro ao banco",
)  # fmt: skip
LEFT: Final = Print(
    "conciliacao_pendencias",
    "R20: linha do banco sem lançamento, ou baixa do livro sem linha no banco",
    list_left,
    about={"dias": "dias do movimento à data-base"},
    widths={"lado": 8, "conta": 22, "historico_ou_descricao": 28, "sugestao": 34, "titulo_id": 12, "extrato_id": 17},
    shown=("titulo_id", "extrato_id"),
    title="Pendências",
    total=(),
    detail=True,
    empty="Toda linha do banco tem lançamento, e toda baixa tem linha no banco",
)
MATCHED: Final = Print(
    "conciliadas",
    "R20: linha do banco e título que ela paga; a diferença está no de menor número",
    list_matched,
    about={
        "dias": "dia no banco menos dia no livro; nulo sem título",
        "diferenca": "a linha menos os seus títulos, no de menor número; 0 nos demais",
    },
    widths={"devolucao": 22},
)
RETURNED: Final = Print(
    "devolvidas",
    make=list_returned,
    widths={"devolucao": 22},
    title="Dinheiro que voltou",
    total=(),
    detail=True,
    optional=True,
)
FILES: Final = Print(
    "extrato_arquivos",
    "R20: extrato de um arquivo OFX",
    list_files,
    keys=("arquivo", "extrato"),
    about={
        "extrato": "qual dos extratos do arquivo, desde 1",
        "de": "primeiro dia que o arquivo cobre; nulo quando não cobre nenhum",
        "ate": "último dia que o arquivo cobre; nulo quando não cobre nenhum",
        "linhas": "transações que movem dinheiro",
    },
    kinds={"extrato": Kind.INTEGER},
)
DIVERGENCES: Final = Print(
    "extrato_divergencias",
    "R20: uma linha do banco que dois arquivos de uma conta dizem de outro modo",
    list_divergences,
    about={
        "valor": "o da linha, com sinal",
        "historico": "o texto da linha; de texto mudado, o antigo e o novo",
        "arquivo": "o arquivo mais antigo",
        "extrato_id": "número da linha; nulo na de um arquivo que saiu da pasta",
    },
    widths={"conta": 22, "divergencia": 14, "historico": 34, "arquivo": 20, "arquivo_novo": 20},
    hidden=("ate", "desde"),
    title="O que dois arquivos dizem diferente",
    total=(),
    detail=True,
    optional=True,
)
LINES: Final[Print[None]] = Print(
    "pagamentos_extrato",
    "R20: uma linha do banco na folha Extrato de pagamentos: sem lançamento, devolvida, à mão ou ignorada",
    about={
        "dias": "dias do movimento à data-base",
        "situacao": "sem lançamento, título à mão, ignorada ou devolvida",
    },
    widths={"conta": 24, "historico": 36, "sugestao": 32, "situacao": 15},
    shown=("extrato_id",),
)
