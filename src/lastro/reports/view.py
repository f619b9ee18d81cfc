"""Everything a report may need, computed once and only when somebody asks: the books, and what is judged over them.

Belongs here: which derived value a run has one of. Does not belong here: how it is computed (`lastro.analysis`,
`lastro.transform`) and how it is laid out (the reports).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pandas as pd

from lastro.analysis.abc_curve import Standing, rank_customers
from lastro.analysis.arrears import Arrears, find_arrears
from lastro.analysis.budget import YearBudget, find_budget
from lastro.analysis.cash_series import CashSeries, build_movements, build_series
from lastro.analysis.comparatives import Comparables, find_comparables
from lastro.analysis.credit import Credit, find_limits
from lastro.analysis.dre_map import DreMap, find_dre_map
from lastro.analysis.expectation import (
    CashForecast,
    Realised,
    RunningSums,
    build_forecast,
    list_booked,
    list_realised,
)
from lastro.analysis.forecast_record import GRAVADA, ForecastRecord, Measured, foretell, measure
from lastro.analysis.forecast_weeks import ForecastWeek, plan_forecast_weeks
from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import Dre, lay_dre
from lastro.analysis.periods import plan_months
from lastro.analysis.to_do import find_payments
from lastro.calendar import month_start
from lastro.grid.prints import Remembering
from lastro.grid.sections import SHEET_ROWS, SheetRows
from lastro.grid.tables import Period, Table
from lastro.grid.verdict import Finding, Verification
from lastro.grid.workbook import Report
from lastro.money import decimal_or_none, to_centavos
from lastro.reports.facts import Facts
from lastro.transform.forgotten_titulos import list_forgotten
from lastro.transform.habits import Habits, find_habits
from lastro.transform.scenarios import (
    AS_BOOKED,
    ATRASADO,
    HABITOS,
    PLANO,
    VENCIMENTO,
    Decided,
    Outlook,
    lay_decided,
    plan_by_habits,
    plan_projections,
    project_habits,
    sum_promised,
)
from lastro.transform.statements import ComparedStatement, compare_statements

if TYPE_CHECKING:
    from lastro.settings import Empresa
    from lastro.transform.position import Position

T = TypeVar("T")


class Made(Generic[T]):
    """A value of the books that has a name; what makes it is asked once (`View.once`)."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        """Name what a function makes."""
        self.make, self.__doc__ = make, make.__doc__

    def __get__(self, view: View, kind: type[View]) -> T:
        """Give what it made of the books of a view."""
        return view.books.once(self.make)


@dataclass(frozen=True)
class View(Remembering):
    """The books: a position with what a run knows of it; what is derived of them is made on first use.

    Attributes:
        position: the position as of D, whole or narrowed to a scope.
        empresa: the settings of the company; without them there are no scenarios and no Parâmetros.
        facts: what the run knows beyond the position.
        folha: how long a sheet of R16 may be.
    """

    position: Position
    empresa: Empresa | None = None
    facts: Facts = field(default_factory=Facts)
    folha: SheetRows = SHEET_ROWS

    @property
    def books(self) -> View:
        """The books themselves, whose memory no verdict ends."""
        return self

    def judged(
        self,
        verifications: Sequence[Verification],
        findings: Sequence[Finding],
        reports: Sequence[Report],
        itens: Table | None = None,
    ) -> Judged:
        """Lay a verdict on the figures over the books."""
        return Judged(
            self.position,
            self.empresa,
            self.facts,
            self.folha,
            over=self.books,
            verifications=verifications,
            findings=findings,
            reports=reports,
            itens=itens,
        )

    @Made
    def movements(self) -> pd.DataFrame:
        """Every linha that moves cash (`build_movements`)."""
        return build_movements(self.position)

    @Made
    def series(self) -> CashSeries:
        """Movements of every account by day."""
        return build_series(self.position, self.movements)

    @Made
    def statements(self) -> list[ComparedStatement]:
        """Every statement balance beside the computed one of its day (S23, V19)."""
        places = {account.conta_id: place for place, account in enumerate(self.series.accounts)}

        def balance_of(conta_id: int, day: date) -> Decimal | None:
            centavos = self.series.balance(day, places[conta_id], realised_only=True)
            return decimal_or_none(centavos)

        return compare_statements(self.position, balance_of)

    @Made
    def months(self) -> tuple[Period, ...]:
        """The monthly columns of R04 and R05."""
        return plan_months(self.position)

    @Made
    def dre_map(self) -> DreMap:
        """What the map of the DRE says of the categories in use (S17)."""
        return find_dre_map(self.position)

    @Made
    def dre(self) -> Dre:
        """The DRE by month (R06)."""
        return lay_dre(self.position, self.dre_map)

    @Made
    def comparables(self) -> Comparables:
        """This period against the same one of last year (R19)."""
        return find_comparables(self.position)

    @Made
    def budget(self) -> YearBudget:
        """The budget of D's year beside what is booked (R18)."""
        return find_budget(self.position)

    @Made
    def ranking(self) -> Mapping[int | None, Standing]:
        """Where each customer stands on the ABC curve (R12)."""
        return rank_customers(self.position)

    @Made
    def habits(self) -> Habits:
        """How payers really pay."""
        return find_habits(self.position)

    @Made
    def esquecidos(self) -> frozenset[int]:
        """The receivables that were probably paid and not settled (Q33), as far as no bank proves the contrary."""
        return list_forgotten(self.position.titulos) - self.facts.banco.nao_pagos

    @property
    def settled(self) -> frozenset[int]:
        """Open títulos that are owed no more as they stand: the bank moved them, or the desk answered so (S26)."""
        return self.facts.mesas.respondidos | self.facts.banco.movidos.keys()

    @Made
    def decided(self) -> tuple[Decided, ...]:
        """The decisions in force about payables that are still owed."""
        return tuple(one for one in self.facts.mesas.decisoes if one.titulo_id not in self.settled)

    @Made
    def arrears(self) -> Arrears:
        """What is late, and in which lines of projection (S26)."""
        moves = lay_decided(self._by_habit, self.decided)
        return find_arrears(
            self.position,
            decided=[decision.titulo_id for decision in self.decided],
            settled=self.settled,
            expected=moves.loc[moves["vencido"] & moves["dia"].notna() & (moves["tipo"] == "R"), "titulo_id"].tolist(),
            promised=self._promised,
        )

    @Made
    def _promised(self) -> dict[int, int]:
        return sum_promised(self.position, self.facts.mesas.promessas)

    @Made
    def promised_whole(self) -> frozenset[int]:
        """The receivables that promises in force cover whole: until their day nobody is called about them."""
        titulos = self.position.titulos[self.position.titulos["titulo_id"].isin([*self._promised])]
        rows = records_of(titulos, "titulo_id", "valor_centavos")
        return frozenset(number for number, value in rows if self._promised[number] == value)

    @Made
    def _by_habit(self) -> pd.DataFrame:
        """On which day every open título moves if habits persist."""
        return plan_by_habits(self.position, self.habits, self.esquecidos)

    @Made
    def _planned(self) -> tuple[Outlook, ...]:
        return plan_projections(
            self.position,
            cenarios=() if self.empresa is None else self.empresa.cenarios,
            by_habit=project_habits(self.position, self.habits, self._by_habit, self.esquecidos),
            promised=self.facts.mesas.promessas,
            decided=self.decided,
            settled=self.settled,
            forgotten=self.esquecidos,
        )

    @Made
    def projections(self) -> tuple[Outlook, ...]:
        """Other assumptions about the days to come; none without settings."""
        return () if self.empresa is None else self._planned

    @Made
    def lines(self) -> tuple[Outlook, ...]:
        """The lines of projection that the cover names, the one of the headline first (S26).

        That is the plan where anything is decided or promised, else *No vencimento*.
        """
        planned = {outlook.nome: outlook for outlook in self._planned} | {VENCIMENTO: AS_BOOKED}
        order = (PLANO, VENCIMENTO, HABITOS, ATRASADO)
        return tuple(planned[name] for name in order if name in planned)

    @Made
    def payments(self) -> pd.DataFrame:
        """The payables to decide about (F5): overdue, or of seven days and not covered on the line of the headline."""
        return find_payments(self.position, self.series, self.lines[0], self.credit)

    @property
    def limites(self) -> dict[int, int]:
        """What the bank lends on each account (S27): conta_id -> centavos; of a scope, on its accounts."""
        own = {account.conta_id for account in self.series.accounts}
        return find_limits(() if self.empresa is None else self.empresa.contas, own)

    @Made
    def credit(self) -> Credit:
        """What verdicts on projected balances ask for besides zero (S27)."""
        return Credit(to_centavos(self.position.parametros.saldo_minimo), sum(self.limites.values()))

    @Made
    def _realised(self) -> pd.DataFrame:
        return list_realised(self.position)

    @Made
    def forecast(self) -> CashForecast:
        """What is booked by habit, and what is expected beyond it unless this is a scope (S24)."""
        position, facts = self.position, self.facts
        booked = list_booked(position, lay_decided(self._by_habit, self.decided))
        paid = self._realised
        if facts.medidas is None:
            paid = paid[paid["data"] >= pd.Timestamp(month_start(position.data_base))]
        return build_forecast(position.data_base, position.calendario, booked, Realised(paid).until(position.data_base))

    @Made
    def forecast_records(self) -> tuple[ForecastRecord, ...]:
        """How wrong such forecasts were, by horizon; none where nothing is expected."""
        return measure(self.facts.medidas or (), self.position.data_base) if self.forecast.known else ()

    @property
    def foretold(self) -> tuple[Measured, ...]:
        """Earlier forecasts, and those of this one where it expects anything (S24)."""
        own = foretell(self.forecast, RunningSums(self._realised), GRAVADA) if self.forecast.known else []
        bands = [record.faixa for record in self.forecast_records]
        return (*(self.facts.medidas or ()), *(one._replace(faixa=bands[one.horizonte - 1]) for one in own))

    @Made
    def forecast_weeks(self) -> tuple[ForecastWeek, ...]:
        """The coming 13 weeks (R23)."""
        start = self.series.balance(self.position.data_base, realised_only=True) or 0
        return plan_forecast_weeks(self.forecast, self.forecast_records, start)


@dataclass(frozen=True, kw_only=True)
class Judged(View):
    """What is judged over the books, as cover and verdict take it; what is made of it ends with it.

    Attributes:
        over: the books.
        verifications: results of the V rules.
        findings: results of the Q rules and the memo.
        reports: the sheets built so far, in the order of the workbook.
        itens: `mart.achados_itens`, the records behind the findings; None until they are known.
    """

    over: View
    verifications: Sequence[Verification]
    findings: Sequence[Finding]
    reports: Sequence[Report]
    itens: Table | None

    @property
    def books(self) -> View:
        """The books that were judged."""
        return self.over
