"""`lastro saldos`: what the books have beside what the banks show, and where to type a statement (S23)."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lastro.calendar import local_day
from lastro.clock import utc_now
from lastro.commands.invocation import choose_company, company_option, config_option, read_settings
from lastro.errors import ConfigError, StorageError
from lastro.files import describe_denial
from lastro.terminal import print_table

if TYPE_CHECKING:
    from lastro.entrada.saldos import AccountStart, BalanceFile, TypedBalance
    from lastro.settings import Empresa, Settings
    from lastro.warehouse.publication.balances import BalancesReader, Implied, PublishedBalance, PublishedBalances

HEADER = ("Conta", "Saldo", "Último extrato", "", "Livro nesse dia", "Em trânsito", "Diferença", "Situação")
_RIGHT = (1, 3, 4, 5, 6)
_SHOWN = 60
"""Characters of what was typed that a message repeats."""
_BOOKED = "lancamento"
"""`origem_saldo` of an account whose opening an entry of the books is (S23)."""
Typed = tuple[int, date, Decimal]
"""A balance of the file: account, day, R$."""
_TOLD = 3
"""Earlier statements that differ of which a line tells."""


@click.command()
@config_option
@company_option
@click.option("--em", "dia", metavar="DIA", help="Dia do extrato: 2026-02-28 ou 28/02/2026.")
@click.option("--importar", is_flag=True, help="Passa para saldos.csv os saldos que estão na configuração.")
@click.option("--nota", default="", help="O que se quer lembrar de onde veio.")
@click.argument("palavras", metavar="[EMPRESA] [CONTA=VALOR]...", nargs=-1)
def saldos(
    config: Path | None,
    empresa_id: str | None,
    dia: str | None,
    nota: str,
    palavras: tuple[str, ...],
    *,
    importar: bool,
) -> None:
    """Mostra o saldo de cada conta ao lado do extrato; com --em, anota o que um extrato diz.

    O valor é o que o banco mostrou no fim do dia: lastro saldos --em 2026-02-28 101=7900,00 "Poupança"=200,00
    """
    settings = read_settings(config)
    named = [word for word in palavras if "=" not in word]
    pairs = [word for word in palavras if "=" in word]
    if len(named) > (empresa_id is None) or bool(pairs) != bool(dia) or (importar and bool(dia)):
        raise ConfigError(
            "lastro saldos [EMPRESA] [--em DIA CONTA=VALOR ... | --importar]: diga o dia e ao menos uma conta."
        )
    if nota and not dia:
        raise ConfigError("--nota acompanha --em: sem um saldo anotado não há onde gravá-la.")
    empresa = choose_company(settings, named[0] if named else empresa_id)
    if importar:
        import_configured(settings, empresa)
        return

    from lastro.warehouse.publication.balances import BalancesReader

    reader = BalancesReader(settings.pasta(empresa), empresa.id)
    published = reader.read()
    today = local_day(utc_now(), settings.fuso)
    folder = settings.entrada(empresa)
    if dia is None:
        print_balances(empresa, published)
    else:
        typed = read_pairs(dia, pairs, published, today)
        with _told(folder):
            held = _read_file(folder, published, today)
        demand_confirmed(typed, published, nota)
        before = {} if held is None else {(each.conta_id, each.dia): each.valor for each in held.saldos}
        replaced = {
            each: value for each in typed if (value := before.get((each.conta_id, each.dia), each.valor)) != each.valor
        }
        _append(settings, empresa, typed, nota, replaced)
        print_implied(empresa, reader, published, typed, before)
    waiting = print_file(folder, published, today)
    if dia is None:
        print_missing(empresa, published, waiting)


def read_pairs(dia: str, pairs: Sequence[str], published: PublishedBalances, today: date) -> list[TypedBalance]:
    """Read what was typed; one that is not understood stops all, so do two of one account, or a day that is not over.

    Raises:
        ConfigError: naming every mistake.
    """
    from lastro.entrada.saldos import Accounts, TypedBalance, UnknownAccount
    from lastro.entrada.typed_values import NotUnderstood, parse_amount, parse_day

    typed, mistakes = [], []
    try:
        day = parse_day(dia, until=today)
    except NotUnderstood as error:
        raise ConfigError(f"--em {_cut(dia)}: não entendi {error}. Nada foi gravado.") from None
    for pair in pairs:
        conta, _, valor = pair.rpartition("=")
        try:
            typed.append(TypedBalance(Accounts(published.names).find(conta.strip()), day, parse_amount(valor)))
        except NotUnderstood as error:
            mistakes.append(f"{_cut(pair)}: não entendi {error}")
        except UnknownAccount as error:
            mistakes.append(f"{_cut(pair)}: {error}")
    twice = sorted(conta_id for conta_id, often in Counter(each.conta_id for each in typed).items() if often > 1)
    mistakes += [f"conta {conta_id} duas vezes: diga um saldo de cada conta" for conta_id in twice]
    if mistakes:
        raise ConfigError(f"{'; '.join(mistakes)}. Nada foi gravado.")
    return typed


def demand_confirmed(typed: Sequence[TypedBalance], published: PublishedBalances, nota: str) -> None:
    """Ask once more for a statement of long before an account's first movement: it would anchor all that followed.

    Raises:
        ConfigError: naming each, unless the note confirms it.
    """
    from lastro.entrada.saldos import CONFIRMADO

    doubts = [doubt for each in typed if (doubt := _find_starts(published)[each.conta_id].doubt(each.dia, nota))]
    if doubts:
        raise ConfigError(f"{'; '.join(doubts)}: é mesmo? Se é, repita com --nota {CONFIRMADO}. Nada foi gravado.")


def _find_starts(published: PublishedBalances) -> dict[int, AccountStart]:
    from lastro.entrada.saldos import AccountStart

    return {conta_id: AccountStart(*days) for conta_id, days in published.inicios.items()}


def _cut(typed: str) -> str:
    return typed if len(typed) <= _SHOWN else f"{typed[:_SHOWN]}…"


def import_configured(settings: Settings, empresa: Empresa) -> None:
    """Move the balances of the settings into `saldos.csv`, and say what to take out of the settings then.

    A balance that the file has already is not written again; one that the file contradicts stays the file's. What
    control began with on a day is what the bank showed at the end of the day before.

    Raises:
        ConfigError: when the file that is there cannot be read or written.
    """
    from lastro.entrada.door import hold_unread, read_file
    from lastro.entrada.saldos import TypedBalance, find_balance_file, read_balances
    from lastro.grid.words import count_text, format_date

    configured = []
    for conta in empresa.contas:
        balances = [TypedBalance(conta.conta_id, saldo.data, saldo.valor) for saldo in conta.saldos_conferidos]
        if conta.data_saldo_inicial is not None and conta.valor_saldo_inicial is not None:
            eve = conta.data_saldo_inicial - timedelta(days=1)
            balances.append(TypedBalance(conta.conta_id, eve, conta.valor_saldo_inicial))
        configured += balances
    names = {conta.conta_id: conta.descricao for conta in empresa.contas}
    folder = settings.entrada(empresa)
    path = find_balance_file(folder)
    held = {}
    if path.exists():
        with _told(folder), hold_unread():
            typed = read_balances(read_file(path).content, names).saldos
            held = {(balance.conta_id, balance.dia): balance for balance in typed}
    fresh = [balance for balance in configured if (balance.conta_id, balance.dia) not in held]
    if fresh:
        _append(settings, empresa, fresh, "da configuração")
    for balance in fresh:
        account = f"{balance.conta_id} {names[balance.conta_id]}"
        click.echo(f"{account}: {format_date(balance.dia)} {_amount(balance.valor)}".rstrip())
    for balance in configured:
        there = held.get((balance.conta_id, balance.dia), balance)
        if there != balance:
            click.echo(
                f"{balance.conta_id} em {format_date(balance.dia)}: fica o de saldos.csv, {_amount(there.valor)}; "
                f"a configuração diz {_amount(balance.valor)}"
            )
    moved = count_text(len(fresh), "saldo passou", "saldos passaram")
    click.echo(f"{moved} da configuração para {path.name}.")
    if configured:
        accounts = ", ".join(map(str, dict.fromkeys(balance.conta_id for balance in configured)))
        click.echo(
            f"Agora apague da configuração, nas contas {accounts}: saldos_conferidos e, onde há data_saldo_inicial, "
            f"também ela e valor_saldo_inicial. Depois: lastro run --empresa {empresa.id} --modo recalculo"
        )


@contextlib.contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Tell as an error of people what is wrong with the file of statements or its folder."""
    from lastro.entrada.door import NotRead
    from lastro.entrada.saldos import BALANCES_CSV

    try:
        yield
    except NotRead as error:
        raise ConfigError(f"{folder / BALANCES_CSV}: {error}. Nada foi gravado.") from None
    except PermissionError as error:
        raise StorageError(f"{describe_denial(error)} Nada foi gravado.") from None
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}. Nada foi gravado.") from None


def _append(
    settings: Settings,
    empresa: Empresa,
    typed: Sequence[TypedBalance],
    nota: str,
    replaced: Mapping[TypedBalance, Decimal] | None = None,
) -> None:
    from lastro.entrada.saldos import append_balances
    from lastro.warehouse.publication.csv_text import guard_typed

    folder = settings.entrada(empresa)
    with _told(folder):
        append_balances(folder, typed, guard_typed(nota), replaced)


def print_balances(empresa: Empresa, published: PublishedBalances) -> None:
    """Print every account, its balance, and its newest statement beside the books."""
    from lastro.grid.words import format_date

    day = format_date(published.data_base)
    click.echo(f"Saldos de {empresa.id} em {day} (execução {published.execucao_id})")
    print_table([HEADER, *(describe_account(each) for each in published.contas)], right=_RIGHT)


def print_missing(empresa: Empresa, published: PublishedBalances, waiting: Set[Typed]) -> None:
    """Print for which accounts a balance is missing, of those of which none was typed, and how many wait for a run."""
    from lastro.grid.words import count_text

    typed = {None, *(conta_id for conta_id, _, _ in waiting)}
    missing = [each for each in published.contas if each.variacao and each.conta_id not in typed]
    if missing:
        accounts = " ".join(f"{each.conta_id}=VALOR" for each in missing)
        click.echo(
            f"Falta o extrato de {count_text(len(missing), 'conta', 'contas')}:  "
            f"lastro saldos {empresa.id} --em AAAA-MM-DD {accounts}"
        )
    if waiting:
        often = count_text(len(waiting), "saldo digitado espera", "saldos digitados esperam")
        click.echo(f"{often} a próxima execução:  lastro run --empresa {empresa.id} --modo recalculo")


def _read_file(folder: Path, published: PublishedBalances, today: date) -> BalanceFile | None:
    """Read `saldos.csv` as it stands now; None without one. Where none of it counts (Q31), raise why: `NotRead`."""
    from lastro.entrada.door import read_file
    from lastro.entrada.saldos import find_balance_file, read_balances

    path = find_balance_file(folder)
    if not path.exists():
        return None
    return read_balances(read_file(path).content, published.names, today, _find_starts(published))


def print_file(folder: Path, published: PublishedBalances, today: date) -> Set[Typed]:
    """Print which lines of `saldos.csv` are not understood (Q37), or why none is (Q31); list what waits for a run."""
    from lastro.entrada.door import NotRead, hold_unread
    from lastro.entrada.saldos import BALANCES_CSV
    from lastro.grid.words import count_text
    from lastro.quality.findings import name_each

    try:
        with hold_unread():
            read = _read_file(folder, published, today)
    except NotRead as error:
        click.echo(f"{BALANCES_CSV} não conta: {error}")
        return frozenset()
    if read is None:
        return frozenset()
    if read.rejeitadas:
        click.echo(f"{count_text(read.rejeitadas, 'linha', 'linhas')} de {BALANCES_CSV} sem contar:")
        for text in name_each("Q37", (f"{BALANCES_CSV}, linha {part.linha}: {part.motivo}" for part in read.recusadas)):
            click.echo(f"  {text}")
    return {(each.conta_id, each.dia, each.valor) for each in read.saldos} ^ published.digitados


def describe_account(each: PublishedBalance) -> tuple[str, ...]:
    """Lay out an account: its newest statement, whether it agrees or anchors, and earlier ones that differ."""
    from lastro.grid.words import format_date

    name = each.conta if each.conta_id is None else f"{each.conta_id} {each.conta}"
    if each.dia is None:
        situation = "variação, não saldo" if each.variacao else "sem extrato"
        return (name, _amount(each.saldo), "—", "", "", "", "", situation)
    situation = "abertura de um só extrato" if each.provada is False else "confere"
    if each.provada and each.ancora is not None and each.ancora.dia == each.dia and not each.ancora.derivada:
        situation = f"{each.dia:%d/%m} é a âncora"
    if each.nasceu_entre is not None and each.diferenca != 0:
        since, until = each.nasceu_entre
        span = f"até {format_date(until)}" if since is None else f"entre {format_date(since)} e {format_date(until)}"
        situation = f"não confere: nasceu {span}"
    elif each.diferenca != 0:
        situation = "não confere"
    if each.ancora is not None and each.ancora.dia != each.dia:
        situation += f"; a âncora é de {format_date(each.ancora.dia)}"
    situation += "".join(f"; {day:%d/%m} difere {_amount(difference)}" for day, difference in each.diferem[:_TOLD])
    amounts = (each.extrato, each.livro, each.transito, each.diferenca)
    return (name, _amount(each.saldo), format_date(each.dia), *map(_amount, amounts), situation)


def print_implied(
    empresa: Empresa,
    reader: BalancesReader,
    published: PublishedBalances,
    typed: Sequence[TypedBalance],
    held: Mapping[tuple[int, date], Decimal],
) -> None:
    """Print what follows from each statement that was appended; `held` is what the file had by account and day."""
    from lastro.grid.words import format_date

    configured = {conta.conta_id for conta in empresa.contas if conta.valor_saldo_inicial is not None}
    for each in typed:
        implied = reader.imply(each.conta_id, each.dia, each.valor)
        day = format_date(each.dia)
        moving = f", com {_amount(implied.transito)} em trânsito" if implied.transito else ""
        account = next(account for account in published.contas if account.conta_id == each.conta_id)
        click.echo(
            f"{each.conta_id} {account.conta}: extrato de {day} {_amount(each.valor)}{moving} "
            f"{say_effect(account, each, implied, held, configured=each.conta_id in configured)}"
        )
        if implied.pagos:
            click.echo(
                f"  em {day} há pagamentos de {_amount(implied.pagos)}: confira se o extrato já os traz; na dúvida, "
                "use um dia sem movimento"
            )
    click.echo(f"vale na próxima execução; agora:  lastro run --empresa {empresa.id} --modo recalculo")


def say_effect(
    account: PublishedBalance,
    typed: TypedBalance,
    implied: Implied,
    held: Mapping[tuple[int, date], Decimal],
    *,
    configured: bool,
) -> str:
    """Say what typing a statement changes: it anchors the opening, or only checks it (S23).

    Args:
        account: as published.
        implied: what it says of the books as published.
        held: what the file had, by account and day.
        configured: whether the settings, as they are now, give the opening.
    """
    from lastro.grid.words import format_date

    opening, anchor = f"→ saldo inicial {_amount(implied.abertura)}", account.ancora
    since = min((day for conta_id, day in held if conta_id == typed.conta_id), default=typed.dia)
    waits = anchor is None or anchor.derivada or since < anchor.dia
    if since < typed.dia and waits and not configured and account.origem != _BOOKED:
        return f"conferência: a âncora é o extrato de {format_date(since)}, que também espera a próxima execução"
    if (typed.conta_id, typed.dia) in held and waits and held[typed.conta_id, typed.dia] != typed.valor:
        opening += f": substitui {_amount(held[typed.conta_id, typed.dia])}"
    if anchor is None and not configured and account.origem != _BOOKED:
        return opening
    if anchor is not None and (anchor.derivada or typed.dia < anchor.dia):
        return f"{opening}: passa a ser a âncora (antes {format_date(anchor.dia)})"
    if anchor is not None and typed.dia == anchor.dia:
        return f"{opening}: substitui {_amount(anchor.valor)}"
    source = "de um lançamento" if account.origem == _BOOKED else "da configuração"
    given = f"a abertura é {f'do extrato de {format_date(anchor.dia)}' if anchor else source}"
    if implied.livro is None:
        return f"conferência: o controle da conta começa depois ({given})"
    difference = implied.livro - implied.transito - typed.valor
    told = f"difere {_amount(difference)}" if difference else "confere"
    return f"conferência: livro {_amount(implied.livro)}, {told} ({given})"


def _amount(value: Decimal | None) -> str:
    from lastro.money import format_amount

    return "—" if value is None else format_amount(value)
