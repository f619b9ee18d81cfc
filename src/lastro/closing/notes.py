"""The two last sheets of a closing: its indicators, and what one must know of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from lastro.analysis.abc_curve import rank_customers
from lastro.analysis.resilience import measure_resilience
from lastro.calendar import add_months
from lastro.closing.content import LABEL, Closing, build_texts
from lastro.grid.cells import Cell, Kind, Undefined, Value
from lastro.grid.sections import Row, Section, join_columns
from lastro.grid.tables import Column, describe_column
from lastro.reports.shared.kpis import list_measures
from lastro.settings import setting_rows
from lastro.transform.position import NAO_OPERACIONAL

MOST_ENTRIES: Final = 60
"""Changed entries that are listed: a month that was booked anew is no list to read."""
OF_LATER: Final = "concentracao_5_devedores"
"""Left out: it counts what is of later competence too, which a closing has as a memo."""


def build_closing_indicators(closing: Closing) -> Iterable[Section]:
    """Build the sheet of fôlego, break-even and concentration at F, the month itself the last closed one (R22)."""
    view, after = closing.month.view, add_months(closing.month.mes, 1)
    ranking = rank_customers(view.position, after)
    measures = measure_resilience(view.position, view.series, view.dre_map, after, ranking)
    shown = [kpi for kpi in list_measures(view, measures) if kpi.slug != OF_LATER]
    values = [Cell(Undefined(kpi.ausente) if kpi.valor is None else kpi.valor, kpi.spec.kind) for kpi in shown]
    columns = (
        (describe_column("indicador", width=LABEL), [kpi.indicador for kpi in shown]),
        (describe_column("valor"), values),
        (describe_column("como_se_calcula", width=60), [kpi.spec.como for kpi in shown]),
    )
    yield Section("indicadores", *join_columns(columns), title="Indicadores")


def build_notes(closing: Closing) -> Iterable[Section]:
    """Build the notes: comment, what changed between editions, findings that touch the month, parameters."""
    if closing.comentario:
        yield build_texts("notas_comentario", "Comentário", [text for text, _ in closing.comentario])
    if closing.edicao > 1:
        changes = [(one.linha, one.antes, one.agora, one.agora - one.antes) for one in closing.mudancas]
        columns = [describe_column("linha", width=46), _amount("antes", header="1ª edição")]
        columns += [_amount("agora", header="Esta edição"), _amount("diferenca")]
        title = "O que mudou desde a 1ª edição"
        yield _list("notas_edicoes", columns, changes, title=title, empty="Nada mudou")
        columns = [Column("Lançamento", Kind.INTEGER), describe_column("descricao", width=46)]
        yield _list(
            "notas_lancamentos", [*columns, _amount("antes"), _amount("agora")], closing.lancamentos[:MOST_ENTRIES],
            title="Lançamentos por trás da mudança", empty="Nenhum lançamento do mês mudou",
            notes=(f"e mais {more}",) if (more := len(closing.lancamentos) - MOST_ENTRIES) > 0 else (),
        )  # fmt: skip
    found = [(f"{finding.regra} {finding.titulo}", many) for finding, many in closing.achados]
    columns = [describe_column("achado", width=60), Column("Registros do mês", Kind.INTEGER, width=60)]
    yield _list("notas_achados", columns, found, title="Achados que tocam o mês", empty="Nenhum")
    columns = [describe_column("parametro", width=32), describe_column("valor", kind=Kind.TEXT, width=60)]
    settings = [(name, text) for name, text, _ in setting_rows(closing.month.view.position.parametros)]
    yield _list("notas_parametros", columns, settings, title="Parâmetros", notes=DEFINITIONS)


def _amount(key: str, **header: str) -> Column:
    return describe_column(key, kind=Kind.MONEY, dense=True, **header)


def _list(name: str, columns: Sequence[Column], rows: Iterable[tuple[Value, ...]], **more: Any) -> Section:
    return Section(name, tuple(columns), tuple(map(Row, rows)), **more)


DEFINITIONS: Final = (
    "Resultado: por competência, sem transferências e sem o que é fora do resultado.",
    "Caixa: pelo dia do pagamento. Em aberto: não pago no fim do mês e de competência até ele.",
    f"{NAO_OPERACIONAL}: o que o mapa da DRE põe fora do resultado.",
)
