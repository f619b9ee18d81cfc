"""R13 Previsto x realizado: how good the forecast was, and why it missed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.analysis.cash_series import Blocks, find_blocks, link_to_lancamentos
from lastro.analysis.frames import records_of
from lastro.analysis.versions import KEY, add_identity
from lastro.calendar import add_months, month_end, month_start, week_start
from lastro.grid.charts import keep_drawable, read_figures, read_labels
from lastro.grid.model import (
    BALANCE_COLOUR,
    BALANCE_TINT,
    Chart,
    ChartKind,
    Column,
    Kind,
    Link,
    Report,
    Row,
    Section,
    Series,
    Style,
    Table,
    Value,
    format_date,
    month_label,
)
from lastro.money import ratio_pct, to_decimal

if TYPE_CHECKING:
    from lastro.transform.position import Position

SHEET: Final = "Previsto x realizado"
LEADS: Final = (0, 7, 30, 60, 90)
"""Days between the forecast and the first day of the period; 0 takes the eve."""
PAST_WEEKS: Final = 4
TOP: Final = 20
NO_HISTORY: Final = "sem histórico"
PREVISTO, REALIZADO = "Previsto", "Realizado"

VALOR, EXCLUIDOS, A_REALIZAR, ADIADOS = "Mudança de valor", "Excluídos", "A realizar", "Adiados"
PAGOS_ANTES, OUTROS_PREVISTO = "Pagos antes", "Outros (previsto)"
NOVOS, ANTECIPADOS, RECUPERADOS, OUTROS_REALIZADO = (
    "Novos",
    "Antecipados",
    "Atrasados recuperados",
    "Outros (realizado)",
)
CLASSES: Final = {
    VALOR: "previsto e realizado; o valor mudou",
    EXCLUIDOS: "previsto; não existe mais",
    A_REALIZAR: "previsto; em aberto e ainda vence no período",
    ADIADOS: "previsto; em aberto com outra data, ou pago depois do período",
    PAGOS_ANTES: "previsto; pago antes do período",
    OUTROS_PREVISTO: "previsto; pago no período, fora do caixa ou como transferência",
    NOVOS: "realizado; não existia na previsão",
    ANTECIPADOS: "realizado; vencia depois do período",
    RECUPERADOS: "realizado; vencia até o fim do período e já não era esperado nele",
    OUTROS_REALIZADO: "realizado; constava como pago na previsão",
}
"""The classes of the waterfall, in order, and what they hold; each linha is in exactly one."""


@dataclass(frozen=True)
class Period:
    """A span of days whose forecast is held against what happened.

    Attributes:
        label: as printed.
        first: P0.
        last: P1; the data-base in a span that is not over.
    """

    label: str
    first: date
    last: date


@dataclass(frozen=True)
class Forecast:
    """Which stored run forecast a period from how far ahead.

    Attributes:
        period: P.
        lead: L in days.
        execucao_id: run S, or None without history.
    """

    period: Period
    lead: int
    execucao_id: int | None


def list_periods(data_base: date) -> tuple[Period, ...]:
    """List the periods R13 shows: D's month up to D, the month before, D's week up to D and four weeks before.

    >>> [period.label for period in list_periods(date(2026, 3, 16))][:3]
    ['mar/26 até 16/03/2026', 'fev/26', 'Sem 12 até 16/03/2026']
    """
    month, before = month_start(data_base), add_months(month_start(data_base), -1)
    periods = [
        Period(f"{month_label(month)} até {format_date(data_base)}", month, data_base),
        Period(month_label(before), before, month_end(before)),
    ]
    for back in range(PAST_WEEKS + 1):
        first = week_start(data_base) - timedelta(days=7 * back)
        label = f"Sem {first.isocalendar().week:02d}"
        if back == 0:
            periods.append(Period(f"{label} até {format_date(data_base)}", first, data_base))
        else:
            periods.append(Period(label, first, first + timedelta(days=6)))
    return tuple(periods)


def choose_run(runs: Mapping[int, date], first: date, lead: int) -> int | None:
    """Choose run S: the latest complete run up to P0-L, for L=0 up to the eve of P0 (R13).

    Args:
        runs: execucao_id -> day of the extraction, complete runs only.
        first: P0.
        lead: L.
    """
    limit = first - timedelta(days=max(lead, 1))
    usable = [(day, number) for number, day in runs.items() if day <= limit]
    return max(usable)[1] if usable else None


def plan_forecasts(data_base: date, runs: Mapping[int, date]) -> tuple[Forecast, ...]:
    """Say which stored run each period and lead needs, so that the caller can read them.

    Args:
        data_base: D.
        runs: execucao_id -> day of the extraction, complete runs only.
    """
    return tuple(
        Forecast(period, lead, choose_run(runs, period.first, lead))
        for period in list_periods(data_base)
        for lead in LEADS
    )


def find_forecast(before: Position, first: date, last: date) -> pd.DataFrame:
    """Find p: what run S expected in P (R13).

    Args:
        before: the position of S as of its own day.
        first: P0.
        last: P1.

    Returns:
        The rows of `before.linhas` that were expected: open, not overdue, due in P; and caixa in P up to S when S lies
        inside P. Transfers out.
    """
    linhas = before.linhas
    begin, end = pd.Timestamp(first), pd.Timestamp(last)
    due = linhas["data_prevista"]
    expected = ~linhas["pago"] & ~linhas["vencido"] & (due >= begin) & (due <= end)
    paid = linhas["data_pagamento"]
    done = linhas["caixa"] & (paid >= begin) & (paid <= min(end, pd.Timestamp(before.data_base)))
    return linhas[(expected | done) & ~linhas["transferencia"]]


def find_actual(position: Position, first: date, last: date) -> pd.DataFrame:
    """Find r: the caixa linhas in P as of D (R13). Transfers out."""
    linhas = position.linhas
    paid = linhas["data_pagamento"]
    inside = linhas["caixa"] & (paid >= pd.Timestamp(first)) & (paid <= pd.Timestamp(last))
    return linhas[inside & ~linhas["transferencia"]]


def compare_period(position: Position, before: Position, first: date, last: date) -> pd.DataFrame:
    """Hold what run S expected in P against what happened, linha by linha (R13, table 2).

    Args:
        position: as of D.
        before: run S, as of its own day.
        first: P0.
        last: P1.

    Returns:
        One row per linha expected or realised: chave_composto, linha_id, previsto (bool), realizado (bool),
        previsto_centavos, realizado_centavos (0 where it is not in that set), desvio, and of its row at D (else at S):
        classe_fluxo, categoria_id, pessoa_id, descricao, fora_resultado; `existe` (still present at D).
    """
    expected, happened = find_forecast(before, first, last), find_actual(position, first, last)
    ids = np.union1d(expected["linha_id"].to_numpy(), happened["linha_id"].to_numpy())
    then, here = add_identity(_with_ids(before.linhas, ids), _with_ids(position.linhas, ids))
    then = then.assign(previsto=then["posicao"].isin(expected.index))
    here = here.assign(realizado=here["posicao"].isin(happened.index))
    # Nullable integers: an outer join would turn centavos into floats.
    then, here = (side.astype({"valor_centavos": "Int64"}) for side in (then, here))
    columns = [*KEY, "valor_centavos", "pago", "data_pagamento", "data_prevista", *_SHOWN]
    both = then[[*columns, "previsto"]].merge(
        here[[*columns, "realizado"]], on=KEY, how="outer", suffixes=("_antes", "_agora")
    )
    both["existia"] = both["previsto"].notna()
    both["existe"] = both["realizado"].notna()
    for name in ("previsto", "realizado", "pago_antes", "pago_agora"):
        both[name] = both[name].fillna(value=False).astype(bool)
    both = both[both["previsto"] | both["realizado"]].reset_index(drop=True)
    both["previsto_centavos"] = both["valor_centavos_antes"].where(both["previsto"], 0).fillna(0).astype("int64")
    both["realizado_centavos"] = both["valor_centavos_agora"].where(both["realizado"], 0).fillna(0).astype("int64")
    both["desvio"] = _find_classes(both, pd.Timestamp(first), pd.Timestamp(last), pd.Timestamp(position.data_base))
    for name in _SHOWN:
        label = "classe_fluxo" if name == "classe" else name
        both[label] = both[f"{name}_agora"].where(both["existe"], both[f"{name}_antes"])
    kept = [*KEY, "previsto", "realizado", "previsto_centavos", "realizado_centavos", "desvio", "existe"]
    shown = ["classe_fluxo", "categoria_id", "pessoa_id", "descricao", "fora_resultado"]
    return both[[*kept, *shown]].sort_values(KEY, ignore_index=True)


_SHOWN = ("classe", "categoria_id", "pessoa_id", "descricao", "fora_resultado")


def _with_ids(linhas: pd.DataFrame, ids: np.ndarray[tuple[int], np.dtype[np.int64]]) -> pd.DataFrame:
    chosen = linhas[linhas["linha_id"].isin(ids)]
    return chosen.assign(posicao=chosen.index)


def _find_classes(both: pd.DataFrame, begin: pd.Timestamp, end: pd.Timestamp, day: pd.Timestamp) -> pd.Series:
    """Put each linha in its class: the first that holds."""
    due, paid = both["data_prevista_agora"], both["data_pagamento_agora"]
    open_now = ~both["pago_agora"]
    classes = np.select(
        [
            both["previsto"] & both["realizado"],
            both["previsto"] & ~both["existe"],
            both["previsto"] & open_now & (due >= begin) & (due <= end) & (due >= day),
            both["previsto"] & (open_now | (paid > end)),
            both["previsto"] & (paid < begin),
            both["previsto"],
            ~both["existia"],
            both["pago_antes"],
            both["data_prevista_antes"] > end,
        ],
        [
            VALOR,
            EXCLUIDOS,
            A_REALIZAR,
            ADIADOS,
            PAGOS_ANTES,
            OUTROS_PREVISTO,
            NOVOS,
            OUTROS_REALIZADO,
            ANTECIPADOS,
        ],
        RECUPERADOS,
    )
    return pd.Series(classes, index=both.index, dtype=object)


@dataclass(frozen=True)
class Accuracy:
    """How well one forecast did (R13, table 1); centavos, `fora` left out; the inner grain is the category.

    Attributes:
        previsto: sum of p.
        realizado: sum of r.
        erro_absoluto: sum over categories of |r-p|.
        maiores: sum over categories of max(|p|, |r|).
        previsto_absoluto: sum over categories of |p|.
        realizado_absoluto: sum over categories of |r|.
    """

    previsto: int
    realizado: int
    erro_absoluto: int
    maiores: int
    previsto_absoluto: int
    realizado_absoluto: int

    @property
    def erro(self) -> int:
        """Realised minus expected."""
        return self.realizado - self.previsto

    @property
    def wape(self) -> Decimal | None:
        """Weighted absolute error in percent of what happened; None when nothing did."""
        return ratio_pct(self.erro_absoluto, self.realizado_absoluto)

    @property
    def aderencia(self) -> Decimal | None:
        """Share of the larger of both that agrees, 0 to 100 percent; None when both are nothing."""
        return ratio_pct(self.maiores - self.erro_absoluto, self.maiores)

    @property
    def vies(self) -> Decimal | None:
        """Signed error in percent of what was expected; None when nothing was."""
        return ratio_pct(self.erro, self.previsto_absoluto)


def measure_accuracy(position: Position, before: Position, first: date, last: date) -> Accuracy:
    """Measure a forecast by category, `fora` left out (R13, table 1)."""
    sums = pd.DataFrame(
        {
            "p": _sum_by_category(find_forecast(before, first, last)),
            "r": _sum_by_category(find_actual(position, first, last)),
        }
    )
    sums = sums.fillna(0).astype("int64")
    p, r = sums["p"], sums["r"]
    return Accuracy(
        previsto=int(p.sum()),
        realizado=int(r.sum()),
        erro_absoluto=int((r - p).abs().sum()),
        maiores=int(np.maximum(p.abs(), r.abs()).sum()),
        previsto_absoluto=int(p.abs().sum()),
        realizado_absoluto=int(r.abs().sum()),
    )


def _sum_by_category(linhas: pd.DataFrame) -> pd.Series:
    counted = linhas[~linhas["fora_resultado"]]
    # 0 stands for "Sem categoria": 0 is no id (S1).
    return counted["valor_centavos"].groupby(counted["categoria_id"].fillna(0).astype("int64")).sum()


def build_r13(position: Position, forecasts: Sequence[Forecast], before: Mapping[int, Position]) -> Report:
    """Build R13.

    Args:
        position: as of D.
        forecasts: as planned by `plan_forecasts`.
        before: execucao_id -> position of that run as of its own day, for every run that `forecasts` names. Its
            linhas may be only those expected in some period or that D has as paid in one, with their títulos whole.

    Returns:
        Tables `r13_a` accuracy per period and lead, `r13_b` waterfall, `r13_c` the largest differences and `r13_d` due
        and paid per due month, which the sheet shows when no run is old enough. A chart of expected and realised.
    """
    accuracy = _build_accuracy(position, forecasts, before)
    main = _main_forecast(forecasts)
    compared = None
    if main is not None and main.execucao_id is not None:
        compared = compare_period(position, before[main.execucao_id], main.period.first, main.period.last)
    since = None if main is None or main.execucao_id is None else before[main.execucao_id].data_base
    waterfall = _build_waterfall(main, since, compared)
    largest = _build_largest(position, main, compared)
    due = _build_due_and_paid(position)
    sections = (accuracy, due) if compared is None else (accuracy, waterfall, largest)
    return Report(
        code="R13",
        sheet=SHEET,
        title="Previsto x realizado",
        question="A previsão é boa, e por que errou?",
        sections=sections,
        tables=(
            _table(
                accuracy, "R13: um período e uma antecedência; realizado contra previsto, sem transferências e fora"
            ),
            _table(waterfall, "R13: do previsto ao realizado do período principal, cada linha numa só classe"),
            _table(largest, "R13: as 20 linhas com maior diferença no período principal", {"lancamento": Kind.INTEGER}),
            _table(due, "R13: títulos por mês de vencimento e tipo: quando foram pagos"),
        ),
        charts=_build_charts(accuracy),
    )


def _build_charts(accuracy: Section) -> tuple[Chart, ...]:
    """Draw the accuracy of the shortest lead that has history; none without history."""
    previsto, lead = accuracy.place("previsto"), accuracy.place("antecedencia_dias")
    for days in LEADS:
        rows = [row for row in accuracy.rows if row.cells[lead] == days and row.cells[previsto] is not None]
        if rows:
            return keep_drawable(_build_chart(accuracy, rows, days))
    return ()


def _build_chart(accuracy: Section, rows: Sequence[Row], days: int) -> Chart:
    """Pair expected and realised of each period."""
    moment = "na véspera" if days == 0 else f"{days} dias antes"
    return Chart(
        f"Previsto ({moment}) x realizado por período",
        ChartKind.COLUMN,
        read_labels(accuracy, "periodo", rows),
        (
            Series(PREVISTO, read_figures(accuracy, "previsto", rows), BALANCE_TINT),
            Series(REALIZADO, read_figures(accuracy, "realizado", rows), BALANCE_COLOUR),
        ),
        after=accuracy.name,
    )


def _main_forecast(forecasts: Iterable[Forecast]) -> Forecast | None:
    """Return the forecast of the waterfall: the first period (D's month) from its eve."""
    return next((forecast for forecast in forecasts if forecast.lead == LEADS[0]), None)


def _build_accuracy(position: Position, forecasts: Sequence[Forecast], before: Mapping[int, Position]) -> Section:
    rows = []
    for forecast in forecasts:
        period = forecast.period
        head: tuple[Value, ...] = (period.label, period.first, period.last, forecast.lead)
        if forecast.execucao_id is None:
            rows.append(Row((*head, NO_HISTORY, None, *(None,) * 6)))
            continue
        run = before[forecast.execucao_id]
        found = measure_accuracy(position, run, period.first, period.last)
        amounts = (to_decimal(found.previsto), to_decimal(found.realizado), to_decimal(found.erro))
        shown = f"Execução {forecast.execucao_id}"
        rows.append(Row((*head, shown, run.data_base, *amounts, found.wape, found.aderencia, found.vies)))
    return Section(
        "r13_a",
        (
            Column("Período", Kind.TEXT, width=26),
            Column("De", Kind.DATE),
            Column("Até", Kind.DATE),
            Column("Antecedência (dias)", Kind.INTEGER),
            Column("Previsão", Kind.TEXT, width=16),
            Column("Previsão de", Kind.DATE),
            Column("Previsto", Kind.MONEY),
            Column("Realizado", Kind.MONEY),
            Column("Erro", Kind.MONEY),
            Column("WAPE", Kind.PERCENT),
            Column("Aderência", Kind.PERCENT),
            Column("Viés", Kind.PERCENT),
        ),
        tuple(rows),
        title="Acerto da previsão por período e antecedência",
        notes=(
            (
                "Erro = realizado - previsto. WAPE = soma de |r-p| / soma de |r|; aderência = 1 - soma de |r-p| / soma "
                "de max(|p|, |r|); viés = soma de (r-p) / soma de |p|; somas por categoria, sem transferências e sem "
                "categorias fora do resultado."
            ),
            (
                "Previsto: em aberto, não vencido e previsto para o período na última execução completa até o início "
                "do período menos a antecedência (0 = até a véspera). Períodos não encerrados vão até a data-base."
            ),
        ),
    )


def _build_waterfall(main: Forecast | None, since: date | None, compared: pd.DataFrame | None) -> Section:
    columns = (
        Column("Item", Kind.TEXT, width=26),
        Column("O que é", Kind.TEXT, width=60),
        Column("Linhas", Kind.INTEGER),
        Column("Valor", Kind.MONEY),
    )
    if main is None or since is None or compared is None:
        return Section("r13_b", columns, (), title="Do previsto ao realizado")
    amounts = compared["realizado_centavos"] - compared["previsto_centavos"]
    sums, counts = amounts.groupby(compared["desvio"]).sum(), compared.groupby("desvio").size()
    expected, happened = compared["previsto"], compared["realizado"]
    period = f"{format_date(main.period.first)} a {format_date(main.period.last)}"
    rows = [
        Row(
            (
                PREVISTO,
                f"previsão de {format_date(since)} para {period}",
                int(expected.sum()),
                to_decimal(int(compared["previsto_centavos"].sum())),
            ),
            style=Style.SECTION,
        )
    ]
    rows += [
        Row((name, meaning, int(counts.get(name, 0)), to_decimal(int(sums.get(name, 0)))))
        for name, meaning in CLASSES.items()
    ]
    rows.append(
        Row(
            (
                REALIZADO,
                f"caixa de {period} na data-base",
                int(happened.sum()),
                to_decimal(int(compared["realizado_centavos"].sum())),
            ),
            style=Style.TOTAL,
        )
    )
    return Section(
        "r13_b",
        columns,
        tuple(rows),
        title=f"Do previsto ao realizado: {main.period.label}",
        notes=("Inclui categorias fora do resultado; transferências não. Previsto + classes = realizado.",),
    )


def _build_largest(position: Position, main: Forecast | None, compared: pd.DataFrame | None) -> Section:
    columns = (
        Column("Lançamento", Kind.LINK, width=12),
        Column("Descrição", Kind.TEXT, width=40),
        Column("Pessoa", Kind.TEXT, width=30),
        Column("Categoria", Kind.TEXT, width=36),
        Column("Classe", Kind.TEXT, width=22),
        Column("Previsto", Kind.MONEY),
        Column("Realizado", Kind.MONEY),
        Column("Diferença", Kind.MONEY),
    )
    title = f"As {TOP} maiores diferenças"
    if main is None or compared is None:
        return Section("r13_c", columns, (), title=title)
    difference = compared["realizado_centavos"] - compared["previsto_centavos"]
    top = compared.assign(diferenca=difference, tamanho=-difference.abs())
    top = top[top["diferenca"] != 0].sort_values(["tamanho", "linha_id", "chave_composto"]).head(TOP)
    blocks = find_blocks(position)
    labels = position.rotulos
    rows = []
    for number, text, pessoa, categoria, desvio, fluxo, p, r, delta, exists in records_of(
        top,
        "linha_id",
        "descricao",
        "pessoa_id",
        "categoria_id",
        "desvio",
        "classe_fluxo",
        "previsto_centavos",
        "realizado_centavos",
        "diferenca",
        "existe",
    ):
        rows.append(
            Row(
                (
                    link_linha(blocks, number, fluxo, categoria) if exists else str(number),
                    text or None,
                    labels.pessoa(pessoa),
                    labels.categoria_caminho(categoria),
                    desvio,
                    to_decimal(p),
                    to_decimal(r),
                    to_decimal(delta),
                )
            )
        )
    return Section("r13_c", columns, tuple(rows), title=f"{title}: {main.period.label}")


def link_linha(blocks: Blocks, linha_id: int, classe: str, categoria_id: int | None) -> Link | str:
    """Lead from a linha to its category's block in Lançamentos."""
    block = link_to_lancamentos(blocks, classe, (categoria_id,))
    return str(linha_id) if block is None else Link(str(linha_id), sheet=block.sheet, key=block.key)


def _build_due_and_paid(position: Position) -> Section:
    """Build "Vencimento x pagamento": what fell due in each month up to D's, and when it was paid."""
    titulos = position.titulos
    chosen = titulos[~titulos["transferencia"] & (titulos["tipo"] != "Z")]
    due = chosen["data_vencimento"].dt.to_period("M")
    chosen, due = chosen[due <= pd.Period(position.data_base, "M")], due[due <= pd.Period(position.data_base, "M")]
    paid, value = chosen["data_pagamento"].dt.to_period("M"), chosen["valor_centavos"]
    moment = np.select(
        [~chosen["pago"], (paid == due).fillna(value=False), (paid > due).fillna(value=False)],
        ["em_aberto", "no_mes", "depois"],
        "antes",
    )
    sums = value.groupby([due, chosen["tipo"], pd.Series(moment, index=chosen.index)]).sum().unstack(fill_value=0)
    sums = sums.reindex(columns=["no_mes", "antes", "depois", "em_aberto"], fill_value=0).astype("int64")
    rows = []
    for (month, tipo), amounts in zip(sums.index, sums.itertuples(index=False), strict=True):
        in_month, earlier, later, still_open = (int(amount) for amount in amounts)
        total = in_month + earlier + later + still_open
        rows.append(
            Row(
                (
                    month.to_timestamp().date(),
                    "A receber" if tipo == "R" else "A pagar",
                    to_decimal(total),
                    to_decimal(in_month),
                    to_decimal(earlier),
                    to_decimal(later),
                    to_decimal(still_open),
                    ratio_pct(in_month + earlier, total),
                )
            )
        )
    return Section(
        "r13_d",
        (
            Column("Mês de vencimento", Kind.MONTH),
            Column("Tipo", Kind.TEXT, width=12),
            Column("Vencia", Kind.MONEY),
            Column("Pago no mês", Kind.MONEY),
            Column("Pago antes", Kind.MONEY),
            Column("Pago depois", Kind.MONEY),
            Column("Em aberto", Kind.MONEY),
            Column("% realização", Kind.PERCENT),
        ),
        tuple(rows),
        title="Vencimento x pagamento",
        notes=(
            (
                "Sem execução completa anterior ao período, compara-se o vencimento atual com o pagamento. "
                "% realização = pago até o fim do mês / vencia."
            ),
        ),
    )


def _table(section: Section, comment: str, kinds: Mapping[str, Kind] | None = None) -> Table:
    """Turn a section into its table, totals included where they are part of the statement."""
    kinds = kinds or {}
    columns = tuple(
        Column(column.header, kinds[column.key], key=column.key) if column.key in kinds else column
        for column in section.columns
    )
    rows = tuple(
        tuple(_plain(cell, kinds.get(column.key)) for cell, column in zip(row.cells, section.columns, strict=True))
        for row in section.rows
    )
    return Table(section.name, columns, rows, comment)


def _plain(cell: object, kind: Kind | None) -> Value:
    text = cell.text if isinstance(cell, Link) else cell
    return int(str(text)) if kind is Kind.INTEGER and text is not None else text  # type: ignore[return-value]
