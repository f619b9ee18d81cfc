"""The order for a run, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro.calendar import month_end
from lastro.errors import ConfigError
from lastro.grid.words import format_date
from lastro.schema.run_kinds import Modo

if TYPE_CHECKING:
    from lastro.catalogue import Catalogue
    from lastro.grid.verdict import Trust, Verification


@dataclass(frozen=True)
class RunOrder:
    """What is asked of a run.

    Attributes:
        data_base: D; None takes the date of the reading.
        data_extracao: the date of the extraction; None takes the clock's in the settings' zone. For rehearsals against
            a service whose own clock was set.
        modo: COMPLETA reads everything. QUENTE refreshes only what management looks at, between complete runs: entries
            with a caixa date around today, overdue ones, recent charges; it infers no deletion and never feeds R13 or
            R14. RECALCULO reads nothing: it computes the last published reading again. None of a reading is COMPLETA,
            of a report alone the newest proven reading.
        so_relatorios: reads nothing either: the report alone of the newest proven reading, held or not, or a recálculo
            where none waits.
        aceitar_exclusoes: number of a run that was held for deletions (S13) and that a person looked at: what it
            showed may go.
        aceitar_alteracoes: the same for changes of the past.
        aceitar_origem: the same for another service, or other accounts than before.
        fechamento: write the closing of this month, by its first day, whatever holds it back (S25).
        publicar_passado: publish it although its D lies before that of what is published; else it goes to `retro/`.
    """

    data_base: date | None = None
    data_extracao: date | None = None
    modo: Modo | None = None
    aceitar_exclusoes: int | None = None
    aceitar_alteracoes: int | None = None
    aceitar_origem: int | None = None
    publicar_passado: bool = False
    fechamento: date | None = None
    so_relatorios: bool = False

    @classmethod
    def read(cls, asked: Mapping[str, Any], data_extracao: date | None) -> RunOrder:
        """Read an order from plain values; an empty value asks for nothing.

        Args:
            asked: attribute -> text, number or truth value.
            data_extracao: the date of the extraction.

        Raises:
            ConfigError: when `data_base` is no date or `fechamento` no month. It does not say what stands there: in
                Dagster's launchpad that may be any variable of the process.
        """
        told = {name: value for name, value in asked.items() if value not in (None, "")}
        try:
            if "data_base" in told:
                told["data_base"] = date.fromisoformat(told["data_base"])
            if "fechamento" in told:
                told["fechamento"] = date.fromisoformat(f"{told['fechamento']}-01")
        except ValueError:
            raise ConfigError(
                "data_base ou fechamento: escreva uma data, como 2026-03-16, e um mês, como 2026-02."
            ) from None
        if "modo" in told:
            told["modo"] = Modo.parse(told["modo"])
        return cls(data_extracao=data_extracao, **told)

    def demand_days(self, extraction_day: date) -> date:
        """Return D, the day of the extraction unless another is asked for.

        Raises:
            ConfigError: no report can be of that day, or the month to close is not over on it.
        """
        day = self.data_base or extraction_day
        for name, value in (("data_base", day), ("data_extracao", extraction_day)):
            if not 1900 <= value.year <= 2199:
                raise ConfigError(f"{name} {value}: escolha um dia entre 1900 e 2199.")
        if self.fechamento is not None and month_end(self.fechamento) >= day:
            raise ConfigError(f"fechamento {self.fechamento:%Y-%m}: o mês ainda não acabou em {format_date(day)}.")
        if day > extraction_day:
            raise ConfigError(
                f"data_base {day} é posterior à extração ({extraction_day}). Escolha esse dia ou um anterior."
            )
        return day

    @property
    def tipo(self) -> Modo:
        """The kind of run that is asked for; a complete one where nothing is said."""
        return self.modo or Modo.COMPLETA

    @property
    def reads(self) -> bool:
        """Whether the service is asked for anything."""
        return not self.so_relatorios and self.modo is not Modo.RECALCULO

    @property
    def accepts(self) -> bool:
        """Whether it accepts a held run."""
        return any(held is not None for held in (self.aceitar_exclusoes, self.aceitar_alteracoes, self.aceitar_origem))


@dataclass(frozen=True)
class StageResult:
    """What a stage did, for whoever watches.

    Attributes:
        rows: rows read or written.
        totals: facts by name: counts, seconds, words; money is in the reports, and in no metadata of Dagster's.
        parts: the same of each list, table or report that the stage is made of; what was not read or written is not
            among them.
        checks: outcomes of the rules, where the stage judged.
    """

    rows: int
    totals: Mapping[str, int | float | str] = field(default_factory=dict)
    parts: Mapping[str, StageResult] = field(default_factory=dict)
    checks: tuple[Verification, ...] = ()


@dataclass(frozen=True)
class RunResult:
    """What a finished run leaves.

    Attributes:
        execucao_id: its number.
        leitura_id: the reading that it reports: itself, or an earlier run.
        data_base: D.
        warehouse: the published link, or the copy in `retro/`.
        workbooks: the files written.
        requisicoes: requests sent to the service.
        trust: how far the figures can be trusted, as the stamp says.
        catalogue: reports, checks and KPIs.
        paginas: the page to send, as PDF where the extra is installed, and as HTML.
        retroativa: whether it stands in `retro/`, and what is published is as it was.
        tipo: completa, quente or recálculo.
    """

    execucao_id: int
    leitura_id: int
    data_base: date
    warehouse: Path
    workbooks: tuple[Path, ...]
    requisicoes: int
    trust: Trust
    catalogue: Catalogue
    paginas: tuple[Path, ...] = ()
    retroativa: bool = False
    tipo: str = Modo.COMPLETA

    @property
    def veredito(self) -> str:
        """How far the figures can be trusted, in a word or two."""
        return self.trust.word

    @property
    def verifications(self) -> tuple[Verification, ...]:
        """The outcomes of the V rules, in order."""
        return self.catalogue.verifications

    @property
    def failed(self) -> tuple[Verification, ...]:
        """Failed checks of severity erro (S15)."""
        return self.catalogue.errors
