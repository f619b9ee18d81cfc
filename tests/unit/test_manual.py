"""The rule book: whatever the source cites is in it, it says what the code says, and every part can be asked for."""

from __future__ import annotations

import io
import pkgutil
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from lastro import manual
from lastro.catalogue import EVERY_REPORT, REPORT_TITLES
from lastro.cli import main
from lastro.errors import EXIT_ORDER, ConfigError, LastroError, RunHeld
from lastro.manual.command import manual as command
from lastro.manual.command import print_paged
from lastro.manual.search import find_topic
from lastro.quality.queries import ROOMS, read_findings, read_queries
from lastro.reports.sheets import SHEETS
from lastro.schema.payloads import CATEGORIAS, COBRANCAS, ITENS, LANCAMENTOS
from tests.tools.headings import render_pages
from tests.unit.reports.positions import golden_catalogue

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path
    for folder in ("src", "pipelines")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".sql", ".md"} and path.parent.name != "manual"
)
PARTS = manual.list_topics()
NUMBERS = {part.number: part for part in PARTS if part.number}

CITED = re.compile(r"\b(?:S\d{1,2}(?:\.\d)?|[RVQ]\d\d|DEC\d+)\b")
NAMED = re.compile(r"\(manual: ([\w-]+)\)")
ABSENT = re.compile(
    r"(?i)\bissue \d|\bsections? \d|\bseç(?:ão|ões) \d|functional design|report design|\bthe design\b"
    r"|observed behaviours? \d|\bhouse style\b|\breports? document\b|\b\d of 9\b"
)
"""Words that send a reader to a paper that this repository does not have."""


@pytest.fixture(scope="module")
def golden_reports() -> dict[str, tuple[str, str]]:
    """Question and sheet of every report, as the golden data print them."""
    homes = {name: sheet.name for sheet in SHEETS for name in sheet.sections}
    # Of the sheets on which a report stands the first is named; one that SQL alone has (R03) has none.
    order = [sheet.name for sheet in SHEETS]
    return {
        spec.code: (spec.question, "Resumo" if spec.code == "R00" else min(found, key=order.index, default="–"))
        for spec, report in zip(EVERY_REPORT, golden_catalogue().reports, strict=True)
        for names in [[one.name for one in report.sections] or [spec.name]]
        for found in [[homes[name] for name in names if name in homes]]
    }


@cache
def read_lines() -> list[tuple[str, str]]:
    """Read place and text of each line of the sources, codes of the linter left out: S101 is no rule of ours."""
    return [
        (f"{place}:{number}", re.sub(r"# (?:noqa|fmt|type):.*", "", line))
        for path in SOURCES
        for place in [path.relative_to(ROOT)]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]


def test_every_number_that_the_source_cites_has_its_heading() -> None:
    lost = [
        f"{place}: {number}" for place, line in read_lines() for number in CITED.findall(line) if number not in NUMBERS
    ]
    assert lost == []


def test_every_number_that_the_manual_cites_has_its_heading() -> None:
    # A worked example (fenced, or a file of it) may use numbers that nobody has.
    prose = [re.sub(r"(?s)```.*?```|`src/\S+`:", "", part.text) for part in PARTS]
    assert {number for text in prose for number in CITED.findall(text)} <= set(NUMBERS)


def test_every_part_that_the_source_names_is_there() -> None:
    for _, line in read_lines():
        for tema in NAMED.findall(line):
            assert manual.read_exact(tema), tema


def test_no_line_sends_the_reader_to_a_document_that_is_not_here() -> None:
    here = {path.name for path in ROOT.rglob("*.md") if "/." not in str(path.relative_to(ROOT))}
    lost = [
        f"{place}: {line.strip()}"
        for place, line in read_lines()
        if ABSENT.search(line) or (".md" in line and not set(re.findall(r"[\w-]+\.md\b", line)) <= here)
    ]
    assert lost == []


def test_titles_severities_and_advice_are_those_of_the_registries() -> None:
    for page, text in render_pages().items():
        assert manual.read_page(page) == text, f"{page}.md: `python -m tests.tools.headings` writes it anew"


LIVE = {"V33"}
"""Checks that the file makes of itself, so that no run has a result of them."""
OF_R00 = "R22"
"""What stands on a sheet of R00, though it has a number of its own."""


def test_the_pages_have_no_report_check_or_finding_more_than_the_code() -> None:
    known = {*REPORT_TITLES, OF_R00, *read_queries(*ROOMS), *LIVE, *read_findings(*ROOMS)} - {"MEMO", "PAR"}
    headings = {number for number in NUMBERS if re.fullmatch(r"[RVQ]\d\d", number)}
    assert headings - known == set(), "nothing in the code has these numbers"
    assert known - headings == set(), "write the heading of each"


def test_questions_and_sheets_are_those_that_the_workbook_prints(golden_reports: dict[str, tuple[str, str]]) -> None:
    for code, (question, sheet) in golden_reports.items():
        text = " ".join(NUMBERS[code].text.split())
        assert f"**Pergunta.** {question} **Folha** {sheet}" in text, code


def test_every_needed_field_stands_on_the_page_of_the_service() -> None:
    text = manual.read_page("servico")
    for spec in (LANCAMENTOS, ITENS, COBRANCAS, CATEGORIAS):
        for item in spec.fields:
            assert not item.needed or re.search(rf"\b{item.name}\b", text), item.name


def test_every_error_has_its_page_and_exit_code() -> None:
    codes = find_topic("códigos de saída")
    for kind in (*LastroError.__subclasses__(), *RunHeld.__subclasses__()):
        assert find_topic(kind.__name__).startswith(f"## {kind.__name__}\n")
        # A run ends with one of the two kinds of RunHeld, never with the bare one.
        assert kind is RunHeld or re.search(rf"^\| {kind.exit_code} \| {kind.__name__}\b", codes, re.MULTILINE)
    order = ", ".join(str(code) for code in EXIT_ORDER)
    assert f"na ordem {order}" in " ".join(codes.split())


def test_every_view_that_is_named_is_in_the_dictionary() -> None:
    dictionary = manual.read_page("dicionario")
    named = {view for part in PARTS for view in re.findall(r"\bmart\.(?!py\b)[a-z_]+(?![a-z_(])", part.text)}
    assert len(named) > 20
    known = {view for view in named if f"### {view}\n" in dictionary or f"| {view}(" in dictionary}
    # One stands only where a setting asks for it, one in the worked example.
    assert named - known == {"mart.em_aberto_por_forma"}


def test_every_place_that_a_decision_names_is_there() -> None:
    text = " ".join(manual.read_page("decisoes").split())
    named = re.findall(r"`([\w.]+)`(?: and `([\w.]+)`)? in `([\w./]+)`", text)
    assert len(named) > 30
    for *names, place in named:
        top = ROOT if "/" in place else ROOT / ("pipelines" if place.startswith("lastro_pipelines") else "src")
        path = top / place if "/" in place else (top / place.replace(".", "/")).with_suffix(".py")
        source = (path if path.exists() else path.with_suffix("") / "__init__.py").read_text(encoding="utf-8")
        for name in filter(None, names):
            own = name.split(".")[-1]
            assert re.search(rf"^ *(?:(?:def|class) )?{own}\b(?:[(:\[]| =)", source, re.MULTILINE), f"{name} in {place}"


def test_every_module_that_is_named_is_there() -> None:
    missing = set()
    for part in PARTS:
        for name in re.findall(r"`(lastro(?:_sandbox|_pipelines)?(?:\.[a-z_0-9]+)+)(?:\.[A-Z]\w*)?`", part.text):
            path = ROOT / ("pipelines" if name.startswith("lastro_pipelines") else "src") / name.replace(".", "/")
            if not (path.is_dir() or path.with_suffix(".py").exists() or name in {"lastro.toml", "lastro.duckdb"}):
                missing.add(f"{part.page}: {name}")
    assert not missing


def test_every_place_on_the_way_from_page_to_cell_is_there() -> None:
    section = manual.read_page("como-fazer").partition("## From page to cell")[2]
    places = re.findall(r"`((?!raw|core|mart)(?:[a-z_0-9]+\.)+\w+(?:\.[a-z_]+)?)`", section.partition("\n## ")[0])
    assert len(places) == 20
    assert [place for place in places if not callable(pkgutil.resolve_name(f"lastro.{place}"))] == []


def test_every_heading_can_be_asked_for() -> None:
    found = {part: find_topic(part.number or part.title) for part in PARTS}
    wrong = [part for part, text in found.items() if text not in (part.text + "\n", manual.read_page(part.page))]
    assert not wrong


@pytest.mark.parametrize("tema", ["s7", "S07", " S7 ", "S7"])
def test_a_number_is_found_however_it_is_written(tema: str) -> None:
    text = find_topic(tema)
    assert text.startswith("## S7. ")
    assert "## S8" not in text
    assert text.endswith("\n")


def test_the_number_of_a_rule_brings_its_parts_and_a_part_comes_alone() -> None:
    assert "### S2.3. " in find_topic("S2")
    assert find_topic("S2.3").startswith("### S2.3. ")
    assert "S2.4." not in find_topic("S2.3")
    assert find_topic("S13.9") == find_topic("S13")


def test_a_table_of_the_dictionary_comes_alone_with_its_columns() -> None:
    text = find_topic("mart.a_receber")
    assert text.startswith("### mart.a_receber\n")
    assert "| titulo_id | BIGINT |" in text
    assert "mart.a_receber_faixas" not in text
    assert "### mart.a_receber_faixas" in find_topic("mart")


def test_pages_and_headings_are_found_without_accents_and_case() -> None:
    assert find_topic("Regras") == manual.read_page("regras")
    assert find_topic("nao confiavel") == find_topic("NÃO CONFIÁVEL")


@pytest.mark.parametrize("tema", ["xyzzy", "", "../settings"])
def test_an_unknown_topic_names_the_known_ones(tema: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_topic(tema)
    told = str(caught.value).partition("». ")[2]
    assert all(page in told for page in manual.list_pages())
    for letter, first, missing in (("S", 1, 19), ("R", 0, 25), ("V", 1, 28), ("Q", 1, 32)):
        ranges = re.findall(rf"\b{letter}(\d+)(?: a {letter}(\d+))?", told)
        named = {number for low, high in ranges for number in range(int(low), int(high or low) + 1)}
        headings = {int(number[1:]) for number in NUMBERS if re.fullmatch(rf"{letter}\d+", number)}
        assert named == headings
        assert (first in named, missing in named) == (True, False)


def test_numbers_and_headings_are_unique() -> None:
    numbers = [part.number for part in PARTS if part.number]
    assert len(numbers) == len(set(numbers))
    titles = [part.title.casefold() for part in PARTS if not part.number]
    assert len(titles) == len(set(titles))


def test_pages_are_those_of_the_folder_and_begin_with_a_title() -> None:
    files = {path.stem for path in (ROOT / "src/lastro/manual").glob("*.md")}
    assert set(manual.list_pages()) - {"configuracao", "dicionario"} == files  # those are written when asked
    for page in files:
        assert re.match(r"# \S", manual.read_page(page))


def test_lines_fit_and_name_no_machine() -> None:
    for page in [*(ROOT / "src/lastro/manual").glob("*.md"), ROOT / "CONTRIBUTING.md"]:
        text = page.read_text(encoding="utf-8")
        assert not [line for line in text.splitlines() if len(line) > 120 or line != line.rstrip()], page.name
        assert not re.search(r"/(?:work|tmp|home|root)/|https?://(?!\w+\.example\.com)", text), page.name


def test_the_command_prints_pages_parts_and_the_list() -> None:
    runner = CliRunner()
    listed = runner.invoke(command, [])
    assert listed.exit_code == 0
    assert all(page in listed.output for page in manual.list_pages())
    assert runner.invoke(command, ["S13"]).output == find_topic("S13")
    assert runner.invoke(command, ["falhas"]).output == manual.read_page("falhas")
    unknown = runner.invoke(command, ["S99"])
    assert isinstance(unknown.exception, ConfigError)


@pytest.mark.parametrize(
    ("tema", "head"),
    [
        ("a_receber", "### mart.a_receber\n"),
        ("DRE", "### mart.dre\n"),
        ("limite_exclusoes", "limite_exclusoes, em [empresa.parametros]\n"),
        ("formas", "formas, em [empresa.parametros]\n"),
        ("saldo  INICIAL", "22 lugares:\n"),
    ],
)
def test_what_is_no_heading_is_found_as_table_setting_or_text(tema: str, head: str) -> None:
    text = CliRunner().invoke(command, tema.split(" ")).output
    assert re.sub(r"^\d+ lugares", "22 lugares", text).startswith(head)
    if tema == "formas":
        assert "### core.formas" in text


def test_places_are_told_with_what_to_ask_and_the_line() -> None:
    (first, ask, line) = find_topic("variação, não saldo").splitlines()[:3]
    assert re.fullmatch(r"\d+ lugar(es)?:", first)
    assert re.match(r"  lastro manual \S+", ask)
    assert "variação, não saldo" in line
    with pytest.raises(ConfigError, match="nada sobre «xyzzy»"):
        find_topic("xyzzy")


@pytest.mark.parametrize(("tema", "told"), [("S99", r"S1 a S18, S20, S23 a S\d+"), ("r42", r"R00 a R\d+[R\d, a]*")])
def test_a_number_that_there_is_not_names_those_of_its_letter(tema: str, told: str) -> None:
    with pytest.raises(ConfigError, match=rf"nada sobre «{tema}»\. Há {told}\.$"):
        find_topic(tema)


def test_words_that_stand_apart_are_found_after_those_that_stand_together() -> None:
    apart = find_topic("duas empresas")
    assert re.match(r"\d+ lugares:\n", apart)
    assert "duas" in apart.casefold()
    assert find_topic("empresas duas").splitlines()[0] == apart.splitlines()[0]
    assert find_topic("variação, não saldo").splitlines()[2].count("variação, não saldo") == 1


def test_a_command_is_told_first_then_its_sheet() -> None:
    told = CliRunner().invoke(main, ["manual", "saldos"]).output
    assert told.startswith("lastro saldos: ")
    assert "lastro manual R01" in told
    assert CliRunner().invoke(main, ["manual", "S7"]).output == find_topic("S7")


@pytest.mark.parametrize(("lines", "paged"), [(10, True), (10_000, False)])
def test_a_page_that_the_terminal_does_not_hold_is_paged(
    monkeypatch: pytest.MonkeyPatch, lines: int, *, paged: bool
) -> None:
    shown: list[str] = []
    monkeypatch.setattr("click.echo_via_pager", shown.append)
    monkeypatch.setattr("sys.stdout", Screen())
    monkeypatch.setenv("LINES", str(lines))
    monkeypatch.setenv("COLUMNS", "120")
    print_paged("x\n" * 50)
    assert bool(shown) is paged


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_reading_needs_neither_pandas_nor_dagster() -> None:
    code = (
        "import sys; from lastro.manual import command, search; search.find_topic('S7'); "
        "assert not {'pandas', 'duckdb', 'dagster', 'openpyxl', 'httpx'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)  # noqa: S603 - our own interpreter


RANGE = re.compile(r"\b[VQ]\d{2} (?:to|a|até|through|-|–) [VQ]\d{2}\b")
DATED = {"decisoes.md"}
"""Decisions say what was so on their day."""


def test_nobody_types_which_checks_there_are() -> None:
    """Which numbers there are is rendered from the files (`lastro manual` without a topic): typed, it grows wrong."""
    assert RANGE.search("V01 a V21, V27")
    assert not RANGE.search("V01 e V02")
    library = ROOT / "src/lastro"
    texts = [*library.rglob("*.md"), *library.rglob("*.sql"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    texts += [path for path in library.rglob("*.py") if path.parent.name != "quality"]
    found = [path.name for path in texts if path.name not in DATED and RANGE.search(path.read_text(encoding="utf-8"))]
    assert found == []
