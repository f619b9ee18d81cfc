"""R11 Situação das cobranças: where the money is between issue and bank, and where charges and entries differ (S12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from lastro.analysis.charges import ACTIONS, PENDENTE_RANK, add_payment, find_differences, is_in_transit
from lastro.analysis.drill_down import Entries
from lastro.calendar import add_months, iter_months, month_start
from lastro.grid.cells import Cell, Kind, Link, Value, row_key
from lastro.grid.charts import keep_drawable, read_figures, read_labels
from lastro.grid.coded import detail_table
from lastro.grid.model import (
    BALANCE_COLOUR,
    Chart,
    ChartKind,
    Column,
    Family,
    Printing,
    Report,
    Row,
    Section,
    Series,
    Style,
    Table,
    id_columns,
    summary_table,
    table_of,
)
from lastro.grid.words import column_name, count_text
from lastro.money import divide_half_up, ratio_pct, round_half_up, to_decimal
from lastro.reports.charge_detail import (
    DETAIL_SHEET,
    RANK_ORDER,
    STATUS_LABELS,
    STATUS_TEXTS,
    build_charge_detail,
    join_ids,
    link_titulos,
    money_or_none,
    status_label,
)
from lastro.reports.spec import Part, ReportSpec
from lastro.transform.charges import CANCELADO
from lastro.transform.names import sort_key
from lastro.transform.position import FAIXAS, Position, as_date

if TYPE_CHECKING:
    from lastro.reports.view import View


def build_r11(view: View) -> Report:
    """Build R11.

    Returns:
        Sections and tables `cobrancas_por_status` (status x forma), `cobrancas_funil` (funnel), `cobrancas_tempos`
        (times), `cobrancas_pendentes_vencidas` (late and pending), `cobrancas_em_transito` (in transit),
        `cobrancas_detalhe` (every charge, on a sheet of its own) and `cobrancas_divergencias` (differences, which come
        first: they are what to act on). Of the funnel the sheet shows a matrix, `cobrancas_funil_meses`. A chart of it.
    """
    position = view.position
    cobrancas = add_payment(position)
    status = _status_section(position, cobrancas)
    funnel = _funnel_section(cobrancas)
    matrix = _funnel_matrix(position, cobrancas)
    times = _times_section(position, cobrancas)
    late = _late_section(position, cobrancas)
    transit = _transit_section(cobrancas)
    detail = build_charge_detail(position, view.entries, cobrancas)
    differences = find_differences(position)
    return SPEC.report(
        sections=(
            _difference_section(position, view.entries, differences),
            status,
            matrix,
            late,
            transit,
            times,
            detail,
        ),
        tables=(
            summary_table(status, "R11 (a): cobranças por situação e forma; canceladas em linha própria (S12)"),
            table_of(matrix, "R11 (b): funil dos últimos seis meses de vencimento, uma etapa por coluna"),
            table_of(funnel, "R11 (b): funil por mês de vencimento, sem canceladas: quantas chegaram a cada etapa"),
            table_of(times, "R11 (c): dias do vencimento ao pagamento e do pagamento à transferência, por forma"),
            table_of(late, "R11 (d): cobranças pendentes e vencidas, por faixa de atraso"),
            table_of(transit, "R11 (e): valor líquido pago pelo cliente e ainda não transferido, por data prevista"),
            detail_table(detail, "R11 (f): uma cobrança por linha (S12)"),
            _difference_table(position, differences),
        ),
        charts=keep_drawable(_build_chart(funnel)),
    )


def _build_chart(funnel: Section) -> Chart:
    """Draw the amount of the charges that reached each stage, all due months together."""
    stages = [row for row in funnel.rows if row.style is Style.SUBTOTAL]
    return Chart(
        "Funil das cobranças: valor que chegou a cada etapa",
        ChartKind.BAR,
        read_labels(funnel, "etapa_alcancada", stages),
        (Series("Valor", read_figures(funnel, "valor", stages), BALANCE_COLOUR),),
        after="cobrancas_por_status",
    )


STATUS_COLUMNS = (
    Column("Status", Kind.TEXT, width=24),
    Column("Forma", Kind.TEXT),
    Column("Qtde", Kind.INTEGER),
    Column("Valor", Kind.MONEY),
    Column("Pago", Kind.MONEY),
    Column("Taxas", Kind.MONEY),
    Column("Líquido", Kind.MONEY),
    Column("Taxa %", Kind.PERCENT),
    Column("Código do status", Kind.TEXT, key="status_codigo", shown=False),
)


def _status_section(position: Position, cobrancas: pd.DataFrame) -> Section:
    """Build (a): status x forma; cancelled charges stand in a row of their own, out of the total."""
    live = cobrancas[cobrancas["viva"]]
    rows = []
    # Unknown statuses have rank 0 and stand after the known ones.
    for status in sorted(live["status"].unique(), key=lambda text: (RANK_ORDER.get(text, len(STATUS_TEXTS)), text)):
        of_status = live[live["status"] == status]
        rows += [
            _status_row(status_label(status), label, part, status)
            for label, part in _split_by_forma(position, of_status)
        ]
    rows.append(_status_row("Total", None, live, style=Style.TOTAL))
    cancelled = cobrancas[~cobrancas["viva"]]
    if len(cancelled):
        rows.append(_status_row(STATUS_LABELS[CANCELADO], "Todas", cancelled, CANCELADO))
    orphans = live[[not titulos for titulos in live["titulo_ids"]]]
    if len(orphans):
        rows.append(_status_row("Cobranças sem lançamento", None, orphans, style=Style.MEMO))
    notes = (
        "Taxas: só das cobranças pagas. Canceladas ficam fora do total.",
        "O valor das cobranças nunca se soma às contas a receber: elas só anotam os lançamentos (S9).",
    )
    return Section(
        "cobrancas_por_status", STATUS_COLUMNS, tuple(rows), title="Situação x forma de cobrança", notes=notes
    )


def _split_by_forma(position: Position, cobrancas: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Split charges by payment method: label and rows, sorted by label, ties by id, none given last."""
    forma = cobrancas["forma_pagamento_id"]
    labels = {int(number): position.rotulos.forma(number) for number in forma.dropna().unique()}
    ordered = sorted(labels, key=lambda number: (sort_key(labels[number]), number))
    parts = [(labels[number], cobrancas[(forma == number).fillna(value=False)]) for number in ordered]
    if forma.isna().any():
        parts.append((position.rotulos.forma(None), cobrancas[forma.isna()]))
    return parts


def _status_row(
    label: str, forma: str | None, part: pd.DataFrame, status: str | None = None, *, style: Style = Style.NORMAL
) -> Row:
    paid = part[part["paga"]]
    pago = int(paid["valor_pago_centavos"].fillna(0).sum())
    taxas = int(paid["taxa_centavos"].sum())
    liquido = int(paid["liquido_centavos"].fillna(0).sum())
    cells = (
        label,
        forma,
        len(part),
        to_decimal(int(part["valor_centavos"].sum())),
        to_decimal(pago),
        to_decimal(taxas),
        to_decimal(liquido),
        ratio_pct(taxas, pago),
        status,
    )
    return Row(cells, style=style)


FUNNEL_MONTHS: Final = 6
FUNNEL_COLUMNS = (
    Column("Mês de vencimento", Kind.MONTH, width=18),
    Column("Etapa alcançada", Kind.TEXT),
    Column("Qtde", Kind.INTEGER),
    Column("Valor", Kind.MONEY),
    Column("Conversão", Kind.PERCENT, key="conversao_pct"),
    Column("Etapa", Kind.INTEGER, shown=False),
)


def _funnel_section(cobrancas: pd.DataFrame) -> Section:
    """Build (b): how many charges reached each stage, all months first, then by due month."""
    live = cobrancas.loc[cobrancas["viva"], ["data_vencimento", "rank", "valor_centavos"]]
    rows = _funnel_rows(Cell("Total", Kind.TEXT), live, Style.SUBTOTAL)
    for period, part in live.groupby(live["data_vencimento"].dt.to_period("M")):
        rows += _funnel_rows(date(period.year, period.month, 1), part, Style.NORMAL)
    notes = ("Conversão: cobranças que chegaram à etapa / cobranças que chegaram à etapa anterior.",)
    return Section("cobrancas_funil", FUNNEL_COLUMNS, tuple(rows), title="Funil por mês de vencimento", notes=notes)


MATRIX_COLUMNS = (
    Column("Mês de vencimento", Kind.MONTH, width=18),
    *(Column(stage, Kind.INTEGER) for stage in STATUS_TEXTS),
    *(Column(f"% {stage}", Kind.PERCENT, key=f"conversao_{column_name(stage)}_pct") for stage in STATUS_TEXTS[1:]),
    Column("Valor", Kind.MONEY),
)


def _funnel_matrix(position: Position, cobrancas: pd.DataFrame) -> Section:
    """Show (b) with a row per due month: D's and the five before, then all months (also those before and after)."""
    live = cobrancas.loc[cobrancas["viva"], ["data_vencimento", "rank", "valor_centavos"]]
    last = month_start(position.data_base)
    months = live["data_vencimento"].to_numpy().astype("datetime64[M]")
    rows = [
        Row((month, *_matrix_cells(live[months == np.datetime64(month, "M")])))
        for month in iter_months(add_months(last, 1 - FUNNEL_MONTHS), last)
    ]
    rows.append(Row((Cell("Todos os meses", Kind.TEXT), *_matrix_cells(live)), style=Style.TOTAL))
    notes = (
        "Quantas chegaram à etapa, sem canceladas. %: das que chegaram à anterior. Valor: das emitidas.",
        "Todos os meses: também os que vencem antes ou depois destes, mês a mês em mart.cobrancas_funil.",
    )
    title = "Funil por mês de vencimento: o que chegou a cada etapa"
    return Section("cobrancas_funil_meses", MATRIX_COLUMNS, tuple(rows), title=title, notes=notes)


def _matrix_cells(part: pd.DataFrame) -> tuple[Value, ...]:
    counts = [int((part["rank"] >= rank).sum()) for rank in range(1, len(STATUS_TEXTS) + 1)]
    shares = [ratio_pct(count, before) for before, count in pairwise(counts)]
    known = part.loc[part["rank"] >= 1, "valor_centavos"]
    return (*counts, *shares, to_decimal(int(known.sum())))


def _funnel_rows(label: date | Cell, part: pd.DataFrame, style: Style) -> list[Row]:
    rows = []
    before: int | None = None
    ranks, values = part["rank"].to_numpy(), part["valor_centavos"].to_numpy()
    for rank, stage in enumerate(STATUS_TEXTS, start=1):
        reached = values[ranks >= rank]
        share = None if before is None else ratio_pct(len(reached), before)
        valor = to_decimal(int(reached.sum()))
        rows.append(Row((label, f"{rank} {stage}", len(reached), valor, share, rank), style=style))
        before = len(reached)
    return rows


TIME_COLUMNS = (
    Column("Forma", Kind.TEXT),
    Column("Pagas com data", Kind.INTEGER),
    Column("Venc.→pagto média", Kind.NUMBER),
    Column("Venc.→pagto mediana", Kind.NUMBER),
    Column("Transferidas com data", Kind.INTEGER),
    Column("Pagto→transf. média", Kind.NUMBER),
    Column("Pagto→transf. mediana", Kind.NUMBER),
)


def _times_section(position: Position, cobrancas: pd.DataFrame) -> Section:
    """Build (c): days from due date to payment and from payment to transfer, per forma, live charges only."""
    live = cobrancas[cobrancas["viva"]]
    rows = [_times_row(label, part) for label, part in _split_by_forma(position, live)]
    rows.append(_times_row("Total", live, Style.TOTAL))
    notes = (
        "Dias corridos; adiantado é negativo. Data de pagamento: a maior dos lançamentos, se todos estão pagos;",
        "senão o dia em que uma execução viu a cobrança paga pela primeira vez.",
    )
    return Section("cobrancas_tempos", TIME_COLUMNS, tuple(rows), title="Tempos por forma (dias)", notes=notes)


def _times_row(label: str, part: pd.DataFrame, style: Style = Style.NORMAL) -> Row:
    cells: list[Value] = [label]
    for name in ("dias_venc_pagto", "dias_pagto_transf"):
        days = sorted(int(value) for value in part[name].dropna())
        cells += [len(days), _mean(days), _median(days)]
    return Row(tuple(cells), style=style)


def _mean(days: list[int]) -> Decimal | None:
    return Decimal(divide_half_up(10 * sum(days), len(days))).scaleb(-1) if days else None


def _median(days: list[int]) -> Decimal | None:
    if not days:
        return None
    middle = len(days) // 2
    twice = 2 * days[middle] if len(days) % 2 else days[middle - 1] + days[middle]
    return round_half_up(Decimal(twice) / 2, 1)


def _late_section(position: Position, cobrancas: pd.DataFrame) -> Section:
    """Build (d): pending charges due before D, by calendar days late."""
    data_base = pd.Timestamp(position.data_base)
    pending = cobrancas["viva"] & (cobrancas["rank"] == PENDENTE_RANK)
    late = cobrancas[pending & (cobrancas["data_vencimento"] < data_base)]
    days = (data_base - late["data_vencimento"]).dt.days
    ends = [30, 60, 90, 180]
    faixa = days.map(lambda value: FAIXAS[1 + sum(value > end for end in ends)])
    rows = [_count_row(label, late[faixa == label]) for label in FAIXAS[1:]]
    rows.append(_count_row("Total", late, Style.TOTAL))
    columns = (Column("Faixa", Kind.TEXT, width=24), Column("Qtde", Kind.INTEGER), Column("Valor", Kind.MONEY))
    return Section("cobrancas_pendentes_vencidas", columns, tuple(rows), title="Pendentes vencidas por faixa")


def _count_row(label: str, part: pd.DataFrame, style: Style = Style.NORMAL) -> Row:
    return Row((label, len(part), to_decimal(int(part["valor_centavos"].sum()))), style=style)


def _transit_section(cobrancas: pd.DataFrame) -> Section:
    """Build (e): net amounts of ranks 3 and 4 by the day the service announces for the transfer."""
    transit = cobrancas[is_in_transit(cobrancas)]
    rows = []
    for day, part in transit.groupby("data_a_transferir", dropna=False):
        net = int(part["liquido_centavos"].fillna(0).sum())
        rows.append(Row((as_date(day), len(part), to_decimal(net))))
    total = int(transit["liquido_centavos"].fillna(0).sum())
    rows.append(Row((Cell("Total", Kind.TEXT), len(transit), to_decimal(total)), style=Style.TOTAL))
    columns = (
        Column("Data a transferir", Kind.DATE, width=18),
        Column("Qtde", Kind.INTEGER),
        Column("Líquido", Kind.MONEY),
    )
    notes = ("Líquido = valor pago - taxa. Sem data: a transferência ainda não foi anunciada.",)
    return Section(
        "cobrancas_em_transito", columns, tuple(rows), title="Em trânsito por data a transferir", notes=notes
    )


DIFFERENCE_COLUMNS = (
    Column("Tipo", Kind.TEXT, width=18),
    Column("Cobrança", Kind.INTEGER, width=11, key="cobranca_id"),
    Column("Lançamentos", Kind.TEXT, width=18),
    Column("Cliente", Kind.TEXT),
    Column("Valor", Kind.MONEY),
    Column("Diferença", Kind.MONEY),
    Column("O que fazer", Kind.TEXT, shown=False),
    *id_columns("pessoa_id"),
)


def _difference_section(position: Position, entries: Entries, differences: Sequence[dict[str, Any]]) -> Section:
    """Build (g): the charge leads to its page, or to its row; the entries to the row of the first título."""
    rows = []
    for row in differences:
        number, url = row["cobranca_id"], row["link_publico"] or None
        charge = Link(number, url=url) if url else Link(number, sheet=DETAIL_SHEET, key=row_key("cobranca_id", number))
        cells = _difference_cells(position, row)
        titles = link_titulos(entries, [one for one in row["lancamentos"] if isinstance(one, int)], str(cells[2]))
        rows.append(Row((cells[0], charge, titles, *cells[3:])))
    title = f"Divergências ({count_text(len(rows), 'caso', 'casos')})"
    kinds = dict.fromkeys(row["tipo"] for row in differences)
    notes = tuple(f"{kind}: {ACTIONS[kind]}" for kind in kinds)
    return Section("cobrancas_divergencias", DIFFERENCE_COLUMNS, tuple(rows), title=title, notes=notes)


def _difference_table(position: Position, differences: Iterable[dict[str, Any]]) -> Table:
    return Table(
        "cobrancas_divergencias",
        DIFFERENCE_COLUMNS,
        tuple(_difference_cells(position, row) for row in differences),
        "R11 (g): uma divergência entre cobrança e lançamentos por linha (M1 a M11)",
    )


def _difference_cells(position: Position, row: dict[str, Any]) -> tuple[Value, ...]:
    return (
        row["tipo"],
        row["cobranca_id"],
        join_ids(row["lancamentos"]),
        position.rotulos.pessoa(row["cliente_id"]),
        to_decimal(row["valor_centavos"]),
        money_or_none(row["diferenca_centavos"]),
        ACTIONS[row["tipo"]],
        row["cliente_id"],
    )


SPEC: Final = ReportSpec(
    code="R11",
    name="cobrancas",
    sheet="Cobranças",
    title="Situação das cobranças",
    question="Onde está o dinheiro entre a emissão e o banco?",
    family=Family.OPEN,
    build=build_r11,
    printing=Printing.FIRST_PAGE,
    parts=(
        Part(DETAIL_SHEET, "Todas as cobranças", "Que cobrança é cada valor?", ("cobrancas_detalhe",), Printing.NONE),
    ),
    keys={
        "cobrancas_funil": ("mes_de_vencimento", "etapa"),
        "cobrancas_pendentes_vencidas": ("faixa",),
        "cobrancas_em_transito": ("data_a_transferir",),
        "cobrancas_detalhe": ("cobranca_id",),
        "cobrancas_divergencias": ("tipo", "cobranca_id"),
    },
    totalled=frozenset(
        {"cobrancas_por_status", "cobrancas_tempos", "cobrancas_pendentes_vencidas", "cobrancas_em_transito"}
    ),
    summed=frozenset({"cobrancas_pendentes_vencidas", "cobrancas_em_transito"}),
)
