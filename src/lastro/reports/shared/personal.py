"""Personal data in reports (LGPD): documents are masked, e-mails and phones are not printed."""

from __future__ import annotations

import re

_CPF, _CNPJ = re.compile(r"^\d{11}$"), re.compile(r"^[0-9A-Z]{12}\d{2}$")
_NOISE = re.compile(r"[^0-9A-Za-z]")


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
