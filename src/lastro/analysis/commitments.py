"""Series of títulos that repeat: how far each has come, and what it comes to in a month (R17, S10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.money import divide_half_up

if TYPE_CHECKING:
    from lastro.transform.position import Position

PER_MONTH = {"D7": (30, 7), "D15": (2, 1), "M1": (1, 1), "M2": (1, 2), "M3": (1, 3), "M6": (1, 6), "M12": (1, 12)}
"""Factor of `Equivalente mensal` as numerator and denominator (R17); other codes have none."""
FIELDS: Final = (
    "descricao", "pessoa_id", "periodicidade", "total_repeticoes", "data_vencimento", "valor_centavos",
    "fora_resultado",
)  # fmt: skip


def sum_series(position: Position) -> pd.DataFrame:
    """Sum the títulos of each group but transfers and zero values; its dimensions and value are those of the last one.

    Returns:
        In the order of the report, with the code of its period, its side, and whether it is live: something is open,
        or it has no end.
    """
    titulos = position.titulos
    chosen = titulos["grupo_id"].notna() & ~titulos["transferencia"] & (titulos["tipo"] != "Z")
    titulos = titulos.loc[chosen, ["titulo_id", "grupo_id", "pago", *FIELDS]]
    titulos = titulos.sort_values(["data_vencimento", "titulo_id"], kind="stable")
    still_open = ~titulos["pago"]
    ahead = still_open & (titulos["data_vencimento"] >= pd.Timestamp(position.data_base))
    parts = titulos[["grupo_id", *FIELDS]].assign(
        geradas=1,
        pagas=titulos["pago"].astype("int64"),
        aberto=titulos["valor_centavos"].where(still_open, 0),
        proximo=titulos["data_vencimento"].where(ahead),
        anterior=titulos.groupby("grupo_id")["valor_centavos"].shift().astype("Int64"),
    )
    sums = parts.groupby("grupo_id", as_index=False).agg(
        {"geradas": "sum", "pagas": "sum", "aberto": "sum", "proximo": "min"}
    )
    last = parts.drop_duplicates("grupo_id", keep="last")[["grupo_id", "anterior", *FIELDS]]
    groups = sums.merge(last, on="grupo_id", validate="1:1")
    codes = groups["periodicidade"].map(str.strip, na_action="ignore").fillna("").astype(object)
    live = (groups["geradas"] > groups["pagas"]) | ((codes != "") & groups["total_repeticoes"].isna())
    to_receive = groups["valor_centavos"] >= 0
    groups = groups.assign(
        codigo=codes,
        viva=live,
        lado=np.where(to_receive, "R", "P"),
        parte=np.where(~live, 2, np.where(to_receive, 0, 1)),
        tamanho=-groups["aberto"].abs(),
    )
    return groups.sort_values(["parte", "tamanho", "grupo_id"], ignore_index=True)


def convert_to_month(centavos: int, code: str) -> int | None:
    """Return what an amount that repeats comes to in a month, half up; None for a code without a factor (R17).

    >>> convert_to_month(-70_00, "D7"), convert_to_month(120_00, "M12"), convert_to_month(5_00, "?")
    (-30000, 1000, None)
    """
    factor = PER_MONTH.get(code)
    return None if factor is None else divide_half_up(centavos * factor[0], factor[1])
