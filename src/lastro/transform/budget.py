"""What people budgeted, as the frame `core.orcamento` (R18)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Final

import pandas as pd

from lastro.schema.frames import shape

COLUMNS: Final = ("versao", "categoria_id", "mes", "valor_centavos")


def build_budget(rows: Iterable[tuple[str, int, date, int]]) -> pd.DataFrame:
    """Return budgeted amounts as the frame `core.orcamento`, by its key.

    Args:
        rows: version, category, first day of the month, signed centavos (expenses negative); no key twice.
    """
    frame = pd.DataFrame([*rows], columns=list(COLUMNS))
    frame["mes"] = pd.to_datetime(frame["mes"])
    return shape("core.orcamento", frame.sort_values([*COLUMNS[:3]], ignore_index=True))
