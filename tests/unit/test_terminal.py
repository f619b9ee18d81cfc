"""What the terminal does with texts of the service: nothing but print them."""

from __future__ import annotations

import io

from lastro.terminal import Terminal


def test_a_text_is_printed_as_it_came() -> None:
    stream = io.StringIO()
    Terminal(file=stream, force_terminal=True, color_system="standard").print("nota :key: 12:100:30 [red]x[/red] [/] 7")
    assert stream.getvalue() == "nota :key: 12:100:30 [red]x[/red] [/] 7\n"
