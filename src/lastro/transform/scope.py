"""A position narrowed to some accounts, cost centres, persons or tags: the scope filter of every report (DEC10).

Belongs here: which linhas, títulos and charges are in a scope. Does not belong here: how its reports are put together
(`lastro.catalogue`) and where they are written (`lastro.run.delivery`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from lastro.transform.composites import add_up_titulos
from lastro.transform.openings import RECORTE
from lastro.transform.position import Position, build_position

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lastro.settings import Recorte
    from lastro.transform.labels import Labels


def narrow_position(position: Position, recorte: Recorte) -> Position:
    """Keep what lies in a scope and take the position again.

    A linha is in scope when it meets every criterion that is given; one that names nothing (no person, no tag) meets
    none for it. A título is what its linhas in scope add up to, so that all reports of the scope still tie. A charge is
    in scope when its títulos are, each with all of its linhas; one without títulos when its account and customer are
    and nothing else is asked. Within a criterion other than accounts there is no opening balance: balances are then
    variations, and are marked so (R01). A budget is of the whole (R18). What a bank proves unpaid is so in a scope, too
    (S20).

    Args:
        position: the whole position; not mutated.

    Returns:
        A position of the same day, every frame indexed from 0.
    """
    linhas = position.linhas[_in_scope(position.linhas, recorte)].reset_index(drop=True)
    titulos = _narrow_titulos(position.titulos, linhas)
    whole = titulos["qtde_linhas"] == titulos["titulo_id"].map(position.titulos.set_index("titulo_id")["qtde_linhas"])
    cobrancas = _narrow_charges(position, set(titulos.loc[whole, "titulo_id"]), recorte)
    ids = cobrancas["cobranca_id"]
    contas, saldos = position.contas, position.extrato_saldos
    if recorte.contas:
        contas = contas[_is_among(contas["conta_id"], recorte.contas)].reset_index(drop=True)
        saldos = saldos[_is_among(saldos["conta_id"], recorte.contas)].reset_index(drop=True)
    if recorte.centros or recorte.pessoas or recorte.tags:
        contas = contas.assign(
            valor_saldo_inicial_centavos=0, tem_saldo_inicial=False, origem_saldo=RECORTE, provisoria=True
        )
        saldos = saldos.iloc[:0]
    narrowed = build_position(
        replace(
            position,
            linhas=linhas,
            titulos=titulos,
            contas=contas,
            extrato_saldos=saldos,
            orcamento=position.orcamento.iloc[:0],
            cobrancas=cobrancas,
            cobranca_titulos=_of_charges(position.cobranca_titulos, ids),
            cobranca_desconhecidos=_of_charges(position.cobranca_desconhecidos, ids),
        ),
        data_base=position.data_base,
        data_extracao=position.data_extracao,
        parametros=position.parametros,
        calendario=position.calendario,
    )
    others = linhas["lancamento_transferencia_id"]
    parted = _is_among(others, {*position.linhas["linha_id"]} - {*linhas["linha_id"]})
    return replace(
        narrowed,
        vencimentos=position.vencimentos,
        pernas_fora=frozenset(linhas.loc[parted, "linha_id"]),
    )


def holds_whole_accounts(position: Position) -> bool:
    """Tell whether a position holds all that its accounts book; a part of them has no balance (N03)."""
    return not (position.contas["origem_saldo"] == RECORTE).any()


def count_split_charges(position: Position, narrowed: Position) -> int:
    """Count the charges that a scope leaves out because it holds only a part of what they collect."""
    touched = position.cobranca_titulos.loc[
        position.cobranca_titulos["titulo_id"].isin(narrowed.titulos["titulo_id"]), "cobranca_id"
    ]
    return int((~touched.drop_duplicates().isin(narrowed.cobrancas["cobranca_id"])).sum())


def describe_scope(recorte: Recorte, rotulos: Labels) -> str:
    """Write a scope as the stamp prints it: the names of what was chosen."""
    parts = [
        ("contas", recorte.contas, rotulos.conta),
        ("centros", recorte.centros, rotulos.centro),
        ("pessoas", recorte.pessoas, rotulos.pessoa),
        ("tags", recorte.tags, rotulos.tag),
    ]
    chosen = "; ".join(f"{what} {', '.join(map(name, ids))}" for what, ids, name in parts if ids)
    return f"{recorte.nome} ({chosen})"


def list_criteria(recorte: Recorte) -> Iterator[tuple[str, tuple[int, ...]]]:
    """List what a scope asks of a linha: the column, and the ids of which it has one; tags are asked of their list."""
    for column, ids in (
        ("conta_id", recorte.contas),
        ("centro_custo_lucro_id", recorte.centros),
        ("pessoa_id", recorte.pessoas),
    ):
        if ids:
            yield column, ids


def _in_scope(linhas: pd.DataFrame, recorte: Recorte) -> pd.Series:
    chosen = pd.Series(data=True, index=linhas.index)
    for column, ids in list_criteria(recorte):
        chosen &= _is_among(linhas[column], ids)
    if recorte.tags:
        wanted = frozenset(recorte.tags)
        chosen &= np.array([not wanted.isdisjoint(tags) for tags in linhas["tags"]], dtype=bool)
    return chosen


def _is_among(column: pd.Series, ids: Collection[int]) -> pd.Series:
    return column.isin(ids).astype(bool)


def _narrow_titulos(titulos: pd.DataFrame, linhas: pd.DataFrame) -> pd.DataFrame:
    totals = add_up_titulos(linhas)
    totals["fora_resultado"] = linhas.groupby("titulo_id")["fora_resultado"].all()
    kept = titulos.drop(columns=list(totals.columns)).merge(totals, left_on="titulo_id", right_index=True, how="inner")
    return kept.sort_values("titulo_id").reset_index(drop=True)


def _narrow_charges(position: Position, whole: set[int], recorte: Recorte) -> pd.DataFrame:
    cobrancas, links = position.cobrancas, position.cobranca_titulos
    complete = links["titulo_id"].isin(whole).groupby(links["cobranca_id"]).all()
    linked = cobrancas["cobranca_id"].isin(complete.index)
    chosen = cobrancas["cobranca_id"].isin(complete.index[complete.to_numpy(dtype=bool)])
    if not recorte.centros and not recorte.tags:
        alone = ~linked
        for column, ids in (("conta_id", recorte.contas), ("pessoa_id", recorte.pessoas)):
            if ids:
                alone &= _is_among(cobrancas[column], ids)
        chosen |= alone
    return cobrancas[chosen].reset_index(drop=True)


def _of_charges(frame: pd.DataFrame, ids: pd.Series) -> pd.DataFrame:
    return frame[frame["cobranca_id"].isin(ids)].reset_index(drop=True)
