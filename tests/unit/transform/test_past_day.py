"""A recorded run's tables under the map and the openings of today (S3): its records stay, to the centavo."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pandas as pd

from lastro.settings import Conta, Parametros, SaldoConferido
from lastro.transform.past_day import restate
from lastro.transform.position import Core
from tests.unit.reports.positions import make_position

D = date(2026, 3, 16)
ANCHOR = date(2026, 2, 28)


def core(valor: str, saldos: tuple[SaldoConferido, ...] = (), **conta: Any) -> Core:
    """The books of one account: a payment before the anchor, of the category that a map may leave out."""
    row = {
        "id": 1, "conta_id": 101, "categoria_id": 30, "valor": valor, "descricao": "Mútuo",
        "data_vencimento": "2026-02-10", "data_pagamento": "2026-02-10", "data_competencia": "2026-02-01", "tags": [],
    }  # fmt: skip
    return make_position(
        [row],
        categorias=[{"id": 30, "descricao": "Mútuo", "parent_id": None, "tipo_categoria_id": 0, "ativo": True}],
        clientes=[],
        fornecedores=[],
        contas=[Conta(101, descricao="Banco", saldos_conferidos=saldos, **conta)],
        parametros=Parametros(),
        data_base=D,
        data_extracao=D,
    )


def opening(of: Core) -> tuple[int, bool, str]:
    (row,) = of.contas.to_dict("records")
    return int(row["valor_saldo_inicial_centavos"]), bool(row["provisoria"]), str(row["origem_saldo"])


STATEMENT = (SaldoConferido(ANCHOR, Decimal("500.00")),)


def test_an_opening_known_later_is_computed_over_the_books_of_then() -> None:
    # Since then the payment of 100.00 was mended to 130.00: the bank's 500.00 stay what they were on 28/02.
    past = restate(core("100.00"), core("130.00", STATEMENT), {})
    assert opening(past) == (40_000, False, "extrato")
    assert past.linhas["valor_centavos"].tolist() == [10_000]
    (row,) = past.extrato_saldos.to_dict("records")
    assert (row["dia"], row["papel"]) == (pd.Timestamp(ANCHOR), "âncora")


def test_an_opening_of_the_same_anchor_stays_as_recorded() -> None:
    then = core("100.00", STATEMENT)
    past = restate(then, core("130.00", STATEMENT), {})
    assert opening(past) == (40_000, False, "extrato")
    pd.testing.assert_frame_equal(past.contas, then.contas)
    pd.testing.assert_frame_equal(past.extrato_saldos, then.extrato_saldos)


def test_what_the_settings_give_and_what_they_take_away_again_hold() -> None:
    configured = core("100.00", valor_saldo_inicial=Decimal("7.00"))
    assert opening(restate(core("100.00", STATEMENT), configured, {})) == (700, False, "configurado")
    withdrawn = restate(core("100.00", STATEMENT), core("100.00"), {})
    assert (opening(withdrawn), len(withdrawn.extrato_saldos)) == ((0, True, "nenhum"), 0)


def test_an_account_that_is_gone_or_new_changes_nothing() -> None:
    then = core("100.00", STATEMENT)
    gone = replace(core("100.00"), contas=then.contas.iloc[:0])
    assert opening(restate(then, gone, {})) == opening(then)


def test_the_map_of_today_holds() -> None:
    past = restate(core("100.00"), core("100.00"), {30: "fora"})
    assert past.categorias[["dre_grupo", "dre_mapeada", "fora_resultado"]].to_numpy().tolist() == [["fora", True, True]]
    assert (past.linhas["fora_resultado"].tolist(), past.titulos["fora_resultado"].tolist()) == ([True], [True])
    back = restate(past, past, {})
    assert back.categorias["dre_grupo"].tolist() == ["nao_classificadas"]
    assert back.linhas["fora_resultado"].tolist() == [False]
