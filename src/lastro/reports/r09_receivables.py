"""R09 Contas a receber: what is late, what is coming, with whom, and what the charges say about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro.grid.coded import detail_table
from lastro.grid.model import Family, Printing, Report, summary_table
from lastro.reports.open_items import build_charts, build_detail, build_faixas, build_forward, build_people, select_open
from lastro.reports.spec import Part, ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View


def build_r09(view: View) -> Report:
    """Build R09: open receivables; charges annotate them and never add value (S9).

    Returns:
        Sections `a_receber_faixas`, `a_receber_a_vencer`, `a_receber_pessoas` and the detail `a_receber`; a table for
        each. A chart by person.
    """
    position = view.position
    abertos = select_open(position, "R")
    faixas = build_faixas(abertos, "a_receber_faixas", charges=True)
    forward = build_forward(abertos, "a_receber_a_vencer")
    people = build_people(position, abertos, "a_receber_pessoas")
    detail = build_detail(position, view.entries, abertos, "a_receber", charges=True)
    return SPEC.report(
        sections=(faixas, forward, people, detail),
        tables=(
            summary_table(faixas, "R09: contas a receber por faixa de atraso (S8)"),
            summary_table(forward, "R09: contas a receber não vencidas por prazo (S8)"),
            summary_table(people, "R09: contas a receber por pessoa e faixa, 20 maiores e demais"),
            detail_table(detail, "R09: um título a receber em aberto por linha (S1, S8)"),
        ),
        charts=build_charts(people, "A receber"),
    )


SPEC: Final = ReportSpec(
    code="R09",
    name="a_receber",
    sheet="Receber",
    title="Contas a receber",
    question="O que está atrasado, o que vem pela frente e de quem?",
    family=Family.OPEN,
    build=build_r09,
    parts=(
        Part(
            "Receber títulos",
            "Títulos a receber",
            "Que título é cada valor a receber, e com que cobrança?",
            ("a_receber",),
            Printing.NONE,
        ),
    ),
    keys={
        "a_receber_faixas": ("faixa",),
        "a_receber_a_vencer": ("vence_em_dias",),
        "a_receber": ("titulo_id",),
    },
    totalled=frozenset({"a_receber_faixas", "a_receber_a_vencer", "a_receber_pessoas"}),
    summed=frozenset({"a_receber_faixas", "a_receber_a_vencer", "a_receber_pessoas"}),
)
