"""What a closed month comes to, of the linhas of any position that is not before its last day F (S25).

Belongs here: sums by month, the figures that an edition keeps, the accountant's identity. Does not belong here: sheets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Final

import pandas as pd

from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import CLASSIFIED, UNCLASSIFIED, Line, find_lines, select_dre_linhas
from lastro.calendar import ONE_DAY, add_months, month_end, month_start
from lastro.grid.tables import Table, describe_column
from lastro.money import to_decimal
from lastro.reports.view import View
from lastro.transform.categories import OUTRAS
from lastro.transform.closed_months import close_by_rule
from lastro.transform.position import CLASSES, FAIXA_KEYS, FAIXAS, find_faixas, is_open

Sums = Mapping[tuple[str, int | None], int]
"""Group or class, and category -> signed centavos."""
VALUES: Final = tuple(map(describe_column, ("bloco", "chave", "texto", "valor")))
REVENUE_GROUPS: Final = ("receitas", "receita_bruta")
"""The groups of the first line of the DRE, without a map and with one."""
MEMO_LATER: Final = "posterior"
_LINE_TEXTS: Final = {line.codigo: line.texto for line in (*UNCLASSIFIED, *CLASSIFIED)}
_ZERO: Final = Decimal("0.00")


@dataclass(frozen=True)
class MonthSpan:
    """Months, the first and the last included, each by its first day."""

    first: date
    last: date


def list_spans(mes: date) -> dict[str, MonthSpan]:
    """List what the closing of a month shows: the month, the one before, last year's, both years to it, twelve months.

    >>> list_spans(date(2026, 2, 1))["doze"]
    MonthSpan(first=datetime.date(2025, 3, 1), last=datetime.date(2026, 2, 1))
    """
    year = mes.replace(month=1)
    return {
        "mes": MonthSpan(mes, mes),
        "antes": MonthSpan(add_months(mes, -1), add_months(mes, -1)),
        "ano_antes": MonthSpan(add_months(mes, -12), add_months(mes, -12)),
        "ano": MonthSpan(year, mes),
        "ano_ano_antes": MonthSpan(add_months(year, -12), add_months(mes, -12)),
        "doze": MonthSpan(add_months(mes, -11), mes),
    }


def find_last_closed(view: View) -> date | None:
    """Find the first day of the last month that the settings close by D; None where neither key is set (S25)."""
    position = view.position
    fechamento, day = position.parametros.fechamento, position.data_base
    if fechamento is None:
        return None
    if isinstance(fechamento, date):
        closed = fechamento if fechamento == month_end(fechamento) else month_start(fechamento) - ONE_DAY
        return month_start(min(closed, month_start(day) - ONE_DAY))
    return month_start(close_by_rule(fechamento, day, position.calendario))


@dataclass(frozen=True)
class MonthFigures:
    """A month over a view whose D is F or later.

    Attributes:
        view: what is known; competence, cash and balances up to F are the same whatever its D.
        mes: the month's first day.
    """

    view: View
    mes: date

    @property
    def fim(self) -> date:
        """F, the month's last day."""
        return month_end(self.mes)

    @cached_property
    def dre(self) -> pd.DataFrame:
        """The linhas of the DRE."""
        return select_dre_linhas(self.view.position)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the DRE."""
        return find_lines(self.view.dre_map, self.dre)

    @cached_property
    def cash(self) -> pd.DataFrame:
        """The linhas that moved cash."""
        linhas = self.view.position.linhas
        return linhas[linhas["caixa"] & linhas["mes_caixa"].notna()]

    def sum_dre(self, span: MonthSpan) -> dict[tuple[str, int | None], int]:
        """Add by group of the DRE and category, by competence."""
        return _sum(self.dre, "mes_competencia", "grupo", span)

    def sum_cash(self, span: MonthSpan, by: str = "categoria_id") -> dict[tuple[str, int | None], int]:
        """Add by class and category, or account, by the month of the payment."""
        return _sum(self.cash, "mes_caixa", "classe", span, by)

    def sum_revenue(self, span: MonthSpan) -> int:
        """Add the revenue, by competence: the first line of the DRE, and what came in without a category."""
        named = sum(centavos for (group, _), centavos in self.sum_dre(span).items() if group in REVENUE_GROUPS)
        return named + self.sum_unnamed(span)

    def sum_unnamed(self, span: MonthSpan) -> int:
        """Add what came in without a category that is known, which a map has among Outras (S17)."""
        frame, categorias = self.dre, self.view.position.categorias
        known = frame["categoria_id"].isin(categorias.loc[categorias["conhecida"], "categoria_id"])
        chosen = _within(frame["mes_competencia"], span) & (frame["natureza"] == "R") & (frame["grupo"] == OUTRAS)
        return int(frame.loc[chosen & ~known, "valor_centavos"].sum())

    def add_line(self, line: Line, sums: Sums) -> int:
        """Add a line of the DRE up."""
        return sum(centavos for (group, _), centavos in sums.items() if group in line.grupos)

    def realised_balance(self, place: int | None, day: date) -> int | None:
        """Take the realised balance of an account at the end of a day; of all of them without a place."""
        return self.view.series.balance(day, place, realised_only=True)

    def list_values(self) -> list[tuple[str, str, str, Decimal]]:
        """List what an edition keeps and every later run compares: DRE of month and year, cash, balances."""
        spans = list_spans(self.mes)
        rows: list[tuple[str, str, str, int]] = []
        for block, name in (("dre", "mes"), ("dre_ano", "ano")):
            sums = self.sum_dre(spans[name])
            rows += [(block, line.codigo, line.texto, self.add_line(line, sums)) for line in self.lines]
        moved = self.sum_cash(spans["mes"])
        rows += [("caixa", name, name, sum(v for (group, _), v in moved.items() if group == name)) for name in CLASSES]
        for place, account in enumerate(self.view.series.accounts):
            key = "sem" if account.conta_id is None else str(account.conta_id)
            rows.append(("saldo", key, account.descricao, self.realised_balance(place, self.fim) or 0))
        return [(block, key, text, to_decimal(centavos)) for block, key, text, centavos in rows]


def _within(months: pd.Series, span: MonthSpan) -> pd.Series:
    return (months >= pd.Timestamp(span.first)) & (months <= pd.Timestamp(span.last))


def _sum(
    frame: pd.DataFrame, month: str, group: str, span: MonthSpan, by: str = "categoria_id"
) -> dict[tuple[str, int | None], int]:
    chosen = frame[_within(frame[month], span)]
    sums = (
        chosen.groupby([chosen[group], chosen[by].astype("Int64")], dropna=False)["valor_centavos"].sum().reset_index()
    )
    return {(str(name), key): int(value) for name, key, value in records_of(sums, group, by, "valor_centavos")}


@dataclass(frozen=True)
class ClosedMonth(MonthFigures):
    """A month over the view of F itself: what was open then, and the identity from result to cash."""

    @cached_property
    def open_items(self) -> pd.DataFrame:
        """What was open at F: linhas with side (R, P), band, person and whether their competence is later (S25)."""
        linhas, titulos = self.view.position.linhas, self.view.position.titulos.set_index("titulo_id")
        opened = linhas[is_open(linhas)]
        later = ~(opened["data_competencia_ef"] <= pd.Timestamp(self.fim))
        # A payment typed for a day to come does not make a late one due (Q43).
        put_off = titulos["suspeito"] & (titulos["situacao"] == "Agendado")
        by_due = find_faixas((pd.Timestamp(self.fim) - titulos["data_vencimento"]).dt.days)
        bands = titulos["faixa"].where(~put_off, by_due)
        return opened.assign(
            lado=opened["titulo_id"].map(titulos["tipo"]), faixa=opened["titulo_id"].map(bands), depois=later
        )

    def list_moving(self) -> dict[str, set[int]]:
        """List the records that move a figure of the month, by what their ids are of."""
        linhas, opened, mes = self.view.position.linhas, self.open_items, pd.Timestamp(self.mes)
        own = linhas[(linhas["mes_competencia"] == mes) | (linhas["mes_caixa"] == mes)]
        return {
            "linha": {*own["linha_id"], *opened["linha_id"]},
            "titulo": {*own["titulo_id"], *opened["titulo_id"]},
            "categoria": {*own["categoria_id"].dropna()},
            "conta": {account.conta_id for account in self.view.series.accounts if account.conta_id is not None},
        }

    def list_all(self) -> list[tuple[str, str, str, Decimal]]:
        """List every figure of the closing: `list_values`, ageing of both sides, and the accountant's identity."""
        rows: list[tuple[str, str, str, int]] = []
        for block, side in (("a_receber", "R"), ("a_pagar", "P")):
            own = self.open_items[self.open_items["lado"] == side]
            value, later = own["valor_centavos"], own["depois"]
            bands = [(*band, ~later & (own["faixa"] == band[1])) for band in zip(FAIXA_KEYS, FAIXAS, strict=True)]
            bands.append((MEMO_LATER, "competência posterior (memo)", later))
            rows += [(block, key, text, int(value[chosen].sum())) for key, text, chosen in bands]
        rows += [("identidade", key, text, value) for key, text, value in self.list_identity()]
        return [*self.list_values(), *((block, key, text, to_decimal(value)) for block, key, text, value in rows)]

    def list_identity(self) -> list[tuple[str, str, int]]:
        """From the result of all time to the cash of all time: what is open, paid early, outside the result (S25)."""
        linhas = self.view.position.linhas
        linhas = linhas[~linhas["transferencia"]]
        value, paid, outside = linhas["valor_centavos"], linhas["pago"], linhas["fora_resultado"]
        until = linhas["data_competencia_ef"] <= pd.Timestamp(self.fim)
        return [
            ("resultado", "Resultado acumulado", int(value[~outside & until].sum())),
            ("em_aberto", "(-) Em aberto", int(value[~outside & until & ~paid].sum())),
            ("adiantamentos", "(+) Pago antes da competência", int(value[~outside & ~until & paid].sum())),
            ("nao_operacional", "(+) Não operacional pago", int(value[outside & paid].sum())),
            ("caixa", "= Caixa acumulado", int(value[paid].sum())),
        ]

    def table(self) -> Table:
        """The figures as the checks see them (V40)."""
        return Table("fechamento", VALUES, self.list_all(), "S25: uma figura do fechamento do mês")


def find_changes(
    before: Iterable[tuple[str, str, Decimal]], now: Iterable[tuple[str, str, str, Decimal]]
) -> list[tuple[str, str, str, Decimal, Decimal]]:
    """Find what an edition said that is now another figure: block, key, text, then and now.

    A line of the DRE or an account that only one of both has is 0.00 in the other; those that are gone come last.
    """
    stored = {(block, key): value for block, key, value in before}
    told = {(block, key): (text, value) for block, key, text, value in now}
    gone = {
        (block, key): (_LINE_TEXTS.get(key, f"conta {key}"), _ZERO) for block, key in stored if (block, key) not in told
    }
    return [
        (*place, text, stored.get(place, _ZERO), value)
        for place, (text, value) in (told | gone).items()
        if stored.get(place, _ZERO) != value
    ]
