"""The verdict on a pass, evidence by evidence, and the file it leaves."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.api.client import Answer
from lastro.extract.landing import PageFile, drop_first_element, pack, read_landed
from lastro.extract.passes import Evidence, judge_pass

QUIET = Evidence(count_before=1200, count_after=1200, rows=1200, unknown=1200, end=1200)


def test_a_quiet_pass_is_proved_by_its_counts() -> None:
    verdict = judge_pass(QUIET)
    assert (verdict.ruling, verdict.ground, verdict.reason) == ("provada", "contagem", "")


@pytest.mark.parametrize(
    ("against", "ruling"),
    [
        ({"rows": 1199}, "incompleta"),
        ({"rows": 1201}, "mudou durante a leitura"),
        ({"count_after": 1201}, "mudou durante a leitura"),
        ({"count_before": 1199}, "mudou durante a leitura"),
        ({"end": 1201}, "mudou durante a leitura"),
        ({"repeated": 1}, "mudou durante a leitura"),
        ({"recent": 1}, "mudou durante a leitura"),
        ({"breaks": 1}, "mudou durante a leitura"),
        ({"doubts": ("x",)}, "mudou durante a leitura"),
        ({"page_repeated": True}, "incompleta"),
        ({"has_clock": False, "overlapped": False}, "incompleta"),
        ({"count_before": None}, "incompleta"),
        ({"count_after": None}, "incompleta"),
        ({"count_before": None, "identical": False}, "mudou durante a leitura"),
        ({"count_before": None, "identical": True, "repeated": 1}, "mudou durante a leitura"),
    ],
)
def test_one_piece_of_evidence_against_a_pass_is_enough(against: dict[str, Any], ruling: str) -> None:
    verdict = judge_pass(replace(QUIET, **against))
    assert (verdict.ruling, verdict.ground) == (ruling, None)
    assert verdict.reason


@pytest.mark.parametrize("harmless", [{"recent": 9}, {"breaks": 2}, {"has_clock": False, "overlapped": False}])
def test_rows_that_were_all_known_before_need_neither_stamps_nor_chain(harmless: dict[str, Any]) -> None:
    assert judge_pass(replace(QUIET, unknown=0, **harmless)).proved


def test_stamps_that_say_nothing_are_left_out() -> None:
    assert judge_pass(replace(QUIET, has_clock=False, recent=5)).proved


def test_without_a_count_two_identical_passes_prove() -> None:
    verdict = judge_pass(replace(QUIET, count_before=None, count_after=None, identical=True))
    assert (verdict.ruling, verdict.ground) == ("provada", "duas passadas idênticas")


ROWS = st.lists(st.none() | st.integers() | st.text() | st.dictionaries(st.text(), st.text() | st.none(), max_size=3))


@given(ROWS, st.sampled_from([None, 1, "\t"]), st.sampled_from([(",", ":"), (" , ", " :\r\n ")]))
def test_dropping_the_first_element_leaves_the_others(
    rows: list[Any], indent: int | str | None, separators: tuple[str, str]
) -> None:
    text = " " + json.dumps(rows, indent=indent, separators=separators, ensure_ascii=False) + "\n"
    assert json.loads(drop_first_element(text.encode())) == rows[1:]


@pytest.mark.parametrize("length", [16_380, 16_381, 16_382, 16_383, 16_384, 40_000])
def test_a_long_first_element_is_dropped_whole(length: int) -> None:
    """Of a long array only the beginning is decoded: where that ends in the element, or in a character of it, too."""
    for first in ("é" * length, "a" + "é" * length, int("1" * 4000), {"texto": "x" * length}):
        array = json.dumps([first, 2], ensure_ascii=False).encode()
        assert drop_first_element(array) == b"[2]"


def make_answer(text: str, original: str | None = None) -> Answer:
    line = text.encode()
    return Answer("/v1/x?start=0", line, json.loads(line), original, datetime(2026, 3, 16, 9, 5, 0, 123456, UTC), None)


def test_a_pass_file_is_whole_or_absent(tmp_path: Path) -> None:
    with PageFile(tmp_path, "x") as file:
        file.add(make_answer('[{"id": 1}]'))
    assert list(tmp_path.iterdir()) == []
    with PageFile(tmp_path, "x") as file:
        file.add(make_answer('[{"id": 1}, {"id": 2}]', original="[...]"))
        overlapping = make_answer('[{"id": 2}, {"id": 3}]')
        file.add(overlapping, pack(overlapping, 1))
        file.add(make_answer('{"id": 4}'))
        assert [path.name.startswith(".") for path in tmp_path.iterdir()] == [True]
        file.commit()
    lines = [json.loads(line) for line in gzip.decompress((tmp_path / "x.jsonl.gz").read_bytes()).splitlines()]
    assert lines == [
        {
            "no": 1,
            "origem": "/v1/x?start=0",
            "extraido_em": "2026-03-16T09:05:00.123Z",
            "rows": [{"id": 1}, {"id": 2}],
            "recebido": "[...]",
        },
        {
            "no": 2,
            "origem": "/v1/x?start=0",
            "extraido_em": "2026-03-16T09:05:00.123Z",
            "sobrepostas": 1,
            "rows": [{"id": 3}],
        },
        {"no": 3, "origem": "/v1/x?start=0", "extraido_em": "2026-03-16T09:05:00.123Z", "rows": [{"id": 4}]},
    ]
    assert [row["id"] for row in read_landed(tmp_path, "x")] == [1, 2, 3, 4]
    with PageFile(tmp_path, "x") as file:
        file.add(make_answer("[]"))
    assert len(list(read_landed(tmp_path, "x"))) == 4
    assert list(read_landed(tmp_path, "absent")) == []


def test_a_page_names_the_account_of_its_listing_and_a_record_asked_for_by_its_id_none(tmp_path: Path) -> None:
    with PageFile(tmp_path, "x-101", 101) as file:
        file.add(make_answer('[{"id": 1}]'))
        file.add(make_answer('{"id": 2, "conta_id": 101}'), listed=False)
        file.commit()
    lines = gzip.decompress((tmp_path / "x-101.jsonl.gz").read_bytes()).splitlines()
    assert [json.loads(line).get("conta_listada") for line in lines] == [101, None]
