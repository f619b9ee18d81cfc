"""The figures of the cover (R00): values with a state and a link to what explains them, kept from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.cash_series import CashSeries
from lastro.analysis.charges import DAYS_AHEAD, find_transit, find_uncharged, sum_not_booked
from lastro.analysis.credit import NEGATIVE, Credit, find_first_below
from lastro.analysis.dre_map import COMPLETO, STATE_NUMBERS, DreMap
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
from lastro.calendar import ONE_DAY, add_months, iter_days, month_end, month_start
from lastro.grid.cells import Kind, Link, link_sheet
from lastro.grid.tables import Period
from lastro.grid.verdict import ERRO
from lastro.grid.words import format_date
from lastro.money import decimal_or_none, to_decimal
from lastro.reports.shared.flow_parts import day_key
from lastro.transform.position import Position, is_open
from lastro.transform.scenarios import ATRASADO, HABITOS, PLANO, VENCIMENTO
from lastro.transform.scope import holds_whole_accounts

if TYPE_CHECKING:
    from lastro.analysis.arrears import Arrears
    from lastro.reports.view import View
    from lastro.transform.scenarios import Outlook

OK, WARN, CRITICAL = "OK", "Atenção", "Crítico"
OVERDUE_PCT = (10, 25)
"""Share overdue of what is open, in percent, from which on the state is `WARN` and `CRITICAL`."""
SLUGS = {VENCIMENTO: "contratual", PLANO: "combinado", HABITOS: "habitos", ATRASADO: "conservador"}
"""Line of projection (S26) -> how its KPIs are called."""
GROUPS_OF = {line.codigo: line.grupos for line in CLASSIFIED}
KpiValue = Decimal | int | date | None
Balances = Sequence[tuple[int, date]]
"""Closing balance, in centavos, and day, of every day of the horizon from D on."""
NO_MAP: Final = "n/d sem mapa"
"""In the place of what only a map of the DRE gives a meaning (S17)."""
Check = tuple[str, str, bool]
"""Id, severity ("erro" or "alerta"), passed."""


@dataclass(frozen=True)
class Kpi:
    """One figure of the cover.

    Attributes:
        slug: its name in `ops.kpis` and in the defined name `kpi_<slug>`.
        indicador: printed text.
        valor: MONEY, PERCENT and NUMBER are Decimal, INTEGER int, DATE a date; None = not computable (S14).
        link: where it is explained.
        sentido: what a change means: 1 = more is better, -1 = less is better, 0 = neither (payables are negative: more
            is better).
        situacao: OK, Atenção, Crítico, or None for figures without a threshold.
        so_variacao: an account without opening balance is inside: "variação, não saldo" (S7).
        kind: of the value.
        ausente: printed in the place of a value that cannot be computed.
        unidade: what the value is counted in, where its kind does not say it.
    """

    slug: str
    indicador: str
    valor: KpiValue
    link: Link | None
    sentido: int = 0
    situacao: str | None = None
    so_variacao: bool = False
    kind: Kind = Kind.MONEY
    ausente: str = ""
    unidade: str = ""

    @property
    def why(self) -> str | None:
        """Why there is no value: a ratio has nothing to divide by (S14), a balance no opening (S7)."""
        if self.valor is not None:
            return None
        return self.ausente or (NO_BASE if self.kind in (Kind.PERCENT, Kind.NUMBER) else "saldo desconhecido")

    @property
    def number(self) -> Decimal | None:
        """The value as stored and compared from run to run; None for dates and what could not be computed."""
        if self.valor is None or isinstance(self.valor, date):
            return None
        return Decimal(self.valor)


def compute_kpis(
    position: Position,
    series: CashSeries,
    mapa: DreMap,
    lines: Sequence[tuple[Outlook, Balances]],
    arrears: Arrears,
    credit: Credit,
    resilience: Sequence[Kpi],
) -> tuple[Kpi, ...]:
    """Compute every KPI of R00 but that of the checks (`count_failed`), which comes last, in printed order.

    Args:
        position: the position.
        series: its cash series.
        mapa: what the map of the DRE says: margin, EBITDA and PMP are there only where it allows them (S17).
        lines: the lines of projection with their balances, the one of the headline first (S26); none of a scope that is
            a part of its accounts.
        arrears: what is late and in none of them.
        credit: what their balances are asked for (S27).
        resilience: those of R22; a scope has none.

    Returns:
        KPIs; payables and overdue payables are negative. "A receber/A pagar" are open, not overdue títulos whose
        projected day (S4) lies in D..D+n; receivables `fora_resultado` (S9: an advance of a factoring) are in none.
        Overdue is without carência; the gross figures stand below. A scope that is a part of its accounts has no
        balance, and no KPI of one (N03).
    """
    whole = holds_whole_accounts(position)
    return (
        *(_balance_kpis(position, series, credit) if whole else ()),
        *(_lowest_kpis(position, series, lines, credit) if whole else ()),
        *_arrears_kpis(arrears),
        *_open_kpis(position),
        *_ratio_kpis(position),
        *_month_kpis(position, series, mapa),
        *(_transit_kpis(position, series) if whole else ()),
        *_charge_kpis(position),
        *([_cash_days_kpi(position, series)] if whole else ()),
        *resilience,
    )


def _balance_kpis(position: Position, series: CashSeries, credit: Credit) -> list[Kpi]:
    day, flag = position.data_base, series.provisional
    yesterday = series.balance(day - ONE_DAY) or 0
    now = series.balance(day, realised_only=True) or 0
    bank = now - find_transit(position).baixado
    saldos = link_sheet("Saldos")
    kpis = [
        Kpi(slug, text, to_decimal(value), saldos, 1, None if flag else _state_of(value, credit), flag)
        for slug, text, value in (
            ("saldo_ontem", f"Saldo no fechamento de ontem ({format_date(day - ONE_DAY)})", yesterday),
            ("saldo_atual", "Saldo atual", now),
            ("saldo_estimado_banco", "Saldo estimado no banco (sem o que está em trânsito)", bank),
        )
    ]
    if credit.limite:
        own = [series.balance(day, n, realised_only=True) for n, one in enumerate(series.accounts) if not one.cartao]
        spare = to_decimal(sum(filter(None, own)) + credit.limite)
        state = None if flag else CRITICAL if spare < 0 else OK
        kpis.append(Kpi("folga_com_limite", "Folga com limite", spare, saldos, 1, state, flag))
    return kpis


def _lowest_kpis(
    position: Position, series: CashSeries, lines: Sequence[tuple[Outlook, Balances]], credit: Credit
) -> list[Kpi]:
    """Give the lowest balance of every line, and when each is first below zero and the minimum (S26).

    The line of the headline alone has a state: no other makes a balance good or bad by itself.
    """
    days, flag = position.parametros.horizonte["dias"], series.provisional
    projected = [(SLUGS[one.nome], one.nome, balances) for one, balances in lines]
    kpis = []
    for place, (slug, name, balances) in enumerate(projected):
        value, day = min(balances, default=(None, None))
        state = None if place or value is None or flag else _state_of(value, credit)
        label = f"Menor saldo em {days} dias ({name.lower()})"
        shown = decimal_or_none(value)
        kpis.append(Kpi(f"menor_saldo_{slug}", label, shown, _day_link(day), 1, state, flag))
    _, name, balances = projected[0]
    _, when = min(balances, default=(None, None))
    label = f"Data do menor saldo ({name.lower()})"
    kpis.append(Kpi("data_menor_saldo", label, when, _day_link(when), kind=Kind.DATE))
    never = "saldo desconhecido" if flag else f"nunca em {days} dias"
    for code, words, limit in (
        ("negativo", "além do limite" if credit.limite else "negativo", -credit.limite),
        ("abaixo_minimo", "abaixo do mínimo", credit.floor),
    ):
        for slug, name, balances in projected:
            first = None if flag else find_first_below(balances, limit)
            when = None if first is None else first[1]
            key, label = f"primeiro_{code}_{slug}", f"Primeiro dia {words} ({name.lower()})"
            kpis.append(Kpi(key, label, when, _day_link(when), so_variacao=flag, kind=Kind.DATE, ausente=never))
    return kpis


def _arrears_kpis(arrears: Arrears) -> list[Kpi]:
    """Give what is late and in no line of projection: it stands beside every low (S26)."""
    pay, receive = to_decimal(arrears.pagar), to_decimal(arrears.receber)
    return [
        Kpi("atrasado_a_pagar", "Atrasado a pagar sem decisão", pay, link_sheet("Pagar"), 1),
        Kpi("atrasado_a_receber", "Atrasado a receber em nenhuma linha", receive, link_sheet("Inadimplência"), -1),
    ]


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


def _day_link(day: date | None) -> Link:
    return link_sheet("Fluxo diário", None if day is None else day_key(day))


def _state_of(balance: int, credit: Credit) -> str:
    """Grade a balance: what the bank lends counts (S27)."""
    return {"": OK, NEGATIVE: CRITICAL}.get(credit.judge(balance), WARN)


def _open_kpis(position: Position) -> list[Kpi]:
    titulos = position.titulos
    wanted = ["tipo", "valor_centavos", "vencido", "em_carencia", "data_projetada"]
    outside = titulos["fora_resultado"] & (titulos["tipo"] == "R")
    live = titulos.loc[is_open(titulos) & ~outside, wanted]
    receber, pagar = link_sheet("Inadimplência"), link_sheet("Pagar")
    kpis = []
    for slug, text, tipo, link, meaning in (
        ("a_receber", "A receber", "R", receber, 1),
        ("a_pagar", "A pagar", "P", pagar, 0),
    ):
        for name, words, days in (("hoje", "hoje", 0), ("7", "em 7 dias", 7), ("30", "em 30 dias", 30)):
            chosen = find_due_within(position, live[live["tipo"] == tipo], days)
            kpis.append(Kpi(f"{slug}_{name}", f"{text} {words}", _sum(chosen), link, meaning))
    for tipo, side, gross, link, meaning in (
        ("R", "receber", "= bruto, sem o que é fora do resultado", receber, -1),
        ("P", "pagar", "= bruto, como nos filtros do serviço", pagar, 1),
    ):
        mine = live[live["tipo"] == tipo]
        late, grace = mine[mine["vencido"]], mine[mine["vencido"] & mine["em_carencia"]]
        effective = _sum(late) - _sum(grace)
        state = _overdue_state(effective, _sum(mine))
        kpis += [
            Kpi(f"vencido_efetivo_a_{side}", f"Vencido a {side}", effective, link, meaning, state),
            Kpi(f"em_carencia_a_{side}", "mais em carência (hoje ainda sem encargos)", _sum(grace), link, meaning),
            Kpi(f"vencido_a_{side}", gross, _sum(late), link, meaning),
        ]
    return kpis


def _overdue_state(late: Decimal, opened: Decimal) -> str:
    """Grade the overdue amount by its share of the open amount (`OVERDUE_PCT`)."""
    warn, critical = OVERDUE_PCT
    share = abs(late) * 100
    if not late or share < warn * abs(opened):
        return OK
    return CRITICAL if share >= critical * abs(opened) else WARN


def find_due_within(position: Position, titulos: pd.DataFrame, days: int) -> pd.DataFrame:
    """Keep the títulos that are not overdue and whose projected day lies in D..D+days (R00)."""
    day = position.data_base
    projected = titulos["data_projetada"]
    inside = (projected >= pd.Timestamp(day)) & (projected <= pd.Timestamp(day + timedelta(days=days)))
    return titulos[inside & ~titulos["vencido"]]


def _ratio_kpis(position: Position) -> list[Kpi]:
    receber, pagar = link_sheet("Inadimplência"), link_sheet("Pagar")
    days = position.parametros.inadimplencia_dias
    default = f"Inadimplência > {days} dias, de qualquer data, sobre o que venceu em {JANELA_INADIMPLENCIA_DIAS} dias"
    share, over = find_overdue_ratio(position).pct, find_default_ratio(position).pct
    pmr, pmp = find_pmr(position), find_pmp(position)
    return [
        Kpi("pct_carteira_vencida", "% da carteira vencida (bruto)", share, receber, -1, kind=Kind.PERCENT),
        Kpi("inadimplencia_90", default, over, receber, -1, kind=Kind.PERCENT),
        Kpi("pmr", "PMR: prazo médio de recebimento (dias)", pmr.dias, receber, -1, kind=Kind.NUMBER,
            ausente=pmr.ausente),
        Kpi("pmp_fornecedores", "PMP: prazo médio de pagamento a fornecedores (dias)",
            None if pmp is None else pmp.dias, pagar, kind=Kind.NUMBER,
            ausente=NO_MAP if pmp is None else pmp.ausente),
    ]  # fmt: skip


_RESULT_FIELDS = (
    "natureza", "categoria_id", "transferencia", "fora_resultado", "data_competencia_ef", "valor_centavos",
)  # fmt: skip
"""What is looked at of every linha."""


def _month_kpis(position: Position, series: CashSeries, mapa: DreMap) -> list[Kpi]:
    """Give revenue and result of the month up to D beside the same days of the month before and of last year (R19)."""
    day = position.data_base
    month = month_start(day)
    before, last_year = add_months(day, -1), add_months(day, -12)
    linhas = position.linhas[list(_RESULT_FIELDS)]
    result = linhas[~linhas["transferencia"] & ~linhas["fora_resultado"]]
    revenue = result[result["natureza"] == "R"]
    dre, comparativos = link_sheet("DRE"), link_sheet("Comparativos")
    kpis = []
    for slug, text, part in (("receita", "Receita", revenue), ("resultado", "Resultado", result)):
        now = _between(part, month, day)
        state = _sign_state(now) if slug == "resultado" else None
        text_now = f"{text} do mês até o dia {day.day} (competência)"
        kpis += [
            Kpi(f"{slug}_ate_dia", text_now, now, dre, 1, state),
            Kpi(f"{slug}_ate_dia_mes_anterior", f"{text} nos mesmos dias do mês anterior",
                _between(part, month_start(before), before), dre, 1),
            Kpi(f"{slug}_ate_dia_ano_anterior", f"{text} nos mesmos dias do ano anterior",
                _between(part, month_start(last_year), last_year), comparativos, 1),
        ]  # fmt: skip
    if mapa.margens:
        current = result[result["data_competencia_ef"].between(pd.Timestamp(month), pd.Timestamp(day))]
        groups = find_dre_grupos(position, current)
        for slug, text in ((MARGEM, "Margem de contribuição"), (EBITDA, "EBITDA gerencial")):
            amount = _sum(current[groups.isin(GROUPS_OF[slug])])
            kpis.append(Kpi(slug, f"{text} do mês até o dia {day.day}", amount, dre, 1))
    state, number = OK if mapa.estado == COMPLETO else WARN, STATE_NUMBERS[mapa.estado]
    label = "Mapa da DRE (0 sem mapa, 1 parcial, 2 completo)"
    kpis.append(Kpi("mapa_estado", label, number, dre, situacao=state, kind=Kind.INTEGER))
    flow = series.flow(Period("", month, month_end(month), "realizado"))
    operating = to_decimal(flow.operacional)
    link = link_sheet("Fluxo mensal", "fluxo_operacional")
    label = "Fluxo operacional realizado no mês"
    kpis.append(Kpi("fluxo_operacional_mes", label, operating, link, 1, _sign_state(operating)))
    return kpis


def _between(linhas: pd.DataFrame, first: date, last: date) -> Decimal:
    return _sum(linhas[linhas["data_competencia_ef"].between(pd.Timestamp(first), pd.Timestamp(last))])


def _sign_state(value: Decimal) -> str:
    return WARN if value < 0 else OK


def _transit_kpis(position: Position, series: CashSeries) -> list[Kpi]:
    transit, link, flag = find_transit(position), link_sheet("Cobranças"), series.provisional
    return [
        Kpi(f"em_transito_{slug}", f"Em trânsito, {text} (líquido)", to_decimal(value), link, so_variacao=flag)
        for slug, text, value in (
            ("no_saldo", "já no saldo", transit.no_saldo), ("fora", "fora do saldo", transit.fora),
        )
    ]  # fmt: skip


def _charge_kpis(position: Position) -> list[Kpi]:
    charges = position.cobrancas
    paid = charges.loc[charges["viva"] & charges["paga"], ["cobranca_id"]]
    open_ids = position.titulos.loc[~position.titulos["pago"], ["titulo_id", "valor_centavos"]]
    unsettled = position.cobranca_titulos.merge(paid, on="cobranca_id").merge(open_ids, on="titulo_id", validate="m:1")
    count = int(unsettled["cobranca_id"].nunique())
    amount = _sum(unsettled.drop_duplicates("titulo_id"))
    state = WARN if count else OK
    link, receber = link_sheet("Cobranças"), link_sheet("Receber títulos")
    late, ahead = find_uncharged(position)
    kpis = [
        Kpi("taxas_nao_lancadas", "Taxas e encargos de cobrança não lançados", to_decimal(sum_not_booked(position)),
            link, -1),
        Kpi("cobrancas_pagas_em_aberto_qtde", "Cobranças pagas com lançamento aberto (quantidade)", count,
            link, -1, state, kind=Kind.INTEGER),
        Kpi("cobrancas_pagas_em_aberto_valor", "Cobranças pagas com lançamento aberto (R$)", amount, link, -1, state),
    ]  # fmt: skip
    for slug, text, part in (
        ("vencidos", "Vencidos sem cobrança, bruto", late),
        (f"{DAYS_AHEAD}_dias", f"A vencer em {DAYS_AHEAD} dias sem cobrança", ahead),
    ):
        kpis += [
            Kpi(f"sem_cobranca_{slug}_qtde", f"{text} (quantidade)", len(part), receber, -1, kind=Kind.INTEGER),
            Kpi(f"sem_cobranca_{slug}_valor", f"{text} (R$)", _sum(part), receber, -1),
        ]
    return kpis


def _cash_days_kpi(position: Position, series: CashSeries) -> Kpi:
    saldo = series.balance(position.data_base, realised_only=True) or 0
    days, link = find_cash_days(position, saldo), link_sheet("Saldos")
    return Kpi(
        "dias_de_caixa", "Dias de caixa", days.dias, link, 1, so_variacao=series.provisional, kind=Kind.NUMBER,
        ausente=days.ausente,
    )  # fmt: skip


def count_failed(checks: Sequence[Check]) -> Kpi:
    """Count the checks of a run that failed, and its grave findings."""
    failed = [severity for _, severity, ok in checks if not ok]
    state = CRITICAL if ERRO in failed else WARN if failed else OK
    link = link_sheet("Qualidade")
    label = "Verificações com falha"
    return Kpi("verificacoes_com_falha", label, len(failed), link, -1, state, kind=Kind.INTEGER)


def _sum(frame: pd.DataFrame) -> Decimal:
    return to_decimal(int(frame["valor_centavos"].sum()))
