"""Whose books a run reads: another service, other accounts, a window of strangers are held until a person looked."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from typing import Any

import duckdb
import openpyxl
import pytest

from lastro.errors import ConfigError, OriginHeld
from lastro.run.order import RunOrder
from lastro.run.stages import STAGES, run_stage
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings
from lastro_sandbox import Running
from tests.golden import expected
from tests.integration.rewritten import Rewritten
from tests.served import open_session, run_served

MOVED = "https://novo.example"


def at(settings: Settings, base_url: str) -> Settings:
    return replace(settings, empresas=(replace(settings.empresas[0], base_url=base_url),))


def link_of(settings: Settings) -> str:
    return os.readlink(settings.pasta(settings.empresas[0]) / "lastro.duckdb")


def edit_private(settings: Settings, sql: str) -> None:
    """Change what the company's file remembers: the service then shows other things than it did."""
    path = settings.pasta(settings.empresas[0]) / "privado" / "lastro.duckdb"
    with closing(duckdb.connect(str(path))) as con:
        con.execute(sql)


def query(settings: Settings, sql: str) -> list[tuple[Any, ...]]:
    path = settings.pasta(settings.empresas[0]) / "privado" / "lastro.duckdb"
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        return con.execute(sql).fetchall()


def test_another_host_is_held_before_it_is_asked_and_then_accepted(golden: tuple[Settings, Running]) -> None:
    settings, service = golden
    moved, transport, before = at(settings, MOVED), Rewritten(service.base_url), link_of(settings)
    with pytest.raises(OriginHeld, match=r"novo\.example, e estes livros são de 127\.0\.0\.1.*--aceitar-origem 2"):
        run_served(moved, expected.D, transport=transport)
    assert transport.hosts == []
    assert link_of(settings) == before
    assert query(settings, "SELECT motivo, lista, registro_id FROM ops.retencoes") == [("origem", "novo.example", 0)]
    with pytest.raises(ConfigError, match="execução 2 foi retida"):
        run_served(moved, expected.D, transport=transport, modo=Modo.QUENTE)
    with pytest.raises(ConfigError, match="Foram: 2"):
        run_served(moved, expected.D, transport=transport, aceitar_origem=1)
    # What was accepted is that service, and no other.
    with pytest.raises(OriginHeld, match=r"outro\.example.*--aceitar-origem 3"):
        run_served(at(settings, "https://outro.example"), expected.D, transport=transport, aceitar_origem=2)
    assert transport.hosts == []
    with open_session(moved, expected.D, order=RunOrder(aceitar_origem=2), transport=transport) as session:
        for stage in STAGES[:2]:
            run_stage(session, stage)
        assert session.execucao_id == 4
        assert session.warehouse.query("SELECT host FROM ops.identidade") == [("novo.example",)]
    assert set(transport.hosts) == {"novo.example"}


@pytest.mark.longo
def test_an_accepted_host_is_the_service_of_hot_runs_too(golden: tuple[Settings, Running]) -> None:
    settings, service = golden
    moved, transport = at(settings, MOVED), Rewritten(service.base_url)
    with pytest.raises(OriginHeld):
        run_served(moved, expected.D, transport=transport)
    run_served(moved, expected.D, transport=transport, aceitar_origem=2)
    with open_session(moved, expected.D, order=RunOrder(modo=Modo.QUENTE), transport=transport) as session:
        run_stage(session, STAGES[0])
        assert session.execucao_id == 4
    with pytest.raises(OriginHeld, match=r"127\.0\.0\.1, e estes livros são de novo\.example"):
        run_served(settings, expected.D, modo=Modo.QUENTE)


@pytest.mark.longo
def test_none_of_the_known_accounts_is_held_and_one_new_is_on_parametros(golden: tuple[Settings, Running]) -> None:
    settings, _ = golden
    edit_private(settings, "UPDATE ops.identidade SET contas = [901, 902]")
    before = link_of(settings)
    with pytest.raises(OriginHeld, match=r"mostra as contas 101, 102 e nenhuma das da execução 1 \(901, 902\)"):
        run_served(settings, expected.D)
    assert link_of(settings) == before
    result = run_served(settings, expected.D, aceitar_origem=2)
    assert result.execucao_id == 3
    edit_private(settings, "UPDATE ops.identidade SET contas = [102, 903]")
    result = run_served(settings, expected.D)
    sheet = openpyxl.load_workbook(result.workbooks[0])["Parâmetros"]
    rows = [tuple(cell.value for cell in row if cell.value) for row in sheet.iter_rows()]
    assert ("Conta 101", "nova: a leitura anterior não a tinha") in rows
    assert query(settings, "SELECT contas, contas_novas FROM ops.identidade") == [([101, 102], [101])]


@pytest.mark.longo
def test_a_hot_window_of_strangers_is_held_and_nothing_of_it_is_published(golden: tuple[Settings, Running]) -> None:
    settings, _ = golden
    before = link_of(settings)
    edit_private(
        settings,
        "UPDATE raw.lancamentos SET payload = json_merge_patch(payload, json_object('id', 5000000 + "
        "(payload->>'id')::BIGINT))",
    )
    with pytest.raises(OriginHeld, match=r"mostra 12 lançamentos, e nenhum dos 16 que esta empresa tinha"):
        run_served(settings, expected.D, modo=Modo.QUENTE)
    assert link_of(settings) == before
    # It asks for a complete run, which is the one to accept, and which is not in its way.
    assert run_served(settings, expected.D).execucao_id == 3
