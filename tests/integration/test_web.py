"""`lastro web` instead of a stock Dagster that knows nothing of lastro, and nginx with our file before one."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from lastro.cli import main
from tests.browsers import ASKED
from tests.guarded import PATIENCE, ask, assert_guarded_and_whole, find_answered, send, write_launch
from tests.processes import DEPLOY

FOREIGN = """
import dagster as dg

@dg.asset
def alheio() -> int:
    return 1

defs = dg.Definitions(assets=[alheio], jobs=[dg.define_asset_job("alheia")])
"""
LAUNCH = write_launch("foreign.py", "alheia")
WEB = (sys.executable, "-m", "lastro", "web", "--porta", "0")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a foreign code location and a home of its own."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "dagster.yaml").write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    (tmp_path / "foreign.py").write_text(FOREIGN, encoding="utf-8")
    (tmp_path / "workspace.yaml").write_text("load_from:\n  - python_file: foreign.py\n", encoding="utf-8")
    (tmp_path / "vazio.yaml").write_text("load_from: []\n", encoding="utf-8")
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "1")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # noqa: S603 - ours
    assert process.stdout is not None
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        process.stdout.close()


@contextmanager
def lastro_web(*arguments: str) -> Iterator[str]:
    """Start the command and wait until it says where it answers."""
    with started(*WEB, *arguments) as process:
        lines = []
        for line in process.stdout or ():
            lines.append(line)
            if found := re.search(r"Dagster: (http://127\.0\.0\.1:\d+) ", line):
                break
        else:
            pytest.fail("".join(lines))
        threading.Thread(target=(process.stdout or sys.stdin).read, daemon=True).start()
        yield found[1]
    assert process.returncode == 0


def find_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def guarded_by_nginx(folder: Path, behind: str) -> Iterator[str]:
    """Start nginx with the file of ours; gives its address."""
    own, port = folder / "nginx", find_port()
    own.mkdir()
    file = (DEPLOY / "guarda.conf").read_text(encoding="utf-8")
    assert "127.0.0.1:3001" in file
    file = file.replace("http://127.0.0.1:3001", behind).replace(":3000", f":{port}")
    places = "".join(f"{name}_temp_path {own}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (own / "nginx.conf").write_text(
        f"daemon off; pid {own}/pid; events {{}} http {{ access_log off; {places} {file} }}", encoding="utf-8"
    )
    with started("nginx", "-c", str(own / "nginx.conf"), "-p", str(own), "-e", str(own / "erros")) as process:
        wait_for(f"http://127.0.0.1:{port}/server_info", process)
        yield f"http://127.0.0.1:{port}"


def wait_for(address: str, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while not answers(address):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.1)


def answers(address: str) -> bool:
    try:
        return httpx.get(address, trust_env=False).status_code > 0
    except httpx.TransportError:
        return False


@contextmanager
def stock_dagster(workspace: str) -> Iterator[str]:
    port = find_port()
    command = str(Path(sys.executable).parent / "dagster-webserver")
    with started(command, "-w", workspace, "-h", "127.0.0.1", "-p", str(port)) as process:
        threading.Thread(target=(process.stdout or sys.stdin).read, daemon=True).start()
        wait_for(f"http://127.0.0.1:{port}/server_info", process)
        yield f"http://127.0.0.1:{port}"


NGINX = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed here")
NO_BROWSER = {"two media types", "an empty origin"}
"""What nginx does not tell apart from one media type and from no origin; no browser sends either."""


@NGINX
@pytest.mark.longo
def test_a_stock_dagster_is_guarded_by_nginx_with_our_file(place: Path) -> None:
    with stock_dagster("workspace.yaml") as there, guarded_by_nginx(place, there) as url:
        assert_guarded_and_whole(url, LAUNCH, NO_BROWSER)


@NGINX
def test_nginx_refuses_what_the_guard_refuses(tmp_path: Path) -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with guarded_by_nginx(tmp_path, f"http://127.0.0.1:{server.server_address[1]}") as url:
            assert find_answered(url) == NO_BROWSER
            assert [send(url, *asked) for asked in ASKED] == [200] * len(ASKED)
        server.shutdown()


class Answering(socketserver.StreamRequestHandler):
    """Answers one request, whatever it is."""

    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass
        self.wfile.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")


@pytest.mark.longo
@pytest.mark.usefixtures("place")
def test_a_workspace_is_served_under_the_guard_and_read_only_shows() -> None:
    with lastro_web("-w", "workspace.yaml") as url:
        assert_guarded_and_whole(url, LAUNCH)
    with lastro_web("-w", "workspace.yaml", "--somente-leitura") as url:
        assert ask(url, LAUNCH)["launchRun"]["__typename"] == "UnauthorizedError"


OWN = """\
dir = "dados"
enderecos_ui = ["https://lastro.example.com"]

[[empresa]]
id = "acme"
nome = "Acme"
base_url = "http://127.0.0.1:9"
token_env = "ACME_TOKEN"
"""
JOBS = "{ repositoriesOrError { ... on RepositoryConnection { nodes { jobs { name } } } } }"


@pytest.mark.longo
def test_without_a_file_the_location_of_the_settings_is_served(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME")
    (place / "lastro.toml").write_text(OWN, encoding="utf-8")
    with lastro_web() as url:
        (repository,) = ask(url, JOBS, Host="lastro.example.com")["repositoriesOrError"]["nodes"]
        assert "lastro_diario" in {job["name"] for job in repository["jobs"]}
    assert (place / "dados" / "dagster" / "dagster.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-w", "workspace.yaml", "--endereco", "http://u:s@a.example"], "--endereco: escreva endereços sem caminho"),
        (["-w", "workspace.yaml", "--endereco", "*"], "--endereco: escreva endereços sem caminho"),
        (["-w", "workspace.yaml"], "DAGSTER_HOME não está definida"),
        ([], "lastro.toml: o arquivo não existe"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("place")
def test_what_cannot_be_served_is_told(monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    result = CliRunner().invoke(main, ["web", *arguments])
    assert result.exit_code == 2, result.output
    assert said in result.output.replace("\n", " ")
    assert "u:s" not in result.output


def test_a_workspace_or_home_that_dagster_cannot_read_is_told(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "torto.yaml").write_text("load_from: 7\n", encoding="utf-8")
    asked = ["web", "-w", "torto.yaml", "--porta", "0"]
    result = CliRunner().invoke(main, asked)
    assert (result.exit_code, "não começou" in result.output) == (2, True), result.output
    for home, said in ((str(place / "nenhuma"), "não é uma pasta"), ("dagster", "não é um caminho absoluto")):
        monkeypatch.setenv("DAGSTER_HOME", home)
        result = CliRunner().invoke(main, asked)
        assert (result.exit_code, said in result.output.replace("\n", " ")) == (2, True), result.output
