"""A table that a person typed, cell by cell: of a text, or of one sheet of a workbook with what hides in its looks.

Belongs here: why the number of a cell is not what a person sees. Does not belong here: what a column means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from lastro.entrada.csv_table import demand_once, find_columns, read_lines
from lastro.entrada.display import Display, read_display
from lastro.entrada.door import ZIP, NotRead
from lastro.entrada.workbook import Cells, read_workbook
from lastro.folding import fold_words

_QUOTED: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
"""What a number format shows as it stands."""


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
    sheets = read_workbook(content).rows
    shown = {name: read_display(content, name) for name in sheets}
    chosen = _choose(sheets, shown, title)
    head, *rows = [_look_at(shown[chosen], *each) for each in enumerate(sheets[chosen], 1)] or [[]]
    names = [fold_words("" if cell.value is None else str(cell.value)) for cell in head]
    demand_once(names)
    kept = [(line, cells, ";".join(map(_show, cells))) for line, cells in enumerate(rows, 2) if any(map(any, cells))]
    return TypedTable(names, head, kept, (chosen, *(name for name in sheets if name != chosen)))


def _look_at(display: Display, line: int, row: Cells) -> list[TypedCell]:
    return [TypedCell(None) if value is None else _judge(display, (line, at), value) for at, value in enumerate(row, 1)]


def _judge(display: Display, place: tuple[int, int], value: Any) -> TypedCell:
    """Give a cell with what stands against it; what a SUBTOTAL adds up is no cell's own, and left out."""
    formula = display.formulas.get(place)
    if formula is not None and formula.upper().startswith("SUBTOTAL("):
        return TypedCell(None)
    if formula is not None and isinstance(value, str) and value.startswith("="):
        return TypedCell(
            None, "fórmula sem resultado guardado; abra o arquivo numa planilha e salve-o, ou digite o valor"
        )
    if place[0] in display.rows or place[1] in display.columns:
        return TypedCell(value, "está numa linha ou coluna oculta, ou filtrada; mostre-a, ou apague o valor")
    if place in display.merged:
        return TypedCell(value, "está em células mescladas; separe-as")
    if isinstance(value, int | float) and "%" in _QUOTED.sub("", display.formats.get(place, "")):
        return TypedCell(value, "está em porcentagem; digite o valor em reais")
    return TypedCell(value)


def _show(cell: TypedCell) -> str:
    return "" if cell.value is None else str(cell.value)


def _choose(sheets: Mapping[str, Sequence[Cells]], displays: Mapping[str, Display], title: str | None) -> str:
    seen = [name for name, rows in sheets.items() if rows and not displays[name].hidden]
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
    if displays[same].hidden:
        raise NotRead(f"a folha «{same}» está oculta; mostre-a, ou escreva o formulário com lastro orcamento")
    return same
