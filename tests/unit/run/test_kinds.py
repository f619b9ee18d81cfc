"""Kinds and stages of a run: what files and launchpads of before say is understood."""

from __future__ import annotations

from importlib.util import find_spec

from lastro.operation.batch import NEEDED
from lastro.run.order import RunOrder
from lastro.run.stages import STAGES
from lastro.schema.run_kinds import Etapa, Modo


def test_every_stage_runs_in_the_order_of_the_names() -> None:
    assert [stage.nome for stage in STAGES] == list(Etapa)


def test_what_is_loaded_ahead_for_several_companies_is_there() -> None:
    """One that is not there is left out without a word, and each process then loads it anew."""
    assert [name for name in NEEDED if name.startswith("lastro.run.") and find_spec(name) is None] == []
    assert {stage.module for stage in STAGES} <= set(NEEDED)


def test_a_kind_is_stored_with_its_accent_and_asked_for_without() -> None:
    for modo, asked in ((Modo.COMPLETA, "completa"), (Modo.QUENTE, "quente"), (Modo.RECALCULO, "recalculo")):
        written = RunOrder(modo=modo).write()
        assert written == {"modo": asked}
        assert RunOrder.read(written, None).modo is modo
    assert Modo("recálculo") is Modo.RECALCULO
