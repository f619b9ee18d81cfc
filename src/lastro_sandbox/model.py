"""The records that the service keeps, as plain values.

Money is an ``int`` of centavos, signed as in the document (negative = expense, positive = revenue). Dates are ISO text
``YYYY-MM-DD``: such text orders like the date it names, is what the document exchanges, and costs nothing to print.
What a record looks like in an answer belongs to ``render``, what may be done to it to ``ledger`` and the modules of
operations.
"""

from __future__ import annotations

from dataclasses import dataclass, field

ITEM_OPTIONAL_FIELDS = (
    "centro_custo_lucro_id",
    "forma_pagamento_id",
    "pessoa_id",
    "tipo_custo_nivel_producao_id",
    "tipo_custo_apropriacao_produto_id",
)
"""Item fields that hold for the item only when it names them; otherwise those of the entry that carries it hold."""


@dataclass(slots=True)
class Entry:
    """One amount with one category: a simple entry, one leg of a transfer, or one member of a composite.

    ``item_de`` is the id of the entry that carries this item (None for an entry of its own); ``proprios`` names the
    optional fields that the item set for itself.
    """

    id: int
    conta_id: int | None
    categoria_id: int | None
    valor: int
    descricao: str
    data_vencimento: str
    data_pagamento: str | None = None
    data_competencia: str | None = None
    pessoa_id: int | None = None
    grupo_id: int | None = None
    lancamento_transferencia_id: int | None = None
    lancamento_composto_id: int | None = None
    item_de: int | None = None
    proprios: tuple[str, ...] = ()
    centro_custo_lucro_id: int | None = None
    tipo_custo_nivel_producao_id: int | None = None
    tipo_custo_apropriacao_produto_id: int | None = None
    forma_pagamento_id: int | None = None
    tipo_documento_id: int | None = None
    documento: str = ""
    observacao: str = ""
    pagamento_automatico: bool = False
    numero_repeticao: int | None = 1
    total_repeticoes: int | None = 1
    periodicidade: str | None = None
    infinito: bool = False
    pedido_id: int | None = None
    modified: str = "2020-01-01 00:00:00"
    tags: tuple[int, ...] = ()
    anexos: tuple[int, ...] = ()


@dataclass(slots=True)
class Charge:
    """A charge (cobrança). ``estado`` is the slug of its status; a cancelled charge keeps it and has a cancel date."""

    id: int
    conta_id: int
    cliente_id: int
    valor: int
    data_vencimento: str
    tipo_cobranca: str
    forma_pagamento_id: int
    estado: str = "pendente"
    valor_taxa: int = 0
    percentual_multa: int = 200
    cobrar_juros: int = 1
    valor_multa_juros: int = 0
    valor_pago: int | None = None
    instrucoes_boleto: str | None = None
    permitir_segunda_via: int = 1
    dias_para_emissao: int = 5
    lancamento_ids: tuple[int, ...] = ()
    lancamento_composto_id: int | None = None
    email: str | None = None
    data_a_transferir: str | None = None
    data_transferindo: str | None = None
    data_transferido: str | None = None
    data_cancelamento: str | None = None
    cobranca_hash: str = ""
    periodicidade: str | None = None
    parcelas: int | None = None
    grupo_id: int | None = None


@dataclass(slots=True)
class Category:
    """A category; ``tipo_categoria_id`` 0 mixed, 1 expense, 2 revenue."""

    id: int
    descricao: str
    cor: str = "#607D8B"
    parent_id: int | None = None
    ativo: bool = True
    tipo_categoria_id: int = 0


@dataclass(slots=True)
class Person:
    """A customer, a supplier, or both: one record, one id."""

    id: int
    nome: str
    cliente: bool = False
    fornecedor: bool = False
    nome_fantasia: str | None = None
    documento: str | None = None
    inscricao_estadual: str | None = None
    inscricao_municipal: str | None = None
    telefone: str | None = None
    endereco: str | None = None
    endereco_numero: str | None = None
    endereco_complemento: str | None = None
    bairro: str | None = None
    cep: str | None = None
    cidade_id: int | None = None
    estado_id: int | None = None
    email: str | None = None
    observacao: str | None = None
    banco_id: int | None = None
    agencia: str | None = None
    numero_conta: str | None = None
    ativo: bool = True
    classificacao_cliente_id: int | None = None
    classificacao_fornecedor_id: int | None = None
    anexos: tuple[int, ...] = ()


@dataclass(slots=True)
class Classification:
    """A classification of people; kinds are those of ``decisions.CLASSIFICATION_KINDS``."""

    id: int
    nome: str
    tipo_classificacao_id: int
    ativo: bool = True


@dataclass(slots=True)
class Account:
    """A bank account with its opening balance in centavos."""

    id: int
    descricao: str
    valor_saldo_inicial: int = 0
    data_saldo_inicial: str | None = None
    permite_lancamento: bool = True
    banco_id: int | None = None
    agencia: str | None = None
    numero: str | None = None
    nome_gerente: str | None = None
    telefone_gerente: str | None = None
    ativo: bool = True


@dataclass(slots=True)
class Attachment:
    """A stored file; ``dono`` is the kind of its owner (lancamento, transferencia, cliente, fornecedor)."""

    id: int
    dono: str
    dono_id: int
    filename: str
    content_type: str
    conteudo: bytes = field(repr=False)


@dataclass(slots=True)
class Named:
    """A reference record that the document mentions by id only: cost centre, payment method, tag, document type."""

    id: int
    descricao: str
    parent_id: int | None = None
    ativo: bool = True


def format_money(centavos: int) -> str:
    """Print centavos as the document writes decimals.

    >>> format_money(-1234505)
    '-12345.05'
    """
    sign = "-" if centavos < 0 else ""
    reais, cents = divmod(abs(centavos), 100)
    return f"{sign}{reais}.{cents:02d}"
