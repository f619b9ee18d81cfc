"""What `lastro diff` prints: a page that a controller reads, 100 columns wide, under the headers of the sheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from lastro.analysis.changes import FIELDS
from lastro.analysis.income_statement import GROUP_LABELS
from lastro.grid.words import count_text, format_date, month_label, write_value
from lastro.money import format_amount, format_brl
from lastro.schema.dictionary import read_dictionary
from lastro.terminal import output, print_table
from lastro.warehouse.publication.two_runs import MONEY_UNIT, RESULTADO

if TYPE_CHECKING:
    from lastro.warehouse.publication.run_sources import RunInCopy
    from lastro.warehouse.publication.two_runs import Differences, Rows

MOST_ROWS: Final = 20
"""Rows of a list; `--tudo` has all."""
WIDTH: Final = 100
_SHORTEST: Final = 8
"""Characters that a text keeps."""
INDICATORS: Final = ("indicador", "a", "b", "b_a")
ENTRIES: Final = ("linha_id", "data_vencimento", "valor", "descricao")
AMOUNTS: Final = ("linha_id", "a", "b", "b_a", "descricao")
EDITS: Final = ("linha_id", "a", "b", "valor", "descricao")
MONTHS: Final = ("mes", "linha", "a", "b", "b_a")
REPORTS: Final = ("tabela", "so_em_a", "so_em_b", "celulas", "colunas")
CELLS: Final = ("linha", "coluna", "a", "b")
_HEADERS: Final = {"b_a": "B - A", "so_em_a": "Só em A", "so_em_b": "Só em B", "celulas": "Células"}


def print_differences(differences: Differences, *, limited: bool) -> None:
    """Print what differs: indicators, entries, months of the DRE, and the reports where they were compared.

    Args:
        differences: what differs.
        limited: whether a list ends after `MOST_ROWS` rows.
    """
    found, most = differences.found, MOST_ROWS if limited else None
    output.print(f"\n  A  {_name_run(differences.a)}\n  B  {_name_run(differences.b)}")
    if found["parametros"]:
        output.print(f"\n  Parâmetros que não são os mesmos: {', '.join(found['parametros'])}")
    for execucao_id in found["sem_indicadores"]:
        output.print(f"\n  Indicadores não comparados: da execução {execucao_id} não há nenhum guardado.")
    if differences.is_equal:
        what = "nada difere" if differences.whole else "nenhum indicador, lançamento ou mês da DRE difere"
        output.print(f"\n  Iguais: {what}.")
    elif not differences.differ:
        output.print(
            "\n  Não deu para comparar: sem indicadores não se sabe se os saldos são os mesmos. O resto não difere."
        )
    # As many as the cover has at most: they are the summary.
    _print_list("Indicadores", INDICATORS, [_write_kpi(each) for each in found["indicadores"]], None)
    for title, name in (("novos, só em B", "novas"), ("que sumiram, só em A", "sumidas")):
        total = sum((each["valor"] for each in found[name]), Decimal("0.00"))
        rows = [{**each, **_name_entry(each)} for each in found[name]]
        _print_list(f"Lançamentos {title} ({format_brl(total)})", ENTRIES, rows, most)
    for field, edits in groupby(found["mudancas"], lambda each: str(each["campo"])):
        rows = [_subtract({**each["linha"], **each, **_name_entry(each["linha"])}) for each in edits]
        _print_list(
            f"{FIELDS[field][1]} de lançamentos que mudaram", AMOUNTS if field == "valor" else EDITS, rows, most
        )
    _print_months(found["dre"], most)
    if found["relatorios"]:
        _print_reports(found["relatorios"], limited=limited)
    for execucao_id in found["sem_relatorios"]:
        output.print(
            f"\n  Relatórios não comparados: os da execução {execucao_id} não estão mais guardados;\n"
            "  só a cópia de cada execução (publicado/) tem os seus."
        )


def _name_run(run: RunInCopy) -> str:
    return f"execução {run.execucao_id} ({run.tipo}) · data-base {format_date(run.data_base)}\n     {run.arquivo}"


def _name_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Name an entry by its id; an item of a composite also by that of its título: "1008 de 1007"."""
    own, titulo = entry["linha_id"], entry["titulo_id"]
    return {"linha_id": str(own) if own == titulo else f"{own} de {titulo}"}


def _subtract(each: Mapping[str, Any]) -> dict[str, Any]:
    """Say beside two amounts what the second has more."""
    both = isinstance(each["a"], Decimal) and isinstance(each["b"], Decimal)
    return {**each, "b_a": each["b"] - each["a"] if both else None}


def _write_kpi(each: Mapping[str, Any]) -> dict[str, Any]:
    """Write the figures of an indicator in its unit."""
    figures, unit = _subtract(each), each["unidade"]
    if unit != MONEY_UNIT:
        for key in ("a", "b", "b_a"):
            if figures[key] is not None:
                text = format_amount(figures[key]).removesuffix(",00")
                figures[key] = f"{text} {unit}" if unit in ("%", "dias", "meses") else text
    return figures


def _print_list(
    title: str, keys: Sequence[str], rows: Rows, most: int | None, write: Callable[[Any], str] = write_value
) -> None:
    """Print a list under its title, of a long one the first rows; of an empty one nothing."""
    if rows:
        output.print(f"\n  {title}: {len(rows)}")
        print_rows(keys, rows[:most], write)
        _say_more(len(rows), most)


def _say_more(count: int, most: int | None) -> None:
    if most is not None and count > most:
        output.print(f"  … e mais {count - most} (--tudo)")


def _print_months(months: Rows, most: int | None) -> None:
    """Print the months of the DRE in order, of many those that changed most."""
    order = {code: place for place, code in enumerate((*GROUP_LABELS, RESULTADO))}
    kept = sorted(months, key=lambda each: -abs(each["b"] - each["a"]))[:most]
    kept.sort(key=lambda each: (each["mes"], order.get(each["codigo"], len(order))))
    if not kept:
        return
    largest = f", as {len(kept)} maiores mudanças" if len(kept) < len(months) else ""
    output.print(f"\n  Meses da DRE: {len(months)}{largest}")
    labels = {code: label.lstrip("0123456789 ") for code, label in GROUP_LABELS.items()}
    rows = [{"mes": month_label(each["mes"]), "linha": labels.get(each["codigo"], "Resultado")} for each in kept]
    print_rows(MONTHS, [{**_subtract(each), **row} for row, each in zip(rows, kept, strict=True)])
    _say_more(len(months), most)


def _print_reports(tables: Rows, *, limited: bool) -> None:
    """Print the reports that differ, a table a line; where lists are whole also their cells, table after table."""
    output.print(f"\n  Relatórios: {count_text(len(tables), 'tabela difere', 'tabelas diferem')}")
    rows = []
    for each in tables:
        counts = Counter(cell["coluna"] for cell in each["celulas"]).most_common()
        columns = ", ".join(f"{name} {count}" for name, count in counts)
        rows.append({**each, "celulas": len(each["celulas"]), "colunas": columns})
    print_rows(REPORTS, rows)
    if limited:
        output.print("  … célula a célula: --tudo")
        return
    for each in tables:
        _print_list(each["tabela"], CELLS, each["celulas"], None, _write_figure)


def _write_figure(value: Any) -> str:
    """Write a value whose unit its table knows."""
    return format_amount(value) if isinstance(value, Decimal) else write_value(value)


def print_rows(keys: Sequence[str], rows: Rows, write: Callable[[Any], str] = write_value) -> None:
    """Print rows under the headers of their columns; texts end where the line would be too long, figures never."""
    words = read_dictionary()
    headers = [_HEADERS.get(key) or (words[key].header if key in words else key.capitalize()) for key in keys]
    texts = [[" ".join(write(row[key]).split()) for key in keys] for row in rows]
    widths, least = [], []
    for place, (header, key) in enumerate(zip(headers, keys, strict=True)):
        firm = (text[place] for text, row in zip(texts, rows, strict=True) if not isinstance(row[key], str))
        least.append(max(len(header), _SHORTEST, *map(len, firm)))
        widths.append(max(least[-1], *(len(text[place]) for text in texts)))
    for _ in range(sum(widths) + 2 * len(widths) - WIDTH):
        longest = max(range(len(keys)), key=lambda place: widths[place] - least[place])
        widths[longest] = max(widths[longest] - 1, least[longest])
    right = [place for place, key in enumerate(keys) if any(not isinstance(row[key], str | None) for row in rows)]
    print_table([headers, *([*map(cut, row, widths)] for row in texts)], right)


def cut(text: str, width: int) -> str:
    """Write the beginning of a text that is too long."""
    return text if len(text) <= width else text[: width - 1] + "…"
