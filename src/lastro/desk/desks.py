"""The desks that there are: which rows each has, and what is typed into them."""

from __future__ import annotations

from typing import Final

from lastro.desk.model import Desk, Field, RowKind
from lastro.grid.cells import Kind
from lastro.run import names

PESSOA, TITULO = "pessoa", "titulo"
_CALLED: Final = (
    Field("resultado", "Resultado", Kind.TEXT),
    Field("promessa", "Promessa", Kind.DATE),
    Field("valor_prometido", "Valor prometido", Kind.MONEY),
    Field("proximo_contato", "Próximo contato", Kind.DATE),
    Field("responsavel", "Responsável", Kind.TEXT),
    Field("anotacao", "Anotação", Kind.TEXT),
)
COBRANCA: Final = Desk(
    names.COBRANCA,
    (
        RowKind(PESSOA, "pessoa_id", "cliente", _CALLED),
        RowKind(TITULO, "titulo_id", "título", _CALLED),
    ),
    frozenset({"Fila", "Títulos"}),
    ("cliente", "documento", "descrição"),
)
"""Whom to ask for money; key 0 of PESSOA is the row of those without a person."""
DESKS: Final = (COBRANCA,)
