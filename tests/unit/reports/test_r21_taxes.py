"""R21: what is owed in taxes, by hand; V44 adds it up again from the records, Q40 and Q41 name what is missing."""

from __future__ import annotations

import random
import sys
from datetime import date
from decimal import Decimal
from typing import Any

import duckdb
import pandas as pd
import pytest

from lastro.folding import split_letters
from lastro.grid.workbook import Report
from lastro.quality.findings import note_answers
from lastro.quality.queries import read_prelude
from lastro.quality.runner import open_room
from lastro.reports.facts import BankFacts, DeskFacts
from lastro.reports.r21_taxes import SPEC, tell_taxes
from lastro.settings import Parametros
from lastro.transform.position import Position
from lastro.transform.taxes import names_plan, names_tax
from tests.bare import lay_out_noticed, list_noticed
from tests.damages import list_unseen
from tests.findings import find_all
from tests.marks import thinned
from tests.unit.reports.positions import make_position
from tests.unit.reports.readers import section, table
from tests.views import run_on, view_of

DAY = date(2026, 10, 30)
NAMES = ("PIS/COFINS", "DAS", "Materiais das obras", "Despesas bancárias", "Parcelamento PGFN", "IPTU da loja",
         "Retenções", "Leasing parcelamento")  # fmt: skip
TREE: list[dict[str, Any]] = [
    {"id": number, "descricao": name, "cor": "#808080", "parent_id": None, "ativo": True, "categorias_filhas": [],
     "tipo_categoria_id": 1}
    for number, name in enumerate(NAMES, 1)
]  # fmt: skip


def owe(number: int, valor: str, due: str, categoria_id: int = 1, **more: Any) -> dict[str, Any]:
    """An entry to pay of the month before its due day."""
    year, month, _ = due.split("-")
    competence = f"{year}-{int(month) - 1:02d}-28"
    base = {"id": number, "valor": valor, "conta_id": 101, "data_vencimento": due, "data_competencia": competence}
    return {**base, "categoria_id": categoria_id, "pessoa_id": 501, **more}


def books(*entries: dict[str, Any], **parametros: Any) -> Position:
    """A company of taxes on 30/10/2026."""
    return make_position(entries, categorias=TREE, data_base=DAY, parametros=Parametros(**parametros))


ARREARS = (
    owe(1, "-27000.00", "2026-06-25"),
    owe(2, "-28100.00", "2026-07-24"),
    owe(3, "-27742.62", "2026-08-25"),
    owe(4, "-26000.00", "2026-09-25", data_pagamento="2026-09-25"),
)
PLAN = tuple(
    owe(20 + number, "-1000.00", f"2026-{month:02d}-30", 5, grupo_id=9, numero_repeticao=number, total_repeticoes=60)
    for number, month in enumerate((7, 8, 9, 11), 1)
)


def rows(report: Report) -> list[tuple[Any, ...]]:
    """Category, month, value and situation of each row."""
    names = ("categoria_id", "competencia", "valor", "situacao")
    columns = [table(report, "tributos").data[name].cells() for name in names]
    return list(zip(*columns, strict=True))


def judge(position: Position, report: Report, **answers: Any) -> bool:
    """Whether V44 agrees with the report."""
    noticed = list_noticed(position, movidos=answers.get("movidos", ())) + note_answers(answers.get("respostas", {}))
    return not run_on("V44", open_room(position, lay_out_noticed(noticed), [report]), "").failed


def build(position: Position, movidos: tuple[int, ...] = (), **answers: Any) -> Report:
    """The report, judged."""
    bank = BankFacts(movidos=dict.fromkeys(movidos, "o banco pagou em 10/10"))
    report = SPEC.build(view_of(position, mesas=DeskFacts(**answers), banco=bank))
    assert judge(position, report, movidos=movidos, **answers)
    return report


def test_three_months_of_arrears_are_owed_though_a_later_one_is_paid() -> None:
    position = books(*ARREARS)
    assert find_all(position, rules=["Q33"]).findings[0].ids == ()
    report = build(position)
    assert rows(report) == [
        (1, date(2026, 5, 1), Decimal("-27000.00"), "atrasado"),
        (1, date(2026, 6, 1), Decimal("-28100.00"), "atrasado"),
        (1, date(2026, 7, 1), Decimal("-27742.62"), "atrasado"),
    ]
    total = table(report, "tributos_total")
    assert list(total.data["codigo"].cells()) == ["total", "atrasado", "em_parcelamento", "a_vencer"]
    assert total.data["valor"].cells() == [Decimal("-82842.62"), Decimal("-82842.62"), Decimal("0.00"), Decimal("0.00")]
    # June's guide is 127 days late: 20 % at most, and 1 % a month for 127 days.
    first = table(report, "tributos").data["multa_e_juros_est"].cells()[0]
    assert first == -(Decimal("5400.00") + Decimal("1143.00"))
    assert table(report, "tributos").data["dias_de_atraso"].cells() == [127, 98, 66]


def test_a_row_that_is_gone_or_there_twice_and_a_centavo_are_seen() -> None:
    position = books(*ARREARS, *PLAN)
    room = open_room(position, lay_out_noticed(list_noticed(position)), [build(position)])
    for name in ("tributos", "tributos_total"):
        assert list_unseen("V44", room, f"mart.{name}", "valor") == []


def test_an_answer_puts_a_guide_in_a_plan_and_what_was_paid_is_owed_no_more() -> None:
    position = books(*ARREARS, owe(5, "-26500.00", "2026-10-26"))
    answers = {1: "em parcelamento", 2: "pago", 3: "devo"}
    report = build(position, movidos=(5,), respostas=answers)
    assert rows(report) == [
        (1, date(2026, 7, 1), Decimal("-27742.62"), "atrasado"),
        (1, date(2026, 5, 1), Decimal("-27000.00"), "em parcelamento"),
    ]
    assert table(report, "tributos").data["multa_e_juros_est"].cells()[1] == Decimal("0.00")
    assert not judge(position, report, movidos=(5,), respostas={1: "em parcelamento", 2: "devo"})
    assert not judge(position, report, respostas=answers)
    moved = build(position, movidos=(1, 5), respostas=answers)
    assert rows(moved) == [(1, date(2026, 7, 1), Decimal("-27742.62"), "atrasado")]  # what the bank paid is in no plan


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (ARREARS, "atrasados 82.843"),
        ((*ARREARS[:1], *PLAN[2:]), "atrasados 27.000 · em parcelamento 2.000 (1 parcela atrasada)"),
        (PLAN, "em parcelamento 4.000 (3 parcelas atrasadas) · risco de exclusão"),
        (PLAN[3:], ""),
        ((), ""),
    ],
)
def test_the_cover_says_what_is_late(entries: tuple[dict[str, Any], ...], said: str) -> None:
    view = view_of(books(*entries))
    assert tell_taxes(view) == said
    notes = [note for part in SPEC.build(view).sections for note in part.notes]
    told = "Risco de exclusão: 3 parcelas atrasadas de Parcelamento PGFN."
    assert (told in notes) is ("risco" in said)


def test_a_fine_grows_by_the_day_until_a_fifth() -> None:
    report = build(books(owe(1, "-10000.00", "2026-10-20")))
    # Ten days: 3,3 %, and a third of one percent.
    assert table(report, "tributos").data["multa_e_juros_est"].cells() == [-(Decimal("330.00") + Decimal("33.33"))]


def test_names_settings_and_the_map_say_what_a_tax_is() -> None:
    entries = [owe(number, "-10.00", "2026-11-10", number) for number in (2, 3, 4, 6, 7)]
    assert [row[0] for row in rows(build(books(*entries)))] == [2, 6]
    assert [row[0] for row in rows(build(books(*entries, categorias_tributos=(7,))))] == [2, 6, 7]
    assert [row[0] for row in rows(build(books(*entries, dre_mapa={4: "ir_csll"})))] == [2, 4, 6]


ODD = {
    True: ("ISSº", "İSS", "IMPÔSTO", "impo\u0302sto", "PIS\u00a0COFINS", "\U0001f4b8ICMS", "IPTU2026", "iss_qn",
           "\u0130PI", "Simples\u2003Nacional", "IRPJ\x00", "DAS", "das", "dás", "ĎAS", "Guia DAS", "DAS MENSAL",
           "DAS\n06", "ſimples-nacional", "Impostos e taxas", "Tributos"),
    False: ("ﬁss", "I.S.S.", "Pisão", "P\u200bIS", "ＩＳＳ", "CUSTO DAS VENDAS", "Custo das vendas", "Missões",
            " ", ""),
}  # fmt: skip
"""Whether a name is that of a tax."""


@pytest.mark.parametrize("last", thinned([0x3000, sys.maxunicode + 1], default=[0x3000]))
def test_sql_reads_any_name_as_the_report_does(last: int) -> None:
    rng = random.Random(21)  # noqa: S311 - test data, no secret
    words = ("iss", "DAS", "das", "Imposto", "simples nacional", "parcelamento", "PGFN", " ")
    signs = [chr(code) for code in range(1, last) if not 0xD800 <= code < 0xE000]
    # Each sign before, after and within a word; and some of them drawn.
    names = {"iss".join(signs[first : first + 500]) for first in range(0, len(signs), 500)}
    names |= {"".join(rng.choice((*words, rng.choice(signs[:0x250]))) for _ in range(5)) for _ in range(2_000)}
    names |= {*ODD[True], *ODD[False]}
    with duckdb.connect() as con:
        con.execute("CREATE SCHEMA core; CREATE TABLE core.linhas (titulo_id BIGINT, descricao VARCHAR)")
        con.execute("CREATE TABLE core.titulos (titulo_id BIGINT, grupo_id BIGINT, data_pagamento DATE, valor BIGINT)")
        con.register("asked", pd.DataFrame({"descricao": sorted(names)}))
        con.execute("CREATE TABLE core.categorias AS FROM asked")
        told = con.execute(read_prelude()["nomes"]).fetchall()
    assert {name for name, *_ in told} == names
    wrong = [one for one in told if one[1:4] != (split_letters(one[0]), names_tax(one[0]), names_plan(one[0]))]
    assert wrong == []
    assert {tax: tuple(name for name in names if names_tax(name) is tax) for tax, names in ODD.items()} == ODD


def test_a_plan_stands_first_while_an_instalment_is_late_and_three_risk_it() -> None:
    position = books(*ARREARS[:1], *PLAN)
    assert [(row[0], row[3]) for row in rows(build(position))] == [
        *[(5, "em parcelamento")] * 3, (1, "atrasado"), (5, "em parcelamento"),
    ]  # fmt: skip
    found = find_all(position, rules=["Q41"]).findings[0]
    assert (found.ids, found.gravidade) == ((21, 22, 23), "alerta")
    assert find_all(books(*PLAN[1:]), rules=["Q41"]).findings[0].ids == ()


def test_a_plan_that_is_no_tax_is_none_and_what_is_no_series_is_no_plan() -> None:
    leasing = owe(1, "-10.00", "2026-11-10", 8, grupo_id=3)
    once = owe(2, "-10.00", "2026-11-10", 5)
    assert rows(build(books(leasing, once))) == []
    named = owe(3, "-10.00", "2026-11-10", 8, grupo_id=4, descricao="Parcelamento ICMS 3/10")
    assert rows(build(books(leasing, named))) == [(8, date(2026, 10, 1), Decimal("-10.00"), "em parcelamento")]


def test_a_month_without_a_guide_is_told_of_what_comes_each_month_alone() -> None:
    # By the month of their competence: 2, 4, 5; one each quarter; two alone, a month between them; a year apart.
    months = {1: (2, 4, 5), 2: (1, 4, 7), 6: (6, 8), 7: (1,)}
    entries = [
        owe(100 * category + month, "-5.00", f"2026-{month + 1:02d}-20", category)
        for category, own in months.items() for month in own
    ]  # fmt: skip
    entries.append(owe(1, "-5.00", "2025-02-20", 7))
    position = books(*entries, categorias_tributos=(7,))
    told = [row[:3] for row in rows(build(position)) if row[3] == "sem guia"]
    assert told == [(1, date(2026, 3, 1), None), (6, date(2026, 7, 1), None)]
    found = find_all(position, rules=["Q40"])
    assert found.findings[0].ids == (1, 6)
    assert found.itens.data["texto"].cells() == ["03/2026", "07/2026"]


def test_a_yearly_tax_rests_and_a_monthly_one_is_missed_in_the_month_that_had_one() -> None:
    """1 in ten instalments a year, February to November; 2 each month but February and March of its second year."""
    yearly = [(year, month) for year in (2025, 2026) for month in range(2, 12 if year == 2025 else 5)]
    monthly = [(2025, month) for month in range(1, 13)] + [(2026, 1), (2026, 4)]
    entries = [
        owe(100 * category + place, "-5.00", day := f"{year}-{month:02d}-20", category, data_competencia=day)
        for category, own in ((1, yearly), (2, monthly)) for place, (year, month) in enumerate(own)
    ]  # fmt: skip
    position = books(*entries)
    told = [row[:2] for row in rows(build(position)) if row[3] == "sem guia"]
    assert told == [(2, date(2026, 2, 1)), (2, date(2026, 3, 1))]
    assert find_all(position, rules=["Q40"]).itens.data["texto"].cells() == ["02/2026", "03/2026"]


@pytest.mark.parametrize("entries", [(), (owe(1, "-5.00", "2026-11-10", 3),)])
def test_a_company_without_taxes_has_no_such_table_on_its_sheet(entries: tuple[dict[str, Any], ...]) -> None:
    report = build(books(*entries))
    assert report.sections == ()
    assert len(table(report, "tributos").rows) == 0


def test_months_without_an_entry_never_fill_the_sheet() -> None:
    """Of the year before March to December lack in the second year of 1: ten months, six of which are shown."""
    paid = [(2024, month) for month in range(1, 13)] + [(2025, 1), (2025, 2), (2026, 1)]
    entries = [
        owe(place, "-5.00", day := f"{year}-{month:02d}-20", data_competencia=day, data_pagamento=day)
        for place, (year, month) in enumerate(paid, 1)
    ]
    report = build(books(*entries, owe(90, "-7.00", "2026-09-25", data_competencia="2026-01-20")))
    assert len(table(report, "tributos").rows) == 11
    printed = section(report, "tributos")
    place = printed.place("situacao")
    assert [row.cells[place] for row in printed.rows] == ["atrasado", *["sem guia"] * 6, None, None, None, None]
    assert printed.notes[-1] == "Sem guia: e mais 4 em mart.tributos."


def test_the_sheet_has_the_parts_below() -> None:
    printed = section(build(books(*ARREARS)), "tributos")
    assert [row.cells[0] for row in printed.rows][3:] == ["Total", "Atrasado", "Em parcelamento", "A vencer"]
