"""Fees booked beside the charges they were taken from: S12, R11 and V12 tie on an invented company (rows 18 and 33)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from lastro_sandbox import Books, create_app, make_company, serve
from lastro_sandbox.decisions import CompositeShape
from lastro_sandbox.model import Charge
from tests.marks import thinned
from tests.served import TOKEN, run_served, write_settings

DAY = date(2026, 3, 16)


@pytest.mark.parametrize("shape", thinned(("D", "A", "T"), default=()))
def test_reports_tie_with_fees_present(tmp_path: Path, shape: CompositeShape) -> None:
    books = make_company(5, 900, DAY, shape, "observado")
    with serve(create_app(books, token=TOKEN, dialeto="observado")) as service:
        result = run_served(write_settings(tmp_path, books, service.base_url), DAY)
    live = [charge for charge in books.cobrancas.values() if charge.data_cancelamento is None]
    paid = [charge for charge in live if charge.valor_pago is not None]
    moving = [charge for charge in paid if charge.estado != "transferido"]
    settled = {
        charge.id: all(books.lancamentos[id_].data_pagamento for id_ in charge.lancamento_ids) for charge in paid
    }
    assert {settled[charge.id] for charge in moving} == {True, False}
    with duckdb.connect(str(result.warehouse), read_only=True) as con:
        checks = dict(con.execute("SELECT verificacao, situacao FROM ops.verificacoes").fetchall())
        assert {name: checks[name] for name in ("V11", "V12", "V14", "V34", "V35")} == dict.fromkeys(
            ("V11", "V12", "V14", "V34", "V35"), "ok"
        )
        differences = con.execute("SELECT tipo, cobranca_id FROM mart.cobrancas_divergencias").fetchall()
        assert {kind for kind, _ in differences} <= {"M1", "M5"}
        assert sorted(id_ for kind, id_ in differences if kind == "M1") == sorted(
            charge.id for charge in paid if not settled[charge.id]
        )
        in_transit = con.execute("SELECT sum(qtde), sum(liquido) FROM mart.cobrancas_em_transito").fetchone()
        net = sum((charge.valor_pago or 0) + charge.valor_taxa for charge in moving)
        assert in_transit == (len(moving), Decimal(net).scaleb(-2))
        unbooked = con.execute("SELECT cobranca_id, encargos_taxas_nao_lancados FROM mart.cobrancas_detalhe").fetchall()
        booked = {charge.id: _sum_of(books, charge) for charge in paid if settled[charge.id]}
        assert {id_: amount for id_, amount in unbooked if amount is not None} == {
            id_: Decimal((books.cobrancas[id_].valor_pago or 0) + books.cobrancas[id_].valor_taxa - total).scaleb(-2)
            for id_, total in booked.items()
        }
        simple = [
            id_
            for id_, total in booked.items()
            if total == books.cobrancas[id_].valor + books.cobrancas[id_].valor_taxa
        ]
        # with the fee in the books, what was not booked is fine and interest alone
        assert len(simple) > 30
        assert all(
            amount == Decimal(books.cobrancas[id_].valor_multa_juros).scaleb(-2)
            for id_, amount in unbooked
            if id_ in simple
        )


def _sum_of(books: Books, charge: Charge) -> int:
    """Add up what is booked of a charge in centavos, each composite once (S2)."""
    first = books.lancamentos[charge.lancamento_ids[0]]
    members = books.members(first)
    carriers = {member.item_de for member in members} if books.forma_composto == "T" else set()
    return sum(member.valor for member in members if member.id not in carriers)
