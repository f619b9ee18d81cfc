"""Damage `src/lastro` in places drawn at random, and see whether the tests that walk there notice.

    COVERAGE_FILE=caminhos pytest --cov --cov-context=test
    python -m tests.tools.mutation caminhos --semente 1 --n 60 --lugares lugares.json
    python -m tests.tools.mutation caminhos --familias --lugares familias.json

The first command says which test walks which line (`tests/conftest.py` then counts all). The second draws places,
damages a copy of the repository in one after the other, and has each judged by tests that walk its line; the first
failure ends it. What survives is listed with line and change. `--familias` damages what makes figures, area by area in
turn, and has each family of tests judge apart: who alone notices what? Queries in files of their own are not damaged.

`--lugares` holds what was drawn and judged, written after each place: the same command goes on where it was broken off.
`--como` takes the places of such a file: two states of the tests can be compared by the same damages only, and what the
source no longer has counts for nothing.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from time import monotonic

from coverage import CoverageData

ROOT = Path(__file__).parents[2]
BELOW = "src/lastro/"
SOURCE = ROOT / BELOW
say = partial(print, flush=True)
TOO_LONG = "(took too long)"
"""Neither caught nor survived: a busy machine may be the reason, or a loop without end."""
COMPARED = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}  # fmt: skip
SIGNS = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&")}
IN_SQL = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " AND ": " OR ", " + ": " - ", " - ": " + "}
NAME = re.compile(r"[a-z]+(_[a-z0-9]+)+")
AREAS = {
    "position": "transform/(?!charges|past|budget)",
    "cash series": "analysis/(cash_series|monthly_flow|account_projection)|reports/(r0[1-5]|shared/flow)",
    "DRE": "analysis/(income_statement|dre|tree|ratios|budget)|reports/(r06|r18|tree)",
    "bridge": "analysis/(bridge|resilience|taxes)|reports/(r07|r21|shared/(resilience|kpis))",
    "open items": "analysis/(arrears|commit|debts|collection|credit|abc)|reports/(r08|r09|r10|r12|r17|r24|shared/open)",
    "charges": "analysis/(charges|cards)|transform/charges|reports/(r11|shared/charge)",
    "forecasts": "analysis/(forecast|expectation)|reports/(r13|r23|shared/forecast)|warehouse/loading/forecasts",
    "bank": "bank/",
    "desks": "desk/",
    "loading": "warehouse/loading/(?!history|due|holds|forecasts|runs)",
    "history": "warehouse/loading/(history|due|holds)|transform/past|analysis/(changes|compar)|reports/(r14|r19)",
}
"""What makes figures: area -> where, below `src/lastro`."""
OWN_CHECKS = "tests/tools/own_checks.py"
FAMILIES = V, GOLDEN, REPORTS, REST, INTEGRATION = ("V", "golden", "reports", "rest", "integration")
ALL = "all"


@dataclass(frozen=True)
class Damage:
    """A change of one place: the text there, found by its line of text and the column it begins in."""

    path: str  # below the root
    line: int  # counted from 1, when it was drawn
    text: str  # the whole line
    column: int  # in bytes
    old: str
    new: str
    kind: str
    area: str = ""
    caught_by: dict[str, str] = field(default_factory=dict)  # family that judged it -> the test that noticed it, or ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.kind} {self.old!r} -> {self.new!r} in {self.text.strip()}"

    def find(self) -> int | None:
        """Return the line that it stands in today, the nearest of equals; None if the source has it no longer."""
        path = ROOT / self.path
        if not path.exists():
            return None
        lines = path.read_text(encoding="utf-8").split("\n")
        found = [number for number, text in enumerate(lines, 1) if text == self.text]
        return min(found, key=lambda number: abs(number - self.line), default=None)

    def apply(self, root: Path, line: int) -> None:
        """Write the damaged line into the copy of the repository in `root`."""
        path = root / self.path
        lines = path.read_text(encoding="utf-8").split("\n")
        raw = lines[line - 1].encode()
        end = self.column + len(self.old.encode())
        lines[line - 1] = (raw[: self.column] + self.new.encode() + raw[end:]).decode()
        path.write_text("\n".join(lines), encoding="utf-8")


class Finder(ast.NodeVisitor):
    """Collect every damage that a module offers, each within one line."""

    def __init__(self, path: Path) -> None:
        self.path = str(path.relative_to(ROOT))
        self.raw = path.read_bytes().split(b"\n")
        tree = ast.parse(b"\n".join(self.raw))
        docstrings = (
            node.body[0] for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body
        )  # fmt: skip
        self.unread = {id(node.value) for node in docstrings if isinstance(node, ast.Expr)}
        self.names = sorted(
            {node.value for node in ast.walk(tree)
             if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value)}
        )  # fmt: skip
        self.found: list[Damage] = []
        self.visit(tree)

    def _add(self, kind: str, line: int, start: int, end: int, new: str) -> None:
        raw = self.raw[line - 1]
        old = raw[start:end].decode()
        self.found.append(Damage(self.path, line, raw.decode(), start, old, new, kind))

    def _swap_between(self, kind: str, left: ast.expr, right: ast.expr, swap: tuple[str, str]) -> None:
        """Put another operator between two operands of one line."""
        line, end = left.end_lineno or 0, left.end_col_offset or 0
        if line == right.lineno:
            at = self.raw[line - 1].find(swap[0].encode(), end, right.col_offset)
            if at >= 0:
                self._add(kind, line, at, at + len(swap[0]), swap[1])

    def _replace(self, kind: str, node: ast.expr, new: str) -> None:
        if node.lineno == node.end_lineno:
            self._add(kind, node.lineno, node.col_offset, node.end_col_offset or 0, new)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            self._swap_between("bound", left, right, COMPARED[type(operator)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in SIGNS:
            self._swap_between("sign", node.left, node.right, SIGNS[type(node.op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        swap = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        self._swap_between("condition", node.values[0], node.values[1], swap)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub | ast.Not | ast.Invert) and node.lineno == node.operand.lineno:
            self._add("sign", node.lineno, node.col_offset, node.operand.col_offset, "")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        self._replace("condition", node.test, "False")
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for condition in node.ifs:
            self._replace("filter", condition, "True")
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.slice, ast.Compare) and node.value.end_lineno == node.end_lineno:
            self._add("filter", node.end_lineno or 0, node.value.end_col_offset or 0, node.end_col_offset or 0, "")
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        if any(isinstance(part, ast.Constant) and "SELECT" in str(part.value) for part in node.values):
            self._damage_sql(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if id(node) in self.unread:
            return
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            self._replace("number", node, str(node.value + 1))
        elif node.value in self.names and len(self.names) > 1 and node.lineno == node.end_lineno:
            other = self.names[(self.names.index(node.value) + 1) % len(self.names)]
            at = self.raw[node.lineno - 1].find(node.value.encode(), node.col_offset)
            if at >= 0:
                self._add("column", node.lineno, at, at + len(node.value), other)
        elif isinstance(node.value, str) and "SELECT" in node.value:
            self._damage_sql(node)

    def _damage_sql(self, node: ast.expr) -> None:
        for line in range(node.lineno, (node.end_lineno or 0) + 1):
            raw = self.raw[line - 1]
            for old, new in IN_SQL.items():
                at = raw.find(old.encode())
                if at >= 0:
                    self._add("sql", line, at, at + len(old), new)


class Walks:
    """Which tests walk which line, as coverage's contexts have it."""

    def __init__(self, file: Path) -> None:
        data = CoverageData(str(file))
        data.read()
        self.breadth: Counter[str] = Counter()
        self.lines: dict[str, dict[int, list[str]]] = {}
        for name in data.measured_files():
            if BELOW in name:  # measured in another copy of the repository, perhaps
                lines = self.lines[name[name.index(BELOW) :]] = data.contexts_by_lineno(name)
                self.breadth.update(context.rpartition("|")[0] for found in lines.values() for context in found)

    def tests_of(self, damage: Damage, line: int, limit: int, there: set[str]) -> list[str]:
        """Choose the tests that judge a line: the narrowest first, at most three of a function, and the widest last.

        A fixture that several share is walked in the name of the first alone, so the rest of its module follows. What
        runs at import is walked by no test: those that walk anything of the file stand in, or else of its folder. Of a
        statement of several lines only some are counted: the one above stands for the others.
        """
        walked = self.lines.get(damage.path, {})
        counted = max((one for one in walked if one <= line), default=line)
        contexts = set(walked.get(counted, ())) - {""}
        beside = (lines for path, lines in self.lines.items() if Path(path).parent == Path(damage.path).parent)
        for files in ((walked,), beside):
            contexts = contexts or {one for lines in files for found in lines.values() for one in found} - {""}
        direct = {test for test, _, when in (context.rpartition("|") for context in contexts) if when == "run"}
        shared = {context.partition("::")[0] for context in contexts if context.endswith("|setup")}
        fellows = {test for test in self.breadth if test.partition("::")[0] in shared} - direct
        chosen = [*self._spread(direct & there), *self._spread(fellows & there)]
        if len(chosen) > limit:
            widest = sorted(chosen, key=lambda test: -self.breadth[test])[: limit // 4]
            chosen = [*[test for test in chosen if test not in widest][: limit - len(widest)], *widest]
        modules = list(dict.fromkeys(test.partition("::")[0] for test in chosen))  # whose fixtures are made once
        return sorted(chosen, key=lambda test: modules.index(test.partition("::")[0]))

    def _spread(self, tests: set[str]) -> list[str]:
        families: Counter[str] = Counter()
        chosen = []
        for test in sorted(tests, key=lambda test: (self.breadth[test], test)):
            families[test.partition("[")[0]] += 1
            if families[test.partition("[")[0]] <= 3:
                chosen.append(test)
        return chosen


@cache
def family_of(module: str) -> str:
    """Name the family of a module of tests: by what it holds lastro against, then by where it stands."""
    if module.startswith("tests/integration/"):
        return INTEGRATION
    text = (ROOT / module).read_text(encoding="utf-8")
    if module.startswith("tests/golden/") or re.search(
        r"from tests\.golden.* import .*\bexpected|golden\.expected", text
    ):
        return GOLDEN
    return REPORTS if module.startswith("tests/unit/reports/") else REST


def draw(seed: int, n: int, areas: Mapping[str, str]) -> list[Damage]:
    """Draw `n` damages, of each area in turn: a kind first, so that no kind is rare, and then a place of it."""
    kinds: dict[str, dict[str, list[Damage]]] = {area: defaultdict(list) for area in areas}
    for path in sorted(SOURCE.rglob("*.py")):
        within = [area for area, where in areas.items() if re.match(where, str(path.relative_to(SOURCE)))]
        for one in Finder(path).found if within else ():
            kinds[within[0]][one.kind].append(replace(one, area=within[0]))
    dice = random.Random(seed)  # noqa: S311 - a draw that can be repeated
    drawn = []
    for number in range(n):
        found = kinds[list(areas)[number % len(areas)]]
        drawn.append(dice.choice(found[dice.choice(sorted(found))]))
    return drawn


def copy_repository(target: Path) -> None:
    """Copy what git knows, as it stands in the working folder."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
    for name in listed.stdout.splitlines():
        if (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name, follow_symlinks=False)


def run_pytest(copy: Path, *options: str, timeout: float | None = None) -> subprocess.CompletedProcess[str]:
    """Run pytest over the copy, in one process; what was compiled once is kept beside the copy."""
    path = os.pathsep.join((str(copy / "src"), str(copy / "pipelines")))
    env = {**os.environ, "PYTHONPATH": path, "PYTHONPYCACHEPREFIX": str(copy.parent / "compiled")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.run(  # noqa: S603 - our own tests
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *options],
        cwd=copy,
        env=env,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def judge(copy: Path, damage: Damage, line: int, tests: list[str], timeout: float) -> str | None:
    """Run the tests over the damaged copy; return the first that failed, None if none did."""
    path = copy / damage.path
    whole = path.read_bytes()
    damage.apply(copy, line)
    try:
        done = run_pytest(copy, "-x", *tests, timeout=timeout)
    except subprocess.TimeoutExpired:
        return TOO_LONG
    finally:
        path.write_bytes(whole)
    if done.returncode == 0:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, re.MULTILINE)
    return failed[1] if failed else f"(pytest ended with {done.returncode})"


def run(
    damages: list[Damage], hints: list[dict[str, str]], walks: Walks, families: tuple[str, ...], limit: int,
    timeout: float, keep: Callable[[], None],
) -> None:  # fmt: skip
    """Have each damage judged by each family that has not judged it yet: what noticed it before is asked first."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        copy_repository(copy)
        there = {name for name in run_pytest(copy, "--collect-only").stdout.splitlines() if "::" in name}
        own = {family: {test for test in there if family in (ALL, family_of(test.partition("::")[0]))}
               for family in families}  # fmt: skip
        for number, (damage, hint) in enumerate(zip(damages, hints, strict=True), 1):
            line = damage.find()
            if line is None:
                say(f"{number:3} no longer there: {damage}")
                continue
            for family in families:
                if family in damage.caught_by:
                    continue
                tests = [OWN_CHECKS] if family == V else walks.tests_of(damage, line, limit, own[family])
                first = [test for test in (hint.get(family),) if test in own[family]]
                tests = list(dict.fromkeys([*first, *tests]))
                began = monotonic()
                damage.caught_by[family] = (tests and judge(copy, damage, line, tests, timeout)) or ""
                keep()
                by = damage.caught_by[family] or "SURVIVED"
                say(f"{number:3} {family} {monotonic() - began:4.0f} s {by} ({len(tests)} tests) {damage}")


def tell(damages: list[Damage], families: tuple[str, ...]) -> None:
    """Print what each family caught, what it caught alone, and the survivors; what took too long counts for nothing."""
    judged = [damage for damage in damages if set(families) <= damage.caught_by.keys()]
    caught = {family: [one for one in judged if one.caught_by[family] not in ("", TOO_LONG)] for family in families}
    say("\nfamily       caught alone too long")
    for family in families:
        alone = sum(not any(one in caught[other] for other in families if other != family) for one in caught[family])
        long = sum(one.caught_by[family] == TOO_LONG for one in judged)
        say(f"{family:12} {len(caught[family]):6} {alone:5} {long:8}")
    survivors = [one for one in judged if not any(one.caught_by.values())]
    say(f"of {len(judged)} places {len(survivors)} survived:", *survivors, sep="\n  ")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("caminhos", type=Path, help="coverage's data with contexts")
    parser.add_argument("--semente", type=int, default=1)
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--testes", type=int, default=40, help="at most so many tests judge a damage")
    parser.add_argument("--limite", type=float, default=300, help="seconds for the tests of one judgement")
    parser.add_argument("--familias", action="store_true", help="figures only, by each family of tests apart")
    parser.add_argument("--lugares", type=Path, help="where places drawn are kept, with the tests that caught them")
    parser.add_argument("--como", type=Path, help="such a file, whose places are judged again")
    chosen = parser.parse_args()
    kept = next((path for path in (chosen.lugares, chosen.como) if path and path.exists()), None)
    if kept is not None:
        damages = [Damage(**one) for one in json.loads(kept.read_text(encoding="utf-8"))][: chosen.n]
    else:
        damages = draw(chosen.semente, chosen.n, AREAS if chosen.familias else {"": ""})
    hints = [{**damage.caught_by} for damage in damages]
    if kept is not None and kept != chosen.lugares:
        damages = [replace(damage, caught_by={}) for damage in damages]

    def keep() -> None:
        if chosen.lugares:
            text = json.dumps([asdict(one) for one in damages], ensure_ascii=False, indent=1)
            chosen.lugares.write_text(text, encoding="utf-8")

    families = FAMILIES if chosen.familias else (ALL,)
    run(damages, hints, Walks(chosen.caminhos), families, chosen.testes, chosen.limite, keep)
    tell(damages, families)


if __name__ == "__main__":
    main()
