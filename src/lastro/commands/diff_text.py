"""What `lastro diff` prints: a page that a controller reads, 100 columns wide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lastro.analysis.income_statement import GROUP_LABELS
from lastro.grid.words import count_text, format_date, month_label
from lastro.money import format_amount, format_brl
from lastro.terminal import output, print_table
from lastro.warehouse.publication.two_runs import CATEGORIA, DATAS, LABELS, MONEY_UNIT, RESULTADO, VALOR

if TYPE_CHECKING:
    from lastro.warehouse.publication.run_sources import RunInCopy
    from lastro.warehouse.publication.two_reports import CellPair, TablePair
    from lastro.warehouse.publication.two_runs import Differences, Edit, Entry, Indicator, Month

MOST_ROWS: Final = 20
"""Rows of a list; `--tudo` has all."""
_NAME: Final = 22
"""Characters of a name among others."""
_Item = TypeVar("_Item")
Line = tuple[str, ...]


def print_differences(differences: Differences, *, limited: bool) -> None:
    """Print what differs: indicators, entries, months of the DRE, and the reports where they were compared.

    Args:
        differences: what differs.
        limited: whether a list ends after `MOST_ROWS` rows.
    """
    records, most = differences.registros, MOST_ROWS if limited else None
    _say(f"\n  A  {_name_run(differences.a)}\n  B  {_name_run(differences.b)}")
    if records.parametros:
        _say(f"\n  Parâmetros que não são os mesmos: {', '.join(records.parametros)}")
    for execucao_id in records.sem_indicadores:
        _say(f"\n  Indicadores não comparados: da execução {execucao_id} não há nenhum guardado.")
    if differences.is_equal:
        what = "nada difere" if differences.whole else "nenhum indicador, lançamento ou mês da DRE difere"
        _say(f"\n  Iguais: {what}.")
    elif not differences.differ:
        _say("\n  Não deu para comparar: sem indicadores não se sabe se os saldos são os mesmos. O resto não difere.")
    # As many as the cover has at most: they are the summary.
    _print_list("Indicadores", _INDICATORS, {1, 2, 3}, _write_kpi, records.indicadores, None)
    for title, entries in (
        ("Lançamentos novos, só em B", records.novas),
        ("Lançamentos que sumiram, só em A", records.sumidas),
    ):
        total = sum((each.valor for each in entries), Decimal("0.00"))
        _print_list(f"{title} ({format_brl(total)})", _ENTRIES, {0, 2}, _write_entry, entries, most)
    _print_edits(records.mudancas, most)
    _print_months(records.dre, most)
    if differences.relatorios is not None:
        _print_tables(differences.relatorios, limited=limited)
    for execucao_id in differences.sem_relatorios:
        _say(
            f"\n  Relatórios não comparados: os da execução {execucao_id} não estão mais guardados;\n"
            "  só a cópia de cada execução (publicado/) tem os seus."
        )


def _say(text: str) -> None:
    output.print(text)


def _name_run(run: RunInCopy) -> str:
    return f"execução {run.execucao_id} ({run.tipo}) · data-base {format_date(run.data_base)}\n     {run.arquivo}"


def _print_list(
    title: str,
    header: Line,
    right: set[int],
    write: Callable[[_Item], Line],
    items: Sequence[_Item],
    most: int | None,
) -> None:
    """Print a list under its title and header, of a long one the first rows; of an empty one nothing."""
    if not items:
        return
    _say(f"\n  {title}: {len(items)}")
    print_table([header, *map(write, items[:most])], right)
    _say_more(len(items) - len(items[:most]))


def _say_more(count: int) -> None:
    if count:
        _say(f"  … e mais {count} (--tudo)")


_INDICATORS: Final = ("Indicador", "A", "B", "B - A")


def _write_kpi(each: Indicator) -> Line:
    change = None if each.a is None or each.b is None else each.b - each.a
    return (cut(each.indicador, 40), *(_write_figure(value, each.unidade) for value in (each.a, each.b, change)))


def _write_figure(value: Decimal | None, unit: str) -> str:
    if value is None:
        return "–"
    if unit == MONEY_UNIT:
        return format_brl(value)
    text = format_amount(value).removesuffix(",00")
    return f"{text} {unit}" if unit in ("%", "dias", "meses") else text


_ENTRIES: Final = ("Id", "Vencimento", "Valor", "Descrição")


def _write_entry(each: Entry) -> Line:
    return (name_entry(each), _write(each.data_vencimento), format_brl(each.valor), _describe(each, 34))


def name_entry(each: Entry) -> str:
    """Name an entry by its id; an item of a composite also by that of its título: "1008 de 1007"."""
    own = str(each.linha_id)
    return own if each.titulo_id == each.linha_id else f"{own} de {each.titulo_id}"


def _print_edits(edits: Sequence[Edit], most: int | None) -> None:
    """Print what changed in entries that both have: amounts, dates, category, and whatever else was compared."""
    known = (VALOR, *DATAS, CATEGORIA)
    values, days, categories = (
        [each for each in edits if each.campo in fields] for fields in ((VALOR,), DATAS, (CATEGORIA,))
    )
    others = [each for each in edits if each.campo not in known]
    change = "de lançamentos que mudaram"
    amounts = ("Id", "A", "B", "B - A", "Descrição")
    _print_list("Lançamentos que mudaram de valor", amounts, {0, 1, 2, 3}, _write_value, values, most)
    dated = ("Id", "Campo", "A", "B", "Valor", "Descrição")
    _print_list(f"Datas {change}", dated, {0, 4}, _write_day, days, most)
    _print_list(
        f"Categorias {change}", ("Id", "A", "B", "Valor", "Descrição"), {0, 3}, _write_category, categories, most
    )
    _print_list(f"Outros campos {change}", ("Id", "Campo", "A", "B", "Valor"), {0, 4}, _write_field, others, most)


def _write_value(each: Edit) -> Line:
    return (name_entry(each.linha), *map(format_brl, (each.a, each.b, each.b - each.a)), _describe(each.linha, 24))


def _write_day(each: Edit) -> Line:
    entry, days = each.linha, (_write(each.a), _write(each.b))
    return (name_entry(entry), LABELS[each.campo], *days, format_brl(entry.valor), _describe(entry, 28))


def _write_category(each: Edit) -> Line:
    return (name_entry(each.linha), *_write_names(each), format_brl(each.linha.valor), _describe(each.linha, 18))


def _write_field(each: Edit) -> Line:
    entry = each.linha
    return (name_entry(entry), cut(LABELS[each.campo], 18), *_write_names(each), format_brl(entry.valor))


def _write_names(each: Edit) -> Line:
    return tuple(cut(_write(value), _NAME) for value in (each.a, each.b))


def _describe(entry: Entry, width: int) -> str:
    return cut(entry.descricao or "–", width)


def _print_months(months: Sequence[Month], most: int | None) -> None:
    """Print the months of the DRE in order, of many those that changed most."""
    order = {code: place for place, code in enumerate((*GROUP_LABELS, RESULTADO))}
    kept = sorted(months, key=lambda each: -abs(each.b - each.a))[:most]
    kept.sort(key=lambda each: (each.mes, order.get(each.codigo, len(order))))
    if kept:
        _say(
            f"\n  Meses da DRE: {len(months)}"
            + (f", as {len(kept)} maiores mudanças" if len(kept) < len(months) else "")
        )
        print_table([("Mês", "Linha", "A", "B", "B - A"), *map(_write_month, kept)], {2, 3, 4})
        _say_more(len(months) - len(kept))


def _write_month(each: Month) -> Line:
    label = GROUP_LABELS.get(each.codigo, "Resultado").lstrip("0123456789 ")
    return (month_label(each.mes), cut(label, 30), *map(format_brl, (each.a, each.b, each.b - each.a)))


def _print_tables(tables: Sequence[TablePair], *, limited: bool) -> None:
    """Print the reports that differ, a table a line; where lists are whole also their cells, table after table."""
    if not tables:
        return
    _say(f"\n  Relatórios: {count_text(len(tables), 'tabela difere', 'tabelas diferem')}")
    rows = [
        (each.tabela, str(each.so_em_a), str(each.so_em_b), str(len(each.celulas)), _name_columns(each))
        for each in tables
    ]
    print_table([("Tabela", "Só em A", "Só em B", "Células", "Colunas"), *rows], {1, 2, 3})
    if limited:
        _say("  … célula a célula: --tudo")
        return
    for each in tables:
        _print_list(each.tabela, ("Linha", "Coluna", "A", "B"), {2, 3}, _write_cell, each.celulas, None)


def _write_cell(each: CellPair) -> Line:
    return (cut(each.linha, 26), cut(each.coluna, 28), *(cut(_write(value), 19) for value in (each.a, each.b)))


def _name_columns(each: TablePair) -> str:
    counts = Counter(cell.coluna for cell in each.celulas)
    return cut(", ".join(f"{name} {count}" for name, count in counts.most_common()) or "–", 38)


def _write(value: Any) -> str:
    if value is None or value == []:
        return "–"
    if isinstance(value, bool):
        return "sim" if value else "não"
    if isinstance(value, Decimal):
        return format_amount(value)
    if isinstance(value, date):
        return format_date(value)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def cut(text: str, width: int) -> str:
    """Write a text on one line, of a long one the beginning."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
