"""The process of a pod: `python -m ...pod dagster api execute_run ...`, as `dagster.yaml` says it (`kubernetes.py`).

Dagster's own command, with a sentence and lastro's exit code where its records cannot be reached.
"""

import contextlib
import sys
from collections.abc import Iterator, Sequence

from dagster._cli import cli

from lastro.errors import ConfigError, LastroError

from .execution import records_kept, records_unprinted
from .home import HOME_FOLDER
from .postgres import demand_database
from .resources import read_settings


def main(arguments: Sequence[str]) -> int:
    """Do what the launcher asks for, and return the exit code of the pod.

    Args:
        arguments: Dagster's command line, its own name first.
    """
    try:
        with _records_reachable():
            cli.main(args=list(arguments[1:]), prog_name=arguments[0], standalone_mode=False)
    except LastroError as error:
        sys.stderr.write(f"lastro: {error}\n")
        return error.exit_code
    return 0


@contextlib.contextmanager
def _records_reachable() -> Iterator[None]:
    try:
        settings = read_settings()
    except ConfigError:
        # The run itself names the mistakes, where people see them.
        yield
        return
    demand_database(settings)
    with records_kept(settings.dir / HOME_FOLDER, settings), records_unprinted():
        yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
