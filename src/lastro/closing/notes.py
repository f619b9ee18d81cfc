"""The two last sheets of a closing: its indicators, and what one must know of it."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from lastro.analysis.resilience import find_break_even, find_concentration, find_runway
from lastro.closing.content import Closing, build_texts, money_column
from lastro.grid.cells import UNDEFINED, Cell, Kind, Undefined
from lastro.grid.model import Column, Row, Section
from lastro.settings import setting_rows
from lastro.transform.position import NAO_OPERACIONAL


def build_closing_indicators(closing: Closing) -> Iterable[Section]:
    """Build the sheet of fôlego, break-even and concentration at F (S25)."""
    view = closing.month.view
    runway, even = find_runway(view.position, view.series), find_break_even(view.position, view.dre_map)
    shares = find_concentration(view.position)

    def cell(value: Decimal | None, kind: Kind, why: str = "") -> Cell:
        return Cell(value if value is not None else Undefined(why) if why else UNDEFINED, kind)

    rows = (
        ("Custo fixo mensal", cell(runway.custo_fixo, Kind.MONEY), "séries vivas a pagar, equivalente mensal"),
        (
            "Fôlego com custos fixos (meses)",
            cell(runway.fixo, Kind.NUMBER, runway.sem_fixo),
            "saldo / custo fixo mensal",
        ),
        (
            "Fôlego pela média (meses)",
            cell(runway.media, Kind.NUMBER, runway.sem_media),
            "saldo / média das saídas de 3 meses",
        ),
        ("Receita líquida média", cell(even.receita_media, Kind.MONEY), "12 meses fechados / 12"),
        ("Margem de contribuição %", cell(even.margem_pct, Kind.PERCENT, even.motivo), "linha 5 / linha 3 da DRE"),
        ("Ponto de equilíbrio mensal", cell(even.ponto, Kind.MONEY, even.motivo), "custo fixo da DRE / 12 / margem %"),
        (
            "Margem de segurança %",
            cell(even.seguranca_pct, Kind.PERCENT, even.motivo),
            "1 - custo fixo / margem de contribuição",
        ),
        ("Cinco maiores clientes %", cell(shares.top, Kind.PERCENT), "da receita de 12 meses fechados"),
        ("Maior cliente %", cell(shares.maior, Kind.PERCENT), "da receita de 12 meses fechados"),
        ("Cinco maiores devedores %", cell(shares.aberto_top, Kind.PERCENT), "do que está a receber"),
    )
    columns = (
        Column("Indicador", Kind.TEXT, width=38), Column("Valor", Kind.MONEY),
        Column("Como se calcula", Kind.TEXT, width=50),
    )  # fmt: skip
    yield Section("indicadores", columns, tuple(Row(row) for row in rows), title="Indicadores")


def build_notes(closing: Closing) -> Iterable[Section]:
    """Build the notes: comment, what changed between editions, findings that touch the month, parameters."""
    if closing.comentario:
        yield build_texts("notas_comentario", "Comentário", [text for text, _ in closing.comentario])
    if closing.edicao > 1:
        columns = (
            Column("Linha", Kind.TEXT, width=46), money_column("Edição anterior", "antes"),
            money_column("Esta edição", "agora"), money_column("Diferença", "diferenca"),
        )  # fmt: skip
        rows = tuple(Row((one.linha, one.antes, one.agora, one.agora - one.antes)) for one in closing.mudancas)
        yield Section("notas_edicoes", columns, rows, title="O que mudou desde a edição anterior", empty="Nada mudou")
        entries = (
            Column("Lançamento", Kind.INTEGER), Column("Descrição", Kind.TEXT, width=46),
            money_column("Antes", "antes"), money_column("Agora", "agora"),
        )  # fmt: skip
        yield Section(
            "notas_lancamentos", entries, tuple(Row(one) for one in closing.lancamentos),
            title="Lançamentos por trás da mudança", empty="Nenhum lançamento do mês mudou",
        )  # fmt: skip
    found = (Column("Achado", Kind.TEXT, width=60), Column("Registros do mês", Kind.INTEGER))
    yield Section(
        "notas_achados",
        found,
        tuple(Row((f"{one.regra} {one.titulo}", many)) for one, many in closing.achados),
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
