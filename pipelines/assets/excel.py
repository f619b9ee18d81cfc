"""What people open: the workbook and the published warehouse."""

import dagster as dg

from pipelines.assets.mart import REPORTS
from pipelines.assets.raw import describe
from pipelines.partitions import EMPRESAS
from pipelines.resources import Session

GROUP = "excel"


@dg.asset(
    key=["excel", "gerencial"],
    deps=[dg.AssetKey(["mart", name]) for name in REPORTS],
    description="A planilha gerencial, escrita à parte até a publicação.",
    group_name=GROUP,
    kinds={"excel"},
    partitions_def=EMPRESAS,
    required_resource_keys={"execucao"},
)
def gerencial(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    """Write the workbook aside."""
    session: Session = context.resources.execucao
    return dg.MaterializeResult(metadata=describe(session.stage(context, lambda run: run.write_workbook())))


@dg.asset(
    key=["excel", "publicacao"],
    deps=[dg.AssetKey(["excel", "gerencial"])],
    description="O armazém e a planilha publicados de uma vez; antes disto nada do que se abre mudou.",
    group_name=GROUP,
    kinds={"duckdb", "excel"},
    partitions_def=EMPRESAS,
    required_resource_keys={"execucao"},
)
def publicacao(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    """Publish the run."""
    session: Session = context.resources.execucao
    return dg.MaterializeResult(metadata=describe(session.stage(context, lambda run: run.publish())))
