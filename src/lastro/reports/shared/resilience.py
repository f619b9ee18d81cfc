"""What the cover says of R22: fôlego, break-even and concentration in a line, and who is more than a quarter."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from lastro.analysis.changes import find_late
from lastro.analysis.frames import records_of
from lastro.analysis.resilience import BY_LINES, FIXED_COST, find_dominant
from lastro.money import format_amount, round_half_up

if TYPE_CHECKING:
    from lastro.reports.shared.kpis import Kpi
    from lastro.reports.view import View


def tell_dominant(view: View) -> str:
    """Name who is more than a quarter of revenue or of what is late; empty where nobody is.

    An acquirer is no customer, and what it passes on is said apart (S12).
    """
    late, lots = find_late(view.position), {*view.position.parametros.pessoas_sem_cobranca}
    late = late[~late["pessoa_id"].isin(lots)]
    owed = late[late["tipo"] == "R"].groupby("pessoa_id", dropna=False, as_index=False).agg(v=("valor_centavos", "sum"))
    revenue = {person: standing.receita_centavos for person, standing in view.ranking.items()}
    shares = [
        (find_dominant(revenue), "da receita de 12 meses"),
        (find_dominant(dict(records_of(owed, "pessoa_id", "v"))), "do vencido a receber"),
    ]
    people = dict.fromkeys(person for found, _ in reversed(shares) for person in found)
    return "; ".join(
        f"{view.position.rotulos.pessoa(person)}{' (repassa cartões)' if person in lots else ''} "
        + " e ".join(f"{round_half_up(found[person], 0)} % {text}" for found, text in shares if person in found)
        for person in people
    )


def tell_resilience(kpis: Sequence[Kpi]) -> str:
    """Say R22 on the cover in one sentence of what can be said, the shorter runway first; empty where nothing can."""
    values = {kpi.slug: kpi.valor for kpi in kpis}

    def write(slug: str, places: int = 0) -> str:
        value = values.get(slug)
        if not isinstance(value, Decimal):
            return ""
        whole, _, decimals = format_amount(round_half_up(value, places)).partition(",")
        return f"{whole},{decimals[:places]}" if places else whole

    by_lines = any(kpi.slug == FIXED_COST and BY_LINES in kpi.indicador for kpi in kpis)
    runways = [("folego_media", "saídas de 3 meses"), ("folego_custo_fixo", "custos fixos")][: 1 + by_lines]
    known = [(value, slug, base) for slug, base in runways if isinstance(value := values.get(slug), Decimal)]
    point, top = write("ponto_equilibrio"), write("concentracao_5_clientes")
    parts = (
        *(f"{write(slug, 1)} {'mês' if value < 2 else 'meses'} ({base})" for value, slug, base in sorted(known)[:1]),
        f"ponto de equilíbrio {point}/mês x receita {write('receita_liquida_media')}" if point else "",
        f"5 maiores clientes {top} %" if top else "",
    )
    return " · ".join(filter(None, parts))
