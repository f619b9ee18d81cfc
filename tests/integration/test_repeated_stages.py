"""Stages chosen alone, in the UI for instance, and a publication that fails: nothing half, nothing laundered."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from lastro import runs
from lastro.errors import ConfigError, IncompletePass, StorageError
from lastro.runs import CompanyRun, RunOrder, move_unclaimed
from lastro.settings import Settings
from lastro.warehouse.publish import LINK_NAME
from lastro_sandbox import create_app, golden_company, serve
from pipelines.execution import prepare_home
from tests.golden import expected
from tests.served import TOKEN, clock_at, run_served, write_settings


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings of the golden company, read once, on a service that is still there."""
    books = golden_company()
    with serve(create_app(books, token=TOKEN)) as service:
        settings = write_settings(tmp_path_factory.mktemp("served"), books, service.base_url)
        run_served(settings, expected.D)
        yield settings


def open_run(settings: Settings, **order: object) -> CompanyRun:
    order_ = RunOrder(**order)  # type: ignore[arg-type]
    return CompanyRun(settings, settings.empresas[0], TOKEN, order_, agora=clock_at(expected.D))


def list_workbooks(settings: Settings) -> list[str]:
    return sorted(path.name for path in (settings.pasta(settings.empresas[0]) / "relatorios").iterdir())


def test_publishing_alone_judges_the_evidence_again_and_writes_the_workbook(served: Settings) -> None:
    with open_run(served) as run:
        before = run.warehouse.query("SELECT requisicoes FROM ops.execucoes")
        result = run.publish()
        after = run.warehouse.query("SELECT requisicoes FROM ops.execucoes")
    situations = {check.id: check.situacao for check in result.verifications}
    assert {situations[rule] for rule in ("V14", "V15", "V21")} == {"ok"}
    assert [path.exists() for path in result.workbooks] == [True]
    assert after == before


def test_a_stage_repeated_without_its_pages_replaces_nothing(served: Settings) -> None:
    with open_run(served) as run:
        away = run.pages.with_name("guardadas")
        run.pages.rename(away)
        try:
            with pytest.raises(IncompletePass, match="pages of the run are gone"):
                run.load_core()
            assert run.warehouse.query("SELECT count(*) FROM core.linhas") == [(expected.CONTAGENS["linhas"],)]
        finally:
            away.rename(run.pages)


@pytest.mark.parametrize("broken", ["publish", "move_unclaimed"])
def test_a_publication_that_fails_leaves_link_and_workbooks(
    served: Settings, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fail(*_: object) -> None:
        raise StorageError("the disk is full")

    link = served.pasta(served.empresas[0]) / LINK_NAME
    target, files = os.readlink(link), list_workbooks(served)
    monkeypatch.setattr(runs, broken, fail)
    with pytest.raises(StorageError):
        run_served(served, expected.D)
    monkeypatch.undo()
    assert (os.readlink(link), list_workbooks(served)) == (target, files)
    with open_run(served) as run:
        assert run.warehouse.query("SELECT situacao FROM ops.execucoes ORDER BY execucao_id DESC LIMIT 1") == [
            ("falhou",)
        ]


@pytest.mark.parametrize("order", [{"data_base": date(1, 1, 1)}, {"data_extracao": date(9999, 12, 31)}])
def test_days_beyond_the_calendar_are_refused(served: Settings, order: dict[str, date]) -> None:
    with open_run(served, **order) as run, pytest.raises(ConfigError, match="between 1900 and 2199"):
        run.begin()


@pytest.mark.parametrize("text", ["telemetry: {enabled: [oops", "nonsense: 3"])
def test_a_dagster_file_that_nobody_can_read_is_told(
    served: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    for name in ("DAGSTER_HOME", "DAGSTER_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "")
    home = tmp_path / "dagster"
    home.mkdir()
    (home / "dagster.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="Dagster cannot read it"):
        prepare_home(replace(served, dir=tmp_path))


def test_a_hot_run_is_about_today(served: Settings) -> None:
    with (
        open_run(served, quente=True, data_base=date(2026, 3, 1)) as run,
        pytest.raises(ConfigError, match="hot run refreshes today"),
    ):
        run.begin()


def test_a_workbook_moves_to_a_disk_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    folder = tmp_path / "relatorios"
    names = []
    for text in ("um", "dois"):
        source = tmp_path / "g.xlsx"
        source.write_text(text, encoding="utf-8")
        names.append(move_unclaimed(source, folder).name)
        assert not source.exists()
    assert names == ["g.xlsx", "g_r2.xlsx"]
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} == {
        "g.xlsx": "um",
        "g_r2.xlsx": "dois",
    }
    full = tmp_path / "g.xlsx"
    full.write_text("tres", encoding="utf-8")
    monkeypatch.setattr(shutil, "copyfile", refuse)
    with pytest.raises(StorageError):
        move_unclaimed(full, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["g.xlsx", "g_r2.xlsx"]


def test_the_report_before_is_the_one_before_in_data_base(tmp_path: Path) -> None:
    books = golden_company()
    with serve(create_app(books, token=TOKEN)) as service:
        settings = write_settings(tmp_path, books, service.base_url)
        first = run_served(settings, expected.D)
        past = run_served(settings, expected.D, data_base=date(2026, 1, 31))
        last = run_served(settings, expected.D)

    def previous(result: object) -> object:
        cover = result.catalogue.reports[0]  # type: ignore[attr-defined]
        table = cover.tables[0]
        names = [column.name for column in table.columns]
        row = next(row for row in table.rows if "Saldo atual" in row)
        return row[names.index("relatorio_anterior")]

    balance = next(kpi.valor for kpi in first.catalogue.kpis if kpi.slug == "saldo_atual")
    assert (previous(past), previous(last)) == (None, balance)
