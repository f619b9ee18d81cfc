"""Whatever lies in the entry folder, `lastro run` ends as it would without it, and tells what does not count."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from lastro.cli import main
from tests.served import copy_golden

NUMBER = "9" * 5_000
LINE = "<STMTTRN><DTPOSTED>20260301<TRNAMT>{}<MEMO>{}</STMTTRN>\n"
OFX = "<OFX><STMTRS><BANKACCTFROM><BANKID>1<ACCTID>{}</BANKACCTFROM>\n"
FILES = {
    "saldos.csv": f"data;conta;saldo\n2026-02-28;{NUMBER};1,00\n" + "ontem;101;1,00\n" * 2_000,
    "orcamento.csv": '"' + "x" * 200_000 + '";mes\n',
    "extratos/numero.ofx": OFX.format(77) + LINE.format("9" * 1_100_000, "x") + LINE.format("1.500", "y"),
    "extratos/contas.ofx": "".join(OFX.format(number) + LINE.format("1,00", "z") for number in range(1_100)),
    "comentarios/2026-02.txt": "\0" * 200_000,
}
"""What each of them made of a run before: a traceback, or minutes."""
KPIS = """SELECT * FROM ops.kpis WHERE execucao_id = (SELECT max(execucao_id) FROM ops.kpis)
AND kpi <> 'verificacoes_com_falha' ORDER BY ALL"""
"""Every figure; what is not read is an alert more."""


@pytest.fixture
def folder(first_run: Path, tmp_path: Path) -> Path:
    """The golden company after its first run."""
    copy_golden(first_run, tmp_path, "http://127.0.0.1:9")
    return tmp_path


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / "dados/ouro/entrada" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def ask(folder: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(folder / "dados/ouro/lastro.duckdb"), read_only=True) as con:
        return con.execute(sql).fetchall()


def test_the_run_goes_on_and_says_line_by_line_what_does_not_count(folder: Path) -> None:
    before = [row[1:] for row in ask(folder, KPIS)]
    put(folder, FILES)
    asked = ["run", "--config", str(folder / "lastro.toml"), "--modo", "recalculo"]
    ended = CliRunner().invoke(main, asked)
    assert ended.exit_code == 0
    output = ended.output
    assert [row[1:] for row in ask(folder, KPIS)] == before
    # 2,001 lines of saldos.csv and two of a statement; the budget and another statement as a whole.
    unread = "2 arquivos não lidos · 1 extrato de conta não ligada"
    assert f" alertas · 2003 linhas de arquivos não contam · {unread}" in output
    assert "      entrada/extratos/numero.ofx, linha 3: não entendi o valor: 1.500 é ambíguo" in output
    assert "      entrada/extratos/contas.ofx: tem contas demais para um extrato" in output
    assert '      extrato = ["1/77"]\n' in output
    assert output.count("entrada/saldos.csv, linha ") == 10
    assert "      mais 991: lastro sql Q37\n" in output
    assert "      entrada/orcamento.csv: linha 1: não é um cabeçalho" in output
    assert len(output) < 12_000
    assert ask(folder, "SELECT arquivo, aceitas, rejeitadas FROM ops.arquivos WHERE rejeitadas > 0 ORDER BY ALL") == [
        ("entrada/extratos/numero.ofx", 0, 2), ("entrada/saldos.csv", 0, 2_001),
    ]  # fmt: skip
    assert ask(folder, "SELECT count(*), max(linha) FROM raw.arquivo_rejeitados WHERE arquivo ILIKE '%saldos.csv'") == [
        (1_001, 1_002)
    ]


def test_a_header_that_is_none_is_one_sentence_where_balances_are_typed(folder: Path) -> None:
    put(folder, {"saldos.csv": "x" * 200_000 + "\n"})
    config = str(folder / "lastro.toml")
    for words in (
        ["ouro"],
        ["ouro", "--em", "2026-02-28", "101=7900,00"],
        ["ouro", "--em", "2026-02-28", f"{NUMBER}=1"],
    ):
        ended = CliRunner().invoke(main, ["saldos", "--config", config, *words])
        assert ended.exit_code in (0, 2)
        assert ended.exception is None or isinstance(ended.exception, SystemExit)
        told = ended.output.splitlines()[-1]
        assert "não é um cabeçalho" in told or "não existe; as contas são" in told
        assert len(told) < 400
