"""Reading what a company published of its categories and its budget, for `lastro orcamento`; read-only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from lastro.schema.values import PATH_SEPARATOR, TIPO_DESPESA, TIPO_RECEITA
from lastro.warehouse.file.store import LINK_NAME
from lastro.warehouse.publication.published_file import open_published


@dataclass(frozen=True)
class ListedCategory:
    """A category of the service's list: id, path, tipo, depth in the tree, and whether it is in use."""

    categoria_id: int
    caminho: str
    tipo: int | None
    nivel: int
    ativo: bool


@dataclass(frozen=True)
class PublishedBudget:
    """What the last published run knew.

    Attributes:
        categorias: by tree, trees of revenue first.
        valores: version, category and month -> signed R$.
    """

    categorias: tuple[ListedCategory, ...]
    valores: dict[tuple[str, int, date], Decimal]


def read_published_budget(pasta: Path, empresa_id: str) -> PublishedBudget:
    """Read the categories of a company and what is budgeted of them.

    Raises:
        StorageError: when nothing is published there, or another version of lastro published it.
    """
    with open_published(pasta / LINK_NAME, f"lastro run --empresa {empresa_id}") as con:
        rows = con.execute(
            "SELECT c.categoria_id, c.caminho, c.tipo_categoria_id, c.nivel, coalesce(c.ativo, true), "
            "r.tipo_categoria_id FROM core.categorias c LEFT JOIN core.categorias r "
            "ON r.categoria_id = coalesce(c.ancestrais[1], c.categoria_id) WHERE c.conhecida"
        ).fetchall()
        held = con.execute("SELECT versao, categoria_id, mes, valor FROM core.orcamento").fetchall()
    sides = {TIPO_RECEITA: 0, TIPO_DESPESA: 2}
    rows.sort(key=lambda row: (sides.get(row[5], 1), row[1].casefold().split(PATH_SEPARATOR), row[0]))
    return PublishedBudget(
        tuple(ListedCategory(*row[:5]) for row in rows),
        {(versao, key, mes): valor for versao, key, mes, valor in held},
    )
