"""Take the pictures of the README: `python -m tests.tools.look.pictures [--para src/lastro/manual/img]`.

The cover of the made-up company's workbook as LibreOffice prints it, what `lastro demo` says on a terminal, and
Dagster's asset graph. Needs what `tests.tools.look` needs and chromium; not collected by pytest.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from html import escape
from pathlib import Path
from typing import Final

from PIL import Image

from tests.tools.look.__main__ import print_pages, write_workbook

FOLDER: Final = Path("src/lastro/manual/img")
MOST_BYTES: Final = 150_000
GRAPH: Final = "/assets/lastro/mart/resultado?view=lineage&lineageScope=downstream&lineageDepth=5"
_WAIT_SECONDS: Final = 120
_PAGE_STYLE: Final = (
    "body{margin:0;background:#1b1f27;color:#d7dae0;font:15px/1.35 'DejaVu Sans Mono',monospace;padding:18px 22px}"
    "pre{margin:0;font:inherit;white-space:pre-wrap}b{color:#7fd1a0;font-weight:normal}"
)


def main() -> None:
    """Take all pictures, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.look.pictures")
    parser.add_argument("quais", nargs="*", choices=["capa", "terminal", "grafo", []], help="default: all")
    parser.add_argument("--para", type=Path, default=FOLDER)
    chosen = parser.parse_args()
    chosen.para.mkdir(parents=True, exist_ok=True)
    wanted = chosen.quais or ["capa", "terminal", "grafo"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "capa" in wanted:
            save(take_cover(folder), chosen.para / "capa.png", colours=128)
        if {"terminal", "grafo"} & set(wanted):
            said, config = run_demo(folder)
            if "terminal" in wanted:
                save(take_terminal(said, folder), chosen.para / "terminal.png", colours=32)
            if "grafo" in wanted:
                save(take_graph(config, folder), chosen.para / "grafo.png", colours=64)


def save(picture: Image.Image, path: Path, *, colours: int) -> None:
    """Save a picture with few colours: flat areas and text need no more."""
    picture.convert("RGB").quantize(colours).save(path, optimize=True)
    size = path.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"pictures: {path} has {size:,} bytes, more than {MOST_BYTES:,}")
    print(f"{size:8,} {path}")  # noqa: T201


def take_cover(folder: Path) -> Image.Image:
    """Print the first page of the workbook of two Mondays."""
    workbook = write_workbook(folder, 5000)
    print_pages(workbook, folder, 120)
    first = min(folder.glob("pagina-*.png"))
    return Image.open(first)


def run_demo(folder: Path) -> tuple[str, Path]:
    """Run the demo as a user does; return what it said, without the folder it was in, and its settings."""
    command = [find("lastro"), "demo", "--pasta", str(folder / "lastro-demo"), "--lancamentos", "1500"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)  # noqa: S603
    (config,) = (folder / "lastro-demo").glob("*/lastro.toml")
    return done.stdout.replace(f"{folder}/", ""), config


def take_terminal(said: str, folder: Path) -> Image.Image:
    """Draw what the demo said as a terminal shows it."""
    text = escape("$ lastro demo\n" + said.strip())
    text = re.sub(r"(CONFIÁVEL)", r"<b>\1</b>", text)
    page = folder / "terminal.html"
    page.write_text(f"<meta charset=utf-8><style>{_PAGE_STYLE}</style><pre>{text}</pre>", encoding="utf-8")
    lines = sum(1 + len(line) // 108 for line in text.splitlines())
    return photograph(page.as_uri(), folder / "terminal.png", 1020, 44 + 21 * lines)


def take_graph(config: Path, folder: Path) -> Image.Image:
    """Start the UI on the demo's files, photograph what the workbook is made of, and end it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {**os.environ, "LASTRO_DEMO_TOKEN": "token-de-demonstracao"}
    command = [find("lastro"), "dev", "--config", str(config), "--porta", str(port)]
    ui = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(f"{address}/server_info")
        return photograph(address + GRAPH, folder / "grafo.png", 1400, 560)
    finally:
        ui.terminate()
        ui.wait(timeout=60)


def wait_for(address: str) -> None:
    """Wait until something answers there."""
    end = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=2):  # noqa: S310 - this machine
                return
        except OSError:
            time.sleep(1)
    sys.exit(f"pictures: {address} did not answer within {_WAIT_SECONDS} s")


def photograph(address: str, path: Path, width: int, height: int) -> Image.Image:
    """Let a browser without a window draw a page."""
    command = [
        *(find("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
        *(f"--window-size={width},{height}", "--virtual-time-budget=25000", f"--screenshot={path}", address),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=180)  # noqa: S603
    return Image.open(path)


def find(tool: str) -> str:
    """Find a program, beside this Python or on the path."""
    beside = Path(sys.executable).with_name(tool)
    found = str(beside) if beside.exists() else shutil.which(tool)
    return found or sys.exit(f"pictures: {tool} not found")


if __name__ == "__main__":
    main()
