"""The lines of `lastro mapa` in the settings file: put there without touching anything else, or not at all."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from lastro.errors import ConfigError, StorageError
from lastro.files import describe_denial, locked, write_whole

TABLE: Final = "[empresa.parametros.dre_mapa]"
_HEADER = re.compile(r"^[ \t]*\[(\[?)[ \t]*([\w.-]+)[ \t]*\]?\][ \t]*(?:#.*)?\r?\n?$")
_INLINE = re.compile(r"^[ \t]*dre_mapa[ \t]*=[ \t]*\{.*\}[ \t]*(?:#.*)?\r?\n?$")
_ROW = re.compile(r"[^\n]*\n|[^\n]+")
"""A line with its end, as TOML counts lines: `str.splitlines` knows other ends, which may stand in a comment."""


def add_lines(text: str, empresa_id: str, lines: Sequence[str]) -> str:
    """Put lines of the map into the text of a settings file.

    They go to the end of the company's `[empresa.parametros.dre_mapa]`. Where the file has none, the table is put
    behind the company's other tables; a map written as `dre_mapa = {...}` becomes that table, which has its comment
    then. Every other line stays as it is, its end too; those that are added end as the one before them does.

    Args:
        lines: `id = "grupo"`, comments behind them; none of them is in the file's map.

    Raises:
        ConfigError: when the file is written in a way that this cannot keep whole; then the lines must be pasted.
    """
    mark, text = text[: text.startswith("\ufeff")], text.removeprefix("\ufeff")
    before = tomllib.loads(text)
    rows, place = _ROW.findall(text), _find_company(before, empresa_id)
    first, after = _find_span(rows, place)
    old = _map_of(before, place)
    own = [index for index in range(first, after) if _names(rows[index]) == "empresa.parametros.dre_mapa"]
    inline = [index for index in range(first, after) if _INLINE.match(rows[index])]
    if own:
        end = next((index for index in range(own[0] + 1, after) if _names(rows[index])), after)
        _put(rows, _last_filled(rows, own[0], end), lines)
    else:
        kept = [f'{key} = "{group}"' for key, group in old.items()] if inline else []
        comments = [comment for index in inline if (comment := _find_comment(rows[index]))]
        _put(rows, _last_filled(rows, first, after), ["", " ".join([TABLE, *comments]), *kept, *lines])
        for index in reversed(inline):
            del rows[index]
    written = "".join(rows)
    _demand_same(before, written, place, {**old, **tomllib.loads("\n".join(lines))})
    return mark + written


def write_over(path: Path, text: str) -> None:
    """Exchange the text of a file, whole or not at all; its mode stays, and a link stays one.

    Raises:
        StorageError: when it cannot be written.
    """
    target = path.resolve()
    try:
        with locked(target.parent):
            write_whole(target, text.encode(), mode=stat.S_IMODE(target.stat().st_mode), durable=True)
    except PermissionError as error:
        raise StorageError(f"{describe_denial(error)} Ou cole as linhas que lastro mapa imprime.") from None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}. Cole as linhas que lastro mapa imprime.") from None


def _find_company(document: Mapping[str, Any], empresa_id: str) -> int:
    return [table.get("id") for table in document["empresa"]].index(empresa_id)


def _map_of(document: Mapping[str, Any], place: int) -> dict[str, str]:
    return dict(document["empresa"][place].get("parametros", {}).get("dre_mapa", {}))


def _put(rows: list[str], place: int, lines: Sequence[str]) -> None:
    """Put lines before a place, ended as the line before it is: a file may mix both ends."""
    before = rows[place - 1]
    end = before[len(before.rstrip("\r\n")) :] or ("\r\n" if rows[0].endswith("\r\n") else "\n")
    rows[place - 1] = before.rstrip("\r\n") + end
    rows[place:place] = [line + end for line in lines]


def _find_comment(row: str) -> str:
    """Find the comment behind a value: it begins at the first `#` before which all is whole; empty without one."""
    for place in (index for index, sign in enumerate(row) if sign == "#"):
        try:
            tomllib.loads(row[:place])
        except tomllib.TOMLDecodeError:
            continue
        return row[place:].rstrip()
    return ""


def _names(row: str) -> str:
    """Name the table that a line begins; empty for any other line."""
    match = _HEADER.match(row)
    return match[2] if match else ""


def _find_span(rows: Sequence[str], place: int) -> tuple[int, int]:
    """Find the lines of a company: from its `[[empresa]]` to the next table that is none of its own."""
    heads = [index for index, row in enumerate(rows) if _names(row)]
    firsts = [index for index in heads if _names(rows[index]) == "empresa"]
    if place >= len(firsts):
        raise _refusal()
    after = (n for n in heads if n > firsts[place] and not _names(rows[n]).startswith("empresa."))
    return firsts[place], next(after, len(rows))


def _last_filled(rows: Sequence[str], first: int, after: int) -> int:
    """Find the place behind the last line that says something, so that blank lines stay before the next table."""
    return next(index for index in range(after, first, -1) if rows[index - 1].strip())


def _demand_same(before: Mapping[str, Any], written: str, place: int, wanted: Mapping[str, str]) -> None:
    """Refuse a text that says anything else than before, the map apart."""
    try:
        now = tomllib.loads(written)
        mapped = now["empresa"][place]["parametros"].pop("dre_mapa")
    except (tomllib.TOMLDecodeError, KeyError, IndexError, TypeError):
        raise _refusal() from None
    others = dict(before)
    table = dict(others["empresa"][place])
    table["parametros"] = {key: value for key, value in table.get("parametros", {}).items() if key != "dre_mapa"}
    others["empresa"] = [table if n == place else other for n, other in enumerate(others["empresa"])]
    if mapped != wanted or now != others:
        raise _refusal()


def _refusal() -> ConfigError:
    return ConfigError(
        f"lastro mapa --escrever: não sei acrescentar ao arquivo sem mudar o resto. Cole as linhas em {TABLE}."
    )
