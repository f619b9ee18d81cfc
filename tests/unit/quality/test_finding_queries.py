"""The findings that are SQL: of each a record that must appear and one that must not, by hand; heads and relations."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.entrada.door import RefusedPart
from lastro.quality.findings import ABERTURAS, Found, find_findings
from lastro.quality.queries import read_findings
from lastro.quality.runner import open_room
from lastro.settings import Conta, Parametros
from lastro.transform.openings import ARQUIVO, CONFIG, Statement
from lastro.warehouse.file.check_room import Relation
from tests.bare import lay_out_noticed, store_statements
from tests.findings import find_all, sides
from tests.unit.reports.positions import make_position

DAY = date(2026, 3, 16)
CATEGORIAS = [
    {"id": number, "descricao": name, "tipo_categoria_id": kind, "parent_id": None, "ativo": active}
    for number, name, kind, active in (
        (11, "Vendas", 2, True), (21, "Aluguel", 1, True), (22, "Antiga", 1, False), (30, "Aporte dos sócios", 2, True),
        (31, "Resgate", 2, True), (40, "Mista", 0, True),
    )
]  # fmt: skip


def entry(number: int, valor: str, due: str = "2026-03-10", paid: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "conta_id": 101, "categoria_id": 11 if Decimal(valor) >= 0 else 21, "pessoa_id": 501,
        "valor": valor, "data_vencimento": due, "data_pagamento": paid, "data_competencia": due, **more,
    }  # fmt: skip


def _find(rules: str, *entries: dict[str, Any], **more: Any) -> Found:
    given: dict[str, Any] = {"categorias": CATEGORIAS, "parametros": Parametros(dre_mapa={11: "receita_bruta"}), **more}
    return find_all(make_position(list(entries), **given), rules=rules.split())


def _of(found: Found, rule: str) -> list[tuple[Any, ...]]:
    return [row[1:] for row in found.itens.rows if row[0] == rule]


def _ids(found: Found, rule: str) -> list[Any]:
    return [row[1] for row in _of(found, rule)]


RENT = [entry(n, "-100.00", f"2026-0{n}-05", paid) for n, paid in ((1, None), (2, "2026-02-05"), (3, "2026-03-05"))]
PARCELS: dict[str, Any] = {"grupo_id": 7, "total_repeticoes": 3}
RULES: dict[str, tuple[list[dict[str, Any]], list[Any]]] = {
    "Q01": ([entry(1, "5.00", categoria_id=None), entry(2, "5.00")], [1]),
    "Q02": (
        [entry(1, "-5.00", categoria_id=22), entry(2, "-5.00", paid="2026-03-10", categoria_id=22), entry(3, "-5.00")],
        [1],
    ),
    "Q03": ([entry(1, "5.00", pessoa_id=None), entry(2, "5.00")], [1]),
    "Q04": ([entry(1, "0.00"), entry(2, "0.01")], [1]),
    "Q05": ([entry(1, "5.00", data_competencia=None), entry(2, "5.00")], [1]),
    # 61 days and 60.
    "Q06": ([entry(1, "5.00", data_competencia="2026-01-08"), entry(2, "5.00", data_competencia="2026-01-09")], [1]),
    "Q07": (
        [entry(1, "5.00", "2026-03-15", pagamento_automatico=True), entry(2, "5.00", "2026-03-16",
         pagamento_automatico=True), entry(3, "5.00", "2026-03-15")],
        [1],
    ),
    "Q44": (
        [entry(1, "5.00", lancamento_composto_id=9), entry(2, "-3.00", lancamento_composto_id=9), entry(3, "5.00")],
        [1],
    ),
    "Q12": (
        [entry(1, "5.00", periodicidade="M1"), entry(2, "5.00", periodicidade="X9"),
         entry(3, "5.00", periodicidade="M1", total_repeticoes=9), entry(4, "5.00", "2027-06-01", periodicidade="M1")],
        [1, 2],
    ),
    "Q13": (
        [entry(1, "5.00"), entry(2, "5.00"), entry(3, "6.00"), entry(4, "7.00", grupo_id=7), entry(5, "7.00",
         grupo_id=7), entry(6, "8.00", grupo_id=8), entry(7, "8.00", grupo_id=9), entry(8, "0.00"), entry(9, "0.00"),
         entry(10, "9.00", pessoa_id=None), entry(11, "9.00", pessoa_id=None)],
        [1, 2, 6, 7],
    ),
    "Q14": (
        [entry(1, "-0.01", categoria_id=11), entry(2, "0.01", categoria_id=21), entry(3, "0.01"), entry(4, "-0.01"),
         entry(5, "0.00"), entry(6, "0.00", categoria_id=21)],
        [1, 2],
    ),
    "Q15": ([entry(1, "5.00", paid="2026-03-17"), entry(2, "5.00", paid="2026-03-16")], [1]),
    # 16/09/2025 is 181 days before D, a Tuesday; 17/09 180.
    "Q16": ([entry(1, "5.00", "2025-09-16"), entry(2, "5.00", "2025-09-17"), entry(3, "5.00", "2025-01-02",
             "2026-01-02")], [1]),
    "Q18": (
        [entry(1, "5.00", numero_repeticao=1, **PARCELS), entry(2, "5.00", numero_repeticao=3, **PARCELS),
         entry(3, "5.00", numero_repeticao=1, grupo_id=8, total_repeticoes=1)],
        [7],
    ),
    "Q20": ([entry(1, "5.00"), entry(2, "-5.00"), entry(3, "0.00", categoria_id=40)], [21]),
    "Q21": (
        [entry(1, "5.00", categoria_id=30), entry(2, "5.00"), entry(3, "5.00", categoria_id=40),
         entry(4, "5.00", "2025-02-28", categoria_id=31)],
        [30, 40],
    ),
    "Q33": (RENT, [1]),
    # Due 31 days before its competence, and 30; 731 days after it, alone and of a series; late, and paid in a year.
    "Q43": (
        [
            entry(1, "5.00", "2026-03-01", data_competencia="2026-04-01"),
            entry(2, "5.00", "2026-03-02", data_competencia="2026-04-01"),
            entry(3, "5.00", "2028-04-01", data_competencia="2026-04-01"),
            entry(4, "5.00", "2028-03-31", data_competencia="2026-04-01", grupo_id=4),
            entry(5, "5.00", "2026-03-10", "2027-03-10"),
            entry(6, "5.00", "2026-03-20", "2027-03-10"),
            entry(7, "5.00", "2028-03-16", data_competencia="2028-03-16"),
            # Paid: booked 731 days before it was due, and 730.
            entry(8, "5.00", "2026-03-02", "2026-03-02", data_competencia="2024-03-01"),
            entry(9, "5.00", "2026-03-01", "2026-03-01", data_competencia="2024-03-01"),
        ],
        [1, 3, 5, 7, 8],
    ),
    "MEMO": (
        [entry(1, "-5.00", paid="2026-03-01", pagamento_automatico=True), entry(2, "-5.00", paid="2026-02-28",
         pagamento_automatico=True), entry(3, "-5.00", paid="2026-03-01")],
        [1],
    ),
}  # fmt: skip
OTHERWISE = {
    "Q08", "Q09", "Q10", "Q11", "Q17", "Q19", "Q22", "Q23", "Q30", "Q31", "Q34", "Q35", "Q36", "Q37", "Q38", "Q39",
    "Q40", "Q41", "Q42",
}  # fmt: skip
"""Rules that need other records than entries: each has a test of its own."""


def test_every_rule_is_tried() -> None:
    assert set(RULES) | OTHERWISE == set(read_findings())
    assert not set(RULES) & OTHERWISE


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_names_the_records_that_it_is_about_and_no_other(rule: str) -> None:
    entries, wanted = RULES[rule]
    found = _find(rule, *entries)
    assert _ids(found, rule) == wanted
    assert [(one.regra, one.ids) for one in found.findings] == [(rule, tuple(wanted))]


def test_a_payable_whose_day_decided_is_over_is_named_with_its_amount() -> None:
    position = make_position([entry(1, "-5.00"), entry(2, "-7.00")])
    assert _of(find_all(position, mudados=(2,), rules=["Q42"]), "Q42") == [
        ("titulo", 2, Decimal("-7.00"), 501, date(2026, 3, 10), None)
    ]
    found = find_all(position, decisoes_vencidas=(2,), rules=["Q38"])
    assert _of(found, "Q38") == [("titulo", 2, Decimal("-7.00"), 501, date(2026, 3, 10), None)]
    assert found.findings[0].gravidade == "informação"


def test_transfers() -> None:
    legs = [
        entry(1, "-5.00", lancamento_transferencia_id=2, categoria_id=None),
        entry(2, "5.00", conta_id=102, lancamento_transferencia_id=1, categoria_id=None),
        entry(3, "-5.00", "2026-03-16", lancamento_transferencia_id=9, categoria_id=None),
    ]
    found = _find("Q01 Q08 Q09 Q14", *legs)
    assert (_ids(found, "Q08"), _ids(found, "Q09")) == ([1, 2], [3])
    assert _of(found, "Q09") == [("linha", 3, Decimal("-5.00"), 501, date(2026, 3, 16), None)]
    assert _ids(found, "Q01") == _ids(found, "Q14") == []


def test_accounts_and_their_opening() -> None:
    conta = Conta(101, valor_saldo_inicial=Decimal("70.00"), data_saldo_inicial=date(2026, 3, 2))
    entries = [
        entry(1, "70.00", paid="2026-03-02"), entry(2, "70.01", paid="2026-03-02", descricao="Venda"),
        entry(3, "1.00", paid="2026-03-01", descricao="SÁLDO\u00a0inicial"), entry(4, "1.00", conta_id=102),
    ]  # fmt: skip
    found = _find("Q10 Q11 Q19", *entries, contas=[conta])
    assert _ids(found, "Q10") == [3]
    assert _ids(found, "Q11") == [102]
    assert _ids(found, "Q19") == [1, 3]


def test_a_person_without_document_has_both_sides_apart() -> None:
    people = [{"id": 501, "nome": "A", "documento": " "}, {"id": 502, "nome": "B", "documento": "1"}]
    entries = [
        entry(1, "5.00"), entry(2, "-3.00"), entry(3, "9.00", paid="2026-03-10"), entry(4, "5.00", pessoa_id=502)
    ]  # fmt: skip
    found = _find("Q17", *entries, clientes=people)
    assert {row[:3] for row in _of(found, "Q17")} == {
        ("pessoa", 501, Decimal("5.00")), ("pessoa", 501, Decimal("-3.00"))
    }  # fmt: skip
    (finding,) = found.findings
    assert (finding.qtde, finding.lados) == (1, sides("5.00", "3.00"))
    assert finding.resumo == "1 a receber R$ 5,00 · 1 a pagar R$ 3,00"


def test_labels_without_a_name_count_each_amount_once() -> None:
    entries = [
        entry(1, "5.00", forma_pagamento_id=3, tags=[{"id": 3}, {"id": 12}]),
        entry(2, "-2.00", forma_pagamento_id=4, tags=[{"id": 9}]),
    ]
    found = _find("Q34", *entries, parametros=Parametros(formas={4: "pix"}))
    assert {row[:3] for row in _of(found, "Q34")} == {
        ("formas", 3, Decimal("5.00")), ("tags", 3, None), ("tags", 9, Decimal("-2.00")), ("tags", 12, None)
    }  # fmt: skip
    (finding,) = found.findings
    assert (finding.qtde, finding.ids, finding.lados) == (4, (3, 9, 12), sides("5.00", "2.00"))
    assert finding.resumo == "1 entrada R$ 5,00 · 1 saída R$ 2,00"  # paid or not: nothing is to be received
    lines = 'formas = { 3 = "nome" } · tags = { 3 = "nome", 9 = "nome", 12 = "nome" }'
    assert finding.como_corrigir.endswith(f"[empresa.parametros]: {lines}")


def test_what_the_records_do_not_say() -> None:
    position = make_position([entry(1, "5.00")])
    rules = ("Q31", "Q35", "Q36", "Q37", "Q39")
    twice, unread = [("pessoas", 9), ("lancamentos", 9)], [RefusedPart("danificado", arquivo="a.xlsx")]
    found = find_all(position, twice, unread, [("titulo", 1)], rules=rules)
    assert {row[:2] for row in _of(found, "Q35")} == {("pessoas", 9), ("lancamentos", 9)}
    assert _of(found, "Q31") == [("arquivo", None, None, None, None, "a.xlsx: danificado")]
    assert [row[:2] for row in _of(found, "Q39")] == [("titulo", 1)]
    assert not find_all(position, rules=rules).itens.rows


def test_statements_that_contradict_each_other_and_an_invoice_typed_as_money_that_one_has() -> None:
    day, contas = date(2026, 2, 28), [Conta(101), Conta(103, tipo="cartao"), Conta(104, tipo="cartao")]
    typed = [Statement(number, day, valor, ARQUIVO) for number, valor in ((101, 1), (103, 50_00), (104, -50_00))]
    position = make_position(
        [entry(n, "5.00", conta_id=conta.conta_id) for n, conta in enumerate(contas)], contas=contas
    )
    saldos = store_statements(
        typed, set(), overruled=[Statement(101, day, 2, CONFIG), Statement(104, day, -50_00, CONFIG)]
    )
    found = find_all(replace(position, extrato_saldos=saldos), rules=["Q37"])
    assert {row[-1] for row in _of(found, "Q37")} == {
        "conta 101 em 28/02/2026: vale o de arquivo, difere o de config",
        "conta 103 em 28/02/2026: fatura se digita negativa",
    }


@pytest.mark.parametrize(
    ("causa", "linha", "efeito", "gravidade", "told"),
    [
        ("passado mudou", 9, "499.99", "informação", "saldos até 04/02/2026 sobem R$ 499,99: 1 lançamento pago"),
        ("passado mudou", 9, "-500.00", "alerta", "saldos até 04/02/2026 descem R$ 500,00: 1 lançamento pago"),
        ("trânsito mudou", None, "500.00", "alerta", "todos os saldos sobem R$ 500,00: mudou o que estava em trânsito"),
        ("âncora nova", None, "900.00", "informação", "abertura de R$ 10,00 para R$ 910,00: âncora nova, extrato de"),
        ("configuração mudou", None, "900.00", "informação", "abertura de R$ 10,00 para R$ 910,00: configuração mudou"),
    ],
)
def test_a_restated_opening_says_why_and_alerts_from_fazer_minimo_on_under_one_anchor(
    causa: str, linha: int | None, efeito: str, gravidade: str, told: str
) -> None:
    before, moved = Decimal("10.00"), Decimal(efeito)
    row = (101, "Banco", causa, "extrato", linha, moved, before, before + moved, date(2026, 2, 28), date(2026, 2, 5))
    noticed = lay_out_noticed([], aberturas=Relation(ABERTURAS, [row]))
    room = open_room(make_position([entry(1, "5.00")]), noticed)
    (finding,) = find_findings(room, {"Q36": read_findings()["Q36"]}).findings
    assert (finding.gravidade, finding.lados, finding.resumo) == (gravidade, None, "")  # an opening has no side
    assert finding.por_que.startswith(f"Banco: {told}")


def test_a_finding_stands_on_records_by_way_of_the_prelude() -> None:
    for query in read_findings().values():
        used = set(re.findall(r"\b(core|ops|raw|hist|rel)\.\w+", " ".join(query.selects)))
        assert not used, f"{query.id}: records come by way of prova, so that a past day has its own"
        assert "mart." not in query.selects[0], query.id
        assert set(re.findall(r"\bmart\.(\w+)", " ".join(query.selects[1:]))) <= {"achados_itens"}
        assert max(map(len, query.texto.splitlines())) <= 120, query.id


def test_how_composites_are_read_is_a_guess_with_its_amount_until_somebody_says_it() -> None:
    rows = [entry(number, "5.00", lancamento_composto_id=number % 2 + 8) for number in range(1, 5)]
    (guess,) = _find("Q44", *rows, entry(5, "-7.00")).findings
    # Of 1 and 3, and of 2 and 4, the second depends on it.
    assert guess.por_que.startswith("2 títulos, R$ 10,00 dependem disto. ")
    assert guess.como_corrigir.endswith(': composto_valor_pai = "parcela"')
    said = Parametros(dre_mapa={11: "receita_bruta"}, composto_valor_pai="parcela")
    assert _find("Q44", *rows, parametros=said).findings[0].qtde == 0
