"""V11 to V13: live charges against the entries they collect (S12, R11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from lastro.errors import MAX_KEYS
from lastro.grid.model import Style
from lastro.grid.verdict import INFORMA, Outcome
from lastro.grid.words import count_text
from lastro.money import format_brl, to_decimal
from lastro.quality.cash_tables import Reports
from lastro.quality.printed import find_section, find_table, iter_sums, month_text, plain, read_columns, sum_money
from lastro.quality.record_checks import BY_STATUS
from lastro.quality.sheet_checks import compare_sheets
from lastro.quality.tally import Tally
from lastro.transform.charges import CANCELADO, RANKS, find_status

if TYPE_CHECKING:
    from lastro.transform.position import Position

BEFORE_PAYMENT: Final = (1, 2)
ZERO: Final = Decimal("0.00")


Disagreements = frozenset[tuple[str, int]]
"""Kind (M1 .. M11) and charge, of all that R11 (g) must list."""


def check_v11(position: Position, reports: Reports, disagreements: Disagreements) -> Outcome:
    """V11: every id in `lancamento_ids` of a live charge is an entry or an item (R11 M4)."""
    tally = Tally()
    cobrancas = position.cobrancas
    live = set(cobrancas.loc[cobrancas["viva"], "cobranca_id"])
    tally.count += len(live)
    for cobranca_id, lancamento_id in zip(
        position.cobranca_desconhecidos["cobranca_id"], position.cobranca_desconhecidos["lancamento_id"], strict=True
    ):
        if cobranca_id in live:
            tally.fail([f"cobrança {cobranca_id} · lançamento {lancamento_id}"])
    _compare_differences(tally, position, reports, disagreements, ("M4",))
    return tally.close()


def check_v12(position: Position, reports: Reports, disagreements: Disagreements) -> Outcome:
    """V12: a live charge's `valor` is the sum of the positive linhas of its títulos (R11 M3); R11 adds all charges."""
    tally = Tally()
    linhas = position.linhas
    positive = linhas["valor_centavos"].clip(lower=0).groupby(linhas["titulo_id"]).sum()
    links = position.cobranca_titulos
    gross = links["titulo_id"].map(positive).fillna(0).astype("int64").groupby(links["cobranca_id"]).sum().to_dict()
    cobrancas = position.cobrancas
    live = cobrancas[cobrancas["viva"]]
    total = found = 0
    tally.count += len(live)
    for cobranca_id, centavos in zip(live["cobranca_id"].tolist(), live["valor_centavos"].tolist(), strict=True):
        have = gross.get(cobranca_id, 0)
        if have != centavos:
            tally.differ(f"cobrança {cobranca_id}", to_decimal(centavos), to_decimal(have))
        total, found = total + centavos, found + have
    _compare_differences(tally, position, reports, disagreements, ("M3",))
    _compare_charges(tally, position, reports)
    return tally.close(esperado=to_decimal(total), encontrado=to_decimal(found))


def check_v13(
    position: Position, passadas: pd.DataFrame | None, reports: Reports, disagreements: Disagreements
) -> Outcome:
    """V13: a paid charge's títulos are paid, and a paid título's charge is (R11 M1, M2); counts per status agree.

    Paid, in transit and before the day that the bank announced, the entry may be open: that is told and fails nothing.

    Args:
        position: the position.
        passadas: rows of `ops.passadas`; those of `cobrancas:status=<slug>` carry the service's count.
        reports: the reports; R11 must list each difference (M1 to M11) once.
        disagreements: as `find_disagreements` returns them.
    """
    tally = Tally()
    titulos = position.titulos.set_index("titulo_id")
    links = position.cobranca_titulos
    pago = links["titulo_id"].map(titulos["pago"]).astype("boolean").fillna(value=False).astype(bool)
    opened, settled = links[~pago], links[pago]
    open_charges, settled_charges = set(opened["cobranca_id"]), set(settled["cobranca_id"])
    day = pd.Timestamp(position.data_base)
    waiting: list[int] = []
    grouped: dict[str, list[int]] = {OPEN_ENTRY: [], PENDING_CHARGE: []}
    for cobranca_id, viva, paga, rank, announced in zip(
        *(position.cobrancas[name] for name in ("cobranca_id", "viva", "paga", "rank", "data_a_transferir")),
        strict=True,
    ):
        if not viva:
            continue
        tally.count += 1
        if paga and cobranca_id in open_charges:
            if rank < RANKS["transferido"] and not pd.isna(announced) and announced >= day:
                waiting.append(cobranca_id)
            else:
                grouped[OPEN_ENTRY].append(cobranca_id)
                tally.fail([f"cobrança {cobranca_id}"], "lançamento pago", "em aberto")
        elif rank in BEFORE_PAYMENT and cobranca_id in settled_charges:
            grouped[PENDING_CHARGE].append(cobranca_id)
            tally.fail([f"cobrança {cobranca_id}"], "cobrança paga", "pendente")
    if passadas is not None:
        _count_per_status(tally, position, passadas)
    _compare_differences(
        tally, position, reports, disagreements, ("M1", "M2", "M5", "M6", "M7", "M8", "M9", "M10", "M11")
    )
    outcome = tally.close()
    found = {
        text: (len(ids), _sum_of(titulos, part, ids))
        for (text, ids), part in zip(grouped.items(), (opened, settled), strict=True)
        if ids
    }
    if outcome.failed:
        texts = [
            f"{count_text(count, *text.split('/'))} ({format_brl(value)})" for text, (count, value) in found.items()
        ]
        return replace(outcome, resumo="; ".join(texts))
    if not waiting:
        return outcome
    value = format_brl(_sum_of(titulos, opened, waiting))
    text = count_text(len(waiting), "cobrança paga a caminho do banco", "cobranças pagas a caminho do banco")
    return replace(
        outcome,
        situacao=INFORMA,
        registros=len(waiting),
        chaves=tuple(f"cobrança {number}" for number in sorted(waiting)[:MAX_KEYS]),
        resumo=f"{text}, com lançamento em aberto até o repasse anunciado ({value})",
    )


OPEN_ENTRY: Final = "cobrança paga com lançamento em aberto/cobranças pagas com lançamento em aberto"
PENDING_CHARGE: Final = "lançamento pago com cobrança pendente/lançamentos pagos com cobrança pendente"


def _sum_of(titulos: pd.DataFrame, links: pd.DataFrame, cobrancas: Collection[int]) -> Decimal:
    """Add up the títulos of some charges, each once."""
    ids = links.loc[links["cobranca_id"].isin(cobrancas), "titulo_id"].unique()
    return to_decimal(int(titulos.loc[titulos.index.isin(ids), "valor_centavos"].sum()))


def _count_per_status(tally: Tally, position: Position, passadas: pd.DataFrame) -> None:
    """Compare the service's counts; whether its filter counts cancelled charges is not documented: either will do."""
    cobrancas = position.cobrancas
    live = Counter(cobrancas["status"])
    shown: Counter[str] = Counter()
    for text, times in Counter(cobrancas["status_descricao"]).items():
        shown[find_status(text, cancelada=False)] += times
    rows = passadas[passadas["lista"].astype(str).str.startswith(BY_STATUS)]
    for lista, count in zip(rows["lista"], rows["contagem_antes"], strict=True):
        slug = str(lista).removeprefix(BY_STATUS)
        if pd.isna(count) or slug not in RANKS:
            continue
        have = shown[slug] if int(count) == shown[slug] else live[slug]
        tally.compare(f"status {slug}", int(count), have)


def _compare_differences(
    tally: Tally, position: Position, reports: Reports, disagreements: Disagreements, tipos: tuple[str, ...]
) -> None:
    """R11 (g) lists each kind of difference once per charge, and no other."""
    table = find_table(reports, "cobrancas_divergencias")
    if table is None:
        return
    values = dict(zip(position.cobrancas["cobranca_id"], position.cobrancas["valor_centavos"], strict=True))
    found = []
    for tipo, cobranca_id, value in read_columns(table, "tipo", "cobranca_id", "valor"):
        if tipo in tipos:
            found.append((tipo, cobranca_id))
            want = to_decimal(int(values[cobranca_id])) if cobranca_id in values else None
            tally.compare(f"Divergências · {tipo} · cobrança {cobranca_id} · valor", want, value)
    expected = {key for key in disagreements if key[0] in tipos}
    for tipo, cobranca_id in sorted(set(found) ^ expected):
        tally.fail([f"Divergências · {tipo} · cobrança {cobranca_id}"])
    if len(found) != len(set(found)):
        tally.fail(f"Divergências · {tipo} repetida" for tipo in tipos)


def find_disagreements(position: Position) -> Disagreements:
    """Find again, charge by charge, where charges and entries disagree (R11 g): (M1 .. M11, charge)."""
    named = position.cobranca_titulos["titulo_id"]
    charged = position.titulos.loc[position.titulos["titulo_id"].isin(named), list(_TITULO_FIELDS)]
    titulos = {titulo_id: rest for titulo_id, *rest in _records(charged, _TITULO_FIELDS)}
    linhas = position.linhas.loc[position.linhas["titulo_id"].isin(named), ["titulo_id", "valor_centavos"]]
    positive = linhas["valor_centavos"].clip(lower=0).groupby(linhas["titulo_id"]).sum().to_dict()
    linked: dict[int, list[int]] = {}
    for cobranca_id, titulo_id in zip(
        position.cobranca_titulos["cobranca_id"].tolist(), position.cobranca_titulos["titulo_id"].tolist(), strict=True
    ):
        linked.setdefault(cobranca_id, []).append(titulo_id)
    charges = list(_records(position.cobrancas, _CHARGE_FIELDS))
    holders = Counter(titulo for number, live, *_ in charges if live for titulo in linked.get(number, ()))
    unknown = set(position.cobranca_desconhecidos["cobranca_id"].tolist())
    found: list[tuple[str, int]] = []
    for number, live, paid, rank, due, client, account, value, surcharge, received in charges:
        ids = linked.get(number, ())
        gross, some_paid, some_open, wrong_day, wrong_client, wrong_account, shared = 0, *(False,) * 6
        latest = due + position.parametros.repasse_dias_max
        for titulo_id in ids:
            settled, day, person, conta = titulos[titulo_id]
            gross += positive.get(titulo_id, 0)
            shared |= holders[titulo_id] > 1
            some_paid |= settled
            some_open |= not settled
            wrong_day |= not due <= day <= latest
            wrong_client |= person != client
            wrong_account |= conta != account
        if not live:
            if some_open:
                found.append(("M5", number))
            continue
        tests = (
            ("M1", paid and some_open),
            ("M2", rank in BEFORE_PAYMENT and some_paid),
            ("M3", value != gross),
            ("M4", number in unknown),
            ("M6", wrong_day),
            ("M7", wrong_client),
            ("M8", wrong_account),
            ("M9", paid and received != value + (surcharge or 0)),
            ("M10", shared),
            ("M11", rank == 0),
        )
        found += [(tipo, number) for tipo, holds in tests if holds]
    return frozenset(found)


_TITULO_FIELDS = ("titulo_id", "pago", "data_vencimento", "pessoa_id", "conta_id")
_DAYS: Final = frozenset({"data_vencimento"})
_CHARGE_FIELDS = (
    "cobranca_id", "viva", "paga", "rank", "data_vencimento", "cliente_id", "conta_id", "valor_centavos",
    "valor_multa_juros_centavos", "valor_pago_centavos",
)  # fmt: skip


def _records(frame: pd.DataFrame, names: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield rows of some columns; a null is None, a day its number, which is compared in a tenth of the time."""
    columns = [
        frame[name].to_numpy().astype("datetime64[D]").astype(np.int64).tolist()
        if name in _DAYS
        else [None if value is pd.NA else value for value in frame[name].tolist()]
        for name in names
    ]
    return zip(*columns, strict=True)


def _compare_charges(tally: Tally, position: Position, reports: Reports) -> None:
    """The amounts of R11 (a), (b), (d), (e) and (f) are those of the charges."""
    cobrancas = position.cobrancas
    live = cobrancas[cobrancas["viva"]]
    paid = live[live["paga"]]
    table = find_table(reports, "cobrancas_por_status")
    if table is not None:
        rows = read_columns(table, "status_codigo", "qtde", "valor", "pago", "taxas", "liquido")
        rows = [row for row in rows if row[0] != CANCELADO]
        tally.compare("Cobranças por situação · qtde", len(live), sum(row[1] for row in rows))
        for place, name, frame in (
            (2, "valor", live),
            (3, "valor_pago", paid),
            (4, "taxa", paid),
            (5, "liquido", paid),
        ):
            want = to_decimal(int(frame[f"{name}_centavos"].fillna(0).sum()))
            tally.compare(f"Cobranças por situação · {name}", want, sum_money(row[place] for row in rows))
        per_status = live.groupby("status")["valor_centavos"].sum()
        found: dict[str, Decimal] = {}
        for row in rows:
            found[row[0]] = found.get(row[0], ZERO) + row[2]
        for status, value in iter_sums(per_status):
            tally.compare(f"Cobranças por situação · {status}", to_decimal(value), found.get(str(status), ZERO))
    _compare_funnel(tally, live, reports)
    _compare_charge_list(tally, cobrancas, reports)
    pending = live[(live["rank"] == RANKS["pendente"])]
    late = pending[pending["data_vencimento"] < pd.Timestamp(position.data_base)]
    moving = live[live["rank"].isin((RANKS["cliente_pagou"], RANKS["transferindo"]))]
    for name, text, amount, frame in (
        ("cobrancas_pendentes_vencidas", "Pendentes vencidas", "valor", late),
        ("cobrancas_em_transito", "Em trânsito", "liquido", moving),
    ):
        table = find_table(reports, name)
        if table is not None:
            rows = read_columns(table, "qtde", amount)
            tally.compare(f"{text} · qtde", len(frame), sum(row[0] for row in rows))
            want = to_decimal(int(frame[f"{amount}_centavos"].fillna(0).sum()))
            tally.compare(text, want, sum_money(row[1] for row in rows))
    compare_sheets(tally, reports, ("R11",))
    _compare_status_total(tally, live, reports)


def _compare_status_total(tally: Tally, live: pd.DataFrame, reports: Reports) -> None:
    """The printed totals of (a), and the matrix of (b), leave cancelled charges out."""
    section = find_section(reports, "cobrancas_por_status")
    if section is not None:
        for row in (row for row in section.rows if row.style is Style.TOTAL):
            want = to_decimal(int(live["valor_centavos"].sum()))
            tally.compare("Cobranças por situação · total", want, plain(row.cells[section.place("valor")]))
    section = find_section(reports, "cobrancas_funil_meses")
    months = live["data_vencimento"].dt.strftime("%Y-%m-01")
    for row in () if section is None else section.rows:
        name = str(plain(row.cells[0]))
        of_row = live if row.style is Style.TOTAL else live[months == name]
        for rank in range(1, len(RANKS) + 1):
            reached = int((of_row["rank"] >= rank).sum())
            tally.compare(f"Funil planilha · {name} · {rank}", reached, plain(row.cells[rank]))
        issued = to_decimal(int(of_row.loc[of_row["rank"] >= 1, "valor_centavos"].sum()))
        tally.compare(f"Funil planilha · {name} · valor", issued, plain(row.cells[-1]))


def _compare_funnel(tally: Tally, live: pd.DataFrame, reports: Reports) -> None:
    table = find_table(reports, "cobrancas_funil")
    if table is None:
        return
    months = live["data_vencimento"].to_numpy().astype("datetime64[M]")
    ranks, values = live["rank"].to_numpy(), live["valor_centavos"].to_numpy()
    for place, row in enumerate(read_columns(table, "mes_de_vencimento", "etapa", "qtde", "valor")):
        month, stage, count, value = row
        reached = values[(months == np.datetime64(month, "M")) & (ranks >= stage)]
        key = f"Funil · {month_text(month)} · {stage}"
        tally.compare(f"{key} · qtde", len(reached), count)
        tally.compare(key, to_decimal(int(reached.sum())), value)
        tally.compare(f"Funil · linha {place} · etapa", place % len(RANKS) + 1, stage)
    shown = {row[0] for row in read_columns(table, "mes_de_vencimento")}
    tally.compare("Funil · linhas", len(RANKS) * len(np.unique(months[~np.isnat(months)])), len(RANKS) * len(shown))


def _compare_charge_list(tally: Tally, cobrancas: pd.DataFrame, reports: Reports) -> None:
    table = find_table(reports, "cobrancas_detalhe")
    if table is None:
        return
    names = ("valor", "valor_multa_juros", "valor_pago", "taxa", "liquido")
    expected: dict[int, tuple[Decimal | None, ...]] = {}
    for cobranca_id, *values in zip(
        cobrancas["cobranca_id"].tolist(), *(cobrancas[f"{name}_centavos"].tolist() for name in names), strict=True
    ):
        expected[cobranca_id] = tuple([None if value is pd.NA else to_decimal(value) for value in values])
    rows = read_columns(table, "cobranca_id", "valor", "multa_e_juros", "valor_pago", "taxa", "liquido")
    tally.compare("Cobranças · linhas", len(expected), len(rows))
    for cobranca_id, *amounts in rows:
        want = expected.get(cobranca_id, (None,) * len(names))
        if tuple(amounts) == want:
            tally.count += len(names)
            continue
        for name, one, other in zip(names, want, amounts, strict=True):
            tally.compare(f"Cobranças · cobrança {cobranca_id} · {name}", one, other)
