"""Every field of every record that the service answers: how it is read and whether a rule cannot do without it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reading(StrEnum):
    """How a field is read. The strict kinds make a record unreadable; the lenient ones give null."""

    OWN_ID = "own_id"  # positive integer, required
    REFERENCE = "reference"  # integer; null, 0 and "" mean no link (S1)
    MONEY = "money"  # money text, required
    MONEY_OR_NULL = "money_or_null"
    DAY = "day"  # calendar date 1900-2199, required
    DAY_OR_NULL = "day_or_null"
    TEXT = "text"  # lenient from here on
    FLAG = "flag"
    INTEGER = "integer"
    DECIMAL = "decimal"
    INSTANT = "instant"


@dataclass(frozen=True)
class FieldSpec:
    """One field of a record.

    Attributes:
        name: name in the JSON.
        reading: how it is read.
        target: name of the conformed column; money columns get `_centavos`.
        needed: a rule cannot do without it: a record without the key is rejected, and a list in which no record has
            it is `SchemaDrift`.
    """

    name: str
    reading: Reading
    target: str
    needed: bool = False


def _field(name: str, reading: Reading, target: str | None = None, *, needed: bool = False) -> FieldSpec:
    return FieldSpec(name, reading, target or name, needed)


@dataclass(frozen=True)
class PayloadSpec:
    """The records of one list.

    Attributes:
        lista: name of the list.
        key: conformed name of the record's own id.
        fields: the fields that rules use.
        other: fields of the document that no rule uses; they stay in the payload and are not reported as unknown.
        nested: fields that hold arrays, read apart.
        optional: fields that may be absent without a word.
    """

    lista: str
    key: str
    fields: tuple[FieldSpec, ...]
    other: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        """Names that the document shows."""
        return frozenset([*(item.name for item in self.fields), *self.other, *self.nested])


INHERITED_IF_ABSENT = (
    "centro_custo_lucro_id",
    "pessoa_id",
    "forma_pagamento_id",
    "tipo_documento_id",
    "tipo_custo_nivel_producao_id",
    "tipo_custo_apropriacao_produto_id",
)
"""Fields of a nested item that come from its row only where the key is absent (S2.3)."""

LANCAMENTOS = PayloadSpec(
    "lancamentos",
    "lancamento_id",
    (
        _field("id", Reading.OWN_ID, "lancamento_id", needed=True),
        _field("valor", Reading.MONEY, needed=True),
        _field("data_vencimento", Reading.DAY, needed=True),
        _field("data_pagamento", Reading.DAY_OR_NULL, needed=True),
        _field("data_competencia", Reading.DAY_OR_NULL, needed=True),
        _field("conta_id", Reading.REFERENCE, needed=True),
        _field("categoria_id", Reading.REFERENCE, needed=True),
        _field("lancamento_transferencia_id", Reading.REFERENCE, needed=True),
        _field("lancamento_composto_id", Reading.REFERENCE),
        _field("grupo_id", Reading.REFERENCE),
        *(_field(name, Reading.REFERENCE) for name in INHERITED_IF_ABSENT),
        _field("pedido_id", Reading.REFERENCE),
        _field("descricao", Reading.TEXT),
        _field("documento", Reading.TEXT),
        _field("observacao", Reading.TEXT),
        _field("periodicidade", Reading.TEXT),
        _field("numero_repeticao", Reading.INTEGER),
        _field("total_repeticoes", Reading.INTEGER),
        _field("pagamento_automatico", Reading.FLAG),
        _field("modified", Reading.INSTANT),
    ),
    other=("tipo_lancamento_id", "anexos"),
    nested=("itens_adicionais", "tags"),
)
ITENS = PayloadSpec(
    "itens_adicionais",
    "item_id",
    (
        _field("id", Reading.OWN_ID, "item_id", needed=True),
        _field("valor", Reading.MONEY, needed=True),
        _field("categoria_id", Reading.REFERENCE, needed=True),
        _field("lancamento_composto_id", Reading.REFERENCE),
        *(_field(name, Reading.REFERENCE) for name in INHERITED_IF_ABSENT),
        _field("descricao", Reading.TEXT),
    ),
    nested=("tags",),
    optional=INHERITED_IF_ABSENT,
)
COBRANCAS = PayloadSpec(
    "cobrancas",
    "cobranca_id",
    (
        _field("id", Reading.OWN_ID, "cobranca_id", needed=True),
        _field("valor", Reading.MONEY, needed=True),
        _field("data_vencimento", Reading.DAY, needed=True),
        _field("status_descricao", Reading.TEXT, needed=True),
        _field("data_cancelamento", Reading.DAY_OR_NULL, needed=True),
        _field("lancamento_ids", Reading.TEXT, needed=True),
        _field("valor_pago", Reading.MONEY_OR_NULL, needed=True),
        _field("valor_taxa", Reading.MONEY_OR_NULL),
        _field("valor_multa_juros", Reading.MONEY_OR_NULL),
        _field("percentual_multa", Reading.DECIMAL),
        _field("cobrar_juros", Reading.FLAG),
        _field("permitir_segunda_via", Reading.FLAG),
        _field("instrucoes_boleto", Reading.TEXT),
        _field("forma_pagamento_id", Reading.REFERENCE),
        _field("cliente_id", Reading.REFERENCE, "pessoa_id"),
        _field("conta_id", Reading.REFERENCE),
        _field("email", Reading.TEXT),
        _field("data_a_transferir", Reading.DAY_OR_NULL),
        _field("data_transferindo", Reading.DAY_OR_NULL),
        _field("data_transferido", Reading.DAY_OR_NULL),
        _field("status_id", Reading.REFERENCE),
        _field("cobranca_hash", Reading.TEXT),
        _field("link_publico", Reading.TEXT),
    ),
)
CATEGORIAS = PayloadSpec(
    "categorias",
    "categoria_id",
    (
        _field("id", Reading.OWN_ID, "categoria_id", needed=True),
        _field("descricao", Reading.TEXT),
        _field("tipo_categoria_id", Reading.INTEGER, needed=True),
        _field("parent_id", Reading.REFERENCE),
        _field("ativo", Reading.FLAG),
    ),
    other=("cor",),
    nested=("categorias_filhas",),
)
_PESSOA_FIELDS = (
    _field("id", Reading.OWN_ID, "pessoa_id", needed=True),
    _field("nome", Reading.TEXT),
    _field("nome_fantasia", Reading.TEXT),
    _field("documento", Reading.TEXT),
    _field("email", Reading.TEXT),
    _field("telefone", Reading.TEXT),
    _field("banco_id", Reading.TEXT),
    _field("agencia", Reading.TEXT),
    _field("numero_conta", Reading.TEXT),
    _field("cliente", Reading.FLAG),
    _field("fornecedor", Reading.FLAG),
    _field("ativo", Reading.FLAG),
    _field("classificacao_cliente_id", Reading.INTEGER),
)
_PESSOA_OTHER = (
    "inscricao_estadual",
    "inscricao_municipal",
    "endereco",
    "endereco_numero",
    "endereco_complemento",
    "bairro",
    "cep",
    "cidade_id",
    "estado_id",
    "observacao",
    "estado",
    "cidade",
    "classificacao_fornecedor_id",
    "anexos",
)
CLIENTES = PayloadSpec("clientes", "pessoa_id", _PESSOA_FIELDS, _PESSOA_OTHER)
FORNECEDORES = PayloadSpec("fornecedores", "pessoa_id", _PESSOA_FIELDS, _PESSOA_OTHER)
CLASSIFICACOES = PayloadSpec(
    "classificacoes",
    "classificacao_id",
    (
        _field("id", Reading.OWN_ID, "classificacao_id", needed=True),
        _field("nome", Reading.TEXT),
        _field("tipo_classificacao_id", Reading.INTEGER),
        _field("ativo", Reading.FLAG),
    ),
)
CONTAS = PayloadSpec(
    "contas",
    "conta_id",
    (
        _field("id", Reading.OWN_ID, "conta_id"),
        _field("descricao", Reading.TEXT),
        _field("ativo", Reading.FLAG),
        _field("permite_lancamento", Reading.FLAG),
    ),
    other=("saldo", "banco_id", "agencia", "numero", "data_saldo_inicial", "valor_saldo_inicial", "tipo_conta_id"),
)
_NOME_FIELDS = (
    _field("id", Reading.OWN_ID),
    _field("descricao", Reading.TEXT),
    _field("nome", Reading.TEXT),
)
NOMES = {
    "centros": PayloadSpec("centros_custo_lucro", "id", _NOME_FIELDS, nested=("centros_custo_lucro_filhos",)),
    "formas": PayloadSpec("formas_pagamento", "id", _NOME_FIELDS),
    "tags": PayloadSpec("tags", "id", _NOME_FIELDS),
    "tipos_documento": PayloadSpec("tipos_documento", "id", _NOME_FIELDS),
}
"""The lists that the document does not show and some services answer (manual: servico)."""
