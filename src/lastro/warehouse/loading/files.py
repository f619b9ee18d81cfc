"""Facts of the files in the entry folder, and their rows that were not understood (S18)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from lastro.entrada.door import RefusedPart
from lastro.grid.words import count_text
from lastro.money import to_centavos
from lastro.warehouse.file.store import Warehouse

DIGITS = 12
"""Characters of a file's digest that Parâmetros shows."""
READ_IN_PART: Final = "lido em parte"
"""State of a desk's file that holds what no reader reads (`hist.arquivos_mesa`): it is a person's, and stays."""
_OF_FOLDER = "entrada/%"
"""Pattern of the files of people that stand in the entry folder; the others are the desk's."""
OF_DESK, OF_QUESTIONS = f"arquivo NOT LIKE '{_OF_FOLDER}'", "arquivo LIKE 'entrada/consultas%'"
"""Conditions of unread files that others find than the reading of the entry folder, and replace by themselves."""


@dataclass(frozen=True)
class ReadFile:
    """A file as a run found it.

    Attributes:
        arquivo: `entrada/` and its name.
        sha256: digest of its content; empty when it was not read.
        tamanho: its bytes.
        linhas: lines with anything in them, without the header; of a budget, amounts that are filled in.
        recusadas: what was not understood (`Refusals`).
        rejeitadas: how many lines that are.
        nota: what else must be said of how it was read, pt-BR.
    """

    arquivo: str
    sha256: str = ""
    tamanho: int = 0
    linhas: int = 0
    recusadas: tuple[RefusedPart, ...] = ()
    rejeitadas: int = 0
    nota: str = ""


def write_read_files(warehouse: Warehouse, execucao_id: int, read: Sequence[ReadFile]) -> None:
    """Replace the stored facts of the entry folder by those of this run; call it inside `transaction()`."""
    warehouse.con.execute(
        "DELETE FROM raw.arquivo_rejeitados WHERE execucao_id = ? AND arquivo LIKE ?", [execucao_id, _OF_FOLDER]
    )
    warehouse.con.execute("DELETE FROM ops.arquivos WHERE execucao_id = ?", [execucao_id])
    refused = [(each.arquivo, part) for each in read for part in each.recusadas]
    warehouse.append(
        "raw.arquivo_rejeitados",
        pd.DataFrame(
            {
                "execucao_id": execucao_id,
                "arquivo": pd.Series([name for name, _ in refused], dtype=object),
                "linha": pd.Series([part.linha for _, part in refused], dtype="Int64"),
                "motivo": pd.Series([part.motivo for _, part in refused], dtype=object),
                "texto": pd.Series([part.texto for _, part in refused], dtype=object),
                "valor_centavos": pd.Series(
                    [None if part.valor is None else to_centavos(part.valor) for _, part in refused], dtype="Int64"
                ),
            }
        ),
    )
    warehouse.insert(
        "ops.arquivos",
        [
            {
                "execucao_id": execucao_id,
                "arquivo": each.arquivo,
                "sha256": each.sha256,
                "bytes": each.tamanho,
                "linhas": each.linhas,
                "aceitas": each.linhas - each.rejeitadas,
                "rejeitadas": each.rejeitadas,
                "nota": each.nota or None,
            }
            for each in read
            if each.sha256
        ],
    )


def keep_refused(
    warehouse: Warehouse, execucao_id: int, refused: Sequence[tuple[str, str]], whose: str = OF_DESK
) -> None:
    """Replace the stored list of unread files of the desk, or of questions: name and reason."""
    with warehouse.transaction():
        warehouse.con.execute(f"DELETE FROM raw.arquivo_rejeitados WHERE execucao_id = ? AND {whose}", [execucao_id])
        warehouse.insert(
            "raw.arquivo_rejeitados",
            [{"execucao_id": execucao_id, "arquivo": arquivo, "motivo": motivo} for arquivo, motivo in refused],
        )


def read_refused(warehouse: Warehouse, execucao_id: int, whose: str = OF_DESK) -> list[tuple[str, str]]:
    """Read which files of the desk, or parts of them, or which questions a run did not read, and why."""
    return warehouse.query(
        f"SELECT arquivo, motivo FROM raw.arquivo_rejeitados WHERE execucao_id = ? AND {whose} ORDER BY ALL",
        [execucao_id],
    )


def list_refused(warehouse: Warehouse, execucao_id: int) -> list[RefusedPart]:
    """Read what of people's files a run did not read."""
    rows = warehouse.query(
        "SELECT motivo, linha, coalesce(texto, '') AS texto, valor, arquivo FROM raw.arquivo_rejeitados "
        "WHERE execucao_id = ? ORDER BY arquivo, linha, motivo, texto, valor",
        [execucao_id],
    )
    return [RefusedPart(*row) for row in rows]


def count_refused(warehouse: Warehouse, execucao_id: int) -> int:
    """Count the lines of people's files that a run read and did not understand, those too that are not kept."""
    return int(
        warehouse.ask_one("SELECT coalesce(sum(rejeitadas), 0) FROM ops.arquivos WHERE execucao_id = ?", [execucao_id])
    )


def describe_read_files(warehouse: Warehouse, execucao_id: int) -> list[tuple[str, str, str]]:
    """Describe the files that a run read for Parâmetros: name, rows and digest, what else is said (S18)."""
    rows = warehouse.query(
        "SELECT arquivo, linhas, rejeitadas, sha256, nota FROM ops.arquivos WHERE execucao_id = ? ORDER BY arquivo",
        [execucao_id],
    )
    return [
        (
            name,
            f"{count_text(lines, 'linha', 'linhas')}, {refused} sem ler, sha256 {digest[:DIGITS]}",
            note or "lido da pasta (S18)",
        )
        for name, lines, refused, digest, note in rows
    ]


def read_last_contents(warehouse: Warehouse) -> list[tuple[str, str, str | None]]:
    """Read of every file of a desk the content written or read last: name, digest, what is to be said if not whole."""
    rows = warehouse.query(
        "SELECT arquivo, arg_max(sha256, execucao_id), nullif(arg_max(situacao, execucao_id) = ?, false) "
        "FROM hist.arquivos_mesa GROUP BY arquivo ORDER BY arquivo",
        [READ_IN_PART],
    )
    return [(name, digest, READ_IN_PART if part else None) for name, digest, part in rows]
