"""The reports as of D and the checks that hold them together (S15)."""

from collections.abc import Iterator

import dagster as dg

from lastro.catalogue import REPORT_TITLES
from lastro.run.load import CORE_TABLES
from lastro.run.order import StageResult
from pipelines.assets.core import core_key
from pipelines.assets.stages import build_metadata, run_stage
from pipelines.checks import build_check_results, build_check_specs
from pipelines.partitions import EMPRESAS
from pipelines.resources import RESOURCE

STAGE = "mart"
REPORTS = [code.lower() for code in REPORT_TITLES]
MAIN = "r00"
"""The report that tells the totals of all."""


def mart_key(name: str) -> dg.AssetKey:
    """Return the asset key of a report."""
    return dg.AssetKey(["mart", name])


@dg.multi_asset(
    name=STAGE,
    specs=[
        dg.AssetSpec(
            mart_key(code.lower()),
            deps=[core_key(name) for name in CORE_TABLES],
            description=f"{code} {title}",
            group_name="mart",
            kinds={"duckdb", "pandas"},
        )
        for code, title in REPORT_TITLES.items()
    ],
    check_specs=build_check_specs(),
    partitions_def=EMPRESAS,
    required_resource_keys={RESOURCE},
)
def mart(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """Compute every report and check and store them."""
    result = run_stage(context, STAGE)
    parts = result.parts if isinstance(result, StageResult) else {}
    for name in REPORTS:
        part = parts.get(name, StageResult(0))
        yield dg.MaterializeResult(
            mart_key(name), metadata={**(build_metadata(result) if name == MAIN else {}), **build_metadata(part)}
        )
    yield from build_check_results(result.checks if isinstance(result, StageResult) else ())
