"""What is known of a report before it is built: its code, its names, its family, the question it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from lastro.grid.charts import Chart
from lastro.grid.prints import Print
from lastro.grid.sections import Section
from lastro.grid.tables import Table
from lastro.grid.workbook import Family, Report
from lastro.reports.printing import Charted, Sectioned, Tabled, print_report

if TYPE_CHECKING:
    from lastro.reports.view import View


class Phase(IntEnum):
    """When a report is built: the figures, then the cover over them, then what lists what the checks say of both."""

    FIGURES = 0
    COVER = 1
    VERDICT = 2


@dataclass(frozen=True)
class ReportSpec:
    """A report as the registry lists it: what it declares, or a builder where its sheet is no tables alone.

    What it declares takes the view of its phase: the books (`View`), or what is judged over them (`Judged`).

    Attributes:
        code: `R13`.
        name: what SQL and Dagster call it.
        title: what the catalogue calls it.
        question: what the reader wants to know.
        family: what it is about.
        tables: what SQL has of it, in order: tables as they are declared, or as a function makes them.
        sections: what sheets have of it, in order: tables as they are declared, of which those that are none of
            `tables` are the sheet's alone, or what a function makes of them; when not given, all its tables.
        charts: its charts, likewise; one that would show nothing is left out.
        heading: the title of this run's sheet, where that is another ("" keeps it).
        builder: builds the report in the place of what it declares.
        phase: when it is built.
    """

    code: str
    name: str
    title: str
    question: str
    family: Family
    tables: Sequence[Tabled[Any]] = ()
    sections: Sequence[Sectioned[Any]] | None = None
    charts: Sequence[Charted] = ()
    heading: Callable[[View], str] = lambda _: ""
    builder: Callable[[Any], Report] | None = None
    phase: Phase = Phase.FIGURES

    @property
    def keys(self) -> Mapping[str, tuple[str, ...]]:
        """Table -> the columns that no two of its rows share."""
        return {own.name: own.keys for own in self.tables if isinstance(own, Print) and own.keys}

    def build(self, view: View) -> Report:
        """Build the report of a run."""
        return self.print(view) if self.builder is None else self.builder(view)

    def print(self, view: View) -> Report:
        """Print what is declared."""
        whole = [own for own in self.tables if isinstance(own, Print)]
        sections = whole if self.sections is None else self.sections
        printed = print_report(self.tables, sections, self.charts, view)
        return self.report(*printed, title=self.heading(view))

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
