"""A clock that was ahead once: what it published is not fresh, every run says the way out, and the way out works."""

from __future__ import annotations

from datetime import date, timedelta

import duckdb
import pytest

from lastro.errors import ConfigError
from lastro.operation.causes import CauseKind, find_causes
from lastro.operation.doctor import ERRO, OK, examine
from lastro.operation.state import AHEAD, FRESH, REFUSED, CompanyState, read_states
from lastro.run.identity import begin_reading
from lastro.settings import Avisos, Settings
from lastro_sandbox import Running
from tests.golden import expected
from tests.served import TOKEN, clock_at, folder_of, open_session, run_served

D = expected.D
AHEAD_DAY = D + timedelta(days=400)
TODAY, TOMORROW = D + timedelta(days=1), D + timedelta(days=2)
WAY_OUT = f"lastro run --empresa ouro --publicar-passado --data-base {TODAY} --data-extracao {TODAY}"


def look(settings: Settings, day: date, hours: int = 0) -> CompanyState:
    (state,) = read_states(settings, clock_at(day)() + timedelta(hours=hours))
    return state


def diagnose(settings: Settings, day: date) -> tuple[str, str, str]:
    found = examine(settings, {"SANDBOX_TOKEN": TOKEN}, clock_at(day)(), ask=False)
    (one,) = (each for each in found if each.o_que == "execuções")
    return one.nivel, one.achado, one.cura


def test_the_way_out_that_the_message_names_works(golden: tuple[Settings, Running]) -> None:
    live, _ = golden
    ahead = run_served(live, AHEAD_DAY)
    assert (ahead.execucao_id, ahead.data_base) == (2, AHEAD_DAY)
    state = look(live, TODAY)
    assert (state.situacao, state.is_fresh) == (AHEAD, False)
    assert state.idade is not None
    assert state.idade < timedelta(0)
    level, found, cure = diagnose(live, TODAY)
    assert (level, found) == (
        ERRO,
        f"depois de hoje: o relógio diz {TODAY}, mas a execução 2 leu o serviço em {AHEAD_DAY}.",
    )
    assert WAY_OUT in cure

    with pytest.raises(ConfigError) as refused:
        run_served(live, TODAY)
    assert f"o relógio diz {TODAY}, mas a execução 2 leu o serviço em {AHEAD_DAY}." in str(refused.value)
    assert WAY_OUT in str(refused.value)
    for hours in (1, 30):
        state = look(live, TODAY, hours)
        assert (state.situacao, state.is_fresh) == (AHEAD, False)
    assert state.falha is not None
    assert (state.falha.classe, state.falha.codigo, state.falha.execucao_id) == ("ConfigError", 2, None)
    told = find_causes([look(live, TODAY)], Avisos(), clock_at(TODAY)(), None)
    assert [cause.kind for cause in told[:2]] == [CauseKind.FALHOU, CauseKind.ATRASO]
    assert all(WAY_OUT in cause.fazer for cause in told[:2])

    out = run_served(live, TODAY, publicar_passado=True, data_base=TODAY, data_extracao=TODAY)
    assert (out.execucao_id, out.data_base, out.retroativa) == (3, TODAY, False)
    state = look(live, TODAY, 1)
    assert (state.situacao, state.falha, state.idade) == (FRESH, None, timedelta(hours=1))
    assert state.publicada is not None
    assert (state.publicada.data_base, state.publicada.passado) == (TODAY, False)
    assert diagnose(live, TODAY) == (OK, "em dia", "")

    with open_session(live, TOMORROW) as session:  # no more is refused
        begin_reading(session)
        assert session.execucao_id == 4
    assert out.failed == ()
    # Nothing of the morning ahead is left in the history.
    with duckdb.connect(str(out.warehouse), read_only=True) as con:
        rows = con.execute("SELECT count(*) FROM hist.linhas WHERE valido_ate IS NULL").fetchall()
        assert rows == con.execute("SELECT count(*) FROM core.linhas").fetchall()


def test_a_reading_of_a_day_ahead_by_an_option_is_not_fresh_either(settings: Settings) -> None:
    """Its age is of minutes, but no later run will come by itself."""
    published = (folder_of(settings) / "lastro.duckdb").resolve()
    published.chmod(0o600)
    with duckdb.connect(str(published)) as con:
        con.execute("UPDATE ops.execucoes SET data_extracao = ?", [AHEAD_DAY])
    state = look(settings, D, 1)
    assert (state.idade, state.situacao, state.is_fresh) == (timedelta(hours=1), AHEAD, False)


@pytest.mark.parametrize(("hours", "fresh"), [(-1, False), (0, True), (1, True)])
def test_an_hour_ahead_is_ahead_too(settings: Settings, hours: int, fresh: bool) -> None:
    state = look(settings, D, hours)
    assert (state.situacao, state.is_fresh) == (FRESH if fresh else AHEAD, fresh)
    if not fresh:
        assert state.adiante is not None
        assert "o relógio diz 16/03/2026 05:05, mas a execução 1 leu o serviço em 16/03/2026 06:05" in str(
            state.adiante
        )


def test_a_clock_of_another_machine_may_be_behind_a_little(settings: Settings) -> None:
    for seconds, fresh in ((-120, True), (-121, False)):
        (state,) = read_states(settings, clock_at(D)() + timedelta(seconds=seconds))
        assert state.is_fresh is fresh
        assert state.idade == (timedelta(0) if fresh else timedelta(seconds=seconds))


def test_a_refused_run_is_not_fresh_until_one_is_good(settings: Settings) -> None:
    with pytest.raises(ConfigError):
        run_served(settings, D - timedelta(days=1))
    state = look(settings, D, 1)
    assert (state.situacao, state.is_fresh) == (REFUSED, False)
    assert diagnose(settings, D)[:2] == (ERRO, "recusada")


def test_what_was_asked_wrongly_is_no_matter_of_the_company(settings: Settings) -> None:
    with pytest.raises(ConfigError, match="publicar_passado sem data_base"):
        run_served(settings, D, publicar_passado=True)
    state = look(settings, D, 1)
    assert (state.situacao, state.falha) == (FRESH, None)
