"""Delta tables of published companies: equal row for row in several readers, safe with writers at once, and one way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from threading import Thread
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from lastro.cli import main
from lastro.errors import StorageError
from lastro.settings import Settings
from lastro.warehouse.publication import delta
from lastro_sandbox import create_app, golden_company, serve
from tests.served import TOKEN, copy_golden

pytestmark = pytest.mark.maquinas
FUSO = "America/Sao_Paulo"
RELATIONS = 60
"""At least: core tables and views of mart."""


@pytest.fixture(scope="module", autouse=True)
def _extra() -> None:
    pytest.importorskip("deltalake", reason="the extra lastro[delta] is not installed")
    pytest.importorskip("pyarrow", reason="the extra lastro[delta] is not installed")


@pytest.fixture(scope="module")
def settings(first_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The golden company, published, and a second one with the same books."""
    folder = tmp_path_factory.mktemp("delta")
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        one = copy_golden(first_run, folder, service.base_url)
        other = replace(one.empresas[0], id="prata")
        (one.dir / "prata" / "publicado").mkdir(parents=True)
        published = one.pasta(one.empresas[0]) / "lastro.duckdb"
        target = one.dir / "prata" / "publicado" / published.readlink().name
        target.write_bytes(published.read_bytes())
        (one.dir / "prata" / "lastro.duckdb").symlink_to(target)
        yield replace(one, empresas=(*one.empresas, other))


@pytest.fixture(scope="module")
def exported(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    destino = tmp_path_factory.mktemp("tabelas")
    done = delta.export_delta(settings, settings.empresas, str(destino), dados_pessoais=True)
    assert done.execucoes == {"ouro": 1, "prata": 1}
    assert len(done.tables) >= RELATIONS
    return destino


def read_with(reader: str, uri: str) -> Any:
    """Read a whole table with one of three engines, as Arrow."""
    from deltalake import DeltaTable

    table = DeltaTable(uri)
    if reader == "pyarrow":
        return table.to_pyarrow_table()
    if reader == "polars":
        polars = pytest.importorskip("polars", reason="polars is not installed")
        return polars.scan_delta(uri).collect().to_arrow()
    with duckdb.connect() as con:
        con.execute("SET TimeZone = 'UTC'")
        files = table.file_uris()
        if not files:
            return table.to_pyarrow_table()
        query = "SELECT * FROM read_parquet(?, hive_partitioning = true, union_by_name = true)"
        return con.sql(query, params=[files]).to_arrow_table()


@pytest.mark.parametrize("reader", ["pyarrow", "polars", "duckdb"])
def test_every_relation_is_equal_row_for_row(exported: Path, settings: Settings, reader: str) -> None:
    published = settings.pasta(settings.empresas[0]) / "lastro.duckdb"
    seen = 0
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{published}' AS ouro (READ_ONLY); SET TimeZone = 'UTC'")
        columns = con.execute(
            "SELECT schema_name, table_name, list(struct_pack(n := column_name, t := data_type) ORDER BY column_index) "
            "FROM duckdb_columns() WHERE database_name = 'ouro' AND schema_name IN ('core', 'mart') GROUP BY ALL"
        ).fetchall()
        for schema, name, listed in columns:
            told = read_with(reader, str(exported / schema / name))
            con.register("told", told)
            theirs = ", ".join(back(column["n"], column["t"]) for column in listed)
            copied = f"SELECT {theirs} FROM told WHERE empresa = 'ouro'"  # noqa: S608 - names of our own catalogue
            # A path in quotes: this file's own views say `core.`.
            con.execute("USE ouro")
            ours = f"SELECT * FROM {schema}.{name}"  # noqa: S608 - the same
            for one, other in ((ours, copied), (copied, ours)):
                con.execute(f"CREATE OR REPLACE TEMP TABLE differs AS {one} EXCEPT ALL {other}")
                (count,) = con.execute("SELECT count(*) FROM differs").fetchall()[0]
                assert count == 0, f"{schema}.{name}: {count}"
            con.execute("USE memory")
            con.unregister("told")
            seen += 1
    assert seen >= RELATIONS


def back(column: str, type_: str) -> str:
    """Turn an instant in UTC into what the company's file holds; everything else only keeps its type."""
    if type_ == "TIMESTAMP":
        zone = FUSO if column == "modified" else "UTC"
        return f'CAST("{column}" AS TIMESTAMPTZ) AT TIME ZONE \'{zone}\' AS "{column}"'
    return f'CAST("{column}" AS {type_}) AS "{column}"'


def test_money_keeps_its_type_and_the_oldest_readers_can_read(exported: Path) -> None:
    from deltalake import DeltaTable

    table = DeltaTable(str(exported / "core" / "linhas"))
    assert str(table.to_pyarrow_table().schema.field("valor").type) == "decimal128(18, 2)"
    assert (table.protocol().min_reader_version, table.protocol().min_writer_version) == (1, 2)
    assert table.metadata().partition_columns == ["empresa"]
    total = sum(value for value in table.to_pyarrow_table(filters=[("empresa", "=", "ouro")])["valor"].to_pylist())
    assert total == Decimal("8480.00")


def test_contacts_and_documents_only_on_demand(settings: Settings, exported: Path, tmp_path: Path) -> None:
    from deltalake import DeltaTable

    delta.export_delta(settings, settings.empresas[:1], str(tmp_path), dados_pessoais=False)
    told = DeltaTable(str(exported / "core" / "pessoas")).to_pyarrow_table()
    hidden = DeltaTable(str(tmp_path / "core" / "pessoas")).to_pyarrow_table()
    assert hidden.schema.names == told.schema.names
    for column in ("documento", "email", "telefone"):
        assert told[column].null_count < len(told)
        assert hidden[column].null_count == len(hidden)
    assert hidden["nome"].null_count == 0
    whole = {value for value in told["documento"].to_pylist() if value}
    for path in tmp_path.rglob("*.parquet"):
        with duckdb.connect() as con:
            found = con.execute(f"FROM '{path}'").fetchall()
        texts = {value for row in found for value in row if isinstance(value, str)}
        assert not texts & whole, path


def rows_of(settings: Settings, empresa_id: str, relation: str = "core.linhas") -> Any:
    path = (settings.pasta(settings.empresas[0]) / "lastro.duckdb").resolve()
    with closing(delta.Published(empresa_id, path, FUSO, dados_pessoais=False)) as book:
        return book.stream(relation).read_all()


replace_by = delta.replace_rows


def test_rows_of_another_company_are_refused_and_not_repeated(settings: Settings, tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    with pytest.raises(StorageError, match="não dá para escrever") as caught:
        replace_by(uri, rows_of(settings, "prata"), "ouro", 1)
    assert "prata" not in str(caught.value)
    assert not list(Path(uri).rglob("*.json"))


def test_a_run_replaces_its_companys_rows_and_is_found_again(settings: Settings, tmp_path: Path) -> None:
    from deltalake import DeltaTable

    uri = str(tmp_path / "t")
    rows = rows_of(settings, "ouro")
    replace_by(uri, rows, "ouro", 7)
    replace_by(uri, rows.slice(0, 3), "ouro", 9)
    table = DeltaTable(uri)
    assert len(table.to_pyarrow_table()) == 3
    (version,) = [commit["version"] for commit in table.history() if commit["execucao"] == "7"]
    assert len(DeltaTable(uri, version=version).to_pyarrow_table()) == len(rows)


def test_a_column_of_a_later_version_is_added_and_null_for_the_others(settings: Settings, tmp_path: Path) -> None:
    import pyarrow as pa
    from deltalake import DeltaTable

    uri = str(tmp_path / "t")
    rows = rows_of(settings, "ouro")
    replace_by(uri, rows_of(settings, "prata"), "prata", 1)
    replace_by(uri, rows.append_column("novo", pa.array(["x"] * len(rows))), "ouro", 2)
    table = DeltaTable(uri).to_pyarrow_table()
    pairs = {*zip(table["empresa"].to_pylist(), table["novo"].to_pylist(), strict=True)}
    assert pairs == {("ouro", "x"), ("prata", None)}


def test_a_company_without_rows_leaves_none_behind(settings: Settings, tmp_path: Path) -> None:
    from deltalake import DeltaTable

    uri = str(tmp_path / "t")
    rows = rows_of(settings, "ouro")
    replace_by(uri, rows, "ouro", 1)
    replace_by(uri, rows_of(settings, "prata"), "prata", 1)
    replace_by(uri, rows.slice(0, 0), "ouro", 2)
    assert set(DeltaTable(uri).to_pyarrow_table()["empresa"].to_pylist()) == {"prata"}


def test_who_is_overtaken_at_a_table_is_told_so(settings: Settings, tmp_path: Path) -> None:
    from deltalake import DeltaTable

    uri = str(tmp_path / "t")
    rows = rows_of(settings, "ouro")
    replace_by(uri, rows, "ouro", 1)

    def overtaken() -> Iterator[Any]:
        """Read slowly: the same company is written meanwhile."""
        yield from rows.slice(0, 1).to_batches()
        other = Thread(target=replace_by, args=(uri, rows, "ouro", 3))
        other.start()
        other.join()

    import pyarrow as pa

    late = pa.RecordBatchReader.from_batches(rows.schema, overtaken())
    with pytest.raises(StorageError, match="outro processo escreve nesta tabela"):
        replace_by(uri, late, "ouro", 2)
    assert len(DeltaTable(uri).to_pyarrow_table()) == len(rows)


def test_the_command(settings: Settings, tmp_path: Path) -> None:
    asked = ["delta", str(tmp_path / "t"), "--config", settings.origem]
    result = CliRunner().invoke(main, asked)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "t" / "mart" / "dre" / "_delta_log").is_dir()
    refused = CliRunner().invoke(main, ["delta", "s3://eu:segredo@balde", "--config", settings.origem])
    assert refused.exit_code == 2
    assert "segredo" not in refused.output


def test_a_bucket(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """An emulated S3: written and written again, no lock table."""
    server = pytest.importorskip("moto.server", reason="moto's server is not installed")
    boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
    from deltalake import DeltaTable

    emulated = server.ThreadedMotoServer(port=0, verbose=False)
    emulated.start()
    try:
        host, port = emulated.get_host_and_port()
        keys = {"AWS_ACCESS_KEY_ID": "chave", "AWS_SECRET_ACCESS_KEY": "segredo", "AWS_REGION": "us-east-1"}
        address = {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ALLOW_HTTP": "true"}
        for name, value in {**keys, **address}.items():
            monkeypatch.setenv(name, value)
        client = boto3.client("s3", endpoint_url=address["AWS_ENDPOINT_URL"], region_name="us-east-1")
        client.create_bucket(Bucket="balde")
        uri = "s3://balde/tabelas/core/linhas"
        rows = rows_of(settings, "ouro")
        for number in (1, 2):
            replace_by(uri, rows, "ouro", number)
        assert DeltaTable(uri).to_pyarrow_table()["empresa"].to_pylist() == ["ouro"] * len(rows)
        with pytest.raises(StorageError) as caught:
            replace_by("s3://outro/t", rows, "ouro", 1)
        assert "segredo" not in str(caught.value)
    finally:
        emulated.stop()
