"""Names of dimensions and their order (S11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from lastro.folding import fold_words

SEM_CATEGORIA, SEM_PESSOA, SEM_CENTRO = "Sem categoria", "Sem pessoa", "Sem centro"
SEM_CONTA, SEM_FORMA, SEM_TIPO_DOCUMENTO = "Sem conta", "Sem forma", "Sem tipo de documento"


def tell_apart(names: Mapping[int, str]) -> dict[int, str]:
    """Put the id beside names that a reader cannot tell apart: equal but for case, accents and blanks (S11).

    >>> tell_apart({1: "Ipê", 2: "Ipê ", 3: "Jatobá"})
    {1: 'Ipê (#1)', 2: 'Ipê (#2)', 3: 'Jatobá'}
    """
    seen = {record_id: fold_words(name) for record_id, name in names.items()}
    counts = Counter(seen.values())
    return {
        record_id: f"{name.strip()} (#{record_id})" if seen[record_id] and counts[seen[record_id]] > 1 else name
        for record_id, name in names.items()
    }


@dataclass(frozen=True)
class Labels:
    """Text of every dimension id; unknown ids get a placeholder that shows the id (S11).

    Attributes map ids to names; `categorias_caminho` to paths such as "Despesas > Aluguel". Of persons and categories
    no two have the same.
    """

    contas: Mapping[int, str] = field(default_factory=dict)
    categorias: Mapping[int, str] = field(default_factory=dict)
    categorias_caminho: Mapping[int, str] = field(default_factory=dict)
    pessoas: Mapping[int, str] = field(default_factory=dict)
    centros: Mapping[int, str] = field(default_factory=dict)
    formas: Mapping[int, str] = field(default_factory=dict)
    tags: Mapping[int, str] = field(default_factory=dict)
    tipos_documento: Mapping[int, str] = field(default_factory=dict)

    def conta(self, conta_id: object) -> str:
        """Name an account."""
        return _label(self.contas, conta_id, SEM_CONTA, "Conta #{}")

    def categoria(self, categoria_id: object) -> str:
        """Name a category."""
        return _label(self.categorias, categoria_id, SEM_CATEGORIA, "Categoria #{} (não encontrada)")

    def categoria_caminho(self, categoria_id: object) -> str:
        """Name a category with its ancestors."""
        return _label(self.categorias_caminho, categoria_id, SEM_CATEGORIA, "Categoria #{} (não encontrada)")

    def pessoa(self, pessoa_id: object) -> str:
        """Name a person."""
        return _label(self.pessoas, pessoa_id, SEM_PESSOA, "Pessoa #{} (não encontrada)")

    def centro(self, centro_id: object) -> str:
        """Name a cost centre."""
        return _label(self.centros, centro_id, SEM_CENTRO, "Centro #{}")

    def forma(self, forma_id: object) -> str:
        """Name a payment method."""
        return _label(self.formas, forma_id, SEM_FORMA, "Forma #{}")

    def tag(self, tag_id: object) -> str:
        """Name a tag."""
        return _label(self.tags, tag_id, "Sem tag", "Tag #{}")

    def tipo_documento(self, tipo_id: object) -> str:
        """Name a document type."""
        return _label(self.tipos_documento, tipo_id, SEM_TIPO_DOCUMENTO, "Tipo de documento #{}")


_NULLS = frozenset({"<NA>", "nan", "NaT"})
"""How the nulls of pandas write themselves; this module needs nothing else of pandas."""


def _label(names: Mapping[int, str], key: object, missing: str, unknown: str) -> str:
    if key is None or str(key) in _NULLS:
        return missing
    record_id = int(key)  # type: ignore[call-overload]
    return names.get(record_id) or unknown.format(record_id)
