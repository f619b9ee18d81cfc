"""`lastro sql`: one question in SQL on what is published, as a table, CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import itertools
import json
import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from lastro.commands.options import config_option, read_settings
from lastro.errors import ConfigError
from lastro.settings import Settings
from lastro.terminal import messages, print_table

MOST_ROWS = 200
"""Rows that a table on a terminal shows."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@click.command()
@click.argument("consulta")
@config_option
@click.option("--empresa", "empresa_id", help="Company to ask; default: the only one of the settings.")
@click.option("--grupo", is_flag=True, help="Ask the group's database, where every table has the column empresa.")
@click.option("--formato", type=click.Choice(["tabela", "csv", "json", "parquet"]), default="tabela", show_default=True)
@click.option("--saida", type=click.Path(path_type=Path, dir_okay=False), help="File to write; needed for parquet.")
def sql(
    consulta: str, config: Path | None, empresa_id: str | None, *, grupo: bool, formato: str, saida: Path | None
) -> None:
    """Ask CONSULTA (SQL, - for the standard input, or a report such as dre) of what is published, read-only."""
    published = find_file(read_settings(config), empresa_id, grupo=grupo)
    question = sys.stdin.read() if consulta == "-" else consulta
    from lastro.warehouse.adhoc import ask, write_parquet

    if formato == "parquet":
        if saida is None:
            raise click.UsageError("parquet is a file: add --saida FILE.")
        count = write_parquet(published, question, saida)
        messages.print(f"{count} linhas em {saida}", markup=False)
        return
    if formato == "tabela" and saida is not None:
        raise click.UsageError("a table is for reading here: choose csv, json or parquet for a file.")
    with ask(published, question) as answer:
        if formato == "tabela":
            show(answer.columns, answer.rows)
            return
        write = write_csv if formato == "csv" else write_json
        if saida is None:
            write(sys.stdout, answer.columns, answer.rows)
            return
        try:
            with saida.open("w", encoding="utf-8", newline="") as file:
                write(file, answer.columns, answer.rows)
        except OSError as error:
            raise ConfigError(f"{saida}: {error.strerror}. Choose another file.") from None


def find_file(settings: Settings, empresa_id: str | None, *, grupo: bool) -> Path:
    """Find the published copy that is asked.

    Raises:
        ConfigError: when it is not clear which.
    """
    if grupo:
        if empresa_id is not None:
            raise ConfigError("--grupo asks all companies: leave --empresa out, or write WHERE empresa = '...'.")
        return settings.dir / "grupo" / "lastro.duckdb"
    if empresa_id is None and len(settings.ids) > 1:
        known = ", ".join(settings.ids)
        raise ConfigError(f"{settings.origem}: several companies; add --empresa (one of {known}) or --grupo.")
    return settings.pasta(settings.empresa(empresa_id or settings.ids[0])) / "lastro.duckdb"


def show(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print the first rows under their header; numbers to the right."""
    taken = list(itertools.islice(rows, MOST_ROWS + 1))
    shown = taken[:MOST_ROWS]
    right = [
        place
        for place in range(len(columns))
        if shown and all(isinstance(row[place], int | Decimal | None) for row in shown)
    ]
    print_table([tuple(columns), *(tuple(_write(value) for value in row) for row in shown)], right=right)
    if len(taken) > MOST_ROWS:
        messages.print(f"lastro: as primeiras {MOST_ROWS} linhas; --formato csv dá todas.", markup=False)


def write_csv(file: Any, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write CSV; a text that a spreadsheet would take for a formula gets an apostrophe before it."""
    writer = csv.writer(file)
    writer.writerow(columns)
    for row in rows:
        writer.writerow(
            [f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else _write(value) for value in row]
        )


def write_json(file: Any, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a list of objects; money is text with its places, never a float."""
    file.write("[")
    for number, row in enumerate(rows):
        record = dict(zip(columns, map(_as_json, row), strict=True))
        file.write(("," if number else "") + "\n" + json.dumps(record, ensure_ascii=False))
    file.write("\n]\n")


def _as_json(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str | list | dict):
        return value if not isinstance(value, list) else [_as_json(each) for each in value]
    return _write(value)


def _write(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "sim" if value else "não"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    return value.isoformat() if isinstance(value, date) else str(value)
