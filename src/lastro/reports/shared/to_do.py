"""FAZER HOJE: the rules F1 to F6 as a table that the cover lays out (R00).

`mart.fazer_hoje`, one row per rule that has something above `fazer_minimo` reais, the largest amount first:

| column | what |
|---|---|
| `ordem` | 1 .. 6, as printed |
| `regra` | F1 to F6 |
| `frase` | what to do, in words |
| `qtde` | how many customers, títulos, charges or findings |
| `valor` | R$ behind it, never negative |
| `planilha` | sheet that the row leads to |
| `chave` | key of the row there (`Row.key`); null = its top |
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.analysis.to_do import find_calls, find_payments, find_to_charge, find_unsettled
from lastro.grid.cells import Kind
from lastro.grid.model import Column, Table
from lastro.grid.verdict import Sides, add_sides, describe_sides
from lastro.grid.words import count_text
from lastro.money import ratio_pct, to_decimal
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.reports.view import View

COLUMNS: Final = (
    Column("Ordem", Kind.INTEGER),
    Column("Regra", Kind.TEXT),
    Column("Frase", Kind.TEXT),
    Column("Qtde", Kind.INTEGER),
    Column("Valor", Kind.MONEY),
    Column("Planilha", Kind.TEXT),
    Column("Chave", Kind.TEXT),
)
TIDY: Final = ("Q01", "Q21", "Q34")
"""Findings that F6 adds up."""
FORGOTTEN: Final = "Q33"
"""The finding that F3 lists."""
Task = tuple[str, str, int, Decimal, str, str | None]
"""Rule, sentence, how many, R$, sheet, key."""


def build_to_do(view: View) -> Table:
    """Build `fazer_hoje` (F1 to F6), see the module."""
    minimum = view.position.parametros.fazer_minimo
    tasks = [task for task in _list_tasks(view) if task[3] >= minimum and task[2]]
    tasks.sort(key=lambda task: (-task[3], task[0]))
    rows = tuple((number, *task) for number, task in enumerate(tasks, 1))
    return Table("fazer_hoje", COLUMNS, rows, "R00: o que fazer hoje, regras F1 a F6 acima de fazer_minimo")


def _list_tasks(view: View) -> Iterator[Task]:
    position = view.position
    calls = find_calls(position)
    share = ratio_pct(calls.centavos, calls.total_centavos)
    percent = "" if share is None else f" ({int(share)} % do vencido)"
    people = count_text(len(calls.pessoas), "cliente", "clientes")
    yield "F1", f"Ligar para {people}{percent}", len(calls.pessoas), to_decimal(calls.centavos), "Inadimplência", None
    late, ahead = find_to_charge(position)
    parts = [
        *([count_text(len(late), "vencido", "vencidos")] if len(late) else []),
        *([f"{len(ahead)} a vencer em 7 dias"] if len(ahead) else []),
    ]
    text = f"Emitir cobrança: {' e '.join(parts)} sem cobrança"
    yield "F2", text, len(late) + len(ahead), _size(late) + _size(ahead), "Receber títulos", None
    forgotten = _find_forgotten(view)
    amounts = [to_decimal(int(valor)) for valor in forgotten["valor_centavos"]]
    gross = sum(map(abs, amounts), start=Decimal("0.00"))
    yield "F3", _describe_forgotten(view, forgotten, add_sides(amounts)), len(forgotten), gross, "Qualidade", None
    unsettled, _ = find_unsettled(position)
    entries = count_text(len(unsettled), "lançamento", "lançamentos")
    text = f"Dar baixa em {entries} com cobrança já paga"
    yield "F4", text, len(unsettled), _size(unsettled), "Cobranças", None
    payments = find_payments(position, view.series, view.outlooks)
    overdue = int(payments["vencido"].sum())
    parts = [
        *([count_text(overdue, "pagamento vencido", "pagamentos vencidos")] if overdue else []),
        *([f"{len(payments) - overdue} em 7 dias sem saldo que os cubra"] if len(payments) > overdue else []),
    ]
    yield "F5", f"Decidir {' e '.join(parts)}", len(payments), _size(payments), "Pagar títulos", None
    found = [one for one in view.findings if one.regra in TIDY and one.qtde]
    amount = sum((one.bruto for one in found), start=Decimal("0.00"))
    names = "; ".join(f"{one.titulo.lower()} ({one.qtde})" for one in found)
    yield "F6", f"Arrumar dados: {names}", sum(one.qtde for one in found), amount, "Qualidade", None


def _find_forgotten(view: View) -> pd.DataFrame:
    """Take the títulos of Q33; of a scope, which has the findings of the whole, those that lie in it."""
    ids = {key for one in view.findings if one.regra == FORGOTTEN for key in one.ids}
    titulos = view.position.titulos
    return titulos[titulos["titulo_id"].isin(ids)]


def _describe_forgotten(view: View, titulos: pd.DataFrame, sides: Sides) -> str:
    if len(titulos) != 1:
        text = f"Conferir {count_text(len(titulos), 'lançamento', 'lançamentos')} com jeito de baixa esquecida"
        return f"{text}: {describe_sides(sides)}" if all(side.registros for side in sides) else text
    (row,) = titulos.to_dict("records")
    name = str(row["descricao"] or view.position.rotulos.categoria(row["categoria_id"]))
    due = as_date(row["data_vencimento"])
    return f"Conferir «{name}» de {due:%d/%m/%Y} em aberto há {int(row['dias'])} dias: uma posterior já foi paga"


def _size(titulos: pd.DataFrame) -> Decimal:
    return abs(to_decimal(int(titulos["valor_centavos"].sum())))
