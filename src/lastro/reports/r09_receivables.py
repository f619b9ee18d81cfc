"""R09 Contas a receber: overdue and coming amounts, by customer; charges annotate them and never add value (S9)."""

from __future__ import annotations

from functools import partial
from typing import Final

from lastro.grid.cells import Kind
from lastro.grid.workbook import Family
from lastro.reports.shared.open_items import (
    EFFECTIVE_NOTE,
    RECEIVABLE,
    declare_bands,
    declare_people,
    declare_terms,
    declare_titulos,
    link_charges,
    plot_people,
    show_titulos,
)
from lastro.reports.spec import ReportSpec

BANDS, PARTS = declare_bands(
    RECEIVABLE,
    "também com cobrança paga, com e sem carência",
    EFFECTIVE_NOTE,
    "Vencido com cobrança paga: o cliente pagou e o lançamento segue aberto; o dinheiro está a caminho, não é "
    "inadimplência. Vencido sem explicação: vencido efetivo sem cobrança paga.",
)
TERMS: Final = declare_terms(RECEIVABLE)
PEOPLE: Final = declare_people(RECEIVABLE)
TITULOS: Final = declare_titulos(
    RECEIVABLE,
    "um título a receber em aberto por linha (S1, S8)",
    "o que falta receber do título, positivo; juros estimados fora",
    kinds={"cobranca": Kind.LINK},
    used=("aviso",),
    links=link_charges,
)
SPEC: Final = ReportSpec(
    code="R09",
    name="a_receber",
    title="Contas a receber",
    question="O que está atrasado, o que vem pela frente e de quem?",
    family=Family.OPEN,
    tables=(BANDS, TERMS, PEOPLE, TITULOS, PARTS),
    sections=(BANDS, TERMS, partial(show_titulos, TITULOS)),
    charts=(plot_people(PEOPLE, "A receber", "inadimplencia_safra"),),  # who owes stands before it
)
