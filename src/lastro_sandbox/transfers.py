"""Creates, edits and deletes transfers: two linked entries with opposite signs, settled on the day of the transfer."""

from __future__ import annotations

from typing import Any

from lastro_sandbox.decisions import TEXT_MAX
from lastro_sandbox.entries import remove_with_belongings
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Entry
from lastro_sandbox.operations import Call, Operation, Param, Service
from lastro_sandbox.params import Params
from lastro_sandbox.reading import find_transfer
from lastro_sandbox.render import render_transfer


def _read_transfer(books: Books, params: Params) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read the body of a transfer into the fields of its source leg and of its target leg.

    Raises:
        Refused: 422 with every mistake; all five fields are required and the amount is positive.
    """
    params.require("descricao", "valor", "data", "conta_origem_id", "conta_destino_id")
    text = params.text("descricao", maximum=TEXT_MAX)
    amount, day = params.centavos("valor"), params.date("data")
    source, target = params.integer("conta_origem_id"), params.integer("conta_destino_id")
    if amount is not None and amount <= 0:
        params.fail("valor", "deve ser sempre positivo")
    for name, account in (("conta_origem_id", source), ("conta_destino_id", target)):
        if account is not None and account not in books.contas:
            params.fail(name, "não existe")
    if source is not None and source == target:
        params.fail("conta_destino_id", "deve ser diferente de conta_origem_id")
    params.check()
    if text is None or amount is None or day is None:
        raise AssertionError("check refuses a transfer without its required fields")
    scheduled = day > books.hoje
    both: dict[str, Any] = {
        "descricao": text,
        "data_vencimento": day,
        "data_pagamento": None if scheduled else day,
        "data_competencia": day,
        "pagamento_automatico": scheduled,
        "modified": books.tick(),
    }
    return both | {"conta_id": source, "valor": -amount}, both | {"conta_id": target, "valor": amount}


def create_transfer(service: Service, call: Call) -> Any:
    """Answer POST /v1/transferencias."""
    books = service.books
    source, target = _read_transfer(books, call.params)
    first, second = books.new_id("lancamentos"), books.new_id("lancamentos")
    legs = [
        books.add_entry(Entry(id=first, categoria_id=None, lancamento_transferencia_id=second, **source)),
        books.add_entry(Entry(id=second, categoria_id=None, lancamento_transferencia_id=first, **target)),
    ]
    return render_transfer(service, legs)


def edit_transfer(service: Service, call: Call) -> Any:
    """Answer PUT /v1/transferencias/:id."""
    books = service.books
    legs = find_transfer(books, call.ids[0])
    for leg, fields in zip(legs, _read_transfer(books, call.params), strict=True):
        books.change_entry(leg, **fields)
    return render_transfer(service, legs)


def delete_transfer(service: Service, call: Call) -> Any:
    """Answer DELETE /v1/transferencias/:id."""
    remove_with_belongings(service.books, find_transfer(service.books, call.ids[0])[0])
    return True


_BODY = (
    Param("descricao", required=True),
    Param("valor", "decimal", required=True, positive=True, text="always positive"),
    Param("data", "date", required=True, text="a future date schedules the transfer"),
    Param("conta_origem_id", "integer", required=True, refers="contas"),
    Param("conta_destino_id", "integer", required=True, refers="contas"),
)

TRANSFER_OPERATIONS = (
    Operation("POST", "/v1/transferencias", create_transfer, "criar_transferencia", "Create a transfer",
              "transferencias", body=_BODY, schema="transferencia", array=True),
    Operation("PUT", "/v1/transferencias/{id}", edit_transfer, "editar_transferencia", "Edit a transfer",
              "transferencias", body=_BODY, schema="transferencia", array=True),
    Operation("DELETE", "/v1/transferencias/{id}", delete_transfer, "excluir_transferencia", "Delete a transfer",
              "transferencias", schema="verdadeiro"),
)  # fmt: skip
