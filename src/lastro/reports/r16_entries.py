"""R16 Lançamentos: every linha, so that a row of another report can be followed down to its entries."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import GROUP_LABELS, find_dre_grupos
from lastro.analysis.tree import rank_paths
from lastro.grid.cells import Kind
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Section
from lastro.grid.storage import store_each, store_labels, store_texts
from lastro.grid.table_rows import TableRows
from lastro.grid.tables import Table
from lastro.grid.workbook import Family, Report
from lastro.reports.shared.drill_down import find_linha_dates, find_parts, lancamentos_key, name_part
from lastro.reports.shared.open_items import format_installment
from lastro.reports.spec import ReportSpec
from lastro.transform.position import CLASSES, Position

if TYPE_CHECKING:
    from lastro.reports.view import View

ANCHORS = (
    ("titulo_id", "linha_id"),
    ("linha_id", "titulo_id"),
    ("grupo_id", "grupo_id"),
    ("pessoa_id", "pessoa_id"),
    ("categoria_id", "categoria_id"),
)
"""How other sheets find a row: a título by its carrier, a linha before an item of equal id, the first of the others."""
BEFORE_CONTROL = "Fora do controle"
ELSEWHERE: Final = "estão em mart.lancamentos (lastro sql) e, em Parquet, ao lado de dados (LEIA-ME)"
OPEN = "Em aberto"
"""Situation of what is never late: open transfers and zero values (S6, S8)."""
IDS: Final = (
    "lancamento_composto_id", "lancamento_transferencia_id", "grupo_id", "pedido_id", "conta_id", "categoria_id",
    "centro_custo_lucro_id", "forma_pagamento_id", "tipo_documento_id", "tipo_custo_nivel_producao_id",
    "tipo_custo_apropriacao_produto_id", "pessoa_id",
)  # fmt: skip
"""Ids that only SQL has, as in `Position.linhas`."""


def build_r16(view: View) -> Report:
    """Build Lançamentos as one section, or in parts (`lancamentos_2026`, `lancamentos_2026_03`; `find_parts`).

    Returns:
        Grain linha, all of them (zero values and transfers too), sorted by class, category path, date (payment if
        paid, else the predicted date), id, so that each category of a class is one block; the first row of a block
        has the key `drill_down.lancamentos_key(classe, categoria_id)`. The SUBTOTAL row is the writer's. Of a month
        that no sheet has room for the section says where its linhas are.
    """
    position, parts = view.position, view.books.once(find_parts)
    order = _find_order(position, parts)
    table = ENTRIES.table(list_entries(view), view).take(order.index.to_numpy())
    placed = _find_places(order, split=parts is not None)
    sections = (_build_section(position, order, table, *place, view.folha.most) for place in placed)
    return SPEC.report(tuple(sections), (table,))


def _find_order(position: Position, parts: pd.Series | None) -> pd.DataFrame:
    """Sort the linhas as the sheets do; returns the sort columns, indexed by the place in `linhas`."""
    linhas = position.linhas
    keyed = linhas[["linha_id", "origem"]].assign(
        parte=0 if parts is None else parts,
        data=find_linha_dates(linhas),
        classe=linhas["classe"].map({classe: rank for rank, classe in enumerate(CLASSES)}),
        categoria=rank_paths(position.categorias)(linhas["categoria_id"]),
    )
    by = ["parte", "classe", "categoria", "data", "linha_id", "origem"]
    return keyed.reset_index(drop=True).sort_values(by, kind="stable")


def _find_places(order: pd.DataFrame, *, split: bool) -> list[tuple[int | None, int, int]]:
    """List the sheets: the part of each, None for the only one, and its first row and the one after its last."""
    if not split:
        return [(None, 0, len(order))]
    parts = order["parte"].to_numpy()
    edges = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), len(order)]
    return [(int(parts[first]), first, last) for first, last in pairwise(edges)]


def _build_section(
    position: Position, order: pd.DataFrame, table: Table, part: int | None, first: int, last: int, most: int
) -> Section:
    name = "lancamentos" if part is None else f"lancamentos_{name_part(part).replace('-', '_')}"
    if last - first > most:
        elsewhere = f"{last - first} lançamentos, mais do que cabe numa folha: {ELSEWHERE}"
        return Section(name, table.columns, (), detail=True, empty=elsewhere)
    own = order.iloc[first:last]
    blocks = own[["classe", "categoria"]]
    begins = np.flatnonzero((blocks != blocks.shift()).any(axis=1))
    heads = position.linhas.iloc[own.index[begins]]
    keys = {
        begin: lancamentos_key(str(classe), categoria_id)
        for begin, classe, categoria_id in zip(begins.tolist(), heads["classe"], heads["categoria_id"], strict=True)
    }
    rows = TableRows(table, first, last, keys=keys)
    return Section(name, table.columns, rows, detail=True, anchors=ANCHORS)


def list_entries(view: View) -> Columns:
    """List the linhas in their order: fifteen columns that the sheet prints, then what SQL has besides."""
    position = view.position
    linhas, labels = position.linhas, position.rotulos
    grupo = find_dre_grupos(position, linhas).where(~linhas["transferencia"])
    installments = records_of(linhas, "numero_repeticao", "total_repeticoes")
    return {
        "dia": find_linha_dates(linhas),
        "classe": linhas["classe"],
        "categoria": store_labels(linhas["categoria_id"], labels.categoria_caminho),
        "descricao": store_texts(linhas["descricao"]),
        "pessoa": store_labels(linhas["pessoa_id"], labels.pessoa),
        "valor": linhas["valor_centavos"],
        "situacao": store_texts(_find_situations(position)),
        "data_competencia_ef": linhas["data_competencia_ef"],
        "data_vencimento": linhas["data_vencimento"],
        "conta": store_labels(linhas["conta_id"], labels.conta),
        "centro": store_labels(linhas["centro_custo_lucro_id"], labels.centro),
        "documento": store_texts(linhas["documento"]),
        "parcela": [format_installment(*pair) or None for pair in installments],
        "titulo_id": linhas["titulo_id"],
        "linha_id": linhas["linha_id"],
        "data_caixa": linhas["data_pagamento"].where(linhas["caixa"]),
        "competencia_presumida": linhas["competencia_presumida"],
        "data_pagamento": linhas["data_pagamento"],
        "forma": store_labels(linhas["forma_pagamento_id"], labels.forma),
        "tipo_documento": store_labels(linhas["tipo_documento_id"], labels.tipo_documento),
        "periodicidade": store_texts(linhas["periodicidade"]),
        "natureza": linhas["natureza"],
        "pagamento_automatico": linhas["pagamento_automatico"],
        "tags": [", ".join(map(labels.tag, tags)) if tags else None for tags in linhas["tags"].tolist()],
        "observacao": store_texts(linhas["observacao"]),
        "modified": linhas["modified"],
        "origem": store_texts(linhas["origem"]),
        **{key: linhas[key] for key in IDS},
        "linha_dre": store_each(Kind.TEXT, grupo, GROUP_LABELS.get),
        "dre_grupo": store_texts(grupo),
        "data_projetada": linhas["data_projetada"].where(~linhas["pago"]),
    }


def _find_situations(position: Position) -> pd.Series:
    """Find the situation of each linha: that of its título, but for what is out of control and what is never late."""
    linhas, titulos = position.linhas, position.titulos
    states = titulos.set_index("titulo_id")["situacao"]
    undue = titulos.loc[titulos["transferencia"] | (titulos["valor_centavos"] == 0), "titulo_id"]
    situacao = linhas["titulo_id"].map(states).where(~linhas["fora_controle"], BEFORE_CONTROL)
    return situacao.where(linhas["pago"] | ~linhas["titulo_id"].isin(undue), OPEN)


ENTRIES: Final[Print[View]] = Print(
    "lancamentos",
    "R16: uma linha (S1) com rótulos, situação na data-base e ids",
    about={
        "dia": "dia em que está no caixa: pagamento, ou projeção do que está em aberto; senão vencimento",
        "valor": "positivo entra, negativo sai; some por classe ou natureza, não pelo sinal: há estornos",
        "situacao": "como em a_pagar; ou Pago, Fora do controle (pago antes do controle da conta), Em aberto "
        "(transferência ou valor zero)",
        "origem": "lancamento, ou item de um composto",
    },
    headers={"linha_id": "Id"},
    widths={
        "classe": 18, "categoria": 36, "descricao": 40, "pessoa": 30, "situacao": 16, "conta": 24, "centro": 20,
        "documento": 18, "parcela": 10,
    },
    named=lambda _: {"valor": replace(ENTRIES.describe("valor"), show_zero=True)},
    dense=True,
    hidden=(
        "data_caixa", "competencia_presumida", "data_pagamento", "forma", "tipo_documento", "periodicidade", "natureza",
        "pagamento_automatico", "tags", "observacao", "modified", "origem", "linha_dre", "dre_grupo", "data_projetada",
    ),
    shown=("titulo_id", "linha_id"),
    detail=True,
)  # fmt: skip
SPEC: Final = ReportSpec(
    code="R16",
    name="lancamentos",
    title="Lançamentos",
    question="De que lançamentos é feito cada número?",
    family=Family.RECORDS,
    builder=build_r16,
)
