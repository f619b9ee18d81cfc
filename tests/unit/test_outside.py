"""What the settings say of things outside the data folder, and the dagster.yaml that lastro writes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped] # comes with Dagster

from lastro.errors import StorageError
from lastro.pipelines.home import write_dagster_yaml
from lastro.run.session import RunSession
from lastro.settings import Settings, load_settings

COMPANY = '[[empresa]]\nid = "acme"\nnome = "Acme"\nbase_url = "https://api.example.com"\ntoken_env = "T"\n'


def load(folder: Path, text: str) -> Settings:
    path = folder / "lastro.toml"
    path.write_text(text + "\n" + COMPANY, encoding="utf-8")
    return load_settings(path, {}, folder)


def test_without_its_volume_nothing_runs_and_nothing_is_written(tmp_path: Path) -> None:
    settings = load(tmp_path, 'dir = "dados"\nvolume = ".volume"')
    with pytest.raises(StorageError, match=r"\.volume não está lá.*não está montado"), open_session(settings):
        pass
    assert not settings.dir.exists()
    settings.dir.mkdir()
    (settings.dir / ".volume").touch()
    with open_session(settings):
        assert (settings.dir / "acme" / "privado").is_dir()


def open_session(settings: Settings) -> RunSession:
    return RunSession(settings, settings.empresas[0], lambda: "", clock=lambda: datetime(2026, 3, 16, tzinfo=UTC))


def test_a_dagster_yaml_is_written_once_and_then_somebodys_own(tmp_path: Path) -> None:
    config = tmp_path / "dagster.yaml"
    assert write_dagster_yaml(tmp_path) == ""
    written = yaml.safe_load(config.read_text(encoding="utf-8"))
    assert written["event_log_storage"]["class"] == "ConsolidatedSqliteEventLogStorage"
    config.write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    assert write_dagster_yaml(tmp_path) == ""
    assert config.read_text(encoding="utf-8") == "telemetry: {enabled: false}\n"


def test_records_that_an_earlier_lastro_kept_by_its_own_classes_are_left_behind_with_a_sentence(
    tmp_path: Path,
) -> None:
    old = "event_log_storage:\n  module: pipelines.records\n  class: OneFileEventLog\n"
    (tmp_path / "dagster.yaml").write_text(old, encoding="utf-8")
    (tmp_path / "event_log.db").write_bytes(b"packed")
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "runs.db").write_bytes(b"runs")
    (tmp_path / "storage").mkdir()
    told = write_dagster_yaml(tmp_path)
    aside = tmp_path / "antes-do-0.2"
    assert str(aside) in told
    assert (aside / "event_log.db").read_bytes() == b"packed"
    assert (aside / "history" / "runs.db").read_bytes() == b"runs"
    assert (aside / "dagster.yaml").read_text(encoding="utf-8") == old
    assert not (tmp_path / "event_log.db").exists()
    assert (tmp_path / "storage").is_dir()
    assert "OneFileEventLog" not in (tmp_path / "dagster.yaml").read_text(encoding="utf-8")
    assert write_dagster_yaml(tmp_path) == ""  # told once


def test_records_in_a_database_are_dagsters_own_and_stay_there(tmp_path: Path) -> None:
    old = "# sha256 0\nstorage:\n  custom:\n    module: pipelines.postgres\n    class: PooledPostgresStorage\n"
    (tmp_path / "dagster.yaml").write_text(old, encoding="utf-8")
    (tmp_path / "history").mkdir()
    assert write_dagster_yaml(tmp_path) != ""
    assert (tmp_path / "history").is_dir()
