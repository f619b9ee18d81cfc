"""What the desks keep for SQL: views of `mart`, made of the same values as their sheets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lastro.desk.desks import PESSOA
from lastro.desk.promises import Promise
from lastro.grid.cells import Kind
from lastro.grid.model import Column, Table
from lastro.money import to_decimal

_PROMISES: Final = (
    Column("Pessoa id", Kind.INTEGER),
    Column("Título id", Kind.INTEGER, key="titulo_id"),
    Column("Feita em", Kind.DATE),
    Column("Dia", Kind.DATE),
    Column("Valor", Kind.MONEY),
    Column("Recebido", Kind.MONEY),
    Column("Estado", Kind.TEXT),
    Column("Tudo", Kind.BOOLEAN),
)


def list_promises(promises: Sequence[Promise]) -> Table:
    """List every promise: of a customer or of a título, amounts positive; by the day promised."""
    rows = [
        (
            *((one.key[1], None) if one.key[0] == PESSOA else (None, one.key[1])),
            one.feita,
            one.dia,
            None if one.valor is None else to_decimal(one.valor),
            to_decimal(one.recebido),
            one.estado,
            one.tudo,
        )
        for one in promises
    ]
    return Table(
        "promessas", _PROMISES, rows, "Cobrança: uma promessa de um cliente ou de um título, e o que veio dela"
    )
