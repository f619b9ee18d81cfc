"""How what ended a run stands in Dagster: an error that a user can cure, and what somebody stopped."""

import contextlib
from collections.abc import Iterator
from datetime import datetime
from typing import Final

import dagster as dg

from lastro.errors import LastroError
from lastro.run.ending import Stopped, find_ending, note_signals

_ENDED = (dg.DagsterRunStatus.CANCELING, dg.DagsterRunStatus.CANCELED)


@contextlib.contextmanager
def end_as_stopped(context: dg.AssetExecutionContext) -> Iterator[Stopped]:
    """Let what somebody stopped end as that: Dagster calls a failure whatever DuckDB makes of it, and tries it again.

    Args:
        context: of the step.

    Yields:
        Whether somebody stops it: by a signal, or in the UI, of which this process need not have heard.

    Raises:
        DagsterExecutionInterruptedError: in the place of an error that came of stopping it.
    """
    with note_signals(interrupt=None) as received:

        def stopped() -> bool:
            return bool(received()) or _is_ended(context)

        try:
            yield stopped
        except BaseException as error:
            ending = find_ending(error, stopped)
            if not isinstance(ending, KeyboardInterrupt | dg.DagsterExecutionInterruptedError):
                if ending is error:
                    raise
                raise ending from None
            # Of a run that only a signal stopped Dagster would say that nobody asked for it, and call it a failure.
            with contextlib.suppress(Exception):
                run = context.instance.get_run_by_id(context.run.run_id)
                if run is not None and run.status not in _ENDED:
                    context.instance.report_run_canceling(run)
            raise dg.DagsterExecutionInterruptedError from None


def _is_ended(context: dg.AssetExecutionContext) -> bool:
    """Tell whether somebody ended the run, as its record says now; where that cannot be asked, nobody is known to."""
    try:
        run = context.instance.get_run_by_id(context.run.run_id)
    except Exception:  # noqa: BLE001 - a database that is down is told by whoever writes to it
        return False
    return run is not None and run.status in _ENDED


AGAIN: Final = "de_novo"
"""What a failure calls the moment at which another run tries it again (`sensors`)."""


def describe_failure(error: LastroError, again: datetime | None = None) -> dg.Failure:
    """Describe an error of ours; it is not tried again by Dagster, which would hold the slot meanwhile.

    Args:
        error: what ended the run.
        again: when another run tries it again, UTC; None where a person must look.
    """
    return dg.Failure(
        f"{error.documented_name}: {error}",
        metadata={
            "erro": dg.MetadataValue.text(str(error)),
            "classe": dg.MetadataValue.text(error.documented_name),
            "codigo_saida": dg.MetadataValue.int(error.exit_code),
            "manual": dg.MetadataValue.text(f"lastro manual {error.documented_name}"),
            "o_que_fazer": dg.MetadataValue.text(error.cure),
            **({} if again is None else {AGAIN: dg.MetadataValue.timestamp(again)}),
        },
        allow_retries=False,
    )
