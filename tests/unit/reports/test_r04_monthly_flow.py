"""R04 and R05: the golden monthly flow (section 5), trees, links, averages, memo rows, blocks per account."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from lastro.grid.cells import UNDEFINED, Undefined
from lastro.grid.sections import Row, Style
from lastro.grid.workbook import Report
from lastro.reports.r04_monthly_flow import MEMO_BEFORE_CONTROL
from lastro.reports.r04_monthly_flow import SPEC as R04
from lastro.reports.r05_account_flow import SPEC as R05
from lastro.reports.r16_entries import build_r16
from lastro.settings import Conta, Parametros
from tests.golden import dataset, expected
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.positions import moved as entry
from tests.unit.reports.readers import record, records, section, table
from tests.views import view_of

NOTHING = entry(9, "0.00", "2026-03-10")


def by_key(report: Report) -> dict[str, Row]:
    return {row.key: row for row in report.sections[0].rows if row.key}


def cell(report: Report, key: str, header: str) -> Any:
    printed = [column.header for column in report.sections[0].columns]
    return by_key(report)[key].cells[printed.index(header)]


def test_columns_are_closed_months_then_this_month_in_three_then_the_future() -> None:
    columns = section(R04.build(view_of(make_golden())), "fluxo_mensal").columns
    assert [column.header for column in columns[11:18]] == [
        "jan/26", "fev/26", "mar/26 Realizado", "mar/26 A realizar", "mar/26 em curso", "abr/26 contratado",
        "mai/26 contratado",
    ]  # fmt: skip
    assert [column.header for column in columns if column.level == 1] == [
        "mar/25", "abr/25", "mai/25", "jun/25", "jul/25", "ago/25", "set/25", "out/25", "mar/26 Realizado",
        "mar/26 A realizar",
    ]  # fmt: skip
    assert columns[1].key == "2025_03_realizado"
    assert [column.header for column in columns[-5:]] == [
        "Total", "Média mensal", "AV %", "Variação", "Var. %",
    ]  # fmt: skip


def test_total_mean_and_ratios() -> None:
    report = R04.build(view_of(make_golden()))
    # Aluguel: two closed months of -1500.00; Entradas 4800.00 + 3500.00.
    aluguel = by_key(report)["saidas_21"].cells
    assert aluguel[-5:] == (
        Decimal("-3000.00"), Decimal("-250.00"), Decimal("-36.14"), Decimal("1500.00"), Decimal("100.00"),
    )  # fmt: skip
    # What is realised and what is still to come in mar/26 count once.
    assert by_key(report)["saidas_23"].cells[-5] == Decimal("-370.00")
    assert by_key(report)["saidas_24"].cells[-5] == Decimal("-900.00")
    # Saídas: mar/26 Total -1620.00 against -4600.00 in fev/26.
    # 2980.00 less was spent: better, so + 64.78 % of 4600.00 (R04).
    assert by_key(report)["saidas"].cells[-2:] == (Decimal("2980.00"), Decimal("64.78"))
    # In the month: 720.00 realised and 900.00 to come.
    assert cell(report, "saidas", "mar/26 em curso") == Decimal("-1620.00")
    # Entradas fell from 4800.00 to nothing; no loan the month before.
    assert by_key(report)["entradas"].cells[-2:] == (Decimal("-4800.00"), Decimal("-100.00"))
    assert by_key(report)["nao_operacional"].cells[-2:] == (Decimal("6000.00"), Undefined("n/s"))
    assert by_key(report)["fluxo_operacional"].cells[-2:] == (Decimal("-1820.00"), Undefined("virou"))
    assert by_key(report)["saldo_final"].cells[-5:] == (Decimal("18580.00"), None, None, None, None)
    assert by_key(report)["saldo_inicial"].cells[-5] == Decimal("0.00")


def test_a_level_with_one_child_is_printed_once_and_direct_amounts_have_a_row_of_their_own() -> None:
    rows = section(R04.build(view_of(make_golden())), "fluxo_mensal").rows
    start = next(n for n, row in enumerate(rows) if row.key == "saidas")
    assert [(row.cells[0], row.level) for row in rows[start : start + 7]] == [
        ("Saídas", 0), ("(direto)", 2), ("Aluguel", 2), ("Marketing (inativa)", 2), ("Pessoal", 2),
        ("Serviços de terceiros", 2), ("= Fluxo operacional", 0),
    ]  # fmt: skip


def test_rows_lead_to_the_first_line_of_their_block() -> None:
    position = make_golden()
    blocks = {row.key: row for row in build_r16(view_of(position)).sections[0].rows if row.key}
    links = {row.key: row.link for row in section(R04.build(view_of(position)), "fluxo_mensal").rows if row.link}
    assert {"entradas", "saidas_21", "saidas", "saidas_20_direto", "nao_operacional"} <= set(links)
    for link in links.values():
        assert link.sheet == "Lançamentos"
        assert link.key in blocks
    assert blocks[str(links["saidas_21"].key)].cells[2] == "Despesas > Aluguel"
    assert links["saidas"].key == links["saidas_20_direto"].key == "cat-Saídas-20"


def test_mixed_and_unknown_categories() -> None:
    entries = [
        entry(1, "10.00", "2026-02-10", categoria_id=30),
        entry(2, "-4.00", "2026-02-10", categoria_id=30),
        entry(3, "7.00", "2026-02-10", categoria_id=77),
        entry(4, "1.00", "2026-02-10", categoria_id=None),
    ]
    report = R04.build(view_of(make_position(entries)))
    assert cell(report, "entradas_30", "fev/26") == Decimal("10.00")
    assert cell(report, "saidas", "fev/26") == Decimal("-4.00")  # its only category is no second row
    assert by_key(report)["entradas_77"].cells[0] == "Categoria #77 (não encontrada)"
    assert by_key(report)["entradas_sem"].cells[0] == "Sem categoria"


def test_siblings_of_one_name_are_told_apart_and_stand_by_id() -> None:
    def category(number: int, name: str) -> dict[str, Any]:
        return {**despesas, "id": number, "descricao": name, "parent_id": 20, "categorias_filhas": []}

    (despesas,) = [one for one in dataset.categorias() if one["id"] == 20]
    despesas["categorias_filhas"] = [category(100, "Taxas"), category(99, "TAXAS"), category(21, "Aluguel")]
    entries = [entry(n, "-1.00", "2026-02-10", categoria_id=category) for n, category in enumerate((100, 99, 21), 1)]
    report = R04.build(view_of(make_position(entries, categorias=[despesas])))
    rows = by_key(report)
    names = [row.cells[0] for key, row in rows.items() if key.startswith("saidas_")]
    assert names == ["Aluguel", "TAXAS (#99)", "Taxas (#100)"]
    paths = {row["Categoria"] for row in records(table(report, "fluxo_mensal")) if row["Categoria id"]}
    assert paths == {"Despesas", "Despesas > Aluguel", "Despesas > TAXAS (#99)", "Despesas > Taxas (#100)"}


def test_refund_in_a_revenue_category_stays_in_entradas() -> None:
    report = R04.build(view_of(make_position([entry(1, "-10.00", "2026-02-10")])))
    assert cell(report, "entradas", "fev/26") == Decimal("-10.00")
    assert cell(report, "saidas", "fev/26") == Decimal("0.00")


def test_memo_rows() -> None:
    conta = Conta(101, "A", Decimal("100.00"), date(2026, 2, 1))
    entries = [
        entry(1, "-9.00", "2026-01-20", categoria_id=21),
        entry(2, "50.00", "2026-03-01", paid=False),
    ]
    report = R04.build(view_of(make_position(entries, contas=[conta])))
    memo = {row.cells[0]: row.cells for row in report.sections[0].rows if row.style is Style.MEMO}
    total = report.sections[0].place("total")
    assert memo["Vencidos a receber (não projetados)"][total] == Decimal("50.00")
    assert memo[MEMO_BEFORE_CONTROL][report.sections[0].place("2026_01_realizado")] == Decimal("-9.00")
    assert memo[MEMO_BEFORE_CONTROL][total] == Decimal("-9.00")
    assert cell(report, "saidas", "jan/26") == Decimal("0.00")


def test_series_still_to_be_generated_are_a_memo_of_their_month() -> None:
    """Rent of 100 a month, last generated for 20/02; a fortnightly 7 for 10/03, so 25/03, 09/04, 24/04 ..."""
    entries = [
        entry(1, "-100.00", "2026-02-20", categoria_id=21, grupo_id=7, periodicidade="M1"),
        entry(2, "-7.00", "2026-03-10", categoria_id=21, grupo_id=8, periodicidade="D15"),
    ]
    report = R04.build(view_of(make_position(entries)))
    section = report.sections[0]
    (row,) = [row for row in section.rows if str(row.cells[0]).startswith("Recorrências ainda não geradas (Q12)")]
    found = {column.header: value for column, value in zip(section.columns, row.cells, strict=True)}
    assert (found["mar/26 Realizado"], found["mar/26 A realizar"]) == (None, Decimal("-107.00"))
    assert found["mar/26 em curso"] == Decimal("-107.00")
    assert (found["fev/26"], found["abr/26 contratado"]) == (None, Decimal("-114.00"))
    # The table has one figure per month: the last month shown is six after D's.
    of_month = {row["Mês"]: row["Valor"] for row in records(table(report, "fluxo_mensal_memo")) if row["Mês"]}
    assert of_month[date(2026, 9, 1)] == found["set/26 contratado"] == Decimal("-114.00")
    # Rents of March to September are seven; days 25/03 + 15 n up to 21/09 are thirteen: 7 x 100 + 13 x 7.
    assert found["Total"] == Decimal("-791.00")


def test_control_that_starts_later_this_month_is_implanted_in_what_is_still_to_come() -> None:
    report = R04.build(
        view_of(make_position([NOTHING], contas=[Conta(101, "A", Decimal("100.00"), date(2026, 3, 20))]))
    )
    assert cell(report, "saldos_implantados", "mar/26 Realizado") == Decimal("0.00")
    assert cell(report, "saldos_implantados", "mar/26 A realizar") == Decimal("100.00")
    assert cell(report, "saldo_final", "mar/26 em curso") == Decimal("100.00")


def test_what_is_still_to_come_opens_with_the_realised_balance_of_the_data_base() -> None:
    report = R04.build(
        view_of(make_position([entry(1, "10.00", "2026-03-16"), entry(2, "4.00", "2026-03-16", paid=False)]))
    )
    assert cell(report, "saldo_final", "mar/26 Realizado") == Decimal("10.00")
    assert cell(report, "saldo_inicial", "mar/26 A realizar") == Decimal("10.00")
    assert cell(report, "saldo_final", "mar/26 A realizar") == Decimal("14.00")


def test_movements_outside_the_months_shown_are_in_the_opening() -> None:
    entries = [entry(1, "70.00", "2020-01-15"), entry(2, "5.00", "2027-01-15", paid=False)]
    report = R04.build(view_of(make_position(entries, contas=[Conta(101, "A", Decimal("0.00"))])))
    assert cell(report, "saldo_inicial", "mar/25") == Decimal("70.00")
    assert cell(report, "saldo_final", "Total") == Decimal("70.00")


def test_golden_months_by_account() -> None:
    report = R05.build(view_of(make_golden()))
    names = {
        "Saldo inicial": "saldo_inicial", "Saldos implantados": "saldos_implantados", "Entradas": "entradas",
        "Saídas": "saidas", "Não operacional": "nao_operacional", "Transf. recebidas": "transf_recebidas",
        "Transf. enviadas": "transf_enviadas", "Saldo final": "saldo_final",
    }  # fmt: skip
    for (conta_id, (year, month)), lines in expected.R05.items():
        row = record(table(report, "fluxo_por_conta"), conta_id=conta_id, mes=date(year, month, 1), momento="realizado")
        assert {name: row[header] for header, name in names.items() if name in lines} == lines


def test_balance_of_an_account_is_undefined_before_its_control() -> None:
    flow = section(R05.build(view_of(make_golden())), "fluxo_por_conta")
    place = flow.place("conta_102")
    blocks = [number for number, row in enumerate(flow.rows) if row.style is Style.SECTION]
    assert [flow.rows[number].cells[0] for number in blocks] == ["jan/26", "fev/26", "mar/26 Realizado"]
    january = {row.cells[0]: row.cells[place] for row in flow.rows[: blocks[1]]}
    february = {row.cells[0]: row.cells[place] for row in flow.rows[blocks[1] : blocks[2]]}
    assert (january["Saldo inicial"], january["Saldo final"]) == (UNDEFINED, UNDEFINED)
    assert february["Saldos implantados"] == Decimal("2000.00")


def test_entries_without_account_form_a_block() -> None:
    report = R05.build(view_of(make_position([entry(1, "5.00", "2026-02-10", conta_id=None)])))
    assert record(table(report, "fluxo_por_conta"), conta_id=None, mes=date(2026, 2, 1))["Entradas"] == Decimal("5.00")


def test_fewer_months_on_request() -> None:
    parametros = Parametros(historico_meses=1, horizonte={"dias": 1, "semanas": 1, "meses": 1})
    report = R04.build(view_of(make_position([entry(1, "5.00", "2026-02-10")], parametros=parametros)))
    assert [column.header for column in report.sections[0].columns] == [
        "Categoria", "fev/26", "mar/26 Realizado", "mar/26 A realizar", "mar/26 em curso", "abr/26 contratado", "Total",
        "Média mensal", "AV %", "Variação", "Var. %",
    ]  # fmt: skip
    assert by_key(report)["entradas"].cells[-4] == Decimal("5.00")
