"""R18 Orçado x realizado: are we within the budget, and how does the year close?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from lastro.analysis.budget import MONTHS, OK, SEM_ORCAMENTO, BudgetKey, YearBudget, classify_deviation, order_tree
from lastro.analysis.percent_change import NOT_MEANINGFUL, SMALLEST_BASE
from lastro.grid.cells import UNDEFINED, Cell, Kind, Undefined, Value
from lastro.grid.cover import Tone
from lastro.grid.pivot import build_section, list_dicts
from lastro.grid.sections import MAX_LEVEL, Row, Section, Style
from lastro.grid.tables import Column, Table
from lastro.grid.words import month_label
from lastro.grid.workbook import Family, Report
from lastro.money import ratio_pct, to_centavos, to_decimal
from lastro.reports.spec import ReportSpec

if TYPE_CHECKING:
    from lastro.reports.view import View

_PREFIX: Final = "entrada/orcamento."
"""What the names of budget files begin with."""
UNBUDGETED, OUTSIDE, REST = "Não orçadas", "Fora do resultado", "(demais)"
MONTHLY: Final = (
    Column("Categoria id", Kind.INTEGER),
    Column("Categoria", Kind.TEXT),
    Column("Orçada", Kind.BOOLEAN),
    Column("Fora do resultado", Kind.BOOLEAN),
    Column("Mês", Kind.MONTH),
    Column("Original", Kind.MONEY, "valor orçado; nulo onde o arquivo não tem linha"),
    Column("Vigente", Kind.MONEY, "o revisado onde há um, senão o original; nulo onde o arquivo não tem linha"),
    Column("Realizado", Kind.MONEY, "competência no mês e até a data-base"),
    Column("Contratado", Kind.MONEY, "competência no mês e depois da data-base, pago ou não"),
    Column("Saldo a contratar", Kind.MONEY),
    Column("Projeção", Kind.MONEY),
)
DEVIATION_WIDTH: Final = 16
"""Letters of "▼ R$ 1.234.567,89"."""
DEVIATIONS: Final = ("mes_desvio", "ate_desvio", "ano_desvio")
SUMMED: Final = (
    "mes_orcado", "mes_realizado", "mes_desvio", "ate_orcado", "ate_realizado", "ate_desvio", "ano_orcado",
    "realizado_e_contratado", "saldo_a_contratar", "projecao", "ano_desvio", "realizado", "contratado",
)  # fmt: skip


def build_r18(view: View) -> Report:
    """Build R18 of the budget in the folder of what people type; without one it is empty and stands on no sheet.

    Returns:
        Tables `orcado` (grain category that answers for amounts: budgeted itself, or with amounts and no budgeted
        category above it), `orcado_mensal` (the same by month of D's year) and `orcado_nao_lido` (amounts of the file
        that do not count). The sheet prints the first as the tree of R04: parents add up what is below them, and the
        budget that a parent has of its own stands as "(demais)".
    """
    budget = view.budget
    sums = [_sum_key(view, budget, key) for key in budget.chaves]
    columns = [(column, [row[column.key] for row in sums]) for column in _columns(budget)]
    table = Table.of("orcado", columns, "R18: uma categoria orçada, ou sem orçamento")
    monthly = Table("orcado_mensal", MONTHLY, _list_months(view, budget), "R18: categoria e mês do ano da data-base")
    refused = [each for each in view.facts.nao_lidos if each.arquivo.casefold().startswith(_PREFIX)]
    not_read = Table.of(
        "orcado_nao_lido",
        (
            (
                Column(
                    "Linha", Kind.INTEGER, "linha do arquivo, o cabeçalho é a 1; nula quando se trata do arquivo todo"
                ),
                [each.linha for each in refused],
            ),
            (Column("Texto", Kind.TEXT, "a linha como estava", width=60), [each.texto for each in refused]),
            (Column("Motivo", Kind.TEXT, "por que não conta", width=40), [each.motivo for each in refused]),
            (
                Column("Valor", Kind.MONEY, "valor como digitado; nulo onde não é um número", total=True),
                [each.valor for each in refused],
            ),
        ),
        "R18: um valor do arquivo de orçamento que não conta, ou o arquivo todo",
    )
    tables = (table, monthly, not_read)
    if not budget.existe and not refused:
        return SPEC.report((), tables)
    below = [build_section(not_read, title="Orçamento não lido", total_of=("valor",))] if refused else []
    return SPEC.report((_Sheet(view, budget, table).section(), *below), tables)


def _columns(budget: YearBudget) -> tuple[Column, ...]:
    """Name the columns after the last closed month; beyond the last budgeted month it has no budget."""
    month = month_label(budget.meses[budget.fechados - 1]) if budget.fechados else "Mês"
    budgeted = [month for key in budget.chaves for month in range(MONTHS) if key.tem_vigente[month]]
    word = "orçado" if not budget.fechados or budget.fechados - 1 <= max(budgeted, default=MONTHS) else "sem orçamento"
    until = f"Ano até {month.partition('/')[0]}"

    def money(header: str, key: str, about: str = "", *, alert: str | None = None, shown: bool = True) -> Column:
        width = None if alert is None else DEVIATION_WIDTH
        return Column(header, Kind.MONEY, about, dense=True, key=key, alert=alert, shown=shown, width=width)

    return (
        Column("Categoria", Kind.TEXT, width=34),
        money(f"{month} {word}", "mes_orcado", "orçado do último mês fechado; nulo em janeiro"),
        money("realizado", "mes_realizado", "realizado do último mês fechado; nulo em janeiro"),
        money(
            "Desvio",
            "mes_desvio",
            "realizado - orçado do último mês fechado: negativo é desfavorável; nulo em janeiro",
            alert="variacao",
        ),
        money(f"{until} orçado", "ate_orcado", "orçado do ano até o último mês fechado; nulo em janeiro"),
        money("realizado", "ate_realizado", "realizado do ano até o último mês fechado; nulo em janeiro"),
        money(
            "Desvio",
            "ate_desvio",
            "realizado - orçado do ano até o último mês fechado; nulo em janeiro",
            alert="variacao",
        ),
        Column(
            "Desvio %",
            Kind.PERCENT,
            "ate_desvio em % de |ate_orcado|; nulo onde a base é menor que R$ 100,00",
            key="desvio_pct",
        ),
        Column(
            "Situação",
            Kind.TEXT,
            "OK, Atenção, Crítico ou Não orçado; nula numa categoria mista e em janeiro",
            alert="situacao",
        ),
        money("Ano orçado", "ano_orcado", "orçado do ano inteiro"),
        money("Realizado e contratado", "realizado_e_contratado", "lançado com competência no ano inteiro"),
        money("Saldo a contratar", "saldo_a_contratar"),
        money("Projeção", "projecao"),
        money("Desvio projetado", "ano_desvio", "projecao - ano_orcado: negativo é desfavorável", alert="variacao"),
        Column("Id", Kind.INTEGER, key="categoria_id"),
        money("Realizado", "realizado", "competência no ano e até a data-base", shown=False),
        money("Contratado", "contratado", "competência no ano e depois da data-base, pago ou não", shown=False),
        Column("Orçada", Kind.BOOLEAN, shown=False),
        Column("Fora do resultado", Kind.BOOLEAN, shown=False),
    )


def _sum_key(view: View, budget: YearBudget, key: BudgetKey) -> dict[str, Value]:
    """Add up the months of a category, by key of the column; no closed month, no figure of one (R18)."""
    vigente, booked = key.vigente, int((key.realizado + key.contratado).sum())
    done, left = int(key.realizado.sum()), int(budget.to_contract(key).sum())
    year, minimum = int(vigente.sum()), to_centavos(view.position.parametros.fazer_minimo)
    month = budget.last_closed(vigente), budget.last_closed(key.realizado)
    until = budget.until_closed(vigente), budget.until_closed(key.realizado)
    word = classify_deviation(*until, minimum) if key.orcada else SEM_ORCAMENTO if abs(done) >= minimum else OK
    closed: dict[str, Value] = {
        "mes_orcado": to_decimal(month[0]),
        "mes_realizado": to_decimal(month[1]),
        "mes_desvio": to_decimal(month[1] - month[0]),
        "ate_orcado": to_decimal(until[0]),
        "ate_realizado": to_decimal(until[1]),
        "ate_desvio": to_decimal(until[1] - until[0]),
        "desvio_pct": ratio_pct(until[1] - until[0], abs(until[0])) if abs(until[0]) >= SMALLEST_BASE else None,
        "situacao": None if key.mista else word,
    }
    return {
        "categoria": view.position.rotulos.categoria_caminho(key.categoria_id),
        **(closed if budget.fechados else dict.fromkeys(closed)),
        "ano_orcado": to_decimal(year),
        "realizado_e_contratado": to_decimal(booked),
        "saldo_a_contratar": to_decimal(left),
        "projecao": to_decimal(booked + left),
        "ano_desvio": to_decimal(booked + left - year),
        "categoria_id": key.categoria_id,
        "realizado": to_decimal(done),
        "contratado": to_decimal(booked - done),
        "orcada": key.orcada,
        "fora_do_resultado": key.fora,
    }


def _list_months(view: View, budget: YearBudget) -> tuple[tuple[Value, ...], ...]:
    """List what each category has in each month; null where the file has no row."""
    rows = []
    for key in budget.chaves:
        left, closing, vigente = budget.to_contract(key), budget.project(key), key.vigente
        name = view.position.rotulos.categoria_caminho(key.categoria_id)
        for index, month in enumerate(budget.meses):
            rows.append(
                (
                    *(key.categoria_id, name, key.orcada, key.fora, month),
                    to_decimal(int(key.original[index])) if key.tem_original[index] else None,
                    to_decimal(int(vigente[index])) if key.tem_vigente[index] else None,
                    *(to_decimal(int(amounts[index])) for amounts in (key.realizado, key.contratado, left, closing)),
                )
            )
    return tuple(rows)


@dataclass(frozen=True)
class _Line:
    """A printed row before it is one: its label, its level, the rows of the table that it adds up."""

    label: str
    level: int
    keys: tuple[int, ...]
    own: bool
    style: Style = Style.NORMAL


class _Sheet:
    """The tree of the sheet over the rows of the table `orcado`."""

    def __init__(self, view: View, budget: YearBudget, table: Table) -> None:
        self.view = view
        self.budget = budget
        self.table = table
        self.shown = [column.key for column in table.columns if column.shown]
        self.rows = list_dicts(table)

    def section(self) -> Section:
        """Lay the rows out: the tree, categories without a budget, the total, categories outside the result."""
        inside = [index for index, key in enumerate(self.budget.chaves) if not key.fora]
        free = [index for index in inside if not self.budget.chaves[index].orcada]
        lines = [*self._tree([index for index in inside if self.budget.chaves[index].orcada])]
        if free:
            lines.append(_Line(UNBUDGETED, 0, tuple(free), own=False, style=Style.SECTION))
            lines += [_Line(str(self.rows[index]["categoria"]), 1, (index,), own=True) for index in free]
        if inside:
            lines.append(_Line("Total", 0, tuple(inside), own=False, style=Style.TOTAL))
        outside = [index for index, key in enumerate(self.budget.chaves) if key.fora]
        if outside:
            lines.append(_Line(f"{OUTSIDE} (memo)", 0, tuple(outside), own=False, style=Style.MEMO))
            lines += [
                _Line(str(self.rows[index]["categoria"]), 1, (index,), own=True, style=Style.MEMO) for index in outside
            ]
        notes = (
            "Desvio: realizado - orçado; negativo é desfavorável, em receitas e em despesas.",
            "Desvio %: do orçado até o último mês fechado; «n/s» abaixo de R$ 100,00.",
            "Saldo a contratar: o que falta do orçado do mês em curso e dos seguintes; o de meses fechados não conta.",
            "Projeção: realizado + contratado + saldo a contratar.",
        )
        return Section(
            "orcado",
            tuple(column for column in self.table.columns if column.shown),
            tuple(self._row(line) for line in lines),
            title="Orçado x realizado",
            notes=notes,
            outline=True,
            empty=f"O orçamento não tem linhas de {self.budget.ano.year}",
        )

    def _tree(self, indexes: Sequence[int]) -> Iterator[_Line]:
        """List the budgeted categories below their parents; one with budgeted categories below it has "(demais)"."""
        frame = self.view.position.categorias
        above: Mapping[int, Sequence[int]] = dict(zip(frame["categoria_id"], frame["ancestrais"], strict=True))
        own = {self.budget.chaves[index].categoria_id or 0: index for index in indexes}
        below: dict[int, list[int]] = {}
        for key, index in own.items():
            for step in (*above[key], key):
                below.setdefault(int(step), []).append(index)
        labels = self.view.position.rotulos
        for key in (step for step in order_tree(frame) if step in below):
            level, place = len(above[key]), own.get(key)
            leaf = below[key] == [place]
            label = labels.categoria(key)
            yield _Line(label, level, tuple(below[key]), own=leaf, style=Style.NORMAL if level else Style.SECTION)
            if place is not None and not leaf:
                yield _Line(REST, level + 1, (place,), own=True)

    def _row(self, line: _Line) -> Row:
        """Print a row of the table, or the sum of some; a sum has no verdict."""
        rows = [self.rows[index] for index in line.keys]
        key = f"orcado_{rows[0]['categoria_id'] or 'sem'}{'_fora' if rows[0]['fora_do_resultado'] else ''}"
        cells: list[Value | Cell] = [Cell(line.label, Kind.TEXT)]
        for column in self.shown[1:]:
            value = rows[0][column] if line.own else self._add(rows, column)
            if column in DEVIATIONS and value is not None:
                mixed = line.own and self.budget.chaves[line.keys[0]].mista
                cells.append(Cell(value, Kind.MONEY, tone=_tone(value, mixed=mixed)))
            else:
                cells.append(self._blank(column, line) if value is None else value)
        return Row(tuple(cells), line.style, min(line.level, MAX_LEVEL), key if line.own else None)

    def _add(self, rows: Sequence[Mapping[str, Value]], column: str) -> Value:
        """Add a column up; the percent of a sum is that of its amounts."""
        if column in SUMMED:
            values = [row[column] for row in rows]
            return None if None in values else sum(values)  # type: ignore[arg-type]
        if column == "desvio_pct" and self.budget.fechados:
            base, change = (sum(_centavos(row[name]) for row in rows) for name in ("ate_orcado", "ate_desvio"))
            return ratio_pct(change, abs(base)) if abs(base) >= SMALLEST_BASE else None
        return None

    def _blank(self, column: str, line: _Line) -> Value:
        """Say why there is no figure."""
        if column == "desvio_pct" and self.budget.fechados:
            return Undefined(NOT_MEANINGFUL)
        if column == "situacao":
            return UNDEFINED if line.own else None
        return UNDEFINED if column in SUMMED or column == "desvio_pct" else None


def _centavos(value: Value) -> int:
    return to_centavos(value) if isinstance(value, Decimal) else 0


def _tone(value: Value, *, mixed: bool) -> Tone:
    if not value or mixed:
        return ""
    return "bom" if value > 0 else "ruim"  # type: ignore[operator]


SPEC: Final = ReportSpec(
    code="R18",
    name="orcado",
    title="Orçado x realizado",
    question="Estamos dentro do orçamento, e como o ano fecha?",
    family=Family.RESULT,
    builder=build_r18,
    keys={
        "orcado": ("categoria_id", "fora_do_resultado"),
        "orcado_mensal": ("categoria_id", "fora_do_resultado", "mes"),
    },
)
