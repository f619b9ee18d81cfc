"""The collection ladder of receivables (R10), and how a document is shown that only its owner should know.

Belongs here: on which step a título stands. Does not belong here: the steps themselves (the settings).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

import numpy as np
import pandas as pd

from lastro.settings import DAR_BAIXA, LEMBRETE
from lastro.transform.charges import find_repasses
from lastro.transform.position import Position

SEM_ETAPA: Final = ""
REMINDER_DAYS: Final = 3
"""Before the due day, from when on the ladder reminds."""
_CPF, _CNPJ = re.compile(r"^\d{11}$"), re.compile(r"^[0-9A-Z]{12}\d{2}$")
_NOISE = re.compile(r"[^0-9A-Za-z]")


def list_steps(position: Position) -> tuple[str, ...]:
    """List the steps of the ladder from harmless to worst; a person stands where the worst of its títulos stands."""
    return SEM_ETAPA, DAR_BAIXA, LEMBRETE, *(etapa.nome for etapa in position.parametros.regua)


def leave_returned(abertos: pd.DataFrame, devolvidos: Iterable[int]) -> pd.DataFrame:
    """Return open títulos of which a paid charge is none where its money came and went back (S20): it is owed."""
    back = abertos["titulo_id"].isin([*devolvidos])
    return abertos.assign(cobranca_paga=abertos["cobranca_paga"] & ~back)


def find_steps(position: Position, abertos: pd.DataFrame) -> pd.Series:
    """Place open receivables on the collection ladder (R10).

    Args:
        position: gives D and the charges.
        abertos: open receivables of `position.titulos`.

    Returns:
        Position of the step in `list_steps`, aligned with `abertos`. With a live charge the days count from its due
        date (S8); a título with a paid charge has to be written off ("Dar baixa"), whatever its age; one whose
        day looks mistyped is on no step until it is corrected (Q43), and what an acquirer passes on never (S12).
    """
    charges = position.cobrancas.drop_duplicates("cobranca_id").set_index("cobranca_id")["data_vencimento"]
    due = abertos["data_prevista"]
    if len(charges):
        charged = abertos["cobranca_id"].map(charges).astype("datetime64[us]")
        due = due.where(abertos["cobranca_id"].isna() | charged.isna(), charged)
    data_base = pd.Timestamp(position.data_base)
    stages, regua = list_steps(position), position.parametros.regua
    ends = np.array([etapa.ate_dias for etapa in regua[:-1]], dtype="int64")
    # Zero days late is the first step; more days than the last limit is the last step.
    step = np.searchsorted(ends, abertos["dias_de_mora"].to_numpy(), side="left") + stages.index(regua[0].nome)
    place = pd.Series(step, index=abertos.index, dtype="int64")
    ahead = due > data_base
    soon = due <= data_base + timedelta(days=REMINDER_DAYS)
    place = place.where(~ahead, stages.index(LEMBRETE)).where(~ahead | soon, stages.index(SEM_ETAPA))
    waits = abertos["suspeito"] | find_repasses(abertos, position.parametros)
    place = place.where(~waits, stages.index(SEM_ETAPA))
    return place.where(~abertos["cobranca_paga"], stages.index(DAR_BAIXA))


def mask_document(documento: str) -> str:
    """Hide all but the middle of a CPF or CNPJ (manual: Planilha); a CNPJ may hold letters (since 2026).

    >>> mask_document("111.222.333-44"), mask_document("11222333000144")
    ('***.222.333-**', '**.222.333/0001-**')
    >>> mask_document("12345"), mask_document("")
    ('**3**', '')
    """
    digits = _NOISE.sub("", documento).upper()
    if _CPF.match(digits):
        return f"***.{digits[3:6]}.{digits[6:9]}-**"
    if _CNPJ.match(digits):
        return f"**.{digits[2:5]}.{digits[5:8]}/{digits[8:12]}-**"
    shown = len(digits) // 3
    start = (len(digits) - shown) // 2
    return "*" * start + digits[start : start + shown] + "*" * (len(digits) - start - shown)
