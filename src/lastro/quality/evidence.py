"""What the checks get to see: the position, the reports as printed, and evidence from outside both (S15)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from lastro.grid.model import Report
from lastro.quality.charge_checks import Disagreements, find_disagreements
from lastro.quality.queries import read_prelude, read_queries

if TYPE_CHECKING:
    from lastro.transform.composites import CompositeEvidence
    from lastro.transform.position import Position
    from lastro.warehouse.proof import Proof


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
        lidos: `warehouse.received.read_loaded_ids`: per listing, what the warehouse reads in the pages (V34).
        rejeitados: lista and id of every unreadable entry, item and charge (V35).
        linhas_lidas: entries and charges received (V35).
        desvio_relogio: seconds that the machine's clock was ahead of the service's; negative behind (V36).
        dialeto: what the service does otherwise than before, in words; None where nobody looked (V37).
    """

    controle_raw: pd.DataFrame | None = None
    passadas: pd.DataFrame | None = None
    vencidos: pd.DataFrame | None = None
    composto_evidence: CompositeEvidence | None = None
    diferencas: Collection[int] = ()
    compostos: pd.DataFrame | None = None
    conflitos_saldo_inicial: pd.DataFrame | None = None
    lidos: pd.DataFrame | None = None
    rejeitados: pd.DataFrame | None = None
    linhas_lidas: int = 0
    desvio_relogio: int | None = None
    dialeto: tuple[str, ...] | None = None


def open_proof(position: Position) -> Proof:
    """Lay a position out for the checks that are SQL; without any report yet."""
    # The rules are named where nothing is judged, and DuckDB takes a while to load.
    from lastro.warehouse.proof import Proof

    queries = (select for query in read_queries().values() for select in query.selects)
    return Proof(position, read_prelude(), queries)


@dataclass(frozen=True)
class Checked:
    """What the rules look at.

    Attributes:
        position: the position the reports were built from; not mutated.
        evidence: what the run knows besides.
        reports: the reports by sheet.
    """

    position: Position
    evidence: CheckInputs
    reports: Mapping[str, Report]

    @cached_property
    def proof(self) -> Proof:
        """The position and the reports' tables as the checks that are SQL see them."""
        proof = open_proof(self.position)
        proof.show(table for report in self.reports.values() for table in report.tables)
        return proof

    @cached_property
    def disagreements(self) -> Disagreements:
        """Where charges and entries disagree."""
        return find_disagreements(self.position)
