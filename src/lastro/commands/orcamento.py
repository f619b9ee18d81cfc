"""`lastro orcamento`: the form of a budget, and a budget of another form written as that (R18)."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from lastro.calendar import add_months, local_day
from lastro.clock import utc_now
from lastro.commands.invocation import choose_company, company_option, config_option, read_settings
from lastro.errors import ConfigError
from lastro.grid.words import count_text
from lastro.money import format_amount
from lastro.terminal import messages, output

if TYPE_CHECKING:
    from lastro.entrada.orcamento import Budget
    from lastro.export.budget_form import FormRow
    from lastro.warehouse.publication.budgeted import ListedCategory

_MOST_TOLD: Final = 10


@click.command()
@config_option
@company_option
@click.option("--ano", type=click.IntRange(1990, 2100), help="O ano dos meses; padrão: o de hoje.")
@click.option(
    "--de",
    "origem",
    metavar="ARQUIVO",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Um orçamento de outra forma, que passa para o formulário.",
)
def orcamento(config: Path | None, empresa_id: str | None, ano: int | None, origem: Path | None) -> None:
    """Escreve orcamento.xlsx na pasta entrada: uma linha por categoria, uma coluna por mês, o que já foi orçado.

    Preencha despesas sem sinal; a próxima execução lê o arquivo (lastro manual R18).
    """
    from lastro.export.budget_form import write_form
    from lastro.run.entry_folder import MONTHS_BUDGETED, find_budgets
    from lastro.run.names import add_revision
    from lastro.run.placement import find_highest, move_unclaimed
    from lastro.warehouse.publication.budgeted import read_published_budget

    settings = read_settings(config)
    empresa = choose_company(settings, empresa_id)
    published = read_published_budget(settings.pasta(empresa), empresa.id)
    today = local_day(utc_now(), settings.fuso)
    valores = published.valores
    if origem is not None:
        budget = _convert(origem, published.categorias, add_months(today, MONTHS_BUDGETED))
        _tell(origem, budget, published.categorias)
        valores = {(key.versao, key.categoria_id, key.mes): valor for key, valor in budget.valores.items()}
    year = date(ano or today.year, 1, 1)
    months = sorted({*(add_months(year, month) for month in range(12)), *(mes for _, _, mes in valores)})
    folder = settings.entrada(empresa)
    standing = find_budgets(folder)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "orcamento.xlsx"
        write_form(path, _list_rows(published.categorias, valores), months)
        highest = find_highest(path.name, folder) if folder.is_dir() else 0
        path = move_unclaimed(path, folder / add_revision(path.name, max(highest, len(standing[:1])) + 1))
    output.print(str(path), soft_wrap=True)
    if standing:
        messages.print(
            f"lastro: {', '.join(standing)} fica como está, e vale. Para que este valha, preencha-o, tire da pasta o "
            "de antes e dê a este o nome orcamento.xlsx"
        )


def _convert(origem: Path, categorias: Collection[ListedCategory], until: date) -> Budget:
    from lastro.entrada.door import NotRead, hold_unread, read_file
    from lastro.entrada.earlier_budget import convert_budget
    from lastro.entrada.orcamento import BudgetedCategory

    known = {each.categoria_id: BudgetedCategory(each.caminho, each.tipo) for each in categorias}
    try:
        with hold_unread():
            return convert_budget(read_file(origem).content, known, until=until)
    except NotRead as error:
        raise ConfigError(f"{origem.name}: {error}. Nada foi escrito.") from None


def _tell(origem: Path, budget: Budget, categorias: Collection[ListedCategory]) -> None:
    """Say what was understood of a file, year by year, and what was not."""
    paths = {each.categoria_id: each.caminho for each in categorias}
    sheet, *others = budget.folhas or (None,)
    where = f", folha «{sheet}»" if sheet else ""
    output.print(f"{origem.name}{where}: o que se entendeu, a conferir", soft_wrap=True)
    if others:
        output.print(f"  folhas não lidas: {', '.join(map(str, others))}", soft_wrap=True)
    rows: dict[tuple[str, int, int], list[tuple[date, Decimal]]] = {}
    for key, valor in budget.valores.items():
        rows.setdefault((key.versao, key.mes.year, key.categoria_id), []).append((key.mes, valor))
    for (versao, _, categoria_id), own in rows.items():
        span = f"{own[0][0]:%Y-%m} a {own[-1][0]:%Y-%m}" if len(own) > 1 else f"{own[0][0]:%Y-%m}"
        total = format_amount(sum((valor for _, valor in own), Decimal(0)))
        output.print(
            f"  {categoria_id} {paths[categoria_id]} · {versao} · {span}, {count_text(len(own), 'mês', 'meses')}: "
            f"{total}",
            soft_wrap=True,
        )
    if budget.arredondados:
        output.print(f"  {count_text(budget.arredondados, 'valor arredondado', 'valores arredondados')} ao centavo")
    for part in budget.recusados[:_MOST_TOLD]:
        output.print(f"  não entrou, linha {part.linha}: {part.motivo}", style="yellow", soft_wrap=True)
    if budget.rejeitados > _MOST_TOLD:
        output.print(f"  e mais {budget.rejeitados - _MOST_TOLD} que não entraram", style="yellow")


def _list_rows(
    categorias: Collection[ListedCategory], valores: Mapping[tuple[str, int, date], Decimal]
) -> list[FormRow]:
    """List the rows of the form: each category in use or budgeted, then those that were revised."""
    from lastro.export.budget_form import FormRow
    from lastro.schema.values import ORIGINAL, REVISADO, TIPO_DESPESA

    typed: dict[tuple[str, int], dict[date, Decimal]] = {}
    costs = {each.categoria_id for each in categorias if each.tipo == TIPO_DESPESA}
    for (versao, key, mes), valor in valores.items():
        typed.setdefault((versao, key), {})[mes] = abs(valor) if key in costs else valor
    budgeted = {key for _, key in typed}
    used = [each for each in categorias if each.ativo or each.categoria_id in budgeted]
    return [
        FormRow(each.categoria_id, each.caminho, each.nivel, "" if versao == ORIGINAL else versao, own)
        for versao in (ORIGINAL, REVISADO)
        for each in used
        if (own := typed.get((versao, each.categoria_id), {})) or versao == ORIGINAL
    ]
