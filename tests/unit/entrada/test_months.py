"""The months of a budget as people, Excel and other programs write them (R18)."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from lastro.entrada.door import NotRead
from lastro.entrada.months import find_month
from lastro.entrada.orcamento import Budget, read_budget
from tests.budget import list_golden_categories

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
