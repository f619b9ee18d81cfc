"""Typed, checked tables of the current run: linhas, títulos and the dimensions (S1 to S12)."""

from collections.abc import Iterator

import dagster as dg

from lastro.run.names import ALWAYS_READ, CORE_TABLES
from lastro.run.order import StageResult
from lastro.schema.tables import TABLES
from lastro.warehouse.loading.kinds import Etapa

from ..names import Names
from ..resources import RESOURCE
from .stages import build_check_spec, build_metadata, materialize, run_named_stage

CHECK_ILEGIVEIS = "registros_ilegiveis"
_ILEGIVEIS = (
    "S13: todo registro pôde ser lido. Amarelo: os que não puderam faltam em toda soma; veja Qualidade na planilha e "
    "raw.rejeitados, e lastro manual V35."
)


def build_core_asset(names: Names) -> dg.AssetsDefinition:
    """Build the stage of the core tables: one asset, for they are replaced together; it tells the columns of each."""

    def describe_columns(name: str) -> dg.TableSchema:
        columns = TABLES[f"core.{name}"].definitions
        return dg.TableSchema(
            [dg.TableColumn(column.name, type=column.type, description=column.comment) for column in columns]
        )

    spec = names.spec(
        "core",
        "tabelas",
        # Dagster skips what depends on a list that was not read, and a hot run reads only these.
        deps=[names.key("raw", lista) for lista in ALWAYS_READ],
        description=f"{TABLES['core.linhas'].comment} Com títulos, cadastros e o mais de core, trocados de uma vez.",
        kinds={"duckdb", "pandas"},
        tags={"pii": "sim"},
        metadata={name: dg.MetadataValue.table_schema(describe_columns(name)) for name in CORE_TABLES},
    )

    @dg.multi_asset(
        name=Etapa.CORE.value,
        specs=[spec],
        check_specs=[build_check_spec(names, CHECK_ILEGIVEIS, spec.key, _ILEGIVEIS)],
        partitions_def=names.empresas,
        required_resource_keys={RESOURCE},
    )
    def core(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        """Load what was read and replace the core tables in one transaction."""
        result = run_named_stage(context, Etapa.CORE)
        facts = build_metadata(result)
        parts = result.parts if isinstance(result, StageResult) else {}
        rows = {f"registros_{name}": part.rows for name, part in parts.items()}
        yield materialize(context, spec.key, {**facts, **rows})
        yield dg.AssetCheckResult(
            check_name=CHECK_ILEGIVEIS,
            asset_key=spec.key,
            passed=facts["rejeitados"] == 0,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"rejeitados": facts["rejeitados"]},
        )

    return core
