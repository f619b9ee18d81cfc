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

from lastro.commands.invocation import choose_company, company_option, config_option, read_settings
from lastro.commands.target import write_aside
from lastro.errors import ConfigError
from lastro.settings import EXPORT_FORMATS, GROUP_FOLDER, Empresa, Settings
from lastro.settings.model import ENTRADA
from lastro.terminal import messages, print_table

_CHECK = re.compile(r"[vq]\d\d|memo", re.IGNORECASE)
_REPORT = re.compile(r"r\d\d", re.IGNORECASE)
_MAIN_VIEW = re.compile(r"\*\*SQL\.\*\* `(mart\.[a-z_]+)`")
MOST_ROWS = 200
"""Rows that a table on a terminal shows."""

WHAT_THERE_IS = """
SELECT nome, o_que_e FROM (
  SELECT 1 AS ordem, 'mart.' || table_name AS nome, comment AS o_que_e FROM duckdb_tables() WHERE schema_name = 'mart'
  UNION ALL
  SELECT DISTINCT if(schema_name = 'mart', 2, 4), schema_name || '.' || function_name || '('
    || array_to_string(list_transform(parameters, lambda p: regexp_replace(p, '^p_', '')), ', ') || ')', comment
  FROM duckdb_functions() WHERE schema_name IN ('mart', 'hist') AND NOT internal
  UNION ALL
  SELECT if(schema_name = 'core', 3, 0), schema_name || '.' || table_name, comment FROM duckdb_tables()
    WHERE schema_name IN ('core', 'minhas')
) ORDER BY ordem, nome"""
"""What `lastro sql` alone asks: own questions, reports, the macros for any day, the records, the macros for any run."""


@click.command()
@click.argument("consulta", required=False)
@config_option
@company_option
@click.option("--grupo", is_flag=True, help="Pergunta ao banco do grupo, em que toda tabela tem a coluna empresa.")
@click.option("--tudo", is_flag=True, help="De uma verificação, também as comparações que conferem.")
@click.option("--dbt", is_flag=True, help="Em vez de perguntar: o sources.yml do dbt, com chaves, tipos e comentários.")
@click.option(
    "--formato",
    type=click.Choice(["tabela", *EXPORT_FORMATS]),
    default="tabela",
    show_default=True,
    help="Como mostrar.",
)
@click.option(
    "--saida",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Arquivo a escrever ou trocar; parquet precisa dele.",
)
@click.option(
    "--guardar", metavar="NOME", help="Guarda a pergunta em entrada/consultas: toda execução a faz, numa folha."
)
def sql(
    consulta: str | None,
    config: Path | None,
    empresa_id: str | None,
    *,
    grupo: bool,
    tudo: bool,
    dbt: bool,
    formato: str,
    saida: Path | None,
    guardar: str | None,
) -> None:
    """Pergunta ao que está publicado, só de leitura: SQL, - (entrada padrão), relatório (dre, R06), verificação (V05).

    Sem CONSULTA: o que há para perguntar, uma linha cada.
    """
    settings = read_settings(config)
    published = find_file(settings, empresa_id, grupo=grupo)
    if guardar is not None and (consulta is None or saida is not None or dbt):
        raise click.UsageError("--guardar guarda uma CONSULTA, e não vale com --saida ou --dbt.")
    if dbt:
        _tell_dbt(settings, published, saida, grupo=grupo)
        return
    if consulta is None:
        consulta = WHAT_THERE_IS
    _refuse_form(formato, saida)
    question = _read_question(consulta)
    if _CHECK.fullmatch(question.strip()):
        question = _read_check(published, question.strip().upper(), tudo=tudo)
    elif tudo:
        raise click.UsageError("--tudo só vale para uma verificação, como V05.")
    if _REPORT.fullmatch(question.strip()):
        question = _find_main_view(question.strip().upper())
    if saida is None:
        _print(published, question, formato)
        _keep(settings, None if grupo else choose_company(settings, empresa_id), guardar, question)
        return
    if formato == "parquet":
        from lastro.warehouse.publication.adhoc_queries import write_parquet

        with write_aside(settings, saida) as path:
            count = write_parquet(published, question, path)
        messages.print(f"{count} linhas em {saida}")
        return
    with write_aside(settings, saida) as path, path.open("x", encoding="utf-8", newline="") as file:
        _write_text(published, question, formato, file)


def _tell_dbt(settings: Settings, published: Path, saida: Path | None, *, grupo: bool) -> None:
    # Here and not above: it knows every report.
    from lastro.commands.dbt_sources import write_sources

    text = write_sources(published, grupo=grupo)
    if saida is None:
        click.echo(text, nl=False)
        return
    with write_aside(settings, saida) as path:
        path.write_text(text, encoding="utf-8")


def _refuse_form(formato: str, saida: Path | None) -> None:
    if formato == "parquet" and saida is None:
        raise click.UsageError("parquet é um arquivo: acrescente --saida ARQUIVO.")
    if formato == "tabela" and saida is not None:
        raise click.UsageError(
            "tabela é para ler aqui: para um arquivo, escolha --formato csv, csv-excel, json ou parquet."
        )


def _keep(settings: Settings, empresa: Empresa | None, name: str | None, question: str) -> None:
    """Write a question that was answered where every run finds it, or the group's; without a name nothing.

    Raises:
        ConfigError: when the name is none of a table, or another question has it.
        StorageError: when the folder cannot be written.
    """
    from lastro.entrada.consultas import ENDING, FOLDER, NAME, NAME_RULE, write_question
    from lastro.warehouse.file.faults import storage_error

    if name is None:
        return
    if not NAME.fullmatch(name):
        raise ConfigError(f"--guardar {name}: {NAME_RULE}.")
    entrada = settings.dir / GROUP_FOLDER / ENTRADA if empresa is None else settings.entrada(empresa)
    path = entrada / FOLDER / f"{name}{ENDING}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(write_question(name, question))
    except FileExistsError:
        raise ConfigError(f"{path}: já há uma consulta com esse nome. Dê outro, ou apague antes o arquivo.") from None
    except OSError as error:
        raise storage_error(path, error) from None
    messages.print(f"guardada em {path}: a próxima execução a faz")


def _read_question(consulta: str) -> str:
    try:
        return sys.stdin.read() if consulta == "-" else consulta
    except UnicodeDecodeError:
        raise ConfigError("SQL: a entrada padrão não é texto UTF-8. Salve-a como UTF-8.") from None


def _find_main_view(code: str) -> str:
    """Find the view that the manual names first of a report, and say where the others stand.

    Raises:
        ConfigError: when there is no such report.
    """
    from lastro.manual import list_topics

    views = {part.number: found[1] for part in list_topics() if (found := _MAIN_VIEW.search(part.text))}
    if code not in views:
        there = sorted(number for number in views if _REPORT.fullmatch(number))
        raise ConfigError(f"SQL: {code} não é relatório. São: {', '.join(there)}.")
    messages.print(f"{views[code]}; as outras visões de {code}: lastro manual {code}.")
    return views[code]


def _read_check(published: Path, rule: str, *, tudo: bool) -> str:
    """Write a check as one query: all comparisons, or only the differences; every value as text.

    Of a finding, its records.

    Raises:
        ConfigError: when there is no such check, it is no query, or what it looks at is not published.
    """
    from lastro.quality.queries import ROOMS, join_selects, read_findings, read_queries
    from lastro.warehouse.publication.adhoc_queries import ask

    finding = read_findings(*ROOMS).get(rule)
    if finding is not None:
        if tudo:
            raise click.UsageError("--tudo só vale para uma verificação, como V05.")
        return finding.selects[0]
    query = read_queries(*ROOMS).get(rule)
    if query is None:
        raise ConfigError(f"SQL: {rule} não é consulta. São: {', '.join(read_queries(*ROOMS))}.")
    with ask(published, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'mart'") as answer:
        there = {name for (name,) in answer.rows}
    question = join_selects(query, there, tudo=tudo)
    if question is None:
        raise ConfigError(f"SQL: o que {rule} compara não está publicado; veja lastro manual {rule}.")
    return question


def _print(published: Path, question: str, formato: str) -> None:
    if formato == "tabela":
        from lastro.warehouse.publication.adhoc_queries import ask

        with ask(published, question) as answer:
            show(answer.columns, answer.rows)
    else:
        _write_text(published, question, formato, sys.stdout)


def _write_text(published: Path, question: str, formato: str, file: TextIO) -> None:
    from lastro.warehouse.publication.adhoc_queries import ask
    from lastro.warehouse.publication.csv_text import CSV

    text = CSV.get(formato)
    with ask(published, question, text) as answer:
        if text is None:
            write_json(file, answer.columns, answer.rows)
            return
        if (getattr(file, "encoding", None) or "").lower().startswith("utf"):
            file.write(text.mark)
        writer = csv.writer(file, delimiter=text.delimiter)
        writer.writerow(answer.columns)
        writer.writerows(answer.rows)


def find_file(settings: Settings, empresa_id: str | None, *, grupo: bool) -> Path:
    """Find the published copy that is asked.

    Raises:
        ConfigError: when it is not clear which.
    """
    from lastro.warehouse.file.store import LINK_NAME

    if grupo:
        if empresa_id is not None:
            raise ConfigError("--grupo pergunta a todas as empresas: tire --empresa, ou escreva WHERE empresa = '...'.")
        return settings.dir / GROUP_FOLDER / LINK_NAME
    return settings.pasta(choose_company(settings, empresa_id, ", ou --grupo")) / LINK_NAME


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
        messages.print(f"lastro: as primeiras {MOST_ROWS} linhas; --formato csv dá todas.")


def write_json(file: TextIO, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a list of objects; money is text with its places, never a float."""
    file.write("[")
    for index, row in enumerate(rows):
        record = dict(zip(columns, map(_as_json, row), strict=True))
        file.write(("," if index else "") + "\n" + json.dumps(record, ensure_ascii=False))
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
