"""The bank's tables in the private file: contents, lines, matches (S20)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, Final

import pandas as pd

from lastro.bank.anchors import choose_balance, join_blocks, list_balances
from lastro.bank.identity import link_account, part_balances
from lastro.bank.ofx import OfxFile, OfxLine
from lastro.bank.reconciliation import BankReconciliation
from lastro.bank.statements import BankAccount, ReadStatement
from lastro.money import to_centavos, to_decimal
from lastro.schema.columns import DAY, ID, MONEY
from lastro.schema.tables import TABLES
from lastro.settings.bank_keys import write_bank_key
from lastro.settings.model import ENTRADA
from lastro.warehouse.file.store import Warehouse

FOLDER: Final = "extratos"
"""Where people put the bank's files, in the folder of what they type."""
PLACE: Final = f"{ENTRADA}/{FOLDER}/"
"""What the names of its files begin with, as a run keeps them."""


def keep_content(warehouse: Warehouse, sha256: str, content: OfxFile, day: date) -> None:
    """Keep what a content says when it is read for the first time; `day` is the local day of the run.

    What an earlier version read, which knew no kind of account, is read again and keeps its day.
    """
    kept = warehouse.query("SELECT vista_em, tipo FROM banco.extratos_lidos WHERE sha256 = ? LIMIT 1", [sha256])
    if kept and kept[0][1] is not None:
        return
    if kept:
        day = kept[0][0]
        warehouse.con.execute("DELETE FROM banco.extratos_lidos WHERE sha256 = ?", [sha256])
        warehouse.con.execute("DELETE FROM banco.linhas_lidas WHERE sha256 = ?", [sha256])
    statements = [*enumerate(content.extratos, 1)]
    warehouse.insert(
        "banco.extratos_lidos",
        [
            {"sha256": sha256, "extrato": place, "vista_em": day, **_pick(each, "banco.extratos_lidos")}
            for place, each in statements
        ],
    )
    _append(
        warehouse,
        "banco.linhas_lidas",
        [
            {"sha256": sha256, "extrato": place, **_pick(line, "banco.linhas_lidas")}
            for place, each in statements
            for line in each.linhas
        ],
    )


def _pick(value: object, table: str) -> dict[str, Any]:
    """Pick of a value what a table has columns for."""
    return {name: getattr(value, name) for name in TABLES[table].columns if hasattr(value, name)}


def read_contents(
    warehouse: Warehouse,
    files: Sequence[tuple[str, str]],
    extratos: Mapping[int, Sequence[str]],
    known: date | None = None,
) -> list[ReadStatement]:
    """Read what the contents of files say, in the order of the files.

    Args:
        warehouse: the private file.
        files: name and digest of each.
        extratos: conta_id -> what the settings call it at its bank.
        known: the past day whose knowledge is asked for: contents first seen by it, their lines up to it; None for
            all that they say.
    """
    latest = known or date.max
    lines: defaultdict[tuple[str, int], list[OfxLine]] = defaultdict(list)
    wanted = [sha256 for _, sha256 in files]
    for sha256, extrato, *line in warehouse.query(
        "SELECT sha256, extrato, ordem, dia, valor, historico, fitid FROM banco.linhas_lidas "
        "WHERE list_contains(?, sha256) AND dia <= ? ORDER BY sha256, extrato, ordem",
        [wanted, latest],
    ):
        lines[sha256, extrato].append(OfxLine(*line))
    told: defaultdict[str, list[list[Any]]] = defaultdict(list)
    for sha256, *row in warehouse.query(
        "SELECT sha256, extrato, vista_em, banco, conta, coalesce(tipo, ''), inicio, fim, saldo, saldo_em, "
        "coalesce(servidor, ''), coalesce(na_hora, false), coalesce(duvida, ''), coalesce(recusadas, 0) "
        "FROM banco.extratos_lidos "
        "WHERE list_contains(?, sha256) AND vista_em <= ? ORDER BY sha256, extrato",
        [wanted, latest],
    ):
        told[sha256].append(row)
    statements = []
    for name, sha256 in files:
        for extrato, seen, bank, account, kind, first, last, balance, at, *about in told[sha256]:
            key = write_bank_key(bank, account, kind)
            held = None if balance is None else to_centavos(balance)
            moved, balances = part_balances(lines[sha256, extrato], held, at)
            statements.append(
                ReadStatement(
                    name, sha256, extrato, seen, key, link_account(key, extratos), first, last, held, at, moved,
                    balances, *about,
                )
            )  # fmt: skip
    return statements


def list_read_files(warehouse: Warehouse, execucao_id: int) -> list[tuple[str, str, int]]:
    """List the bank's files that a run read: name within the folder, digest, transactions refused; by name."""
    rows = warehouse.query(
        "SELECT arquivo, sha256, rejeitadas FROM ops.arquivos WHERE execucao_id = ? AND starts_with(arquivo, ?) "
        "ORDER BY arquivo",
        [execucao_id, PLACE],
    )
    return [(name.removeprefix(PLACE), sha256, refused) for name, sha256, refused in rows]


def replace_lines(warehouse: Warehouse, accounts: Collection[BankAccount], until: date) -> None:
    """Replace the lines and balances of every account and the days covered up to D; call it inside `transaction()`."""
    warehouse.con.execute("DELETE FROM banco.linhas; DELETE FROM banco.saldos; DELETE FROM banco.blocos")
    lines = [line for account in accounts for line in account.linhas]
    _append(
        warehouse, "banco.linhas", [{**_pick(line, "banco.linhas"), "valor": to_decimal(line.valor)} for line in lines]
    )
    for account in accounts:
        balances = list_balances(account)
        _append(
            warehouse,
            "banco.saldos",
            [
                {"conta_id": account.conta_id, **_pick(each, "banco.saldos"), "valor": to_decimal(each.valor)}
                for each in balances
            ],
        )
        blocks = join_blocks(account, balances, until)
        chosen = [choose_balance(block, balances) for block in blocks]
        _append(
            warehouse,
            "banco.blocos",
            [
                {
                    "conta_id": account.conta_id, **_pick(block, "banco.blocos"),
                    "saldo_em": None if balance is None else balance.dia,
                }
                for block, balance in zip(blocks, chosen, strict=True)
            ],
        )  # fmt: skip


def has_files(warehouse: Warehouse, execucao_id: int) -> bool:
    """Tell whether a run found anything in the bank's folder, be it read or not."""
    found = warehouse.ask_one(
        "SELECT EXISTS (FROM ops.arquivos WHERE execucao_id = $1 AND starts_with(arquivo, $2)) OR EXISTS "
        "(FROM raw.arquivo_rejeitados WHERE execucao_id = $1 AND starts_with(arquivo, $2))",
        [execucao_id, PLACE],
    )
    return bool(found)


def replace_matches(warehouse: Warehouse, reconciliation: BankReconciliation | None) -> None:
    """Replace what the lines were matched with; call it inside `transaction()`."""
    warehouse.con.execute("DELETE FROM banco.conciliacao")
    if reconciliation is None:
        return
    rows = []
    for account in reconciliation.contas.values():
        for pair in account.casados.pares:
            own = {
                "conta_id": account.conta_id,
                "extrato_id": pair.linha.extrato_id,
                "grupo": len(pair.titulos),
                "passo": pair.passo,
            }
            if not pair.titulos:
                rows.append({**own, "titulo_id": None, "diferenca": to_decimal(0)})
            rows += [
                {**own, "titulo_id": item.titulo_id, "diferenca": to_decimal(0 if place else pair.diferenca)}
                for place, item in enumerate(pair.titulos)
            ]
    _append(warehouse, "banco.conciliacao", rows)


def _append(warehouse: Warehouse, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Append rows to a table by columns: thousands of single values take longer than all that is made of them."""
    frame: dict[str, pd.Series] = {}
    for column in TABLES[name].columns:
        values = [row[column] for row in rows]
        if TABLES[name].column(column).type == MONEY:
            frame[f"{column}_centavos"] = pd.Series([to_centavos(value) for value in values], dtype="int64")
        elif TABLES[name].column(column).type == DAY:
            frame[column] = pd.Series(pd.to_datetime(values), dtype="datetime64[us]")
        elif TABLES[name].column(column).type == ID:
            frame[column] = pd.Series(values, dtype="Int64")
        else:
            frame[column] = pd.Series(values, dtype=object)
    if rows:
        warehouse.append(name, pd.DataFrame(frame))
