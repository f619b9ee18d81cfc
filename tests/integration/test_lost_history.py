"""A private file that is lost: rebuilt and told, begun anew and told, or a stop, and never a new company in silence."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from lastro.cli import main
from lastro.errors import StorageError
from lastro.operation.causes import CauseKind, find_causes
from lastro.operation.state import read_states
from lastro.run.happened import REBUILT, begin, note_history
from lastro.run.identity import begin_reading
from lastro.run.record import RECORD
from lastro.settings import Avisos, Settings
from tests.golden import expected
from tests.served import Listener, clock_at, folder_of, open_session

PRIVATE = Path("privado") / "lastro.duckdb"
LOST = "ouro: o arquivo da empresa estava danificado ou faltava; o histórico foi"
BEGUN = f"{LOST} recomeçado do zero (lastro manual Restaurar)"


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])


def unpublish(pasta: Path) -> None:
    (pasta / "lastro.duckdb").unlink()
    shutil.rmtree(pasta / "publicado")


def seen(pasta: Path) -> dict[str, bytes]:
    """Read everything but what every look at a company writes."""
    own = ("trava", "registro.db", "registro.db-journal")
    return {
        str(path.relative_to(pasta)): path.read_bytes()
        for path in pasta.rglob("*")
        if path.is_file() and path.name not in own
    }


@pytest.mark.parametrize("damage", [empty, cut, Path.unlink])
@pytest.mark.parametrize("copies", ["none", "unlinked"])
def test_without_a_copy_to_rebuild_from_a_run_stops(
    settings: Settings, damage: Callable[[Path], None], copies: str
) -> None:
    """As a restoration leaves it that stopped in the middle: the next run must not be the first one of a company."""
    pasta = folder_of(settings)
    if copies == "none":
        unpublish(pasta)
    else:
        (pasta / "lastro.duckdb").unlink()
        (pasta / RECORD).unlink()
    damage(pasta / PRIVATE)
    before = seen(pasta)
    for _ in range(2):
        with (
            pytest.raises(StorageError, match=r"não é nova.*Restaure um backup") as caught,
            open_session(settings, expected.D),
        ):
            pass
        assert "restaure o backup, ou apague" in caught.value.cure
        assert seen(pasta) == before
    now = clock_at(expected.D)()
    (state,) = read_states(settings, now)
    assert next(cause.kind for cause in find_causes([state], Avisos(), now, None)) is CauseKind.FALHOU


def test_a_copy_that_is_damaged_too_is_a_stop(settings: Settings) -> None:
    pasta = folder_of(settings)
    published = (pasta / "lastro.duckdb").resolve()
    published.chmod(0o600)
    for path in (published, pasta / PRIVATE):
        cut(path)
    damaged = (pasta / PRIVATE).read_bytes() + b"of this company"
    (pasta / PRIVATE).write_bytes(damaged)
    for _ in range(2):
        with pytest.raises(StorageError, match="Restaure um backup"), open_session(settings, expected.D):
            pass
        assert (pasta / "privado" / "lastro.danificado").read_bytes() == damaged  # never written over
    (state,) = read_states(settings, clock_at(expected.D)())
    assert state.historia is None


def test_giving_the_history_up_is_said_for_a_week(settings: Settings) -> None:
    pasta = folder_of(settings)
    unpublish(pasta)
    empty(pasta / PRIVATE)
    with (
        pytest.raises(StorageError, match=r"tire dali privado/lastro\.duckdb, registro\.db"),
        open_session(settings, expected.D),
    ):
        pass
    for name in (PRIVATE, RECORD):
        (pasta / name).unlink()
    listener = Listener()
    with open_session(settings, expected.D, progress=listener) as session:
        assert session.warehouse.query("SELECT count(*) FROM ops.execucoes") == [(0,)]
    assert listener.heard == [BEGUN]
    now = clock_at(expected.D)()
    for days, causes in ((0, 1), (7, 1), (8, 0)):
        later = now + timedelta(days=days)
        found = find_causes(read_states(settings, later), Avisos(), later, None)
        assert sum(cause.kind is CauseKind.HISTORICO for cause in found) == causes


@pytest.mark.parametrize("damage", [empty, cut])
def test_half_a_file_that_somebody_put_into_a_new_folder_is_a_stop(
    settings: Settings, damage: Callable[[Path], None]
) -> None:
    """A restoration by hand brings nothing else. Where a first run had begun, nothing is lost: its file begins anew."""
    pasta = folder_of(settings)
    half = (pasta / PRIVATE).read_bytes()
    shutil.rmtree(pasta)
    (pasta / PRIVATE).parent.mkdir(parents=True)
    (pasta / PRIVATE).write_bytes(half)
    damage(pasta / PRIVATE)
    for _ in range(2):
        with pytest.raises(StorageError, match="Restaure um backup"), open_session(settings, expected.D):
            pass
    begin(pasta, 1, "completa", clock_at(expected.D)())
    listener = Listener()
    with open_session(settings, expected.D, progress=listener):
        pass
    assert listener.heard == [BEGUN]


def test_a_new_company_is_no_history_that_was_lost(settings: Settings) -> None:
    shutil.rmtree(folder_of(settings))
    listener = Listener()
    with open_session(settings, expected.D, progress=listener):
        pass
    assert listener.heard == []


@pytest.mark.parametrize("damage", [cut, Path.unlink])
def test_a_rebuilt_history_is_whole_and_said_everywhere(settings: Settings, damage: Callable[[Path], None]) -> None:
    """What a run makes of it: tests/integration/test_crash.py, `longo`."""
    damage(folder_of(settings) / PRIVATE)
    listener = Listener()
    with open_session(settings, expected.D, progress=listener) as session:
        begin_reading(session)
        assert session.execucao_id == 2  # it goes on
        assert session.warehouse.query("SELECT count(*) FROM hist.linhas") == [(expected.CONTAGENS["linhas"],)]
    assert listener.heard == [f"{LOST} reconstruído da cópia publicada (lastro manual Restaurar)"]
    now = clock_at(expected.D)()
    found = find_causes(read_states(settings, now), Avisos(), now, None)
    assert [cause.marca for cause in found if cause.kind is CauseKind.HISTORICO] == [now.isoformat()]
    note_history(folder_of(settings), REBUILT, datetime.now(UTC), print)  # by the clock that the command looks at
    shown = CliRunner().invoke(main, ["estado", "--config", settings.origem])
    assert "  ouro: histórico reconstruído da cópia publicada em " in shown.output
