"""Imports point one way; this test names whoever broke it (house style, import rules)."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = {
    "lastro": ROOT / "src/lastro",
    "lastro_sandbox": ROOT / "src/lastro_sandbox",
    "lastro_pipelines": ROOT / "pipelines/lastro_pipelines",
}

ONLY_IN = {
    # The session passes a transport through, as tests do; the webhook posts.
    "httpx": ("lastro.api", "lastro.run.session", "lastro.operation.channels"),
    "smtplib": ("lastro.operation.channels",),
    "duckdb": ("lastro.warehouse", "lastro.group.company_books", "lastro.group.database"),
    "openpyxl": ("lastro.export", "lastro.entrada.workbook"),
    "reportlab": ("lastro.page.pdf",),
    "dagster": ("lastro_pipelines",),
    "starlette": ("lastro_sandbox",),
    "uvicorn": ("lastro_sandbox", "lastro.guard.server"),
    "dagster_webserver": ("lastro_pipelines.webserver", "lastro_pipelines.private"),
    "click": ("lastro.cli", "lastro.commands", "lastro.manual.command", "lastro_sandbox"),
    "deltalake": ("lastro.warehouse.publication.delta",),
    "rich": ("lastro.cli", "lastro.progress", "lastro.terminal"),
}
"""Package -> the only modules that may import it."""

FLOOR = (
    "lastro.calendar", "lastro.clock", "lastro.errors", "lastro.extras", "lastro.files", "lastro.folding",
    "lastro.money", "lastro.secret_key",
)  # fmt: skip
"""What everything in `lastro` may import: days, the clock, errors, extras, whole files, folding, money, a key."""
_FIGURES = ("lastro.grid", "lastro.analysis", "lastro.transform", "lastro.settings")
_RUN = ("lastro.warehouse", "lastro.catalogue", "lastro.run")
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "lastro.settings": (),
    "lastro.schema": (),
    "lastro.api": ("lastro.settings",),
    "lastro.extract": ("lastro.api",),
    "lastro.entrada": ("lastro.schema",),
    "lastro.guard": (),
    "lastro.grid": ("lastro.schema",),
    "lastro.terminal": ("lastro.grid",),
    "lastro.progress": ("lastro.extract", "lastro.grid"),
    "lastro.transform": ("lastro.settings", "lastro.schema"),
    "lastro.analysis": ("lastro.grid", "lastro.transform", "lastro.settings", "lastro.schema"),
    "lastro.reports": ("lastro.entrada", *_FIGURES),
    "lastro.export": ("lastro.entrada", "lastro.grid"),
    "lastro.warehouse.file": ("lastro.schema", *_FIGURES),
    "lastro.warehouse.loading": ("lastro.entrada", "lastro.schema", "lastro.warehouse.file", *_FIGURES),
    "lastro.warehouse.publication": (
        "lastro.schema", "lastro.warehouse.file", "lastro.warehouse.loading", *_FIGURES,
    ),
    "lastro.warehouse": ("lastro.entrada", "lastro.schema", *_FIGURES),
    "lastro.quality": ("lastro.entrada", "lastro.schema", "lastro.warehouse.file", *_FIGURES),
    "lastro.bank": ("lastro.entrada", "lastro.reports", "lastro.schema", "lastro.warehouse", *_FIGURES),
    "lastro.catalogue": ("lastro.bank", "lastro.quality", "lastro.reports", *_FIGURES),
    "lastro.run.names": ("lastro.api", "lastro.schema"),
    "lastro.closing": (
        "lastro.entrada", "lastro.export", "lastro.reports", "lastro.run.names", "lastro.schema", "lastro.warehouse",
        *_FIGURES,
    ),
    "lastro.desk": (
        "lastro.entrada", "lastro.export", "lastro.reports", "lastro.run.names", "lastro.warehouse", *_FIGURES,
    ),
    "lastro.page": ("lastro.catalogue", "lastro.export", "lastro.run.names", *_FIGURES),
    "lastro.run": (
        "lastro.api", "lastro.bank", "lastro.catalogue", "lastro.closing", "lastro.desk", "lastro.entrada",
        "lastro.export", "lastro.extract", "lastro.page", "lastro.quality", "lastro.reports", "lastro.schema",
        "lastro.warehouse", *_FIGURES,
    ),
    "lastro.manual": (
        "lastro.bank", "lastro.desk", "lastro.quality", "lastro.reports", "lastro.schema", *_RUN, *_FIGURES,
    ),
    "lastro.group": ("lastro.export", "lastro.reports", "lastro.schema", *_RUN, *_FIGURES),
    "lastro.operation": ("lastro.api", "lastro_pipelines", "lastro.schema", *_RUN, *_FIGURES),
}  # fmt: skip
"""Package -> the other parts of `lastro` it may import, besides itself and `FLOOR`; each only what stands above it.

schema    columns, tables, payload fields, kinds and states of runs: names no other part.
api       the service; extract reads through it. Neither knows what becomes of a page.
guard     who may ask the Dagster UI for anything, and the web server behind that; knows nothing else of lastro.
entrada   files and texts of people: opened without harm, amounts and days read or refused (S18).
grid      report, section, table, column, cell: values that any writer can print.
transform records -> linhas, títulos, position; knows no report.
analysis  position -> frames and cells of the grid: what reports lay out and checks hold against direct sums.
reports   lay out; never look at a check. What several share is `reports.shared`, parts of the cover `reports.cover`.
export    grid -> file; knows neither figures nor finance.
warehouse file: the private file and its tables; loading: pages into it, history, what runs noticed; publication: what
          others read. None knows a report.
quality   stands beside reports and never imports them: it judges the tables that they made.
bank, closing, desk, page: each with its own layout, reader, writer and tables; none knows the run that asks it.
catalogue where reports and checks meet.
run       one run of one company: what it asks of each room, and in which order.
manual    the rule book, and what a company without records would publish, described.
group     what several companies come to together.
operation keeping it going for years: state, doctor, notices, retention.
What is not named here assembles (commands, cli) and may import all of `lastro`.
"""
NEVER = {"lastro_sandbox": ("lastro",)}
"""Tree -> what it must not import, with everything below."""
WAYS_BACK = ("lastro.operation.records", "lastro.commands.dev", "lastro.commands.web", "lastro_pipelines")
"""The only modules that may import the code location: Dagster need not be installed."""


def _modules() -> Iterator[tuple[str, Path]]:
    for package, folder in SOURCES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            yield ".".join([package, *(part for part in parts if part != "__init__")]), path


@cache
def _imports(path: Path) -> tuple[tuple[str, int], ...]:
    """What a module imports and in which line; a relative import begins with its dots."""
    return tuple(_find_imports(_walk(path)))


@cache
def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _walk(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_parse(path)))


def _find_imports(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), node.lineno


def _within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def _find_homonyms(modules: Iterable[tuple[str, Path]]) -> dict[str, list[str]]:
    """Find the public classes and functions of modules whose name stands in several: name -> modules, in order."""
    homes: dict[str, list[str]] = {}
    for module, path in modules:
        for node in _parse(path).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith(
                "_"
            ):
                homes.setdefault(node.name, []).append(module)
    return {name: found for name, found in homes.items() if len(found) > 1}


MODULES = list(_modules())


def test_imports_point_one_way() -> None:
    offences = [offence for module, path in MODULES for offence in _find_wrong_imports(module, path)]
    assert not offences, "\n".join(offences)


def _find_wrong_imports(module: str, path: Path) -> Iterator[str]:
    for imported, line in _imports(path):
        for library, homes in ONLY_IN.items():
            if _within(imported, library) and not any(_within(module, home) for home in homes):
                yield f"{module}:{line} imports {imported}; only {', '.join(homes)} may"
        for package, others in MAY_IMPORT.items():
            ours = _within(module, package) and _within(imported, "lastro")
            if ours and not any(_within(imported, target) for target in (package, *FLOOR, *others)):
                yield f"{module}:{line} imports {imported}; {package} may only {', '.join(others)}"
        for package, forbidden in NEVER.items():
            if _within(module, package) and any(_within(imported, target) for target in forbidden):
                yield f"{module}:{line} imports {imported}; {package} must not"


def test_the_code_location_has_one_door() -> None:
    offences = []
    for module, path in MODULES:
        for imported, line in _imports(path):
            if _within(imported, "lastro_pipelines") and not any(_within(module, way) for way in WAYS_BACK):
                offences.append(f"{module}:{line} imports {imported}")
        if not _within(module, "lastro_pipelines") and any(imported.startswith(".") for imported, _ in _imports(path)):
            offences.append(f"{module} imports relatively")
    assert not offences, "\n".join(offences)


PRIVATE = re.compile(r"dagster[a-z_]*\._")


def test_what_is_used_of_dagster_is_public_but_for_three_things_in_one_file() -> None:
    """An import, or a class in a `dagster.yaml`: the next version of Dagster may have moved it."""
    found = {
        module: uses for module, path in MODULES if (uses := len(PRIVATE.findall(path.read_text(encoding="utf-8"))))
    }
    assert found == {"lastro_pipelines.private": 3}


def _find_private(path: Path) -> set[str]:
    """Find the private names of others that a module uses: attributes, and what it imports of openpyxl."""
    found = set()
    for node in _walk(path):
        if isinstance(node, ast.Attribute) and re.match(r"_[a-z]", node.attr):
            if not (isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}):
                found.add(node.attr)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("openpyxl"):
            found |= {one.name for one in node.names if one.name.startswith("_")}
    return found


def test_what_is_used_of_openpyxl_is_public_but_for_two_names_in_one_file() -> None:
    writers = [one for one in MODULES if any(_within(name, "openpyxl") for name, _ in _imports(one[1]))]
    found = {module: names for module, path in writers if (names := _find_private(path))}
    assert found == {"lastro.export.skeleton": {"_fonts", "_style"}}


def test_a_private_name_of_openpyxl_is_seen(tmp_path: Path) -> None:
    offender = tmp_path / "offender.py"
    offender.write_text("from openpyxl.a import _B\nself._own = cell._style\n", encoding="utf-8")
    assert _find_private(offender) == {"_B", "_style"}


def test_the_argument_of_every_builder_knows_no_row_of_a_report() -> None:
    """Nor do the facts that it holds."""
    paths = {module: path for module, path in MODULES if module in {"lastro.reports.view", "lastro.reports.facts"}}
    named = {
        name: {node.module for node in _walk(path) if isinstance(node, ast.ImportFrom) and node.module}
        for name, path in paths.items()
    }
    assert {name: {one for one in found if _within(one, "lastro.reports")} for name, found in named.items()} == {
        "lastro.reports.view": {"lastro.reports.facts"},
        "lastro.reports.facts": set(),
    }


MOST_LINES = {"module": 450, "class": 250}
"""What a reader can hold in mind; the head of a longer one says why it is one thing: "Long because ..."."""


def _find_long(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines > MOST_LINES["module"] and "Long because " not in (ast.get_docstring(tree) or ""):
        yield f"{path.name}: {lines} lines"
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.end_lineno is not None:
            lines = node.end_lineno - node.lineno + 1
            if lines > MOST_LINES["class"] and "Long because " not in (ast.get_docstring(node) or ""):
                yield f"{path.name}: class {node.name} of {lines} lines"


def test_a_module_or_class_longer_than_one_can_hold_in_mind_says_why() -> None:
    ours = [path for module, path in MODULES if not _within(module, "lastro_sandbox")]
    assert not [long for path in ours for long in _find_long(path)]


def test_what_is_too_long_is_seen_unless_its_head_says_why(tmp_path: Path) -> None:
    offender = tmp_path / "offender.py"
    body = "    x = 1\n" * 450
    offender.write_text(f"class Long:\n{body}", encoding="utf-8")
    assert list(_find_long(offender)) == ["offender.py: 451 lines", "offender.py: class Long of 451 lines"]
    why = "One table.\n\nLong because its rows are one list.\n"
    offender.write_text(f'"""{why}"""\nclass Long:\n    """{why}    """\n{body}', encoding="utf-8")
    assert list(_find_long(offender)) == []


def draw() -> str:
    """Draw the allow list: every part below those that import it, arrows that follow from others left out."""
    short = {
        name.removeprefix("lastro."): [other.removeprefix("lastro.") for other in others if other in MAY_IMPORT]
        for name, others in MAY_IMPORT.items()
    }

    def below(name: str) -> set[str]:
        return {found for other in short[name] for found in (other, *below(other))}

    def level(name: str) -> int:
        return max((level(other) + 1 for other in short[name]), default=0)

    width = max(map(len, short)) + 1
    rows = []
    for name in sorted(short, key=lambda name: (-level(name), name)):
        direct = [one for one in short[name] if not any(one in below(other) for other in short[name])]
        rows.append(f"{name:<{width}}─► {', '.join(sorted(direct))}" if direct else name)
    return "\n".join(
        [
            f"{'run, cli, ..':<{width}}─► all of these",
            *rows,
            f"each of them  ─► {', '.join(name.removeprefix('lastro.') for name in FLOOR)}",
        ]
    )


def test_contributing_draws_what_may_import_what() -> None:
    drawn = f"```\n{draw()}\n```"
    assert drawn in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), f"put this into CONTRIBUTING:\n{drawn}"


def _is_command(module: str) -> bool:
    return any(_within(module, part) for part in ("lastro.cli", "lastro.commands", "lastro_pipelines"))


CLOCK_OR_ENVIRONMENT = {
    ("datetime", "now"),
    ("date", "today"),
    ("datetime", "today"),
    ("os", "environ"),
    ("os", "getenv"),
}


def test_only_commands_and_pipelines_read_clock_or_environment() -> None:
    # `lastro.clock` has `utc_now`, the default of a parameter that tests replace.
    library = [(module, path) for module, path in MODULES if _within(module, "lastro") and module != "lastro.clock"]
    offences = [
        f"{module}:{node.lineno} uses {node.value.id}.{node.attr}"
        for module, path in library
        if not _is_command(module)
        for node in _walk(path)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if (node.value.id, node.attr) in CLOCK_OR_ENVIRONMENT
    ]
    assert not offences, "\n".join(offences)


def test_a_name_means_one_thing() -> None:
    """Who meets a name in a message, a review or an import knows which is meant."""
    homonyms = _find_homonyms((module, path) for module, path in MODULES if _within(module, "lastro"))
    assert homonyms == {}


def test_a_name_of_two_modules_is_seen(tmp_path: Path) -> None:
    sources = {
        "a": "class Part: ...\ndef _own(): ...\ndef build(): ...\n",
        "b": "class Other:\n    def build(self): ...\ndef _own(): ...\nasync def fetch(): ...\n",
        "c": "from a import build\nclass Part: ...\ndef fetch(): ...\n",
    }
    for name, text in sources.items():
        (tmp_path / f"{name}.py").write_text(text)
    found = _find_homonyms((name, tmp_path / f"{name}.py") for name in sources)
    assert found == {"Part": ["a", "c"], "fetch": ["b", "c"]}


def test_the_walker_sees_an_offence(tmp_path: Path) -> None:
    offender = tmp_path / "offender.py"
    offender.write_text("import httpx\nfrom lastro.api import client\n", encoding="utf-8")
    assert [name for name, _ in _imports(offender)] == ["httpx", "lastro.api"]


def test_the_allow_list_names_parts_that_exist_and_runs_one_way() -> None:
    names = {module for module, _ in MODULES}
    assert {*MAY_IMPORT, *FLOOR, *(other for others in MAY_IMPORT.values() for other in others)} <= names
    seen = {"lastro_pipelines"}  # asked by those of `WAYS_BACK`
    for package, others in MAY_IMPORT.items():
        # Each may import only what stands above it in the list: no two parts can need each other.
        assert set(others) <= seen, package
        seen.add(package)


def test_every_room_is_named() -> None:
    """What may import everything is what assembles, and nothing else."""
    assembles = {"lastro.__main__", "lastro.cli", "lastro.commands", "lastro_pipelines", "lastro.garbage"}
    rooms = {".".join(module.split(".")[:2]) for module, _ in MODULES if _within(module, "lastro")} - {"lastro"}
    assert rooms - assembles <= {*MAY_IMPORT, *FLOOR}


def test_tests_share_helpers_and_never_one_another() -> None:
    offences = [
        f"{path.relative_to(ROOT)} imports {imported}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if re.search(r"\btests\.(\w+\.)*test_", path.read_text(encoding="utf-8"))
        for imported, _ in _imports(path)
        if imported.startswith("tests.") and any(part.startswith("test_") for part in imported.split("."))
    ]
    assert not offences, "\n".join(offences)


def test_figures_by_hand_take_nothing_from_what_they_judge() -> None:
    for name in ("dataset", "expected"):
        imported = {module.partition(".")[0] for module, _ in _imports(ROOT / f"tests/golden/{name}.py")}
        assert imported <= {*sys.stdlib_module_names, "tests"}, name
