"""How payers really pay: days late, due dates pushed, and the day on which an open receivable is to be expected.

Belongs here: what was observed per payer and per payment method, and the expectation drawn from it. Does not belong
here: projected balances (`lastro.transform.scenarios`). An expectation is never a fact: no figure of a base report
rests on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import numpy as np
import pandas as pd

from lastro.calendar import BusinessCalendar
from lastro.money import divide_half_up
from lastro.transform.lookup import look_up
from lastro.transform.position import (
    BEFORE_COMPETENCE_DAYS,
    OFF_DAYS,
    Position,
    find_put_off,
    is_open,
    move_to_business,
)

JANELA_HABITO_DIAS: Final = 365
HABIT_WINDOWS: Final = (180, JANELA_HABITO_DIAS)
"""How far back due dates say how somebody pays: the longer window where the shorter one has too few títulos."""
YEAR_DAYS: Final = 365
MIN_TITULOS: Final = 3
"""Fewer títulos are no habit: the payment method's, then the company's, speaks for the payer."""
PAGADOR, FORMA, EMPRESA, SEM_PAGOS = "pagador", "forma", "empresa", "nada venceu"
VENCIMENTOS_COLUMNS: Final = {
    "titulo_id": "int64",
    "data_extracao": "datetime64[us]",
    "data_vencimento": "datetime64[us]",
}
"""Frame of `vencimentos`: the due dates that stored runs saw of a título, in the order of the runs."""
OBSERVED: Final = (
    "titulos_pagos",
    "valor_pago_centavos",
    "pagos_com_atraso",
    "valor_dias",
    "maior_atraso",
    "titulos_observados",
    "titulos_adiados",
    "adiamentos",
    "dias_adiados",
    "maior_adiamento",
    "a_receber_centavos",
    *(f"{name}_{window}" for window in (180, 365) for name in ("vencidos", "peso", "dias_peso")),
)
"""Sums; `vencidos_N`, `peso_N` and `dias_peso_N` are what fell due in N days: títulos, their value, value x days."""


@dataclass(frozen=True)
class Habits:
    """What was observed of payers.

    Attributes:
        pagadores: grain pessoa_id (Int64, null = without person), columns `OBSERVED` (int64), `habito_dias` (Int64,
            null = nothing fell due) and `habito_base` (`PAGADOR`, `FORMA`, `EMPRESA` or `SEM_PAGOS`); by value paid
            descending, then id. `mudanca_dias` (Int64): the payer's own habit less its own of a year ago; null
            where there was none.
        formas: grain forma_pagamento_id (Int64, null), same columns; `habito_base` is never `PAGADOR`.
        empresa_dias: habit of all payers together, None when nothing fell due.
        com_historico: stored runs were there to see pushed due dates in.
    """

    pagadores: pd.DataFrame
    formas: pd.DataFrame
    empresa_dias: int | None
    com_historico: bool


def find_habits(position: Position) -> Habits:
    """Observe payers over receivables that are no transfers and not `fora_resultado` (S9).

    Late = payment - due date, in calendar days, early is negative; over títulos paid in (D-365, D]. A due date was
    pushed when a later stored run had it further off; the days pushed of a título are its present due date minus the
    first one seen. The habit is the value-weighted mean of payment - *first* due date over what fell due in
    (D-180, D], or in (D-365, D] where that are less than three títulos, rounded half up to whole days; what is open
    and overdue counts with D - first due date, or who stops paying would look punctual, unless its due date looks
    mistyped (Q43). A payer that moves its due
    dates and then keeps them is not punctual either.

    Args:
        position: the position; not mutated. Of its `vencimentos` rows with `data_extracao` after D are ignored; without
            them nothing counts as pushed.

    Returns:
        The habits; payers with a título that is open or was paid in the window.
    """
    day, titulos = pd.Timestamp(position.data_base), position.titulos
    pagadores, formas, company = _weigh_of(position, titulos.assign(dia=day))
    before = day - timedelta(days=YEAR_DAYS)
    paid = titulos["data_pagamento"] <= before
    # Due dates do not know what was post-dated or in carência a year ago.
    past = titulos.assign(dia=before, pago=paid, vencido=~paid & (titulos["data_vencimento"] < before))
    a_year_ago, _, _ = _weigh_of(position, past)
    own, of_then = (frame[frame["habito_base"] == PAGADOR] for frame in (pagadores, a_year_ago))
    then = look_up(own["pessoa_id"].fillna(-1), of_then.set_index(of_then["pessoa_id"].fillna(-1))["habito_dias"])
    change = (own["habito_dias"] - then.astype("Int64")).reindex(pagadores.index)
    empresa = int(company.iloc[0]) if company.notna().any() else None
    return Habits(pagadores.assign(mudanca_dias=change), formas, empresa, position.vencimentos is not None)


def tell_change(days: int | None) -> str | None:
    """Say how much later or earlier somebody pays than a year ago; None where nothing changed or is known.

    >>> tell_change(12), tell_change(-1), tell_change(0)
    ('paga 12 dias mais tarde que há um ano', 'paga 1 dia mais cedo que há um ano', None)
    """
    if days is None or pd.isna(days) or not days:
        return None
    count = abs(int(days))
    return f"paga {count} {'dia' if count == 1 else 'dias'} mais {'tarde' if days > 0 else 'cedo'} que há um ano"


def _weigh_of(position: Position, titulos: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series]:
    observed = add_pushes(_choose_observed(titulos), position)
    return _weigh(_observe(observed), observed["dia"])


def _weigh(parts: pd.DataFrame, day: pd.Series) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series]:
    """Weigh what was observed by payer, by payment method and, by day, of all."""
    total = parts.groupby(day)[[name for name in OBSERVED if name[-1].isdigit()]].sum()
    company = _own_habit(total, least=1)
    formas, usual_of_all = _add_up(parts, "forma_pagamento_id", day, company)
    own = _own_habit(formas)
    formas["habito_dias"] = own.fillna(usual_of_all)
    formas["habito_base"] = np.select([own.notna(), usual_of_all.notna()], [FORMA, EMPRESA], SEM_PAGOS)
    pagadores, usual_of_all = _add_up(parts, "pessoa_id", day, company)
    own = _own_habit(pagadores)
    usual = _usual_forma(parts, pagadores, formas)
    pagadores["habito_dias"] = own.fillna(usual).fillna(usual_of_all)
    pagadores["habito_base"] = np.select(
        [own.notna(), usual.notna(), usual_of_all.notna()], [PAGADOR, FORMA, EMPRESA], SEM_PAGOS
    )
    return pagadores, formas, company


def add_pushes(titulos: pd.DataFrame, position: Position) -> pd.DataFrame:
    """Add `primeiro_vencimento`, `adiamentos` (int64) and `dias_adiados` (int64, >= 0) to títulos.

    A due date that came forward is no push: `adiamentos` counts only steps to a later day, and `dias_adiados` is never
    negative. A year that looked mistyped (Q43) and was corrected was never agreed.
    """
    first, pushes = titulos["data_vencimento"], pd.Series(0, index=titulos.index, dtype="int64")
    seen = position.vencimentos
    if seen is not None and len(seen):
        seen = seen[seen["data_extracao"] <= pd.Timestamp(position.data_base)]
        seen = _without_mistyped(seen.dropna(subset=["data_vencimento"]), titulos, position)
        before = seen.groupby("titulo_id")["data_vencimento"].shift()
        steps = (seen["data_vencimento"] > before).groupby(seen["titulo_id"]).sum()
        ids = titulos["titulo_id"]
        earliest = seen.drop_duplicates("titulo_id").set_index("titulo_id")["data_vencimento"]
        first = look_up(ids, earliest).astype("datetime64[us]").fillna(first)
        pushes = look_up(ids, steps).fillna(0).astype("int64")
    days = (titulos["data_vencimento"] - first).dt.days.fillna(0).astype("int64").clip(lower=0)
    return titulos.assign(primeiro_vencimento=first, adiamentos=pushes, dias_adiados=days)


def _without_mistyped(seen: pd.DataFrame, titulos: pd.DataFrame, position: Position) -> pd.DataFrame:
    """Leave out the due dates that are of now but for the year, and look mistyped beside the competence of now.

    Only the year: the competence may have moved with a day that was put off.
    """
    ids, due = seen["titulo_id"], seen["data_vencimento"]
    competence = look_up(ids, position.titulos.set_index("titulo_id")["data_competencia"]).astype("datetime64[us]")
    now = look_up(ids, titulos.set_index("titulo_id")["data_vencimento"]).astype("datetime64[us]")
    before = competence > due + timedelta(days=BEFORE_COMPETENCE_DAYS)
    year = (due.dt.year != now.dt.year) & (due.dt.month == now.dt.month) & (due.dt.day == now.dt.day)
    mistyped = year & (before | (due > competence + timedelta(days=OFF_DAYS)))
    kept: pd.DataFrame = seen[~mistyped]
    return kept


def expect_days(position: Position, habits: Habits) -> pd.DataFrame:
    """Say when each open receivable comes if habits persist.

    What is not due yet comes its habit's days after its first due date, but a due date that was pushed is at least
    kept; nothing comes before D. What is overdue comes on the day of its habit if that lies ahead, with a charge that
    the customer already paid on the day of its transfer, and otherwise on no day: it is already later than usual.
    A post-dated payment keeps its date, one of what is past due (Q43) has none.

    Args:
        habits: result of `find_habits`.

    Returns:
        Grain open receivable título (transfers left out, `fora_resultado` kept): titulo_id, `data_habito` (NaT = no
        day); RangeIndex.
    """
    opened = _choose_open(position.titulos).assign(dia=pd.Timestamp(position.data_base)).reset_index(drop=True)
    opened = add_pushes(opened, position)
    expected = _expect(opened, habits.pagadores, position.calendario)
    arrival = find_charge_arrivals(position, opened)
    expected = arrival.fillna(expected).astype("datetime64[us]")
    days = move_to_business(expected, position.calendario)
    return pd.DataFrame({"titulo_id": opened["titulo_id"], "data_habito": days})


def expect_days_of(position: Position, titulos: pd.DataFrame, opened: pd.DataFrame) -> pd.Series:
    """Say the same of several days at once, as far as no due date was pushed and no charge is known.

    Args:
        position: whose calendar counts.
        titulos: grain título and day `dia`, with `pago` on it; persons and payment methods are of one day alone.
        opened: those that are open on it, with their state.

    Returns:
        The day of each open receivable, by its index in `opened`.
    """
    observed = _choose_observed(titulos)
    pagadores, _, _ = _weigh(_observe(_without_pushes(observed))[list(_OF_HABIT)], observed["dia"])
    expected = _expect(_choose_open(_without_pushes(opened)), pagadores, position.calendario)
    return move_to_business(expected, position.calendario)


def _without_pushes(titulos: pd.DataFrame) -> pd.DataFrame:
    return titulos.assign(primeiro_vencimento=titulos["data_vencimento"], adiamentos=0, dias_adiados=0)


def _choose_open(titulos: pd.DataFrame) -> pd.DataFrame:
    return titulos[is_open(titulos) & (titulos["tipo"] == "R")]


def _expect(opened: pd.DataFrame, pagadores: pd.DataFrame, calendario: BusinessCalendar) -> pd.Series:
    """Say when open receivables come by the habit of their payers; D where that is no business day stays D."""
    day = opened["dia"]
    days = _habit_of(opened, pagadores)
    expected = opened["primeiro_vencimento"] + pd.to_timedelta(days, unit="D")
    pushed = opened["data_vencimento"] > opened["primeiro_vencimento"]
    expected = expected.where(~(pushed & (expected < opened["data_vencimento"])), opened["data_vencimento"])
    fixed = opened["situacao"] == "Agendado"
    expected = expected.where(~fixed, opened["data_prevista"])
    # A usual day on a weekend is the Monday: before that it has not gone by.
    expected = move_to_business(expected, calendario)
    late = opened["vencido"]
    ahead = expected.where(expected >= day, day)
    # An overdue título whose usual day has gone by tells nothing about when it comes, nor does a day that was typed.
    return ahead.where(~(late & (expected < day)) & ~find_put_off(opened, day))


def find_charge_arrivals(position: Position, titulos: pd.DataFrame) -> pd.Series:
    """Say when money that the customer already paid to the charge arrives (S12).

    Returns:
        Aligned with `titulos`: the latest `data_a_transferir` of its paid live charges, at least D; D when none is
        given; NaT without a paid charge.
    """
    charges = position.cobrancas
    paid = charges.loc[charges["viva"] & charges["paga"], ["cobranca_id", "data_a_transferir"]]
    links = position.cobranca_titulos.merge(paid, on="cobranca_id", how="inner", validate="m:1")
    latest = links.groupby("titulo_id")["data_a_transferir"].max()
    day = pd.Timestamp(position.data_base)
    arrival = look_up(titulos["titulo_id"], latest).astype("datetime64[us]")
    arrival = arrival.where(arrival >= day, day)
    return arrival.where(titulos["cobranca_paga"])


_READ = (
    "titulo_id", "pessoa_id", "forma_pagamento_id", "tipo", "transferencia", "fora_resultado", "pago", "valor_centavos",
    "data_pagamento", "data_vencimento", "vencido", "suspeito", "dia",
)  # fmt: skip
"""What is looked at of every título."""
_OF_HABIT: Final = (
    "pessoa_id", "forma_pagamento_id", "valor_pago_centavos", "titulos_observados",
    *(name for name in OBSERVED if name[-1].isdigit()),
)  # fmt: skip
"""Observed columns from which a habit follows."""


def find_observed(titulos: pd.DataFrame) -> pd.Series:
    """Find the receivables by which payers are observed: no transfers and not `fora_resultado` (S9)."""
    return (titulos["tipo"] == "R") & ~titulos["transferencia"] & ~titulos["fora_resultado"]


def _choose_observed(titulos: pd.DataFrame) -> pd.DataFrame:
    since = titulos["dia"] - timedelta(days=JANELA_HABITO_DIAS)
    recent = (titulos["data_pagamento"] > since) | (titulos["data_vencimento"] > since)
    chosen = find_observed(titulos) & (~titulos["pago"] | recent)
    return titulos.loc[chosen, list(_READ)].reset_index(drop=True)


def _observe(titulos: pd.DataFrame) -> pd.DataFrame:
    """Turn every título into addends: grain título."""
    settled, valor, day = titulos["pago"], titulos["valor_centavos"], titulos["dia"]
    on, due = titulos["data_pagamento"], titulos["data_vencimento"]
    paid = settled & (on > day - timedelta(days=JANELA_HABITO_DIAS))
    seen = ~settled | paid
    late = (on - due).dt.days.where(paid).fillna(0).astype("int64")
    lasted = (on.where(settled, day) - titulos["primeiro_vencimento"]).dt.days.fillna(0).astype("int64")
    fallen: dict[str, pd.Series] = {}
    zero = 0
    for window in HABIT_WINDOWS:
        inside = (
            (settled | titulos["vencido"]) & ~titulos["suspeito"] & (due > day - timedelta(days=window)) & (due <= day)
        )
        fallen |= {
            f"vencidos_{window}": inside.astype("int64"),
            f"peso_{window}": valor.where(inside, zero),
            f"dias_peso_{window}": (valor * lasted).where(inside, zero),
        }
    return pd.DataFrame(
        {
            "pessoa_id": titulos["pessoa_id"],
            "forma_pagamento_id": titulos["forma_pagamento_id"],
            "titulos_pagos": paid.astype("int64"),
            "valor_pago_centavos": valor.where(paid, zero),
            "pagos_com_atraso": (paid & (late > 0)).astype("int64"),
            "valor_dias": (valor * late).where(paid, zero),
            "maior_atraso": late.clip(lower=0),
            "titulos_observados": seen.astype("int64"),
            "titulos_adiados": (seen & (titulos["adiamentos"] > 0)).astype("int64"),
            "adiamentos": titulos["adiamentos"].where(seen, zero),
            "dias_adiados": titulos["dias_adiados"].where(seen, zero),
            "maior_adiamento": titulos["dias_adiados"].where(seen, zero),
            "a_receber_centavos": valor.where(~settled, zero),
            **fallen,
        }
    )


def _add_up(parts: pd.DataFrame, key: str, days: pd.Series, company: pd.Series) -> tuple[pd.DataFrame, pd.Series]:
    """Add up by payer or payment method; beside each, the habit of all on its day."""
    how = {name: "max" if name.startswith("maior_") else "sum" for name in OBSERVED if name in parts}
    sums = parts.assign(dia=days).groupby(key, dropna=False, as_index=False).agg({**how, "dia": "first"})
    sums[key] = sums[key].astype("Int64")
    ordered: pd.DataFrame = sums.sort_values(
        ["valor_pago_centavos", key], ascending=[False, True], na_position="last", ignore_index=True
    )
    return ordered, look_up(ordered.pop("dia"), company)


def _own_habit(sums: pd.DataFrame, least: int = MIN_TITULOS) -> pd.Series:
    """Return the habit of every row by the first window with enough títulos, else null.

    Args:
        sums: `vencidos_N`, `peso_N` and `dias_peso_N` of both windows.
        least: how many títulos are enough in the longer window.
    """
    found = pd.Series(pd.NA, index=sums.index, dtype="Int64")
    for window, enough in zip(HABIT_WINDOWS, (MIN_TITULOS, least), strict=True):
        rows = zip(*(sums[f"{name}_{window}"].tolist() for name in ("vencidos", "peso", "dias_peso")), strict=True)
        days = [divide_half_up(weighted, value) if many >= enough and value else None for many, value, weighted in rows]
        found = found.fillna(pd.Series(pd.array(days, dtype="Int64"), index=sums.index))
    return found


def _usual_forma(parts: pd.DataFrame, pagadores: pd.DataFrame, formas: pd.DataFrame) -> pd.Series:
    """Return the habit of the payment method that a payer uses for most títulos (ties: lowest id), if it has one."""
    counts = parts.groupby(["pessoa_id", "forma_pagamento_id"], dropna=False, as_index=False)[
        ["titulos_observados"]
    ].sum()
    counts = counts.sort_values(
        ["titulos_observados", "forma_pagamento_id"], ascending=[False, True], na_position="last", kind="stable"
    ).drop_duplicates("pessoa_id")
    with_own = formas[formas["habito_base"] == FORMA].dropna(subset=["forma_pagamento_id"])
    habit = with_own.set_index("forma_pagamento_id")["habito_dias"]
    habits = look_up(counts["forma_pagamento_id"], habit)
    usual = pd.Series(habits.to_numpy(dtype=object), index=counts["pessoa_id"].astype("Int64").fillna(-1))
    keys = pagadores["pessoa_id"].fillna(-1)
    return look_up(keys, usual).astype("Int64")


def _habit_of(opened: pd.DataFrame, pagadores: pd.DataFrame) -> pd.Series:
    """Return the habit in days of each open título by its payer; a loan to receive (`fora_resultado`) has none: 0."""
    days = pd.Series(
        pagadores["habito_dias"].to_numpy(dtype=object), index=pagadores["pessoa_id"].fillna(-1).astype("int64")
    )
    habit = look_up(opened["pessoa_id"].fillna(-1).astype("int64"), days)
    habit = habit.where(~opened["fora_resultado"], 0)
    return habit.astype("Int64").fillna(0).astype("int64")
