"""Page plans cover every row, stay within their budget and tie each page to the one before."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lastro.api.paging import describe_shape, has_room, parse_count, parse_id, plan_slots

SIZES = st.integers(2, 600)


@given(st.integers(1, 20_000), SIZES, st.integers(0, 3))
def test_a_plan_covers_every_row_within_its_budget(count: int, size: int, extra: int) -> None:
    slots = plan_slots(count, size, extra=extra)
    assert len(slots) <= -(-count // size) + extra
    position = 0
    for slot in slots:
        assert slot.start == position - slot.overlap
        assert slot.start < slot.stop <= min(count, slot.start + size)
        position = slot.stop
    assert position == count


@given(st.integers(1, 20_000), SIZES)
def test_with_room_every_page_is_tied_and_the_last_one_reaches_beyond_the_end(count: int, size: int) -> None:
    slots = plan_slots(count, size, extra=0 if has_room(count, size) else 1)
    tied = all(slot.overlap for slot in slots[1:])
    beyond = slots[-1].start + size > count
    # more pages than a page has rows cannot all be tied by one page more
    assert (tied and beyond) or -(-count // size) + 1 > size


@given(st.integers(1, 5_000), st.integers(1, 5_000), SIZES)
def test_a_plan_may_begin_in_the_middle_and_then_ties_its_first_page_too(begin: int, rest: int, size: int) -> None:
    slots = plan_slots(begin + rest, size, begin=begin, extra=begin + rest)
    assert slots[0].start == begin - 1
    assert all(slot.overlap for slot in slots)
    assert slots[-1].stop == begin + rest


def test_nothing_takes_no_page() -> None:
    assert plan_slots(0, 500) == []
    assert plan_slots(10, 500, begin=10) == []


def test_counts_are_read_in_the_four_known_shapes_and_in_no_other() -> None:
    known: tuple[Any, ...] = ({"0": 5}, [5], 5, {"count": 5}, "5", {"0": "5"})
    for shape in known:
        assert parse_count(shape) == 5
    unknown: tuple[Any, ...] = (
        None,
        True,
        -1,
        1.5,
        "1.5",
        "",
        [],
        [5, 6],
        [[5]],
        {},
        {"total": 5},
        {"0": 5, "count": 6},
        {"0": None},
    )
    for shape in unknown:
        assert parse_count(shape) is None


def test_ids_are_positive_integers() -> None:
    assert [parse_id(value) for value in (1, "12", 2**63 - 1)] == [1, 12, 2**63 - 1]
    refused: tuple[Any, ...] = (None, 0, -1, "0", "", "-1", "1.0", 1.0, True, [], {}, 2**63, "١")
    for value in refused:
        assert parse_id(value) is None


def test_shapes_are_described_without_their_content() -> None:
    assert describe_shape({"Fulano da Silva": 1}) == "um objeto sem chaves legíveis"
    assert describe_shape("segredo") == "um texto"
