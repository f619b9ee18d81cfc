"""FAZER: what is to be done today, F1 to F8, every título behind it once, and the lines that the cover prints of it.

`mart.fazer` has the rows (the sheet Fazer), `mart.fazer_hoje` a line per rule: those whose two sides come to
`fazer_minimo` reais or more, the largest first, and above all F7, which asks for opening balances and has no amount.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.charges import DAYS_AHEAD
from lastro.analysis.to_do import (
    CALL,
    CHARGE,
    CHECK,
    CLAIM,
    DECIDE,
    OPENINGS,
    SETTLE,
    TIDY,
    find_tasks,
)
from lastro.grid.cells import Kind, Link, Value, link_sheet, row_key
from lastro.grid.pivot import list_rows
from lastro.grid.sections import Row, Section
from lastro.grid.tables import Column, Table
from lastro.grid.verdict import Side, Sides, add_sides, describe_sides
from lastro.grid.words import count_text
from lastro.money import format_amount, to_decimal
from lastro.transform.openings import SEM_ABERTURA
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.reports.view import View

SHEET: Final = "Fazer"
COLUMNS: Final = (
    Column("Regra", Kind.TEXT, width=8),
    Column("O que fazer", Kind.TEXT, "o que a regra pede, em poucas palavras", width=22),
    Column("Pessoa", Kind.TEXT, width=26),
    Column("Descrição", Kind.TEXT, width=26),
    Column("Vencimento", Kind.DATE),
    Column("Dias", Kind.INTEGER, "dias de atraso em D (S8); 0 se não está vencido"),
    Column("A receber", Kind.MONEY, "valor do título ou achado, a receber, positivo; nulo se é a pagar", total=True),
    Column("A pagar", Kind.MONEY, "valor do título ou achado, a pagar, positivo; nulo se é a receber", total=True),
    Column("Por quê", Kind.TEXT, "o que trouxe o título à lista", width=36),
    Column(
        "Anotação da mesa",
        Kind.TEXT,
        "a última anotação da cobrança sobre o título, ou sobre o cliente; nula sem nenhuma",
        width=24,
    ),
    Column("Abrir", Kind.LINK),
    Column("Título", Kind.INTEGER, key="titulo_id"),
    Column("Pessoa id", Kind.INTEGER, shown=False),
)
TABLE_COLUMNS: Final = tuple(column for column in COLUMNS if column.kind is not Kind.LINK)
LINES: Final = (
    Column("Ordem", Kind.INTEGER),
    Column("Regra", Kind.TEXT),
    Column("Frase", Kind.TEXT),
    Column("Qtde", Kind.INTEGER),
    Column("A receber", Kind.MONEY, "o que se pede e é a receber, positivo"),
    Column("A pagar", Kind.MONEY, "o que se pede e é a pagar, positivo"),
    Column("Valor", Kind.MONEY, "quanto está em jogo: a_receber + a_pagar, nunca a diferença"),
)
TIDIED: Final = ("Q01", "Q21", "Q34")
"""Findings that F6 lists beside the títulos without a customer."""
NAMELESS: Final = "Q34"
"""Of these, the one whose amounts are turnover and nothing that is to be done: F6 has it without them."""
FORGOTTEN: Final = "Q33"
"""The finding that F3 lists."""
VERBS: Final = {
    CALL: "Ligar", CHARGE: "Emitir cobrança", CHECK: "Conferir no extrato", SETTLE: "Dar baixa", DECIDE: "Decidir",
    CLAIM: "Cobrar do banco",
}  # fmt: skip
_NOTHING: Final = Decimal("0.00")
Cells = tuple[Value, ...]


@dataclass(frozen=True)
class Task:
    """What one rule asks for.

    Attributes:
        regra: F1 to F8.
        frase: what to do, in words.
        qtde: how many customers (F1), títulos, findings or accounts.
        rows: the rows of `mart.fazer` behind it, in order.
    """

    regra: str
    frase: str
    qtde: int
    rows: tuple[Cells, ...]

    @property
    def lados(self) -> Sides:
        """What is to be received and what is to be paid, each gross."""
        return add_sides(
            [_amount(row, "a_receber") for row in self.rows] + [-_amount(row, "a_pagar") for row in self.rows]
        )

    @property
    def bruto(self) -> Decimal:
        """What both sides come to, never their difference."""
        return sum((side.valor for side in self.lados), start=_NOTHING)


def _amount(row: Cells, key: str) -> Decimal:
    value = row[_PLACES[key]]
    return value if isinstance(value, Decimal) else _NOTHING


_PLACES: Final = {column.key: place for place, column in enumerate(TABLE_COLUMNS)}


def build_to_do(view: View) -> tuple[Section, Table, Table]:
    """Build the sheet Fazer and its table, and the lines of the cover (`fazer_hoje`).

    Returns:
        The section `fazer`, the table behind it, the table `fazer_hoje`; what is below `fazer_minimo` is in none.
    """
    minimum = view.position.parametros.fazer_minimo
    tasks = [task for task in _list_tasks(view) if task.rows and (task.regra == OPENINGS or task.bruto >= minimum)]
    tasks.sort(key=lambda task: (task.regra != OPENINGS, task.regra == TIDY, -task.bruto, task.regra))
    rows = tuple(row for task in tasks for row in task.rows)
    table = Table(
        "fazer", TABLE_COLUMNS, rows, "R00: o que fazer hoje, um título por linha e uma vez, com a regra (F1 a F8)"
    )
    lines: tuple[Cells, ...] = tuple(
        (place, task.regra, task.frase, task.qtde, *(side.valor for side in task.lados), task.bruto)
        for place, task in enumerate(tasks, 1)
    )
    comment = "R00: as linhas de FAZER HOJE, uma por regra acima de fazer_minimo (F7 sempre)"
    return _build_section(view, table), table, Table("fazer_hoje", LINES, lines, comment)


def _build_section(view: View, table: Table) -> Section:
    rows, seen = [], set()
    shown = [column.key for column in COLUMNS if column.kind is not Kind.LINK]
    place = next(place for place, column in enumerate(COLUMNS) if column.kind is Kind.LINK)
    for cells in list_rows(table, shown):
        rule, titulo = str(cells[0]), cells[_PLACES["titulo_id"]]
        link: Link | None = link_sheet("Qualidade" if rule == TIDY else "Saldos")
        if isinstance(titulo, int):
            link = view.entries.link_titulo(titulo, "Lançamentos »")
        elif rule == CLAIM:
            link = link_sheet("Cobranças")
        key = None if rule in seen else block_key(rule)
        seen.add(rule)
        rows.append(Row((*cells[:place], link, *cells[place:]), key=key))
    return Section(
        "fazer", COLUMNS, tuple(rows), detail=True, anchors=(("titulo_id", "titulo_id"),),
        empty="Nada acima do limite pede ação hoje",
    )  # fmt: skip


def block_key(rule: str) -> str:
    """Return the key of the first row of a rule, where its line of the cover leads."""
    return row_key("fazer", int(rule.removeprefix("F")))


def _list_tasks(view: View) -> Iterator[Task]:
    decided = {decision.titulo_id for decision in view.facts.mesas.decisoes}
    forgotten, moved = _find_forgotten(view), view.facts.banco.movidos
    held = [number for each in view.facts.banco.repasses for number in each.cobrancas]
    all_tasks = find_tasks(
        view.position, view.series, view.outlooks, forgotten, decided, moved, view.facts.mesas.mudados, held
    )
    nobodys: tuple[Cells, ...] = ()
    for rule in sorted(set(all_tasks["regra"])):
        part = all_tasks[all_tasks["regra"] == rule]
        rows = _list_titulos(view, part)
        if rule == TIDY:
            nobodys = rows
        else:
            yield Task(rule, _say(view, rule, part), _count(rule, part), rows)
    yield _tidy(view, nobodys)
    yield _ask_openings(view)
    yield _claim(view)


def _count(rule: str, titulos: pd.DataFrame) -> int:
    return int(titulos["pessoa_id"].nunique()) if rule == CALL else len(titulos)


def _list_titulos(view: View, titulos: pd.DataFrame) -> tuple[Cells, ...]:
    """Lay out the títulos of a rule: the largest first."""
    labels, notes, returned = view.position.rotulos, view.facts.mesas.anotacoes, view.facts.banco.devolvidos
    ordered = titulos.assign(tamanho=titulos["valor_centavos"].abs())
    ordered = ordered.sort_values(["tamanho", "titulo_id"], ascending=[False, True])
    rows = []
    for titulo in ordered.to_dict("records"):
        pessoa_id = None if pd.isna(titulo["pessoa_id"]) else int(titulo["pessoa_id"])
        amount = abs(to_decimal(titulo["valor_centavos"]))
        rows.append(
            _row(
                titulo["regra"],
                VERBS.get(titulo["regra"], "Identificar o cliente"),
                pessoa=labels.pessoa(pessoa_id),
                descricao=_describe(view, titulo),
                vencimento=as_date(titulo["data_vencimento"]),
                dias=int(titulo["dias"]),
                **{"a_receber" if titulo["valor_centavos"] > 0 else "a_pagar": amount},
                por_que="; ".join(filter(None, (titulo["por_que"], returned.get(titulo["titulo_id"])))),
                anotacao_da_mesa=notes.get(("titulo", titulo["titulo_id"])) or notes.get(("pessoa", pessoa_id or 0)),
                titulo_id=int(titulo["titulo_id"]),
                pessoa_id=pessoa_id,
            )
        )
    return tuple(rows)


def _row(regra: str, o_que_fazer: str, **cells: Value) -> Cells:
    given: dict[str, Value] = {"regra": regra, "o_que_fazer": o_que_fazer, **cells}
    return tuple(given.get(key) for key in _PLACES)


def _find_forgotten(view: View) -> set[int]:
    """Take the títulos of Q33 that no bank proves unpaid."""
    return {
        key for finding in view.findings if finding.regra == FORGOTTEN for key in finding.ids
    } - view.position.nao_pagos


def _say(view: View, rule: str, titulos: pd.DataFrame) -> str:
    """Write the line of a rule for the cover."""
    count, late = len(titulos), int(titulos["vencido"].sum())
    if rule == CALL:
        return f"Ligar para {count_text(_count(rule, titulos), 'cliente', 'clientes')}"
    if rule == SETTLE:
        return f"Dar baixa em {count_text(count, 'lançamento', 'lançamentos')} com cobrança já paga"
    if rule == CHECK and count == 1:
        (row,) = titulos.to_dict("records")
        due = as_date(row["data_vencimento"])
        why = view.facts.banco.movidos.get(int(row["titulo_id"]), "uma posterior já foi paga")
        return f"Conferir «{_describe(view, row)}» de {due:%d/%m/%Y}: {why}"
    if rule == CHECK:
        text = f"Conferir {count} lançamentos com jeito de baixa esquecida"
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
    broken = int(titulos["titulo_id"].isin(view.facts.mesas.decisoes_vencidas).sum())
    if broken and rule == DECIDE:
        end = f", {broken} com decisão vencida"
        return f"{begin} {' e '.join(parts)}{end}"
    return f"{begin}{':' if end else ''} {' e '.join(parts)}{end}"


def _describe(view: View, row: Mapping[Any, Any]) -> str:
    return str(row["descricao"] or view.position.rotulos.categoria(row["categoria_id"]))


def _tidy(view: View, nobodys: tuple[Cells, ...]) -> Task:
    """Build F6: what has no customer, and the findings about the data (a row each)."""
    findings = [finding for finding in view.findings if finding.regra in TIDIED and finding.qtde]
    rows = []
    for finding in findings:
        received, paid = finding.lados if finding.lados and finding.regra != NAMELESS else (Side(), Side())
        rows.append(
            _row(
                TIDY,
                f"Arrumar: {finding.titulo.lower()}",
                a_receber=received.valor or None,
                a_pagar=paid.valor or None,
                por_que=f"{count_text(finding.qtde, 'registro', 'registros')} em Qualidade",
            )
        )
    parts = [f"{finding.titulo.lower()} ({finding.qtde})" for finding in findings]
    if nobodys:
        parts.insert(0, f"identificar o cliente de {count_text(len(nobodys), 'título', 'títulos')}")
    count = sum(finding.qtde for finding in findings) + len(nobodys)
    return Task(TIDY, f"Arrumar dados: {'; '.join(parts)}", count, (*nobodys, *rows))


def _ask_openings(view: View) -> Task:
    """Build F7: the accounts without any balance (S23); a scope cannot have one."""
    why = "sem extrato nem saldo inicial: o que se mostra é variação (lastro saldos)"
    known = view.position.contas.set_index("conta_id")["origem_saldo"].to_dict()
    unknown = [account for account in view.series.accounts if known.get(account.conta_id) == SEM_ABERTURA]
    rows = tuple(_row(OPENINGS, "Informar o saldo", descricao=account.descricao, por_que=why) for account in unknown)
    return Task(OPENINGS, f"Informar o saldo de {count_text(len(rows), 'conta', 'contas')}", len(rows), rows)


def _claim(view: View) -> Task:
    """Build F8: what the bank announced to pass on and a statement shows that it did not, a row a day (S20)."""
    rows, said = [], []
    for each in sorted(view.facts.banco.repasses, key=lambda each: (-each.liquido, each.dia, each.conta_id)):
        amount = to_decimal(each.liquido)
        charges = count_text(len(each.cobrancas), "cobrança", "cobranças")
        said.append(f"{each.dia:%d/%m} ({format_amount(amount)})")
        rows.append(
            _row(
                CLAIM,
                VERBS[CLAIM],
                descricao=f"{view.position.rotulos.conta(each.conta_id)}: repasse de {each.dia:%d/%m/%Y}, {charges}",
                vencimento=each.dia,
                dias=(view.position.data_base - each.dia).days,
                a_receber=amount,
                por_que=f"anunciado para {each.dia:%d/%m}; o extrato até {each.ate:%d/%m} não o traz",
            )
        )
    text = f"Cobrar do banco {'o repasse' if len(rows) == 1 else 'os repasses'} de {', '.join(said[:3])}"
    return Task(CLAIM, text + (f" e mais {len(rows) - 3}" if len(rows) > 3 else ""), len(rows), tuple(rows))
