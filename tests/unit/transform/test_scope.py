"""The scope filter: a part of the entries, every report of it tied, nothing of the rest in it (section 2)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from lastro.reports.r01_balances import SPEC as R01
from lastro.reports.r04_monthly_flow import SPEC as R04
from lastro.reports.r09_receivables import SPEC as R09
from lastro.reports.r11_charges import SPEC as R11
from lastro.settings import Recorte
from lastro.transform.position import Position
from lastro.transform.scope import count_split_charges, describe_scope, narrow_position
from tests.findings import find_by_rule
from tests.unit.reports.positions import make_golden, make_position
from tests.unit.reports.readers import record, records, table
from tests.views import view_of


def ids(position: Position) -> set[int]:
    return {int(number) for number in position.linhas["linha_id"]}


@pytest.mark.parametrize(
    ("recorte", "linhas"),
    [
        (Recorte("x", contas=(102,)), {1006, 1016, 1019}),
        (Recorte("x", centros=(201,)), {1002, 1003, 1004}),
        (Recorte("x", centros=(202,)), {1007, 1008, 1009}),
        (Recorte("x", pessoas=(602,)), {1010, 1016, 1019}),
        (Recorte("x", tags=(1, 2)), {1012, 1015}),
        (Recorte("x", contas=(102,), pessoas=(602,)), {1016, 1019}),
        (Recorte("x", pessoas=(601,), tags=(1,)), set()),
        (Recorte("x", contas=(999,)), set()),
    ],
)
def test_a_linha_is_in_scope_when_it_meets_every_criterion(recorte: Recorte, linhas: set[int]) -> None:
    whole = make_golden()
    narrowed = narrow_position(whole, recorte)
    assert ids(narrowed) == linhas
    assert len(whole.linhas) == 18
    assert set(narrowed.titulos["titulo_id"]) == set(narrowed.linhas["titulo_id"])


def test_a_scope_of_accounts_has_their_balances() -> None:
    narrowed = narrow_position(make_golden(), Recorte("Poupança", contas=(102,)))
    found = records(table(R01.build(view_of(narrowed)), "saldos_por_conta"))
    assert [(row["Conta id"], row["Saldo em 16/03/2026"]) for row in found] == [(102, Decimal("2200.00"))]
    march = [
        row for row in records(table(R04.build(view_of(narrowed)), "fluxo_mensal")) if str(row["Mês"]) == "2026-02-01"
    ]
    amounts = {row["Linha"]: row["Valor"] for row in march if row["Nível"] == 0}
    assert amounts["saldos_implantados"] == Decimal("2000.00")
    assert amounts["transferencias"] == Decimal("800.00")
    assert amounts["saldo_final"] == Decimal("2800.00")


def test_any_other_scope_has_variations_for_balances() -> None:
    narrowed = narrow_position(make_golden(), Recorte("Matriz", centros=(201,)))
    assert list(narrowed.contas["provisoria"]) == [True, True]
    found = record(table(R01.build(view_of(narrowed)), "saldos_por_conta"), conta_id=101)
    assert found["Saldo em 16/03/2026"] == Decimal("-3000.00")  # two rents, no opening balance
    assert not find_by_rule(narrowed, "Q11")["Q11"].qtde  # and nobody could give one


def test_a_transfer_out_of_a_scope_lacks_no_leg() -> None:
    golden = make_golden()
    linhas = golden.linhas.copy()
    linhas.loc[linhas["linha_id"] == 1016, "lancamento_transferencia_id"] = 9999  # no entry of the company
    linhas.loc[linhas["linha_id"] == 1016, "transferencia"] = True
    narrowed = narrow_position(replace(golden, linhas=linhas), Recorte("x", contas=(102,)))
    assert find_by_rule(narrowed, "Q09")["Q09"].ids == (1016,)  # 1006 has its other leg in the account 101


def test_a_titulo_is_what_its_linhas_in_scope_add_up_to() -> None:
    rows = [
        {
            "id": 1, "conta_id": 101, "valor": "700.00", "data_vencimento": "2026-02-10", "pessoa_id": 501,
            "centro_custo_lucro_id": 201, "categoria_id": 11, "lancamento_composto_id": 9,
            "itens_adicionais": [
                {"id": 2, "valor": "300.00", "categoria_id": 12, "centro_custo_lucro_id": 202, "tags": []},
                {"id": 3, "valor": "-50.00", "categoria_id": 12, "centro_custo_lucro_id": 201, "tags": []},
            ],
        },
        {"id": 4, "conta_id": 101, "valor": "80.00", "data_vencimento": "2026-02-11", "pessoa_id": 502,
         "centro_custo_lucro_id": 201, "categoria_id": 11},
    ]  # fmt: skip
    charge = {"conta_id": 101, "cliente_id": 501, "data_vencimento": "2026-02-10", "status_descricao": "Pendente"}
    whole = make_position(
        rows,
        cobrancas=[
            {**charge, "id": 90, "valor": "1000.00", "lancamento_ids": "1"},
            {**charge, "id": 91, "valor": "80.00", "lancamento_ids": "4", "cliente_id": 502},
            {**charge, "id": 92, "valor": "5.00", "lancamento_ids": "777"},
        ],
    )
    part = narrow_position(whole, Recorte("Matriz", centros=(201,)))
    titulo = record(table(R09.build(view_of(part)), "a_receber"), titulo_id=1)
    assert (titulo["Bruto"], titulo["Deduções"], titulo["Valor"]) == (
        Decimal("700.00"),
        Decimal("-50.00"),
        Decimal("650.00"),
    )
    # 90 collects more than the scope holds, 92 nothing that is known: no cost centre can be said of it.
    assert list(part.cobrancas["cobranca_id"]) == [91]
    assert count_split_charges(whole, part) == 1
    assert [row["Cobrança"] for row in records(table(R11.build(view_of(part)), "cobrancas_detalhe"))] == [91]
    by_person = narrow_position(whole, Recorte("Azul", pessoas=(501,)))
    assert list(by_person.cobrancas["cobranca_id"]) == [90, 92]
    assert count_split_charges(whole, by_person) == 0


def test_the_scope_in_words() -> None:
    labels = make_golden().rotulos
    assert describe_scope(Recorte("Loja", contas=(101, 102)), labels) == "Loja (contas Banco Alfa, Poupança)"
    both = Recorte("Azul", pessoas=(501,), tags=(1, 2))
    assert describe_scope(both, labels) == f"Azul (pessoas Azul; tags {labels.tag(1)}, {labels.tag(2)})"
