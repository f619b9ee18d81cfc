"""What versions until 0.3 wrote down in files of their own, taken over into the record once; then the files go."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from lastro.run.digests import digest_file
from lastro.run.names import parse_name

_STATE, _TOLD, _ADDRESSES = "privado/situacao.json", "avisos.json", "avisos_ultimo.json"
_DELIVERED: Final = ("entregues.jsonl", "grupo/entregues.jsonl")
EARLIER: Final = (_STATE, _TOLD, _ADDRESSES, *_DELIVERED, "agendador.json")
_FAILURE: Final = ("execucao_id", "tipo", "causa", "classe", "codigo", "mensagem", "o_que_fazer", "desde", "de_novo")
_NO_SENSE: Final = (OSError, ValueError, TypeError, KeyError, AttributeError)


def take_over(con: sqlite3.Connection, folder: Path) -> None:
    """Take over what stands in the folder of a company, or the home; what cannot be read says nothing."""
    for name, take in ((_STATE, _take_state), (_TOLD, _take_told), (_ADDRESSES, _take_addresses)):
        with contextlib.suppress(*_NO_SENSE):
            take(con, json.loads((folder / name).read_text(encoding="utf-8")))
    for name in _DELIVERED:
        with contextlib.suppress(OSError):
            _take_delivered(con, folder, folder / name)


def _take_state(con: sqlite3.Connection, said: dict[str, Any]) -> None:
    """Take over the failure that stands, with what the published run warns of, unless a run has said more since."""
    if con.execute("SELECT count(*) FROM execucao").fetchone() == (0,):
        row = [json.dumps(said["avisos"]), said.get("resumo")]
        con.execute(
            "INSERT INTO execucao (tipo, desde, fim, boa, recados, resumo) VALUES ('completa', '', '', 1, ?, ?)", row
        )
        if falha := said["falha"]:
            sql = (
                "INSERT INTO execucao (numero, tipo, causa, classe, codigo, texto, cura, primeira, de_novo, desde, fim)"
            )
            con.execute(f"{sql} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', '')", [falha.get(name) for name in _FAILURE])


def _take_told(con: sqlite3.Connection, said: dict[str, Any]) -> None:
    for key, told in said.items():
        for channel, day in told["avisado"].items():
            row = [key, channel, day, told["em_ordem"].get(channel), told["title"], told["desde"]]
            con.execute("INSERT OR IGNORE INTO avisado VALUES (?, ?, ?, ?, ?, ?)", row)


def _take_addresses(con: sqlite3.Connection, said: dict[str, Any]) -> None:
    con.execute("INSERT OR IGNORE INTO sinal VALUES ('destinatarios', ?)", [json.dumps(said)])


def _take_delivered(con: sqlite3.Connection, folder: Path, log: Path) -> None:
    """Take over the deliveries that stand as they were written, known by their digest; the others are a person's."""
    rows, places, published = dict[str, Any](), set[Path](), set[int]()
    for line in log.read_bytes().splitlines():
        with contextlib.suppress(*_NO_SENSE):
            row = json.loads(line)
            if row.get("publicada"):
                published.add(row["execucao_id"])
                continue
            written = datetime.fromtimestamp(row["escrito"], UTC).isoformat(timespec="microseconds")
            rows[row["sha256"]] = (row["execucao_id"], row["bytes"], written)
            places.add((log.parent / row["arquivo"]).parent)
    for path in sorted(path for place in places for path in place.glob("*_*.*")):
        named = parse_name(path.name)
        with contextlib.suppress(OSError, KeyError):
            digest = digest_file(path)
            number, size, written = rows[digest]
            if named is not None:
                where = path.relative_to(folder) if path.is_relative_to(folder) else path
                told = written if number in published else None
                row = [str(where), number, named.kind + named.suffix, named.day, named.revision, size, digest, written]
                con.execute("INSERT OR IGNORE INTO entrega VALUES (?,?,?,?,?,?,?,?,?,NULL,NULL,NULL)", [*row, told])
