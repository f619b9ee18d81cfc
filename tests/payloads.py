"""Records as the service answers them, every field there and nothing in it.

Plain values and the standard library alone, so that what is worked by hand may begin from them too.
"""

from __future__ import annotations

import copy
from typing import Any

Payload = dict[str, Any]
_ENTRY: Payload = {
    **dict.fromkeys((
        "id", "grupo_id", "lancamento_transferencia_id", "categoria_id", "centro_custo_lucro_id",
        "tipo_custo_nivel_producao_id", "tipo_custo_apropriacao_produto_id", "conta_id", "forma_pagamento_id",
        "pessoa_id", "tipo_documento_id",
    )),
    "descricao": "", "documento": "", "data_vencimento": None, "data_pagamento": None, "data_competencia": None,
    "valor": "0.00", "observacao": "", "pagamento_automatico": False,
    **dict.fromkeys((
        "numero_repeticao", "total_repeticoes", "periodicidade", "pedido_id", "lancamento_composto_id", "modified",
    )),
    "anexos": [], "tags": [], "itens_adicionais": [],
}  # fmt: skip
_CHARGE: Payload = {
    "id": None, "valor": "0.00", "valor_taxa": "0.00", "percentual_multa": "2.00", "cobrar_juros": 1,
    "valor_multa_juros": "0.00", "valor_pago": None, "instrucoes_boleto": None, "permitir_segunda_via": 1,
    "lancamento_ids": "", "forma_pagamento_id": None, "cliente_id": None, "conta_id": 101, "email": None,
    **dict.fromkeys((
        "data_vencimento", "data_a_transferir", "data_transferindo", "data_transferido", "data_cancelamento",
    )),
    "status_id": 1, "status_descricao": "Pendente", "cobranca_hash": "", "link_publico": "",
}  # fmt: skip
_PERSON: Payload = {
    **dict.fromkeys((
        "id", "nome", "nome_fantasia", "documento", "inscricao_estadual", "inscricao_municipal", "telefone", "endereco",
        "endereco_numero", "endereco_complemento", "bairro", "cep", "cidade_id", "estado_id", "email", "observacao",
    )),
    "fornecedor": False, "cliente": False, "banco_id": None, "agencia": None, "numero_conta": None, "ativo": True,
    **dict.fromkeys(("estado", "cidade", "classificacao_cliente_id", "classificacao_fornecedor_id")), "anexos": [],
}  # fmt: skip


def make_entry(**fields: Any) -> Payload:
    """An entry of `GET /v1/lancamentos`."""
    return {**copy.deepcopy(_ENTRY), **fields}


def make_charge(**fields: Any) -> Payload:
    """A charge of `GET /v1/cobrancas`, pending, of account 101, with the usual fine and interest."""
    return {**_CHARGE, **fields}


def make_person(**fields: Any) -> Payload:
    """A person of `GET /v1/clientes` or `/v1/fornecedores`."""
    return {**copy.deepcopy(_PERSON), **fields}
