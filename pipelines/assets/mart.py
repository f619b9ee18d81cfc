"""The reports as of D and the checks that hold them together (S15)."""

from collections.abc import Iterator
from typing import Final

import dagster as dg

from lastro.catalogue import REPORT_NAMES
from lastro.reports.registry import REPORTS
from lastro.run.order import StageResult

from ..checks import build_check_results, build_check_specs
from ..names import Names
from ..resources import RESOURCE
from .excel import PUBLISHED
from .stages import build_metadata, run_stage

STAGE = "mart"
MAIN: Final = REPORT_NAMES["R00"]
"""The report that tells the totals of all."""


def build_mart(names: Names) -> dg.AssetsDefinition:
    """Build the stage of the reports: an asset per report, every check on the report that it is about."""
    keys = {spec.name: names.key(STAGE, spec.name) for spec in REPORTS if spec.code.startswith("R")}

    @dg.multi_asset(
        name=STAGE,
        specs=[
            names.spec(
                STAGE,
                spec.name,
                deps=[names.key("core", "tabelas")],
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
            for spec in REPORTS
            if spec.name in keys
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
            yield dg.MaterializeResult(
                key, metadata={**(build_metadata(result) if name == MAIN else {}), **build_metadata(part)}
            )
        yield from build_check_results(names, result.checks if isinstance(result, StageResult) else ())

    return mart
