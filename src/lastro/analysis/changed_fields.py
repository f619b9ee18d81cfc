"""What changed in one linha between two runs, field by field (R14): printed before and after, and as values.

Belongs here: which fields a changed linha lists, in which words. Does not belong here: which linhas changed
(`lastro.analysis.changes`) and the columns of the sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.changes import FIELDS
from lastro.grid.words import format_date
from lastro.money import format_brl, to_decimal
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.transform.labels import Labels

SITUATION: Final = "Situação"
_BATCH: Final = 5_000


def iter_records(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield wide rows as dicts, a few thousand at a time: a mass edit may change every linha."""
    for start in range(0, len(frame), _BATCH):
        for record in frame.iloc[start : start + _BATCH].to_dict("records"):
            yield {str(name): value for name, value in record.items()}


def list_fields(
    record: Mapping[str, Any],
    writers_a: Mapping[str, Callable[[Any], str]],
    writers_b: Mapping[str, Callable[[Any], str]],
) -> list[tuple[str, str | None, str | None]]:
    """List what changed in one linha: printed field, before, after."""
    if not record["em_b"]:
        return [(FIELDS["valor_centavos"][1], writers_a["valor_centavos"](record["valor_centavos_a"]), None)]
    if not record["em_a"]:
        return [(FIELDS["valor_centavos"][1], None, writers_b["valor_centavos"](record["valor_centavos_b"]))]
    fields: list[tuple[str, str | None, str | None]] = [
        (label, writers_a[name](record[f"{name}_a"]), writers_b[name](record[f"{name}_b"]))
        for name, (_, label) in FIELDS.items()
        if record[f"mudou_{name}"]
    ]
    if record["pago_a"] != record["pago_b"]:
        # The payment is what the type speaks of: its row comes first. A post-dated one changes with the day alone.
        paid = FIELDS["data_pagamento"][1]
        fields.sort(key=lambda field: field[0] != paid)
        if not record["mudou_data_pagamento"]:
            names = {True: "Pago", False: "Em aberto"}
            fields.insert(0, (SITUATION, names[record["pago_a"]], names[record["pago_b"]]))
    return fields


def find_values(
    record: Mapping[str, Any], label: str
) -> tuple[Decimal | None, Decimal | None, date | None, date | None]:
    """Return the amounts and the days before and after, where the field is one."""
    name = next((name for name, (_, text) in FIELDS.items() if text == label), "")
    present = [record[f"em_{side}"] for side in ("a", "b")]
    values = [record[f"{name}_{side}"] if there and name else None for side, there in zip("ab", present, strict=True)]
    if name == "valor_centavos":
        was, now = (None if value is None else to_decimal(int(value)) for value in values)
        return was, now, None, None
    before, after = (as_date(value) if name.startswith("data_") else None for value in values)
    return None, None, before, after


def take_side(changed: pd.DataFrame, name: str) -> pd.Series:
    """Take a field of changed linhas as it is now, of one that went as it was."""
    return changed[f"{name}_b"].where(changed["em_b"], changed[f"{name}_a"])


def make_writers(labels: Labels) -> dict[str, Callable[[Any], str]]:
    """Say how each compared field is printed; a null prints as its dimension's "Sem ...", else "–"."""

    def day(value: Any) -> str:
        found = as_date(value)
        return "–" if found is None else format_date(found)

    def plain(value: Any) -> str:
        return "–" if pd.isna(value) or value == "" else str(value)

    named: dict[str, Callable[[Any], str]] = {
        "valor_centavos": lambda value: format_brl(to_decimal(value)),
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
