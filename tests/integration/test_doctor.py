"""What `lastro doctor` finds: a sound company, and each thing that can be wrong, with its cure."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from lastro.cli import main
from lastro.errors import ConfigError
from lastro.operation.doctor import AVISO, ERRO, OK, Diagnosis, examine
from lastro.operation.scheduler import Scheduler, write_scheduler
from lastro.run.record import as_text, writing
from lastro.settings import Avisos, Email, Recorte, Settings, load_settings
from lastro_pipelines.execution import prepare_home
from lastro_pipelines.home import find_home
from tests.mailbox import serve_mail
from tests.served import TOKEN, TOKEN_VARIABLE

NOW = datetime(2026, 3, 16, 10, 5, tzinfo=UTC)


def look(settings: Settings, token: str = TOKEN, *, ask: bool = True) -> dict[str, Diagnosis]:
    found = list(examine(settings, {TOKEN_VARIABLE: token}, NOW, ask=ask))
    # The worst of each name is the one to hold.
    return {one.o_que: one for one in sorted(found, key=lambda one: one.nivel == ERRO)}


def at(settings: Settings, address: str) -> Settings:
    return replace(settings, empresas=(replace(settings.empresas[0], base_url=address),))


def test_a_sound_company_is_told_as_such(settings: Settings, address: str) -> None:
    write_scheduler(settings.dir, Scheduler(NOW, NOW + timedelta(hours=23)))
    found = look(at(settings, address))
    assert [one for one in found.values() if one.nivel == ERRO and one.o_que != "relógio"] == []
    assert found["token"].achado == "127.0.0.1 aceita o token"
    assert found["execuções"].achado == "em dia"
    assert found["agendador"].achado == "de pé; próxima execução 17/03/2026 06:05"
    dialect = found["dialeto do serviço"].achado
    assert dialect.startswith("contagem: legível, listas: ")
    assert dialect.endswith("(desde 16/03/2026)")


def test_a_clock_that_keeps_things_from_going_is_told(settings: Settings) -> None:
    old = settings.dir / "ouro" / "privado" / "lastro-v1.bak.duckdb"
    old.touch()
    os.utime(old, (0, 0))
    now = datetime.now(UTC)
    for days, told in ((0, "1 item sairia, 0 MB"), (50, "ouro: o relógio está 50 dias além da última")):
        with writing(settings.dir / "ouro") as con:
            con.execute("UPDATE entrega SET publicada = ?", [as_text(now - timedelta(days=days))])
        found = [one for one in examine(settings, {}, now, ask=False) if one.o_que == "retenção"]
        assert found[-1].achado.startswith(told)
        assert found[-1].nivel == (AVISO if days else OK)
    assert old.exists()


def test_a_rehearsal_of_the_notices_arrives_or_says_why_not(settings: Settings) -> None:
    with serve_mail() as box:
        mail = Email("127.0.0.1", "lastro@example.com", ("ana@example.com",), box.port)
        own = replace(settings, avisos=Avisos(email=mail))
        found = {one.o_que: one for one in examine(own, {}, NOW, ask=False, send=True)}
        assert found["ensaio de aviso"] == Diagnosis("ensaio de aviso", OK, "email: aceito; veja se chegou")
        (message,) = box.messages
        assert message["Subject"] == "[lastro] ensaio de aviso"
        assert "Este é um ensaio: nada aconteceu." in message.get_content()
        box.down = True
        found = {one.o_que: one for one in examine(own, {}, NOW, ask=False, send=True)}
        assert (found["ensaio de aviso"].nivel, "code 421" in found["ensaio de aviso"].achado) == (ERRO, True)
    assert "ensaio de aviso" not in {one.o_que for one in examine(settings, {}, NOW, ask=False)}


def test_a_refused_and_a_missing_token(settings: Settings, address: str) -> None:
    refused = look(at(settings, address), "errado-123")["serviço"]
    assert (refused.nivel, "recusa o token de acesso" in refused.achado) == (ERRO, True)
    assert refused.cura == "confira token, endereço e contas"
    assert "errado-123" not in str(refused)
    missing = look(at(settings, address), "")["token"]
    assert (missing.nivel, f"a variável {TOKEN_VARIABLE} não está definida" in missing.achado) == (ERRO, True)


def test_another_host_is_not_sent_the_token(settings: Settings) -> None:
    moved = look(at(settings, "http://127.0.0.1.example.com"))["serviço"]
    assert (moved.nivel, moved.cura) == (ERRO, "lastro manual OriginHeld")
    assert "nada foi pedido" in moved.achado


def test_a_service_that_is_down_is_told_within_seconds(settings: Settings) -> None:
    assert look(settings)["serviço"].nivel == ERRO
    assert "serviço" not in look(settings, ask=False)


def test_disk_scheduler_and_settings_of_dagster(settings: Settings) -> None:
    home = settings.dir / "dagster"
    home.mkdir()
    (home / "dagster.yaml").write_text("telemetry:\n  enabled: false\n", encoding="utf-8")
    write_scheduler(settings.dir, Scheduler(NOW - timedelta(minutes=11), None))
    own = replace(settings, avisos=Avisos(disco_minimo_mb=10**9))
    found = look(own, ask=False)
    assert (found["disco"].nivel, found["disco"].cura) == (ERRO, "libere espaço: lastro limpar --simular")
    assert found["dagster.yaml"].achado == f"{home}: falta: tag_concurrency_limits: lastro/uma_por_vez"
    assert found["dagster.yaml"].cura == "acrescente o que lastro dev --mostrar imprime"
    unseen = "a UI não mostra o que lastro run publica (sensor execucoes_de_fora)"
    assert found["agendador"].achado == f"parado desde 16/03/2026 06:54: {unseen}"
    write_scheduler(settings.dir, Scheduler(NOW, NOW + timedelta(hours=1), de_fora=False))
    assert look(own, ask=False)["agendador"].achado == f"de pé, com o sensor desligado: {unseen}"
    assert found["avisos"].achado == "ninguém é avisado quando algo falha"


def test_a_home_is_read_as_dagster_reads_it_and_one_that_it_refuses_is_told_by_doctor_and_run(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "da equipe").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_home(settings, {"DAGSTER_HOME": "~/da equipe"}) == (tmp_path / "da equipe", False)
    for home, said in ((".", "não é um caminho absoluto"), ("~/nada", "nada não é uma pasta"), ("~quem/x", "usuário")):
        env = {"DAGSTER_HOME": home}
        found = [one for one in examine(settings, env, NOW, ask=False) if one.nivel == ERRO]
        assert [one.o_que for one in found if said in one.achado] == ["agendador"]
        with pytest.raises(ConfigError, match=said):
            prepare_home(settings, env)


def test_ids_that_the_books_do_not_have_are_told(settings: Settings) -> None:
    own = settings.empresas[0]
    parametros = replace(own.parametros, dre_mapa={30: "fora", 998: "fora"}, categorias_antecipam=(21,))
    wrong = replace(own, parametros=parametros, recortes=(Recorte("Filial", centros=(201, 777)),))
    named = [
        one for one in examine(replace(settings, empresas=(wrong,)), {}, NOW, ask=False)
        if one.o_que == "ids da configuração"
    ]  # fmt: skip
    assert [(one.nivel, one.achado) for one in named] == [
        (AVISO, "dre_mapa nomeia 998, que os livros não têm"),
        (AVISO, "recorte[Filial].centros nomeia 777, que os livros não têm"),
    ]
    assert "ids da configuração" not in look(settings, ask=False)


def test_a_company_with_mistakes_and_one_that_never_ran(tmp_path: Path) -> None:
    (tmp_path / "lastro.toml").write_text(
        '[[empresa]]\nid = "nova"\nnome = "Nova"\nbase_url = "https://nova.example.com"\ntoken_env = "NOVA"\n'
        '[[empresa]]\nid = "prata"\nnome = "x"\n',
        encoding="utf-8",
    )
    settings = load_settings(tmp_path / "lastro.toml", {}, tmp_path)
    found = list(examine(settings, {}, NOW, ask=False))
    told = {(one.empresa, one.o_que): one for one in found}
    assert told["prata", "configuração"].cura == "Corrija as chaves citadas."
    # What has not run yet is as everything begins, and nothing to worry about.
    assert (told["nova", "execuções"].nivel, told["nova", "execuções"].achado) == (OK, "nenhuma ainda")
    assert (told["", "agendador"].nivel, told["", "agendador"].achado) == (OK, "ainda não rodou aqui")
    assert {one.o_que for one in found if one.nivel == AVISO} == {"avisos"}
    assert told["nova", "token"].nivel == ERRO
    assert told["", "pasta de dados"].nivel == OK
    assert all(one.cura for one in found if one.nivel != OK)


def test_the_command_prints_findings_with_cures(settings: Settings, tmp_path: Path) -> None:
    config = ["--config", str(tmp_path / "lastro.toml"), "--sem-rede"]
    result = CliRunner().invoke(main, ["doctor", *config], env={TOKEN_VARIABLE: ""})
    assert result.exit_code == 7
    assert "✗ ouro: token: " in result.stdout
    assert "      → corrija a configuração ou o pedido" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("  1 erro, ")
    result = CliRunner().invoke(main, ["doctor", *config, "--json"], env={TOKEN_VARIABLE: TOKEN})
    found = json.loads(result.stdout)["achados"]
    assert (result.exit_code, {one["nivel"] for one in found}) == (0, {"ok", "aviso"})
    assert settings.dir.exists()
    assert date(2026, 3, 16).strftime("%d/%m/%Y") in str(found)
