"""What the document leaves open, chosen once.

Every constant here answers a question that the document does not; ``DECISIONS`` says each choice in words and the
sandbox's own page (README.md of this package) lists the same texts, which a test compares. Code elsewhere reads the
constants and never repeats a choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Dialect = Literal["documento", "observado"]
CountShape = Literal["indice", "lista", "numero", "count", "ilegivel"]
CompositeShape = Literal["A", "B", "C", "D", "T"]

DIALECTS: Final[tuple[Dialect, ...]] = ("documento", "observado")
COUNT_SHAPES: Final[tuple[CountShape, ...]] = ("indice", "lista", "numero", "count", "ilegivel")
COMPOSITE_SHAPES: Final[tuple[CompositeShape, ...]] = ("A", "B", "C", "D", "T")
DEFAULT_COUNT_SHAPE: Final[dict[Dialect, CountShape]] = {"documento": "count", "observado": "indice"}

LIMIT_DEFAULT: Final = 50
LIMIT_MAX: Final = 500
CHARGES_PAGE: Final = 50

CHARGE_STATUS: Final[dict[str, tuple[int, str]]] = {
    "pendente": (1, "Pendente"),
    "cliente_pagou": (2, "Cliente pagou"),
    "transferindo": (3, "Transferindo"),
    "transferido": (4, "Transferido"),
    "agendado": (5, "Agendado"),
}
CHARGE_RANK: Final = ("agendado", "pendente", "cliente_pagou", "transferindo", "transferido")

CLASSIFICATION_MIXED: Final = (0, 3)
CLASSIFICATION_CUSTOMER: Final = 1
CLASSIFICATION_SUPPLIER: Final = 2
CLASSIFICATION_KINDS: Final = (0, 1, 2, 3)

PERIODS: Final[dict[str, tuple[int, int]]] = {
    "D7": (7, 0),
    "D15": (15, 0),
    "M1": (0, 1),
    "M2": (0, 2),
    "M3": (0, 3),
    "M6": (0, 6),
    "M12": (0, 12),
}
"""``periodicidade`` -> days or months of one step."""
OBSERVED_PERIODS: Final = ("DS", "D1")
PERIOD_DEFAULT: Final = "M1"
HORIZON_MONTHS: Final = 12
REPETITIONS_MAX: Final = 1000

FINE_DEFAULT: Final = 200  # percentual_multa in hundredths of a percent
ISSUE_DAYS_DEFAULT: Final = 5
CHARGE_METHODS: Final[dict[str, int]] = {"boleto": 301, "cartao_credito": 302, "pix": 303}
CHARGE_FEES: Final[dict[str, int]] = {"boleto": -350, "cartao_credito": -899, "pix": -199}
FEE_TEXT: Final = "Taxa de cobrança"

ATTACHMENT_MAX: Final = 10 * 1024 * 1024
BODY_MAX: Final = 12 * 1024 * 1024
TEXT_MAX: Final = 255
NOTE_MAX: Final = 4000
ADVANCE_MAX: Final = 3660

ENTRY_TYPES: Final = ("P", "R", "LP", "LR", "PA", "RA", "DT")


@dataclass(frozen=True, slots=True)
class Decision:
    """One open point of the document and what the sandbox does."""

    topic: str
    choice: str


DECISIONS: Final[tuple[Decision, ...]] = (
    Decision("Order of `GET /v1/lancamentos`", "ascending by the date of the regime asked for, then by id"),
    Decision("Order of `GET /v1/cobrancas`", "ascending by `data_vencimento`, then by id"),
)


def wrap_count(total: int, shape: CountShape) -> object:
    """Dress the number of matches in one of the shapes that were seen for ``tipo_view=count``.

    >>> [wrap_count(3, shape) for shape in COUNT_SHAPES]
    [{'0': 3}, [3], 3, {'count': 3}, {'total': 'três'}]
    """
    if shape == "indice":
        return {"0": total}
    if shape == "lista":
        return [total]
    if shape == "numero":
        return total
    if shape == "count":
        return {"count": total}
    return {"total": "três"}
