"""The reports as of D and the checks that hold them together (section 2, S15)."""

from collections.abc import Iterator

import dagster as dg

from lastro.catalogue import REPORT_TITLES
from pipelines.assets.core import CORE_TABLES, core_key
from pipelines.assets.raw import describe
from pipelines.checks import build_check_result, build_check_specs
from pipelines.partitions import EMPRESAS
from pipelines.resources import Session

GROUP = "mart"
REPORTS = [code.lower() for code in REPORT_TITLES]
CHECKS = build_check_specs(REPORTS)
CHECKED = {spec.name for spec in CHECKS}
"""The memo of R15 is no check."""


@dg.multi_asset(
    name="mart",
    specs=[
        dg.AssetSpec(
            dg.AssetKey(["mart", code.lower()]),
            deps=[core_key(name) for name in CORE_TABLES],
            description=f"{code} {title}",
            group_name=GROUP,
            kinds={"duckdb", "pandas"},
        )
        for code, title in REPORT_TITLES.items()
    ],
    check_specs=CHECKS,
    partitions_def=EMPRESAS,
    required_resource_keys={"execucao"},
)
def mart(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """Compute every report and check and store them."""
    session: Session = context.resources.execucao
    facts = describe(session.stage(context, lambda run: run.build_mart()))
    catalogue = session.run.catalogue
    rows = catalogue.count_rows()
    for name in REPORTS:
        extra = facts if name == "r00" else {}
        yield dg.MaterializeResult(
            dg.AssetKey(["mart", name]), metadata={**extra, "dagster/row_count": rows.get(name, 0)}
        )
    for check in catalogue.outcomes:
        if check.id in CHECKED:
            yield build_check_result(check, REPORTS)
