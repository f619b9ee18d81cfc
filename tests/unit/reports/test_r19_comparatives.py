"""R19 on the golden books with extension E (figures of the design, by hand), and by small books."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.analysis.comparatives import plan_pairs
from lastro.grid.cells import Undefined
from lastro.grid.workbook import Report
from lastro.reports.r04_monthly_flow import SPEC as R04
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.r19_comparatives import SPEC as R19
from lastro.settings import Parametros
from lastro.transform.position import Position
from tests.unit.reports.positions import MAPA, make_golden, make_position
from tests.unit.reports.readers import record, records, section, table
from tests.views import check_reports, view_of

DEC = Decimal
GOLDEN = {
    # par: receitas, despesas, resultado by competence; entradas, saídas, fluxo of cash (all of them without a base)
    "mes_ate_d": (
        ("1000.00", "1800.00", "-44.44"), ("-1620.00", "-1400.00", "-15.71"), ("-620.00", "400.00", "virou"),
        ("0.00", "1800.00"), ("-720.00", "-1400.00"), ("-720.00", "400.00"),
    ),
    "mes_fechado": (
        ("-200.00", "4000.00", "virou"), ("-4600.00", "-3900.00", "-17.95"), ("-4800.00", "100.00", "virou"),
        ("4800.00", "4000.00"), ("-4600.00", "-3900.00"), ("200.00", "100.00"),
    ),
    "ano_ate_d": (
        ("5800.00", "5800.00", "0.00"), ("-7720.00", "-5300.00", "-45.66"), ("-1920.00", "500.00", "virou"),
        ("4800.00", "5800.00"), ("-6820.00", "-5300.00"), ("-2020.00", "500.00"),
    ),
    "doze_fechados": (
        ("27100.00", "4000.00", "n/s"), ("-11400.00", "-3900.00", "n/s"), ("15700.00", "100.00", "n/s"),
        ("24700.00", "4000.00"), ("-11400.00", "-3900.00"), ("13300.00", "100.00"),
    ),
}  # fmt: skip
EXPLAINS: dict[str, dict[int, tuple[str, dict[int | None, str] | None]]] = {
    "mes_ate_d": {12: ("-1800.00", {502: "-1800.00"}), 11: ("1000.00", {501: "1000.00"}),
                  23: ("-120.00", {602: "-120.00"}), 21: ("-100.00", {601: "-100.00"})},
    "mes_fechado": {11: ("-4200.00", {501: "-4200.00"}), 22: ("-350.00", {None: "-350.00"}),
                    23: ("-250.00", {None: "-250.00"}), 21: ("-100.00", {601: "-100.00"})},
    "ano_ate_d": {11: ("1800.00", None), 12: ("-1800.00", None), 21: ("-1700.00", None),
                  23: ("-370.00", {None: "-250.00", 602: "-120.00"}), 22: ("-350.00", None)},
    "doze_fechados": {11: ("14400.00", None), 12: ("8700.00", None), 21: ("-4400.00", None),
                      22: ("-2850.00", None), 23: ("-250.00", None)},
}  # fmt: skip


@pytest.fixture(scope="module")
def golden() -> Position:
    return make_golden(extensao=True)


@pytest.fixture(scope="module")
def report(golden: Position) -> Report:
    return R19.build(view_of(golden))


def _percent(text: str) -> tuple[Decimal | None, str | None]:
    return (DEC(text), None) if text[-1].isdigit() else (None, text)


@pytest.mark.parametrize("par", GOLDEN)
def test_golden_pairs(report: Report, par: str) -> None:
    result, cash = table(report, "comparativo_resultado"), table(report, "comparativo_caixa")
    lines = ("receitas", "despesas", "resultado")
    for codigo, (now, then, change) in zip(lines, GOLDEN[par], strict=False):
        row = record(result, par=par, codigo=codigo, nivel=0)
        assert (row["Atual"], row["Base"], row["Variação"]) == (DEC(now), DEC(then), DEC(now) - DEC(then))
        assert (row["Var. %"], row["Var. nota"]) == _percent(change)
    for codigo, (now, then) in zip(("entradas", "saidas", "fluxo_operacional"), GOLDEN[par][3:], strict=True):
        row = record(cash, par=par, codigo=codigo, nivel=0)
        assert (row["Atual"], row["Base"], row["Var. nota"]) == (DEC(now), DEC(then), "n/s")


@pytest.mark.parametrize("par", EXPLAINS)
def test_golden_explanation(report: Report, par: str) -> None:
    rows = [row for row in records(table(report, "comparativo_explicacao")) if row["Par id"] == par]
    assert [(row["Categoria id"], row["Variação"]) for row in rows] == [
        (categoria, DEC(change)) for categoria, (change, _) in EXPLAINS[par].items()
    ]
    people = [row for row in records(table(report, "comparativo_pessoas")) if row["Par id"] == par]
    for categoria, (_, shares) in EXPLAINS[par].items():
        mine = [row for row in people if row["Categoria id"] == categoria]
        if shares is not None:
            assert {row["Pessoa id"]: row["Variação"] for row in mine} == {one: DEC(shares[one]) for one in shares}
            assert {row["Ordem da pessoa"] for row in mine} == {*range(1, len(shares) + 1)}


def test_sentences_kinds_and_shares(report: Report) -> None:
    first = records(table(report, "comparativo_explicacao"))[4]
    assert first["Par id"] == "mes_fechado"
    assert first["Frase"] == "Serviços caiu 4.200,00: Azul -4.200,00"
    # 4200 of 4200 + 350 + 250 + 100.
    assert (first["Tipo"], first["% da variação"]) == ("virou", DEC("-85.71"))
    rows = {(row["Par id"], row["Categoria id"]): row for row in records(table(report, "comparativo_explicacao"))}
    assert rows["mes_fechado", 22]["Frase"] == "Pessoal subiu 350,00: Sem pessoa -350,00"
    assert (rows["mes_fechado", 23]["Tipo"], rows["mes_ate_d", 12]["Tipo"]) == ("novo", "encerrado")
    assert (rows["ano_ate_d", 11]["Tipo"], rows["mes_fechado", 22]["Tipo"]) == ("maior", "maior")


def test_the_sheet_says_what_it_compares_and_what_is_missing(report: Report) -> None:
    sheet = section(report, "comparativo_resultado")
    # 1500 + 120 + 1400 of the 5820 without their signs.
    assert (
        "Mês até D: 01-16/03/26 x 01-16/03/25; dia 1: 52 % do valor tem competência no primeiro dia do mês."
        in (sheet.notes[0])
    )
    bands = {column.group for column in sheet.columns}
    assert "12 meses fechados · base incompleta: 1 de 12 meses" in bands
    assert "Ano até D" in bands
    result = next(row for row in sheet.rows if row.key == "comparativo_resultado-resultado")
    assert result.cells[1:5] == (DEC("-620.00"), DEC("400.00"), DEC("-1020.00"), Undefined("virou"))
    for par, figures in GOLDEN.items():
        assert [result.cells[sheet.place(f"{par}_{key}")] for key in ("atual", "base")] == [*map(DEC, figures[2][:2])]
    assert all("base incompleta" in str(column.group) for column in section(report, "comparativo_caixa").columns[1:])


def test_the_change_that_the_sheet_of_the_dre_prints_is_that_of_the_first_pair(golden: Position) -> None:
    sheet = section(R06.build(view_of(golden)), "dre")
    place = sheet.place("variacao_ate_d")
    printed = {str(row.key): row.cells[place : place + 2] for row in sheet.rows}
    told = table(R06.build(view_of(golden)), "dre_acumulado")
    for codigo, (now, then, change) in zip(("receitas", "despesas", "resultado"), GOLDEN["mes_ate_d"], strict=False):
        assert printed[f"dre-{codigo}"][0] == DEC(now) - DEC(then)
        assert record(told, codigo=codigo, nivel=0)["Var. % até D"] == _percent(change)[0]
    assert printed["dre-resultado"] == (DEC("-1020.00"), Undefined("virou"))


def _of(day: str, categoria_id: int, valor: str) -> dict[str, Any]:
    return {"valor": valor, "categoria_id": categoria_id, "data_vencimento": day, "data_competencia": day}


CANCELLING = (
    _of("2025-03-05", 11, "1000.00"),
    _of("2026-03-10", 11, "1300.00"),
    _of("2026-03-03", 21, "-300.00"),
    # Factoring that was bought back, a rent that was given back: months that cancel, and nothing in the first pair.
    _of("2026-01-10", 30, "5000.00"),
    _of("2026-02-10", 30, "-5000.00"),
    _of("2025-04-01", 22, "200.00"),
    _of("2025-05-01", 22, "-200.00"),
    # A month that cancels, of which the pair holds one half: the DRE has no row of it, and its line has the half.
    _of("2026-03-05", 24, "80.00"),
    _of("2026-03-20", 24, "-80.00"),
)
CHANGED = {
    "dre-receitas": "300.00", "dre-receita_bruta": "300.00", "dre-despesas": "-220.00",
    "dre-administrativas": "-300.00", "dre-pessoal": "0.00", "dre-comerciais": "80.00",
    "dre-resultado": "80.00", "dre-fora": "0.00", "dre-fora-30": "0.00", "dre-despesas-22": "0.00",
}  # fmt: skip


@pytest.mark.parametrize("mapa", [{}, {30: "fora"}, MAPA, {**MAPA, 30: "financeiro"}])
def test_what_cancels_shifts_no_row_of_the_dre(mapa: dict[int, str]) -> None:
    rows = [{**row, "id": number} for number, row in enumerate(CANCELLING, 1)]
    position = make_position(rows, parametros=Parametros(dre_mapa=mapa))
    view = view_of(position)
    dre = R06.build(view)
    place = section(dre, "dre").place("variacao_ate_d")
    printed = {str(row.key): row.cells[place] for row in section(dre, "dre").rows}
    assert {key: printed[key] for key in printed.keys() & CHANGED.keys()} == {
        key: DEC(value) for key, value in CHANGED.items() if key in printed
    }
    assert printed["dre-resultado"] == DEC("80.00")
    check = check_reports("V27", position, dre, R04.build(view), R19.build(view))
    assert (check.situacao, check.chaves) == ("ok", ())


def test_what_is_out_of_the_result_begins_no_base() -> None:
    rows = [{**_of("2025-03-05", 30, "1000.00"), "id": 1}, {**_of("2026-03-10", 11, "1300.00"), "id": 2}]
    position = make_position(rows, parametros=Parametros(dre_mapa={30: "fora"}))
    dre = table(R06.build(view_of(position)), "dre_acumulado")
    assert {row["Variação até D"] for row in records(dre)} == {None}  # as Comparativos, which has no pair


@pytest.mark.parametrize(
    ("competence", "based"),
    [
        ("1900-01-01", False),
        ("2006-03-05", False),
        ("2025-03-05", False),  # a year too early, alone
        ("2025-11-05", True),  # the month before the first one: books that begin a month earlier
    ],
)
def test_a_competence_that_stands_alone_begins_no_books(competence: str, based: bool) -> None:
    """Books of December to March, and one mistyped competence (K11): "Mês até D" has no base in March 2025."""
    months = ("2025-12-05", "2026-01-05", "2026-02-05", "2026-03-05", competence)
    rows = [{**_of(day, 11, "1300.00"), "id": number} for number, day in enumerate(months, 1)]
    position = make_position(rows)
    found = R19.build(view_of(position))
    assert not any(part.rows for part in found.tables)
    assert " ".join(section(found, "comparativo_resultado").notes).count("sem base") == 4
    dre = table(R06.build(view_of(position)), "dre_acumulado")
    assert {row["Variação até D"] for row in records(dre)} == {None}
    later = replace(position, data_base=date(2026, 11, 16))
    assert bool(R19.build(view_of(later)).tables[0].rows) is based


def test_a_leap_day_compares_with_the_28th() -> None:
    position = replace(make_golden(extensao=True), data_base=date(2028, 2, 29))
    assert plan_pairs(position)[0].base == (date(2027, 2, 1), date(2027, 2, 28))


def test_without_thirteen_months_there_is_no_base() -> None:
    position = make_golden()
    found = R19.build(view_of(position))
    assert not any(part.rows for part in found.tables)
    assert " ".join(section(found, "comparativo_resultado").notes).count("sem base") == 4
    assert check_reports("V27", position, found).situacao == "não se aplica"
