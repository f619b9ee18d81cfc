"""`lastro diff`: what differs between two workbooks, by sheet, row and column."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from lastro.errors import ConfigError
from lastro.export.comparison import CHANGED, WHOLE_COLUMN, Comparison, Difference, SheetSum, compare_files
from lastro.export.sheet_reader import UnreadableBook
from lastro.grid.words import count_text
from lastro.money import format_amount
from lastro.terminal import output, print_table

EXIT_DIFFERENT = 1
_ROWS = 50
_WIDTH = 48
"""Characters of a name or a text in the table; `--json` has them whole."""


@click.command()
@click.argument("a", metavar="A.xlsx", type=click.Path(path_type=Path))
@click.argument("b", metavar="B.xlsx", type=click.Path(path_type=Path))
@click.option("--limite", default=_ROWS, show_default=True, type=click.IntRange(0), help="Most differences to list.")
@click.option("--json", "as_json", is_flag=True, help="All differences for a program; money as text.")
def diff(a: Path, b: Path, limite: int, *, as_json: bool) -> None:
    """Compare two workbooks of lastro; exit code 0 equal, 1 different, 2 could not compare."""
    try:
        found = compare_files(a, b)
    except UnreadableBook as error:
        raise ConfigError(f"não deu para comparar: {error}.") from None
    if as_json:
        click.echo(json.dumps(describe(a, b, found), ensure_ascii=False, indent=2))
    else:
        _print(a, b, found, limite)
    sys.exit(0 if found.is_equal else EXIT_DIFFERENT)


def describe(a: Path, b: Path, found: Comparison) -> dict[str, object]:
    """Describe a comparison for JSON: money as text with a point, all differences whatever `--limite` says."""
    return {
        "a": str(a),
        "b": str(b),
        "iguais": found.is_equal,
        "valor": f"{found.valor:f}",
        "planilhas": [
            {
                "planilha": each.planilha,
                "diferencas": each.diferencas,
                "valor": f"{each.valor:f}",
                "ids": list(each.ids),
                "ids_total": each.ids_total,
            }
            for each in found.sheets()
        ],
        "diferencas": [_describe_one(each) for each in found.diferencas],
        "carimbos": [_describe_one(each) for each in found.carimbos],
    }


def _describe_one(each: Difference) -> dict[str, object]:
    return {
        **{name: getattr(each, name) for name in ("planilha", "tabela", "linha", "coluna", "tipo", "a", "b")},
        "valor": None if each.valor is None else f"{each.valor:f}",
        "ids": list(each.ids),
    }


def _print(a: Path, b: Path, found: Comparison, limit: int) -> None:
    output.print(f"\n  A  {a}\n  B  {b}\n", markup=False)
    if found.carimbos:
        moved = count_text(len(found.carimbos), "carimbo difere", "carimbos diferem")
        output.print(f"  {moved} (execução, horários, linhas 1 a 3); não contam.", markup=False)
    if found.is_equal:
        output.print("  Iguais: nenhum número e nenhum texto difere.", markup=False)
        return
    shown = found.diferencas[:limit]
    if shown:
        header = ("Planilha", "Tabela", "Linha", "Coluna", "", "A", "B", "B - A (R$)")
        print_table([header, *(_write(each) for each in shown)], right={7})
    if len(found.diferencas) > len(shown):
        output.print(f"  … e mais {len(found.diferencas) - len(shown)}; --limite N mostra mais.", markup=False)
    output.print("", markup=False)
    sheets = [
        (each.planilha, str(each.diferencas), format_amount(each.valor), _entries(each)) for each in found.sheets()
    ]
    total = ("Todas", str(len(found.diferencas)), format_amount(found.valor), "")
    print_table([("Planilha", "Diferenças", "B - A (R$)", "Títulos e lançamentos"), *sheets, total], right={1, 2})
    output.print(
        "\n  B - A soma as células de dinheiro que diferem, sem totais; o que está em várias planilhas, ou em várias "
        "colunas, conta em cada uma.",
        markup=False,
    )


def _write(each: Difference) -> tuple[str, ...]:
    texts = [each.planilha, each.tabela, each.linha, each.coluna, each.tipo, each.a or "–", each.b or "–"]
    if each.tipo != CHANGED and WHOLE_COLUMN in {each.a, each.b}:
        texts[5:] = ["", ""]
        texts[4] = f"coluna {each.tipo}"
    return (*(_cut(text) for text in texts), "" if each.valor is None else format_amount(each.valor))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def _entries(each: SheetSum) -> str:
    more = each.ids_total - len(each.ids)
    return ", ".join(map(str, each.ids)) + (f" (+{more})" if more else "")
