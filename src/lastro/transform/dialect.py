"""How a service speaks, as far as the document leaves it open: counts, lists, order of rows, rows per page (V37).

lastro holds under any of these, so a change alone makes no figure wrong. It is told because it is the first sign of a
service that was exchanged or rebuilt, and of a list of names that is gone.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

LEAST_ROWS: Final = 50
"""Rows that an order must hold over before it says anything: of fewer it may be a chance."""


@dataclass(frozen=True)
class Dialect:
    """What one complete reading saw.

    Attributes:
        contagem: whether counts came readable; None where none was asked for.
        listas: the lists beyond the document that the service has; None where nobody asked.
        ordem: orders that hold over every listing of entries; None where there were too few rows to say.
        teto: rows of a full page; None where every listing was one page.
    """

    contagem: bool | None
    listas: tuple[str, ...] | None
    ordem: frozenset[str] | None
    teto: int | None

    def describe(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "contagem": self.contagem,
            "listas": None if self.listas is None else list(self.listas),
            "ordem": None if self.ordem is None else sorted(self.ordem),
            "teto": self.teto,
        }


def parse_dialect(row: dict[str, Any]) -> Dialect:
    """Read what `describe` wrote."""
    listas, ordem = row.get("listas"), row.get("ordem")
    return Dialect(
        row.get("contagem"),
        None if listas is None else tuple(listas),
        None if ordem is None else frozenset(ordem),
        row.get("teto"),
    )


def compare_dialects(known: Dialect, seen: Dialect) -> tuple[Dialect, tuple[str, ...]]:
    """Compare the dialect that a reading saw with the known one.

    An order that held by chance goes when rows come that break it, so what is known of the order narrows; it has
    changed when nothing of it is left, or when one holds where none did.

    Returns:
        What is known from now on, and what changed, in words.

    >>> known = Dialect(True, ("tags",), frozenset({"id crescente", "vencimento crescente"}), 500)
    >>> compare_dialects(known, Dialect(True, None, frozenset({"id crescente"}), None))
    (Dialect(contagem=True, listas=('tags',), ordem=frozenset({'id crescente'}), teto=500), ())
    >>> compare_dialects(known, Dialect(True, ("tags",), frozenset(), 100))[1]
    ('ordem: era id crescente, vencimento crescente, agora nenhuma', 'linhas por página: era 500, agora 100')
    """
    changed = []
    contagem = known.contagem if seen.contagem is None else seen.contagem
    if None not in (known.contagem, seen.contagem) and known.contagem != seen.contagem:
        changed.append(f"contagem: era {_say(known.contagem)}, agora {_say(seen.contagem)}")
    listas = known.listas if seen.listas is None else seen.listas
    if known.listas is not None and seen.listas is not None and set(known.listas) != set(seen.listas):
        changed.append(f"listas: era {_join(known.listas)}, agora {_join(seen.listas)}")
    ordem = known.ordem if seen.ordem is None else seen.ordem
    if known.ordem is not None and seen.ordem is not None:
        common = known.ordem & seen.ordem
        if bool(known.ordem) != bool(seen.ordem) or (known.ordem and not common):
            changed.append(f"ordem: era {_join(known.ordem)}, agora {_join(seen.ordem)}")
        else:
            ordem = common
    teto = known.teto if seen.teto is None else seen.teto
    if known.teto is not None and seen.teto is not None and known.teto != seen.teto:
        changed.append(f"linhas por página: era {known.teto}, agora {seen.teto}")
    return Dialect(contagem, listas, ordem, teto), tuple(changed)


def _say(value: bool | None) -> str:  # noqa: FBT001 - it is what is said
    return "legível" if value else "ilegível"


def _join(names: Collection[str]) -> str:
    return ", ".join(sorted(names)) or "nenhuma"
