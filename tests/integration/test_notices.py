"""The sensor that tells people, and the sign of life that it leaves."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from lastro.errors import ConfigError
from lastro.operation.notice_log import tell
from lastro.operation.scheduler import read_scheduler
from lastro.run import happened
from lastro.settings import Avisos, Email, Settings
from lastro_pipelines import LOCATION
from lastro_pipelines.names import Names
from lastro_pipelines.notices import build_notice_sensor
from lastro_pipelines.resources import Host
from tests.mailbox import serve_mail
from tests.served import copy_golden

SIX = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)
SOON = SIX + timedelta(hours=1)


def tick(settings: Settings, instance: dg.DagsterInstance, moment: datetime, cursor: str | None) -> tuple[str, str]:
    sensor = build_notice_sensor(Host(env={}, settings=settings, clock=lambda: moment), Names())
    with dg.build_sensor_context(instance, cursor=cursor) as context:
        result = sensor.evaluate_tick(context)
    return str(result.skip_message), result.cursor or ""


def test_what_changed_is_told_at_the_next_tick(settings: Settings, instance: dg.DagsterInstance) -> None:
    with serve_mail() as box:
        mail = Email("127.0.0.1", "lastro@example.com", ("ana@example.com",), box.port)
        own = replace(settings, avisos=Avisos(email=mail, disco_minimo_mb=1))
        said, cursor = tick(own, instance, SOON, None)
        assert said == "ninguém a avisar"
        assert tick(own, instance, SOON, cursor)[0] == "nada mudou"
        happened.fail(own.dir / "ouro", 2, "completa", ValueError("Ana 12345678909"), SOON)
        box.down = True
        said, after = tick(own, instance, SOON, cursor)
        assert "code 421" in said
        assert after in ("", cursor)
        box.down = False
        said, cursor = tick(own, instance, SOON, cursor)
        assert said == "email: 1 causa, 0 de novo em ordem"
        # Nothing changes any more, and what is late becomes late without a word.
        said, _ = tick(own, instance, SOON + timedelta(hours=27), cursor)
        assert said == "email: 2 causas, 0 de novo em ordem"
    text = box.messages[0].get_content()
    assert "um defeito do lastro (ValueError)" in text
    assert "12345678909" not in text


def test_a_run_hands_its_cover_to_the_mail_that_asks_for_it(
    settings: Settings, monday_run: Path, tmp_path: Path
) -> None:
    """Monday's run was asked for a page; that of `settings`, of which nobody asked, has kept none."""
    assert happened.read_happened(settings.dir / "ouro").resumo == ""
    (tmp_path / "segunda").mkdir()
    monday = copy_golden(monday_run, tmp_path / "segunda", "http://127.0.0.1:1")
    with serve_mail() as box:
        mail = Email("127.0.0.1", "lastro@example.com", ("ana@example.com",), box.port, resumo=True)
        own = replace(monday, avisos=Avisos(email=mail, disco_minimo_mb=1))
        assert tell(own, {}, SOON) == ("email: Empresa Ouro Ltda (ouro): resumo de 16/03/2026",)
    (message,) = box.messages
    text = message.get_content().replace("\r", "")
    stamp = "SOMAS CONFEREM · falta: mapa da DRE"
    assert text.startswith(f"Empresa Ouro Ltda · data-base 16/03/2026 · execução 1 · {stamp}\n\n")
    assert happened.read_happened(own.dir / "ouro").resumo.strip() in text
    assert "R$ 13.480,00" in text  # by hand: 15.980,00 less the wages that were paid (3001)


def test_settings_that_are_broken_as_a_whole_turn_the_sensor_red(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    (tmp_path / "lastro.toml").write_text("[avisos", encoding="utf-8")
    sensor = build_notice_sensor(Host(env={"LASTRO_CONFIG": str(tmp_path / "lastro.toml")}), Names())
    with dg.build_sensor_context(instance) as context, pytest.raises(ConfigError, match="não é TOML válido"):
        sensor.evaluate_tick(context)


def test_the_sign_of_life_names_the_next_tick_unless_somebody_switched_it_off(
    settings: Settings, instance: dg.DagsterInstance
) -> None:
    tick(settings, instance, SOON, None)
    left = read_scheduler(settings.dir)
    assert left is not None
    assert left.proxima == datetime(2026, 3, 17, 9, 0, tzinfo=UTC)  # 06:00 in São Paulo
    assert left.is_alive(SOON + timedelta(minutes=10))
    assert not left.is_alive(SOON + timedelta(minutes=11))
    switch_off(instance, "lastro_diario_6h")
    tick(settings, instance, SOON, None)
    left = read_scheduler(settings.dir)
    assert (left is not None, left and left.proxima) == (True, None)


def switch_off(instance: dg.DagsterInstance, name: str) -> None:
    """Switch a schedule off, as the UI does."""
    from dagster._core.definitions.run_request import InstigatorType
    from dagster._core.remote_origin import (
        RegisteredCodeLocationOrigin,
        RemoteInstigatorOrigin,
        RemoteRepositoryOrigin,
    )
    from dagster._core.scheduler.instigation import InstigatorState, InstigatorStatus, ScheduleInstigatorData

    location = RemoteRepositoryOrigin(RegisteredCodeLocationOrigin(LOCATION), "__repository__")
    off, data = InstigatorStatus.STOPPED, ScheduleInstigatorData("0 6 * * *", None)
    kind = InstigatorType.SCHEDULE
    instance.add_instigator_state(InstigatorState(RemoteInstigatorOrigin(location, name), kind, off, data))
