"""What changed since the previous report, in a few sentences for the cover (R14): settled, fallen due, new."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.analysis.cash_series import find_last_day
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind, Link
from lastro.grid.model import Column, Row, Section, Table
from lastro.grid.words import count_text, format_date, month_label
from lastro.money import to_decimal
from lastro.reports.r14_changes import NO_HISTORY
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.position import Position

COLUMNS: Final = (
    Column("O que mudou", Kind.TEXT, key="texto"),
    Column("Valor", Kind.MONEY),
    Column("Abrir", Kind.LINK),
)
MAX_ROWS: Final = 5
SERIES_SHOWN: Final = 2
Sentence = tuple[str, Decimal, Link | None]


@dataclass
class _Series:
    """New linhas of one repetition group: never more than one sentence."""

    text: str
    amount: Decimal = Decimal("0.00")
    days: list[date] = field(default_factory=list)
    titulo_id: int | None = None


def build_changes(view: View) -> Section:
    """Build the block: sums of what was settled and of what fell due, then new series, inside the horizon first."""
    before, table = view.facts.posicao_anterior, _find_table(view)
    if before is None or table is None:
        return Section("resumo_mudancas", COLUMNS, (Row((f"{NO_HISTORY}.", None, None)),), title="O QUE MUDOU")
    sentences = [*_settled(table), *_newly_late(view.position, before), *_new_series(view, table), *_gone(table)]
    rows = tuple(Row(sentence) for sentence in sentences[:MAX_ROWS])
    title = f"O QUE MUDOU DESDE {format_date(before.data_base)}"
    return Section(
        "resumo_mudancas", COLUMNS, rows or (Row(("Nada mudou desde o último relatório", None, None)),), title=title
    )


def _find_table(view: View) -> Table | None:
    tables = {table.name: table for report in view.reports for table in report.tables}
    return tables.get("mudancas")


def _impacts(table: Table, tipo: str) -> list[tuple[int, str, Decimal, int | None]]:
    """List the linhas of one type, each once: id, description, impact on what is open, título."""
    keys = ("tipo", "linha_id", "descricao", "impacto_no_aberto", "titulo_id")
    places = [table.place(key) for key in keys]
    rows = ([row[place] for place in places] for row in table.rows)
    return [
        (int(str(number)), str(text or ""), impact, None if titulo is None else int(str(titulo)))
        for kind, number, text, impact, titulo in rows
        if kind == tipo and isinstance(impact, Decimal)
    ]


def _settled(table: Table) -> Iterator[Sentence]:
    link = Link("Mudanças »", sheet="Mudanças")
    amounts = [impact for _, _, impact, _ in _impacts(table, "LIQUIDADO")]
    for word, chosen in (
        ("Recebido", [-one for one in amounts if one < 0]),
        ("Pago", [-one for one in amounts if one > 0]),
    ):
        if chosen:
            yield f"{word}: {count_text(len(chosen), 'lançamento', 'lançamentos')}", sum(chosen, Decimal("0.00")), link


def _newly_late(position: Position, before: Position) -> Iterator[Sentence]:
    known = set(before.titulos.loc[before.titulos["vencido"] & ~before.titulos["pago"], "titulo_id"].tolist())
    titulos = position.titulos
    late = titulos[titulos["vencido"] & ~titulos["pago"] & ~titulos["transferencia"]]
    late = late[~late["titulo_id"].isin(known)]
    for tipo, words, sheet in (("R", "não foi recebido", "Receber títulos"), ("P", "não foi pago", "Pagar títulos")):
        chosen = late[late["tipo"] == tipo]
        if len(chosen):
            value = to_decimal(int(chosen["valor_centavos"].sum()))
            text = f"Venceu e {words}: {count_text(len(chosen), 'título', 'títulos')}"
            yield text, value, Link(f"{sheet} »", sheet=sheet)


def _new_series(view: View, table: Table) -> Iterator[Sentence]:
    new = _impacts(table, "NOVO")
    linhas = view.position.linhas
    chosen = linhas[linhas["linha_id"].isin([number for number, *_ in new])]
    facts = {
        number: (group, as_date(due))
        for number, group, due in records_of(chosen, "linha_id", "grupo_id", "data_vencimento")
    }
    series: defaultdict[tuple[str, int], _Series] = defaultdict(lambda: _Series(""))
    for number, text, impact, titulo in new:
        group, due = facts.get(number, (None, None))
        one = series["linha" if group is None else "grupo", number if group is None else group]
        one.text = one.text or text
        one.amount += impact
        one.titulo_id = one.titulo_id or titulo
        one.days += [] if due is None else [due]
    last = find_last_day(view.position)
    moved = [one for one in series.values() if one.amount]
    ordered = sorted(moved, key=lambda one: (not any(day <= last for day in one.days), -abs(one.amount)))
    for one in ordered[:SERIES_SHOWN]:
        link = None if one.titulo_id is None else view.entries.link_titulo(one.titulo_id, "Lançamentos »")
        yield _say_series(one), one.amount, link


def _say_series(one: _Series) -> str:
    """Write one series.

    >>> _say_series(_Series("Retirada", days=[date(2027, 5, 5), date(2027, 6, 5)]))
    'Retirada: 2 parcelas novas, mai/27 a jun/27'
    >>> _say_series(_Series("Frete", days=[date(2026, 12, 1)]))
    'Frete: lançamento novo, vence em 01/12/2026'
    """
    if len(one.days) < 2:
        due = f", vence em {format_date(one.days[0])}" if one.days else ""
        return f"{one.text}: lançamento novo{due}"
    return f"{one.text}: {len(one.days)} parcelas novas, {month_label(min(one.days))} a {month_label(max(one.days))}"


def _gone(table: Table) -> Iterator[Sentence]:
    amounts = [impact for _, _, impact, _ in _impacts(table, "EXCLUIDO")]
    if amounts:
        text = f"Excluído: {count_text(len(amounts), 'lançamento', 'lançamentos')}"
        yield text, sum(amounts, Decimal("0.00")), Link("Mudanças »", sheet="Mudanças")
