"""What follows from typed cells in `pagamentos`, as formulas: the plan answers while somebody types.

Each stands beside the value that the plan computed (`lastro.desk.plan`), and comes to what the next run computes. Where
only a run can tell, as an approval or a text that should be a day, the row says so and counts as if nothing was typed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain
from typing import Final

from lastro.analysis.account_projection import add_moves
from lastro.calendar import BusinessCalendar, iter_days
from lastro.desk.decisions import AGUARDA, Approval, Decisions, sum_by_payee
from lastro.desk.memory import DeskMemory
from lastro.desk.payables import Payables
from lastro.desk.plan import UNKNOWN, AccountDay, AccountLine, DayLine, PaymentLine, Payments
from lastro.desk.sheets import Parts
from lastro.export.live_cells import say_covered, write_serial
from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.tables import Column
from lastro.money import to_decimal, write_centavos

NEXT_RUN: Final = "na próxima execução"
"""Text of a row whose typed values only the next run can judge."""
Typed = Sequence[Value | Cell]
"""What stands in the cells of a row up to `Aprovado por`."""
_YEARS: Final = 3
"""Days typed beyond so many years are not rolled before the run."""
_NOW: Final = '[pagar_em]&"|"&[adiar_para]&"|"&[conta]&"|"&[responsavel]&"|"&[aprovado_por]'


@dataclass(frozen=True)
class Ground:
    """What the formulas rest on: lists of the hidden sheet, and what no row of *Decidir* changes.

    Attributes:
        dias: reference to the business days, 0 first.
        contas, ids: references to names and ids of the accounts.
        bases: reference to the balances of each account, day by day, without the rows.
        limites: reference to what the bank lends on each; "" where it lends nothing.
        horizonte: so many days from D on have balances.
        saldos: conta_id -> the same balances, centavos.
    """

    dias: str
    contas: str
    ids: str
    bases: str
    limites: str
    horizonte: int
    saldos: Mapping[int, Sequence[int]]


def lay_ground(
    payments: Payments, contas: Mapping[int, str], day: date, calendario: BusinessCalendar, memory: DeskMemory
) -> Ground:
    """Put on the hidden sheet what the formulas rest on."""
    last = day.replace(year=day.year + _YEARS, day=1)
    days = iter_days(day - timedelta(days=30), last)
    business = [write_serial(each) for each in days if calendario.is_business_day(each)]
    moves = chain(*(line.titulo.move(line.conta_id, line.dia) for line in payments.linhas))
    bases = add_moves(payments.saldos, day, ((conta_id, when, -value) for conta_id, when, value in moves))
    horizon = max(map(len, bases.values()), default=0)
    limites = payments.livros.limites
    listed = [value for conta_id in contas for value in bases.get(conta_id, [None] * horizon)]
    return Ground(
        memory.refer((0, *business)),
        memory.refer(tuple(contas.values()) or ("",)),
        memory.refer(tuple(contas) or (-1,)),
        memory.refer(tuple("?" if value is None else to_decimal(value) for value in listed) or ("?",)),
        memory.refer(tuple(to_decimal(limites.get(conta_id, 0)) for conta_id in contas)) if limites else "",
        horizon,
        bases,
    )


def hide_columns(lines: Sequence[PaymentLine], typed: Sequence[Typed], payables: Payables) -> Parts:
    """List the hidden columns of *Decidir*, for formulas alone: values of each row and the texts typed into it."""
    ids = [line.titulo.titulo_id for line in lines]
    payees = [*map(payables.find_payee, ids)]
    first = {payee: one for one, payee in sorted(zip(ids, payees, strict=True), reverse=True)}
    kinds = {"antes": Kind.TEXT, "somado": Kind.MONEY}
    hidden: dict[str, list[Value]] = {
        "antes": ["|".join(map(_write_typed, own)) for own in typed],
        "devido": [write_serial(line.titulo.sai) for line in lines],
        "vencido": [int(line.titulo.projetada is None) for line in lines],
        "da_conta": [line.titulo.conta_id or 0 for line in lines],
        "somado": [to_decimal(-line.titulo.somado) for line in lines],
        "adia": [int(_is_postponed(own)) for own in typed],
        "favorecido": [first[payee] for payee in payees],
        "pedido": [
            write_serial(line.decisao.dia) if line.decisao and line.decisao.aprovada is not None else 0
            for line in lines
        ],
        "na_conta": [line.conta_id or 0 for line in lines],
        "quando": [write_serial(line.sai) for line in lines],
        "efeito": [line.efeito for line in lines],
    }
    return {
        key: (Column(key.replace("_", " "), kinds.get(key, Kind.INTEGER), key=key, width=9, level=1), cells)
        for key, cells in hidden.items()
    }


def _is_postponed(own: Typed) -> bool:
    return own[1] not in (None, "") and own[0] in (None, "")


def _write_typed(value: Value | Cell) -> str:
    return str(write_serial(value)) if isinstance(value, date) else "" if value is None else str(value)


def tell_day(line: PaymentLine, own: Typed) -> Value:
    """Say which day is decided; of what waits for an approval, or is no day, that a run will tell."""
    waits = line.decisao is not None and line.decisao.estado == AGUARDA
    return NEXT_RUN if waits or isinstance(own[1] if _is_postponed(own) else own[0], str) else line.dia


def list_asking(
    lines: Sequence[PaymentLine], approval: Approval, payables: Payables, decisions: Decisions
) -> Iterator[str]:
    """Write for each row whether the day typed asks for a second name: by its amount, or all that its payee gets then.

    What leaves without a row, or has left, is a constant of its day.
    """
    of_rows = Counter(payables.find_payee(line.titulo.titulo_id) for line in lines)
    rest = [one for one in decisions.todas if one.titulo_id not in {line.titulo.titulo_id for line in lines}]
    sums = sum_by_payee(rest, payables)
    for line in lines:
        payee = payables.find_payee(line.titulo.titulo_id)
        others = "".join(
            f"+IF([pedido]={write_serial(dia)},{write_centavos(value)},0)"
            for (whose, dia), value in sorted(sums.items())
            if whose == payee
        )
        of_payee = "{tbl_decidir:valor},{tbl_decidir:favorecido},[favorecido],{tbl_decidir:pedido},[pedido]"
        if approval.is_needed(line.titulo.valor):
            yield "[pedido]>0"
        elif approval.minimo is None or (of_rows[payee] == 1 and not others):
            yield "FALSE"
        else:
            yield f"AND([pedido]>0,ROUND(SUMIFS({of_payee}){others},2)>={write_centavos(approval.minimo)})"


def answer_rows(
    lines: Sequence[PaymentLine], days: Sequence[Value], ground: Ground, asking: Iterable[str], day: date
) -> Iterator[dict[str, str]]:
    """Write the formulas of *Decidir*; of each row with what stands in `Dia decidido` now, and what it `asks` for."""
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
    after = f'IF({beyond},"",IFERROR(ROUND({base}+{due}-{leaving}-IF([efeito]<0,[valor],0),2),""))'
    lends = f"INDEX({ground.limites},MATCH([na_conta],{ground.ids},0))" if ground.limites else ""
    known = f'IF(ISNUMBER([saldo_depois]),{say_covered("[saldo_depois]", lends)},"{UNKNOWN}")'
    covered = f'IF({beyond},"depois de {last:%d/%m}",{known})'
    running = 'SUMIFS({tbl_decidir:somado},{tbl_decidir:na_conta},[na_conta],{tbl_decidir:ordem},"<="&[ordem])'
    shown = Counter[int | None]()
    for place, (line, stands, asks) in enumerate(zip(lines, days, asking, strict=True), 1):
        # Behind rows that the list leaves out: what they come to on this account, not on another one.
        shown[line.conta_id] += line.titulo.somado
        is_own = f"[na_conta]={line.conta_id or 0}"
        counted = _add_left(running, line.acumulado - shown[line.conta_id])
        held = str(write_serial(stands)) if isinstance(stands, date) else f'"{stands or ""}"'
        if isinstance(stands, date) and line.decisao and line.decisao.aprovada is False:
            held = f'IF({asks},"{NEXT_RUN}",{held})'
        limit = max(line.titulo.prevista, line.titulo.data_vencimento or line.titulo.prevista)
        yield {
            "adia": postpones,
            "pedido": f"IFERROR(IF({typed}=0,0,IF(OR([adia]=0,{rolled}<{write_serial(limit)}),{rolled},0)),0)",
            "acumulado": running if line.ordem == place else f'IF({is_own},{counted},"{NEXT_RUN}")',
            "quando": "IF(ISNUMBER([dia_decidido]),[dia_decidido],[devido])",
            "efeito": "IF(ISNUMBER([dia_decidido]),1+[adia],-[vencido])",
            "saldo_depois": after,
            "saldo_antes": 'IF(ISNUMBER([saldo_depois]),ROUND([saldo_depois]+[valor],2),"")',
            "cabe": covered,
            "na_conta": f"IF({_NOW}=[antes],{line.conta_id or 0},IF({is_named},{names},[da_conta]))",
            "dia_decidido": (
                f'IF({_NOW}=[antes],{held},IF(AND([conta]<>"",NOT({is_named})),"{NEXT_RUN}",'
                'IF(AND([adia]=0,[pagar_em]=""),"",'
                f'IF(IF([adia]=1,ISTEXT([adiar_para]),ISTEXT([pagar_em])),"{NEXT_RUN}",'
                f'IF({asks},"{NEXT_RUN}",IF({rolled}<{today},"",{rolled}))))))'
            ),
        }


def answer_days(payments: Payments) -> Iterator[dict[str, str]]:
    """Write the formulas of *Dias*."""
    of_day, until = "{tbl_decidir:quando},[dia]", '{tbl_decidir:%s},"<="&[dia],{tbl_decidir:efeito},">=1"'
    left, back = (f"SUMIFS({{tbl_decidir:valor}},{until % name}" for name in ("quando", "devido"))
    decided = [line for line in payments.linhas if line.dia]
    credit = payments.livros.credito
    lends = write_centavos(credit.limite) if credit.limite else ""
    least = write_centavos(credit.floor) if credit.floor > 0 else ""
    for each in payments.dias:
        sums = _sum_up([line for line in payments.linhas if line.sai == each.dia], of_day, each)
        sums["em_aberto"] = _add_left(sums["em_aberto"], payments.left_on(each.dia))
        if each.com_o_combinado is None:
            yield sums | {"com_o_combinado": '""', "cobre": f'"{UNKNOWN}"'}
            continue
        moved = sum(line.titulo.valor for line in decided if line.sai <= each.dia)
        # What is overdue is on no day as booked.
        moved -= sum(line.titulo.valor for line in decided if line.titulo.projetada and line.titulo.sai <= each.dia)
        base = write_centavos(each.com_o_combinado - moved)
        yield sums | {
            "com_o_combinado": f"ROUND({base}-{left})+{back},{{tbl_decidir:vencido}},0),2)",
            "cobre": say_covered("[com_o_combinado]", lends, least),
        }


def answer_accounts(payments: Payments, day: date) -> Iterator[dict[str, str]]:
    """Write the formulas of *Contas*."""
    own, today = "{tbl_decidir:na_conta},[conta_id]", write_serial(day)
    due = f"SUMIFS({{tbl_decidir:somado}},{own},{{tbl_decidir:devido}},"
    for each in payments.contas:
        sums = _sum_up([line for line in payments.linhas if line.conta_id == each.conta_id], own, each)
        left = {when: value for (conta_id, when), value in payments.fora.items() if conta_id == each.conta_id}
        now = sum(value for when, value in left.items() if when <= day)
        yield {
            "vencido_e_hoje": _add_left(f'{due}"<={today}")', now),
            "proximos_15_dias": _add_left(f'{due}">{today}")', sum(left.values()) - now),
            "decidido": sums["decidido"],
            "adiado": sums["adiado"],
            "sobra": f'IF(ISNUMBER([saldo_em_d]),ROUND([saldo_em_d]-[decidido],2),"{UNKNOWN}")',
        }


def answer_account_days(payments: Payments, ground: Ground, day: date) -> Iterator[dict[str, str]]:
    """Write the formulas of the second table of *Dias*."""
    for each in payments.contas_dias:
        of_day = f"{{tbl_decidir:quando}},[dia],{{tbl_decidir:na_conta}},{each.conta_id}"
        now = [line for line in payments.linhas if (line.conta_id, line.sai) == (each.conta_id, each.dia)]
        series, place = ground.saldos.get(each.conta_id, ()), (each.dia - day).days
        left, back = _sum_leaving(str(each.conta_id), "[dia]")
        known = place < len(series)
        sums = _sum_up(now, of_day, each)
        yield sums | {
            "em_aberto": _add_left(sums["em_aberto"], payments.fora.get((each.conta_id, each.dia), 0)),
            "saldo_no_banco": f"ROUND({write_centavos(series[place])}+{back}-{left},2)" if known else f'"{UNKNOWN}"',
        }


def _add_left(rows: str, left: int) -> str:
    """Add to a live sum what payables come to that have no row: no typing changes it."""
    return f"ROUND({write_centavos(-left)}+{rows},2)" if left else rows


def _sum_leaving(account: str, until: str) -> tuple[str, str]:
    """Write two formulas for what leaves an account until a day: by the rows of the desk, and as booked."""
    left = f'SUMIFS({{tbl_decidir:valor}},{{tbl_decidir:na_conta}},{account},{{tbl_decidir:quando}},"<="&{until},'
    back = f'SUMIFS({{tbl_decidir:valor}},{{tbl_decidir:da_conta}},{account},{{tbl_decidir:devido}},"<="&{until},'
    return left + '{tbl_decidir:efeito},">=0")', back + "{tbl_decidir:vencido},0)"


def _sum_up(now: Sequence[PaymentLine], chosen: str, each: AccountLine | DayLine | AccountDay) -> dict[str, str]:
    """Write the sums of decided, postponed and open rows as formulas, plus a constant for payables without a row.

    `now` are the rows that the criteria choose as it stands; `each` is what all of it comes to, signed centavos.
    """
    formulas = {"em_aberto": f'SUMIFS({{tbl_decidir:somado}},{{tbl_decidir:efeito}},"<=0",{chosen})'}
    for key, effect, fixed in (("decidido", 1, each.decidido), ("adiado", 2, each.adiado)):
        rest = write_centavos(sum(line.titulo.valor for line in now if line.efeito == effect) - fixed)
        rows = f"SUMIFS({{tbl_decidir:valor}},{{tbl_decidir:efeito}},{effect},{chosen})"
        formulas[key] = f"ROUND({rest}+{rows},2)"
    return formulas
