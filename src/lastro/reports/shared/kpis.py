"""The KPIs (R00, R22): each one a declaration, with its block, words, formula and sheet, and the function of its value.

*Indicadores*, the cover, `mart.indicadores`, the trend and what may be compared with an earlier report follow from it.
Belongs here: what a KPI comes to. Does not belong here: where it is printed (`lastro.reports.cover`) and what earlier
reports said (`lastro.reports.shared.earlier`). Long because a KPI is added here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import pandas as pd

from lastro.analysis.charges import DAYS_AHEAD, find_transit, find_uncharged, sum_not_booked
from lastro.analysis.credit import SHORT, Credit, find_first_below
from lastro.analysis.dre_map import COMPLETO, STATE_NUMBERS
from lastro.analysis.income_statement import CLASSIFIED, EBITDA, MARGEM, find_dre_grupos
from lastro.analysis.ratios import (
    JANELA_INADIMPLENCIA_DIAS,
    NO_BASE,
    find_cash_days,
    find_default_ratio,
    find_overdue_ratio,
    find_pmp,
    find_pmr,
)
from lastro.analysis.resilience import FIXED_COST, Measures, measure_resilience
from lastro.calendar import ONE_DAY, add_months, iter_days, month_end, month_start
from lastro.grid.cells import Kind, Link, link_sheet
from lastro.grid.tables import Period
from lastro.grid.verdict import ERRO, UNMAPPED, UNOPENED
from lastro.grid.words import format_date
from lastro.money import decimal_or_none, to_decimal
from lastro.reports.shared.flow_parts import day_key
from lastro.transform.position import Position, is_open
from lastro.transform.scenarios import ATRASADO, HABITOS, PLANO, VENCIMENTO
from lastro.transform.scope import holds_whole_accounts

if TYPE_CHECKING:
    from lastro.reports.view import Judged, View
    from lastro.transform.scenarios import Outlook

OK, WARN, CRITICAL = "OK", "Atenção", "Crítico"
OVERDUE_PCT = (10, 25)
"""Share overdue of what is open, in percent, from which on the state is `WARN` and `CRITICAL`."""
KpiValue = Decimal | int | date | None
Balances = Sequence[tuple[int, date]]
"""Closing balance, in centavos, and day, of every day of the horizon from D on."""
NO_MAP: Final = "n/d sem mapa"
"""In the place of what only a map of the DRE gives a meaning (S17)."""
UNKNOWN: Final = "saldo desconhecido"


class KpiFound(NamedTuple):
    """What a KPI comes to.

    Attributes:
        valor: MONEY, PERCENT and NUMBER are Decimal, INTEGER int, DATE a date; None = not computable (S14).
        situacao: OK, Atenção, Crítico, or None for figures without a threshold.
        so_variacao: an account without opening balance is inside: "variação, não saldo" (S7).
        ausente: printed in the place of a value that cannot be computed.
        link: where it is explained, if not at the top of its sheet.
        base: what it was computed on, where that is not always the same; printed behind its name.
    """

    valor: KpiValue
    situacao: str | None = None
    so_variacao: bool = False
    ausente: str = ""
    link: Link | None = None
    base: str = ""


@dataclass(frozen=True)
class KpiSpec:
    """A KPI as it is declared.

    Attributes:
        slug: its name in `ops.kpis` and in the defined name `kpi_<slug>`.
        indicador: printed text; names in braces are those of `_list_words`.
        find: what it comes to; None where there is no such KPI.
        como: how it is computed.
        folha: the sheet that explains it.
        sentido: what a change means: 1 = more is better, -1 = less is better, 0 = neither (payables are negative: more
            is better).
        kind: of the value.
        unidade: what the value is counted in, where its kind does not say it.
        inteiras: a scope that is a part of its accounts has none (N03).
        sobre_saldo: it rests on a balance: with other openings it does not compare with that of an earlier report.
        de_hoje: it is a realised balance of so many days before D, which the books of now tell of an earlier report.
    """

    slug: str
    indicador: str
    find: Callable[[View], KpiFound | None]
    como: str
    folha: str
    sentido: int = 0
    kind: Kind = Kind.MONEY
    unidade: str = ""
    inteiras: bool = False
    sobre_saldo: bool = False
    de_hoje: int | None = None


@dataclass(frozen=True)
class Kpi:
    """One figure of the cover: its declaration, its name with the words of this run, what it comes to (`KpiFound`)."""

    spec: KpiSpec
    indicador: str
    valor: KpiValue
    link: Link
    situacao: str | None = None
    so_variacao: bool = False
    ausente: str = ""

    @property
    def slug(self) -> str:
        """Its name in `ops.kpis`."""
        return self.spec.slug

    @property
    def why(self) -> str | None:
        """Why there is no value: a ratio has nothing to divide by (S14), a balance no opening (S7)."""
        if self.valor is not None:
            return None
        return self.ausente or (NO_BASE if self.spec.kind in (Kind.PERCENT, Kind.NUMBER) else UNKNOWN)

    @property
    def number(self) -> Decimal | None:
        """The value as stored and compared from run to run; None for dates and what could not be computed."""
        if self.valor is None or isinstance(self.valor, date):
            return None
        return Decimal(self.valor)


def list_kpis(view: Judged) -> tuple[Kpi, ...]:
    """List the KPIs in the order of `BLOCKS`; the count of what failed, which follows from the verdict, is the last."""
    return (*view.books.once(list_book_kpis), _tell(FAILED, count_failed(view), _list_words(view)))


def list_book_kpis(view: View) -> tuple[Kpi, ...]:
    """List the KPIs that follow from the books; payables and overdue payables are negative."""
    words, whole = _list_words(view), holds_whole_accounts(view.position)
    return tuple(
        _tell(spec, found, words)
        for own in BLOCKS.values()
        for spec in own
        if (whole or not spec.inteiras) and (found := spec.find(view)) is not None
    )


def list_measures(view: View, measures: Measures) -> tuple[Kpi, ...]:
    """List fôlego, break-even and concentration as they were measured (R22)."""
    words = _list_words(view)
    return tuple(_tell(spec, _found(measures, spec.slug), words) for spec in BLOCKS[FOLEGO])


def _tell(spec: KpiSpec, found: KpiFound, words: Mapping[str, object]) -> Kpi:
    name = spec.indicador.format_map(words) + (f" ({found.base})" if found.base else "")
    link = found.link or link_sheet(spec.folha)
    return Kpi(spec, name, found.valor, link, found.situacao, found.so_variacao, found.ausente)


def _list_words(view: View) -> Mapping[str, object]:
    """Give the words of names: days, settings, and what the headline's line is called."""
    position, lines = view.position, view.books.once(project_lines)
    return {
        "dia": position.data_base.day,
        "ontem": format_date(position.data_base - ONE_DAY),
        "horizonte": position.parametros.horizonte["dias"],
        "atraso": position.parametros.inadimplencia_dias,
        "manchete": lines[0][0].nome.lower() if lines else "",
    }


def count_failed(view: Judged) -> KpiFound:
    """Count what the stamp counts: the errors and alerts of a run, checks and findings alike."""
    failed = [check.severidade for check in view.verifications if check.failed]
    failed += [finding.gravidade for finding in view.findings if finding.counted]
    return KpiFound(len(failed), CRITICAL if ERRO in failed else WARN if failed else OK)


def project_lines(view: View) -> tuple[tuple[Outlook, Balances], ...]:
    """Project the closing balances of the horizon on every line of projection, the headline's first (S26).

    Returns:
        Lines and balances, which have nothing where no balance is defined; no line of a part of some accounts (N03).
    """
    position, series = view.position, view.series
    if not holds_whole_accounts(position):
        return ()
    balances = ((series.balance(day), day) for day in iter_days(series.data_base, position.ultimo_dia))
    known = [(value, day) for value, day in balances if value is not None]
    return tuple((line, [(value + line.difference_until(day), day) for value, day in known]) for line in view.lines)


def _sum_now(view: View) -> int:
    return view.series.balance(view.position.data_base, realised_only=True) or 0


def _grade(view: View, value: int | None) -> KpiFound:
    """Grade a balance: what the bank lends counts (S27)."""
    matter = "" if value is None else view.credit.judge(value)
    state = None if value is None else CRITICAL if matter in SHORT else WARN if matter else OK
    return KpiFound(decimal_or_none(value), None if view.series.provisional else state, view.series.provisional)


def find_yesterday(view: View) -> KpiFound:
    """Find the closing balance of the day before D."""
    return _grade(view, view.series.balance(view.position.data_base - ONE_DAY) or 0)


def find_realised(view: View) -> KpiFound:
    """Find the realised balance of D."""
    return _grade(view, _sum_now(view))


def find_at_bank(view: View) -> KpiFound:
    """Find the balance without what is settled and not transferred yet."""
    return _grade(view, _sum_now(view) - find_transit(view.position).baixado)


def find_spare(view: View) -> KpiFound | None:
    """Find what accounts, cards apart, and limits have together; none where the bank lends nothing."""
    series, credit = view.series, view.credit
    if not credit.limite:
        return None
    own = [
        series.balance(view.position.data_base, n, realised_only=True)
        for n, account in enumerate(series.accounts)
        if not account.cartao
    ]
    spare = to_decimal(sum(filter(None, own)) + credit.limite)
    return KpiFound(spare, None if series.provisional else CRITICAL if spare < 0 else OK, series.provisional)


def _find_line(view: View, name: str) -> Balances | None:
    return next((balances for line, balances in view.books.once(project_lines) if line.nome == name), None)


def find_lowest(name: str, view: View) -> KpiFound | None:
    """Find the lowest balance of a line; that of the headline alone is good or bad by itself (S26)."""
    balances = _find_line(view, name)
    if balances is None:
        return None
    value, day = min(balances, default=(None, None))
    found = _grade(view, value)._replace(link=_link_day(day))
    return found if view.books.once(project_lines)[0][0].nome == name else found._replace(situacao=None)


def find_lowest_day(view: View) -> KpiFound:
    """Find the day of the lowest balance of the headline's line."""
    _, day = min(view.books.once(project_lines)[0][1], default=(None, None))
    return KpiFound(day, link=_link_day(day))


def find_first(name: str, limit: Callable[[Credit], int | None], view: View) -> KpiFound | None:
    """Find the first day of a line below a limit; none where there is no such limit."""
    balances, bound, flag = _find_line(view, name), limit(view.credit), view.series.provisional
    if balances is None or bound is None:
        return None
    first = None if flag else find_first_below(balances, bound)
    day = None if first is None else first[1]
    never = UNKNOWN if flag else f"nunca em {view.position.parametros.horizonte['dias']} dias"
    return KpiFound(day, so_variacao=flag, ausente=never, link=_link_day(day))


def _link_day(day: date | None) -> Link:
    return link_sheet("Fluxo diário", None if day is None else day_key(day))


def find_operating_flow(view: View) -> KpiFound:
    """Find the operating cash flow of the month until D."""
    month = month_start(view.position.data_base)
    flow = to_decimal(view.series.flow(Period("", month, month_end(month), "realizado")).operacional)
    return KpiFound(flow, _grade_sign(flow), link=link_sheet("Fluxo mensal", "fluxo_operacional"))


def find_in_transit(which: str, view: View) -> KpiFound:
    """Find what banks have not transferred yet, net, within the balance or outside it."""
    return KpiFound(to_decimal(getattr(find_transit(view.position), which)), so_variacao=view.series.provisional)


def _select_live(view: View) -> pd.DataFrame:
    """Select the open títulos; receivables `fora_resultado` (S9: an advance of a factoring) are in no figure."""
    titulos = view.position.titulos
    outside = titulos["fora_resultado"] & (titulos["tipo"] == "R")
    wanted = ["tipo", "valor_centavos", "vencido", "em_carencia", "data_projetada"]
    return titulos.loc[is_open(titulos) & ~outside, wanted]


def _select_side(view: View, tipo: str) -> pd.DataFrame:
    live = view.books.once(_select_live)
    return live[live["tipo"] == tipo]


def find_due(tipo: str, days: int, view: View) -> KpiFound:
    """Find what is open, not overdue, and projected (S4) within D..D+days."""
    return KpiFound(_sum(find_due_within(view.position, _select_side(view, tipo), days)))


def find_due_within(position: Position, titulos: pd.DataFrame, days: int) -> pd.DataFrame:
    """Keep the títulos that are not overdue and whose projected day lies in D..D+days (R00)."""
    day = position.data_base
    projected = titulos["data_projetada"]
    inside = (projected >= pd.Timestamp(day)) & (projected <= pd.Timestamp(day + timedelta(days=days)))
    return titulos[inside & ~titulos["vencido"]]


def find_overdue(tipo: str, view: View) -> KpiFound:
    """Find what is overdue without carência, and grade its share of what is open."""
    own = _select_side(view, tipo)
    late, opened = _sum(own[own["vencido"] & ~own["em_carencia"]]), abs(_sum(own))
    warn, critical = (percent * opened for percent in OVERDUE_PCT)
    share = abs(late) * 100
    return KpiFound(late, OK if not late or share < warn else CRITICAL if share >= critical else WARN)


def find_in_grace(tipo: str, view: View) -> KpiFound:
    """Find what is overdue and costs nothing yet (carência)."""
    own = _select_side(view, tipo)
    return KpiFound(_sum(own[own["vencido"] & own["em_carencia"]]))


def find_late_gross(tipo: str, view: View) -> KpiFound:
    """Find what is overdue, with carência."""
    own = _select_side(view, tipo)
    return KpiFound(_sum(own[own["vencido"]]))


def find_pmp_term(view: View) -> KpiFound:
    """Find the PMP, which needs a map of the DRE (S17)."""
    term = find_pmp(view.position)
    return KpiFound(None, ausente=NO_MAP) if term is None else KpiFound(term.dias, ausente=term.ausente)


def find_pmr_term(view: View) -> KpiFound:
    """Find the PMR."""
    term = find_pmr(view.position)
    return KpiFound(term.dias, ausente=term.ausente)


def find_days_of_cash(view: View) -> KpiFound:
    """Find for how many days the balance pays what left in the last 90."""
    days = find_cash_days(view.position, _sum_now(view))
    return KpiFound(days.dias, so_variacao=view.series.provisional, ausente=days.ausente)


def _select_result(view: View) -> pd.DataFrame:
    linhas = view.position.linhas
    counts = ~linhas["transferencia"] & ~linhas["fora_resultado"]
    wanted = [
        "natureza", "categoria_id", "transferencia", "fora_resultado", "data_competencia_ef", "valor_centavos",
    ]  # fmt: skip
    return linhas.loc[counts, wanted]


def find_revenue(months: int, view: View) -> KpiFound:
    """Find revenue by competence from the first of a month to the same day as D, so many months ago (R19)."""
    result = view.books.once(_select_result)
    return KpiFound(_sum(_until_day(result[result["natureza"] == "R"], view.position, months)))


def find_result(months: int, view: View) -> KpiFound:
    """Find the result of the same days; that of this month has a state."""
    value = _sum(_until_day(view.books.once(_select_result), view.position, months))
    return KpiFound(value, None if months else _grade_sign(value))


def find_margin(line: str, view: View) -> KpiFound | None:
    """Find a line of the DRE of the month until D; none where the map does not allow it (S17)."""
    if not view.dre_map.margens:
        return None
    current = _until_day(view.books.once(_select_result), view.position, 0)
    grupos = next(each.grupos for each in CLASSIFIED if each.codigo == line)
    return KpiFound(_sum(current[find_dre_grupos(view.position, current).isin(grupos)]))


def _until_day(linhas: pd.DataFrame, position: Position, months: int) -> pd.DataFrame:
    last = add_months(position.data_base, -months)
    return linhas[linhas["data_competencia_ef"].between(pd.Timestamp(month_start(last)), pd.Timestamp(last))]


def _grade_sign(value: Decimal) -> str:
    return WARN if value < 0 else OK


def find_map_state(view: View) -> KpiFound:
    """Say how much of the DRE's map there is."""
    state = view.dre_map.estado
    return KpiFound(STATE_NUMBERS[state], OK if state == COMPLETO else WARN)


def sum_left_out(view: View) -> KpiFound:
    """Sum up what the map leaves without a group, where that is more than it may."""
    found = view.dre_map
    return KpiFound(to_decimal(found.sem_grupo_centavos if found.falta else 0), WARN if found.falta else OK)


def count_lacking(view: View) -> KpiFound:
    """Count the accounts with movement whose opening balance nobody gave (S23)."""
    moved = zip(view.series.accounts, view.series.days, strict=True)
    count = sum(account.provisoria and len(days) > 0 for account, days in moved)
    return KpiFound(count, WARN if count else OK)


def _list_unsettled(view: View) -> pd.DataFrame:
    """List the open títulos of charges that were paid."""
    position = view.position
    charges = position.cobrancas
    paid = charges.loc[charges["viva"] & charges["paga"], ["cobranca_id"]]
    open_ids = position.titulos.loc[~position.titulos["pago"], ["titulo_id", "valor_centavos"]]
    return position.cobranca_titulos.merge(paid, on="cobranca_id").merge(open_ids, on="titulo_id", validate="m:1")


def count_unsettled(view: View) -> KpiFound:
    """Count the paid charges whose entry is open."""
    count = int(view.books.once(_list_unsettled)["cobranca_id"].nunique())
    return KpiFound(count, WARN if count else OK)


def sum_unsettled(view: View) -> KpiFound:
    """Sum up the títulos of paid charges that are open."""
    unsettled = view.books.once(_list_unsettled)
    return KpiFound(_sum(unsettled.drop_duplicates("titulo_id")), OK if unsettled.empty else WARN)


def _list_uncharged(view: View) -> tuple[pd.DataFrame, pd.DataFrame]:
    return find_uncharged(view.position)


def count_uncharged(which: int, view: View) -> KpiFound:
    """Count the títulos without a living charge: those late (0), those that come (1)."""
    return KpiFound(len(view.books.once(_list_uncharged)[which]))


def sum_uncharged(which: int, view: View) -> KpiFound:
    """Sum them up."""
    return KpiFound(_sum(view.books.once(_list_uncharged)[which]))


def _measure(view: View) -> Measures:
    current = month_start(view.position.data_base)
    return measure_resilience(view.position, view.series, view.dre_map, current, view.ranking)


def find_measure(slug: str, view: View) -> KpiFound | None:
    """Find a figure of R22; a scope has none."""
    return None if view.facts.medidas is None else _found(view.books.once(_measure), slug)


def _found(measures: Measures, slug: str) -> KpiFound:
    value, note = measures[slug]
    return KpiFound(value, base=note) if slug == FIXED_COST else KpiFound(value, ausente=note)


def _sum(frame: pd.DataFrame) -> Decimal:
    return to_decimal(int(frame["valor_centavos"].sum()))


_LINES: Final = (
    (PLANO, "combinado", "com decisões e promessas"), (VENCIMENTO, "contratual", "sem os vencidos"),
    (HABITOS, "habitos", "recebendo como de costume"), (ATRASADO, "conservador", "pagando já o vencido"),
)  # fmt: skip
"""Line of projection (S26), how its KPIs are called, and what it counts."""
_LIMITS: Final[tuple[tuple[str, str, str, Callable[[Credit], int | None]], ...]] = (
    ("negativo", "negativo", "primeiro fim de dia do horizonte abaixo de zero", lambda _: 0),
    ("alem_limite", "além do limite", "primeiro fim de dia do horizonte além do que o banco empresta",
     lambda credit: -credit.limite if credit.limite else None),
    ("abaixo_minimo", "abaixo do mínimo", "primeiro fim de dia abaixo de saldo_minimo (com limite)",
     lambda credit: credit.floor),
)  # fmt: skip
_DUE = "em aberto, não vencido, da data-base até o prazo"
_LATE = "em aberto vencido antes da data-base, sem a carência"
_GRACE = "venceu em dia não útil; hoje se paga sem encargos"
_IN_GRACE = "mais em carência (hoje ainda sem encargos)"
_GROSS = "vencido e em carência juntos (bruto)"
_TO_DATE = "por competência, do dia 1 à data-base"
_SAME_DAYS = "a mesma soma, nos mesmos dias do período comparado"
_UNCHARGED = "títulos a receber sem cobrança viva"
_YEAR = "12 meses fechados"
_COSTS = f"linhas 6 + 7 + 8 da DRE, {_YEAR} / 12"
FOLEGO: Final = "Fôlego"
FAILED: Final = KpiSpec(
    "verificacoes_com_falha", "Erros e alertas", lambda _: None, "verificações e achados que o carimbo conta",
    "Qualidade", -1, Kind.INTEGER,
)  # fmt: skip
"""Follows from the verdict and not from the books: `list_kpis` counts it."""


def _due(tipo: str, side: str, folha: str, sentido: int) -> tuple[KpiSpec, ...]:
    return tuple(
        KpiSpec(f"a_{side}_{name}", f"A {side} {words}", partial(find_due, tipo, days), _DUE, folha, sentido)
        for name, words, days in (("hoje", "hoje", 0), ("7", "em 7 dias", 7), ("30", "em 30 dias", 30))
    )


def _measured(slug: str, text: str, como: str, folha: str, sentido: int, kind: Kind) -> KpiSpec:
    months = "meses" if kind is Kind.NUMBER else ""
    return KpiSpec(
        slug, text, partial(find_measure, slug), como, folha, sentido, kind, months, sobre_saldo=bool(months)
    )


BLOCKS: Final[Mapping[str, tuple[KpiSpec, ...]]] = {
    "Caixa": (
        KpiSpec("saldo_ontem", "Saldo no fechamento de ontem ({ontem})", find_yesterday,
                "fim de dia da véspera da data-base, todas as contas", "Saldos", 1, inteiras=True, de_hoje=1),
        KpiSpec("saldo_atual", "Saldo atual", find_realised, "abertura + tudo o que foi pago até a data-base", "Saldos",
                1, inteiras=True, de_hoje=0),
        KpiSpec("saldo_estimado_banco", "Saldo estimado no banco (sem o que está em trânsito)", find_at_bank,
                "saldo atual - baixado e ainda não transferido", "Saldos", 1, inteiras=True, sobre_saldo=True),
        KpiSpec("folga_com_limite", "Folga com limite", find_spare,
                "saldo atual das contas, sem cartões + limites do banco", "Saldos", 1, inteiras=True, sobre_saldo=True),
        *(KpiSpec(f"menor_saldo_{slug}", f"Menor saldo em {{horizonte}} dias ({name.lower()})",
                  partial(find_lowest, name), f"menor fim de dia do horizonte; {how}", "Fluxo diário", 1, inteiras=True,
                  sobre_saldo=True)
          for name, slug, how in _LINES),
        KpiSpec("data_menor_saldo", "Data do menor saldo ({manchete})", find_lowest_day,
                "dia do menor na linha da manchete", "Fluxo diário", kind=Kind.DATE, inteiras=True),
        *(KpiSpec(f"primeiro_{code}_{slug}", f"Primeiro dia {words} ({name.lower()})", partial(find_first, name, limit),
                  how, "Fluxo diário", kind=Kind.DATE, inteiras=True)
          for code, words, how, limit in _LIMITS
          for name, slug, _ in _LINES),
        KpiSpec("fluxo_operacional_mes", "Fluxo operacional realizado no mês", find_operating_flow,
                "entradas + saídas pagas do dia 1 à data-base", "Fluxo mensal", 1),
        KpiSpec("atrasado_a_pagar", "Atrasado a pagar sem decisão",
                lambda view: KpiFound(to_decimal(view.arrears.pagar)),
                "vencido, sem decisão nem prova de que se pagou", "Pagar", 1),
        KpiSpec("atrasado_a_receber", "Atrasado a receber em nenhuma linha",
                lambda view: KpiFound(to_decimal(view.arrears.receber)),
                "vencido, além do hábito e sem promessa", "Inadimplência", -1),
        KpiSpec("em_transito_no_saldo", "Em trânsito, já no saldo (líquido)", partial(find_in_transit, "no_saldo"),
                "pago e baixado, ainda não transferido pelo banco", "Cobranças", inteiras=True),
        KpiSpec("em_transito_fora", "Em trânsito, fora do saldo (líquido)", partial(find_in_transit, "fora"),
                "pago, em aberto aqui, ainda não transferido", "Cobranças", inteiras=True),
    ),
    "Resultado": (
        KpiSpec("receita_ate_dia", "Receita do mês até o dia {dia} (competência)", partial(find_revenue, 0),
                f"{_TO_DATE}; só receitas", "DRE", 1),
        KpiSpec("receita_ate_dia_mes_anterior", "Receita nos mesmos dias do mês anterior", partial(find_revenue, 1),
                _SAME_DAYS, "DRE", 1),
        KpiSpec("receita_ate_dia_ano_anterior", "Receita nos mesmos dias do ano anterior", partial(find_revenue, 12),
                _SAME_DAYS, "Comparativos", 1),
        KpiSpec("resultado_ate_dia", "Resultado do mês até o dia {dia} (competência)", partial(find_result, 0),
                f"{_TO_DATE}; sem os fora", "DRE", 1),
        KpiSpec("resultado_ate_dia_mes_anterior", "Resultado nos mesmos dias do mês anterior", partial(find_result, 1),
                _SAME_DAYS, "DRE", 1),
        KpiSpec("resultado_ate_dia_ano_anterior", "Resultado nos mesmos dias do ano anterior", partial(find_result, 12),
                _SAME_DAYS, "Comparativos", 1),
        KpiSpec(MARGEM, "Margem de contribuição do mês até o dia {dia}", partial(find_margin, MARGEM),
                "linha 5 da DRE, do dia 1 à data-base", "DRE", 1),
        KpiSpec(EBITDA, "EBITDA gerencial do mês até o dia {dia}", partial(find_margin, EBITDA),
                "linha 9 da DRE, do dia 1 à data-base", "DRE", 1),
    ),
    "Receber": (
        *_due("R", "receber", "Inadimplência", 1),
        KpiSpec("vencido_efetivo_a_receber", "Vencido a receber", partial(find_overdue, "R"), _LATE, "Inadimplência",
                -1),
        KpiSpec("em_carencia_a_receber", _IN_GRACE, partial(find_in_grace, "R"), _GRACE, "Inadimplência", -1),
        KpiSpec("vencido_a_receber", "= bruto, sem o que é fora do resultado", partial(find_late_gross, "R"), _GROSS,
                "Inadimplência", -1),
        KpiSpec("pct_carteira_vencida", "% da carteira vencida (bruto)",
                lambda view: KpiFound(find_overdue_ratio(view.position).pct),
                "vencido / em aberto", "Inadimplência", -1, Kind.PERCENT),
        KpiSpec("inadimplencia_90", "Inadimplência > {atraso} dias, de qualquer data, sobre o que venceu em "
                f"{JANELA_INADIMPLENCIA_DIAS} dias", lambda view: KpiFound(find_default_ratio(view.position).pct),
                "em aberto há mais dias que isso / venceu na janela", "Inadimplência", -1, Kind.PERCENT),
        KpiSpec("sem_cobranca_vencidos_qtde", "Vencidos sem cobrança, bruto (quantidade)", partial(count_uncharged, 0),
                f"{_UNCHARGED}, vencidos", "Receber títulos", -1, Kind.INTEGER),
        KpiSpec("sem_cobranca_vencidos_valor", "Vencidos sem cobrança, bruto (R$)", partial(sum_uncharged, 0),
                f"{_UNCHARGED}, vencidos", "Receber títulos", -1),
        KpiSpec("sem_cobranca_7_dias_qtde", f"A vencer em {DAYS_AHEAD} dias sem cobrança (quantidade)",
                partial(count_uncharged, 1), f"{_UNCHARGED}, a vencer", "Receber títulos", -1, Kind.INTEGER),
        KpiSpec("sem_cobranca_7_dias_valor", f"A vencer em {DAYS_AHEAD} dias sem cobrança (R$)",
                partial(sum_uncharged, 1), f"{_UNCHARGED}, a vencer", "Receber títulos", -1),
        KpiSpec("cobrancas_pagas_em_aberto_qtde", "Cobranças pagas com lançamento aberto (quantidade)", count_unsettled,
                "cobranças pagas cujo lançamento segue em aberto", "Cobranças", -1, Kind.INTEGER),
        KpiSpec("cobrancas_pagas_em_aberto_valor", "Cobranças pagas com lançamento aberto (R$)", sum_unsettled,
                "títulos em aberto com cobrança paga", "Cobranças", -1),
        KpiSpec("taxas_nao_lancadas", "Taxas e encargos de cobrança não lançados",
                lambda view: KpiFound(to_decimal(sum_not_booked(view.position))),
                "taxas e encargos das cobranças pagas - o lançado", "Cobranças", -1),
    ),
    "Pagar": (
        *_due("P", "pagar", "Pagar", 0),
        KpiSpec("vencido_efetivo_a_pagar", "Vencido a pagar", partial(find_overdue, "P"), _LATE, "Pagar", 1),
        KpiSpec("em_carencia_a_pagar", _IN_GRACE, partial(find_in_grace, "P"), _GRACE, "Pagar", 1),
        KpiSpec("vencido_a_pagar", "= bruto, como nos filtros do serviço", partial(find_late_gross, "P"), _GROSS,
                "Pagar", 1),
    ),
    "Prazos": (
        KpiSpec("pmr", "PMR: prazo médio de recebimento (dias)", find_pmr_term,
                "recebíveis em aberto / receita da janela x dias dela", "Inadimplência", -1, Kind.NUMBER),
        KpiSpec("pmp_fornecedores", "PMP: prazo médio de pagamento a fornecedores (dias)", find_pmp_term,
                "fornecedores em aberto / despesa da janela x dias dela", "Pagar", kind=Kind.NUMBER),
        KpiSpec("dias_de_caixa", "Dias de caixa", find_days_of_cash, "saldo atual / saídas realizadas em 90 dias x 90",
                "Saldos", 1, Kind.NUMBER, inteiras=True, sobre_saldo=True),
    ),
    FOLEGO: (
        _measured(FIXED_COST, "Custo fixo mensal", f"{_COSTS}; sem eles ou sem mapa, média das saídas de 3 meses "
                  "fechados", "DRE", -1, Kind.MONEY),
        _measured("folego_custo_fixo", "Fôlego com custos fixos (meses)",
                  "saldo das contas, sem cartões / custo fixo mensal", "Saldos", 1, Kind.NUMBER),
        _measured("folego_media", "Fôlego pela média das saídas (meses)",
                  "o mesmo saldo / média das saídas de 3 meses fechados", "Saldos", 1, Kind.NUMBER),
        _measured("receita_liquida_media", "Receita líquida média por mês", f"linha 3 da DRE, {_YEAR} / 12", "DRE", 1,
                  Kind.MONEY),
        _measured("margem_contribuicao_pct", "Margem de contribuição %", f"linha 5 / linha 3 da DRE, {_YEAR}", "DRE", 1,
                  Kind.PERCENT),
        _measured("ponto_equilibrio", "Ponto de equilíbrio mensal", f"{_COSTS} / margem %", "DRE", -1, Kind.MONEY),
        _measured("ponto_equilibrio_financeiro", "Idem, com resultado financeiro", "o mesmo, com a linha 10", "DRE", -1,
                  Kind.MONEY),
        _measured("margem_seguranca", "Margem de segurança %", "1 - linhas 6 + 7 + 8 / linha 5 da DRE", "DRE", 1,
                  Kind.PERCENT),
        _measured("concentracao_5_clientes", "Cinco maiores clientes %",
                  f"sobre a receita de {_YEAR}; sem pessoa só divide", "Inadimplência", -1, Kind.PERCENT),
        _measured("concentracao_maior_cliente", "Maior cliente %", f"sobre a receita de {_YEAR}", "Inadimplência", -1,
                  Kind.PERCENT),
        _measured("concentracao_5_devedores", "Cinco maiores devedores %",
                  "sobre o aberto a receber, sem fora do resultado", "Inadimplência", -1, Kind.PERCENT),
    ),
    "Confiança": (
        KpiSpec("mapa_estado", "Mapa da DRE (0 sem mapa, 1 parcial, 2 completo)", find_map_state,
                "categorias em uso com linha em dre_mapa", "DRE", kind=Kind.INTEGER),
        KpiSpec(UNMAPPED, "Sem grupo no mapa da DRE, além da tolerância", sum_left_out,
                "valores em 13 meses, se passam de dre_mapa_tolerancia_pct", "DRE", -1),
        KpiSpec(UNOPENED, "Contas com movimento sem saldo informado", count_lacking,
                "sem saldo inicial e sem extrato", "Saldos", -1, Kind.INTEGER, inteiras=True),
        FAILED,
    ),
}  # fmt: skip
"""Block -> its KPIs, in printed order; a block without any is not printed."""
