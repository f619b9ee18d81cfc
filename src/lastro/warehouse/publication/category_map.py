"""Reading what a company published of its categories and of who pays in lots, for `lastro mapa`; read-only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

import pandas as pd

from lastro.analysis.dre_map import MESES
from lastro.calendar import add_months, month_start
from lastro.folding import slug
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


@dataclass(frozen=True)
class Lots:
    """What settles in lots (S12): payment methods that are called a card, and persons that mostly pay so.

    Attributes:
        formas: id -> name.
        pessoas: id -> name, and how many of how many títulos it paid in lots.
    """

    formas: Mapping[int, str]
    pessoas: Mapping[int, tuple[str, int, int]]


LEAST_PAID, LEAST_DAYS = 20, 5
"""Títulos without a charge that a person paid in the window of S17, and days on which it paid several at once."""
_CARD: Final = re.compile(r"\b(?:cart(?:ao|oes)|maquininha|adquirente)\b")
_PAID_AT_ONCE: Final = """
SELECT pessoa_id, count(*) FILTER (juntos > 1) AS em_lote, count(*) AS todos
FROM (
  SELECT pessoa_id, data_pagamento, count(*) OVER (PARTITION BY pessoa_id, data_pagamento) AS juntos
  FROM core.titulos t
  WHERE tipo = 'R' AND NOT transferencia AND pessoa_id IS NOT NULL AND data_pagamento BETWEEN ? AND ?
    AND NOT EXISTS (FROM core.cobranca_titulos c WHERE c.titulo_id = t.titulo_id))
GROUP BY pessoa_id
HAVING todos >= ? AND 5 * em_lote >= 4 * todos AND count(DISTINCT data_pagamento) FILTER (juntos > 1) >= ?
ORDER BY pessoa_id
"""


def read_lots(pasta: Path, empresa_id: str) -> Lots:
    """Read what settles in lots.

    Raises:
        StorageError: as `read_used_categories`.
    """
    with open_published(pasta / LINK_NAME, f"lastro run --empresa {empresa_id}") as con:
        ((day,),) = con.execute("SELECT data_base FROM ops.relatorio").fetchall()
        window = [add_months(month_start(day), -MESES), day]
        formas = con.execute(
            "SELECT forma_pagamento_id, any_value(forma) FROM mart.lancamentos WHERE valor > 0 AND forma_pagamento_id "
            "IS NOT NULL AND dia BETWEEN ? AND ? GROUP BY ALL ORDER BY ALL",
            window,
        ).fetchall()
        paid = con.execute(_PAID_AT_ONCE, [*window, LEAST_PAID, LEAST_DAYS]).fetchall()
        names = dict(con.execute("SELECT pessoa_id, any_value(pessoa) FROM mart.lancamentos GROUP BY ALL").fetchall())
    return Lots(
        {int(key): str(name) for key, name in formas if _CARD.search(slug(str(name), " "))},
        {int(key): (str(names.get(key, "")), at_once, count) for key, at_once, count in paid},
    )


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


def read_ids_of_books(pasta: Path) -> tuple[frozenset[int], frozenset[int]]:
    """Read which categories the service lists, and which cost centres entries have.

    Raises:
        StorageError: as `read_used_categories`.
    """
    with open_published(pasta / LINK_NAME, "lastro run") as con:
        categories = con.execute("SELECT categoria_id FROM core.categorias WHERE conhecida").fetchall()
        centres = con.execute("SELECT DISTINCT centro_custo_lucro_id FROM core.linhas").fetchall()
    return frozenset(key for (key,) in categories), frozenset(key for (key,) in centres)
