"""What people open: the workbooks, the page, the closing of a month and the published warehouse."""

from collections.abc import Iterator, Sequence

import dagster as dg

from lastro.grid.workbook import Family
from lastro.run.order import StageResult
from lastro.warehouse.loading.kinds import Etapa

from ..checks import build_closing_specs, build_result
from ..freshness import build_freshness_spec
from ..names import Names
from ..resources import RESOURCE
from .stages import build_delivery, build_metadata, materialize, run_named_stage

WORKBOOK, CLOSING, PUBLISHED = ("excel", "gerencial"), ("excel", "fechamento"), ("excel", "publicacao")


def build_deliveries(names: Names) -> list[dg.AssetsDefinition]:
    """Build the assets of the stages `planilhas` and `publicacao`."""
    workbook = names.spec(
        *WORKBOOK,
        deps=[names.family(family) for family in Family],
        description="As planilhas (gerencial, dados, cobranca, pagamentos) e a página, à parte até a publicação.",
        kinds={"excel"},
    )
    closing = names.spec(
        *CLOSING,
        deps=[names.key("core", "tabelas")],
        description="O fechamento de um mês, fechamento_AAAA-MM.xlsx (lastro manual S25). Só a execução que escreve um "
        "materializa este ativo; uma edição que existe nunca é trocada.",
        kinds={"excel"},
        skippable=True,
    )
    published = names.spec(
        *PUBLISHED,
        deps=[workbook.key],
        description="O armazém e a planilha publicados de uma vez; antes disto nada do que se abre mudou.",
        kinds={"duckdb", "excel"},
    )
    check = build_freshness_spec(names, published.key)
    rules = build_closing_specs(names, closing.key)
    # Without rules that judge a closing nothing of this installation writes one.
    workbooks = (
        _build_workbooks(names, workbook, closing, rules) if rules else build_delivery(names, Etapa.PLANILHAS, workbook)
    )
    return [workbooks, build_delivery(names, Etapa.PUBLICACAO, published, [check])]


def _build_workbooks(
    names: Names, workbook: dg.AssetSpec, closing: dg.AssetSpec, rules: Sequence[dg.AssetCheckSpec]
) -> dg.AssetsDefinition:
    """Build the stage of the workbooks: the daily ones always, the closing with its check where one was written."""

    @dg.multi_asset(
        name=Etapa.PLANILHAS.value,
        specs=[workbook, closing],
        check_specs=rules,
        can_subset=True,  # so that a closing may be left out; the stage runs whole
        partitions_def=names.empresas,
        required_resource_keys={RESOURCE},
    )
    def planilhas(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        """Write the workbooks aside; what nobody chose is not told."""
        result, chosen = run_named_stage(context, Etapa.PLANILHAS), context.selected_asset_keys
        if workbook.key in chosen:
            yield materialize(context, workbook.key, build_metadata(result))
        if isinstance(result, StageResult) and closing.key in chosen:
            for part in result.parts.values():
                yield materialize(context, closing.key, build_metadata(part))
            for check in result.checks:
                yield build_result(check, closing.key)

    return planilhas
