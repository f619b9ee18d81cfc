"""What acquirers pass on in lots is asked of nobody (S12): D is Monday, 16/03/2026, 502 an acquirer, 302 a card."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import cache, partial
from typing import Any

from lastro.analysis.collection_ladder import find_steps, list_steps
from lastro.catalogue import Catalogue, build_catalogue
from lastro.desk.queue import build_queue
from lastro.reports.facts import Facts
from lastro.reports.view import View
from lastro.settings import Conta, Parametros
from lastro.transform.position import Position
from tests.books import make_empresa
from tests.unit.reports.positions import entry as make_entry
from tests.unit.reports.positions import make_position
from tests.unit.reports.readers import records, table

entry = partial(make_entry, pessoa_id=501)
LOTS: dict[str, Any] = {"formas_sem_cobranca": (302,), "pessoas_sem_cobranca": (502,)}
ENTRIES = (
    entry(1, "100.00", "2026-03-12", pessoa_id=502),
    entry(2, "50.00", "2026-03-12", pessoa_id=502),
    entry(3, "70.00", "2026-03-13", forma_pagamento_id=302),
    entry(4, "90.00", "2026-03-18", pessoa_id=502),
    entry(5, "300.00", "2026-03-02"),
    entry(6, "40.00", "2026-03-02", forma_pagamento_id=302),
    entry(7, "3000.00", "2025-10-10", pessoa_id=502, data_pagamento="2025-10-10"),
    entry(8, "1000.00", "2025-10-10", data_pagamento="2025-10-10"),
)
CHARGE = {"id": 96, "valor": "40.00", "lancamento_ids": "6", "status_descricao": "Pendente", "cliente_id": 501,
          "forma_pagamento_id": 302, "data_vencimento": "2026-03-02"}  # fmt: skip


def books(**parametros: Any) -> Position:
    given = {"formas": {302: "Cartão"}, "fazer_minimo": Decimal(0), "dre_mapa": {10: "receita_bruta"}, **parametros}
    conta = Conta(101, descricao="Banco Alfa", valor_saldo_inicial=Decimal("0.00"))
    return make_position(ENTRIES, cobrancas=[CHARGE], contas=[conta], parametros=Parametros(**given))


@cache
def judged(**parametros: Any) -> Catalogue:
    """The reports, of which no check finds anything wrong; to be read only."""
    made = build_catalogue(View(books(**parametros), make_empresa([], {}), Facts(medidas=())))
    assert [check.id for check in made.verifications if check.failed] == []
    return made


def rows_of(made: Catalogue, code: str, name: str) -> list[dict[str, Any]]:
    return records(table(next(one for one in made.reports if one.code == code), name))


def test_nobody_is_dunned_for_it_and_what_is_late_is_claimed_by_day() -> None:
    tasks = [
        (row["Regra"], row["Título"], row["Descrição"], row["A receber"], row["Vencimento"], row["O que fazer"])
        for row in rows_of(judged(**LOTS), "R00", "fazer")
    ]
    acquirer, late = "Cobrar da adquirente", date(2026, 3, 12)
    name = books(**LOTS).rotulos.pessoa(502)
    assert tasks == [
        ("F1", 5, "Serviços", Decimal("300.00"), date(2026, 3, 2), "Ligar"),
        ("F1", 6, "Serviços", Decimal("40.00"), date(2026, 3, 2), "Ligar"),  # whoever has a charge owes it
        ("F8", None, f"{name}: repasse de 12/03/2026, 2 títulos", Decimal("150.00"), late, acquirer),
        ("F8", None, "Cartão: repasse de 13/03/2026, 1 título", Decimal("70.00"), date(2026, 3, 13), acquirer),
    ]
    (line,) = [row for row in rows_of(judged(**LOTS), "R00", "fazer_hoje") if row["Regra"] == "F8"]
    assert line["Frase"] == "Cobrar da adquirente os repasses de 12/03 (150,00), 13/03 (70,00)"
    assert not [row for row in rows_of(judged(), "R00", "fazer") if row["Regra"] == "F8"]


def test_it_is_in_no_step_of_the_ladder_and_not_on_the_desk() -> None:
    position = books(**LOTS)
    opened = position.titulos[~position.titulos["pago"]].sort_values("titulo_id")
    steps = [list_steps(position)[place] for place in find_steps(position, opened)]
    assert [bool(step) for step in steps] == [False, False, False, False, True, True]
    assert {debt.titulo_id for debt in build_queue(position).titulos} == {5, 6}
    assert {debt.titulo_id for debt in build_queue(books()).titulos} == {1, 2, 3, 4, 5, 6}


def test_receivables_say_that_it_is_passed_on_and_indicators_count_no_charge_missing() -> None:
    shown = {row["Título"]: row["Cobrança"] for row in rows_of(judged(**LOTS), "R09", "a_receber")}
    assert shown == {**dict.fromkeys((1, 2, 3, 4), "repasse"), 5: "sem cobrança", 6: "Pendente"}
    with_lots, without = ({kpi.slug: kpi.number for kpi in judged(**given).kpis} for given in (LOTS, {}))
    assert (with_lots["sem_cobranca_vencidos_qtde"], without["sem_cobranca_vencidos_qtde"]) == (Decimal(1), Decimal(4))
    # Of 4,000 of revenue a customer brought 1,000, and what the acquirer passed on is nobody's.
    assert (with_lots["concentracao_5_clientes"], without["concentracao_5_clientes"]) == (Decimal(25), Decimal(100))
    assert (with_lots["concentracao_5_devedores"], without["concentracao_5_devedores"]) == (
        Decimal("63.08"),
        Decimal(100),
    )
