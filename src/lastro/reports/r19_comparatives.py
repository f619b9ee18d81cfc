"""R19 Comparativos: better or worse than last year, and why?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import shorten
from typing import TYPE_CHECKING, Final, NamedTuple

from lastro.analysis.comparatives import (
    RESTO,
    ComparedPair,
    Driver,
    Pair,
    explain,
    find_comparisons,
    select_basis,
    sum_pairs,
    write_sentence,
)
from lastro.analysis.income_statement import MARGINS, Line, find_lines, find_sense, lay_lines
from lastro.analysis.percent_change import NOTE, CompareRule, Sense
from lastro.analysis.tree import Vector
from lastro.grid.cells import UNDEFINED, Kind, Undefined, Value
from lastro.grid.pivot import build_total, list_rows
from lastro.grid.sections import MAX_LEVEL, Row, Section, Style
from lastro.grid.tables import Column, Table
from lastro.grid.workbook import Family, Report
from lastro.money import ratio_pct, to_decimal
from lastro.reports.shared.levels import skip_levels
from lastro.reports.spec import ReportSpec
from lastro.transform.position import CLASS_KEYS, ENTRADAS, NAO_OPERACIONAL, SAIDAS

if TYPE_CHECKING:
    from lastro.reports.view import View

CASH_LINES: Final = (
    Line(ENTRADAS, "Entradas"),
    Line(SAIDAS, "Saídas"),
    Line("fluxo_operacional", "= Fluxo operacional", (ENTRADAS, SAIDAS), Style.SUBTOTAL),
    Line(NAO_OPERACIONAL, "Não operacional"),
    Line("geracao_de_caixa", "= Geração de caixa", (ENTRADAS, SAIDAS, NAO_OPERACIONAL), Style.TOTAL),
)
CASH_SENSES: Final = {SAIDAS: Sense.COST, NAO_OPERACIONAL: Sense.EITHER}
LONG_COLUMNS: Final = (
    Column("Par", Kind.TEXT, "o que se compara: mes_fechado, mes_ate_d, ano_ate_d, doze_fechados"),
    Column("Código", Kind.TEXT),
    Column("Linha", Kind.TEXT),
    Column("Nível", Kind.INTEGER),
    Column("Categoria id", Kind.INTEGER),
    Column("Atual", Kind.MONEY),
    Column("Base", Kind.MONEY),
    Column("Variação", Kind.MONEY),
    Column("Var. %", Kind.PERCENT, key="var_pct"),
    Column("Var. nota", Kind.TEXT),
)
NO_BASE: Final = "sem base"
PAIRS_EXPLAINED: Final = 2
ROWS_EXPLAINED: Final = 5
EXPLAINED: Final = ("atual", "base", "variacao", "pct_da_variacao")
"""Figures of a category that explains; the last one is a share."""
WHO_WIDTH: Final = 110
"""Letters that name persons beside it, in the columns that only the tables above use."""


def build_r19(view: View) -> Report:
    """Build R19.

    Returns:
        Sections and tables `comparativo_resultado` and `comparativo_caixa` (line or category; the sheet has four
        columns per pair, the table a row per pair), `comparativo_explicacao` (pair x the categories that explain the
        change of the result; the sheet has the first ones of two pairs) and, in SQL alone, `comparativo_pessoas` (the
        persons behind them). A pair without base is named in the notes only.
    """
    position = view.position
    basis = select_basis(position)
    comparisons, without = find_comparisons(position, basis)
    lines = find_lines(view.dre_map, basis.resultado)
    hidden = frozenset() if view.dre_map.margens else MARGINS
    notes = _notes(comparisons, without)
    pairs = [comparison.par for comparison in comparisons]
    result = _ComparedLines(view, comparisons, lines, sum_pairs(basis.resultado, pairs), hidden, cash=False)
    cash = _ComparedLines(view, comparisons, CASH_LINES, sum_pairs(basis.caixa, pairs), frozenset(), cash=True)
    drivers = [(comparison.par, explain(basis, comparison.par)) for comparison in comparisons]
    explained, people = _build_explanation(view, drivers), _build_people(view, drivers)
    of_result = result.table(
        "comparativo_resultado", "R19: linha da DRE ou categoria e par de períodos, por competência"
    )
    of_cash = cash.table("comparativo_caixa", "R19: classe de caixa ou categoria e par de períodos, caixa realizado")
    return SPEC.report(
        (
            result.section(of_result, "Resultado por competência", notes),
            cash.section(of_cash, "Caixa realizado", ()),
            _show_explanation(explained, pairs),
        ),
        (of_result, of_cash, explained, people),
    )


_LineRow = tuple[Line, str, int, int | None, Vector]


def _key_of(row: _LineRow) -> tuple[Value, ...]:
    """Return what identifies a row in the tables: line, text, level and category."""
    line, text, level, category, _ = row
    return (CLASS_KEYS.get(line.codigo, line.codigo), text, level, category)


class _ComparedLines:
    """Lines and categories against their base, as a wide section and a long table."""

    def __init__(
        self,
        view: View,
        comparisons: Sequence[ComparedPair],
        lines: Sequence[Line],
        amounts: Mapping[str, Mapping[int | None, Vector]],
        hidden: frozenset[str],
        *,
        cash: bool,
    ) -> None:
        self.comparisons = comparisons
        self.hidden = hidden
        self.cash = cash
        self.rules = [
            CompareRule(
                comparison.entradas_centavos if cash else comparison.receitas_centavos,
                completa=(comparison.caixa_incompleta if cash else comparison.incompleta) is None,
            )
            for comparison in comparisons
        ]
        laid = lay_lines(view.position.categorias, lines, amounts, 2 * len(comparisons))
        self.rows: list[_LineRow] = [
            (line, line.texto, 0, None, vector)
            if node is None
            else (line, node.label, node.nivel + 1, node.categoria_id, vector)
            for line, node, vector in laid
        ]

    def _cells(self, line: Line, level: int, vector: Vector, place: int) -> tuple[Value, ...]:
        """Return atual, base, variação, percent and note of a pair."""
        if line.codigo in self.hidden:
            return (None,) * 5
        now, then = int(vector[2 * place]), int(vector[2 * place + 1])
        sense = CASH_SENSES.get(line.codigo, Sense.GAIN) if self.cash else find_sense(line.codigo)
        change = self.rules[place].compare(now, then, sense, total=not level and bool(line.parcelas))
        return (to_decimal(now), to_decimal(then), change.variacao, change.pct, change.nota)

    def table(self, name: str, comment: str) -> Table:
        rows = tuple(
            (
                *(comparison.par.slug, *_key_of(row)),
                *self._cells(row[0], row[2], row[4], place),
            )
            for row in self.rows
            for place, comparison in enumerate(self.comparisons)
        )
        return Table(name, LONG_COLUMNS, rows, comment)

    def section(self, table: Table, title: str, notes: tuple[str, ...]) -> Section:
        """Print the pairs of each line side by side."""
        columns = [Column("Linha", Kind.TEXT, width=34)]
        for comparison in self.comparisons:
            lacking = comparison.caixa_incompleta if self.cash else comparison.incompleta
            band = f"{comparison.par.nome}{'' if lacking is None else f' · base incompleta: {lacking}'}"
            columns += [
                Column(header, kind, dense=True, group=band, key=f"{comparison.par.slug}_{key}")
                for header, key, kind in (
                    ("Atual", "atual", Kind.MONEY),
                    ("Base", "base", Kind.MONEY),
                    ("Variação", "variacao", Kind.MONEY),
                    ("Var. %", "var_pct", Kind.PERCENT),
                )
            ]
        keys = ("codigo", "linha", "nivel", "categoria_id", "par")
        cells_of = {
            row[: len(keys)]: row[len(keys) :]
            for row in list_rows(table, (*keys, "atual", "base", "variacao", "var_pct", "var_nota"))
        }
        slugs = [comparison.par.slug for comparison in self.comparisons]
        shown = [[cells_of[*_key_of(row), slug] for slug in slugs] for row in self.rows] if slugs else []
        names, levels = [row[1] for row in self.rows], [row[2] for row in self.rows]
        rows = []
        for index, level, _ in (
            skip_levels(levels, names, [tuple(map(tuple, values)) for values in shown]) if shown else ()
        ):
            line, text, *_ = self.rows[index]
            cells = [cell for figure in shown[index] for cell in _print_pair(*figure)]
            key = f"{table.name}-{line.codigo}" if level == 0 else None
            style = line.style if level == 0 else Style.NORMAL
            rows.append(Row((text, *cells), style=style, level=min(level, MAX_LEVEL), key=key))
        return Section(table.name, tuple(columns), tuple(rows), title=title, notes=notes, outline=True, open_level=0)


def _print_pair(now: Value, then: Value, change: Value, percent: Value, note: Value) -> tuple[Value, ...]:
    """Print why there is no percent in its place; a line that the map of the DRE does not allow is "—" (S17)."""
    if now is None:
        return (UNDEFINED,) * 4
    return (now, then, change, percent if note is None else Undefined(str(note)))


def _notes(comparisons: Sequence[ComparedPair], without: Sequence[Pair]) -> tuple[str, ...]:
    """Say which days are compared, what the base lacks, and how much of it stands on the first of a month."""
    notes = []
    for comparison in comparisons:
        text = f"{comparison.par.nome}: {comparison.par.texto}"
        if comparison.dia_1_pct is not None and not comparison.par.inteiros:
            text += f"; dia 1: {comparison.dia_1_pct} % do valor tem competência no primeiro dia do mês"
        notes.append(f"{text}.")
    notes += [f"{par.nome}: {NO_BASE} ({par.texto})." for par in without]
    return (*notes, NOTE)


class _Explained(NamedTuple):
    """A category that explains the change of a pair, its place among them and what they all come to without signs."""

    par: Pair
    ordem: int
    causa: Driver
    total: int

    @property
    def resto(self) -> bool:
        return self.causa.categoria_id == RESTO


def _build_explanation(view: View, drivers: Sequence[tuple[Pair, Sequence[Driver]]]) -> Table:
    labels = view.position.rotulos

    def name(row: _Explained) -> str:
        return f"Demais categorias ({row.causa.quantas})" if row.resto else labels.categoria(row.causa.categoria_id)

    def tell(row: _Explained) -> str:
        people = {share.pessoa_id for share in row.causa.pessoas}
        names = {person: "Demais pessoas" if person == RESTO else labels.pessoa(person) for person in people}
        return write_sentence(row.causa, name(row), names)

    explained = [
        _Explained(par, place, driver, sum(each.modulo for each in causes))
        for par, causes in drivers
        for place, driver in enumerate(causes, 1)
    ]
    return Table.of(
        "comparativo_explicacao",
        (
            (Column("Par", Kind.TEXT, "o que se compara, por extenso", width=30), [row.par.nome for row in explained]),
            (Column("Ordem", Kind.INTEGER), [row.ordem for row in explained]),
            (Column("Categoria", Kind.TEXT), list(map(name, explained))),
            (Column("Atual", Kind.MONEY), [to_decimal(row.causa.atual) for row in explained]),
            (Column("Base", Kind.MONEY), [to_decimal(row.causa.base) for row in explained]),
            (Column("Variação", Kind.MONEY), [to_decimal(row.causa.variacao) for row in explained]),
            (
                Column("% da variação", Kind.PERCENT, "parte da variação do resultado"),
                [ratio_pct(row.causa.variacao, row.total) for row in explained],
            ),
            (
                Column("Tipo", Kind.TEXT, "novo, encerrado, maior ou menor; nulo em Demais", width=10),
                [None if row.resto else row.causa.tipo for row in explained],
            ),
            (Column("Frase", Kind.TEXT, width=88), [None if row.resto else tell(row) for row in explained]),
            (Column("Par id", Kind.TEXT, shown=False), [row.par.slug for row in explained]),
            (Column("Categoria id", Kind.INTEGER, shown=False), [_id_of(row.causa.categoria_id) for row in explained]),
        ),
        "R19: categorias que explicam a variação do resultado de cada par; somam a variação",
    )


def _id_of(record_id: int | None) -> int | None:
    return None if record_id == RESTO else record_id


def _show_explanation(table: Table, pairs: Sequence[Pair]) -> Section:
    """Print of the first pairs the categories that explain most, and the change of the result; the rest is in SQL."""
    columns = (
        Column("Categoria", Kind.TEXT, width=34),
        *(
            replace(column, dense=column.kind is Kind.MONEY, width=None if column.kind is Kind.MONEY else 16)
            for column in table.columns
            if column.key in EXPLAINED
        ),
        Column("Quem", Kind.TEXT, width=16),
    )
    rows: list[Row] = []
    for par in pairs[:PAIRS_EXPLAINED]:
        of_pair = [
            Row((category, *figures, shorten(str(text or "").partition(": ")[2], WHO_WIDTH, placeholder=" …")), level=1)
            for slug, category, *figures, text in list_rows(table, ("par_id", "categoria", *EXPLAINED, "frase"))
            if slug == par.slug
        ]
        total = build_total(columns, of_pair, "= Resultado", Style.SUBTOTAL, only=EXPLAINED[:-1])
        rows.append(Row((par.nome, *([None] * (len(columns) - 1))), Style.SECTION))
        rows += [*of_pair[:ROWS_EXPLAINED], replace(total, key=f"r19-{par.slug}")]
    notes = (f"As {ROWS_EXPLAINED} maiores de cada par (todas: mart.comparativo_explicacao); % da soma sem sinal.",)
    return Section(table.name, columns, tuple(rows), title="Por que mudou", notes=notes)


def _build_people(view: View, drivers: Sequence[tuple[Pair, Sequence[Driver]]]) -> Table:
    labels = view.position.rotulos
    rows: list[tuple[Value, ...]] = []
    for par, causes in drivers:
        for rank, driver in enumerate(causes, 1):
            rest = driver.categoria_id == RESTO
            name = "Demais categorias" if rest else labels.categoria(driver.categoria_id)
            for place, share in enumerate(driver.pessoas, 1):
                others = share.pessoa_id == RESTO
                person = "Demais pessoas" if others else labels.pessoa(share.pessoa_id)
                rows.append(
                    (
                        *(par.nome, rank, name, place, person, to_decimal(share.centavos), par.slug),
                        _id_of(driver.categoria_id),
                        _id_of(share.pessoa_id),
                    )
                )
    columns = (
        Column("Par", Kind.TEXT, "o que se compara, por extenso"),
        Column("Ordem", Kind.INTEGER),
        Column("Categoria", Kind.TEXT),
        Column("Ordem da pessoa", Kind.INTEGER, "posição dentro da categoria, desde 1"),
        Column("Pessoa", Kind.TEXT),
        Column("Variação", Kind.MONEY),
        Column("Par id", Kind.TEXT, shown=False),
        Column("Categoria id", Kind.INTEGER, shown=False),
        Column("Pessoa id", Kind.INTEGER, shown=False),
    )
    comment = "R19: pessoas por trás de cada variação; somam a variação"
    return Table("comparativo_pessoas", columns, rows, comment)


SPEC: Final = ReportSpec(
    code="R19",
    name="comparativo",
    title="Comparativos",
    question="Melhor ou pior que no ano passado, e por quê?",
    family=Family.RESULT,
    builder=build_r19,
    keys={
        "comparativo_resultado": ("par", "codigo", "nivel", "categoria_id", "linha"),
        "comparativo_caixa": ("par", "codigo", "nivel", "categoria_id", "linha"),
        "comparativo_explicacao": ("par_id", "ordem"),
        "comparativo_pessoas": ("par_id", "ordem", "ordem_da_pessoa"),
    },
)
