"""The tables [postgres], [kubernetes] and [delta] of the settings, and the dagster.yaml that follows from them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped] # comes with Dagster
from click.testing import CliRunner

from lastro.cli import main
from lastro.errors import ConfigError
from lastro.pipelines.home import write_dagster_yaml
from lastro.settings import Settings, load_settings
from lastro.settings.files import read_password
from lastro.settings.outside import Delta, Postgres
from lastro.settings.pods import Kubernetes

COMPANY = '[[empresa]]\nid = "acme"\nnome = "Acme"\nbase_url = "https://api.example.com"\ntoken_env = "T"\n'


def load(folder: Path, text: str) -> Settings:
    path = folder / "lastro.toml"
    path.write_text(text + "\n" + COMPANY, encoding="utf-8")
    return load_settings(path, {}, folder)


def mistakes(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(folder, text)
    return str(caught.value)


def test_without_the_tables_there_is_neither(tmp_path: Path) -> None:
    settings = load(tmp_path, "")
    assert (settings.postgres, settings.kubernetes, settings.delta) == (None, None, None)


def test_defaults_and_relative_paths(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        '[postgres]\nservidor = "db.example.com"\nsenha_file = "senha"\n[delta]\ndestino = "tabelas/"',
    )
    assert settings.postgres == Postgres("db.example.com", senha_file=str(tmp_path / "senha"))
    assert settings.postgres.tls == "exigido"
    assert settings.delta == Delta(str(tmp_path / "tabelas"), dados_pessoais=False)


@pytest.mark.parametrize("here", ["127.0.0.1", "localhost", "::1"])
def test_only_on_this_machine_may_the_way_be_unencrypted_without_a_word(tmp_path: Path, here: str) -> None:
    postgres = load(tmp_path, f'[postgres]\nservidor = "{here}"').postgres
    assert postgres is not None
    assert postgres.tls == "se_houver"


def test_every_mistake_is_named_with_its_key(tmp_path: Path) -> None:
    said = mistakes(
        tmp_path,
        '[postgres]\nservidor = "postgres://eu:senha@db"\nporta = 0\nbanco = "a b"\ntls = "nao"\nsenha_env = "X"\n'
        'senha_file = "y"\nautoridade = "ca.pem"\n[delta]\ndestino = "s3://chave:segredo@balde/x"\nformato = "z"',
    )
    for key in ("servidor", "porta", "banco", "tls", "senha_file", "autoridade"):
        assert f"postgres.{key}: " in said
    for key in ("destino", "formato"):
        assert f"delta.{key}: " in said
    assert "segredo" not in said


PODS = '[postgres]\nservidor = "127.0.0.1"\n[kubernetes]\nimagem = "r.example.com:5000/lastro:0.2.0"\n'


def test_pods_need_little_more_than_an_image(tmp_path: Path) -> None:
    settings = load(tmp_path, f'dir = "/dados"\n{PODS}segredos = ["tokens", "s3"]')
    assert settings.kubernetes == Kubernetes("r.example.com:5000/lastro:0.2.0", segredos=("tokens", "s3"))


def test_pods_need_records_in_common_an_absolute_folder_and_the_password_where_they_look_for_it(tmp_path: Path) -> None:
    said = mistakes(
        tmp_path, '[kubernetes]\nimagem = "lastro:latest"\nnamespace = "Lastro"\nmemoria = "muita"\nsegredos = "x"'
    )
    for key in (
        "dir",
        "postgres",
        "kubernetes.imagem",
        "kubernetes.namespace",
        "kubernetes.memoria",
        "kubernetes.segredos",
    ):
        assert f"toml: {key}: " in said
    elsewhere = 'senha_file = "/x"\ntls = "verificado"\nautoridade = "ca.pem"\n[kubernetes]'
    said = mistakes(tmp_path, f'dir = "dados"\n{PODS}'.replace("[kubernetes]", elsewhere))
    for key in ("dir", "postgres.senha_env", "postgres.autoridade"):
        assert f"toml: {key}: " in said


@pytest.mark.parametrize("image", ["lastro", "r.example.com:5000/lastro", "lastro:", "a b:1"])
def test_an_image_says_which_version_it_is(tmp_path: Path, image: str) -> None:
    assert "imagem: " in mistakes(tmp_path, f'dir = "/dados"\n{PODS}'.replace("r.example.com:5000/lastro:0.2.0", image))


def test_the_ui_of_this_machine_starts_no_pods(tmp_path: Path) -> None:
    load(tmp_path, f'dir = "/dados"\n{PODS}')
    result = CliRunner().invoke(main, ["dev", "--config", str(tmp_path / "lastro.toml"), "--porta", "0"])
    assert (result.exit_code, "runs become pods" in result.output) == (2, True)


def test_the_password_comes_from_the_environment_or_a_file_and_is_never_told(tmp_path: Path) -> None:
    settings = load(tmp_path, '[postgres]\nservidor = "127.0.0.1"\nsenha_env = "PG"')
    assert read_password(settings, {"PG": " segredo\n"}) == "segredo"
    with pytest.raises(ConfigError, match="senha_env: the variable PG is not set"):
        read_password(settings, {})
    with pytest.raises(ConfigError, match="control") as caught:
        read_password(settings, {"PG": "seg\x00redo"})
    assert "redo" not in str(caught.value)
    settings = load(tmp_path, '[postgres]\nservidor = "127.0.0.1"\nsenha_file = "senha"')
    with pytest.raises(ConfigError, match="senha_file: the file cannot be read"):
        read_password(settings, {})
    (tmp_path / "senha").write_text("segredo\n", encoding="utf-8")
    (tmp_path / "senha").chmod(0o600)
    assert read_password(settings, {}) == "segredo"
    (tmp_path / "senha").chmod(0o606)
    with pytest.raises(ConfigError, match="every user"):
        read_password(settings, {})


def test_a_dagster_yaml_is_written_once_and_then_somebodys_own(tmp_path: Path) -> None:
    settings = load(tmp_path, "")
    config = tmp_path / "dagster.yaml"
    assert write_dagster_yaml(tmp_path, settings) == ""
    written = yaml.safe_load(config.read_text(encoding="utf-8"))
    assert written["event_log_storage"]["class"] == "ConsolidatedSqliteEventLogStorage"
    config.write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    assert write_dagster_yaml(tmp_path, settings) == ""
    assert config.read_text(encoding="utf-8") == "telemetry: {enabled: false}\n"
    config.write_text("a: [", encoding="utf-8")
    with pytest.raises(ConfigError, match="Mend it, or move it away"):
        write_dagster_yaml(tmp_path, settings)


def test_records_that_an_earlier_lastro_kept_by_its_own_classes_are_left_behind_with_a_sentence(
    tmp_path: Path,
) -> None:
    old = "event_log_storage:\n  module: pipelines.records\n  class: OneFileEventLog\n"
    (tmp_path / "dagster.yaml").write_text(old, encoding="utf-8")
    (tmp_path / "event_log.db").write_bytes(b"packed")
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "runs.db").write_bytes(b"runs")
    (tmp_path / "storage").mkdir()
    told = write_dagster_yaml(tmp_path, load(tmp_path, ""))
    aside = tmp_path / "antes-do-0.2"
    assert str(aside) in told
    assert (aside / "event_log.db").read_bytes() == b"packed"
    assert (aside / "history" / "runs.db").read_bytes() == b"runs"
    assert (aside / "dagster.yaml").read_text(encoding="utf-8") == old
    assert not (tmp_path / "event_log.db").exists()
    assert (tmp_path / "storage").is_dir()
    assert "OneFileEventLog" not in (tmp_path / "dagster.yaml").read_text(encoding="utf-8")
    assert write_dagster_yaml(tmp_path, load(tmp_path, "")) == ""  # told once


def test_records_in_a_database_are_dagsters_own_and_stay_there(tmp_path: Path) -> None:
    old = "# sha256 0\nstorage:\n  custom:\n    module: pipelines.postgres\n    class: PooledPostgresStorage\n"
    (tmp_path / "dagster.yaml").write_text(old, encoding="utf-8")
    (tmp_path / "history").mkdir()
    assert write_dagster_yaml(tmp_path, load(tmp_path, "")) != ""
    assert (tmp_path / "history").is_dir()


def test_the_database_is_written_without_the_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("dagster_postgres", reason="the extra lastro[postgres] is not installed")
    monkeypatch.setenv("DAGSTER_PG_PASSWORD", "segredo")
    settings = load(tmp_path, '[postgres]\nservidor = "127.0.0.1"\nporta = 6543')
    write_dagster_yaml(tmp_path, settings)
    written = (tmp_path / "dagster.yaml").read_text(encoding="utf-8")
    assert "segredo" not in written
    assert yaml.safe_load(written)["storage"]["postgres"]["postgres_db"] == {
        "scheme": "postgresql+psycopg2",
        "hostname": "127.0.0.1",
        "port": 6543,
        "db_name": "dagster",
        "username": "lastro",
        "password": {"env": "DAGSTER_PG_PASSWORD"},
        "params": {"sslmode": "prefer", "connect_timeout": 10},
    }
    with pytest.raises(ConfigError, match="does not keep the records where"):
        write_dagster_yaml(tmp_path, load(tmp_path, ""))


def test_a_file_that_contradicts_the_settings_is_told_what_to_say(tmp_path: Path) -> None:
    pytest.importorskip("dagster_postgres", reason="the extra lastro[postgres] is not installed")
    (tmp_path / "dagster.yaml").write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"or let it say:\nstorage:"):
        write_dagster_yaml(tmp_path, load(tmp_path, '[postgres]\nservidor = "127.0.0.1"'))
