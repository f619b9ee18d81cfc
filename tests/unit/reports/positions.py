"""Positions for the report tests, made from payloads shaped as the service answers them, without network or DuckDB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, Final

import pandas as pd

from lastro.calendar import BusinessCalendar
from lastro.catalogue import Catalogue, build_catalogue
from lastro.reports.view import View
from lastro.schema.payloads import CATEGORIAS, CLIENTES, COBRANCAS, ITENS, LANCAMENTOS, PayloadSpec
from lastro.settings import Conta, Empresa, Parametros
from lastro.transform.position import Position, build_position
from tests.bare import build_core
from tests.books import make_conta, make_empresa
from tests.builders import days, make_conformed
from tests.golden import dataset
from tests.payloads import make_charge, make_entry

Payload = dict[str, Any]
LANCAMENTO: Payload = make_entry()
COBRANCA: Payload = make_charge(data_vencimento="2026-03-10")

MAPA: Final = {
    10: "receita_bruta", 20: "administrativas", 22: "pessoal", 23: "custos_variaveis", 24: "comerciais", 30: "fora",
}  # fmt: skip
"""A whole map of the golden company (R22)."""
_MADE: Final[dict[str, Position]] = {}
_MOST_MADE: Final = 50
_GOLDEN: Final[dict[tuple[str, bool, bool, str], Position]] = {}


def make_golden(
    forma: str = "A", *, anterior: bool = False, saldo_inicial: bool = False, **parametros: Any
) -> Position:
    """Build the golden position of section 5, optionally with other parameters; no report changes a position.

    `extensao=True` adds extension E, the year before (R19), `com_mesa=True` the entries of the payments desk.
    """
    key = (forma, anterior, saldo_inicial, repr(parametros))
    if key not in _GOLDEN:
        _GOLDEN[key] = _make_golden(forma, anterior=anterior, saldo_inicial=saldo_inicial, **parametros)
    return _GOLDEN[key]


@cache
def golden_catalogue(forma: str = "A") -> Catalogue:
    """The reports of the golden position, judged; to be read only."""
    return build_catalogue(View(make_golden(forma), make_empresa([], {})))


def _make_golden(
    forma: str,
    *,
    anterior: bool,
    saldo_inicial: bool,
    extensao: bool = False,
    com_mesa: bool = False,
    **parametros: Any,
) -> Position:
    payloads = dataset.payloads(
        forma, anterior=anterior, saldo_inicial=saldo_inicial, extensao=extensao, com_mesa=com_mesa
    )
    return position_of(payloads, **parametros)


def position_of(payloads: Payload, **parametros: Any) -> Position:
    """Build the position of a company by hand, as `tests.golden.dataset` has it, optionally with other parameters."""
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in payloads["parametros"].items()}
    given.pop("data_base", None)
    return make_position(
        payloads["lancamentos"],
        cobrancas=payloads["cobrancas"],
        categorias=payloads["categorias"],
        clientes=payloads["clientes"],
        fornecedores=payloads["fornecedores"],
        contas=[make_conta(conta) for conta in payloads["contas"]],
        parametros=Parametros(**{**given, **parametros}),
        data_base=payloads["data_base"],
        data_extracao=payloads["data_extracao"],
    )


def make_position(
    lancamentos: Iterable[Mapping[str, Any]],
    *,
    cobrancas: Iterable[Mapping[str, Any]] = (),
    categorias: Iterable[Mapping[str, Any]] | None = None,
    clientes: Iterable[Mapping[str, Any]] | None = None,
    fornecedores: Iterable[Mapping[str, Any]] | None = None,
    contas: Iterable[Conta] = (Conta(101, descricao="Banco Alfa", valor_saldo_inicial=Decimal("0.00")),),
    parametros: Parametros | None = None,
    data_base: date = dataset.DATA_BASE,
    data_extracao: date | None = None,
    observadas: Mapping[int, date] | None = None,
) -> Position:
    """Build a position from payloads; what a payload leaves out is empty, lists left out are the golden ones.

    The same payloads give the same position, to be read only.
    """
    given: dict[str, Any] = {
        "lancamentos": list(lancamentos),
        "cobrancas": list(cobrancas),
        "categorias": dataset.categorias() if categorias is None else list(categorias),
        "clientes": None if clientes is None else list(clientes),
        "fornecedores": None if fornecedores is None else list(fornecedores),
        "contas": list(contas),
        "parametros": parametros or Parametros(),
        "data_base": data_base,
        "data_extracao": data_extracao or data_base,
        "seen": {0: data_base, **(observadas or {})},
    }
    key = repr(given)
    if key not in _MADE:
        if len(_MADE) == _MOST_MADE:
            _MADE.clear()
        _MADE[key] = _make_position(**given)
    return _MADE[key]


def make_namesakes() -> tuple[Position, tuple[str, str]]:
    """A position of two customers whose names differ by case alone, who owe 9.00 and 5.00; and how each is told."""
    known = [one for one in dataset.pessoas() if one["cliente"]][:2]
    names = ("Tintas Boa Vista", "TINTAS BOA VISTA")
    people = [{**one, "nome": name, "email": "a@b.com"} for one, name in zip(known, names, strict=True)]
    entries = [
        {"id": number, "valor": valor, "pessoa_id": person["id"], "conta_id": 101, "categoria_id": 11,
         "data_vencimento": "2026-02-10"}
        for number, valor, person in zip((1, 2), ("9.00", "5.00"), people, strict=True)
    ]  # fmt: skip
    first, second = (f"{person['nome']} (#{person['id']})" for person in people)
    return make_position(entries, clientes=people, fornecedores=[]), (first, second)


def _make_position(
    lancamentos: list[Mapping[str, Any]],
    cobrancas: list[Mapping[str, Any]],
    categorias: list[Mapping[str, Any]],
    clientes: list[Mapping[str, Any]] | None,
    fornecedores: list[Mapping[str, Any]] | None,
    contas: list[Conta],
    parametros: Parametros,
    data_base: date,
    data_extracao: date,
    seen: Mapping[int, date],
) -> Position:
    rows = [{**LANCAMENTO, **row} for row in lancamentos]
    conformed = make_conformed(
        _lancamentos(rows),
        itens=_itens(rows),
        cobrancas=_cobrancas(cobrancas),
        categorias=_categorias(categorias),
        clientes=_pessoas("cliente", clientes),
        fornecedores=_pessoas("fornecedor", fornecedores),
    )
    empresa = Empresa("ouro", "Ouro", "https://servico.exemplo", "TOKEN", contas=tuple(contas), parametros=parametros)
    calendario = BusinessCalendar(frozenset(parametros.feriados_extras))
    return build_position(
        build_core(
            conformed,
            empresa,
            observadas=pd.DataFrame({"cobranca_id": list(seen), "data": days(*map(str, seen.values()))}),
        ).core,
        data_base=data_base,
        data_extracao=data_extracao,
        parametros=parametros,
        calendario=calendario,
    )


def entry(number: int, valor: str, due: str, paid: str | None = None, **more: Any) -> Payload:
    """An entry as the service answers it, of account 101 and category 11, of the month in which it falls due."""
    return {
        "id": number, "conta_id": 101, "categoria_id": 11, "valor": valor, "data_vencimento": due,
        "data_pagamento": paid, "data_competencia": due, **more,
    }  # fmt: skip


def moved(number: int, valor: str, day: str, *, paid: bool = True, **more: Any) -> Payload:
    """The same, paid on the day on which it falls due unless said."""
    return entry(number, valor, day, day if paid else None, **more)


def with_parametros(position: Position, **changes: Any) -> Position:
    """Exchange parameters that only the reports read."""
    return replace(position, parametros=replace(position.parametros, **changes))


def _read(spec: PayloadSpec, payload: Mapping[str, Any]) -> Payload:
    """Take what the rules read of a payload."""
    return {field.name: payload[field.name] for field in spec.fields if field.name in payload}


def _lancamentos(rows: list[Payload]) -> Iterator[Payload]:
    for row in rows:
        tags, items = [tag["id"] for tag in row["tags"]], len(row["itens_adicionais"])
        yield {**_read(LANCAMENTOS, row), "tags": tags, "qtde_itens": items}


def _itens(rows: list[Payload]) -> Iterator[Payload]:
    for row in rows:
        for place, nested in enumerate(row["itens_adicionais"]):
            tags = [tag["id"] for tag in nested["tags"]]
            yield {**_read(ITENS, nested), "de": row["id"], "posicao_item": place, "tags": tags}


def _cobrancas(rows: Iterable[Mapping[str, Any]]) -> Iterator[Payload]:
    for row in rows:
        read = _read(COBRANCAS, {**COBRANCA, **row})
        flags = {name: bool(read[name]) for name in ("cobrar_juros", "permitir_segunda_via")}
        yield {**read, **flags, "percentual_multa": Decimal(read["percentual_multa"])}


def _categorias(tree: Iterable[Mapping[str, Any]]) -> Iterator[Payload]:
    pending = list(tree)
    while pending:
        node = pending.pop()
        yield _read(CATEGORIAS, node)
        pending += node.get("categorias_filhas", [])


def _pessoas(role: str, rows: Iterable[Mapping[str, Any]] | None) -> list[Payload]:
    chosen = [row for row in dataset.pessoas() if row[role]] if rows is None else rows
    return [_read(CLIENTES, row) for row in chosen]
