"""Kinds and stages of a run: what files and launchpads of before say is understood."""

from __future__ import annotations

from lastro.run.order import RunOrder
from lastro.run.stages import STAGES
from lastro.schema.run_kinds import Etapa, Modo


def test_every_stage_runs_in_the_order_of_the_names() -> None:
    assert [stage.nome for stage in STAGES] == list(Etapa)


def test_a_kind_is_stored_with_its_accent_and_asked_for_without() -> None:
    for modo, asked in ((Modo.COMPLETA, "completa"), (Modo.QUENTE, "quente"), (Modo.RECALCULO, "recalculo")):
        assert modo.asked == asked
        assert RunOrder.read({"modo": asked}, None).modo is modo
    assert Modo("recálculo") is Modo.RECALCULO
