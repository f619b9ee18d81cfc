"""What the README shows is true: commands exist, the settings parse, every file it names is there."""

from __future__ import annotations

import re
import shlex
import tomllib
from datetime import date
from pathlib import Path

import click
import pytest

from lastro.catalogue import REPORT_TITLES
from lastro.cli import main
from lastro.entrada.saldos import read_balances
from lastro.errors import LastroError, RunHeld
from lastro.settings import load_settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTEXT = click.Context(main)
COMMANDS = {name: main.get_command(CONTEXT, name) for name in main.list_commands(CONTEXT)}


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


TOUR = (ROOT / "src/lastro/manual/comecar.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", [README, TOUR], ids=["README", "comecar"])
def test_the_settings_example_is_whole(tmp_path: Path, text: str) -> None:
    keys = blocks("toml", text)[0]
    path = tmp_path / "lastro.toml"
    path.write_text(keys, encoding="utf-8")
    (empresa,) = load_settings(path, {}, tmp_path).empresas
    assert (empresa.id, empresa.nome, empresa.token_env) == ("acme", "Acme Ltda", "ACME_TOKEN")
    assert set(tomllib.loads(keys)["empresa"][0]) == {"id", "nome", "base_url", "token_env"}
    (typed,) = blocks("csv", text)
    read = read_balances(typed.encode(), {101: "Banco Alfa", 102: "Poupança"})
    assert [(each.conta_id, each.dia) for each in read.saldos] == [(101, date(2026, 2, 28)), (102, date(2026, 2, 28))]
    assert not read.recusadas


def test_the_group_example_fits_below_the_settings_of_its_companies(tmp_path: Path) -> None:
    keys, group = blocks("toml", TOUR)
    path = tmp_path / "lastro.toml"
    path.write_text(keys + keys.replace('"acme"', '"beta"') + group, encoding="utf-8")
    (rule,) = load_settings(path, {}, tmp_path).grupo.transferencias
    assert (rule.de, rule.para, rule.de_pessoas, rule.para_pessoas) == ("acme", "beta", (602,), (501,))


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_a_page_at_the_top_is_a_page_and_a_half(page: str) -> None:
    assert len((ROOT / page).read_text(encoding="utf-8").splitlines()) <= 150


def test_what_the_public_is_asked_for_is_there() -> None:
    """The workflow runs what CI runs, on the oldest Python too; a report of a bug asks for what doctor says."""
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    assert "- run: .ci/run\n" in workflow
    assert f'"{oldest.removeprefix(">=")}"' in workflow
    (asked,) = blocks("sh", (ROOT / ".github/ISSUE_TEMPLATE/bug.md").read_text(encoding="utf-8"))
    name, *options = asked.removeprefix("lastro ").split()
    command = COMMANDS[name]
    assert command is not None
    assert set(options) <= {option for one in command.params for option in one.opts}


def test_both_tours_are_the_same() -> None:
    """The five steps, command by command; what is said beside them is of each language."""
    steps = [[line.split("  ")[0].strip() for line in blocks("sh", text)[1].splitlines()] for text in (README, TOUR)]
    assert steps[0] == steps[1]
    assert blocks("sh", TOUR)[0].splitlines()[0] == blocks("sh")[0].splitlines()[0]


def test_every_report_has_its_line_with_the_name_of_its_sheet() -> None:
    manual = (ROOT / "src/lastro/manual/relatorios.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^\| ([RP]\w\w) \| (.+?) \|", README, re.MULTILINE))
    assert set(shown) == set(REPORT_TITLES) | {"PAR"}
    for code, sheet in shown.items():
        part = manual[manual.index(f"\n## {code}. ") :]
        assert f"**Folha** {sheet}" in " ".join(part[:600].split()), code


def shown_lines(text: str) -> set[str]:
    """Commands in the text and in the blocks."""
    inline = {" ".join(found.split()) for found in re.findall(r"`lastro ([a-z]+[^`]*)`", text)}
    in_blocks = (line for block in blocks("sh", text) for line in block.splitlines() if line.startswith("lastro "))
    return inline | {line.split("  ")[0].removeprefix("lastro ") for line in in_blocks}


SHOWN = sorted(line for line in shown_lines(README) | shown_lines(TOUR))


@pytest.mark.parametrize("line", SHOWN)
def test_every_command_shown_exists_with_its_options(line: str) -> None:
    if line == "--help":
        return
    words = shlex.split(line)
    command = COMMANDS[words[0]]
    assert command is not None
    known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    assert {word for word in words if word.startswith("--")} <= known


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


def test_pictures_are_there_small_and_described() -> None:
    tour = TOUR.replace("](img/", "](src/lastro/manual/img/")
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", README + tour)
    assert {Path(path).name for _, path in pictures} == {"capa.png", "grafo.png", "terminal.png"}
    for text, path in pictures:
        assert len(text) > 20, path
        content = (ROOT / path).read_bytes()
        assert content.startswith(b"\x89PNG"), path
        assert len(content) <= 150_000, path
        # Below the package, so the wheel carries them.
        assert Path(path).is_relative_to("src/lastro"), path
