"""FAZER: what is to be done today, F1 to F9, every título behind it once, and the lines that the cover prints of it.

`mart.fazer` has the rows (the sheet Fazer), `mart.fazer_hoje` a line per rule: those whose two sides come to
`fazer_minimo` reais or more, the largest first, and above all those without an amount: F7, which asks for opening
balances, and F9, which proposes transfers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pandas as pd

from lastro.analysis.account_projection import DECIDE_DAYS, find_tills, plan_accounts, propose_transfers
from lastro.analysis.cards import find_acquirers, name_acquirer
from lastro.analysis.charges import DAYS_AHEAD
from lastro.analysis.dre_map import find_groups
from lastro.analysis.frames import records_of
from lastro.analysis.to_do import CALL, CHARGE, CHECK, CLAIM, DECIDE, MOVE, OPENINGS, SETTLE, TIDY, find_tasks
from lastro.grid.cells import Kind, row_key
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import Section
from lastro.grid.storage import store_cells, store_labels
from lastro.grid.table_rows import Leads, TableRows
from lastro.grid.tables import Table
from lastro.grid.verdict import RISK, Side, add_sides, describe_sides, find_ids
from lastro.grid.words import count_text
from lastro.money import format_centavos, format_reais, to_centavos, to_decimal
from lastro.reports.cover.lines import OPEN
from lastro.reports.printing import Tables
from lastro.reports.r21_taxes import RISKED
from lastro.reports.shared.drill_down import find_entries
from lastro.transform.categories import FORA
from lastro.transform.habits import tell_change
from lastro.transform.openings import SEM_ABERTURA
from lastro.transform.position import as_date
from lastro.transform.scope import holds_whole_accounts
from lastro.transform.taxes import find_instalments

if TYPE_CHECKING:
    from datetime import date

    from lastro.reports.facts import Changed
    from lastro.reports.view import Judged

SHEET: Final = "Fazer"
KEYS: Final = (
    "regra", "o_que_fazer", "pessoa", "descricao", "data_vencimento", "dias_de_atraso", "a_receber", "a_pagar",
    "por_que", "anotacao_da_mesa", "titulo_id", "pessoa_id",
)  # fmt: skip
TIDIED: Final = ("Q01", "Q21", "Q34", "Q43")
"""Findings that F6 lists beside the títulos without a customer."""
NAMELESS: Final = "Q34"
"""The one of `TIDIED` whose amounts are turnover, and no money to act on: F6 lists it without them."""
FORGOTTEN: Final = "Q33"
"""The finding that F3 lists."""
VERBS: Final = {
    CALL: "Ligar", CHARGE: "Emitir cobrança", CHECK: "Conferir no extrato", SETTLE: "Dar baixa", DECIDE: "Decidir",
    TIDY: "Identificar o cliente", OPENINGS: "Informar o saldo", CLAIM: "Cobrar",
    MOVE: "Transferir",
}  # fmt: skip
ELSEWHERE: Final = {TIDY: "Qualidade", OPENINGS: "Saldos", CLAIM: "Cobranças"}
"""Where the rows lead that are no títulos."""
ABOVE: Final = (OPENINGS, MOVE)
"""What has no amount, and stands above all."""
FIRST_ROWS, PAGE_ROWS = 10, 40
"""So many rows of each rule stand first, fewer where they would not fit on the page that is printed."""
NAMED: Final = 3
"""People that the line of F1, or F5, names."""
AT_RISK: Final = -1
"""Where late instalments of a plan stand that may be lost."""
Rows = Mapping[str, Sequence[Any]]
"""Rows of `mart.fazer` by column, amounts in centavos."""


@dataclass(frozen=True)
class Task:
    """What one rule asks for.

    Attributes:
        regra: F1 to F9.
        frase: what to do, in words.
        qtde: how many customers (F1), títulos, findings or accounts.
        rows: what is behind it, in order.
    """

    regra: str
    frase: str
    qtde: int
    rows: Rows

    @property
    def lados(self) -> tuple[int, int]:
        """What is to be received and what is to be paid, each gross, in centavos."""
        return sum(filter(None, self.rows["a_receber"])), sum(filter(None, self.rows["a_pagar"]))

    @property
    def bruto(self) -> int:
        """What both sides come to, never their difference."""
        return sum(self.lados)


def list_tasks(view: Judged) -> list[Task]:
    """List what is to be done: F7, F9, the largest of the others first, F6 last; nothing below `fazer_minimo`."""
    minimum = to_centavos(view.position.parametros.fazer_minimo)
    there = [task for task in _find_tasks(view) if task.rows["regra"]]
    kept = [task for task in there if task.regra in ABOVE or task.bruto >= minimum]
    return sorted(kept, key=lambda task: (task.regra not in ABOVE, task.regra == TIDY, -task.bruto, task.regra))


def list_to_do(view: Judged) -> Columns:
    """List what is behind the tasks, row by row: the first of each rule, as many as a page holds, then the rest."""
    tasks = view.once(list_tasks)
    counts = [len(task.rows["regra"]) for task in tasks]
    first = next((n for n in range(FIRST_ROWS, 1, -1) if sum(min(n, count) for count in counts) <= PAGE_ROWS), 1)
    parts = [slice(first), slice(first, None)]
    rows = {key: [*chain.from_iterable(task.rows[key][part] for part in parts for task in tasks)] for key in KEYS}
    return {**rows, **{key: pd.Series(rows[key], dtype="Int64") for key in ("a_receber", "a_pagar")}}


def list_due_lines(view: Judged) -> Columns:
    """List the tasks."""
    rows = [
        (place, task.regra, task.frase, task.qtde, *task.lados, task.bruto)
        for place, task in enumerate(view.once(list_tasks), 1)
    ]
    return list_columns(("ordem", "regra", "frase", "qtde", "a_receber", "a_pagar", "valor"), rows)


def print_to_do(view: Judged, tables: Tables) -> Section:
    """Print the rows, each leading to its título, or to the sheet that says more; the first of a rule has a key."""
    table = tables[TO_DO.name]
    rules, ids = table.data["regra"], table.data["titulo_id"]
    entries = view.books.once(find_entries).lead("titulo_id", pd.Series(ids.cells(), dtype="Int64")).targets.cells()
    sheets = [
        ELSEWHERE.get(rule, "Saldos") if titulo is None else sheet
        for rule, titulo, sheet in zip(rules.cells(), ids.cells(), entries, strict=True)
    ]
    texts = [None if sheet is None else f"{sheet.split()[0]} »" for sheet in sheets]
    columns = [(column, table.data[column.key]) for column in table.columns]
    in_words = columns[1:10]  # the number of a rule is for SQL: what it asks for stands beside it
    shown = Table.of(TO_DO.name, [*in_words, (OPEN, texts), *columns[10:]], table.comment)
    firsts = pd.Series(rules.cells(), dtype=object).drop_duplicates()
    keys = dict(zip(firsts.index.tolist(), map(block_key, firsts), strict=True))
    leads = Leads(store_cells(Kind.TEXT, sheets), "titulo_id", ids)
    rows = TableRows(shown, keys=keys, links={OPEN.key: leads})
    anchors = (("titulo_id", "titulo_id"),)
    nothing = "Nada acima do limite pede ação hoje"
    return Section(TO_DO.name, shown.columns, rows, detail=True, anchors=anchors, empty=nothing)


def block_key(rule: str) -> str:
    """Return the key of the first row of a rule, where its line of the cover leads."""
    return row_key("fazer", int(rule.removeprefix("F")))


def _find_tasks(view: Judged) -> Iterator[Task]:
    desks = view.facts.mesas
    decided = {decision.titulo_id for decision in desks.decisoes} | desks.respondidos | view.promised_whole
    changed = {titulo_id: each.motivo for titulo_id, each in find_changed(view).items()}
    forgotten, moved = _find_forgotten(view), view.facts.banco.movidos
    held = [number for each in view.facts.banco.repasses for number in each.cobrancas]
    all_tasks = find_tasks(
        view.position, view.payments, forgotten, decided, moved, changed, held, view.facts.banco.devolvidos
    )
    for rule in sorted({*all_tasks["regra"]} - {TIDY, CLAIM}):
        part = all_tasks[all_tasks["regra"] == rule]
        yield Task(rule, _say(view, rule, part), _count(rule, part), _list_titulos(view, rule, part))
    yield _tidy(view, all_tasks[all_tasks["regra"] == TIDY])
    yield _ask_openings(view)
    yield _claim(view, all_tasks[all_tasks["regra"] == CLAIM])
    yield _move(view)


def find_changed(view: Judged) -> dict[int, Changed]:
    """Find the payables, still owed, that are not what was approved any more."""
    desks = view.facts.mesas
    return {titulo_id: each for titulo_id, each in desks.mudados.items() if titulo_id not in desks.respondidos}


def _count(rule: str, titulos: pd.DataFrame) -> int:
    return int(titulos["pessoa_id"].nunique()) if rule == CALL else len(titulos)


def _list_titulos(view: Judged, rule: str, titulos: pd.DataFrame) -> Rows:
    """Lay out the títulos of a rule: the largest first."""
    labels, notes, returned = view.position.rotulos, view.facts.mesas.anotacoes, view.facts.banco.devolvidos
    ordered = titulos.assign(tamanho=-titulos["valor_centavos"].abs(), lugar=_rank(view, rule, titulos))
    ordered = ordered.sort_values(["lugar", "tamanho", "titulo_id"])
    ids, valor = ordered["titulo_id"].tolist(), ordered["valor_centavos"]
    people = [person for (person,) in records_of(ordered, "pessoa_id")]
    why = ordered["por_que"].where(ordered["lugar"] != AT_RISK, ordered["por_que"] + f", {RISKED}").tolist()
    later = dict(records_of(view.habits.pagadores, "pessoa_id", "mudanca_dias")) if rule == CALL else {}
    return _rows(
        rule,
        [VERBS[rule]] * len(ids),
        pessoa=store_labels(ordered["pessoa_id"], labels.pessoa).cells(),
        descricao=[text or labels.categoria(one) for text, one in records_of(ordered, "descricao", "categoria_id")],
        data_vencimento=list(map(as_date, ordered["data_vencimento"])),
        dias_de_atraso=ordered["dias_de_atraso"].tolist(),
        a_receber=[value if value > 0 else None for value in valor.tolist()],
        a_pagar=[-value if value < 0 else None for value in valor.tolist()],
        por_que=[
            "; ".join(filter(None, (text, returned.get(one), tell_change(later.get(person)))))
            for one, text, person in zip(ids, why, people, strict=True)
        ],
        anotacao_da_mesa=[
            notes.get(("titulo", one)) or notes.get(("pessoa", person or 0))
            for one, person in zip(ids, people, strict=True)
        ],
        titulo_id=ids,
        pessoa_id=people,
    )


def _rank(view: Judged, rule: str, titulos: pd.DataFrame) -> pd.Series:
    """Place the títulos of a rule: of payments late instalments of plans at risk first, what partners draw last (R21).

    Plans and debts that are mapped to `fora` are no draws.
    """
    places = pd.Series(0, titulos.index)
    if rule != DECIDE:
        return places
    groups = find_groups(view.position.categorias, view.position.parametros.dre_mapa)
    draws = titulos["categoria_id"].map(groups) == FORA
    draws &= ~titulos["titulo_id"].isin(find_instalments(view.position, titulos.loc[draws, "titulo_id"]))
    return places.mask(draws, 1).mask(titulos["titulo_id"].isin(find_ids(view.findings, RISK)), AT_RISK)


def _rows(regra: str, o_que_fazer: Sequence[str], **columns: Sequence[Any]) -> Rows:
    """Lay out rows; a field that is not given is empty."""
    missing = [None] * len(o_que_fazer)
    return {**dict.fromkeys(KEYS, missing), "regra": [regra] * len(missing), "o_que_fazer": o_que_fazer, **columns}


def _find_forgotten(view: Judged) -> set[int]:
    """Take the títulos of Q33 that no bank proves unpaid."""
    return {*find_ids(view.findings, FORGOTTEN)} - view.facts.banco.nao_pagos


def _say(view: Judged, rule: str, titulos: pd.DataFrame) -> str:
    """Write the line of a rule for the cover."""
    count, late = len(titulos), int(titulos["vencido"].sum())
    if rule == CALL:
        people = count_text(_count(rule, titulos), "cliente", "clientes")
        return f"Ligar para {people}: {_name_largest(view, rule, titulos)}"
    if rule == SETTLE:
        return f"Dar baixa em {count_text(count, 'lançamento', 'lançamentos')} com cobrança já paga"
    if rule == CHECK and count == 1:
        (row,) = titulos.to_dict("records")
        due = as_date(row["data_vencimento"])
        why = view.facts.banco.movidos.get(int(row["titulo_id"]), "uma posterior já foi paga")
        return f"Conferir «{_describe(view, row)}» de {due:%d/%m/%Y}: {why}"
    if rule == CHECK:
        text = f"Conferir {count} lançamentos que parecem pagos e não baixados"
        sides = add_sides([to_decimal(int(valor)) for valor in titulos["valor_centavos"]])
        return f"{text}: {describe_sides(sides)}" if all(side.registros for side in sides) else text
    if rule == CHARGE:
        begin, words, ahead, end = "Emitir cobrança", ("vencido", "vencidos"), "a vencer em", " sem cobrança"
    else:
        begin, words, ahead, end = "Decidir", ("pagamento vencido", "pagamentos vencidos"), "sem saldo em", ""
    changed = int((titulos["titulo_id"].isin(view.facts.mesas.mudados) & ~titulos["vencido"]).sum())
    parts = [count_text(late, *words)] if late else []
    parts += [count_text(changed, "que mudou", "que mudaram") + " depois da aprovação"] if changed else []
    parts += [f"{count - late - changed} {ahead} {DAYS_AHEAD} dias"] if count > late + changed else []
    if rule == DECIDE:
        broken = int(titulos["titulo_id"].isin(view.facts.mesas.decisoes_vencidas).sum())
        end = f", {broken} com decisão vencida" if broken else ""
        return f"{begin} {' e '.join(parts)}{end}: {_name_largest(view, rule, titulos)}"
    return f"{begin}: {' e '.join(parts)}{end}"


def _name_largest(view: Judged, rule: str, titulos: pd.DataFrame) -> str:
    """Name who owes or gets most, each with what it comes to in whole reais, and count the others.

    Of payments whose plan may be lost comes first, and what partners draw last.
    """
    owed: dict[int | None, int] = {}
    place: dict[int | None, int] = {}
    placed = titulos.assign(lugar=_rank(view, rule, titulos))
    for person, centavos, rank in records_of(placed, "pessoa_id", "valor_centavos", "lugar"):
        owed[person] = owed.get(person, 0) + abs(centavos)
        place[person] = min(rank, place.get(person, rank))
    order = sorted(owed, key=lambda one: (place[one], -owed[one], one or 0))
    named = [
        f"{view.position.rotulos.pessoa(person)} {format_reais(owed[person])}"
        + (f" ({RISKED})" if place[person] == AT_RISK else "")
        for person in order[:NAMED]
    ]
    more = len(owed) - NAMED
    return ", ".join(named) + (f" e mais {more}" if more > 0 else "")


def _describe(view: Judged, row: Mapping[Any, Any]) -> str:
    return str(row["descricao"] or view.position.rotulos.categoria(row["categoria_id"]))


def _tidy(view: Judged, nobodys: pd.DataFrame) -> Task:
    """Build F6: what has no customer, and the findings about the data (a row each)."""
    findings = [finding for finding in view.findings if finding.regra in TIDIED and finding.qtde]
    sides = [finding.lados if finding.lados and finding.regra != NAMELESS else (Side(), Side()) for finding in findings]
    rows = _rows(
        TIDY,
        [f"Arrumar: {finding.titulo.lower()}" for finding in findings],
        a_receber=[to_centavos(received.valor) or None for received, _ in sides],
        a_pagar=[to_centavos(paid.valor) or None for _, paid in sides],
        por_que=[f"{count_text(finding.qtde, 'registro', 'registros')} em Qualidade" for finding in findings],
    )
    titulos = _list_titulos(view, TIDY, nobodys)
    parts = [f"identificar o cliente de {count_text(len(nobodys), 'título', 'títulos')}"] if len(nobodys) else []
    parts += [f"{finding.titulo.lower()} ({finding.qtde})" for finding in findings]
    count = sum(finding.qtde for finding in findings) + len(nobodys)
    return Task(TIDY, f"Arrumar dados: {'; '.join(parts)}", count, {key: [*titulos[key], *rows[key]] for key in KEYS})


def _ask_openings(view: Judged) -> Task:
    """Build F7: the accounts without any balance (S23); a scope cannot have one."""
    why = "sem extrato nem saldo inicial: o que se mostra é variação (lastro saldos)"
    known = view.position.contas.set_index("conta_id")["origem_saldo"].to_dict()
    unknown = [one.descricao for one in view.series.accounts if known.get(one.conta_id) == SEM_ABERTURA]
    count = len(unknown)
    rows = _rows(OPENINGS, [VERBS[OPENINGS]] * count, descricao=unknown, por_que=[why] * count)
    return Task(OPENINGS, f"Informar o saldo de {count_text(count, 'conta', 'contas')}", count, rows)


class _Lot(NamedTuple):
    """Money that somebody should have passed on by a day."""

    de: str
    descricao: str
    dia: date
    valor: int
    por_que: str


def _claim(view: Judged, late: pd.DataFrame) -> Task:
    """Build F8, a row a lot: what a bank announced and its statement lacks (S20), and late ones of acquirers (S12)."""
    due = sorted([*_list_unpassed(view), *_list_late_lots(view, late)], key=lambda lot: (-lot.valor, lot.dia))
    count, today = len(due), view.position.data_base
    rows = _rows(
        CLAIM,
        [f"{VERBS[CLAIM]} {lot.de}" for lot in due],
        descricao=[lot.descricao for lot in due],
        data_vencimento=[lot.dia for lot in due],
        dias_de_atraso=[(today - lot.dia).days for lot in due],
        a_receber=[lot.valor for lot in due],
        por_que=[lot.por_que for lot in due],
    )
    said = ", ".join(f"{lot.dia:%d/%m} ({format_centavos(lot.valor)})" for lot in due[:3])
    whom = " e ".join(dict.fromkeys(lot.de for lot in due))
    text = f"{VERBS[CLAIM]} {whom} {'o repasse' if count == 1 else 'os repasses'} de {said}"
    return Task(CLAIM, text + (f" e mais {count - 3}" if count > 3 else ""), count, rows)


def _list_unpassed(view: Judged) -> Iterator[_Lot]:
    for each in sorted(view.facts.banco.repasses, key=lambda each: (each.dia, each.conta_id)):
        account, charges = view.position.rotulos.conta(each.conta_id), len(each.cobrancas)
        told = f"{account}: repasse de {each.dia:%d/%m/%Y}, {count_text(charges, 'cobrança', 'cobranças')}"
        why = f"anunciado para {each.dia:%d/%m}; o extrato até {each.ate:%d/%m} não o traz"
        yield _Lot("do banco", told, each.dia, each.liquido, why)


def _list_late_lots(view: Judged, late: pd.DataFrame) -> Iterator[_Lot]:
    of_lots = late.assign(quem=find_acquirers(view.position, late))
    for (_, day), part in of_lots.groupby(["quem", "data_vencimento"]):
        count = count_text(len(part), "título", "títulos")
        told = f"{name_acquirer(view.position, int(part['quem'].iloc[0]))}: repasse de {day:%d/%m/%Y}, {count}"
        why = f"{part['por_que'].iloc[0]}, e ninguém deu baixa"
        yield _Lot(
            "da adquirente", told, as_date(day) or view.position.data_base, int(part["valor_centavos"].sum()), why
        )


def _move(view: Judged) -> Task:
    """Build F9: what would cover an account's first day below zero from another one, a row each (S27)."""
    day, series = view.position.data_base, view.series
    held = {
        account.conta_id: series.balance(day, place, realised_only=True)
        for place, account in enumerate(series.accounts)
        if account.conta_id is not None and not account.cartao and not account.provisoria
    }
    known = {conta_id: saldo for conta_id, saldo in held.items() if saldo is not None}
    planned = plan_accounts(view.position, known, view.decided, view.facts.mesas.pagadoras)
    near = {conta_id: saldos[: DECIDE_DAYS + 1] for conta_id, saldos in planned.items()}
    tills = find_tills(() if view.empresa is None else view.empresa.contas)
    moves = sorted(propose_transfers(near, day, tills) if holds_whole_accounts(view.position) else [])
    label = view.position.rotulos.conta
    said = [f"{format_centavos(much)} de {label(giver)} para {label(to)}" for _, giver, to, much in moves]
    rows = _rows(
        MOVE,
        [VERBS[MOVE]] * len(moves),
        descricao=said,
        data_vencimento=[when for when, *_ in moves],
        por_que=[f"{label(to)} fica abaixo de zero em {when:%d/%m}" for when, _, to, _ in moves],
    )
    whole = [f"{text} até {when:%d/%m}" for (when, *_), text in zip(moves, said, strict=True)]
    return Task(MOVE, f"Transferir {'; '.join(whole)}", len(moves), rows)


TO_DO: Final = Print(
    "fazer",
    "R00: o que fazer hoje, um título por linha e uma vez, com a regra (F1 a F9)",
    list_to_do,
    about={
        "o_que_fazer": "o que a regra pede, em poucas palavras",
        "dias_de_atraso": "dias de atraso em D (S8); 0 se não está vencido",
        "a_receber": "valor do título ou achado, a receber, positivo; nulo se é a pagar",
        "a_pagar": "valor do título ou achado, a pagar, positivo; nulo se é a receber",
    },
    widths={"regra": 8, "o_que_fazer": 22, "pessoa": 26, "descricao": 26, "por_que": 36, "anotacao_da_mesa": 24},
    shown=("titulo_id",),
    detail=True,
)
LINES: Final = Print(
    "fazer_hoje",
    "R00: as linhas de FAZER HOJE, uma por regra acima de fazer_minimo (F7 e F9 sempre)",
    list_due_lines,
    keys=("regra",),
    about={
        "a_receber": "o que se pede e é a receber, positivo",
        "a_pagar": "o que se pede e é a pagar, positivo",
        "valor": "quanto está em jogo: a_receber + a_pagar, nunca a diferença",
    },
)
