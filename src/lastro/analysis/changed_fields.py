"""What changed in one linha between two runs, field by field (R14): printed before and after, and as values.

Belongs here: which fields a changed linha lists, in which words. Does not belong here: which linhas changed
(`lastro.analysis.changes`) and the columns of the sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.changes import FIELDS
from lastro.grid.words import format_date
from lastro.money import format_centavos_brl, to_decimal
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.transform.labels import Labels

SITUATION: Final = "Situação"
PAYMENT: Final = "data_pagamento"
_BATCH: Final = 5_000
_STATES: Final = {True: "Pago", False: "Em aberto"}
Writers = Mapping[str, Callable[[Any], str]]


def list_fields(changed: pd.DataFrame, writers: tuple[Writers, Writers]) -> Iterator[tuple[Any, ...]]:
    """List what changed in linhas, a few thousand at a time: a mass edit may change every one.

    Args:
        changed: `Comparison.mudadas`.
        writers: how each field is printed as it was, and as it is.

    Yields:
        Place of the linha, printed field, before, after; amounts and days before and after, where the field is one.
    """
    for start in range(0, len(changed), _BATCH):
        batch = changed.iloc[start : start + _BATCH]
        for place, record in enumerate(batch.to_dict("records"), start):
            fields = list(record["campos"])
            if not (record["em_a"] and record["em_b"]):
                fields = ["valor"]
            elif record["pago_a"] != record["pago_b"]:
                # The payment is what the type speaks of: it comes first. A post-dated one changes with the day alone.
                if PAYMENT not in fields:
                    yield place, SITUATION, _STATES[record["pago_a"]], _STATES[record["pago_b"]], None, None, None, None
                fields.sort(key=lambda name: name != PAYMENT)
            for name in fields:
                yield place, *_tell(record, name, writers)


def _tell(record: Mapping[Any, Any], name: str, writers: tuple[Writers, Writers]) -> tuple[Any, ...]:
    present = [record["em_a"], record["em_b"]]
    values = [record[f"{name}_{side}"] for side in "ab"]
    texts = [
        write[name](value) if there else None for write, value, there in zip(writers, values, present, strict=True)
    ]
    amounts: tuple[Any, ...] = (None, None)
    days: tuple[Any, ...] = (None, None)
    if name == "valor":
        amounts = tuple(to_decimal(int(value)) if there else None for value, there in zip(values, present, strict=True))
    elif name.startswith("data_"):
        days = tuple(map(as_date, values))
    return FIELDS[name][1], *texts, *amounts, *days


def make_writers(labels: Labels) -> dict[str, Callable[[Any], str]]:
    """Say how each compared field is printed; a null prints as its dimension's "Sem ...", else "–"."""

    def day(value: Any) -> str:
        found = as_date(value)
        return "–" if found is None else format_date(found)

    def plain(value: Any) -> str:
        return "–" if pd.isna(value) or value == "" else str(value)

    named: dict[str, Callable[[Any], str]] = {
        "valor": format_centavos_brl,
        "categoria_id": labels.categoria_caminho,
        "conta_id": labels.conta,
        "pessoa_id": labels.pessoa,
        "centro_custo_lucro_id": labels.centro,
        "forma_pagamento_id": labels.forma,
        "tipo_documento_id": labels.tipo_documento,
        "pagamento_automatico": lambda value: "Sim" if value else "Não",
        "tags": lambda tags: ", ".join(labels.tag(tag) for tag in sorted(tags)) or "–",
        **dict.fromkeys(("data_vencimento", "data_pagamento", "data_competencia"), day),
    }
    return {name: named.get(name, plain) for name in FIELDS}
