"""The group view: the companies of one settings file side by side, summed, and without what they book together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeVar

import pandas as pd

from lastro.analysis.cash_series import PROVISIONAL_NOTE
from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import CLASSIFIED, RECEITA_LIQUIDA, UNCLASSIFIED, Line
from lastro.analysis.monthly_flow import LINES as FLOW_ROWS
from lastro.grid.cells import UNDEFINED, Kind, Value, decimal_or_undefined
from lastro.grid.cover import COVER_SHEET
from lastro.grid.sections import Row, Section, Style
from lastro.grid.tables import Column, describe_column
from lastro.grid.words import format_date
from lastro.grid.workbook import CONFIAVEL, Sheet, say_trust
from lastro.group.company_books import BALANCES, CompanyBooks
from lastro.group.intercompany import Reconciliation, select_intercompany, sum_flow, sum_open, sum_result
from lastro.money import to_decimal
from lastro.settings import Grupo
from lastro.transform.categories import FORA
from lastro.transform.position import FAIXAS

Key = TypeVar("Key", bound=Hashable)
SOMA, ENTRE_EMPRESAS = "Soma", "Entre empresas"
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
SECTIONS: Final = {"Fluxo mensal": "fluxo"}
"""What a section is called after, where not after its sheet."""
VARIATION: Final = f" ({PROVISIONAL_NOTE})"
"""Printed after the name of an account without an opening balance (S23)."""
NO_MAP_NOTE: Final = "Nem todas as empresas têm dre_mapa: só receitas, despesas e resultado (`lastro mapa`)."


def build_group(books: Sequence[CompanyBooks], grupo: Grupo) -> tuple[Sheet, ...]:
    """Build the sheets of the group.

    "Soma" adds what the companies' own sheets show; "Entre empresas" takes out what the rules name, on both sides;
    "Grupo" is what is left. In the cash flow what is taken out of Entradas and Saídas stands in a line of its own, so
    that balances never change. What does not agree between two companies stays visible as a difference.

    Args:
        books: at least two companies as of the same D, in the order of the settings.
        grupo: the settings of the group.

    Raises:
        ValueError: when the data-bases differ.
    """
    days = {book.data_base for book in books}
    if len(days) != 1:
        raise ValueError(f"a group needs one data-base, not {sorted(days)}")
    picked, rules = select_intercompany({book.empresa_id: book.linhas for book in books}, grupo.transferencias)
    return (
        _summary(books, rules),
        _balances(books),
        _flow(books, picked),
        _result(books, picked),
        _open_items(books, picked, "Pagar", "P"),
        _open_items(books, picked, "Receber", "R"),
    )


def _summary(books: Sequence[CompanyBooks], rules: Sequence[Reconciliation]) -> Sheet:
    counts = (Column(header, Kind.INTEGER) for header in ("Execução", "Erros", "Alertas", "Ilegíveis"))
    columns = (_text("Empresa"), describe_column("data_base"), *counts, _text("Situação", 26))
    rows = []
    for book in books:
        own = (book.nome, book.data_base, book.execucao_id, book.erros, book.alertas, book.rejeitados)
        rows.append(Row((*own, describe_trust(book)), key=f"empresa-{book.empresa_id}"))
    notes = ("Cada número vem do armazém publicado da empresa e é o da planilha dela.",)
    companies = Section("grupo_empresas", columns, rows, title="Empresas", notes=notes)
    return Sheet(COVER_SHEET, "Posição do grupo", (companies, _reconciliation(books, rules)))


def _text(header: str, width: int | None = None) -> Column:
    return Column(header, Kind.TEXT, width=width)


def describe_trust(book: CompanyBooks) -> str:
    """Say how far a company's figures can be trusted (S15)."""
    rated = say_trust(book.erros, book.rejeitados)
    return "RECONSTITUÍDO" if rated == CONFIAVEL and book.reconstituida else rated


def _reconciliation(books: Sequence[CompanyBooks], rules: Sequence[Reconciliation]) -> Section:
    names, sides = {book.empresa_id: book.nome for book in books}, ("de", "para", "diferença")
    amounts = (f"{measure} {side}" for measure in ("Caixa", "Competência", "Em aberto") for side in sides)
    counts = (Column(header, Kind.INTEGER) for header in ("Linhas de", "Linhas para"))
    columns = (_text("De"), _text("Para"), *counts, *_list_amounts(amounts), _text("Situação", 18))
    rows = []
    for rule in rules:
        own, other = rule.de, rule.para
        pairs = ((own.caixa, other.caixa), (own.competencia, other.competencia), (own.aberto, other.aberto))
        cells = (to_decimal(value) for pair in pairs for value in (*pair, sum(pair)))
        head = (names[rule.regra.de], names[rule.regra.para], own.qtde, other.qtde)
        rows.append(Row((*head, *cells, "Não concilia" if any(map(sum, pairs)) else "Concilia")))
    notes = (
        "Diferença: os dois lados somados; zero quando as empresas registram o mesmo.",
        "Caixa: realizado até a data-base. Competência: sem fora do resultado.",
        "O que não concilia sai das somas como cada empresa o registrou.",
    )
    title = "Entre empresas: conciliação por regra"
    return Section("grupo_conciliacao", columns, tuple(rows), title=title, notes=notes)


def _balances(books: Sequence[CompanyBooks]) -> Sheet:
    rows = []
    for name, label in BALANCES:
        values = [int(book.saldos[f"{name}_centavos"].fillna(0).sum()) for book in books]
        rows.append(Row((label, *map(to_decimal, (*values, sum(values))))))
    names = [f"{book.nome}{VARIATION * book.so_variacao}" for book in books]
    headers = (*names, f"Grupo{VARIATION * any(book.so_variacao for book in books)}")
    balances = Section(
        "grupo_saldos",
        (_text("Saldo", 30), *_list_amounts(headers, dense=False)),
        tuple(rows),
        title="Saldos lado a lado",
        notes=("Saldos indefinidos não somam. Entre empresas nada é retirado: dinheiro em caixa não se anula.",),
    )
    today = Column(f"Saldo em {format_date(books[0].data_base)}", Kind.MONEY)
    said = ("conta", "so_variacao", "saldo_em_d_centavos", "conferencia")
    accounts = [
        Row((book.nome, f"{conta}{VARIATION * bool(variation)}", decimal_or_undefined(saldo), conferencia))
        for book in books
        for conta, variation, saldo, conferencia in records_of(book.saldos, *said)
    ]
    columns = (_text("Empresa", 30), _text("Conta"), today, _text("Conferência"))
    return Sheet("Saldos", "Saldos por empresa", (balances, Section("grupo_contas", columns, accounts, title="Contas")))


def _list_amounts(headers: Iterable[str], *, dense: bool = True) -> Iterator[Column]:
    return (Column(header, Kind.MONEY, dense=dense) for header in headers)


def _lay(
    books: Sequence[CompanyBooks], name: str, title: str, labels: Sequence[Column], rows: Sequence[Row], *notes: str
) -> Sheet:
    """Lay a sheet of one table out: labels, the companies side by side, their sum, and the group."""
    columns = (*labels, *_list_amounts((*(book.nome for book in books), SOMA, ENTRE_EMPRESAS, "Grupo")))
    section = Section(f"grupo_{SECTIONS.get(name, name.lower())}", columns, tuple(rows), notes=(SUM_NOTE, *notes))
    return Sheet(name, f"{title} por empresa", (section,))


def _money_cells(values: Sequence[int], out: int) -> tuple[Decimal, ...]:
    """Write the companies, their sum, what is taken out (with its sign turned) and the group."""
    return tuple(map(to_decimal, (*values, sum(values), -out, sum(values) - out)))


def _read(frame: pd.DataFrame, *keys: str) -> dict[tuple[Any, ...], int | None]:
    return {tuple(key): value for *key, value in records_of(frame, *keys, "valor_centavos")}


def _flow(books: Sequence[CompanyBooks], picked: Mapping[str, pd.DataFrame]) -> Sheet:
    figures = [_read(book.fluxo, "mes", "momento", "linha") for book in books]
    out = _add_maps(sum_flow(picked[book.empresa_id], pd.Timestamp(books[0].data_base)) for book in books)
    shown, order = [{(month, moment) for month, moment, _ in figure} for figure in figures], list(MOMENTS)
    rows = []
    for period in sorted(set.intersection(*shown), key=lambda period: (period[0], order.index(period[1]))):
        head = (period[0].date(), MOMENTS[period[1]])
        for code, label, _ in FLOW_ROWS:
            taken = sum(out[(*period, part)] for part in ADDED_FLOWS.get(code, (code,)))
            cells = _money_cells([figure.get((*period, code)) or 0 for figure in figures], taken)
            style = Style.TOTAL if code == "saldo_final" else Style.SUBTOTAL if code in ADDED_FLOWS else Style.NORMAL
            rows.append(Row((*head, label, *cells), style=style))
            if code == "geracao_de_caixa":
                rows.append(Row((*head, ENTRE_EMPRESAS, *_money_cells([0] * len(books), -taken))))
    labels = (describe_column("mes"), _text("Momento", 12), _text("Linha", 28))
    notes = (
        f"O que sai de Entradas e Saídas fica na linha {ENTRE_EMPRESAS}: os saldos não mudam.",
        "Só meses que todas as empresas mostram.",
        *(f"Saldos de {book.nome} e do grupo: {PROVISIONAL_NOTE}." for book in books if book.so_variacao),
    )
    return _lay(books, "Fluxo mensal", "Fluxo de caixa mensal", labels, rows, *notes)


def _result(books: Sequence[CompanyBooks], picked: Mapping[str, pd.DataFrame]) -> Sheet:
    """Lay the DRE out line by line where every company has a map, else revenue, expense and result only (S17)."""
    classified = all(RECEITA_LIQUIDA in set(book.dre["codigo"]) for book in books)
    lines: tuple[Line, ...] = CLASSIFIED if classified else UNCLASSIFIED
    figures = [_read(book.dre if classified else book.dre_natureza, "mes", "codigo") for book in books]
    if not classified:
        figures = [_add_lines(figure) for figure in figures]
    out = _add_maps(
        sum_result(picked[book.empresa_id] if classified else _by_natureza(picked[book.empresa_id])) for book in books
    )
    # A line that a company may not print has no sum either.
    missing = {codigo for figure in figures for (_, codigo), value in figure.items() if value is None}
    rows = []
    for month in sorted({month for figure in figures for month, _ in figure}):
        for line in lines:
            cells: tuple[Value, ...] = (UNDEFINED,) * (len(books) + 3)
            if line.codigo not in missing:
                values = [figure.get((month, line.codigo)) or 0 for figure in figures]
                cells = _money_cells(values, sum(out[month, group] for group in line.grupos))
            rows.append(Row((month.date(), line.texto, *cells), style=line.style))
    labels = (describe_column("mes"), _text("Linha", 34))
    return _lay(books, "DRE", "DRE gerencial", labels, rows, *(() if classified else (NO_MAP_NOTE,)))


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


def _open_items(books: Sequence[CompanyBooks], picked: Mapping[str, pd.DataFrame], sheet: str, lado: str) -> Sheet:
    frames = [book.pagar if lado == "P" else book.receber for book in books]
    figures = [dict(records_of(frame, "faixa", "valor_centavos")) for frame in frames]
    out = _add_maps(sum_open(picked[book.empresa_id], lado) for book in books)

    def add(text: str, bands: Sequence[str], style: Style = Style.NORMAL) -> Row:
        values = [sum(figure.get(band, 0) for band in bands) for figure in figures]
        return Row((text, *_money_cells(values, sum(out[band] for band in bands))), style=style)

    rows = [add(band, (band,)) for band in FAIXAS]
    rows += [add("Total", FAIXAS, Style.TOTAL), add("Atrasado", FAIXAS[1:], Style.MEMO)]
    return _lay(books, sheet, f"Contas a {sheet.lower()}", (_text("Faixa", 30),), rows)


def _add_maps(maps: Iterable[Mapping[Key, int]]) -> Counter[Key]:
    total = Counter[Key]()
    for by_key in maps:
        total.update(by_key)
    return total
