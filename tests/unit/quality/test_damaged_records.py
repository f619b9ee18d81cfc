"""Damages of records, and of reports that need more history than the golden data have: each check must see its own.

V20 compares no amount, and who is listed twice is known all the same: its damages are three names gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lastro.grid.workbook import tables_of
from lastro.quality.queries import read_queries
from lastro.quality.runner import open_room, run_query
from lastro.reports.r14_changes import SPEC as R14
from lastro.transform.position import Position
from tests.marks import thinned
from tests.unit.quality.checked_books import Books, check_rule
from tests.unit.reports.positions import make_position
from tests.views import check_reports, run_on, view_of


def _damage_rows(rows: Sequence[tuple[Any, ...]], kind: str) -> list[tuple[Any, ...]]:
    """Raise the amount of the first row by a centavo, leave that row out, or give it twice."""
    first, *rest = rows
    centavo = tuple(value + Decimal("0.01") if isinstance(value, Decimal) else value for value in first)
    return [*{"centavo": [centavo], "falta": [], "repetida": [first] * 2}[kind], *rest]


@pytest.mark.parametrize(
    ("rule", "name", "kind"),
    [
        ("V09", "vencidos", "centavo"),
        ("V09", "vencidos", "falta"),
        ("V09", "vencidos", "repetida"),
        ("V10", "controle", "centavo"),
        ("V10", "controle", "falta"),
        ("V10", "controle", "repetida"),
    ],
)
def test_what_was_received_damaged_differs_from_the_linhas(books: Books, rule: str, name: str, kind: str) -> None:
    received = books.recebido
    damaged = replace(received[name], rows=_damage_rows(received[name].rows, kind))
    assert check_rule(books, rule, recebido={**received, name: damaged}).failed


@pytest.mark.parametrize(
    ("name", "key", "gone", "told"),
    [
        ("categorias", "categoria_id", 11, "categoria 11"),
        ("pessoas", "pessoa_id", 501, "pessoa 501"),
        ("contas", "conta_id", 102, "conta 102"),
    ],
)
def test_a_name_that_is_gone_is_seen(books: Books, name: str, key: str, gone: int, told: str) -> None:
    frame = getattr(books.core, name)
    changes: dict[str, Any] = {name: frame[frame[key] != gone].reset_index(drop=True)}
    position = replace(books.position, **changes)
    assert not check_rule(books, "V20").failed
    assert told in check_rule(replace(books, position=position), "V20").chaves


ENTRY = {"id": 1, "valor": "-100.00", "data_vencimento": "2026-01-05", "data_competencia": "2026-01-05"}
LATER = {**ENTRY, "id": 2}


def test_a_damaged_closed_month_is_seen() -> None:
    before = make_position([ENTRY, LATER], data_base=date(2026, 2, 27))

    def check(position: Position) -> bool:
        return check_reports("V32", position, R14.build(view_of(position, before=before))).failed

    assert not check(before)
    for now in ([ENTRY, {**LATER, "valor": "-100.01"}], [ENTRY], [ENTRY, LATER, {**LATER, "id": 3}]):
        assert check(make_position(now, data_base=date(2026, 3, 16))), now


OPEN_FIELDS = (
    "valor", "bruto", "deducoes", "multa_est", "juros_est", "dias_de_atraso", "faixa", "situacao", "data_vencimento",
    "data_efetiva", "parcela", "descricao", "documento", "pagamento_automatico", "pessoa_id", "conta_id",
    "categoria_id", "centro_custo_lucro_id", "forma_pagamento_id", "grupo_id",
)  # fmt: skip
LINHA_FIELDS = (
    "titulo_id", "valor", "classe", "natureza", "dia", "data_vencimento", "data_pagamento", "data_caixa",
    "data_projetada", "situacao", "conta_id", "categoria_id", "centro_custo_lucro_id", "pessoa_id",
    "lancamento_transferencia_id",
)  # fmt: skip
CLIENT_FIELDS = (
    "em_carencia", "maior_atraso", "encargos_est", "valor_atualizado", "com_cobranca_paga", "etapa_da_regua",
)  # fmt: skip
SHOWN = {
    ("V06", "a_pagar"): OPEN_FIELDS,
    ("V06", "a_receber"): [*OPEN_FIELDS, "cobranca", "cobranca_id"],
    ("V06", "inadimplencia"): CLIENT_FIELDS,
    ("V42", "lancamentos"): LINHA_FIELDS,
    ("V43", "lancamentos"): ["data_competencia_ef", "competencia_presumida", "dre_grupo"],
}
"""Check and table -> the fields that it proves row by row."""


def _another(value: Any) -> Any:
    """A value like it: a centavo or a day more, another text, another id."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, Decimal):
        return value + Decimal("0.01")
    return value + timedelta(days=1) if isinstance(value, date) else f"{value}x" if isinstance(value, str) else 7


@pytest.mark.parametrize(
    ("rule", "name", "field"), [(rule, name, field) for (rule, name), fields in SHOWN.items() for field in fields]
)
def test_a_damaged_field_of_a_row_is_seen(books: Books, rule: str, name: str, field: str) -> None:
    """What is estimated moves the updated amount along, which its own sum does not betray."""
    tables = tables_of(books.reports.values())
    (table,) = [table for table in tables if table.name == name]
    place, rows = table.place(field), [list(row) for row in table.rows]
    row = next((row for row in rows if row[place] is not None), rows[0])
    row[place] = _another(row[place])
    if field in ("multa_est", "juros_est"):
        row[table.place("valor_atualizado")] = _another(row[table.place("valor_atualizado")])
    damaged = replace(table, rows=tuple(map(tuple, rows)))
    books.room.show(damaged if one is table else one for one in tables)
    assert run_on(rule, books.room, name).failed


POSITION_FIELDS = (
    "pago", "data_prevista", "data_efetiva", "data_ref", "dias_de_atraso", "vencido", "vence_hoje", "em_carencia",
    "faixa", "situacao", "data_projetada", "cobranca_id", "cobranca_paga", "dias_mora", "multa_centavos",
    "juros_centavos", "caixa", "valor_centavos", "qtde_linhas", "data_vencimento", "data_pagamento", "transferencia",
    "fora_resultado",
)  # fmt: skip


def _damage_frame(frame: pd.DataFrame, chosen: pd.Series, field: str) -> pd.DataFrame:
    """Change a field of the first row chosen: a day or a month more, one more, the contrary, another text."""
    row = chosen.idxmax()
    value: Any = frame.at[row, field]
    changed: Any
    if isinstance(value, bool | np.bool_):
        changed = not value
    elif isinstance(value, pd.Timestamp) or value is pd.NaT:
        changed = pd.Timestamp("2025-01-01")
    else:
        changed = f"{value}x" if isinstance(value, str) else 7 if pd.isna(value) else value + 1
    frame = frame.copy()
    frame.at[row, field] = changed
    return frame


@pytest.mark.parametrize(
    ("field", "tipo"),
    thinned(
        [(field, tipo) for field in POSITION_FIELDS for tipo in "RP"],
        default=[("multa_centavos", "R"), ("juros_centavos", "R"), ("situacao", "P"), ("data_efetiva", "P")],
    ),
)
def test_a_damaged_field_of_a_titulo_is_seen_before_any_report(books: Books, field: str, tipo: str) -> None:
    titulos = books.position.titulos
    damaged = _damage_frame(titulos, ~titulos["pago"] & (titulos["tipo"] == tipo), field)
    position = replace(books.position, titulos=damaged)
    assert run_query(read_queries()["V06"], open_room(position)).failed


@pytest.mark.parametrize("paid", thinned([True, False], default=[True]))
def test_a_titulo_that_reports_would_add_up_twice_is_seen(books: Books, paid: bool) -> None:
    titulos = books.position.titulos
    [row, *_] = titulos.index[(titulos["tipo"] == "R") & (titulos["pago"] == paid)]
    twice = pd.concat([titulos, titulos.loc[[row]]], ignore_index=True)
    found = run_query(read_queries()["V06"], open_room(replace(books.position, titulos=twice)))
    assert found.chaves == ("Posição · títulos",)


@pytest.mark.parametrize(
    ("rule", "field", "pago"),
    [
        ("V42", "mes_caixa", True),
        pytest.param("V42", "classe", True, marks=pytest.mark.longo),
        pytest.param("V42", "caixa", True, marks=pytest.mark.longo),
        ("V42", "data_projetada", False),
        ("V43", "mes_competencia", True),
        pytest.param("V43", "mes_competencia", False, marks=pytest.mark.longo),
        ("V43", "data_competencia_ef", False),
    ],
)
def test_a_linha_in_another_month_or_day_is_seen_before_any_report(
    books: Books, rule: str, field: str, pago: bool
) -> None:  # fmt: skip
    """A month that belies its day is one of them."""
    linhas = books.position.linhas
    chosen = (linhas["caixa"] if pago else linhas["data_projetada"].notna()) & (linhas["valor_centavos"] != 0)
    position = replace(books.position, linhas=_damage_frame(linhas, chosen & ~linhas["transferencia"], field))
    assert run_query(read_queries()[rule], open_room(position)).failed


def test_what_differs_of_a_row_is_told_by_field_and_no_text_of_people_is(books: Books) -> None:
    tables = tables_of(books.reports.values())
    (table,) = [table for table in tables if table.name == "a_pagar"]
    row = list(table.rows[0])
    row[table.place("descricao")], row[table.place("situacao")] = "Folha de Maria", "A vencer"
    damaged = replace(table, rows=(tuple(row), *table.rows[1:]))
    books.room.show(damaged if one is table else one for one in tables)
    found = run_query(read_queries()["V06"], books.room)
    assert found.chaves == ("Pagar · título 1004",)
    assert found.esperado == "situacao Vencido · descricao dos registros"
    assert found.encontrado == "situacao A vencer · descricao outra"
    assert "Maria" not in found.detalhe
