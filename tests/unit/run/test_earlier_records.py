"""What 0.3.0 wrote down in five files goes on in the record: read as it stands, taken over once, and then gone."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lastro.run.deliveries import has_delivered
from lastro.run.happened import TOKEN, Failure, read_happened, try_again
from lastro.run.record import RECORD, mend, query_record, read_signal
from lastro.run.recovery import find_last_number

MORNING = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)
STATE = {
    "andamento": None, "historia": None, "resumo": "a capa", "avisos": ["fechamento à espera"],
    "falha": {
        "execucao_id": 9, "tipo": "completa", "causa": "token", "classe": "ApiRejected", "codigo": 3,
        "mensagem": "recusado", "o_que_fazer": "renove", "desde": MORNING.isoformat(), "de_novo": None, "tentativas": 0,
    },
}  # fmt: skip
TOLD = {
    "acme|token|ApiRejected": {
        "empresa": "acme", "kind": "token", "title": "Acme: o serviço recusa o token", "desde": MORNING.isoformat(),
        "avisado": {"email": "2026-03-16", "webhook": "2026-03-15"}, "em_ordem": {"webhook": "2026-03-16"},
    },
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of 0.3.0: a company with two deliveries, of which somebody edited one; and the group with one."""
    reports = [tmp_path / name / "relatorios" for name in ("acme", "grupo")]
    (tmp_path / "acme" / "privado").mkdir(parents=True)
    (tmp_path / "acme" / "privado" / "situacao.json").write_text(json.dumps(STATE).ljust(8192), encoding="utf-8")
    (tmp_path / "avisos.json").write_text(json.dumps(TOLD).ljust(8192), encoding="utf-8")
    (tmp_path / "avisos_ultimo.json").write_text('{"origem": "/x/lastro.toml"}', encoding="utf-8")
    (tmp_path / "agendador.json").write_text("{}", encoding="utf-8")
    for folder, name in zip(reports, ("gerencial", "grupo"), strict=True):
        folder.mkdir(parents=True)
        rows: list[dict[str, object]] = []
        for number, text in ((7, "um"), (8, "dois")):
            digest = hashlib.sha256(text.encode()).hexdigest()
            path = f"relatorios/{name}_2026-03-16.xlsx"
            rows += [{"execucao_id": number, "arquivo": path, "bytes": len(text), "sha256": digest, "escrito": 1.5e9}]
            rows += [{"execucao_id": number, "publicada": True}]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder.parent / "entregues.jsonl").write_text(f'{lines}{{"execucao_id": 9, "arq', encoding="utf-8")
        (folder / f"{name}_2026-03-16.xlsx").write_text("um, editado", encoding="utf-8")
        (folder / f"{name}_2026-03-16_r2.xlsx").write_text("dois", encoding="utf-8")
    return tmp_path


def look(home: Path) -> list[object]:
    """Ask everything that was said of the company, the group and whom was told."""
    acme, sql = home / "acme", "SELECT numero, caminho, sha256, publicada IS NOT NULL FROM entrega"
    said = read_happened(acme)
    return [
        (said.falha, said.recados, said.resumo, has_delivered(acme), find_last_number(acme)),
        query_record(acme, sql),
        query_record(home, sql),
        query_record(home, "SELECT chave, canal, dia, em_ordem, titulo FROM avisado ORDER BY canal"),
        read_signal(home, "destinatarios"),
    ]


def test_it_is_read_where_it_stands_and_taken_over_by_the_first_that_writes(home: Path) -> None:
    files = sorted(path for path in home.rglob("*") if path.suffix in {".json", ".jsonl"})
    digest, title = hashlib.sha256(b"dois").hexdigest(), "Acme: o serviço recusa o token"
    told = [
        (
            Failure(9, "completa", TOKEN, "ApiRejected", 3, "recusado", "renove", MORNING),
            ("fechamento à espera",), "a capa", True, 9,
        ),
        [(8, "relatorios/gerencial_2026-03-16_r2.xlsx", digest, 1)],  # the edited one is a person's
        [(8, "grupo/relatorios/grupo_2026-03-16_r2.xlsx", digest, 1)],
        [
            ("acme|token|ApiRejected", "email", "2026-03-16", None, title),
            ("acme|token|ApiRejected", "webhook", "2026-03-15", "2026-03-16", title),
        ],
        '{"origem": "/x/lastro.toml"}',
    ]  # fmt: skip
    assert look(home) == told
    assert not list(home.rglob(RECORD))  # who only looks, as the doctor of a new version, changes nothing
    assert all(path.exists() for path in files)
    assert [mend(folder) for folder in (home, home / "acme")] == [False, False]
    assert look(home) == told
    assert not any(path.exists() for path in files)
    try_again(home / "acme", MORNING, 1)
    assert look(home) != told  # once: what the record says from here on is its own
