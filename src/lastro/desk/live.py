"""What follows from typed cells in `pagamentos`, as formulas: the plan answers while somebody types.

Each stands beside the value that the plan computed (`lastro.desk.plan`), and comes to what the next run computes. Where
only a run can tell, as an approval or a text that should be a day, the row says so and counts as if nothing was typed.
Numbers and days alone are compared, and no format is used: locales and wildcards change nothing.

Belongs here: formulas, and the hidden columns and lists on which they rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate
from typing import Final

from lastro.calendar import BusinessCalendar, iter_days
from lastro.desk.decisions import AGUARDA, Approval
from lastro.desk.memory import DeskMemory
from lastro.desk.plan import UNKNOWN, PaymentLine, Payments
from lastro.export.live_cells import say_missing, write_serial
from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.sections import SheetColumn
from lastro.grid.tables import Column
from lastro.money import to_decimal, write_centavos

NEXT_RUN: Final = "na próxima execução"
"""What a row says of which only a run can tell what was typed."""
Typed = Sequence[Value | Cell]
"""What stands in the cells of a row up to `Aprovado por`."""
_YEARS: Final = 3
"""Days typed beyond so many years are not rolled before the run."""
_OPEN: Final = 'SUMIFS({tbl_decidir:somado},{tbl_decidir:efeito},"<=0",'
_DAY_ANSWERS: Final = ("decidido", "adiado", "em_aberto", "com_decisoes", "com_o_combinado", "cobre")
_NOW: Final = '[pagar_em]&"|"&[adiar_para]&"|"&[conta]&"|"&[responsavel]&"|"&[aprovado_por]'


@dataclass(frozen=True)
class Ground:
    """What the formulas rest on: lists of the hidden sheet, and what no row of *Decidir* changes.

    Attributes:
        dias: reference to the business days, 0 first.
        contas, ids: references to names and ids of the accounts.
        bases: reference to the balances of each account, day by day, without the rows.
        horizonte: so many days from D on have balances.
        saldos: conta_id -> the same balances, centavos.
    """

    dias: str
    contas: str
    ids: str
    bases: str
    horizonte: int
    saldos: Mapping[int, Sequence[int]]


def lay_ground(
    payments: Payments, contas: Mapping[int, str], day: date, calendario: BusinessCalendar, memory: DeskMemory
) -> Ground:
    """Put on the hidden sheet what the formulas rest on."""
    last = day.replace(year=day.year + _YEARS, day=1)
    days = iter_days(day - timedelta(days=30), last)
    business = [write_serial(each) for each in days if calendario.is_business_day(each)]
    bases: dict[int, list[int]] = {}
    for conta_id, series in payments.saldos.items():
        moved = [0] * len(series)
        for line in payments.linhas:
            for account, when, value in (
                (line.titulo.conta_id, line.titulo.projetada, line.titulo.valor),
                (line.conta_id, line.dia or line.titulo.projetada, -line.titulo.valor),
            ):
                if account == conta_id and when and (when - day).days < len(series):
                    moved[(when - day).days] += value
        bases[conta_id] = [saldo + change for saldo, change in zip(series, accumulate(moved), strict=True)]
    horizon = max(map(len, bases.values()), default=0)
    listed = [value for conta_id in contas for value in bases.get(conta_id, [None] * horizon)]
    return Ground(
        memory.refer((0, *business)),
        memory.refer(tuple(contas.values()) or ("",)),
        memory.refer(tuple(contas) or (-1,)),
        memory.refer(tuple("?" if value is None else to_decimal(value) for value in listed) or ("?",)),
        horizon,
        bases,
    )


def hide_columns(lines: Sequence[PaymentLine], typed: Sequence[Typed], day: date) -> list[SheetColumn]:
    """List the hidden columns of *Decidir*.

    Args:
        lines: its rows.
        typed: of each what stands in its cells up to `Aprovado por`.
        day: D.
    """
    hidden: Mapping[str, tuple[Kind, Sequence[Value]]] = {
        "antes": (Kind.TEXT, ["|".join(map(_write_typed, own)) for own in typed]),
        "devido": (Kind.INTEGER, [write_serial(line.titulo.leaves(day)) for line in lines]),
        "vencido": (Kind.INTEGER, [int(line.titulo.projetada is None) for line in lines]),
        "da conta": (Kind.INTEGER, [line.titulo.conta_id or 0 for line in lines]),
        "somado": (Kind.MONEY, [to_decimal(-line.titulo.somado) for line in lines]),
        "adia": (Kind.INTEGER, [int(bool(_is_postponed(own))) for own in typed]),
        "na conta": (Kind.INTEGER, [line.conta_id or 0 for line in lines]),
        "quando": (Kind.INTEGER, [write_serial(line.dia or line.titulo.leaves(day)) for line in lines]),
        "efeito": (Kind.INTEGER, [line.efeito for line in lines]),
    }
    return [(Column(header, kind, width=9, level=1), cells) for header, (kind, cells) in hidden.items()]


def _is_postponed(own: Typed) -> bool:
    return own[1] not in (None, "") and own[0] in (None, "")


def _write_typed(value: Value | Cell) -> str:
    return str(write_serial(value)) if isinstance(value, date) else "" if value is None else str(value)


def tell_day(line: PaymentLine, own: Typed) -> Value:
    """Say which day is decided; of what waits for an approval, or is no day, that a run will tell."""
    waits = line.decisao is not None and line.decisao.estado == AGUARDA
    return NEXT_RUN if waits or isinstance(own[1] if _is_postponed(own) else own[0], str) else line.dia


def answer_rows(
    lines: Sequence[PaymentLine], days: Sequence[Value], ground: Ground, approval: Approval, day: date
) -> dict[str, list[str]]:
    """Write the formulas of *Decidir*; of each row with what stands in `Dia decidido` now."""
    today, last = write_serial(day), day + timedelta(days=ground.horizonte - 1)
    is_named = f"SUMPRODUCT(--({ground.contas}=[conta]))=1"
    # Of the two days the one changed since counts; of both, or none, the day to pay.
    postpones = (
        'IF(AND([adiar_para]<>"",OR([pagar_em]="",AND(LEFT([antes],LEN([pagar_em])+1)=[pagar_em]&"|",'
        'LEFT([antes],LEN([pagar_em])+LEN([adiar_para])+2)<>[pagar_em]&"|"&[adiar_para]&"|"))),1,0)'
    )
    names = f"SUMPRODUCT(({ground.contas}=[conta])*{ground.ids})"
    typed = "INT(IF([adia]=1,[adiar_para],[pagar_em]))"
    rolled = f"IFERROR(INDEX({ground.dias},MATCH({typed}-1,{ground.dias},1)+1),{typed})"
    leaving, due = _sum_leaving("[na_conta]", "[quando]")
    base = f"INDEX({ground.bases},(MATCH([na_conta],{ground.ids},0)-1)*{ground.horizonte}+[quando]-{today - 1})"
    beyond = f"[quando]>{today + ground.horizonte - 1}"
    after = f'IF({beyond},"",IFERROR(ROUND({base}+{due}-{leaving}-IF([efeito]<0,[a_pagar],0),2),""))'
    known = f'IF(ISNUMBER([saldo_depois]),{say_missing("[saldo_depois]")},"{UNKNOWN}")'
    covered = f'IF({beyond},"depois de {last:%d/%m}",{known})'
    formulas: dict[str, list[str]] = {
        "adia": [postpones] * len(lines),
        "acumulado": [
            'SUMIFS({tbl_decidir:somado},{tbl_decidir:na_conta},[na_conta],{tbl_decidir:ordem},"<="&[ordem])'
        ] * len(lines),
        "quando": ["IF(ISNUMBER([dia_decidido]),[dia_decidido],[devido])"] * len(lines),
        "efeito": ["IF(ISNUMBER([dia_decidido]),1+[adia],-[vencido])"] * len(lines),
        "saldo_depois": [after] * len(lines),
        "saldo_antes": ['IF(ISNUMBER([saldo_depois]),ROUND([saldo_depois]+[a_pagar],2),"")'] * len(lines),
        "cabe": [covered] * len(lines),
        "na_conta": [
            f"IF({_NOW}=[antes],{line.conta_id or 0},IF({is_named},{names},[da_conta]))" for line in lines
        ],
        "dia_decidido": [],
    }  # fmt: skip
    for line, stands in zip(lines, days, strict=True):
        held = str(write_serial(stands)) if isinstance(stands, date) else f'"{stands or ""}"'
        limit = max(line.titulo.prevista, line.titulo.vencimento or line.titulo.prevista)
        asks = f"OR([adia]=0,{rolled}<{write_serial(limit)})" if approval.is_needed(line.titulo.valor) else "FALSE"
        formulas["dia_decidido"].append(
            f'IF({_NOW}=[antes],{held},IF(AND([conta]<>"",NOT({is_named})),"{NEXT_RUN}",'
            f'IF(AND([adia]=0,[pagar_em]=""),"",IF(IF([adia]=1,ISTEXT([adiar_para]),ISTEXT([pagar_em])),"{NEXT_RUN}",'
            f'IF({asks},"{NEXT_RUN}",IF({rolled}<{today},"",{rolled}))))))'
        )
    return formulas


def answer_days(payments: Payments, minimum: int, day: date) -> dict[str, list[str]]:
    """Write the formulas of *Dias*."""
    of_day, until = "{tbl_decidir:quando},[dia]", '{tbl_decidir:%s},"<="&[dia],{tbl_decidir:efeito},">=1"'
    left, back = (f"SUMIFS({{tbl_decidir:a_pagar}},{until % name})" for name in ("quando", "devido"))
    formulas: dict[str, list[str]] = {key: [] for key in _DAY_ANSWERS}
    for each in payments.dias:
        now = [line for line in payments.linhas if (line.dia or line.titulo.leaves(day)) == each.dia]
        formulas["decidido"].append(_sum_both(now, 1, of_day, each.decidido))
        formulas["adiado"].append(_sum_both(now, 2, of_day, each.adiado))
        formulas["em_aberto"].append(_OPEN + f"{of_day})")
        _, _, decided, agreed = each.saldos
        decided_lines = [line for line in payments.linhas if line.dia]
        moved = sum(line.titulo.valor for line in decided_lines if (line.dia or day) <= each.dia)
        moved -= sum(line.titulo.valor for line in decided_lines if line.titulo.leaves(day) <= each.dia)
        known = decided is not None and agreed is not None
        rest, promised = ((decided or 0) - moved, (agreed or 0) - (decided or 0)) if known else (0, 0)
        formulas["com_decisoes"].append(f"ROUND({write_centavos(rest)}-{left}+{back},2)" if known else '""')
        formulas["com_o_combinado"].append(f"ROUND([com_decisoes]+{write_centavos(promised)},2)" if known else '""')
        asked = say_missing(f"[com_o_combinado]-{write_centavos(minimum)}")
        formulas["cobre"].append(asked if known else f'"{UNKNOWN}"')
    return formulas


def answer_accounts(payments: Payments, day: date) -> dict[str, list[str]]:
    """Write the formulas of *Contas*."""
    own, today = "{tbl_decidir:na_conta},[conta_id]", write_serial(day)
    due = f"SUMIFS({{tbl_decidir:somado}},{own},{{tbl_decidir:devido}},"
    lines = {
        each.conta_id: [line for line in payments.linhas if line.conta_id == each.conta_id] for each in payments.contas
    }
    count = len(payments.contas)
    return {
        "vencido_e_hoje": [f'{due}"<={today}")'] * count,
        "proximos_15_dias": [f'{due}">{today}")'] * count,
        "decidido": [_sum_both(lines[each.conta_id], 1, own, each.decidido) for each in payments.contas],
        "adiado": [_sum_both(lines[each.conta_id], 2, own, each.adiado) for each in payments.contas],
        "sobra": [f'IF(ISNUMBER([saldo_em_d]),ROUND([saldo_em_d]-[decidido],2),"{UNKNOWN}")'] * count,
    }


def answer_account_days(payments: Payments, ground: Ground, day: date) -> dict[str, list[str]]:
    """Write the formulas of the second table of *Dias*."""
    formulas: dict[str, list[str]] = {key: [] for key in ("decidido", "adiado", "em_aberto", "saldo_no_banco")}
    for each in payments.contas_dias:
        of_day = f"{{tbl_decidir:quando}},[dia],{{tbl_decidir:na_conta}},{each.conta_id}"
        now = [
            line
            for line in payments.linhas
            if line.conta_id == each.conta_id and (line.dia or line.titulo.leaves(day)) == each.dia
        ]
        formulas["decidido"].append(_sum_both(now, 1, of_day, each.decidido))
        formulas["adiado"].append(_sum_both(now, 2, of_day, each.adiado))
        formulas["em_aberto"].append(_OPEN + f"{of_day})")
        series, place = ground.saldos.get(each.conta_id, ()), (each.dia - day).days
        base = write_centavos(series[place]) if place < len(series) else ""
        left, back = _sum_leaving(str(each.conta_id), "[dia]")
        formulas["saldo_no_banco"].append(f"ROUND({base}+{back}-{left},2)" if base else f'"{UNKNOWN}"')
    return formulas


def _sum_leaving(account: str, until: str) -> tuple[str, str]:
    """Write what leaves an account until a day by the rows, and what would leave it as booked."""
    left = f'SUMIFS({{tbl_decidir:a_pagar}},{{tbl_decidir:na_conta}},{account},{{tbl_decidir:quando}},"<="&{until},'
    back = f'SUMIFS({{tbl_decidir:a_pagar}},{{tbl_decidir:da_conta}},{account},{{tbl_decidir:devido}},"<="&{until},'
    return left + '{tbl_decidir:efeito},">=0")', back + "{tbl_decidir:vencido},0)"


def _sum_both(now: Sequence[PaymentLine], effect: int, chosen: str, fixed: int) -> str:
    """Write what rows with an effect come to, and what is decided about payables that have none.

    Args:
        now: the rows that are chosen as it stands.
        effect: as `PaymentLine.efeito`.
        chosen: criteria of the rows.
        fixed: what all of it comes to as it stands, signed centavos.
    """
    rest = sum(line.titulo.valor for line in now if line.efeito == effect) - fixed
    return f"ROUND({write_centavos(rest)}+SUMIFS({{tbl_decidir:a_pagar}},{{tbl_decidir:efeito}},{effect},{chosen}),2)"
