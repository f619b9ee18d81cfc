"""Many companies in one settings file: in turn, two at a time, one of them bad; and what is kept of them all."""

from __future__ import annotations

import argparse
import json
import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from lastro.run.names import COBRANCA
from lastro.settings import Retencao
from tests.tools.benchmarks.processes import DAY, LASTRO, Cost, measure, say, served, tell, weigh

OFFICE: Final = 200
"""Companies that the projection is for."""
HOURLY: Final = 20
"""How many of them have hot runs too."""
HOT_A_DAY: Final = 12
"""Hot runs of a working day (`lastro_pipelines.schedules.QUENTE_CRON`)."""
DAYS: Final = 30
"""Days for which pages are kept; workbooks of hot runs are for a week."""
WORKING_DAYS: Final = 22
HOT_DAYS: Final = 5
"""Working days of a month, and of a week."""
REJECTED: Final = 3
"""Exit code of a batch with a company whose token is refused."""


def bench_fleet(rows: int, options: argparse.Namespace) -> None:
    """Run an office's companies in turn and two at a time, and project what it keeps to 200 of them."""
    count = options.companies
    names = [f"c{number:03}" for number in range(1, count + 1)]
    env = {f"SANDBOX_TOKEN_{name.upper()}": f"token-{name}" for name in names}
    env[f"SANDBOX_TOKEN_{names[-1].upper()}"] = "errada"
    tenants = [text for name in names for text in ("--inventar", f"{name}:token-{name}:{name[1:].lstrip('0')}")]
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), rows, *tenants):
        first, second = Path(folder) / "turn", Path(folder) / "two"
        for place in (first, second):
            place.mkdir()
            (place / "lastro.toml").write_bytes((Path(folder) / "lastro.toml").read_bytes())
        turn = run_all(first, env)
        check(first, names)
        say(f"{count} in turn, in one process", turn)
        two = run_all(second, env, "--paralelo", "2")
        check(second, names)
        say(f"{count} two at a time", two, turn)
        each = count - 1
        tell(f"{'a company, in turn':<34}{turn.cpu / each:9.2f} s CPU {turn.wall / each:9.2f} s")
        tell_size(second, env, names)
        minutes = [OFFICE / count * cost.wall / 60 for cost in (turn, two)]
        tell(f"{OFFICE} of them: {minutes[0]:.0f} min in turn, {minutes[1]:.0f} min two at a time")


def run_all(place: Path, env: dict[str, str], *how: str) -> Cost:
    """Run every company of the settings."""
    return measure([*LASTRO, "run", "--data-extracao", DAY, "--json", *how], place, env, (0, REJECTED))


def check(place: Path, names: list[str]) -> None:
    """Demand that all published but the last, which was refused, alone."""
    told: list[dict[str, Any]] = [json.loads(line) for line in (place / "out").read_bytes().splitlines()]
    codes = {each["empresa"]: (each["codigo"], each.get("erro")) for each in told}
    wanted = dict.fromkeys(names[:-1], (0, None)) | {names[-1]: (REJECTED, "ApiRejected")}
    if codes != wanted:
        raise RuntimeError(f"{place.name}: {[each for each in codes.items() if each[1] != wanted[each[0]]]}")


def tell_size(place: Path, env: dict[str, str], names: list[str]) -> None:
    """Measure what a company keeps, and project it: so many of each a day and a month.

    A company is weighed after its third run, and what a further day adds to it: of pages and `cobranca` every day is
    kept for a month, of other files for people what `[retencao]` keeps of so many days. A hot run leaves all of these
    once more, for as long as what was made again is kept.
    """
    good = names[: min(len(names) - 1, 4)]
    for modo in ("completa", "quente"):
        for name in good:
            command = [*LASTRO, "run", "--data-extracao", DAY, "--empresa", name, "--modo", modo]
            measure(command, place, env)
    folders = [place / "dados" / name for name in good]
    company = sum(map(weigh, folders)) / len(good)
    each = map(weigh_day, folders)
    pages, desk, thinned = (sum(weights) / len(good) for weights in zip(*each, strict=True))
    tell(
        f"{'a company after three runs':<34}{company / 1e6:9.2f} MB, {(pages + desk + thinned) / 1e6:.2f} MB more a day"
    )
    files = OFFICE * (company + (DAYS - 1) * (pages + desk) + (count_kept() - 1) * thinned)
    files += HOURLY * HOT_A_DAY * (WORKING_DAYS * pages + HOT_DAYS * (desk + thinned))
    tell(f"{OFFICE} of them, {HOURLY} hourly: {files / 1e9:.1f} GB after a month")


def weigh_day(pasta: Path) -> tuple[int, int, int]:
    """Weigh what one run leaves that the next one does not replace: pages, `cobranca`, and what is thinned."""
    pages = sorted((pasta / "privado" / "paginas").iterdir())
    files = [path for path in (pasta / "relatorios").rglob("*") if path.is_file() and "_r" not in path.stem]
    sizes = {path: path.stat().st_size for path in files}
    of_desk = sum(size for path, size in sizes.items() if path.name.startswith(f"{COBRANCA}_"))
    return weigh(pages[0]), of_desk, sum(sizes.values()) - of_desk


def count_kept() -> int:
    """Count the days of a month of which other workbooks and pages are still there, as the defaults have it."""
    last = date.fromisoformat(DAY)
    days = [last - timedelta(days=age) for age in range(DAYS)]
    weekly = {day.isocalendar()[:2]: day for day in sorted(days)}.values()
    return sum((last - day).days <= Retencao().diarias_dias or day in weekly for day in days)
