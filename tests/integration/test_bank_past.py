"""A past day asked by a company that reconciles: the bank's side as it was known on that day (S3, S20)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lastro.grid.verdict import NAO_SE_APLICA, OK
from lastro.run.order import RunResult
from lastro.settings import Settings
from lastro.warehouse.loading.kinds import Modo
from tests.bank import F1, F2, STORED, serve_banked
from tests.served import ask, run_served

FRIDAY, SATURDAY, TUESDAY = date(2026, 3, 13), date(2026, 3, 14), date(2026, 3, 17)
"""The first statement is there since Friday, the second since Tuesday; nobody ran lastro in between."""
BANK = ("conciliacao", "conciliacao_pendencias", "conciliadas", "extrato_arquivos")
BALANCE = "SELECT saldo_do_banco, extrato_ate FROM mart.conciliacao WHERE conta_id = 101"


def read_bank(result: RunResult) -> dict[str, list[tuple[Any, ...]]]:
    return {name: ask(result, f"FROM mart.{name} ORDER BY ALL") for name in BANK}


def judge(result: RunResult) -> dict[str, str]:
    """Return what the checks of the bank came to, and what failed besides with severity erro."""
    checks = {check.id: check for check in result.catalogue.verifications}
    assert [check.id for check in checks.values() if check.failed and check.severidade == "erro"] == []
    return {name: checks[name].situacao for name in ("V24", "V25", "V26") if name in checks}


@dataclass(frozen=True)
class Company:
    settings: Settings
    friday: dict[str, list[tuple[Any, ...]]]
    """What R20 showed on Friday."""


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    folder = tmp_path_factory.mktemp("passado")
    with serve_banked(folder) as settings:
        extratos = put(settings, F1)
        friday = read_bank(run_served(settings, FRIDAY))
        put(settings, F2)
        (extratos / "nao_e_ofx.ofx").write_text("?", encoding="utf-8")
        run_served(settings, TUESDAY)
        yield Company(settings, friday)


def put(settings: Settings, name: str) -> Path:
    folder = settings.entrada(settings.empresas[0]) / "extratos"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes((STORED / name).read_bytes())
    return folder


@pytest.mark.parametrize("modo", [Modo.RECALCULO, pytest.param(Modo.COMPLETA, marks=pytest.mark.longo)])
def test_a_past_day_reconciles_as_it_did(company: Company, modo: Modo) -> None:
    """Friday asked on Tuesday, from history: line by line what Friday's own report showed."""
    again = run_served(company.settings, TUESDAY, modo=modo, data_base=FRIDAY)
    assert again.failed == ()
    assert read_bank(again) == company.friday
    # One file states one balance, from which the eve follows that opens the account: there is nothing to compare.
    assert judge(again) == {"V24": NAO_SE_APLICA, "V25": OK, "V26": OK}
    found = {one.regra: one for one in again.catalogue.findings}
    assert {"Q24", "Q25", "Q26", "Q27", "Q28"} <= found.keys()
    assert "linha 49" not in found["Q24"].por_que  # a transaction of the second file, which nobody had
    assert ask(again, "SELECT count(*), max(dia) FROM banco.linhas") == [(5, date(2026, 2, 27))]
    assert ask(again, "SELECT inicio, fim, saldo FROM prova.banco_blocos") == [
        (date(2026, 2, 1), date(2026, 2, 28), Decimal("8004.68"))
    ]


def test_a_past_day_without_a_run_knows_what_was_there(company: Company) -> None:
    again = run_served(company.settings, TUESDAY, modo=Modo.RECALCULO, data_base=SATURDAY)
    assert judge(again) == {"V24": NAO_SE_APLICA, "V25": OK, "V26": OK}
    assert [row[0] for row in ask(again, "SELECT arquivo FROM mart.extrato_arquivos")] == [F1]
    assert ask(again, BALANCE) == [(Decimal("8004.68"), date(2026, 2, 28))]


@pytest.mark.longo
def test_before_the_first_statement_nothing_is_held_against_the_books(company: Company) -> None:
    again = run_served(company.settings, TUESDAY, modo=Modo.RECALCULO, data_base=date(2026, 3, 12))
    assert judge(again) == {}
    assert set(map(len, read_bank(again).values())) == {0}
    # The opening follows from what is known today.
    assert ask(again, "SELECT abertura_calculada FROM mart.saldos_por_conta WHERE conta_id = 101") == [
        (Decimal("10000.00"),)
    ]


@pytest.mark.longo
def test_a_statement_that_came_after_the_reading_is_known_on_its_day(tmp_path: Path) -> None:
    """README's order: a run, then the statement and a recálculo; history knows the run, and no opening."""
    with serve_banked(tmp_path) as settings:
        run_served(settings, FRIDAY)
        put(settings, F1)
        friday = read_bank(run_served(settings, FRIDAY, modo=Modo.RECALCULO))
        put(settings, F2)
        run_served(settings, TUESDAY)
        again = run_served(settings, TUESDAY, modo=Modo.RECALCULO, data_base=FRIDAY)
    assert judge(again)["V25"] == judge(again)["V26"] == OK
    told = read_bank(again)
    assert {name for name in BANK if told[name] != friday[name]} <= {"conciliacao"}  # its books have no opening yet


@pytest.mark.longo
def test_today_is_as_it_was_after_a_past_day(company: Company) -> None:
    before = read_bank(run_served(company.settings, TUESDAY, modo=Modo.RECALCULO))
    run_served(company.settings, TUESDAY, modo=Modo.RECALCULO, data_base=FRIDAY)
    assert read_bank(run_served(company.settings, TUESDAY, modo=Modo.RECALCULO)) == before
