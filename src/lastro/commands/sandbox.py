"""`lastro sandbox`: loaded only where it is asked for, for it brings a web server and is an extra."""

from __future__ import annotations

from typing import Final

import click

from lastro.extras import demand, is_installed

SANDBOX: Final = "sandbox"


def load_sandbox() -> click.Command:
    """Load the sandbox's command, or in its place one that says what to install."""
    if not is_installed("sandbox"):
        return _refuse_sandbox
    from lastro_sandbox.cli import sandbox

    return sandbox


@click.command(SANDBOX, context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("options", nargs=-1)
def _refuse_sandbox(options: tuple[str, ...]) -> None:  # noqa: ARG001 - whatever is asked of it
    """Serve livros inventados pelo contrato do serviço, para ensaiar (precisa do extra [sandbox])."""
    demand("sandbox", "lastro sandbox")
