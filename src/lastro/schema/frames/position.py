"""The frames as of a day D: the columns read, and the columns that depend on D (S3, S4, S5, S7, S8, S9)."""

from __future__ import annotations

from lastro.schema.derivation import DAY, FLAG, INTEGER, INTEGER_OR_NULL, OBJECT
from lastro.schema.frames.definition import Frame, FrameColumn
from lastro.schema.frames.stored import STORED

_STATE = (
    FrameColumn("pago", FLAG, means="S3: pago até D: data_pagamento existe e não é posterior a D"),
    FrameColumn("data_prevista", DAY, nullable=True),
)
_MES_COMPETENCIA = FrameColumn("mes_competencia", DAY, nullable=True)
_DATA_EFETIVA = FrameColumn("data_efetiva", DAY, nullable=True)
_DATA_PROJETADA = FrameColumn("data_projetada", DAY, nullable=True)
_VENCIDO = FrameColumn(
    "vencido", FLAG, means="S8: em aberto e data_ref anterior a D; transferências e valor zero nunca"
)

_LINHAS = (
    *_STATE,
    FrameColumn("caixa", FLAG),
    FrameColumn("fora_controle", FLAG),
    FrameColumn("mes_caixa", DAY, nullable=True),
    _MES_COMPETENCIA,
    _DATA_EFETIVA,
    _DATA_PROJETADA,
    _VENCIDO,
    FrameColumn("classe", OBJECT),
)
_TITULOS = (
    *_STATE,
    _MES_COMPETENCIA,
    _DATA_EFETIVA,
    FrameColumn("data_ref", DAY, nullable=True),
    FrameColumn("dias_de_atraso", INTEGER_OR_NULL, nullable=True),
    _VENCIDO,
    FrameColumn("vence_hoje", FLAG),
    FrameColumn("a_vencer", FLAG, means="S8: em aberto e data_ref posterior a D"),
    FrameColumn("em_carencia", FLAG, means="S8: em aberto, data_prevista anterior a D e data_efetiva ainda não"),
    FrameColumn("faixa", OBJECT, nullable=True),
    FrameColumn("suspeito", FLAG),
    FrameColumn("situacao", OBJECT, means="S8: Pago, Agendado, Em carência, Vencido, Vence hoje ou A vencer"),
    _DATA_PROJETADA,
    FrameColumn(
        "cobranca_id", INTEGER_OR_NULL, nullable=True, means="S9: cobrança viva de menor id; nula = sem cobrança"
    ),
    FrameColumn("cobranca_status", OBJECT, nullable=True),
    FrameColumn("cobranca_link", OBJECT, nullable=True),
    FrameColumn("cobranca_paga", FLAG),
    FrameColumn("dias_de_mora", INTEGER),
    FrameColumn("multa_centavos", INTEGER),
    FrameColumn("juros_centavos", INTEGER),
    FrameColumn("caixa", FLAG, means="S7: alguma linha do título está no caixa"),
)

DERIVED = {"position.linhas": _LINHAS, "position.titulos": _TITULOS}
"""Frame -> the columns that follow from D; the others are those of the core frame of its name."""


def _derive(name: str) -> Frame:
    core = STORED[name.replace("position.", "core.")]
    return Frame(f"{core.grain}, na data-base", core.key, (*core.columns, *DERIVED[name]))


POSITION = {name: _derive(name) for name in DERIVED}
