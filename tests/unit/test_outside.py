"""What the settings say of things outside the data folder, and the dagster.yaml that lastro writes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped] # comes with Dagster

from lastro.errors import StorageError
from lastro.run.session import RunSession
from lastro.settings import Settings, load_settings
from lastro_pipelines.home import write_dagster_yaml

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
    write_dagster_yaml(tmp_path)
    written = yaml.safe_load(config.read_text(encoding="utf-8"))
    assert written["event_log_storage"]["class"] == "ConsolidatedSqliteEventLogStorage"
    config.write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    write_dagster_yaml(tmp_path)
    assert config.read_text(encoding="utf-8") == "telemetry: {enabled: false}\n"
