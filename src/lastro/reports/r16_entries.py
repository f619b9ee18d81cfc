"""R16 Lançamentos: every linha, so that a row of another report can be followed down to its entries."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import GROUP_LABELS, find_dre_grupos
from lastro.analysis.tree import path_ranks
from lastro.grid.cells import Kind
from lastro.grid.sections import Section
from lastro.grid.storage import store_each, store_labels, store_texts
from lastro.grid.table_rows import TableRows
from lastro.grid.tables import Column, Table, TableColumn
from lastro.grid.workbook import Family, Report
from lastro.reports.shared.drill_down import find_linha_dates, is_split_by_year, lancamentos_key
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
COMMENT = "R16: uma linha (S1) com rótulos, situação na data-base e ids"
BEFORE_CONTROL = "Fora do controle"
OPEN = "Em aberto"
"""Situation of what is never late: open transfers and zero values (S6, S8)."""


def build_r16(view: View) -> Report:
    """Build Lançamentos as one section, or as one per year above 200,000 linhas (`lancamentos_2026`).

    Returns:
        Grain linha, all of them (zero values and transfers too), sorted by class, category path, date (payment if
        paid, else the predicted date), id, so that each category of a class is one block; the first row of a block
        has the key `drill_down.lancamentos_key(classe, categoria_id)`. The SUBTOTAL row is the writer's.
    """
    position = view.position
    order = _find_order(position)
    table = Table.of("lancamentos", _make_columns(position), COMMENT).take(order.index.to_numpy())
    parts = _find_parts(order, split=is_split_by_year(position))
    return SPEC.report(tuple(_build_section(position, order, table, *part) for part in parts), (table,))


def _find_order(position: Position) -> pd.DataFrame:
    """Put the linhas in the order of the sheets: what they are sorted by; the index has their places in `linhas`."""
    linhas = position.linhas
    data = find_linha_dates(linhas)
    years = data.dt.year if is_split_by_year(position) else 0
    keyed = linhas[["linha_id", "origem"]].assign(
        ano=years,
        data=data,
        classe=linhas["classe"].map({classe: rank for rank, classe in enumerate(CLASSES)}),
        categoria=path_ranks(position.categorias)(linhas["categoria_id"]),
    )
    by = ["ano", "classe", "categoria", "data", "linha_id", "origem"]
    return keyed.reset_index(drop=True).sort_values(by, kind="stable")


def _find_parts(order: pd.DataFrame, *, split: bool) -> list[tuple[int | None, int, int]]:
    """List the sheets: the year of each, None for the only one, and its first row and the one after its last."""
    if not split:
        return [(None, 0, len(order))]
    years = order["ano"].to_numpy()
    edges = [0, *(np.flatnonzero(np.diff(years)) + 1).tolist(), len(order)]
    return [(int(years[first]), first, last) for first, last in pairwise(edges)]


def _build_section(
    position: Position, order: pd.DataFrame, table: Table, year: int | None, first: int, last: int
) -> Section:
    part = order.iloc[first:last]
    blocks = part[["classe", "categoria"]]
    begins = np.flatnonzero((blocks != blocks.shift()).any(axis=1))
    heads = position.linhas.iloc[part.index[begins]]
    keys = {
        begin: lancamentos_key(str(classe), categoria_id)
        for begin, classe, categoria_id in zip(begins.tolist(), heads["classe"], heads["categoria_id"], strict=True)
    }
    name = "lancamentos" if year is None else f"lancamentos_{year}"
    rows = TableRows(table, first, last, keys=keys)
    return Section(name, table.columns, rows, detail=True, anchors=ANCHORS)


def _make_columns(position: Position) -> tuple[TableColumn, ...]:
    """Make the columns of the linhas, in their order: fifteen that the sheet prints, then what SQL has besides."""
    linhas, labels = position.linhas, position.rotulos
    titulos = position.titulos
    grupo = find_dre_grupos(position, linhas).where(~linhas["transferencia"])
    states = titulos.set_index("titulo_id")["situacao"]
    undue = titulos.loc[titulos["transferencia"] | (titulos["valor_centavos"] == 0), "titulo_id"]
    situacao = linhas["titulo_id"].map(states).where(~linhas["fora_controle"], BEFORE_CONTROL)
    situacao = situacao.where(linhas["pago"] | ~linhas["titulo_id"].isin(undue), OPEN)

    return (
        (
            Column(
                "Data",
                Kind.DATE,
                "dia em que está no caixa: pagamento, ou projeção do que está em aberto; senão vencimento",
                key="dia",
            ),
            find_linha_dates(linhas),
        ),
        (Column("Classe", Kind.TEXT, width=18), linhas["classe"]),
        (Column("Categoria", Kind.TEXT, width=36), store_labels(linhas["categoria_id"], labels.categoria_caminho)),
        (Column("Descrição", Kind.TEXT, width=40), store_texts(linhas["descricao"])),
        (Column("Pessoa", Kind.TEXT, width=30), store_labels(linhas["pessoa_id"], labels.pessoa)),
        (
            Column(
                "Valor",
                Kind.MONEY,
                "positivo entra, negativo sai; some por classe ou natureza, não pelo sinal: há estornos",
                dense=True,
                show_zero=True,
                total=True,
            ),
            linhas["valor_centavos"],
        ),
        (
            Column(
                "Situação",
                Kind.TEXT,
                "como em a_pagar; ou Pago, Fora do controle (pago antes do controle da conta), Em aberto "
                "(transferência ou valor zero)",
                width=16,
            ),
            store_texts(situacao),
        ),
        (
            Column(
                "Data competência",
                Kind.DATE,
                "competência efetiva (S4): a do serviço, ou a presumida; core.linhas.data_competencia tem a recebida",
                key="data_competencia_ef",
            ),
            linhas["data_competencia_ef"],
        ),
        (Column("Vencimento", Kind.DATE), linhas["data_vencimento"]),
        (Column("Conta", Kind.TEXT, width=24), store_labels(linhas["conta_id"], labels.conta)),
        (Column("Centro", Kind.TEXT, width=20), store_labels(linhas["centro_custo_lucro_id"], labels.centro)),
        (Column("Documento", Kind.TEXT, width=18), store_texts(linhas["documento"])),
        (
            Column("Parcela", Kind.TEXT, width=10),
            [format_installment(*pair) or None for pair in records_of(linhas, "numero_repeticao", "total_repeticoes")],
        ),
        (Column("Título", Kind.INTEGER, key="titulo_id"), linhas["titulo_id"]),
        (Column("Id", Kind.INTEGER, key="linha_id"), linhas["linha_id"]),
        *(
            (replace(column, shown=False), values)
            for column, values in (
                (
                    Column(
                        "Data caixa",
                        Kind.DATE,
                        "dia do pagamento, se conta no caixa da conta (S7); nulo em aberto e fora do controle",
                    ),
                    linhas["data_pagamento"].where(linhas["caixa"]),
                ),
                (
                    Column(
                        "Competência presumida",
                        Kind.BOOLEAN,
                        "o serviço não traz a competência: tomou-se a que manda competencia_nula",
                        width=12,
                    ),
                    linhas["competencia_presumida"],
                ),
                (Column("Pagamento", Kind.DATE, "dia do pagamento; nulo enquanto em aberto"), linhas["data_pagamento"]),
                (Column("Forma", Kind.TEXT, width=18), store_labels(linhas["forma_pagamento_id"], labels.forma)),
                (
                    Column(
                        "Tipo de documento",
                        Kind.TEXT,
                        "nome do tipo de documento; «Sem tipo de documento» onde não há",
                        width=18,
                    ),
                    store_labels(linhas["tipo_documento_id"], labels.tipo_documento),
                ),
                (Column("Periodicidade", Kind.TEXT, width=12), store_texts(linhas["periodicidade"])),
                (
                    Column(
                        "Natureza",
                        Kind.TEXT,
                        "como o serviço o diz: R receita, D despesa; o sinal do valor pode ser o outro "
                        "(estorno, desconto)",
                        width=9,
                    ),
                    linhas["natureza"],
                ),
                (Column("Automático", Kind.BOOLEAN, width=11), linhas["pagamento_automatico"]),
                (
                    Column(
                        "Tags",
                        Kind.TEXT,
                        "nomes das etiquetas da linha, separados por vírgula; vazio sem nenhuma",
                        width=20,
                    ),
                    [", ".join(map(labels.tag, tags)) if tags else None for tags in linhas["tags"].tolist()],
                ),
                (
                    Column("Observação", Kind.TEXT, "texto livre do lançamento", width=40),
                    store_texts(linhas["observacao"]),
                ),
                (Column("Alterado em", Kind.TIMESTAMP), linhas["modified"]),
                (
                    Column("Origem", Kind.TEXT, "lancamento, ou item de um composto", width=12),
                    store_texts(linhas["origem"]),
                ),
                (
                    Column("Composto id", Kind.INTEGER, "número do composto de que a linha é parte; nulo fora de um"),
                    linhas["lancamento_composto_id"],
                ),
                (
                    Column(
                        "Transferência id",
                        Kind.INTEGER,
                        "número que as duas pernas de uma transferência têm em comum; nulo fora de uma",
                    ),
                    linhas["lancamento_transferencia_id"],
                ),
                (Column("Grupo id", Kind.INTEGER), linhas["grupo_id"]),
                (
                    Column("Pedido id", Kind.INTEGER, "número do pedido de que o lançamento veio; nulo sem pedido"),
                    linhas["pedido_id"],
                ),
                (Column("Conta id", Kind.INTEGER), linhas["conta_id"]),
                (Column("Categoria id", Kind.INTEGER), linhas["categoria_id"]),
                (Column("Centro id", Kind.INTEGER), linhas["centro_custo_lucro_id"]),
                (Column("Forma id", Kind.INTEGER), linhas["forma_pagamento_id"]),
                (
                    Column("Tipo de documento id", Kind.INTEGER, "número do tipo de documento; nulo sem tipo"),
                    linhas["tipo_documento_id"],
                ),
                (
                    Column(
                        "Tipo custo nível produção id",
                        Kind.INTEGER,
                        "classificação do serviço pelo nível de produção; nula se não dada",
                    ),
                    linhas["tipo_custo_nivel_producao_id"],
                ),
                (
                    Column(
                        "Tipo custo apropriação produto id",
                        Kind.INTEGER,
                        "classificação do serviço pela apropriação ao produto; nula se não dada",
                    ),
                    linhas["tipo_custo_apropriacao_produto_id"],
                ),
                (Column("Pessoa id", Kind.INTEGER), linhas["pessoa_id"]),
                (
                    Column("Linha DRE", Kind.TEXT, "linha da DRE da categoria, por extenso; nula fora da DRE"),
                    store_each(Kind.TEXT, grupo, GROUP_LABELS.get),
                ),
                (
                    Column("Dre grupo", Kind.TEXT, "código da linha da DRE, como dre.codigo; nulo em transferências"),
                    store_texts(grupo),
                ),
                (
                    Column(
                        "Data projetada",
                        Kind.DATE,
                        "dia em que se espera o que está em aberto (S4); nulo no que foi pago e no vencido não "
                        "projetado",
                    ),
                    linhas["data_projetada"].where(~linhas["pago"]),
                ),
            )
        ),
    )


SPEC: Final = ReportSpec(
    code="R16",
    name="lancamentos",
    title="Lançamentos",
    question="De que lançamentos é feito cada número?",
    family=Family.RECORDS,
    builder=build_r16,
)
