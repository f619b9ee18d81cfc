"""Tables of the settings file become the values of a class, by its annotations; every mistake is told, with its fix.

A field is a key when `setting` or `tables` declares it. Its type says how it is read: a class is a table, a tuple of a
class a list of tables, anything else a value, by the parser that `Annotated` names or else by that of the type. A class
whose keys depend on each other has a `check`, which yields key and mistake. What is wrong is told once: in the object
that `check` sees it has its default, or None where it has none, and its key is in `told`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from lastro.errors import MOST_MISTAKES
from lastro.settings.parsers import (
    BY_TYPE,
    MAX_INTEGER,
    Placed,
    Wrong,
    parse_choice,
    parse_list_of,
    parse_map_of,
)

MAX_SHOWN: Final = 200
LEFT: Final[Mapping[str, Mapping[str, str]]] = {
    "empresa.parametros": {"orcamento_sinal": "despesas se digitam sem sinal, no formulário de lastro orcamento"},
}
"""Table -> keys that a lastro from 0.3 on read in it -> what does their work now (DEC60)."""


@dataclass(frozen=True)
class Key:
    """A key of a table.

    Attributes:
        name: as the file writes it.
        field: what it is read into.
        parse: reads its value, a `Parser` or a `Placed`; None where it holds a table or a list of them.
        table: the class of that table, or of each of the list.
        many: whether it holds a list.
    """

    name: str
    field: Field[Any]
    parse: Any
    table: Any
    many: bool

    @property
    def required(self) -> bool:
        """Whether it must be written."""
        return self.field.default is MISSING and self.field.default_factory is MISSING

    @property
    def default(self) -> Any:
        """What stands for it where it is not written; None for one that must be."""
        if self.field.default_factory is not MISSING:
            return self.field.default_factory()
        return None if self.field.default is MISSING else self.field.default

    def place(self, table: str) -> str:
        """Name the table that it holds, in the table of that path."""
        path = f"{table}.{self.name}".lstrip(".")
        if self.many and self.name == self.field.name:
            return f"{self.name} de {_head(table)}"
        return _head(path) if self.many else f"[{path}]"


def _head(path: str) -> str:
    return f"[[{path}]]"


@cache
def find_keys(kind: Any) -> Mapping[str, Key]:
    """List the keys of a class as the file writes them, in order."""
    hints = get_type_hints(kind, include_extras=True)
    keys = (_make_key(item, _without_none(hints[item.name])) for item in fields(kind) if item.metadata)
    return {key.name: key for key in keys}


def _make_key(item: Field[Any], hint: Any) -> Key:
    many = get_origin(hint) is tuple
    table = get_args(hint)[0] if many else hint
    name = item.metadata.get("key") or item.name
    if is_dataclass(table):
        return Key(name, item, None, table, many)
    return Key(name, item, find_parser(hint), None, many=False)


def _without_none(hint: Any) -> Any:
    """Return what an annotation allows besides None."""
    if get_origin(hint) not in (Union, UnionType):
        return hint
    (only,) = (part for part in get_args(hint) if part is not type(None))
    return only


def find_parser(hint: Any) -> Any:
    """Find what reads the values of a type."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return parts[1]
    if origin is Literal:
        return parse_choice(*parts)
    if origin is tuple:
        return parse_list_of(find_parser(parts[0]))
    return parse_map_of(find_parser(parts[1])) if origin is dict else BY_TYPE[hint]


def walk_tables(kind: Any, place: str = "Antes de qualquer tabela", path: str = "") -> Iterator[tuple[str, str, Any]]:
    """List the tables of the file: head, path and class; that of the keys outside every table first."""
    yield place, path, kind
    for key in find_keys(kind).values():
        if key.table is not None:
            yield from walk_tables(key.table, key.place(path), f"{path}.{key.name}".lstrip("."))


@cache
def _find_places(root: Any) -> Mapping[str, tuple[str, ...]]:
    """Find where each key stands: of a table its head, of any other that of its table."""
    places: dict[str, tuple[str, ...]] = {}
    for place, path, kind in walk_tables(root):
        for name, key in find_keys(kind).items():
            places[name] = (*places.get(name, ()), f"de {place}" if key.table is None else key.place(path))
    return places


class Reader:
    """Collects mistakes while tables of the file are turned into values.

    Attributes:
        origem: the file, for messages.
        folder: where relative paths begin.
        root: the class of the whole file, by which keys in a wrong table are known.
        mistakes: what was told.
    """

    def __init__(self, origem: str, folder: Path, root: Any) -> None:
        self.origem = origem
        self.folder = folder
        self.root = root
        self.mistakes: list[str] = []

    def wrong(self, key: str, what: str) -> None:
        """Remember a mistake: which key, and what to write."""
        shown = key if len(key) <= MAX_SHOWN else key[:MAX_SHOWN] + "…"
        self.mistakes.append(f"{self.origem}: {shown}: {what}{'' if what.endswith('?') else '.'}")

    def read(self, kind: Any, table: object, where: str) -> Any:
        """Read a table into an object of its class; None where it is no table."""
        if not isinstance(table, dict):
            self.wrong(where, "escreva como uma tabela")
            return None
        values, told = self.read_values(kind, table, where)
        made = kind(**values)
        if hasattr(made, "check"):
            for name, what in made.check(told):
                self.wrong(f"{where}.{name}" if name else where, what)
        return made

    def read_values(
        self, kind: Any, table: Mapping[str, object], where: str, leave: Collection[str] = ()
    ) -> tuple[dict[str, Any], set[str]]:
        """Read the values of a table by field; those of the keys in `leave` are the caller's to read.

        Returns:
            The values, and the keys that are wrong.
        """
        keys = find_keys(kind)
        told = {name for name in table if name not in keys}
        for name in table:
            if name in told:
                self._refuse(kind, name, where)
        values: dict[str, Any] = {}
        for name, key in keys.items():
            if name in leave:
                continue
            before, spot = len(self.mistakes), f"{where}.{name}".lstrip(".")
            if name in table:
                values[key.field.name] = self._read_key(key, table[name], spot)
            elif key.required:
                values[key.field.name] = None
                self.wrong(spot, f"falta; {key.field.metadata['about']}")
            if len(self.mistakes) > before:
                told.add(name)
        return values, told

    def _read_key(self, key: Key, value: object, where: str) -> Any:
        if key.table is None:
            try:
                return key.parse(value, self.folder) if isinstance(key.parse, Placed) else key.parse(value)
            except Wrong as wrong:
                self.wrong(where, str(wrong))
                return key.default
        if not key.many:
            made = self.read(key.table, value, where)
            return key.default if made is None else made
        return tuple(
            made for spot, table in self.tables(key, value, where)
            if (made := self.read(key.table, table, spot)) is not None
        )  # fmt: skip

    def tables(self, key: Key, value: object, where: str) -> Iterator[tuple[str, object]]:
        """Yield the tables of a list, each with how it is named: by its own id or name, else by its position."""
        if not isinstance(value, list):
            names = ", ".join(f"{name} = ..." for name in find_keys(key.table))
            inline = key.name == key.field.name
            how = (
                f"uma lista de tabelas, como [{{ {names} }}]"
                if inline
                else f"cada uma como {_head(_drop_names(where))}"
            )
            self.wrong(where, f"escreva {how}")
            return
        for position, table in enumerate(value, 1):
            yield f"{where}[{_name_table(table, key.field.metadata.get('by'), position)}]", table

    def _refuse(self, kind: Any, name: str, where: str) -> None:
        """Explain a key that is none of its table: one that left, of another table, nearly one, or unknown."""
        spot, path = f"{where}.{name}".lstrip("."), _drop_names(where)
        if (instead := LEFT.get(path, {}).get(name)) is not None:
            self.wrong(spot, f"esta chave saiu do lastro; apague a linha: {instead}")
            return
        keys = find_keys(kind)
        what = "há " + ", ".join(name if key.table is None else key.place(path) for name, key in keys.items())
        # Of more mistakes none is printed, and each costs a look at all keys.
        if len(self.mistakes) <= MOST_MISTAKES:
            from difflib import get_close_matches  # of use to whoever errs alone

            elsewhere = _find_places(self.root).get(name, ())
            near = get_close_matches(name, keys, 1, 0.7)
            hints = [*(f"seria {key}?" for key in near), *([f"é {' ou '.join(elsewhere)}"] if elsewhere else [])]
            what = " Ou ".join(hints) or what
        if f"{name}_env" in keys:
            what = f'um segredo não fica neste arquivo: export X=... e {name}_env = "X"'
        self.wrong(spot, f"chave desconhecida; {what}")


def _drop_names(where: str) -> str:
    """Return the path of a table without the names in it."""
    return re.sub(r"\[[^\[\]]*\]", "", where)


def _name_table(table: object, by: str | None, position: int) -> str:
    name = table.get(by) if by and isinstance(table, dict) else None
    return str(name) if isinstance(name, str) or (isinstance(name, int) and abs(name) <= MAX_INTEGER) else str(position)
