"""R15 Qualidade dos dados: what the rules found, whether the checks hold, and formulas that re-add the sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lastro.reports.view import View

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np

from lastro.calendar import month_start
from lastro.grid.cells import Cell, Formula, Kind, Link, Value
from lastro.grid.pivot import build_section, list_rows
from lastro.grid.sections import MOST_SHOWN, Row, Section, Style, say_more
from lastro.grid.tables import Column, Table
from lastro.grid.verdict import ALERTA, ERRO, Finding, Verification, state_word
from lastro.grid.workbook import Family, Report
from lastro.reports.shared.drill_down import Entries
from lastro.reports.shared.printed_sums import PrintedSum, list_sums
from lastro.reports.spec import Phase, ReportSpec

LINKED: Final = frozenset({"linha", "titulo", "grupo", "pessoa", "categoria"})
"""Kinds of records that have rows in Lançamentos."""
ITEM_COLUMNS = (
    Column("Regra", Kind.TEXT, width=44),
    Column("Registro", Kind.TEXT, width=18),
    Column("Id", Kind.INTEGER),
    Column("Pessoa", Kind.TEXT),
    Column("Dia", Kind.DATE),
    Column("Valor", Kind.MONEY, total=True),
    Column("Texto", Kind.TEXT),
)
SIDES_NOTE: Final = "Entra e Sai somam os valores positivos e os negativos dos registros, pagos ou não."
REJECTED_COLUMNS = (
    Column("Lista", Kind.TEXT, width=44),
    Column("Origem", Kind.TEXT, "o endereço pedido ao serviço, sem o token", width=34),
    Column("Página", Kind.INTEGER, "página da listagem, desde 1"),
    Column("Posição", Kind.INTEGER, "posição na página, desde 0"),
    Column("Motivo", Kind.TEXT, "por que não se leu", width=45),
)
SCHEMA_COLUMNS = (
    Column("Lista", Kind.TEXT, width=44),
    Column("Campo", Kind.TEXT, "o campo da resposta do serviço", width=34),
    Column("Situação", Kind.TEXT, "campo novo ou ausente", width=18),
    Column("Registros", Kind.INTEGER),
)


def build_r15(view: View) -> Report:
    """Build the sheet Qualidade from what was found about the sheets built so far.

    Live formulas add the cells of these sheets again (R15): a formula may only name sheets of its own workbook.

    Returns:
        Sections and tables `achados` findings, `achados_itens` the records behind those that are more than information
        (the table, `view.itens`, has all; none before the findings are known), `verificacoes` checks, `falhas` those
        that failed (a section alone), `conferencias` live formulas, `rejeitados` rejected records and `esquema` schema
        changes (when there are any); the tables of the last two are always there.
    """
    facts = view.facts
    findings, checks = _build_findings(view.findings), _build_checks(view.verifications)
    sums = list_sums(view.reports, month_start(view.position.data_base))
    formulas = _build_formulas(sums)
    rejected = Table("rejeitados", REJECTED_COLUMNS, facts.rejeitados, "R15: um registro que não pôde ser lido (S13)")
    comment = "R15: um campo novo ou ausente nas respostas do serviço (S13)"
    schema = Table("esquema", SCHEMA_COLUMNS, facts.esquema, comment)
    optional = (
        _show_formulas(formulas, sums),
        build_section(rejected, title="Registros que não pudemos ler"),
        build_section(schema, title="Campos novos ou ausentes na API"),
    )
    return SPEC.report(
        sections=(
            _show_findings(findings, view.findings, view.entries),
            _show_checks(checks, view.verifications),
            *_show_failed(checks, view.verifications),
            *(section for section in optional if section.rows),
            *_show_items(view),
        ),
        tables=(findings, *([view.itens] if view.itens is not None else ()), checks, formulas, rejected, schema),
    )


def _build_findings(findings: Sequence[Finding]) -> Table:
    return Table.of(
        "achados",
        (
            (Column("Regra", Kind.TEXT, width=44), list(map(_name_finding, findings))),
            (
                Column("Gravidade", Kind.TEXT, "Erro, Alerta ou Informação", width=18),
                [state_word(finding.gravidade) for finding in findings],
            ),
            (Column("Qtde", Kind.INTEGER), [finding.qtde for finding in findings]),
            (
                Column(
                    "Entra",
                    Kind.MONEY,
                    "soma dos registros de valor positivo, pagos ou não; nulo onde valor não tem lado",
                ),
                [finding.lados[0].valor if finding.lados else None for finding in findings],
            ),
            (
                Column(
                    "Sai",
                    Kind.MONEY,
                    "soma dos de valor negativo, pagos ou não, positiva; nulo onde valor não tem lado",
                ),
                [finding.lados[1].valor if finding.lados else None for finding in findings],
            ),
            (
                Column("Exemplos", Kind.TEXT, "até dez registros", width=34),
                [", ".join(str(key) for key in finding.exemplos) for finding in findings],
            ),
            (
                Column("Por que importa", Kind.TEXT, "o que se perde se ficar", width=45),
                [finding.por_que for finding in findings],
            ),
            (
                Column("Como corrigir", Kind.TEXT, "onde e como corrigir no serviço", width=45),
                [finding.como_corrigir for finding in findings],
            ),
        ),
        "R15: o que cada regra de qualidade encontrou",
    )


def _name_finding(finding: Finding) -> str:
    return f"{finding.regra} {finding.titulo}" if finding.regra.startswith("Q") else f"Memo: {finding.titulo.lower()}"


def _show_findings(table: Table, findings: Sequence[Finding], entries: Entries) -> Section:
    """Print the findings; the examples of a rule lead to the row of the first one in Lançamentos."""
    place = table.place("exemplos")
    rows = tuple(
        Row(
            (*cells[:place], _link_examples(finding, str(cells[place]), entries), *cells[place + 1 :]),
            style=Style.NORMAL if finding.regra.startswith("Q") else Style.MEMO,
            key=f"regra-{finding.regra}",
        )
        for cells, finding in zip(table.rows, findings, strict=True)
    )
    return Section(table.name, table.columns, rows, title="O que merece correção", notes=(SIDES_NOTE,))


def _link_examples(finding: Finding, text: str, entries: Entries) -> Link | str:
    if not text or finding.tipo not in LINKED:
        return text
    return entries.link_example(f"{finding.tipo}_id", finding.exemplos[0], text) or text


def _show_items(view: View) -> Iterator[Section]:
    """List every record behind an error or an alert, by rule and id, each leading to its row in Lançamentos."""
    names = {finding.regra: finding.titulo for finding in view.findings if finding.gravidade in {ERRO, ALERTA}}
    if view.itens is None:
        return
    regra = view.itens.data["regra"].cells()
    of_rule: dict[Value, list[int]] = {}
    for place, rule in enumerate(regra):
        if rule in names:
            of_rule.setdefault(rule, []).append(place)
    places = sorted(place for own in of_rule.values() for place in own[:MOST_SHOWN])
    more = tuple(
        f"{rule}: {text}" for rule, own in of_rule.items() for text in say_more(len(own), f"mart.{view.itens.name}")
    )
    shown = view.itens.take(np.array(places, dtype="int64"))
    keys = ("regra", "tipo", "id", "pessoa_id", "dia", "valor", "texto")
    rows = tuple(
        Row(
            (
                f"{regra} {names[str(regra)]}",
                {"titulo": "título", "cobranca": "cobrança"}.get(str(tipo), tipo),
                _link_record(view.entries, str(tipo), record_id) or record_id,
                None if pessoa_id is None else view.position.rotulos.pessoa(pessoa_id),
                *rest,
            )
        )
        for regra, tipo, record_id, pessoa_id, *rest in list_rows(shown, keys)
    )
    if rows:
        yield Section(
            view.itens.name, ITEM_COLUMNS, rows, title="Os registros de cada erro e alerta", detail=True, notes=more
        )


def _link_record(entries: Entries, tipo: str, record_id: Any) -> Link | None:
    if tipo in {"linha", "titulo"}:
        return entries.link_linha(record_id) if tipo == "linha" else entries.link_titulo(record_id)
    return entries.link_example(f"{tipo}_id", record_id, record_id) if tipo in LINKED else None


def _build_checks(verifications: Sequence[Verification]) -> Table:
    """Keep the checks for SQL, where what was expected and found is text: amounts with a point, as SQL casts them."""
    return Table.of(
        "verificacoes",
        (
            (
                Column("Verificação", Kind.TEXT, "a verificação, com seu número", width=44),
                [f"{check.id} {check.descricao}" for check in verifications],
            ),
            (
                Column("Severidade", Kind.TEXT, "Erro ou Alerta", width=18),
                [state_word(check.severidade) for check in verifications],
            ),
            (
                Column("Situação", Kind.TEXT, "OK, Falhou ou Não se aplica", width=18),
                [state_word(check.situacao) for check in verifications],
            ),
            (
                Column("Esperado", Kind.TEXT, "o valor esperado, como texto", width=18),
                [_write_value(check.esperado) for check in verifications],
            ),
            (
                Column("Encontrado", Kind.TEXT, "o valor encontrado, como texto", width=34),
                [_write_value(check.encontrado) for check in verifications],
            ),
            (Column("Diferença", Kind.MONEY), [check.diferenca for check in verifications]),
            (Column("Registros", Kind.INTEGER), [check.registros for check in verifications]),
            (
                Column("Chaves", Kind.TEXT, "até dez registros que causam a diferença", width=45),
                ["; ".join(check.chaves) for check in verifications],
            ),
            (Column("Detalhe", Kind.TEXT, "o que foi comparado", width=45), [check.detalhe for check in verifications]),
        ),
        "R15: resultado de cada verificação V",
    )


def _write_value(value: Decimal | int | str | None) -> str:
    return "" if value is None else str(value)


def _show_checks(table: Table, verifications: Sequence[Verification]) -> Section:
    """Print the checks; an amount or a count that was expected or found is printed as one."""
    first = table.place("esperado")
    rows = tuple(
        Row(
            (
                *cells[:first],
                _type_value(cells[first], check.esperado),
                _type_value(cells[first + 1], check.encontrado),
                *cells[first + 2 :],
            ),
            key=f"verificacao-{check.id}",
        )
        for cells, check in zip(table.rows, verifications, strict=True)
    )
    return Section(table.name, table.columns, rows, title="Verificações (tolerância 0,00)")


def _show_failed(table: Table, verifications: Sequence[Verification]) -> Iterator[Section]:
    """Print those of the checks that failed, where the findings stand: all of them are on a sheet that nobody opens."""
    rows = tuple(
        row for row, check in zip(_show_checks(table, verifications).rows, verifications, strict=True) if check.failed
    )
    if rows:
        yield Section("falhas", table.columns, rows, title=f"Verificações que falharam ({len(rows)})")


def _type_value(text: Value, like: Decimal | int | str | None) -> Value | Cell:
    """Print the text of an amount as an amount and that of a count as a count, in a column that may also hold words."""
    if isinstance(like, Decimal):
        return Cell(Decimal(str(text)), Kind.MONEY)
    return Cell(int(str(text)), Kind.INTEGER) if isinstance(like, int) else text


def _build_formulas(sums: Sequence[PrintedSum]) -> Table:
    return Table.of(
        "conferencias",
        (
            (Column("Conferência", Kind.TEXT, "o que se confere", width=44), [compared.label for compared in sums]),
            (Column("Na execução", Kind.MONEY, "a soma como calculada"), [compared.expected for compared in sums]),
            (
                Column("Na planilha", Kind.MONEY, "a soma relida do arquivo escrito"),
                [compared.printed for compared in sums],
            ),
            (Column("Diferença", Kind.MONEY), [compared.printed - compared.expected for compared in sums]),
        ),
        "R15: somas das planilhas, como calculadas e como escritas",
    )


def _show_formulas(table: Table, sums: Sequence[PrintedSum]) -> Section:
    """Print what was computed, what the sheet adds up to now, and the difference; the last two are formulas."""
    rows = []
    for (label, expected, printed, difference), compared in zip(table.rows, sums, strict=True):
        own = f"{{conferencias:na_planilha@conf-{compared.key}}}-{{conferencias:na_execucao@conf-{compared.key}}}"
        printed_sum, apart = (
            Formula(text, Decimal(str(cell))) for text, cell in ((compared.formula, printed), (own, difference))
        )
        rows.append(Row((label, expected, printed_sum, apart), key=f"conf-{compared.key}"))
    notes = ("As duas últimas colunas são fórmulas: uma célula alterada depois aparece como diferença.",)
    return Section(table.name, table.columns, tuple(rows), title="Somas refeitas pela planilha", notes=notes)


SPEC: Final = ReportSpec(
    code="R15",
    name="qualidade",
    title="Qualidade dos dados",
    question="O que está errado nos dados, e os números fecham?",
    family=Family.RECORDS,
    builder=build_r15,
    phase=Phase.VERDICT,
)
