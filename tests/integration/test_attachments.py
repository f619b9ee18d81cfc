"""Attachments: off by default, each asked for once ever, within a budget, files by their content (issue 4, point 9)."""

from __future__ import annotations

import hashlib
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from lastro.run.stages import STAGES, run_stage
from lastro.settings import Settings
from lastro_sandbox import Books, create_app, golden_company, serve
from lastro_sandbox.model import Attachment
from tests.golden import expected
from tests.served import TOKEN, open_session, run_served, write_settings

MAPA = 'dre_mapa = { 30 = "fora" }\n'
NOTE = b"%PDF-1.4 nota fiscal"


def attach(books: Books, entry_id: int, name: str, content: bytes, content_type: str = "application/pdf") -> int:
    """Attach a file to an entry of the service."""
    entry = books.lancamentos[entry_id]
    attachment = Attachment(books.new_id("anexos"), "lancamento", entry_id, name, content_type, content)
    books.anexos[attachment.id] = attachment
    entry.anexos = (*entry.anexos, attachment.id)
    return attachment.id


def asked(service: Any, since: int = 0) -> list[str]:
    return [path for _, path, *_ in service.requests[since:] if path.startswith("/v1/anexos")]


def read(path: Path, columns: str) -> list[tuple[Any, ...]]:
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        return con.execute(f"SELECT {columns} FROM hist.anexos ORDER BY anexo_id").fetchall()  # noqa: S608 - ours


def read_alone(settings: Settings) -> None:
    """Begin a run, and lose it after the reading: what was asked for is remembered all the same."""
    with open_session(settings, expected.D) as session:
        run_stage(session, STAGES[0])


@pytest.mark.longo
def test_they_are_left_alone_unless_asked_for(tmp_path: Path) -> None:
    books = golden_company()
    attach(books, 1004, "nota.pdf", NOTE)
    with serve(create_app(books, token=TOKEN)) as service:
        result = run_served(write_settings(tmp_path, books, service.base_url, MAPA), expected.D)
        assert asked(service) == []
    assert read(result.warehouse, "*") == []
    assert not (result.warehouse.parent / "anexos").exists()


@pytest.mark.longo
def test_metadata_is_asked_for_once_ever_within_the_budget(tmp_path: Path) -> None:
    books = golden_company()
    first = attach(books, 1004, "nota.pdf", NOTE)
    second = attach(books, 1004, "../../fora.txt", b"", "text/plain")
    third = attach(books, 1016, "nota.pdf", NOTE)
    del books.anexos[second]  # the entry still names it
    with serve(create_app(books, token=TOKEN)) as service:
        settings = write_settings(tmp_path, books, service.base_url, MAPA + "anexos = true")
        result = run_served(settings, expected.D, attachment_budget=2)
        assert len(asked(service)) == 2
        columns = "anexo_id, lancamento_id, filename, content_type, size, sha256, situacao, execucao_id"
        known = [
            (first, 1004, "nota.pdf", "application/pdf", len(NOTE), None, "lido", 1),
            (second, None, None, None, None, None, "ausente", 1),
        ]
        assert read(result.warehouse, columns) == known
        before = len(service.requests)
        result = run_served(settings, expected.D, attachment_budget=2)
        assert [path.rsplit("/", 1)[-1] for path in asked(service, before)] == [str(third)]
        known.append((third, 1016, "nota.pdf", "application/pdf", len(NOTE), None, "lido", 2))
        assert read(result.warehouse, columns) == known
        before = len(service.requests)
        result = run_served(settings, expected.D, attachment_budget=2)
        assert asked(service, before) == []
        assert read(result.warehouse, columns) == known
    assert not result.failed
    assert not (result.warehouse.parent / "anexos").exists()


def test_files_are_kept_by_their_content_and_their_names_lead_nowhere(tmp_path: Path) -> None:
    books = golden_company()
    ids = [
        attach(books, 1004, "nota.pdf", NOTE),
        attach(books, 1004, "../../../fora.pdf", NOTE),
        attach(books, 1016, "/tmp/outra.bin", bytes(range(256)), "application/octet-stream"),  # noqa: S108 - a name
    ]
    with serve(create_app(books, token=TOKEN)) as service:
        read_alone(write_settings(tmp_path, books, service.base_url, MAPA + "anexos = true"))
        # Switched on afterwards: what was read without its file is asked for once more, and never again.
        settings = write_settings(tmp_path, books, service.base_url, MAPA + "baixar_anexos = true")
        before = len(service.requests)
        read_alone(settings)
        assert len(asked(service, before)) == 3
        before = len(service.requests)
        result = run_served(settings, expected.D)
        assert asked(service, before) == []
    note, other = hashlib.sha256(NOTE).hexdigest(), hashlib.sha256(bytes(range(256))).hexdigest()
    assert read(result.warehouse, "anexo_id, sha256") == [(ids[0], note), (ids[1], note), (ids[2], other)]
    folder = result.warehouse.parent / "anexos"
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert files == {f"{note[:2]}/{note}": NOTE, f"{other[:2]}/{other}": bytes(range(256))}
    landed = (result.warehouse.parent / "privado" / "paginas").glob("*/anexos.jsonl.gz")
    assert all(b"JVBERi" not in path.read_bytes() for path in landed)
    assert not list(tmp_path.rglob("*fora*"))
