"""One rule of language (DEC63): what reaches a person who uses lastro is Portuguese.

Collected are the help of every command, the texts of errors, refusals and diagnoses, what is printed, the descriptions
that Dagster shows, and the pages of the manual about figures and operation. English tells itself by its small words.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from lastro import manual
from lastro.cli import main

ROOT = Path(__file__).parents[2]
TELL_TALE = re.compile(
    r"(?i)\b(the|of|and|is|are|was|not|this|that|with|which|cannot|must|from|has|have|been|should|would|its|they|their|"
    r"there|when|what|before|nothing|another|missing|choose|give|make|free|wrong|unknown|needs?|stands?|twice|once|each|write|more|than|only|first|server|"
    r"environment|folder|seconds|regular|other|by|at|be|to)\b"
)
"""Small words of English that no Portuguese sentence of ours has."""
NAMES = re.compile(
    r"`[^`]*`|\bOutlook\b|\bFree Software\b|\[\[?[\w.]+\]?\]|is_\w+|--[\w-]+|https?://\S+|«[^»]*»|\"[^\"]*\""
)
"""Quoted code and names, which are what they are."""
ENGLISH_PAGES = {"como-fazer", "testes", "custo", "decisoes", "glossario", "dicionario"}
"""Pages for those who build lastro; the dictionary is written from comments, which are Portuguese where people read."""
SAYS = {
    "ConfigError", "ApiUnavailable", "ApiRejected", "IncompletePass", "SchemaDrift", "AmountsTooLarge", "DeletionsHeld",
    "ChangesHeld", "OriginHeld", "WarehouseBusy", "NoticeNotSent", "StorageError", "LastroError",
    "DamagedWarehouse", "LostHistory", "UnprovedPass", "RunNotHere", "RefusedRequest", "Refused", "Wrong", "NotRead",
    "NotUnderstood", "UsageError", "BadParameter", "ClickException", "Diagnosis", "CheckResult", "_Failure",
    "_Answered", "print", "echo", "wrong", "kind", "reject", "late",
}  # fmt: skip
"""What is called with a text that a person reads."""
SOURCES = sorted(
    path
    for folder in ("src/lastro", "pipelines")
    for path in (ROOT / folder).rglob("*.py")
    if path.name != "portuguese.py"  # it holds what click says, to put something else in its place
)


def find_english(text: str) -> list[str]:
    return TELL_TALE.findall(NAMES.sub(" ", text))


def read_texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts that stand in an expression, of an f-string its fixed parts together."""
    if isinstance(node, ast.JoinedStr):
        yield " … ".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.BinOp | ast.IfExp | ast.BoolOp):
        for part in ast.iter_child_nodes(node):
            yield from read_texts(part)


def list_said(path: Path) -> Iterator[tuple[str, str]]:
    """Yield place and text of what a module says to people."""
    where = path.relative_to(ROOT)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        given: list[ast.expr] = []
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = [*node.args] if name in SAYS else []
            given += [each.value for each in node.keywords if each.arg in {"description", "help"}]
        elif isinstance(node, ast.Assign) and any(getattr(each, "id", "") == "cure" for each in node.targets):
            given = [node.value]
        for each in given:
            for text in read_texts(each):
                if " " in text.strip():
                    yield f"{where}:{each.lineno}", text


@pytest.mark.parametrize("name", main.list_commands(click.Context(main)))
def test_the_help_of_every_command_is_portuguese(name: str) -> None:
    context = click.Context(main)
    command = main.get_command(context, name)
    assert command is not None
    text = command.get_help(command.context_class(command, info_name=name, parent=context))
    assert find_english(text) == []


def test_the_help_is_portuguese() -> None:
    assert find_english(main.get_help(main.context_class(main, info_name="lastro"))) == []


def test_what_is_said_to_people_is_portuguese() -> None:
    said = [found for path in SOURCES for found in list_said(path)]
    assert len(said) > 400
    english = [f"{place}: {text}" for place, text in said if find_english(text)]
    assert english == [], "\n".join(english)


@pytest.mark.parametrize("page", [page for page in manual.list_pages() if page not in ENGLISH_PAGES])
def test_the_pages_of_figures_and_operation_are_portuguese(page: str) -> None:
    text = re.sub(r"```.*?```", " ", manual.read_page(page), flags=re.DOTALL)
    found = find_english(text)
    # A name of something else (a header, a unit of systemd) may stand in a page.
    assert len(found) <= 20, found[:20]


def test_the_words_tell_english_from_portuguese() -> None:
    assert find_english("the file cannot be read") == ["the", "cannot", "be"]
    assert find_english("não dá para ler o arquivo; veja `the file` e lastro run") == []
