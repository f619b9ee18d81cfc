"""Notes of the desks and the files that they came from, kept in `hist` for good."""

from __future__ import annotations

import json
from collections.abc import Sequence

from lastro.desk.desks import CONTA, PAGAMENTOS, PAGAR, PESSOA, TITULO
from lastro.desk.model import Desk, Key, Note
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.files import OF_FOLDER

WRITTEN, READ = "escrito", "lido"


def read_notes(warehouse: Warehouse, desk: Desk) -> list[Note]:
    """Read every note of a desk, in the order in which they were read."""
    rows = warehouse.query(
        "SELECT tipo, chave, rotulo, valores::VARCHAR, antes::VARCHAR, extras::VARCHAR, quando, arquivo, arquivo_id, "
        "sha256 FROM hist.anotacoes WHERE mesa = ? ORDER BY execucao_id, quando, arquivo, sha256, ordem",
        [desk.name],
    )
    return [Note(*row[:3], *(json.loads(text) for text in row[3:6]), *row[6:]) for row in rows]


def count_notes(warehouse: Warehouse, execucao_id: int) -> int:
    """Count the notes that a run read."""
    return int(warehouse.ask_one("SELECT count(*) FROM hist.anotacoes WHERE execucao_id = ?", [execucao_id]))


def read_known_files(warehouse: Warehouse) -> set[str]:
    """Read the digests of every content that was written or read."""
    return {sha256 for (sha256,) in warehouse.query("SELECT sha256 FROM hist.arquivos_mesa")}


def write_notes(
    warehouse: Warehouse, execucao_id: int, desk: Desk, arquivo: str, sha256: str, notes: Sequence[Note]
) -> None:
    """Keep what a file brought, and that it was read, in one transaction."""
    rows = [
        {
            "execucao_id": execucao_id,
            "ordem": ordem,
            "mesa": desk.name,
            "tipo": note.tipo,
            "chave": note.chave,
            "rotulo": note.rotulo,
            "quando": note.quando,
            "valores": json.dumps(dict(note.valores), ensure_ascii=False),
            "antes": json.dumps(dict(note.antes), ensure_ascii=False),
            "extras": json.dumps(dict(note.extras), ensure_ascii=False),
            "arquivo": note.arquivo,
            "arquivo_id": note.arquivo_id,
            "sha256": note.sha256,
        }
        for ordem, note in enumerate(notes)
    ]
    with warehouse.transaction():
        warehouse.insert("hist.anotacoes", rows)
        _keep_file(warehouse, execucao_id, arquivo, sha256, READ)


def read_named(warehouse: Warehouse) -> dict[Key, str]:
    """Read what every row of a desk is called first: its person, or its account, by the keys of the desks."""
    rows = warehouse.query(
        "SELECT $1, pessoa_id, nome FROM core.pessoas WHERE nome IS NOT NULL "
        "UNION ALL SELECT unnest([$2, $3]), t.titulo_id, p.nome "
        "FROM core.titulos t JOIN core.pessoas p USING (pessoa_id) WHERE p.nome IS NOT NULL "
        "UNION ALL SELECT $3, titulo_id, 'Sem pessoa' FROM core.titulos WHERE pessoa_id IS NULL "
        "UNION ALL SELECT $4, conta_id, descricao FROM core.contas WHERE conta_id IS NOT NULL",
        [PESSOA, TITULO, PAGAR, CONTA],
    )
    return {(tipo, chave): nome for tipo, chave, nome in rows}


def read_shown(warehouse: Warehouse) -> dict[tuple[int, str], int]:
    """Read what each file showed that a payable cost, in signed centavos: by título and `arquivo_id`.

    A file names the run that wrote it; of one that lost that, the run that read it tells.
    """
    rows = warehouse.query(
        "WITH notado AS (SELECT DISTINCT chave, arquivo_id, "
        "coalesce(try_cast(split_part(arquivo_id, '/', 3) AS BIGINT), execucao_id) AS execucao "
        "FROM hist.anotacoes WHERE mesa = ? AND tipo = ?) "
        "SELECT chave, arquivo_id, max_by((v.valor * 100)::BIGINT, v.valido_de) FROM notado n JOIN hist.titulos v "
        "ON v.titulo_id = n.chave AND v.valido_de <= n.execucao GROUP BY ALL",
        [PAGAMENTOS.name, PAGAR],
    )
    return {(chave, arquivo_id): valor for chave, arquivo_id, valor in rows}


def keep_refused(warehouse: Warehouse, execucao_id: int, refused: Sequence[tuple[str, str]]) -> None:
    """Replace the stored list of the desk's unread files: name and reason."""
    with warehouse.transaction():
        warehouse.con.execute(
            "DELETE FROM raw.arquivo_rejeitados WHERE execucao_id = ? AND arquivo NOT LIKE ?", [execucao_id, OF_FOLDER]
        )
        warehouse.insert(
            "raw.arquivo_rejeitados",
            [{"execucao_id": execucao_id, "arquivo": arquivo, "motivo": motivo} for arquivo, motivo in refused],
        )


def read_refused(warehouse: Warehouse, execucao_id: int) -> list[tuple[str, str]]:
    """Read which files of the desk, or parts of them, a run did not read, and why."""
    return warehouse.query(
        "SELECT arquivo, motivo FROM raw.arquivo_rejeitados WHERE execucao_id = ? AND arquivo NOT LIKE ? ORDER BY ALL",
        [execucao_id, OF_FOLDER],
    )


def keep_written_file(warehouse: Warehouse, execucao_id: int, arquivo: str, sha256: str) -> None:
    """Keep that a file is as lastro wrote it: there is nothing to read in it."""
    with warehouse.transaction():
        _keep_file(warehouse, execucao_id, arquivo, sha256, WRITTEN)


def _keep_file(warehouse: Warehouse, execucao_id: int, arquivo: str, sha256: str, situacao: str) -> None:
    warehouse.con.execute("DELETE FROM hist.arquivos_mesa WHERE sha256 = ?", [sha256])
    warehouse.insert(
        "hist.arquivos_mesa",
        [{"sha256": sha256, "arquivo": arquivo, "situacao": situacao, "execucao_id": execucao_id}],
    )
