"""The same pages by other means, each in a process of its own: floors, a plain loop, and dlt.

`python tests/tools/benchmarks/peers.py NAME BASE_URL FOLDER` needs nothing of lastro, so that another environment can
run it. What a run asked for stands in `asked.json` beside the folder.

drain   asks for every page of the entries, one after the other, and throws them away: what the wire and parsing cost.
replay  asks for all that a run of lastro asked, one after the other, and throws it away: the same bytes.
floor   asks for the same, parses and compresses each page once, copies the tables that came of it, and compresses the
        parts of its workbooks once: what is left of a run where nothing is proved, checked, typed or computed.
plain   asks for the same in an httpx loop, makes one pandas frame of each list and inserts it once into DuckDB, the
        entries typed: no proof, no check, no history.
pool    the same with eight requests in flight.
dlt     the same with the library dlt as one tunes it: flat resources, the parquet loader, one DuckDB file.
default the same with dlt as it comes: nested values in tables of their own, its default loader.
own     what a user would write: the plain load, five questions in SQL, and with XlsxWriter as many cells, sheet by
        sheet, as the workbooks of a run have: no proof, no check, no rule.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import httpx

TOKEN = "sandbox"  # noqa: S105 - the sandbox's own
PAGE = 500
ACCOUNTS = (101, 102, 103)
TYPES = {
    "BIGINT": """id grupo_id lancamento_transferencia_id categoria_id centro_custo_lucro_id tipo_custo_nivel_producao_id
        tipo_custo_apropriacao_produto_id conta_id forma_pagamento_id pessoa_id tipo_documento_id numero_repeticao
        total_repeticoes pedido_id lancamento_composto_id""",
    "DATE": "data_vencimento data_pagamento data_competencia",
    "TIMESTAMP": "modified",
    "DECIMAL(18, 2)": "valor",
    "BOOLEAN": "pagamento_automatico",
    "VARCHAR": "descricao documento observacao periodicidade",
    "JSON": "anexos tags itens_adicionais",
}
"""What the fields of an entry are."""


def ask(client: httpx.Client, conta: int, start: int) -> bytes:
    """Ask for a page of an account's entries, all dates."""
    query: dict[str, str | int] = {"access_token": TOKEN, "conta_id": conta, "limit": PAGE, "start": start}
    query |= {"data_inicio": "1900-01-01", "data_fim": "2199-12-31"}
    return client.get("/v1/lancamentos", params=query).raise_for_status().content


def pages(client: httpx.Client) -> Iterator[list[dict[str, Any]]]:
    """Page through every account, one request after the other."""
    for conta in ACCOUNTS:
        start = 0
        while rows := json.loads(ask(client, conta, start)):
            yield rows
            start += len(rows)
            if len(rows) < PAGE:
                break


def drain(client: httpx.Client, folder: Path) -> int:  # noqa: ARG001 - as the others
    """Read and throw away."""
    return sum(len(rows) for rows in pages(client))


def find_asked(folder: Path) -> list[str]:
    """Return what a run asked for."""
    asked: list[str] = json.loads((folder.parent / "asked.json").read_text(encoding="utf-8"))
    return asked


def ask_again(client: httpx.Client, target: str) -> bytes:
    """Ask for what a run asked for; what was refused then is refused again."""
    return client.get(f"{target}&access_token={TOKEN}").content


def replay(client: httpx.Client, folder: Path) -> int:
    """Ask and throw away."""
    return sum(len(ask_again(client, target)) for target in find_asked(folder))


def floor(client: httpx.Client, folder: Path) -> int:
    """Receive and write what the run of the company beside the folder received and wrote."""
    import duckdb
    import orjson
    import pandas  # noqa: F401 - a run has it
    from isal import igzip, isal_zlib

    place = folder.parent
    targets = find_asked(folder)
    with (folder / "pages.gz").open("wb") as landed:
        for target in targets:
            content = ask_again(client, target)
            orjson.loads(content)
            landed.write(igzip.compress(content, 1))
    with duckdb.connect() as con:
        source = next((place / "dados").glob("*/privado/lastro.duckdb"))
        con.execute(f"ATTACH '{source}' AS source (READ_ONLY)")
        size = con.execute("SELECT block_size FROM pragma_database_size() WHERE database_name = 'source'").fetchall()
        con.execute(f"ATTACH '{folder / 'floor.duckdb'}' AS target (BLOCK_SIZE {size[0][0]})")
        con.execute("COPY FROM DATABASE source TO target")
    with (folder / "parts").open("wb") as written:
        for workbook in (place / "dados").glob("*/relatorios/*.xlsx"):
            with zipfile.ZipFile(workbook) as archive:
                for name in archive.namelist():
                    compressor = isal_zlib.compressobj(1, isal_zlib.DEFLATED, -isal_zlib.MAX_WBITS)
                    with archive.open(name) as part:
                        while chunk := part.read(2**20):
                            written.write(compressor.compress(chunk))
                    written.write(compressor.flush())
    return len(targets)


def name_list(target: str) -> str | None:
    """Name the list that an address belongs to; a count belongs to none."""
    return None if "tipo_view=count" in target else target.split("?")[0].split("/")[2]


def take_rows(content: bytes) -> list[dict[str, Any]]:
    """Parse an answer: a page, or a single record."""
    found = json.loads(content)
    return found if isinstance(found, list) else [found]


def plain(client: httpx.Client, folder: Path) -> int:
    """One request after the other."""
    return insert(client, folder, map)


def pool(client: httpx.Client, folder: Path) -> int:
    """Eight requests in flight."""
    with ThreadPoolExecutor(8) as threads:
        return insert(client, folder, threads.map)


def insert(client: httpx.Client, folder: Path, each: Callable[..., Iterable[bytes]]) -> int:
    """One frame and one insert of each list; entries are typed, the others as DuckDB takes them."""
    import duckdb
    import pandas as pd

    lists: dict[str, list[dict[str, Any]]] = {}
    asked = find_asked(folder)
    for target, content in zip(asked, each(lambda target: ask_again(client, target), asked), strict=True):
        if name := name_list(target):
            lists.setdefault(name, []).extend(take_rows(content))
    typed = ", ".join(f"CAST({name} AS {kind}) AS {name}" for kind, names in TYPES.items() for name in names.split())
    with duckdb.connect(str(folder / "plain.duckdb")) as con:
        for name, rows in lists.items():
            con.register("frame", pd.DataFrame(rows))
            taken = typed if name == "lancamentos" else "*"
            con.execute(f"CREATE TABLE {name} AS SELECT {taken} FROM frame")  # noqa: S608 - ours
    return sum(len(rows) for rows in lists.values())


QUESTIONS: Final = (
    "SELECT date_trunc('month', data_pagamento) AS mes, categoria_id, sum(valor) FROM lancamentos GROUP BY ALL",
    "SELECT date_trunc('month', data_competencia) AS mes, categoria_id, sum(valor) FROM lancamentos GROUP BY ALL",
    "SELECT pessoa_id, sum(valor), count(*) FROM lancamentos WHERE data_pagamento IS NULL GROUP BY ALL",
    "SELECT conta_id, sum(valor) FROM lancamentos WHERE data_pagamento IS NOT NULL GROUP BY ALL",
    "SELECT * FROM lancamentos ORDER BY data_vencimento, id",
)
"""What a report of one's own asks: cash, accrual, overdue, balances, and the entries."""


def write_own(client: httpx.Client, folder: Path) -> int:
    """Load, ask and write as many cells as the workbooks of the run beside the folder."""
    import duckdb
    import xlsxwriter  # type: ignore[import-not-found] # a peer, not a dependency

    plain(client, folder)
    with duckdb.connect(str(folder / "plain.duckdb")) as con:
        answers = [con.execute(question).fetchall() for question in QUESTIONS]
    cells = [value if isinstance(value, int | str) else str(value) for row in answers[-1] for value in row]
    written = 0
    for path in sorted((folder.parent / "dados").glob("*/relatorios/*.xlsx")):
        with xlsxwriter.Workbook(str(folder / path.name), {"constant_memory": True}) as workbook:
            for rows, columns in count_cells(path):
                sheet = workbook.add_worksheet()
                for row in range(rows):
                    for column in range(columns):
                        sheet.write(row, column, cells[written % len(cells)])
                        written += 1
    return written


def count_cells(path: Path) -> Iterator[tuple[int, int]]:
    """Count the rows of each sheet of a workbook, and the cells of a row in the mean."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/sheet"):
                part = archive.read(name)
                rows = part.count(b"<row ")
                yield rows, round(part.count(b"<c ") / max(rows, 1))


def load_by_default(client: httpx.Client, folder: Path) -> int:
    """Nested values in tables of their own, the loader that dlt takes by itself."""
    return load_with_dlt(client, folder, {}, {})


def load_flat(client: httpx.Client, folder: Path) -> int:
    """Flat rows, nested values as JSON, the parquet loader."""
    return load_with_dlt(client, folder, {"max_table_nesting": 0}, {"loader_file_format": "parquet"})


def load_with_dlt(client: httpx.Client, folder: Path, shape: dict[str, Any], loader: dict[str, Any]) -> int:
    """A resource of each list, replaced at each load."""
    import dlt  # type: ignore[import-not-found] # a peer, not a dependency

    lists: dict[str, list[str]] = {}
    for target in find_asked(folder):
        if name := name_list(target):
            lists.setdefault(name, []).append(target)

    def read(targets: list[str]) -> Iterator[list[dict[str, Any]]]:
        for target in targets:
            yield take_rows(ask_again(client, target))

    pipeline = dlt.pipeline(
        "banco",
        pipelines_dir=str(folder / "dlt"),
        destination=dlt.destinations.duckdb(str(folder / "dlt.duckdb")),
        dataset_name="livros",
    )
    pipeline.run(
        [
            dlt.resource(read(targets), name=name, write_disposition="replace", **shape)
            for name, targets in lists.items()
        ],
        **loader,
    )
    return sum(len(targets) for targets in lists.values())


PEERS: dict[str, Callable[[httpx.Client, Path], int]] = {
    "drain": drain,
    "replay": replay,
    "floor": floor,
    "plain": plain,
    "pool": pool,
    "dlt": load_flat,
    "default": load_by_default,
    "own": write_own,
}

if __name__ == "__main__":
    name, base_url, place = sys.argv[1:]
    with httpx.Client(base_url=base_url, timeout=120) as session:
        print(PEERS[name](session, Path(place)))  # noqa: T201 - what it is for
