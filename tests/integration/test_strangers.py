"""Folders of other users: every command says whose they are and how to be let in, and none that nothing is there."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import lastro
from lastro.cli import main
from lastro.commands.company_run import run_one
from lastro.errors import StorageError
from lastro.files import demand_passage, describe_denial
from lastro.run.ending import find_ending
from lastro.run.order import RunOrder
from lastro.settings import load_settings
from tests.served import TOKEN, TOKEN_VARIABLE, write_golden
from tests.strangers import kept_out_of, open_place

NOBODY_ANSWERS = "http://127.0.0.1:1"
COMMANDS = {
    "run": ["run"],
    "run alone": ["run", "--modo", "recalculo"],
    "doctor": ["doctor", "--sem-rede"],
    "estado": ["estado"],
    "abrir": ["abrir", "--imprimir"],
    "limpar": ["limpar", "--simular"],
    "diff": ["diff", "1", "1"],
    "saldos": ["saldos"],
    "saldos --em": ["saldos", "--em", "2026-03-16", "101=1,00"],
    "sql": ["sql", "SELECT 1"],
    "mapa": ["mapa"],
    "orcamento": ["orcamento"],
    "exportar": ["exportar"],
    "grupo": ["grupo"],
}


@pytest.fixture(scope="module", autouse=True)
def everything_loaded(first_run: Path) -> None:
    """The user that is played may not be let in where Python itself stands: what is loaded late is loaded now."""
    for module in pkgutil.walk_packages(lastro.__path__, "lastro."):
        importlib.import_module(module.name)
    with open_place() as folder:
        shutil.copytree(first_run / "dados", folder / "dados", symlinks=True)
        write_golden(folder, NOBODY_ANSWERS)
        for command in ("doctor", "estado", "sql", "abrir"):
            call(folder, *COMMANDS[command])


@pytest.fixture
def place(first_run: Path) -> Iterator[Path]:
    with open_place() as folder:
        shutil.copytree(first_run / "dados", folder / "dados", symlinks=True)
        write_golden(folder, NOBODY_ANSWERS)
        (folder / "lastro.toml").chmod(0o644)
        yield folder


def call(place: Path, *words: str) -> Result:
    config = [] if words[0] == "manual" else ["--config", str(place / "lastro.toml")]
    return CliRunner().invoke(main, [*words, *config], env={TOKEN_VARIABLE: TOKEN, "HOME": "/nonexistent"})


def demand_told(result: Result, folder: Path, owner: str) -> None:
    said = result.stdout + result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 5, said
    flat = " ".join(said.split())
    assert f"a pasta {folder} é de {owner}" in flat
    assert "chown -R" in flat or "chmod u+rwX" in flat
    assert "publicado" not in flat
    assert "defeito" not in flat
    assert "Traceback" not in flat


@pytest.mark.parametrize("command", COMMANDS)
def test_a_data_folder_of_somebody_else_is_told(place: Path, command: str) -> None:
    with kept_out_of(place / "dados") as owner:
        result = call(place, *COMMANDS[command])
    demand_told(result, place / "dados", owner)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("run", "grupo")])
def test_a_company_of_somebody_else_is_told(place: Path, command: str) -> None:
    (place / "dados").chmod(0o755)
    with kept_out_of(place / "dados" / "ouro") as owner:
        result = call(place, *COMMANDS[command])
    if command in ("doctor", "estado"):
        said = " ".join((result.stdout + result.stderr).split())
        assert (result.exit_code, f"a pasta {place / 'dados' / 'ouro'} é de {owner}" in said) == (5, True)
    else:
        demand_told(result, place / "dados" / "ouro", owner)


def test_a_run_under_another_user_is_no_defect(place: Path) -> None:
    (place / "dados").chmod(0o777)
    settings = load_settings(place / "lastro.toml", {}, place)
    with kept_out_of(place / "dados" / "ouro") as owner:
        outcome = run_one(settings, "ouro", RunOrder(), None, frozenset)
    assert (outcome["codigo"], outcome["erro"]) == (5, "StorageError")
    assert f"é de {owner}" in outcome["mensagem"]


@pytest.mark.parametrize(
    "words",
    [
        ["demo", "--pasta", "{folder}/d"],
        ["iniciar", "--base-url", "https://a.example.com", "--nome", "A", "--token-env", "T", "--config", "{folder}/x"],
    ],
    ids=["demo", "iniciar"],
)
def test_a_beginning_in_a_folder_of_somebody_else_is_told(place: Path, words: list[str]) -> None:
    if words[0] == "demo" and not all(each.stat().st_mode & 0o1 for each in Path(sys.prefix).parents):
        pytest.skip("the user that is played cannot ask there which extras are installed")
    folder = place / "alheia"
    folder.mkdir()
    with kept_out_of(folder) as owner:
        result = CliRunner().invoke(main, [word.format(folder=folder) for word in words])
    said = " ".join((result.stdout + result.stderr).split())
    assert (result.exit_code, f"a pasta {folder} é de {owner}" in said) == (5, True), said


def test_what_cannot_be_typed_for_want_of_the_folder_is_told(place: Path) -> None:
    entry = place / "dados" / "ouro" / "entrada"
    entry.mkdir(exist_ok=True)
    for each in (place / "dados", entry.parent, entry.parent / "publicado"):
        each.chmod(0o755)
    for copy in (entry.parent / "publicado").iterdir():
        copy.chmod(0o444)
    with kept_out_of(entry) as owner:
        result = call(place, *COMMANDS["saldos --em"])
    said = " ".join((result.stdout + result.stderr).split())
    assert (result.exit_code, f"a pasta {entry} é de {owner}" in said, "Nada foi gravado" in said) == (5, True, True), (
        said
    )


def test_the_manual_asks_for_no_folder(place: Path) -> None:
    with kept_out_of(place / "dados"):
        assert call(place, "manual", "S7").exit_code == 0


def test_doctor_is_not_green_where_nothing_can_be_written(place: Path) -> None:
    """The folder may be read, and what a run would make in it may not."""
    with kept_out_of(place / "dados", 0o755) as owner:
        result = call(place, "doctor", "--sem-rede", "--json")
    (found, *_) = (each for each in json.loads(result.stdout)["achados"] if each["o_que"] == "pasta de dados")
    assert result.exit_code in (5, 7)
    assert found["nivel"] == "erro"
    assert f"a pasta {place / 'dados'} é de {owner}" in found["achado"]


def test_doctor_asks_the_nearest_folder_that_is_there(place: Path) -> None:
    shutil.rmtree(place / "dados")
    assert call(place, "doctor", "--sem-rede").exit_code == 0
    with kept_out_of(place, 0o755) as owner:
        result = call(place, "doctor", "--sem-rede", "--json")
        run = call(place, "run")
    found = {each["o_que"]: each for each in json.loads(result.stdout)["achados"]}
    assert (result.exit_code, found["pasta de dados"]["nivel"]) == (7, "erro")
    assert f"a pasta {place} é de {owner}" in found["pasta de dados"]["achado"]
    assert (run.exit_code, f"a pasta {place} é de {owner}" in " ".join(run.stderr.split())) == (5, True)
    assert "chown" not in run.stderr


def test_a_denial_is_told_wherever_it_was_met(tmp_path: Path) -> None:
    """At any probe: by the file that the system names, else in a sentence without one."""
    told = describe_denial(PermissionError(13, "Permission denied", str(tmp_path / "a" / "b")))
    assert isinstance(told, StorageError)
    assert str(told).startswith(f"{tmp_path / 'a' / 'b'}: a pasta {tmp_path} é de ")
    assert "o sistema não permite" in str(describe_denial(PermissionError("x")))
    ending = find_ending(PermissionError(13, "Permission denied", os.fsencode(tmp_path)), lambda: False)
    assert isinstance(ending, StorageError)
    demand_passage(tmp_path)
    demand_passage(tmp_path / "nothing")
