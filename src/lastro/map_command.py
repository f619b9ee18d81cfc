"""`lastro mapa`: proposed lines for `dre_mapa`, as TOML to check and paste; reads what is published, writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from lastro.analysis.dre_map import Proposal, propose_map
from lastro.grid.words import format_date
from lastro.money import format_amount, to_decimal
from lastro.settings import Empresa, Settings
from lastro.warehouse.published_map import read_used_categories


def run_map(settings: Settings, empresa: Empresa, *, so_novas: bool = False) -> str:
    """Propose the lines that the map of a company lacks (S17).

    Args:
        settings: all settings; say where the company's files are.
        empresa: the company; its `dre_mapa` is what stands already.
        so_novas: leave out categories without amount in the window.

    Raises:
        StorageError: when the company has published nothing.
    """
    used = read_used_categories(settings.pasta(empresa), empresa.id)
    proposals, left = propose_map(used.categorias, used.centavos, empresa.parametros.dre_mapa)
    return render_map([one for one in proposals if one.usada or not so_novas], left, used.data_base)


def render_map(proposals: Sequence[Proposal], left: Sequence[Proposal], data_base: date) -> str:
    """Write proposals as TOML, and as a comment what has none."""
    lines = [
        f"# lastro mapa · sugestões, confira linha a linha · 12 meses + mês até {format_date(data_base)}",
        "[empresa.parametros.dre_mapa]",
    ]
    heads = [f'{one.categoria_id} = "{one.grupo}"' for one in proposals]
    lines += _align(heads, proposals)
    if not left:
        return "\n".join([*lines, "# sem sugestão: (nenhuma)", ""])
    lines += ["# sem sugestão:", *_align([f'# {one.categoria_id} = ""' for one in left], left)]
    return "\n".join([*lines, ""])


def _align(heads: Sequence[str], proposals: Sequence[Proposal]) -> list[str]:
    """Put path and amount beside each line, in columns; a name of the service may hold what would end the line."""
    paths = ["".join(sign if sign.isprintable() else " " for sign in one.caminho) for one in proposals]
    amounts = [format_amount(to_decimal(one.centavos)) for one in proposals]
    head, path, amount = (max(map(len, texts), default=0) for texts in (heads, paths, amounts))
    rows = zip(heads, paths, amounts, strict=True)
    return [f"{left:<{head}}  # {name:<{path}}  {value:>{amount}}" for left, name, value in rows]
