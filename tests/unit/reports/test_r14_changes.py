"""R14: what changed between two runs, closed months first, and the bridge of the open portfolio."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

from lastro.analysis.changes import BRIDGE
from lastro.grid.tables import Table
from lastro.grid.verdict import Verification
from lastro.grid.workbook import Report
from lastro.quality.queries import read_queries
from lastro.reports.r14_changes import NO_CLOSING, NO_HISTORY
from lastro.reports.r14_changes import SPEC as R14
from lastro.settings import Recorte
from lastro.transform.closed_months import find_closing
from lastro.transform.position import Position
from lastro.transform.scope import narrow_position
from tests.compared import compare_positions
from tests.golden import expected
from tests.marks import EACH_SHAPE
from tests.unit.reports.compared_runs import SEEDS, A, B, golden_runs, random_runs
from tests.unit.reports.positions import make_golden, make_position, with_parametros
from tests.unit.reports.readers import assert_well_formed, record, records, section, table
from tests.views import check_reports, view_of

MARCH = date(2026, 3, 1)


def v17(position: Position, report: Report) -> Verification:
    return check_reports("V17", position, report)


def changes_by_type(found: Table) -> dict[str, set[int]]:
    types: dict[str, set[int]] = {}
    for row in records(found):
        types.setdefault(row["Tipo"], set()).add(row["Lançamento"])
    return types


@pytest.mark.parametrize("forma", EACH_SHAPE)
def test_golden_changes_and_bridge(forma: str) -> None:
    now, before = golden_runs(forma)
    report = R14.build(view_of(now, before=before))
    assert_well_formed(report)
    assert report.title == f"Mudanças desde {before.data_base:%d/%m/%Y}"
    assert changes_by_type(table(report, "mudancas")) == expected.R14["mudancas"]
    paid = record(table(report, "mudancas"), linha_id=1010, campo="Valor")
    assert (paid["Antes"], paid["Depois"]) == ("-R$ 110,00", "-R$ 120,00")
    assert (paid["Valor antes"], paid["Valor depois"]) == (Decimal("-110.00"), Decimal("-120.00"))
    due = record(table(report, "mudancas"), linha_id=1012, campo="Vencimento")
    assert (due["Antes"], due["Depois"]) == ("10/03/2026", "14/03/2026")
    assert (due["Data antes"], due["Data depois"]) == (date(2026, 3, 10), date(2026, 3, 14))
    assert compare_positions(now, before).ponte == expected.R14["ponte"]
    assert [row["Valor"] for row in records(table(report, "mudancas_ponte"))] == list(expected.R14["ponte"].values())
    assert (v17(now, report).situacao, v17(now, report).encontrado) == ("ok", Decimal("4500.00"))


def test_an_entry_counts_once_with_its_impact_on_its_first_row() -> None:
    now, before = golden_runs()
    report = R14.build(view_of(now, before=before))
    rows = [row for row in records(table(report, "mudancas")) if row["Lançamento"] == 1010]
    assert [(row["Tipo"], row["Campo"], row["Impacto no aberto"], row["Impacto no resultado"]) for row in rows] == [
        ("LIQUIDADO", "Pagamento", Decimal("110.00"), Decimal("-10.00")),
        ("LIQUIDADO", "Valor", None, None),
    ]
    assert record(table(report, "mudancas_tipos"), tipo="LIQUIDADO")["Linhas"] == 2
    order = dict.fromkeys(row["Lançamento"] for row in records(table(report, "mudancas")))
    assert list(order) == [1019, 1018, 1010, 1012, 1013, 1014]


@pytest.mark.parametrize(
    ("rest", "changed"),
    [
        ({"valor": "40.00", "descricao": "NF 3287 (saldo)"}, 0),
        ({"valor": "40.00", "descricao": "saldo", "documento": "3287"}, 0),
        ({"valor": "39.99", "descricao": "NF 3287 (saldo)"}, 2),
        ({"valor": "40.00", "descricao": "NF 4001"}, 2),
        ({"valor": "40.00", "descricao": "NF 3287 (saldo)", "pessoa_id": 502}, 2),
        ({"valor": "40.00", "descricao": "NF 3287 (saldo)", "data_competencia": "2025-12-05"}, 2),
    ],
)
def test_what_one_document_evens_out_changes_no_closed_month(rest: Any, changed: int) -> None:
    """Of 100.00 of January 60.00 are paid, and the rest is an entry of its own: the month is what it was."""
    sale = {**CLOSED, "id": 1, "valor": "100.00", "descricao": "NF 3287 venda", "pessoa_id": 501}
    before = make_position([sale], data_base=A)
    now = make_position([{**sale, "valor": "60.00"}, {**sale, "id": 2, **rest}], data_base=B)
    report = R14.build(view_of(now, before=before))
    assert len(table(report, "mudancas_meses_linhas").rows) == changed
    assert check_reports("V32", now, report).situacao == ("falhou" if changed else "ok")
    assert [row["Lançamento"] for row in records(table(report, "mudancas")) if row["Lançamento"] == 2] == [2]


def test_a_scope_has_the_changed_months_of_its_own_lines() -> None:
    other = {**CLOSED, "id": 9, "valor": "50.00", "centro_custo_lucro_id": 2}
    pair = [
        narrow_position(make_position([{**CLOSED, "valor": valor, "centro_custo_lucro_id": 1}, other], data_base=day),
                        Recorte("Só dois", centros=(2,)))
        for valor, day in (("100.00", A), ("105.00", B))
    ]  # fmt: skip
    report = R14.build(view_of(pair[1], before=pair[0]))
    assert check_reports("V32", pair[1], report).situacao == "ok"


def test_closed_months_come_first_and_are_explained_to_the_centavo() -> None:
    now, before = golden_runs()
    report = R14.build(view_of(with_parametros(now, fechamento=date(2026, 3, 10)), before=before))
    assert_well_formed(report)
    closed = [row["Mês fechado?"] for row in records(table(report, "mudancas"))]
    assert closed == [True] * 6 + [False]
    assert record(table(report, "mudancas_tipos"), tipo="LIQUIDADO")["Em mês fechado"] == 2
    # By hand: 1010 was -110 and is -120 (competence 01/03); paid up to 10/03 are 1014, 1019 and 1010.
    assert records(table(report, "mudancas_meses")) == [
        {
            "Mês": MARCH, "Regime": regime, "Antes": Decimal(old), "Depois": Decimal(new), "Diferença": Decimal(delta),
            "Explicado": Decimal(delta), "Linhas": count,
        }
        for regime, old, new, delta, count in (
            ("Competência", "-610.00", "-620.00", "-10.00", 1),
            ("Caixa", "0.00", "5280.00", "5280.00", 3),
        )
    ]  # fmt: skip
    assert [
        (row["Regime"], row["Lançamento"], row["Diferença"]) for row in records(table(report, "mudancas_meses_linhas"))
    ] == [
        ("Competência", 1010, Decimal("-10.00")),
        ("Caixa", 1014, Decimal("6000.00")),
        ("Caixa", 1019, Decimal("-600.00")),
        ("Caixa", 1010, Decimal("-120.00")),
    ]
    shown = [row["Lançamento"] for row in records(section(report, "mudancas_meses_linhas"))]
    assert [(link.text, link.key) for link in shown] == [
        (number, f"linha_id={number}") for number in (1010, 1014, 1019, 1010)
    ]


def test_without_a_closing_the_months_before_the_last_report_are_closed() -> None:
    """The last report is of 02/2026: January and before are closed; a competence of 05/01 moves by -5.00 there."""
    before = make_position([CLOSED], data_base=A)
    now = make_position([{**CLOSED, "valor": "-105.00"}], data_base=B)
    report = R14.build(view_of(now, before=before))
    assert [(row["Mês"], row["Regime"], row["Diferença"]) for row in records(table(report, "mudancas_meses"))] == [
        (date(2026, 1, 1), "Competência", Decimal("-5.00")),
    ]
    assert NO_CLOSING in section(report, "mudancas_meses").notes
    found = check_reports("V32", now, report)
    assert (found.situacao, read_queries()["V32"].severidade) == ("falhou", "alerta")
    assert found.resumo == "1 mês fechado alterado por 1 linha: competência -R$ 5,00"
    quiet = check_reports("V32", before, R14.build(view_of(before, before=before)))
    assert (quiet.situacao, quiet.resumo) == ("ok", "")
    assert check_reports("V32", now, R14.build(view_of(now, before=None))).situacao == "não se aplica"


@pytest.mark.parametrize(
    ("day", "parametros", "closed"),
    [
        # April 2026: Good Friday is the 3rd, so the third business day is Monday the 6th.
        (date(2026, 4, 6), {"fechamento": "dia_util:3"}, date(2026, 3, 31)),
        (date(2026, 4, 5), {"fechamento": "dia_util:3"}, date(2026, 2, 28)),
        (date(2026, 1, 5), {"fechamento": "dia_util:3"}, date(2025, 11, 30)),
        (date(2026, 4, 6), {"fechamento": date(2026, 3, 10)}, date(2026, 3, 10)),
        (date(2026, 4, 6), {}, date(2026, 3, 31)),
    ],
)
def test_the_last_closed_day(day: date, parametros: dict[str, Any], closed: date) -> None:
    before = make_position([ROW], data_base=day)
    now = with_parametros(make_position([ROW], data_base=day + timedelta(days=1)), **parametros)
    assert find_closing(now, before) == closed


def test_only_what_is_not_the_same_is_compared() -> None:
    """An unset text may come as null or empty and is the same; a linha that is there twice is new once."""
    before = make_position([ROW, {**ROW, "id": 2, "observacao": None}, {**ROW, "id": 3}], data_base=A)
    now = make_position([ROW, {**ROW, "id": 2, "observacao": ""}, {**ROW, "id": 3, "descricao": "Luz"}], data_base=A)
    assert compare_positions(before, before).mudadas.empty
    assert compare_positions(now, before).mudadas["linha_id"].tolist() == [3]
    doubled = replace(now, linhas=pd.concat([now.linhas, now.linhas[:1]], ignore_index=True))
    again = compare_positions(doubled, before).mudadas
    assert [*zip(again["linha_id"], again["tipo"], strict=True)] == [(1, "NOVO"), (3, "OUTROS")]


def test_a_linha_twice_with_a_closing_date_reaches_the_checks() -> None:
    now, before = golden_runs()
    twice = pd.concat([now.linhas, now.linhas[now.linhas["linha_id"] == 1010]], ignore_index=True)
    closed = with_parametros(replace(now, linhas=twice), fechamento=date(2026, 3, 10))
    assert 1010 in {
        row["Lançamento"] for row in records(table(R14.build(view_of(closed, before=before)), "mudancas_meses_linhas"))
    }


def test_without_an_earlier_run_the_sheet_says_so() -> None:
    now = make_golden()
    report = R14.build(view_of(now, before=None))
    assert_well_formed(report)
    assert [part.empty for part in report.sections] == [f"{NO_HISTORY}."]
    assert all(not found.rows for found in report.tables)
    assert [found.name for found in report.tables] == [
        "mudancas",
        "mudancas_ponte",
        "mudancas_cobrancas",
        "mudancas_meses",
        "mudancas_meses_linhas",
        "mudancas_tipos",
        "mudancas_resumo",
    ]
    assert v17(now, report).situacao == "não se aplica"


def test_nothing_changed_is_an_empty_list_and_a_closed_bridge() -> None:
    now = make_golden()
    report = R14.build(view_of(now, before=now))
    assert table(report, "mudancas").rows == ()
    assert (v17(now, report).situacao, v17(now, report).encontrado) == ("ok", Decimal("4500.00"))


ROW: dict[str, Any] = {
    "id": 1, "conta_id": 101, "categoria_id": 21, "pessoa_id": 601, "valor": "-100.00",
    "data_vencimento": "2026-02-10", "data_pagamento": "2026-02-11", "data_competencia": "2026-02-01",
}  # fmt: skip


CLOSED: dict[str, Any] = {
    **ROW,
    "data_pagamento": None,
    "data_vencimento": "2026-04-10",
    "data_competencia": "2026-01-05",
}


def _change(**fields: Any) -> Any:
    before = make_position([ROW], data_base=A)
    return R14.build(view_of(make_position([{**ROW, **fields}], data_base=B), before=before))


def test_each_field_has_its_type() -> None:
    changes: list[tuple[dict[str, Any], str, str, str, str]] = [
        ({"data_pagamento": None}, "ESTORNADO", "Pagamento", "11/02/2026", "–"),
        ({"valor": "-100.01"}, "VALOR", "Valor", "-R$ 100,00", "-R$ 100,01"),
        ({"data_vencimento": "2026-02-12"}, "VENCIMENTO", "Vencimento", "10/02/2026", "12/02/2026"),
        ({"data_pagamento": "2026-02-12"}, "PAGAMENTO", "Pagamento", "11/02/2026", "12/02/2026"),
        ({"data_competencia": None}, "COMPETENCIA", "Competência", "01/02/2026", "–"),
        ({"categoria_id": None}, "CATEGORIA", "Categoria", "Despesas > Aluguel", "Sem categoria"),
        ({"conta_id": 102}, "CONTA", "Conta", "Banco Alfa", "Conta #102"),
        ({"pessoa_id": 602}, "PESSOA", "Pessoa", "Delta", "Épsilon"),
        ({"centro_custo_lucro_id": 201}, "CENTRO", "Centro", "Sem centro", "Centro #201"),
        ({"descricao": "Outra"}, "OUTROS", "Descrição", "–", "Outra"),
        ({"tags": [{"id": 7}]}, "OUTROS", "Tags", "–", "Tag #7"),
        ({"pagamento_automatico": True}, "OUTROS", "Automático", "Não", "Sim"),
        ({"total_repeticoes": 3}, "OUTROS", "Total de parcelas", "–", "3"),
    ]
    before = make_position([{**ROW, "id": number} for number, _ in enumerate(changes, 1)], data_base=A)
    now = make_position(
        [{**ROW, **fields, "id": number} for number, (fields, *_) in enumerate(changes, 1)], data_base=B
    )
    found = {
        row["Lançamento"]: (row["Tipo"], row["Campo"], row["Antes"], row["Depois"])
        for row in records(table(R14.build(view_of(now, before=before)), "mudancas"))
    }
    assert found == {number: tuple(told) for number, (_, *told) in enumerate(changes, 1)}


def test_the_first_type_that_holds_names_an_entry_with_many_changes() -> None:
    rows = records(table(_change(valor="-90.00", categoria_id=22, descricao="Outra"), "mudancas"))
    assert [(row["Tipo"], row["Campo"]) for row in rows] == [
        ("VALOR", "Valor"), ("VALOR", "Categoria"), ("VALOR", "Descrição"),
    ]  # fmt: skip


def test_a_post_dated_payment_that_came_due_is_settled_without_an_edit() -> None:
    row = {**ROW, "data_pagamento": "2026-03-05"}
    report = R14.build(view_of(make_position([row], data_base=B), before=make_position([row], data_base=A)))
    assert [(r["Tipo"], r["Campo"], r["Antes"], r["Depois"]) for r in records(table(report, "mudancas"))] == [
        ("LIQUIDADO", "Situação", "Em aberto", "Pago")
    ]
    assert [r["Valor"] for r in records(table(report, "mudancas_ponte"))] == [
        Decimal(value) for value in ("-100.00", "0.00", "0.00", "100.00", "0.00", "0.00", "0.00")
    ]


def test_a_row_keeps_its_identity_when_it_becomes_a_composite() -> None:
    composite = {**ROW, "lancamento_composto_id": 900}
    other = {**ROW, "id": 2, "lancamento_composto_id": 900}
    report = R14.build(
        view_of(make_position([composite, other], data_base=B), before=make_position([ROW], data_base=A))
    )
    assert changes_by_type(table(report, "mudancas")) == {"NOVO": {2}}


def test_an_equal_id_in_another_composite_is_another_linha() -> None:
    item = {"id": 50, "categoria_id": 21, "valor": "-5.00", "descricao": "", "lancamento_composto_id": 900, "tags": []}
    parent = {**ROW, "lancamento_composto_id": 900, "itens_adicionais": [item]}
    simple = {**ROW, "id": 50, "valor": "-7.00"}
    before = make_position([parent], data_base=A)
    report = R14.build(view_of(make_position([ROW, simple], data_base=B), before=before))
    types = changes_by_type(table(report, "mudancas"))
    assert types == {"EXCLUIDO": {50}, "NOVO": {50}}


def test_an_item_that_became_a_row_is_not_mixed_up_with_a_deleted_row_of_equal_id() -> None:
    item = {"id": 50, "categoria_id": 21, "valor": "-5.00", "descricao": "", "lancamento_composto_id": 900, "tags": []}
    parent = {**ROW, "lancamento_composto_id": 900, "itens_adicionais": [item]}
    simple = {**ROW, "id": 50, "valor": "-7.00"}
    as_row = {**ROW, "id": 50, "valor": "-5.00", "lancamento_composto_id": 900}
    before = make_position([parent, simple], data_base=A)
    now = make_position([{**ROW, "lancamento_composto_id": 900}, as_row], data_base=B)
    assert changes_by_type(table(R14.build(view_of(now, before=before)), "mudancas")) == {"EXCLUIDO": {50}}


def test_charges_that_changed_status_are_listed_and_new_and_unchanged_ones_are_not() -> None:
    of_then: list[dict[str, Any]] = [{"id": number, "valor": "10.00"} for number in (6, 8, 5)]
    changed = {5: {"status_descricao": "Transferido"}, 6: {"data_cancelamento": "2026-03-01"}}
    of_now = [{**charge, **changed.get(charge["id"], {})} for charge in (*of_then, {"id": 7, "valor": "30.00"})]
    before, now = (
        make_position([ROW], cobrancas=charges, data_base=day) for charges, day in ((of_then, A), (of_now, B))
    )
    assert [
        (r["Cobrança"], r["Antes"], r["Depois"])
        for r in records(table(R14.build(view_of(now, before=before)), "mudancas_cobrancas"))
    ] == [
        (5, "Pendente", "Transferido"),
        (6, "Pendente", "Cancelado"),
    ]


def test_v17_sees_a_linha_dropped_from_the_position() -> None:
    now, before = golden_runs()
    report = R14.build(view_of(now, before=before))
    cut = replace(now, linhas=now.linhas[now.linhas["linha_id"] != 1015].reset_index(drop=True))
    told = v17(cut, report)
    assert (told.failed, told.esperado, told.encontrado) == (True, Decimal("1000.00"), Decimal("4500.00"))


def test_linhas_that_the_map_counts_otherwise_now_are_counted_and_restate_nothing() -> None:
    before = make_position([CLOSED, {**CLOSED, "id": 2, "categoria_id": 22}], data_base=A)
    outside = before.categorias["categoria_id"] == 21
    mapped = before.categorias.assign(dre_grupo=before.categorias["dre_grupo"].where(~outside, "fora"))
    compared = compare_positions(replace(before, categorias=mapped), before)
    assert (compared.remapeadas, compared.mudadas.empty, compared.meses) == (1, True, [])


@pytest.fixture(scope="module", params=SEEDS)
def runs(request: pytest.FixtureRequest) -> tuple[Position, Position]:
    return random_runs(request.param)


def test_random_companies_close_v17_and_explain_closed_months(runs: tuple[Position, Position]) -> None:
    now, before = runs
    report = R14.build(view_of(now, before=before))
    assert_well_formed(report)
    assert v17(now, report).situacao == "ok"
    bridge = [row["Valor"] for row in records(table(report, "mudancas_ponte"))]
    assert sum(bridge[:-1]) == bridge[-1]
    assert len(bridge) == len(BRIDGE)
    for row in records(table(report, "mudancas_meses")):
        assert row["Diferença"] == row["Explicado"]


def test_a_scope_is_compared_by_the_linhas_that_it_has_on_each_side(runs: tuple[Position, Position]) -> None:
    """The query leaves out what narrowed positions leave out: a linha that left the scope is gone there."""
    now, before = runs
    linhas = now.linhas
    ids = {
        "contas": linhas["conta_id"], "centros": linhas["centro_custo_lucro_id"], "pessoas": linhas["pessoa_id"],
        "tags": linhas["tags"].explode(),
    }  # fmt: skip
    chosen = {name: tuple(sorted(map(int, found.dropna().unique())))[::2] for name, found in ids.items()}
    assert all(chosen.values())
    for given in (*({name: chosen[name]} for name in chosen), {name: chosen[name] for name in ("contas", "pessoas")}):
        recorte = Recorte("parte", **given)
        found = compare_positions(now, before, recorte)
        wanted = compare_positions(narrow_position(now, recorte), narrow_position(before, recorte))
        assert len(found.mudadas) > 0, given
        assert found.mudadas.astype(str).equals(wanted.mudadas.astype(str)), given
        assert (found.ponte, found.meses, found.remapeadas) == (wanted.ponte, wanted.meses, wanted.remapeadas), given
