"""The part of V06 that looks at persons, groups, due months and the cover: R00, R08's agenda, R10, R12, R13 d, R17."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

import pandas as pd

from lastro.calendar import add_months, month_start
from lastro.money import ratio_pct, round_half_up, to_decimal
from lastro.quality.cash_tables import Reports
from lastro.quality.cover_checks import compare_to_do, compare_trend
from lastro.quality.printed import (
    Found,
    find_section,
    find_table,
    iter_sums,
    month_text,
    plain,
    read_columns,
    sum_money,
)
from lastro.quality.result_checks import find_expected_lines
from lastro.quality.tally import Tally
from lastro.transform.position import FAIXA_KEYS, FAIXAS, Position

ZERO: Final = Decimal("0.00")
AGENDA_DAYS: Final = 14
"""The last of the 15 days that begin with D."""
YEAR_DAYS: Final = 365
CASH_WINDOW_DAYS: Final = 90
BANDS: Final = FAIXA_KEYS[1:]
"""Overdue bands of R10, as its table names them."""
OPEN_COLUMNS: Final = {
    "a_receber_a_vencer": ("R", False),
    "a_receber_vencido": ("R", True),
    "a_pagar_a_vencer": ("P", False),
    "a_pagar_vencido": ("P", True),
}

Key = int | None


def compare_people(tally: Tally, position: Position, reports: Reports, abertos: pd.DataFrame) -> None:
    """Compare R10, R12, R17, the agenda of R08, the due months of R13 and the cover with direct sums.

    Args:
        tally: V06.
        position: the position.
        reports: the reports.
        abertos: result of `open_checks.find_open`.
    """
    titulos = position.titulos[_TITULO_FIELDS].set_index("titulo_id")
    known = abertos.join(titulos[["pessoa_id", "grupo_id", "data_vencimento", "data_projetada"]])
    # What a título comes to is what its linhas add up to.
    sums = position.linhas["valor_centavos"].groupby(position.linhas["titulo_id"]).sum()
    titulos = titulos[~titulos["transferencia"]].join(sums)
    _compare_positions(tally, position, reports, known)
    _compare_default(tally, position, reports, known, titulos[~titulos["fora_resultado"]])
    _compare_groups(tally, reports, known, titulos)
    _compare_agenda(tally, position, reports, known)
    _compare_due_months(tally, position, reports, known, titulos)
    _compare_cover(tally, position, reports, known)


_TITULO_FIELDS: Final = [
    "titulo_id", "pessoa_id", "grupo_id", "data_vencimento", "data_projetada", "transferencia", "fora_resultado",
    "pago", "em_carencia", "cobranca_paga",
]  # fmt: skip


def _sum_by(frame: pd.DataFrame, key: str) -> dict[Key, Decimal]:
    sums = frame["valor_centavos"].groupby(frame[key], dropna=False).sum()
    return {None if pd.isna(number) else int(number): to_decimal(value) for number, value in iter_sums(sums)}


def _compare_column(
    tally: Tally, text: str, expected: Mapping[Key, Decimal], rows: list[tuple[Found, ...]], place: int
) -> None:
    """Compare one column by the id in the first one; an id printed twice is a difference."""
    found: dict[Key, Decimal] = {}
    for row in rows:
        if row[0] in found:
            tally.fail([f"{text} · {_name(row[0])} repetida"])
        found[row[0]] = found.get(row[0], ZERO) + row[place]
    for key in sorted({*expected, *found}, key=lambda number: (number is None, number or 0)):
        tally.compare(f"{text} · {_name(key)}", expected.get(key, ZERO), found.get(key, ZERO))


def _name(key: Key) -> str:
    return "sem id" if key is None else f"id {key}"


def _compare_positions(tally: Tally, position: Position, reports: Reports, abertos: pd.DataFrame) -> None:
    """R12: four open columns, a year of payments, a year of revenue, per person."""
    table = find_table(reports, "pessoas")
    if table is None:
        return
    names = (*OPEN_COLUMNS, "recebido_12m", "pago_12m", "receita_12m", "posicao_liquida")
    rows = read_columns(table, "pessoa_id", *names)
    for place, (name, (tipo, late)) in enumerate(OPEN_COLUMNS.items(), 1):
        chosen = abertos[(abertos["tipo"] == tipo) & (abertos["vencido"] == late)]
        _compare_column(tally, f"Pessoas · {name}", _sum_by(chosen, "pessoa_id"), rows, place)
    paid = _sum_paid(position)
    for place, name, sign in ((5, "recebido_12m", 1), (6, "pago_12m", -1)):
        chosen = paid[paid["valor_centavos"] * sign > 0]
        _compare_column(tally, f"Pessoas · {name}", _sum_by(chosen, "pessoa_id"), rows, place)
    _compare_column(tally, "Pessoas · receita_12m", _sum_by(_find_revenue(position), "pessoa_id"), rows, 7)
    for row in rows:
        tally.compare(f"Pessoas · {_name(row[0])} · posição líquida", sum_money(row[1:5]), row[8])
    _compare_terms(tally, position, reports)


def _sum_paid(position: Position) -> pd.DataFrame:
    """Add the caixa linhas of títulos paid in (D-365, D], per título with its carrier's person."""
    fields = ["titulo_id", "valor_centavos", "data_pagamento", "caixa", "lancamento_transferencia_id"]
    linhas, day = position.linhas[fields], pd.Timestamp(position.data_base)
    recent = linhas["data_pagamento"] > day - timedelta(days=YEAR_DAYS)
    kept = linhas[linhas["caixa"] & recent & linhas["lancamento_transferencia_id"].isna()]
    sums = kept.groupby("titulo_id")["valor_centavos"].sum().to_frame()
    return sums.join(position.titulos.set_index("titulo_id")["pessoa_id"])


def _find_revenue(position: Position) -> pd.DataFrame:
    fields = ["pessoa_id", "valor_centavos", "data_competencia_ef", "natureza", "transferencia", "fora_resultado"]
    linhas, current = position.linhas[fields], month_start(position.data_base)
    competence = linhas["data_competencia_ef"]
    inside = (competence >= pd.Timestamp(add_months(current, -12))) & (competence < pd.Timestamp(current))
    revenue = (linhas["natureza"] == "R") & ~linhas["transferencia"] & ~linhas["fora_resultado"]
    return linhas[inside & revenue]


def _compare_default(
    tally: Tally, position: Position, reports: Reports, abertos: pd.DataFrame, titulos: pd.DataFrame
) -> None:
    """R10 is R09 without what is outside the result, per person, per band and per due month."""
    mine = abertos[(abertos["tipo"] == "R") & ~abertos["fora"]]
    table = find_table(reports, "inadimplencia")
    if table is not None:
        rows = read_columns(
            table, "pessoa_id", "em_aberto", "a_vencer", "vencido", *BANDS, "encargos_est", "valor_atualizado"
        )
        late = mine["vencido"]
        _compare_column(tally, "Inadimplência · em aberto", _sum_by(mine, "pessoa_id"), rows, 1)
        _compare_column(tally, "Inadimplência · a vencer", _sum_by(mine[~late], "pessoa_id"), rows, 2)
        _compare_column(tally, "Inadimplência · vencido", _sum_by(mine[late], "pessoa_id"), rows, 3)
        for place, label in enumerate(FAIXAS[1:], 4):
            chosen = mine[late & (mine["faixa"] == label)]
            _compare_column(tally, f"Inadimplência · {label}", _sum_by(chosen, "pessoa_id"), rows, place)
        for row in rows:
            tally.compare(f"Inadimplência · {_name(row[0])} · atualizado", row[1] + row[9], row[10])
    _compare_ratios(tally, position, reports, mine, titulos)
    table = find_table(reports, "inadimplencia_safra")
    if table is not None:
        _compare_vintages(tally, read_columns(table, "safra", "emitido", "ainda_em_aberto"), mine, titulos)


def _compare_ratios(
    tally: Tally, position: Position, reports: Reports, abertos: pd.DataFrame, issued: pd.DataFrame
) -> None:
    """The indices of R10: overdue / open, more than n days late / issued in a year, explained overdue taken out."""
    table = find_table(reports, "inadimplencia_indices")
    if table is None:
        return
    states = position.titulos.set_index("titulo_id")[["em_carencia", "cobranca_paga"]]
    mine = abertos.join(states)
    day = pd.Timestamp(position.data_base)
    recent = (issued["data_vencimento"] > day - timedelta(days=YEAR_DAYS)) & (issued["data_vencimento"] <= day)
    late = mine["vencido"]
    very_late = mine["dias"] > position.parametros.inadimplencia_dias
    explained = mine["em_carencia"] | mine["cobranca_paga"]
    whole = int(mine["valor_centavos"].sum())
    expected = (
        (int(mine.loc[late, "valor_centavos"].sum()), whole),
        (
            int(mine.loc[very_late, "valor_centavos"].sum()),
            int(issued.loc[recent & (issued["valor_centavos"] > 0), "valor_centavos"].sum()),
        ),
        (int(mine.loc[late & ~explained, "valor_centavos"].sum()), whole),
    )
    for number, (want, row) in enumerate(
        zip(expected, read_columns(table, "numerador", "denominador", "pct"), strict=False), 1
    ):
        tally.compare(f"Índices · linha {number} · numerador", to_decimal(want[0]), row[0])
        tally.compare(f"Índices · linha {number} · denominador", to_decimal(want[1]), row[1])
        tally.compare(f"Índices · linha {number} · %", ratio_pct(*want), row[2])


def _compare_terms(tally: Tally, position: Position, reports: Reports) -> None:
    """R12's mean terms: days = numerator / denominator, times the window where the numerator holds no days."""
    table = find_table(reports, "pessoas_prazos")
    if table is None:
        return
    window = position.parametros.janela_prazos_dias
    factors = {"pmr": window, "pmp": window, "dias_de_caixa": CASH_WINDOW_DAYS}
    days: dict[str, Decimal | None] = {}
    for name, shown, numerator, denominator in read_columns(table, "codigo", "dias", "numerador", "denominador"):
        days[name] = shown
        if isinstance(numerator, Decimal) and isinstance(denominator, Decimal):
            factor = factors.get(name, 1)
            want = round_half_up(numerator * factor / denominator, 1) if denominator else None
            tally.compare(f"Prazos · {name}", want, shown)
    allowed = find_expected_lines(position)
    if len(allowed.sums) == 1 or allowed.undefined:
        tally.compare("Prazos · pmp sem mapa", None, days.get("pmp"))
    pmr, pmp = days.get("pmr"), days.get("pmp")
    tally.compare("Prazos · ciclo", None if pmr is None or pmp is None else pmr - pmp, days.get("ciclo"))


def _compare_vintages(
    tally: Tally, rows: list[tuple[Found, ...]], abertos: pd.DataFrame, titulos: pd.DataFrame
) -> None:
    """Safra: issued and still open per due month; issued counts paid títulos too."""
    issued = titulos[titulos["valor_centavos"] > 0]
    found: dict[date, tuple[Decimal, Decimal]] = {}
    for month, emitted, pending in rows:
        if month in found:
            tally.fail([f"Safra · {month_text(month)} repetida"])
        found[month] = (emitted, pending)
    for place, text, frame in ((0, "emitido", issued), (1, "em aberto", abertos)):
        expected = _sum_by_month(frame)
        for month in sorted({*expected, *found}):
            have = found.get(month, (ZERO, ZERO))[place]
            tally.compare(f"Safra · {month_text(month)} · {text}", expected.get(month, ZERO), have)


def _sum_by_month(frame: pd.DataFrame) -> dict[date, Decimal]:
    months = frame["data_vencimento"].to_numpy().astype("datetime64[M]").astype("datetime64[s]")
    sums = frame["valor_centavos"].groupby(pd.Series(months, index=frame.index, name="mes")).sum()
    return {pd.Timestamp(month).date(): to_decimal(value) for month, value in iter_sums(sums)}


def _compare_groups(tally: Tally, reports: Reports, abertos: pd.DataFrame, titulos: pd.DataFrame) -> None:
    """R17: per repetition group, what is open, and how many are paid and open."""
    table = find_table(reports, "recorrentes")
    if table is None:
        return
    rows = read_columns(table, "grupo_id", "valor_em_aberto", "pagas", "em_aberto")
    grouped = abertos[abertos["grupo_id"].notna()]
    _compare_column(tally, "Recorrentes · em aberto", _sum_by(grouped, "grupo_id"), rows, 1)
    counted = titulos[titulos["grupo_id"].notna() & (titulos["valor_centavos"] != 0)]
    counts = counted.groupby(["grupo_id", "pago"]).size()
    expected = {(int(grupo), bool(pago)): size for grupo, pago, size in iter_sums(counts)}
    tally.compare("Recorrentes · grupos", len({grupo for grupo, _ in expected}), len(rows))
    for grupo, _, paid, pending in rows:
        tally.compare(f"Recorrentes · id {grupo} · pagas", expected.get((grupo, True), 0), paid)
        tally.compare(f"Recorrentes · id {grupo} · em aberto", expected.get((grupo, False), 0), pending)


def _compare_agenda(tally: Tally, position: Position, reports: Reports, abertos: pd.DataFrame) -> None:
    """R08's agenda: what is to be paid from D to D+14 by projected day, and balances that follow from it."""
    table = find_table(reports, "a_pagar_agenda")
    if table is None:
        return
    last = pd.Timestamp(position.data_base + timedelta(days=AGENDA_DAYS))
    due = abertos[(abertos["tipo"] == "P") & (abertos["data_projetada"] <= last)]
    sums = due.groupby("data_projetada")["valor_centavos"].sum()
    expected = {pd.Timestamp(day).date(): to_decimal(value) for day, value in iter_sums(sums)}
    found: dict[date, Decimal] = {}
    for day, before, to_pay, after in read_columns(table, "dia", "saldo_antes", "a_pagar", "saldo_depois"):
        found[day] = found.get(day, ZERO) + to_pay
        if before is not None:
            tally.compare(f"Agenda · {day} · saldo depois", before + to_pay, after)
    for day in sorted({*expected, *found}):
        tally.compare(f"Agenda · {day}", expected.get(day, ZERO), found.get(day, ZERO))


def _compare_due_months(
    tally: Tally, position: Position, reports: Reports, abertos: pd.DataFrame, titulos: pd.DataFrame
) -> None:
    """R13 d: what fell due in a month splits into what was paid when and what is open."""
    table = find_table(reports, "previsto_realizado_vencimento")
    if table is None:
        return
    current = month_start(position.data_base)
    names = ("pago_no_mes", "pago_antes", "pago_depois", "em_aberto")
    found: dict[tuple[date, str], tuple[Decimal, Decimal]] = {}
    for month, tipo, due, *parts in read_columns(table, "mes_de_vencimento", "tipo_codigo", "vencia", *names):
        key = f"Vencimento x pagamento · {month_text(month)} · {tipo}"
        tally.compare(key, sum_money(parts), due)
        if (month, tipo) in found:
            tally.fail([f"{key} repetida"])
        found[month, tipo] = (due, parts[-1])
    for tipo, sign in (("R", 1), ("P", -1)):
        of_side = _sum_by_month(titulos[titulos["valor_centavos"] * sign > 0])
        pending = _sum_by_month(abertos[abertos["tipo"] == tipo])
        months = {month for month in of_side if month <= current} | {month for month, side in found if side == tipo}
        for month in sorted(months):
            key = f"Vencimento x pagamento · {month_text(month)} · {tipo}"
            have = found.get((month, tipo), (ZERO, ZERO))
            tally.compare(f"{key} · vencia", of_side.get(month, ZERO), have[0])
            tally.compare(f"{key} · em aberto", pending.get(month, ZERO), have[1])


def _compare_cover(tally: Tally, position: Position, reports: Reports, abertos: pd.DataFrame) -> None:
    """R00: the KPIs that can be added straight from the linhas."""
    table, section = find_table(reports, "resumo"), find_section(reports, "resumo")
    if table is None:
        return
    kpis: dict[Found, Found] = dict(read_columns(table, "kpi", "valor"))
    late = abertos[abertos["vencido"]]
    graced = position.titulos.loc[position.titulos["em_carencia"], "titulo_id"]
    effective = late[~late.index.isin(graced)]
    linhas = position.linhas
    inside = ~linhas["transferencia"] & ~linhas["fora_resultado"]
    result = linhas.loc[inside, ["data_competencia_ef", "valor_centavos"]]
    this_month = result["data_competencia_ef"].dt.to_period("M") == pd.Period(position.data_base, "M")
    wanted: dict[str, pd.DataFrame] = {
        "vencido_a_receber": late[late["tipo"] == "R"],
        "vencido_a_pagar": late[late["tipo"] == "P"],
        "vencido_efetivo_a_receber": effective[effective["tipo"] == "R"],
        "vencido_efetivo_a_pagar": effective[effective["tipo"] == "P"],
        "resultado_ate_dia": result[this_month & (result["data_competencia_ef"] <= pd.Timestamp(position.data_base))],
    }
    for slug, frame in wanted.items():
        tally.compare(f"Resumo · {slug}", to_decimal(int(frame["valor_centavos"].sum())), kpis.get(slug))
    tally.compare("Resumo · saldo_atual", _sum_balance(position), kpis.get("saldo_atual"))
    charges = position.cobrancas
    moving = charges[charges["viva"] & charges["rank"].isin([3, 4])]["liquido_centavos"]
    parts = sum_money([kpis.get("em_transito_no_saldo"), kpis.get("em_transito_fora")])
    compare_to_do(tally, position, reports, kpis)
    compare_trend(tally, position, reports, kpis)
    tally.compare("Resumo · em trânsito", to_decimal(int(moving.fillna(0).sum())), parts)
    if section is not None:
        shown = [plain(row.cells[1]) for row in section.rows]
        kept = [value if value is not None else day for value, day in read_columns(table, "valor", "dia")]
        tally.compare("Resumo planilha · indicadores", len(kept), len(shown))
        for (slug, _), want, have in zip(kpis.items(), kept, shown, strict=False):
            if isinstance(want, Decimal) and isinstance(have, Decimal | int):
                tally.compare(f"Resumo planilha · {slug}", want, Decimal(have))


def _sum_balance(position: Position) -> Decimal:
    """Opening balances in force at D plus all caixa linhas (S7)."""
    contas = position.contas
    started = contas["data_saldo_inicial"].isna() | (contas["data_saldo_inicial"] <= pd.Timestamp(position.data_base))
    opening = int(contas.loc[started, "valor_saldo_inicial_centavos"].sum())
    return to_decimal(opening + int(position.linhas.loc[position.linhas["caixa"], "valor_centavos"].sum()))
