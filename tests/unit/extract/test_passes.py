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
from lastro.extract.landing import PageFile, drop_first_element, read_landed
from lastro.extract.passes import Evidence, judge

QUIET = Evidence(contagem_antes=1200, contagem_depois=1200, linhas=1200, paginas=3, desconhecidas=1200, fim=1200)


def test_a_quiet_pass_is_proved_by_its_counts() -> None:
    verdict = judge(QUIET)
    assert (verdict.veredito, verdict.prova, verdict.motivo) == ("provada", "contagem", "")


@pytest.mark.parametrize(
    ("against", "veredito"),
    [
        ({"linhas": 1199}, "incompleta"),
        ({"linhas": 1201}, "mudou durante a leitura"),
        ({"contagem_depois": 1201}, "mudou durante a leitura"),
        ({"contagem_antes": 1199}, "mudou durante a leitura"),
        ({"fim": 1201}, "mudou durante a leitura"),
        ({"repetidas": 1}, "mudou durante a leitura"),
        ({"recentes": 1}, "mudou durante a leitura"),
        ({"quebras": 1}, "mudou durante a leitura"),
        ({"duvidas": ("x",)}, "mudou durante a leitura"),
        ({"pagina_repetida": True}, "incompleta"),
        ({"relogio": False, "sobreposicao": False}, "incompleta"),
        ({"contagem_antes": None}, "incompleta"),
        ({"contagem_depois": None}, "incompleta"),
        ({"contagem_antes": None, "identica": False}, "mudou durante a leitura"),
        ({"contagem_antes": None, "identica": True, "repetidas": 1}, "mudou durante a leitura"),
    ],
)
def test_one_piece_of_evidence_against_a_pass_is_enough(against: dict[str, Any], veredito: str) -> None:
    verdict = judge(replace(QUIET, **against))
    assert (verdict.veredito, verdict.prova) == (veredito, None)
    assert verdict.motivo


@pytest.mark.parametrize("harmless", [{"recentes": 9}, {"quebras": 2}, {"relogio": False, "sobreposicao": False}])
def test_rows_that_were_all_known_before_need_neither_stamps_nor_chain(harmless: dict[str, Any]) -> None:
    assert judge(replace(QUIET, desconhecidas=0, **harmless)).proved


def test_stamps_that_say_nothing_are_left_out() -> None:
    assert judge(replace(QUIET, relogio=False, recentes=5)).proved


def test_without_a_count_two_identical_passes_prove() -> None:
    verdict = judge(replace(QUIET, contagem_antes=None, contagem_depois=None, identica=True))
    assert (verdict.veredito, verdict.prova) == ("provada", "duas passadas idênticas")


ROWS = st.lists(st.none() | st.integers() | st.text() | st.dictionaries(st.text(), st.text() | st.none(), max_size=3))


@given(ROWS, st.sampled_from([None, 1, "\t"]), st.sampled_from([(",", ":"), (" , ", " :\r\n ")]))
def test_dropping_the_first_element_leaves_the_others(
    rows: list[Any], indent: int | str | None, separators: tuple[str, str]
) -> None:
    text = " " + json.dumps(rows, indent=indent, separators=separators) + "\n"
    assert json.loads(drop_first_element(text)) == rows[1:]


def make_answer(text: str, original: str | None = None) -> Answer:
    return Answer("/v1/x?start=0", text, json.loads(text), original, datetime(2026, 3, 16, 9, 5, 0, 123456, UTC), None)


def test_a_pass_file_is_whole_or_absent(tmp_path: Path) -> None:
    with PageFile(tmp_path, "x") as file:
        file.add(make_answer('[{"id": 1}]'))
    assert list(tmp_path.iterdir()) == []
    with PageFile(tmp_path, "x") as file:
        file.add(make_answer('[{"id": 1}, {"id": 2}]', original="[...]"))
        file.add(make_answer('[{"id": 2}, {"id": 3}]'), sobrepostas=1)
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
