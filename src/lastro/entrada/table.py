"""A table that a person typed, cell by cell: of a text, or of one sheet of a workbook with what hides in its looks.

Belongs here: why the number of a cell is not what a person sees. Does not belong here: what a column means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lastro.entrada.csv_table import demand_once, find_columns, read_lines
from lastro.entrada.door import ZIP, NotRead
from lastro.entrada.workbook import LookedAt, look_at_sheets
from lastro.folding import fold_words


class TypedCell(NamedTuple):
    """A cell: what is stored in it, and why that cannot be taken for what a person sees, pt-BR."""

    value: Any
    trouble: str = ""


@dataclass(frozen=True)
class TypedTable:
    """A table under its header.

    Attributes:
        names: its columns, folded; `head` the cells of the header.
        rows: line, cells and text of each row that holds anything.
        folhas: the sheet that was read, then those that were not; none of a text.
    """

    names: Sequence[str]
    head: Sequence[TypedCell]
    rows: Iterable[tuple[int, Sequence[TypedCell], str]]
    folhas: tuple[str, ...] = ()


def name_cell(line: int, at: int) -> str:
    """Name a cell as spreadsheets do.

    >>> name_cell(3, 0), name_cell(1, 27)
    ('A3', 'AB1')
    """
    letters, left = "", at + 1
    while left:
        left, digit = divmod(left - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return f"{letters}{line}"


def open_table(content: bytes, title: str | None) -> TypedTable:
    """Open a table, a text line by line.

    Args:
        content: the file; its bytes tell whether it is text or a workbook.
        title: the sheet of a workbook; None takes the only one that a person sees and that holds anything.

    Raises:
        NotRead: when it cannot be read, there is no such sheet, it is hidden, or a column stands twice in its header.
    """
    if not content.startswith(ZIP):
        _, names = find_columns(content)
        lines = (
            (line.number, [TypedCell(text.strip()) for text in line.typed], line.text)
            for line in read_lines(content, ())
        )
        return TypedTable(names, [TypedCell(name) for name in names], lines)
    sheets = look_at_sheets(content)
    chosen = _choose(sheets, title)
    head, *rows = [[TypedCell(*cell) for cell in row] for row in sheets[chosen].rows] or [[]]
    names = [fold_words("" if cell.value is None else str(cell.value)) for cell in head]
    demand_once(names)
    kept = [(line, cells, ";".join(map(_show, cells))) for line, cells in enumerate(rows, 2) if any(map(any, cells))]
    return TypedTable(names, head, kept, (chosen, *(name for name in sheets if name != chosen)))


def _show(cell: TypedCell) -> str:
    return "" if cell.value is None else str(cell.value)


def _choose(sheets: dict[str, LookedAt], title: str | None) -> str:
    seen = [name for name, sheet in sheets.items() if sheet.visible and sheet.rows]
    shown = ", ".join(f"«{name}»" for name in seen) or "nenhuma"
    if title is None:
        if len(seen) != 1:
            raise NotRead(f"tem mais de uma folha à vista, ou nenhuma ({shown}): deixe só a do orçamento")
        return seen[0]
    same = next((name for name in sheets if fold_words(name) == fold_words(title)), None)
    if same is None:
        raise NotRead(
            f"não tem a folha «{title}», e sim {shown}; lastro orcamento escreve o formulário, e com --de ARQUIVO "
            "passa para ele um orçamento de outra forma"
        )
    if not sheets[same].visible:
        raise NotRead(f"a folha «{same}» está oculta; mostre-a, ou escreva o formulário com lastro orcamento")
    return same
