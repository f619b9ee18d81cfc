"""The rehearsal that the sandbox's page shows works as it stands, and every option and control is on the page."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import httpx
import pytest

import lastro_sandbox
from lastro_sandbox.cli import sandbox
from lastro_sandbox.control import CONTROLS
from lastro_sandbox.gate import FAULT_HEADER
from tests.command import started

PAGE = (Path(lastro_sandbox.__file__).parent / "README.md").read_text(encoding="utf-8")
REHEARSAL = PAGE[PAGE.index("## Rehearsing a month") : PAGE.index("## Your own books")]


def send(words: list[str]) -> str:
    """Do what curl does with the few options that the page uses."""
    method, headers, form, url = None, {}, {}, ""
    words = iter(words)  # type: ignore[assignment]
    for word in words:
        if word == "-X":
            method = next(words)  # type: ignore[call-overload]
        elif word == "-H":
            name, value = next(words).split(": ", 1)  # type: ignore[call-overload]
            headers[name] = value
        elif word == "-d":
            name, value = next(words).split("=", 1)  # type: ignore[call-overload]
            form[name] = value
        elif word != "-s":
            url = word
    return httpx.request(method or ("POST" if form else "GET"), url, headers=headers, data=form or None).text


def test_the_month_is_rehearsed_as_the_page_says(tmp_path: Path) -> None:
    start, steps = re.findall(r"```(?:sh)?\n(.*?)```", REHEARSAL, flags=re.DOTALL)
    options = shlex.split(start)[2:]
    written = tmp_path / "lastro.toml"
    options[options.index("lastro.toml")] = str(written)
    lines = steps.strip().splitlines()
    assert len(lines) == 13
    with started(*options) as (_, address):
        for line in lines:
            command, expected = line.split("  # -> ")
            words = shlex.split(command.replace("$SANDBOX", address))
            assert words[0] == "curl"
            answer = send(words[1:])
            compact, wanted = answer.replace(" ", ""), expected.strip().replace(" ", "")
            assert wanted in compact, f"{command.strip()}: {answer[:500]}"
        assert f'base_url = "{address}"' in written.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "option", [o for p in sandbox.params for o in p.opts if isinstance(p, click.Option) and not p.hidden]
)
def test_every_option_is_on_the_page(option: str) -> None:
    assert f"`{option}" in PAGE or option == "--help"


def test_every_control_is_on_the_page() -> None:
    for path in CONTROLS:
        assert path.split("/{")[0] in PAGE, path
    assert FAULT_HEADER in PAGE
