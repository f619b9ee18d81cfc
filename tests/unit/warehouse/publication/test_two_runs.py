"""Two runs of a small company side by side: what is new, gone and changed in the entries, what the DRE's months say."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal as Dec
from pathlib import Path
from typing import Any, cast

import duckdb
import pandas as pd
import pytest

from lastro.analysis.income_statement import select_dre_linhas
from lastro.errors import ConfigError
from lastro.money import to_decimal
from lastro.transform.position import Position
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.outcomes import write_outcomes
from lastro.warehouse.publication.two_runs import TABLES, Differences, RunInCopy, compare_records, find_run
from tests.books import make_empresa
from tests.entries import CONTA, D, entry
from tests.golden import dataset
from tests.histories import Payload, load_run, take_position
from tests.random_companies import evolve_company

EMPRESA = make_empresa([CONTA, {"conta_id": 102, "descricao": "Beta"}], {})
NEXT = date(2026, 3, 17)
HUGE = "-12345678901234.5"


Kpi = tuple[str, str, str | None, str]


def show_run(warehouse: Warehouse, number: int, day: date, kpis: list[Kpi]) -> None:
    """Let the file show a run, with these indicators kept: key, text, value, kind."""
    con = warehouse.con
    con.execute("DELETE FROM ops.relatorio")
    con.execute(
        "CREATE OR REPLACE TABLE mart.resumo (kpi VARCHAR, indicador VARCHAR, unidade VARCHAR, valor DECIMAL(24,2))"
    )
    report = {"execucao_id": number, "empresa": "ouro", "data_base": day, "data_extracao": day}
    warehouse.insert("ops.relatorio", [report])
    names = ("kpi", "indicador", "valor", "unidade")
    write_outcomes(warehouse, number, [], [dict(zip(names, kpi, strict=True)) for kpi in kpis])


KPIS: tuple[list[Kpi], list[Kpi]] = (
    [("saldo", "Saldo atual", "100.00", "M"), ("pmr", "PMR", "30.00", "N"), ("margem", "Margem", None, "P")],
    [("saldo", "Saldo atual", "99.99", "M"), ("pmr", "PMR", "30.00", "N"), ("margem", "Margem", "12.50", "P")],
)


def write_runs(folder: Path, first: Payload, second: Payload, days: tuple[date, date] = (D, NEXT)) -> Path:
    """Write two recorded runs of the small company into one file."""
    for number, (payload, day, kpis) in enumerate(zip((first, second), days, KPIS, strict=True), 1):
        payload.setdefault("categorias", dataset.categorias())
        with load_run(folder, payload, EMPRESA, day, number) as (warehouse, _):
            show_run(warehouse, number, day, kpis)
    return folder / "privado" / "lastro.duckdb"


@contextmanager
def found_in(file: Path, first: int = 1, second: int = 2) -> Iterator[tuple[Any, Any, Any]]:
    with duckdb.connect(str(file), read_only=True) as con:
        yield con, find_run(con, first), find_run(con, second)


def compare(file: Path, **numbers: int) -> dict[str, Any]:
    with found_in(file, **numbers) as (con, a, b):
        return compare_records(con, a, b)


DUE = entry(11, 101, "-100.00", "2026-03-16", None, data_competencia="2026-04-01")
"""Due on the day of the first run, overdue on that of the second; nobody touches it."""
APART = [entry(number, 101, f"-{number}.00", "2026-04-16", None) for number in (12, 13)]
"""Of April, as that above: the months that differ are those of other entries."""
BEFORE = [
    entry(1, 101, "-100.00", "2026-03-10", None, categoria_id=21),
    entry(2, 101, "500.00", "2026-03-20", None, categoria_id=11),
    entry(3, 101, "-40.10", "2026-02-11", None, categoria_id=21, descricao="Aluguel"),
    entry(4, 101, "-30.00", "2026-03-12", None, categoria_id=21),
    entry(5, 101, "80.00", "2026-03-15", None, categoria_id=11),
    entry(6, 101, f"{HUGE}6", "2026-01-05", None, categoria_id=21),
    entry(7, 101, "-7.00", "2026-03-17", None, categoria_id=21),
    entry(8, 101, "-8.00", "2026-03-18", None, categoria_id=21, descricao="Luz"),
    entry(9, 101, "10.00", "2026-03-18", None, categoria_id=11, tags=[{"id": 4}]),
    DUE,
    *APART,
]
AFTER = [
    entry(1, 101, "-101.00", "2026-03-10", None, categoria_id=21),
    BEFORE[1],
    entry(4, 101, "-30.00", "2026-03-12", None, categoria_id=22),
    entry(5, 101, "80.00", "2026-04-15", None, categoria_id=11, data_competencia="2026-03-15"),
    entry(6, 101, f"{HUGE}5", "2026-01-05", None, categoria_id=21),
    entry(7, 101, "-7.00", "2026-03-17", "2026-03-17", categoria_id=21),
    entry(8, 101, "-8.00", "2026-03-18", None, categoria_id=21, descricao="Água"),
    entry(9, 102, "10.00", "2026-03-18", None, categoria_id=11, tags=[{"id": 4}, {"id": 5}]),
    entry(10, 101, "250.00", "2026-05-02", None, categoria_id=11, descricao="Novo"),
    DUE,
    *({**row, "lancamento_composto_id": 8001} for row in APART),
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(tmp_path_factory.mktemp("duas"), {"lancamentos": BEFORE}, {"lancamentos": AFTER})


def named(number: int, descricao: str | None, due: date, valor: str) -> dict[str, Any]:
    """An entry as differences name it."""
    return {
        "linha_id": number,
        "titulo_id": number,
        "descricao": descricao,
        "data_vencimento": due,
        "valor": Dec(valor),
    }


def test_entries_that_came_and_went_are_told_by_id_with_their_amounts(file: Path) -> None:
    found = compare(file)
    assert found["novas"] == [named(10, "Novo", date(2026, 5, 2), "250.00")]
    assert found["sumidas"] == [named(3, "Aluguel", date(2026, 2, 11), "-40.10")]


def list_edits(found: dict[str, Any]) -> list[tuple[int, str, Any, Any]]:
    return [(each["linha_id"], each["campo"], each["a"], each["b"]) for each in found["mudancas"]]


def test_changed_fields_are_told_field_by_field_the_largest_first(file: Path) -> None:
    assert list_edits(compare(file)) == [
        (6, "valor", Dec(f"{HUGE}6"), Dec(f"{HUGE}5")),
        (1, "valor", Dec("-100.00"), Dec("-101.00")),
        (5, "data_vencimento", date(2026, 3, 15), date(2026, 4, 15)),
        (7, "data_pagamento", None, date(2026, 3, 17)),
        (4, "categoria_id", "Aluguel (21)", "Pessoal (22)"),
        (9, "conta_id", "Alfa (101)", "Beta (102)"),
        (8, "descricao", "Luz", "Água"),
        (9, "tags", [4], [4, 5]),
    ]


def list_months(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [tuple(each.values()) for each in found["dre"]]


def test_months_of_the_dre_are_told_by_line_in_order(file: Path) -> None:
    zero = Dec("0.00")
    huge = (Dec(f"{HUGE}6"), Dec(f"{HUGE}5"))
    assert list_months(compare(file)) == [
        (date(2026, 1, 1), "despesas", *huge),
        (date(2026, 1, 1), "resultado", *huge),
        (date(2026, 2, 1), "despesas", Dec("-40.10"), zero),
        (date(2026, 2, 1), "resultado", Dec("-40.10"), zero),
        # March: -100 - 30 - 7 - 8 becomes -101 - 30 - 7 - 8 beside 500 + 80 + 10.
        (date(2026, 3, 1), "despesas", Dec("-145.00"), Dec("-146.00")),
        (date(2026, 3, 1), "resultado", Dec("445.00"), Dec("444.00")),
        (date(2026, 5, 1), "receitas", zero, Dec("250.00")),
        (date(2026, 5, 1), "resultado", zero, Dec("250.00")),
    ]


def test_indicators_are_those_that_each_run_kept(file: Path) -> None:
    found = compare(file)
    assert [tuple(each.values()) for each in found["indicadores"]] == [
        ("saldo", "Saldo atual", "R$", Dec("100.00"), Dec("99.99")),
        ("margem", "Margem", "%", None, Dec("12.50")),
    ]
    assert found["sem_indicadores"] == []


def test_the_second_against_the_first_is_the_mirror(file: Path) -> None:
    found, mirrored = compare(file), compare(file, first=2, second=1)
    assert (mirrored["novas"], mirrored["sumidas"]) == (found["sumidas"], found["novas"])
    turned = [(number, field, b, a) for number, field, a, b in list_edits(mirrored)]
    assert sorted(map(repr, turned)) == sorted(map(repr, list_edits(found)))
    assert list_months(mirrored) == [(month, code, b, a) for month, code, a, b in list_months(found)]


@pytest.mark.parametrize("number", [1, 2])
def test_a_run_is_equal_to_itself(file: Path, number: int) -> None:
    found = compare(file, first=number, second=number)
    assert not any(found.values())


@pytest.mark.parametrize("numbers", [{11}, {12, 13}])
def test_what_only_days_move_and_what_joins_a_composite_is_no_difference(file: Path, numbers: set[int]) -> None:
    found = compare(file)
    told = {each["linha_id"] for each in (*found["novas"], *found["sumidas"])} | {each[0] for each in list_edits(found)}
    assert not numbers & told
    assert date(2026, 4, 1) not in {month for month, *_ in list_months(found)}


def test_each_run_counts_with_its_own_map_and_competence(tmp_path: Path) -> None:
    """Run 1 has no map; run 2 has one, and leaves out what has no competence."""
    rows = {
        "lancamentos": [
            entry(1, 101, "-100.00", "2026-03-10", None, categoria_id=21),
            entry(2, 101, "70.00", "2026-03-10", None, categoria_id=11, data_competencia=None),
            entry(3, 101, "900.00", "2026-03-10", None, categoria_id=30),
        ],
        "categorias": dataset.categorias(),
    }
    mapped = make_empresa([CONTA], {"dre_mapa": {21: "pessoal", 30: "fora"}, "competencia_nula": "excluir"})
    for number, (empresa, day) in enumerate(((EMPRESA, D), (mapped, NEXT)), 1):
        with load_run(tmp_path, rows, empresa, day, number) as (warehouse, _):
            show_run(warehouse, number, day, [])
    found = compare(tmp_path / "privado" / "lastro.duckdb")
    march, zero = date(2026, 3, 1), Dec("0.00")
    assert list_months(found) == [
        (march, "despesas", Dec("-100.00"), zero),
        (march, "fora", zero, Dec("900.00")),
        (march, "pessoal", zero, Dec("-100.00")),
        (march, "receitas", Dec("970.00"), zero),
        (march, "resultado", Dec("870.00"), Dec("-100.00")),
    ]
    assert found["parametros"] == ["competencia_nula", "dre_mapa"]
    assert found["sem_indicadores"] == [1, 2]


def test_runs_whose_indicators_nobody_kept_are_not_said_to_be_equal() -> None:
    nothing: dict[str, Any] = {**dict.fromkeys(TABLES, ()), "sem_indicadores": []}
    run = cast("RunInCopy", None)
    for found, equal in ((nothing, True), ({**nothing, "sem_indicadores": [2]}, False)):
        differences = Differences(run, run, found)
        assert (differences.is_equal, differences.differ) == (equal, False)


def sum_dre(position: Position) -> dict[tuple[date, str], Dec]:
    """Sum the DRE of the report by month and group, and its result."""
    linhas = select_dre_linhas(position)
    inside = linhas[linhas["grupo"] != "fora"].assign(grupo="resultado")
    sums = pd.concat([linhas, inside]).groupby(["mes_competencia", "grupo"])["valor_centavos"].sum()
    rows = sums.reset_index().to_dict("records")
    return {(row["mes_competencia"].date(), row["grupo"]): to_decimal(int(row["valor_centavos"])) for row in rows}


@pytest.mark.longo
@pytest.mark.parametrize("seed", range(6))
def test_random_companies_differ_as_the_reports_have_it(tmp_path: Path, seed: int) -> None:
    positions = []
    for number, payload in enumerate(evolve_company(seed, 3), 1):
        empresa = make_empresa(payload["contas"], payload["parametros"])
        with load_run(tmp_path, payload, empresa, payload["data_base"], number) as (warehouse, position):
            show_run(warehouse, number, payload["data_base"], [])
        positions.append(position)
    found = compare(tmp_path / "privado" / "lastro.duckdb", first=1, second=3)
    assert_as_reported(found, positions[0], positions[2])


def test_two_runs_differ_as_the_reports_have_it(file: Path) -> None:
    with Warehouse(file.parents[1]) as warehouse:
        cores = warehouse.read_core(1), warehouse.read_core()
    found = compare(file)
    assert len(found["mudancas"]) == 8
    assert_as_reported(found, *(take_position(core, EMPRESA, day) for core, day in zip(cores, (D, NEXT), strict=True)))


def assert_as_reported(found: dict[str, Any], a: Position, b: Position) -> None:
    """Hold the months of the DRE against R06, which adds in pandas."""
    before, after, zero = sum_dre(a), sum_dre(b), Dec("0.00")
    changed = {key for key in {*before, *after} if before.get(key, zero) != after.get(key, zero)}
    assert {(month, code): (old, new) for month, code, old, new in list_months(found)} == {
        key: (before.get(key, zero), after.get(key, zero)) for key in changed
    }


# --- where a run stands -----------------------------------------------------------------------------------------------


def test_a_run_stands_in_core_or_in_history(file: Path) -> None:
    with found_in(file) as (_, a, b):
        assert (a.registros, a.mostrada, a.data_base, a.tipo) == (1, False, D, "completa")
        assert (b.registros, b.mostrada, b.data_base) == (None, True, NEXT)


def copy_of(file: Path, folder: Path) -> Path:
    shutil.copytree(file.parents[1], folder / "empresa")
    return folder / "empresa" / "privado" / file.name


def add_run(file: Path, **values: Any) -> None:
    with Warehouse(file.parents[1]) as warehouse:
        row = {"situacao": "completa", "data_extracao": NEXT, "data_base": NEXT, "tipo_execucao": "completa"}
        warehouse.insert("ops.execucoes", [{**row, **values}])


def test_a_run_without_records_is_refused_with_what_to_do(tmp_path: Path, file: Path) -> None:
    file = copy_of(file, tmp_path)
    add_run(file, execucao_id=3, situacao="falhou")
    add_run(file, execucao_id=4, tipo_execucao="quente", base_id=2)
    add_run(file, execucao_id=5, tipo_execucao="recálculo", leitura_id=4)
    add_run(file, execucao_id=6, tipo_execucao="recálculo", leitura_id=1, data_base=D, data_extracao=D)
    add_run(file, execucao_id=7, data_base=D)
    for number, text in (
        (3, r"não terminou bem \(situação: falhou\)"),
        (4, r"execução 4 \(quente\) não estão mais guardados"),
        (5, r"execução 5 \(recálculo\) não estão mais guardados"),
        (99, r"não está no que se publicou, que vai até a 2\. Veja os números com: lastro sql"),
    ):
        with pytest.raises(ConfigError, match=text):
            compare(file, first=number)
    with found_in(file, first=6, second=7) as (_, again, past):
        # A recálculo has the records of its reading; a past day those of the run that was read on it.
        assert (again.registros, past.registros, past.data_extracao) == (1, 1, D)


def test_an_edit_names_its_entry(file: Path) -> None:
    (edit,) = [each for each in compare(file)["mudancas"] if each["campo"] == "categoria_id"]
    assert edit.items() >= named(4, None, date(2026, 3, 12), "-30.00").items()
