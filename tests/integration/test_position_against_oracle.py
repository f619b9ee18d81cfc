"""Random hostile companies: what lastro makes of them equals the independent oracle (S1-S8)."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lastro.transform.position import Position
from lastro.warehouse.file.store import Warehouse
from tests import books
from tests.marks import thinned
from tests.oracle import companies, flow
from tests.oracle.context import Context, build_context

SEEDS = thinned(range(1, 61), default=(1,))

LINHA_FIELDS = (
    "titulo_id", "conta_id", "categoria_id", "pessoa_id", "centro_custo_lucro_id", "grupo_id", "data_vencimento",
    "data_pagamento", "data_competencia_ef", "natureza", "transferencia", "fora_resultado", "pago", "caixa",
    "data_prevista", "data_projetada", "classe",
)  # fmt: skip
TITULO_FIELDS = (
    "tipo", "qtde_linhas", "conta_id", "pessoa_id", "categoria_id", "data_vencimento", "data_pagamento",
    "data_competencia_ef", "transferencia", "fora_resultado", "pago", "data_prevista", "data_efetiva", "dias_mora",
    "vencido", "em_carencia", "situacao",
)  # fmt: skip


def plain(value: Any) -> Any:
    """Turn a cell of a frame into what the oracle holds."""
    if value is None or (not isinstance(value, list) and pd.isna(value)):
        return None
    if isinstance(value, pd.Timestamp):
        return value.date()
    return value.item() if hasattr(value, "item") else value


def money(centavos: int) -> Decimal:
    return Decimal(int(centavos)).scaleb(-2)


def load(seed: int, folder: Path) -> tuple[Warehouse, Position, Context]:
    payload = companies.company(seed)
    empresa = books.make_empresa(payload["contas"], payload["parametros"])
    warehouse, _, position = books.load_books(
        folder, payload, empresa, data_base=payload["data_base"], data_extracao=payload["data_extracao"]
    )
    return warehouse, position, build_context(payload)


def compare(warehouse: Warehouse, position: Position, context: Context) -> None:
    assert position.composto_modo == context.modo["modo"]
    assert (position.composto_n0, position.composto_n1) == (context.modo["n0"], context.modo["n1"])

    ours = {
        (row["origem"], row["linha_id"], row["descricao"] == "Diferença de composto"): row
        for row in position.linhas.to_dict("records")
    }
    theirs = {
        (
            "lancamento" if row["origem"] == "diferenca" else row["origem"],
            row["linha_id"],
            row["origem"] == "diferenca",
        ): row
        for row in context.linhas
    }
    assert set(ours) == set(theirs)
    for key, expected in theirs.items():
        found = ours[key]
        assert money(found["valor_centavos"]) == expected["valor"], key
        for name in LINHA_FIELDS:
            assert plain(found[name]) == expected[name], (key, name)
        assert bool(found["vencido"]) == expected["vencida"], key

    titulos = {row["titulo_id"]: row for row in position.titulos.to_dict("records")}
    assert set(titulos) == set(context.titulos)
    for titulo_id, expected in context.titulos.items():
        found = titulos[titulo_id]
        for name in TITULO_FIELDS:
            if expected["pago"] and name in ("data_efetiva", "situacao", "dias_mora"):
                continue
            if name == "situacao" and expected[name] is None:  # transfers and zero values have none
                continue
            assert plain(found[name]) == expected[name], (titulo_id, name)
        for name in ("valor", "bruto", "deducoes", "multa", "juros"):
            assert money(found[f"{name}_centavos"]) == expected[name], (titulo_id, name)
        if not expected["pago"]:
            assert plain(found["dias_de_atraso"]) == expected["dias"], titulo_id
            assert expected["faixa"] in (found["faixa"], None), titulo_id

    day = position.data_base
    saldos = {row[0]: row[2] for row in warehouse.query(f"SELECT * FROM mart.saldos_em(DATE '{day}')")}  # noqa: S608
    for conta_id in context.contas:
        if conta_id is not None:
            assert saldos[conta_id] == flow.balance(context, conta_id, day), conta_id

    charges = {row["cobranca_id"]: row for row in position.cobrancas.to_dict("records")}
    assert set(charges) == set(context.cobrancas)
    for cobranca_id, expected in context.cobrancas.items():
        assert charges[cobranca_id]["status"] == expected["status"]
        assert money(charges[cobranca_id]["taxa_centavos"]) == expected["taxa"]


@pytest.mark.parametrize("seed", SEEDS)
def test_position_equals_the_oracle(seed: int, tmp_path: Path) -> None:
    warehouse, position, context = load(seed, tmp_path)
    with warehouse:
        compare(warehouse, position, context)
