"""`lastro diff`: what differs between two runs of a company, as rows by name, asked of its published copies."""

from __future__ import annotations

import json
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from lastro.commands.invocation import choose_company, company_option, config_option, read_settings
from lastro.terminal import output, print_table

if TYPE_CHECKING:
    from lastro.warehouse.publication.two_runs import Differences, Rows

EXIT_DIFFERENT, EXIT_UNKNOWN = 1, 2
_TITLES: Final = {
    "indicadores": "Indicadores", "novas": "Lançamentos novos, só em B", "sumidas": "Lançamentos que sumiram, só em A",
    "mudancas": "Lançamentos que mudaram", "dre": "Meses da DRE",
}  # fmt: skip
_LONGEST: Final = 40
"""Characters of a text that a row shows."""


@click.command()
@click.argument("a", metavar="A", type=click.IntRange(1, 10**18))
@click.argument("b", metavar="B", type=click.IntRange(1, 10**18))
@config_option
@company_option
@click.option("--json", "as_json", is_flag=True, help="O mesmo para um programa; valores como texto.")
def diff(a: int, b: int, config: Path | None, empresa_id: str | None, *, as_json: bool) -> None:
    """Compara duas execuções de uma empresa, pelos números delas: indicadores, lançamentos, meses da DRE.

    Código 0 iguais, 1 diferentes, 2 não deu para comparar.
    """
    settings = read_settings(config)
    empresa = choose_company(settings, empresa_id)
    from lastro.warehouse.publication.two_runs import compare_runs

    differences = compare_runs(settings.pasta(empresa), (a, b), f"lastro run --empresa {empresa.id}")
    if as_json:
        click.echo(json.dumps(describe(differences), ensure_ascii=False, indent=2, default=_plain))
    else:
        print_differences(differences)
    sys.exit(0 if differences.is_equal else EXIT_DIFFERENT if differences.differ else EXIT_UNKNOWN)


def describe(differences: Differences) -> dict[str, Any]:
    """Describe differences for JSON: money as text with a point, days as AAAA-MM-DD."""
    runs = (differences.a, differences.b)
    return {
        "iguais": differences.is_equal,
        "execucoes": [{"execucao_id": run.execucao_id, "data_base": run.data_base, "tipo": run.tipo} for run in runs],
        **differences.found,
    }


def print_differences(differences: Differences) -> None:
    """Print what differs, each list under its name and the headers of the sheets."""
    from lastro.grid.words import format_date

    found = differences.found
    for side, run in (("A", differences.a), ("B", differences.b)):
        output.print(f"  {side}  execução {run.execucao_id} ({run.tipo}) · data-base {format_date(run.data_base)}")
    if found["parametros"]:
        output.print(f"  Parâmetros que não são os mesmos: {', '.join(found['parametros'])}")
    for execucao_id in found["sem_indicadores"]:
        output.print(f"  Indicadores não comparados: da execução {execucao_id} não há nenhum guardado.")
    if differences.is_equal:
        output.print("  Iguais: nenhum indicador, lançamento ou mês da DRE difere.")
    for name, title in _TITLES.items():
        if found[name]:
            output.print(f"\n  {title}: {len(found[name])}")
            print_rows(found[name])


def print_rows(rows: Rows) -> None:
    """Print rows under the headers of their columns; amounts to the right, a long text cut."""
    from lastro.schema.dictionary import read_dictionary

    words = read_dictionary()
    headers = [words[key].header or key if key in words else key.upper() for key in rows[0]]
    right = [at for at, key in enumerate(rows[0]) if any(isinstance(row[key], Decimal) for row in rows)]
    print_table([headers, *([_show(value) for value in row.values()] for row in rows)], right)


def _show(value: Any) -> str:
    from lastro.grid.words import write_value
    from lastro.money import format_amount

    text = " ".join((format_amount(value) if isinstance(value, Decimal) else write_value(value)).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _plain(value: Decimal | date) -> str:
    """Write what JSON has no type for, exactly."""
    return f"{value:f}" if isinstance(value, Decimal) else value.isoformat()
