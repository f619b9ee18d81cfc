"""Typed, checked tables of the current run: linhas, títulos and the dimensions (S1 to S12)."""

from collections.abc import Iterator

import dagster as dg

from lastro.schema.tables import TABLES
from pipelines.assets.raw import RAW, describe
from pipelines.partitions import EMPRESAS
from pipelines.resources import Session

GROUP = "core"
CHECK_ILEGIVEIS = "registros_ilegiveis"
CORE_TABLES = [name.split(".")[1] for name in TABLES if name.startswith("core.")]


def core_key(name: str) -> dg.AssetKey:
    """Return the asset key of a core table."""
    return dg.AssetKey(["core", name])


@dg.multi_asset(
    name="core",
    specs=[
        dg.AssetSpec(
            core_key(name),
            deps=[asset.key for asset in RAW],
            description=TABLES[f"core.{name}"].comment,
            group_name=GROUP,
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
    check_specs=[
        dg.AssetCheckSpec(
            CHECK_ILEGIVEIS, asset=core_key("linhas"), description="S13: registros que não puderam ser lidos"
        )
    ],
    partitions_def=EMPRESAS,
    required_resource_keys={"execucao"},
)
def core(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """Load what was read and replace the core tables in one transaction."""
    session: Session = context.resources.execucao
    result = session.stage(context, lambda run: run.load_core())
    facts = describe(result)
    counts = session.run.count_rows("core", CORE_TABLES)
    for name in CORE_TABLES:
        extra = facts if name == "linhas" else {}
        yield dg.MaterializeResult(core_key(name), metadata={**extra, "dagster/row_count": counts[name]})
    rejected = session.run.count_rejected()
    yield dg.AssetCheckResult(
        check_name=CHECK_ILEGIVEIS,
        asset_key=core_key("linhas"),
        passed=rejected == 0,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"rejeitados": rejected},
    )
