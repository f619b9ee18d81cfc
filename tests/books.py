"""From API payloads to a warehouse and a position, without a network: what reports and checks are tested on."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

from lastro.calendar import BusinessCalendar
from lastro.schema.tables import TABLES
from lastro.settings import Conta, Empresa, Parametros, SaldoConferido
from lastro.settings.reader import find_keys
from lastro.transform.conformed import Conformed
from lastro.transform.core import CoreBuild
from lastro.transform.position import Core, Position, build_position
from lastro.warehouse.file.macros import create_macros
from lastro.warehouse.file.migration import create_tables
from lastro.warehouse.file.store import LINK_NAME, PRIVATE_FOLDER, Warehouse
from lastro.warehouse.loading.conformer import conform_run
from lastro.warehouse.loading.holds import write_identity
from lastro.warehouse.loading.runs import write_parameters
from tests.bare import build_core
from tests.random_companies import company

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
    """Turn an account as `tests.golden.dataset` has it into a setting."""
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
    """Turn parameters as `tests.golden.dataset` has it (texts and lists) into settings."""
    known = find_keys(Parametros)
    parsed = {}
    for name, value in values.items():
        if name in known:
            parsed[name] = known[name].parse(list(value) if isinstance(value, tuple | set) else value)
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
) -> tuple[Warehouse, CoreBuild, Position]:
    """Land payloads, load them into a new warehouse and take the position; the caller closes the warehouse.

    For what asks the warehouse; `read_books` is twice as fast for what looks at the position alone.
    """
    land(pasta / "paginas", payloads)
    calendario = _calendar_of(empresa)
    warehouse = open_warehouse(pasta)
    with warehouse.transaction():
        built = build_core(conform_run(warehouse.con, [pasta / "paginas"], execucao_id), empresa)
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
    # tests/unit/test_frames.py holds what was built against what is read.
    position = _take_position(order_as_stored(built.core), empresa, data_base, data_extracao)
    return warehouse, built, position


@dataclass(frozen=True)
class ReadBooks:
    """Books that were loaded and never stored.

    Attributes:
        con: what was received, in `raw.*`, until the block ends.
        conformed: what was read of it.
        built: the core of it, as `core.*` would hold it (tests/unit/test_frames.py compares them).
        position: what the reports and checks see.
    """

    con: duckdb.DuckDBPyConnection
    conformed: Conformed
    built: CoreBuild
    position: Position


def open_warehouse(pasta: Path) -> Warehouse:
    """Open the warehouse of a folder; where none is yet, a copy of an empty one that has its macros."""
    path = pasta / PRIVATE_FOLDER / LINK_NAME
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_empty_file())
    return Warehouse(pasta)


@cache
def _empty_file() -> bytes:
    """The file of an empty warehouse: making its macros anew takes a third of what loading a small company takes."""
    with tempfile.TemporaryDirectory() as folder:
        with Warehouse(Path(folder)) as warehouse, warehouse.transaction():
            create_macros(warehouse, "ouro")
        return warehouse.path.read_bytes()


@contextmanager
def read_books(payloads: Mapping[str, Any], empresa: Empresa | None = None) -> Iterator[ReadBooks]:
    """Land payloads, load them in memory and take the position, as `load_books` does without a file.

    Args:
        payloads: those of a company as `tests.golden.dataset` has it, with its days, accounts and parameters.
        empresa: where it is not that of these accounts and parameters.
    """
    empresa = empresa or make_empresa(payloads["contas"], payloads["parametros"])
    con = _memory()
    con.execute("BEGIN TRANSACTION")
    try:
        with tempfile.TemporaryDirectory() as folder:
            land(Path(folder), payloads)
            conformed = conform_run(con, [Path(folder)], 1)
        built = build_core(conformed, empresa)
        built = replace(built, core=order_as_stored(built.core))
        position = _take_position(built.core, empresa, payloads["data_base"], payloads["data_extracao"])
        yield ReadBooks(con, conformed, built, position)
    finally:
        con.execute("ROLLBACK")


def read_position(payloads: Mapping[str, Any]) -> Position:
    """Take the position of payloads."""
    with read_books(payloads) as read:
        return read.position


@cache
def read_company(seed: int) -> Position:
    """The position of a random company, whose odd seeds vary the parameters too; to be read only."""
    return read_position(company(seed, duplicatas=False))


def order_as_stored(core: Core) -> Core:
    """Bring rows into the order of the warehouse, which is that of the keys, and tags into lists, as it gives them."""
    frames = {item.name: getattr(core, item.name) for item in fields(Core)}
    ordered: dict[str, Any] = {
        name: frame.sort_values(list(TABLES[f"core.{name}"].key), ignore_index=True)
        for name, frame in frames.items()
        if isinstance(frame, pd.DataFrame)
    }
    linhas = ordered["linhas"]
    tags = pd.Series([list(tags) for tags in linhas["tags"]], index=linhas.index, dtype=object)
    return replace(core, **{**ordered, "linhas": linhas.assign(tags=tags)})


@cache
def _memory() -> duckdb.DuckDBPyConnection:
    """The empty tables of a warehouse in memory; every user takes back what it wrote."""
    con = duckdb.connect()
    con.execute("SET TimeZone = 'UTC'")
    con.execute("SET threads = 1")
    create_tables(con)
    return con


def _calendar_of(empresa: Empresa) -> BusinessCalendar:
    parametros = empresa.parametros
    return BusinessCalendar(frozenset(parametros.feriados_extras))


def _take_position(core: Core, empresa: Empresa, data_base: date, data_extracao: date) -> Position:
    return build_position(
        core,
        data_base=data_base,
        data_extracao=data_extracao,
        parametros=empresa.parametros,
        calendario=_calendar_of(empresa),
    )
