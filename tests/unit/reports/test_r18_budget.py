"""R18: the golden budget by hand, what a parent answers for, January, beyond the last budgeted month, one sign."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.analysis.budget import classify_deviation, find_uncontracted
from lastro.entrada.door import RefusedPart
from lastro.grid.cells import UNDEFINED, Undefined
from lastro.grid.sections import Row
from lastro.money import parse_centavos
from lastro.reports.cover.budget import list_worst, tell_budget
from lastro.reports.r18_budget import SPEC as R18
from lastro.transform.budget import build_budget
from lastro.transform.position import Position
from tests.budget import frame_golden_budget, read_golden_budget
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import record, records, section, table, value
from tests.views import view_of

KEYS = ("mes_orcado", "mes_realizado", "mes_desvio", "ate_orcado", "ate_realizado", "ate_desvio", "desvio_pct",
        "situacao", "ano_orcado", "realizado", "contratado", "saldo_a_contratar", "projecao", "ano_desvio")  # fmt: skip
GOLDEN = {
    10: "500 0 -500 1000 0 -1000 -100 Crítico 2000 0 0 1000 1000 -1000",
    11: "4000 -200 -4200 8000 4800 -3200 -40 Crítico 16000 5800 3500 4000 13300 -2700",
    21: "-1500 -1500 0 -3000 -3000 0 0 OK -6000 -4500 0 -1500 -6000 0",
    22: "-2500 -2850 -350 -2500 -2850 -350 -14 OK -7600 -2850 0 -5100 -7950 -350",
    23: "-200 -250 -50 -200 -250 -50 -25 OK -800 -370 0 -480 -850 -50",
    20: "0 0 0 0 0 0 – OK 0 0 -600 0 -600 -600",
    24: "0 0 0 0 0 0 – OK 0 0 -900 0 -900 -900",
}
TOTAL = "300 -4800 -5100 3300 -1300 -4600 -139.39 – 3600 -1920 2000 -2080 -2000 -5600"
MARCH = {
    10: "500 0 0", 11: "4000 1000 3500", 21: "-1500 -1500 0", 22: "-2500 0 0", 23: "-300 -120 0", 24: "– 0 -900",
}  # fmt: skip


def typed(*rows: tuple[int, str, str], versao: str = "original") -> list[tuple[str, int, date, int]]:
    return [(versao, key, date.fromisoformat(f"{mes}-01"), parse_centavos(valor)) for key, mes, valor in rows]


def label(row: Row) -> Any:
    return value(row.cells[0])


def written(*values: Any) -> str:
    """Figures as the golden lines write them: no zeros behind, a dash for what is none."""
    return " ".join(
        "–" if one is None else one if isinstance(one, str) else f"{Decimal(one).normalize():f}" for one in values
    )


@pytest.fixture(params=[True, False], ids=["+E", "sem E"])
def golden(request: pytest.FixtureRequest) -> Position:
    return replace(make_golden(extensao=request.param), orcamento=frame_golden_budget())


def test_the_golden_budget(golden: Position) -> None:
    report = R18.build(view_of(golden))
    found = {row["Id"]: row for row in records(table(report, "orcado"))}
    names = [column.header for column in table(report, "orcado").columns]
    places = [table(report, "orcado").place(key) for key in KEYS]
    rows = {row[names.index("Id")]: written(*(row[place] for place in places)) for row in table(report, "orcado").rows}
    assert rows == GOLDEN
    assert [*found] == [10, 11, 21, 22, 23, 20, 24]
    # As the tree calls them, and whole: (demais) is Receitas' own, Despesas has no budget.
    called = {row["Id"]: row["Categoria"] for row in found.values()}
    assert (called[10], called[11], called[20]) == ("Receitas > (demais)", "Receitas > Serviços", "Despesas")
    monthly = {row["Categoria id"]: row["Categoria"] for row in records(table(report, "orcado_mensal"))}
    assert monthly == called
    months = [row for row in records(table(report, "orcado_mensal")) if row["Mês"] == date(2026, 3, 1)]
    shown = {row["Categoria id"]: written(row["Vigente"], row["Realizado"], row["Contratado"]) for row in months}
    assert {key: shown[key] for key in MARCH} == MARCH
    april = record(table(report, "orcado_mensal"), categoria_id=22, mes=date(2026, 4, 1))
    assert (april["Original"], april["Vigente"]) == (Decimal("-2500.00"), Decimal("-2600.00"))
    sums = {
        month: sum(
            row["Realizado"] + row["Contratado"]
            for row in records(table(report, "orcado_mensal"))
            if row["Mês"] == month
        )
        for month in (date(2026, number, 1) for number in range(1, 5))
    }
    assert [int(one) for one in sums.values()] == [3500, -4800, 1980, -600]


def test_the_sheet_is_a_tree_whose_parents_add_up(golden: Position) -> None:
    sheet = section(R18.build(view_of(golden)), "orcado")
    headers = [column.header for column in sheet.columns]
    assert headers[:5] == ["Categoria", "fev/26 orçado", "realizado", "Desvio", "Ano até fev orçado"]
    assert [(row.level, label(row)) for row in sheet.rows] == [
        (0, "Receitas"), (1, "(demais)"), (1, "Serviços"), (0, "Despesas"), (1, "Aluguel"), (1, "Pessoal"),
        (1, "Serviços de terceiros"), (0, "Não orçadas"), (1, "Despesas"), (1, "Despesas > Marketing (inativa)"),
        (0, "Total"),
    ]  # fmt: skip
    total = [getattr(cell, "value", cell) for cell in sheet.rows[-1].cells[1:14]]
    wanted = TOTAL.split()
    assert [None if one == "–" else Decimal(one) for one in (*wanted[:9], str(-1920 + 2000), *wanted[11:])] == total
    assert sheet.rows[0].cells[1] == Decimal("4500.00")
    assert sheet.rows[2].cells[3].tone == "ruim"  # type: ignore[union-attr]


def test_what_was_not_read_stands_below_with_its_sum() -> None:
    refused = [part._replace(arquivo="entrada/orcamento.csv") for part in read_golden_budget().recusados]
    report = R18.build(view_of(make_golden(), nao_lidos=[*refused, RefusedPart("x", 2, arquivo="entrada/saldos.csv")]))
    rows = section(report, "orcado_nao_lido").rows
    assert [(row.cells[0], row.cells[2]) for row in rows[:3]] == [
        (8, "categoria desconhecida"), (9, "valor ambíguo"), (10, "linha repetida"),
    ]  # fmt: skip
    assert {row.cells[2] for row in rows[3:8]} == {"regime caixa não lido"}
    # 100 + 1600 + 1200 + 3000 + 1500 + 100 + 5000; the ambiguous one is no number.
    assert rows[8].cells[3] == Decimal("12500.00")


def test_without_a_budget_there_is_no_sheet() -> None:
    report = R18.build(view_of(make_golden()))
    assert report.sections == ()
    assert [len(one.rows) for one in report.tables] == [0, 0, 0]


def test_a_budget_of_another_year_is_kept_and_not_shown() -> None:
    position = replace(make_golden(), orcamento=build_budget(typed((11, "2027-01", "10.00"))))
    report = R18.build(view_of(position))
    assert section(report, "orcado").rows == ()
    assert section(report, "orcado").empty == "O orçamento não tem linhas de 2026"


BASE = {"conta_id": 101, "data_vencimento": "2026-03-20"}
CATEGORIAS = [
    {"id": 1, "descricao": "Receitas", "tipo_categoria_id": 2, "parent_id": None, "ativo": True},
    {"id": 2, "descricao": "Custos", "tipo_categoria_id": 1, "parent_id": None, "ativo": True},
    {"id": 3, "descricao": "Folha", "tipo_categoria_id": 1, "parent_id": 2, "ativo": True},
    {"id": 4, "descricao": "Vale", "tipo_categoria_id": 1, "parent_id": 3, "ativo": True},
    {"id": 5, "descricao": "Mista", "tipo_categoria_id": 0, "parent_id": None, "ativo": True},
    {"id": 6, "descricao": "Sócios", "tipo_categoria_id": 2, "parent_id": None, "ativo": True},
]  # fmt: skip


def made(
    *entries: tuple[int | None, str, str], day: date = date(2026, 3, 16), rows: Iterable[Any] = (), **more: Any
) -> Any:
    payloads = [
        {"id": number, "categoria_id": key, "data_competencia": competence, "valor": valor, **BASE}
        for number, (key, competence, valor) in enumerate(entries, 1)
    ]
    position = make_position(payloads, categorias=CATEGORIAS, data_base=day, data_extracao=day, **more)
    return R18.build(view_of(replace(position, orcamento=build_budget(rows))))


def test_the_nearest_budgeted_ancestor_answers_for_a_linha() -> None:
    report = made(
        (4, "2026-02-10", "-10.00"), (3, "2026-02-10", "-20.00"), (2, "2026-02-10", "-40.00"),
        (None, "2026-02-10", "5.00"),
        rows=typed((2, "2026-01", "-1.00"), (4, "2026-05", "-3.00")),
    )  # fmt: skip
    done = {row["Id"]: row["Realizado"] for row in records(table(report, "orcado"))}
    assert done == {2: Decimal("-60.00"), 4: Decimal("-10.00"), None: Decimal("5.00")}
    labels = [(row.level, label(row)) for row in section(report, "orcado").rows]
    assert labels == [
        (0, "Custos"), (1, "(demais)"), (1, "Folha"), (2, "Vale"), (0, "Não orçadas"), (1, "Sem categoria"),
        (0, "Total"),
    ]  # fmt: skip


def test_in_january_nothing_is_closed_and_beyond_the_budget_the_projection_is_what_is_booked() -> None:
    rows = typed((3, "2026-01", "-100.00"), (5, "2026-01", "50.00"))
    january = section(made((3, "2026-01-05", "-30.00"), day=date(2026, 1, 16), rows=rows), "orcado")
    (folha,) = [row for row in january.rows if label(row) == "Folha"]
    assert set(folha.cells[1:9]) == {UNDEFINED}
    assert folha.cells[9:12] == (Decimal("-100.00"), Decimal("-30.00"), Decimal("-70.00"))
    april = made((3, "2026-03-05", "-30.00"), (3, "2026-04-20", "-8.00"), day=date(2026, 4, 16), rows=rows)
    assert [column.header for column in section(april, "orcado").columns][1] == "mar/26 sem orçamento"
    found = record(table(april, "orcado"), categoria_id=3)
    assert (found["Saldo a contratar"], found["Projeção"]) == (Decimal("0.00"), Decimal("-38.00"))
    (mixed,) = [row for row in section(april, "orcado").rows if label(row) == "Mista"]
    assert mixed.cells[7:9] == (Undefined("n/s"), UNDEFINED)  # a base of 50.00 gives no percent, a mixed one no verdict


def test_what_is_outside_the_result_counts_only_where_it_is_budgeted_and_in_no_total() -> None:
    mapa: dict[str, Any] = {"parametros": replace(make_golden().parametros, dre_mapa={6: "fora", 1: "receita_bruta"})}
    rows = typed((1, "2026-02", "9.00"), (6, "2026-02", "100.00"))
    report = made((6, "2026-02-05", "70.00"), (1, "2026-02-05", "9.00"), rows=rows, **mapa)
    printed = {label(row): row.cells[2] for row in section(report, "orcado").rows}
    assert printed == {
        "Receitas": Decimal("9.00"), "Total": Decimal("9.00"), "Fora do resultado (memo)": Decimal("70.00"),
        "Sócios": Decimal("70.00"),
    }  # fmt: skip
    assert 6 not in {
        row["Id"] for row in records(table(made((6, "2026-02-05", "70.00"), rows=rows[:1], **mapa), "orcado"))
    }


@pytest.mark.parametrize(
    ("orcado", "booked", "left"),
    [(-1000, -400, -600), (-1000, -1300, 0), (-1000, 200, -1000), (4000, 4500, 0), (4000, -200, 4000), (0, -600, 0)],
)
def test_what_is_left_to_contract(orcado: int, booked: int, left: int) -> None:
    assert find_uncontracted(orcado, booked) == left


@pytest.mark.parametrize(
    ("orcado", "realizado", "word"),
    [(-2000_00, -2499_99, "OK"), (-2000_00, -2500_00, "Crítico"), (-5000_00, -5500_00, "Atenção"),
     (-9000_00, -9600_00, "OK"), (-2000_00, -100_00, "OK"), (4000_00, 3000_00, "Crítico"), (0, -500_00, "Crítico")],
)  # fmt: skip
def test_a_deviation_is_called_by_amount_and_share(orcado: int, realizado: int, word: str) -> None:
    assert classify_deviation(orcado, realizado, 500_00) == word


def test_the_cover_says_result_projection_and_the_worst_deviations(golden: Position) -> None:
    report = R18.build(view_of(golden))
    assert [key for _, _, key in list_worst(table(report, "orcado"), 3)] == [11, 10, 22]
    assert tell_budget(view_of(golden, reports=[report])) == (
        "resultado até fev -1.300,00 x 3.300,00 orçado (Desfavorável 4.600,00) · "
        "projeção do ano -2.000,00 x 3.600,00 orçado (Desfavorável 5.600,00) · "
        "piores desvios: Receitas > Serviços -3.200,00, Receitas > (demais) -1.000,00 e Despesas > Pessoal -350,00"
    )
    assert tell_budget(view_of(make_golden())) == ""
