"""The page of questions with results on the golden company; `python -m tests.tools.consultas` writes them."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import duckdb

from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.served import TOKEN, run_served, write_settings

PAGE = Path(__file__).parents[2] / "src/lastro/manual/consultas.md"
PARAMETROS = 'dre_mapa = { 30 = "fora" }\nformas = { 301 = "boleto", 302 = "cartao_credito", 303 = "pix" }'
SECOND = """
fechamento = "dia_util:3"
fechamento_sem_mapa = true
[[empresa.recorte]]
nome = "Poupança"
contas = [102]
[[empresa.cenario]]
nome = "Aperto"
calote_pct = 40
"""
"""What the settings of the second run say besides: when a month is closed, a scope, a scenario."""
MOST_ROWS, MOST_WIDTH = 5, 118
_BLOCK = re.compile(r"(```sql\n(.*?)```\n)(\n```text\n.*?```\n)?", re.DOTALL)

Ask = Callable[[str], tuple[Sequence[str], list[tuple[Any, ...]]]]


def write_results(page: str, ask: Ask) -> str:
    """Write below every question of the page what it comes to: the first rows."""

    def answer(found: re.Match[str]) -> str:
        columns, rows = ask(found[2])
        lines = [" | ".join(columns), *(" | ".join(map(_write, row)) for row in rows[:MOST_ROWS])]
        if len(rows) > MOST_ROWS:
            lines.append(f"... ({len(rows)} linhas)")
        if not rows:
            lines.append("(nenhuma linha)")
        cut = [line if len(line) <= MOST_WIDTH else line[: MOST_WIDTH - 1] + "…" for line in lines]
        return f"{found[1]}\n```text\n" + "\n".join(line.rstrip() for line in cut) + "\n```\n"

    return _BLOCK.sub(answer, page)


def ask_file(con: duckdb.DuckDBPyConnection) -> Ask:
    """Ask a connection."""

    def ask(sql: str) -> tuple[Sequence[str], list[tuple[Any, ...]]]:
        result = con.execute(sql)
        return [column[0] for column in result.description or ()], result.fetchall()

    return ask


def _write(value: Any) -> str:
    return "" if value is None else str(value)


def run_twice(folder: Path) -> Path:
    """Run the golden company on 27/02 (kept as `antes.duckdb`) and on 16/03; return what it published then."""
    for books, day, more in (
        (golden_company(anterior=True), date(2026, 2, 27), ""),
        (golden_company(), expected.D, SECOND),
    ):
        with serve(create_app(books, token=TOKEN)) as service:
            result = run_served(write_settings(folder, books, service.base_url, PARAMETROS + more), day)
        if not (folder / "antes.duckdb").exists():
            shutil.copyfile(result.warehouse, folder / "antes.duckdb")
    return result.warehouse


def main() -> None:
    """Write the results below the questions anew."""
    with tempfile.TemporaryDirectory() as name, duckdb.connect(str(run_twice(Path(name))), read_only=True) as con:
        PAGE.write_text(write_results(PAGE.read_text(encoding="utf-8"), ask_file(con)), encoding="utf-8")


if __name__ == "__main__":
    main()
