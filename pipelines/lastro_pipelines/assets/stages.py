"""The two steps of a company's run, and what Dagster is told of each of their stages; checks by company, metadata."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from lastro.run.order import StageResult
from lastro.schema.run_kinds import Etapa

from ..names import Names
from ..resources import RunOfCompany

Told = Iterator[dg.AssetMaterialization | dg.AssetCheckEvaluation]
Tell = Callable[[str, Any], Told]
"""Turns the partition and what a stage left, a `StageResult` or of the last one the `RunResult`, into what Dagster is
told of it: by a step, or by the sensor of what was run elsewhere."""
Events = Iterator[dg.MaterializeResult | dg.AssetCheckResult]


@dataclass(frozen=True)
class Part:
    """What Dagster is told of a stage: its assets, the checks on them, and both of what it left."""

    etapa: Etapa
    specs: Sequence[dg.AssetSpec]
    checks: Sequence[dg.AssetCheckSpec]
    tell: Tell


def build_reading_assets(names: Names, part: Part) -> dg.AssetsDefinition:
    """Build the step of the reading, which is read whole whatever of it is selected."""

    @dg.multi_asset(
        name="leitura", specs=part.specs, check_specs=part.checks, partitions_def=names.empresas, can_subset=True
    )
    def leitura(context: dg.AssetExecutionContext, execucao: dg.ResourceParam[RunOfCompany]) -> Events:
        result = execucao.read(context)
        yield from tell_step(context, part.tell(context.partition_key, result))

    return leitura


def build_report_assets(names: Names, parts: Sequence[Part]) -> dg.AssetsDefinition:
    """Build the step of the reports: of the newest proven reading, up to its publication, told while it goes on."""
    told = {part.etapa: part.tell for part in parts}

    @dg.multi_asset(
        name="relatorios",
        specs=[spec for part in parts for spec in part.specs],
        check_specs=[check for part in parts for check in part.checks],
        partitions_def=names.empresas,
        can_subset=True,
    )
    def relatorios(context: dg.AssetExecutionContext, execucao: dg.ResourceParam[RunOfCompany]) -> Events:
        for etapa, outcome in execucao.report(context):
            yield from tell_step(context, told[etapa](context.partition_key, outcome))

    return relatorios


def tell_step(context: dg.AssetExecutionContext, told: Told) -> Events:
    """Tell what was selected as results of the step, and beside them what was made all the same: a verb is whole."""
    assets, checks = context.selected_asset_keys, context.selected_asset_check_keys
    for event in told:
        if isinstance(event, dg.AssetMaterialization):
            if event.asset_key in assets:
                # Metadata given to the result itself would be recorded with its output again.
                context.add_asset_metadata(event.metadata, event.asset_key)
                yield dg.MaterializeResult(event.asset_key)
            else:
                context.log_event(event)
        elif dg.AssetCheckKey(event.asset_key, event.check_name) in checks:
            yield dg.AssetCheckResult(
                asset_key=event.asset_key,
                check_name=event.check_name,
                passed=event.passed,
                metadata=event.metadata,
                severity=event.severity,
                description=event.description,
            )
        else:
            context.log_event(event)


def build_metadata(result: StageResult) -> dict[str, Any]:
    """Turn what a stage did into metadata: row count and facts."""
    return {"dagster/row_count": result.rows, **result.totals}


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
