"""S17: the state of the map, Q21, and the lines that `lastro mapa` proposes, on the golden books with extension E."""

from __future__ import annotations

import tomllib
from datetime import date

import pandas as pd
import pytest

from lastro.analysis.dre_map import (
    COMPLETO,
    PARCIAL,
    SEM_MAPA,
    find_dre_map,
    find_groups,
    propose_map,
    select_map_window,
)
from lastro.commands.mapa import ProposedMap
from lastro.commands.settings_text import TABLE
from lastro.settings import Empresa, Parametros
from lastro.transform.position import Position
from tests.findings import find_by_rule, sides
from tests.unit.reports.positions import MAPA, make_golden, make_position

D = date(2026, 3, 16)


def _with_e(dre_mapa: dict[int, str]) -> Position:
    return make_golden(extensao=True, dre_mapa=dre_mapa)


@pytest.mark.parametrize(
    ("mapa", "estado", "classificada", "sem_grupo_centavos"),
    [
        ({}, SEM_MAPA, False, 4_782_000),
        ({30: "fora"}, PARCIAL, False, 4_182_000),
        ({30: "divida"}, PARCIAL, False, 4_182_000),
        (MAPA, COMPLETO, True, 0),
        ({10: "receita_bruta", 20: "administrativas"}, PARCIAL, True, 600_000),
    ],
)
def test_states(mapa: dict[int, str], estado: str, classificada: bool, sem_grupo_centavos: int) -> None:
    found = find_dre_map(_with_e(mapa))
    assert (found.estado, found.classificada, found.sem_grupo_centavos) == (estado, classificada, sem_grupo_centavos)
    assert found.margens is (estado == COMPLETO)


def test_only_what_is_used_counts() -> None:
    # 24 has an entry of 31/03 by its due date, after D; 20 one of April; what has no category is Q01, unknown ids Q20.
    mapa = {key: group for key, group in MAPA.items() if key not in (20, 24)} | {21: "administrativas"}
    assert find_dre_map(_with_e(mapa)).estado == COMPLETO
    base = {"conta_id": 101, "data_vencimento": "2026-03-10", "valor": "-5.00"}
    parametros = make_golden(dre_mapa=MAPA).parametros
    position = make_position([{"id": 1, **base}, {"id": 2, "categoria_id": 999, **base}], parametros=parametros)
    assert find_dre_map(position).estado == COMPLETO


def test_q20_and_q21() -> None:
    empty = find_by_rule(_with_e({}), "Q20", "Q21")
    assert empty["Q20"].ids == (11, 12, 20, 21, 22, 23, 24, 30)
    assert (empty["Q21"].ids, empty["Q21"].lados) == ((30,), sides("6000.00", "0.00"))
    assert '30 = "fora"' in empty["Q21"].como_corrigir
    for group in ("fora", "divida"):
        assert find_by_rule(_with_e({30: group}), "Q21")["Q21"].ids == ()


def test_q21_looks_at_names_too() -> None:
    categorias = [
        {"id": 50, "descricao": "Retirada dos sócios", "tipo_categoria_id": 1, "parent_id": None, "ativo": False},
        {"id": 51, "descricao": "Aluguel", "tipo_categoria_id": 1, "parent_id": None, "ativo": True},
    ]
    base = {"conta_id": 101, "valor": "-70.00", "data_vencimento": "2026-03-10"}
    entries = [{"id": number, "categoria_id": number, **base} for number in (50, 51)]
    position = make_position(entries, categorias=categorias)
    found = find_by_rule(position, "Q21")["Q21"]
    assert (found.ids, found.lados) == ((50,), sides("0.00", "70.00"))
    decided = make_position(entries, categorias=categorias, parametros=Parametros(dre_mapa={50: "outras"}))
    assert find_by_rule(decided, "Q21")["Q21"].ids == ()  # somebody decided that it is part of the result


def _used(position: Position) -> tuple[pd.DataFrame, dict[int, int]]:
    window = select_map_window(position)
    sums = window.groupby("categoria_id")["valor_centavos"].sum().to_dict()
    known = position.categorias[position.categorias["conhecida"]]
    names = known.assign(descricao=known["descricao"].str.removesuffix(" (inativa)"))
    return names, {int(str(key)): int(value) for key, value in sums.items()}


def test_proposal_of_the_design() -> None:
    proposals, left = propose_map(*_used(_with_e({})), {})
    assert [(one.categoria_id, one.grupo, one.centavos) for one in proposals] == [
        (21, "administrativas", -730_000),
        (24, "comerciais", 0),
        (22, "pessoal", -535_000),
        (23, "administrativas", -37_000),
        (30, "divida", 600_000),
        (10, "receita_bruta", 2_810_000),
    ]
    assert left == []


def test_what_the_map_gives_already_is_not_proposed_again() -> None:
    proposals, left = propose_map(*_used(_with_e({})), {20: "administrativas", 11: "receita_bruta"})
    assert [(one.categoria_id, one.grupo) for one in proposals] == [
        (24, "comerciais"), (22, "pessoal"), (30, "divida"), (10, "receita_bruta"),
    ]  # fmt: skip
    # Serviços is owned by its own line of the map: 10 is left with Produtos, 2400 + 1800 + 1200 + 1300 + 900 + 1100.
    assert proposals[-1].centavos == 870_000
    assert left == []


@pytest.mark.parametrize(
    ("mapa", "groups"),
    [
        ({}, {1: "divida", 2: "divida", 3: "fora", 4: ""}),
        ({1: "fora"}, {1: "divida", 2: "divida", 3: "fora", 4: ""}),  # a map that is older than the group
        ({1: "divida", 4: "divida"}, {1: "divida", 2: "divida", 3: "divida", 4: "divida"}),
        ({1: "financeiro", 3: "fora"}, {1: "financeiro", 2: "financeiro", 3: "fora", 4: ""}),
    ],
)
def test_debts_are_what_the_map_says_or_a_name_says_of_what_is_outside(
    mapa: dict[int, str], groups: dict[int, str]
) -> None:
    names = {1: ("Empréstimos", None), 2: ("Santander 4477", 1), 3: ("Aporte de sócios", 1), 4: ("Acertos", None)}
    categorias = [
        {"id": key, "descricao": name, "tipo_categoria_id": 0, "parent_id": parent, "ativo": True}
        for key, (name, parent) in names.items()
    ]
    assert find_groups(make_position([], categorias=categorias).categorias, mapa) == groups


def test_what_nets_to_zero_is_no_result_whatever_it_is_called() -> None:
    """Factoring and its recompra cancel, as does a deposit; what has a name of its own, or a mapped parent, keeps."""
    names = pd.DataFrame(
        {
            "categoria_id": [1, 2, 3, 4, 5],
            "descricao": ["Antecipação de recebíveis (FIDC)", "Caução", "Movimentações", "Aluguel", "Acertos"],
            "ativo": True,
            "tipo_categoria_id": [0, 1, 0, 1, 1],
            "parent_id": pd.array([None, None, None, None, 9], dtype="Int64"),
        }
    )
    above = names.iloc[:1].assign(categoria_id=9, descricao="Diversos", parent_id=None)
    proposals, left = propose_map(pd.concat([names, above]), {1: 0, 2: 0, 3: 5, 4: 0, 5: 0}, {9: "administrativas"})
    assert {one.categoria_id: one.grupo for one in proposals} == {1: "divida", 2: "fora", 4: "administrativas"}
    assert [one.categoria_id for one in left] == [3]


def test_rendered_lines_are_toml_whatever_a_name_holds() -> None:
    names = pd.DataFrame(
        {
            "categoria_id": [1, 2, 3],
            "descricao": ['Aluguel\n7 = "fora"', "Fornecedores", "Diversos"],
            "ativo": True,
            "tipo_categoria_id": 1,
            "parent_id": None,
        }
    )
    proposals, left = propose_map(names, {1: -730_000, 2: -100, 3: 5_000}, {})
    text = ProposedMap(proposals, left, D, begun=False).render()
    assert tomllib.loads(text) == {"empresa": {"parametros": {"dre_mapa": {"1": "administrativas"}}}}
    assert text.splitlines() == [
        "# lastro mapa · sugestões, confira linha a linha · 12 meses + mês até 16/03/2026",
        "[empresa.parametros.dre_mapa]",
        '1 = "administrativas"  # Aluguel 7 = "fora"  -7.300,00',
        "# sem sugestão:",
        '# 3 = ""  # Diversos      50,00',
        '# 2 = ""  # Fornecedores  -1,00',
    ]
    assert TABLE not in ProposedMap(proposals, left, D, begun=True).render()
    empresa = Empresa("ouro", "Ouro", "https://servico.exemplo", "TOKEN")
    assert [*ProposedMap(proposals, left[1:], D, begun=True).tell_missing(empresa)] == [
        "falta 1: 2 Fornecedores (-1,00)",
        "enquanto faltar não há margem, EBITDA, PMP, ciclo nem ponto de equilíbrio",
    ]
    six, *_ = ProposedMap([], left * 3, D, begun=True).tell_missing(empresa)
    assert six.startswith("faltam 6: 3 Diversos (50,00), 2 Fornecedores (-1,00), ")
    assert six.endswith(" e mais 1")
    assert not [*ProposedMap(proposals, [], D, begun=True).tell_missing(empresa)]
    assert ProposedMap([], [], D, begun=False).render().splitlines()[-1] == "# sem sugestão: (nenhuma)"
