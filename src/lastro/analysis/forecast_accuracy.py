"""What was expected of a period against what happened in it (R13): forecasts by lead, classes of deviation, accuracy.

Belongs here: which stored run forecast which period, the linhas of both sides, the measures. Does not belong here: rows
and columns of the sheet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pandas as pd

from lastro.calendar import ONE_DAY, add_months, month_end, month_start, week_start
from lastro.grid.words import format_date, month_label
from lastro.money import ratio_pct

if TYPE_CHECKING:
    from lastro.transform.position import Position


LEADS: Final = (0, 7, 30, 60, 90)
"""Days between the forecast and the first day of the period; 0 takes the eve."""
PAST_WEEKS: Final = 4
VALOR, EXCLUIDOS, A_REALIZAR, ADIADOS = "Mudança de valor", "Excluídos", "A realizar", "Adiados"
PAGOS_ANTES, OUTROS_PREVISTO = "Pagos antes", "Outros (previsto)"
NOVOS, ANTECIPADOS, RECUPERADOS, OUTROS_REALIZADO = (
    "Novos",
    "Antecipados",
    "Atrasados recuperados",
    "Outros (realizado)",
)
DEVIATIONS: Final = {
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


KEY = ["chave_composto", "linha_id"]
"""Columns that identify a linha over time, once `add_identity` has been there."""


def add_identity(before: pd.DataFrame, now: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give the linhas of two runs a key by which they can be matched (R14).

    An item that was nested and became a row is the same linha; an equal id in another composite is a different thing
    (S2). A row that joins or leaves a composite, and is not found there by that rule, keeps its identity: its id is
    its own among rows.

    Args:
        before: grain linha of the earlier run: origem, linha_id, titulo_id, lancamento_composto_id.
        now: the same of the later run.

    Returns:
        Both frames with `chave_composto` (int64): the composite; for an item of a composite without number, minus the
        id of the row that carries it; 0 for a simple row.
    """
    before = before.assign(chave_composto=_composite(before))
    own = _composite(now)
    rows = before.loc[before["origem"] == "lancamento", KEY].drop_duplicates("linha_id").set_index("linha_id")
    # Nullable integers: ids go beyond what a float holds.
    known = rows["chave_composto"].astype("Int64").reindex(now["linha_id"].to_numpy()).set_axis(now.index)
    wanted = known.where(now["origem"] == "lancamento").fillna(own).astype("int64")
    moved = (wanted != own).to_numpy()
    if moved.any():
        own_keys = pd.MultiIndex.from_arrays([own, now["linha_id"]])
        # Within the composite first: there a nested item of equal id is the same linha, a simple row is not.
        moved = moved & ~own_keys.isin(pd.MultiIndex.from_frame(before[KEY]))
        # And a row cannot take the old place of another that is still there.
        moved = moved & ~pd.MultiIndex.from_arrays([wanted, now["linha_id"]]).isin(own_keys[~moved])
    return before, now.assign(chave_composto=own.mask(moved, wanted))


def _composite(linhas: pd.DataFrame) -> pd.Series:
    carrier = (-linhas["titulo_id"]).where(linhas["origem"] == "item", 0)
    return linhas["lancamento_composto_id"].fillna(carrier).astype("int64")


@dataclass(frozen=True)
class Span:
    """A span of days whose forecast is held against what happened.

    Attributes:
        label: as printed.
        first: P0.
        last: P1; the eve of the data-base in a span that is not over.
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

    period: Span
    lead: int
    execucao_id: int | None


def list_periods(data_base: date) -> tuple[Span, ...]:
    """List the periods R13 shows: D's month, the month before, D's week and four weeks before.

    One that holds D ends on its eve, for D's own payments are still to be posted; one that begins on D is left out.

    >>> [period.label for period in list_periods(date(2026, 3, 16))][:3]
    ['mar/26 até 15/03/2026', 'fev/26', 'Sem 11']
    """
    month, before, eve = month_start(data_base), add_months(month_start(data_base), -1), data_base - ONE_DAY
    periods = [
        Span(f"{month_label(month)} até {format_date(eve)}", month, eve),
        Span(month_label(before), before, month_end(before)),
    ]
    for back in range(PAST_WEEKS + 1):
        first = week_start(data_base) - timedelta(days=7 * back)
        label = f"Sem {first.isocalendar().week:02d}"
        if back == 0:
            periods.append(Span(f"{label} até {format_date(eve)}", first, eve))
        else:
            periods.append(Span(label, first, first + timedelta(days=6)))
    return tuple(period for period in periods if period.first <= period.last)


def choose_run(runs: Mapping[int, date], first: date, lead: int) -> int | None:
    """Choose run S: the latest complete run up to P0-L, for L=0 up to the eve of P0 (R13).

    Args:
        runs: execucao_id -> day of the extraction, complete runs only.
        first: P0.
        lead: L.
    """
    limit = first - timedelta(days=max(lead, 1))
    usable = [(day, execucao_id) for execucao_id, day in runs.items() if day <= limit]
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
        categoria_id, pessoa_id, descricao, fora_resultado; `existe` (still present at D).
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
        both[name] = both[f"{name}_agora"].where(both["existe"], both[f"{name}_antes"])
    kept = [*KEY, "previsto", "realizado", "previsto_centavos", "realizado_centavos", "desvio", "existe"]
    return both[[*kept, *_SHOWN]].sort_values(KEY, ignore_index=True)


_SHOWN = ("categoria_id", "pessoa_id", "descricao", "fora_resultado")


def _with_ids(linhas: pd.DataFrame, ids: np.ndarray[tuple[int], np.dtype[np.int64]]) -> pd.DataFrame:
    chosen = linhas[linhas["linha_id"].isin(ids)]
    return chosen.assign(posicao=chosen.index)


def _find_classes(both: pd.DataFrame, begin: pd.Timestamp, end: pd.Timestamp, day: pd.Timestamp) -> pd.Series:
    """Put each linha in its class: the first that holds."""
    due, paid = both["data_prevista_agora"], both["data_pagamento_agora"]
    open_now = ~both["pago_agora"]
    classes = {
        VALOR: both["previsto"] & both["realizado"],
        EXCLUIDOS: both["previsto"] & ~both["existe"],
        A_REALIZAR: both["previsto"] & open_now & (due >= begin) & (due <= end) & (due >= day),
        ADIADOS: both["previsto"] & (open_now | (paid > end)),
        PAGOS_ANTES: both["previsto"] & (paid < begin),
        OUTROS_PREVISTO: both["previsto"],
        NOVOS: ~both["existia"],
        OUTROS_REALIZADO: both["pago_antes"],
        ANTECIPADOS: both["data_prevista_antes"] > end,
    }
    first = np.select([*classes.values()], [*classes], RECUPERADOS)
    return pd.Series(first, index=both.index, dtype=object)


class Accuracy(NamedTuple):
    """How well one forecast did (R13, table 1), `fora` left out; the inner grain is the category.

    Attributes:
        previsto: sum of p in centavos.
        realizado: sum of r in centavos.
        erro_absoluto: sum over categories of |r-p| in centavos.
        wape: the absolute error in percent of what happened; None when nothing did.
        aderencia: share of the larger of both that agrees, 0 to 100 percent; None when both are nothing.
        vies: the signed error in percent of what was expected; None when nothing was.
    """

    previsto: int
    realizado: int
    erro_absoluto: int
    wape: Decimal | None
    aderencia: Decimal | None
    vies: Decimal | None


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
    expected, happened, missed = int(p.sum()), int(r.sum()), int((r - p).abs().sum())
    larger = int(np.maximum(p.abs(), r.abs()).sum())
    return Accuracy(
        previsto=expected,
        realizado=happened,
        erro_absoluto=missed,
        wape=ratio_pct(missed, int(r.abs().sum())),
        aderencia=ratio_pct(larger - missed, larger),
        vies=ratio_pct(happened - expected, int(p.abs().sum())),
    )


def _sum_by_category(linhas: pd.DataFrame) -> pd.Series:
    counted = linhas[~linhas["fora_resultado"]]
    # 0 stands for "Sem categoria": 0 is no id (S1).
    return counted["valor_centavos"].groupby(counted["categoria_id"].fillna(0).astype("int64")).sum()


def sum_side(compared: pd.DataFrame, side: str) -> tuple[int, int]:
    """Count the linhas of one side of a comparison ("previsto", "realizado") and add their centavos."""
    return int(compared[side].sum()), int(compared[f"{side}_centavos"].sum())


def sum_deviations(compared: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Count the linhas of each class of `DEVIATIONS` and add what they changed."""
    amounts = compared["realizado_centavos"] - compared["previsto_centavos"]
    sums, counts = amounts.groupby(compared["desvio"]).sum(), compared.groupby("desvio").size()
    return {name: (int(counts.get(name, 0)), int(sums.get(name, 0))) for name in DEVIATIONS}


def find_largest(compared: pd.DataFrame, count: int) -> pd.DataFrame:
    """Find the linhas that missed by most, ties by id; `diferenca` is by how many centavos."""
    difference = compared["realizado_centavos"] - compared["previsto_centavos"]
    top = compared.assign(diferenca=difference, tamanho=-difference.abs())
    top = top[top["diferenca"] != 0].sort_values(["tamanho", "linha_id", "chave_composto"], ignore_index=True)
    return top.head(count)


def sum_due_and_paid(position: Position) -> pd.DataFrame:
    """Add what fell due in each month up to D's by when it was paid.

    Returns:
        Grain `mes` (its first day) x `tipo` ("P" or "R"), ascending; centavos paid in the month (`no_mes`), before it
        (`antes`), after it (`depois`) and still open (`em_aberto`).
    """
    titulos = position.titulos[["data_vencimento", "data_pagamento", "valor_centavos", "tipo", "transferencia", "pago"]]
    in_time = titulos["data_vencimento"] < pd.Timestamp(add_months(month_start(position.data_base), 1))
    chosen = titulos[~titulos["transferencia"] & (titulos["tipo"] != "Z") & in_time]
    due, paid = (chosen[name].dt.to_period("M") for name in ("data_vencimento", "data_pagamento"))
    moment = np.select(
        [~chosen["pago"], (paid == due).fillna(value=False), (paid > due).fillna(value=False)],
        ["em_aberto", "no_mes", "depois"],
        "antes",
    )
    keys = [due.dt.to_timestamp(), chosen["tipo"], pd.Series(moment, index=chosen.index)]
    sums = chosen["valor_centavos"].groupby(keys).sum().unstack(fill_value=0)
    sums = sums.reindex(columns=["no_mes", "antes", "depois", "em_aberto"], fill_value=0).astype("int64")
    return sums.rename_axis(["mes", "tipo"]).reset_index()
