"""The bank's tables in the private file: contents, and what they say together (S20)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, Final

import pandas as pd

from lastro.bank.anchors import choose_balance, join_blocks, list_balances
from lastro.bank.identity import link_account, part_balances
from lastro.bank.ofx import OfxFile, OfxLine
from lastro.bank.statements import BankAccount, ReadStatement
from lastro.schema.derivation import frame_column, frame_dtype
from lastro.schema.tables import TABLES
from lastro.settings.bank_keys import read_bank_key, write_bank_key, write_file_key
from lastro.settings.model import ENTRADA
from lastro.warehouse.file.store import Warehouse

FOLDER: Final = "extratos"
"""Where people put the bank's files, in the folder of what they type."""
PLACE: Final = f"{ENTRADA}/{FOLDER}/"
"""What the names of its files begin with, as a run keeps them."""


def keep_content(warehouse: Warehouse, sha256: str, content: OfxFile, day: date) -> None:
    """Keep what a content says when it is read for the first time; `day` is the local day of the run."""
    if warehouse.query("SELECT 1 FROM banco.extratos_lidos WHERE sha256 = ? LIMIT 1", [sha256]):
        return
    _append(
        warehouse, "banco.extratos_lidos", content.extratos,
        sha256=sha256, extrato=range(1, len(content.extratos) + 1), vista_em=day,
    )  # fmt: skip
    _append(
        warehouse, "banco.linhas_lidas", [line for each in content.extratos for line in each.linhas],
        sha256=sha256, extrato=[place for place, each in enumerate(content.extratos, 1) for _ in each.linhas],
    )  # fmt: skip


def read_contents(
    warehouse: Warehouse,
    files: Sequence[tuple[str, str]],
    extratos: Mapping[int, Sequence[str]],
    known: date | None,
) -> list[ReadStatement]:
    """Read what the contents of files say, in the order of the files.

    Args:
        files: name and digest of each.
        extratos: conta_id -> what the settings call it at its bank.
        known: the past day whose knowledge is asked for: contents first seen by it, their lines up to it; None for
            all that they say.
    """
    digests = [sha256 for _, sha256 in files]
    wanted = [digests, known or date.max]
    lines: defaultdict[tuple[int, int], list[OfxLine]] = defaultdict(list)
    for place, extrato, *line in warehouse.query(
        "SELECT list_position($1, sha256), extrato, ordem, dia, (valor * 100)::BIGINT, historico, fitid "
        "FROM banco.linhas_lidas WHERE list_contains($1, sha256) AND dia <= $2 ORDER BY ALL",
        wanted,
    ):
        lines[place, extrato].append(OfxLine(*line))
    told: defaultdict[int, list[list[Any]]] = defaultdict(list)
    for place, *row in warehouse.query(
        "SELECT list_position($1, sha256), extrato, vista_em, banco, conta, tipo, inicio, fim, "
        "(CASE coalesce(duvida, '') WHEN '' THEN saldo END * 100)::BIGINT, saldo_em, coalesce(servidor, ''), "
        "coalesce(na_hora, false), coalesce(duvida, ''), "
        "coalesce(recusadas, 0) FROM banco.extratos_lidos WHERE list_contains($1, sha256) AND vista_em <= $2 "
        "ORDER BY ALL",
        wanted,
    ):
        told[place].append(row)
    statements = []
    for name, sha256 in files:
        place = digests.index(sha256) + 1
        for extrato, seen, bank, account, kind, first, last, held, at, *about in told[place]:
            key = write_bank_key(bank, account, kind)
            key = key if read_bank_key(key)[1] else write_file_key(name)
            moved, balances = part_balances(lines[place, extrato], held, at)
            statements.append(
                ReadStatement(
                    name, sha256, extrato, seen, key, link_account(key, extratos, name), first, last, held, at, moved,
                    balances, *about,
                )
            )  # fmt: skip
    return statements


def settle_doubt(warehouse: Warehouse, statement: ReadStatement, *, centavos: bool) -> None:
    """Keep for good that the amounts of a statement, read as whole reais, are that, or centavos."""
    own = [statement.sha256, statement.ordem, "0.01" if centavos else "1.00"]
    warehouse.con.execute(
        "UPDATE banco.linhas_lidas SET valor = (valor * $3::DECIMAL(3,2))::DECIMAL(18,2) "
        "WHERE sha256 = $1 AND extrato = $2",
        own,
    )
    warehouse.con.execute(
        "UPDATE banco.extratos_lidos SET duvida = '', saldo = (saldo * $3::DECIMAL(3,2))::DECIMAL(18,2) "
        "WHERE sha256 = $1 AND extrato = $2",
        own,
    )


def list_removed(
    warehouse: Warehouse, files: Sequence[tuple[str, str]], known: date | None
) -> list[tuple[str, str, date]]:
    """List the contents that are in the folder no more and have a line that those there do not have so often.

    A line is its account, day and amount.

    Args:
        files: name and digest of each file that is there.
        known: the past day whose knowledge is asked for; None for all.

    Returns:
        The last name that it had, its digest, and the last day on which it was there.
    """
    asked = [[sha256 for _, sha256 in files], known or date.max]
    if not warehouse.ask_one(
        "SELECT EXISTS (FROM banco.extratos_lidos WHERE vista_em <= $2 AND NOT list_contains($1, sha256))", asked
    ):
        return []
    rows = warehouse.query(
        """
        WITH vezes AS (SELECT sha256, banco, conta, coalesce(tipo, '') AS tipo, dia, valor, count(*) AS n,
            list_contains($1, sha256) AS aqui
          FROM banco.linhas_lidas JOIN banco.extratos_lidos USING (sha256, extrato)
          WHERE dia <= $2 AND vista_em <= $2 GROUP BY ALL),
        aqui AS (SELECT banco, conta, tipo, dia, valor, max(n) AS mais FROM vezes WHERE aqui GROUP BY ALL),
        nomes AS (SELECT sha256, arg_max(arquivo, execucao_id) AS nome, max(iniciada_em)::DATE AS ate
          FROM ops.arquivos JOIN ops.execucoes USING (execucao_id) GROUP BY ALL)
        SELECT DISTINCT nome, sha256, ate FROM vezes v JOIN nomes USING (sha256)
        LEFT JOIN aqui USING (banco, conta, tipo, dia, valor) WHERE NOT v.aqui AND n > coalesce(mais, 0) ORDER BY ALL
        """,
        asked,
    )
    return [(name.removeprefix(PLACE), sha256, ate) for name, sha256, ate in rows]


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
    _append(warehouse, "banco.linhas", [line for account in accounts for line in account.linhas])
    for account in accounts:
        balances = list_balances(account)
        blocks = join_blocks(account, balances, until)
        chosen = [choose_balance(block, balances) for block in blocks]
        _append(warehouse, "banco.saldos", balances, conta_id=account.conta_id)
        _append(
            warehouse, "banco.blocos", blocks,
            conta_id=account.conta_id, saldo_em=[None if balance is None else balance.dia for balance in chosen],
        )  # fmt: skip


def has_files(warehouse: Warehouse, execucao_id: int) -> bool:
    """Tell whether a run found anything in the bank's folder, be it read or not."""
    found = warehouse.ask_one(
        "SELECT EXISTS (FROM ops.arquivos WHERE execucao_id = $1 AND starts_with(arquivo, $2)) OR EXISTS "
        "(FROM raw.arquivo_rejeitados WHERE execucao_id = $1 AND starts_with(arquivo, $2))",
        [execucao_id, PLACE],
    )
    return bool(found)


def _append(warehouse: Warehouse, name: str, values: Sequence[object], **known: object) -> None:
    """Append values to a table by columns: what is known of all or of each, else their own; amounts in centavos."""
    if not values:
        return
    frame = pd.DataFrame(index=range(len(values)))
    for column in TABLES[name].definitions:
        own = known[column.name] if column.name in known else [getattr(value, column.name) for value in values]
        frame[frame_column(column)] = pd.Series(own, frame.index, frame_dtype(column))
    warehouse.append(name, frame)
