"""The state of a company as of a day D: what is paid, due, late and projected (S3, S4, S5, S7, S8)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Final

import numpy as np
import pandas as pd

from lastro.calendar import BusinessCalendar
from lastro.money import divide_half_up
from lastro.schema.frames import shape
from lastro.settings import Parametros
from lastro.transform.double_entries import find_double_entries
from lastro.transform.labels import Labels
from lastro.transform.lookup import look_up
from lastro.transform.openings import list_transit
from lastro.transform.recurrence import find_last_of_endless

ENTRADAS, SAIDAS, NAO_OPERACIONAL, TRANSFERENCIAS = "Entradas", "Saídas", "Não operacional", "Transferências"
CLASSES = (ENTRADAS, SAIDAS, NAO_OPERACIONAL, TRANSFERENCIAS)
"""The four classes that partition the linhas (S5, V04)."""
CLASS_KEYS = {ENTRADAS: "entradas", SAIDAS: "saidas", NAO_OPERACIONAL: "nao_operacional"}
"""What a line or column that stands for a class is called; transfers stand apart (S6)."""
FAIXAS = ("A vencer", "1-30", "31-60", "61-90", "91-180", ">180")
"""Aging by days late (S8)."""
FAIXA_KEYS = ("a_vencer", "faixa_1_30", "faixa_31_60", "faixa_61_90", "faixa_91_180", "acima_de_180")
"""What a column that stands for a band is called, in the order of `FAIXAS`."""
_FAIXA_ENDS = (0, 30, 60, 90, 180)
BEFORE_COMPETENCE_DAYS: Final = 30
OFF_DAYS: Final = 730
"""Due dates further before their competence, or further off, look mistyped (Q43)."""
MISTYPED: Final = "vencimento suspeito"
Day = pd.Timestamp | pd.Series
"""D: one day, or one for each row where several are looked at together."""
PCT_SCALE = 1_000_000
"""Percentages have at most six decimals, so that fees are exact integers until their only rounding."""


@dataclass(frozen=True)
class Core:
    """One run's tables, not yet as of any day: what `core.*` in the warehouse holds.

    Every frame is shaped as `core.<its name>` of `lastro.schema.frames`.
    """

    linhas: pd.DataFrame
    titulos: pd.DataFrame
    contas: pd.DataFrame
    extrato_saldos: pd.DataFrame
    orcamento: pd.DataFrame
    categorias: pd.DataFrame
    pessoas: pd.DataFrame
    cobrancas: pd.DataFrame
    cobranca_titulos: pd.DataFrame
    cobranca_desconhecidos: pd.DataFrame
    rotulos: Labels
    composto_modo: str = "parcela"
    composto_n0: int = 0
    composto_n1: int = 0

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """Its tables by name."""
        return {name: getattr(self, name) for name in CORE_FRAMES}


CORE_FRAMES: Final = (
    "linhas", "titulos", "contas", "extrato_saldos", "orcamento", "categorias", "pessoas", "cobrancas",
    "cobranca_titulos", "cobranca_desconhecidos",
)  # fmt: skip
"""Names of the tables of a `Core`, each `core.<name>` in the warehouse."""


@dataclass(frozen=True, kw_only=True)
class Position(Core):
    """Everything the reports need, as of D for one company; frames are never mutated.

    Attributes:
        data_base: D.
        data_extracao: local date on which the rows were read.
        parametros: the parameters of the company.
        calendario: which days banks settle.
        vencimentos: due dates that stored runs saw (`habits.VENCIMENTOS_COLUMNS`), at least of every título whose own
            changed; None without history.
        pernas_fora: transfer legs of a scope whose other leg it leaves out: they lack none (Q09).
    """

    data_base: date
    data_extracao: date
    parametros: Parametros
    calendario: BusinessCalendar
    vencimentos: pd.DataFrame | None = None
    pernas_fora: frozenset[int] = frozenset()

    @cached_property
    def series_sem_fim(self) -> pd.DataFrame:
        """The last título of every endless series (`find_last_of_endless`)."""
        return find_last_of_endless(self.titulos)

    @cached_property
    def repetidos(self) -> frozenset[int]:
        """The títulos that may be booked twice (Q13)."""
        return find_double_entries(self.titulos)

    @property
    def ultimo_dia(self) -> date:
        """The last day of R02: D+44 with the default horizon."""
        return self.data_base + timedelta(days=self.parametros.horizonte["dias"] - 1)

    @cached_property
    def em_transito(self) -> pd.DataFrame:
        """The títulos that were paid before their money reached the bank (S23; `list_transit`)."""
        return list_transit(self.titulos, self.cobrancas, self.cobranca_titulos)

    @property
    def reconstituida(self) -> bool:
        """Whether D lies before the extraction, so that deleted and edited entries are lost (S3)."""
        return self.data_base < self.data_extracao


def as_date(value: object) -> date | None:
    """Turn a pandas timestamp into a date; NaT and None become None."""
    if type(value) is pd.Timestamp:  # of most; NaT is none
        return value.date()
    if value is None or pd.isna(value):  # type: ignore[call-overload]
        return None
    return pd.Timestamp(value).date()  # type: ignore[arg-type]


def build_position(
    core: Core,
    *,
    data_base: date,
    data_extracao: date,
    parametros: Parametros,
    calendario: BusinessCalendar,
) -> Position:
    """Compute the state as of D (S3, S4, S5, S7, S8).

    Args:
        core: the run's tables.
        data_base: D.
        data_extracao: date of the extraction; a payment dated after it is post-dated (S3).
        parametros: parameters of the company (PAR).
        calendario: the business calendar of the company.

    Returns:
        The position; linhas and títulos in the order of `core`, with the columns as of D added.
    """
    day, extraction = pd.Timestamp(data_base), pd.Timestamp(data_extracao)
    rest = {one.name: getattr(core, one.name) for one in fields(Core) if one.name not in ("linhas", "titulos")}
    linhas = _add_payment_state(core.linhas, day, extraction)
    linhas = _add_control(linhas, rest["contas"])
    linhas = add_competence(linhas, parametros.competencia_nula)
    titulos = add_state(core.titulos, day, extraction, parametros, calendario)
    titulos = _add_charges(titulos, rest["cobrancas"], rest["cobranca_titulos"])
    titulos = _add_late_fees(titulos, rest["cobrancas"], day, parametros, calendario)
    linhas = _spread_over_linhas(linhas, titulos)
    titulos = titulos.assign(caixa=titulos["titulo_id"].isin(linhas.loc[linhas["caixa"], "titulo_id"]))
    titulos, linhas = shape("position.titulos", titulos), shape("position.linhas", linhas)
    return Position(
        **rest,
        linhas=linhas,
        titulos=titulos,
        data_base=data_base,
        data_extracao=data_extracao,
        parametros=parametros,
        calendario=calendario,
    )


def add_state(
    titulos: pd.DataFrame, day: Day, extraction: pd.Timestamp, parametros: Parametros, calendario: BusinessCalendar
) -> pd.DataFrame:
    """Add what títulos are as of a day: paid, due, late, and when projected (S3, S4, S8).

    Args:
        titulos: grain título, columns of `core.titulos`; not mutated.
        day: D, aligned with `titulos` where it is one for each.
        extraction: date of the extraction.
        calendario: the business calendar of the company.
    """
    titulos = _add_payment_state(titulos, day, extraction)
    titulos = add_competence(titulos, parametros.competencia_nula)
    titulos = _add_effective_date(titulos, parametros, calendario)
    titulos = _add_due_state(titulos, day, extraction, parametros)
    titulos = _add_projection(titulos, day)
    return titulos.assign(suspeito=_find_suspicious(titulos, day))


def _add_payment_state(frame: pd.DataFrame, day: Day, extraction: pd.Timestamp) -> pd.DataFrame:
    """Add `pago` and `data_prevista` (S3); a payment after D never leaks into a retroactive D."""
    paid = frame["data_pagamento"]
    pago = paid <= day
    prevista = frame["data_vencimento"].where(~(paid > extraction), paid)
    return frame.assign(pago=pago, data_prevista=prevista.where(~pago))


def _add_control(linhas: pd.DataFrame, contas: pd.DataFrame) -> pd.DataFrame:
    """Add `caixa`, `fora_controle` and `mes_caixa`: a payment before the account's control is in no cash view (S7)."""
    since = look_up(linhas["conta_id"], contas.dropna(subset=["conta_id"]).set_index("conta_id")["data_saldo_inicial"])
    paid = linhas["data_pagamento"]
    inside = since.isna() | (paid >= since)
    caixa = linhas["pago"] & inside
    return linhas.assign(caixa=caixa, fora_controle=linhas["pago"] & ~inside, mes_caixa=_month(paid.where(caixa)))


def add_competence(frame: pd.DataFrame, fallback: str) -> pd.DataFrame:
    """Add `data_competencia_ef`, `competencia_presumida` and `mes_competencia` (S4).

    Args:
        frame: linhas or títulos with `pago` and `data_prevista`.
        fallback: the setting `competencia_nula`.
    """
    own = frame["data_competencia"]
    if fallback == "excluir":
        assumed = own
    elif fallback == "caixa":
        assumed = own.fillna(frame["data_pagamento"].where(frame["pago"])).fillna(frame["data_prevista"])
    else:
        assumed = own.fillna(frame["data_vencimento"])
    return frame.assign(data_competencia_ef=assumed, competencia_presumida=own.isna(), mes_competencia=_month(assumed))


def _month(days: pd.Series) -> np.ndarray[tuple[int], np.dtype[np.datetime64]]:
    """Return the first day of each date's month."""
    return days.to_numpy().astype("datetime64[M]").astype("datetime64[us]")


def _choose(conditions: list[pd.Series], texts: list[str], otherwise: str) -> pd.Series:
    """Take for each row the text of the first condition that holds."""
    places = np.select([condition.to_numpy() for condition in conditions], range(len(texts)), len(texts))
    return pd.Series(np.array([*texts, otherwise], dtype=object)[places], index=conditions[0].index)


def move_to_business(days: pd.Series, calendario: BusinessCalendar, *, earlier: bool = False) -> pd.Series:
    """Move days to the next business day, or to the previous one (S3, S4): a bank settles on no other."""
    move = calendario.previous_business_day if earlier else calendario.next_business_day
    steps = {day: pd.Timestamp(move(day.date())) for day in days.dropna().unique()}
    return days.map(steps).astype("datetime64[us]")


def _add_effective_date(titulos: pd.DataFrame, parametros: Parametros, calendario: BusinessCalendar) -> pd.DataFrame:
    """Add `data_efetiva`: the next business day, or the previous one for `categorias_antecipam` (S3)."""
    effective = move_to_business(titulos["data_prevista"], calendario)
    if parametros.categorias_antecipam:
        early = titulos["categoria_id"].isin(parametros.categorias_antecipam)
        effective = effective.where(~early, move_to_business(titulos["data_prevista"], calendario, earlier=True))
    return titulos.assign(data_efetiva=effective)


def find_faixas(days: pd.Series) -> pd.Series:
    """Find the band of aging of so many days late (S8); a null is not late.

    >>> find_faixas(pd.Series([-3, 0, 1, 30, 181])).tolist()
    ['A vencer', 'A vencer', '1-30', '1-30', '>180']
    """
    places = np.digitize(days.fillna(0).to_numpy(dtype="int64"), [end + 1 for end in _FAIXA_ENDS])
    return pd.Series(np.array(FAIXAS, dtype=object)[places], index=days.index)


def is_open(frame: pd.DataFrame) -> pd.Series:
    """Tell which títulos or linhas are owed as of D (S8): unpaid, no transfer between own accounts, not of value zero.

    What a bank may still move, transfers included, is `~pago` alone: projections and suggestions for bank lines.
    """
    return ~frame["pago"] & ~frame["transferencia"] & (frame["valor_centavos"] != 0)


def _add_due_state(titulos: pd.DataFrame, day: Day, extraction: pd.Timestamp, parametros: Parametros) -> pd.DataFrame:
    """Add `data_ref`, `dias_de_atraso`, flags, `faixa` and `situacao` (S8); only what `is_open` is ever late."""
    reference = titulos["data_prevista"] if parametros.venc_regra == "corrido" else titulos["data_efetiva"]
    days = (day - reference).dt.days.astype("Int64")
    counted = is_open(titulos)
    late = counted & (reference < day)
    today = counted & (reference == day)
    ahead = counted & (reference > day)
    grace = counted & (titulos["data_prevista"] < day) & (day <= titulos["data_efetiva"])
    scheduled = counted & (titulos["data_pagamento"] > extraction)
    situation = _choose(
        [titulos["pago"], scheduled, grace, late, today],
        ["Pago", "Agendado", "Em carência", "Vencido", "Vence hoje"],
        "A vencer",
    )
    return titulos.assign(
        data_ref=reference,
        dias_de_atraso=days,
        vencido=late,
        vence_hoje=today,
        a_vencer=ahead,
        em_carencia=grace,
        faixa=find_faixas(days).where(~titulos["pago"], None),
        situacao=situation,
    )


def _add_projection(titulos: pd.DataFrame, day: Day) -> pd.DataFrame:
    """Add `data_projetada`: the business day an open título counts on in projections (S4).

    None of what is overdue, nor of a receivable that a payment typed for a day to come makes due again (Q43).
    """
    expected = titulos["data_efetiva"]
    projected = expected.where(~(expected < day), day)
    counts = ~titulos["pago"] & ~titulos["vencido"] & ~find_put_off(titulos, day)
    return titulos.assign(data_projetada=projected.where(counts))


def find_put_off(titulos: pd.DataFrame, day: Day) -> pd.Series:
    """Tell which receivables are past due and late no more, by a payment typed for a day to come (Q43)."""
    return _is_put_off(titulos, day) & (titulos["valor_centavos"] > 0)


def _is_put_off(titulos: pd.DataFrame, day: Day) -> pd.Series:
    return (titulos["situacao"] == "Agendado") & (titulos["data_vencimento"] < day)


def _find_suspicious(titulos: pd.DataFrame, day: Day) -> pd.Series:
    """Tell which open títulos bear a day that looks mistyped (Q43).

    Due more than 30 days before its competence; or more than two years after it or after D, where no series says so;
    or due before D and paid on a day to come, by which it would be late no more.
    """
    due, competence = titulos["data_vencimento"], titulos["data_competencia"]
    before = competence > due + timedelta(days=BEFORE_COMPETENCE_DAYS)
    off = (due > competence + timedelta(days=OFF_DAYS)) | (due > day + timedelta(days=OFF_DAYS))
    return is_open(titulos) & (before | (off & titulos["grupo_id"].isna()) | _is_put_off(titulos, day))


def _add_charges(titulos: pd.DataFrame, cobrancas: pd.DataFrame, links: pd.DataFrame) -> pd.DataFrame:
    """Annotate each título with its live charge of lowest id; a charge never adds value (S9)."""
    columns = ["cobranca_id", "status", "paga", "link_publico"]
    live = links.merge(cobrancas.loc[cobrancas["viva"], columns], on="cobranca_id", how="inner", validate="m:1")
    live = live.sort_values(["titulo_id", "cobranca_id"])
    first = live.drop_duplicates("titulo_id").set_index("titulo_id")
    ids = titulos["titulo_id"]
    return titulos.assign(
        cobranca_id=look_up(ids, first["cobranca_id"]),
        cobranca_status=look_up(ids, first["status"]),
        cobranca_link=look_up(ids, first["link_publico"]),
        cobranca_paga=ids.isin(live.loc[live["paga"], "titulo_id"]),
    )


def _scaled(percent: Decimal) -> int:
    return int(percent * PCT_SCALE)


def _add_late_fees(
    titulos: pd.DataFrame,
    cobrancas: pd.DataFrame,
    day: pd.Timestamp,
    parametros: Parametros,
    calendario: BusinessCalendar,
) -> pd.DataFrame:
    """Add `dias_de_mora`, `multa_centavos` and `juros_centavos`, estimates that never enter a flow (S8)."""
    receivable = titulos["tipo"] == "R"
    charged = receivable & titulos["cobranca_id"].notna()
    start = titulos["data_efetiva"]
    if charged.any():
        charges = cobrancas.set_index("cobranca_id")
        due = move_to_business(charges["data_vencimento"], calendario)
        start = start.where(~charged, look_up(titulos["cobranca_id"], due))
    mora = (day - start).dt.days.clip(lower=0).fillna(0).astype("int64")
    mora = mora.where(is_open(titulos), 0)
    fine = np.zeros(len(titulos), dtype="int64")
    interest = np.zeros(len(titulos), dtype="int64")
    terms = {
        cobranca_id: (None if pd.isna(pct) else _scaled(pct), bool(with_interest))
        for cobranca_id, pct, with_interest in zip(
            cobrancas["cobranca_id"], cobrancas["percentual_multa"], cobrancas["cobrar_juros"], strict=True
        )
    }
    late = np.flatnonzero(mora.to_numpy() > 0)
    # Lists, not arrays: an array of nullable ids would be of floats.
    columns = (titulos[name].iloc[late].tolist() for name in ("valor_centavos", "tipo", "cobranca_id"))
    rows = zip(late, mora.to_numpy()[late], *columns, strict=True)
    for position, days, centavos, tipo, cobranca_id in rows:
        side = "receber" if tipo == "R" else "pagar"
        fine_pct, interest_pct = _scaled(parametros.multa_pct[side]), _scaled(parametros.juros_pct_mes[side])
        if tipo == "R" and not pd.isna(cobranca_id):
            own_fine, with_interest = terms[cobranca_id]
            fine_pct = fine_pct if own_fine is None else own_fine
            interest_pct = interest_pct if with_interest else 0
        amount = abs(int(centavos))
        fine[position] = divide_half_up(amount * fine_pct, 100 * PCT_SCALE)
        interest[position] = divide_half_up(amount * interest_pct * int(days), 3000 * PCT_SCALE)
    return titulos.assign(dias_de_mora=mora, multa_centavos=fine, juros_centavos=interest)


def _spread_over_linhas(linhas: pd.DataFrame, titulos: pd.DataFrame) -> pd.DataFrame:
    """Give linhas the state of their título and their class (S5, S8): a título is collected or paid at once."""
    states = titulos.set_index("titulo_id")[["data_efetiva", "data_projetada", "vencido"]]
    spread = states.reindex(linhas["titulo_id"].to_numpy()).reset_index(drop=True)
    spread.index = linhas.index
    classe = _choose(
        [linhas["transferencia"], linhas["fora_resultado"], linhas["natureza"] == "R"],
        [TRANSFERENCIAS, NAO_OPERACIONAL, ENTRADAS],
        SAIDAS,
    )
    return linhas.assign(**{name: spread[name] for name in spread.columns}, classe=classe)
