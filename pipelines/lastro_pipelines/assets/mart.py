"""The reports as of D and the checks that hold them together (S15)."""

from typing import Any, Final

import dagster as dg

from lastro.catalogue import EVERY_REPORT, REPORT_TITLES
from lastro.grid.workbook import Family
from lastro.reports.spec import ReportSpec
from lastro.run.order import StageResult
from lastro.schema.run_kinds import Etapa

from ..checks import build_check_results, build_check_specs
from ..names import Names
from .excel import PUBLISHED
from .stages import Part, Told

_ABOVE: Final = {Family.RECORDS: 1, Family.COVER: 2}
FAMILIES: Final = {
    family: [spec for spec in EVERY_REPORT if spec.family is family and spec.code in REPORT_TITLES]
    for family in sorted(Family, key=lambda family: _ABOVE.get(family, 0))
}
"""The reports of each asset: all are replaced at once, so that one report is no asset of its own."""


def _find_sources(names: Names, family: Family) -> list[dg.AssetKey]:
    """Find what a family is made of: the core; what the checks say stands on the figures, the cover on that."""
    below = [each for each in FAMILIES if _ABOVE.get(each, 0) == _ABOVE.get(family, 0) - 1]
    return [names.family(each) for each in below] or [names.key("core", "tabelas")]


def _describe(reports: list[ReportSpec]) -> str:
    """Say what each report answers, and where it stands."""
    return "\n".join(
        f"- **{spec.code} {spec.title}**: {spec.question} (`mart.{spec.name}`, `lastro manual {spec.code}`)"
        for spec in reports
    )


def build_report_part(names: Names) -> Part:
    """Build the part of the reports: an asset per family of them, every check on the family of its report."""
    specs = [
        names.spec(
            "mart",
            names.family(family).path[-1],
            group="relatorios",
            deps=_find_sources(names, family),
            description=f"Relatórios: {family.value}\n\n{_describe(reports)}",
            kinds={"duckdb", "pandas"},
            # Where the file is stands there: it has no name before it is published.
            metadata={"planilha": dg.MetadataValue.asset(names.key(*PUBLISHED))},
        )
        for family, reports in FAMILIES.items()  # Dagster takes an asset only after those it stands on
    ]

    def tell(partition: str, result: StageResult) -> Told:
        for family, reports in FAMILIES.items():
            parts = {spec.name: result.parts.get(spec.name, StageResult(0)) for spec in reports}
            told: dict[str, Any] = {"dagster/row_count": sum(part.rows for part in parts.values())}
            told |= result.totals if family is Family.COVER else {}
            for name, part in parts.items():
                told[f"{name}_row_count"] = part.rows
            yield dg.AssetMaterialization(names.family(family), None, told, partition)
        yield from build_check_results(names, partition, result.checks)

    return Part(Etapa.MART, specs, build_check_specs(names), tell)
