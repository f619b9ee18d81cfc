"""What people open: the workbooks, the page and the published warehouse."""

import dagster as dg

from lastro.grid.model import Family

from ..freshness import build_freshness_spec
from ..names import Names
from .stages import build_delivery

WORKBOOK, PUBLISHED = ("excel", "gerencial"), ("excel", "publicacao")


def build_deliveries(names: Names) -> list[dg.AssetsDefinition]:
    """Build the assets of the stages `planilhas` and `publicacao`."""
    workbook = names.spec(
        *WORKBOOK,
        deps=[names.family(family) for family in Family],
        description="As planilhas (gerencial, cobranca, dados) e a página, escritas à parte até a publicação.",
        kinds={"excel"},
    )
    published = names.spec(
        *PUBLISHED,
        deps=[workbook.key],
        description="O armazém e a planilha publicados de uma vez; antes disto nada do que se abre mudou.",
        kinds={"duckdb", "excel"},
    )
    check = build_freshness_spec(names, published.key)
    return [build_delivery(names, "planilhas", workbook), build_delivery(names, "publicacao", published, [check])]
