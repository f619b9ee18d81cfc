"""The same pages by other means, each in a process of its own: the floor, and a plain loop.

`python tests/tools/benchmarks/peers.py NAME BASE_URL FOLDER` needs nothing of lastro, so that another environment can
run it. What a run asked for stands in `asked.json` beside the folder.

floor   asks for the same, parses and compresses each page once, copies the tables that came of it, and compresses the
        parts of its workbooks once: what is left of a run where nothing is proved, checked, typed or computed.
plain   asks for the same in an httpx loop, makes one pandas frame of each list and inserts it once into DuckDB, the
        entries typed: no proof, no check, no history.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

TOKEN = "sandbox"  # noqa: S105 - the sandbox's own
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


def find_asked(folder: Path) -> list[str]:
    """Return what a run asked for."""
    asked: list[str] = json.loads((folder.parent / "asked.json").read_text(encoding="utf-8"))
    return asked


def ask_again(client: httpx.Client, target: str) -> bytes:
    """Ask for what a run asked for; what was refused then is refused again."""
    return client.get(f"{target}&access_token={TOKEN}").content


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
    """One request after the other, one frame and one insert of each list; entries alone are typed."""
    import duckdb
    import pandas as pd

    lists: dict[str, list[dict[str, Any]]] = {}
    for target in find_asked(folder):
        content = ask_again(client, target)
        if name := name_list(target):
            lists.setdefault(name, []).extend(take_rows(content))
    typed = ", ".join(f"CAST({name} AS {kind}) AS {name}" for kind, names in TYPES.items() for name in names.split())
    with duckdb.connect(str(folder / "plain.duckdb")) as con:
        for name, rows in lists.items():
            con.register("frame", pd.DataFrame(rows))
            taken = typed if name == "lancamentos" else "*"
            con.execute(f"CREATE TABLE {name} AS SELECT {taken} FROM frame")  # noqa: S608 - ours
    return sum(len(rows) for rows in lists.values())


def count_cells(path: Path) -> Iterator[tuple[int, int]]:
    """Count the rows of each sheet of a workbook, and the cells of a row in the mean."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/sheet"):
                part = archive.read(name)
                rows = part.count(b"<row ")
                yield rows, round(part.count(b"<c ") / max(rows, 1))


PEERS: dict[str, Callable[[httpx.Client, Path], int]] = {"floor": floor, "plain": plain}

if __name__ == "__main__":
    name, base_url, place = sys.argv[1:]
    with httpx.Client(base_url=base_url, timeout=120) as session:
        print(PEERS[name](session, Path(place)))  # noqa: T201 - what it is for
