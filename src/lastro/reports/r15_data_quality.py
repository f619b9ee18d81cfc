"""R15 Qualidade dos dados: what the rules found, whether the checks hold, and formulas that re-add the sheets.

The formulas add the cells of the sheets built so far: one may only name sheets of its own workbook.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.calendar import month_start
from lastro.grid.cells import Cell, Formula, Kind, Value
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import MOST_SHOWN, Row, Section, Style, say_more
from lastro.grid.storage import store_each
from lastro.grid.table_rows import Leads
from lastro.grid.tables import Table
from lastro.grid.verdict import ALERTA, ERRO, Amount, Finding, state_word
from lastro.grid.workbook import Family
from lastro.reports.printing import Tables
from lastro.reports.r15_printed_sums import PrintedSum, list_sums
from lastro.reports.shared.drill_down import find_entries
from lastro.reports.spec import Phase, ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import Judged

LINKED: Final = frozenset({"linha", "titulo", "grupo", "pessoa", "categoria"})
"""Kinds of records that have rows in Lançamentos."""
WRITTEN: Final = {"titulo": "título", "cobranca": "cobrança"}
SIDES_NOTE: Final = "Entra e Sai somam os valores positivos e os negativos dos registros, pagos ou não."
FORMULAS_NOTE: Final = "As duas últimas colunas são fórmulas: uma célula alterada depois aparece como diferença."


def list_rules(view: Judged) -> Columns:
    """List what every rule found, those that found nothing too, and the memo."""
    findings = view.findings
    sides = [[side.valor for side in finding.lados] if finding.lados else (None, None) for finding in findings]
    return {
        "regra": [finding.regra for finding in findings],
        "gravidade": [state_word(finding.gravidade) for finding in findings],
        "qtde": [finding.qtde for finding in findings],
        "entra": [received for received, _ in sides],
        "sai": [paid for _, paid in sides],
        "exemplos": [", ".join(map(str, finding.exemplos)) for finding in findings],
        "por_que_importa": [finding.por_que for finding in findings],
        "como_corrigir": [finding.como_corrigir for finding in findings],
        "achado": [finding.titulo for finding in findings],
    }


def _name_finding(finding: Finding) -> str:
    return f"{finding.regra} {finding.titulo}" if finding.regra.startswith("Q") else f"MEMO: {finding.titulo.lower()}"


def _show_findings(view: Judged, table: Table) -> Sequence[Row]:
    """Print the findings, number and title in one; their examples lead to the row of the first one in Lançamentos."""
    place, rows = table.place("exemplos"), []
    for finding, cells in zip(view.findings, table.rows, strict=True):
        text, link = str(cells[place]), None
        if text and finding.tipo in LINKED:
            link = view.books.once(find_entries).link_example(f"{finding.tipo}_id", finding.exemplos[0], text)
        style = Style.NORMAL if finding.regra.startswith("Q") else Style.MEMO
        shown = (_name_finding(finding), *cells[1:place], link or text, *cells[place + 1 :])
        rows.append(Row(shown, style, key=f"regra-{finding.regra}"))
    return rows


def _name_serious(view: Judged) -> Mapping[str, str]:
    """Name the rules that are more than information, by their numbers."""
    return {one.regra: _name_finding(one) for one in view.findings if one.gravidade in (ERRO, ALERTA)}


def select_items(view: Judged) -> tuple[Table | None, Counter[str]]:
    """Take the records behind errors and alerts, by rule and id, of each rule `MOST_SHOWN`; and how many it has."""
    if view.itens is None:
        return None, Counter()
    names, rules = _name_serious(view), pd.Series(view.itens.data["regra"].cells(), dtype=object)
    serious = rules[rules.isin(names)]
    shown = serious[serious.groupby(serious).cumcount() < MOST_SHOWN]
    return view.itens.take(shown.index.to_numpy()), Counter(serious)


def show_items(view: Judged) -> Columns | None:
    """List the records behind errors and alerts as the sheet has them."""
    items, _ = view.once(select_items)
    if items is None:
        return None
    names, kept = _name_serious(view), items.data
    rules, kinds = (pd.Series(kept[key].cells(), dtype=object) for key in ("regra", "tipo"))
    people = pd.Series(kept["pessoa_id"].cells(), dtype="Int64")
    return {
        "regra": store_each(Kind.TEXT, rules, names.get),
        "registro": store_each(Kind.TEXT, kinds, lambda kind: WRITTEN.get(kind, kind)),
        "id": kept["id"],
        "pessoa": store_each(Kind.TEXT, people, view.position.rotulos.pessoa),
        **{key: kept[key] for key in ("dia", "valor", "texto")},
    }


def _link_items(view: Judged) -> Mapping[str, Leads]:
    """Lead from each record to its row in Lançamentos."""
    items, _ = view.once(select_items)
    if items is None:
        return {}
    columns = [f"{kind}_id" if kind in LINKED else None for kind in items.data["tipo"].cells()]
    return {"id": view.books.once(find_entries).lead_each(columns, items.data["id"])}


def _say_more_items(view: Judged) -> Iterator[str]:
    _, counts = view.once(select_items)
    for rule, count in counts.items():
        yield from (f"{rule}: {text}" for text in say_more(count, "mart.achados_itens"))


def list_checks(view: Judged) -> Columns:
    """List the checks; the expected and the found value are texts: amounts with a point, as SQL casts them."""
    checks = view.verifications
    return {
        "verificacao": [check.id for check in checks],
        "severidade": [state_word(check.severidade) for check in checks],
        "situacao": [state_word(check.situacao) for check in checks],
        "esperado": ["" if check.esperado is None else str(check.esperado) for check in checks],
        "encontrado": ["" if check.encontrado is None else str(check.encontrado) for check in checks],
        "diferenca": [check.diferenca for check in checks],
        "registros": [check.registros for check in checks],
        "chaves": ["; ".join(check.chaves) for check in checks],
        "detalhe": [check.detalhe for check in checks],
        "descricao": [check.descricao for check in checks],
    }


def _show_checks(view: Judged, table: Table) -> Sequence[Row]:
    """Print the checks, number and statement in one; an expected or found amount or count is printed as one."""
    first, rows = table.place("esperado"), []
    for check, cells in zip(view.verifications, table.rows, strict=True):
        typed = _type_value(check.esperado), _type_value(check.encontrado)
        named = f"{check.id} {check.descricao}"
        rows.append(Row((named, *cells[1:first], *typed, *cells[first + 2 :]), key=f"verificacao-{check.id}"))
    return rows


def _type_value(value: Amount) -> Value | Cell:
    if isinstance(value, Decimal | int):
        return Cell(value, Kind.MONEY if isinstance(value, Decimal) else Kind.INTEGER)
    return value or ""


def print_failed(view: Judged, tables: Tables) -> Section | None:
    """Print the checks that failed, where the findings stand: all of them are on a sheet that nobody opens."""
    table = tables[CHECKS.name]
    rows = zip(_show_checks(view, table), view.verifications, strict=True)
    failed = [row for row, check in rows if check.failed]
    title = f"Verificações que falharam ({len(failed)})"
    return Section("falhas", table.columns, failed, title=title) if failed else None


def sum_sheets(view: Judged) -> Sequence[PrintedSum]:
    """Add up what the formulas add again."""
    return list_sums(view.reports, month_start(view.position.data_base))


def list_formulas(view: Judged) -> Columns:
    """List the sums of the sheets, as computed and as printed."""
    sums = view.once(sum_sheets)
    return {
        "conferencia": [compared.label for compared in sums],
        "na_execucao": [compared.expected for compared in sums],
        "na_planilha": [compared.printed for compared in sums],
        "diferenca": [compared.printed - compared.expected for compared in sums],
    }


def _show_formulas(view: Judged, table: Table) -> Sequence[Row]:
    """Print what was computed, what the sheet adds up to now, and the difference; the last two are formulas."""
    rows = []
    for compared, (label, expected, printed, apart) in zip(view.once(sum_sheets), table.rows, strict=True):
        key = f"conf-{compared.key}"
        own = f"{{conferencias:na_planilha@{key}}}-{{conferencias:na_execucao@{key}}}"
        formulas = Formula(compared.formula, Decimal(str(printed))), Formula(own, Decimal(str(apart)))
        rows.append(Row((label, expected, *formulas), key=key))
    return rows


FINDINGS: Final = Print(
    "achados",
    "R15: o que cada regra de qualidade encontrou",
    list_rules,
    keys=("regra",),
    about={"regra": "o número da regra, como em achados_itens; MEMO é a linha das baixas automáticas"},
    widths={"regra": 44, "gravidade": 18, "exemplos": 34, "por_que_importa": 45, "como_corrigir": 45},
    hidden=("achado",),
    title="O que merece correção",
    rows=_show_findings,
    notes=(SIDES_NOTE,),
)
ITEMS: Final = Print(
    "achados_itens",
    "",
    show_items,
    headers={"dia": "Dia"},
    widths={"regra": 44, "registro": 18},
    title="Os registros de cada erro e alerta",
    detail=True,
    links=_link_items,
    notes=(_say_more_items,),
    optional=True,
)
CHECKS: Final = Print(
    "verificacoes",
    "R15: resultado de cada verificação V",
    list_checks,
    about={
        "verificacao": "o número da verificação, como em ops.verificacoes",
        "descricao": "o que a verificação afirma",
        "situacao": "OK, Falhou ou Não se aplica",
        "esperado": "o valor esperado, como texto",
    },
    hidden=("descricao",),
    kinds={"esperado": Kind.TEXT},
    widths={
        "verificacao": 44, "severidade": 18, "situacao": 18, "esperado": 18, "encontrado": 34, "chaves": 45,
        "detalhe": 45,
    },
    title="Verificações (tolerância 0,00)",
    rows=_show_checks,
)  # fmt: skip
FORMULAS: Final = Print(
    "conferencias",
    "R15: somas das planilhas, como calculadas e como escritas",
    list_formulas,
    about={"conferencia": "o que se confere"},
    widths={"conferencia": 44},
    title="Somas refeitas pela planilha",
    rows=_show_formulas,
    notes=(FORMULAS_NOTE,),
    optional=True,
)
REJECTED: Final[Print[Judged]] = Print(
    "rejeitados",
    "R15: um registro que não pôde ser lido (S13)",
    lambda view: list_columns(("lista", "origem", "pagina", "posicao", "motivo"), view.facts.rejeitados),
    about={"origem": "o endereço pedido ao serviço, sem o token", "motivo": "por que não se leu"},
    widths={"lista": 44, "origem": 34, "motivo": 45},
    title="Registros que não pudemos ler",
    optional=True,
)
SCHEMA: Final[Print[Judged]] = Print(
    "esquema",
    "R15: um campo novo ou ausente nas respostas do serviço (S13)",
    lambda view: list_columns(("lista", "campo", "situacao", "registros"), view.facts.esquema),
    about={"campo": "o campo da resposta do serviço", "situacao": "campo novo ou ausente"},
    widths={"lista": 44, "campo": 34, "situacao": 18},
    title="Campos novos ou ausentes na API",
    optional=True,
)
SPEC: Final = ReportSpec(
    code="R15",
    name="qualidade",
    title="Qualidade dos dados",
    question="O que está errado nos dados, e os números fecham?",
    family=Family.RECORDS,
    tables=(FINDINGS, lambda view: view.itens, CHECKS, FORMULAS, REJECTED, SCHEMA),
    sections=(FINDINGS, CHECKS, print_failed, FORMULAS, REJECTED, SCHEMA, ITEMS),
    phase=Phase.VERDICT,
)
