"""The findings of a position, as a run asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from lastro.entrada.door import RefusedPart
from lastro.grid.verdict import Finding, Side, Sides
from lastro.quality.findings import Found, find_findings
from lastro.quality.queries import read_findings
from lastro.quality.runner import open_room
from lastro.transform.position import Position
from tests.bare import lay_out_noticed, list_noticed

Keys = Iterable[tuple[str, int]]


def find_all(
    position: Position,
    repetidos: Keys = (),
    nao_lidos: Iterable[RefusedPart] = (),
    nao_entendidos: Keys = (),
    decisoes_vencidas: Iterable[int] = (),
    mudados: Iterable[int] = (),
    rules: Iterable[str] = (),
) -> Found:
    """Apply every Q rule, or some, to a position and what a run noticed besides."""
    noted = list_noticed(
        position,
        repetidos=repetidos,
        nao_entendidos=nao_entendidos,
        decisoes_vencidas=decisoes_vencidas,
        mudados=mudados,
    )
    noticed = lay_out_noticed(noted, nao_lidos=nao_lidos)
    queries = read_findings()
    asked = {rule: queries[rule] for rule in rules} or queries
    return find_findings(open_room(position, noticed), asked)


def find_by_rule(position: Position, *rules: str) -> dict[str, Finding]:
    """Apply every Q rule, or some, to a position."""
    return {finding.regra: finding for finding in find_all(position, rules=rules).findings}


def sides(received: str, paid: str, registros: tuple[int, int] = (1, 1)) -> Sides:
    """Both sides, each by its amount; one of 0.00 has no record."""
    amounts = Decimal(received), Decimal(paid)
    one, other = (Side(count if valor else 0, valor) for count, valor in zip(registros, amounts, strict=True))
    return one, other
