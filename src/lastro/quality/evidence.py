"""What the checks get to see: the position, the tables of the reports, and what was received (S15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from lastro.grid.model import Report, tables_of
from lastro.quality.queries import read_findings, read_prelude, read_queries

if TYPE_CHECKING:
    from lastro.transform.position import Position
    from lastro.warehouse.file.proof import Proof, Relation

Received: TypeAlias = "Mapping[str, Relation]"
"""What the views of the prelude that rest on what was received came to (`warehouse.file.proof.read_received`)."""


def open_proof(position: Position, received: Received, *, findings: bool = False, opcoes: Sequence[str] = ()) -> Proof:
    """Lay a position, and what was received, out for the checks that are SQL; without any report yet.

    With `findings` also for those. `opcoes` are the options whose checks take part.
    """
    # The rules are named where nothing is judged, and DuckDB takes a while to load.
    from lastro.warehouse.file.proof import Proof

    asked = [*read_queries(*opcoes).values(), *(read_findings(*opcoes).values() if findings else ())]
    return Proof(position, read_prelude(), [select for query in asked for select in query.selects], received)


@dataclass(frozen=True)
class Checked:
    """What the rules look at.

    Attributes:
        position: the position the reports were built from; not mutated.
        recebido: what was received; a check whose view is not there does not apply.
        reports: the reports.
        noticed: what the findings rest on besides (`lastro.quality.findings.lay_out_noticed`); None where none are
            asked for.
        opcoes: the options that take part, whose rules judge too.
    """

    position: Position
    recebido: Received
    reports: Sequence[Report]
    noticed: Mapping[str, Relation] | None = None
    opcoes: tuple[str, ...] = ()

    @cached_property
    def proof(self) -> Proof:
        """The position and the reports' tables as the checks that are SQL see them."""
        received = {**self.recebido, **(self.noticed or {})}
        proof = open_proof(self.position, received, findings=self.noticed is not None, opcoes=self.opcoes)
        proof.show(tables_of(self.reports))
        return proof
