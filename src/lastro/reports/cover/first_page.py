"""The first page of R00: what the lowest balances mean, four figures with their trend.

Belongs here: choosing and wording what stands at its head. Does not belong here: its parts
(`lastro.reports.cover.parts`), the KPIs (`lastro.reports.shared.kpis`) and where anything is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import LINE_ENTRADAS
from lastro.analysis.changes import find_late
from lastro.analysis.charges import DAYS_AHEAD
from lastro.analysis.comparatives import MONTH_TO_DAY
from lastro.analysis.credit import SHORT, USES_LIMIT, say_used
from lastro.calendar import add_months, month_start
from lastro.grid.cells import Formula, Kind, Link
from lastro.grid.cover import Cover, Judgement, Tile, Tone
from lastro.grid.pivot import list_rows
from lastro.grid.tables import Period, Table
from lastro.grid.words import MONTHS, count_text, format_date, month_label
from lastro.grid.workbook import tables_of
from lastro.money import format_amount, format_brl, format_centavos_brl, to_decimal
from lastro.reports.cover.parts import build_parts
from lastro.reports.shared.earlier import find_before
from lastro.reports.shared.flow_parts import day_key
from lastro.reports.shared.headline import judge_headline, list_first_days, tell_beside
from lastro.reports.shared.kpis import list_kpis, project_lines
from lastro.transform.scenarios import PLANO
from lastro.transform.scope import holds_whole_accounts
from lastro.transform.statements import find_statement_states

if TYPE_CHECKING:
    import pandas as pd

    from lastro.reports.shared.kpis import Balances
    from lastro.reports.view import Judged
    from lastro.transform.scenarios import Outlook

ALTERED: Final = "PLANILHA ALTERADA"
INTACT: Final = "Planilha íntegra"
EXPLANATION: Final = "comparativo_explicacao"


def build_cover(view: Judged, to_do: Table) -> Cover:
    """Build the first page.

    Args:
        view: everything else is built.
        to_do: the table `fazer_hoje`.
    """
    before = view.facts.comparacao
    since = "Primeiro relatório: ainda não há com o que comparar."
    if before is not None:
        day = format_date(before.data_base)
        since = f"Relatório anterior: {day}. ▲ ▼ comparam com ele; verde é boa notícia, vermelho má."
    lows = find_lows(view)
    return Cover(
        before=since,
        check=build_master_check(view),
        verdict=_judge(view, lows),
        lows=tuple(_low_tile(view, line, balances) for line, balances in lows[1:]),
        tiles=(
            _cash_tile(view) if holds_whole_accounts(view.position) else _received_tile(view),
            _overdue_tile(view),
            _leaving_tile(view),
            _result_tile(view),
        ),
        reason=_explain_result(view),
        parts=build_parts(view, to_do),
        provisional=view.series.provisional and holds_whole_accounts(view.position),
    )


def build_master_check(view: Judged) -> Formula | None:
    """V33: re-add what Qualidade adds again, live; an edited figure turns the cover."""
    if not view.reports:
        return None
    text = f'IF(SUMPRODUCT(ABS({{conferencias:diferenca}}))>0.004,"{ALTERED}","{INTACT}")'
    return Formula(text, INTACT)


def find_lows(view: Judged) -> list[tuple[Outlook, Balances]]:
    """List the lines of projection that have balances, the headline's first (S26)."""
    return [(line, balances) for line, balances in view.books.once(project_lines) if balances]


def _judge(view: Judged, lows: Sequence[tuple[Outlook, Balances]]) -> Judgement:
    """Judge the line of the headline; where no opening is known there is no balance to judge (S23)."""
    if not holds_whole_accounts(view.position):
        return Judgement("Sem saldo: só uma parte da empresa", "o que é só parte das contas não tem caixa próprio")
    if view.series.provisional:
        names = ", ".join(account.descricao for account in view.series.accounts if account.provisoria)
        return Judgement("Variação, não saldo", f"sem saldo inicial: {names}")
    return judge_headline(view, lows[0][1]) if lows else Judgement("Sem saldo projetado")


def _trend(change: Decimal | None, *, good_up: bool) -> tuple[str, Tone]:
    """Write a change with its arrow, and whether it is good news; nothing where there is none to tell."""
    if change is None:
        return "", ""
    if not change:
        return "= sem mudança", "neutro"
    arrow = "▲" if change > 0 else "▼"
    return f"{arrow} {format_brl(abs(change))} desde o relatório anterior", "bom" if (change > 0) is good_up else "ruim"


def _hold_against(now: Decimal, past: Decimal) -> tuple[str, Tone]:
    arrow = "▲" if now > past else "▼" if now < past else "="
    return f"{arrow} {format_brl(abs(now - past))}", "bom" if now >= past else "ruim"


def _amount(view: Judged, slug: str) -> Decimal:
    return next(kpi.number for kpi in list_kpis(view) if kpi.slug == slug) or Decimal("0.00")


def _find_change(view: Judged, slug: str) -> Decimal | None:
    return next(find_before(view, kpi)[1] for kpi in list_kpis(view) if kpi.slug == slug)


def _cash_tile(view: Judged) -> Tile:
    now = _amount(view, "saldo_atual")
    trend, tone = _trend(_find_change(view, "saldo_atual"), good_up=True)
    title = "CAIXA HOJE (variação)" if view.series.provisional else "CAIXA HOJE"
    spare = next((kpi.number for kpi in list_kpis(view) if kpi.slug == "folga_com_limite"), None)
    lent = () if spare is None else (f"folga com o limite: {format_brl(spare)}",)
    lines = (trend, _say_bank(view, now), *lent)
    return Tile(title, now, Kind.MONEY, lines, tone, Link("", sheet="Saldos"), "Saldo atual")


def _low_tile(view: Judged, line: Outlook, balances: Balances) -> Tile:
    """Say how deep a line falls and when, and before that since when it is short, as the headline says of its own.

    A variation is short of nothing (S23).
    """
    centavos, day = min(balances)
    link = Link("", sheet="Fluxo diário", key=day_key(day))
    today, left = view.position.data_base, view.arrears.leave_out(line.nome)
    firsts = [] if view.series.provisional else list_first_days(balances, view.credit, today)
    since = ", ".join(text for text, _, when in firsts if when != day)
    lines = tuple(filter(None, (f"em {format_date(day)}", since, tell_beside(line, left, today))))
    return Tile(line.nome, to_decimal(centavos), Kind.MONEY, lines, link=link)


def _received_tile(view: Judged) -> Tile:
    """Say what a scope received in D's month, beside the same days of the month before."""
    day = view.position.data_base
    before = add_months(day, -1)
    now, past = (
        to_decimal(view.series.flow(Period("", month_start(last), last, "realizado")).line(LINE_ENTRADAS))
        for last in (day, before)
    )
    trend, tone = _hold_against(now, past)
    lines = (f"{trend} sobre {MONTHS[before.month - 1]} (até dia {before.day})",)
    return Tile("RECEBIDO NO MÊS", now, Kind.MONEY, lines, tone, Link("", sheet="Fluxo mensal"))


def _say_bank(view: Judged, now: Decimal) -> str:
    """Return the line with the bank's balance where it differs from the books (S23), by statement or by transit.

    Of the accounts whose newest statement differs, the one that differs by most is told, of equal ones the last read.
    What was in transit then is no difference, and named. What is a variation says nothing of the bank.
    """
    if view.series.provisional:
        return ""
    states = find_statement_states(view.position, view.statements)
    off = [
        (abs(state.diferenca), state.data, state.diferenca, state.conferido, conta_id, state.transito)
        for conta_id, state in states.items()
        if state.diferenca and state.data is not None and state.conferido is not None
    ]
    if off:
        most, day, difference, shown, conta_id, under_way = max(off)
        account = view.position.rotulos.conta(conta_id)
        where = "extrato de" if len(states) == 1 else f"{account} em"
        more = "a mais" if difference > 0 else "a menos"
        left_out = f" (sem {format_amount(under_way)} em trânsito)" if under_way else ""
        return f"{where} {day:%d/%m}: {format_amount(shown)} · o livro tem {format_amount(most)} {more}{left_out}"
    bank = _amount(view, "saldo_estimado_banco")
    return f"no banco (estimado): {format_brl(bank)}" if abs(now - bank) * 100 > abs(now) else ""


def _overdue_tile(view: Judged) -> Tile:
    late, before = _of_receivables(find_late(view.position)), view.facts.comparacao
    value = _amount(view, "vencido_efetivo_a_receber")
    change = _find_change(view, "vencido_efetivo_a_receber")
    if before is not None and not (view.facts.anterior and view.facts.anterior.kpis):  # a scope, which kept nothing
        change = value - to_decimal(int(_of_receivables(before.vencidos)["valor_centavos"].sum()))
    trend, tone = _trend(change, good_up=False)
    titles = count_text(len(late), "título", "títulos")
    people = count_text(int(late["pessoa_id"].nunique()), "cliente", "clientes")
    link = Link("", sheet="Inadimplência")
    return Tile(
        "VENCIDO A RECEBER", value, Kind.MONEY, (trend, f"{titles} · {people}"), tone, link, "Vencido a receber"
    )


def _of_receivables(titulos: pd.DataFrame) -> pd.DataFrame:
    return titulos[titulos["tipo"] == "R"]


def _leaving_tile(view: Judged) -> Tile:
    """Say whether the line of the headline covers the next seven days, and at what price; arrears stand apart."""
    due, late = -_amount(view, f"a_pagar_{DAYS_AHEAD}"), -_amount(view, "vencido_efetivo_a_pagar")
    link = Link("", sheet="Pagar")
    overdue = f"e {format_brl(late)} já vencidos" if late else "nada vencido"
    if not holds_whole_accounts(view.position):
        return Tile(f"A PAGAR EM {DAYS_AHEAD} DIAS", due, Kind.MONEY, (overdue,), "ruim" if late else "", link)
    now = _amount(view, "saldo_atual")
    text, tone = _say_week(view)
    if not view.series.provisional and late > now >= 0:
        overdue += f": o caixa cobre {int(now * 100 / late)} %"
    name = f"A pagar em {DAYS_AHEAD} dias"
    return Tile(f"SAI EM {DAYS_AHEAD} DIAS", due, Kind.MONEY, (text, overdue), tone, link, name)


def _say_week(view: Judged) -> tuple[str, Tone]:
    if view.series.provisional:
        return "sem saldo conhecido que os cubra", ""
    line = "plano" if view.lines[0].nome == PLANO else "saldo projetado"
    lowest, _ = min(view.books.once(project_lines)[0][1][: DAYS_AHEAD + 1])
    matter = view.credit.judge(lowest)
    if matter in SHORT:
        return f"✖ o {line} não cobre", "ruim"
    if matter == USES_LIMIT:
        return f"▲ coberto com {say_used(lowest)}", "atenção"
    return (f"▲ coberto pelo {line}, abaixo do mínimo", "atenção") if matter else (f"✔ coberto pelo {line}", "bom")


def _result_tile(view: Judged) -> Tile:
    """Compare the result of D's month up to D with that of the same days of the month before (competence)."""
    day = view.position.data_base
    same = add_months(day, -1)
    now, past = _amount(view, "resultado_ate_dia"), _amount(view, "resultado_ate_dia_mes_anterior")
    trend, tone = _hold_against(now, past)
    beside = f"{MONTHS[same.month - 1]} até dia {same.day}: {format_brl(past)}"
    if view.dre_map.falta:  # neither good news nor bad until somebody says what belongs in it
        tone = "atenção"
        beside = f"falta o mapa da DRE: {format_centavos_brl(view.dre_map.sem_grupo_centavos)} sem grupo"
    lines = (f"{trend} sobre {MONTHS[same.month - 1]}", beside)
    title = f"RESULTADO {MONTHS[day.month - 1].upper()} (até dia {day.day})"
    name = f"Resultado do mês até o dia {day.day}"
    return Tile(title, now, Kind.MONEY, lines, tone, Link("", sheet="DRE"), name)


def _explain_result(view: Judged) -> str:
    """Say which category moved the result of the month most against the same days of last year (R19.5)."""
    tables = {table.name: table for table in tables_of(view.reports)}
    if EXPLANATION not in tables:
        return ""
    rows = list_rows(tables[EXPLANATION], ("par_id", "frase"))
    said = next((str(frase) for par, frase in rows if par == MONTH_TO_DAY and frase), "")
    last_year = add_months(view.position.data_base, -12)
    category = said.partition(": ")[0]  # the people behind it stand on the sheet
    return f"Resultado contra os mesmos dias de {month_label(last_year)}: {category}." if said else ""
