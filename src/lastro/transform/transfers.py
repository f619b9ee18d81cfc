"""Transfers between accounts: two entries, one movement (S6)."""

from __future__ import annotations

import pandas as pd


def pair_transfers(linhas: pd.DataFrame) -> pd.DataFrame:
    """Put both legs of each transfer side by side and say what does not agree (S6, V16)."""
    legs = linhas[linhas["transferencia"] & (linhas["origem"] == "lancamento")]
    columns = ["linha_id", "lancamento_transferencia_id", "conta_id", "data_pagamento", "valor_centavos"]
    legs = legs[columns]
    pairs = legs.merge(
        legs.rename(
            columns={
                "linha_id": "par_id",
                "lancamento_transferencia_id": "par_aponta",
                "conta_id": "conta_par_id",
                "data_pagamento": "data_par",
                "valor_centavos": "valor_par_centavos",
            }
        ),
        left_on="lancamento_transferencia_id",
        right_on="par_id",
        how="left",
        validate="m:1",
    )
    same_day = (pairs["data_pagamento"] == pairs["data_par"]) | (
        pairs["data_pagamento"].isna() & pairs["data_par"].isna()
    )
    situation = pd.Series("par ok", index=pairs.index, dtype=object)
    situation = situation.mask(~same_day, "datas de pagamento diferentes")
    situation = situation.mask(pairs["valor_centavos"] != -pairs["valor_par_centavos"], "valores não opostos")
    situation = situation.mask(~(pairs["par_aponta"] == pairs["linha_id"]).fillna(value=False), "par não recíproco")
    situation = situation.mask(pairs["par_id"].isna(), "sem par")
    return pairs.assign(situacao=situation, valor_par_centavos=pairs["valor_par_centavos"].astype("Int64"))
