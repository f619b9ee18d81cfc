"""What the service answers, landed as received and proved complete (S13)."""

from collections.abc import Callable
from typing import Any

import dagster as dg

from lastro.runs import REFERENCIAS, CompanyRun, RunResult, StageResult
from pipelines.partitions import EMPRESAS
from pipelines.resources import Session

GROUP = "raw"
CHECK_COMPLETA = "completude"


def describe(result: StageResult | RunResult) -> dict[str, Any]:
    """Turn a stage's result into metadata: row count and control totals."""
    if isinstance(result, RunResult):
        return {
            "execucao": result.execucao_id,
            "data_base": result.data_base.isoformat(),
            "armazem": dg.MetadataValue.path(str(result.warehouse)),
            "planilhas": ", ".join(path.name for path in result.workbooks),
        }
    totals: dict[str, Any] = {
        name: value if isinstance(value, int | str) else f"{value:.2f}" for name, value in result.totals.items()
    }
    return {"dagster/row_count": result.rows, **totals}


def _build_reading(
    name: str, description: str, call: Callable[[CompanyRun], StageResult], deps: list[dg.AssetKey]
) -> dg.AssetsDefinition:
    @dg.asset(
        key=["raw", name],
        description=description,
        group_name=GROUP,
        kinds={"duckdb"},
        deps=deps,
        partitions_def=EMPRESAS,
        required_resource_keys={"execucao"},
        check_specs=[
            dg.AssetCheckSpec(CHECK_COMPLETA, asset=dg.AssetKey(["raw", name]), description="S13: leitura provada")
        ],
    )
    def reading(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
        session: Session = context.resources.execucao
        result = session.stage(context, call)
        # An unproved reading raises, so a result is a proof; its certificate is in ops.passadas.
        proof = dg.AssetCheckResult(check_name=CHECK_COMPLETA, passed=True, metadata=describe(result))
        return dg.MaterializeResult(metadata=describe(result), check_results=[proof])

    return reading


def _key(name: str) -> dg.AssetKey:
    return dg.AssetKey(["raw", name])


def _read_list(lista: str) -> Callable[[CompanyRun], StageResult]:
    return lambda run: run.read_referencia(lista)


@dg.asset(
    key=_key("anexos"),
    description="Dados dos anexos dos lançamentos, cada um lido uma só vez; desligado por padrão (parâmetro anexos).",
    group_name=GROUP,
    kinds={"duckdb"},
    deps=[_key("lancamentos")],
    partitions_def=EMPRESAS,
    required_resource_keys={"execucao"},
)
def anexos(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    """Read attachments never read before, if that is switched on."""
    session: Session = context.resources.execucao
    return dg.MaterializeResult(metadata=describe(session.stage(context, lambda run: run.read_anexos())))


RAW = [
    _build_reading("contas", "Listas que o documento não mostra, se o serviço as tem.", CompanyRun.read_contas, []),
    _build_reading(
        "cobrancas", "Cobranças (boleto, cartão, pix), todas, com prova.", CompanyRun.read_cobrancas, [_key("contas")]
    ),
    _build_reading(
        "lancamentos",
        "Lançamentos de todas as contas, com prova de completude por conta.",
        CompanyRun.read_lancamentos,
        [_key("contas"), _key("cobrancas")],
    ),
    anexos,
    *(
        _build_reading(lista, f"Lista de {lista}, inativos incluídos.", _read_list(lista), [_key("contas")])
        for lista in REFERENCIAS[:-1]
    ),
    _build_reading(
        "classificacoes",
        "Classificações: a lista e as que as pessoas citam.",
        _read_list("classificacoes"),
        [_key("clientes"), _key("fornecedores")],
    ),
]
