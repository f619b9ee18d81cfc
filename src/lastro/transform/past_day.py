"""A recorded run's tables under what holds today: its records, with the map and the openings of now (S3).

Belongs here: what of the tables follows from settings and statements, not from records. Does not belong here: which run
gives a day back (`lastro.run.loading`), and what is as of D (`lastro.transform.position`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from lastro.schema.frames import shape
from lastro.transform.categories import map_categorias
from lastro.transform.core import mark_outside
from lastro.transform.openings import ARQUIVO, EXTRATO, LANCAMENTO, Statement, find_opening, list_transit
from lastro.transform.position import Core

_BASIS: Final = ["origem_saldo", "data_saldo_inicial", "ancora_dia", "ancora_valor_centavos"]
"""What an opening rests on; one that the settings give rests on its value too."""
_OPENING: Final = [*_BASIS, "ancora_provada", "valor_saldo_inicial_centavos", "tem_saldo_inicial", "provisoria"]


def restate(then: Core, now: Core, dre_mapa: Mapping[int, str]) -> Core:
    """Give the tables of a recorded run the map of the DRE and the openings of today.

    An opening that rests on what it rested on then stays to the centavo. Another one is computed over the linhas of
    then; its statements are those of now. One that an entry gives or gave is part of the records and stays.

    Args:
        then: as the run recorded them.
        now: those of the reading under way.
        dre_mapa: setting (R06).

    Returns:
        Tables of the accounts, entries and charges of then.
    """
    categorias = map_categorias(then.categorias, dre_mapa)
    linhas, titulos = mark_outside(then.linhas, then.titulos, categorias)
    transit = list_transit(titulos, then.cobrancas, then.cobranca_titulos)
    today = {row["conta_id"]: row for row in now.contas.to_dict("records")}
    rows, moved = [], set()
    for row in then.contas.to_dict("records"):
        other = today.get(row["conta_id"])
        if other is not None and not _rests_alike(row, other):
            row = row | {name: other[name] for name in _OPENING}  # noqa: PLW2901 - the row as it stands now
            moved.add(row["conta_id"])
            if row["origem_saldo"] == EXTRATO:
                row["valor_saldo_inicial_centavos"] = _open(row, linhas, transit)
        rows.append(row)
    contas = shape("core.contas", pd.DataFrame(rows, columns=then.contas.columns, dtype=object))
    kept, new = then.extrato_saldos, now.extrato_saldos
    return replace(
        then,
        linhas=linhas,
        titulos=titulos,
        categorias=categorias,
        contas=contas,
        extrato_saldos=pd.concat([kept[~kept["conta_id"].isin(moved)], new[new["conta_id"].isin(moved)]])
        .sort_values(["conta_id", "dia"], kind="stable")
        .reset_index(drop=True),
    )


def _rests_alike(then: Mapping[Any, Any], now: Mapping[Any, Any]) -> bool:
    if LANCAMENTO in (then["origem_saldo"], now["origem_saldo"]):
        return True
    names = _BASIS if now["origem_saldo"] == EXTRATO else [*_BASIS, "valor_saldo_inicial_centavos"]
    return all(then[name] == now[name] or (pd.isna(then[name]) and pd.isna(now[name])) for name in names)


def _open(row: Mapping[Any, Any], linhas: pd.DataFrame, transit: pd.DataFrame) -> int:
    """Compute the opening that follows from the anchor of an account over the linhas of then, in centavos."""
    conta, since = int(row["conta_id"]), row["data_saldo_inicial"]
    anchor = Statement(conta, row["ancora_dia"].date(), int(row["ancora_valor_centavos"]), ARQUIVO)
    found = find_opening(conta, None if pd.isna(since) else since.date(), [anchor], linhas, transit)
    return int(row["valor_saldo_inicial_centavos"]) if found is None else found.valor_centavos
