"""Notes of the desks and the files that they came from, kept in `hist` for good."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from lastro.calendar import universal_time
from lastro.desk.desks import CONTA, PAGAR, PESSOA, TITULO
from lastro.desk.model import Cells, Desk, DeskFile, Key, Note, Shown
from lastro.desk.notes import list_changed
from lastro.money import decimal_or_none
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.files import READ_IN_PART

_DAYS_KEPT: Final = 60
_DAY_OF_FILE: Final = "/([0-9]{4}-[0-9]{2}-[0-9]{2})(/|$)"
"""The day in the id of a file; in those of 0.3.0 the number of the run stands before it."""


def read_notes(warehouse: Warehouse, desk: Desk, fuso: str) -> list[Note]:
    """Read every note of a desk, in the order in which they were read; 0.3.0 kept the local time of `fuso` alone."""
    rows = warehouse.query(
        "SELECT tipo, chave, rotulo, valores::VARCHAR, antes::VARCHAR, extras::VARCHAR, quando, arquivo, arquivo_id, "
        "sha256, quando_utc FROM hist.anotacoes WHERE mesa = ? "
        "ORDER BY execucao_id, coalesce(quando_utc, quando), arquivo, sha256, ordem",
        [desk.name],
    )
    notes = [(Note(*row[:3], *(json.loads(text) for text in row[3:6]), *row[6:10]), row[10]) for row in rows]
    return [
        replace(note, quando_utc=utc or universal_time(note.quando, fuso), antiga=utc is None) for note, utc in notes
    ]


def count_notes(warehouse: Warehouse, execucao_id: int) -> int:
    """Count the notes that a run read."""
    return int(warehouse.ask_one("SELECT count(*) FROM hist.anotacoes WHERE execucao_id = ?", [execucao_id]))


def read_known_files(warehouse: Warehouse) -> set[str]:
    """Read the digests of every content that was written or read."""
    return {sha256 for (sha256,) in warehouse.query("SELECT sha256 FROM hist.arquivos_mesa")}


def find_upgrade(warehouse: Warehouse) -> date | None:
    """Find the day of the first run that wrote a file whose id nobody can make up; None where that is this run."""
    found: date | None = warehouse.ask_one(
        "SELECT min(e.data_extracao) FROM hist.arquivos_mesa f JOIN ops.execucoes e USING (execucao_id) "
        "WHERE f.situacao = 'escrito' AND regexp_matches(f.arquivo_id, '/[0-9a-f]{32}$')"
    )
    return found


def write_notes(
    warehouse: Warehouse, execucao_id: int, desk_file: DeskFile, arquivo: str, sha256: str, notes: Sequence[Note]
) -> None:
    """Keep what a file brought, what it says, and that it was read, in one transaction."""
    own, texts = {"execucao_id": execucao_id, "mesa": desk_file.desk.name}, ("valores", "antes", "extras")
    rows = [
        {**own, "ordem": ordem, **vars(note), **{name: _write_json(vars(note)[name]) for name in texts}}
        for ordem, note in enumerate(notes)
    ]
    for row in rows:
        del row["antiga"]
    with warehouse.transaction():
        warehouse.insert("hist.anotacoes", rows)
        cells = _write_json([[*key, values] for key, values in list_changed(desk_file).items()])
        state = READ_IN_PART if desk_file.fora else "lido"
        _keep_file(warehouse, execucao_id, arquivo, sha256, state, desk_file.arquivo_id, cells)


def _write_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


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


def read_shown(warehouse: Warehouse, arquivo_ids: Iterable[str]) -> dict[str, dict[Key, Shown]]:
    """Read what files showed when lastro wrote them: of a file that this version did not write, nothing."""
    rows = warehouse.query(
        "SELECT arquivo_id, tipo, chave, rotulo, (valor * 100)::BIGINT, pessoa_id, documento, dados_bancarios, "
        "data_vencimento, conta_id, conta, perguntado, execucao_id FROM hist.mesa_mostrado "
        "WHERE list_contains(?, arquivo_id)",
        [sorted(set(arquivo_ids))],
    )
    shown: dict[str, dict[Key, Shown]] = {}
    for arquivo_id, tipo, chave, *facts in rows:
        shown.setdefault(arquivo_id, {})[(tipo, chave)] = Shown(*facts)
    return shown


def write_shown(warehouse: Warehouse, execucao_id: int, arquivo_id: str, shown: Mapping[Key, Shown]) -> None:
    """Keep what a new file shows; what is kept of a file is never replaced.

    What a file of `_DAYS_KEPT` before showed is forgotten where it brought no note.
    """
    own = {"arquivo_id": arquivo_id, "execucao_id": execucao_id}
    rows = [
        {**vars(each), **own, "tipo": tipo, "chave": chave, "valor": decimal_or_none(each.valor)}
        for (tipo, chave), each in shown.items()
    ]
    if arquivo_id in read_shown(warehouse, [arquivo_id]):
        return
    with warehouse.transaction():
        warehouse.con.execute(
            "DELETE FROM hist.mesa_mostrado WHERE try_cast(regexp_extract(arquivo_id, $1, 1) AS DATE) + $2 < "
            "try_cast(regexp_extract($3, $1, 1) AS DATE) AND arquivo_id NOT IN (SELECT arquivo_id FROM "
            "hist.anotacoes WHERE arquivo_id IS NOT NULL)",
            [_DAY_OF_FILE, _DAYS_KEPT, arquivo_id],
        )
        warehouse.insert("hist.mesa_mostrado", rows)


def read_undone(warehouse: Warehouse, day: date) -> dict[int, int]:
    """Read which payments the books took back: título -> the run, of a day up to one, that found it unpaid again."""
    rows = warehouse.query(
        "SELECT titulo_id, max(valido_ate) FROM hist.titulos h JOIN ops.execucoes e ON e.execucao_id = h.valido_ate "
        "WHERE e.data_extracao <= $1 AND h.data_pagamento <= e.data_extracao GROUP BY titulo_id",
        [day],
    )
    return dict(rows)


def read_copies(warehouse: Warehouse, arquivo_id: str) -> dict[str, Cells]:
    """Read what the copies of a file said when they were written or read last, by name.

    Returns:
        Name -> the cells that were not as lastro wrote them; a copy that an older lastro read is left out.
    """
    rows = warehouse.query(
        "SELECT arquivo, celulas::VARCHAR FROM hist.arquivos_mesa WHERE arquivo_id = ? AND celulas IS NOT NULL "
        "ORDER BY execucao_id, situacao, rowid",
        [arquivo_id],
    )
    return {arquivo: {(tipo, chave): own for tipo, chave, own in json.loads(text)} for arquivo, text in rows}


def keep_written_file(warehouse: Warehouse, execucao_id: int, arquivo: str, sha256: str, arquivo_id: str) -> None:
    """Keep that a file is as lastro wrote it: there is nothing to read in it."""
    with warehouse.transaction():
        _keep_file(warehouse, execucao_id, arquivo, sha256, "escrito", arquivo_id, "[]")


def _keep_file(warehouse: Warehouse, execucao_id: int, *file: str) -> None:
    """Keep a file: its name, digest and state, the id of which it is a copy, and its cells."""
    columns = ("arquivo", "sha256", "situacao", "arquivo_id", "celulas")
    row = dict(zip(columns, file, strict=True))
    warehouse.con.execute("DELETE FROM hist.arquivos_mesa WHERE sha256 = ?", [row["sha256"]])
    warehouse.insert("hist.arquivos_mesa", [{**row, "execucao_id": execucao_id}])
