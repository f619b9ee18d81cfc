"""The model of a desk: rows, input fields, and the result of reading a file (manual: Cobrança).

Does not belong here: the desks that there are (`lastro.desk.desks`), the sheets (`sheets`, `book`), the hidden one
(`memory`) and the rules over what was typed (`notes`).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Final
from zlib import crc32

from lastro.entrada.typed_values import NotUnderstood, hold_day, parse_amount, parse_day, read_number, write_number
from lastro.export.forms import HEADER_ROWS
from lastro.grid.cells import Cell, Kind, Link, Value, inner_value
from lastro.grid.forms import Form
from lastro.grid.tables import Column


@dataclass(frozen=True)
class Field:
    """One of the cells of a row that a person types into.

    Attributes:
        name: as stored.
        header: of its column.
        kind: TEXT, DATE, MONEY or INTEGER.
        width: of the column, in characters.
        signed: MONEY only: an amount may be below zero.
        past: DATE only: a day that is over may be typed, and none that is still to come.
        daily: TEXT only: it says what came of one day; on the next the cell is empty again.
    """

    name: str
    header: str
    kind: Kind
    width: int = 40
    signed: bool = False
    past: bool = False
    daily: bool = False


@dataclass(frozen=True)
class RowKind:
    """A kind of row that is typed into: what its key is of, and its fields.

    Attributes:
        name: as stored.
        key: header of its key column.
        word: what Histórico calls it.
        fields: in order; fields of one name are alike in every kind of a desk.
        holds: True: a value stays in the following files until someone changes it. False: each save is a separate fact,
            and the next file begins with empty cells.
        labels: headers, folded, of the columns that say what a row is called, the name first.
        amount: header, folded, of the column with its amount; "" without one.
        paid: headers, folded, of those that say when and from where it is paid.
    """

    name: str
    key: str
    word: str
    fields: tuple[Field, ...]
    holds: bool = True
    labels: tuple[str, ...] = ()
    amount: str = ""
    paid: tuple[str, ...] = ()

    @property
    def seen(self) -> tuple[str, ...]:
        """Headers of all columns that somebody must see who says anything of a row."""
        return (*self.labels, *filter(None, [self.amount]), *self.paid)

    @property
    def blank(self) -> dict[str, str]:
        """A row in which nothing stands: field -> ""."""
        return dict.fromkeys((each.name for each in self.fields), "")


@dataclass(frozen=True)
class Desk:
    """A workbook that people type into and that every run reads back: the one model of all of them.

    Attributes:
        name: what the names of its files begin with; notes bear it.
        kinds: of its rows, the usual one first.
        sheets: names of sheets by which a workbook is told that lost its hidden one.
    """

    name: str
    kinds: tuple[RowKind, ...]
    sheets: frozenset[str]

    @property
    def mark(self) -> str:
        """What the hidden sheet of its files begins with."""
        return f"lastro-{self.name}"

    @cached_property
    def keys(self) -> Mapping[str, RowKind]:
        """Header of a key column -> kind of the rows below it."""
        return {kind.key: kind for kind in self.kinds}

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Every field once, in order."""
        return tuple({each.name: each for kind in self.kinds for each in kind.fields}.values())

    def kind(self, name: str) -> RowKind:
        """Return the kind of rows with a name; the usual kind if the name is unknown."""
        return next((kind for kind in self.kinds if kind.name == name), self.kinds[0])


COMMENT, BY = "Comentário em ", ", de "
"""What the header begins with under which a comment of a cell stands beside the row, and what is before its author."""
HEADER_ROW: Final = HEADER_ROWS[Form.DESK]
"""Row of the header of a sheet's first table; title, stamp and counters stand above it."""
Key = tuple[str, int]
"""The kind of a row, and the id."""
Cells = Mapping[Key, Mapping[str, str]]
"""Row -> field -> text."""
_STORED_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_STORED_AMOUNT: Final = re.compile(r"[0-9]{1,10}\.[0-9]{2}")
_STORED_NUMBER: Final = re.compile(r"[0-9]{1,18}")


def write_text(
    value: object,
    kind: Kind,
    saved: date | None = None,
    *,
    signed: bool = False,
    until: date = date.max,
    distrust: str = "",
) -> str:
    """Write what stands in a cell as the text that is stored and compared, whichever program saved it.

    A day is written as ISO, an amount with two places; what is not understood (S18) stays as typed: a day after `until`
    or before 1990, a slashed one of a file with `distrust`, an amount below zero that is not `signed`. Days without a
    year are near the one on which the file was `saved`.

    >>> write_text(date(2026, 3, 16), Kind.DATE), write_text("16/03/2026", Kind.DATE), write_text("amanhã", Kind.DATE)
    ('2026-03-16', '2026-03-16', 'amanhã')
    >>> write_text(1500, Kind.MONEY), write_text("R$ 1.500,5", Kind.MONEY), write_text("R$ 2.000", Kind.MONEY)
    ('1500.00', '1500.50', 'R$ 2.000')
    >>> write_text(7.0, Kind.TEXT), write_text(-5, Kind.MONEY), write_text(-5, Kind.MONEY, signed=True)
    ('7', '-5', '-5.00')
    """
    if value is None:
        return ""
    if isinstance(value, date):
        return _write_day(value.date() if isinstance(value, datetime) else value, kind, until)
    if isinstance(value, bool):
        return "Sim" if value else "Não"
    number = value if isinstance(value, int | float | Decimal) else None
    text = str(value).strip() if number is None else write_number(number)
    try:
        if kind is Kind.DATE and number is None and text:
            return parse_day(text, saved, until=until, distrust=distrust).isoformat()
        if kind is Kind.MONEY and text:
            amount = parse_amount(text) if number is None else read_number(number)
            return text if amount < 0 and not signed else str(amount)
    except NotUnderstood:
        return text
    return text


def _write_day(day: date, kind: Kind, until: date) -> str:
    """Write the day of a cell as ISO; one that cannot be meant as no day is stored."""
    with contextlib.suppress(NotUnderstood):
        return (hold_day(day, until) if kind is Kind.DATE else day).isoformat()
    return f"{day:%d/%m}/{day.year:04}"


def read_value(text: str, kind: Kind, *, signed: bool = False) -> Value:
    """Turn a stored text into what a cell holds: a day, an amount, a whole number, or the text as it was typed.

    >>> read_value("1500.00", Kind.MONEY), read_value("NaN", Kind.MONEY), read_value("20260316", Kind.DATE)
    (Decimal('1500.00'), 'NaN', '20260316')
    """
    if not text:
        return None
    if kind is Kind.DATE and _STORED_DAY.fullmatch(text):
        with contextlib.suppress(ValueError):
            return date.fromisoformat(text)
    if kind is Kind.MONEY and _STORED_AMOUNT.fullmatch(text.removeprefix("-") if signed else text):
        return Decimal(text)
    if kind is Kind.INTEGER and _STORED_NUMBER.fullmatch(text):
        return int(text)
    return text


def list_texts(values: Iterable[Value | Cell]) -> tuple[str, ...]:
    """List what stands in a row as it is read back, blanks left out."""
    return tuple(filter(None, map(_read_back, values)))


def _read_back(cell: Value | Cell) -> str:
    value = inner_value(cell)
    return write_text(value.text if isinstance(value, Link) else value, Kind.TEXT)


def digest_texts(values: Iterable[Value | Cell]) -> str:
    """Give a short digest of what stands in cells, the same whichever program saved them."""
    return f"{crc32(''.join(filter(str.isalnum, '|'.join(list_texts(values)).casefold())).encode()):08x}"


def describe_row(kind: RowKind, headers: Sequence[str], cells: Sequence[Value | Cell]) -> tuple[str, str | None]:
    """Describe a row as a person sees it: its label and its amount as stored; `headers` are folded.

    The amount is "" of rows without one, and None where a column is missing: a person saw less than lastro wrote.
    """
    places = {header: headers.index(header) for header in (*kind.labels, kind.amount) if header in headers}
    label = " · ".join(filter(None, (_read_back(cells[places[each]]) for each in kind.labels if each in places)))
    if any(header and header not in places for header in (*kind.labels, kind.amount)):
        return label, None
    return label, write_text(inner_value(cells[places[kind.amount]]), Kind.MONEY, signed=True) if kind.amount else ""


def place_inputs(columns: Sequence[Column]) -> dict[str, int]:
    """Find the columns that are typed into: name of the field -> place."""
    return {column.input.name: place for place, column in enumerate(columns) if column.input}


def read_typed(valores: Mapping[str, str], each: Field) -> Value:
    """Read what stands in a field of a row, as a cell holds it."""
    return read_value(valores.get(each.name, ""), each.kind, signed=each.signed)


def is_understood(valores: Mapping[str, str], each: Field) -> bool:
    """Tell whether a typed value fits its column; every text does."""
    return each.kind is Kind.TEXT or not isinstance(read_typed(valores, each), str)


@dataclass(frozen=True)
class TypedRow:
    """A row of a file that came back.

    Attributes:
        tipo: its kind; "" where the key column is gone.
        chave: its key; None where there is none, or none that can be read.
        rotulo: what the row is called there.
        valores: field -> text, for every field whose column is there.
        extras: header -> text, of columns that lastro did not write.
        linha: everything that stands in it, for a row without key.
        titulo: the first row of its sheet, which ends with the company's name.
        valor: the amount that it shows (`describe_row`).
        paga: when and from where it is to be paid, as it shows.
        cego: field -> why its word says nothing of what the row shows; "" where it does.
    """

    tipo: str
    chave: int | None
    rotulo: str
    valores: Mapping[str, str]
    extras: Mapping[str, str] = field(default_factory=dict)
    linha: str = ""
    titulo: str = ""
    valor: str | None = None
    paga: str = ""
    cego: Mapping[str, str] = field(default_factory=dict)

    def stray(self, linha: str) -> TypedRow:
        """Return it as a row without a key, with what is to be said of it."""
        return TypedRow("", None, self.rotulo, self.valores, self.extras, linha)


@dataclass(frozen=True)
class DeskFile:
    """A file that came back.

    Attributes:
        arquivo_id: of the file that it is a copy of; "" where that is gone.
        escritos: (tipo, chave) -> field -> the text that lastro wrote there.
        fora: what of it was not read, pt-BR, a sentence each; such a file is a person's.
        avisos: what is read otherwise than it stands there.
    """

    desk: Desk
    arquivo_id: str
    escritos: Cells
    rows: tuple[TypedRow, ...]
    fora: tuple[str, ...] = ()
    avisos: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shown:
    """What a file that lastro wrote showed of a row, and whom, when and from where that was to pay (`pagar` alone).

    Attributes:
        rotulo: what the row was called.
        valor: its amount as printed, centavos; None where it showed none.
        pessoa_id, documento: who is paid.
        dados_bancarios: digest of that person's bank account.
        conta_id: the account of the título.
        conta: its name, as printed; None where 0.3.0 wrote the file.
        perguntado: whether the row asked for an answer (*Já pagos*); None where 0.3.0 wrote the file.
        execucao_id: number of the run that wrote the file.
    """

    rotulo: str
    valor: int | None = None
    pessoa_id: int | None = None
    documento: str = ""
    dados_bancarios: str = ""
    data_vencimento: date | None = None
    conta_id: int | None = None
    conta: str | None = None
    perguntado: bool | None = None
    execucao_id: int = 0


@dataclass(frozen=True)
class Note:
    """What a person typed into one row, as one saved file shows it.

    Attributes:
        tipo, chave: of the row; "" and None where it has lost its key.
        rotulo: what it was called.
        valores: field -> text, all that stood in the row's fields.
        antes: field -> text of each field that changed, as it was before.
        extras: header -> text of columns that lastro did not write.
        quando: when the file was saved, local time.
        arquivo_id: of the file that it is a copy of.
        quando_utc: the same moment in UTC, naive: by it notes are ordered, for an hour may come twice.
        antiga: 0.3.0 read it.
    """

    tipo: str
    chave: int | None
    rotulo: str
    valores: Mapping[str, str]
    antes: Mapping[str, str]
    extras: Mapping[str, str]
    quando: datetime
    arquivo: str
    arquivo_id: str
    sha256: str
    quando_utc: datetime | None = None
    antiga: bool = False

    @property
    def moment(self) -> datetime:
        """What notes are ordered by."""
        return self.quando_utc or self.quando

    @property
    def key(self) -> Key | None:
        """Its key, if it has one."""
        return None if self.chave is None or not self.tipo else (self.tipo, self.chave)
