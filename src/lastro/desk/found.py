"""What a run finds at the desks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lastro.desk.answers import Answers
    from lastro.desk.decisions import Decisions
    from lastro.desk.payables import Payables
    from lastro.desk.promises import Promise
    from lastro.desk.queue import Queue
    from lastro.reports.facts import BankFacts, DeskFacts


@dataclass(frozen=True)
class DeskFound:
    """What a run found at the desks.

    Attributes:
        fatos: what reports ask of it.
        nao_entendidos: of each text that was not understood, what its row is of and its key (Q39).
        banco: what statements of banks say, which the payments desk shows.
    """

    queue: Queue
    promises: Sequence[Promise]
    payables: Payables
    decisions: Decisions
    answers: Answers
    fatos: DeskFacts
    nao_entendidos: Sequence[tuple[str, int]]
    banco: BankFacts
