"""Damages of records, and of reports that need more history than the golden data have: each check must see its own.

V20 compares no amount, and who is listed twice is known all the same: its damages are three names gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lastro.grid.tables import Table
from lastro.grid.workbook import tables_of
from lastro.quality.queries import read_queries
from lastro.quality.runner import open_proof, run_query
from lastro.reports.r04_monthly_flow import SPEC as R04
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.r14_changes import SPEC as R14
from lastro.reports.r19_comparatives import SPEC as R19
from lastro.reports.registry import REPORTS
from lastro.reports.view import Facts, View
from lastro.settings import Cenario
from lastro.transform.position import Position
from lastro.warehouse.file.proof import Proof
from tests.books import make_empresa
from tests.marks import thinned
from tests.tools.damage import Damage, apply_damage
from tests.unit.quality.checked_books import Books, check_rule, list_asked, with_linhas, with_statements
from tests.unit.reports.positions import make_golden, make_position
from tests.views import check_reports, run_on, view_of

pytestmark = pytest.mark.medio

Change = Callable[[pd.DataFrame, int], pd.DataFrame]


def _centavo(linhas: pd.DataFrame, linha_id: int) -> pd.DataFrame:
    return linhas.assign(valor_centavos=linhas["valor_centavos"] + (linhas["linha_id"] == linha_id))


def _gone(linhas: pd.DataFrame, linha_id: int) -> pd.DataFrame:
    return linhas[linhas["linha_id"] != linha_id]


def _twice(linhas: pd.DataFrame, linha_id: int) -> pd.DataFrame:
    return pd.concat([linhas, linhas[linhas["linha_id"] == linha_id]], ignore_index=True)


CHANGES = pytest.mark.parametrize("change", [_centavo, _gone, _twice])


@pytest.mark.parametrize(
    ("rule", "linha_id", "change"),
    [
        ("V09", 1004, _centavo),
        ("V09", 1004, _gone),
        ("V09", 1004, _twice),
        ("V10", 1001, _centavo),
        ("V10", 1001, _gone),
        ("V10", 1001, _twice),
    ],
)
def test_a_damaged_linha_differs_from_what_was_received(books: Books, rule: str, linha_id: int, change: Change) -> None:
    """1004 is an overdue payable, which the service filters as such."""
    assert check_rule(books, rule).situacao == "ok"
    assert check_rule(with_linhas(books, change(books.core.linhas, linha_id)), rule).failed


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


@CHANGES
def test_a_damaged_leg_of_a_transfer_is_seen(books: Books, change: Change) -> None:
    assert not check_rule(books, "V16").failed
    assert check_rule(with_linhas(books, change(books.core.linhas, 1006)), "V16").failed


@CHANGES
def test_a_damaged_linha_before_a_statement_is_seen(books: Books, change: Change) -> None:
    stated = with_statements(books, [(101, "2026-02-28", "7900.00")])
    assert check_rule(stated, "V19").situacao == "ok"
    assert check_rule(with_linhas(stated, change(stated.core.linhas, 1001)), "V19").failed


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


Judged = tuple[Proof, list[Table]]
KINDS = pytest.mark.parametrize("kind", ["centavo", "falta", "repetida"])


def _check_damage(rule: str, judged: Judged, damage: Damage) -> None:
    """The rule holds over the tables alone, and no longer when the first row with an amount there is damaged."""
    proof, tables = judged
    (whole,) = [table for table in tables if table.name == damage.table]
    place = whole.place(damage.column)
    row = next(number for number, cells in enumerate(whole.rows) if cells[place])
    damaged = apply_damage(whole, replace(damage, row=row))

    def holds(changed: Table) -> bool:
        proof.show(changed if table.name == damage.table else table for table in tables)
        return not run_on(rule, proof, damage.table).failed

    assert holds(whole)
    assert not holds(damaged)


@pytest.fixture(scope="module")
def compared() -> Judged:
    """The golden company with the year before, and the reports that V27 holds against each other."""
    position = make_golden(extensao=True)
    view = view_of(position)
    return open_proof(position), tables_of([R06.build(view), R04.build(view), R19.build(view)])


@pytest.fixture(scope="module")
def with_scenario(books: Books) -> Judged:
    """The golden company's reports with a scenario."""
    empresa = replace(make_empresa([], {}), cenarios=(Cenario("Calote", calote_pct=Decimal(30)),))
    view = View(books.position, empresa, Facts())
    reports = [spec.build(view) for spec in REPORTS if spec.code in list_asked("V02")]
    return open_proof(books.position), tables_of(reports)


@KINDS
@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("comparativo_resultado", "atual"),
        ("comparativo_caixa", "base"),
        ("comparativo_explicacao", "variacao"),
        ("comparativo_pessoas", "variacao"),
    ],
)
def test_a_damaged_comparison_is_seen_without_its_sheet(compared: Judged, name: str, column: str, kind: str) -> None:
    _check_damage("V27", compared, Damage(name, kind, 0, column))


def test_a_change_on_the_wrong_row_of_the_dre_is_seen(compared: Judged) -> None:
    """Of the rows with a change the first slips by one, or is a centavo off."""
    _check_damage("V27", compared, Damage("dre_acumulado", "centavo", 0, "variacao_ate_d"))
    proof, tables = compared
    (whole,) = [table for table in tables if table.name == "dre_acumulado"]
    place = whole.place("variacao_ate_d")
    slipped = [row[place] for row in whole.rows[1:]] + [whole.rows[0][place]]
    rows = tuple((*row[:place], value, *row[place + 1 :]) for row, value in zip(whole.rows, slipped, strict=True))
    proof.show([replace(whole, rows=rows) if table.name == "dre_acumulado" else table for table in tables])
    assert run_on("V27", proof, "dre_acumulado").failed


@pytest.mark.parametrize(
    ("name", "column", "kind"),
    [
        ("fluxo_diario", "cenario_calote", "centavo"),
        ("fluxo_diario_cenarios", "saldo_final", "falta"),
        ("fluxo_diario_cenarios", "cenario", "texto"),
        ("fluxo_semanal_cenarios", "cenario", "texto"),
        ("fluxo_mensal_cenarios", "cenario", "texto"),
        ("fluxo_semanal_cenarios", "diferenca", "falta"),
        ("fluxo_semanal_cenarios", "diferenca", "repetida"),
        ("fluxo_mensal_cenarios", "saldo_contratual", "falta"),
        ("fluxo_mensal_cenarios", "saldo_contratual", "repetida"),
    ],
)
def test_a_damaged_scenario_is_seen_without_its_sheet(with_scenario: Judged, name: str, column: str, kind: str) -> None:
    _check_damage("V02", with_scenario, Damage(name, kind, 0, column))


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
    books.proof.show(damaged if one is table else one for one in tables)
    assert run_on(rule, books.proof, name).failed


POSITION_FIELDS = (
    "pago", "data_prevista", "data_efetiva", "data_ref", "dias", "vencido", "vence_hoje", "em_carencia", "faixa",
    "situacao", "data_projetada", "cobranca_id", "cobranca_paga", "dias_mora", "multa_centavos", "juros_centavos",
    "caixa", "valor_centavos", "qtde_linhas", "data_vencimento", "data_pagamento", "transferencia",
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
    assert run_query(read_queries()["V06"], open_proof(position)).failed


@pytest.mark.parametrize("paid", thinned([True, False], default=[True]))
def test_a_titulo_that_reports_would_add_up_twice_is_seen(books: Books, paid: bool) -> None:
    titulos = books.position.titulos
    [row, *_] = titulos.index[(titulos["tipo"] == "R") & (titulos["pago"] == paid)]
    twice = pd.concat([titulos, titulos.loc[[row]]], ignore_index=True)
    found = run_query(read_queries()["V06"], open_proof(replace(books.position, titulos=twice)))
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
    assert run_query(read_queries()[rule], open_proof(position)).failed


def test_what_differs_of_a_row_is_told_by_field_and_no_text_of_people_is(books: Books) -> None:
    tables = tables_of(books.reports.values())
    (table,) = [table for table in tables if table.name == "a_pagar"]
    row = list(table.rows[0])
    row[table.place("descricao")], row[table.place("situacao")] = "Folha de Maria", "A vencer"
    damaged = replace(table, rows=(tuple(row), *table.rows[1:]))
    books.proof.show(damaged if one is table else one for one in tables)
    found = run_query(read_queries()["V06"], books.proof)
    assert found.chaves == ("Pagar · título 1004",)
    assert found.esperado == "situacao Vencido · descricao dos registros"
    assert found.encontrado == "situacao A vencer · descricao outra"
    assert "Maria" not in found.detalhe
