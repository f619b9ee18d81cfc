"""Whatever encoding a terminal has, every command is read there, and ends with its own exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.served import TOKEN_VARIABLE, copy_golden

EACH = """
import sys
from lastro.cli import main
for words in {commands!a}:
    try:
        main(words, prog_name="lastro")
    except SystemExit as ended:
        print(f"\\n== {{words[0]}} {{ended.code}}")
"""
COMMANDS = (
    ["run", "--modo", "recalculo"], ["estado"], ["doctor"], ["saldos"], ["sql", "Q37"], ["mapa"],
    ["orcamento"], ["sql", "--formato", "csv-excel", "SELECT 'é → ж'"], ["manual", "S18"], ["--help"], ["--nada", "→"],
)  # fmt: skip
SALDOS = "data;conta;saldo\n2026-02-30;101;1,00\n2026-02-28;Ж→;1,00\n"
TERMINALS = {
    "utf-8": {"PYTHONIOENCODING": "utf-8:strict"},
    "iso-8859-1": {"PYTHONIOENCODING": "iso-8859-1:strict"},
    "cp850": {"PYTHONIOENCODING": "cp850"},
    "ascii": {"PYTHONIOENCODING": "ascii:strict"},
    "ascii by locale": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
}


def speak(folder: Path, terminal: str) -> tuple[str, str, list[str]]:
    """Run all commands on a terminal: what stands in stdout, in stderr, and how each ended."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    ended = subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", EACH.format(commands=COMMANDS)],
        cwd=folder, env={**kept, TOKEN_VARIABLE: "x", **TERMINALS[terminal]}, capture_output=True, check=False,
    )  # fmt: skip
    encoding = terminal.partition(" ")[0]
    out, told = ended.stdout.decode(encoding), ended.stderr.decode(encoding)
    assert ended.returncode == 0, told
    return out, told, [line for line in out.splitlines() if line.startswith("== ")]


@pytest.mark.parametrize(
    "terminal",
    [pytest.param(name, marks=[pytest.mark.longo] * (name != "ascii")) for name in TERMINALS],
)
def test_every_command_speaks_on_any_terminal(first_run: Path, tmp_path: Path, terminal: str) -> None:
    settings = copy_golden(first_run, tmp_path, "http://127.0.0.1:9")
    entrada = settings.entrada(settings.empresas[0])
    entrada.mkdir()
    (entrada / "saldos.csv").write_text(SALDOS, encoding="utf-8")
    out, told, codes = speak(tmp_path, terminal)
    assert "Traceback" not in told
    # How fresh the company is, which two of them say, is a question of the day.
    assert [code for code in codes if not code.startswith(("== estado", "== doctor"))] == [
        "== run 0", "== saldos 0", "== sql 0", "== mapa 0", "== orcamento 0", "== sql 0", "== manual 0",
        "== --help 0", "== --nada 2",
    ]  # fmt: skip
    assert len(codes) == len(COMMANDS)
    assert ("Verificações" in out, "Verifica??es" in out) == (terminal[:5] != "ascii", terminal[:5] == "ascii")
    shown = "Ж→" if terminal == "utf-8" else "??"
    assert f"entrada/saldos.csv, linha 3: conta '{shown}' n" in out
