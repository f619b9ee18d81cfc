"""The sheets of the workbook for management, in order, and the sections that each shows.

Belongs here: names, order, what is hidden or not printed. Does not belong here: what a table says (the reports), where
its cells stand (`lastro.export.layout`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from lastro.grid.cover import COVER, COVER_SHEET
from lastro.grid.sections import Section
from lastro.grid.workbook import Printing, Report, Sheet
from lastro.reports.shared.drill_down import LANCAMENTOS


@dataclass(frozen=True)
class SheetPlan:
    """One sheet: its name and its tables, top to bottom.

    Attributes:
        name: of the tab, at most 31 characters.
        title: printed in row 1, unless the report of the first table says it in its own words.
        sections: names of the tables; those that a run does not have are left out, and a sheet without any is none.
        printing: how much of it is printed.
        hint: what its reader must know first.
        pages: how many it may take in print, however small (`Sheet.pages`).
        hidden: nobody opens it by its tab, unless the report of its first table asks for it to be shown.
    """

    name: str
    title: str
    sections: tuple[str, ...]
    printing: Printing = Printing.WHOLE
    hint: str = ""
    hidden: bool = False
    pages: int = 0


SHEETS: Final = (
    SheetPlan(COVER_SHEET, "Posição financeira", (COVER,)),
    SheetPlan("Fazer", "O que fazer hoje", ("fazer",), Printing.FIRST_PAGE),
    SheetPlan("Indicadores", "Indicadores", ("indicadores",), Printing.FIRST_PAGE),
    SheetPlan("Saldos", "Saldos por conta", ("saldos_por_conta", "extratos", "fluxo_por_conta")),
    SheetPlan("Conciliação", "Conciliação com o banco", ("conciliacao", "conciliacao_pendencias", "devolvidas")),
    SheetPlan("Previsão", "Previsão de caixa em 13 semanas", ("previsao_semanal", "previsao_maiores")),
    SheetPlan("Fluxo diário", "Fluxo de caixa diário", ("fluxo_diario",), pages=2),
    SheetPlan("Fluxo mensal", "Fluxo de caixa mensal por categoria", ("fluxo_mensal",)),
    SheetPlan("DRE", "DRE gerencial (competência)", ("dre", "dre_centros_periodo", "dre_sem_grupo")),
    SheetPlan(
        "Comparativos",
        "Comparativos",
        ("comparativo_resultado", "comparativo_caixa", "comparativo_explicacao"),
        hint="Resultado por competência e, abaixo, caixa realizado; as categorias abrem no [+] à esquerda.",
    ),
    SheetPlan("Orçado", "Orçado x realizado", ("orcado", "orcado_nao_lido")),
    SheetPlan("Ponte", "Ponte competência x caixa", ("ponte_resumo", "ponte")),
    SheetPlan(
        "Pagar",
        "Contas a pagar",
        (
            "a_pagar_faixas",
            "dividas",
            "tributos",
            "a_pagar_agenda",
            "dividas_meses",
            "a_pagar_pessoas",
            "a_pagar_a_vencer",
        ),
        Printing.FIRST_PAGE,
    ),
    SheetPlan("Pagar títulos", "Títulos a pagar", ("a_pagar",), Printing.NONE),
    SheetPlan(
        "Inadimplência",
        "Contas a receber e inadimplência por cliente",
        ("inadimplencia_indices", "a_receber_faixas", "inadimplencia", "a_receber_a_vencer", "inadimplencia_safra"),
        Printing.FIRST_PAGE,
    ),
    SheetPlan(
        "Receber títulos",
        "Títulos a receber",
        ("a_receber",),
        Printing.NONE,
        hint="O que ninguém cobra: filtre «sem cobrança» na coluna Cobrança.",
    ),
    SheetPlan(
        "Cobranças",
        "Situação das cobranças",
        ("cobrancas_divergencias", "agenda_cartoes", "cobrancas_em_transito"),
        hint="Primeiro, divergências entre cobrança e lançamento; O que fazer diz em palavras cada tipo (M1 a M11).",
    ),
    SheetPlan(
        "Mudanças",
        "Mudanças desde o último relatório",
        ("mudancas_resumo", "mudancas_ponte", "mudancas_meses", "mudancas_meses_linhas"),
        Printing.FIRST_PAGE,
    ),
    SheetPlan(
        "Recorrentes",
        "Compromissos recorrentes e parcelados",
        ("recorrentes_receber", "recorrentes_pagar"),
        Printing.NONE,
    ),
    SheetPlan(
        "Qualidade",
        "Qualidade dos dados",
        ("achados", "falhas", "rejeitados", "esquema", "achados_itens"),
        Printing.NONE,
    ),
    SheetPlan(
        LANCAMENTOS,
        "Lançamentos",
        ("lancamentos",),
        Printing.NONE,
        hint=(
            "Filtre à vontade, mas não ordene: os links das outras planilhas levam a uma linha fixa daqui, e depois de "
            "ordenar abririam outro lançamento (confira pelo id do título, que está ao lado de cada link)."
        ),
    ),
    SheetPlan(
        "Pessoas",
        "Posição por cliente e fornecedor, prazos e hábitos",
        (
            "pessoas_prazos",
            "pessoas_formas",
            "pessoas_habitos",
            "cobrancas_por_status",
            "cobrancas_funil_meses",
            "cobrancas_tempos",
            "cobrancas_pendentes_vencidas",
            "pessoas",
        ),
        Printing.NONE,
        hidden=True,
    ),
    SheetPlan(
        "Previsto x realizado",
        "Previsto x realizado",
        (
            "previsto_realizado",
            "previsto_realizado_desvios",
            "previsto_realizado_maiores",
            "previsto_realizado_vencimento",
        ),
        Printing.FIRST_PAGE,
        hidden=True,
    ),
    SheetPlan("Verificações", "Verificações", ("verificacoes", "conferencias"), Printing.NONE, hidden=True),
    SheetPlan(
        "Parâmetros",
        "Parâmetros",
        ("parametros", "parametros_contas", "parametros_certificado", "parametros_definicoes", "resumo_fontes"),
        Printing.NONE,
        hidden=True,
    ),
)
"""All of them (manual: Planilha); the figures of the charts stand on one more, hidden and last."""


def lay_out(reports: Iterable[Report]) -> tuple[Sheet, ...]:
    """Put the tables of the reports on the sheets, each with the charts that stand below it."""
    made = list(reports)
    owners = {section.name: (report, section) for report in made for section in report.sections}
    return tuple(sheet for plan in SHEETS for sheet in _lay_out(plan, made, owners))


def _lay_out(plan: SheetPlan, reports: list[Report], owners: dict[str, tuple[Report, Section]]) -> Iterator[Sheet]:
    """Make a sheet; of a table in parts each has a sheet of its own ("Lançamentos 2026", "Lançamentos 2026-03")."""
    placed = [owners[name] for name in plan.sections if name in owners]
    first = (
        placed[0][0]
        if placed
        else next((report for report in reports if report.cover and COVER in plan.sections), None)
    )
    if first is None:
        (name, *_) = plan.sections
        for each in sorted(each for each in owners if re.fullmatch(rf"{name}_[\d_]+", each)):
            part = each.removeprefix(f"{name}_").replace("_", "-")
            own = replace(plan, name=f"{plan.name} {part}", title=f"{plan.title} de {part}", sections=(each,))
            yield from _lay_out(own, reports, owners)
        return
    hidden = plan.hidden and not first.shown
    printed = not hidden and (COVER in plan.sections or any(section.rows for _, section in placed))
    yield Sheet(
        name=plan.name,
        title=first.title or plan.title,
        sections=tuple(section for _, section in placed),
        charts=tuple(chart for report in reports for chart in report.charts if chart.after in plan.sections),
        family=first.family,
        printing=plan.printing if printed else Printing.NONE,
        hint=plan.hint,
        cover=first.cover if COVER in plan.sections else None,
        hidden=hidden,
        pages=plan.pages,
    )
