"""`lastro mapa`: proposed lines for `dre_mapa`, as TOML to check and paste, or written into the settings.

What settles in lots is proposed beside them, to be pasted (S12).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from lastro.commands.invocation import choose_company, company_option, config_option, read_settings
from lastro.commands.settings_text import TABLE, add_lines, write_over
from lastro.errors import ConfigError
from lastro.grid.words import format_date
from lastro.money import format_amount, format_centavos
from lastro.settings import Empresa, Settings
from lastro.terminal import messages

if TYPE_CHECKING:
    from lastro.analysis.dre_map import Proposal


@click.command()
@config_option
@company_option
@click.option("--escrever", is_flag=True, help="Acrescenta as linhas à configuração, e não muda mais nada nela.")
def mapa(config: Path | None, empresa_id: str | None, *, escrever: bool) -> None:
    """Propõe linhas para dre_mapa pelos nomes das categorias, para conferir e colar, ou escrever."""
    settings = read_settings(config)
    empresa = choose_company(settings, empresa_id)
    proposal = propose(settings, empresa)
    path = Path(settings.origem)
    for line in list_lots(settings, empresa):
        click.echo(line)
    if escrever:
        count = write_into(path, empresa, proposal)
        told = f"{count} linhas acrescentadas a {path}. Confira-as" if count else f"{path}: não há o que acrescentar"
    else:
        click.echo(proposal.render(), nl=False)
        told = f"cole em [empresa.parametros.dre_mapa] de {empresa.id}, em {path}, ou repita com --escrever"
    missing = "; ".join([told, *proposal.tell_missing(empresa)])
    messages.print(f"lastro: {missing}. Depois: lastro run --empresa {empresa.id} --modo recalculo")


MOST: Final = 5
"""Categories without a line that are named; the rest are counted."""


@dataclass(frozen=True)
class ProposedMap:
    """What the map of a company lacks.

    Attributes:
        proposals: categories with a proposed group, in the order of the tree.
        left: used categories without one, |amount| descending.
        data_base: D of what is published.
        begun: whether the company has a map: then its table stands in the file already.
    """

    proposals: Sequence[Proposal]
    left: Sequence[Proposal]
    data_base: date
    begun: bool

    @property
    def lines(self) -> list[str]:
        """The lines to add, path and amount as a comment."""
        return _align([f'{proposal.categoria_id} = "{proposal.grupo}"' for proposal in self.proposals], self.proposals)

    def tell_missing(self, empresa: Empresa) -> Iterator[str]:
        """Say which used categories have no line even so, and what stays empty without them (S17)."""
        if not self.left:
            return
        amounts = [format_centavos(one.centavos) for one in self.left[:MOST]]
        most = [
            f"{one.categoria_id} {_show(one.caminho)} ({amount})"
            for one, amount in zip(self.left, amounts, strict=False)
        ]
        count, tolerance = len(self.left), empresa.parametros.dre_mapa_tolerancia_pct
        more = f" e mais {count - MOST}" if count > MOST else ""
        beyond = f" (e passar de {format_amount(tolerance)} % da despesa)" if tolerance else ""
        yield f"{'falta' if count == 1 else 'faltam'} {count}: {', '.join(most)}{more}"
        yield f"enquanto faltar{beyond} não há margem, EBITDA, PMP, ciclo nem ponto de equilíbrio"

    def render(self) -> str:
        """Write the lines, under the head of their table where the file has none, and as a comment what has none."""
        until = format_date(self.data_base)
        lines = [f"# lastro mapa · sugestões, confira linha a linha · 12 meses + mês até {until}"]
        lines += [*([] if self.begun else [TABLE]), *self.lines]
        if not self.left:
            return "\n".join([*lines, "# sem sugestão: (nenhuma)", ""])
        lines += ["# sem sugestão:", *_align([f'# {proposal.categoria_id} = ""' for proposal in self.left], self.left)]
        return "\n".join([*lines, ""])


def propose(settings: Settings, empresa: Empresa) -> ProposedMap:
    """Propose the lines that the map of a company lacks (S17).

    Args:
        settings: all settings; say where the company's files are.
        empresa: the company; its `dre_mapa` is what stands already.

    Raises:
        StorageError: when the company has published nothing.
    """
    from lastro.analysis.dre_map import propose_map
    from lastro.warehouse.publication.category_map import read_used_categories

    used, known = read_used_categories(settings.pasta(empresa), empresa.id), empresa.parametros.dre_mapa
    proposals, left = propose_map(used.categorias, used.centavos, known)
    return ProposedMap(proposals, left, used.data_base, begun=bool(known))


def list_lots(settings: Settings, empresa: Empresa) -> Iterator[str]:
    """List as comments the settings that keep who settles in lots from being charged (S12), those set already apart."""
    from lastro.warehouse.publication.category_map import read_lots

    lots, known = read_lots(settings.pasta(empresa), empresa.id), empresa.parametros
    formas = {key: name for key, name in lots.formas.items() if key not in known.formas_sem_cobranca}
    people = {
        key: f"{name}: {at_once} de {count} pagos em lote"
        for key, (name, at_once, count) in lots.pessoas.items()
        if key not in known.pessoas_sem_cobranca
    }
    if formas or people:
        yield "# em [empresa.parametros], se uma adquirente repassa em lotes e ninguém cobra (S12):"
    for setting, set_already, found in (
        ("formas_sem_cobranca", known.formas_sem_cobranca, formas),
        ("pessoas_sem_cobranca", known.pessoas_sem_cobranca, people),
    ):
        if found:
            yield f"# {setting} = {[*set_already, *found]}  # {'; '.join(map(_show, found.values()))}"


def write_into(path: Path, empresa: Empresa, proposed: ProposedMap) -> int:
    """Put the proposed lines into the settings file; returns how many.

    Raises:
        ConfigError: when there is no file, or it is written in a way that cannot be kept whole.
        StorageError: when it cannot be written.
    """
    if not path.is_file():
        raise ConfigError(f"{path}: não é um arquivo em que se possa escrever. Comece com lastro iniciar.")
    if proposed.lines:
        # As bytes, so that the ends of lines stay what they are.
        write_over(path, add_lines(path.read_bytes().decode(), empresa.id, proposed.lines))
    return len(proposed.lines)


def _show(path: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in path)


def _align(heads: Sequence[str], proposals: Sequence[Proposal]) -> list[str]:
    """Put path and amount beside each line, in columns; a name of the service may hold what would end the line."""
    paths = [_show(proposal.caminho) for proposal in proposals]
    amounts = [format_centavos(proposal.centavos) for proposal in proposals]
    head, path, amount = (max(map(len, texts), default=0) for texts in (heads, paths, amounts))
    rows = zip(heads, paths, amounts, strict=True)
    return [f"{left:<{head}}  # {name:<{path}}  {value:>{amount}}" for left, name, value in rows]
