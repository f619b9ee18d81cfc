"""V04: every linha has the class its fields call for, and every report sums the same linhas per class (S15)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd

from lastro.calendar import ONE_DAY, month_end
from lastro.grid.verdict import Outcome
from lastro.money import to_decimal
from lastro.quality.cash_tables import (
    CENTRE_LINES,
    DAY_NAMES,
    MOMENTS,
    R04_PARTS,
    R05_NAMES,
    Reports,
    account_number,
    account_text,
    list_month_places,
    read_blocks,
    read_r04,
)
from lastro.quality.ledger import ENVIADAS, IMPLANTADOS, RECEBIDAS, Ledger, iter_sums
from lastro.quality.printed import (
    Found,
    amount_or_zero,
    find_section,
    find_table,
    month_text,
    plain,
    read_columns,
    sum_money,
    walk_columns,
)
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally
from lastro.transform.position import CLASSES, ENTRADAS, NAO_OPERACIONAL, SAIDAS, TRANSFERENCIAS, Position


def check_v04(position: Position, ledger: Ledger, reports: Reports) -> Outcome:
    """V04: every linha has the class its fields call for, and every period sums the same linhas per class.

    What is caixa and which class it is are found again from dates, links and categories (S5, S7), not from the
    position's own columns; R02 to R05 and R16 are then held against direct sums.
    """
    tally = Tally()
    _check_state(tally, position)
    _check_linha_sheet(tally, position, reports)
    _check_days(tally, ledger, reports)
    for (mes, momento), nodes in read_r04(reports).items():
        line = {code: value for code, level, _, _, value in nodes if level == 0}
        want = _month_lines(ledger, mes, momento, position.data_base)
        for code in R04_PARTS:
            tally.compare(f"Fluxo mensal · {month_text(mes)} {momento} · {code}", want[code], line.get(code))
    table = find_table(reports, "fluxo_por_conta")
    if table is not None:
        seen = set()
        for conta, mes, momento, *flows in read_columns(table, "conta_id", "mes", "momento", *R05_NAMES[1:-1]):
            number = account_number(conta)
            seen.add(number)
            want = _month_lines(ledger, mes, momento, position.data_base, number)
            key = f"{account_text(number)} · {month_text(mes)} {momento}"
            for code, have in zip(R05_NAMES[1:-1], flows, strict=True):
                tally.compare(f"{key} · {code}", want[code], have)
        tally.fail(f"{account_text(conta)} · Fluxo por conta" for conta in sorted(set(ledger.accounts) - seen))
    _check_centres(tally, position, ledger, reports)
    paid = position.linhas.loc[position.linhas["caixa"], ["classe", "valor_centavos"]]
    total = to_decimal(int(paid["valor_centavos"].sum()))
    sums = paid.groupby("classe")["valor_centavos"].sum()
    by_class = sum_money(to_decimal(int(sums.get(classe, 0))) for classe in CLASSES)
    tally.compare("soma das classes", total, by_class)
    compare_sheets(tally, reports, ("R16",))
    return tally.close(esperado=total, encontrado=by_class)


def _check_centres(tally: Tally, position: Position, ledger: Ledger, reports: Reports) -> None:
    """The cost centres of a month add up to each line of all accounts; the last block of the sheet shows these sums."""
    table, section = find_table(reports, "fluxo_por_centro"), find_section(reports, "fluxo_por_centro")
    if table is None or section is None:
        return
    found: defaultdict[tuple[date, str], dict[str, Decimal]] = defaultdict(dict)
    centros = set()
    for centro, mes, momento, linha, value in read_columns(table, "centro_id", "mes", "momento", "codigo", "valor"):
        lines = found[mes, momento]
        lines[linha] = lines.get(linha, Decimal("0.00")) + value
        centros.add(centro)
    blocks = read_blocks(section)
    tally.compare("Fluxo por centro planilha · blocos", len(centros) + 1, len(blocks))
    for place, mes, momento in list_month_places(section) if blocks else ():
        printed = [plain(cells[place]) for cells in blocks[-1]]
        if printed != [found[mes, momento].get(linha) for linha in CENTRE_LINES]:
            tally.fail([f"Fluxo por centro planilha · Consolidado · {section.columns[place].header}"])
    for (mes, momento), lines in found.items():
        want = _month_lines(ledger, mes, momento, position.data_base)
        for code in CENTRE_LINES:
            tally.compare(f"Fluxo por centro · {month_text(mes)} {momento} · {code}", want[code], lines.get(code))


def _month_lines(
    ledger: Ledger, mes: date, momento: str, data_base: date, conta: int | None = None
) -> dict[str, Decimal]:
    first = data_base if momento == "a_realizar" else mes
    lines = ledger.lines(first, month_end(mes), MOMENTS[momento], conta)
    return {
        "saldos_implantados": lines[IMPLANTADOS],
        "entradas": lines[ENTRADAS],
        "saidas": lines[SAIDAS],
        "nao_operacional": lines[NAO_OPERACIONAL],
        "transferencias": lines[RECEBIDAS] + lines[ENVIADAS],
        "transf_recebidas": lines[RECEBIDAS],
        "transf_enviadas": lines[ENVIADAS],
    }


def _check_state(tally: Tally, position: Position) -> None:
    """Find caixa and class again from the base columns and compare linha by linha."""
    linhas, day = position.linhas, pd.Timestamp(position.data_base)
    starts = {
        int(row["conta_id"]): row["data_saldo_inicial"]
        for row in position.contas.to_dict("records")
        if not pd.isna(row["conta_id"])
    }
    since = linhas["conta_id"].map(starts).astype("datetime64[us]")
    paid_on = linhas["data_pagamento"]
    paid = paid_on <= day
    after = paid_on > since if position.parametros.saldo_inicial_ref == "fechamento" else paid_on >= since
    caixa = (paid & (since.isna() | after)).to_numpy(dtype=bool)
    categorias = position.categorias
    kinds = categorias.set_index("categoria_id")["tipo_categoria_id"]
    kind = linhas["categoria_id"].map(kinds).astype("Int64").fillna(0).to_numpy(dtype="int64")
    if position.parametros.natureza_por == "sinal":
        kind = np.zeros_like(kind)
    positive = linhas["valor_centavos"].to_numpy() >= 0
    revenue = (kind == 2) | ((kind != 1) & positive)
    outside = set(categorias.loc[categorias["dre_grupo"] == "fora", "categoria_id"].astype(int))
    fora = linhas["categoria_id"].isin(outside).to_numpy(dtype=bool)
    transfer = linhas["lancamento_transferencia_id"].notna().to_numpy(dtype=bool)
    classe = np.select([transfer, fora, revenue], [TRANSFERENCIAS, NAO_OPERACIONAL, ENTRADAS], SAIDAS)
    wrong = (caixa != linhas["caixa"].to_numpy()) | (classe != linhas["classe"].to_numpy())
    tally.count += len(linhas)
    tally.fail(f"linha {linha_id}" for linha_id in linhas.loc[wrong, "linha_id"])


def _check_linha_sheet(tally: Tally, position: Position, reports: Reports) -> None:
    """R16 lists every linha once: count, sum and caixa sum per class, in SQL and on the sheets."""
    table = find_table(reports, "lancamentos")
    if table is None:
        return
    linhas = position.linhas
    tally.compare("Lançamentos · linhas", len(linhas), len(table.rows))
    total = Decimal("0.00")
    found: defaultdict[Hashable, Decimal] = defaultdict(Decimal)
    ids: defaultdict[Found, set[Found]] = defaultdict(set)
    for classe, day, value, linha_id, origem in walk_columns(
        table, "classe", "data_caixa", "valor", "linha_id", "origem"
    ):
        total += amount_or_zero(value)
        ids[origem].add(linha_id)
        if day is not None:
            found[classe, day] += value
    tally.compare("Lançamentos · valor", to_decimal(int(linhas["valor_centavos"].sum())), total)
    caixa = linhas.loc[linhas["caixa"], ["classe", "data_pagamento", "valor_centavos"]]
    sums = caixa.groupby(["classe", "data_pagamento"])["valor_centavos"].sum()
    expected: dict[Hashable, Decimal] = {
        (classe, stamp.date()): to_decimal(value) for classe, stamp, value in iter_sums(sums)
    }
    tally.compare_maps("Lançamentos", expected, found)
    tally.compare("Lançamentos · ids distintos", len(table.rows), sum(map(len, ids.values())))


def _check_days(tally: Tally, ledger: Ledger, reports: Reports) -> None:
    for name, label, length, text in (("fluxo_diario", "dia", 1, "dia"), ("fluxo_semanal", "inicio", 7, "semana")):
        table = find_table(reports, name)
        if table is None:
            continue
        for first, *found in read_columns(table, label, *DAY_NAMES):
            last = first + timedelta(days=length - 1)
            moved = ledger.moved(first, last)
            tally.compare(f"{text} {first} · saldo_inicial", ledger.balance(first - ONE_DAY), found[0])
            for code, want, have in zip(DAY_NAMES[1:], _day_amounts(moved), found[1:], strict=True):
                tally.compare(f"{text} {first} · {code}", to_decimal(want), have)


def _day_amounts(moved: Mapping[tuple[str, bool], int]) -> tuple[int, ...]:
    return (
        moved[IMPLANTADOS, False] + moved[IMPLANTADOS, True],
        moved[ENTRADAS, False],
        moved[SAIDAS, False],
        moved[ENTRADAS, True],
        moved[SAIDAS, True],
        moved[NAO_OPERACIONAL, False] + moved[NAO_OPERACIONAL, True],
        sum(moved[line, moment] for line in (RECEBIDAS, ENVIADAS) for moment in (False, True)),
    )
