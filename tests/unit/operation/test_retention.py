"""What may go and what never does, over folders whose ages are set by hand."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from lastro.operation.retention import plan_removals, prune, remove
from lastro.settings import Empresa, Retencao, Settings
from lastro.warehouse.lock import CompanyLock
from lastro.warehouse.publish import publish
from lastro.warehouse.store import Warehouse

NOW = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)


def age(path: Path, days: float) -> None:
    moment = (NOW - timedelta(days=days)).timestamp()
    os.utime(path, (moment, moment), follow_symlinks=True)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path, "UTC", (Empresa("acme", "Acme", "https://x", "TOKEN"),), "lastro.toml")


RUNS = [(1, "completa"), (2, "completa"), (3, "completa"), (4, "quente"), (5, "quente")]


@pytest.fixture
def acme(settings: Settings) -> Path:
    """A company with pages of runs 1 to 7: 3 the last complete one, 5 published and hot over 3, 6 and 7 failed."""
    pasta = settings.dir / "acme"
    lock = CompanyLock(pasta)
    lock.acquire("a test")
    lock.release()
    with Warehouse(pasta) as warehouse:
        rows = [
            {
                "execucao_id": number,
                "situacao": "completa",
                "tipo_execucao": kind,
                "leitura_id": number,
                "base_id": 3 if kind == "quente" else None,
            }
            for number, kind in RUNS
        ]
        warehouse.insert("ops.execucoes", rows)
        publish(warehouse, 5)
    for number in range(1, 8):
        folder = pasta / "privado" / "paginas" / f"{number:06d}"
        folder.mkdir(parents=True)
        (folder / "lancamentos.jsonl.gz").write_bytes(b"x" * 100)
        age(folder, {1: 90, 2: 29, 7: 1}.get(number, 90))
    return pasta


def names(settings: Settings) -> list[str]:
    return sorted(Path(one.caminho).name for one in plan_removals(settings, NOW))


def test_pages_go_that_no_run_needs_any_more(settings: Settings, acme: Path) -> None:
    # 2 is young, 3 to 5 are needed, 6 failed long ago, 7 may still be looked at
    assert names(settings) == ["000001", "000006"]
    assert {one.bytes for one in plan_removals(settings, NOW)} == {100}
    assert len(prune(settings, NOW)) == 2
    left = sorted(path.name for path in (acme / "privado" / "paginas").iterdir())
    assert left == ["000002", "000003", "000004", "000005", "000007"]
    assert not (acme / "privado" / ".lixo").exists()


def test_without_a_published_copy_that_can_be_read_no_page_goes(settings: Settings, acme: Path) -> None:
    published = (acme / "lastro.duckdb").resolve()
    published.chmod(0o600)
    published.write_bytes(b"nothing" * 1000)
    assert names(settings) == []
    (acme / "lastro.duckdb").unlink()
    assert names(settings) == []


def test_a_company_that_runs_is_left_alone(settings: Settings, acme: Path) -> None:
    lock = CompanyLock(acme)
    lock.acquire("a run")
    try:
        assert remove(settings, plan_removals(settings, NOW)) == ()
    finally:
        lock.release()
    assert len(list((acme / "privado" / "paginas").iterdir())) == 7


WORKBOOKS = {
    "gerencial_2025-01-31.xlsx": 409,
    "gerencial_2026-03-01.xlsx": 15,
    "gerencial_2026-03-01_r2.xlsx": 14,
    "gerencial_2026-03-01_r10.xlsx": 13,
    "gerencial_2026-03-12.xlsx": 4,
    "gerencial_2026-03-12_r2.xlsx": 4,
    "gerencial_loja_2_2024-12-31.xlsx": 500,
    "fechamento_2024-01.xlsx": 700,
    "fechamento_2024-01_r2.xlsx": 700,
    "minha_planilha.xlsx": 900,
}


def test_workbooks_go_by_day_and_revision_and_closings_never(settings: Settings, acme: Path) -> None:
    folder = acme / "relatorios"
    folder.mkdir()
    for name, days in WORKBOOKS.items():
        (folder / name).write_bytes(b"x")
        age(folder / name, days)
    own = replace(settings, retencao=Retencao(paginas_dias=1000, sobras_dias=1000))
    # the last of each kind stays whatever its age; 12/03 was written again four days ago
    assert names(own) == ["gerencial_2025-01-31.xlsx", "gerencial_2026-03-01.xlsx", "gerencial_2026-03-01_r2.xlsx"]


DAILY = {date(2026, 2, 23) + timedelta(days=number): 20 - number for number in range(21)}
"""Three weeks from a Monday to the eve of `NOW`'s Monday: day -> its age."""


def test_of_older_weeks_the_last_of_each_file_stays(settings: Settings, acme: Path) -> None:
    """Of pages too; where people typed every day stays, and a page that is not ours by its name."""
    folder = acme / "relatorios"
    folder.mkdir()
    for day, days in DAILY.items():
        for stem in ("gerencial_{}.xlsx", "cobranca_{}.xlsx", "resumo_{}.html", "resumo_{}.pdf", "ata_{}.pdf"):
            path = folder / stem.format(day)
            path.write_bytes(b"x")
            age(path, days)
    # the Sundays 01/03 and 08/03 end their weeks; what is not older than seven days stays anyhow
    gone = [f"2026-02-{day}" for day in range(23, 29)] + [f"2026-03-{day:02}" for day in range(2, 8)]
    kinds = ("gerencial_{}.xlsx", "resumo_{}.html", "resumo_{}.pdf")
    own = replace(settings, retencao=Retencao(paginas_dias=1000, sobras_dias=1000))
    assert names(own) == sorted(stem.format(day) for stem in kinds for day in gone)
    assert names(replace(own, retencao=replace(own.retencao, diarias_dias=400))) == []
    shorter = replace(own, retencao=replace(own.retencao, planilhas_dias=13))
    # 01/03 is fourteen days old, 02/03 thirteen
    assert {"cobranca_2026-03-01.xlsx", "gerencial_2026-03-01.xlsx"} <= set(names(shorter))
    assert "cobranca_2026-03-02.xlsx" not in names(shorter)


def test_leftovers_go_once_a_run_went_well_after_them(settings: Settings, acme: Path) -> None:
    own = replace(settings, retencao=Retencao(paginas_dias=1000, sobras_dias=7))
    for number in (6, 7):
        age(acme / "privado" / "paginas" / f"{number:06d}", 1)
    for name in ("lastro.danificado", "lastro-v3.bak.duckdb", "lastro.duckdb"):
        (acme / "privado" / name).touch()
        age(acme / "privado" / name, 8)
    age(acme / "lastro.duckdb", 9)
    assert names(own) == []
    age(acme / "lastro.duckdb", 1)
    assert names(own) == ["lastro-v3.bak.duckdb", "lastro.danificado"]


def test_a_company_that_left_the_settings_is_pruned_and_a_folder_that_is_none_is_not(
    settings: Settings, acme: Path
) -> None:
    acme.rename(settings.dir / "antiga")
    other = settings.dir / "notas" / "relatorios"
    other.mkdir(parents=True)
    (other / "gerencial_2020-01-01.xlsx").touch()
    age(other / "gerencial_2020-01-01.xlsx", 2000)
    (other / "gerencial_2020-01-02.xlsx").touch()
    assert names(settings) == ["000001", "000006"]
