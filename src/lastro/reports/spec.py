"""What is known of a report before it is built: its code, its names, its family, the question it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING

from lastro.grid.model import Chart, Family, Printing, Report, Section, Table

if TYPE_CHECKING:
    from lastro.reports.view import View


class Phase(IntEnum):
    """When a report is built: the figures, then what the checks say of them, then the cover over all."""

    FIGURES = 0
    VERDICT = 1
    COVER = 2


@dataclass(frozen=True)
class Part:
    """A sheet of its own for some sections of a report: one table under each frozen header (manual: Planilha).

    Attributes:
        sheet: sheet name, at most 31 characters.
        title: printed in row 1.
        question: printed in the index.
        sections: names of the sections that stand there instead of on the report's main sheet.
        printing: how much of it is printed.
        hint: what a reader of the sheet must know first.
    """

    sheet: str
    title: str
    question: str
    sections: tuple[str, ...]
    printing: Printing = Printing.WHOLE
    hint: str = ""


@dataclass(frozen=True)
class ReportSpec:
    """A report as the registry lists it.

    Attributes:
        code: `R13`.
        name: what SQL and Dagster call it: its views begin with it (those of R15 have names of their own).
        sheet: sheet name, at most 31 characters.
        title: printed in row 1 and in the catalogue.
        question: what the reader wants to know; printed in the index.
        family: what the sheet is about.
        build: the builder; several sheets where a report has more than one.
        phase: when it is built.
        heading: printed in row 1 where it differs from `title`.
        keys: table -> the columns that no two of its rows share.
        totalled: sections that end in one total row, whenever they have a row at all.
        parts: the further sheets; the rest of what the builder returns stands on the main one.
        printing: how much of the main sheet is printed.
        hint: what a reader of the main sheet must know first.
    """

    code: str
    name: str
    sheet: str
    title: str
    question: str
    family: Family
    build: Callable[[View], Report | tuple[Report, ...]]
    phase: Phase = Phase.FIGURES
    heading: str = ""
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    totalled: frozenset[str] = frozenset()
    parts: tuple[Part, ...] = ()
    printing: Printing = Printing.WHOLE
    hint: str = ""

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
        """Put a sheet together; names that it alone has are given."""
        return Report(
            code=self.code,
            sheet=sheet or self.sheet,
            title=title or self.heading or self.title,
            question=question or self.question,
            sections=sections,
            tables=tables,
            charts=charts,
            family=self.family,
            printing=self.printing,
            hint=self.hint,
        )

    def sheets(self, view: View) -> tuple[Report, ...]:
        """Build every sheet of the report."""
        built = self.build(view)
        if isinstance(built, tuple):
            return built
        return self._lay_out(built)

    def _lay_out(self, whole: Report) -> tuple[Report, ...]:
        """Put the sections of the parts on their own sheets; the tables stay with the first."""
        apart = {name for part in self.parts for name in part.sections}
        main = replace(
            whole,
            sections=tuple(one for one in whole.sections if one.name not in apart),
            charts=tuple(one for one in whole.charts if one.after not in apart),
        )
        if not main.sections:
            return (whole,)
        sheets = [main]
        for part in self.parts:
            sections = tuple(one for one in whole.sections if one.name in part.sections)
            if sections:
                sheets.append(
                    replace(
                        whole,
                        sheet=part.sheet,
                        title=part.title,
                        question=part.question,
                        sections=sections,
                        charts=tuple(one for one in whole.charts if one.after in part.sections),
                        tables=(),
                        cover=None,
                        printing=part.printing,
                        hint=part.hint,
                    )
                )
        return (replace(sheets[0], tables=whole.tables), *sheets[1:])
