"""What a terminal shows: waits and stages of a run, and texts of the service as they came."""

from __future__ import annotations

import io

from rich.console import Console

from lastro.progress import WaitLines, open_progress
from lastro.terminal import Terminal


def test_long_waits_are_one_line_each_however_many_threads_wait() -> None:
    said: list[str] = []
    now = [0.0]
    lines = WaitLines(said.append, clock=lambda: now[0])
    lines.wait(9.9, "limite de pedidos")
    for _ in range(4):
        lines.wait(60.0, "HTTP 429 em /v1/lancamentos")
    now[0] = 61.0
    lines.wait(12.0, "limite de pedidos")
    assert said == ["espera 60 s (HTTP 429 em /v1/lancamentos)", "espera 12 s (limite de pedidos)"]


def test_where_there_is_no_terminal_the_line_is_printed() -> None:
    stream = io.StringIO()
    with open_progress(Console(file=stream)) as progress:
        progress.start("lancamentos", 101, 3)
        progress.wait(30.0, "HTTP 503 em /v1/lancamentos, tentativa 4")
        progress.finish()
    assert stream.getvalue() == "lastro: espera 30 s (HTTP 503 em /v1/lancamentos, tentativa 4)\n"


def test_on_a_terminal_the_bar_says_it() -> None:
    stream = io.StringIO()
    with open_progress(Console(file=stream, force_terminal=True, width=160)) as progress:
        progress.start("lancamentos", 101, 3)
        progress.wait(30.0, "HTTP 503 em /v1/lancamentos, tentativa 4")
    assert "espera 30 s (HTTP 503 em /v1/lancamentos, tentativa 4)" in stream.getvalue()


def test_a_stage_after_the_reading_is_shown_until_it_ends() -> None:
    stream = io.StringIO()
    with open_progress(Console(file=stream, force_terminal=True, width=160)) as progress:
        progress.start("lancamentos", 101, 3)
        progress.advance(1, 3)
        progress.finish()
        progress.start("relatórios e verificações", None, None)
        progress.finish()
    last = stream.getvalue().split("lancamentos")[-1]
    assert "3 linhas · 1 página" in last
    assert "relatórios e verificações" in last
    assert "linhas" not in last.split("relatórios e verificações")[1]


def test_a_text_is_printed_as_it_came() -> None:
    stream = io.StringIO()
    Terminal(file=stream, force_terminal=True, color_system="standard").print("nota :key: 12:100:30 [red]x[/red] [/] 7")
    assert stream.getvalue() == "nota :key: 12:100:30 [red]x[/red] [/] 7\n"
