"""Names of the assets and files of a run; importing them loads nothing else."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from lastro.api.endpoints import REFERENCIAS
from lastro.schema.tables import TABLES

ALWAYS_READ: Final = ("cobrancas", "lancamentos")
"""What every reading has, a hot one too."""
PARTS: Final = (*REFERENCIAS, "contas", *ALWAYS_READ)
"""What a reading can be made of, in its order; `parts` of its result has those that were read."""
PAGES_FOLDER: Final = "paginas"
REPORTS_FOLDER: Final = "relatorios"
STAGING_FOLDER: Final = "preparo"
RETRO_FOLDER: Final = "retro"
"""Folders of a company: what was read as it came, what people open, what becomes of that first; a
folder for each past day that was reported after a later one."""
GERENCIAL: Final = "gerencial"
DADOS: Final = "dados"
CONSULTAS: Final = "consultas"
COBRANCA: Final = "cobranca"
PAGAMENTOS: Final = "pagamentos"
APROVADOS: Final = "pagamentos_aprovados"
GRUPO: Final = "grupo"
FECHAMENTO: Final = "fechamento"
RESUMO: Final = "resumo"
"""What the names of workbooks and of the page begin with; that of a scope is `gerencial_` and its own."""
NO_DESKS: Final = (GERENCIAL, DADOS, CONSULTAS, GRUPO, FECHAMENTO)
"""Workbooks that nobody fills in."""
CORE_TABLES: Final = tuple(name.removeprefix("core.") for name in TABLES if name.startswith("core."))
"""The typed tables of the current run."""
_NAME: Final = re.compile(
    r"(?P<kind>.+?)_(?P<day>[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?)(?:_r(?P<revision>[0-9]+))?(?P<suffix>\.[a-z]+)"
)


@dataclass(frozen=True)
class WrittenName:
    """The name of a file as a run or the group gives it.

    Attributes:
        kind: what the file is; whether lastro has such a kind is not said.
        day: D as it stands in the name, AAAA-MM-DD; of a closing its month, AAAA-MM.
        revision: 1 of the first of its day.
        suffix: with its dot.
    """

    kind: str
    day: str
    revision: int
    suffix: str

    @property
    def first(self) -> str:
        """The name of the first of its day."""
        return f"{self.kind}_{self.day}{self.suffix}"


def name_written(kind: str, day: date, suffix: str = ".xlsx") -> str:
    """Name the first file of its kind and day.

    >>> name_written("gerencial", date(2026, 3, 16))
    'gerencial_2026-03-16.xlsx'
    """
    return f"{kind}_{day.isoformat()}{suffix}"


def name_closing(mes: date, edition: int) -> str:
    """Name the workbook of a closed month.

    >>> name_closing(date(2026, 2, 1), 1), name_closing(date(2026, 2, 1), 2)
    ('fechamento_2026-02.xlsx', 'fechamento_2026-02_r2.xlsx')
    """
    return add_revision(f"{FECHAMENTO}_{mes:%Y-%m}.xlsx", edition)


def add_revision(name: str, revision: int) -> str:
    """Give a name the number that it has where it was taken; the first has none."""
    stem, suffix = os.path.splitext(name)
    return name if revision == 1 else f"{stem}_r{revision}{suffix}"


def parse_name(name: str) -> WrittenName | None:
    """Read a name as a run gives it; None for another one.

    >>> parse_name("gerencial_loja_2_2026-03-16_r10.xlsx")
    WrittenName(kind='gerencial_loja_2', day='2026-03-16', revision=10, suffix='.xlsx')
    >>> parse_name("fechamento_2026-02.xlsx").day, parse_name("gerencial_2026-02.xlsx")
    ('2026-02', None)
    """
    match = _NAME.fullmatch(name)
    if match is None or (match["kind"] == FECHAMENTO) != (len(match["day"]) == len("AAAA-MM")):
        return None
    return WrittenName(match["kind"], match["day"], int(match["revision"] or 1), match["suffix"])
