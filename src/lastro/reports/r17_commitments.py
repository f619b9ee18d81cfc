"""R17 Compromissos recorrentes e parcelados: repeating entries, their progress and their cost a month (S10)."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from lastro.analysis.commitments import convert_to_month, sum_series
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind
from lastro.grid.prints import Columns, Print
from lastro.grid.storage import store_each, store_labels, store_texts
from lastro.grid.table_rows import Leads
from lastro.grid.tables import Table
from lastro.grid.workbook import Family
from lastro.money import ratio_pct
from lastro.reports.shared.drill_down import find_entries
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

INTERVAL_TEXTS: Final = {
    "D1": "Diária",
    "DS": "Segunda a sexta",
    "D7": "Semanal",
    "D15": "Quinzenal",
    "M1": "Mensal",
    "M2": "Bimestral",
    "M3": "Trimestral",
    "M6": "Semestral",
    "M12": "Anual",
}
"""Label by code; a code not listed is printed as it is."""
_PART: Final = re.compile(r"[\s–-]*(?:\(\d{1,3} ?(?:/|de) ?\d{1,3}\)|\b\d{1,3} ?(?:/|de) ?\d{1,3})\s*$")
SEM_FIM: Final = "sem fim"
NOTES: Final = (
    "Parcelas: geradas de quantas. Variação: última parcela gerada / anterior - 1.",
    "Equivalente mensal: último valor x 30/7 (semanal), 2, 1, 1/2, 1/3, 1/6 ou 1/12.",
)


def _name_series(descricao: str) -> str:
    """Call a series what its parts are called, without the number of the last one.

    >>> _name_series("Parcelamento PGFN 60/60"), _name_series("Licença (3 de 12)"), _name_series("Aluguel 2026")
    ('Parcelamento PGFN', 'Licença', 'Aluguel 2026')
    """
    return _PART.sub("", descricao) or descricao


def list_series(view: View) -> Columns:
    """List the groups as `sum_series` orders them: what is live to receive, then to pay, then what is finished."""
    groups = sum_series(view.position)
    values, monthly = groups["valor_centavos"], records_of(groups, "valor_centavos", "codigo")
    counts = list(records_of(groups, "geradas", "total_repeticoes", "codigo"))
    return {
        "descricao": store_texts(groups["descricao"].map(_name_series, na_action="ignore"), ""),
        "pessoa": store_labels(groups["pessoa_id"], view.position.rotulos.pessoa),
        "periodicidade": store_each(Kind.TEXT, groups["codigo"], lambda code: INTERVAL_TEXTS.get(code, code)),
        "parcelas": [_format_installments(*count) for count in counts],
        "pagas": groups["pagas"],
        "em_aberto": groups["geradas"] - groups["pagas"],
        "valor_em_aberto": groups["aberto"],
        "proximo_vencimento": groups["proximo"],
        "ultimo_vencimento_gerado": groups["data_vencimento"],
        "ultimo_valor": values,
        "variacao_pct": [_change(*pair) for pair in records_of(groups, "valor_centavos", "anterior")],
        "equivalente_mensal": [convert_to_month(*pair) for pair in monthly],
        "grupo_id": groups["grupo_id"],
        "pessoa_id": groups["pessoa_id"],
        "viva": groups["viva"],
        "sem_fim": [total is None and bool(code) for _, total, code in counts],
        "lado": groups["lado"],
    }


def _format_installments(generated: int, total: int | None, code: str) -> str:
    """Write how many of how many; without a total a series with a period has no end (S10).

    >>> _format_installments(3, 3, "M1"), _format_installments(5, None, "M1"), _format_installments(2, None, "")
    ('3 de 3', 'sem fim', '2')
    """
    if total is not None:
        return f"{generated} de {total}"
    return SEM_FIM if code else f"{generated}"


def _change(last: int, before: int | None) -> Decimal | None:
    """Say by how much the last one is more, in percent; one of the other sign is no base.

    >>> _change(-110_00, -100_00), _change(50_00, -100_00), _change(0, 100_00)
    (Decimal('10.00'), None, Decimal('-100.00'))
    """
    return None if before is None or last * before < 0 else ratio_pct(abs(last) - abs(before), abs(before))


def list_live(lado: str, view: View) -> Columns:
    """List the live series of a side alone, so that the total of *Equivalente mensal* is what goes on."""
    table = SERIES.table(view.once(list_series), view)
    sides = zip(table.data["viva"].cells(), table.data["lado"].cells(), strict=True)
    return table.take(np.flatnonzero([side == (True, lado) for side in sides])).data


def _lead_to_groups(view: View, table: Table) -> Leads:
    return view.books.once(find_entries).lead_each(["grupo_id"] * len(table.rows), table.data["grupo_id"])


def declare_live(lado: str, name: str, title: str, *notes: str) -> Print[View]:
    """Declare the live series of a side; the title counts them."""
    make = partial(list_live, lado)
    return replace(
        SERIES,
        name=name,
        make=make,
        title=lambda view: f"{title} ({len(view.once(make)['grupo_id'])})",
        lead=_lead_to_groups,
        notes=notes,
    )


SERIES: Final = Print(
    "recorrentes",
    "R17: um grupo de repetição por linha (S10); viva: há em aberto, ou sem fim",
    list_series,
    keys=("grupo_id",),
    about={"em_aberto": "quantos títulos do grupo estão em aberto"},
    kinds={"em_aberto": Kind.INTEGER},
    headers={"grupo_id": "Id"},
    widths={"periodicidade": 18, "parcelas": 18},
    dense=True,
    shown=("grupo_id",),
    hidden=("viva", "sem_fim", "lado"),
    total=("valor_em_aberto", "equivalente_mensal"),
    detail=True,
)
SPEC: Final = ReportSpec(
    code="R17",
    name="recorrentes",
    title="Compromissos recorrentes e parcelados",
    question="O que se repete, até quando e quanto custa por mês?",
    family=Family.HISTORY,
    tables=(SERIES,),
    sections=(
        declare_live("R", "recorrentes_receber", "Vivos, a receber"),
        declare_live("P", "recorrentes_pagar", "Vivos, a pagar", *NOTES),
    ),
)
