"""From entries and nested items to linhas and títulos: no amount twice, in any shape of the answer (S1, S2, S7).

The list may give a composite as a parent with nested items, as rows that share `lancamento_composto_id`, or as both,
and the parent's `valor` may or may not include the items. The functions here give the same linhas for every shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lastro.schema.payloads import INHERITED_IF_ABSENT
from lastro.transform.conformed import Conformed

PARCELA, TOTAL = "parcela", "total"
DIFERENCA = "Diferença de composto"
COMMON_FIELDS = (
    "conta_id",
    "data_vencimento",
    "data_pagamento",
    "data_competencia",
    "grupo_id",
    "numero_repeticao",
    "total_repeticoes",
    "periodicidade",
    "documento",
    "pagamento_automatico",
    "pedido_id",
    "modified",
)
"""What a nested-only item always inherits from the row that carries it (S2.3)."""
_OF_LINHAS_ONLY = (
    "linha_id",
    "origem",
    "valor_centavos",
    "qtde_itens",
    "composto_chave",
    "tags",
    "pedido_id",
    "lancamento_transferencia_id",
    "tipo_custo_nivel_producao_id",
    "tipo_custo_apropriacao_produto_id",
)
"""What a título has in its own way, or not at all (S1)."""
_ORDER = ["linha_id", "origem"]
_TITULO_KEY = ["composto_chave", "conta_id", "data_vencimento", "data_pagamento"]


COLUMNS = {
    "composto": "int64",
    "lancamento_id": "int64",
    "linha_id": "int64",
    "valor_lista_centavos": "Int64",
    "valor_detalhe_centavos": "Int64",
    "detalhe_com_itens": "bool",
}


@dataclass(frozen=True)
class CompositeEvidence:
    """What the data say about `composto_valor_pai` (S2.5, S2.6, V14).

    Attributes:
        n0: títulos whose carrier is not the sum of its others.
        n1: títulos whose carrier is the sum of at least two others.
        decided: the mode the data alone decide, or None without any evidence.
        mode: the mode in force: the setting, else the one stored by an earlier run, else `decided`, else parcela.
        source: "parametro", "execução anterior" or "dados".
    """

    n0: int
    n1: int
    decided: str | None
    mode: str
    source: str


@dataclass(frozen=True)
class Composed:
    """The linhas and títulos of a company.

    Attributes:
        linhas: grain linha, key (origem, linha_id); columns of the input plus `origem`, `linha_id`, `titulo_id`.
        titulos: grain título, key titulo_id; the carrier's fields plus `qtde_linhas` and money totals.
        saldos_iniciais: the rows that are opening balances and therefore no linhas (S7).
        evidence: how the mode was decided.
        diferencas: titulo_id of every "Diferença de composto" (S2.7, V14).
        carriers: lancamento_id of each row that is no linha -> its titulo_id (S12 maps charge ids through it).
    """

    linhas: pd.DataFrame
    titulos: pd.DataFrame
    saldos_iniciais: pd.DataFrame
    evidence: CompositeEvidence
    diferencas: tuple[int, ...]
    carriers: dict[int, int]


def build_linhas(
    lancamentos: pd.DataFrame,
    itens: pd.DataFrame,
    *,
    composto_valor_pai: str,
    modo_anterior: str | None,
    saldo_inicial_lancamentos: tuple[int, ...],
    saldo_inicial_categorias: tuple[int, ...],
) -> Composed:
    """Split entries into linhas and group them into títulos (S1, S2); set opening-balance entries apart (S7).

    Args:
        lancamentos: grain entry, key `lancamento_id`; not mutated.
        itens: grain (entry, nested item): `lancamento_id` of the row that carries it, `item_id`, the item's own
            fields, and `tem_<field>` for each of `INHERITED_IF_ABSENT` (was the key present?).
        composto_valor_pai: the setting, `auto`, `parcela` or `total`.
        modo_anterior: the mode that an earlier complete run decided; it is never switched silently (S2.6).
        saldo_inicial_lancamentos: ids of entries that are opening balances.
        saldo_inicial_categorias: categories of entries that are opening balances.

    Returns:
        Linhas and títulos sorted by id.
    """
    opening = lancamentos["lancamento_id"].isin(saldo_inicial_lancamentos) | lancamentos["categoria_id"].isin(
        saldo_inicial_categorias
    )
    saldos_iniciais = lancamentos[opening].reset_index(drop=True)
    # A company without such entries, nearly every one, needs no second copy of all others.
    rows = (lancamentos[~opening] if opening.any() else lancamentos).rename(columns={"lancamento_id": "linha_id"})
    itens = itens[itens["lancamento_id"].isin(rows["linha_id"])]
    del lancamentos, opening
    components = _stack_components(rows, itens, saldos_iniciais)
    del rows, itens
    components["titulo_id"] = _find_carriers(components)
    evidence = _weigh_evidence(components, composto_valor_pai, modo_anterior)
    linhas, diferencas, carriers = _drop_parents(components, evidence.mode)
    titulos = _build_titulos(components, linhas)
    linhas = linhas.drop(columns=["composto_chave", "qtde_itens"])
    return Composed(linhas, titulos, saldos_iniciais, evidence, diferencas, carriers)


def _stack_components(rows: pd.DataFrame, itens: pd.DataFrame, apart: pd.DataFrame) -> pd.DataFrame:
    """Put rows and nested-only items together, in order, with their group key `composto_chave` (S2.1 to S2.3).

    A row that is set `apart` as an opening balance does not come back as an item nested in its sibling (S7).
    """
    rows = rows.assign(origem="lancamento")
    composite = rows["lancamento_composto_id"].notna() | (rows["qtde_itens"] > 0)
    named_by_items = (
        itens.dropna(subset=["lancamento_composto_id"]).groupby("lancamento_id")["lancamento_composto_id"].first()
    )
    key = rows["lancamento_composto_id"].fillna(rows["linha_id"].map(named_by_items).astype("Int64"))
    key = key.fillna(-rows["linha_id"]).where(composite).astype("Int64")
    rows = rows.assign(composto_chave=key)
    if itens.empty:
        return _sort(rows)

    carrier_fields = ["linha_id", "composto_chave", *COMMON_FIELDS, *INHERITED_IF_ABSENT]
    nested = itens.merge(
        rows[carrier_fields].rename(columns={"linha_id": "lancamento_id"}),
        on="lancamento_id",
        how="left",
        validate="m:1",
        suffixes=("", "_portador"),
    )
    openings = apart[["lancamento_composto_id", "lancamento_id"]].dropna()
    known = pd.concat(
        [
            rows.loc[composite, ["composto_chave", "linha_id"]].rename(columns={"linha_id": "item_id"}),
            openings.set_axis(["composto_chave", "item_id"], axis="columns"),
        ],
        ignore_index=True,
    )
    nested = nested.merge(known.assign(is_row=True), on=["composto_chave", "item_id"], how="left", validate="m:1")
    nested = nested[nested["is_row"].isna()].sort_values(["lancamento_id", "posicao_item"], kind="stable")
    nested = nested.drop_duplicates(["composto_chave", "item_id"])
    for name in INHERITED_IF_ABSENT:
        nested[name] = nested[name].where(nested[f"tem_{name}"], nested[f"{name}_portador"])
    # An item has an observação of its own or none; a transfer pointer belongs to rows only.
    nested = nested.assign(
        origem="item",
        linha_id=nested["item_id"],
        qtde_itens=0,
        observacao="",
        lancamento_transferencia_id=pd.array([pd.NA] * len(nested), dtype="Int64"),
        lancamento_composto_id=nested["composto_chave"].where(nested["composto_chave"] > 0),
    )
    parts = {name: [rows[name], nested[name]] for name in rows.columns}
    return stack(parts, _find_order(stack({name: parts[name] for name in _ORDER})))


def stack(
    columns: Mapping[str, Sequence[pd.Series]], order: np.ndarray[tuple[int], np.dtype[np.intp]] | None = None
) -> pd.DataFrame:
    """Make a frame of columns that come in parts, one by one: done with all together they would be held thrice.

    Args:
        columns: each column's parts, of equal dtypes.
        order: positions of the rows in the new order; None leaves them.
    """
    stacked = {}
    for name, parts in columns.items():
        column = pd.concat(parts, ignore_index=True)
        stacked[name] = column if order is None else column.take(order).reset_index(drop=True)
    return pd.DataFrame(stacked, copy=False)


def _find_order(keys: pd.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.intp]] | None:
    """Find the order of rows and items by id, an item before a row of equal id; None where they are in it."""
    order = keys.reset_index(drop=True).sort_values(_ORDER, kind="stable").index.to_numpy(dtype=np.intp)
    return None if (order[1:] > order[:-1]).all() else order


def _sort(frame: pd.DataFrame) -> pd.DataFrame:
    order = _find_order(frame[_ORDER])
    if order is None:
        return frame.reset_index(drop=True)
    return stack({name: [frame[name]] for name in frame.columns}, order)


def _find_carriers(components: pd.DataFrame) -> pd.Series:
    """Name each component's título: the carrier is the lowest id with items, else the lowest id (S2.4)."""
    titulo_id = components["linha_id"].copy()
    composite = components["composto_chave"].notna()
    if composite.any():
        part = components.loc[composite]
        # Rows before items of an equal id: a carrier is always a row.
        order = part.assign(
            without_items=part["qtde_itens"] == 0, is_item=part["origem"] == "item", first_id=part["linha_id"]
        ).sort_values(["without_items", "is_item", "linha_id"])
        titulo_id.loc[composite] = order.groupby(_TITULO_KEY, dropna=False)["first_id"].transform("first")
    return titulo_id.astype("int64")


def _is_carrier(components: pd.DataFrame) -> pd.Series:
    return (components["linha_id"] == components["titulo_id"]) & (components["origem"] == "lancamento")


def _compare_carriers(components: pd.DataFrame) -> pd.DataFrame:
    """Per título with other components: carrier's value, sum and number of the others (S2.5)."""
    part = components[components["composto_chave"].notna()]
    carrier = _is_carrier(part)
    others = part[~carrier].groupby("titulo_id")["valor_centavos"].agg(soma="sum", outros="size")
    return part[carrier].set_index("titulo_id")[["valor_centavos"]].join(others, how="inner")


def _weigh_evidence(components: pd.DataFrame, setting: str, previous: str | None) -> CompositeEvidence:
    compared = _compare_carriers(components)
    equal = compared["valor_centavos"] == compared["soma"]
    n0, n1 = int((~equal).sum()), int((equal & (compared["outros"] >= 2)).sum())
    decided = None if n0 + n1 == 0 else TOTAL if n0 == 0 else PARCELA
    if setting != "auto":
        return CompositeEvidence(n0, n1, decided, setting, "parametro")
    if previous is not None:
        return CompositeEvidence(n0, n1, decided, previous, "execução anterior")
    return CompositeEvidence(n0, n1, decided, decided or PARCELA, "dados")


def _drop_parents(components: pd.DataFrame, mode: str) -> tuple[pd.DataFrame, tuple[int, ...], dict[int, int]]:
    """In mode `total` take the carriers out and add what their items leave unexplained (S2.7)."""
    if mode != TOTAL:
        return components, (), {}
    compared = _compare_carriers(components)
    parents = _is_carrier(components) & components["titulo_id"].isin(compared.index)
    difference = compared["valor_centavos"] - compared["soma"]
    unexplained = difference[difference != 0]
    extra = components[parents & components["titulo_id"].isin(unexplained.index)].copy()
    extra["valor_centavos"] = extra["titulo_id"].map(unexplained).astype("int64")
    extra["descricao"] = DIFERENCA
    carriers = {int(titulo_id): int(titulo_id) for titulo_id in compared.index.difference(unexplained.index)}
    linhas = _sort(pd.concat([components[~parents], extra], ignore_index=True))
    return linhas, tuple(int(titulo_id) for titulo_id in sorted(unexplained.index)), carriers


def _build_titulos(components: pd.DataFrame, linhas: pd.DataFrame) -> pd.DataFrame:
    """Give each título its carrier's fields and the totals of its linhas (S1)."""
    totals = add_up_titulos(linhas)
    wanted = [name for name in components.columns if name not in _OF_LINHAS_ONLY]
    chosen = _is_carrier(components) & components["titulo_id"].isin(totals.index)
    titulos = components[wanted][chosen].reset_index(drop=True)
    # A carrier's id is that of its título, and both are in order.
    totals = totals.reindex(titulos["titulo_id"])
    return titulos.assign(**{name: totals[name].to_numpy() for name in totals.columns})


def add_up_titulos(linhas: pd.DataFrame) -> pd.DataFrame:
    """Add the linhas up to their títulos (S1).

    Returns:
        Index titulo_id: qtde_linhas, valor_centavos, transferencia, categorias_distintas, bruto_centavos (linhas with
        the título's sign), deducoes_centavos (those with the other), tipo ("R", "P", "Z").
    """
    totals = linhas.groupby("titulo_id").agg(
        qtde_linhas=("valor_centavos", "size"),
        valor_centavos=("valor_centavos", "sum"),
        transferencia=("lancamento_transferencia_id", "count"),
    )
    distinct = linhas[["titulo_id", "categoria_id"]].drop_duplicates()
    totals["categorias_distintas"] = distinct.groupby("titulo_id").size()
    totals["transferencia"] = totals["transferencia"] > 0
    positive = linhas["valor_centavos"].clip(lower=0).groupby(linhas["titulo_id"]).sum()
    negative = linhas["valor_centavos"].clip(upper=0).groupby(linhas["titulo_id"]).sum()
    receivable = totals["valor_centavos"] >= 0
    totals["bruto_centavos"] = positive.where(receivable, negative)
    totals["deducoes_centavos"] = negative.where(receivable, positive)
    totals["tipo"] = np.select([totals["valor_centavos"] > 0, totals["valor_centavos"] < 0], ["R", "P"], "Z")
    return totals


def compare_composites(conformed: Conformed) -> pd.DataFrame:
    """Set the components in the listing beside those in the detail, for every composite with a detail read (V15).

    A detail shows the entry and the items nested in it; the listing shows all rows of the composite and what they
    nest. Details of simple entries, and of entries that the listing does not have (S13), are left out.

    Args:
        conformed: the run's records, before details are merged; not mutated.

    Returns:
        Grain (detail, component): `composto` (the group key of S2.1, -id without one), `lancamento_id` of the detail,
        `linha_id` of the component, its values (null on the side that lacks it), `detalhe_com_itens`.
    """
    listed = _components(conformed.lancamentos, conformed.itens)
    details = conformed.detalhes[conformed.detalhes["lancamento_id"].isin(conformed.lancamentos["lancamento_id"])]
    shown = _components(details, conformed.detalhes_itens)
    asked = sorted(set(shown["lancamento_id"].tolist()))
    rows_of = listed[(listed["linha_id"] == listed["lancamento_id"]) & listed["linha_id"].isin(asked)]
    keys = rows_of.set_index("linha_id")["composto"].to_dict()
    # Few details are read; the listing may have a composite per row.
    per_key = dict(iter(listed[listed["composto"].isin(list(keys.values()))].groupby("composto")))
    rows: list[tuple[object, ...]] = []
    for lancamento_id in asked:
        part = shown[shown["lancamento_id"] == lancamento_id]
        composto = int(keys[lancamento_id])
        of_list = per_key[composto].drop_duplicates("linha_id")
        here = dict(zip(of_list["linha_id"], of_list["valor_centavos"], strict=True))
        there = dict(zip(part["linha_id"], part["valor_centavos"], strict=True))
        if len(here) < 2 and len(there) < 2 and composto == -lancamento_id:
            continue
        rows.extend(
            (composto, lancamento_id, component, here.get(component), there.get(component), len(there) > 1)
            for component in sorted({*here, *there})
        )
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _components(lancamentos: pd.DataFrame, itens: pd.DataFrame) -> pd.DataFrame:
    """Stack rows and their nested items with the group key of their row; a row comes before an item of equal id."""
    nested = itens[itens["lancamento_id"].isin(lancamentos["lancamento_id"])]
    named = nested.dropna(subset=["lancamento_composto_id"]).drop_duplicates("lancamento_id")
    from_items = named.set_index("lancamento_id")["lancamento_composto_id"]
    key = lancamentos["lancamento_composto_id"].fillna(lancamentos["lancamento_id"].map(from_items).astype("Int64"))
    rows = pd.DataFrame(
        {
            "lancamento_id": lancamentos["lancamento_id"],
            "linha_id": lancamentos["lancamento_id"],
            "composto": key.fillna(-lancamentos["lancamento_id"]).astype("int64"),
            "valor_centavos": lancamentos["valor_centavos"],
        }
    )
    below = pd.DataFrame(
        {
            "lancamento_id": nested["lancamento_id"],
            "linha_id": nested["item_id"],
            "composto": nested["lancamento_id"].map(rows.set_index("linha_id")["composto"]).astype("int64"),
            "valor_centavos": nested["valor_centavos"],
        }
    )
    return pd.concat([rows, below], ignore_index=True) if len(below) else rows.reset_index(drop=True)
