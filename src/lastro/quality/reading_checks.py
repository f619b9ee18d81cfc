"""V34 to V37: what was loaded is what was proved, what could not be read, what day it is, how the service speaks."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.errors import MAX_KEYS
from lastro.grid.verdict import ALERTA, ERRO, FALHOU, OK, Outcome
from lastro.quality.tally import Tally, not_applicable

if TYPE_CHECKING:
    from lastro.quality.evidence import CheckInputs

TOLERATED: Final = Decimal("0.001")
"""Share of the rows that may be unreadable before the figures are no longer to be trusted."""
DAY_SECONDS: Final = 24 * 60 * 60
"""How far two clocks may differ: no zone written down wrongly makes more."""


def check_v34(evidence: CheckInputs) -> Outcome:
    """V34: per listing, the distinct ids that the warehouse reads, and the rows without one, are those of the proof.

    The proof counts with one parser and the warehouse reads with another; whatever they may disagree on shows here.
    """
    if evidence.lidos is None or evidence.passadas is None:
        return not_applicable()
    proofs = evidence.passadas[evidence.passadas["veredito"] == "provada"]
    proved = {
        (str(lista), None if pd.isna(conta) else int(conta)): int(distinct) + int(rejected)
        for lista, conta, distinct, rejected in zip(
            proofs["lista"], proofs["conta_id"], proofs["ids_distintos"], proofs["rejeitadas"], strict=True
        )
    }
    # A hot reading proves other listings, and lays its pages over those of the complete one.
    listings = {lista for lista, _ in proved}
    tally = Tally()
    total = [0, 0]
    for lista, conta, found in zip(
        evidence.lidos["lista"], evidence.lidos["conta_id"], evidence.lidos["lidos"], strict=True
    ):
        if str(lista) not in listings:
            continue
        expected = proved.get((str(lista), None if pd.isna(conta) else int(conta)), 0)
        tally.compare(f"{lista} · {'sem conta' if pd.isna(conta) else int(conta)}", expected, int(found))
        total = [total[0] + expected, total[1] + int(found)]
    return tally.close(esperado=total[0], encontrado=total[1])


def check_v35(evidence: CheckInputs) -> Outcome:
    """V35: no entry, item or charge is unreadable; a few are an alerta, above `TOLERATED` of the rows an erro."""
    rejected, rows = evidence.rejeitados, evidence.linhas_lidas
    if rejected is None:
        return not_applicable()
    share = Decimal(len(rejected)) / rows if rows else Decimal(0)
    keys = tuple(f"{lista} {number}" for lista, number in zip(rejected["lista"], rejected["id"], strict=True))
    return Outcome(
        severidade=ERRO if share > TOLERATED else ALERTA,
        situacao=FALHOU if keys else OK,
        esperado=0,
        encontrado=len(rejected),
        registros=len(rejected),
        chaves=keys[:MAX_KEYS],
        detalhe=f"{len(rejected)} de {rows} registros não puderam ser lidos e faltam em toda soma" if keys else "",
    )


def check_v36(evidence: CheckInputs) -> Outcome:
    """V36: our clock and the service's (`Date`) differ by no more than a day: D follows from ours."""
    ahead = evidence.desvio_relogio
    if ahead is None:
        return not_applicable()
    tally = Tally()
    tally.count += 1
    if abs(ahead) > DAY_SECONDS:
        days = f"{Decimal(abs(ahead)) / DAY_SECONDS:.1f}".replace(".", ",")
        side = "adiantado" if ahead > 0 else "atrasado"
        tally.fail(["relógio"], None, f"o relógio desta máquina está {days} dias {side} em relação ao do serviço")
    return tally.close()


def check_v37(evidence: CheckInputs) -> Outcome:
    """V37: the service counts, lists, orders and pages as it did at the last complete reading."""
    if evidence.dialeto is None:
        return not_applicable()
    tally = Tally()
    tally.count += 1
    if evidence.dialeto:
        tally.fail(["serviço"], None, "; ".join(evidence.dialeto))
    return tally.close()
