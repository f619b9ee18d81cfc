"""What is known of a report before it is built: its code, its names, its family, the question it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from lastro.grid.model import Chart, Family, Report, Section, Table

if TYPE_CHECKING:
    from lastro.reports.view import View


class Stage(IntEnum):
    """When a report is built: the figures, then what the checks say of them, then the cover over all."""

    FIGURES = 0
    VERDICT = 1
    COVER = 2


@dataclass(frozen=True)
class ReportSpec:
    """A report as the registry lists it.

    Attributes:
        code: `R13`.
        name: English name for programs, `forecast_accuracy`.
        sheet: sheet name, at most 31 characters.
        title: printed in row 1 and in the catalogue.
        question: what the reader wants to know; printed in the index.
        family: what the sheet is about.
        build: the builder; several sheets where a report has more than one.
        stage: when it is built.
        heading: printed in row 1 where it differs from `title`.
    """

    code: str
    name: str
    sheet: str
    title: str
    question: str
    family: Family
    build: Callable[[View], Report | tuple[Report, ...]]
    stage: Stage = Stage.FIGURES
    heading: str = ""

    def report(
        self,
        sections: tuple[Section, ...],
        tables: tuple[Table, ...] = (),
        charts: tuple[Chart, ...] = (),
        *,
        sheet: str = "",
        title: str = "",
        question: str = "",
    ) -> Report:
        """Put a sheet together; names that a sheet does not share with its report are given."""
        return Report(
            code=self.code,
            sheet=sheet or self.sheet,
            title=title or self.heading or self.title,
            question=question or self.question,
            sections=sections,
            tables=tables,
            charts=charts,
            family=self.family,
        )

    def sheets(self, view: View) -> tuple[Report, ...]:
        """Build every sheet of the report."""
        built = self.build(view)
        return built if isinstance(built, tuple) else (built,)
