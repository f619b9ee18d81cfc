"""Questions of a company's own, or of the group's: asked of what is about to be published, left in it and on sheets.

They are asked of a copy, each in a process of its own (`lastro.warehouse.publication.bounded`): what one does harms
neither the run nor its file. The answers stand in `minhas.<nome>`, what became of each in `minhas._perguntas`.
Does not belong here: what a file of them says (`lastro.entrada.consultas`).
"""

from __future__ import annotations

import shutil
import time
from decimal import Decimal
from pathlib import Path
from typing import Final

from lastro.entrada.consultas import FOLDER, Question, list_questions
from lastro.errors import ConfigError
from lastro.grid.cells import Kind, Link
from lastro.grid.sections import Row, Section
from lastro.grid.table_rows import TableRows
from lastro.grid.tables import Column, Table
from lastro.grid.words import count_text
from lastro.grid.workbook import Family, Sheet, Stamp, Workbook
from lastro.run.names import CONSULTAS, STAGING_FOLDER
from lastro.schema.derivation import quote
from lastro.settings.model import ENTRADA
from lastro.warehouse.file.blocks import copy_file
from lastro.warehouse.file.faults import guard, transact
from lastro.warehouse.file.store import LINK_NAME, PRIVATE_FOLDER
from lastro.warehouse.publication.bounded import Bounds, ask_bounded
from lastro.warehouse.publication.copies import Copied
from lastro.warehouse.publication.datasets import find_kind, read_blocks

SCHEMA: Final = "minhas"
REGISTER: Final = f"{SCHEMA}._perguntas"
BOUNDS: Final = Bounds()
"""Of one question."""
WHOLE_SECONDS: Final = 300
"""For all of a run; what they leave no time for is not asked."""
NUMBERS: Final = frozenset({Kind.INTEGER, Kind.MONEY, Kind.DECIMAL, Kind.PERCENT})
"""Kinds whose columns a sheet can add up; of percents nobody wants it, and who asks has it."""
_REGISTER: Final = {
    "consulta": ("VARCHAR", "o arquivo em entrada/consultas, sem .sql; respondida, a tabela de minhas"),
    "titulo": ("VARCHAR", "o que diz o arquivo"),
    "pergunta": ("VARCHAR", "o que diz o arquivo"),
    "totais": ("VARCHAR[]", "colunas que a folha soma"),
    "linhas": ("BIGINT", "linhas da resposta; nula sem resposta"),
    "segundos": ("DECIMAL(9,2)", "segundos que levou, com resposta ou sem"),
    "motivo": ("VARCHAR", "por que não há resposta; vazio onde há"),
}
_INSERT: Final = f"INSERT INTO {REGISTER} VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - our own text
_INDEX: Final = (
    Column("Consulta", Kind.TEXT, width=32),
    Column("Título", Kind.TEXT, width=34),
    Column("Pergunta", Kind.TEXT, width=44),
    Column("Linhas", Kind.INTEGER, width=10),
    Column("Segundos", Kind.MONEY, dense=True, show_zero=True, width=10),
    Column("Situação", Kind.TEXT, width=60),
)


def ask_questions(warehouse: Copied, entrada: Path, bounds: Bounds = BOUNDS) -> list[tuple[str, str]]:
    """Ask all questions of an entry folder, and leave the answers in the file in the place of those before.

    Args:
        warehouse: the private file, outside any transaction; it has all that is to be published.
        entrada: the entry folder.
        bounds: how much each may take.

    Returns:
        The questions without an answer, by name: file and reason.

    Raises:
        StorageError: when the disk is full.
    """
    con, found = warehouse.con, list_questions(entrada)
    con.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    if not found:
        return []
    private, refused = warehouse.pasta / PRIVATE_FOLDER, []
    aside, until = private / STAGING_FOLDER / CONSULTAS, time.monotonic() + WHOLE_SECONDS
    with guard(private / LINK_NAME):
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        try:
            copy_file(con, aside / LINK_NAME)
            with transact(con):
                _create_register(warehouse)
                for question in found:
                    began, linhas, motivo = time.monotonic(), None, question.motivo
                    try:
                        linhas = None if motivo else _ask(warehouse, question, aside, bounds, until)
                    except ConfigError as error:
                        motivo = str(error)
                    took = Decimal(str(round(time.monotonic() - began, 2)))
                    head = (question.nome, question.titulo, question.pergunta, [*question.totais])
                    con.execute(_INSERT, [*head, linhas, took, motivo])
                    if motivo:
                        refused.append((f"{ENTRADA}/{FOLDER}/{question.arquivo}".rstrip("/"), motivo))
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return sorted(refused)


def _create_register(warehouse: Copied) -> None:
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in _REGISTER.items())
    warehouse.con.execute(f"CREATE SCHEMA {SCHEMA}; CREATE TABLE {REGISTER} ({columns})")
    warehouse.con.execute(f"COMMENT ON TABLE {REGISTER} IS 'S18: uma consulta própria nesta execução; chave: consulta'")
    for name, (_, about) in _REGISTER.items():
        warehouse.con.execute(f"COMMENT ON COLUMN {REGISTER}.{name} IS {quote(about)}")


def _ask(warehouse: Copied, question: Question, aside: Path, bounds: Bounds, until: float) -> int:
    """Ask one question and store the answer; return its rows.

    Raises:
        ConfigError: why there is no answer.
    """
    left = min(bounds.segundos, until - time.monotonic())
    if left <= 0:
        raise ConfigError(f"não feita: as anteriores gastaram os {WHOLE_SECONDS} s de todas")
    target = aside / f"{question.nome}.parquet"
    ask_bounded(aside / LINK_NAME, question.texto, target, Bounds(left, bounds.linhas, bounds.memoria))
    con, answer = warehouse.con, f"FROM read_parquet({quote(str(target))})"
    ((count,),) = con.execute(f"SELECT count(*) {answer}").fetchall()
    columns = {name: kind for name, kind, *_ in con.execute(f"DESCRIBE {answer}").fetchall()}
    for name in question.totais:
        if name not in columns or find_kind(columns[name]) not in NUMBERS:
            raise ConfigError(f"Total no começo: a resposta não tem coluna de números «{name}»")
    table = f'{SCHEMA}."{question.nome}"'
    con.execute(f"CREATE TABLE {table} AS {answer}")
    con.execute(f"COMMENT ON TABLE {table} IS {quote(f'{question.titulo}: {question.pergunta}')}")
    for name in columns.keys() & question.sobre:
        spot = f'{table}."{name.replace(chr(34), chr(34) * 2)}"'
        con.execute(f"COMMENT ON COLUMN {spot} IS {quote(question.sobre[name])}")
    return int(count)


def are_asked(entrada: Path) -> bool:
    """Tell whether an entry folder has questions."""
    return bool(list_questions(entrada))


def has_questions(warehouse: Copied) -> bool:
    """Tell whether a file has questions of its own, with an answer or without."""
    sql = "SELECT 1 FROM duckdb_schemas() WHERE schema_name = ? AND database_name = current_database()"
    return bool(warehouse.con.execute(sql, [SCHEMA]).fetchall())


def build_answers(warehouse: Copied, stamp: Stamp) -> Workbook:
    """Build the workbook of the questions: what became of each, then a sheet for every answer."""
    known = warehouse.con.execute(f"FROM {REGISTER} ORDER BY consulta").fetchall()
    rows, sheets = [], []
    for name, titulo, pergunta, totais, linhas, segundos, motivo in known:
        first = name if motivo else Link(name, sheet=name)
        rows.append(Row((first, titulo or "–", pergunta or "–", linhas, segundos, motivo or "respondida")))
        if not motivo:
            sheets.append(_build_sheet(warehouse, Question(name, titulo, pergunta, totais), linhas, segundos))
    index = Sheet("LEIA-ME", "Consultas próprias", (Section(CONSULTAS, _INDEX, rows),), family=Family.COVER)
    return Workbook(CONSULTAS, stamp, (index, *sheets))


def _build_sheet(warehouse: Copied, question: Question, linhas: int, segundos: Decimal) -> Sheet:
    """Build the sheet of an answer; its columns are called by place, for their names can be anything."""
    con, stored = warehouse.con, f'{SCHEMA}."{question.nome}"'
    columns = [
        _head(f"c{place}", name, kind, total=name in question.totais)
        for place, (name, kind, *_) in enumerate(con.execute(f"DESCRIBE {stored}").fetchall())
    ]
    named = ", ".join(column.key for column in columns)
    con.execute(f"CREATE OR REPLACE TEMP TABLE {CONSULTAS} AS FROM {stored} AS t({named})")
    table = next(read_blocks(con, CONSULTAS, columns, linhas, max(linhas, 1)), Table(CONSULTAS, tuple(columns), (), ""))
    con.execute(f"DROP TABLE temp.{CONSULTAS}")
    took = f"{count_text(linhas, 'linha', 'linhas')} em {segundos} s; em SQL, {stored}".replace(".", ",", 1)
    section = Section(question.nome, tuple(columns), TableRows(table), detail=True, notes=(took,))
    return Sheet(question.nome, question.titulo, (section,), hint=question.pergunta)


def _head(key: str, name: str, kind: str, *, total: bool) -> Column:
    written = name.replace("_", " ").strip()
    return Column(written[:1].upper() + written[1:] or "–", find_kind(kind), key=key, total=total)
