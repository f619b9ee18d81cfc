"""What 0.3.0 wrote down of its deliveries goes on in the record: taken over by the first that writes, and then gone."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from lastro.run.deliveries import has_delivered
from lastro.run.record import RECORD, mend, query_record

OTHERS = ("avisos.json", "avisos_ultimo.json", "agendador.json", ".avisos.trava", "acme/privado/situacao.json")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of 0.3.0: a company with two deliveries, of which somebody edited one; and the group with as many."""
    for empresa, name in (("acme", "gerencial"), ("grupo", "grupo")):
        folder = tmp_path / empresa / "relatorios"
        folder.mkdir(parents=True)
        rows: list[dict[str, object]] = []
        for number, text in ((7, "um"), (8, "dois")):
            digest = hashlib.sha256(text.encode()).hexdigest()
            path = f"relatorios/{name}_2026-03-16.xlsx"
            rows += [{"execucao_id": number, "arquivo": path, "bytes": len(text), "sha256": digest, "escrito": 1.5e9}]
            rows += [{"execucao_id": number, "publicada": True}]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder.parent / "entregues.jsonl").write_text(f'{lines}[1]\n{{"execucao_id": 9, "arq', encoding="utf-8")
        (folder / f"{name}_2026-03-16.xlsx").write_text("um, editado", encoding="utf-8")
        (folder / f"{name}_2026-03-16_r2.xlsx").write_text("dois", encoding="utf-8")
    (tmp_path / "acme" / "privado").mkdir()
    for name in OTHERS:
        (tmp_path / name).write_text("{}", encoding="utf-8")
    return tmp_path


def test_what_was_delivered_is_taken_over_by_the_first_that_writes(home: Path) -> None:
    assert has_delivered(home / "acme")
    assert not list(home.rglob(RECORD))  # who only looks, as the doctor of a new version, changes nothing
    assert [mend(folder) for folder in (home, home / "acme")] == [False, False]
    rows = [
        query_record(folder, "SELECT numero, caminho, especie, r, bytes, sha256, escrito, publicada FROM entrega")
        for folder in (home / "acme", home)
    ]
    written = "2017-07-14T02:40:00+00:00"
    own = (2, 4, hashlib.sha256(b"dois").hexdigest(), written, written)
    assert rows == [  # the edited ones are a person's
        [(8, "relatorios/gerencial_2026-03-16_r2.xlsx", "gerencial.xlsx", *own)],
        [(8, "grupo/relatorios/grupo_2026-03-16_r2.xlsx", "grupo.xlsx", *own)],
    ]
    assert [path.name for path in home.rglob("*") if path.suffix in {".json", ".jsonl", ".trava"}] == []
    assert has_delivered(home / "acme")
