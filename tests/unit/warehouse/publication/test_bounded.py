"""One question in a process of its own: what it answers, and what it can neither read, change nor hold up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from lastro.errors import ConfigError
from lastro.warehouse.publication.bounded import Bounds, ask_bounded

pytestmark = pytest.mark.medio
BOUNDS = Bounds(segundos=1, linhas=10, memoria=64)
ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
LARGE = "SELECT string_agg(range::VARCHAR || repeat('x', 9999)) FROM range(99999)"
SHUT = "lê um arquivo, um endereço ou uma extensão: só há o que está publicado"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("base") / "lastro.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE t AS SELECT 'João' AS nome, 12.50::DECIMAL(18,2) AS valor")
    content = path.read_bytes()
    yield path
    assert path.read_bytes() == content, "nothing that was asked has changed it"


def refuse(database: Path, text: str) -> str:
    target = database.parent / "resposta.parquet"
    target.unlink(missing_ok=True)
    with pytest.raises(ConfigError) as told:
        ask_bounded(database, f"-- Título: Uma\n{text}", target, BOUNDS)
    return str(told.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SELECT nome,\n  idade FROM t", 'linha 3: o DuckDB diz: Binder Error: Referenced column "idade" not found'),
        ("SELECT valor\nFORM t;", "linha 3: o DuckDB diz: Parser Error: syntax error at or near"),
        ("FROM u", "linha 2: o DuckDB diz: Catalog Error: Table with name u does not exist!"),
        ("SELECT nome::INTEGER FROM t", "linha 2: um valor não serve para o que se pede dele (ConversionException)"),
        ("SELECT error(nome) FROM t", "um valor não serve para o que se pede dele (InvalidInputException)"),
        ("SELECT 1e300 AS grande", "um valor não serve para o que se pede dele (ConversionException)"),
        ("SELECT 1; SELECT 2", "2 comandos"),
        ("EXPLAIN SELECT 1", "EXPLAIN é para ler na tela"),
        ("DELETE FROM t", "DELETE não é pergunta"),
        ("COPY t TO '{folder}/fora.csv'", "COPY não é pergunta"),
        ("ATTACH '{folder}/outro.duckdb'", "ATTACH não é pergunta"),
        ("INSTALL httpfs", "INSTALL não é pergunta"),
        ("LOAD httpfs", "LOAD não é pergunta"),
        ("PRAGMA enable_external_access = true", "não é pergunta"),
        ("SET enable_external_access = true", "SET não é pergunta"),
        ("FROM read_text('/etc/hostname')", SHUT),
        ("FROM read_csv('http://127.0.0.1:9/x.csv')", SHUT),
        ("SELECT getenv('HOME')", "o DuckDB diz: Catalog Error"),
        (f"SELECT {', '.join(f'{place} AS c{place}' for place in range(101))}", "tem 101 colunas; o limite é 100"),
        ("FROM range(11)", "tem mais de 10 linhas: some por chaves, ou peça as primeiras (LIMIT)"),
        (LARGE, "parada na memória: passa de 64 MB"),
        (ENDLESS, "parada aos 1 s: peça menos, ou junte por chaves"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_told_and_leaves_nothing(database: Path, text: str, told: str) -> None:
    said = refuse(database, text.format(folder=database.parent))
    assert told in said
    assert "linha 1:" not in said, "there is the head"
    assert "João" not in said
    assert [path.name for path in database.parent.iterdir() if path.suffix != ".parquet"] == ["lastro.duckdb"]


def test_an_answer_has_the_types_of_sheets_and_no_figure_that_is_none(database: Path) -> None:
    target = database.parent / "certa.parquet"
    asked = """-- Título: Uma
    SELECT sum(valor) AS soma, count(*) AS n, sum(7) AS grande, 1.005 AS fator, 2 / 4 AS meio, valor / 0 AS nada,
      12.34::DECIMAL(24,2) AS pct, 'infinity'::DATE AS nunca, DATE '2026-03-16' AS dia, [nome] AS lista, true AS certo,
      nome AS "a ""b"
    FROM t GROUP BY ALL  -- e só
    ; -- fim
    """
    ask_bounded(database, asked, target, BOUNDS)
    read = duckdb.read_parquet(str(target))
    money, exact = "DECIMAL(18,2)", "DECIMAL(18,4)"
    kinds = [money, "BIGINT", "BIGINT", exact, exact, exact, "DECIMAL(24,2)", "DATE", "DATE", "VARCHAR", "BOOLEAN"]
    assert [str(kind) for kind in read.types] == [*kinds, "VARCHAR"]
    values = ("12.50", "1", "7", "1.0050", "0.5000", "None", "12.34", "None", "2026-03-16", "[João]", "True", "João")
    assert [tuple(map(str, row)) for row in read.fetchall()] == [values]
    target = target.with_stem("girada")
    ask_bounded(database, "PIVOT t ON nome USING sum(valor)", target, BOUNDS)
    assert duckdb.read_parquet(str(target)).columns == ["João"]
