"""The two last sheets of a closing: its indicators, and what one must know of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from lastro.analysis.abc_curve import rank_customers
from lastro.calendar import add_months
from lastro.closing.content import LABEL, Closing, build_texts, money_column
from lastro.grid.cells import Cell, Kind, Undefined
from lastro.grid.sections import Row, Section, join_columns
from lastro.grid.tables import Column
from lastro.reports.shared.resilience import METHODS, list_resilience_kpis
from lastro.settings import setting_rows
from lastro.transform.position import NAO_OPERACIONAL

OF_LATER: Final = "concentracao_5_devedores"
"""Left out: it counts what is of later competence too, which a closing has as a memo."""


def build_closing_indicators(closing: Closing) -> Iterable[Section]:
    """Build the sheet of fôlego, break-even and concentration at F, the month itself the last closed one (R22)."""
    view, after = closing.month.view, add_months(closing.month.mes, 1)
    kpis = list_resilience_kpis(view, after, rank_customers(view.position, after))
    shown = [kpi for kpi in kpis if kpi.slug != OF_LATER]
    values = [Cell(Undefined(kpi.ausente) if kpi.valor is None else kpi.valor, kpi.kind) for kpi in shown]
    columns = (
        (Column("Indicador", Kind.TEXT, width=LABEL), [kpi.indicador for kpi in shown]),
        (Column("Valor", Kind.MONEY), values),
        (Column("Como se calcula", Kind.TEXT, width=60), [METHODS[kpi.slug] for kpi in shown]),
    )
    yield Section("indicadores", *join_columns(columns), title="Indicadores")


def build_notes(closing: Closing) -> Iterable[Section]:
    """Build the notes: comment, what changed between editions, findings that touch the month, parameters."""
    if closing.comentario:
        yield build_texts("notas_comentario", "Comentário", [text for text, _ in closing.comentario])
    if closing.edicao > 1:
        columns = (
            Column("Linha", Kind.TEXT, width=46), money_column("1ª edição", "antes"),
            money_column("Esta edição", "agora"), money_column("Diferença", "diferenca"),
        )  # fmt: skip
        rows = tuple(
            Row((change.linha, change.antes, change.agora, change.agora - change.antes)) for change in closing.mudancas
        )
        yield Section("notas_edicoes", columns, rows, title="O que mudou desde a 1ª edição", empty="Nada mudou")
        entries = (
            Column("Lançamento", Kind.INTEGER), Column("Descrição", Kind.TEXT, width=46),
            money_column("Antes", "antes"), money_column("Agora", "agora"),
        )  # fmt: skip
        yield Section(
            "notas_lancamentos", entries, tuple(Row(cells) for cells in closing.lancamentos),
            title="Lançamentos por trás da mudança", empty="Nenhum lançamento do mês mudou",
        )  # fmt: skip
    columns_of_findings = (Column("Achado", Kind.TEXT, width=60), Column("Registros do mês", Kind.INTEGER, width=60))
    yield Section(
        "notas_achados",
        columns_of_findings,
        tuple(Row((f"{finding.regra} {finding.titulo}", many)) for finding, many in closing.achados),
        title="Achados que tocam o mês",
        empty="Nenhum",
    )
    settings = (Column("Parâmetro", Kind.TEXT, width=32), Column("Valor", Kind.TEXT, width=60))
    yield Section(
        "notas_parametros",
        settings,
        tuple(Row((name, text)) for name, text, _ in setting_rows(closing.month.view.position.parametros)),
        title="Parâmetros",
        notes=DEFINITIONS,
    )


DEFINITIONS: Final = (
    "Resultado: por competência, sem transferências e sem o que é fora do resultado.",
    "Caixa: pelo dia do pagamento. Em aberto: não pago no fim do mês e de competência até ele.",
    f"{NAO_OPERACIONAL}: o que o mapa da DRE põe fora do resultado.",
)
