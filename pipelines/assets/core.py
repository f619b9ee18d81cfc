"""Typed, checked tables of the current run: linhas, títulos and the dimensions (S1 to S12)."""

from collections.abc import Iterator

import dagster as dg

from lastro.run.order import StageResult
from lastro.run.parts import ALWAYS_READ, CORE_TABLES
from lastro.schema.tables import TABLES

from ..names import Names
from ..resources import RESOURCE
from .stages import build_check_spec, build_metadata, run_stage

STAGE = "core"
CHECK_ILEGIVEIS = "registros_ilegiveis"
MAIN = "linhas"
"""The table that tells the control totals of the loading."""
_ILEGIVEIS = (
    "S13: todo registro pôde ser lido. Amarelo: os que não puderam faltam em toda soma; veja Qualidade na planilha e "
    "raw.rejeitados, e lastro manual V35."
)
PERSONAL = ("pessoas", "cobrancas")
"""Tables with documents, e-mail and telephone of persons."""


def build_core(names: Names) -> dg.AssetsDefinition:
    """Build the stage of the core tables: an asset per table."""

    def describe_columns(name: str) -> dg.TableSchema:
        table = TABLES[f"core.{name}"]
        columns = [table.column(column) for column in table.columns]
        return dg.TableSchema([dg.TableColumn(one.name, type=one.type, description=one.comment) for one in columns])

    @dg.multi_asset(
        name=STAGE,
        specs=[
            names.spec(
                STAGE,
                name,
                # Dagster skips what depends on a list that was not read, and a hot run reads only these.
                deps=[names.key("raw", lista) for lista in ALWAYS_READ],
                description=TABLES[f"core.{name}"].comment,
                kinds={"duckdb", "pandas"},
                tags={"pii": "sim"} if name in PERSONAL else {},
                metadata={"dagster/table_name": f"core.{name}", "dagster/column_schema": describe_columns(name)},
            )
            for name in CORE_TABLES
        ],
        check_specs=[build_check_spec(names, CHECK_ILEGIVEIS, names.key(STAGE, MAIN), _ILEGIVEIS)],
        partitions_def=names.empresas,
        required_resource_keys={RESOURCE},
    )
    def core(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        """Load what was read and replace the core tables in one transaction."""
        result = run_stage(context, STAGE)
        parts = result.parts if isinstance(result, StageResult) else {}
        for name, part in parts.items():
            yield dg.MaterializeResult(
                names.key(STAGE, name), metadata=build_metadata(result if name == MAIN else part)
            )
        facts = build_metadata(result)
        yield dg.AssetCheckResult(
            check_name=CHECK_ILEGIVEIS,
            asset_key=names.key(STAGE, MAIN),
            passed=facts["rejeitados"] == 0,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"rejeitados": facts["rejeitados"]},
        )

    return core
