"""The group view: the companies of one settings file side by side, summed, and without what they book together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final, TypeVar

import pandas as pd

from lastro.analysis.cash_series import PROVISIONAL_NOTE
from lastro.analysis.frames import records_of
from lastro.analysis.income_statement import CLASSIFIED, RECEITA_LIQUIDA, UNCLASSIFIED, Line
from lastro.grid.cells import UNDEFINED, Kind, Value, decimal_or_undefined
from lastro.grid.cover import COVER_SHEET
from lastro.grid.sections import Row, Section, Style, join_columns
from lastro.grid.tables import Column
from lastro.grid.words import format_date
from lastro.grid.workbook import CONFIAVEL, Sheet, say_trust
from lastro.group.company_books import BALANCES, CompanyBooks
from lastro.group.intercompany import Reconciliation, select_intercompany, sum_flow, sum_open, sum_result
from lastro.money import to_decimal
from lastro.reports.r04_monthly_flow import LINES as FLOW_ROWS
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
    columns, rows = join_columns(
        (
            (Column("Empresa", Kind.TEXT), [book.nome for book in books]),
            (Column("Data-base", Kind.DATE), [book.data_base for book in books]),
            (Column("Execução", Kind.INTEGER), [book.execucao_id for book in books]),
            (Column("Erros", Kind.INTEGER), [book.erros for book in books]),
            (Column("Alertas", Kind.INTEGER), [book.alertas for book in books]),
            (Column("Ilegíveis", Kind.INTEGER), [book.rejeitados for book in books]),
            (Column("Situação", Kind.TEXT, width=26), [describe_trust(book) for book in books]),
        )
    )
    companies = Section(
        "grupo_empresas",
        columns,
        [replace(row, key=f"empresa-{book.empresa_id}") for row, book in zip(rows, books, strict=True)],
        title="Empresas",
        notes=("Cada número vem do armazém publicado da empresa e é o da planilha dela.",),
    )
    return Sheet(
        COVER_SHEET,
        "Posição do grupo",
        (companies, _reconciliation(books, rules)),
    )


def describe_trust(book: CompanyBooks) -> str:
    """Say how far a company's figures can be trusted (S15)."""
    rated = say_trust(book.erros, book.rejeitados)
    return "RECONSTITUÍDO" if rated == CONFIAVEL and book.reconstituida else rated


def _reconciliation(books: Sequence[CompanyBooks], rules: Sequence[Reconciliation]) -> Section:
    names = {book.empresa_id: book.nome for book in books}
    measures = ("Caixa", "Competência", "Em aberto")
    columns = (
        Column("De", Kind.TEXT),
        Column("Para", Kind.TEXT),
        Column("Linhas de", Kind.INTEGER),
        Column("Linhas para", Kind.INTEGER),
        *(
            Column(f"{measure} {side}", Kind.MONEY, dense=True)
            for measure in measures
            for side in ("de", "para", "diferença")
        ),
        Column("Situação", Kind.TEXT, width=18),
    )
    rows = []
    for rule in rules:
        pairs = (
            (rule.de.caixa, rule.para.caixa),
            (rule.de.competencia, rule.para.competencia),
            (rule.de.aberto, rule.para.aberto),
        )
        rows.append(
            Row(
                (
                    names[rule.regra.de],
                    names[rule.regra.para],
                    rule.de.qtde,
                    rule.para.qtde,
                    *(to_decimal(value) for own, other in pairs for value in (own, other, own + other)),
                    "Não concilia" if any(own + other for own, other in pairs) else "Concilia",
                )
            )
        )
    notes = (
        "Diferença: os dois lados somados; zero quando as empresas registram o mesmo.",
        "Caixa: realizado até a data-base. Competência: sem fora do resultado.",
        "O que não concilia sai das somas como cada empresa o registrou.",
    )
    title = "Entre empresas: conciliação por regra"
    return Section("grupo_conciliacao", columns, tuple(rows), title=title, notes=notes)


def _balances(books: Sequence[CompanyBooks]) -> Sheet:
    columns = (
        Column("Saldo", Kind.TEXT, width=30),
        *(Column(f"{book.nome}{VARIATION * book.so_variacao}", Kind.MONEY) for book in books),
        Column(f"Grupo{VARIATION * any(book.so_variacao for book in books)}", Kind.MONEY),
    )
    rows = []
    for name, label in BALANCES:
        values = [int(book.saldos[f"{name}_centavos"].fillna(0).sum()) for book in books]
        rows.append(Row((label, *map(to_decimal, values), to_decimal(sum(values)))))
    accounts = []
    for book in books:
        for conta, variation, saldo, conferencia in records_of(
            book.saldos, "conta", "so_variacao", "saldo_em_d_centavos", "conferencia"
        ):
            label = f"{conta}{VARIATION * bool(variation)}"
            accounts.append(Row((book.nome, label, decimal_or_undefined(saldo), conferencia)))
    return Sheet(
        "Saldos",
        "Saldos por empresa",
        (
            Section(
                "grupo_saldos",
                columns,
                tuple(rows),
                title="Saldos lado a lado",
                notes=(
                    "Saldos indefinidos não somam. Entre empresas nada é retirado: dinheiro em caixa não se anula.",
                ),
            ),
            Section(
                "grupo_contas",
                (
                    Column("Empresa", Kind.TEXT, width=30),
                    Column("Conta", Kind.TEXT),
                    Column(f"Saldo em {format_date(books[0].data_base)}", Kind.MONEY),
                    Column("Conferência", Kind.TEXT),
                ),
                tuple(accounts),
                title="Contas",
            ),
        ),
    )


def _money_columns(books: Sequence[CompanyBooks]) -> tuple[Column, ...]:
    return (
        *(Column(book.nome, Kind.MONEY, dense=True) for book in books),
        *(Column(header, Kind.MONEY, dense=True) for header in (SOMA, ENTRE_EMPRESAS, "Grupo")),
    )


def _money_cells(values: Sequence[int], out: int) -> tuple[Decimal, ...]:
    """Write the companies, their sum, what is taken out (with its sign turned) and the group."""
    return tuple(map(to_decimal, (*values, sum(values), -out, sum(values) - out)))


def _flow(books: Sequence[CompanyBooks], picked: Mapping[str, pd.DataFrame]) -> Sheet:
    figures = [
        {
            (mes, momento, linha): valor
            for mes, momento, linha, valor in records_of(book.fluxo, "mes", "momento", "linha", "valor_centavos")
        }
        for book in books
    ]
    day = pd.Timestamp(books[0].data_base)
    out = _add_maps(sum_flow(picked[book.empresa_id], day) for book in books)
    order = list(MOMENTS)
    shown = [{(month, moment) for month, moment, _ in figure} for figure in figures]
    periods = sorted(set.intersection(*shown), key=lambda period: (period[0], order.index(period[1])))
    rows = []
    for month, moment in periods:

        def taken(code: str, month: pd.Timestamp = month, moment: str = moment) -> int:
            return sum(out.get((month, moment, part), 0) for part in ADDED_FLOWS.get(code, (code,)))

        for code, label, _ in FLOW_ROWS:
            values = [figure.get((month, moment, code), 0) for figure in figures]
            cells = _money_cells(values, taken(code))
            style = Style.TOTAL if code == "saldo_final" else Style.SUBTOTAL if code in ADDED_FLOWS else Style.NORMAL
            rows.append(Row((month.date(), MOMENTS[moment], label, *cells), style=style))
            if code == "geracao_de_caixa":
                moved = _money_cells([0] * len(books), -taken(code))
                rows.append(Row((month.date(), MOMENTS[moment], ENTRE_EMPRESAS, *moved)))
    columns = (
        Column("Mês", Kind.MONTH),
        Column("Momento", Kind.TEXT, width=12),
        Column("Linha", Kind.TEXT, width=28),
        *_money_columns(books),
    )
    notes = (
        SUM_NOTE,
        f"O que sai de Entradas e Saídas fica na linha {ENTRE_EMPRESAS}: os saldos não mudam.",
        "Só meses que todas as empresas mostram.",
        *(f"Saldos de {book.nome} e do grupo: {PROVISIONAL_NOTE}." for book in books if book.so_variacao),
    )
    return Sheet(
        "Fluxo mensal",
        "Fluxo de caixa mensal por empresa",
        (Section("grupo_fluxo", columns, tuple(rows), notes=notes),),
    )


def _result(books: Sequence[CompanyBooks], picked: Mapping[str, pd.DataFrame]) -> Sheet:
    """Lay the DRE out line by line where every company has a map, else revenue, expense and result only (S17)."""
    classified = all(RECEITA_LIQUIDA in set(book.dre["codigo"]) for book in books)
    if classified:
        lines: tuple[Line, ...] = CLASSIFIED
        figures = [_read_lines(book.dre) for book in books]
        out = _add_maps(sum_result(picked[book.empresa_id]) for book in books)
    else:
        lines = UNCLASSIFIED
        figures = [_add_lines(_read_lines(book.dre_natureza)) for book in books]
        out = _add_maps(sum_result(_by_natureza(picked[book.empresa_id]), "codigo") for book in books)
    # A line that a company may not print has no sum either.
    missing = {codigo for figure in figures for (_, codigo), value in figure.items() if value is None}
    months = sorted({month for figure in figures for month, _ in figure})
    rows = []
    for month in months:
        for line in lines:
            if line.codigo in missing:
                cells: tuple[Value, ...] = (UNDEFINED,) * (len(books) + 3)
            else:
                values = [figure.get((month, line.codigo)) or 0 for figure in figures]
                cells = tuple(_money_cells(values, sum(out.get((month, group), 0) for group in line.grupos)))
            rows.append(Row((month.date(), line.texto, *cells), style=line.style))
    columns = (Column("Mês", Kind.MONTH), Column("Linha", Kind.TEXT, width=34), *_money_columns(books))
    notes = (SUM_NOTE, *(() if classified else (NO_MAP_NOTE,)))
    return Sheet(
        "DRE",
        "DRE gerencial por empresa",
        (Section("grupo_dre", columns, tuple(rows), notes=notes),),
    )


def _read_lines(frame: pd.DataFrame) -> dict[tuple[pd.Timestamp, str], int | None]:
    return {(mes, codigo): valor for mes, codigo, valor in records_of(frame, "mes", "codigo", "valor_centavos")}


def _add_lines(figure: Mapping[tuple[pd.Timestamp, str], int | None]) -> dict[tuple[pd.Timestamp, str], int | None]:
    """Give the lines of a DRE without a map that add others."""
    return {
        (month, line.codigo): sum(figure.get((month, group)) or 0 for group in line.grupos)
        for month in {month for month, _ in figure}
        for line in UNCLASSIFIED
    }


def _by_natureza(picked: pd.DataFrame) -> pd.DataFrame:
    natureza = picked["natureza"].map({"R": "receitas", "D": "despesas"}).astype(object)
    return picked.assign(codigo=natureza.where(picked["dre_grupo"] != FORA, FORA).where(picked["dre_grupo"].notna()))


def _open_items(books: Sequence[CompanyBooks], picked: Mapping[str, pd.DataFrame], sheet: str, lado: str) -> Sheet:
    frames = [book.pagar if lado == "P" else book.receber for book in books]
    figures = [dict(records_of(frame, "faixa", "valor_centavos")) for frame in frames]
    out = _add_maps(sum_open(picked[book.empresa_id], lado) for book in books)
    rows = [
        Row((faixa, *_money_cells([figure.get(faixa, 0) for figure in figures], out.get(faixa, 0)))) for faixa in FAIXAS
    ]
    total = _money_cells([sum(figure.values()) for figure in figures], sum(out.values()))
    rows.append(Row(("Total", *total), style=Style.TOTAL))
    late = [sum(value for faixa, value in figure.items() if faixa != FAIXAS[0]) for figure in figures]
    taken = sum(value for faixa, value in out.items() if faixa != FAIXAS[0])
    rows.append(Row(("Atrasado", *_money_cells(late, taken)), style=Style.MEMO))
    columns = (Column("Faixa", Kind.TEXT, width=30), *_money_columns(books))
    section = Section(f"grupo_{sheet.lower()}", columns, tuple(rows), notes=(SUM_NOTE,))
    return Sheet(sheet, f"Contas a {sheet.lower()} por empresa", (section,))


def _add_maps(maps: Iterable[Mapping[Key, int]]) -> dict[Key, int]:
    total: dict[Key, int] = {}
    for by_key in maps:
        for key, value in by_key.items():
            total[key] = total.get(key, 0) + value
    return total
