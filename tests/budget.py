"""The golden budget (R18), read from its file as a run reads it."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from lastro.entrada.orcamento import Budget, BudgetedCategory, read_budget
from lastro.money import parse_centavos
from lastro.transform.budget import build_budget
from tests.golden import dataset

FILE = Path(__file__).with_name("golden") / "orcamento.csv"


def list_golden_categories() -> dict[int, BudgetedCategory]:
    """The categories of the golden company as a budget may name them."""
    found: dict[int, BudgetedCategory] = {}

    def add(rows: list[dict[str, Any]], above: str) -> None:
        for row in rows:
            found[row["id"]] = BudgetedCategory(above + row["descricao"], row["tipo_categoria_id"])
            add(row["categorias_filhas"], f"{above}{row['descricao']} > ")

    add(dataset.payloads()["categorias"], "")
    return found


def read_golden_budget(content: bytes | None = None) -> Budget:
    """Read the golden budget, or another file of the golden company."""
    return read_budget(
        FILE.read_bytes() if content is None else content, list_golden_categories(), {}, until=date(2036, 11, 26)
    )


def frame_golden_budget() -> pd.DataFrame:
    """The golden budget as `core.orcamento` holds it."""
    return build_budget((*key, parse_centavos(str(valor))) for key, valor in read_golden_budget().valores.items())
