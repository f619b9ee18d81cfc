"""What changed between two reports (R14): the fields that are compared, the types of change, what one knows of both.

Belongs here: what a comparison holds. Does not belong here: which linha is the same and what differs in it
(`lastro.warehouse.file.changes`), and rows and columns of the sheet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

if TYPE_CHECKING:
    from lastro.transform.labels import Labels
    from lastro.transform.position import Position

EXCLUIDO, NOVO, ESTORNADO, LIQUIDADO, OUTROS = "EXCLUIDO", "NOVO", "ESTORNADO", "LIQUIDADO", "OUTROS"
FIELDS: Final = {
    "valor": ("VALOR", "Valor"),
    "data_vencimento": ("VENCIMENTO", "Vencimento"),
    "data_pagamento": ("PAGAMENTO", "Pagamento"),
    "data_competencia": ("COMPETENCIA", "Competência"),
    "categoria_id": ("CATEGORIA", "Categoria"),
    "conta_id": ("CONTA", "Conta"),
    "pessoa_id": ("PESSOA", "Pessoa"),
    "centro_custo_lucro_id": ("CENTRO", "Centro"),
    "descricao": (OUTROS, "Descrição"),
    "documento": (OUTROS, "Documento"),
    "observacao": (OUTROS, "Observação"),
    "forma_pagamento_id": (OUTROS, "Forma"),
    "tipo_documento_id": (OUTROS, "Tipo de documento"),
    "tipo_custo_nivel_producao_id": (OUTROS, "Custo por nível de produção"),
    "tipo_custo_apropriacao_produto_id": (OUTROS, "Custo apropriado ao produto"),
    "grupo_id": (OUTROS, "Grupo"),
    "numero_repeticao": (OUTROS, "Parcela"),
    "total_repeticoes": (OUTROS, "Total de parcelas"),
    "periodicidade": (OUTROS, "Periodicidade"),
    "pedido_id": (OUTROS, "Pedido"),
    "lancamento_transferencia_id": (OUTROS, "Transferência"),
    "pagamento_automatico": (OUTROS, "Automático"),
    "tags": (OUTROS, "Tags"),
}
"""Compared field of a linha -> type of the change (R14) and its printed name; types in the order of their priority."""
SITUACAO: Final = "pago"
"""What is told of a payment that was made or undone without another day: only D says so."""
TYPES: Final = (EXCLUIDO, NOVO, ESTORNADO, LIQUIDADO, *dict.fromkeys(tipo for tipo, _ in FIELDS.values()))
"""Types in the order of their priority: a linha counts once, by the first that holds."""
VENCEU_RECEBER, VENCEU_PAGAR = "VENCEU_RECEBER", "VENCEU_PAGAR"
BRIDGE: Final = {
    "aberto_a": "Em aberto no relatório anterior",
    "novos_abertos": "+ Novos em aberto",
    "excluidos_abertos": "- Excluídos que estavam em aberto",
    "liquidados": "- Liquidados (pelo valor anterior)",
    "estornados": "+ Estornados (pelo valor atual)",
    "mudanca_de_valor": "+ Mudança de valor dos que seguem em aberto",
    "aberto_b": "= Em aberto agora",
}
"""Lines of the portfolio bridge; every amount has the sign with which it adds."""
COMPETENCIA, CAIXA = "Competência", "Caixa"
"""How a closed month is read: by competence without what is outside the result, or by payment as the account has it."""


@dataclass(frozen=True)
class Comparison:
    """The previous report held against this one (R14): of both the little that tells them apart.

    Attributes:
        data_base: D of the previous report.
        rotulos: its names.
        fechado_ate: last day that was closed when it was issued (`find_closing`).
        mudadas: one row per changed linha and field, `lugar` 1 being the first of its linha; those of closed months
            first, then the larger impact (`lastro.warehouse.file.changes`).
        ponte: lines of `BRIDGE`, as each adds.
        meses: closed months that are not the same: mes, regime, antes, depois, diferenca, explicado, linhas.
        explicam: the linhas that explain them: mes, regime, tipo, linha_id, descricao, antes, depois, diferenca
            (centavos), em_b.
        vencidos: what the previous report had as late (`find_late`): titulo_id, tipo, valor_centavos.
        cobrancas: charges whose status changed (`find_changed_charges`).
        remapeadas: how many of its linhas the map of now counts otherwise than the map of then.
    """

    data_base: date
    rotulos: Labels
    fechado_ate: date
    mudadas: pd.DataFrame
    ponte: Mapping[str, Decimal]
    meses: Sequence[tuple[date, str, Decimal, Decimal, Decimal, Decimal, int]]
    explicam: pd.DataFrame
    vencidos: pd.DataFrame
    cobrancas: pd.DataFrame
    remapeadas: int


def find_late(position: Position) -> pd.DataFrame:
    """Find the títulos that are overdue and cannot be settled any more without charges (S8: vencido efetivo).

    Of receivables without those `fora_resultado` (S9), as in all figures of them.
    """
    titulos = position.titulos
    late = titulos["vencido"] & ~titulos["em_carencia"]
    return titulos[late & ~(titulos["fora_resultado"] & (titulos["tipo"] == "R"))]


def find_changed_charges(position: Position, before: Position) -> pd.DataFrame:
    """Find the charges whose status changed, by id; `status_antes` is the earlier one."""
    old = before.cobrancas[["cobranca_id", "status"]]
    both = position.cobrancas.merge(old, on="cobranca_id", suffixes=("", "_antes"), validate="1:1")
    return both[both["status"] != both["status_antes"]].sort_values("cobranca_id")
