"""What the README shows is true: commands exist, the settings parse, every file it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from lastro.cli import main
from lastro.errors import LastroError, RunHeld
from lastro.settings import load_settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTEXT = click.Context(main)
COMMANDS = {name: main.get_command(CONTEXT, name) for name in main.list_commands(CONTEXT)}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_settings_example_is_whole(tmp_path: Path) -> None:
    example, _ = blocks("toml")
    path = tmp_path / "lastro.toml"
    path.write_text(example, encoding="utf-8")
    settings = load_settings(path, {}, tmp_path)
    assert [empresa.id for empresa in settings.empresas] == ["acme"]
    assert settings.empresas[0].parametros.dre_mapa == {30: "fora"}
    assert [cenario.nome for cenario in settings.empresas[0].cenarios] == ["Cliente grande atrasa"]


def test_the_group_example_fits_below_the_settings_of_its_companies(tmp_path: Path) -> None:
    example, group = blocks("toml")
    second = (
        "[[empresa]]\nid = 'beta'\nnome = 'Beta'\nbase_url = 'https://beta.example.com'\ntoken_env = 'BETA_TOKEN'\n"
    )
    path = tmp_path / "lastro.toml"
    path.write_text(example + second + group, encoding="utf-8")
    (rule,) = load_settings(path, {}, tmp_path).grupo.transferencias
    assert (rule.de, rule.para, rule.de_pessoas, rule.para_pessoas) == ("acme", "beta", (602,), (501,))


SHOWN = sorted(set(re.findall(r"`lastro ([a-z]+[^`]*)`", README)))


@pytest.mark.parametrize("line", SHOWN)
def test_every_command_shown_exists_with_its_options(line: str) -> None:
    words = line.split()
    command = COMMANDS[words[0]]
    assert command is not None
    known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    assert {word for word in words if word.startswith("--")} <= known


def test_every_command_is_documented() -> None:
    assert set(COMMANDS) == {line.split()[0] for line in SHOWN}


def test_the_two_commands_are_those_of_ci() -> None:
    demo, test = blocks("sh")[0].strip().splitlines()
    assert demo == (
        "python3 -m venv .venv && .venv/bin/pip install -c constraints.txt '.[completo]' && .venv/bin/lastro demo"
    )
    assert test == ".venv/bin/pip install -c constraints.txt -e '.[test]' && .venv/bin/pytest"
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert "-c constraints.txt -e '.[test]'" in ci


def test_every_file_it_links_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_exit_codes_are_those_of_the_errors() -> None:
    shown = {
        name: int(code)
        for code, names in re.findall(r"^\| (\d) \| ((?:`\w+`(?:, )?)+) \|", README, flags=re.MULTILINE)
        for name in re.findall(r"`(\w+)`", names)
    }
    named = (kind for kind in (*LastroError.__subclasses__(), *RunHeld.__subclasses__()) if kind is not RunHeld)
    assert shown == {kind.__name__: kind.exit_code for kind in named}


def test_commands_have_help() -> None:
    for name, command in COMMANDS.items():
        assert isinstance(command, click.Command)
        assert command.help, name
