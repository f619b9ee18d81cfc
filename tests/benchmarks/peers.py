"""The same pages by other means, each in a process of its own: floors, a plain loop, and dlt.

`python tests/benchmarks/peers.py NAME BASE_URL FOLDER` needs nothing of lastro, so that another environment can run it.

drain   asks for every page of the entries, one after the other, and throws them away: what the wire and parsing cost.
replay  asks for all that a run of lastro asked, one after the other, and throws it away: the same bytes.
floor   asks for the same, parses and compresses each page once, copies the tables that came of it, and compresses the
        parts of its workbooks once: what is left of a run where nothing is proved, checked, typed or computed.
dagster the same, with Dagster loaded: no asset, no event.
plain   an httpx loop into one pandas frame and one typed DuckDB insert: no proof, no check, no history.
pool    the same with eight requests in flight, each page inserted as it comes.
dlt     the library dlt as one tunes it: flat resources, the parquet loader, one DuckDB file.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

TOKEN = "sandbox"  # noqa: S105 - the sandbox's own
PAGE = 500
ACCOUNTS = (101, 102, 103)
TYPED = """
    SELECT CAST(id AS BIGINT) AS id, CAST(conta_id AS BIGINT) AS conta_id, CAST(categoria_id AS BIGINT) AS categoria_id,
           CAST(pessoa_id AS BIGINT) AS pessoa_id, descricao, CAST(valor AS DECIMAL(18, 2)) AS valor,
           CAST(data_vencimento AS DATE) AS data_vencimento, CAST(data_pagamento AS DATE) AS data_pagamento,
           CAST(data_competencia AS DATE) AS data_competencia, modified
    FROM {source}
"""
COLUMNS = (
    *("id", "conta_id", "categoria_id", "pessoa_id", "descricao", "valor"),
    *("data_vencimento", "data_pagamento", "data_competencia", "modified"),
)


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


def replay(client: httpx.Client, folder: Path) -> int:
    """Ask for what is written in `asked.json` beside the folder."""
    targets = json.loads((folder.parent / "asked.json").read_text(encoding="utf-8"))
    return sum(len(client.get(f"{target}&access_token={TOKEN}").content) for target in targets)


def floor(client: httpx.Client, folder: Path) -> int:
    """Receive and write what the run of the company beside the folder received and wrote."""
    import duckdb
    import orjson
    import pandas  # noqa: F401 - a run has it
    from isal import igzip, isal_zlib

    place = folder.parent
    targets = json.loads((place / "asked.json").read_text(encoding="utf-8"))
    with (folder / "pages.gz").open("wb") as landed:
        for target in targets:
            content = client.get(f"{target}&access_token={TOKEN}").content
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


def floor_with_dagster(client: httpx.Client, folder: Path) -> int:
    """The same in a process that has loaded Dagster."""
    import dagster  # noqa: F401 - that it is loaded

    return floor(client, folder)


def plain(client: httpx.Client, folder: Path) -> int:
    """One frame, one insert."""
    import duckdb
    import pandas as pd

    frame = pd.DataFrame([{name: row.get(name) for name in COLUMNS} for rows in pages(client) for row in rows])
    with duckdb.connect(str(folder / "plain.duckdb")) as con:
        con.register("frame", frame)
        con.execute("CREATE TABLE lancamentos AS " + TYPED.format(source="frame"))
    return len(frame)


def pool(client: httpx.Client, folder: Path) -> int:
    """Eight requests in flight, each page inserted as it comes."""
    import duckdb
    import pandas as pd

    def count(conta: int) -> int:
        query: dict[str, str | int] = {"access_token": TOKEN, "conta_id": conta, "tipo_view": "count"}
        query |= {"data_inicio": "1900-01-01", "data_fim": "2199-12-31"}
        found = client.get("/v1/lancamentos", params=query).json()
        while not isinstance(found, int | str):
            found = next(iter(found.values() if isinstance(found, dict) else found))
        return int(found)

    wanted = [(conta, start) for conta in ACCOUNTS for start in range(0, count(conta), PAGE)]
    total = 0
    with duckdb.connect(str(folder / "pool.duckdb")) as con, ThreadPoolExecutor(8) as threads:
        for number, content in enumerate(threads.map(lambda page: ask(client, *page), wanted)):
            frame = pd.DataFrame([{name: row.get(name) for name in COLUMNS} for row in json.loads(content)])
            con.register("frame", frame)
            verb = "INSERT INTO lancamentos" if number else "CREATE TABLE lancamentos AS"
            con.execute(f"{verb} {TYPED.format(source='frame')}")
            total += len(frame)
    return total


def load_with_dlt(client: httpx.Client, folder: Path) -> int:
    """Flat rows, nested values as JSON, the parquet loader."""
    import dlt  # type: ignore[import-not-found] # a peer, not a dependency

    total = 0

    @dlt.resource(name="lancamentos", write_disposition="replace", max_table_nesting=0)
    def lancamentos() -> Iterator[list[dict[str, Any]]]:
        nonlocal total
        for rows in pages(client):
            total += len(rows)
            yield [{name: row.get(name) for name in COLUMNS} for row in rows]

    pipeline = dlt.pipeline(
        "banco",
        pipelines_dir=str(folder / "dlt"),
        destination=dlt.destinations.duckdb(str(folder / "dlt.duckdb")),
        dataset_name="livros",
    )
    pipeline.run(lancamentos(), loader_file_format="parquet")
    return total


PEERS: dict[str, Callable[[httpx.Client, Path], int]] = {
    "drain": drain,
    "replay": replay,
    "floor": floor,
    "dagster": floor_with_dagster,
    "plain": plain,
    "pool": pool,
    "dlt": load_with_dlt,
}

if __name__ == "__main__":
    name, base_url, place = sys.argv[1:]
    with httpx.Client(base_url=base_url, timeout=120) as session:
        print(PEERS[name](session, Path(place)))  # noqa: T201 - what it is for
