"""Tables of the settings file become values, and every mistake is collected with file, key and fix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Final

from lastro.settings.files import read_certificates
from lastro.settings.former_keys import find_left
from lastro.settings.parsers import Wrong

MAX_SHOWN: Final = 200


class Reader:
    """Collects mistakes, and notices of keys that left, while tables of the file are turned into values."""

    def __init__(self, origem: str) -> None:
        self.origem = origem
        self.mistakes: list[str] = []
        self.notices: list[str] = []

    def wrong(self, key: str, what: str) -> None:
        """Remember a mistake: which key, and what to write."""
        self.mistakes.append(self._say(key, what))

    def refuse_unknown(self, where: str, value: object, known: Iterable[str]) -> None:
        """Explain a key that is no setting: the cure of one that left, else that it is a mistake."""
        left = find_left(where)
        if left is None:
            self.wrong(where, "chave desconhecida; há " + ", ".join(known))
        elif left.stops(value):
            self.wrong(where, f"já não é uma configuração: {left.cura}")
        else:
            self.notices.append(self._say(where, f"já não é uma configuração e nada decide: {left.cura}"))

    def _say(self, key: str, what: str) -> str:
        shown = key if len(key) <= MAX_SHOWN else key[:MAX_SHOWN] + "…"
        return f"{self.origem}: {shown}: {what}."

    def read(self, kind: type[object], table: object, where: str, *, inner: Iterable[str] = ()) -> dict[str, Any]:
        """Parse the simple settings of one table; the keys in `inner` are read by the caller."""
        if not isinstance(table, dict):
            self.wrong(where, "escreva como uma tabela")
            return {}
        known = {item.name: item for item in fields(kind) if "parse" in item.metadata}  # type: ignore[arg-type]
        for key in table:
            if key not in known and key not in inner:
                self.refuse_unknown(f"{where}.{key}", table[key], (*known, *inner))
        values: dict[str, Any] = {}
        for name, item in known.items():
            if name in table:
                try:
                    values[name] = item.metadata["parse"](table[name])
                except Wrong as wrong:
                    self.wrong(f"{where}.{name}", str(wrong))
            elif item.default is MISSING and item.default_factory is MISSING:
                self.wrong(f"{where}.{name}", f"falta; {item.metadata['about']}")
        return values

    def certificates(self, values: dict[str, Any], where: str, folder: Path) -> None:
        """Put the certificates themselves in the place of their file, where a table names one."""
        if "certificados" in values:
            try:
                values["certificados"] = read_certificates(folder / values["certificados"])
            except Wrong as wrong:
                self.wrong(f"{where}.certificados", str(wrong))

    def tables(self, value: object, where: str) -> list[object]:
        """Return the tables of a list; anything else is a mistake and none."""
        if not isinstance(value, list):
            self.wrong(where, f"escreva cada uma como [[{where}]]")
            return []
        return value
