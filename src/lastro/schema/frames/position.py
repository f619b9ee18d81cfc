"""The frames as of a day D: the columns read, and the columns that depend on D (S3, S4, S5, S7, S8, S9)."""

from __future__ import annotations

from lastro.schema.derivation import DAY, FLAG, INTEGER, INTEGER_OR_NULL, OBJECT
from lastro.schema.frames.definition import Frame, FrameColumn
from lastro.schema.frames.stored import STORED

_STATE = (
    FrameColumn("pago", FLAG, "S3", "pago até D: data_pagamento existe e não é posterior a D"),
    FrameColumn(
        "data_prevista",
        DAY,
        "S3",
        "se em aberto, data_pagamento posterior à extração, senão data_vencimento; nula se pago",
        nullable=True,
    ),
)
_MES_COMPETENCIA = FrameColumn(
    "mes_competencia", DAY, "S4", "primeiro dia do mês de data_competencia_ef; nulo sem competência", nullable=True
)
_DATA_EFETIVA = FrameColumn(
    "data_efetiva",
    DAY,
    "S3",
    "data_prevista levada ao próximo dia útil, ou ao anterior para categorias_antecipam; nula se pago",
    nullable=True,
)
_DATA_PROJETADA = FrameColumn(
    "data_projetada",
    DAY,
    "S4",
    "dia em que conta nas projeções, nunca antes de D; nula se pago ou vencido",
    nullable=True,
)
_VENCIDO = FrameColumn("vencido", FLAG, "S8", "em aberto e data_ref anterior a D; transferências e valor zero nunca")

_LINHAS = (
    *_STATE,
    FrameColumn("caixa", FLAG, "S7", "pago, e não antes do início do controle da conta"),
    FrameColumn("fora_controle", FLAG, "S7", "pago antes do início do controle da conta: fora do caixa"),
    FrameColumn("mes_caixa", DAY, "S7", "primeiro dia do mês de data_pagamento; nulo se fora do caixa", nullable=True),
    _MES_COMPETENCIA,
    _DATA_EFETIVA,
    _DATA_PROJETADA,
    _VENCIDO,
    FrameColumn("classe", OBJECT, "S5", "Entradas, Saídas, Não operacional ou Transferências"),
)
_TITULOS = (
    *_STATE,
    _MES_COMPETENCIA,
    _DATA_EFETIVA,
    FrameColumn("data_ref", DAY, "S8", "data_prevista, ou data_efetiva com venc_regra dia_util", nullable=True),
    FrameColumn(
        "dias_de_atraso", INTEGER_OR_NULL, "S8", "D menos data_ref em dias corridos; nulo se pago", nullable=True
    ),
    _VENCIDO,
    FrameColumn("vence_hoje", FLAG, "S8", "em aberto e data_ref em D"),
    FrameColumn("a_vencer", FLAG, "S8", "em aberto e data_ref posterior a D"),
    FrameColumn("em_carencia", FLAG, "S8", "em aberto, data_prevista anterior a D e data_efetiva ainda não"),
    FrameColumn("faixa", OBJECT, "S8", "faixa de atraso por dias: A vencer, 1-30 .. >180; nula se pago", nullable=True),
    FrameColumn("suspeito", FLAG, "Q43", "em aberto, com um vencimento ou pagamento que parece mal digitado"),
    FrameColumn("situacao", OBJECT, "S8", "Pago, Agendado, Em carência, Vencido, Vence hoje ou A vencer"),
    _DATA_PROJETADA,
    FrameColumn("cobranca_id", INTEGER_OR_NULL, "S9", "cobrança viva de menor id; nula = sem cobrança", nullable=True),
    FrameColumn("cobranca_status", OBJECT, "S9", "situação dessa cobrança", nullable=True),
    FrameColumn("cobranca_link", OBJECT, "S9", "endereço público dessa cobrança", nullable=True),
    FrameColumn("cobranca_paga", FLAG, "S9", "alguma cobrança viva do título foi paga pelo cliente"),
    FrameColumn("dias_mora", INTEGER, "S8", "dias de mora até D, desde data_efetiva ou o vencimento da cobrança"),
    FrameColumn("multa_centavos", INTEGER, "S8", "multa estimada, sem sinal; nunca entra num fluxo"),
    FrameColumn("juros_centavos", INTEGER, "S8", "juros estimados, sem sinal; nunca entram num fluxo"),
    FrameColumn("caixa", FLAG, "S7", "alguma linha do título está no caixa"),
)

DERIVED = {"position.linhas": _LINHAS, "position.titulos": _TITULOS}
"""Frame -> the columns that follow from D; the others are those of the core frame of its name."""


def _derive(name: str) -> Frame:
    core = STORED[name.replace("position.", "core.")]
    return Frame(f"{core.grain}, na data-base", core.key, (*core.columns, *DERIVED[name]))


POSITION = {name: _derive(name) for name in DERIVED}
