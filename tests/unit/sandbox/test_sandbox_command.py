"""The command as a user starts it: what it prints, what it answers, how it ends."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from lastro_sandbox.cli import sandbox
from tests.command import START, started


def test_the_command_prints_settings_that_fit(tmp_path: Path) -> None:
    secret = "-".join(("segredo", "77"))
    options = ("--empresa-exemplo", "ouro", "--token", secret, "--controle", "--estado", str(tmp_path / "livros.db"))
    with started(*options) as (lines, address):
        begin = next(number for number, line in enumerate(lines) if line.startswith("dir = "))
        end = next(number for number, line in enumerate(lines) if line.startswith("controles"))
        empresa = tomllib.loads("\n".join(lines[begin:end]))["empresa"][0]
        assert empresa["base_url"] == address
        assert secret not in "\n".join(lines[begin:end])
        assert [(conta["conta_id"], conta["valor_saldo_inicial"]) for conta in empresa["conta"]] == [
            (101, "10000.00"),
            (102, "2000.00"),
        ]
        query: dict[str, str | int] = {"access_token": secret, "conta_id": 101, "tipo_view": "count"}
        assert httpx.get(f"{address}/v1/lancamentos", params=query).json() == {"count": 13}
        assert httpx.delete(f"{address}/v1/lancamentos/1014", params=query).json() is True
    with started(*options) as (lines, address):
        assert httpx.get(f"{address}/v1/lancamentos", params=query).json() == {"count": 12}


def invoke(*options: str) -> tuple[int, str]:
    result = CliRunner().invoke(sandbox, ["--porta", "0", *options])
    assert "Traceback" not in result.output
    return result.exit_code, result.output


def test_a_second_process_on_one_state_file_is_told_who_has_it(tmp_path: Path) -> None:
    path = tmp_path / "livros.db"
    path.write_text("nada" * 500)
    code, output = invoke("--estado", str(path))
    assert (code, "livros.db" in output) == (1, True)
    path.unlink()
    with started("--estado", str(path), "--lancamentos", "10"):
        code, output = invoke("--estado", str(path))
        holder = (tmp_path / "livros.db.trava").read_text()
        assert (code, f"process {holder}" in output, "livros.db" in output) == (2, True, True)
        link = tmp_path / "outro.db"
        link.symlink_to(path)
        assert invoke("--estado", str(link))[0] == 2
    with started("--estado", str(path), "--lancamentos", "10"):
        pass  # whoever ended has given it back


def test_options_that_would_do_nothing_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "livros.db")
    with started("--estado", path, "--semente", "1", "--lancamentos", "10", "--hoje", "2026-03-16"):
        pass
    for option in (["--semente", "2"], ["--lancamentos", "9"], ["--hoje", "2020-01-01"]):
        code, output = invoke("--empresa-exemplo", "ouro", *option)
        assert (code, option[0] in output) == (2, True)
        code, output = invoke("--estado", path, *option)
        assert (code, option[0] in output, "livros.db" in output) == (2, True, True)
    with started("--estado", path, "--semente", "1", "--lancamentos", "10", "--hoje", "2026-03-16"):
        pass  # what the file was made with may be said again


def test_sigterm_ends_it_as_ctrl_c_does() -> None:
    with subprocess.Popen([*START, "--lancamentos", "10"], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        while not process.stdout.readline().startswith("Ctrl+C"):
            pass
        process.terminate()
        assert process.wait(timeout=120) == 0


def test_several_companies_share_a_port_and_a_settings_file(tmp_path: Path) -> None:
    written, state = tmp_path / "lastro.toml", tmp_path / "livros.db"
    options = ("--inventar", "matriz:token-a-1:1", "--inventar", "filial:token-b-2:2", "--lancamentos", "40",
               "--estado", str(state), "--escrever", str(written))  # fmt: skip
    with started(*options) as (lines, address):
        assert [line for line in lines if line.startswith("token ")] == [
            "token     token-a-1  (matriz)",
            "token     token-b-2  (filial)",
        ]
        empresas = tomllib.loads(written.read_text(encoding="utf-8"))["empresa"]
        assert [(one["id"], one["base_url"], one["token_env"]) for one in empresas] == [
            ("matriz", address, "SANDBOX_TOKEN_MATRIZ"),
            ("filial", address, "SANDBOX_TOKEN_FILIAL"),
        ]
        totals = [
            httpx.get(f"{address}/v1/lancamentos", params={"access_token": token, "conta_id": "all"}).json()[0][
                "descricao"
            ]
            for token in ("token-a-1", "token-b-2")
        ]
        assert totals[0] != totals[1]
    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["livros-filial.db", "livros-matriz.db"]
    code, output = invoke("--lancamentos", "5", "--escrever", str(written))
    assert (code, "lastro.toml" in output) == (2, True)
    assert written.read_text(encoding="utf-8").count("[[empresa]]") == 2


@pytest.mark.parametrize(
    "options",
    [
        ["--inventar", "sem-token"],
        ["--inventar", "a:t:x"],
        ["--inventar", "a:t:1", "--token", "x"],
        ["--inventar", "a:t:1", "--semente", "3"],
        ["--segredo-controle", "curto"],
        ["--dados", "nao-existe"],
        ["--falha", "x"],
        ["--janela", "x"],
        ["--host", "203.0.113.9"],
        ["--empresa-exemplo", "x"],
        ["--dialeto", "x"],
    ],
)
def test_wishes_that_can_not_be_are_refused(options: list[str]) -> None:
    code, output = invoke("--lancamentos", "5", *options)
    assert (code in (1, 2), "Error: " in output) == (True, True)


def test_requests_are_shown_on_the_terminal_without_the_token() -> None:
    secret = "-".join(("segredo", "77"))
    command = [*START, "--lancamentos", "10", "--mostrar", "--token", secret]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        assert process.stdout is not None
        address = ""
        try:
            while not (line := process.stdout.readline()).startswith("Ctrl+C"):
                address = line.split()[1] if line.startswith("base_url  ") else address
            httpx.get(f"{address}/v1/lancamentos", params={"access_token": secret, "conta_id": 101, "busca": secret})
            shown = process.stdout.readline()
        finally:
            process.terminate()
            process.wait(timeout=120)
    assert "GET /v1/lancamentos?conta_id=101&busca=*** -> 200" in shown
    assert secret not in shown


def test_controls_reach_through_a_container_with_a_secret() -> None:
    secret = "-".join(("segredo", "do", "conteiner"))
    with started("--lancamentos", "10", "--segredo-controle", secret) as (_, address):
        headers = {"X-Sandbox-Segredo": secret, "Host": "sandbox.exemplo"}
        assert httpx.get(f"{address}/_sandbox/estado", headers=headers).json()["lancamentos"] == 10
        assert httpx.get(f"{address}/_sandbox/estado").status_code == 404
