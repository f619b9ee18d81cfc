"""Entries between companies of one group, and the amounts that they take out of the group's sums.

Belongs here: picking the linhas that the settings name, and adding them up the way the group view needs. Does not
belong here: guessing. Nothing is paired by amount, date or text, so a sum never loses what nobody named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.settings import GrupoTransferencia
from lastro.transform.position import CLASS_KEYS

LINHA_COLUMNS: Mapping[str, str] = {
    "titulo_id": "int64",
    "pessoa_id": "Int64",
    "categoria_id": "Int64",
    "classe": "object",
    "dre_grupo": "object",
    "natureza": "object",
    "valor_centavos": "int64",
    "mes_caixa": "datetime64[us]",
    "mes_projetado": "datetime64[us]",
    "mes_competencia": "datetime64[us]",
    "faixa": "object",
    "lado": "object",
}
"""A linha as the group view reads it: `mes_caixa` if realised as of D, `mes_projetado` if it counts in projections,
`faixa` and `lado` ("P" or "R", by its título) if its título is open."""


@dataclass(frozen=True)
class SideTotals:
    """The linhas of one company under one rule, added up, signed centavos."""

    qtde: int
    caixa: int
    competencia: int
    aberto: int


@dataclass(frozen=True)
class Reconciliation:
    """One rule of the settings: both sides cancel out where the companies book alike."""

    regra: GrupoTransferencia
    de: SideTotals
    para: SideTotals


def select_intercompany(
    linhas: Mapping[str, pd.DataFrame], regras: Sequence[GrupoTransferencia]
) -> tuple[dict[str, pd.DataFrame], tuple[Reconciliation, ...]]:
    """Pick the linhas that the rules name.

    Args:
        linhas: company -> linhas, columns `LINHA_COLUMNS`; transfers between its own accounts are never picked (S6).
        regras: the rules in the order of the settings; a linha that two of them name belongs to the first.

    Returns:
        Company -> its picked linhas, each once; and one reconciliation per rule.
    """
    picked: dict[str, list[pd.DataFrame]] = {empresa: [] for empresa in linhas}
    left = {empresa: frame[frame["classe"].isin(list(CLASS_KEYS))] for empresa, frame in linhas.items()}
    results = []
    for regra in regras:
        sides = []
        for name in ("de", "para"):
            empresa = getattr(regra, name)
            chosen = _names(left[empresa], regra, name)
            part = left[empresa][chosen]
            left[empresa] = left[empresa][~chosen]
            picked[empresa].append(part)
            sides.append(_add_up(part))
        results.append(Reconciliation(regra, *sides))
    return {
        empresa: pd.concat(parts, ignore_index=True) if parts else linhas[empresa].iloc[:0]
        for empresa, parts in picked.items()
    }, tuple(results)


def _names(linhas: pd.DataFrame, regra: GrupoTransferencia, lado: str) -> pd.Series:
    pessoas, categorias = getattr(regra, f"{lado}_pessoas"), getattr(regra, f"{lado}_categorias")
    named = pd.Series(data=True, index=linhas.index)
    if pessoas:
        named &= linhas["pessoa_id"].isin(pessoas)
    if categorias:
        named &= linhas["categoria_id"].isin(categorias)
    return named.astype(bool)


def _add_up(part: pd.DataFrame) -> SideTotals:
    valor = part["valor_centavos"]
    counted = part["mes_competencia"].notna() & (part["dre_grupo"] != "fora")
    return SideTotals(
        len(part),
        int(valor[part["mes_caixa"].notna()].sum()),
        int(valor[counted].sum()),
        int(valor[part["lado"].notna()].sum()),
    )


def sum_flow(picked: pd.DataFrame, data_base: pd.Timestamp) -> dict[tuple[pd.Timestamp, str, str], int]:
    """Add picked linhas up by month, moment and line of R04 (`realizado`, `a_realizar` in D's month, `previsto`)."""
    current = data_base.replace(day=1)
    flows: dict[tuple[pd.Timestamp, str, str], int] = {}
    for column, moment in (("mes_caixa", "realizado"), ("mes_projetado", "")):
        sums = picked.dropna(subset=[column]).groupby([column, "classe"], as_index=False)[["valor_centavos"]].sum()
        for month, classe, value in records_of(sums, column, "classe", "valor_centavos"):
            here = moment or ("a_realizar" if month == current else "previsto")
            flows[(month, here, CLASS_KEYS[classe])] = value
    return flows


def sum_result(picked: pd.DataFrame) -> dict[tuple[pd.Timestamp, str], int]:
    """Add picked linhas up by competence month and DRE group."""
    keys = ["mes_competencia", "dre_grupo"]
    sums = picked.dropna(subset=keys).groupby(keys, as_index=False)[["valor_centavos"]].sum()
    return {(month, group): value for month, group, value in records_of(sums, *keys, "valor_centavos")}


def sum_open(picked: pd.DataFrame, lado: str) -> dict[str, int]:
    """Add picked linhas of open títulos of one side ("P" or "R") up by aging band."""
    sums = picked[picked["lado"] == lado].groupby("faixa")["valor_centavos"].sum()
    return {str(faixa): int(value) for faixa, value in sums.items()}
