"""What a linha and a título are as of a day: one text for whoever asks (S1, S3, S4, S5, S7, S8).

`prova/linhas.sql` and `titulos.sql` stand over `prova.parametros`, which says the day. Checks ask them as the views
`prova.linhas` and `prova.titulos`; the macros of `mart`, the comparison of two runs (R14) and `lastro diff` ask the
same text of another day, of another run's records and settings.
"""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def _read_text(name: str) -> str:
    path = resources.files("lastro.warehouse.file").joinpath("prova", f"{name}.sql")
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("--"))


def linhas_as_of(
    parametros: str, *, linhas: str = "core.linhas", categorias: str = "core.categorias", contas: str = "core.contas"
) -> str:
    """Write the SELECT of linhas as of a day.

    Args:
        parametros: relation of one row with `data_base`, the day; `data_extracao`, on which the records were read;
            `competencia_nula` and `mapa_classifica` (`ops.calculo`).
        linhas: relation with the columns of `core.linhas`; what else it has is passed on.
        categorias: relation of the categories whose groups count.
        contas: relation of the accounts whose openings count.
    """
    text = _read_text("linhas").replace("prova.parametros", parametros)
    for name, relation in (("linhas", linhas), ("categorias", categorias), ("contas", contas)):
        text = text.replace(f"core.{name} ", f"{relation} ")
    return text


def titulos_as_of(parametros: str) -> str:
    """Write the SELECT of the títulos of `core` as of a day.

    Args:
        parametros: relation of one row with the columns of `prova.parametros`.
    """
    text = _read_text("titulos").replace("prova.parametros", parametros)
    return text.replace("prova.linhas", f"(\n{linhas_as_of(parametros)})")
