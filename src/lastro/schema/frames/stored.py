"""The frames of one run's tables: columns, order and dtypes follow from `TABLES`."""

from __future__ import annotations

from lastro.schema.dictionary import ColumnDef
from lastro.schema.frames.definition import Frame, of_column
from lastro.schema.tables import TABLES
from lastro.schema.tables.core import TAGS

RUN = "execucao_id"
"""Which run a core table holds: a fact of the file, and every frame is of one run."""
_MORE = {"core.linhas": TAGS}
"""Frame -> columns that the file keeps in a table of their own."""
_NAMES = (
    "core.linhas",
    "core.titulos",
    "core.contas",
    "core.extrato_saldos",
    "core.orcamento",
    "core.categorias",
    "core.pessoas",
    "core.cobrancas",
    "core.cobranca_titulos",
    "core.cobranca_desconhecidos",
    "ops.passadas",
)


def list_stored_columns(name: str) -> tuple[ColumnDef, ...]:
    """List the SQL columns behind a frame of `STORED`, in its order."""
    columns = [column for column in TABLES[name].definitions if column.name != RUN]
    return (*columns, *_MORE.get(name, {}).values())


def _derive(name: str) -> Frame:
    table = TABLES[name]
    columns = tuple(of_column(column) for column in list_stored_columns(name))
    return Frame(table.comment, tuple(column for column in table.key if column != RUN), columns)


STORED = {name: _derive(name) for name in _NAMES}
