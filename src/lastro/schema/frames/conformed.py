"""The frames of a run's records, typed and checked, before any rule: what `Conformed` holds."""

from __future__ import annotations

from lastro.schema.derivation import (
    CENTAVOS,
    DAY,
    FLAG,
    FLAG_OR_NULL,
    INTEGER,
    INTEGER_OR_NULL,
    NOT_NULL_DTYPES,
    OBJECT,
)
from lastro.schema.frames.definition import Frame, FrameColumn
from lastro.schema.payloads import (
    CATEGORIAS,
    CLIENTES,
    COBRANCAS,
    CONTAS,
    FORNECEDORES,
    INHERITED_IF_ABSENT,
    ITENS,
    LANCAMENTOS,
    FieldSpec,
    PayloadSpec,
    Reading,
)

_DTYPES = {
    Reading.OWN_ID: INTEGER,
    Reading.REFERENCE: INTEGER_OR_NULL,
    Reading.MONEY: INTEGER,
    Reading.MONEY_OR_NULL: INTEGER_OR_NULL,
    Reading.DAY: DAY,
    Reading.DAY_OR_NULL: DAY,
    Reading.TEXT: OBJECT,
    Reading.FLAG: FLAG_OR_NULL,
    Reading.INTEGER: INTEGER_OR_NULL,
    Reading.DECIMAL: OBJECT,
    Reading.INSTANT: DAY,
}
_REQUIRED = (Reading.OWN_ID, Reading.MONEY, Reading.DAY)
_ENTRY = FrameColumn("lancamento_id", INTEGER)
_TAGS = FrameColumn("tags", OBJECT)
_QTDE_ITENS = FrameColumn("qtde_itens", INTEGER)


def derive_column(field: FieldSpec, *, filled: bool = False) -> FrameColumn:
    """Derive the column of a field as it is read; `filled`: a missing value has a default (S1, S12)."""
    dtype = _DTYPES[field.reading]
    money = field.reading in (Reading.MONEY, Reading.MONEY_OR_NULL)
    return FrameColumn(
        field.target + CENTAVOS if money else field.target,
        NOT_NULL_DTYPES.get(dtype, dtype) if filled else dtype,
        nullable=not filled and field.reading not in _REQUIRED,
    )


def _derive(spec: PayloadSpec, grain: str, *more: FrameColumn, filled: tuple[str, ...] = ()) -> Frame:
    columns = tuple(derive_column(field, filled=field.target in filled) for field in spec.fields)
    return Frame(grain, (spec.key,), (*columns, *more))


_LANCAMENTOS = _derive(LANCAMENTOS, "um lançamento", _TAGS, _QTDE_ITENS, filled=("pagamento_automatico",))
_ITENS = Frame(
    "um item de um lançamento",
    ("lancamento_id", "item_id"),
    (
        *(derive_column(field) for field in ITENS.fields),
        _ENTRY,
        FrameColumn("posicao_item", INTEGER),
        *(FrameColumn(f"tem_{name}", FLAG) for name in INHERITED_IF_ABSENT),
        _TAGS,
    ),
)
_FLAGS_OF_A_PERSON = ("cliente", "fornecedor", "ativo")

CONFORMED = {
    "conformed.lancamentos": _LANCAMENTOS,
    "conformed.itens": _ITENS,
    "conformed.detalhes": _LANCAMENTOS,
    "conformed.detalhes_itens": _ITENS,
    "conformed.cobrancas": _derive(
        COBRANCAS,
        "uma cobrança",
        filled=("cobrar_juros", "permitir_segunda_via", "valor_taxa", "valor_multa_juros"),
    ),
    "conformed.categorias": _derive(CATEGORIAS, "uma categoria", filled=("ativo",)),
    "conformed.clientes": _derive(CLIENTES, "um cliente", filled=_FLAGS_OF_A_PERSON),
    "conformed.fornecedores": _derive(FORNECEDORES, "um fornecedor", filled=_FLAGS_OF_A_PERSON),
    "conformed.contas": _derive(CONTAS, "uma conta da lista do serviço", filled=("ativo", "permite_lancamento")),
}
