"""V06 and V09: open títulos, aging and persons against sums over the linhas and against the service (S8, S16)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

import numpy as np
import pandas as pd

from lastro.grid.model import Style
from lastro.grid.verdict import ALERTA, ERRO, Outcome
from lastro.money import to_decimal
from lastro.quality.cash_tables import Reports
from lastro.quality.people_checks import compare_people
from lastro.quality.printed import Found, find_section, find_table, plain, read_columns, sum_money
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally, not_applicable
from lastro.transform.position import FAIXA_KEYS, FAIXAS, Position

SIDES: Final = {"a_pagar": ("P", "Pagar"), "a_receber": ("R", "Receber")}
"""Report -> type of its títulos and its sheet."""
FAIXA_ENDS: Final = (0, 30, 60, 90, 180)
AMOUNTS: Final = ("bruto", "deducoes", "valor", "multa_est", "juros_est", "valor_atualizado")
FORWARD_ENDS: Final = (0, 7, 15, 30, 60, 90)
FORWARD: Final = ("Hoje", "1-7", "8-15", "16-30", "31-60", "61-90", ">90")


def find_open(position: Position) -> pd.DataFrame:
    """Add the open títulos from their linhas alone (S1, S3, S8); transfers and zero values left out.

    Returns:
        Index titulo_id: valor_centavos, tipo ("R"/"P"), conta_id, prevista, dias (to the reference date of
        `venc_regra`), vencido, faixa, fora (all linhas outside the result).
    """
    linhas, day = position.linhas, pd.Timestamp(position.data_base)
    paid = linhas["data_pagamento"] <= day
    own = ["titulo_id", "conta_id", "fora_resultado", "data_pagamento", "data_vencimento", "valor_centavos"]
    pending = linhas.loc[~paid & linhas["lancamento_transferencia_id"].isna(), own]
    postdated = pending["data_pagamento"] > pd.Timestamp(position.data_extracao)
    expected = pending["data_pagamento"].where(postdated, pending["data_vencimento"])
    grouped = pending.assign(prevista=expected).groupby("titulo_id", sort=True)
    titulos = grouped.agg(
        valor_centavos=("valor_centavos", "sum"),
        conta_id=("conta_id", "first"),
        prevista=("prevista", "min"),
        fora=("fora_resultado", "all"),
    )
    titulos = titulos[titulos["valor_centavos"] != 0]
    reference = titulos["prevista"]
    if position.parametros.venc_regra == "dia_util":
        early = set(position.parametros.categorias_antecipam)
        carriers = position.titulos.set_index("titulo_id")["categoria_id"].reindex(titulos.index)
        reference = pd.Series(
            [
                pd.Timestamp(
                    position.calendario.previous_business_day(stamp.date())
                    if not pd.isna(categoria) and int(categoria) in early
                    else position.calendario.next_business_day(stamp.date())
                )
                for stamp, categoria in zip(reference, carriers, strict=True)
            ],
            index=titulos.index,
            dtype="datetime64[us]",
        )
    dias = (day - reference).dt.days.astype("int64")
    return titulos.assign(
        tipo=np.where(titulos["valor_centavos"] > 0, "R", "P"),
        dias=dias,
        vencido=dias > 0,
        faixa=np.array(FAIXAS, dtype=object)[np.searchsorted(FAIXA_ENDS, dias.to_numpy(), side="left")],
    )


def check_v06(position: Position, reports: Reports) -> Outcome:
    """V06: the open position is the same in the linhas, the títulos, and every table and sheet that prints it."""
    tally = Tally()
    abertos = find_open(position)
    _check_titulos(tally, position)
    found_total = Decimal("0.00")
    total = to_decimal(int(abertos["valor_centavos"].sum()))
    for name, (tipo, sheet) in SIDES.items():
        table = find_table(reports, name)
        if table is None:
            found_total += to_decimal(int(abertos.loc[abertos["tipo"] == tipo, "valor_centavos"].sum()))
            continue
        mine = abertos[abertos["tipo"] == tipo]
        found_total += _check_detail(tally, sheet, table_rows(reports, name), mine)
        _check_summaries(tally, reports, name, sheet, mine)
    _check_memos(tally, position, reports)
    compare_people(tally, position, reports, abertos)
    compare_sheets(tally, reports, ("R00", "R08", "R09", "R10", "R12", "R17"))
    tally.compare("títulos em aberto", total, found_total)
    return tally.close(esperado=total, encontrado=found_total)


def table_rows(reports: Reports, name: str) -> list[tuple[Found, ...]]:
    """Return id, days, band, situation and the amounts of a detail table."""
    table = find_table(reports, name)
    if table is None:
        return []
    return read_columns(table, "titulo_id", "dias_de_atraso", "faixa", "situacao", *AMOUNTS)


def _check_titulos(tally: Tally, position: Position) -> None:
    """Every título is the sum of its linhas; no linha lacks its título (S1)."""
    sums = position.linhas.groupby("titulo_id")["valor_centavos"].agg(["sum", "size"])
    titulos = position.titulos[["titulo_id", "valor_centavos", "qtde_linhas"]].set_index("titulo_id")
    joined = titulos.join(sums, how="outer")
    wrong = joined["valor_centavos"].isna() | (joined["valor_centavos"] != joined["sum"])
    wrong |= joined["qtde_linhas"] != joined["size"]
    tally.count += len(joined)
    for titulo_id, row in joined[wrong].iterrows():
        want = None if pd.isna(row["sum"]) else to_decimal(int(row["sum"]))
        have = None if pd.isna(row["valor_centavos"]) else to_decimal(int(row["valor_centavos"]))
        tally.fail([f"título {titulo_id}"], want, have)


def _check_detail(tally: Tally, sheet: str, rows: list[tuple[Found, ...]], abertos: pd.DataFrame) -> Decimal:
    """Compare each printed título with the linhas' sum, days and band; return the printed total."""
    expected = {
        int(titulo_id): (to_decimal(int(centavos)), int(dias), str(faixa))
        for titulo_id, centavos, dias, faixa in zip(
            abertos.index, abertos["valor_centavos"], abertos["dias"], abertos["faixa"], strict=True
        )
    }
    tally.compare(f"{sheet} · títulos", len(expected), len(rows))
    seen: set[int] = set()
    total = Decimal("0.00")
    for titulo_id, dias, faixa, _, bruto, deducoes, valor, multa, juros, updated in rows:
        total += valor
        want = None if titulo_id in seen else expected.get(titulo_id)
        seen.add(titulo_id)
        if want == (valor, dias, faixa) and bruto + deducoes == valor and valor + multa + juros == updated:
            continue
        key = f"{sheet} · título {titulo_id}"
        if want is None:
            tally.fail([key], None, valor)
            continue
        tally.compare(key, want[0], valor)
        tally.compare(f"{key} · dias", want[1], dias)
        tally.compare(f"{key} · faixa", want[2], faixa)
        tally.compare(f"{key} · bruto + deduções", valor, bruto + deducoes)
        tally.compare(f"{key} · atualizado", valor + multa + juros, updated)
    tally.count += len(rows)
    tally.fail(f"{sheet} · título {titulo_id}" for titulo_id in sorted(set(expected) - seen))
    return total


def _check_summaries(tally: Tally, reports: Reports, name: str, sheet: str, abertos: pd.DataFrame) -> None:
    """Bands, due dates ahead, persons and overdue memos against the same títulos."""
    by_band = {
        str(faixa): (len(part), to_decimal(int(part["valor_centavos"].sum())))
        for faixa, part in abertos.groupby("faixa")
    }
    _compare_bands(tally, reports, f"{name}_faixas", f"{sheet} por faixa", "faixa", by_band)
    ahead = abertos[~abertos["vencido"]]
    places = np.searchsorted(FORWARD_ENDS, -ahead["dias"].to_numpy(), side="left")
    forward = {
        FORWARD[int(str(place))]: (len(part), to_decimal(int(part["valor_centavos"].sum())))
        for place, part in ahead.groupby(places)
    }
    _compare_bands(tally, reports, f"{name}_a_vencer", f"{sheet} por prazo", "vence_em_dias", forward)
    total = to_decimal(int(abertos["valor_centavos"].sum()))
    late = to_decimal(int(abertos.loc[abertos["vencido"], "valor_centavos"].sum()))
    today = to_decimal(int(abertos.loc[abertos["dias"] == 0, "valor_centavos"].sum()))
    later = to_decimal(int(abertos.loc[abertos["dias"] < 0, "valor_centavos"].sum()))
    tally.compare(f"{sheet} · a vencer + hoje + vencido", total, later + today + late)
    section = find_section(reports, f"{name}_faixas")
    if section is not None:
        place = section.place("valor")
        wanted = {f"{section.name}-total": ("Total", total), f"{section.name}-vencido": ("Vencido", late)}
        memos = [str(plain(row.cells[0])) for row in section.rows if row.style is Style.MEMO]
        tally.compare(f"{sheet} por faixa · memos", 5 if name == "a_receber" else 3, len(memos))
        for row in section.rows:
            if row.key in wanted:
                label, want = wanted[row.key]
                tally.compare(f"{sheet} por faixa · {label}", want, plain(row.cells[place]))
    people = find_table(reports, f"{name}_pessoas")
    if people is not None:
        bands = FAIXA_KEYS
        rows = read_columns(people, *bands, "total")
        for faixa, values in zip(FAIXAS, zip(*rows, strict=True), strict=False):
            want = by_band.get(faixa, (0, Decimal("0.00")))[1]
            tally.compare(f"{sheet} por pessoa · {faixa}", want, sum_money(values))
        for number, values in enumerate(rows, 1):
            tally.compare(f"{sheet} por pessoa · linha {number}", sum_money(values[:-1]), values[-1])
        if not rows:
            tally.compare(f"{sheet} por pessoa", total, Decimal("0.00"))


def _compare_bands(
    tally: Tally,
    reports: Reports,
    name: str,
    text: str,
    label: str,
    expected: Mapping[str, tuple[int, Decimal]],
) -> None:
    table = find_table(reports, name)
    if table is None:
        return
    found = {band: (qtde, valor) for band, qtde, valor in read_columns(table, label, "qtde", "valor")}
    tally.compare(f"{text} · linhas", len(table.rows), len(found))
    for band in sorted({*expected, *found}):
        want = expected.get(band, (0, Decimal("0.00")))
        have = found.get(band, (0, Decimal("0.00")))
        tally.compare(f"{text} · {band} · qtde", want[0], have[0])
        tally.compare(f"{text} · {band}", want[1], have[1])


def _check_memos(tally: Tally, position: Position, reports: Reports) -> None:
    """Overdue that no projection holds, as R02 and R03 print it below their tables."""
    titulos = position.titulos
    left_out = titulos[titulos["vencido"] & titulos["data_projetada"].isna()]
    wanted = {
        "vencidos_a_receber": to_decimal(int(left_out.loc[left_out["tipo"] == "R", "valor_centavos"].sum())),
        "vencidos_a_pagar": to_decimal(int(left_out.loc[left_out["tipo"] == "P", "valor_centavos"].sum())),
    }
    for name, sheet in (("fluxo_diario_memo", "Fluxo diário"), ("fluxo_semanal_memo", "Fluxo semanal")):
        table = find_table(reports, name)
        if table is None:
            continue
        found: dict[Found, Found] = dict(read_columns(table, "codigo", "valor"))
        for codigo, want in wanted.items():
            tally.compare(f"{sheet} · {codigo}", want, found.get(codigo))


def check_v09(position: Position, vencidos: pd.DataFrame | None) -> Outcome:
    """V09: per account, our overdue títulos (always `corrido`) are those of `tipo=PA` and `tipo=RA` (S16).

    Args:
        position: the position, with D = the extraction date.
        vencidos: grain row of the two filters: `tipo` ("PA"/"RA"), `conta_id` of the listing, `lancamento_id`,
            `valor_centavos`, `lancamento_transferencia_id`; None when D is not the extraction date.
    """
    if vencidos is None:
        return not_applicable("só na data da extração")
    ours = _find_overdue(position)
    theirs, unknown, values = _find_listed(position, vencidos)
    tally = Tally()
    tally.fail(f"lançamento {row}" for row in unknown)
    today: list[str] = []
    ids = {**theirs, **ours}
    due = position.titulos[["titulo_id", "data_vencimento"]].set_index("titulo_id")["data_vencimento"]
    for titulo_id in sorted(ids):
        here, there = ours.get(titulo_id), theirs.get(titulo_id)
        tally.count += 1
        if here == there:
            continue
        conta, tipo, valor = ids[titulo_id]
        key = f"conta {conta} · {tipo} · título {titulo_id}"
        if here is None and due.get(titulo_id) == pd.Timestamp(position.data_base):
            today.append(key)
        tally.fail([key], None if here is None else valor, None if there is None else there[2])
    for linha_id, (want, have) in values.items():
        tally.compare(f"lançamento {linha_id} · valor", to_decimal(want), to_decimal(have))
    expected = sum_money(valor for _, _, valor in ours.values())
    found = sum_money(valor for _, _, valor in theirs.values())
    only_today = bool(today) and len(today) == len(tally.differences)
    detail = "o serviço conta como vencido o que vence hoje" if only_today else ""
    if not tally.count:
        tally.compare("títulos vencidos", 0, 0)
    severity = ALERTA if only_today else ERRO
    return tally.close(esperado=expected, encontrado=found, severidade=severity, detalhe=detail)


def _find_overdue(position: Position) -> dict[int, tuple[int, str, Decimal]]:
    """Our overdue títulos that some account lists: id -> account, filter, value."""
    day = pd.Timestamp(position.data_base)
    abertos = find_open(position)
    late = abertos[(abertos["prevista"] < day) & abertos["conta_id"].notna()]
    return {
        int(titulo_id): (int(conta), "RA" if tipo == "R" else "PA", to_decimal(int(centavos)))
        for titulo_id, conta, tipo, centavos in zip(
            late.index, late["conta_id"], late["tipo"], late["valor_centavos"], strict=True
        )
    }


def _find_listed(
    position: Position, vencidos: pd.DataFrame
) -> tuple[dict[int, tuple[int, str, Decimal]], list[int], dict[int, tuple[int, int]]]:
    """Bring the service's rows to título level (S16): títulos, rows we do not know, and values of single linhas.

    A composite may come as one row, as its parts, or as the parts of one sign; any of them stands for its título,
    whose side is that of its own sign.
    """
    # Of all there are, only what is listed is looked at.
    listed = vencidos["lancamento_id"].astype("int64")
    linhas = position.linhas[["origem", "linha_id", "titulo_id"]]
    linhas = linhas[(linhas["origem"] == "lancamento") & linhas["linha_id"].isin(listed)]
    to_titulo = dict(zip(linhas["linha_id"].astype(int), linhas["titulo_id"].astype(int), strict=True))
    titulos = position.titulos[["titulo_id", "valor_centavos", "qtde_linhas", "transferencia"]]
    titulos = titulos[titulos["titulo_id"].isin({*to_titulo.values(), *listed})].set_index("titulo_id")
    values = titulos["valor_centavos"].to_dict()
    alone = set(titulos.index[titulos["qtde_linhas"] == 1])
    transfers = set(titulos.index[titulos["transferencia"]])
    theirs: dict[int, tuple[int, str, Decimal]] = {}
    unknown: list[int] = []
    compared: dict[int, tuple[int, int]] = {}
    for tipo, conta, row_id, centavos, pair in zip(
        vencidos["tipo"],
        vencidos["conta_id"],
        vencidos["lancamento_id"],
        vencidos["valor_centavos"],
        vencidos["lancamento_transferencia_id"],
        strict=True,
    ):
        number = int(row_id)
        # In mode `total` a parent is no linha; its título bears its id.
        titulo_id = to_titulo.get(number, number if number in values else None)
        if not pd.isna(pair) or titulo_id in transfers:
            continue
        if titulo_id is None:
            if int(centavos):
                unknown.append(number)
            continue
        value = int(values[titulo_id])
        if titulo_id in alone and number in to_titulo:
            compared[number] = (value, int(centavos))
        if value == 0 or (titulo_id in theirs and theirs[titulo_id][1] == ("RA" if value > 0 else "PA")):
            continue
        side = str(tipo) if titulo_id in alone else "RA" if value > 0 else "PA"
        theirs[titulo_id] = (int(conta), side, to_decimal(value))
    return theirs, sorted(set(unknown)), compared
