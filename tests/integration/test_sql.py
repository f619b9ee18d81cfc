"""`lastro sql`: a question, a report by its name, every format, and what cannot be asked."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from itertools import cycle
from pathlib import Path

import duckdb
import pytest
import yaml  # type: ignore[import-untyped]
from click.testing import CliRunner, Result

from lastro.cli import main
from lastro.manual import list_topics, read_page
from lastro.quality.queries import ROOMS, read_findings, read_queries
from lastro.schema.tables import VERSIONED
from lastro.warehouse.file.report_tables import FIRST_VIEWS
from lastro.warehouse.publication.adhoc_queries import shut_off
from tests.marks import thinned
from tests.served import copy_golden

BALANCES = "SELECT conta_id, conta, saldo FROM mart.saldos_em(DATE '2026-03-16') ORDER BY conta_id"
ROWS = [("101", "Banco Alfa", "13780.00"), ("102", "Poupança", "2200.00")]


@pytest.fixture(scope="module")
def folder(first_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sql")
    copy_golden(first_run, place, "http://127.0.0.1:1")
    return place


@pytest.fixture
def lastro(folder: Path) -> Callable[..., Result]:
    def call(*arguments: str, typed: str | None = None) -> Result:
        result = CliRunner().invoke(main, ["sql", *arguments, "--config", str(folder / "lastro.toml")], input=typed)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return call


def test_a_question_is_answered_as_a_table(lastro: Callable[..., Result]) -> None:
    lines = [line.split(None, 1) for line in lastro(BALANCES + ";").stdout.splitlines()]
    assert lines[0][0] == "conta_id"
    assert [(first, *rest.rsplit(None, 1)) for first, rest in lines[1:]] == [
        (number, name, amount) for number, name, amount in ROWS
    ]


def test_csv_json_and_parquet_hold_the_same_exactly(lastro: Callable[..., Result], tmp_path: Path) -> None:
    table = list(csv.reader(io.StringIO(lastro(BALANCES, "--formato", "csv").stdout)))
    assert table == [["conta_id", "conta", "saldo"], *map(list, ROWS)]
    records = json.loads(lastro("-", "--formato", "json", typed=BALANCES).stdout, parse_float=pytest.fail)
    assert records == [{"conta_id": int(number), "conta": name, "saldo": amount} for number, name, amount in ROWS]
    target = tmp_path / "saldos.parquet"
    assert lastro(BALANCES, "--formato", "parquet", "--saida", str(target)).exit_code == 0
    with duckdb.connect() as con:
        found = con.execute(
            "SELECT conta_id::VARCHAR, conta, saldo::VARCHAR, typeof(saldo) FROM read_parquet(?)", [str(target)]
        ).fetchall()
    assert found == [(*row, "DECIMAL(18,2)") for row in ROWS]
    file = tmp_path / "saldos.csv"
    assert lastro(BALANCES, "--formato", "csv", "--saida", str(file)).stdout == ""
    assert list(csv.reader(io.StringIO(file.read_text(encoding="utf-8")))) == table


def test_sources_of_dbt_have_keys_types_and_comments(
    lastro: Callable[..., Result], folder: Path, tmp_path: Path
) -> None:
    target = tmp_path / "sources.yml"
    told = lastro("--dbt").stdout
    assert lastro("--dbt", "--saida", str(target)).exit_code == 0
    assert target.read_text(encoding="utf-8") == told
    read = yaml.safe_load(told)
    assert (read["version"], [source["schema"] for source in read["sources"]]) == (2, ["mart", "hist", "core"])
    with duckdb.connect(str(folder / "dados" / "ouro" / "lastro.duckdb"), read_only=True) as con:
        wanted = con.execute(
            "SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns() WHERE schema_name "
            "IN ('mart', 'core') OR (schema_name = 'hist' AND table_name IN (SELECT unnest($1))) ORDER BY ALL",
            [[*VERSIONED]],
        ).fetchall()
    listed = [
        (source["schema"], table["name"], column["name"], column["data_type"], column["description"])
        for source in read["sources"]
        for table in source["tables"]
        for column in table["columns"]
    ]
    assert sorted(listed) == wanted
    tables = {table["name"]: table for table in read["sources"][0]["tables"]}
    assert tables["a_receber"]["meta"] == {"chave": ["titulo_id"]}
    (first,) = [column for column in tables["a_receber"]["columns"] if column["name"] == "titulo_id"]
    assert first["data_tests"] == ["not_null", "unique"]
    assert tables["dre"]["meta"] == {"chave": ["codigo", "nivel", "linha", "mes"]}
    assert tables["dre"]["description"].startswith("R06: ")
    assert [name for name, table in tables.items() if "tags" in table] == [*tables][:8] == [*FIRST_VIEWS]
    assert tables["lancamentos"]["tags"] == ["comece_aqui"]
    versions = {table["name"]: table["meta"]["chave"] for table in read["sources"][1]["tables"]}
    assert versions["titulos"] == ["titulo_id", "valido_de"]


def test_models_of_the_page_of_dbt_are_answered_by_an_attached_file(folder: Path) -> None:
    models = re.findall(r"```sql\n(.*?)```", read_page("dbt"), re.DOTALL)
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{folder / 'dados' / 'ouro' / 'lastro.duckdb'}' AS acme (READ_ONLY)")
        moved, changed = (
            con.execute(re.sub(r"\{\{ source\('(\w+)', '(\w+)'\) \}\}", r"acme.\1.\2", model)).fetchall()
            for model in models
        )
    # Of account 102: 800.00 came in February; 600.00 were paid in March.
    assert [row[0:1] + row[2:] for row in moved if row[1] == 102] == [
        (date(2026, 2, 1), Decimal("800.00")), (date(2026, 3, 1), Decimal("-600.00")),
    ]  # fmt: skip
    assert changed == []  # of one reading there is one version


def test_a_report_is_asked_by_its_name(lastro: Callable[..., Result]) -> None:
    (total,) = json.loads(lastro("SELECT count(*) AS n FROM mart.dre", "--formato", "json").stdout)
    assert len(json.loads(lastro("dre", "--formato", "json").stdout)) == total["n"] > 0
    assert json.loads(lastro("core.linhas", "--formato", "json").stdout)
    codes = [part.number for part in list_topics() if part.page == "relatorios" and part.number.startswith("R")]
    for code in codes[::6]:
        asked = lastro(code.lower(), "--formato", "json")
        assert (asked.exit_code, "as outras visões de" in asked.stderr) == (0, True), code
    assert lastro("R06", "--formato", "csv").stdout == lastro("dre", "--formato", "csv").stdout
    assert "R42 não é relatório. São: R00, R01" in lastro("R42").stderr
    wrong = lastro("dree")
    assert (wrong.exit_code, "não há relatório nem tabela «dree». Seria dre?" in wrong.stderr) == (2, True)
    unlike = lastro("nada_disso_existe")
    assert (unlike.exit_code, "Relatórios: " in unlike.stderr, "saldos_por_conta" in unlike.stderr) == (2, True, True)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("SELEC 1", "SQL: Parser Error"),
        ("SELECT nada FROM core.linhas", "SQL: Binder Error"),
        ("DELETE FROM core.linhas", "só lê"),
        ("SELECT 1; SELECT 2", "2 comandos"),
        (" ; ", "falta a pergunta"),
    ],
)
def test_what_cannot_be_asked_is_told(lastro: Callable[..., Result], question: str, told: str) -> None:
    result = lastro(question)
    assert result.exit_code == 2
    assert told in result.stderr


def test_which_file_must_be_clear(lastro: Callable[..., Result], folder: Path) -> None:
    assert "ainda não há nada publicado" in lastro("SELECT 1", "--grupo").stderr
    assert lastro("SELECT 1", "--formato", "parquet").exit_code == 2
    both = lastro("SELECT 1", "--grupo", "--empresa", "ouro")
    assert (both.exit_code, "tire --empresa" in both.stderr) == (2, True)
    path = folder / "duas.toml"
    text = (folder / "lastro.toml").read_text(encoding="utf-8")
    path.write_text(text + '\n[[empresa]]\nid = "b"\nnome = "B"\nbase_url = "https://b.example.com"\ntoken_env = "B"\n')
    result = CliRunner().invoke(main, ["sql", "SELECT 1", "--config", str(path)])
    assert "acrescente --empresa (uma de ouro, b), ou --grupo" in result.stderr


WORLD = {
    "COPY (SELECT 1) TO '{out}'": "COPY não é pergunta",
    "COPY (PIVOT core.contas ON conta_id) TO '{out}'": "COPY não é pergunta",
    "EXPORT DATABASE '{out}'": "EXPORT não é pergunta",
    "ATTACH '{out}'": "ATTACH não é pergunta",
    "INSTALL excel": "INSTALL não é pergunta",
    "LOAD json": "LOAD não é pergunta",
    "SET threads = 1": "SET não é pergunta",
    "RESET threads": "RESET não é pergunta",
    "PRAGMA database_list": "PRAGMA não é pergunta",
    "CALL pragma_version()": "CALL não é pergunta",
    "CHECKPOINT": "CHECKPOINT não é pergunta",
    "/* SELECT */ CREATE TEMP TABLE t AS SELECT 1": "CREATE não é pergunta",
    "CREATE TEMP TABLE t AS PIVOT core.contas ON conta_id": "CREATE não é pergunta",
    "INSERT INTO core.contas SELECT * FROM core.contas": "INSERT não é pergunta",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{out}'": "EXPLAIN não é pergunta",
    "EXPLAIN /**/ ANALYZE COPY (SELECT 1) TO '{out}'": "EXPLAIN não é pergunta",
    "EXPLAIN (ANALYZE, FORMAT json) CREATE TEMP TABLE t AS SELECT 1": "EXPLAIN não é pergunta",
    "WITH w AS (DELETE FROM core.contas RETURNING 1) SELECT * FROM w": "SQL: ",
    "SELECT * FROM read_text('{secret}')": "mais nada",
    "SELECT * FROM read_csv('{secret}')": "mais nada",
    "SELECT * FROM read_parquet('{secret}')": "mais nada",
    "SELECT * FROM read_json('{secret}')": "mais nada",
    "SELECT * FROM read_duckdb('{private}')": "mais nada",
    "SELECT * FROM glob('{secret}*')": "mais nada",
    "FROM '{secret}'": "mais nada",
    "FROM '{private}'": "mais nada",
    "FROM 'http://127.0.0.1:1/a.csv'": "mais nada",
    "EXPLAIN ANALYZE FROM read_text('{secret}')": "SQL: ",
    "SELECT * FROM query('FROM read_text(''{secret}'')')": "mais nada",
    "FROM published": "published does not exist",
    "SELECT getenv('HOME')": "getenv does not exist",
    "SELECT 1) TO '{out}' --": "Parser Error",
    "SELECT 1; COPY (SELECT 1) TO '{out}'": "2 comandos",
}
"""What would write, or read what is not published; `published` is a variable of Python's."""


@pytest.mark.parametrize("formato", thinned(("tabela", "csv", "parquet"), default=("parquet",)))
def test_a_question_reads_what_is_published_and_nothing_else(
    lastro: Callable[..., Result], folder: Path, tmp_path: Path, formato: str
) -> None:
    secret, out, target = tmp_path / "secret.csv", tmp_path / "out", tmp_path / f"t.{formato}"
    secret.write_text("a\nSEGREDO\n")
    private = folder / "dados/ouro/privado/lastro.duckdb"
    before = {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
    into = () if formato == "tabela" else ("--saida", str(target))
    for question, told in WORLD.items():
        result = lastro(question.format(secret=secret, out=out, private=private), "--formato", formato, *into)
        assert (question, result.exit_code, result.stdout) == (question, 2, "")
        assert told in result.stderr
        assert "SEGREDO" not in result.stderr
    assert {path: path.lstat().st_mtime_ns for path in folder.rglob("*")} == before
    assert [*tmp_path.iterdir()] == [secret]


def test_every_kind_of_question_is_answered_and_written(lastro: Callable[..., Result], tmp_path: Path) -> None:
    formats = cycle(("tabela", "csv", "csv-excel", "json", "parquet"))
    for number, question in enumerate(
        (
            "SELECT 1 --",
            "SELECT 'ç;'; -- ;",
            "WITH w AS (SELECT 1) SELECT * FROM w;;",
            "VALUES (1), (2)",
            "FROM core.contas",
            "FROM mart.saldos_em(DATE '2026-03-16')",
            "PIVOT core.contas ON conta_id USING count(*)",
            "SHOW TABLES",
            "SHOW ALL TABLES",
            "DESCRIBE core.contas",
            "SUMMARIZE core.contas",
            "FROM pragma_table_info('core.contas')",
        )
    ):
        target = tmp_path / f"{number}.{(formato := next(formats))}"
        into = () if formato == "tabela" else ("--saida", str(target))
        told = lastro(question, "--formato", formato, *into)
        assert told.exit_code == 0, (question, formato)
        if not into:
            assert told.stdout
            continue
        assert target.stat().st_size > 0
    for question in ("EXPLAIN FROM core.contas", "EXPLAIN ANALYZE SELECT 1", "explain (format json) SELECT 1 --"):
        assert [lastro(question, "--formato", formato).exit_code for formato in ("tabela", "csv", "json")] == [0, 0, 0]
    parquet = lastro("EXPLAIN SELECT 1", "--formato", "parquet", "--saida", str(tmp_path / "e"))
    assert (parquet.exit_code, "EXPLAIN é para ler" in parquet.stderr) == (2, True)


def test_a_sort_larger_than_memory_goes_to_the_disk(folder: Path) -> None:
    published = str(folder / "dados/ouro/lastro.duckdb")
    with duckdb.connect(published, read_only=True, config={"memory_limit": "40MB", "threads": 1}) as con:
        shut_off(con)
        con.execute("SELECT i, repeat(md5(i::VARCHAR), 4) AS t FROM range(500000) r(i) ORDER BY t")
        assert len(con.fetchmany(1)) == 1
        (spilled,) = con.cursor().execute("SELECT count(*) FROM duckdb_temporary_files()").fetchall()[0]
        assert spilled > 0
    assert not [*(folder / "dados/ouro").rglob("*.tmp")]


def test_a_file_to_write_is_no_file_of_lastros_and_no_link(
    lastro: Callable[..., Result], folder: Path, tmp_path: Path
) -> None:
    dados, person = folder / "dados", tmp_path / "person.json"
    person.write_text("mine")
    (tmp_path / "link.json").symlink_to(person)
    (tmp_path / "way").symlink_to(dados / "ouro")
    (tmp_path / "elsewhere").mkdir()
    (dados / "ouro/anexos").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "fifo.json")
    (workbook,) = (dados / "ouro/relatorios").glob("gerencial_*.xlsx")
    own = (
        folder / "lastro.toml", dados / "ouro/lastro.duckdb", dados / "ouro/privado/lastro.duckdb", workbook,
        dados / "registro.db", dados / "new.json", dados / "ouro/../new.json", tmp_path / "way/new.json",
        tmp_path / "elsewhere/new.json", tmp_path / "link.json", tmp_path / "fifo.json", Path("/dev/null"),
    )  # fmt: skip
    before = {path: path.read_bytes() for path in [*folder.rglob("*"), person] if path.is_file()}
    for target in own:
        for formato in ("json", "csv", "parquet"):
            result = lastro("SELECT 1", "--formato", formato, "--saida", str(target))
            assert (target, result.exit_code, "Escolha " in result.stderr) == (target, 2, True)
    assert {path: path.read_bytes() for path in [*folder.rglob("*"), person] if path.is_file()} == before
    (dados / "ouro/anexos").unlink()


def test_copies_go_into_no_folder_of_lastros_but_the_one_for_them(folder: Path, tmp_path: Path) -> None:
    dados = folder / "dados"
    (tmp_path / "way").symlink_to(dados)
    own = ("ouro", "ouro/privado", "ouro/relatorios", "ouro/entrada/aqui", "novo", "ouro/../ouro/publicado")

    def export(place: Path) -> Result:
        asked = ["exportar", "--formato", "csv", "--pasta", str(place), "R01", "--config", str(folder / "lastro.toml")]
        return CliRunner().invoke(main, asked)

    before = sorted(folder.rglob("*"))
    for place in (*(dados / name for name in own), dados, tmp_path / "way/ouro/relatorios"):
        result = export(place)
        assert (place, result.exit_code, "pasta do próprio lastro" in result.stderr) == (place, 2, True)
    assert sorted(folder.rglob("*")) == before
    for place in (tmp_path / "minha/pasta", dados / "ouro/exportados"):
        assert export(place).exit_code == 0
        assert list(place.glob("*/*.csv"))


def test_a_persons_file_is_replaced_whole_or_not_at_all(lastro: Callable[..., Result], tmp_path: Path) -> None:
    target = tmp_path / "mine.csv"
    target.write_text("before")
    target.chmod(0o644)
    twin = tmp_path / "twin"
    twin.hardlink_to(target)
    assert lastro("SELECT error('later')", "--formato", "csv", "--saida", str(target)).exit_code == 2
    assert target.read_text() == "before"
    assert lastro("SELECT 1 AS a", "--formato", "csv", "--saida", str(target)).exit_code == 0
    assert (target.read_text().split(), target.stat().st_mode & 0o777) == (["a", "1"], 0o644)
    assert twin.read_text() == "before"
    assert {path.name for path in tmp_path.iterdir()} == {"mine.csv", "twin"}
    nowhere = lastro("SELECT 1", "--formato", "csv", "--saida", str(tmp_path / "nowhere/a.csv"))
    assert (nowhere.exit_code, "No such file" in nowhere.stderr) == (2, True)


def test_csv_for_excel_in_brazil_has_its_marks(lastro: Callable[..., Result], tmp_path: Path) -> None:
    question = """SELECT -1234.50::DECIMAL(18,2) AS valor, 7 AS n, DATE '2026-03-16' AS dia, true AS pago,
        NULL AS nada, TIMESTAMP '2026-03-16 10:11:12.345' AS hora, 'a;b' AS texto, '-5' AS conta"""
    target = tmp_path / "a.csv"
    assert lastro(question, "--formato", "csv-excel", "--saida", str(target)).exit_code == 0
    written = target.read_bytes().decode("utf-8")
    assert written == lastro(question, "--formato", "csv-excel").stdout.replace("\n", "\r\n")
    assert written == (
        "\ufeffvalor;n;dia;pago;nada;hora;texto;conta\r\n"
        '-1234,50;7;16/03/2026;VERDADEIRO;;16/03/2026 10:11:12;"a;b";\'-5\r\n'
    )


def test_a_name_that_became_a_column_is_guarded_too(lastro: Callable[..., Result]) -> None:
    pivot = "PIVOT (SELECT '=1+1' AS nome, 2 AS valor) ON nome USING sum(valor)"
    assert lastro(pivot, "--formato", "csv").stdout.split() == ["'=1+1", "2"]


@pytest.mark.parametrize("number", thinned(read_queries(), default=("V05", "V09", "V15", "V19")))
def test_a_check_is_asked_by_its_number(lastro: Callable[..., Result], number: str) -> None:
    assert lastro(number.lower(), "--formato", "csv").stdout.splitlines() == ["chave,esperado,encontrado"]
    whole = list(csv.reader(io.StringIO(lastro(number, "--tudo", "--formato", "csv").stdout)))
    # Of a first run there is nothing before. V09 is of the day of the extraction, V15 of a composite read in detail,
    # V30 compares nothing in a scope alone, and what was received is lacking on a past day.
    others = {"V09", "V10", "V14", "V15", "V21", "V30", "V34", "V35", "V36", "V37"}
    told = "Sem comparações" in read_queries()[number].fatos and number not in others
    assert (len(whole) > 1) != told
    assert all(expected == found for _, expected, found in whole[1:])


def test_what_is_no_check_that_can_be_asked_is_told(lastro: Callable[..., Result]) -> None:
    assert "V99 não é consulta" in lastro("v99").stderr
    assert "--tudo só vale para uma verificação" in lastro("dre", "--tudo").stderr


def test_every_check_runs_without_lastro(folder: Path) -> None:
    """What DuckDB's own client does with what the manual prints and the published file; a damaged figure is seen."""
    copy = folder / "copia.duckdb"
    shutil.copy(folder / "dados/ouro/lastro.duckdb", copy)
    copy.chmod(0o600)
    # A bank without files and a closing have no tables here.
    there = {
        number: query for number, query in read_queries(*ROOMS).items() if number not in ("V24", "V25", "V26", "V40")
    }
    with duckdb.connect(str(copy)) as con:
        assert con.execute("SELECT mart.data_base(), data_extracao FROM ops.relatorio").fetchall() == [
            (date(2026, 3, 16), date(2026, 3, 16))
        ]
        for number, query in there.items():
            for statement in con.extract_statements(query.texto):
                answer = con.execute(statement)
                if [column[0] for column in answer.description[:3]] == ["chave", "esperado", "encontrado"]:
                    assert all(expected == found for _, expected, found, *_ in answer.fetchall()), (
                        number,
                        statement.query,
                    )
        first = con.extract_statements(read_queries()["V05"].texto)[0]
        con.execute("UPDATE mart.ponte SET valor = valor + 0.01 WHERE linha = 'b' AND mes = DATE '2026-03-01'")
        differing = [row for row in con.execute(first).fetchall() if row[1] != row[2]]
        con.execute("UPDATE posicao.titulos SET pago = NOT pago WHERE titulo_id = 1004")
        rows = [
            row
            for one in con.extract_statements(read_queries()["V06"].texto)[:2]
            for row in con.execute(one).fetchall()
        ]
    assert differing == [("Ponte · 2026-03 · b", Decimal("-4500.00"), Decimal("-4499.99"))]
    assert [chave for chave, expected, found, _ in rows if expected != found] == ["Posição · título 1004"]


def test_every_finding_can_be_asked_again_of_the_published_file(folder: Path, lastro: Callable[..., Result]) -> None:
    with duckdb.connect(str(folder / "dados/ouro/lastro.duckdb"), read_only=True) as con:
        for rule, query in read_findings().items():
            first, *rest = con.extract_statements(query.texto)
            names = [column[0] for column in con.execute(first).description or ()]
            asked = con.execute(first).fetchall()
            kept = con.execute(
                f"SELECT {', '.join(names)} FROM mart.achados_itens WHERE regra = ? ORDER BY ALL",  # noqa: S608 - ours
                [rule],
            ).fetchall()
            assert sorted(asked, key=repr) == sorted(kept, key=repr), rule
            assert all(len(con.execute(select).fetchall()) == 1 for select in rest), rule
    table = list(csv.reader(io.StringIO(lastro("q20", "--formato", "csv").stdout)))
    assert table[0] == ["tipo", "id", "valor"]
    assert {row[1] for row in table[1:]} == {"11", "12", "20", "21", "22", "23", "24"}
    assert lastro("Q20", "--tudo").exit_code == 2
