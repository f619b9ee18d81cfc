"""`orcamento.csv` and `.xlsx` as people save them, and their months as people and programs write them (R18)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import openpyxl
import pytest

from lastro.entrada.door import NotRead
from lastro.entrada.months import find_month
from lastro.entrada.orcamento import Budget, BudgetedCategory, read_budget
from tests.budget import FILE, list_golden_categories, read_golden_budget

NAMES = ["jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"]
ACCEPTED = [  # categoria, mês, centavos: the twenty of the golden file, expenses signed
    *((10, month, 50000) for month in (1, 2, 3, 4)), *((11, month, 400000) for month in (1, 2, 3, 4)),
    *((21, month, -150000) for month in (1, 2, 3, 4)), (22, 1, 0), *((22, month, -250000) for month in (2, 3, 4)),
    (23, 2, -20000), (23, 3, -30000), (23, 4, -30000),
]  # fmt: skip


def seen(budget: Budget) -> list[tuple[str, int, date, Decimal]]:
    return [(one.versao, one.categoria_id, one.mes, one.valor) for one in budget.valores]


def test_the_golden_file() -> None:
    read = read_golden_budget()
    wanted = [
        ("original", key, date(2026, month, 1), Decimal(centavos).scaleb(-2)) for key, month, centavos in ACCEPTED
    ]
    assert seen(read) == [*wanted, ("revisado", 22, date(2026, 4, 1), Decimal("-2600.00"))]
    assert [(one.linha, one.motivo) for one in read.recusados] == [
        (22, "categoria desconhecida"), (23, "mês inválido"), (24, "valor ambíguo"), (25, "linha repetida"),
        *((number, "regime caixa não lido") for number in range(26, 31)),
    ]  # fmt: skip
    assert [one.valor for one in read.recusados][:4] == [Decimal("100.00"), Decimal("300.00"), None, Decimal("1600.00")]


def accepted_rows() -> list[dict[str, str]]:
    with FILE.open(encoding="utf-8") as lines:
        return [*csv.DictReader(lines, delimiter=";")][:20]


def as_written(rows: list[dict[str, str]]) -> bytes:
    return "\n".join([";".join(rows[0]), *(";".join(row.values()) for row in rows)]).encode()


def by_path_with_signs(rows: list[dict[str, str]]) -> bytes:
    """Windows, commas, names instead of ids, expenses negative, months as MM/AAAA."""
    paths = {str(key): one for key, one in list_golden_categories().items()}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["Categoria", "Versão", "Mês", "Valor", "Observação"])
    for row in rows:
        one = paths[row["categoria_id"]]
        amount = row["valor"].replace(",", ".")
        year, month = row["mes"].split("-")
        signed = f"-{amount}" if one.tipo == 1 and amount != "0.00" else amount
        writer.writerow([one.caminho.upper(), row["versao"], f"{month}/{year}", signed, "não é daqui"])
    return text.getvalue().encode("cp1252")


def by_name_and_tabs(rows: list[dict[str, str]]) -> bytes:
    names = {str(key): one.caminho.split(" > ")[-1] for key, one in list_golden_categories().items()}
    lines = ["\ufeffcategoria\tmes\tvalor\tversao"]
    for row in rows:
        year, month = row["mes"].split("-")
        amount = f"R$ {row['valor']}"
        lines.append(f"{names[row['categoria_id']]}\t15/{month}/{year}\t{amount}\t{row['versao']}")
    return "\n".join(lines).encode()


def wide(
    rows: list[dict[str, str]], header: Callable[[int], Any] = lambda month: f"{NAMES[month - 1]}/26"
) -> list[Any]:
    months = sorted({int(row["mes"][5:]) for row in rows})
    table: list[Any] = [["categoria_id", "versao", *map(header, months)]]
    for key, versao in dict.fromkeys((row["categoria_id"], row["versao"]) for row in rows):
        own = {
            int(row["mes"][5:]): row["valor"] for row in rows if (row["categoria_id"], row["versao"]) == (key, versao)
        }
        table.append([key, versao, *(own.get(month, "") for month in months)])
    return table


def wide_text(rows: list[dict[str, str]]) -> bytes:
    return "\n".join(";".join(row) for row in wide(rows)).encode()


def workbook(table: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in table:
        sheet.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def number(text: str) -> float | str:
    return float(text.replace(",", ".")) if text else text


def wide_workbook(rows: list[dict[str, str]]) -> bytes:
    """Excel: months are dates, ids and amounts numbers."""
    head, *body = wide(rows, lambda month: datetime(2026, month, 1))  # noqa: DTZ001 - a cell of Excel has no zone
    return workbook([head, *([int(key), versao, *map(number, amounts)] for key, versao, *amounts in body)])


def long_workbook(rows: list[dict[str, str]]) -> bytes:
    days = [date.fromisoformat(f"{row['mes']}-01") for row in rows]
    body = [
        [row["categoria_id"], day, number(row["valor"]), row["versao"]] for row, day in zip(rows, days, strict=True)
    ]
    return workbook([["categoria_id", "mes", "valor", "versao"], *body])


@pytest.mark.parametrize(
    "write", [as_written, by_path_with_signs, by_name_and_tabs, wide_text, wide_workbook, long_workbook]
)  # fmt: skip
def test_six_spellings_of_one_budget(write: Callable[[list[dict[str, str]]], bytes]) -> None:
    read = read_golden_budget(write(accepted_rows()))
    assert (seen(read), read.recusados) == (seen(read_golden_budget()), ())


def test_what_no_column_is_for_is_named() -> None:
    assert read_golden_budget(by_path_with_signs(accepted_rows())).ignoradas == ("observacao",)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (";11;;2026-01;1,00;", None),
        ("previsto;11;;2026-01;1,00;", "versão desconhecida"),
        (";;Outra;2026-01;1,00;", "categoria desconhecida"),
        (f";{'9' * 5_000};;2026-01;1,00;", "categoria desconhecida"),
        (f";11;;2026-01;{'9' * 5_000};", "valor inválido"),
        (";;servicos;2026-01;1,00;", None),
        (";;Receitas>Serviços;2026-01;1,00;", None),
        (";55;;2026-01;1,00;", "categoria excluída: era Receitas > Antiga"),
        (";;Dupla;2026-01;1,00;", "categoria desconhecida: 2 têm este nome; escreva o id ou o caminho"),
        (";11;;2026-00;1,00;", "mês inválido"),
        (";11;;amanhã;1,00;", "mês inválido"),
        (";11;;2026-01;(1,00);", "valor inválido"),
        (";11;;2026-01;1,00;7", "orçamento por centro não lido"),
    ],
)
def test_why_a_row_is_not_read(line: str, why: str | None) -> None:
    known = {
        **list_golden_categories(), 71: BudgetedCategory("Receitas > Dupla", 2), 72: BudgetedCategory("Dupla", 2),
    }  # fmt: skip
    content = f"versao;categoria_id;categoria;mes;valor;centro\n{line}\n".encode()
    read = read_budget(content, known, {55: "Receitas > Antiga"})
    assert [one.motivo for one in read.recusados] == ([] if why is None else [why])
    assert len(read.valores) == (why is None)


def test_an_empty_amount_is_no_row_and_a_formula_without_a_result_is_no_amount() -> None:
    assert read_golden_budget(b"categoria_id;mes;valor\n11;2026-01;\n99;;\n") == Budget()
    book = workbook([["categoria_id", "jan/26", "fev/26"], [11, "=1+1", 1.005]])
    read = read_golden_budget(book)
    assert [(one.linha, one.motivo) for one in read.recusados] == [(2, "valor inválido")]
    assert ([one.valor for one in read.valores], read.arredondados) == ([Decimal("1.01")], 1)  # half up


def list_amounts(budget: Budget) -> dict[tuple[int, int], str]:
    """The amounts of 2026 by category and month."""
    assert {one.mes.year for one in budget.valores} <= {2026}
    return {(one.categoria_id, one.mes.month): str(one.valor) for one in budget.valores}


@pytest.mark.parametrize(
    ("content", "read", "rounded"),
    [
        ("categoria_id;nov/26;dez/26\n11;3333,333333;4146,8\n21;1572,4450;0,0049\n",
         "3333.33 4146.80 -1572.45 0.00", 3),
        ("categoria_id;nov/26;dez/26\n11;4000.000;.900\n21;1572.445;-1.5\n", "refused", 0),
        ("categoria_id;nov/26;dez/26\n11;4000.000;33.335\n21;1572.444;10.000\n",
         "4000.00 33.34 -1572.44 -10.00", 2),
        ("categoria_id;nov/26;dez/26\n11;4000,0000;1500.00\n21;,50;R$ 7,10000\n", "4000.00 1500.00 -0.50 -7.10", 0),
    ],
)  # fmt: skip
def test_an_amount_of_more_places_is_rounded_and_counted(content: str, read: str, rounded: int) -> None:
    if read == "refused":  # not every amount has three places, so 4000.000 stays ambiguous
        found = read_golden_budget(content.encode(), sinal="com_sinal")
        assert [one.motivo for one in found.recusados] == ["valor ambíguo"] * 3
        return
    found = read_golden_budget(content.encode())
    amounts = list_amounts(found)
    assert [amounts[key] for key in ((11, 11), (11, 12), (21, 11), (21, 12))] == read.split()
    assert (found.arredondados, found.recusados) == (rounded, ())


SUBTOTAL = "subtotal: é a soma das categorias abaixo e não se soma outra vez"
DEEP = {
    1: BudgetedCategory("Despesas", 1), 2: BudgetedCategory("Despesas > Casa", 1),
    3: BudgetedCategory("Despesas > Casa > Luz", 1), 4: BudgetedCategory("Despesas > Casa > Água", 1),
    5: BudgetedCategory("Despesas > Pessoal", 1), 6: BudgetedCategory("Receitas", 2),
}  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "kept", "sums"),
    [
        ("1;2300 2;1500 5;800", "2:-1500.00 5:-800.00", "1"),
        ("1;2300,01 2;1500 5;800", "1:-2300.01 2:-1500.00 5:-800.00", ""),
        ("1;2300 2;1500 3;1000 4;500 5;800", "3:-1000.00 4:-500.00 5:-800.00", "1 2"),
        ("1;2300 2;500 3;600 4;400 5;800", "2:-500.00 3:-600.00 4:-400.00 5:-800.00", "1"),  # 500 of its own
        ("1;1500 3;1000 4;500", "3:-1000.00 4:-500.00", "1"),
        ("1;666,66666666 2;333,33333333 5;333,33333333", "2:-333.33 5:-333.33", "1"),
        ("1;0 2;0 5;0", "1:0.00 2:0.00 5:0.00", ""),
        ("1;2300 6;2300", "1:-2300.00 6:2300.00", ""),
    ],
)
def test_a_parent_that_is_the_sum_of_what_is_below_it_counts_once(lines: str, kept: str, sums: str) -> None:
    content = "categoria_id;mes;valor\n" + "".join(f"{one.replace(';', ';2026-11;')}\n" for one in lines.split())
    read = read_budget(content.encode(), DEEP, {})
    assert " ".join(f"{one.categoria_id}:{one.valor}" for one in read.valores) == kept
    assert [(one.motivo, one.valor) for one in read.recusados] == [(SUBTOTAL, None)] * len(sums.split())
    assert [one.texto.split(";")[0] for one in read.recusados] == sums.split()


def test_a_subtotal_is_one_in_its_month_and_version_alone() -> None:
    content = (
        "categoria_id;versao;nov/26;dez/26\n1;;2300;2400\n2;;1500;1500\n5;;800;800\n"
        "1;revisado;2500;\n2;revisado;1700;\n"
    )
    read = read_budget(content.encode(), DEEP, {})
    assert [(one.versao, one.categoria_id, one.mes.month) for one in read.valores] == [
        ("original", 1, 12), ("original", 2, 11), ("original", 2, 12), ("original", 5, 11), ("original", 5, 12),
        ("revisado", 2, 11),
    ]  # fmt: skip
    assert [one.linha for one in read.recusados] == [2, 5]


@pytest.mark.parametrize(
    ("sinal", "typed", "read"),
    [("auto", "5,00 6,00", "-5.00 -6.00"), ("auto", "-5,00 -6,00", "-5.00 -6.00"),
     ("com_sinal", "-5,00 6,00", "-5.00 6.00"),
     ("modulo", "-5,00 6,00", "-5.00 -6.00"), ("auto", "0,00 6,00", "0.00 -6.00")],
)  # fmt: skip
def test_the_sign_of_expenses(sinal: str, typed: str, read: str) -> None:
    first, other = typed.split()
    content = f"categoria_id;mes;valor\n21;2026-01;{first}\n21;2026-02;{other}\n30;2026-01;-7,00\n11;2026-01;-8,00\n"
    found = {
        (one.categoria_id, one.mes.month): str(one.valor)
        for one in read_golden_budget(content.encode(), sinal=sinal).valores
    }
    assert f"{found[21, 1]} {found[21, 2]}" == read
    assert (found[30, 1], found[11, 1]) == ("-7.00", "-8.00")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            b"categoria_id;mes;valor\n21;2026-01;5,00\n22;2026-01;-5,00\n",
            "despesas com sinal (linha 3) e sem sinal (linha 2)",
        ),
        (b"conta;mes;valor\n", "falta a coluna categoria_id"),
        (b"categoria_id;valor\n", "faltam as colunas mes e valor"),
        (b"categoria_id;jan/26;jan/26\n", "a coluna jan/26 está duas vezes"),
        (b"", "falta a coluna categoria_id"),
    ],
)
def test_a_file_that_is_not_read_says_why(content: bytes, told: str) -> None:
    with pytest.raises(NotRead) as error:
        read_golden_budget(content)
    assert told in str(error.value)


ENGLISH = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
PORTUGUESE = ("jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez")
UNTIL = date(2036, 11, 26)


def read(headers: list[str], amounts: list[str] | None = None, delimiter: str = ";") -> Budget:
    """Read a budget of Serviços with these columns beside the category."""
    typed = amounts or [f"{place},00" for place in range(1, len(headers) + 1)]
    lines = (["categoria_id", *headers], ["11", *typed])
    content = "".join(f"{delimiter.join(line)}\n" for line in lines)
    return read_budget(content.encode(), list_golden_categories(), {}, until=UNTIL)


def list_months(budget: Budget) -> list[int]:
    assert not budget.recusados
    assert {one.mes.year for one in budget.valores} == {2026}
    return [one.mes.month for one in budget.valores]


@pytest.mark.parametrize("names", [ENGLISH, PORTUGUESE], ids=["English", "Portuguese"])
@pytest.mark.parametrize(
    "form",
    ["{}-26", "{}/26", "{}/2026", "{}. 26", "{}./26", "{}-2026", "{} 2026", "{}26", "{}. de 26", "{}'26", "2026-{}",
     "01-{}-26", "01/{}/2026"],
)  # fmt: skip
def test_a_year_of_names_is_twelve_months(form: str, names: tuple[str, ...]) -> None:
    for case in (str, str.upper, str.lower):
        assert list_months(read([case(form.format(name)) for name in names])) == [*range(1, 13)]


@pytest.mark.parametrize(
    "form",
    ["{}/2026", "{:02}/2026", "{:02}-2026", "{:02}.2026", "{:02}/26", "2026/{}", "2026/{:02}", "2026-{:02}",
     "2026.{:02}", "2026{:02}", "2026-{:02}-01", "2026-{:02}-01 00:00:00", "01/{:02}/2026", "28/{}/26"],
)  # fmt: skip
def test_a_year_of_numbers_is_twelve_months(form: str) -> None:
    assert list_months(read([form.format(month) for month in range(1, 13)])) == [*range(1, 13)]


@pytest.mark.parametrize(
    "text",
    ["dezembro de 2026", "December 2026", "december, 26", "DEZ/26", "12/26", "Dez. de 2026", "31/12/2026",
     "dez\u201326",
     "2026-12-31T00:00"],
)  # fmt: skip
def test_december_in_other_words(text: str) -> None:
    assert find_month(text) == date(2026, 12, 1)


def test_a_day_of_a_workbook_is_in_its_month() -> None:
    assert find_month(datetime(2026, 12, 24, 18, 0)) == find_month(date(2026, 12, 1)) == date(2026, 12, 1)  # noqa: DTZ001


@pytest.mark.parametrize(
    "text",
    ["jan", "janeiro", "13/2026", "2026-13", "00/2026", "26/11", "11/12", "jan/1926", "dez/89", "jan/2062", "1T26",
     "Total 2026", "Novo 2026", "Outros 2026", "Margem 2026", "Setor 10", "janei 2026", "46327", "2026", ""],
)  # fmt: skip
def test_what_is_no_month_or_has_no_year_is_none(text: str) -> None:
    assert find_month(text, until=UNTIL) is None


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        (["jan/26", "fevr/26", "mar/26"], "a coluna «fevr/26» está entre os meses"),
        (["jan/26", "1º trim", "mar/26"], "a coluna «1o trim» está entre os meses"),
        (["ene/26", "feb/26", "mar/26"], "a coluna «ene/26» parece um mês"),
        (["jan/26", "fev/26", "13/2026"], "a coluna «13/2026» parece um mês"),
        (["jan/26", "fev/26", "março"], "a coluna «marco» parece um mês"),
        (["jan", "fev", "mar"], "a coluna «jan» parece um mês"),
        (["jan/26", "fev/26", "3"], "a coluna «3» parece um mês"),
        (["jan/26", "fev/26", "46082"], "a coluna «46082» parece um mês"),
        (["jan/26", "03/2026 (orçado)"], "parece um mês"),
        (["Mês 1", "Mês 2"], "a coluna «mes 1» parece um mês"),
        (["janeiro", "Total"], "a coluna «janeiro» parece um mês"),
        (["jan/26", "fev/26", "mar/1926"], "a coluna «mar/1926» parece um mês"),
        (["jan/26", "01/2026"], "as colunas «jan/26» e «01/2026» são o mesmo mês"),
        (["jan/26", "", "mar/26"], "linha 2: há um valor numa coluna sem nome"),
        (["1/1/2026", "2/1/2026", "3/1/2026"], "a coluna «1/1/2026» parece um mês"),
        (["01/31/2026", "02/02/2026"], "a coluna «01/31/2026» parece um mês"),
    ],
)
def test_a_column_that_may_be_a_month_and_is_not_understood_refuses_the_file(headers: list[str], told: str) -> None:
    with pytest.raises(NotRead, match=told):
        read(headers)


def test_a_slashed_day_beside_points_in_a_file_of_commas_may_be_either() -> None:
    assert list_months(read(["01/02/2026", "01/03/2026"], ["5.00", "6.00"])) == [2, 3]
    with pytest.raises(NotRead, match="parece um mês"):
        read(["01/02/2026", "01/03/2026"], ["5.00", "6.00"], ",")
    assert list_months(read(["02/2026", "2026-03-01"], ["5.00", "6.00"], ",")) == [2, 3]


@pytest.mark.parametrize(
    "beside",
    [
        ["Total"],
        ["Total 2026"],
        ["Média 2026", "Obs"],
        ["Responsável", ""],
        ["ano"],
        ["2026", "Setor 10", "Total 01/2026 a 12/2026"],
    ],
)
def test_what_stands_beside_the_months_is_named_and_no_more(beside: list[str]) -> None:
    assert list_months(read(["jan/26", "fev/26", *beside])) == [1, 2]
    assert list_months(read([*beside, "jan/26", "fev/26"])) == [1, 2]
    assert len(read(["jan/26", *beside]).ignoradas) == len([each for each in beside if each])


@pytest.mark.parametrize(
    ("months", "read_ones"),
    [
        (["01/11/2026", "12/31/2026", "2026-12"], [12]),
        (["1/1/2026", "6/1/2026", "dez/26"], [12]),
        (["01/11/2026", "05/11/2026"], [11]),
        (["dez/62", "2026-11"], [11]),
    ],
)
def test_the_months_of_rows_hold_to_the_same(months: list[str], read_ones: list[int]) -> None:
    content = "categoria_id;mes;valor\n" + "".join(f"{key};{month};1,00\n" for key, month in enumerate(months, 21))
    found = read_budget(content.encode(), list_golden_categories(), {}, until=UNTIL)
    assert sorted({one.mes.month for one in found.valores}) == read_ones
    assert {one.motivo for one in found.recusados} <= {"mês inválido"}
