"""What is known of attachments (`hist.anexos`): each id is asked of the service once, ever."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from lastro.warehouse.pages import load_pages
from lastro.warehouse.store import Warehouse

LIDO, AUSENTE = "lido", "ausente"


def read_known_attachments(warehouse: Warehouse, *, with_files: bool) -> frozenset[int]:
    """Read which attachments need not be asked for again.

    Args:
        warehouse: the private file.
        with_files: files are wanted too, so those read without one are asked for once more.

    Returns:
        Ids of `hist.anexos`, the absent ones included.
    """
    wanted = "situacao = 'ausente' OR sha256 IS NOT NULL" if with_files else "true"
    return frozenset(int(number) for (number,) in warehouse.query(f"SELECT anexo_id FROM hist.anexos WHERE {wanted}"))


def record_attachments(
    warehouse: Warehouse, execucao_id: int, pages: Path, ausentes: Collection[int], arquivos: Mapping[int, str]
) -> None:
    """Record what a run learned of attachments; call it inside `transaction()`.

    A record read again, now with its file, replaces the one without.

    Args:
        warehouse: the private file.
        execucao_id: number of the run.
        pages: folder of the run's landed pages.
        ausentes: ids that the service does not have.
        arquivos: id -> SHA-256 of its stored file, in hexadecimal.
    """
    con = warehouse.con
    load_pages(con, sorted(pages.glob("anexos.jsonl.gz")), "pagina_anexos")
    rows = con.execute(
        """SELECT DISTINCT ON (anexo_id) * FROM (SELECT try_cast(payload->>'id' AS BIGINT) AS anexo_id,
          try_cast(payload->>'lancamento_id' AS BIGINT) AS lancamento_id,
          try_cast(payload->>'lancamento_compost_id' AS BIGINT) AS lancamento_composto_id,
          payload->>'filename' AS filename, payload->>'content_type' AS content_type,
          try_cast(payload->>'size' AS BIGINT) AS size FROM pagina_anexos)
        WHERE anexo_id IS NOT NULL ORDER BY anexo_id"""
    )
    names = [column[0] for column in rows.description or ()]
    found = [
        dict(zip(names, row, strict=True)) | {"sha256": arquivos.get(row[0]), "situacao": LIDO}
        for row in rows.fetchall()
    ]
    found += [{"anexo_id": number, "situacao": AUSENTE} for number in sorted(ausentes)]
    for row in found:
        con.execute("DELETE FROM hist.anexos WHERE anexo_id = ?", [row["anexo_id"]])
    warehouse.insert("hist.anexos", [row | {"execucao_id": execucao_id} for row in found])
    con.execute("DROP TABLE pagina_anexos")
