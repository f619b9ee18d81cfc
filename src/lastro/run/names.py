"""Names of the stages, assets and files of a run; importing them loads nothing else."""

from __future__ import annotations

from typing import Final

from lastro.api.endpoints import REFERENCIAS
from lastro.schema.tables import TABLES

LEITURA: Final = "leitura"
"""The stage that reads the service; a run without it computes a published reading again."""
PLANILHAS: Final = "planilhas"
"""The stage that writes the workbooks, and the closing of a month."""
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
COBRANCA: Final = "cobranca"
PAGAMENTOS: Final = "pagamentos"
RESUMO: Final = "resumo"
"""What the names of the desks' workbooks and of the page begin with."""
TYPED_INTO: Final = (COBRANCA, PAGAMENTOS)
"""Those that people type into."""
CORE_TABLES: Final = tuple(name.removeprefix("core.") for name in TABLES if name.startswith("core."))
"""The typed tables of the current run."""
