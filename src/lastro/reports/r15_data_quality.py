"""R15 Qualidade dos dados: what the rules found, whether the checks hold, and formulas that re-add the sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lastro.reports.view import View

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from lastro.analysis.drill_down import Entries
from lastro.calendar import month_start
from lastro.grid.cells import Cell, Formula, Kind, Link, Value
from lastro.grid.coded import count_ordinary, share_cells
from lastro.grid.model import Column, Family, Period, Printing, Report, Row, Section, Style, Table, table_of
from lastro.grid.verdict import OK, Finding, Verification
from lastro.reports.spec import ReportSpec, Stage

ZERO: Final = Decimal("0.00")
EXAMPLES: Final[Mapping[str, str | None]] = {
    **dict.fromkeys(("Q03", "Q04", "Q07", "Q13", "Q16"), "titulo_id"),
    "Q12": "grupo_id",
    "Q17": "pessoa_id",
    "Q18": "grupo_id",
    "Q20": "categoria_id",
    "Q21": "categoria_id",
    "Q33": "titulo_id",
    "Q31": None,
    "Q34": None,
    "Q39": None,
    "Q11": None,
    "Q35": None,
}
"""What the ids of a rule name, where they are not linhas; None: nothing that has a row in Lançamentos."""
MAX_TERMS: Final = 60
"""A formula with more single cells than this would be unreadable; it is left out."""


FINDING_COLUMNS = (
    Column("Regra", Kind.TEXT, width=44),
    Column("Gravidade", Kind.TEXT, width=18),
    Column("Qtde", Kind.INTEGER),
    Column("Valor", Kind.MONEY),
    Column("Exemplos", Kind.TEXT, width=34),
    Column("Por que importa", Kind.TEXT, width=45),
    Column("Como corrigir", Kind.TEXT, width=45),
)
CHECK_COLUMNS = (
    Column("Verificação", Kind.TEXT, width=44),
    Column("Severidade", Kind.TEXT, width=18),
    Column("Situação", Kind.TEXT, width=18),
    Column("Esperado", Kind.TEXT, width=18),
    Column("Encontrado", Kind.TEXT, width=34),
    Column("Diferença", Kind.MONEY),
    Column("Registros", Kind.INTEGER),
    Column("Chaves", Kind.TEXT, width=45),
    Column("Detalhe", Kind.TEXT, width=45),
)
REJECTED_COLUMNS = (
    Column("Lista", Kind.TEXT, width=44),
    Column("Origem", Kind.TEXT, width=34),
    Column("Página", Kind.INTEGER),
    Column("Posição", Kind.INTEGER),
    Column("Motivo", Kind.TEXT, width=45),
)
SCHEMA_COLUMNS = (
    Column("Lista", Kind.TEXT, width=44),
    Column("Campo", Kind.TEXT, width=34),
    Column("Situação", Kind.TEXT, width=18),
    Column("Registros", Kind.INTEGER),
)
FORMULA_COLUMNS = (
    Column("Conferência", Kind.TEXT, width=44),
    Column("Na execução", Kind.MONEY),
    Column("Na planilha", Kind.MONEY),
    Column("Diferença", Kind.MONEY),
)


def build_r15(view: View) -> Report:
    """Build the sheet Qualidade from what was found about the sheets built so far.

    Live formulas add the cells of these sheets again (R15): a formula may only name sheets of its own workbook.

    Returns:
        Sections and tables `achados` findings, `verificacoes` checks, `conferencias` live formulas, `rejeitados`
        rejected records and `esquema` schema changes (when there are any); the tables of the last two are always there.
    """
    rejeitados, esquema = view.facts.rejeitados, view.facts.esquema
    found = _finding_section(view.findings, view.entries)
    checks = _check_section(view.verifications)
    formulas = _formula_section(view.reports, month_start(view.position.data_base))
    rejected = Section(
        "rejeitados",
        REJECTED_COLUMNS,
        tuple(Row(tuple(row)) for row in rejeitados),
        title="Registros que não pudemos ler",
    )
    schema = Section(
        "esquema", SCHEMA_COLUMNS, tuple(Row(tuple(row)) for row in esquema), title="Campos novos ou ausentes na API"
    )
    optional = (formulas, rejected, schema)
    return SPEC.report(
        sections=(found, checks, *(section for section in optional if section.rows)),
        tables=(
            table_of(found, "R15: o que cada regra de qualidade encontrou", skip=()),
            _check_table(checks),
            table_of(formulas, "R15: somas das planilhas, como calculadas e como escritas"),
            table_of(rejected, "R15: um registro que não pôde ser lido (S13)"),
            table_of(schema, "R15: um campo novo ou ausente nas respostas do serviço (S13)"),
        ),
    )


def _finding_section(findings: Sequence[Finding], entries: Entries) -> Section:
    rows = []
    for finding in findings:
        memo = not finding.regra.startswith("Q")
        label = f"Memo: {finding.titulo.lower()}" if memo else f"{finding.regra} {finding.titulo}"
        cells: tuple[Value, ...] = (
            label,
            state_word(finding.gravidade),
            finding.qtde,
            finding.valor,
            _link_examples(finding, entries),
            finding.por_que,
            finding.como_corrigir,
        )
        rows.append(Row(cells, style=Style.MEMO if memo else Style.NORMAL, key=f"regra-{finding.regra}"))
    return Section("achados", FINDING_COLUMNS, tuple(rows), title="O que merece correção")


def _link_examples(finding: Finding, entries: Entries) -> Link | str:
    """Write the examples of a rule; they lead to the row of the first one in Lançamentos."""
    text = ", ".join(str(key) for key in finding.exemplos)
    column = EXAMPLES.get(finding.regra, "linha_id")
    if not text or column is None:
        return text
    return entries.link_example(column, finding.exemplos[0], text) or text


def _check_section(verifications: Sequence[Verification]) -> Section:
    rows = tuple(
        Row(
            (
                f"{check.id} {check.descricao}",
                state_word(check.severidade),
                state_word(check.situacao),
                _type_value(check.esperado),
                _type_value(check.encontrado),
                check.diferenca,
                check.registros,
                "; ".join(check.chaves),
                check.detalhe,
            ),
            key=f"verificacao-{check.id}",
        )
        for check in verifications
    )
    return Section("verificacoes", CHECK_COLUMNS, rows, title="Verificações (tolerância 0,00)")


def state_word(word: str) -> str:
    """Write a severity or a result as every sheet does; `ops.verificacoes` and Dagster have the bare words.

    >>> state_word("ok"), state_word("não se aplica"), state_word("alerta")
    ('OK', 'Não se aplica', 'Alerta')
    """
    return word.upper() if word == OK else word[:1].upper() + word[1:]


def _type_value(value: Decimal | int | str | None) -> Value | Cell:
    """Keep an amount an amount and a count a count in a column that may also hold words."""
    if isinstance(value, Decimal):
        return Cell(value, Kind.MONEY)
    return Cell(value, Kind.INTEGER) if isinstance(value, int) else value or ""


def _check_table(section: Section) -> Table:
    """Keep the checks for SQL, where what was expected and found is text: amounts with a point, as SQL casts them."""
    first, last = section.place("esperado"), section.place("encontrado") + 1
    rows = tuple(
        (*cells[:first], *(str(value) for value in cells[first:last]), *cells[last:])
        for cells in table_of(section, "").rows
    )
    return Table(
        section.name, section.columns, rows, "R15: resultado de cada verificação (V01 a V21, V27, V32, V34 a V37)"
    )


def _formula_section(planilhas: Sequence[Report], month: date) -> Section:
    """Re-add the sheets with formulas: what was computed, what the sheet adds up to now, and the difference."""
    sections = {section.name: section for report in planilhas for section in report.sections}
    tables = {table.name: table for report in planilhas for table in report.tables}
    rows = []
    for key, label, expected, formula in (
        *_column_sums(sections, tables),
        *_account_sum(sections),
        *_statement_sums(sections, month),
    ):
        own = f"{{conferencias:na_planilha@conf-{key}}}-{{conferencias:na_execucao@conf-{key}}}"
        found = formula.cached if isinstance(formula.cached, Decimal) else ZERO
        rows.append(Row((label, expected, formula, Formula(own, found - expected)), key=f"conf-{key}"))
    return Section(
        "conferencias",
        FORMULA_COLUMNS,
        tuple(rows),
        title="Somas refeitas pela planilha",
        notes=("As duas últimas colunas são fórmulas: uma célula alterada depois aparece como diferença.",),
    )


def _column_sums(sections: dict[str, Section], tables: dict[str, Table]) -> list[tuple[str, str, Decimal, Formula]]:
    """Sums of whole columns: detail sheets and summaries; the computed side comes from the tables."""
    found = []
    for names, table, column, label in (
        (
            sorted(name for name in sections if name.startswith("lancamentos")),
            "lancamentos",
            "valor",
            "Lançamentos: soma de Valor",
        ),
        (["a_pagar"], "a_pagar", "valor", "Pagar: soma dos títulos"),
        (["a_pagar_faixas"], "a_pagar", "valor", "Pagar: soma das faixas"),
        (["a_receber"], "a_receber", "valor", "Receber: soma dos títulos"),
        (["a_receber_faixas"], "a_receber", "valor", "Receber: soma das faixas"),
        (["inadimplencia"], "inadimplencia", "vencido", "Inadimplência: soma de Vencido"),
        (["cobrancas_detalhe"], "cobrancas_detalhe", "valor", "Cobranças: soma de Valor"),
        (["pessoas"], "pessoas", "posicao_liquida", "Pessoas: soma da posição líquida"),
    ):
        if not names or any(name not in sections for name in names) or table not in tables:
            continue
        place = tables[table].place(column)
        expected = _add_up(count_ordinary(tables[table], place))
        parts = [sections[name] for name in names]
        printed = expected
        if not share_cells(parts, tables[table]):
            printed = _add_up(pair for part in parts for pair in count_ordinary(part, part.place(column)))
        text = "+".join(f"SUM({{{name}:{column}}})" for name in names)
        found.append((names[0], label, expected, Formula(text, printed)))
    return found


def _account_sum(sections: dict[str, Section]) -> list[tuple[str, str, Decimal, Formula]]:
    """Sum of the accounts' balances at D against the total that Saldos prints."""
    section = sections.get("saldos_por_conta")
    if section is None:
        return []
    place = section.place("saldo_em_d")
    rows = [row for row in section.rows if row.style is Style.NORMAL and row.key is not None]
    total = [row.cells[place] for row in section.rows if row.style is Style.TOTAL]
    if not rows or len(rows) > MAX_TERMS or not total:
        return []
    text = "+".join(f"N({{saldos_por_conta:saldo_em_d@{row.key}}})" for row in rows)
    label = f"Saldos: {section.columns[place].header}"
    return [("saldos_por_conta", label, _add(total), Formula(text, _add(row.cells[place] for row in rows)))]


def _statement_sums(sections: dict[str, Section], month: date) -> list[tuple[str, str, Decimal, Formula]]:
    """Statements whose last line is the sum of others: Fluxo mensal, DRE and Ponte."""
    found = []
    last = _find_month(sections.get("ponte"), month)
    for name, column, parts, result, label in (
        (
            "fluxo_mensal",
            "total",
            ("saldo_inicial", "saldos_implantados", "entradas", "saidas", "nao_operacional", "transferencias"),
            "saldo_final",
            "Fluxo mensal: saldo inicial + movimentos = saldo final",
        ),
        (
            "dre",
            "acumulado_no_ano",
            ("dre-12", "dre-13"),
            "dre-14",
            "DRE: resultado líquido do ano",
        ),
        (
            "ponte",
            "" if last is None else last.key,
            tuple(f"ponte-{letter}" for letter in "abcdefghijk"),
            "ponte-l",
            f"Ponte: geração de caixa de {'' if last is None else last.label}",
        ),
    ):
        section = sections.get(name)
        if section is None or not column:
            continue
        place = section.place(column)
        cells = {row.key: row.cells[place] for row in section.rows if row.key}
        if result not in cells or any(part not in cells for part in parts):
            continue
        text = "+".join(f"{{{name}:{column}@{part}}}" for part in parts)
        found.append((name, label, _add([cells[result]]), Formula(text, _add(cells[part] for part in parts))))
    return found


def _find_month(section: Section | None, month: date) -> Period | None:
    """Return what the column of D's month stands for: one of the future would compare nothing with nothing."""
    periods = [column.period for column in section.columns if column.period is not None] if section else []
    return next((period for period in periods if period.month == month), None)


def _add(cells: Iterable[Value | Cell]) -> Decimal:
    return _add_up((cell, 1) for cell in cells)


def _add_up(counted: Iterable[tuple[Value | Cell, int]]) -> Decimal:
    """Add the amounts among some cells, each with how often it comes."""
    total = ZERO
    for cell, times in counted:
        value = cell.value if isinstance(cell, Cell) else cell
        total += value * times if isinstance(value, Decimal) else ZERO
    return total


SPEC: Final = ReportSpec(
    code="R15",
    name="qualidade",
    sheet="Qualidade",
    title="Qualidade dos dados",
    question="O que está errado nos dados, e os números fecham?",
    family=Family.RECORDS,
    build=build_r15,
    printing=Printing.NONE,
    stage=Stage.VERDICT,
)
