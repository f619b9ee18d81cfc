"""Values of stored columns that several rooms name."""

from __future__ import annotations

from typing import Final

PATH_SEPARATOR: Final = " > "
"""Stands between the names of a path, `core.categorias.caminho`."""
TIPO_DESPESA, TIPO_RECEITA = 1, 2
"""`tipo_categoria_id`, as the service gives it."""
ORIGINAL, REVISADO = "original", "revisado"
"""`core.orcamento.versao`: of one category and month `revisado` stands over `original` (R18)."""
