"""R21 Tributos: what is owed in taxes, by category and month of competence, and how late it is.

On *Pagar*. Amounts keep the sign of payables: negative, estimates of fine and interest included; these are in no flow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from lastro.analysis.arrears import IN_PLAN
from lastro.analysis.frames import records_of
from lastro.analysis.taxes import DUE, LATE, MISSING, PLAN, list_missing, list_open_taxes
from lastro.grid.prints import Columns, Print
from lastro.grid.sections import Section, say_more
from lastro.grid.words import count_text
from lastro.grid.workbook import Family
from lastro.money import format_reais
from lastro.reports.printing import Tables, print_section
from lastro.reports.spec import ReportSpec
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.reports.view import View

RISK: Final = 3
"""Late instalments with which a plan may be lost (Q41)."""
MOST_MISSING: Final = 6
"""Months without an entry that the sheet shows; they stand last."""
RISKED: Final = "risco de exclusão"
ORDER: Final = (LATE, PLAN, DUE, MISSING)
PARTS: Final = {
    "atrasado": ("Atrasado", LATE),
    "em_parcelamento": ("Em parcelamento", PLAN),
    "a_vencer": ("A vencer", DUE),
}


def select_taxes(view: View) -> pd.DataFrame:
    """List the taxes owed, linha by linha; one that the bank moved is paid, whatever the desk answered."""
    desks, moved = view.facts.mesas, view.facts.banco.movidos
    in_plan = {key for key, answer in desks.respostas.items() if answer == IN_PLAN and key not in moved}
    return list_open_taxes(view.position, desks.decididos, view.settled - in_plan, in_plan)


def find_risks(view: View) -> pd.DataFrame:
    """Find the plans of instalments that may be lost (Q41): those of which so many instalments are late.

    Returns:
        By group, ascending: `tributo`, the category of an instalment, and `atrasadas`, how many are late.
    """
    open_ = view.once(select_taxes)
    late = open_[open_["vencido"] & (open_["situacao"] == PLAN)]
    plans = late.groupby("grupo_id").agg(tributo=("categoria_id", "first"), atrasadas=("titulo_id", "nunique"))
    return plans[plans["atrasadas"] >= RISK]


def tell_risks(view: View) -> Iterator[str]:
    """Say which plans may be lost."""
    for tributo, count in records_of(view.once(find_risks), "tributo", "atrasadas"):
        of = view.position.rotulos.categoria_caminho(tributo)
        yield f"{RISKED.capitalize()}: {count} parcelas atrasadas de {of}."


def tell_taxes(view: View) -> str:
    """Say on the cover what is late of taxes; nothing where nothing is."""
    open_ = view.once(select_taxes)
    sums = open_.groupby("situacao")["valor_centavos"].sum()
    late, in_plan = int(sums.get(LATE, 0)), int(sums.get(PLAN, 0))
    instalments = open_.loc[open_["vencido"] & (open_["situacao"] == PLAN), "titulo_id"].nunique()
    if not (late or instalments):
        return ""
    said = [f"atrasados {format_reais(-late)}"] if late else []
    if in_plan:
        count = count_text(instalments, "parcela atrasada", "parcelas atrasadas")
        said.append(f"em parcelamento {format_reais(-in_plan)}{(instalments and f' ({count})') or ''}")
    risks = view.once(find_risks)
    return " · ".join([*said, *([RISKED] if len(risks) else [])])


def list_taxes(view: View) -> Columns:
    """Sum by category, month and situation: late instalments of plans first, then what is late, the latest first."""
    position = view.position
    rows: list[dict[str, Any]] = []
    of_one = view.once(select_taxes).groupby(["categoria_id", "mes_competencia", "situacao"], dropna=False)
    for _, part in of_one:
        first = part.sort_values("data_vencimento").iloc[0]
        rows.append(
            {
                "categoria_id": None if pd.isna(first["categoria_id"]) else int(first["categoria_id"]),
                "competencia": as_date(first["mes_competencia"]),
                "valor": int(part["valor_centavos"].sum()),
                "data_vencimento": as_date(first["data_vencimento"]),
                "atrasada": bool(part["vencido"].any()),
                "dias_de_atraso": None if pd.isna(first["dias_de_atraso"]) else int(first["dias_de_atraso"]),
                "multa_e_juros_est": int(part["encargos_centavos"].sum()),
                "situacao": first["situacao"],
                "decisao": "; ".join(dict.fromkeys(part["decisao"].dropna())) or None,
            }
        )
    empty = dict.fromkeys(("valor", "data_vencimento", "dias_de_atraso", "multa_e_juros_est", "decisao", "atrasada"))
    rows += [
        {"categoria_id": categoria_id, "competencia": month, **empty, "situacao": MISSING}
        for categoria_id, month in list_missing(position)
    ]
    rows.sort(key=_place)
    label = position.rotulos.categoria_caminho
    keys = (
        "competencia", "valor", "data_vencimento", "dias_de_atraso", "multa_e_juros_est", "situacao", "decisao",
        "categoria_id",
    )  # fmt: skip
    return {
        "tributo": [label(row["categoria_id"]) for row in rows],
        **{key: [row[key] for row in rows] for key in keys},
    }


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    return (
        0 if row["situacao"] == PLAN and row["atrasada"] else 1 + ORDER.index(row["situacao"]),
        -(row["dias_de_atraso"] or 0),
        row["competencia"] is None,
        row["competencia"],
        row["categoria_id"] or 0,
    )


def sum_situations(view: View) -> Columns:
    """Sum what is open by situation, and all of it."""
    open_ = view.once(select_taxes)
    chosen = {
        "total": ("Total", open_),
        **{code: (text, open_[open_["situacao"] == one]) for code, (text, one) in PARTS.items()},
    }
    parts = [part for _, part in chosen.values()]
    return {
        "codigo": list(chosen),
        "linha": [text for text, _ in chosen.values()],
        "valor": [int(part["valor_centavos"].sum()) for part in parts],
        "multa_e_juros_est": [int(part["encargos_centavos"].sum()) for part in parts],
        "atrasadas": [int(part.loc[part["vencido"], "titulo_id"].nunique()) for part in parts],
    }


TAXES: Final = Print(
    "tributos",
    "R21: um tributo, mês de competência e situação por linha",
    list_taxes,
    keys=("categoria_id", "competencia", "situacao"),
    about={
        "valor": "em aberto, negativo; nulo onde falta a guia",
        "data_vencimento": "o primeiro vencimento em aberto",
        "dias_de_atraso": "dias de atraso desse vencimento; negativo = ainda por vencer",
        "situacao": "a vencer, atrasado, em parcelamento, ou sem guia (Q40: falta o mês entre dois)",
        "decisao": "o que a mesa de pagamentos decidiu; nulo sem nada decidido",
    },
    widths={"situacao": 18, "decisao": 30},
    title="Tributos em aberto",
    below="tributos_total",
    notes=(
        tell_risks,
        "Multa e juros: estimativa, 0,33 % ao dia até 20 % e juros simples (juros_tributos_pct_mes); em nenhum fluxo.",
        "Sem guia: a categoria tem lançamentos antes e depois desse mês, e nenhum nele.",
    ),
)
PARTS_OF: Final = Print(
    TAXES.below,  # type: ignore[arg-type]
    "R21: o total dos tributos em aberto, e o atrasado, o em parcelamento e o a vencer",
    sum_situations,
    keys=("codigo",),
    about={"valor": "soma da linha, negativa", "atrasadas": "quantos títulos estão atrasados"},
)


def show_taxes(view: View, tables: Tables) -> Section | None:
    """Print the taxes, of the months without an entry the first; a company without any has no such table."""
    table = tables[TAXES.name]
    if not len(table.rows):
        return None
    shown = len(table.rows) - max(0, table.data["situacao"].cells().count(MISSING) - MOST_MISSING)
    more = tuple(f"Sem guia: {each}." for each in say_more(len(table.rows), f"mart.{table.name}", shown))
    printed = print_section(TAXES, {**tables, table.name: table.take(np.arange(shown))}, view)
    return replace(printed, notes=(*printed.notes, *more))


SPEC: Final = ReportSpec(
    code="R21",
    name="tributos",
    title="Tributos",
    question="Que tributos se devem, de que mês e há quanto tempo?",
    family=Family.OPEN,
    tables=(TAXES, PARTS_OF),
    sections=(show_taxes,),
)
