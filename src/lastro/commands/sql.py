"""`lastro sql`: one question in SQL on what is published, as a table or, here or in a file, CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import itertools
import json
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, TextIO

import click

from lastro.commands.options import config_option, read_settings
from lastro.commands.target import write_aside
from lastro.errors import ConfigError
from lastro.settings import EXPORT_FORMATS, Settings
from lastro.terminal import messages, print_table

_CHECK = re.compile(r"[VvQq]\d\d")
MOST_ROWS = 200
"""Rows that a table on a terminal shows."""


@click.command()
@click.argument("consulta")
@config_option
@click.option("--empresa", "empresa_id", help="Company to ask; default: the only one of the settings.")
@click.option("--grupo", is_flag=True, help="Ask the group's database, where every table has the column empresa.")
@click.option("--tudo", is_flag=True, help="Of a check, also the comparisons that agree.")
@click.option("--formato", type=click.Choice(["tabela", *EXPORT_FORMATS]), default="tabela", show_default=True)
@click.option(
    "--saida", type=click.Path(path_type=Path, dir_okay=False), help="File to write, or to replace; needed for parquet."
)
def sql(
    consulta: str,
    config: Path | None,
    empresa_id: str | None,
    *,
    grupo: bool,
    tudo: bool,
    formato: str,
    saida: Path | None,
) -> None:
    """Ask CONSULTA of what is published, read-only: SQL, - for the standard input, a report (dre), a check (V05)."""
    settings = read_settings(config)
    published = find_file(settings, empresa_id, grupo=grupo)
    if formato == "parquet" and saida is None:
        raise click.UsageError("parquet is a file: add --saida FILE.")
    if formato == "tabela" and saida is not None:
        raise click.UsageError("a table is for reading here: choose csv, csv-excel, json or parquet for a file.")
    question = _read_question(consulta)
    if _CHECK.fullmatch(question.strip()):
        question = _read_check(published, question.strip().upper(), tudo=tudo)
    elif tudo:
        raise click.UsageError("--tudo is of a check, such as V05.")
    if saida is None:
        _print(published, question, formato)
        return
    if formato == "parquet":
        from lastro.warehouse.adhoc import write_parquet

        with write_aside(settings, saida) as path:
            count = write_parquet(published, question, path)
        messages.print(f"{count} linhas em {saida}", markup=False)
        return
    with write_aside(settings, saida) as path, path.open("x", encoding="utf-8", newline="") as file:
        _write_text(published, question, formato, file)


def _read_question(consulta: str) -> str:
    try:
        return sys.stdin.read() if consulta == "-" else consulta
    except UnicodeDecodeError:
        raise ConfigError("SQL: the standard input is no UTF-8 text. Save it as UTF-8.") from None


def _read_check(published: Path, number: str, *, tudo: bool) -> str:
    """Write a check as one question: what it compared, or what of it differs; amounts, counts and texts as texts.

    Raises:
        ConfigError: when there is no such check, it is no query, or what it looks at is not published.
    """
    from lastro.quality.queries import join_selects, read_queries
    from lastro.warehouse.adhoc import ask

    query = read_queries().get(number)
    if query is None:
        raise ConfigError(f"SQL: {number} is no query. Those that are: {', '.join(read_queries())}.")
    with ask(published, "SELECT view_name FROM duckdb_views() WHERE schema_name = 'mart'") as answer:
        there = {name for (name,) in answer.rows}
    question = join_selects(query, there, tudo=tudo)
    if question is None:
        raise ConfigError(f"SQL: what {number} compares is not published; see lastro manual {number}.")
    return question


def _print(published: Path, question: str, formato: str) -> None:
    if formato == "tabela":
        from lastro.warehouse.adhoc import ask

        with ask(published, question) as answer:
            show(answer.columns, answer.rows)
    else:
        _write_text(published, question, formato, sys.stdout)


def _write_text(published: Path, question: str, formato: str, file: TextIO) -> None:
    from lastro.warehouse.adhoc import ask
    from lastro.warehouse.csv_text import CSV

    text = CSV.get(formato)
    with ask(published, question, text) as answer:
        if text is None:
            write_json(file, answer.columns, answer.rows)
            return
        file.write(text.mark)
        writer = csv.writer(file, delimiter=text.delimiter)
        writer.writerow(answer.columns)
        writer.writerows(answer.rows)


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


def write_json(file: TextIO, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
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
