"""Composites of the listing beside their details: does the listing leave items out (S2.8, V15)?"""

from __future__ import annotations

import pandas as pd

from lastro.transform.conformed import Conformed

COLUMNS = {
    "composto": "int64",
    "lancamento_id": "int64",
    "linha_id": "int64",
    "valor_lista_centavos": "Int64",
    "valor_detalhe_centavos": "Int64",
    "detalhe_com_itens": "bool",
}


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
