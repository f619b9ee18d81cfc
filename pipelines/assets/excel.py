"""What people open: the workbook and the published warehouse."""

import dagster as dg

from pipelines.assets.mart import REPORTS, mart_key
from pipelines.assets.stages import build_delivery

_WORKBOOK = dg.AssetKey(["excel", "gerencial"])
planilhas = build_delivery(
    "planilhas",
    _WORKBOOK,
    [mart_key(name) for name in REPORTS],
    "A planilha gerencial, escrita à parte até a publicação.",
    {"excel"},
)
publicacao = build_delivery(
    "publicacao",
    dg.AssetKey(["excel", "publicacao"]),
    [_WORKBOOK],
    "O armazém e a planilha publicados de uma vez; antes disto nada do que se abre mudou.",
    {"duckdb", "excel"},
)
