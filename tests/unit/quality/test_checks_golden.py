"""Every V rule on the golden data, in all five shapes of the composite (section 5)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from lastro.quality.queries import About, read_queries
from lastro.quality.runner import open_room, run_checks
from tests.golden import dataset, expected
from tests.marks import thinned
from tests.unit.quality.checked_books import Books, check_books, failing, load_company

FRAMES = ("linhas", "titulos", "contas", "cobrancas")


def test_every_rule_is_as_section_5_says_and_frames_stay_as_they_are(each_shape: Books) -> None:
    before = {name: getattr(each_shape.position, name).copy() for name in FRAMES}
    results = check_books(each_shape)
    for name, frame in before.items():
        assert frame.equals(getattr(each_shape.position, name)), name
    states = {name: result.situacao for name, result in results.items()}
    assert states == dict.fromkeys(read_queries(), "ok") | expected.VERIFICACOES_NAO_OK
    assert results["V13"].severidade == "alerta"
    assert results["V13"].chaves == tuple(f"cobrança {key}" for key in expected.V13)


def test_headlines_are_the_figures_of_section_5(verified) -> None:
    assert (verified["V01"].esperado, verified["V01"].encontrado) == (Decimal("15980.00"), Decimal("15980.00"))
    assert verified["V04"].esperado == Decimal("3980.00")
    assert verified["V06"].esperado == Decimal("4500.00")
    assert verified["V10"].esperado == Decimal("8480.00")
    assert verified["V12"].esperado == Decimal("8400.00")
    assert verified["V17"].esperado == Decimal("4500.00")
    assert verified["V18"].esperado == Decimal("5280.00")
    # PA = {1004} -1500.00 and RA = {1011, 1012} 3400.00
    assert verified["V09"].encontrado == Decimal("1900.00")
    assert all(result.diferenca == 0 for result in verified.values() if result.diferenca is not None)


def test_nothing_is_compared_without_reports_and_evidence(books: Books) -> None:
    results = {result.id: result for result in run_checks(open_room(books.position), tuple(About), ())}
    spoken = {name for name, result in results.items() if result.situacao != "não se aplica"}
    assert spoken == {"V06", "V11", "V12", "V13", "V16", "V20", "V42", "V43"}, (
        "those that look at the position alone too"
    )
    assert failing(results) == set()


@pytest.mark.parametrize("code", thinned(["R01", "R02", "R04", "R06", "R08", "R11", "R16"], default=["R16"]))
def test_a_missing_report_takes_only_its_comparisons_out(books: Books, code: str) -> None:
    left = {key: report for key, report in books.reports.items() if key != code}
    assert failing(check_books(replace(books, reports=left), books)) == set()


def test_variant_s_changes_nothing() -> None:
    payloads = dataset.payloads("A", saldo_inicial=True)
    # An opening balance read from an entry and not configured as another one.
    results = check_books(load_company(payloads))
    assert failing(results) == set()
    assert results["V21"].situacao == "ok"
    assert results["V10"].esperado == Decimal("8480.00")


def test_a_retroactive_day_closes_too() -> None:
    payloads = {**dataset.payloads("C"), "data_base": dataset.DATA_BASE_ANTERIOR}
    results = check_books(load_company(payloads))
    assert failing(results) == set()
    assert results["V09"].situacao == "não se aplica"


def test_messages_name_no_person_and_no_document(books: Books, verified) -> None:
    names = {str(name) for name in books.position.pessoas["nome"]} | set(books.position.pessoas["documento"])
    text = " ".join(f"{result.detalhe} {result.chaves} {result.descricao}" for result in verified.values())
    assert not [name for name in names if name and name in text]
