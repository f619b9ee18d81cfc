"""Functions of the library as of a company that says nothing beside its records: each empty value stands here, once.

A test that says something gives it by name.
"""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Any

import pandas as pd

from lastro.extract import charges, entries
from lastro.quality import findings
from lastro.transform import composites, core, deletions, openings, scenarios
from lastro.transform.forgotten_titulos import list_forgotten
from lastro.transform.habits import find_habits
from lastro.transform.position import Position

NONE_SEEN = pd.DataFrame({"cobranca_id": [], "data": pd.Series([], dtype="datetime64[us]")})

read_cobrancas = partial(charges.read_cobrancas, window=None)
read_lancamentos = partial(
    entries.read_lancamentos, candidates={}, known_ids={}, with_overdue=False, window=None, today=date.min
)
build_linhas = partial(
    composites.build_linhas,
    composto_valor_pai="auto",
    modo_anterior=None,
    saldo_inicial_lancamentos=(),
    saldo_inicial_categorias=(),
)
build_core = partial(
    core.build_core,
    modo_anterior=None,
    observadas=NONE_SEEN,
    informados=(),
    orcamento=None,
    ate=date.max,
    chave=bytes(32),
)
build_contas = partial(core.build_contas, find_opening=lambda _conta, _since: None)
classify_absences = partial(deletions.classify_absences, inactive_accounts=())
store_statements = partial(openings.store_statements, overruled=())
project_scenario = partial(scenarios.project_scenario, settled=(), forgotten=())
list_noticed = partial(
    findings.list_noticed,
    repetidos=(),
    nao_entendidos=(),
    decididos=(),
    decisoes_vencidas=(),
    movidos=(),
    mudados=(),
    nao_repassadas=(),
)
lay_out_noticed = partial(findings.lay_out_noticed, nao_lidos=(), aberturas=None)


def plan_projections(position: Position, **said: Any) -> tuple[scenarios.Outlook, ...]:
    """Every projection, that by habits as a report makes it."""
    habits, forgotten = find_habits(position), list_forgotten(position.titulos)
    moves = scenarios.plan_by_habits(position, habits, forgotten)
    by_habit = scenarios.project_habits(position, habits, moves, forgotten)
    nothing: dict[str, Any] = {"cenarios": (), "promised": (), "decided": (), "settled": (), "forgotten": forgotten}
    return scenarios.plan_projections(position, by_habit=by_habit, **nothing | said)
