"""Request limits: never more than the window allows, in one process or in several."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.api.pacing import Pacer
from lastro.errors import StorageError
from lastro.settings import Window


class Clock:
    """A clock that only sleeping, and the test, moves."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def pace(self, *windows: Window, key: str = "acme", estado: Path | None = None) -> Pacer:
        return Pacer(windows, key, estado, now=lambda: self.now, sleep=self.sleep)


@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(1, 9)), min_size=1, max_size=3),
    st.lists(st.integers(0, 4), min_size=1, max_size=40),
)
def test_no_window_ever_holds_more_requests_than_it_may(limits: list[tuple[int, int]], pauses: list[int]) -> None:
    windows = [Window(requests, seconds) for requests, seconds in limits]
    clock = Clock()
    pacer = clock.pace(*windows)
    sent: list[float] = []
    for pause in pauses:
        clock.now += pause
        pacer.acquire()
        sent.append(clock.now)
    for window in windows:
        for first in sent:
            assert sum(first <= time < first + window.seconds for time in sent) <= window.requests


def test_a_burst_is_free_and_the_rest_waits_its_turn() -> None:
    clock = Clock()
    waits: list[float] = []
    pacer = clock.pace(Window(100, 60), Window(200, 300))
    for _ in range(100):
        pacer.acquire(lambda seconds, _why: waits.append(seconds))
    assert waits == []
    for _ in range(101):
        pacer.acquire(lambda seconds, _why: waits.append(seconds))
    # 100 at once, 100 a minute later, then the first of the five-minute window must leave it
    assert waits == [pytest.approx(61.0), pytest.approx(240.0)]


def test_the_limits_are_remembered_between_runs_and_shared_by_processes(tmp_path: Path) -> None:
    clock = Clock()
    estado = tmp_path / "sub" / "ritmo.json"
    first, second = (clock.pace(Window(3, 60), estado=estado) for _ in range(2))
    for pacer in (first, second, first):
        pacer.acquire()
    before = clock.now
    clock.pace(Window(3, 60), key="another company", estado=estado).acquire()
    assert clock.now == before
    clock.pace(Window(3, 60), estado=estado).acquire()
    assert clock.now == pytest.approx(before + 61)
    assert set(json.loads(estado.read_text())) == {"acme", "another company"}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"acme": 3}', '{"acme": ["x"]}', "null", "\x00"])
def test_a_damaged_memory_counts_as_none(tmp_path: Path, content: str) -> None:
    estado = tmp_path / "ritmo.json"
    estado.write_text(content)
    clock = Clock()
    clock.pace(Window(1, 60), estado=estado).acquire()
    assert json.loads(estado.read_text()) == {"acme": [1_000_000.0]}


def test_a_clock_that_was_set_back_does_not_block_for_longer_than_a_window(tmp_path: Path) -> None:
    estado = tmp_path / "ritmo.json"
    estado.write_text('{"acme": [9000000.0]}')
    clock = Clock()
    clock.pace(Window(1, 60), estado=estado).acquire()
    assert clock.now <= 1_000_061.0


def test_a_memory_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    clock = Clock()
    with pytest.raises(StorageError, match="horários dos pedidos"):
        clock.pace(Window(1, 60), estado=tmp_path).acquire()


def test_no_limits_never_wait_and_remember_nothing(tmp_path: Path) -> None:
    clock = Clock()
    pacer = clock.pace(estado=tmp_path / "ritmo.json")
    for _ in range(1000):
        pacer.acquire()
    assert clock.now == 1_000_000.0
    assert list(tmp_path.iterdir()) == []
