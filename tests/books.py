"""From API payloads to a warehouse and a position, without a network: what reports and checks are tested on."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from lastro.calendar import build_calendar
from lastro.settings import Conta, Empresa, Parametros, SaldoConferido
from lastro.transform.conformed import Conformed
from lastro.transform.core import CoreBuild, build_core
from lastro.transform.position import Position, build_position
from lastro.warehouse.conform import conform_run
from lastro.warehouse.macros import create_macros
from lastro.warehouse.run_facts import write_identity
from lastro.warehouse.runs import write_parameters
from lastro.warehouse.store import Warehouse

PAGE = 500


def land(pasta: Path, payloads: Mapping[str, Any]) -> None:
    """Write payloads as an extraction would land them."""
    pasta.mkdir(parents=True, exist_ok=True)
    # One file in the order of the payload: "the row fetched last wins" (S1) then means the last one listed.
    for lista in ("lancamentos", "cobrancas", "categorias", "clientes", "fornecedores", "detalhes"):
        rows = payloads.get(lista, ())
        with gzip.open(pasta / f"{lista}.jsonl.gz", "wt", encoding="utf-8") as lines:
            for number, start in enumerate(range(0, max(len(rows), 1), PAGE), 1):
                page = {
                    "no": number,
                    "origem": f"/v1/{lista}",
                    "extraido_em": "2026-03-16T09:05:00Z",
                    "rows": rows[start : start + PAGE],
                }
                lines.write(json.dumps(page) + "\n")


def make_conta(conta: Mapping[str, Any]) -> Conta:
    """Turn an account of the oracle's form into a setting."""
    since, value = conta.get("data_saldo_inicial"), conta.get("valor_saldo_inicial")
    saldos = tuple(
        SaldoConferido(date.fromisoformat(str(saldo["data"])), Decimal(str(saldo["valor"])))
        for saldo in conta.get("saldos_conferidos", ())
    )
    return Conta(
        conta_id=conta["conta_id"],
        descricao=conta.get("descricao", ""),
        valor_saldo_inicial=None if value is None else Decimal(str(value)),
        data_saldo_inicial=None if since is None else date.fromisoformat(str(since)),
        ativa=conta.get("ativa", True),
        tipo=conta.get("tipo", "conta"),
        saldos_conferidos=saldos,
    )


def make_parametros(values: Mapping[str, Any]) -> Parametros:
    """Turn parameters of the oracle's form (texts and lists) into settings."""
    known = {item.name: item for item in fields(Parametros)}
    parsed = {}
    for name, value in values.items():
        if name in known:
            parsed[name] = known[name].metadata["parse"](list(value) if isinstance(value, tuple | set) else value)
    return Parametros(**parsed)


def make_empresa(contas: Sequence[Mapping[str, Any]], parametros: Mapping[str, Any]) -> Empresa:
    """Build the settings of a company that needs no service."""
    return Empresa(
        id="ouro",
        nome="Ouro Ltda",
        base_url="http://127.0.0.1:1",
        token_env="OURO_TOKEN",  # noqa: S106 - the name of a variable
        contas=tuple(make_conta(conta) for conta in contas),
        parametros=make_parametros(parametros),
    )


def load_books(
    pasta: Path,
    payloads: Mapping[str, Any],
    empresa: Empresa,
    *,
    data_base: date,
    data_extracao: date,
    execucao_id: int = 1,
    watch: Callable[[Conformed], None] | None = None,
) -> tuple[Warehouse, CoreBuild, Position]:
    """Land payloads, load them into a new warehouse and take the position; the caller closes the warehouse.

    `watch` sees the conformed tables while they are there.
    """
    land(pasta / "paginas", payloads)
    calendario = build_calendar(
        empresa.parametros.feriados_extras, last_weekday_of_year_open=empresa.parametros.ultimo_dia_util_ano
    )
    warehouse = Warehouse(pasta)
    with warehouse.transaction():
        conformed = conform_run(warehouse.con, [pasta / "paginas"], execucao_id)
        if watch is not None:
            watch(conformed)
        built = build_core(conformed, empresa)
        warehouse.write_core(built.core, execucao_id, calendario)
        warehouse.insert(
            "ops.execucoes",
            [
                {
                    "execucao_id": execucao_id,
                    "situacao": "completa",
                    "data_extracao": data_extracao,
                    "data_base": data_base,
                }
            ],
        )
        write_parameters(warehouse, execucao_id, {}, empresa.parametros, built.evidence)
        write_identity(warehouse, empresa.id, "servico.example", [], execucao_id)
        create_macros(warehouse, empresa.id)
    position = build_position(
        warehouse.read_core(),
        data_base=data_base,
        data_extracao=data_extracao,
        parametros=empresa.parametros,
        calendario=calendario,
    )
    return warehouse, built, position
