"""What the cells of a CSV say: no text of others becomes a formula, and Excel in Brazil reads its own marks (DEC27).

One place for every CSV that lastro writes, so that `exportar` and `sql` say the same. Written as SQL, so that DuckDB
does the work of a million rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb

_BLANKS: Final = r"[\x00-\x20\x7F\p{Z}\p{Cf}]*"
"""What a program may overlook at the beginning of a cell: blanks, controls, marks that are not seen."""
_FORMULA: Final = rf"(^|[;,\t\r\n])({_BLANKS}[=+\-@＝＋－＠])|^([\t\r\n])"
"""Where a formula could begin: at the beginning of a text, and after what a program set otherwise takes for its end.

Excel in East Asia reads the wide signs as it does the others.
"""
_NUMBER: Final = r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL.*|DOUBLE|FLOAT|BIGNUM)"
_DAY: Final = r"^(\d{4})-(\d\d)-(\d\d)( \d\d:\d\d:\d\d)?(?:\.\d+)?(?:[+-]\d\d(?::\d\d)?)?$"
_TYPE, _TEXT = "typeof(COLUMNS(*))", "COLUMNS(*)::VARCHAR"


def guard_text(sql: str) -> str:
    """Write the expression of a text with an apostrophe before whatever a spreadsheet would take for a formula."""
    return rf"regexp_replace({sql}, '{_FORMULA}', '\1''\2\3', 'g')"


def guard_typed(text: str) -> str:
    """Guard a text that was typed at a terminal and goes into a CSV of people; a guarded one stays as it is."""
    with duckdb.connect() as con:
        return str(con.execute(f"SELECT {guard_text('?')}", [text]).fetchall()[0][0])


@dataclass(frozen=True)
class CsvText:
    """A way to write CSV.

    Attributes:
        ending: of a file's name.
        delimiter: between two cells.
        mark: what the file begins with.
        cells: the columns of a SELECT whose rows are texts ready to be written; null is an empty cell. Numbers are as
            they are: only a text can be a formula.
    """

    ending: str
    delimiter: str
    mark: str
    cells: str


_IS_NUMBER: Final = f"regexp_full_match({_TYPE}, '{_NUMBER}')"
_IS_DAY: Final = f"{_TYPE} = 'DATE' OR {_TYPE} LIKE 'TIMESTAMP%'"
_WRITTEN_DAY: Final = rf"regexp_replace({_TEXT}, '{_DAY}', '\3/\2/\1\4')"
_FLAG: Final = f"CASE {_TEXT} WHEN 'true' THEN 'VERDADEIRO' WHEN 'false' THEN 'FALSO' END"
_OTHER: Final = f"ELSE {guard_text(_TEXT)} END"
CSV: Final = {
    "csv": CsvText(".csv", ",", "", f"CASE WHEN {_IS_NUMBER} THEN {_TEXT} {_OTHER}"),
    "csv-excel": CsvText(
        "_excel.csv",
        ";",
        "\ufeff",
        f"CASE WHEN {_IS_NUMBER} THEN replace({_TEXT}, '.', ',') WHEN {_TYPE} = 'BOOLEAN' THEN {_FLAG} "
        f"WHEN {_IS_DAY} THEN {guard_text(_WRITTEN_DAY)} {_OTHER}",
    ),
}
"""For programs, with points and days as AAAA-MM-DD; for a double click in Brazil, with commas and DD/MM/AAAA."""
