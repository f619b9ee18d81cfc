"""Headings and quoted facts of the manual, as the registries know them: `python -m tests.tools.headings`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from lastro import manual
from lastro.catalogue import REPORT_TITLES
from lastro.grid.verdict import ALERTA
from lastro.quality.queries import ROOMS, Query, read_findings, read_queries

FOLDER = Path(__file__).parents[2] / "src/lastro/manual"

Facts = Mapping[str, tuple[str, tuple[str, ...]]]
"""Number -> its title and the facts that stand below it."""


def render_pages() -> dict[str, str]:
    """Write anew what the registries know of reports, checks and findings; the prose stays as it stands.

    Per number that is the heading (`## V01. <descrição>`) and the facts quoted below it (`> Severidade: erro`).

    Returns:
        Page -> its text, for `relatorios`, `verificacoes` and `achados`.
    """
    checks, findings = read_queries(*ROOMS), read_findings(*ROOMS)
    advice = {"Gravidade": "Gravidade", "Por que importa": "Por que importa", "Como corrigir": "O que fazer"}
    known: dict[str, Facts] = {
        "relatorios": {code: (title, ()) for code, title in REPORT_TITLES.items()},
        "verificacoes": {
            name: (check.titulo, (f"Severidade: {check.severidade}", *_weigh(check, check.severidade)))
            for name, check in checks.items()
        },
        "achados": {
            name: (
                found.titulo,
                (
                    *(f"{label}: {found.fatos[key]}" for label, key in advice.items()),
                    *_weigh(found, found.fatos["Gravidade"]),
                ),
            )
            for name, found in findings.items()
        },
    }
    return {page: _rewrite(page, facts) for page, facts in known.items()}


def _weigh(query: Query, severity: str) -> tuple[str, ...]:
    return (f"Peso: {query.peso}",) if severity == ALERTA else ()


def _rewrite(page: str, facts: Facts) -> str:
    text = manual.read_page(page)
    for number, (title, quoted) in facts.items():
        block = f"## {number}. {title}\n" + ("\n" if quoted else "") + "".join(f"> {fact}\n" for fact in quoted)
        pattern = rf"^## {number}\. .*\n" + (r"(?:\n(?:> .*\n)+)?" if quoted else "")
        text, count = re.subn(pattern, block.replace("\\", r"\\"), text, flags=re.MULTILINE)
        assert count == 1, f"{page}.md: {count} headings `## {number}. ...`, not one: write it, with what it says"
    return text


if __name__ == "__main__":
    for name, rendered in render_pages().items():
        (FOLDER / f"{name}.md").write_text(rendered, encoding="utf-8")
