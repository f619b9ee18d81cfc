"""The reports as of D and the checks that hold them together (S15)."""

from collections.abc import Iterator
from typing import Any, Final

import dagster as dg

from lastro.catalogue import EVERY_REPORT, REPORT_TITLES
from lastro.grid.workbook import Family
from lastro.reports.spec import ReportSpec
from lastro.run.order import StageResult
from lastro.warehouse.loading.kinds import Etapa

from ..checks import build_check_results, build_check_specs
from ..names import Names
from ..resources import RESOURCE
from .excel import PUBLISHED
from .stages import build_metadata, materialize, run_named_stage

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


def build_report_assets(names: Names) -> dg.AssetsDefinition:
    """Build the stage of the reports: an asset per family of them, every check on the family of its report."""

    @dg.multi_asset(
        name=Etapa.MART.value,
        specs=[
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
        ],
        check_specs=build_check_specs(names),
        partitions_def=names.empresas,
        required_resource_keys={RESOURCE},
    )
    def mart(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        """Compute every report and check and store them."""
        result = run_named_stage(context, Etapa.MART)
        parts = result.parts if isinstance(result, StageResult) else {}
        for family, reports in FAMILIES.items():
            told: dict[str, Any] = build_metadata(result) if family is Family.COVER else {}
            for spec in reports:
                part = build_metadata(parts.get(spec.name, StageResult(0)))
                told |= {f"{spec.name}_{name.removeprefix('dagster/')}": value for name, value in part.items()}
            yield materialize(context, names.family(family), told)
        yield from build_check_results(names, result.checks if isinstance(result, StageResult) else ())

    return mart
