"""What heavy files of people cost a run: each is put into the entry folder of a company that was read once."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tests.tools.benchmarks.processes import LASTRO, Cost, measure, run, say, served, tell

LINES: Final = 199_000
"""Just within what a statement may have."""
_HEAD: Final = "OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL\n"
_ACCOUNT: Final = "<BANKACCTFROM><BANKID>341<ACCTID>{}</BANKACCTFROM>\n"
_TAIL: Final = "</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n"
_STATEMENT: Final = _HEAD + _ACCOUNT + "<BANKTRANLIST><DTSTART>20261101<DTEND>20261119\n"


def _line(number: int, amount: str) -> str:
    day = f"202611{1 + number % 19:02d}"
    return f"<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{day}<TRNAMT>{amount}<FITID>{number}<MEMO>PAGAMENTO {number}</STMTTRN>\n"


def _list(conta: str, amount: Callable[[int], str]) -> str:
    return _STATEMENT.format(conta) + "".join(_line(number, amount(number)) for number in range(LINES)) + _TAIL


def _accounts() -> str:
    each = "<STMTRS><BANKACCTFROM><BANKID>341<ACCTID>{0}</BANKACCTFROM><BANKTRANLIST>{1}</BANKTRANLIST></STMTRS>\n"
    return "<OFX>\n" + "".join(each.format(900_000 + number, _line(number, "-1.50")) for number in range(LINES))


def _balances(lines: int) -> str:
    return "data;conta;saldo;nota\n" + "".join(f"ontem;{number};abc;\n" for number in range(lines))


LINKED: Final = "12345-6"
FILES: Final[Mapping[str, tuple[str, Callable[[], str]]]] = {
    "199,000 lines refused": ("extratos/a.ofx", lambda: _list(LINKED, lambda number: f"1.{number:06d}")),
    "199,000 lines refused, no account": ("extratos/a.ofx", lambda: _list("77", lambda number: f"1.{number:06d}")),
    "199,000 accounts without link": ("extratos/a.ofx", _accounts),
    "199,000 lines accepted": ("extratos/a.ofx", lambda: _list(LINKED, lambda number: f"-{number % 977}.35")),
    "199,000 lines of no account": ("extratos/a.ofx", lambda: _list("77", lambda number: f"-{number % 977}.35")),
    "one memo of 45 MB": (
        "extratos/a.ofx",
        lambda: _STATEMENT.format(LINKED) + _line(1, "-1.50").replace("PAGAMENTO", "x y" * 15_000_000) + _TAIL,
    ),
    "4,000,000 closing tags": ("extratos/a.ofx", lambda: _STATEMENT.format(LINKED) + "</STMTTRN>\r\n" * 4_000_000),
    "300,000 balances refused": ("saldos.csv", lambda: _balances(300_000)),
    "1,500,000 balances refused": ("saldos.csv", lambda: _balances(1_500_000)),
}
"""What the file is -> its place in the folder and its text."""


def bench_entry(rows: int, options: argparse.Namespace) -> None:
    """A recálculo without a file, then with each; the ratios are to the one without, MB what is added to it."""
    with tempfile.TemporaryDirectory() as name, served(Path(name), rows):
        place = Path(name)
        run(place)
        settings = place / "lastro.toml"
        text = settings.read_text(encoding="utf-8")
        marked = text.replace("\nconta_id = ", f'\nextrato = ["341/{LINKED}"]\nconta_id = ', 1)
        settings.write_text(marked, encoding="utf-8")
        floor = _recalculate(place)
        say("without a file", floor)
        for label, (where, make) in FILES.items():
            if options.only and options.only not in label:
                continue
            path = next((place / "dados").glob("*/privado")).parent / "entrada" / where
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(make(), encoding="utf-8", newline="")
            cost = _recalculate(place)
            say(label, cost, floor)
            tell(f"{'':<34}{cost.peak - floor.peak:+9.0f} MB")
            shutil.rmtree(path.parents[where.count("/")])


def _recalculate(place: Path) -> Cost:
    """Each on a copy of the company: what a file left in the private file would cost the next one."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "c"
        shutil.copytree(place, copy, symlinks=True)
        return measure([*LASTRO, "run", "--modo", "recalculo"], copy, allowed=(0, 6))
