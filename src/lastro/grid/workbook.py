"""What a report computed, the sheets it stands on, and one file: who, as of when, and how far it can be trusted.

Does not belong here: how a workbook looks (`lastro.export`) and what stands in it (`lastro.reports`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from lastro.grid.cells import Value
from lastro.grid.charts import Chart
from lastro.grid.forms import REPORT_SETUP, Setup
from lastro.grid.sections import Section
from lastro.grid.tables import Table
from lastro.grid.verdict import Trust
from lastro.grid.words import count_text

if TYPE_CHECKING:
    from lastro.grid.cover import Cover


class Printing(StrEnum):
    """How much of a sheet is printed (manual: Planilha)."""

    WHOLE = "inteira"
    FIRST_PAGE = "primeira página"
    NONE = "não impresso"


class Family(StrEnum):
    """What a sheet is about; sheets of one family share the colour of their tab."""

    COVER = "capa"
    CASH = "caixa"
    RESULT = "resultado"
    OPEN = "em aberto"
    HISTORY = "histórico"
    RECORDS = "registros"


@dataclass(frozen=True)
class Report:
    """What one report computed: sections to print, tables for SQL, charts. `SHEETS` says on which sheet each stands.

    Attributes:
        code: `R04`.
        title: takes the place of the title of the sheet on which its first section stands; "" = that one stays.
        sections: what can be printed of it.
        tables: what the warehouse keeps.
        charts: native charts, two or three at most.
        family: what it is about.
        cover: the first page of the workbook; None for all but one.
        shown: shows a sheet that is hidden otherwise.
    """

    code: str
    title: str
    sections: tuple[Section, ...]
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    family: Family = Family.RECORDS
    cover: Cover | None = None
    shown: bool = False


def tables_of(reports: Iterable[Report]) -> list[Table]:
    """List what the warehouse keeps of reports, in their order."""
    return [table for report in reports for table in report.tables]


@dataclass(frozen=True)
class Sheet:
    """One sheet of a workbook, whatever the workbook is for.

    Attributes:
        name: of its tab, at most 31 characters.
        title: printed in row 1.
        sections: what it shows, top to bottom.
        charts: native charts, each below its section.
        family: decides the colour of the tab.
        printing: how much of it is printed.
        hint: printed in row 3 beside the link back: what a reader of the sheet must know first.
        cover: the first page of the workbook, above the sections; None for any other sheet.
        setup: whether the sheet is read, filled in or hidden data, and what it has beside its sections.
        hidden: its tab is hidden; other sheets still link to it.
        pages: it is printed one page wide and at most so many high, however small; 0: as many as it needs.
    """

    name: str
    title: str
    sections: tuple[Section, ...]
    charts: tuple[Chart, ...] = ()
    family: Family = Family.RECORDS
    printing: Printing = Printing.WHOLE
    hint: str = ""
    cover: Cover | None = None
    setup: Setup = REPORT_SETUP
    hidden: bool = False
    pages: int = 0


NO_FILTER: Final = "nenhum"
"""`filtro` of a workbook of the whole company."""


@dataclass(frozen=True)
class Stamp:
    """Who, as of when, from which run, and how far it can be trusted: rows 1 and 2 of every sheet.

    Attributes:
        empresa: company name.
        data_base: as-of date D.
        extraido_em: start of the extraction, naive local time of `fuso`.
        fuso: label of the zone ("BRT" or the zone's name).
        execucao_id: number of the run.
        contas_lidas: accounts whose listing was proved.
        contas_total: accounts configured or seen.
        extracao: "COMPLETA", "QUENTE" or "RECÁLCULO".
        reconstituido: D lies before the extraction and no stored run gives that day back.
        trust: how far the figures can be trusted.
        filtro: scope filter in words.
        extraido_utc: the same moment in UTC, for what other programs read of the file; None where nobody knows it.
        nota: what stands in the place of the kind of extraction: a recálculo says which reading it computes again.
    """

    empresa: str
    data_base: date
    extraido_em: datetime
    fuso: str
    execucao_id: int
    contas_lidas: int
    contas_total: int
    extracao: str = "COMPLETA"
    reconstituido: bool = False
    trust: Trust = field(default_factory=Trust)
    filtro: str = NO_FILTER
    nota: str = ""
    extraido_utc: datetime | None = None

    @property
    def confianca(self) -> str:
        """The trust flag of the cover.

        >>> from lastro.grid.verdict import Lack
        >>> day, at = date(2026, 3, 16), datetime(2026, 3, 16, 6, 5)
        >>> Stamp("Acme", day, at, "BRT", 2, 2, 2, trust=Trust(alertas=1, falta=Lack(saldos=2))).confianca
        'SOMAS CONFEREM · falta: 2 saldos · 0 erros · 1 alerta'
        """
        trust = self.trust
        parts = [
            trust.scope, count_text(trust.erros, "erro", "erros"), count_text(trust.alertas, "alerta", "alertas")
        ]  # fmt: skip
        if trust.rejeitados:
            parts.append(count_text(trust.rejeitados, "registro ilegível", "registros ilegíveis"))
        return " · ".join(parts)


@dataclass(frozen=True)
class Workbook:
    """One file: its stamp, its sheets in order, and the defined names.

    Attributes:
        kind: what the file is, as in its name (`lastro.run.names`): "gerencial" and that of a scope, "dados", "grupo",
            "cobranca", "pagamentos", "fechamento".
        stamp: rows 1 and 2.
        sheets: in order.
        names: defined names (`data_base`, `execucao_id`, `kpi_<slug>`) and the values they stand for.
        saldo_minimo: below it a balance turns amber.
        limite: what the bank lends on all accounts: so far below zero the balance of all of them is amber, not red.
        personal: contacts and documents of persons are inside: the footers of sheets that are no reports say so.
        notice: what the reader of a DESK must know first.
    """

    kind: str
    stamp: Stamp
    sheets: tuple[Sheet, ...]
    names: Mapping[str, Value] = field(default_factory=dict)
    saldo_minimo: Decimal = Decimal("0.00")
    limite: Decimal = Decimal("0.00")
    personal: bool = False
    notice: str = ""
