"""Reading a file of a desk: the values of the input cells by key, however the sheets were sorted, cut or copied.

Rows may be sorted, filtered and added, columns moved, renamed apart from the key and added, the file saved by another
program. Does not belong here: what of it is new (`lastro.desk.notes`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, BinaryIO, Final

from lastro.calendar import add_months
from lastro.desk.desks import DESKS
from lastro.desk.memory import MEMORY_SHEET, Memory, read_memory
from lastro.desk.model import (
    BY,
    COMMENT,
    HEADER_ROW,
    Desk,
    DeskFile,
    Field,
    RowKind,
    TypedRow,
    describe_row,
    digest_texts,
    list_texts,
    write_text,
)
from lastro.desk.seen import ANSWER, BOUND
from lastro.entrada.archive import find_sheets, open_parts
from lastro.entrada.comments import Places, read_beside
from lastro.entrada.display import Display, read_display
from lastro.entrada.door import Received
from lastro.entrada.typed_values import find_distrust, read_typed_id
from lastro.entrada.workbook import Cells, read_workbook
from lastro.export.layout import column_letter
from lastro.grid.cells import Kind

SHEETS: Final = frozenset({MEMORY_SHEET}.union(*(desk.sheets for desk in DESKS)))
"""A workbook with none of these sheets is of no desk."""
MONTHS_AHEAD: Final = 24
"""A promise or a decision lies at most so many months ahead of the day of saving."""
_SEARCHED_ROWS: Final = 5_000
"""The header stands in one of these."""
_MOST_LOOSE: Final = 200
"""Most rows kept of a sheet that stand where nothing is asked."""
_MAX_LINE: Final = 1_000
_MOST_NAMED: Final = 10
"""Most keys of rows that a sentence names."""
_LIVE: Final = re.compile(r"=.*|-?[0-9]+(\.[0-9]+)?|Sim|sem saldo|falta [0-9.]+,[0-9]{2}")
"""What a formula of ours says in a row without a key, or its own text where a program stored no result."""


def is_desk_file(stream: BinaryIO) -> bool:
    """Tell whether a workbook is of a desk, by the names of its sheets: the whole file is not read for it.

    Raises:
        NotRead: when it cannot be told.
    """
    with open_parts(stream) as archive:
        return bool(SHEETS & find_sheets(archive).keys())


def read_desk(received: Received, saved: date) -> DeskFile:
    """Read what stands in the cells of a file that may be typed into; days without a year are near that of saving.

    Raises:
        NotRead: when it cannot be read.
    """
    book = read_workbook(received.content)
    desk = find_desk(book.rows)
    memory = read_memory(desk, book.rows.get(MEMORY_SHEET, []))
    rows: list[TypedRow] = []
    shown: dict[str, Display] = {}
    distrust = find_distrust(cell for own in book.rows.values() for row in own for cell in row if isinstance(cell, str))

    def look(name: str) -> Display:
        return shown[name] if name in shown else shown.setdefault(name, read_display(received.content, name))

    def write(value: object, each: Field) -> str:
        until = saved if each.past else add_months(saved, MONTHS_AHEAD)
        return write_text(value, each.kind, saved, signed=each.signed, until=until, distrust=distrust)

    beside = read_beside(received.content)
    told, unread = list[str](), [*book.left_out, *beside.left_out]
    for name, cells in book.rows.items():
        sheet = None if name in memory.loose else _find_header(desk, name, cells, memory)
        if name == MEMORY_SHEET:
            continue
        if sheet is not None:
            own = list(_read_sheet(desk, sheet, cells[sheet.place + 1 :], memory, write, look))
            rows += _add_comments(own, sheet, cells, beside.comments.get(name, {}))
            told += _tell_columns(desk, sheet)
            unread += _tell_white(sheet, cells[sheet.place + 1 :], memory)
        elif name in memory.headers or (not memory.written and name in desk.sheets):
            told.append(f"folha «{name}»: sem o cabeçalho das colunas; o que há nela está em Órfãs")
        above = cells if sheet is None else [tuple(map(_drop_sum, row)) for row in cells[: sheet.place]]
        rows += _read_loose(name, above, memory, unread)
        rows += () if sheet else _add_comments([], None, cells, beside.comments.get(name, {}), name)
    return DeskFile(desk, memory.arquivo_id, memory.written, tuple(rows), tuple(unread), tuple(told))


def _add_comments(
    rows: list[TypedRow], sheet: _Sheet | None, cells: Sequence[Cells], comments: Places, name: str = ""
) -> list[TypedRow]:
    """Lay each comment beside the row that it is on; one on no row with a key stands alone, with its cell."""
    for (number, column), texts in sorted(comments.items()):
        line, chave, header = cells[number - 1] if number <= len(cells) else (), None, ""
        if sheet is not None and sheet.key is not None and sheet.place < number - 1 and sheet.key < len(line):
            chave, header = read_typed_id(line[sheet.key]), "".join(sheet.names[column - 1 : column])
        at = next((at for at, row in enumerate(rows) if chave is not None and row.chave == chave), None)
        place = f"{COMMENT}{sheet.name if sheet else name}!{column_letter(column)}{number}"
        place = place if at is None else f"{COMMENT}{header or column_letter(column)}"
        said = {}
        for count, (who, text) in enumerate(texts, 1):
            said[f"{place}{f' ({count})' if count > 1 else ''}{f'{BY}{who}' if who else ''}"] = text
        if at is None:
            rows.append(TypedRow("", None, "", {}, said))
        else:
            rows[at] = replace(rows[at], extras={**rows[at].extras, **said})
    return rows


def _tell_white(sheet: _Sheet, rows: Sequence[Cells], memory: Memory) -> Iterator[str]:
    """Say of which rows somebody wrote over white cells; not where one of their columns is gone."""
    headers, digests = memory.white.get(sheet.name, ((), frozenset()))
    if sheet.key is None or not set(headers) <= set(sheet.headers):
        return
    places, found = [sheet.headers.index(header) for header in headers], []
    for row in rows:
        cells = [*row, *[None] * (len(sheet.headers) - len(row))]
        chave = read_typed_id(cells[sheet.key])
        known = (sheet.kind.name, chave) in memory.written
        if known and digests and digest_texts(cells[place] for place in places) not in digests:
            found.append(str(chave))
    if found:
        more = ", …" if found[_MOST_NAMED:] else ""
        named = f"{', '.join(found[:_MOST_NAMED])}{more}"
        yield f"folha «{sheet.name}»: o que se escreveu em células brancas não foi lido ({sheet.kind.key} {named})"


def find_desk(rows: Mapping[str, Sequence[Cells]]) -> Desk:
    """Tell which desk a workbook is of: its hidden sheet says so, unless the names of the others tell another one."""
    marks = {_fold(row[0]) for row in rows.get(MEMORY_SHEET, ()) if row}
    marked = [desk for desk in DESKS if desk.mark in marks]
    named = [desk for desk in DESKS if desk.sheets & rows.keys()]
    return ([desk for desk in marked if desk in named] or named or marked or list(DESKS))[0]


@dataclass(frozen=True)
class _Sheet:
    """A sheet with cells to type into.

    Attributes:
        place: of its header among its rows.
        names: its texts.
        headers: the same, folded.
        key: column of the key; None where there is none.
        twice: column -> the first one of that name, which counts.
        title: the first row of the sheet.
    """

    name: str
    place: int
    names: Sequence[str]
    headers: Sequence[str]
    kind: RowKind
    key: int | None
    twice: Mapping[int, int]
    title: str


def _find_header(desk: Desk, name: str, rows: Sequence[Cells], memory: Memory) -> _Sheet | None:
    """Find the header of a sheet with a cell to type into, and its key column, which may have another name."""
    place = next((index for index, row in enumerate(rows[:_SEARCHED_ROWS]) if _is_header(desk, row)), None)
    if place is None:
        return None
    width = max(map(len, rows[place:]))
    names = ["" if value is None else str(value).strip() for value in (*rows[place], *[None] * width)][:width]
    headers = [name.casefold() for name in names]
    if "resposta" in headers and "pagar em" not in headers:
        headers = ["resposta aprovada por" if header == "aprovado por" else header for header in headers]
    known = next((header for header in desk.keys if header in headers), None)
    kind = _guess_kind(desk, headers) if known is None else desk.keys[known]
    key = None if known is None else headers.index(known)
    ids = {chave for tipo, chave in memory.written if tipo == kind.name}
    if key is None:
        strange = [at for at, header in enumerate(headers) if header not in memory.headers.get(name, ())]
        below = [[row[at] for row in rows[place + 1 :] if at < len(row) and row[at] is not None] for at in strange]
        alike = (at for at, own in zip(strange, below, strict=True) if own and ids.issuperset(map(read_typed_id, own)))
        key = next(alike, None)
    twice = {at: headers.index(header) for at, header in enumerate(headers) if header and headers.index(header) < at}
    title = str(rows[0][0]).strip() if place and rows[0] and rows[0][0] is not None else ""
    return _Sheet(name, place, names, headers, kind, key, twice, title)


def _tell_columns(desk: Desk, sheet: _Sheet) -> Iterator[str]:
    """Say what became of a key column, and which of two columns of one name counts."""
    if sheet.key is None:
        yield f"folha «{sheet.name}»: sem a coluna {sheet.kind.key}; o que se digitou nela está em Órfãs"
    elif (named := sheet.names[sheet.key]).casefold() not in desk.keys:
        yield f"folha «{sheet.name}»: a coluna {sheet.kind.key} chama-se agora «{named}» e foi lida como tal"
    ours = _by_header(sheet.kind).keys() | desk.keys.keys()
    for header in dict.fromkeys(sheet.headers[at] for at in sheet.twice):
        if header in ours:
            yield f"folha «{sheet.name}»: duas colunas «{header}»; vale a primeira, a outra está em Outras colunas"


def _read_sheet(
    desk: Desk,
    sheet: _Sheet,
    rows: Sequence[Cells],
    memory: Memory,
    write: Callable[[object, Field], str],
    look: Callable[[str], Display],
) -> Iterator[TypedRow]:
    """Yield the rows below the header of a sheet in which something stands that lastro did not write."""
    headers, kind = sheet.headers, sheet.kind
    fields = _by_header(kind)
    inputs = {fields[header]: at for at, header in enumerate(headers) if header in fields and at not in sheet.twice}
    known = memory.headers.get(sheet.name) or set().union(*memory.headers.values())
    ours = {*known, *fields, *desk.keys}
    for number, row in enumerate(rows, sheet.place + 2):
        cells = (*row, *[None] * (len(headers) - len(row)))
        valores = {each.name: write(cells[at], each) for each, at in inputs.items()}
        extras = _read_extras(sheet, cells, ours) if memory.headers or sheet.twice else {}
        chave = None if sheet.key is None else read_typed_id(cells[sheet.key])
        label, amount = describe_row(kind, headers, cells)
        if chave is None and not any(valores.values()) and not any(extras.values()):
            if sheet.key is None or not memory.heads or label in memory.labels or not list_texts(cells):
                continue
            extras = {sheet.name: _write_line(cells)}
        tipo = "" if chave is None else kind.name
        typed = TypedRow(tipo, chave, label, valores, extras, _write_line(cells), sheet.title, amount)
        if any(map(valores.get, BOUND)):
            typed = _look_at(typed, sheet, (number, cells), inputs, look(sheet.name), asked="resposta" in known)
        yield typed


def _look_at(
    typed: TypedRow, sheet: _Sheet, row: tuple[int, Cells], inputs: Mapping[Field, int], shown: Display, *, asked: bool
) -> TypedRow:
    """Add to a row with words about what it shows whether a person sees all of that, and was asked there."""
    number, cells = row
    places = {head: [at for at, own in enumerate(sheet.headers) if own == head] for head in sheet.kind.seen}
    blind = shown.find_blind(number, places, cells)
    why = {each.name: "fórmula não vale: digite" for each, at in inputs.items() if shown.is_formula(number, at)}
    why |= {} if asked else {ANSWER: "não se pergunta nesta folha: responda em Já pagos"}
    paid = (write_text(cells[at], Kind.DATE) for head in sheet.kind.paid for at in places[head][:1])
    return replace(typed, paga=" ".join(paid), cego={name: blind or why.get(name, "") for name in BOUND})


def _read_extras(sheet: _Sheet, cells: Sequence[Any], known: Collection[str]) -> dict[str, str]:
    """Read the texts of foreign columns, and of a second copy of ours where they differ from the first."""
    extras = {}
    for at, value in enumerate(cells):
        header, name = (sheet.headers[at], sheet.names[at]) if at < len(sheet.headers) else ("", "")
        first = sheet.twice.get(at)
        if value is None or at == sheet.key or (first is None and header in known):
            continue
        if first is None or list_texts([value]) != list_texts([cells[first]]):
            place = name if first is None else f"{name} (coluna {at + 1})"
            extras[place or f"coluna {at + 1}"] = write_text(value, Kind.TEXT)
    return extras


def _by_header(kind: RowKind) -> dict[str, Field]:
    return {each.header.casefold(): each for each in kind.fields}


def _guess_kind(desk: Desk, headers: Sequence[str]) -> RowKind:
    """Guess the kind of rows of a sheet that lost its key column: the kind with most of its input columns there."""
    return max(desk.kinds, key=lambda kind: len(_by_header(kind).keys() & set(headers)))


def _read_loose(name: str, rows: Sequence[Cells], memory: Memory, told: list[str]) -> Iterator[TypedRow]:
    """Yield rows that say more than lastro wrote where nothing is asked: above headers, on sheets without keys."""
    written = memory.loose.get(name, [])
    by_text: dict[str, list[int]] = {}
    for index, own in enumerate(written):
        for text in own:
            by_text.setdefault(text, []).append(index)
    if not memory.heads:
        rows = rows[HEADER_ROW:] if name in memory.loose else ()
    found = []
    for row in rows:
        if name in memory.live and by_text.keys() & list_texts(row):
            row = tuple(value for value in row if not _LIVE.fullmatch(write_text(value, Kind.TEXT)))  # noqa: PLW2901
        texts = Counter(text for text in list_texts(row) if text not in memory.heads)
        alike = min((by_text.get(text, []) for text in texts), key=len, default=[])
        if texts and not any(texts <= written[index] for index in alike):
            typed = [value for value in row if write_text(value, Kind.TEXT) not in by_text]
            found.append(_write_line(row if list_texts(row)[0] in by_text else typed))
    if len(found) > _MOST_LOOSE:
        told.append(f"folha «{name}»: {len(found)} linhas de outros; só as primeiras {_MOST_LOOSE} ficam em Órfãs")
    for line in found[:_MOST_LOOSE]:
        yield TypedRow("", None, "", {}, {name: line})


def _drop_sum(value: Any) -> Any:
    """Drop the sums above a header, which change with what is typed below it."""
    return None if str(value)[:1] in "=0123456789" else value


def _is_header(desk: Desk, row: Sequence[Any]) -> bool:
    """Tell whether a row is a header: it has an input column, and a key column or a second input column."""
    folded = {_fold(value) for value in row}
    names = max(len(folded & _by_header(kind).keys()) for kind in desk.kinds)
    return names > 0 and (bool(folded & desk.keys.keys()) or names > 1) and "salvo em" not in folded


def _write_line(cells: Sequence[Any]) -> str:
    """Write what stands in a row; a formula of ours that a program left without its result says nothing."""
    texts = [str(value).strip() for value in cells if value is not None]
    return " | ".join(text for text in texts if text and not (text[0] == "=" and "$" in text))[:_MAX_LINE]


def _fold(value: Any) -> str:
    return "" if value is None else str(value).strip().casefold()
