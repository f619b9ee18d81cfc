"""Projected balances under other assumptions: what changes against the base, day by day.

A projection is a list of differences, so that the base is untouched by construction: its balance on a day is the
base's plus all differences up to that day. Belongs here: which título moves to which day and by how much it shrinks.
Does not belong here: the base (`lastro.analysis.cash_series`), payers' habits (`lastro.transform.habits`).

Transfers and planned occurrences of endless series (S10) stay as in the base in every projection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

import numpy as np
import pandas as pd

from lastro.money import divide_half_up, format_brl, format_centavos, format_centavos_brl, to_centavos
from lastro.settings import Cenario
from lastro.transform.forgotten_titulos import find_forgotten
from lastro.transform.habits import Habits, expect_days, expect_days_of, find_charge_arrivals
from lastro.transform.lookup import look_up
from lastro.transform.position import PCT_SCALE, Position, add_state, move_to_business

VENCIMENTO: Final = "No vencimento"
PLANO: Final = "Plano"
HABITOS: Final = "Como os clientes pagam"
ATRASADO: Final = "Pagando já o atrasado"
PROMESSAS: Final = "Com promessas"
CODES: Final = {
    VENCIMENTO: "contratual", PLANO: "com_o_combinado", HABITOS: "se_os_habitos_persistirem", ATRASADO: "conservador",
}  # fmt: skip
"""Line of projection (S26) -> its key in `mart`, which is older than its name."""


@dataclass(frozen=True)
class Promised:
    """What a customer said would come and has not yet: of a person, or of one título.

    Attributes:
        pessoa_id: whose; None for a promise about a título.
        titulo_id: which; None for one of a person.
        dia: the day promised, D or later.
        centavos: what is still to come of it; None where no amount was named.
    """

    pessoa_id: int | None
    titulo_id: int | None
    dia: date
    centavos: int | None


@dataclass(frozen=True)
class Decided:
    """An open payable that was decided at the payments desk, and the business day on which it leaves, D or later."""

    titulo_id: int
    dia: date


@dataclass(frozen=True)
class Outlook:
    """A projected balance beside the base.

    Attributes:
        nome: header of its column.
        diferencas: grain day (unique, ascending, none before D): data, valor_centavos (signed, not 0).
        notas: what it assumes, as printed.
        adiado: what it puts beyond the last day of R02, as printed beside its lowest balance; "" for nothing.
    """

    nome: str
    diferencas: pd.DataFrame
    notas: tuple[str, ...] = ()
    adiado: str = ""
    _days: np.ndarray[tuple[int], np.dtype[np.datetime64]] = field(init=False, repr=False, compare=False)
    _sums: np.ndarray[tuple[int], np.dtype[np.int64]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Prepare the running sums."""
        days = self.diferencas["data"].to_numpy().astype("datetime64[D]")
        sums = np.concatenate([[0], self.diferencas["valor_centavos"].to_numpy(dtype="int64").cumsum()])
        object.__setattr__(self, "_days", days)
        object.__setattr__(self, "_sums", sums.astype("int64"))

    def difference_until(self, day: date) -> int:
        """Return how far the balance at the end of a day is from the base's, signed centavos."""
        return int(self._sums[int(np.searchsorted(self._days, np.datetime64(day, "D"), side="right"))])


AS_BOOKED: Final = Outlook(
    VENCIMENTO, pd.DataFrame({"data": pd.Series(dtype="datetime64[us]"), "valor_centavos": pd.Series(dtype="int64")})
)
"""What is booked, as a line of projection: it differs by nothing."""


def plan_projections(
    position: Position,
    *,
    cenarios: Sequence[Cenario],
    by_habit: Outlook,
    promised: Sequence[Promised],
    decided: Sequence[Decided],
    settled: Collection[int],
    forgotten: Collection[int],
) -> tuple[Outlook, ...]:
    """Build every projection beside what is booked: the lines of S26, the plan if there is one, and the settings'.

    Args:
        cenarios: `[[empresa.cenario]]`.
        by_habit: result of `project_habits`.
        promised: what the collections desk was promised and has not come.
        decided: what the payments desk decided and has not left.
        settled: open títulos that are owed no more as they stand.
        forgotten: receivables that were probably paid and not settled (Q33).
    """
    return (
        *((project_plan(position, decided, promised),) if decided or promised else ()),
        by_habit,
        project_arrears(position, settled),
        *((project_promises(position, promised),) if promised else ()),
        *(project_scenario(position, cenario, settled, forgotten) for cenario in cenarios),
    )


def project_arrears(position: Position, settled: Collection[int]) -> Outlook:
    """Project overdue payables on D, but none of `settled`, and overdue receivables never (S26)."""
    moves = _open_titulos(position)
    moves["dia"] = _pay_overdue(position, moves, settled)
    paid = -int(moves.loc[moves["base"].isna() & moves["dia"].notna(), "valor_centavos"].sum())
    note = (
        f"{ATRASADO}: {format_centavos_brl(paid)} vencidos a pagar saem na data-base; o resto no vencimento. "
        "Mostra o que falta para pôr tudo em dia, e sozinho não faz do caixa negativo."
    )
    return Outlook(ATRASADO, _find_differences(moves), (note,))


def project_habits(position: Position, habits: Habits, moves: pd.DataFrame, forgotten: Collection[int]) -> Outlook:
    """Project receivables when their payers usually pay (`habits.expect_days`); payables fall due, late ones do not.

    Where nothing fell due in the window there is no habit: receivables that are not overdue stay where they are.
    `moves` is the result of `plan_by_habits`.
    """
    pushed = "com adiamentos vistos no histórico" if habits.com_historico else "sem histórico de vencimentos adiados"
    if habits.empresa_dias is None:
        observed = "nada venceu em 365 dias: recebíveis a vencer no vencimento"
    else:
        observed = f"média da empresa {_days_text(habits.empresa_dias)} após o vencimento, {pushed}"
    note = (
        f"{HABITOS}: cada recebível no vencimento mais o hábito do pagador ({observed}); vencidos já além do hábito "
        "fora, com cobrança paga no dia do repasse; a pagar no vencimento, sem os vencidos. Expectativa, não "
        f"compromisso.{_tell_forgotten(position, forgotten)}"
    )
    return Outlook(HABITOS, _find_differences(moves), (note,))


def plan_by_habits(position: Position, habits: Habits, forgotten: Collection[int]) -> pd.DataFrame:
    """Give every open título the day on which it moves if habits persist (`project_habits`); `forgotten` ones on none.

    Returns:
        Grain open título of value: titulo_id, `base` (its day in the closing balance), `dia` (NaT = on no day),
        valor_centavos and what `project_habits` looks at besides; RangeIndex.
    """
    moves = _open_titulos(position)
    expected = expect_days(position, habits).set_index("titulo_id")["data_habito"]
    by_habit = look_up(moves["titulo_id"], expected).astype("datetime64[us]")
    moves["dia"] = _lay_by_habit(moves, by_habit, moves["titulo_id"].isin([*forgotten]))
    return moves


def plan_days_by_habits(position: Position, titulos: pd.DataFrame) -> pd.DataFrame:
    """Plan by habits as of several days at once, for títulos only: charges and pushed due dates are not known here.

    Args:
        position: whose parameters and calendar count.
        titulos: grain título and day `dia`, columns of `core.titulos`; groups, persons and payment methods are of one
            day alone; not mutated.

    Returns:
        Grain open título of value and day `dia`: titulo_id, `data` on which it moves (NaT = on no day).
    """
    day = titulos["dia"]
    paid, extraction = titulos["data_pagamento"] <= day, pd.Timestamp(position.data_extracao)
    # Of what is paid, the most by far, nothing but that is asked.
    opened = add_state(titulos[~paid], day[~paid], extraction, position.parametros, position.calendario)
    late = opened["vencido"].reindex(titulos.index, fill_value=False)
    doubtful = opened["suspeito"].reindex(titulos.index, fill_value=False)
    days = opened["dias_de_atraso"].reindex(titulos.index)
    titulos = titulos.assign(pago=paid, vencido=late, suspeito=doubtful, dias_de_atraso=days)
    moves = opened[opened["valor_centavos"] != 0]
    by_habit = expect_days_of(position, titulos, opened).reindex(moves.index)
    moved = _lay_by_habit(moves, by_habit, find_forgotten(titulos)[moves.index])
    return moves[["titulo_id", "dia"]].assign(data=moved)


def _lay_by_habit(moves: pd.DataFrame, by_habit: pd.Series, forgotten: pd.Series) -> pd.Series:
    """Lay receivables on the day of their habit, none that was forgotten (Q33); payables stay where they fall due."""
    receivable = (moves["tipo"] == "R") & ~moves["transferencia"]
    due = moves["data_projetada"].astype("datetime64[us]")
    return due.where(~receivable, by_habit.where(~forgotten))


def lay_decided(moves: pd.DataFrame, decided: Sequence[Decided]) -> pd.DataFrame:
    """Lay payables on the day decided; all else stays on its `dia`."""
    days = pd.Series({decision.titulo_id: pd.Timestamp(decision.dia) for decision in decided}, dtype="datetime64[us]")
    chosen = look_up(moves["titulo_id"], days).astype("datetime64[us]")
    own = (moves["tipo"] == "P") & ~moves["transferencia"] & chosen.notna()
    return moves.assign(dia=moves["dia"].where(~own, chosen))


def project_promises(position: Position, promised: Sequence[Promised]) -> Outlook:
    """Project what the desk was promised on the day promised, or the next business day.

    A promise moves open receivables that are overdue or fall due up to its day, the oldest first, and no more than it
    names: what is promised beyond them has no título behind it. Without an amount it moves what is overdue, or the
    título it is about. What a charge was paid for is on its way and stays. A promise about a título goes before one of
    its customer; all else is as in the closing balance.
    """
    moved = _place_promises(position, _open_titulos(position), promised)
    total = format_centavos_brl(int(moved["valor"].sum()))
    note = (
        f"{PROMESSAS}: {total} em aberto prometidos à cobrança ({len(promised)}), no dia prometido, dos títulos mais "
        "antigos; o resto no vencimento. Expectativa, não compromisso."
    )
    return Outlook(PROMESSAS, _find_differences(moved), (note,))


def project_plan(position: Position, decided: Sequence[Decided], promised: Sequence[Promised]) -> Outlook:
    """Project what falls due with decided payables on their day and promised receivables on theirs (S26).

    What is overdue and neither decided nor promised stays out, as in the closing balance.

    Args:
        decided: open payables and the day on which each leaves.
        promised: what the collections desk was promised.
    """
    moves = lay_decided(_open_titulos(position), decided)
    own = moves["titulo_id"].isin([decision.titulo_id for decision in decided]) & (moves["tipo"] == "P")
    last = pd.Timestamp(position.ultimo_dia)
    beyond = own & ~(moves["base"] > last) & (moves["dia"] > last)
    put_off = -int(moves.loc[beyond, "valor_centavos"].sum())
    said = f"adiado para depois de {last:%d/%m}: {format_centavos(put_off)}" if put_off else ""
    moved = _place_promises(position, moves, promised)
    parts = [
        f"{format_centavos_brl(total)} {words} ({count})"
        for total, count, words in (
            (-int(moves.loc[own, "valor_centavos"].sum()), int(own.sum()), "decididos na mesa de pagamentos"),
            (int(moved["valor"].sum()), len(promised), "prometidos à cobrança"),
        )
        if count
    ]
    note = f"{PLANO}: {' e '.join(parts)}, no dia decidido ou prometido; o resto no vencimento, sem os vencidos."
    differences = _find_differences(pd.concat([moves, moved], ignore_index=True))
    return Outlook(PLANO, differences, (f"{note}{said and f' {said.capitalize()}.'}",), said)


def sum_promised(position: Position, promised: Sequence[Promised]) -> dict[int, int]:
    """Add up how much of each open título promises lay on a day: titulo_id -> centavos."""
    if not promised:
        return {}
    pieces = _place_promises(position, _open_titulos(position), promised)
    sums = pieces.groupby("titulo_id")["valor"].sum()
    return dict(zip(sums.index.tolist(), sums.tolist(), strict=True))


def _place_promises(position: Position, moves: pd.DataFrame, promised: Sequence[Promised]) -> pd.DataFrame:
    """Take what is promised off its day (`base`) and put it on the day promised: pieces of títulos, as `moves`."""
    moves = moves[(moves["tipo"] == "R") & ~moves["transferencia"] & ~moves["cobranca_paga"]]
    moves = moves.sort_values(["data_ref", "titulo_id"], ignore_index=True)
    left = moves["valor_centavos"].tolist()
    pieces: list[tuple[int, pd.Timestamp, pd.Timestamp, int]] = []
    for promise in sorted(
        promised,
        key=lambda promise: (promise.titulo_id is None, promise.dia, promise.titulo_id or promise.pessoa_id or 0),
    ):
        column, key = (
            ("pessoa_id", promise.pessoa_id) if promise.titulo_id is None else ("titulo_id", promise.titulo_id)
        )
        mine = (moves[column] == key).fillna(value=False) if key else moves[column].isna()
        if promise.titulo_id is None:
            due = moves["data_ref"] <= pd.Timestamp(promise.dia)
            mine &= moves["vencido"] if promise.centavos is None else moves["vencido"] | due
        rest = sum(left) if promise.centavos is None else promise.centavos
        for place in moves.index[mine.astype(bool)]:
            piece = min(left[place], rest)
            if piece > 0:
                pieces.append((*moves.loc[place, ["titulo_id", "base"]], pd.Timestamp(promise.dia), piece))
                left[place] -= piece
                rest -= piece
    moved = pd.DataFrame(pieces, columns=["titulo_id", "base", "dia", "valor"]).astype(
        {"titulo_id": "int64", "base": "datetime64[us]", "dia": "datetime64[us]", "valor": "int64"}
    )
    return moved.assign(dia=move_to_business(moved["dia"], position.calendario), valor_centavos=moved["valor"])


def project_scenario(
    position: Position, cenario: Cenario, settled: Collection[int], forgotten: Collection[int]
) -> Outlook:
    """Project one scenario of the settings; what it does not name stays as in its base.

    The base is the closing balance, which leaves overdue títulos out. A scenario that says what becomes of overdue
    receivables begins from the line that pays what is overdue (`project_arrears`): else a default would look like a
    rescue.

    - `atrasos`: receivables of the customer that are not overdue come so many days later; a post-dated payment stays.
    - `quedas`: projected linhas of the category and those below it lose the percentage (not what is overdue), each
      rounded half up to the centavo.
    - `calote_pct`: of every overdue receivable that share never comes and the rest comes `recuperacao_dias` after D;
      what a customer already paid to its charge comes whole, on the day of its transfer.
    - `avulsos`: amounts on their day, from D on.
    """
    day = pd.Timestamp(position.data_base)
    moves = _open_titulos(position)
    late, receivable = moves["vencido"], (moves["tipo"] == "R") & ~moves["transferencia"]
    fixed = moves["situacao"] == "Agendado"
    for atraso in cenario.atrasos:
        mine = (moves["pessoa_id"] == atraso.pessoa_id).fillna(value=False).astype(bool) & receivable & ~late & ~fixed
        later = move_to_business(moves["base"] + timedelta(days=atraso.dias), position.calendario)
        moves["dia"] = moves["dia"].where(~mine, later)
    shrunk = _find_shrinkage(position, cenario)
    moves["valor"] = moves["valor_centavos"] - look_up(moves["titulo_id"], shrunk).fillna(0).astype("int64")
    base = "no vencimento"
    if cenario.calote_pct is not None:
        base = f"pagando já o vencido, como em «{ATRASADO}»"
        prudent = _pay_overdue(position, moves, settled)
        moves["dia"] = moves["dia"].where(~late, prudent)
        overdue = late & receivable & ~moves["titulo_id"].isin([*forgotten])
        arrival = find_charge_arrivals(position, moves)
        doubtful = overdue & arrival.isna()
        rest = [
            amount - _share(amount, cenario.calote_pct) for amount in moves.loc[doubtful, "valor_centavos"].tolist()
        ]
        moves.loc[doubtful, "valor"] = np.array(rest, dtype="int64")
        recovered = arrival.fillna(day + timedelta(days=cenario.recuperacao_dias)).astype("datetime64[us]")
        recovered = move_to_business(recovered, position.calendario)
        moves["dia"] = moves["dia"].where(~overdue, recovered)
    once = [
        (pd.Timestamp(avulso.data), to_centavos(avulso.valor))
        for avulso in cenario.avulsos
        if avulso.data >= position.data_base
    ]
    note = f"Cenário {cenario.nome}: {'; '.join(_describe(position, cenario))}; o resto {base}."
    return Outlook(f"Cenário {cenario.nome}", _find_differences(moves, once), (note,))


def _open_titulos(position: Position) -> pd.DataFrame:
    """Copy the open títulos with their day and amount in the base: `base`, `dia` (NaT = not projected), `valor`."""
    titulos = position.titulos
    columns = [
        "titulo_id", "tipo", "transferencia", "pessoa_id", "valor_centavos", "vencido", "situacao", "data_projetada",
        "cobranca_paga", "data_ref",
    ]  # fmt: skip
    opened = titulos.loc[~titulos["pago"] & (titulos["valor_centavos"] != 0), columns].reset_index(drop=True)
    base = opened["data_projetada"]
    return opened.assign(base=base, dia=base, valor=opened["valor_centavos"])


def _pay_overdue(position: Position, moves: pd.DataFrame, settled: Collection[int]) -> pd.Series:
    """Lay overdue payables on D, but none that is owed no more; all else stays where it is projected."""
    late = moves["vencido"] & (moves["tipo"] == "P") & ~moves["titulo_id"].isin([*settled])
    return moves["data_projetada"].where(~late, pd.Timestamp(position.data_base)).astype("datetime64[us]")


def _tell_forgotten(position: Position, forgotten: Collection[int]) -> str:
    """Say which receivables a projection leaves out as probably paid (Q33); nothing where there is none."""
    left_out = position.titulos.loc[position.titulos["titulo_id"].isin([*forgotten]), "valor_centavos"]
    if left_out.empty:
        return ""
    name = "provável baixa esquecida" if len(left_out) == 1 else "prováveis baixas esquecidas"
    return f" Sem {len(left_out)} {name}, {format_centavos_brl(int(left_out.abs().sum()))}."


def _find_differences(moves: pd.DataFrame, once: Iterable[tuple[pd.Timestamp, int]] = ()) -> pd.DataFrame:
    """Take every título off its day of the base and put it on its new one; only what changed is left."""
    changed = (moves["base"] != moves["dia"]) & ~(moves["base"].isna() & moves["dia"].isna())
    changed |= moves["valor"] != moves["valor_centavos"]
    part = moves[changed]
    off = pd.DataFrame({"data": part["base"], "valor_centavos": -part["valor_centavos"]})
    on = pd.DataFrame({"data": part["dia"], "valor_centavos": part["valor"]})
    extra = pd.DataFrame(list(once), columns=["data", "valor_centavos"]).astype(
        {"data": "datetime64[us]", "valor_centavos": "int64"}
    )
    rows = pd.concat([off, on, extra], ignore_index=True).dropna(subset=["data"])
    sums = rows.groupby("data", sort=True)["valor_centavos"].sum()
    sums = sums[sums != 0]
    return pd.DataFrame({"data": sums.index.astype("datetime64[us]"), "valor_centavos": sums.to_numpy(dtype="int64")})


def _find_shrinkage(position: Position, cenario: Cenario) -> pd.Series:
    """Add up per título what its linhas lose by `quedas`; the drop nearest to a linha's category wins."""
    lost = pd.Series(dtype="int64", index=pd.Index([], dtype="int64"))
    if not cenario.quedas:
        return lost
    given = {queda.categoria_id: queda.percentual for queda in cenario.quedas}
    share = dict(given)
    categorias = position.categorias
    for categoria_id, above in zip(categorias["categoria_id"].tolist(), categorias["ancestrais"].tolist(), strict=True):
        nearest = next((given[step] for step in [categoria_id, *reversed(list(above))] if step in given), None)
        if nearest is not None:
            share[int(categoria_id)] = nearest
    linhas = position.linhas
    hit = ~linhas["pago"] & ~linhas["vencido"] & ~linhas["transferencia"] & linhas["data_projetada"].notna()
    hit &= linhas["categoria_id"].isin(list(share))
    part = linhas.loc[hit, ["titulo_id", "categoria_id", "valor_centavos"]]
    amounts = [
        _share(amount, share[int(categoria_id)])
        for categoria_id, amount in zip(part["categoria_id"].tolist(), part["valor_centavos"].tolist(), strict=True)
    ]
    losses: pd.Series = part.assign(perda=np.array(amounts, dtype="int64")).groupby("titulo_id")["perda"].sum()
    return losses


def _share(centavos: int, percent: Decimal) -> int:
    return divide_half_up(int(centavos) * int(percent * PCT_SCALE), 100 * PCT_SCALE)


def _describe(position: Position, cenario: Cenario) -> list[str]:
    rotulos = position.rotulos
    parts = [
        f"{rotulos.pessoa(atraso.pessoa_id)} paga o que vai vencer {_days_text(atraso.dias)} depois"
        for atraso in cenario.atrasos
    ]
    if cenario.calote_pct is not None:
        parts.append(
            f"{_percent_text(cenario.calote_pct)} dos vencidos a receber não vêm e o resto vem em "
            f"{position.data_base + timedelta(days=cenario.recuperacao_dias):%d/%m/%Y} (com cobrança paga, inteiro no "
            "repasse)"
        )
    parts += [
        f"{rotulos.categoria_caminho(queda.categoria_id)} projetada {_percent_text(queda.percentual)} menor"
        for queda in cenario.quedas
    ]
    for avulso in cenario.avulsos:
        name = f" ({avulso.descricao})" if avulso.descricao else ""
        late = "" if avulso.data >= position.data_base else ", anterior à data-base e por isso fora"
        parts.append(f"{format_brl(avulso.valor)} em {avulso.data:%d/%m/%Y}{name}{late}")
    return parts


def _days_text(days: int) -> str:
    return f"{days} dia" if abs(days) == 1 else f"{days} dias"


def _percent_text(percent: Decimal) -> str:
    return f"{percent.normalize():f}".replace(".", ",") + " %"
