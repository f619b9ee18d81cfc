"""The worked example of *como-fazer*, taken from the page as it stands: a report, its sheet, its words, its check."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lastro.manual.search import find_topic

ROOT = Path(__file__).parents[2]


def read_files(topic: str) -> list[tuple[str, str, str]]:
    """Read what a page says to write: path, the line that a text stands after (empty: a file of its own), the text."""
    pattern = r"^`([\w/.]+)`(?:, after `([^`]+)`)?:\n\n```\w*\n(.*?)```"
    return re.findall(pattern, find_topic(topic), re.DOTALL | re.MULTILINE)


FILES = read_files("A worked example")
TESTS = (
    "tests/unit/reports/test_r90_methods.py",
    "tests/unit/reports/test_registry.py",
    "tests/unit/quality/test_queries.py",
    "tests/unit/quality/test_damages.py",
)


def add_text(path: Path, after: str, text: str) -> None:
    """Write a file, or put a text after the one line of it that begins so."""
    if not after:
        path.write_text(text, encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (place,) = (number for number, line in enumerate(lines) if line.startswith(after))
    path.write_text("".join([*lines[: place + 1], text, *lines[place + 1 :]]), encoding="utf-8")


def test_a_report_and_its_test_are_written_in_25_lines() -> None:
    """Besides blank lines and imports; the check that ties it is counted apart."""
    written = [line for path, _, text in FILES if "quality" not in path for line in text.splitlines() if line.strip()]
    imports = [line for line in written if re.match(r"(    )?(from|import) |if TYPE_CHECKING:", line)]
    assert len(written) - len(imports) <= 25


OF_REPORT = """
from lastro.grid.cells import Kind
from lastro.reports.r08_payables import SPEC as R08
from lastro.reports.r09_receivables import SPEC as R09
from tests.unit.reports.positions import make_golden
from tests.views import view_of

for spec, name, counts in ((R08, "a_pagar", {1004: 1, 1016: 1}), (R09, "a_receber", {1011: 1, 1012: 1, 1015: 1})):
    (table,) = (one for one in spec.build(view_of(make_golden())).tables if one.name == name)
    place = table.place("linhas_do_titulo")
    column = table.columns[place]
    assert (column.header, column.kind, table.columns[place - 1].key) == (
        "Linhas do título", Kind.INTEGER, "data_efetiva"
    )
    assert {row[table.place("titulo_id")]: row[place] for row in table.rows} == counts
"""
"""Asked of a copy of the program with the column of the page, in which R08 and R09 have it."""
OF_DESK = """
from lastro.desk.book import build_desk
from lastro.desk.desks import COBRANCA
from lastro.desk.memory import DeskMemory
from lastro.desk.queue import build_queue
from lastro.settings import Empresa
from tests.unit.desk.test_workbook import STAMP
from tests.unit.reports.positions import make_golden

empresa, memory = Empresa("ouro", "Ouro", "https://servico.exemplo", "TOKEN"), DeskMemory(COBRANCA, "um")
book = build_desk(build_queue(make_golden()), [], empresa, STAMP, memory, ())
(table,) = book.sheets[1].sections
columns = {column.key: (column.header, [row.cells[place] for row in table.rows]) for place, column in
           enumerate(table.columns)}
header, months = columns["meses_de_mora"]
assert header == "Meses de mora" and any(months), months
assert months == [max(days, 0) // 30 for days in columns["dias_de_mora"][1]]
"""
"""The same of a desk, whose sheet *Títulos* shows it."""


@pytest.mark.medio
@pytest.mark.parametrize(
    ("topic", "asked"), [("Add a column to a report", OF_REPORT), ("Add a column to a desk", OF_DESK)]
)
def test_a_column_is_two_lines(topic: str, asked: str, tmp_path: Path) -> None:
    written = read_files(topic)
    assert [len(text.splitlines()) for *_, text in written] == [1, 1]
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for path, after, text in written:
        add_text(tmp_path / path, after, text)
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own arguments
        [sys.executable, "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": f"{tmp_path / 'src'}{os.pathsep}{ROOT}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.longo
def test_the_worked_example_runs_as_it_stands(tmp_path: Path) -> None:
    for tree in ("src/lastro", "src/lastro_sandbox", "tests"):
        shutil.copytree(ROOT / tree, tmp_path / tree, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for path, after, text in FILES:
        add_text(tmp_path / path, after, text)
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own arguments
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", "R90 or V90 or r90", *TESTS],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": f"{tmp_path / 'src'}{os.pathsep}{tmp_path}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
