"""The reports as of D and the checks that hold them together (S15)."""

from collections.abc import Iterator
from typing import Final

import dagster as dg

from lastro.catalogue import REPORT_NAMES, REPORT_TITLES
from lastro.reports.registry import REPORTS
from lastro.reports.spec import Phase, ReportSpec
from lastro.run.order import StageResult

from ..checks import build_check_results, build_check_specs
from ..names import Names, write_plainly
from ..resources import RESOURCE
from .excel import PUBLISHED
from .stages import build_metadata, materialize, run_stage

STAGE = "mart"
MAIN: Final = REPORT_NAMES["R00"]
"""The report that tells the totals of all."""


def _find_sources(names: Names, spec: ReportSpec) -> list[dg.AssetKey]:
    """Find what a report is made of: the core; what the checks say stands on the figures, the cover on that."""
    stages = {
        phase: [names.key(STAGE, one.name) for one in REPORTS if one.phase is phase and one.code in REPORT_TITLES]
        for phase in Phase
    }
    above = {Phase.FIGURES: [names.key("core", "tabelas")], Phase.VERDICT: stages[Phase.FIGURES]}
    return above.get(spec.phase, stages[Phase.VERDICT])


def build_mart(names: Names) -> dg.AssetsDefinition:
    """Build the stage of the reports: an asset per report, every check on the report that it is about."""
    # Dagster takes a report only after those it stands on.
    numbered = sorted((spec for spec in REPORTS if spec.code in REPORT_TITLES), key=lambda spec: spec.phase)
    keys = {spec.name: names.key(STAGE, spec.name) for spec in numbered}

    @dg.multi_asset(
        name=STAGE,
        specs=[
            names.spec(
                STAGE,
                spec.name,
                group=f"relatorios_{write_plainly(spec.family.value)}",
                deps=_find_sources(names, spec),
                description=f"{spec.code} {spec.title}. {spec.question}",
                kinds={"duckdb", "pandas"},
                tags={"relatorio": spec.code},
                metadata={
                    "aba": spec.sheet,
                    # Where the file is stands there: it has no name before it is published.
                    "planilha": dg.MetadataValue.asset(names.key(*PUBLISHED)),
                    "visoes": f"mart.{spec.name}",
                    "manual": f"lastro manual {spec.code}",
                },
            )
            for spec in numbered
        ],
        check_specs=build_check_specs(names),
        partitions_def=names.empresas,
        required_resource_keys={RESOURCE},
    )
    def mart(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        """Compute every report and check and store them."""
        result = run_stage(context, STAGE)
        parts = result.parts if isinstance(result, StageResult) else {}
        for name, key in keys.items():
            part = parts.get(name, StageResult(0))
            totals = build_metadata(result) if name == MAIN else {}
            yield materialize(context, key, {**totals, **build_metadata(part)})
        yield from build_check_results(names, result.checks if isinstance(result, StageResult) else ())

    return mart
