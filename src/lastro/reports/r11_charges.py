"""R11 Situação das cobranças: where the money is between issue and bank, and where charges and entries differ (S12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.charges import ACTIONS, PENDENTE_RANK, add_payment, find_differences, is_in_transit
from lastro.calendar import add_months, iter_months, month_start
from lastro.folding import sort_key
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.charts import BALANCE_COLOUR, Chart, ChartKind, Series, keep_drawable, shorten
from lastro.grid.pivot import build_section, list_rows, show_totals, total_columns
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import Column, Table
from lastro.grid.words import column_name, count_text
from lastro.grid.workbook import Family, Report
from lastro.money import decimal_or_none, divide_half_up, ratio_pct, round_half_up, to_decimal
from lastro.reports.shared.charge_detail import (
    STATUS_LABELS,
    STATUS_TEXTS,
    build_charge_detail,
    join_ids,
    link_titulos,
    status_label,
)
from lastro.reports.shared.drill_down import Entries
from lastro.reports.spec import ReportSpec
from lastro.transform.charges import CANCELADO, RANKS
from lastro.transform.position import FAIXAS, Position, as_date, find_faixas

if TYPE_CHECKING:
    from lastro.reports.view import View


def build_r11(view: View) -> Report:
    """Build R11.

    Returns:
        Sections and tables `cobrancas_por_status` (status x forma), `cobrancas_funil` (funnel), `cobrancas_tempos`
        (times), `cobrancas_pendentes_vencidas` (late and pending), `cobrancas_em_transito` (in transit),
        and `cobrancas_divergencias` (differences, which come first: they are what to act on). Every charge is in SQL
        alone (`cobrancas_detalhe`). Of the funnel the sheet shows a matrix, `cobrancas_funil_meses`. A chart of it.
    """
    position = view.position
    cobrancas = add_payment(position)
    status, all_charges = _build_status(position, cobrancas)
    funnel = _build_funnel(cobrancas)
    months, all_months = _build_funnel_months(position, funnel)
    times, late, transit = (
        _build_times(position, cobrancas),
        _build_late(position, cobrancas),
        _build_transit(cobrancas),
    )
    charges = build_charge_detail(position, cobrancas)
    by_rule = find_differences(position)
    differences = _build_differences(position, by_rule)
    return SPEC.report(
        sections=(
            _show_differences(differences, view.entries, by_rule),
            _show_status(status, all_charges),
            _show_funnel_months(months, all_months),
            _show_late(late),
            _show_transit(transit),
            _show_times(times, cobrancas),
        ),
        tables=(status, all_charges, months, all_months, funnel, times, late, transit, charges, differences),
        charts=keep_drawable(_build_chart(funnel)),
    )


def _build_chart(funnel: Table) -> Chart:
    """Draw the amount of the charges that reached each stage, all due months together."""
    sums = dict.fromkeys(STAGES, to_decimal(0))
    for stage, amount in list_rows(funnel, ("etapa_alcancada", "valor")):
        sums[str(stage)] += Decimal(str(amount))
    return Chart(
        "Funil das cobranças: valor que chegou a cada etapa",
        ChartKind.BAR,
        tuple(map(shorten, sums)),
        (Series("Valor", tuple(sums.values()), BALANCE_COLOUR),),
        after="cobrancas_por_status",
    )


STATUS_COLUMNS = (
    Column("Status", Kind.TEXT, width=24),
    Column("Forma", Kind.TEXT),
    Column("Qtde", Kind.INTEGER),
    Column("Valor", Kind.MONEY),
    Column("Pago", Kind.MONEY, "o que os clientes pagaram, positivo"),
    Column("Taxas", Kind.MONEY, "tarifas do serviço, positivas; conhecidas depois do pagamento"),
    Column("Líquido", Kind.MONEY),
    Column("Taxa %", Kind.PERCENT, "taxas / pago; nula sem pagamento"),
    Column(
        "Código do status",
        Kind.TEXT,
        "a situação em código: agendado, pendente, cliente_pagou, transferindo, transferido, cancelado",
        key="status_codigo",
        shown=False,
    ),
)


def _build_status(position: Position, cobrancas: pd.DataFrame) -> tuple[Table, Table]:
    """Build (a): status x forma, cancelled charges last in a row of their own; and its totals, without cancelled."""
    live = cobrancas[cobrancas["viva"]]
    rows = []
    # Unknown statuses have rank 0 and stand after the known ones.
    for status in sorted(live["status"].unique(), key=lambda text: (RANKS.get(text, len(RANKS) + 1), text)):
        of_status = live[live["status"] == status]
        rows += [
            (status_label(status), label, *_sum_charges(part), status)
            for label, part in _split_by_forma(position, of_status)
        ]
    cancelled = cobrancas[~cobrancas["viva"]]
    if len(cancelled):
        rows.append((STATUS_LABELS[CANCELADO], "Todas", *_sum_charges(cancelled), CANCELADO))
    totals = [("total", "Total", *_sum_charges(live))]
    orphans = live[[not titulos for titulos in live["titulo_ids"]]]
    if len(orphans):
        totals.append(("sem_lancamento", "Cobranças sem lançamento", *_sum_charges(orphans)))
    comment = "R11 (a): cobranças por situação e forma; canceladas em linha própria (S12)"
    of_totals = "R11 (a): todas as cobranças, sem canceladas; e as que não têm lançamento"
    return (
        Table("cobrancas_por_status", STATUS_COLUMNS, rows, comment),
        Table("cobrancas_por_status_total", total_columns(STATUS_COLUMNS), totals, of_totals),
    )


def _show_status(table: Table, totals: Table) -> Section:
    """Print (a): the cancelled charges stand below the total that leaves them out."""
    code = table.place("status_codigo")
    total, *memo = show_totals(totals, table.columns)
    rows = (
        *(Row(cells) for cells in table.rows if cells[code] != CANCELADO),
        total,
        *(Row(cells) for cells in table.rows if cells[code] == CANCELADO),
        *memo,
    )
    notes = (
        "Taxas: só das cobranças pagas. Canceladas ficam fora do total.",
        "O valor das cobranças nunca se soma às contas a receber: elas só anotam os lançamentos (S9).",
    )
    return Section(table.name, table.columns, rows, title="Situação x forma de cobrança", notes=notes)


def _split_by_forma(position: Position, cobrancas: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Split charges by payment method: label and rows, sorted by label, ties by id, none given last."""
    forma = cobrancas["forma_pagamento_id"]
    labels = {int(forma_id): position.rotulos.forma(forma_id) for forma_id in forma.dropna().unique()}
    ordered = sorted(labels, key=lambda forma_id: (sort_key(labels[forma_id]), forma_id))
    parts = [(labels[forma_id], cobrancas[(forma == forma_id).fillna(value=False)]) for forma_id in ordered]
    if forma.isna().any():
        parts.append((position.rotulos.forma(None), cobrancas[forma.isna()]))
    return parts


def _sum_charges(part: pd.DataFrame) -> tuple[Value, ...]:
    """Return how many charges there are and what they come to: the columns from `qtde` to `taxa_pct`."""
    paid = part[part["paga"]]
    pago = int(paid["valor_pago_centavos"].fillna(0).sum())
    taxas = int(paid["taxa_centavos"].sum())
    liquido = int(paid["liquido_centavos"].fillna(0).sum())
    amounts = (int(part["valor_centavos"].sum()), pago, taxas, liquido)
    return (len(part), *map(to_decimal, amounts), ratio_pct(taxas, pago))


FUNNEL_MONTHS: Final = 6
FUNNEL_COLUMNS = (
    Column("Mês de vencimento", Kind.MONTH, width=18),
    Column("Etapa alcançada", Kind.TEXT, "número e nome da etapa"),
    Column("Qtde", Kind.INTEGER),
    Column("Valor", Kind.MONEY, "soma das cobranças que chegaram à etapa, positiva; cada etapa contém as seguintes"),
    Column(
        "Conversão",
        Kind.PERCENT,
        "quantas das que chegaram à etapa anterior chegaram a esta; nula sem nenhuma antes",
        key="conversao_pct",
    ),
    Column("Etapa", Kind.INTEGER, "número da etapa, 1 a 5; cada uma contém as seguintes", shown=False),
)


STAGES: Final = tuple(f"{rank} {stage}" for rank, stage in enumerate(STATUS_TEXTS, start=1))


def _build_funnel(cobrancas: pd.DataFrame) -> Table:
    """Build (b): how many charges reached each stage, by due month."""
    live = cobrancas.loc[cobrancas["viva"], ["data_vencimento", "rank", "valor_centavos"]]
    rows: list[tuple[Value, ...]] = []
    for period, part in live.groupby(live["data_vencimento"].dt.to_period("M")):
        month, before = date(period.year, period.month, 1), 0
        ranks, values = part["rank"].to_numpy(), part["valor_centavos"].to_numpy()
        for rank, stage in enumerate(STAGES, start=1):
            reached = values[ranks >= rank]
            share = ratio_pct(len(reached), before)  # of those before the first stage nothing is known
            rows.append((month, stage, len(reached), to_decimal(int(reached.sum())), share, rank))
            before = len(reached)
    comment = "R11 (b): funil por mês de vencimento, sem canceladas: quantas chegaram a cada etapa"
    return Table("cobrancas_funil", FUNNEL_COLUMNS, rows, comment)


_REACHED: Final = (
    "quantas cobranças do mês foram agendadas",
    "quantas chegaram a pendente",
    "quantas o cliente pagou",
    "quantas chegaram à transferência",
    "quantas chegaram à conta",
)
_SHARES: Final = (
    "das agendadas, as que ficaram pendentes",
    "das pendentes, as pagas pelo cliente",
    "das pagas, as em transferência",
    "das em transferência, as transferidas",
)
"""What SQL is told of each stage, and of its part of the one before."""
MATRIX_COLUMNS = (
    Column("Mês de vencimento", Kind.MONTH, width=18),
    *(Column(stage, Kind.INTEGER, about) for stage, about in zip(STATUS_TEXTS, _REACHED, strict=True)),
    *(
        Column(f"% {stage}", Kind.PERCENT, about, key=f"conversao_{column_name(stage)}_pct")
        for stage, about in zip(STATUS_TEXTS[1:], _SHARES, strict=True)
    ),
    Column("Valor", Kind.MONEY),
)


def _build_funnel_months(position: Position, funnel: Table) -> tuple[Table, Table]:
    """Build (b) with a row per due month, D's and the five before; and all months, also those before and after."""
    last = month_start(position.data_base)
    stages = list_rows(funnel, ("mes_de_vencimento", "etapa", "qtde", "valor"))
    rows = [
        (month, *_matrix_cells([cells for due, *cells in stages if due == month]))
        for month in iter_months(add_months(last, 1 - FUNNEL_MONTHS), last)
    ]
    total = ("total", "Todos os meses", *_matrix_cells([cells for _, *cells in stages]))
    comment = "R11 (b): funil dos últimos seis meses de vencimento, uma etapa por coluna"
    of_total = "R11 (b): funil de todos os meses de vencimento, sem canceladas"
    return (
        Table("cobrancas_funil_meses", MATRIX_COLUMNS, rows, comment),
        Table("cobrancas_funil_meses_total", total_columns(MATRIX_COLUMNS), (total,), of_total),
    )


def _show_funnel_months(table: Table, totals: Table) -> Section:
    notes = (
        "Quantas chegaram à etapa, sem canceladas. %: das que chegaram à anterior. Valor: das emitidas.",
        "Todos os meses: também os que vencem antes ou depois destes, mês a mês em mart.cobrancas_funil.",
    )
    title = "Funil por mês de vencimento: o que chegou a cada etapa"
    return build_section(table, show_totals(totals, table.columns), title=title, notes=notes)


def _matrix_cells(stages: Iterable[Sequence[Any]]) -> tuple[Value, ...]:
    """Lay rows of the funnel out side by side: rank, count and amount of a stage in a month."""
    counts, valor = [0] * len(STAGES), to_decimal(0)
    for rank, count, amount in stages:
        counts[rank - 1] += count
        valor += amount if rank == 1 else 0
    shares = [ratio_pct(count, before) for before, count in pairwise(counts)]
    return (*counts, *shares, valor)


TIME_COLUMNS = (
    Column("Forma", Kind.TEXT),
    Column("Pagas com data", Kind.INTEGER, "quantas cobranças pagas têm o dia do pagamento"),
    Column("Venc.→pagto média", Kind.NUMBER, "média dos dias do vencimento ao pagamento"),
    Column("Venc.→pagto mediana", Kind.NUMBER, "mediana dos dias do vencimento ao pagamento"),
    Column("Transferidas com data", Kind.INTEGER, "quantas cobranças transferidas têm o dia da transferência"),
    Column("Pagto→transf. média", Kind.NUMBER, "média dos dias do pagamento à transferência"),
    Column("Pagto→transf. mediana", Kind.NUMBER, "mediana dos dias do pagamento à transferência"),
)


def _build_times(position: Position, cobrancas: pd.DataFrame) -> Table:
    """Build (c): days from due date to payment and from payment to transfer, per forma, live charges only."""
    live = cobrancas[cobrancas["viva"]]
    rows = [_times_cells(label, part) for label, part in _split_by_forma(position, live)]
    comment = "R11 (c): dias do vencimento ao pagamento e do pagamento à transferência, por forma"
    return Table("cobrancas_tempos", TIME_COLUMNS, rows, comment)


def _show_times(table: Table, cobrancas: pd.DataFrame) -> Section:
    """Print (c) and all formas together, whose mean and median no table has."""
    total = Row(_times_cells("Total", cobrancas[cobrancas["viva"]]), style=Style.TOTAL)
    notes = (
        "Dias corridos; adiantado é negativo. Data de pagamento: a maior dos lançamentos, se todos estão pagos;",
        "senão o dia em que uma execução viu a cobrança paga pela primeira vez.",
    )
    return build_section(table, (total,), title="Tempos por forma (dias)", notes=notes)


def _times_cells(label: str, part: pd.DataFrame) -> tuple[Value, ...]:
    cells: list[Value] = [label]
    for name in ("dias_venc_pagto", "dias_pagto_transf"):
        days = sorted(int(value) for value in part[name].dropna())
        cells += [len(days), _mean(days), _median(days)]
    return tuple(cells)


def _mean(days: list[int]) -> Decimal | None:
    return Decimal(divide_half_up(10 * sum(days), len(days))).scaleb(-1) if days else None


def _median(days: list[int]) -> Decimal | None:
    if not days:
        return None
    middle = len(days) // 2
    twice = 2 * days[middle] if len(days) % 2 else days[middle - 1] + days[middle]
    return round_half_up(Decimal(twice) / 2, 1)


def _build_late(position: Position, cobrancas: pd.DataFrame) -> Table:
    """Build (d): pending charges due before D, by calendar days late."""
    data_base = pd.Timestamp(position.data_base)
    pending = cobrancas["viva"] & (cobrancas["rank"] == PENDENTE_RANK)
    late = cobrancas[pending & (cobrancas["data_vencimento"] < data_base)]
    faixa = find_faixas((data_base - late["data_vencimento"]).dt.days)
    parts = [late.loc[faixa == label, "valor_centavos"] for label in FAIXAS[1:]]
    return Table.of(
        "cobrancas_pendentes_vencidas",
        (
            (Column("Faixa", Kind.TEXT, width=24), FAIXAS[1:]),
            (Column("Qtde", Kind.INTEGER), [len(part) for part in parts]),
            (Column("Valor", Kind.MONEY), [to_decimal(int(part.sum())) for part in parts]),
        ),
        "R11 (d): cobranças pendentes e vencidas, por faixa de atraso",
    )


def _show_late(table: Table) -> Section:
    return build_section(table, total_of=("qtde", "valor"), title="Pendentes vencidas por faixa")


def _build_transit(cobrancas: pd.DataFrame) -> Table:
    """Build (e): net amounts of ranks 3 and 4 by the day the service announces for the transfer."""
    transit = cobrancas[is_in_transit(cobrancas)]
    parts = list(transit.groupby("data_a_transferir", dropna=False)["liquido_centavos"])
    return Table.of(
        "cobrancas_em_transito",
        (
            (Column("Data a transferir", Kind.DATE, width=18), [as_date(day) for day, _ in parts]),
            (Column("Qtde", Kind.INTEGER), [len(part) for _, part in parts]),
            (Column("Líquido", Kind.MONEY), [to_decimal(int(part.fillna(0).sum())) for _, part in parts]),
        ),
        "R11 (e): valor líquido pago pelo cliente e ainda não transferido, por data prevista",
    )


def _show_transit(table: Table) -> Section:
    notes = ("Líquido = valor pago - taxa. Sem data: a transferência ainda não foi anunciada.",)
    return build_section(table, total_of=("qtde", "liquido"), title="Em trânsito por data a transferir", notes=notes)


def _build_differences(position: Position, differences: Iterable[dict[str, Any]]) -> Table:
    return Table.of(
        "cobrancas_divergencias",
        (
            (Column("Tipo", Kind.TEXT, "M1 a M11 (R11 g)", width=18), [row["tipo"] for row in differences]),
            (
                Column("Cobrança", Kind.INTEGER, width=11, key="cobranca_id"),
                [row["cobranca_id"] for row in differences],
            ),
            (
                Column("Lançamentos", Kind.TEXT, "números dos lançamentos envolvidos, separados por vírgula", width=18),
                [join_ids(row["lancamentos"]) for row in differences],
            ),
            (Column("Cliente", Kind.TEXT), [position.rotulos.pessoa(row["cliente_id"]) for row in differences]),
            (
                Column("Valor", Kind.MONEY, "valor da cobrança, positivo"),
                [to_decimal(row["valor_centavos"]) for row in differences],
            ),
            (Column("Diferença", Kind.MONEY), [decimal_or_none(row["diferenca_centavos"]) for row in differences]),
            (
                Column("O que fazer", Kind.TEXT, "onde e como corrigir no serviço", width=60),
                [ACTIONS[row["tipo"]] for row in differences],
            ),
            (Column("Pessoa id", Kind.INTEGER, shown=False), [row["cliente_id"] for row in differences]),
        ),
        "R11 (g): uma divergência entre cobrança e lançamentos por linha (M1 a M11)",
    )


def _show_differences(table: Table, entries: Entries, differences: Sequence[dict[str, Any]]) -> Section:
    """Print (g): the charge leads to its page; the entries to the row of the first título."""
    links: dict[str, Sequence[Value]] = {
        "cobranca_id": [
            Link(int(difference["cobranca_id"]), url=difference["link_publico"] or None) for difference in differences
        ],
        "lancamentos": [_link_entries(entries, difference["lancamentos"]) for difference in differences],
    }
    title = f"Divergências ({count_text(len(differences), 'caso', 'casos')})"
    return build_section(table, title=title, links=links)


def _link_entries(entries: Entries, lancamentos: Sequence[object]) -> Link | str:
    return link_titulos(
        entries, [lancamento for lancamento in lancamentos if isinstance(lancamento, int)], join_ids(lancamentos)
    )


SPEC: Final = ReportSpec(
    code="R11",
    name="cobrancas",
    title="Situação das cobranças",
    question="Onde está o dinheiro entre a emissão e o banco?",
    family=Family.OPEN,
    builder=build_r11,
    keys={
        "cobrancas_por_status_total": ("codigo",),
        "cobrancas_funil_meses_total": ("codigo",),
        "cobrancas_funil": ("mes_de_vencimento", "etapa"),
        "cobrancas_pendentes_vencidas": ("faixa",),
        "cobrancas_em_transito": ("data_a_transferir",),
        "cobrancas_detalhe": ("cobranca_id",),
        "cobrancas_divergencias": ("tipo", "cobranca_id"),
    },
    totalled=True,
)
