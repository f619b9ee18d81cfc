"""Reading what a company published of its categories, for `lastro mapa`; read-only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pandas as pd

from lastro.analysis.dre_map import MESES
from lastro.calendar import add_months, month_start
from lastro.warehouse.file.store import LINK_NAME
from lastro.warehouse.publication.published_file import open_published


@dataclass(frozen=True)
class UsedCategories:
    """The categories of the last published run.

    Attributes:
        data_base: D.
        categorias: grain category, those of the service's list: as `analysis.dre_map.propose_map` takes them.
        centavos: category -> signed centavos of its linhas in the window of S17, where it has any of non-zero value.
    """

    data_base: date
    categorias: pd.DataFrame
    centavos: dict[int, int]


def read_used_categories(pasta: Path, empresa_id: str) -> UsedCategories:
    """Read the categories of a company and what was booked on them.

    Raises:
        StorageError: when nothing is published there, or another version of lastro published it.
    """
    with open_published(pasta / LINK_NAME, f"lastro run --empresa {empresa_id}") as con:
        ((day,),) = con.execute("SELECT data_base FROM ops.relatorio").fetchall()
        categorias = con.execute(
            "SELECT categoria_id, descricao, ativo, tipo_categoria_id, parent_id FROM core.categorias "
            "WHERE conhecida ORDER BY categoria_id"
        ).df()
        sums = con.execute(
            "SELECT categoria_id, sum((valor * 100)::BIGINT)::BIGINT FROM mart.lancamentos WHERE categoria_id IS "
            "NOT NULL AND dre_grupo IS NOT NULL AND valor <> 0 AND data_competencia_ef BETWEEN ? AND ? "
            "GROUP BY categoria_id",
            [add_months(month_start(day), -MESES), day],
        ).fetchall()
    return UsedCategories(day, categorias, {int(key): int(value) for key, value in sums})
