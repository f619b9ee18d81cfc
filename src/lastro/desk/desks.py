"""The desks that there are: which rows each has, and what is typed into them."""

from __future__ import annotations

from typing import Final

from lastro.desk.model import Desk, Field, RowKind
from lastro.grid.cells import Kind
from lastro.run.names import COBRANCA as CALLS
from lastro.run.names import PAGAMENTOS as PAYMENTS

PESSOA, TITULO = "pessoa", "titulo"
PAGAR, CONTA, EXTRATO = "pagar", "conta", "extrato"
_RESPONSIBLE, _NOTE = Field("responsavel", "Responsável", Kind.TEXT, 16), Field("anotacao", "Anotação", Kind.TEXT)
_CALLED: Final = (
    Field("resultado", "Resultado", Kind.TEXT, 18, daily=True),
    Field("promessa", "Promessa", Kind.DATE, 12),
    Field("valor_prometido", "Valor prometido", Kind.MONEY, 15),
    Field("proximo_contato", "Próximo contato", Kind.DATE, 12),
    _RESPONSIBLE,
    _NOTE,
)
COBRANCA: Final = Desk(
    CALLS,
    (
        RowKind(PESSOA, "pessoa_id", "cliente", _CALLED, labels=("cliente",)),
        RowKind(TITULO, "titulo_id", "título", _CALLED, labels=("cliente", "documento", "descrição")),
    ),
    frozenset({"Fila", "Títulos"}),
)
"""Whom to ask for money; key 0 of PESSOA is the row of those without a person."""
PAGAMENTOS: Final = Desk(
    PAYMENTS,
    (
        RowKind(
            PAGAR,
            "titulo_id",
            "título",
            (
                Field("pagar_em", "Pagar em", Kind.DATE, 15),
                Field("adiar_para", "Adiar para", Kind.DATE, 15),
                Field("conta", "Conta", Kind.TEXT, 16),
                _RESPONSIBLE,
                Field("aprovado_por", "Aprovado por", Kind.TEXT, 14),
                _NOTE,
                Field("resposta", "Resposta", Kind.TEXT, 18),
                # On *Já pagos*, where there is no other one, its header is `Aprovado por`.
                Field("resposta_aprovada_por", "Resposta aprovada por", Kind.TEXT, 14),
            ),
            labels=("fornecedor", "descrição", "documento"),
            amount="a pagar",
            paid=("vencimento", "conta do título"),
        ),
        RowKind(
            CONTA,
            "conta_id",
            "conta",
            (
                Field("extrato_em", "Extrato em", Kind.DATE, 12, past=True),
                Field("saldo_no_extrato", "Saldo no extrato", Kind.MONEY, 16, signed=True),
            ),
            holds=False,
            labels=("conta",),
        ),
        RowKind(
            EXTRATO,
            "extrato_id",
            "linha do extrato",
            (Field("titulo", "Título", Kind.INTEGER, 10), Field("ignorar", "Ignorar", Kind.TEXT, 9), _NOTE),
        ),
    ),
    frozenset({"Decidir", "Já pagos", "Contas"}),
)
"""What is paid, when and from which account; PAGAR is a payable, EXTRATO a line of a statement without books."""
DESKS: Final = (COBRANCA, PAGAMENTOS)
