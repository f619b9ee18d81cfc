"""The net under a redesign: everything that a run leaves, written down so that two versions can be compared.

    python -m tests.tools.net write FOLDER       # one text file a case, and the SHA-256 of every workbook
    python -m tests.tools.net compare ONE OTHER  # exit 1 and the differing lines, when anything differs

`--casos golden_A,seed_03` writes some of them; `--so "ops.verificacoes|"` compares the lines with that text alone: of
every check its situation, expected, found, difference, keys and detail.

Cases: the golden data in the shapes A to T, variant S, the golden history (27/02, 16/03, a hot run, a past day) and
made-up companies with two runs each, the second one after changes. A refactoring leaves every line as it is.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import openpyxl

from lastro.schema.run_kinds import Modo
from lastro.secret_key import KEY_NAME
from lastro_sandbox import Books, create_app, golden_company, make_company, serve
from tests.golden import expected
from tests.served import TOKEN, run_served, write_settings

PARAMETROS = 'dre_mapa = { 30 = "fora" }\nformas = { 301 = "boleto", 302 = "cartao_credito", 303 = "pix" }'
EXTRAS = """
[[empresa.cenario]]
nome = "Aperto"
calote_pct = 40
[[empresa.recorte]]
nome = "Conta principal"
contas = [101]
"""
SEEDS, ENTRIES, TODAY = 20, 240, date(2026, 6, 15)
OPS = ("verificacoes", "kpis", "parametros")
"""Tables of `ops` that say what was computed; the others say when."""


def _render(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(value)


def _dump_warehouse(path: Path) -> Iterator[str]:
    with closing(duckdb.connect(str(path), read_only=True)) as con:
        names = con.execute(
            "SELECT schema_name || '.' || table_name, list(column_name ORDER BY column_index) FROM duckdb_columns() "
            "WHERE NOT internal AND (schema_name IN ('core', 'hist', 'mart') OR (schema_name = 'ops' AND "
            "list_contains(?, table_name))) GROUP BY 1 ORDER BY 1",
            [list(OPS)],
        ).fetchall()
        for name, columns in names:
            listed = ", ".join(f'"{column}"' for column in columns)
            yield f"{name}: {', '.join(columns)}"
            rows = con.execute(f"SELECT {listed} FROM {name}").fetchall()  # noqa: S608 - the file's own names
            yield from (f"{name}| {line}" for line in sorted(" | ".join(map(_render, row)) for row in rows))


def _dump_workbook(path: Path) -> Iterator[str]:
    yield f"{path.name}: sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}"
    book = openpyxl.load_workbook(path)
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value is not None:
                    link = f" -> {cell.hyperlink.location or cell.hyperlink.target}" if cell.hyperlink else ""
                    yield (
                        f"{path.name}|{sheet.title}!{cell.coordinate}| {_render(cell.value)} "
                        f"[{cell.number_format}]{link}"
                    )


def dump_company(folder: Path) -> list[str]:
    """Write down what the runs of the one company below a folder left."""
    (company,) = [path.parent for path in folder.glob("dados/*/lastro.duckdb")]
    lines = list(_dump_warehouse(company / "lastro.duckdb"))
    for workbook in sorted((company / "relatorios").glob("*.xlsx")):
        lines += _dump_workbook(workbook)
    return lines


def _run_golden(folder: Path, **shape: Any) -> None:
    books = golden_company(**shape)
    with serve(create_app(books, token=TOKEN)) as service:
        run_served(write_settings(folder, books, service.base_url, PARAMETROS + "\n" + EXTRAS), expected.D)


def _run_history(folder: Path) -> None:
    day = date(2026, 2, 27)
    earlier, later = golden_company(anterior=True), golden_company()
    with serve(create_app(earlier, token=TOKEN)) as service:
        run_served(write_settings(folder, earlier, service.base_url, PARAMETROS), day)
    with serve(create_app(later, token=TOKEN)) as service:
        parametros = PARAMETROS + '\nfechamento = 2026-02-28\nsaldo_minimo = "14000.00"\n' + EXTRAS
        settings = write_settings(folder, later, service.base_url, parametros)
        run_served(settings, expected.D)
        run_served(settings, expected.D, modo=Modo.QUENTE)
        run_served(settings, expected.D, data_base=day)
        run_served(settings, expected.D, data_base=day + timedelta(days=1))


def _change(books: Books, rng: random.Random) -> None:
    """Settle, reopen, raise, move and delete a few entries, as a month at the service would."""
    for number in rng.sample(sorted(books.lancamentos), 24):
        entry = books.lancamentos[number]
        kind = rng.randrange(4)
        if kind == 0 and entry.data_pagamento is None:
            books.change_entry(entry, data_pagamento=TODAY.isoformat())
        elif kind == 1:
            books.change_entry(entry, data_vencimento=(TODAY + timedelta(days=rng.randrange(60))).isoformat())
        elif kind == 2:
            books.change_entry(entry, data_competencia=(TODAY - timedelta(days=rng.randrange(90))).isoformat())
        elif entry.lancamento_transferencia_id is None and entry.lancamento_composto_id is None:
            books.remove_entry(entry)


def _run_seed(folder: Path, seed: int) -> None:
    books = make_company(seed=seed, lancamentos=ENTRIES, hoje=TODAY)
    with serve(create_app(books, token=TOKEN)) as service:
        settings = write_settings(folder, books, service.base_url)
        run_served(settings, TODAY)
        _change(books, random.Random(seed))  # noqa: S311 - a reproducible month, no secret
        run_served(settings, TODAY + timedelta(days=1))


CASES: dict[str, Callable[[Path], None]] = {
    **{f"golden_{forma}": partial(_run_golden, forma=forma) for forma in "ABCDT"},
    "golden_S": partial(_run_golden, saldo_inicial=True),
    "golden_H": _run_history,
    **{f"seed_{seed:02d}": partial(_run_seed, seed=seed) for seed in range(SEEDS)},
}


def _write(name: str, target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for company in ("ouro", "ipe"):  # one key for all: ids of files are made with it
            private = Path(folder) / "dados" / company / "privado"
            private.mkdir(parents=True)
            (private / KEY_NAME).write_bytes(bytes(32))
        CASES[name](Path(folder))
        (target / f"{name}.txt").write_text("\n".join(dump_company(Path(folder))) + "\n", encoding="utf-8")


def write_net(target: Path, cases: Sequence[str] = tuple(CASES)) -> None:
    """Run cases and write them down."""
    target.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(2) as pool:
        for done in [pool.submit(_write, name, target) for name in cases]:
            done.result()


def compare_nets(one: Path, other: Path, only: str = "") -> list[str]:
    """List the lines with a text that differ; a workbook's SHA-256 is one of them."""
    differences: list[str] = []
    for name in sorted({path.name for folder in (one, other) for path in folder.glob("*.txt")}):
        before, after = (
            [line for line in (folder / name).read_text(encoding="utf-8").splitlines() if only in line]
            if (folder / name).exists()
            else []
            for folder in (one, other)
        )
        found = difflib.unified_diff(before, after, lineterm="", n=0)
        differences += [f"{name}: {line}" for line in found if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    return differences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["write", "compare"])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--casos", default=",".join(CASES))
    parser.add_argument("--so", default="")
    arguments = parser.parse_args()
    if arguments.action == "write":
        write_net(arguments.folders[0], arguments.casos.split(","))
        return 0
    differences = compare_nets(arguments.folders[0], arguments.folders[1], arguments.so)
    for line in differences:
        sys.stdout.write(line + "\n")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
