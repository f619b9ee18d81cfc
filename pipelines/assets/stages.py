"""What the assets of all stages share: keys, metadata, and the body that runs a stage."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from lastro.run.order import RunResult, StageResult
from lastro.run.stages import STAGE_OF
from lastro.warehouse.loading.kinds import Etapa

from ..names import Names
from ..resources import RESOURCE, StageRunner


def build_metadata(result: StageResult | RunResult) -> dict[str, Any]:
    """Turn a stage's result into metadata: row count and control totals."""
    if isinstance(result, RunResult):
        return {
            "execucao": result.execucao_id,
            "data_base": result.data_base.isoformat(),
            "veredito": result.veredito,
            **({"publicada": "não: é de um dia anterior ao publicado e está em retro/"} if result.retroativa else {}),
            "armazem": dg.MetadataValue.path(str(result.warehouse)),
            "planilhas": ", ".join(path.name for path in result.workbooks),
            "planilha": dg.MetadataValue.path(str(result.workbooks[0])),
        }
    metadata: dict[str, Any] = {"dagster/row_count": result.rows, **result.totals}
    if result.amostra:
        columns = [dg.TableColumn(name) for name in result.amostra[0]]
        records = [dg.TableRecord(dict(row)) for row in result.amostra]
        metadata["amostra"] = dg.MetadataValue.table(records, dg.TableSchema(columns))
    return metadata


def materialize(
    context: dg.AssetExecutionContext, key: dg.AssetKey, metadata: Mapping[str, Any]
) -> dg.MaterializeResult:
    """Tell that an asset is there; metadata given to the result itself would be recorded with its output again."""
    context.add_asset_metadata(metadata, key)
    return dg.MaterializeResult(key)


def run_named_stage(context: dg.AssetExecutionContext, nome: Etapa) -> StageResult | RunResult:
    """Run a stage of this Dagster run."""
    runner: StageRunner = getattr(context.resources, RESOURCE)
    return runner.run(context, STAGE_OF[nome])


def build_check_spec(
    names: Names, name: str, asset: dg.AssetKey, description: str, metadata: Mapping[str, Any] | None = None
) -> dg.AssetCheckSpec:
    """Build the check of an asset, per company: one's green must not cover another's red."""
    with warnings.catch_warnings():
        # A preview of Dagster's; without it the UI shows one result for all companies, that of whoever ran last.
        warnings.simplefilter("ignore", dg.PreviewWarning)
        return dg.AssetCheckSpec(
            name, asset=asset, description=description, partitions_def=names.empresas, metadata=metadata
        )


def build_delivery(
    names: Names, nome: Etapa, spec: dg.AssetSpec, checks: Sequence[dg.AssetCheckSpec] = ()
) -> dg.AssetsDefinition:
    """Build the asset of a stage that leaves one thing; its checks ask whether that is fresh."""

    @dg.multi_asset(
        name=nome.value,
        specs=[spec],
        check_specs=list(checks),
        partitions_def=names.empresas,
        required_resource_keys={RESOURCE},
    )
    def delivery(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        yield materialize(context, spec.key, build_metadata(run_named_stage(context, nome)))
        for check in checks:
            runner: StageRunner = getattr(context.resources, RESOURCE)
            # A recálculo publishes too, and makes nothing fresher.
            yield dg.AssetCheckResult(check_name=check.name, asset_key=spec.key, passed=runner.is_fresh(context))

    return delivery
