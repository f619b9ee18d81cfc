"""What is known of a report before it is built: its code, its names, its family, the question it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from lastro.grid.charts import Chart
from lastro.grid.sections import Section
from lastro.grid.tables import Table
from lastro.grid.workbook import Family, Report

if TYPE_CHECKING:
    from lastro.reports.view import View


class Phase(IntEnum):
    """When a report is built: the figures, then the cover over them, then what lists what the checks say of both."""

    FIGURES = 0
    COVER = 1
    VERDICT = 2


@dataclass(frozen=True)
class ReportSpec:
    """A report as the registry lists it.

    Attributes:
        code: `R13`.
        name: what SQL and Dagster call it.
        title: what the catalogue calls it.
        question: what the reader wants to know.
        family: what it is about.
        build: the builder.
        phase: when it is built.
        keys: table -> the columns that no two of its rows share.
        totalled: whether the rows of its first table may be summed, so that Dagster plots the sum.
    """

    code: str
    name: str
    title: str
    question: str
    family: Family
    build: Callable[[View], Report]
    phase: Phase = Phase.FIGURES
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    totalled: bool = False

    def report(
        self,
        sections: tuple[Section, ...],
        tables: tuple[Table, ...] = (),
        charts: tuple[Chart, ...] = (),
        *,
        title: str = "",
    ) -> Report:
        """Put together what the report has to show; a title of its own takes the place of its sheet's."""
        return Report(self.code, title, sections, tables, charts, self.family)
