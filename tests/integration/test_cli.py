"""The commands as a person meets them: exit codes and messages of the error table, JSON, help; never a traceback."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from lastro.api.retry import RetryPolicy
from lastro.catalogue import Catalogue
from lastro.cli import main
from lastro.commands.company_run import run_one
from lastro.commands.outcome_text import print_result
from lastro.grid.verdict import Trust, Verification
from lastro.run.order import RunOrder, RunResult
from lastro.transform.labels import Labels
from lastro.warehouse.file.lock import CompanyLock
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.integration.told import TOKEN, read_told
from tests.served import TOKEN_VARIABLE, write_settings

GOLDEN_DAY = expected.D.isoformat()
HASTY = RetryPolicy(base=0.01, cap=0.05)
"""Try as often as ever, but wait less: what is told is under test, not the waiting."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in an empty folder with an empty environment, and leave the logger of Dagster as it was."""
    level = logging.getLogger("dagster").level
    for name in list(os.environ):
        if name.startswith(("LASTRO_", "DAGSTER_", "SANDBOX_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    logging.getLogger("dagster").setLevel(level)


def lastro(*arguments: str, policy: RetryPolicy | None = None, env: Mapping[str, str] | None = None) -> Result:
    result = CliRunner().invoke(main, arguments, env=env, obj=policy)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert "Traceback" not in result.output
    assert TOKEN not in result.output
    return result


def one_line(result: Result) -> str:
    return re.sub(r"\s+", " ", result.stderr)


def test_without_settings_both_ways_are_told(place: Path) -> None:
    result = lastro("run")
    assert result.exit_code == 2
    for part in ("lastro.toml", "LASTRO_BASE_URL", "LASTRO_ACCESS_TOKEN", "LASTRO_CONTAS", "LASTRO_DIR"):
        assert part in result.stderr
    assert result.stdout == ""
    assert list(place.iterdir()) == []


def test_all_mistakes_of_the_settings_are_told_at_once(place: Path) -> None:
    (place / "lastro.toml").write_text(
        '[[empresa]]\nid = "A B"\nnome = "A"\nbase_url = "x"\n[empresa.parametros]\nnada = 1\n', encoding="utf-8"
    )
    result = lastro("run")
    assert result.exit_code == 2
    for part in (".id: ", ".base_url: ", ".token_env: falta", "parametros.nada: chave desconhecida"):
        assert part in result.stderr
    assert len(result.stderr.strip().splitlines()) == 4


@pytest.mark.parametrize(
    "arguments", [("run",), ("run", "--json"), ("run", "--data-base", GOLDEN_DAY), ("run", "--data-base", "16/03/2026")]
)
def test_a_missing_token_names_its_variable(place: Path, arguments: tuple[str, ...]) -> None:
    write_settings(place, golden_company(), "http://127.0.0.1:1")
    result = lastro(*arguments)
    assert result.exit_code == 2
    assert f"a variável {TOKEN_VARIABLE} não está definida. Ponha ali" in one_line(result)
    assert f"export {TOKEN_VARIABLE}=..." in one_line(result)
    assert not (place / "dados").exists()


def test_an_unknown_company_names_those_there_are(place: Path) -> None:
    write_settings(place, golden_company(), "http://127.0.0.1:1")
    result = lastro("run", "--empresa", "prata", env={TOKEN_VARIABLE: TOKEN})
    assert result.exit_code == 2
    assert "não há empresa «prata». Há: ouro." in one_line(result)


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--data-base", "03/16/2026"),
        ("run", "--config", "."),
        ("run", "--nada"),
        ("run", "--fechamento", "2026-13"),
        ("nada",),
        ("run", "sobra"),
        ("demo", "--lancamentos", "-5"),
        ("demo", "--hoje", "1800-01-01"),
    ],
)
def test_wrong_arguments_are_told_by_click(arguments: tuple[str, ...]) -> None:
    result = lastro(*arguments)
    assert result.exit_code == 2
    assert "Ajuda: " in result.stderr


def test_a_wrong_token_is_told_within_a_dozen_requests(place: Path) -> None:
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        write_settings(place, golden_company(), service.base_url)
        result = lastro("run", "--data-extracao", GOLDEN_DAY, env={TOKEN_VARIABLE: "o-errado-1234"})
        assert 1 <= len(service.requests) <= 12
    assert result.exit_code == 3
    assert "/v1/categorias: o serviço recusa o token de acesso (HTTP 401)" in one_line(result)
    assert f"Confira a variável {TOKEN_VARIABLE}, e base_url" in one_line(result)
    assert "o-errado" not in result.output
    assert not (place / "dados" / "ouro" / "lastro.duckdb").exists()


def test_a_host_that_does_not_answer_is_told(place: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        write_settings(place, golden_company(), f"http://127.0.0.1:{port}")
        result = lastro("run", policy=HASTY, env={TOKEN_VARIABLE: TOKEN})
    assert result.exit_code == 3
    assert "resposta legível" in one_line(result)
    assert "ninguém escuta ali" in one_line(result)
    assert "base_url" in result.stderr


async def show_a_page(_request: Request) -> Response:
    return HTMLResponse("<html><body>Bem-vindo</body></html>")


def test_an_address_that_answers_web_pages_is_told(place: Path) -> None:
    app = Starlette(routes=[Route("/{path:path}", show_a_page)])
    app.state.requests, app.state.books = [], golden_company()
    with serve(app) as service:
        write_settings(place, golden_company(), service.base_url)
        result = lastro("run", policy=HASTY, env={TOKEN_VARIABLE: TOKEN})
    assert result.exit_code == 3
    assert "não é JSON" in one_line(result)
    assert "Bem-vindo" not in result.output


def test_a_wrong_path_of_the_right_host_is_told(place: Path) -> None:
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        write_settings(place, golden_company(), f"{service.base_url}/api")
        result = lastro("run", env={TOKEN_VARIABLE: TOKEN})
        assert len(service.requests) <= 12
    assert result.exit_code == 3
    assert "/api/v1/categorias: o serviço recusa o pedido (HTTP 404)" in one_line(result)
    assert "base_url" in result.stderr


def test_a_busy_company_names_the_other_process(place: Path) -> None:
    settings = write_settings(place, golden_company(), "http://127.0.0.1:1")
    lock = CompanyLock(settings.pasta(settings.empresas[0]))
    lock.acquire("pid 4321, since 2026-03-16 09:00:00 UTC")
    try:
        result = lastro("run", env={TOKEN_VARIABLE: TOKEN})
    finally:
        lock.release()
    assert result.exit_code == 5
    assert "pid 4321" in one_line(result)
    assert "boot" not in result.stderr


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--data-base", "2026-03-17"), "data_base 2026-03-17 é posterior à extração"),
        (("--fechamento", "2190-01"), "fechamento 2190-01: o mês ainda não acabou em "),
    ],
)
def test_a_day_that_no_run_can_take_is_refused_before_anything_is_asked(
    place: Path, asked: tuple[str, str], told: str
) -> None:
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        write_settings(place, golden_company(), service.base_url)
        result = lastro("run", "--data-extracao", GOLDEN_DAY, *asked, env={TOKEN_VARIABLE: TOKEN})
        assert service.requests == []
    assert (result.exit_code, told in one_line(result)) == (2, True)
    assert not (place / "dados").exists()


def test_a_file_where_the_data_folder_should_be_is_told(place: Path) -> None:
    write_settings(place, golden_company(), "http://127.0.0.1:1")
    (place / "dados").write_text("", encoding="utf-8")
    result = lastro("run", env={TOKEN_VARIABLE: TOKEN})
    assert result.exit_code == 2
    assert "dados" in result.stderr
    result = lastro("demo", "--pasta", str(place / "dados"), "--lancamentos", "10")
    assert result.exit_code == 5


def test_what_a_signal_cut_off_is_told_as_interrupted_alone(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A statement that a signal ends says "interrupted" in many ways; none of them is a defect or a broken file."""
    settings = write_settings(place, golden_company(), "http://127.0.0.1:1")
    outcome = run_one(settings, "nenhuma", RunOrder(), None, lambda: frozenset({signal.SIGTERM}))
    assert (outcome["erro"], outcome["codigo"], outcome["mensagem"]) == ("interrompida", 130, "")
    assert capsys.readouterr().err == ""


def test_controls_are_shown_as_codes_and_nothing_is_turned_around(place: Path) -> None:
    (place / "lastro.toml").write_text('"\\u001b[31m\\u0007\\u202eabc" = 1\n', encoding="utf-8")
    result = lastro("run")
    assert result.exit_code == 2
    assert "\\x1b[31m\\x07abc: chave desconhecida" in result.stderr
    assert not set("\x1b\x07\u202e") & set(result.stderr)


def test_a_run_whose_check_fails_is_published_and_ends_with_six_and_valid_json(told_run: Path) -> None:
    result = read_told(told_run)
    assert result.code == 6, result.output
    assert "Traceback" not in result.output
    assert TOKEN not in result.output
    (line,) = result.stdout.splitlines()
    run = json.loads(line, parse_float=pytest.fail)
    assert run["empresa"] == "ouro"
    assert run["execucao_id"] == 1
    assert run["data_base"] == GOLDEN_DAY
    assert (run["veredito"], run["verificacoes"]["V21"]) == ("NÃO CONFIÁVEL", "falhou")
    assert Path(run["armazem"]) == told_run / "dados" / "ouro" / "lastro.duckdb"
    assert Path(run["armazem"]).exists()
    kinds = ("gerencial", "cobranca", "pagamentos", "dados")
    assert [Path(path).name for path in run["planilhas"]] == [f"{kind}_{GOLDEN_DAY}.xlsx" for kind in kinds]
    assert [Path(path).name for path in run["paginas"]] == [f"resumo_{GOLDEN_DAY}.{kind}" for kind in ("pdf", "html")]
    assert all(Path(path).exists() for path in (*run["planilhas"], *run["paginas"]))


def test_a_failed_check_is_named_below_the_verdict(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check = Verification("V21", "Saldos iniciais", "erro", "falhou", chaves=("conta 101",))
    catalogue = Catalogue((), (check,), (), (), rotulos=Labels(contas={101: "Caixa da loja"}))
    result = RunResult(1, 1, expected.D, place / "x", (), 3, Trust(erros=1), catalogue)
    print_result("Ouro", result)
    told = capsys.readouterr().out
    assert (
        "  Verificações: NÃO CONFIÁVEL · 0 ok · 1 erro · 0 alertas\n"
        "    Erro: não confere: Saldos iniciais: Caixa da loja (V21)\n" in told
    )


def test_what_a_run_leaves_is_its_owners_alone(told_run: Path) -> None:
    left = [path for path in (told_run / "dados").rglob("*") if not path.is_symlink()]
    assert len(left) > 10
    assert [path for path in left if path.stat().st_mode & 0o077] == []


def test_money_in_json_is_text_with_two_decimals(told_run: Path) -> None:
    run = json.loads(read_told(told_run).stdout)
    kpis = run["kpis"]
    assert kpis["saldo_atual"] == "15981.00"  # with the real that makes V21 fail
    assert kpis["menor_saldo_contratual"] == "15081.00"
    assert kpis["vencido_a_receber"] == "3400.00"
    assert Decimal(kpis["vencido_a_pagar"]) == Decimal("-1500.00")
    assert not any(isinstance(value, float) for value in kpis.values())
    assert run["verificacoes"]["V01"] == "ok"


def python(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("LASTRO_", "DAGSTER_"))}
    return subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, *words], capture_output=True, text=True, cwd=cwd, env=env, timeout=120, check=False
    )


def test_help_lists_the_commands_and_does_not_load_dagster(place: Path) -> None:
    code = (
        "import sys; from lastro.cli import main\n"
        "try:\n    main(['--help'])\n"
        "finally:\n    print([name for name in ('dagster', 'duckdb', 'pandas', 'openpyxl') if name in sys.modules])\n"
    )
    done = python("-c", code, cwd=place)
    assert done.returncode == 0, done.stderr
    for command in ("run", "dev", "demo", "sandbox"):
        assert re.search(rf"^  {command}\s+\S", done.stdout, re.MULTILINE), command
    assert "'dagster'" not in done.stdout
    assert done.stderr == ""


def test_a_real_process_ends_with_our_code_and_no_traceback(place: Path) -> None:
    done = python("-m", "lastro", "run", cwd=place)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "lastro.toml" in done.stderr
    assert "Traceback" not in done.stderr


def write_several(place: Path, base_url: str, **changes: str) -> None:
    """The golden company and others on the same service; each of these has one text of its table exchanged."""
    write_settings(place, golden_company(), base_url)
    text = (place / "lastro.toml").read_text(encoding="utf-8")
    table = text[text.index("[[empresa]]") :]
    others = []
    for name, change in changes.items():
        old, new = change.split(" -> ")
        assert old in table
        others.append(table.replace('id = "ouro"', f'id = "{name}"', 1).replace(old, new))
    (place / "lastro.toml").write_text("\n".join([text, *others]), encoding="utf-8")


def rows_of(result: Result) -> dict[str, list[str]]:
    """Read the table at the end: company -> its other columns."""
    lines = [re.split(r" {2,}", line.strip()) for line in result.stdout.splitlines()]
    head = next(place for place, line in enumerate(lines) if line[0] == "Empresa")
    return {line[0]: line[1:] for line in lines[head + 1 :] if len(line) > 1}


@pytest.mark.longo
@pytest.mark.no_cover
def test_the_worst_exit_code_counts(place: Path) -> None:
    """The first one's check fails (6), the second one's service is away (3): 3 is the worse, whatever comes first."""
    books = golden_company(saldo_inicial=True)
    with serve(create_app(books, token=TOKEN)) as service:
        write_several(place, service.base_url, prata=f"{service.base_url} -> http://127.0.0.1:1")
        result = lastro(
            "run", "--data-extracao", GOLDEN_DAY, policy=RetryPolicy(first_attempts=1), env={TOKEN_VARIABLE: TOKEN}
        )
    assert result.exit_code == 3
    rows = rows_of(result)
    assert {name: row[0] for name, row in rows.items()} == {"ouro": "NÃO CONFIÁVEL", "prata": "ApiUnavailable"}
    assert rows["ouro"][4] == "veja Qualidade: Q19"


def test_a_held_run_is_accepted_for_one_company_at_a_time(place: Path) -> None:
    """The message of a held run says only the number; with one company in the file that is enough."""
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        write_settings(place, golden_company(), service.base_url)
        alone = lastro("run", "--aceitar-exclusoes", "1", env={TOKEN_VARIABLE: TOKEN})
        write_several(place, service.base_url, prata="a -> a")
        several = lastro("run", "--aceitar-exclusoes", "1", env={TOKEN_VARIABLE: TOKEN})
        assert service.requests == []
    assert (alone.exit_code, "Foram: nenhuma" in one_line(alone)) == (2, True)
    assert (several.exit_code, "acrescente --empresa" in one_line(several)) == (2, True)
