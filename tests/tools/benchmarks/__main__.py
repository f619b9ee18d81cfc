"""What a run costs beside the same work by other means, measured side by side: `python -m tests.tools.benchmarks`.

Each figure is that of a whole process: CPU and wall seconds, its largest memory, and what it asked of the service. That
is a page server of its own (`tests.tools.benchmarks.pages`), which sends bytes that it has sent before: what it costs
is in nobody's CPU and in everybody's wall time. Times of a shared machine swing: read the ratios, and let nothing else
run.

python -m tests.tools.benchmarks [--rows N] [--stack PYTHON]

measures `lastro run` twice on unchanged books, against a plain loop over the same pages and the floor of both
(`tests.tools.benchmarks.peers`); with --stack against what a user would pick instead: dlt, dbt, Dagster and XlsxWriter
in one job, a first and a second morning (`tests.tools.benchmarks.stack`).
"""

from __future__ import annotations

import argparse
import compileall
import tempfile
from pathlib import Path

from tests.tools.benchmarks.processes import paged, peer, run, say, stack


def compare(rows: int, python: str | None) -> None:
    """Measure two mornings of an invented company, and print a line of each and of its peers."""
    with tempfile.TemporaryDirectory() as name, paged(Path(name), rows) as pages:
        place = Path(name)
        first = pages.counted(lambda: run(place), place / "asked.json")
        plain = pages.counted(lambda: peer("plain", pages.base_url, place))
        say("plain", plain)
        say("first run", first, plain)
        say("floor of it", peer("floor", pages.base_url, place), plain)
        second = pages.counted(lambda: run(place))
        say("second run", second, plain)
        if python is not None:
            for label, ours in {"first": first, "second": second}.items():
                theirs = pages.counted(lambda: stack(pages.base_url, place, python))
                say(f"dlt, dbt, Dagster: {label} morning", theirs, plain)
                say(f"lastro's {label} run against it", ours, theirs)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.benchmarks", description=__doc__)
    parser.add_argument("--rows", type=int, default=5000, help="entries of the invented company")
    parser.add_argument("--stack", help="an interpreter that has what `tests.tools.benchmarks.stack` says it needs")
    options = parser.parse_args()
    compileall.compile_dir(Path(__file__).parents[3] / "src", quiet=2)
    compare(options.rows, options.stack)


if __name__ == "__main__":
    main()
