"""What is said of the forecast of cash in sentences: on its sheet, on the cover and on the terminal (R23, S24)."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from lastro.analysis.expectation import MIN_MONTHS
from lastro.analysis.forecast_record import MIN_COVERED, MIN_MEASURED, PLAIN, ForecastRecord
from lastro.analysis.forecast_weeks import find_lowest_week
from lastro.grid.words import count_text
from lastro.money import format_centavos

if TYPE_CHECKING:
    from lastro.reports.view import View

TOLD: Final = (1, 4, 8, 13)
"""Horizons whose coverage is told."""
ON_COVER: Final = 4


def tell_history(view: View) -> tuple[str, ...]:
    """Say why nothing is expected beyond what is booked, where nothing is (S24)."""
    if view.facts.medidas is None:
        return ("Recorte: só o que está lançado; o esperado é do todo.",)
    if view.forecast.known:
        return ()
    months = view.forecast.meses_fechados
    return (f"Previsão além do lançado a partir de {MIN_MONTHS} meses fechados com movimento (há {months}).",)


def tell_coverage(view: View) -> tuple[str, ...]:
    """Say of some horizons how many forecasts ended inside the band of their day, and why any has none (S24).

    The windows of one horizon overlap.
    """
    records = view.forecast_records
    lines = [_tell(one) for one in records if one.faixa is not None and one.horizonte in TOLD]
    lacking = [
        f"{', '.join(str(one.horizonte) for one in some)} ({lack})"
        for lack, some in groupby((one for one in records if one.faixa is None), _tell_lack)
    ]
    if lacking:
        lines.append(f"Sem faixa, por semanas à frente: {'; '.join(lacking)}.")
    return (*lines, "As previsões de um horizonte se sobrepõem: não são tentativas independentes.") if lines else ()


def _tell(record: ForecastRecord) -> str:
    rebuilt = record.medidas - record.gravadas
    wider = f", alargada a {record.alargamento} %" if record.alargamento > PLAIN else ""
    return (
        f"{record.dentro} de {record.janelas} previsões de {_weeks(record.horizonte)} ficaram dentro da faixa{wider} "
        f"({record.medidas} medidas: {record.gravadas} gravadas, {rebuilt} reconstituídas)."
    )


def _tell_lack(record: ForecastRecord) -> str:
    if record.medidas < MIN_MEASURED:
        return f"menos de {MIN_MEASURED} erros medidos"
    if record.janelas < MIN_COVERED:
        return f"menos de {MIN_COVERED} previsões para comparar"
    return f"só {record.dentro} de {record.janelas} previsões ficaram dentro"


def tell_correction(view: View) -> tuple[str, ...]:
    """Say what the corrections inside the balances are and why, and in which weeks they exceed what is booked (S24)."""
    told = [one for one in view.forecast_records if one.horizonte in TOLD and one.correcao]
    if not told:
        return ()
    sums = ", ".join(f"{_weeks(one.horizonte)} {format_centavos(one.correcao)} ({one.medidas} medidas)" for one in told)
    more = [
        f"{week.fim:%d/%m} ({format_centavos(week.correcao)})"
        for week in view.forecast_weeks
        if abs(week.correcao) > week.lancado_entra - week.lancado_sai
    ]
    beyond = (
        f"A correção passa do que está lançado na semana até {', '.join(more)}: ali vale mais o passado que o livro."
    )
    why = (
        "O saldo previsto traz uma correção, que não é lançamento: a mediana do que veio a mais (negativa, a menos) do "
        f"que se previra, acumulada: {sums}."
    )
    return (why, *([beyond] if more else []))


def tell_forecast(view: View) -> str:
    """Say on the cover where the forecast is lowest, and how good it was; empty where nothing is expected."""
    if not view.forecast.known or view.series.provisional:
        return ""
    lowest = find_lowest_week(view.forecast_weeks)
    text = f"Pela linha dos clientes, menor saldo {format_centavos(lowest.saldo)} em {lowest.fim:%d/%m}"
    if lowest.faixa_de is not None and lowest.faixa_ate is not None:
        text += f" (faixa {format_centavos(lowest.faixa_de)} a {format_centavos(lowest.faixa_ate)})"
    record = next((candidate for candidate in view.forecast_records if candidate.horizonte == ON_COVER), None)
    if record is not None and record.faixa is None:
        text += f" · sem faixa em {_weeks(ON_COVER)}: {_tell_lack(record)}"
    elif record is not None:
        text += f" · {record.dentro} de {record.janelas} previsões de {_weeks(ON_COVER)} ficaram dentro"
    return text


def _weeks(horizon: int) -> str:
    return count_text(horizon, "semana", "semanas")
