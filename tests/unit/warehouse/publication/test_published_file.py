"""The one way in to what is published."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from lastro.errors import StorageError
from lastro.warehouse.publication.published_file import open_published


def test_where_nothing_is_published_the_message_says_what_to_run(tmp_path: Path) -> None:
    link = tmp_path / "lastro.duckdb"
    wanted = "ainda não há nada publicado. Rode antes lastro run --empresa x."
    with pytest.raises(StorageError, match=wanted), open_published(link, "lastro run --empresa x"):
        pass
    link.symlink_to("publicado/lastro-1.duckdb")  # a link to a copy that was taken away
    with pytest.raises(StorageError, match=wanted), open_published(link, "lastro run --empresa x"):
        pass


@pytest.mark.parametrize("question", ["FROM core.linhas", "SELECT valor FROM t"])
def test_what_another_version_published_is_told(tmp_path: Path, question: str) -> None:
    link, path = tmp_path / "lastro.duckdb", tmp_path / "lastro-1.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE t (n INTEGER)")
    link.symlink_to(path.name)
    with open_published(link) as con:
        assert con.execute("SELECT count(*) FROM t").fetchone() == (0,)
    wanted = "publicado por outra versão do lastro. Rode de novo lastro run."
    with pytest.raises(StorageError, match=wanted), open_published(link) as con:
        con.execute(question)
