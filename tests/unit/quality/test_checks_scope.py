"""The checks over a scope: its reports tie among themselves, and the scopes of a partition add up to the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal

import pytest

from lastro.analysis.forecast_accuracy import plan_forecasts
from lastro.catalogue import Catalogue, build_catalogue, narrow_facts
from lastro.grid.verdict import Finding
from lastro.quality.queries import RECORD_RULES, read_queries
from lastro.reports.facts import BankFacts, EarlierReport, Facts
from lastro.reports.view import View
from lastro.settings import Cenario, Recorte
from lastro.transform.position import Position
from lastro.transform.scope import narrow_position
from tests.books import make_empresa
from tests.compared import compare_positions
from tests.golden import dataset
from tests.marks import thinned
from tests.random_companies import company
from tests.unit.quality.checked_books import Books, failing, know_before, load_company
from tests.unit.reports.readers import plain_value

ON_DATA = {"V11", "V12", "V13", "V19"}
"""Rules that fail where the data do: in a scope they may only name what they name in the whole."""


def _choose(seed: int, values: list[int]) -> tuple[int, ...]:
    return tuple(values[seed % 2 :: 2]) or tuple(values)


@pytest.mark.longo
@pytest.mark.parametrize("seed", range(300, 315))
def test_every_report_of_a_scope_ties(seed: int) -> None:
    payloads = company(seed, duplicatas=False)
    books = load_company(payloads)
    empresa = make_empresa(payloads["contas"], payloads["parametros"])
    whole = books.position
    # The company against itself is history enough for R13 and R14.
    facts = Facts(
        comparacao=compare_positions(whole, whole),
        previsoes=plan_forecasts(whole.data_base, {1: whole.data_base.replace(day=1)}),
        posicoes={1: whole},
    )
    catalogue = build_catalogue(View(whole, empresa, facts), books.recebido)
    linhas = whole.linhas
    for recorte in (
        Recorte("a", contas=_choose(seed, sorted(linhas["conta_id"].dropna().unique().tolist()))),
        Recorte("b", centros=_choose(seed, sorted(linhas["centro_custo_lucro_id"].dropna().unique().tolist()))),
        Recorte("c", pessoas=_choose(seed, sorted(linhas["pessoa_id"].dropna().unique().tolist()))),
        Recorte("d", tags=_choose(seed, sorted({tag for tags in linhas["tags"] for tag in tags}))),
    ):
        narrowed = narrow_position(whole, recorte)
        compared = compare_positions(narrowed, narrow_position(whole, recorte))
        own = View(narrowed, empresa, narrow_facts(facts, recorte, compared))
        found = build_catalogue(own, inteiro=catalogue)
        _assert_tied(found, catalogue, narrowed)


def test_the_golden_company_closes_with_a_scenario_and_its_scope_is_held_against_no_figure_of_it(
    books: Books,
) -> None:
    before = books.before
    assert before is not None
    facts = replace(know_before(books), anteriores=[EarlierReport(before.data_base, {"saldo_atual": Decimal("1.00")})])
    payloads = dataset.payloads()
    empresa = replace(
        make_empresa(payloads["contas"], payloads["parametros"]),
        cenarios=(Cenario("Calote", calote_pct=Decimal(30)),),
    )
    denied = replace(facts, banco=BankFacts(nao_pagos=frozenset({1010})))
    whole = build_catalogue(View(books.position, empresa, denied), books.recebido)
    assert failing({check.id: check for check in whole.verifications}) == set()
    assert whole.nao_pagos == {1010}  # what a bank proved of the whole is handed on to its scopes
    recorte = Recorte("Azul", pessoas=(501,))
    narrowed = narrow_position(books.position, recorte)
    compared = compare_positions(narrowed, narrow_position(before, recorte))
    known = narrow_facts(denied, recorte, compared)
    assert known.banco.nao_pagos == {1010}
    found = build_catalogue(View(narrowed, empresa, known), inteiro=whole)
    _assert_tied(found, whole, narrowed)
    cover = found.reports[0].sections[0]
    assert any(plain_value(row.cells[2]) is not None for row in whole.reports[0].sections[0].rows)
    assert all(plain_value(row.cells[2]) is None for row in cover.rows)
    assert not any("segundo dia lido" in note for note in cover.notes)
    taken = {one.id for one in found.verifications if any(one is other for other in whole.verifications)}
    assert taken == RECORD_RULES, "the very results of the whole; all others are its own"
    assert [one.id for one in found.verifications] == [*read_queries()]
    own, of_all = ({one.id: one for one in made.verifications}["V41"] for made in (found, whole))
    assert (own.situacao, of_all.situacao) == ("ok", "ok")
    assert own.esperado != of_all.esperado


def _assert_tied(found: Catalogue, whole: Catalogue, narrowed: Position) -> None:
    """Nothing of a scope fails that does not fail in the whole, and what it takes over is the whole's."""
    told = {check.id: check for check in whole.verifications}
    failed = {check.id: check for check in found.verifications if check.failed}
    assert set(failed) - ON_DATA - RECORD_RULES == set(), {key: check.chaves for key, check in failed.items()}
    for name in ON_DATA & set(failed):
        assert told[name].failed, failed[name].chaves
    assert {check.id: check for check in found.verifications if check.id in RECORD_RULES} == {
        name: told[name] for name in RECORD_RULES
    }
    _assert_own_findings(found.findings, {one.regra: one for one in whole.findings}, narrowed)


@pytest.mark.parametrize("seed", thinned([310, 311], default=[310]))
def test_scopes_that_part_the_linhas_add_up_to_the_whole(seed: int) -> None:
    payloads = company(seed)
    whole = load_company(payloads).position
    accounts = sorted(whole.linhas["conta_id"].dropna().unique().tolist())
    parts = [narrow_position(whole, Recorte("x", contas=(conta,))) for conta in accounts]
    with_account = whole.linhas[whole.linhas["conta_id"].notna()]
    assert sum(len(part.linhas) for part in parts) == len(with_account)
    # Of a título in one account nothing is cut; a charge over several is in no scope, and moves its days of delay (S8).
    places = whole.linhas.groupby("titulo_id")["conta_id"].nunique(dropna=False)
    charged = whole.titulos.loc[whole.titulos["cobranca_id"].notna(), "titulo_id"]
    one = sorted({*places.index[places == 1]} - {*charged})
    for name in ("valor_centavos", "multa_centavos", "juros_centavos", "bruto_centavos"):
        titulos = whole.titulos[whole.titulos["conta_id"].notna() & whole.titulos["titulo_id"].isin(one)]
        found = [part.titulos.loc[part.titulos["titulo_id"].isin(one), name] for part in parts]
        assert sum(int(values.sum()) for values in found) == int(titulos[name].sum()), name


def _assert_own_findings(found: Iterable[Finding], of_all: Mapping[str, Finding], narrowed: Position) -> None:
    """A scope finds what lies in it, and nothing of an entry that the whole does not find."""
    known = {"titulo": set(narrowed.titulos["titulo_id"]), "linha": set(narrowed.linhas["linha_id"])}
    for one in found:
        if one.tipo in known and one.qtde:
            assert set(one.ids) <= known[one.tipo] & set(of_all[one.regra].ids), one.regra
