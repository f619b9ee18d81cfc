"""The page `configuracao` of the manual: every key of the schema, with what it takes, its default, rule and purpose."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from lastro import manual
from lastro.settings import model, operation, scenarios
from lastro.settings.manual_page import describe_values, list_settings

SOURCES = [
    path
    for room in ("src", "pipelines")
    for path in (Path(__file__).parents[2] / room).rglob("*.py")
    # Who checks a key does not use it; what is kept apart from the settings is read where it is declared.
    if path.parent.name != "settings" or path.name == "operation.py"
]
SIDES = ("de", "para")
PAGE = manual.read_page("configuracao")
ROWS = {
    (title, row[0]): row[1:]
    for title, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    for row in re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.*?) \| (.+?) \|$", body, re.MULTILINE)
}


def test_every_key_that_the_schema_reads_is_there_once() -> None:
    """Counted over the classes themselves, so that a class without a table in the page is missed here."""
    declared = Counter(
        item.name
        for module in (model, operation, scenarios)
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__ and is_dataclass(kind)
        for item in fields(kind)
        if "about" in item.metadata
    )
    assert declared == Counter(key for _, key in ROWS)
    assert declared == Counter(item.name for _, item in list_settings())


def test_every_key_is_read_by_something() -> None:
    """By its name as an attribute, in a line that does not declare it; of a transfer by the side of its company."""
    lines = [line for path in SOURCES for line in path.read_text(encoding="utf-8").splitlines()]
    read = {name for line in lines for name in re.findall(r"\.(\w+)\b(?!`)", line)}
    sides = {f"{side}_{kind}" for line in lines for kind in re.findall(r'f"\{lado\}_(\w+)"', line) for side in SIDES}
    assert {key for _, key in ROWS} - read - sides == set(), "a setting that nothing reads changes nothing"


def test_there_are_no_more_keys_than_somebody_sets() -> None:
    assert len(ROWS) <= 102


@pytest.mark.parametrize(
    ("table", "key", "row"),
    [
        ("[empresa.parametros]", "historico_meses",
         ("inteiro, 1 a 120", "12", "R04", "meses fechados mostrados antes do atual")),
        ("[empresa.parametros]", "venc_regra",
         ('"corrido" ou "dia_util"', '"corrido"', "S8", "vencido por dia corrido ou por dia útil")),
        ("[[empresa]]", "nome", ("texto", "obrigatória", "", "nome a imprimir")),
        ("Antes de qualquer tabela", "dir",
         ("caminho", '"dados"', "", "pasta dos armazéns, das planilhas e do Dagster")),
        ("[[empresa.conta]]", "data_saldo_inicial",
         ("data, como 2026-01-31", "nenhum", "S7", "primeiro dia do controle; nenhum conta todos os pagamentos")),
    ],
)  # fmt: skip
def test_a_row_says_values_default_rule_and_purpose(table: str, key: str, row: tuple[str, ...]) -> None:
    assert ROWS[table, key] == row


def test_every_parser_says_what_it_takes() -> None:
    told = {key.name for _, key in list_settings() if describe_values(key.parse) == "lista de tabelas"}
    assert told == {"saldos_conferidos"}


def test_every_rule_that_a_row_names_is_in_the_manual() -> None:
    for row in ROWS.values():
        for number in filter(None, row[2].split(", ")):
            assert manual.read_exact(number)


def test_no_purpose_is_empty_and_none_breaks_the_table() -> None:
    assert all(row[3].strip() and "|" not in row[3] for row in ROWS.values())
