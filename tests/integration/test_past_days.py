"""A run of a day before the published one: beside it in `retro/`, and nothing that people open changes unasked."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from lastro.errors import ConfigError
from lastro.operation.causes import CauseKind, find_causes, find_cure
from lastro.operation.state import read_states
from lastro.run.deliveries import list_pending
from lastro.run.order import RunResult
from lastro.run.record import writing
from lastro.schema.run_kinds import Modo
from lastro.settings import Avisos, Settings
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.served import TOKEN, ask, clock_at, copy_golden, open_session, run_served, write_golden

PAST = expected.D - timedelta(days=14)


def recalculate(settings: Settings, day: date | None = None, *, asked_twice: bool = False) -> RunResult:
    return run_served(settings, expected.D, modo=Modo.RECALCULO, data_base=day, publicar_passado=asked_twice)


def look(settings: Settings) -> dict[str, object]:
    """Return everything that somebody may see of what is published."""
    folder = settings.dir / "ouro"
    (state,) = read_states(settings, clock_at(expected.D)())
    assert state.publicada is not None
    return {
        "link": os.readlink(folder / "lastro.duckdb"),
        "files": sorted(path.name for path in (folder / "relatorios").iterdir()),
        "copies": sorted(path.name for path in (folder / "publicado").iterdir()),
        "shown": (state.publicada.data_base, state.publicada.passado, state.completa_em),
    }


@dataclass(frozen=True)
class Recalled:
    """A company of which a past day was asked: what was seen of it before and after."""

    settings: Settings
    before: dict[str, object]
    result: RunResult
    after: dict[str, object]


@pytest.fixture(scope="module")
def recalled(first_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Recalled:
    settings = copy_golden(first_run, tmp_path_factory.mktemp("passado"), "http://127.0.0.1:1")
    before = look(settings)
    result = recalculate(settings, PAST)
    return Recalled(settings, before, result, look(settings))


def test_the_past_stands_beside_the_present(recalled: Recalled) -> None:
    result = recalled.result
    shelf = recalled.settings.dir / "ouro" / "retro" / PAST.isoformat()
    assert (result.retroativa, result.warehouse, result.data_base) == (True, shelf / "lastro.duckdb", PAST)
    assert recalled.after == recalled.before
    written = {path.name for path in shelf.iterdir()}
    assert {f"{kind}_{PAST}.xlsx" for kind in ("gerencial", "cobranca", "pagamentos", "dados")} | {
        "lastro.duckdb"
    } <= written
    assert ask(result.warehouse, "SELECT situacao, data_base FROM ops.execucoes ORDER BY execucao_id") == [
        ("completa", expected.D),
        ("retroativa", PAST),
    ]


def test_a_past_day_stands_once_its_copy_does(recalled: Recalled, tmp_path: Path) -> None:
    """The process ends before the line that says so is written; then another time, before there is a copy."""
    shutil.copytree(recalled.settings.dir, tmp_path / "dados", symlinks=True)
    settings = write_golden(tmp_path, "http://127.0.0.1:1")
    folder = settings.dir / "ouro"
    shelf = folder / "retro" / PAST.isoformat()

    def find_after_next_start() -> tuple[set[str], list[tuple[object, ...]]]:
        with writing(folder) as con:
            con.execute("UPDATE entrega SET publicada = NULL")
        with open_session(settings, expected.D) as session:
            state = session.warehouse.query("SELECT situacao, erro FROM ops.execucoes ORDER BY execucao_id")
        assert list_pending(folder) == set()
        return {path.name for path in shelf.iterdir()}, state

    delivered = {path.name for path in shelf.iterdir()}
    assert find_after_next_start() == (delivered, [("completa", None), ("retroativa", None)])
    (shelf / "lastro.duckdb").unlink()
    assert find_after_next_start() == (set(), [("completa", None), ("falhou", "interrompida")])


@pytest.mark.longo
def test_a_past_day_once_more_keeps_the_workbooks_of_before_and_the_copy_of_now(settings: Settings) -> None:
    recalculate(settings, PAST)
    again = recalculate(settings, PAST)
    assert {path.name for path in again.workbooks} >= {f"gerencial_{PAST}_r2.xlsx"}
    assert ask(again.warehouse, "SELECT max(execucao_id) FROM ops.execucoes") == [(3,)]


@pytest.mark.longo
def test_a_complete_reading_for_a_past_day_harms_no_history(settings: Settings) -> None:
    books = golden_company()
    with serve(create_app(books, token=TOKEN)) as service:
        own = replace(settings, empresas=(replace(settings.empresas[0], base_url=service.base_url),))
        before = look(own)
        past = run_served(own, expected.D, data_base=PAST)
        assert past.retroativa
        assert look(own) == before  # not fresher for it either
        # Its reading stands in no comparison: the next report is held against the published one before it.
        after = run_served(own, expected.D + timedelta(days=1))
    assert (after.retroativa, after.execucao_id) == (False, 3)
    assert ask(after.warehouse, "SELECT execucao_id, situacao FROM ops.execucoes ORDER BY execucao_id") == [
        (1, "completa"),
        (2, "retroativa"),
        (3, "completa"),
    ]
    ((kept, there),) = ask(
        after.warehouse,
        "SELECT (SELECT count(*) FROM hist.linhas WHERE valido_ate IS NULL), (SELECT count(*) FROM core.linhas)",
    )
    assert kept == there


@pytest.mark.longo
def test_the_past_is_published_when_asked_twice_and_everything_names_the_day(settings: Settings) -> None:
    with pytest.raises(ConfigError, match="publicar_passado sem data_base"):
        recalculate(settings, asked_twice=True)
    result = recalculate(settings, PAST, asked_twice=True)
    assert not result.retroativa
    states = read_states(settings, clock_at(expected.D)())
    (state,) = states
    assert state.publicada is not None
    assert (state.publicada.data_base, state.publicada.passado) == (PAST, True)
    (cause,) = find_causes(states, Avisos(), clock_at(expected.D)(), None)
    assert cause.kind is CauseKind.PASSADO
    assert "02/03/2026" in cause.hoje
    assert (
        find_cure(state, Avisos(), clock_at(expected.D)())
        == cause.fazer
        == "Para voltar a hoje: lastro run --empresa ouro"
    )
    # And today is computed as if nothing had been.
    today = recalculate(settings)
    assert (today.retroativa, today.data_base, today.execucao_id) == (False, expected.D, 3)
    assert os.readlink(settings.dir / "ouro" / "lastro.duckdb").endswith("lastro-000003.duckdb")
    assert find_causes(read_states(settings, clock_at(expected.D)()), Avisos(), clock_at(expected.D)(), None) == ()
