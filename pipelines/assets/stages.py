"""What the assets of all stages share: the step that runs a stage, checks by company, metadata."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from lastro.run.order import StageResult
from lastro.run.stages import STAGE_OF
from lastro.schema.run_kinds import Etapa

from ..names import Names
from ..resources import StageRunner

Events = Iterator[dg.MaterializeResult | dg.AssetCheckResult]
Tell = Callable[[dg.AssetExecutionContext, Any], Events]
"""Turns what a stage left, a `StageResult` or of the last one the `RunResult`, into what Dagster is told of it."""


def build_stage(
    names: Names,
    nome: Etapa,
    specs: Sequence[dg.AssetSpec],
    checks: Sequence[dg.AssetCheckSpec],
    tell: Tell,
    *,
    can_subset: bool = False,
) -> dg.AssetsDefinition:
    """Build the step of a stage: it runs the stage of a company and tells what came of it."""

    @dg.multi_asset(
        name=nome.value, specs=specs, check_specs=checks, can_subset=can_subset, partitions_def=names.empresas
    )
    def stage(context: dg.AssetExecutionContext, execucao: dg.ResourceParam[StageRunner]) -> Events:
        yield from tell(context, execucao.run(context, STAGE_OF[nome]))

    return stage


def build_metadata(result: StageResult) -> dict[str, Any]:
    """Turn what a stage did into metadata: row count, facts, first rows."""
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
