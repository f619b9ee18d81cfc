"""The first steps of a newcomer: the help, `lastro iniciar`, `lastro abrir`, and where the demo ends."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from lastro.cli import GROUPS, main
from lastro.commands.abrir import find_newest, find_opener
from lastro.settings import load_settings
from lastro_sandbox import golden_company
from tests.golden import expected
from tests.served import TOKEN_VARIABLE, write_settings

DAY = expected.D.isoformat()
TOKEN = "ficha-de-ensaio"  # noqa: S105 - opens a sandbox
GIVEN = ("--base-url", "https://financeiro.example.com/v1/", "--nome", 'Padaria "Sol"', "--token-env", "SOL_TOKEN")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder, with no screen."""
    for name in ("LASTRO_BASE_URL", "DISPLAY", "WAYLAND_DISPLAY", "SOL_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lastro(*arguments: str, env: dict[str, str] | None = None) -> Result:
    result = CliRunner().invoke(main, arguments, env=env)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_help_says_where_to_begin_and_has_every_command_in_a_group() -> None:
    told = lastro("--help").output
    assert "Comece por «lastro demo»" in told
    assert re.findall(r"^(\w[\w ]*):$", told, re.MULTILINE) == ["Opções", *GROUPS]
    named = [name for names in GROUPS.values() for name in names]
    assert sorted(named) == main.list_commands(click.Context(main))


def test_options_mean_one_thing_in_all_commands() -> None:
    meant: dict[str, set[str]] = {}
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                for spelling in option.opts:
                    meant.setdefault(spelling, set()).add(type(option.type).__name__ + str(option.multiple))
    # Both write the settings; the sandbox, which has none, is told where.
    assert {name for name, kinds in meant.items() if len(kinds) > 1} == {"--escrever"}
    assert not {"--dir", "--seed", "--port"} & set(meant)


def test_iniciar_writes_four_keys_examines_and_says_the_next_step(place: Path) -> None:
    result = lastro("iniciar", *GIVEN)
    (empresa,) = load_settings(place / "lastro.toml", {}, place).empresas
    assert (empresa.id, empresa.nome) == ("padaria_sol", 'Padaria "Sol"')
    assert (empresa.base_url, empresa.token_env) == ("https://financeiro.example.com", "SOL_TOKEN")
    assert result.exit_code == 7  # the token is not set
    assert ("! padaria_sol: token" in result.output, "✗" in result.output) == (True, False)
    assert "Próximo passo: export SOL_TOKEN=" in result.output


def test_iniciar_asks_the_id_that_does_not_change_at_a_terminal(place: Path) -> None:
    ours, terminal = os.openpty()
    os.write(ours, b"sol\n")
    command = [sys.executable, "-m", "lastro", "iniciar", *GIVEN]
    asked = subprocess.run(command, cwd=place, stdin=terminal, capture_output=True, timeout=120, check=False)  # noqa: S603 - ours
    os.close(ours)
    os.close(terminal)
    assert "não muda depois [padaria_sol]: " in asked.stdout.decode()
    assert load_settings(place / "lastro.toml", {}, place).ids == ("sol",)


def test_iniciar_never_overwrites(place: Path) -> None:
    (place / "lastro.toml").write_text("minha")
    result = lastro("iniciar", *GIVEN)
    assert (result.exit_code, "já existe e fica como está" in result.stderr) == (2, True)
    assert (place / "lastro.toml").read_text() == "minha"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (GIVEN[2:], "falta --base-url"),
        (GIVEN[:2], "falta --nome"),
        (("--base-url", "x", *GIVEN[2:]), "--base-url x: "),
        ((*GIVEN[:4], "--token-env", "a b"), "--token-env: escreva o NOME"),
        ((*GIVEN, "--id", "A B"), "--id A B: "),
    ],
)
def test_iniciar_without_a_terminal_says_what_is_missing_or_wrong(
    place: Path, given: tuple[str, ...], told: str
) -> None:
    result = lastro("iniciar", *given)
    assert (result.exit_code, told in result.stderr) == (2, True)
    assert list(place.iterdir()) == []


def test_with_several_companies_every_command_of_one_asks_which(place: Path) -> None:
    write_settings(place, golden_company(), "http://127.0.0.1:1")
    path = place / "lastro.toml"
    text = path.read_text(encoding="utf-8")
    table = text[text.index("[[empresa]]") :]
    path.write_text(text + table.replace('id = "ouro"', 'id = "prata"'), encoding="utf-8")
    for command in (("exportar",), ("abrir",), ("mapa",), ("sql", "SELECT 1")):
        result = lastro(*command, env={TOKEN_VARIABLE: TOKEN})
        assert result.exit_code == 2
        assert "há várias empresas; acrescente --empresa (uma de ouro, prata)" in result.stderr, command


def test_the_newest_workbook_is_of_the_latest_day_and_rerun(tmp_path: Path) -> None:
    assert find_newest(tmp_path) is None
    for name in ("2026-03-16", "2026-03-16_r2", "2026-03-16_r10", "2026-03-15_r11", "loja_2_2027-01-01"):
        (tmp_path / f"gerencial_{name}.xlsx").touch()
    assert find_newest(tmp_path) == tmp_path / "gerencial_2026-03-16_r10.xlsx"


def test_nothing_is_opened_without_a_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("open", "xdg-open"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_opener("linux", {}) is None
    assert find_opener("linux", {"DISPLAY": ":0"}) == str(tmp_path / "xdg-open")
    assert find_opener("darwin", {}) == str(tmp_path / "open")


@pytest.mark.longo
def test_the_demo_says_where_to_go_on(place: Path) -> None:
    result = lastro("demo", "--lancamentos", "60", "--hoje", "2026-06-15")
    assert result.exit_code == 0, result.output
    told = result.stdout[result.stdout.index("E agora, em") :]
    for command in ("lastro abrir", "lastro sql", "lastro dev", "lastro sandbox", "lastro iniciar"):
        assert command in told
    home = next((place / "lastro-demo").iterdir())
    assert f"E agora, em {home}:" in told
    assert result.stdout.count(str(home)) == 2  # where the files are, and here
