"""How companies stand after real runs: good, refused, held up, killed; and what `lastro estado` prints of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from lastro.api.breaker import TokenRefused
from lastro.cli import main
from lastro.commands.estado import HEADER
from lastro.errors import ConfigError
from lastro.operation.causes import find_cure
from lastro.operation.scheduler import Scheduler, write_scheduler
from lastro.operation.state import FRESH, LATE, NEVER, UNREADABLE, WRONG, CompanyState, read_states
from lastro.run import happened
from lastro.run.record import RECORD, query_record, writing
from lastro.settings import Avisos, Settings, load_settings
from lastro.warehouse.file.lock import CompanyLock
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.mailbox import serve_mail
from tests.served import run_served, say

SIX = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)
"""When the golden company was read."""


def look(settings: Settings, moment: datetime = SIX + timedelta(hours=1)) -> CompanyState:
    (state,) = read_states(settings, moment)
    return state


def cure(state: CompanyState) -> str:
    return find_cure(state, Avisos(), SIX)


def test_a_good_run_is_fresh_until_its_hours_are_over(settings: Settings) -> None:
    state = look(settings)
    assert (state.situacao, state.veredito, cure(state)) == (FRESH, "SOMAS CONFEREM", "")
    assert state.publicada is not None
    assert (state.publicada.execucao_id, state.publicada.data_base) == (1, expected.D)
    assert state.publicada.requisicoes > 10
    assert (state.completa_em, state.idade) == (SIX, timedelta(hours=1))
    assert state.bytes > (settings.dir / "ouro" / "privado" / "lastro.duckdb").stat().st_size
    assert look(settings, SIX + timedelta(hours=26)).is_fresh
    late = look(settings, SIX + timedelta(hours=26, seconds=1))
    told = "Veja se o agendador está de pé (lastro doctor); depois, lastro run --empresa ouro"
    assert (late.situacao, cure(late)) == (LATE, told)
    assert cure(replace(late, andamento=happened.Attempt(2, "completa", SIX))) == ""


@pytest.mark.usefixtures("settings")
def test_a_refused_token_is_told_until_a_complete_run_is_good(tmp_path: Path) -> None:
    with serve(create_app(golden_company(), token="outra-ficha")) as service:  # noqa: S106 - the sandbox's own
        refused = copy_golden_address(tmp_path, service.base_url)
        for _ in range(2):
            with pytest.raises(TokenRefused):
                run_served(refused, expected.D)
    state = look(refused)
    assert state.falha is not None
    assert (state.falha.causa, state.falha.classe, state.falha.execucao_id) == (happened.TOKEN, "ApiRejected", 3)
    told = "ApiRejected: Renove o token na variável ou no arquivo que a configuração cita e rode de novo."
    assert (state.is_fresh, cure(state)) == (True, told)
    assert state.andamento is state.interrompida is None
    happened.begin(refused.dir / "ouro", 4, "completa", SIX)
    happened.succeed(refused.dir / "ouro", 4, SIX)
    assert look(refused).falha is None


def copy_golden_address(folder: Path, base_url: str) -> Settings:
    """Point the settings of a company at another address."""
    path = folder / "lastro.toml"
    lines = [
        f'base_url = "{base_url}"' if line.startswith("base_url") else line
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return load_settings(path, {}, folder)


def test_a_run_under_way_is_told_from_one_that_died(settings: Settings) -> None:
    pasta = settings.dir / "ouro"
    lock = CompanyLock(pasta)
    lock.acquire("a test")
    happened.begin(pasta, 2, "completa", SIX)
    state = look(settings)
    assert (state.andamento, state.interrompida) == (happened.Attempt(2, "completa", SIX), None)
    lock.release()
    state = look(settings)
    assert (state.andamento, state.interrompida) == (None, happened.Attempt(2, "completa", SIX))
    assert "a execução 2 não publicou (interrompida)" in say(settings)
    assert cure(state) == "lastro run --empresa ouro"


def test_a_run_that_died_between_publication_and_record_is_written_down_by_who_looks_next(settings: Settings) -> None:
    pasta = settings.dir / "ouro"
    with writing(pasta) as con:
        con.execute("UPDATE execucao SET fim = NULL, boa = 0")
        con.execute("UPDATE entrega SET publicada = NULL")
    state = look(settings)
    assert (state.andamento, state.interrompida, state.falha) == (None, None, None)
    assert query_record(pasta, "SELECT count(*) FROM entrega WHERE publicada IS NULL") == [(0,)]


def test_what_cannot_be_read_is_told(settings: Settings, tmp_path: Path) -> None:
    damaged = (settings.dir / "ouro" / "lastro.duckdb").resolve()
    damaged.chmod(0o600)
    damaged.write_bytes(b"nothing" * 10_000)
    state = look(settings)
    assert (state.situacao, state.is_fresh) == (UNREADABLE, False)
    damaged.unlink()
    assert look(settings).situacao == NEVER
    (settings.dir / "ouro" / RECORD).write_text("[1", encoding="utf-8")
    assert look(settings).falha is None
    path = tmp_path / "lastro.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('nome = "', 'nada = 1\nnome = "', 1), encoding="utf-8")
    with_more = text.replace("[[empresa]]", '[[empresa]]\nid = "prata"\nnome = "x"\n[[empresa]]', 1)
    path.write_text(with_more, encoding="utf-8")
    states = read_states(load_settings(path, {}, tmp_path), SIX)
    assert [(state.empresa, state.situacao) for state in states] == [("ouro", NEVER), ("prata", WRONG)]


@pytest.fixture
def lastro(settings: Settings, tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    assert settings.dir.parent == tmp_path

    def call(*arguments: str, **env: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(main, [*arguments, "--config", str(tmp_path / "lastro.toml")], env=env)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result.exit_code, result.stdout, result.stderr

    return call


def test_the_command_prints_a_table_and_ends_with_7_when_somebody_is_late(
    lastro: Callable[..., tuple[int, str, str]], settings: Settings
) -> None:
    code, table, _ = lastro("estado")
    head, row, _, summary, scheduler = table.splitlines()
    assert code == 7
    assert head.split() == " ".join(HEADER).split()
    assert row.split()[:4] == ["ouro", "atrasada", "16/03/2026", "06:05"]
    assert "SOMAS CONFEREM · falta: mapa da DRE" in row
    assert summary.strip() == "0 de 1 empresa em dia: leitura completa publicada nas últimas 26 horas."
    assert scheduler.strip() == "Agendador: o do Dagster nunca rodou aqui."
    write_scheduler(settings.dir, Scheduler(SIX, None))
    assert "Agendador: parado desde 16/03/2026 06:05" in lastro("estado")[1]


def test_json_says_the_same(lastro: Callable[..., tuple[int, str, str]]) -> None:
    code, text, _ = lastro("estado", "--json")
    (row,) = json.loads(text)["empresas"]
    assert (code, row["empresa"], row["em_dia"], row["situacao"]) == (7, "ouro", False, "atrasada")
    assert (row["execucao_id"], row["data_base"], row["veredito"]) == (1, "2026-03-16", "SOMAS CONFEREM")
    assert row["falta"] == "mapa da DRE"
    assert row["leitura_completa_em"] == "2026-03-16T09:05:00+00:00"


def test_metrics_end_with_0_whoever_is_late(
    lastro: Callable[..., tuple[int, str, str]], settings: Settings, tmp_path: Path
) -> None:
    """In the text form of Prometheus: each name once, described, with its values; what nobody knows is left out."""
    path = tmp_path / "lastro.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("[[empresa]]", '[[empresa]]\nid = "prata"\nnome = "x"\n[[empresa]]', 1), encoding="utf-8"
    )
    code, told, _ = lastro("estado", "--prometheus")
    assert (code, lastro("estado")[0]) == (0, 7)
    values: dict[str, float] = {}
    described: list[str] = []
    for line in told.splitlines():
        if line.startswith("#"):
            described.append(line.split()[2])
            continue
        name, value = line.rsplit(" ", 1)
        assert re.fullmatch(r'lastro_[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})?', name)
        assert described[-2:] == [name.partition("{")[0]] * 2  # HELP and TYPE right before
        values[name] = float(value)
    assert len(described) == 2 * len(set(described))
    (json_row, _) = json.loads(lastro("estado", "--json")[1])["empresas"]
    ouro = '{empresa="ouro"}'
    assert values[f"lastro_em_dia{ouro}"] == values['lastro_em_dia{empresa="prata"}'] == 0
    assert values[f"lastro_leitura_completa_segundos{ouro}"] == SIX.timestamp()
    assert abs(values[f"lastro_idade_segundos{ouro}"] - (datetime.now(UTC) - SIX).total_seconds()) < 600
    assert 'lastro_idade_segundos{empresa="prata"}' not in values
    verdicts = {name: value for name, value in values.items() if name.startswith("lastro_veredito")}
    assert verdicts == {
        'lastro_veredito{empresa="ouro",veredito="CONFIÁVEL"}': 0,
        'lastro_veredito{empresa="ouro",veredito="SOMAS CONFEREM"}': 1,
        'lastro_veredito{empresa="ouro",veredito="ATENÇÃO"}': 0,
        'lastro_veredito{empresa="ouro",veredito="NÃO CONFIÁVEL"}': 0,
    }
    with duckdb.connect(str(settings.dir / "ouro" / "lastro.duckdb"), read_only=True) as con:
        ((rows,),) = con.execute("SELECT count(*) FROM core.linhas").fetchall()
    for name in ("segundos", "requisicoes", "linhas", "alertas", "rejeitados"):
        assert values[f"lastro_{name}{ouro}"] == json_row[name], name
    assert rows == json_row["linhas"] > 0
    assert values[f"lastro_bytes{ouro}"] > 1_000_000
    assert not any(name.startswith(("lastro_falha", "lastro_agendador")) for name in values)
    write_scheduler(settings.dir, Scheduler(SIX, None))
    happened.fail(settings.dir / "ouro", None, "completa", ConfigError('um "nome"'), SIX)
    told = lastro("estado", "--prometheus")[1]
    assert "\nlastro_agendador_vivo 0\n" in told
    assert '\nlastro_falha{empresa="ouro",classe="ConfigError"} 1\n' in told
    assert lastro("estado", "--prometheus", "--json")[0] == 2


def test_alerting_tells_once_and_demands_somebody_to_tell(
    lastro: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    code, _, error = lastro("estado", "--alertar")
    assert (code, "ninguém a avisar" in error) == (2, True)
    with serve_mail() as box:
        table = (
            f'\n[avisos.email]\nservidor = "127.0.0.1"\nporta = {box.port}\n'
            'de = "lastro@example.com"\npara = ["ana@example.com"]\n'
        )
        with (tmp_path / "lastro.toml").open("a", encoding="utf-8") as file:
            file.write(table)
        code, _, said = lastro("estado", "--alertar")
        assert (code, said.splitlines()[-1]) == (7, "lastro: avisado por email: 1 causa, 0 de novo em ordem")
        lastro("estado", "--alertar")
        # A run that cannot begin tells by itself.
        assert lastro("run", SANDBOX_TOKEN="")[0] == 2
    assert [str(message["Subject"]) for message in box.messages] == [
        "[lastro] Empresa Ouro Ltda (ouro): sem execução boa há tempo demais",
        "[lastro] Empresa Ouro Ltda (ouro): a execução falhou (ConfigError)",
    ]
    assert lastro("estado", "--alertar")[0] == 7  # nothing new to tell, so nobody is missed
