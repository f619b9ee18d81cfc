"""`lastro diff`: what differs between two runs of a company, asked of its published copies."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lastro.commands.invocation import config_option, read_settings
from lastro.errors import ConfigError
from lastro.settings import Empresa, Settings

if TYPE_CHECKING:
    from lastro.warehouse.publication.two_runs import Differences

EXIT_DIFFERENT, EXIT_UNKNOWN = 1, 2
_MOST_DIGITS = 18


@dataclass(frozen=True)
class Given:
    """What was named on the command line.

    Attributes:
        texto: as it was typed.
        numero: of the run, given or read from a workbook; None for a copy, which is asked for the run that it shows.
        empresa: company that a workbook names.
        copia: the copy.
    """

    texto: str
    numero: int | None = None
    empresa: str | None = None
    copia: Path | None = None


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@config_option
@click.option("--empresa", "empresa_id", help="A empresa das execuções; padrão: a única, ou a da planilha.")
@click.option("--tudo", is_flag=True, help="Todos os campos, também os relatórios, e as listas inteiras.")
@click.option("--json", "as_json", is_flag=True, help="Todas as diferenças para um programa; valores como texto.")
def diff(a: str, b: str, config: Path | None, empresa_id: str | None, *, tudo: bool, as_json: bool) -> None:
    """Compara duas execuções de uma empresa: números, cópias publicadas (.duckdb) ou planilhas (.xlsx).

    Código 0 iguais, 1 diferentes, 2 não deu para comparar.
    """
    given = [read_given(text) for text in (a, b)]
    sides = [[side.copia] for side in given if side.copia is not None]
    expected = None
    if len(sides) < len(given):
        empresa, settings = choose_named(config, empresa_id, given)
        expected = empresa.id
        sides = [_list_files(settings, empresa, side) for side in given]
    from lastro.warehouse.publication.two_runs import compare_runs

    differences = compare_runs(sides, [side.numero for side in given], expected, _list_keys, whole=tudo)
    if as_json:
        click.echo(json.dumps(describe((a, b), differences), ensure_ascii=False, indent=2, default=_plain))
    else:
        from lastro.commands.diff_text import print_differences

        print_differences(differences, limited=not tudo)
    sys.exit(0 if differences.is_equal else EXIT_DIFFERENT if differences.differ else EXIT_UNKNOWN)


def read_given(text: str) -> Given:
    """Tell what was named on the command line.

    Raises:
        ConfigError: when it is none of the three, or a workbook that does not say of which run it is.
    """
    if text.isascii() and text.isdecimal():
        if len(text) > _MOST_DIGITS:
            raise ConfigError(f"diff: {text[:_MOST_DIGITS]}… não é número de execução de nenhuma empresa.")
        return Given(text, int(text))
    suffix = Path(text).suffix.lower()
    if suffix == ".duckdb":
        return Given(text, copia=Path(text))
    if suffix == ".xlsx":
        return _read_workbook(text)
    raise ConfigError(
        f"diff: {text} não é número de execução, cópia publicada (.duckdb) nem planilha do lastro (.xlsx). Compare, "
        "por exemplo: lastro diff 12 13"
    )


def _read_workbook(text: str) -> Given:
    from lastro.entrada.door import NotRead, read_file
    from lastro.entrada.workbook import read_row
    from lastro.export.heading import STAMP_ROW, parse_stamp
    from lastro.grid.workbook import NO_FILTER

    if not os.path.lexists(text):
        raise ConfigError(f"diff: {text} não existe. Confira o caminho.")
    cure = "Dê o número da execução no lugar da planilha: lastro diff 12 13"
    try:
        rows = read_row(read_file(Path(text)).content, STAMP_ROW)
    except NotRead as error:
        raise ConfigError(f"diff: {text}: {error}. {cure}") from None
    texts = [cell for row in rows.values() for cell in row[:1] if isinstance(cell, str)]
    stamp = next((parsed for cell in texts if (parsed := parse_stamp(cell)) is not None), None)
    if stamp is None:
        raise ConfigError(f"diff: {text} não diz de que execução é (linha {STAMP_ROW} das planilhas). {cure}")
    if stamp.filtro != NO_FILTER:
        raise ConfigError(
            f"diff: {text} não é a planilha de uma empresa inteira (Filtro: {stamp.filtro}), e são as execuções "
            f"inteiras que se comparam. {cure}"
        )
    return Given(text, stamp.execucao_id, stamp.empresa)


def choose_named(config: Path | None, empresa_id: str | None, given: Sequence[Given]) -> tuple[Empresa, Settings]:
    """Choose the company to compare: the one asked for, else the one that a workbook names, else the only one.

    Raises:
        ConfigError: when it is not clear which, or a workbook is of another one.
    """
    settings = read_settings(config)
    named = [side for side in given if side.empresa is not None]
    known = list(settings.empresas)
    if empresa_id is not None:
        known = [settings.empresa(empresa_id)]
    elif named:
        known = [each for each in known if each.nome == named[0].empresa]
    if empresa_id is None and len(known) > 1:
        ids = ", ".join(each.id for each in known)
        raise ConfigError(f"diff: {settings.origem} tem várias empresas; acrescente --empresa (uma de {ids}).")
    for side in named:
        if not known or side.empresa != known[0].nome:
            whose = "nenhuma empresa da configuração" if not known else known[0].nome
            raise ConfigError(
                f"diff: {side.texto} é de {side.empresa}, não de {whose}. Dê a configuração dela com --config, ou a "
                "empresa com --empresa."
            )
    return known[0], settings


def _list_files(settings: Settings, empresa: Empresa, side: Given) -> list[Path]:
    """List where the records of what was named may be."""
    from lastro.warehouse.publication.run_sources import list_copies_of

    if side.copia is not None or side.numero is None:
        return [side.copia or Path(side.texto)]
    files = list_copies_of(settings.pasta(empresa), side.numero)
    if not files[0].exists():
        raise ConfigError(
            f"diff: {side.texto}: a execução {side.numero} se compara pelos registros publicados de {empresa.id}, e "
            f"{files[0]} não existe. Rode lastro run, ou dê em --config a configuração de onde estão os dados."
        )
    return files


def _list_keys() -> dict[str, tuple[str, ...]]:
    from lastro.catalogue import EVERY_REPORT

    return {name: key for spec in EVERY_REPORT for name, key in spec.keys.items()}


def describe(given: tuple[str, str], differences: Differences) -> dict[str, Any]:
    """Describe differences for JSON: money as text with a point, days as AAAA-MM-DD, lists whole."""
    runs = (differences.a, differences.b)
    return {
        "a": given[0],
        "b": given[1],
        "iguais": differences.is_equal,
        "tudo": differences.whole,
        "execucoes": [{"execucao_id": run.execucao_id, "data_base": run.data_base, "tipo": run.tipo} for run in runs],
        **differences.found,
    }


def _plain(value: Decimal | date) -> str:
    """Write what JSON has no type for, exactly."""
    return f"{value:f}" if isinstance(value, Decimal) else value.isoformat()
