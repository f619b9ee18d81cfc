"""What the reports of a run come to, as the steps after them ask for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pandas as pd

from lastro.catalogue import Catalogue
from lastro.desk.found import DeskFound
from lastro.desk.plan import Payments
from lastro.grid.tables import Table


@dataclass(frozen=True)
class Computed:
    """What the reports of a run come to.

    Attributes:
        extrato: lines of statements beside which the payments desk may type (`pagamentos_extrato`).
        mesas: what was found at the desks; None for a company that keeps personal data out of its files.
        pagamentos: what the sheets of `pagamentos` show.
        fecha: the month that closes by itself, unless a check fails (S25).
        posicao: the rows that reports add up (`lastro.warehouse.file.check_room.take_rows`); none when they are stored.
    """

    catalogue: Catalogue
    extrato: Table
    mesas: DeskFound | None
    pagamentos: Payments
    fecha: date | None
    posicao: dict[str, pd.DataFrame]
