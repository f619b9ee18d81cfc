"""Opening-balance entries in every place they can hide, and the macros where pandas and SQL could part (S2, S3, S7)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd

from lastro.transform.core import CoreBuild
from lastro.transform.position import Position
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.control import read_control_totals
from tests.books import load_books, make_empresa
from tests.entries import CONTA, D, entry
from tests.unit.quality.checked_books import check_control


@contextmanager
def loaded(
    pasta: Path, rows: list[dict[str, Any]], **parametros: Any
) -> Iterator[tuple[Warehouse, CoreBuild, Position]]:
    empresa = make_empresa([CONTA], parametros)
    payloads = {"lancamentos": rows, "categorias": [{"id": 20, "descricao": "Vendas", "tipo_categoria_id": 0}]}
    warehouse, built, position = load_books(pasta, payloads, empresa, data_base=D, data_extracao=D)
    try:
        yield warehouse, built, position
    finally:
        warehouse.close()


def test_an_opening_entry_nested_in_its_sibling_is_no_linha_either(tmp_path: Path) -> None:
    nested = {"id": 2, "descricao": "Saldo", "valor": "700.00", "categoria_id": 20, "lancamento_composto_id": 9}
    rows = [
        entry(1, 101, "10.00", "2026-02-01", "2026-02-01", lancamento_composto_id=9, itens_adicionais=[nested]),
        entry(2, 101, "700.00", "2026-02-01", "2026-02-01", lancamento_composto_id=9),
    ]
    with loaded(tmp_path, rows, saldo_inicial_lancamentos=[2]) as (warehouse, _, position):
        assert position.linhas["linha_id"].tolist() == [1]
        assert warehouse.query("SELECT saldo FROM mart.saldos_em(DATE '2026-03-16')") == [(Decimal("710.00"),)]
        control = read_control_totals(
            warehouse.con, modo="parcela", saldo_inicial_lancamentos=(2,), saldo_inicial_categorias=()
        )
        assert control[["linhas", "valor_centavos"]].to_numpy().tolist() == [[1, 1000]]
        assert not check_control(position, control).failed


def test_an_opening_entry_without_account_or_payment_is_told(tmp_path: Path) -> None:
    rows = [entry(1, None, "700.00", "2026-01-01", "2026-01-01"), entry(2, 101, "50.00", "2026-01-01", None)]
    with loaded(tmp_path, rows, saldo_inicial_lancamentos=[1, 2]) as (_, built, _):
        conflicts = built.conflitos_saldo_inicial
    assert [None if pd.isna(conta) else int(conta) for conta in conflicts["conta_id"]] == [None, 101]
    assert conflicts["lancamentos"].tolist() == [[1], [2]]


def test_balances_by_sql_have_a_row_for_movements_without_account(tmp_path: Path) -> None:
    rows = [entry(1, 101, "10.00", "2026-02-01", "2026-02-01"), entry(2, 0, "7.00", "2026-02-01", "2026-02-01")]
    with loaded(tmp_path, rows) as (warehouse, _, _):
        assert warehouse.query(
            "SELECT conta_id, conta, saldo FROM mart.saldos_em(DATE '2026-03-16') ORDER BY conta_id"
        ) == [
            (101, "Alfa", Decimal("10.00")),
            (None, "Sem conta", Decimal("7.00")),
        ]


def test_a_tax_paid_early_is_early_in_sql_too_when_its_parent_is_no_linha(tmp_path: Path) -> None:
    items = [{"id": number, "valor": valor, "categoria_id": 21} for number, valor in ((2, "-10.00"), (3, "-20.00"))]
    # Due on a Sunday; category 20 is due on the Friday before.
    rows = [entry(1, 101, "-30.00", "2026-03-15", None, lancamento_composto_id=9, itens_adicionais=items)]
    with loaded(tmp_path, rows, categorias_antecipam=[20], venc_regra="dia_util") as (warehouse, built, position):
        assert built.evidence.mode == "total"
        found = warehouse.query("SELECT titulo_id, data_efetiva, dias_de_atraso FROM mart.titulos_em('2026-03-16')")
        assert found == [(1, date(2026, 3, 13), 3)]
        assert position.titulos["dias_de_atraso"].tolist() == [3]


def test_one_malformed_detail_is_a_rejected_record_and_no_drift(tmp_path: Path) -> None:
    empresa = make_empresa([CONTA], {})
    good = entry(1, 101, "10.00", "2026-02-01", None)
    bad = {name: value for name, value in good.items() if name != "valor"}
    payloads = {"lancamentos": [good | {"novo": 1}], "detalhes": [bad | {"novo": 1}]}
    warehouse, _, position = load_books(tmp_path, payloads, empresa, data_base=D, data_extracao=D)
    try:
        assert position.linhas["valor_centavos"].tolist() == [1000]
        assert warehouse.query("SELECT lista, motivo FROM raw.rejeitados") == [("lancamentos", "valor: campo ausente")]
        # Told once, not once per reading.
        assert warehouse.query("SELECT registros FROM ops.esquema WHERE campo = 'novo'") == [(1,)]
    finally:
        warehouse.close()
