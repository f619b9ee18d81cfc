"""A past day that history has: the run that gives it back, and its records in the place of the reading's (S3)."""

from __future__ import annotations

from lastro.run.session import RunSession
from lastro.transform.core import CoreBuild
from lastro.transform.past_day import restate
from lastro.warehouse.loading import runs


def find_exact_run(session: RunSession) -> int | None:
    """Find the complete run that gives a past D back exactly; None for today, and where there is none (S3)."""
    return None if session.is_current else runs.find_run_of_day(session.warehouse, session.run.data_base)


def recall_day(session: RunSession, built: CoreBuild) -> None:
    """Put the tables of a past D into `core`, with the map and the openings of today; nothing where D has no run.

    Whatever reads `core` from here on, in this run and in its file, has one and the same past. The next loading
    replaces it; what is recorded is untouched.

    Args:
        session: the run, inside the transaction of its loading, after the history was written.
        built: what the reading under way gives.
    """
    exact = find_exact_run(session)
    if exact is None:
        return
    then = session.warehouse.read_core(exact)
    past = restate(then, built.core, session.empresa.parametros.dre_mapa)
    session.warehouse.write_core(past, exact, session.calendario)
