"""Running all V rules over one position, always all of them, exact (S15).

A rule whose evidence or report is not there answers "não se aplica". The checks read what the reports print and add
the linhas again in their own way; they never change anything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from lastro.grid.model import Report
from lastro.quality.cash_checks import check_v01, check_v02, check_v03, check_v04, check_v05
from lastro.quality.charge_checks import check_v11, check_v12, check_v13, find_disagreements
from lastro.quality.history_checks import check_v17, check_v18, check_v32
from lastro.quality.ledger import build_ledger
from lastro.quality.model import Verification
from lastro.quality.open_checks import check_v06, check_v09
from lastro.quality.record_checks import (
    check_v10,
    check_v14,
    check_v15,
    check_v16,
    check_v19,
    check_v20,
    check_v21,
)
from lastro.quality.result_checks import check_v07, check_v08

if TYPE_CHECKING:
    from lastro.transform.composites import CompositeEvidence
    from lastro.transform.position import Position


@dataclass(frozen=True)
class CheckInputs:
    """Evidence from outside the position; None = not available, and the rule does not apply.

    Attributes:
        controle_raw: `warehouse.control.read_control_totals`: per account, what the raw records say (V10).
        passadas: rows of `ops.passadas` of the run (V10, V13).
        vencidos: rows of `tipo=PA` and `tipo=RA`: tipo, conta_id, lancamento_id, valor_centavos,
            lancamento_transferencia_id; only when D is the extraction date (V09).
        composto_evidence: how `composto_valor_pai` was decided (V14).
        diferencas: títulos that needed a "Diferença de composto" (V14).
        compostos: `transform.composite_details.compare_composites` (V15).
        conflitos_saldo_inicial: `CoreBuild.conflitos_saldo_inicial` (V21).
    """

    controle_raw: pd.DataFrame | None = None
    passadas: pd.DataFrame | None = None
    vencidos: pd.DataFrame | None = None
    composto_evidence: CompositeEvidence | None = None
    diferencas: Collection[int] = ()
    compostos: pd.DataFrame | None = None
    conflitos_saldo_inicial: pd.DataFrame | None = None


def run_checks(position: Position, evidence: CheckInputs, reports: Mapping[str, Report]) -> list[Verification]:
    """Run every V rule.

    Args:
        position: the position the reports were built from; not mutated.
        evidence: what the run knows besides.
        reports: the reports by any key (their code); a missing one takes its comparisons out.

    Returns:
        One per rule of `RULES`, in order.
    """
    ledger, disagreements = build_ledger(position), find_disagreements(position)
    return [
        check_v01(position, ledger, reports),
        check_v02(position, ledger, reports),
        check_v03(position, reports),
        check_v04(position, ledger, reports),
        check_v05(position, ledger, reports),
        check_v06(position, reports),
        check_v07(position, reports),
        check_v08(position, reports),
        check_v09(position, evidence.vencidos),
        check_v10(position, evidence.controle_raw, evidence.passadas),
        check_v11(position, reports, disagreements),
        check_v12(position, reports, disagreements),
        check_v13(position, evidence.passadas, reports, disagreements),
        check_v14(evidence.composto_evidence, evidence.diferencas),
        check_v15(evidence.compostos),
        check_v16(position),
        check_v17(position, reports),
        check_v18(position, reports),
        check_v19(position, ledger),
        check_v20(position),
        check_v21(evidence.conflitos_saldo_inicial),
        check_v32(reports),
    ]
