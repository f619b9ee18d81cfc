"""The eight sheets of a closing, each headed by the month (S25): tables that are printed as those of reports are.

Belongs here: what stands on which sheet. Does not belong here: what a figure comes to (`lastro.closing.figures`), what
the month and the edition say (`lastro.closing.content`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Final

import numpy as np

from lastro.analysis.abc_curve import rank_customers
from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import MARGINS, Line, find_sense, lay_lines
from lastro.analysis.percent_change import CompareRule
from lastro.analysis.resilience import measure_resilience
from lastro.analysis.tree import Branch, Node, Vector
from lastro.calendar import ONE_DAY, add_months, month_end
from lastro.closing.content import Closing
from lastro.closing.figures import MEMO_LATER, REVENUE_GROUPS, Sums
from lastro.closing.front import (
    ANSWERS,
    FRONT,
    LABEL,
    NOW_AND_THEN,
    UNNAMED,
    declare_texts,
    draw_months,
    say_checked,
    take_newest,
)
from lastro.grid.cells import UNDEFINED, Cell, Kind, Undefined
from lastro.grid.prints import Columns, Print, list_columns, look_by
from lastro.grid.sections import Row, Section, Style, join_columns
from lastro.grid.storage import Values
from lastro.grid.tables import Table, describe_column
from lastro.grid.words import column_name
from lastro.grid.workbook import Family, Sheet
from lastro.reports.printing import Sectioned, Tables, build_table, print_sections
from lastro.reports.r06_income_statement import OF_PERIODS, show_periods
from lastro.reports.r07_bridge import LINES
from lastro.reports.shared.kpis import list_measures
from lastro.reports.tree_print import Across, Tree
from lastro.settings import setting_rows
from lastro.transform.position import CLASSES, FAIXA_KEYS, FAIXAS, NAO_OPERACIONAL, TRANSFERENCIAS

WIDE: Final = 26
"""Width of amounts where there are few."""
TOP: Final = 10
MOST_ROWS: Final = 60
"""Rows of a tree that a page has room for."""
MOST_ENTRIES: Final = 60
"""Changed entries that are listed: a month that was booked anew is no list to read."""
OF_LATER: Final = "concentracao_5_devedores"
"""Left out: it counts what is of later competence too, which a closing has as a memo."""
SIDES: Final = {"a_receber": ("A receber", "R"), "a_pagar": ("A pagar", "P")}
ACCRUED: Final = (*NOW_AND_THEN, "ano", "ano_ano_antes", "doze")
MOVED: Final = (*NOW_AND_THEN, "ano", "doze")
COMPARED: Final = {"mes": "ano_antes", "ano": "ano_ano_antes"}
"""Spans of the DRE -> the one that each is held against."""
MONTH_COLUMNS: Final = (
    "mes", "orcado", "desvio", "antes", "ano_antes", "var_mes", "ano", "ano_ano_antes", "var_ano", "doze",
)  # fmt: skip
WHY: Final = dict.fromkeys(MONTH_COLUMNS, "nota_linha") | {f"var_{name}": f"nota_{name}" for name in COMPARED}
"""Column of the DRE -> the one that says why it has no figure."""
NOTED: Final = ("nota_linha", *(f"nota_{name}" for name in COMPARED))
CASH_LINES: Final = tuple(Line(classe, classe) for classe in CLASSES)
ENDS: Final = ("saldo_inicial", *map(column_name, CLASSES), "saldo_final")
"""What an account had, what moved it and what it has."""


def _gather(sums: Sequence[Sums]) -> dict[str, dict[int | None, Vector]]:
    """Gather the sums of several spans: group or class -> category -> one amount a span."""
    gathered: dict[str, dict[int | None, Vector]] = {}
    for group, key in {key for of_span in sums for key in of_span}:
        gathered.setdefault(group, {})[key] = np.array([of_span.get((group, key), 0) for of_span in sums], np.int64)
    return gathered


def lay_month(closing: Closing) -> list[Branch]:
    """Lay the DRE out; above it the revenue of the cover, where some of it has no category and is in no first line."""
    month, spans = closing.month, [closing.spans[name] for name in ACCRUED]
    sums = _gather([month.sum_dre(span) for span in spans])
    lines = lay_lines(month.view.position.categorias, month.lines, sums, len(ACCRUED))
    whole, unnamed = (np.array([*map(add, spans)], np.int64) for add in (month.sum_revenue, month.sum_unnamed))
    if not unnamed.any():
        return [*lines]
    node = Node(None, UNNAMED, UNNAMED, 0, direto=False, valores=unnamed, categorias=())
    revenue = Branch("receita", "Receita", whole, Style.SUBTOTAL)
    return [revenue, Branch("receita", UNNAMED, unnamed, Style.NORMAL, node=node), *lines]


def list_month(closing: Closing) -> Columns:
    """List the DRE; of a line also budget and changes. What the map does not allow says so throughout (S17)."""
    month, lines = closing.month, {line.codigo: line for line in closing.month.lines}
    hidden = frozenset() if month.view.dre_map.margens else MARGINS
    revenues = (month.sum_dre(closing.spans[then]) for then in COMPARED.values())
    rules = {
        name: CompareRule(sum(centavos for (group, _), centavos in sums.items() if group in REVENUE_GROUPS))
        for name, sums in zip(COMPARED, revenues, strict=True)
    }
    rows = []
    for branch in closing.once(lay_month):
        own: dict[str, Any] = dict(zip(ACCRUED, branch.valores.tolist(), strict=True))
        if branch.node is None and (line := lines.get(branch.codigo)):
            budget, absent = closing.sum_budget(line.grupos), UNDEFINED.text if line.codigo in hidden else None
            own |= {"orcado": budget, "desvio": own["mes"] - budget, "nota_linha": absent}
            for name, then in COMPARED.items():
                change = rules[name].compare(own[name], own[then], find_sense(line.codigo))
                own |= {f"var_{name}": change.pct, f"nota_{name}": absent or change.nota}
        rows.append([own.get(key) for key in (*MONTH_COLUMNS, *NOTED)])
    return closing.keep_budget(list_columns((*MONTH_COLUMNS, *NOTED), rows))


def _show_month(closing: Closing) -> Iterator[Across]:
    shown = [closing.columns[key] for key in MONTH_COLUMNS if key in closing.columns]
    yield Across({column.key: replace(column, undefined=False) for column in shown}, (0,))


def lay_cash(closing: Closing) -> list[Branch]:
    """Lay realised cash out between the balances before and after it; transfers have no categories."""
    month, nothing = closing.month, np.zeros(len(MOVED), np.int64)
    sums = _gather([month.sum_cash(closing.spans[name]) for name in MOVED])
    moved = lay_lines(month.view.position.categorias, CASH_LINES, sums, len(MOVED))
    return [
        Branch("saldo_inicial", "Saldo inicial", nothing, Style.SUBTOTAL),
        *(branch for branch in moved if branch.node is None or branch.codigo != TRANSFERENCIAS),
        Branch("saldo_final", "Saldo final", nothing, Style.TOTAL),
    ]


def list_cash(closing: Closing) -> Columns:
    """List realised cash by span."""
    columns, moved = dict[str, Values](), np.stack([branch.valores for branch in closing.once(lay_cash)])
    for name, amounts in zip(MOVED, moved.T.tolist(), strict=True):
        days = closing.spans[name].first - ONE_DAY, month_end(closing.spans[name].last)
        opening, final = (closing.month.realised_balance(None, day) for day in days)
        columns[name] = [opening, *amounts[1:-1], final]
    return columns


def fold_tree(tree: Tree[Closing], closing: Closing, tables: Tables) -> Section | None:
    """Print a tree that fits a page: deep levels are folded."""
    section = tree.show(closing, tables)
    if section is None:
        return None
    shown = (level for level in (2, 1, 0) if sum(row.level <= level for row in section.rows) <= MOST_ROWS)
    return replace(section, open_level=next(shown, 0))


def show_centres(closing: Closing, _: Tables) -> Section | None:
    """Print the table of R06 that at F is the month and the year by cost centre."""
    table = build_table(OF_PERIODS, closing.month.view)
    return None if table is None else show_periods(closing.month.view, {table.name: table})


def list_closed_accounts(closing: Closing) -> Columns:
    """List the accounts: what each had, what moved it, what it has, and how that was checked."""
    month, newest, accounts = closing.month, take_newest(closing), closing.month.view.series.accounts
    moved, places = month.sum_cash(closing.spans["mes"], "conta_id"), range(len(accounts))
    told = [None if account.conta_id is None else newest[account.conta_id] for account in accounts]
    return {
        "conta": [account.descricao for account in accounts],
        "saldo_inicial": [month.realised_balance(place, month.mes - ONE_DAY) for place in places],
        **{
            column_name(classe): [moved.get((classe, account.conta_id), 0) for account in accounts]
            for classe in CLASSES
        },
        "saldo_final": [month.realised_balance(place, month.fim) for place in places],
        "extrato": [None if statement is None else statement.extrato for statement in told],
        "diferenca": [None if statement is None else statement.diferenca for statement in told],
        "conferencia": [
            None if account.conta_id is None else say_checked(closing, statement)
            for account, statement in zip(accounts, told, strict=True)
        ],
    }


def _find_bands(closing: Closing) -> dict[tuple[str, str], Decimal]:
    return {(block, key): value for block, key, _, value in closing.month.list_all()}


def list_open(closing: Closing) -> Columns:
    """List what is open by band of delay, by side."""
    values = closing.once(_find_bands)
    return {"faixa": FAIXAS, **{block: [values[block, key] for key in FAIXA_KEYS] for block in SIDES}}


def _list_later(closing: Closing, _: Table) -> Sequence[Row]:
    values = closing.once(_find_bands)
    text = "Já lançado, de competência posterior (memo)"
    return (Row((text, *(values[block, MEMO_LATER] for block in SIDES)), Style.MEMO),)


def list_largest_open(side: str, closing: Closing) -> Columns:
    """List the persons of whom most is open on a side."""
    items, labels = closing.month.open_items, closing.month.view.position.rotulos
    own = items[(items["lado"] == side) & ~items["depois"]]
    people = own.groupby("pessoa_id", dropna=False)["valor_centavos"].sum().reset_index()
    largest = sorted(records_of(people, *people.columns), key=lambda person: (-abs(person[1]), person[0] or 0))[:TOP]
    return list_columns(("pessoa", "valor"), [(labels.pessoa(person), int(value)) for person, value in largest])


def list_letters(closing: Closing) -> Columns:
    """List the bridge letter by letter."""
    year, lines = closing.spans["ano"], [closing.bridge[letter] for letter in LINES]
    return {
        "linha": [*LINES.values()],
        "mes": [line.get(closing.month.mes, 0) for line in lines],
        "ano": [sum(value for month, value in line.items() if year.first <= month <= year.last) for line in lines],
    }


def show_indicators(closing: Closing, _: Tables) -> Section:
    """Print fôlego, break-even and concentration at F, the month itself the last closed one (R22)."""
    view, after = closing.month.view, add_months(closing.month.mes, 1)
    ranking = rank_customers(view.position, after)
    measures = measure_resilience(view.position, view.series, view.dre_map, after, ranking)
    shown = [kpi for kpi in list_measures(view, measures) if kpi.slug != OF_LATER]
    values = [Cell(Undefined(kpi.ausente) if kpi.valor is None else kpi.valor, kpi.spec.kind) for kpi in shown]
    columns = (
        (describe_column("indicador", width=LABEL), [kpi.indicador for kpi in shown]),
        (describe_column("valor"), values),
        (describe_column("como_se_calcula", width=60), [kpi.spec.como for kpi in shown]),
    )
    return Section("indicadores", *join_columns(columns), title="Indicadores")


def _say_more(closing: Closing) -> Iterator[str]:
    if (more := len(closing.lancamentos) - MOST_ENTRIES) > 0:
        yield f"e mais {more}"


MONTH: Final = Tree(
    Print[Closing](
        "dre",
        make=list_month,
        named=lambda closing: closing.columns,
        title="DRE por competência",
        notes=(lambda closing: (f"{aviso}.",) if (aviso := closing.month.view.dre_map.aviso) else (),),
    ),
    lambda closing: closing.once(lay_month),
    _show_month,
    describe_column("linha", width=LABEL),
    why=WHY,
    alike=lambda branch: tuple(branch.valores),
)
CASH: Final = Tree(
    Print(
        "fluxo",
        make=list_cash,
        title="Fluxo de caixa realizado",
        notes=(
            "Saldo inicial + entradas + saídas + não operacional + transferências + saldos implantados = saldo final.",
        ),
        named=lambda closing: closing.columns,
    ),
    lambda closing: closing.once(lay_cash),
    lambda closing: (Across({name: closing.columns[name] for name in MOVED}, (0,)),),
    describe_column("categoria", width=LABEL),
    alike=lambda branch: tuple(branch.valores),
)
BALANCES: Final = Print(
    "saldos",
    make=list_closed_accounts,
    named=lambda closing: closing.columns,
    widths={"conta": LABEL, "conferencia": WIDE},
    undefined=("saldo_inicial",),
    dense=True,
    title="Contas",
    total=ENDS,
)
OPEN: Final = Print(
    "abertos",
    make=list_open,
    widths={"faixa": LABEL, **dict.fromkeys(SIDES, WIDE)},
    dense=True,
    title=lambda closing: f"Em aberto em {closing.month.fim:%d/%m/%Y}",
    total=(*SIDES,),
    below=_list_later,
)
PEOPLE: Final = tuple(
    Print(
        f"{block}_pessoas",
        make=partial(list_largest_open, side),
        widths={"pessoa": LABEL},
        dense=True,
        title=f"{text}: os {TOP} maiores",
        empty="Nada em aberto",
    )
    for block, (text, side) in SIDES.items()
)
LETTERS: Final = Print(
    "ponte",
    make=list_letters,
    named=lambda closing: {key: replace(closing.columns[key], width=WIDE) for key in ("mes", "ano")},
    widths={"linha": LABEL},
    title="Letra por letra (R07)",
    looks=look_by("linha", {"= Geração de caixa": Style.SUBTOTAL, "= Variação do saldo": Style.TOTAL}),
)
IDENTITY: Final = Print[Closing](
    "identidade",
    make=lambda closing: list_columns(
        ("ate_o_fim_do_mes", "acumulado"), [told for _, *told in closing.month.list_identity()]
    ),
    headers={"ate_o_fim_do_mes": "Até o fim do mês"},
    widths={"ate_o_fim_do_mes": LABEL},
    dense=True,
    title="Resultado acumulado ao caixa acumulado (V40)",
    looks=look_by("ate_o_fim_do_mes", {"= Caixa acumulado": Style.TOTAL}),
    notes=("Transferências em nenhuma; o que é fora do resultado, só em não operacional.",),
)
_AMOUNTS: Final = {"antes": Kind.MONEY, "agora": Kind.MONEY}
NOTES: Final[tuple[Sectioned[Closing], ...]] = (
    declare_texts("notas_comentario", lambda closing: closing.comments, "Comentário"),
    Print(
        "notas_edicoes",
        make=lambda closing: (
            list_columns(
                ("linha", "antes", "agora", "diferenca"),
                [(one.linha, one.antes, one.agora, one.agora - one.antes) for one in closing.mudancas],
            )
            if closing.edicao > 1
            else None
        ),
        headers={"antes": "1ª edição", "agora": "Esta edição"},
        kinds=_AMOUNTS,
        widths={"linha": 46},
        dense=True,
        title="O que mudou desde a 1ª edição",
        empty="Nada mudou",
    ),
    Print(
        "notas_lancamentos",
        make=lambda closing: (
            list_columns(("lancamento", "descricao", "antes", "agora"), closing.lancamentos[:MOST_ENTRIES])
            if closing.edicao > 1
            else None
        ),
        headers={"lancamento": "Lançamento"},
        kinds={"lancamento": Kind.INTEGER, **_AMOUNTS},
        widths={"descricao": 46},
        dense=True,
        title="Lançamentos por trás da mudança",
        notes=(_say_more,),
        empty="Nenhum lançamento do mês mudou",
    ),
    Print(
        "notas_achados",
        make=lambda closing: list_columns(
            ("achado", "registros_do_mes"), [(f"{one.regra} {one.titulo}", many) for one, many in closing.achados]
        ),
        headers={"registros_do_mes": "Registros do mês"},
        kinds={"registros_do_mes": Kind.INTEGER},
        widths={"achado": 60, "registros_do_mes": 60},
        title="Achados que tocam o mês",
        empty="Nenhum",
    ),
    Print(
        "notas_parametros",
        make=lambda closing: list_columns(
            ("parametro", "valor"), [told[:2] for told in setting_rows(closing.month.view.position.parametros)]
        ),
        kinds={"valor": Kind.TEXT},
        widths={"parametro": 32, "valor": 60},
        title="Parâmetros",
        notes=(
            "Resultado: por competência, sem transferências e sem o que é fora do resultado.",
            "Caixa: pelo dia do pagamento. Em aberto: não pago no fim do mês e de competência até ele.",
            f"{NAO_OPERACIONAL}: o que o mapa da DRE põe fora do resultado.",
        ),
    ),
)
SHEETS: Final[Mapping[str, tuple[int, Sequence[Sectioned[Closing]]]]] = {
    "Capa": (1, FRONT),
    "DRE": (2, (partial(fold_tree, MONTH), show_centres)),
    "Fluxo do mês": (1, (partial(fold_tree, CASH),)),
    "Saldos": (1, (BALANCES,)),
    "A receber e a pagar": (1, (OPEN, *PEOPLE)),
    "Ponte": (1, (replace(ANSWERS, name="ponte_resumo"), LETTERS, IDENTITY)),
    "Indicadores": (1, (show_indicators,)),
    "Notas": (2, NOTES),
}
"""Sheet -> the pages that it has at most, each as wide as it, and what it shows."""


def build_sheets(closing: Closing) -> tuple[Sheet, ...]:
    """Build the eight sheets in order, of ten pages at most."""
    return tuple(
        Sheet(
            name,
            closing.title(name),
            print_sections(sections, (), closing),
            draw_months(closing) if name == "Capa" else (),
            Family.RESULT,
            pages=pages,
        )
        for name, (pages, sections) in SHEETS.items()
    )
