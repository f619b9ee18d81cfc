"""The operator's handbook covers what an operator can meet: every alert with its topic, and its settings are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lastro import manual
from lastro.notify.causes import TITLES, Kind
from lastro.run.journal import DEFECT, INTERRUPTED
from lastro.settings import load_settings

PAGE = manual.read_page("tres-da-manha")
COMPANY = "[[empresa]]\nid = 'acme'\nnome = 'Acme'\nbase_url = 'https://acme.example.com'\ntoken_env = 'ACME'\n"


def test_the_settings_shown_are_read_and_are_the_defaults(tmp_path: Path) -> None:
    text = "\n".join(re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL))
    (tmp_path / "lastro.toml").write_text(COMPANY + text, encoding="utf-8")
    shown = load_settings(tmp_path / "lastro.toml", {}, tmp_path)
    (tmp_path / "lastro.toml").write_text(COMPANY, encoding="utf-8")
    plain = load_settings(tmp_path / "lastro.toml", {}, tmp_path)
    assert shown.avisos.email is not None
    assert shown.avisos.webhook is not None
    assert (shown.avisos.horas_sem_execucao, shown.avisos.disco_minimo_mb) == (
        plain.avisos.horas_sem_execucao, plain.avisos.disco_minimo_mb,
    )  # fmt: skip
    assert shown.retencao == plain.retencao


@pytest.mark.parametrize("kind", Kind)
def test_every_alert_has_its_row(kind: Kind) -> None:
    title = TITLES[kind].partition(":")[0]
    assert re.search(rf"^\| {re.escape(title)} \| .+ \| .+ \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(
    "tema", ["atraso", DEFECT, "V32", "NÃO CONFIÁVEL", "Restoring", "Interrupted runs and new attempts"]
)
def test_every_topic_that_an_alert_names_is_there(tema: str) -> None:
    assert manual.read_topic(tema)
    assert INTERRUPTED in manual.read_topic("Interrupted runs and new attempts")
