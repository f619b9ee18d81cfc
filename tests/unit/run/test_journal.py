"""A failure that kept a run from beginning is cleared by the next good run of its kind; the file keeps its keys."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lastro.errors import StorageError
from lastro.run.journal import Attempt, Journal, note_begin, note_failure, note_good, read_journal
from lastro.run.order import RunOrder
from lastro.run.session import RunSession
from lastro.schema.run_kinds import Modo
from lastro.settings import load_settings

SETTINGS = """\
dir = "dados"
[[empresa]]
id = "acme"
nome = "Acme Ltda"
base_url = "https://api.example.com"
token_env = "ACME_TOKEN"
"""
MORNING = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("modo", "tipo", "others"),
    [
        (None, "completa", (Modo.QUENTE, Modo.RECALCULO)),
        (Modo.QUENTE, "quente", (Modo.RECALCULO,)),
        (Modo.RECALCULO, "recálculo", (Modo.QUENTE,)),
    ],
)
def test_what_could_not_begin_is_cleared_by_a_good_run_of_its_kind(
    tmp_path: Path, modo: Modo | None, tipo: str, others: tuple[str, ...]
) -> None:
    (tmp_path / "lastro.toml").write_text(SETTINGS, encoding="utf-8")
    settings = load_settings(tmp_path / "lastro.toml", {}, tmp_path)
    session = RunSession(settings, settings.empresas[0], lambda: "token", RunOrder(modo=modo), clock=lambda: MORNING)
    pasta = session.pasta
    (pasta / "privado").mkdir(parents=True)
    session.record_failure(StorageError("no room"))
    for other in others:
        note_good(pasta, other, 1, ())
    assert (found := read_journal(pasta).falha) is not None
    assert found.tipo == tipo
    note_good(pasta, tipo, 1, ())
    assert read_journal(pasta).falha is None


def test_the_file_calls_what_a_run_warns_of_as_older_versions_do(tmp_path: Path) -> None:
    file = tmp_path / "privado" / "situacao.json"
    file.parent.mkdir()
    note_good(tmp_path, Modo.COMPLETA, 1, ("fechamento de fev/26 à espera",), "a capa")
    written = json.loads(file.read_text(encoding="utf-8"))
    assert list(written) == ["andamento", "falha", "historia", "leitura", "resumo", "avisos"]
    assert read_journal(tmp_path).resumo == "a capa"
    assert read_journal(tmp_path).recados == tuple(written["avisos"]) == ("fechamento de fev/26 à espera",)


def test_a_part_that_another_version_wrote_costs_no_other_part(tmp_path: Path) -> None:
    """Earlier ones wrote of a failure also when it was last; of one that lacks a field, only the failure is lost."""
    file = tmp_path / "privado" / "situacao.json"
    file.parent.mkdir()
    note_failure(tmp_path, 13, "completa", StorageError("no room"), MORNING)
    failure = read_journal(tmp_path).falha
    note_begin(tmp_path, 14, "completa", MORNING)
    written = json.loads(file.read_text(encoding="utf-8"))
    more, less = written["falha"] | {"ultima": MORNING.isoformat()}, {**written["falha"]}
    del less["classe"]
    for part, told in ((more, failure), (less, None)):
        file.write_text(json.dumps(written | {"falha": part, "novo": 1}), encoding="utf-8")
        assert read_journal(tmp_path) == Journal(Attempt(14, "completa", MORNING), told)
