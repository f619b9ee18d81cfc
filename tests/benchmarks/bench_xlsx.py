"""How long a large detail takes: `python tests/benchmarks/bench_xlsx.py [rows]`; not collected by pytest.

Compares `render_workbook` with openpyxl's write-only mode writing the same values with styles. Trust the ratio, not the
seconds. The peak is that of the renderer alone; the report value itself is built before.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from openpyxl import Workbook as OpenpyxlWorkbook
from openpyxl.cell import WriteOnlyCell

from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind
from lastro.grid.model import Column, Report, Row, Section
from lastro.grid.workbook import Stamp, Workbook

COLUMNS = (
    *(Column(f"Data {i}", Kind.DATE) for i in range(5)),
    *(Column(f"Texto {i}", Kind.TEXT) for i in range(15)),
    *(Column(f"Valor {i}", Kind.MONEY, dense=True, total=True) for i in range(5)),
    *(Column(f"Qtde {i}", Kind.INTEGER) for i in range(8)),
    *(Column(f"Modificado {i}", Kind.TIMESTAMP) for i in range(2)),
)
FORMATS = {
    Kind.DATE: "dd/mm/yyyy",
    Kind.TEXT: "@",
    Kind.MONEY: '#,##0.00;[Red]-#,##0.00;"–"',
    Kind.INTEGER: "#,##0",
    Kind.TIMESTAMP: "dd/mm/yyyy hh:mm",
}


def build_rows(count: int) -> tuple[Row, ...]:
    """Build rows that are plausible for Lançamentos: a third of the texts empty, the others repeated or unique."""
    first = date(2024, 1, 1)
    moment = datetime(2026, 3, 1, 12, 30, 5)  # noqa: DTZ001 - the API's times are naive
    rows = []
    for i in range(count):
        texts = tuple(None if j % 3 == 2 else f"Receitas > Serviços > Item {i % 97 if j % 2 else i}" for j in range(15))
        rows.append(
            Row(
                (
                    *(first + timedelta((i + j) % 900) for j in range(5)),
                    *texts,
                    *(Decimal(i * 7 - 5000 * j).scaleb(-2) for j in range(5)),
                    *range(i, i + 8),
                    moment,
                    moment,
                )
            )
        )
    return tuple(rows)


def write_with_openpyxl(rows: tuple[Row, ...], path: Path) -> None:
    """Write the same cells through openpyxl's write-only mode."""
    book = OpenpyxlWorkbook(write_only=True)
    sheet = book.create_sheet("Lançamentos")
    formats = [FORMATS[column.kind] for column in COLUMNS]
    for row in rows:
        cells = []
        for value, number_format in zip(row.cells, formats, strict=True):
            cell = WriteOnlyCell(sheet, cast("Any", value))
            cell.number_format = number_format
            cells.append(cell)
        sheet.append(cells)
    book.save(path)


def peak_mb() -> float:
    """Return the peak of the process so far in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print seconds, ratio, size and memory."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    sample = max(count // 10, 1)
    extraido_em = datetime(2026, 3, 16, 6, 5)  # noqa: DTZ001 - local time of the stamp
    stamp = Stamp("Bench", date(2026, 3, 16), extraido_em, "BRT", 1, 1, 1)
    rows = build_rows(count)
    report = Report("R16", "Lançamentos", "Lançamentos", "?", (Section("lancamentos", COLUMNS, rows, detail=True),))
    before = peak_mb()
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        path = render_workbook(Workbook("gerencial", stamp, (report,)), Path(folder) / "a.xlsx")
        ours = time.perf_counter() - start
        after = peak_mb()
        size = path.stat().st_size / 1e6
        start = time.perf_counter()
        write_with_openpyxl(rows[:sample], Path(folder) / "b.xlsx")
        theirs = (time.perf_counter() - start) * count / sample
    print(f"{count:,} rows x {len(COLUMNS)} columns")  # noqa: T201
    print(f"render_workbook      {ours:7.1f} s   {size:.1f} MB   +{after - before:.0f} MB over the value")  # noqa: T201
    print(f"openpyxl write-only  {theirs:7.1f} s   (from {sample:,} rows)   ratio {theirs / ours:.1f}")  # noqa: T201


if __name__ == "__main__":
    main()
