"""What a run delivers besides the workbook of management: options, each in a folder of its own.

Belongs here: the one list of them, and what a run asks of each. Does not belong here: what any of them does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from lastro.run.order import StageResult

if TYPE_CHECKING:
    from datetime import date

    import pandas as pd

    from lastro.catalogue import Catalogue, RunFacts
    from lastro.grid.tables import Table
    from lastro.grid.workbook import Stamp
    from lastro.run.session import RunSession
    from lastro.transform.openings import Statement
    from lastro.transform.position import Position
    from lastro.warehouse.loading.files import ReadFile


@dataclass(frozen=True)
class EntryFiles:
    """What stood in a place of the entry folder: its files, and the statement balances that follow from them (S23)."""

    arquivos: Sequence[ReadFile] = ()
    saldos: Sequence[Statement] = ()


class Option:
    """What a run asks of an option, in the order in which it asks; an option answers what concerns it.

    Attributes:
        session: the run under way; an option lives as long as it.
        entrada: name of its own file or folder among what people type (S18); empty without one.
    """

    entrada: ClassVar[str] = ""

    def __init__(self, session: RunSession) -> None:
        self.session = session

    def read_entry(self, path: Path, lancamentos: pd.DataFrame) -> EntryFiles:
        """Read the option's own folder in the entry folder, before the position is built.

        Args:
            path: the file or folder that is called `entrada`, without regard to case.
            lancamentos: the entries of the service, shaped as `conformed.lancamentos`.
        """
        del path, lancamentos
        return EntryFiles()

    def read(self) -> Sequence[Statement]:
        """Read what people left for this run, before the books are put together and again before reports are computed.

        Returns:
            The statement balances among all that they ever left (S23).
        """
        return ()

    def add_typed(self, facts: RunFacts) -> RunFacts:
        """Add what people typed, on which the facts of other options may rest.

        Args:
            facts: what the run knows beyond the position.
        """
        return facts

    def add_facts(self, position: Position, facts: RunFacts) -> RunFacts:
        """Add what the reports should know of it.

        Args:
            position: the position as of D; not mutated.
            facts: what the run knows beyond it.
        """
        del position
        return facts

    def list_tables(self, catalogue: Catalogue) -> Sequence[Table]:
        """List what it keeps for SQL: tables of `mart`, beside those of the reports in the catalogue."""
        del catalogue
        return ()

    @classmethod
    def list_empty_tables(cls) -> Sequence[Table]:
        """List the same tables without any row, for the dictionary."""
        return ()

    def write(self, catalogue: Catalogue, stamp: Stamp) -> StageResult:
        """Write its files into the staging folder.

        Returns:
            What of it is told with the stage: totals, and parts and checks of files that are assets of their own.
        """
        del catalogue, stamp
        return StageResult(0)

    def list_files(self, day: date) -> Sequence[str]:
        """Name the files that it writes for a day."""
        del day
        return ()

    def choose_place(self, name: str) -> tuple[Path, int] | None:
        """Choose folder and mode of one of its files; None where it goes beside the workbook of management."""
        del name
        return None


def list_options() -> tuple[type[Option], ...]:
    """List the options: the OPTION of each folder's `option`, what others rest on first."""
    return tuple(import_module(f"lastro.{name}.option").OPTION for name in ("bank", "desk", "page", "closing"))
