"""Typed, checked tables of the current run: linhas, títulos and the dimensions (S1 to S12)."""

from collections.abc import Iterator

import dagster as dg

from lastro.run.load import CORE_TABLES
from lastro.run.order import StageResult
from lastro.run.read import ALWAYS_READ
from lastro.schema.tables import TABLES
from pipelines.assets.reading import raw_key
from pipelines.assets.stages import build_check_spec, build_metadata, run_stage
from pipelines.partitions import EMPRESAS
from pipelines.resources import RESOURCE

STAGE = "core"
CHECK_ILEGIVEIS = "registros_ilegiveis"
MAIN = "linhas"
"""The table that tells the control totals of the loading."""


def core_key(name: str) -> dg.AssetKey:
    """Return the asset key of a core table."""
    return dg.AssetKey(["core", name])


@dg.multi_asset(
    name=STAGE,
    specs=[
        dg.AssetSpec(
            core_key(name),
            # Dagster skips what depends on a list that was not read, and a hot run reads only these.
            deps=[raw_key(lista) for lista in ALWAYS_READ],
            description=TABLES[f"core.{name}"].comment,
            group_name="core",
            kinds={"duckdb", "pandas"},
            metadata={
                "dagster/column_schema": dg.TableSchema(
                    columns=[
                        dg.TableColumn(column, type=definition.type, description=definition.comment)
                        for column in TABLES[f"core.{name}"].columns
                        for definition in [TABLES[f"core.{name}"].column(column)]
                    ]
                )
            },
        )
        for name in CORE_TABLES
    ],
    check_specs=[build_check_spec(CHECK_ILEGIVEIS, core_key(MAIN), "S13: registros que não puderam ser lidos")],
    partitions_def=EMPRESAS,
    required_resource_keys={RESOURCE},
)
def core(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """Load what was read and replace the core tables in one transaction."""
    result = run_stage(context, STAGE)
    parts = result.parts if isinstance(result, StageResult) else {}
    for name, part in parts.items():
        yield dg.MaterializeResult(core_key(name), metadata=build_metadata(result if name == MAIN else part))
    facts = build_metadata(result)
    yield dg.AssetCheckResult(
        check_name=CHECK_ILEGIVEIS,
        asset_key=core_key(MAIN),
        passed=facts["rejeitados"] == 0,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"rejeitados": facts["rejeitados"]},
    )
