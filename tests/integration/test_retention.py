"""Dagster's records: which runs go, what of them goes, and what `lastro limpar` says of it."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import dagster as dg
import pytest
import yaml  # type: ignore[import-untyped] # comes with Dagster
from click.testing import CliRunner

from lastro.cli import main
from lastro.operation.records import is_limited
from lastro.run.record import as_text, writing
from lastro.settings import Settings
from lastro_pipelines.home import LIMIT, write_dagster_yaml
from lastro_pipelines.names import PARTITION_TAG, Names
from lastro_pipelines.resources import Host
from lastro_pipelines.retention import build_retention_sensor, plan_records, remove_records

OK, BAD, BUSY = dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.STARTED


def record(instance: dg.DagsterInstance, job: str, status: dg.DagsterRunStatus, empresa: str = "ouro") -> str:
    run_id = str(uuid4())
    tags = {PARTITION_TAG: empresa, **Names().take_turns(empresa)}
    instance.add_run(dg.DagsterRun(job, run_id=run_id, status=status, tags=tags))
    logs = Path(instance.storage_directory()) / run_id / "compute_logs"
    logs.mkdir(parents=True)
    (logs / "leitura.err").write_text("x", encoding="utf-8")
    return run_id


def in_days(days: float) -> datetime:
    return datetime.now(UTC) + timedelta(days=days)


def test_old_runs_go_whole_and_the_last_good_one_of_each_stays(instance: dg.DagsterInstance) -> None:
    first, failed, under_way = (record(instance, "lastro_diario", status) for status in (OK, BAD, BUSY))
    hot, last_hot = record(instance, "lastro_quente", OK), record(instance, "lastro_quente", OK)
    last, other = record(instance, "lastro_diario", OK), record(instance, "lastro_diario", OK, "prata")
    names = Names()
    assert plan_records(instance, names, in_days(6.9)) == []
    assert plan_records(instance, names, in_days(7.1)) == [hot]
    assert set(plan_records(instance, names, in_days(30.1))) == {first, failed, hot}
    assert remove_records(instance, plan_records(instance, names, in_days(31))) == 3
    left = {one.dagster_run.run_id for one in instance.get_run_records()}
    assert left == {under_way, last_hot, last, other}
    folders = {path.name for path in Path(instance.storage_directory()).iterdir() if path.is_dir()}
    assert folders >= left
    assert not folders & {first, failed, hot}


def test_the_file_that_only_one_run_was_in_goes_with_it(tmp_path: Path) -> None:
    """As Dagster keeps events where nothing is configured; what is another team's stays."""
    (tmp_path / "deles").mkdir()
    with dg.DagsterInstance.local_temp(str(tmp_path / "deles")) as stock:
        own, last = record(stock, "lastro_diario", OK), record(stock, "lastro_diario", OK)
        foreign = str(uuid4())
        stock.add_run(dg.DagsterRun("nightly", run_id=foreign, status=OK))
        for run_id in (own, last, foreign):
            stock.report_engine_event("aqui", run_id=run_id, job_name="lastro_diario")
        files = tmp_path / "deles" / "history" / "runs"
        assert (files / f"{own}.db").stat().st_size > 100_000
        (files / f"{own}.db-wal").touch()
        assert remove_records(stock, plan_records(stock, Names(), in_days(31))) == 1
        assert {file.name for file in files.iterdir()} == {f"{run_id}.db" for run_id in (last, foreign, "index")}
        assert stock.get_records_for_run(last).records
        assert stock.get_records_for_run(foreign).records


def test_the_sensor_stops_when_its_time_is_over(settings: Settings, instance: dg.DagsterInstance) -> None:
    old = [record(instance, "lastro_diario", BAD) for _ in range(2)]
    assert remove_records(instance, old, budget=-1) == 0
    sensor = build_retention_sensor(Host(env={}, settings=settings, clock=lambda: in_days(31)), Names())
    with dg.build_sensor_context(instance) as context:
        assert str(sensor.evaluate_tick(context).skip_message).endswith("; 2 execuções dos registros")
    assert instance.get_run_records() == []


def test_the_command_shows_and_does_the_same(settings: Settings, tmp_path: Path) -> None:
    pages = settings.dir / "ouro" / "privado" / "lastro-v1.bak.duckdb"
    pages.write_bytes(b"x" * 2_000_000)
    os.utime(pages, (0, 0))
    with writing(settings.dir / "ouro") as con:  # by the clock that the command looks at
        con.execute("UPDATE entrega SET escrito = ?1, publicada = ?1", [as_text(datetime.now(UTC))])
    config = ["--config", str(tmp_path / "lastro.toml")]

    def lastro(*arguments: str) -> str:
        result = CliRunner().invoke(main, [*arguments, *config])
        assert result.exit_code == 0, result.output
        return result.stdout

    assert "1 item sairia, 2,0 MB." in lastro("limpar", "--simular")
    told = json.loads(lastro("limpar", "--simular", "--json"))
    assert [one["bytes"] for one in told["itens"]] == [2_000_000]
    books = {Path(one["caminho"]).suffix for one in told["fica"] if one["porque"] == "a mais nova"}
    assert (books, told["avisos"]) == ({".xlsx", ".html", ".pdf"}, [])
    # gerencial, dados, cobranca, pagamentos, and the page in HTML and PDF
    assert re.search(r"planilhas +ouro +a mais nova +6 +– ", lastro("limpar", "--simular"))
    assert pages.exists()
    assert "sobras  ouro" in lastro("limpar")
    assert not pages.exists()
    told = lastro("limpar")
    assert "0 itens saíram" in told
    assert "O que há ainda se guarda ([retencao]): lastro limpar --simular" in told


def test_of_a_dagster_yaml_one_limit_is_asked_for_and_nothing_else(tmp_path: Path) -> None:
    config = tmp_path / "dagster.yaml"
    assert not is_limited(tmp_path)
    (limit,) = yaml.safe_load(LIMIT)["concurrency"]["runs"]["tag_concurrency_limits"]
    theirs = {"key": "dagster/partition", "limit": 4}
    for limits, enough in (
        ([theirs, limit], True),
        ([limit | {"key": "dagster/partition"}], True),  # as lastro wrote it until 0.2
        ([theirs], False),
        ([limit | {"limit": 2}], False),
        ([limit | {"value": {"applyLimitPerUniqueValue": False}}], False),
        (None, False),
    ):
        for document in (
            {"concurrency": {"runs": {"tag_concurrency_limits": limits}}},
            {"run_queue": {"tag_concurrency_limits": limits}},
            {"run_coordinator": {"class": "QueuedRunCoordinator", "config": {"tag_concurrency_limits": limits}}},
        ):
            config.write_text(yaml.safe_dump(document), encoding="utf-8")
            assert is_limited(tmp_path) is enough
    (empty := tmp_path / "vazia").mkdir()
    write_dagster_yaml(empty)
    assert is_limited(empty)
    config.write_text("concurrency: 3", encoding="utf-8")
    assert not is_limited(tmp_path)
    config.write_text("a: [", encoding="utf-8")
    with pytest.raises(ValueError, match=r"dagster\.yaml"):
        is_limited(tmp_path)
