"""Typed, checked tables of the current run: linhas, títulos and the dimensions (S1 to S12)."""

import dagster as dg

from lastro.run.names import ALWAYS_READ, CORE_TABLES
from lastro.run.order import StageResult
from lastro.schema.run_kinds import Etapa
from lastro.schema.tables import TABLES

from ..names import Names
from .stages import Part, Told, build_check_spec, build_metadata

CHECK_ILEGIVEIS = "registros_ilegiveis"
_ILEGIVEIS = (
    "S13: todo registro pôde ser lido. Amarelo: os que não puderam faltam em toda soma; veja Qualidade na planilha e "
    "raw.rejeitados, e lastro manual V35."
)


def build_core_part(names: Names) -> Part:
    """Build the part of the core tables: one asset, for they are replaced together; it tells the columns of each."""

    def describe_columns(name: str) -> dg.TableSchema:
        columns = TABLES[f"core.{name}"].definitions
        return dg.TableSchema(
            [dg.TableColumn(column.name, type=column.type, description=column.comment) for column in columns]
        )

    spec = names.spec(
        "core",
        "tabelas",
        deps=[names.key("raw", lista) for lista in ALWAYS_READ],
        description=f"{TABLES['core.linhas'].comment}. Com títulos, cadastros e o mais de core, trocados de uma vez.",
        kinds={"duckdb", "pandas"},
        tags={"pii": "sim"},
        metadata={name: dg.MetadataValue.table_schema(describe_columns(name)) for name in CORE_TABLES},
    )

    def tell(partition: str, result: StageResult) -> Told:
        rows = {f"registros_{name}": part.rows for name, part in result.parts.items()}
        yield dg.AssetMaterialization(spec.key, None, {**build_metadata(result), **rows}, partition)
        rejected = result.totals["rejeitados"]
        yield dg.AssetCheckEvaluation(
            partition=partition,
            check_name=CHECK_ILEGIVEIS,
            asset_key=spec.key,
            passed=rejected == 0,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"rejeitados": rejected},
        )

    check = build_check_spec(names, CHECK_ILEGIVEIS, spec.key, _ILEGIVEIS)
    return Part(Etapa.CORE, [spec], [check], tell)
