"""R09 Contas a receber: overdue and coming amounts, by customer, with their charges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro.grid.workbook import Family, Report
from lastro.reports.shared.open_items import (
    build_charts,
    build_detail,
    build_faixas,
    build_forward,
    build_people,
    select_open,
)
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View


def build_r09(view: View) -> Report:
    """Build R09: open receivables; charges annotate them and never add value (S9).

    Returns:
        Sections `a_receber_faixas`, `a_receber_a_vencer` and the detail `a_receber`; a table for each, and
        `a_receber_pessoas`, which a chart draws.
    """
    position = view.position
    abertos = select_open(position, "R")
    of_bands, bands, totals = build_faixas(
        abertos,
        "a_receber_faixas",
        "R09: contas a receber por faixa de atraso (S8)",
        "R09: o total e o vencido, também com cobrança paga, com e sem carência (S8)",
        receivable=True,
    )
    comment = "R09: contas a receber não vencidas por prazo (S8)"
    by_term, terms = build_forward(abertos, "a_receber_a_vencer", comment, receivable=True)
    comment = "R09: contas a receber por pessoa e faixa, 20 maiores e demais"
    people = build_people(position, abertos, "a_receber_pessoas", comment)
    comment = "R09: um título a receber em aberto por linha (S1, S8)"
    listed, titulos = build_detail(position, view.entries, abertos, "a_receber", comment)
    return SPEC.report(
        sections=(of_bands, by_term, listed),
        tables=(bands, terms, people, titulos, totals),
        charts=build_charts(people, "A receber", after=bands.name),
    )


SPEC: Final = ReportSpec(
    code="R09",
    name="a_receber",
    title="Contas a receber",
    question="O que está atrasado, o que vem pela frente e de quem?",
    family=Family.OPEN,
    build=build_r09,
    keys={
        "a_receber_faixas": ("faixa",),
        "a_receber_faixas_total": ("codigo",),
        "a_receber_a_vencer": ("vence_em_dias",),
        "a_receber": ("titulo_id",),
    },
    totalled=True,
)
