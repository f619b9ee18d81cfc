"""The group view: the companies of one settings file side by side, summed, and without what they book together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, partial
from typing import Any, Final, TypeVar

import pandas as pd

from lastro.analysis.cash_series import PROVISIONAL_NOTE
from lastro.analysis.credit import Credit
from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import CLASSIFIED, RECEITA_LIQUIDA, RESULTADO, UNCLASSIFIED
from lastro.analysis.monthly_flow import LINES as FLOW_ROWS
from lastro.grid.cells import Kind
from lastro.grid.cover import COVER_SHEET
from lastro.grid.prints import Columns, Print, Remembering, list_columns, look_by
from lastro.grid.sections import Style
from lastro.grid.tables import Column, describe_column
from lastro.grid.verdict import CONFIAVEL
from lastro.grid.words import format_date, month_label
from lastro.grid.workbook import Sheet
from lastro.group.company_books import BALANCES, CompanyBooks
from lastro.group.intercompany import Reconciliation, select_intercompany, sum_flow, sum_open, sum_result
from lastro.reports.printing import print_sections
from lastro.reports.shared.headline import word_headline
from lastro.settings import Grupo
from lastro.transform.categories import FORA
from lastro.transform.position import FAIXAS

Key = TypeVar("Key", bound=Hashable)
SOMA, ENTRE_EMPRESAS = "Soma", "Entre empresas"
LATE: Final = "Atrasado"
_RESULTS: Final = frozenset(line.texto for line in (*UNCLASSIFIED, *CLASSIFIED) if line.codigo == RESULTADO)
MOMENTS: Final = {"realizado": "Realizado", "a_realizar": "A realizar", "previsto": "Previsto"}
ADDED_FLOWS: Final[Mapping[str, tuple[str, ...]]] = {
    "fluxo_operacional": ("entradas", "saidas"),
    "geracao_de_caixa": ("entradas", "saidas", "nao_operacional"),
}
"""Lines of R04 that follow from others, and so lose what those lose."""
SUM_NOTE: Final = (
    "Soma: o que as planilhas das empresas mostram, somado. Entre empresas: o que [[grupo.transferencia]] manda "
    "retirar; sem regra nada é retirado."
)
VARIATION: Final = f" ({PROVISIONAL_NOTE})"
"""Printed after the name of an account without an opening balance (S23)."""
NO_MAP_NOTE: Final = "Nem todas as empresas têm dre_mapa: só receitas, despesas e resultado (`lastro mapa`)."


@dataclass(frozen=True)
class GroupBooks(Remembering):
    """The companies as of the same D, in the order of the settings.

    Attributes:
        books: the companies.
        picked: company -> its linhas that the rules name.
        rules: both sides of each rule.
    """

    books: Sequence[CompanyBooks]
    picked: Mapping[str, pd.DataFrame]
    rules: Sequence[Reconciliation]

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """The companies side by side, their sum, what is taken out, and the group; one may not print every figure."""
        headers = {f"empresa_{book.empresa_id}": book.nome for book in self.books}
        headers |= {"soma": SOMA, "entre_empresas": ENTRE_EMPRESAS, "grupo": "Grupo"}
        kind = {"kind": Kind.MONEY, "dense": True, "undefined": True}
        return {key: describe_column(key, header=header, **kind) for key, header in headers.items()}

    @cached_property
    def classified(self) -> bool:
        """Whether every company has a map of the DRE (S17)."""
        return all(RECEITA_LIQUIDA in set(book.dre["codigo"]) for book in self.books)


def build_group(books: Sequence[CompanyBooks], grupo: Grupo) -> tuple[Sheet, ...]:
    """Build the sheets of the group.

    "Soma" adds what the companies' own sheets show; "Entre empresas" takes out what the rules name, on both sides;
    "Grupo" is what is left. In the cash flow what is taken out of Entradas and Saídas stands in a line of its own, so
    that balances never change. What does not agree between two companies stays visible as a difference.

    Args:
        books: at least two companies as of the same D, in the order of the settings.

    Raises:
        ValueError: when the data-bases differ.
    """
    days = {book.data_base for book in books}
    if len(days) != 1:
        raise ValueError(f"a group needs one data-base, not {sorted(days)}")
    given = GroupBooks(
        books, *select_intercompany({book.empresa_id: book.linhas for book in books}, grupo.transferencias)
    )
    return tuple(Sheet(name, title, print_sections(sections, (), given)) for name, title, sections in SHEETS)


def list_companies(group: GroupBooks) -> Columns:
    """List the companies, and how far each can be trusted."""
    rows = [
        (
            one.nome,
            one.data_base,
            one.execucao_id,
            one.trust.erros,
            one.trust.alertas,
            one.trust.rejeitados,
            describe_trust(one),
            one.empresa_id,
        )
        for one in group.books
    ]
    keys = ("empresa", "data_base", "execucao", "erros", "alertas", "ilegiveis", "situacao", "empresa_id")
    return list_columns(keys, rows)


def list_position(group: GroupBooks) -> Columns:
    """List the amounts of the first page, each as the sheet has it that says more of it."""
    month = pd.Timestamp(group.books[0].data_base).replace(day=1).date()
    result, balances = list_result(group), dict(BALANCES)
    ends = [
        place
        for place, (mes, line) in enumerate(zip(result["mes"], result["linha"], strict=True))
        if mes == month and line in _RESULTS
    ]
    rows: list[tuple[Any, ...]] = [
        (balances[name], *_take_out([int(book.saldos[f"{name}_centavos"].fillna(0).sum()) for book in group.books], 0))
        for name in ("saldo_em_d", "a_realizar_7_dias")
    ]
    for text, lado in (("Atrasado a receber", "R"), ("Atrasado a pagar", "P")):
        opened = list_open_items(lado, group)
        rows.append((text, *(opened[key][opened["faixa"].index(LATE)] for key in group.columns)))
    rows += [(f"Resultado de {month_label(month)}", *(result[key][place] for key in group.columns)) for place in ends]
    return list_columns(("posicao", *group.columns), rows)


def list_headlines(group: GroupBooks) -> Columns:
    """List when cash runs short first, by company as its own cover says it, and of all together (S26, S27)."""
    of_all = Counter[date]()
    for book in group.books:
        of_all.update({day: value for value, day in book.dias})
    common = set.intersection(*({day for _, day in book.dias} for book in group.books))
    whole = [(of_all[day], day) for day in sorted(common)]
    credit = Credit(*(sum(getattr(book.credito, name) for book in group.books) for name in ("minimo", "limite")))
    given = [*((one.nome, one.dias, one.credito, one.so_variacao) for one in group.books)]
    given.append(("Grupo", whole, credit, any(one.so_variacao for one in group.books)))
    today = group.books[0].data_base
    rows = [
        (name, PROVISIONAL_NOTE if variation or not days else word_headline(days, own, today)[0])
        for name, days, own, variation in given
    ]
    return list_columns(("empresa", "manchete"), rows)


def describe_trust(book: CompanyBooks) -> str:
    """Say how far a company's figures can be trusted (S15)."""
    return "RECONSTITUÍDO" if book.trust.word == CONFIAVEL and book.reconstituida else book.trust.scope


def list_rule_sides(group: GroupBooks) -> Columns:
    """List the rules: both sides of each, and what they differ by."""
    names, rows = {book.empresa_id: book.nome for book in group.books}, []
    for rule in group.rules:
        own, other = rule.de, rule.para
        pairs = ((own.caixa, other.caixa), (own.competencia, other.competencia), (own.aberto, other.aberto))
        head = (names[rule.regra.de], names[rule.regra.para], own.qtde, other.qtde)
        cells = (value for pair in pairs for value in (*pair, sum(pair)))
        rows.append((*head, *cells, "Não concilia" if any(map(sum, pairs)) else "Concilia"))
    return list_columns((*head_rules(group), "situacao"), rows)


def head_rules(_: GroupBooks) -> Mapping[str, Column]:
    """Head both sides of the rules, and what they differ by."""
    sides = (f"{one} {side}" for one in ("Caixa", "Competência", "Em aberto") for side in ("de", "para", "diferença"))
    columns = (
        *(Column(header, Kind.TEXT) for header in ("De", "Para")),
        *(Column(header, Kind.INTEGER) for header in ("Linhas de", "Linhas para")),
        *(Column(header, Kind.MONEY, dense=True) for header in sides),
    )
    return {column.key: column for column in columns}


def list_side_by_side(group: GroupBooks) -> Columns:
    """List the balances side by side."""
    rows = []
    for name, label in BALANCES:
        values = [int(book.saldos[f"{name}_centavos"].fillna(0).sum()) for book in group.books]
        rows.append((label, *values, sum(values)))
    return list_columns(("saldo", *head_balances(group)), rows)


def head_balances(group: GroupBooks) -> Mapping[str, Column]:
    """Head the balances; without an opening they are variations (S23)."""
    names = [f"{book.nome}{VARIATION * book.so_variacao}" for book in group.books]
    headers = (*names, f"Grupo{VARIATION * any(book.so_variacao for book in group.books)}")
    keys = (key for key in group.columns if key not in ("soma", "entre_empresas"))
    return {key: Column(header, Kind.MONEY, key=key) for key, header in zip(keys, headers, strict=True)}


def list_all_accounts(group: GroupBooks) -> Columns:
    """List the accounts of all."""
    said = ("conta", "so_variacao", "saldo_em_d_centavos", "conferencia")
    rows = [
        (book.nome, f"{conta}{VARIATION * bool(variation)}", saldo, conferencia)
        for book in group.books
        for conta, variation, saldo, conferencia in records_of(book.saldos, *said)
    ]
    return list_columns(("empresa", "conta", "saldo_em_d", "conferencia"), rows)


def _take_out(values: Sequence[int], out: int) -> tuple[int, ...]:
    """Put beside the companies their sum, what is taken out (with its sign turned) and the group."""
    return (*values, sum(values), -out, sum(values) - out)


def _read(frame: pd.DataFrame, *keys: str) -> dict[tuple[Any, ...], int | None]:
    return {tuple(key): value for *key, value in records_of(frame, *keys, "valor_centavos")}


def list_flow(group: GroupBooks) -> Columns:
    """List the cash flow by month, moment and line, of months that all companies show."""
    books = group.books
    figures = [_read(book.fluxo, "mes", "momento", "linha") for book in books]
    out = _add_maps(sum_flow(group.picked[book.empresa_id], pd.Timestamp(books[0].data_base)) for book in books)
    shown, order = [{(month, moment) for month, moment, _ in figure} for figure in figures], list(MOMENTS)
    rows: list[tuple[Any, ...]] = []
    for period in sorted(set.intersection(*shown), key=lambda period: (period[0], order.index(period[1]))):
        head = (period[0].date(), MOMENTS[period[1]])
        for code, label, _ in FLOW_ROWS:
            taken = sum(out[(*period, part)] for part in ADDED_FLOWS.get(code, (code,)))
            values = [figure.get((*period, code)) or 0 for figure in figures]
            rows.append((*head, label, *_take_out(values, taken), code))
            if code == "geracao_de_caixa":
                rows.append((*head, ENTRE_EMPRESAS, *_take_out([0] * len(books), -taken), ""))
    return list_columns(("mes", "momento", "linha", *group.columns, "codigo"), rows)


def tell_variations(group: GroupBooks) -> Iterable[str]:
    """Say whose balances are none (S23)."""
    return (f"Saldos de {book.nome} e do grupo: {PROVISIONAL_NOTE}." for book in group.books if book.so_variacao)


def list_result(group: GroupBooks) -> dict[str, list[Any]]:
    """List the DRE line by line where every company has a map, else revenue, expense and result only (S17)."""
    books, classified, picked = group.books, group.classified, group.picked
    lines = CLASSIFIED if classified else UNCLASSIFIED
    figures = [_read(book.dre if classified else book.dre_natureza, "mes", "codigo") for book in books]
    if not classified:
        figures = [_add_lines(figure) for figure in figures]
    out = _add_maps(
        sum_result(picked[book.empresa_id] if classified else _by_natureza(picked[book.empresa_id])) for book in books
    )
    # A line that a company may not print has no sum either.
    missing = {codigo for figure in figures for (_, codigo), value in figure.items() if value is None}
    rows: list[tuple[Any, ...]] = []
    for month in sorted({month for figure in figures for month, _ in figure}):
        for line in lines:
            values = [figure.get((month, line.codigo)) or 0 for figure in figures]
            cells = _take_out(values, sum(out[month, group] for group in line.grupos))
            shown = [None] * len(cells) if line.codigo in missing else cells
            rows.append((month.date(), line.texto, *shown))
    return list_columns(("mes", "linha", *group.columns), rows)


def _add_lines(figure: Mapping[tuple[Any, ...], int | None]) -> dict[tuple[Any, ...], int | None]:
    """Give the lines of a DRE without a map that add others."""
    return {
        (month, line.codigo): sum(figure.get((month, group)) or 0 for group in line.grupos)
        for month in {month for month, _ in figure}
        for line in UNCLASSIFIED
    }


def _by_natureza(picked: pd.DataFrame) -> pd.DataFrame:
    natureza = picked["natureza"].map({"R": "receitas", "D": "despesas"}).astype(object)
    return picked.assign(dre_grupo=natureza.where(picked["dre_grupo"] != FORA, FORA).where(picked["dre_grupo"].notna()))


def list_open_items(lado: str, group: GroupBooks) -> dict[str, list[Any]]:
    """List what is open on a side by band of delay, with all and all that is late."""
    frames = [book.pagar if lado == "P" else book.receber for book in group.books]
    figures = [dict(records_of(frame, "faixa", "valor_centavos")) for frame in frames]
    out = _add_maps(sum_open(group.picked[book.empresa_id], lado) for book in group.books)
    rows = []
    for text, bands in {**{band: (band,) for band in FAIXAS}, "Total": FAIXAS, LATE: FAIXAS[1:]}.items():
        values = [sum(figure.get(band, 0) for band in bands) for figure in figures]
        rows.append((text, *_take_out(values, sum(out[band] for band in bands))))
    return list_columns(("faixa", *group.columns), rows)


def _add_maps(maps: Iterable[Mapping[Key, int]]) -> Counter[Key]:
    total = Counter[Key]()
    for by_key in maps:
        total.update(by_key)
    return total


POSITION: Final[Print[GroupBooks]] = Print(
    "grupo_posicao",
    make=list_position,
    named=lambda group: group.columns,
    kinds={"posicao": Kind.TEXT},
    headers={"posicao": "Posição"},
    widths={"posicao": 30},
    title="Posição",
    notes=("Cada linha é a da planilha que diz mais: Saldos, Receber, Pagar, DRE.",),
)
HEADLINES: Final = Print(
    "grupo_manchetes",
    make=list_headlines,
    kinds={"manchete": Kind.TEXT},
    headers={"manchete": "Quando o caixa aperta"},
    widths={"empresa": 30, "manchete": 60},
    title="Caixa nos próximos dias",
    notes=("Grupo: os saldos de todas somados, dia a dia, e os limites de todas.",),
)
COMPANIES: Final = Print(
    "grupo_empresas",
    make=list_companies,
    headers={"execucao": "Execução", "ilegiveis": "Ilegíveis"},
    kinds=dict.fromkeys(("execucao", "erros", "alertas", "ilegiveis"), Kind.INTEGER),
    widths={"situacao": 26},
    title="Empresas",
    looks=look_by("empresa_id", {}, key="empresa-{}"),
    notes=("Cada número vem do armazém publicado da empresa e é o da planilha dela.",),
)
RULES: Final = Print(
    "grupo_conciliacao",
    make=list_rule_sides,
    named=head_rules,
    widths={"situacao": 18},
    title="Entre empresas: conciliação por regra",
    notes=(
        "Diferença: os dois lados somados; zero quando as empresas registram o mesmo.",
        "Caixa: realizado até a data-base. Competência: sem fora do resultado.",
        "O que não concilia sai das somas como cada empresa o registrou.",
    ),
)
SIDE_BY_SIDE: Final = Print(
    "grupo_saldos",
    make=list_side_by_side,
    named=head_balances,
    kinds={"saldo": Kind.TEXT},
    widths={"saldo": 30},
    title="Saldos lado a lado",
    notes=("Saldos indefinidos não somam. Entre empresas nada é retirado: dinheiro em caixa não se anula.",),
)
ACCOUNTS: Final = Print(
    "grupo_contas",
    make=list_all_accounts,
    headers=lambda group: {"saldo_em_d": f"Saldo em {format_date(group.books[0].data_base)}"},
    widths={"empresa": 30},
    undefined=("saldo_em_d",),
    title="Contas",
)
PAYABLE: Final[Print[GroupBooks]] = Print(
    "grupo_pagar",
    make=partial(list_open_items, "P"),
    named=lambda group: group.columns,
    widths={"faixa": 30},
    looks=look_by("faixa", {"Total": Style.TOTAL, LATE: Style.MEMO}),
    notes=(SUM_NOTE,),
)
RECEIVABLE: Final = replace(PAYABLE, name="grupo_receber", make=partial(list_open_items, "R"))
FLOW: Final = replace(
    PAYABLE,
    name="grupo_fluxo",
    make=list_flow,
    widths={"momento": 12, "linha": 28},
    hidden=("codigo",),
    looks=look_by("codigo", {**dict.fromkeys(ADDED_FLOWS, Style.SUBTOTAL), "saldo_final": Style.TOTAL}),
    notes=(
        SUM_NOTE,
        f"O que sai de Entradas e Saídas fica na linha {ENTRE_EMPRESAS}: os saldos não mudam.",
        "Só meses que todas as empresas mostram.",
        tell_variations,
    ),
)
RESULT: Final = replace(
    PAYABLE,
    name="grupo_dre",
    make=list_result,
    widths={"linha": 34},
    looks=look_by("linha", {line.texto: line.style for line in (*UNCLASSIFIED, *CLASSIFIED)}),
    notes=(SUM_NOTE, lambda group: () if group.classified else (NO_MAP_NOTE,)),
)
SHEETS: Final[Sequence[tuple[str, str, Sequence[Print[GroupBooks]]]]] = (
    (COVER_SHEET, "Posição do grupo", (POSITION, HEADLINES, COMPANIES, RULES)),
    ("Saldos", "Saldos por empresa", (SIDE_BY_SIDE, ACCOUNTS)),
    ("Fluxo mensal", "Fluxo de caixa mensal por empresa", (FLOW,)),
    ("DRE", "DRE gerencial por empresa", (RESULT,)),
    ("Pagar", "Contas a pagar por empresa", (PAYABLE,)),
    (
        "Receber",
        "Contas a receber por empresa",
        (RECEIVABLE,),
    ),
)
