"""V10, V14, V15 and V21: what the run kept against what it received (S15)."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from lastro.grid.verdict import ALERTA, ERRO, Outcome
from lastro.money import to_decimal
from lastro.quality.tally import Tally, not_applicable
from lastro.transform.position import Position, once

if TYPE_CHECKING:
    from lastro.transform.composites import CompositeEvidence

NO_ACCOUNT: Final = -1
MODULUS: Final = 1_000_003
"""Prime of the signatures; `lastro.warehouse.control` has the same one, written in SQL."""
SIGNATURES: Final = {
    "vencimento": "data_vencimento",
    "pagamento": "data_pagamento",
    "competencia": "data_competencia",
    "categoria": "categoria_id",
    "pessoa": "pessoa_id",
    "transferencia": "lancamento_transferencia_id",
}
"""Control column -> column of the linhas: sums that change when a date or a link changes its linha."""
PROVADA: Final = "provada"
BY_STATUS: Final = "cobrancas:status="
MAX_COINCIDENCES_PCT: Final = 5


def add_control_totals(linhas: pd.DataFrame) -> pd.DataFrame:
    """Add up the linhas per account: count, sum, and a signature of each date and link.

    A signature is the sum over the linhas of (x mod p)(1 + |centavos| mod p), x being a day number or an id and 0 for
    null. Count and sum alone would not notice dates or links exchanged between fields.

    Args:
        linhas: grain linha, as `core.linhas`; not mutated.

    Returns:
        Index conta_id (-1 = without account): qtde, soma_centavos and the names of `SIGNATURES`, int64.
    """
    conta = linhas["conta_id"].fillna(NO_ACCOUNT).astype("int64")
    weight = 1 + linhas["valor_centavos"].abs() % MODULUS
    columns: dict[str, pd.Series] = {"soma_centavos": linhas["valor_centavos"]}
    for name, source in SIGNATURES.items():
        values = linhas[source]
        if np.issubdtype(values.to_numpy().dtype, np.datetime64):
            days = values.to_numpy().astype("datetime64[D]")
            numbers = np.where(np.isnat(days), 0, days.astype("int64"))
        else:
            numbers = values.fillna(0).to_numpy(dtype="int64")
        columns[name] = pd.Series(numbers % MODULUS, index=linhas.index) * weight
    sums = pd.DataFrame(columns).groupby(conta).sum()
    return sums.assign(qtde=conta.groupby(conta).size()).astype("int64")


def check_v10(position: Position, controle_raw: pd.DataFrame | None, passadas: pd.DataFrame | None) -> Outcome:
    """V10: every listing was read whole (S13), and the linhas per account are those of the raw records (S2, S7).

    Args:
        position: gives `core.linhas`.
        controle_raw: grain account (conta_id nullable): qtde, soma_centavos and, where it has them, signatures.
        passadas: rows of `ops.passadas` of the run; the last pass of each listing counts.
    """
    tally = Tally()
    linhas = position.linhas
    if passadas is not None:
        _check_passes(tally, passadas)
    expected = found = None
    if controle_raw is not None:
        control = controle_raw.assign(conta_id=controle_raw["conta_id"].astype("Int64").fillna(NO_ACCOUNT))
        control = control.set_index(control["conta_id"].astype("int64"))
        kept = add_control_totals(linhas)
        names = ["qtde", "soma_centavos", *(name for name in SIGNATURES if name in control.columns)]
        for conta in sorted({*control.index, *kept.index}):
            text = "sem conta" if conta == NO_ACCOUNT else f"conta {conta}"
            for name in names:
                want = int(control[name].get(conta, 0))
                have = int(kept[name].get(conta, 0))
                if name == "soma_centavos":
                    tally.compare(f"{text} · soma", to_decimal(want), to_decimal(have))
                else:
                    tally.compare(f"{text} · {name}", want, have)
        expected = to_decimal(int(control["soma_centavos"].sum()))
        found = to_decimal(int(kept["soma_centavos"].sum()))
    doubled = linhas.duplicated(["origem", "linha_id"])
    if controle_raw is not None or passadas is not None or doubled.any():
        tally.fail(f"linha {linha_id}" for linha_id in linhas.loc[doubled, "linha_id"])
    return tally.close(esperado=expected, encontrado=found)


def _check_passes(tally: Tally, passadas: pd.DataFrame) -> None:
    kept = passadas[~passadas["lista"].astype(str).str.startswith(BY_STATUS)]
    last = kept.sort_values("passada", kind="stable") if "passada" in kept.columns else kept
    last = last.drop_duplicates(["lista", "conta_id"], keep="last")
    for row in last.to_dict("records"):
        text = str(row["lista"]) if pd.isna(row["conta_id"]) else f"{row['lista']} · conta {int(row['conta_id'])}"
        tally.compare(text, PROVADA, str(row["veredito"]))
        read = _number(row["ids_distintos"]) + _number(row["rejeitadas"])
        for name in ("contagem_antes", "contagem_depois"):
            if not pd.isna(row[name]):
                tally.compare(f"{text} · {name}", int(row[name]), read)


def _number(value: object) -> int:
    return 0 if pd.isna(value) else int(value)  # type: ignore[call-overload]


def check_v14(evidence: CompositeEvidence | None, diferencas: Collection[int] = ()) -> Outcome:
    """V14: the data agree on whether a composite's parent includes its items (S2.6, S2.7)."""
    if evidence is None:
        return not_applicable()
    tally = Tally()
    severity = ERRO
    both = evidence.n0 > 0 and evidence.n1 > 0
    total = evidence.n0 + evidence.n1
    tally.fail([f"título {titulo_id}" for titulo_id in diferencas])
    if evidence.source == "execução anterior" and evidence.decided is not None:
        tally.compare("modo decidido pelos dados", evidence.mode, evidence.decided)
    if both:
        if not tally.differences and 100 * evidence.n1 <= MAX_COINCIDENCES_PCT * total:
            severity = ALERTA
        tally.fail([f"n0={evidence.n0} · n1={evidence.n1}"])
    if not tally.count:
        tally.compare("evidência", evidence.mode, evidence.mode)
    detail = f"modo {evidence.mode} ({evidence.source}), n0={evidence.n0}, n1={evidence.n1}"
    return tally.close(
        esperado=evidence.decided or evidence.mode, encontrado=evidence.mode, severidade=severity, detalhe=detail
    )


def check_v15(compostos: pd.DataFrame | None) -> Outcome:
    """V15: the listing shows every component of the composites whose detail was read, with the same values (S2.8).

    Args:
        compostos: result of `transform.composite_details.compare_composites`; None when no detail was read.
    """
    if compostos is None:
        return not_applicable("nenhum detalhe lido")
    tally = Tally()
    if compostos.empty:
        return not_applicable("nenhum composto lido em detalhe")
    for row in compostos.to_dict("records"):
        listed, shown = row["valor_lista_centavos"], row["valor_detalhe_centavos"]
        if pd.isna(shown) and not row["detalhe_com_itens"]:
            # A detail without items shows one component only: it says nothing of the others.
            continue
        tally.compare(
            f"lançamento {row['lancamento_id']} · item {row['linha_id']}",
            None if pd.isna(shown) else to_decimal(int(shown)),
            None if pd.isna(listed) else to_decimal(int(listed)),
        )
    return tally.close()


@once
def find_broken_pairs(position: Position) -> dict[int, str]:
    """Find the transfer legs whose pair fails, with the first reason that holds (V16, Q09); ids ascending."""
    linhas = position.linhas
    columns = ["linha_id", "lancamento_transferencia_id", "valor_centavos", "data_pagamento"]
    rows = linhas.loc[linhas["origem"] == "lancamento", columns]
    legs = linhas.loc[linhas["lancamento_transferencia_id"].notna(), columns]
    others = rows.drop_duplicates("linha_id").set_index("linha_id").add_suffix("_par")
    pairs = legs.join(others, on="lancamento_transferencia_id")
    absent = pairs["valor_centavos_par"].isna()
    astray = (pairs["lancamento_transferencia_id_par"] != pairs["linha_id"]).fillna(value=True).astype(bool)
    unequal = (pairs["valor_centavos_par"] != -pairs["valor_centavos"]).fillna(value=True).astype(bool)
    mine, other = pairs["data_pagamento"], pairs["data_pagamento_par"]
    apart = ~((mine == other) | (mine.isna() & other.isna()))
    reasons = ["sem par", "par não recíproco", "valores não opostos", "datas de pagamento diferentes"]
    reason = np.select([absent, astray, unequal, apart], reasons, "")
    found = pairs.assign(motivo=reason)
    found = found[found["motivo"] != ""].sort_values("linha_id")
    return {int(linha_id): str(motivo) for linha_id, motivo in zip(found["linha_id"], found["motivo"], strict=True)}


def check_v21(conflitos: pd.DataFrame | None) -> Outcome:
    """V21: opening-balance entries agree with the configured opening balance and are one per account (S7).

    Args:
        conflitos: grain conflict: conta_id (null: an entry without account), motivo; None when it is not known.
    """
    if conflitos is None:
        return not_applicable()
    tally = Tally()
    tally.count += 1
    for conta, motivo in zip(conflitos["conta_id"], conflitos["motivo"], strict=True):
        tally.fail(["sem conta" if pd.isna(conta) else f"conta {int(conta)}"], None, str(motivo))
    return tally.close()
