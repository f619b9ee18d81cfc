"""Two positions of a company held against each other as a run holds its report against the one before (R14)."""

from __future__ import annotations

from contextlib import closing

import duckdb

from lastro.analysis.changes import Comparison
from lastro.schema.derivation import frame_column
from lastro.schema.tables import TABLES
from lastro.settings import Recorte
from lastro.transform.position import Position
from lastro.transform.scope import narrow_position
from lastro.warehouse.file.changes import compare_reports
from lastro.warehouse.file.rows import fill_from_frame
from lastro.warehouse.file.store import LINHAS_WITH_TAGS, list_tags


def compare_positions(position: Position, before: Position, recorte: Recorte | None = None) -> Comparison:
    """Lay both out as a file has them, and compare them by the map and the accounts of the later one."""
    with closing(duckdb.connect(config={"threads": 1})) as con:
        for schema, side in (("core", position), ("antes", before)):
            con.execute(f"CREATE SCHEMA {schema}")
            frames = {"linhas": side.linhas, "categorias": side.categorias, "contas": side.contas}
            for name, frame in {**frames, "linha_tags": list_tags(side.linhas)}.items():
                columns = [one for one in TABLES[f"core.{name}"].definitions if frame_column(one) in frame.columns]
                fill_from_frame(con, f"CREATE TABLE {schema}.{name} AS", frame, columns)
        if recorte is not None:
            position, before = (narrow_position(side, recorte) for side in (position, before))
        return compare_reports(con, position, before, LINHAS_WITH_TAGS.replace("core.", "antes."), recorte)
