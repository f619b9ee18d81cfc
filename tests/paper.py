"""A4 pages of a workbook, counted from the file alone by another reader: print areas, heights, breaks, scale."""

from __future__ import annotations

from typing import Any

from openpyxl.utils.cell import range_boundaries

A4_HEIGHT_POINTS = 210 / 25.4 * 72
PLAIN_ROW_POINTS = 15


def areas_of(sheet: Any) -> list[Any]:
    """Return first column, first row, last column, last row of each print area."""
    return [range_boundaries(area.split("!")[1].replace("$", "")) for area in sheet.print_area.split(",")]


def height_of(sheet: Any, row: int) -> float:
    dimension = sheet.row_dimensions.get(row)
    if dimension is None:
        return PLAIN_ROW_POINTS
    return 0 if dimension.hidden else dimension.height or PLAIN_ROW_POINTS


def count_pages(sheet: Any) -> int:
    """Count the pages of a sheet: rows fill a page from the top, below the repeated ones; manual breaks end one.

    Nothing is printed of an area in which nothing is in sight; a sheet that is made so many pages high takes no more.
    """
    margins = sheet.page_margins
    room = (A4_HEIGHT_POINTS - (margins.top + margins.bottom) * 72) * 100 / sheet.page_setup.scale
    repeated = int(sheet.print_title_rows.split("$")[-1])
    head = sum(height_of(sheet, row) for row in range(1, repeated + 1))
    breaks = {one.id for one in sheet.row_breaks.brk}
    pages = 0
    for _, first, _, last in areas_of(sheet):
        heights = [height_of(sheet, row) for row in range(first, last + 1)]
        if not any(heights):
            continue
        pages += 1
        used = 0.0
        for row, height in enumerate(heights, first):
            if used + height > room or row - 1 in breaks:
                pages += 1
                used = head
            used += height
    return min(pages, sheet.page_setup.fitToHeight or pages)


def count_all_pages(book: Any) -> dict[str, int]:
    """Count the pages of each sheet that is in sight."""
    return {sheet.title: count_pages(sheet) for sheet in book.worksheets if sheet.sheet_state == "visible"}
