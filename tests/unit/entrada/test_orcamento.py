"""The form of a budget, its cells and what hides in their looks, and budgets of another form (R18)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from lastro.entrada.door import NotRead
from lastro.entrada.earlier_budget import convert_budget
from lastro.entrada.orcamento import Budget, BudgetedCategory, read_budget
from lastro.export.budget_form import FormRow, write_form
from tests.budget import list_golden_categories, read_golden_budget

UNTIL = date(2036, 11, 26)
ACCEPTED = [  # category, month, amount: the twenty of the golden file, expenses signed
    *((10, month, "500.00") for month in (1, 2, 3, 4)), *((11, month, "4000.00") for month in (1, 2, 3, 4)),
    *((21, month, "-1500.00") for month in (1, 2, 3, 4)), (22, 1, "0.00"),
    *((22, month, "-2500.00") for month in (2, 3, 4)), (23, 2, "-200.00"), (23, 3, "-300.00"), (23, 4, "-300.00"),
]  # fmt: skip
LONG = """\
versao;regime;categoria_id;mes;valor
original;competencia;10;2026-01;500,00
;;10;02/2026;500,00
original;competencia;10;mar/26;500,00
original;competencia;10;abril de 2026;500,00
original;competencia;11;2026-01;4000,00
original;competencia;11;2026-02;4000,00
original;competencia;11;2026-03-15;4000,00
original;competencia;11;2026-04;4000,00
original;competencia;21;2026-01;1500,00
original;competencia;21;2026-02;1500,00
original;competencia;21;2026-03;1500,00
original;competencia;21;2026-04;1500,00
original;competencia;22;2026-01;0,00
original;competencia;22;2026-02;2500,00
original;competencia;22;2026-03;2500,00
original;competencia;22;2026-04;2500,00
original;competencia;23;2026-02;200,00
original;competencia;23;2026-03;300,00
original;competencia;23;2026-04;300,00
revisado;competencia;22;2026-04;2600,00
original;competencia;99;2026-03;100,00
original;competencia;23;2026-13;300,00
original;competencia;24;2026-03;1.500
original;competencia;21;2026-03;1600,00
original;caixa;11;2026-03;1200,00
"""
"""The golden budget as 0.3.0 took it."""


def seen(budget: Budget) -> list[tuple[str, int, str, str]]:
    return [(key.versao, key.categoria_id, f"{key.mes:%Y-%m}", str(valor)) for key, valor in budget.valores.items()]


def amounts_of(budget: Budget) -> str:
    return " ".join(f"{key.categoria_id}:{valor}" for key, valor in budget.valores.items())


def tell_refusal(content: bytes, read: Callable[[bytes], Budget] = read_golden_budget) -> str:
    with pytest.raises(NotRead) as error:
        read(content)
    return str(error.value)


GOLDEN = [
    *(("original", key, f"2026-{month:02}", valor) for key, month, valor in ACCEPTED),
    ("revisado", 22, "2026-04", "-2600.00"),
]


def test_the_golden_form() -> None:
    read = read_golden_budget()
    assert seen(read) == GOLDEN
    assert [(one.linha, one.motivo, one.valor) for one in read.recusados] == [
        (8, "categoria desconhecida", Decimal("100.00")), (9, "valor ambíguo", None),
        (10, "linha repetida", Decimal("1600.00")),
        *((line, "regime caixa não lido", Decimal(valor)) for line, valor in (
            (11, "1200.00"), (11, "3000.00"), (12, "1500.00"), (13, "100.00"), (14, "5000.00"))),
    ]  # fmt: skip
    assert read.rejeitados == 8


KNOWN = {
    **list_golden_categories(), 71: BudgetedCategory("Receitas > Dupla", 2), 72: BudgetedCategory("Dupla", 2),
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("11;;;;1,00", None),
        ("11;receitas>SERVIÇOS;;;1,00", None),
        ("11;um nome de antes;;;1,00", None),
        ("11;Despesas > Aluguel;;;1,00", "categoria_id e categoria são de duas categorias"),
        (";Receitas > Serviços;;;1,00", "falta o categoria_id"),
        ("11;;previsto;;1,00", "versão desconhecida"),
        ("11;;;mensal;1,00", "regime desconhecido"),
        (f"{'9' * 5_000};;;;1,00", "categoria desconhecida"),
        ("55;;;;1,00", "categoria excluída: era Receitas > Antiga"),
        (f"11;;;;{'9' * 5_000}", "valor inválido"),
        ("11;;;;(1,00)", "valor inválido"),
        ("11;;;;15%", "valor inválido"),
        ("11;;;;1.500", "valor ambíguo"),
    ],
)
def test_why_an_amount_is_not_read(line: str, why: str | None) -> None:
    content = f"categoria_id;categoria;versao;regime;2026-01\n{line}\n".encode()
    read = read_budget(content, KNOWN, {55: "Receitas > Antiga"})
    assert [one.motivo for one in read.recusados] == ([] if why is None else [why])
    assert len(read.valores) == (why is None)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("categoria_id;jan/26\n11;1,00\n", "B1: «jan/26» não é uma coluna do formulário"),
        ("categoria_id;2026-13\n11;1,00\n", "B1: «2026-13» não é"),
        ("categoria_id;2099-01\n11;1,00\n", "B1: «2099-01» não é"),
        ("categoria_id;2026-01;Total\n11;1,00;1,00\n", "C1: «total» não é"),
        ("categoria_id;2026-01;\n11;1,00;1,00\n", "C2: há algo numa coluna sem nome"),
        ("categoria_id;2026-01\n11;1,00;1,00\n", "C2: há algo numa coluna sem nome"),
        ("2026-01\n1,00\n", "A1: falta no cabeçalho a coluna categoria_id"),
        ("categoria_id;categoria\n11;x\n", "A1: não há nenhuma coluna de mês"),
        ("categoria_id;2026-01;2026-01\n", "a coluna 2026-01 está duas vezes"),
        ("", "A1: falta no cabeçalho"),
        ("categoria_id;2026-01;2026-02\n21;1,00;-5,00\n", "C2: despesa com sinal de menos"),
    ],
)
def test_a_file_that_is_not_the_form_is_refused_with_its_cell(content: str, told: str) -> None:
    assert tell_refusal(content.encode()).startswith(told)


def test_an_empty_cell_is_no_amount_and_more_places_are_rounded_half_up() -> None:
    read = read_golden_budget(b"categoria_id;2026-01;2026-02;2026-03\n11;;0;3333,3350\n30;-7,00;;\n99;;;\n")
    assert (amounts_of(read), read.arredondados, read.recusados) == ("11:0.00 11:3333.34 30:-7.00", 1, ())


DEEP = {
    1: BudgetedCategory("Despesas", 1), 2: BudgetedCategory("Despesas > Casa", 1),
    3: BudgetedCategory("Despesas > Casa > Luz", 1), 4: BudgetedCategory("Despesas > Casa > Água", 1),
    5: BudgetedCategory("Despesas > Pessoal", 1), 6: BudgetedCategory("Receitas", 2),
}  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "sum_at"),
    [
        ("1;2300 2;1500 5;800", "B2"),
        ("1;2300,01 2;1500 5;800", ""),
        ("2;1500 3;1000 4;500", "B2"),
        ("1;1500 3;1000 4;500", "B2"),
        ("1;666,66666666 2;333,33333333 5;333,33333333", "B2"),
        ("1;0 2;0 5;0", ""),
        ("1;2300 6;2300", ""),
    ],
)
def test_a_typed_subtotal_refuses_the_file_and_any_other_amount_is_a_categorys_own(lines: str, sum_at: str) -> None:
    content = "categoria_id;2026-11\n" + "".join(f"{one}\n" for one in lines.split())
    if not sum_at:
        assert len(read_budget(content.encode(), DEEP, {}).valores) == len(lines.split())
        return
    with pytest.raises(NotRead, match=f"^{sum_at}: é a soma das categorias abaixo"):
        read_budget(content.encode(), DEEP, {})


def test_a_revised_subtotal_sums_what_is_in_force_below() -> None:
    """1700 revised and 800 that were not."""
    content = "categoria_id;versao;2026-11\n2;;1500\n5;;800\n2;revisado;1700\n1;revisado;2500\n"
    with pytest.raises(NotRead, match=r"^C5: é a soma"):
        read_budget(content.encode(), DEEP, {})


def workbook(table: list[list[Any]], change: Callable[[Any], None] | None = None, title: str = "Orçamento") -> bytes:
    book = openpyxl.Workbook()
    sheet: Any = book.worksheets[0]
    sheet.title = title
    for row in table:
        sheet.append(row)
    if change is not None:
        change(sheet)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def with_result(content: bytes, formula: str, result: str) -> bytes:
    """Store the result of a formula, as Excel does when it saves."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as book, zipfile.ZipFile(target, "w") as written:
        for name in book.namelist():
            text = book.read(name)
            if name.endswith("sheet1.xml"):
                bare = f"<f>{formula}</f><v></v>".encode()
                text = text.replace(b"<v />", b"<v></v>")
                assert bare in text
                text = text.replace(bare, f"<f>{formula}</f><v>{result}</v>".encode())
            written.writestr(name, text)
    return target.getvalue()


FORM: list[list[Any]] = [
    ["categoria_id", "categoria", "2026-01", "2026-02"],
    [11, "Serviços", 5000, 5000],
    [21, None, 1500, None],
]


def test_a_workbook_is_read_as_stored_and_a_month_may_have_become_a_day() -> None:
    head = ["categoria_id", "categoria", datetime(2026, 1, 1), "2026-02"]  # noqa: DTZ001 - a cell has no zone
    content = workbook([head, *FORM[1:]])
    assert amounts_of(read_golden_budget(content)) == "11:5000.00 11:5000.00 21:-1500.00"
    with pytest.raises(NotRead, match=r"^C1: «2026-01-02» não é"):
        read_golden_budget(workbook([["categoria_id", "categoria", date(2026, 1, 2)], *FORM[1:]]))


def test_a_formula_counts_by_its_result_and_a_subtotal_is_not_read() -> None:
    table = [FORM[0], [10, "Receitas", "=SUBTOTAL(9,C3:C3)", "=subtotal(9,D3:D3)"], [11, "Serviços", "=2*2500", None]]
    content = workbook(table)
    with pytest.raises(NotRead, match=r"^C3: fórmula sem resultado guardado"):
        read_golden_budget(content)
    assert amounts_of(read_golden_budget(with_result(content, "2*2500", "5000"))) == "11:5000.00"
    assert amounts_of(read_golden_budget(workbook([*table[:2], [11, "Serviços", 5000, None]]))) == "11:5000.00"
    # A number over the subtotal is the category's own.
    table[1][2] = 700
    assert (
        amounts_of(read_golden_budget(workbook([*table[:2], [11, "Serviços", 5000, None]]))) == "10:700.00 11:5000.00"
    )


def hide_row(sheet: Any) -> None:
    sheet.row_dimensions[3].hidden = True


def hide_columns(sheet: Any) -> None:
    sheet.column_dimensions.group("C", "E", hidden=True)


def merge(sheet: Any) -> None:
    sheet.merge_cells("C3:D3")


def in_percent(sheet: Any) -> None:
    sheet["C3"].number_format = "0.0%"


def a_formula(sheet: Any) -> None:
    sheet["C3"] = "=2*2"


def months_by_formula(sheet: Any) -> None:
    sheet["D1"] = "=EDATE(C1,1)"


def rename(sheet: Any) -> None:
    sheet.title = "Orçamento 2026"


def hide_sheet(sheet: Any) -> None:
    sheet.parent.create_sheet("Orçamento (2)").append(FORM[0])
    sheet.sheet_state = "hidden"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (hide_row, "C3: está numa linha ou coluna oculta"),
        (hide_columns, "C2: está numa linha ou coluna oculta"),
        (merge, "C3: está em células mescladas"),
        (in_percent, "C3: está em porcentagem"),
        (a_formula, "C3: fórmula sem resultado guardado"),
        (months_by_formula, "D1: fórmula sem resultado guardado"),
        (rename, "não tem a folha «Orçamento», e sim «Orçamento 2026»"),
        (hide_sheet, "a folha «Orçamento» está oculta"),
    ],
)
def test_what_a_person_does_not_see_refuses_the_file_with_its_cell(change: Callable[[Any], None], told: str) -> None:
    assert tell_refusal(workbook(FORM, change)).startswith(told)


def test_what_hides_no_amount_costs_nothing() -> None:
    def tidy(sheet: Any) -> None:
        sheet.column_dimensions["A"].hidden = True
        sheet.append([24, "Outros", None, None])
        sheet.row_dimensions[4].hidden = True
        sheet["C2"].number_format = '"100% certo" #,##0.00'
        sheet.parent.create_sheet("Contas de lado").append([1, 2, 3])

    read = read_golden_budget(workbook(FORM, tidy))
    assert (amounts_of(read), read.folhas) == ("11:5000.00 11:5000.00 21:-1500.00", ("Orçamento", "Contas de lado"))


def test_the_written_form_reads_back_as_what_was_budgeted(tmp_path: Path) -> None:
    path = tmp_path / "orcamento.xlsx"
    january, february = date(2026, 1, 1), date(2026, 2, 1)
    write_form(
        path,
        [
            FormRow(10, "Receitas", 1), FormRow(11, "=Receitas > Serviços", 2, valores={january: Decimal("4000.05")}),
            FormRow(20, "Despesas", 1), FormRow(21, "Despesas > Aluguel", 2, valores={january: Decimal(1500)}),
            FormRow(22, "Despesas > Pessoal", 2), FormRow(21, "x", 2, "revisado", {february: Decimal(1600)}),
        ],
        [january, february],
    )  # fmt: skip
    assert seen(read_golden_budget(path.read_bytes())) == [
        ("original", 11, "2026-01", "4000.05"), ("original", 21, "2026-01", "-1500.00"),
        ("revisado", 21, "2026-02", "-1600.00"),
    ]  # fmt: skip
    sheet: Any = openpyxl.load_workbook(path).active
    assert [cell.value for cell in sheet[1]] == ["categoria_id", "categoria", "versao", "regime", "2026-01", "2026-02"]
    assert [sheet[place].value for place in ("E2", "F2", "E4", "B3", "C7")] == [
        "=SUBTOTAL(9,E3:E3)", "=SUBTOTAL(9,F3:F3)", "=SUBTOTAL(9,E5:E6)", "=Receitas > Serviços", "revisado",
    ]  # fmt: skip
    assert sheet["B3"].data_type == "s"


def converted(content: bytes) -> Budget:
    return convert_budget(content, list_golden_categories(), until=UNTIL)


def test_the_long_list_of_0_3_0_converts_to_the_golden_form() -> None:
    read = converted(LONG.encode())
    assert seen(read) == GOLDEN
    assert [(one.linha, one.motivo) for one in read.recusados] == [
        (22, "categoria desconhecida"), (23, "mês inválido"), (24, "valor ambíguo"), (25, "linha repetida"),
        (26, "regime caixa não lido"),
    ]  # fmt: skip


def test_categories_by_name_and_months_in_plain_words_convert() -> None:
    content = "Categoria;Jan/26;2026-02;03/2026;abr 2026\nReceitas > Serviços;1;2;3;4\naluguel;5;6;7;8\nNenhuma;1;;;\n"
    read = converted(content.encode("cp1252"))
    assert amounts_of(read) == "11:1.00 11:2.00 11:3.00 11:4.00 21:-5.00 21:-6.00 21:-7.00 21:-8.00"
    assert [key.mes.month for key in read.valores] == [1, 2, 3, 4] * 2
    assert [one.motivo for one in read.recusados] == ["categoria desconhecida"]
    named = convert_budget(b"categoria;2026-01\nDupla;1\n", KNOWN)
    assert [one.motivo for one in named.recusados] == [
        "categoria desconhecida: 2 têm este nome; escreva o id ou o caminho"
    ]


def test_expenses_may_all_have_a_minus_or_none() -> None:
    assert amounts_of(converted(b"categoria_id;2026-01\n11;9\n21;-5\n22;-6\n")) == "11:9.00 21:-5.00 22:-6.00"
    with pytest.raises(NotRead, match=r"^B3: despesa com sinal de menos, e a de B2 sem"):
        converted(b"categoria_id;2026-01\n21;5\n22;-6\n")


YEAR = [datetime(2026, month, 1) for month in range(1, 13)]  # noqa: DTZ001 - cells of Excel have no zone
PLAIN: list[list[Any]] = [["categoria_id", "categoria", *YEAR], [21, "Despesas > Aluguel", *[1500] * 12]]
WHOLE = " ".join(["21:-1500.00"] * 12)


def with_a_hidden_plan_of_last_year(sheet: Any) -> None:
    old = sheet.parent.create_sheet("2025 (antigo)", 0)
    for row in (PLAIN[0], [21, "", *[9999] * 12]):
        old.append(row)
    old.sheet_state = "hidden"


def with_a_summary_first(sheet: Any) -> None:
    sheet.parent.create_sheet("Export Summary", 0).append(["This document was exported"])


def with_quarters(sheet: Any) -> None:
    sheet.insert_cols(6)
    sheet["F1"], sheet["F2"] = "1º tri", 4500


def below_a_title(sheet: Any) -> None:
    sheet.insert_rows(1)
    sheet["A1"] = "Orçamento 2026"
    sheet.merge_cells("A1:N1")


def below_a_blank_row(sheet: Any) -> None:
    sheet.insert_rows(1)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (None, ""),
        (with_a_hidden_plan_of_last_year, ""),
        (with_a_summary_first, "tem mais de uma folha à vista, ou nenhuma («Export Summary», «Plan»)"),
        (with_quarters, "F1: «1º tri» não é"),
        (months_by_formula, "D1: fórmula sem resultado guardado"),
        (below_a_title, "A1: «Orçamento 2026» não é"),
        (below_a_blank_row, "A1: falta no cabeçalho a coluna categoria_id"),
        (hide_columns, "C2: está numa linha ou coluna oculta"),
    ],
)
def test_a_budget_as_people_have_it_is_converted_whole_or_refused_with_its_cell(
    change: Callable[[Any], None] | None, told: str
) -> None:
    content = workbook(PLAIN, change, title="Plan")
    assert tell_refusal(content).startswith("não tem a folha «Orçamento»")
    if not told:
        assert amounts_of(converted(content)) == WHOLE
        return
    assert tell_refusal(content, converted).startswith(told)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("categoria;Jan-26;Feb-26\nServiços;1;1\n", "C1: «feb-26» não é"),
        ("categoria_id;categoria (R$ mil);jan/26\n21;x;1,5\n", "B1: «categoria (r$ mil)» não é"),
        ("categoria;nov/26\nDespesas;2300,00\nDespesas > Aluguel;1500,00\nDespesas > Pessoal;800,00\n", "B2: é a soma"),
        ("categoria_id;jan;fev\n11;1;1\n", "B1: «jan» não é"),
        ("categoria_id;mes;valor;centro\n11;2026-01;1;7\n", "D1: «centro» não é uma coluna de orçamento"),
        ("categoria_id;mes;valor\n11;2026-01;1;7\n", "D2: há algo numa coluna sem nome"),
        ("conta;mes;valor\n", "A1: «conta» não é uma coluna de orçamento"),
    ],
)
def test_what_could_only_be_guessed_is_not_converted(content: str, told: str) -> None:
    assert tell_refusal(content.encode(), converted).startswith(told)


def test_a_workbook_of_1904_converts_to_the_same_months() -> None:
    def from_1904(sheet: Any) -> None:
        sheet.parent.epoch = CALENDAR_MAC_1904

    assert amounts_of(converted(workbook(PLAIN, from_1904))) == WHOLE
