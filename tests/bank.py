"""Bank statements for tests: read from stored files or made of a position, and the checks of R20 over them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from lastro.bank import matching
from lastro.bank.anchors import choose_balance, find_balance, join_blocks, list_balances
from lastro.bank.days import unite
from lastro.bank.found import BankFound, hold_against_books
from lastro.bank.identity import part_balances
from lastro.bank.ofx import OfxLine, read_ofx
from lastro.bank.reconciliation import TypedLines, list_items, sum_book
from lastro.bank.report import SPEC
from lastro.bank.statements import BankKnown, ReadStatement
from lastro.grid.tables import Table
from lastro.grid.verdict import Verification
from lastro.grid.workbook import Report
from lastro.money import to_decimal
from lastro.quality.queries import read_findings, read_queries
from lastro.quality.runner import open_room, run_query
from lastro.settings import Settings, load_settings
from lastro.settings.bank_keys import write_bank_key
from lastro.transform.forgotten_titulos import find_questioned
from lastro.transform.position import Position
from lastro.warehouse.file.check_room import CheckRoom, Relation
from lastro_sandbox import Books, create_app, golden_company, serve
from tests.served import TOKEN_VARIABLE
from tests.views import view_of

match_account = partial(matching.match_account, charges=(), por_mao={}, ignoradas=frozenset())
"""As of an account of which nobody said anything by hand."""
STORED = Path(__file__).parent / "stored/ofx"
F1, F2 = "extrato_f1.ofx", "extrato_f2.ofx"
KEYS: Mapping[int, Sequence[str]] = {101: ["341/123456"]}
CHECKS = {name: query for name, query in read_queries("bank").items() if name not in read_queries()}
FINDINGS = {name: query for name, query in read_findings("bank").items() if name not in read_findings()}


def receive(content: bytes, name: str, vista_em: date, conta_id: int = 101) -> list[ReadStatement]:
    """Read a file as a run does, its statements being of one account and first seen on a day."""
    read = []
    for place, each in enumerate(read_ofx(content).extratos, 1):
        moved, saldos = part_balances(each.linhas, each.saldo, each.saldo_em)
        read.append(
            ReadStatement(
                name, hashlib.sha256(content).hexdigest(), place, vista_em,
                write_bank_key(each.banco, each.conta, each.tipo), conta_id, each.inicio, each.fim, each.saldo,
                each.saldo_em, moved, saldos, each.servidor, each.na_hora, each.duvida, each.recusadas,
            )
        )  # fmt: skip
    return read


def read_stored(name: str, vista_em: date = date(2026, 3, 17), as_name: str = "") -> ReadStatement:
    """Read a stored file as a statement of account 101, seen first on a day."""
    (read,) = receive((STORED / name).read_bytes(), as_name or name, vista_em)
    return read


def make_statement(name: str, conta_id: int, lines: Sequence[tuple[date, int, str]], **given: Any) -> ReadStatement:
    """Make a statement of lines: day, signed centavos, text."""
    told = tuple(OfxLine(place, day, value, text, "0") for place, (day, value, text) in enumerate(lines, 1))
    own = {"vista_em": date(2099, 1, 1), "inicio": None, "fim": None, "saldo": None, "saldo_em": None, **given}
    return ReadStatement(name, name, 1, chave=f"1/{conta_id}", conta_id=conta_id, linhas=told, **own)


def nov(day: int) -> date:
    """Name a day of November 2026."""
    return date(2026, 11, day)


def november_lines(*told: tuple[int, int, str, str]) -> tuple[OfxLine, ...]:
    """Make transactions of November 2026: day, signed centavos, text, FITID."""
    return tuple(
        OfxLine(place, nov(day), valor, text, fitid) for place, (day, valor, text, fitid) in enumerate(told, 1)
    )


def november_file(
    name: str, last: int, *told: tuple[int, int, str, str], first: int = 1, saldo: int | None = None, **given: Any
) -> ReadStatement:
    """Make a statement of days of November 2026, seen first on December 20th, whose balance is the last day's."""
    own: dict[str, Any] = {
        "vista_em": date(2026, 12, 20), "inicio": nov(first), "fim": nov(last), "saldo": saldo,
        "saldo_em": None if saldo is None else nov(last), **given,
    }  # fmt: skip
    return replace(make_statement(name, 101, [], **own), linhas=november_lines(*told))


def draw_statements(position: Position, rng: random.Random) -> list[ReadStatement]:
    """Draw what the banks of a company would have: most of its payments some days later, fees, things forgotten."""
    drawn = []
    day = position.data_base
    for conta in position.contas["conta_id"].dropna().astype(int).tolist():
        lines = [
            (item.dia + timedelta(rng.choice((0, 0, 0, 1, 2, 6))), item.valor, f"T{item.titulo_id % 7}")
            for item in list_items(position, conta)
            if rng.random() < 0.8
        ]
        lines += [(day - timedelta(rng.randrange(90)), -rng.choice((990, 3590, 10_000)), "TARIFA") for _ in range(3)]
        lines = sorted(line for line in lines if line[0] <= day)
        half = day - timedelta(rng.randrange(5, 60))
        balance = (sum_book(position, conta, day) or 0) + rng.choice((0, 0, 5_000))
        parts = [
            make_statement(f"{conta}-a", conta, [line for line in lines if line[0] <= half], fim=half),
            make_statement(
                f"{conta}-b", conta, [line for line in lines if line[0] >= half - timedelta(rng.choice((0, 9)))],
                inicio=half, fim=day, saldo=balance, saldo_em=day - timedelta(rng.choice((0, 0, 3))),
            ),
        ]  # fmt: skip
        drawn += [part for part in parts if part.linhas]
    return drawn


def receive_bank(read: Iterable[ReadStatement], until: date) -> dict[str, Relation]:
    """What a run would be told by the views of the prelude that rest on the bank's tables."""
    accounts = unite(read).values()
    lines = [line for account in accounts for line in account.linhas]
    blocks: list[tuple[int, date, date, bool, Decimal | None]] = []
    for account in accounts:
        balances = list_balances(account)
        covered = join_blocks(account, balances, until)
        for block in covered:
            chosen = choose_balance(block, balances)
            held = None if chosen is None else to_decimal(find_balance(block, account.linhas, chosen)[0])
            blocks.append((account.conta_id, block.inicio, block.fim, block == covered[-1], held))
    return {
        "banco_linhas": Relation(
            {"extrato_id": "BIGINT", "conta_id": "BIGINT", "dia": "DATE", "conta_em": "DATE", "valor": "DECIMAL(18,2)"},
            [(line.extrato_id, line.conta_id, line.dia, line.conta_em, to_decimal(line.valor)) for line in lines],
        ),
        "banco_saldos": Relation(
            {"conta_id": "BIGINT", "dia": "DATE", "valor": "DECIMAL(18,2)"},
            [
                (account.conta_id, balance.dia, to_decimal(balance.valor))
                for account in accounts
                for balance in list_balances(account)
                if not balance.parcial
            ],
        ),
        "banco_blocos": Relation(
            {"conta_id": "BIGINT", "inicio": "DATE", "fim": "DATE", "ultimo": "BOOLEAN", "saldo": "DECIMAL(18,2)"},
            blocks,
        ),
        "recusados": Relation({"arquivo": "VARCHAR", "linha": "BIGINT", "motivo": "VARCHAR"}, []),
    }


def find_bank(
    position: Position,
    read: Sequence[ReadStatement],
    typed: TypedLines | None = None,
    keys: Mapping[int, Sequence[str]] = KEYS,
    questioned: frozenset[int] | None = None,
) -> BankFound:
    """Reconcile, and suggest, as a run does; what looks paid is found in the position, or given."""
    asked = find_questioned(position) if questioned is None else questioned
    return hold_against_books(position, BankKnown(read, unite(read)), keys, typed, asked, {})


def build_bank(position: Position, found: BankFound) -> Report:
    """Build the sheet."""
    return SPEC.build(view_of(position, banco=found))


def open_bank(position: Position, read: Sequence[ReadStatement], tables: Iterable[Table]) -> CheckRoom:
    """Lay out what the checks of R20 ask."""
    received = receive_bank(read, position.data_base)
    room = open_room(position, received)
    room.show(tables)
    return room


def check_bank(room: CheckRoom) -> dict[str, Verification]:
    """Run V24, V25 and V26."""
    return {name: run_query(query, room) for name, query in CHECKS.items()}


@contextmanager
def serve_banked(folder: Path, books: Books | None = None) -> Iterator[Settings]:
    """Serve the golden company, whose settings know no opening and link account 101 to its bank."""
    with serve(create_app(books or golden_company())) as service:
        (folder / "lastro.toml").write_text(
            f'dir = "dados"\n\n[[empresa]]\nid = "ouro"\nnome = "Ouro"\nbase_url = "{service.base_url}"\n'
            f'token_env = "{TOKEN_VARIABLE}"\nlimites = []\n\n'
            '[[empresa.conta]]\nconta_id = 101\ndescricao = "Banco Alfa"\nextrato = ["0341/12345-6"]\n\n'
            '[[empresa.conta]]\nconta_id = 102\ndescricao = "Poupança"\n',
            encoding="utf-8",
        )
        yield load_settings(folder / "lastro.toml", {}, folder)
