"""Companies in trouble as positions, with what their banks show: no check condemns what is right, in a scope neither.

What a run does around it is asked of the whole thing (`tests/integration/test_troubled.py`, `longo`).
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest

from lastro.analysis.forecast_record import reconstitute
from lastro.bank.statements import ReadStatement
from lastro.catalogue import Catalogue, build_catalogue, narrow_facts
from lastro.grid.verdict import NAO_SE_APLICA
from lastro.reports.facts import Facts
from lastro.reports.view import View
from lastro.settings import Cenario, Empresa, Parametros, Recorte
from lastro.transform.scope import narrow_position
from tests.bank import find_bank, make_statement, receive_bank
from tests.marks import thinned
from tests.troubled import BANK_A, BANKED, CUSTOMERS, MAPS, TAXES, Company, make_company, take_position

SCOPES = (
    Recorte("Campinas", centros=(202,)),
    Recorte("Alfa", contas=(BANK_A,)),
    Recorte("Um", pessoas=(CUSTOMERS[0],)),
)
OF_RECORDS = {"V09", "V10", "V11", "V13", "V14", "V15", "V20", "V21", "V34", "V35", "V36", "V37"}
"""What was received is not there."""
WITHOUT = {"V17", "V18", "V19", "V22", "V23", "V24", "V32", "V38", "V46"}
"""Nor an earlier run, whose bands V46 asks for, a budget and typed balances."""


def read_lines(company: Company, day: date) -> list[ReadStatement]:
    """What the banks had shown by a day, in one file an account."""
    return [
        make_statement(
            str(conta), conta, sorted(line for line in company.lines[conta] if line[0] < day),
            inicio=day - timedelta(260), fim=day - timedelta(1), saldo=1_000_000, saldo_em=day - timedelta(1),
        )
        for conta in BANKED
    ]  # fmt: skip


def list_faults(catalogue: Catalogue, excused: set[str]) -> list[str]:
    skipped = {check.id for check in catalogue.verifications if check.situacao == NAO_SE_APLICA} - excused
    return [f"{check.id} {check.detalhe}" for check in catalogue.errors] + sorted(skipped)


@pytest.mark.parametrize("seed", thinned(range(120), default=(1,)))
def test_no_check_condemns_what_a_bank_says_of_a_company_in_trouble(seed: int) -> None:
    company = make_company(seed)
    parametros = Parametros(
        dre_mapa=MAPS[seed % len(MAPS)],
        venc_regra=("corrido", "dia_util")[seed % 2],
        competencia_nula=("vencimento", "caixa", "excluir")[seed % 3],
        categorias_antecipam=TAXES if seed % 4 == 1 else (),
    )
    empresa = Empresa(
        "serra", "Serra", "https://servico.exemplo", "TOKEN", parametros=parametros,
        cenarios=(Cenario("Aperto", calote_pct=Decimal(35)),),
    )  # fmt: skip
    day = company.today - timedelta((0, 0, 1, 17)[seed % 4])
    position = take_position(company, day, parametros)
    read = read_lines(company, day)
    found = find_bank(position, read, keys={conta: (f"1/{conta}",) for conta in BANKED})
    facts = Facts(banco=found, medidas=reconstitute(position))
    whole = build_catalogue(View(position, empresa, facts), receive_bank(read, day))
    assert list_faults(whole, OF_RECORDS | WITHOUT) == []
    scope = SCOPES[seed % len(SCOPES)]
    own = View(narrow_position(position, scope), empresa, narrow_facts(Facts(), scope, None))
    part = build_catalogue(own, inteiro=whole)
    assert [f"{check.id} {check.detalhe}" for check in part.errors] == []
