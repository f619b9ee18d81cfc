"""V34 to V36 by hand: what was proved, what was loaded, what could not be read, and whose clock is right."""

from __future__ import annotations

import pandas as pd
import pytest

from lastro.grid.verdict import ALERTA, ERRO
from lastro.quality.evidence import CheckInputs
from lastro.quality.reading_checks import check_v34, check_v35, check_v36

PROOFS = pd.DataFrame(
    {
        "lista": ["lancamentos", "lancamentos", "cobrancas"],
        "conta_id": pd.array([101, 101, None], dtype="Int64"),
        "ids_distintos": [7, 9, 4],
        "rejeitadas": [0, 1, 0],
        "veredito": ["mudou durante a leitura", "provada", "provada"],
    }
)


def read(entries: int, charges: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "lista": ["lancamentos", "cobrancas"],
            "conta_id": pd.array([101, None], dtype="Int64"),
            "lidos": [entries, charges],
        }
    )


def test_v34_holds_the_proved_pass_against_what_sql_reads() -> None:
    assert check_v34(CheckInputs(passadas=PROOFS, lidos=read(10, 4))).situacao == "ok"
    found = check_v34(CheckInputs(passadas=PROOFS, lidos=read(9, 4)))
    assert (found.situacao, found.chaves) == ("falhou", ("lancamentos · 101",))
    hot = PROOFS.assign(lista="lancamentos:janela")
    assert check_v34(CheckInputs(passadas=hot, lidos=read(99, 4))).situacao == "não se aplica"


@pytest.mark.parametrize(("rejected", "severity"), [(1, ALERTA), (2, ERRO)])
def test_v35_tells_every_unreadable_record_and_doubts_the_figures_above_one_in_a_thousand(
    rejected: int, severity: str
) -> None:
    rows = pd.DataFrame({"lista": ["lancamentos"] * rejected, "id": [str(n) for n in range(rejected)]})
    found = check_v35(CheckInputs(rejeitados=rows, linhas_lidas=1000))
    assert (found.situacao, found.severidade, found.chaves[0]) == ("falhou", severity, "lancamentos 0")
    assert not check_v35(CheckInputs(rejeitados=rows[:0], linhas_lidas=1000)).failed


@pytest.mark.parametrize(
    ("seconds", "situation", "said"),
    [
        (None, "não se aplica", ""),
        (86_400, "ok", ""),
        (-86_400, "ok", ""),
        (86_401, "falhou", "1,0 dias adiantado"),
        (-259_200, "falhou", "3,0 dias atrasado"),
    ],
)
def test_v36_tells_clocks_more_than_a_day_apart(seconds: int | None, situation: str, said: str) -> None:
    found = check_v36(CheckInputs(desvio_relogio=seconds))
    assert found.situacao == situation
    assert said in (found.detalhe or "")
