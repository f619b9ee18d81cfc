"""What LEIA-ME of `dados` says of a column: its own words, or those of the dictionary."""

from __future__ import annotations

import pytest

from lastro.warehouse.publication.dataset_tables import DATASETS
from lastro.warehouse.publication.datasets import explain_column

BY_NAME = {dataset.name: dataset for dataset in DATASETS}


@pytest.mark.parametrize(
    ("name", "column", "wanted"),
    [
        (
            "linhas",
            "data_caixa",
            "dia do pagamento, se conta no caixa da conta (S7); nulo em aberto e fora do controle",
        ),
        ("pessoas", "a_pagar_vencido", "em aberto a pagar vencido, negativo"),  # of the view of a report
        ("pessoas", "classe_abc", "A, B ou C pela parte acumulada do total (R12); nula sem receita"),
        ("linhas", "no_such_column", ""),
    ],
)
def test_who_explains_a_column(name: str, column: str, wanted: str) -> None:
    assert explain_column(BY_NAME[name], column) == wanted
