"""R06 to R12 and R17 of random hostile companies, equal to the independent calculation to the centavo."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.analysis.charges import find_differences
from lastro.analysis.dre_map import STATE_NUMBERS
from lastro.grid.workbook import Report
from lastro.money import to_decimal
from lastro.reports.r06_income_statement import SPEC as R06
from lastro.reports.r07_bridge import SPEC as R07
from lastro.reports.r08_payables import SPEC as R08
from lastro.reports.r09_receivables import SPEC as R09
from lastro.reports.r10_overdue import SPEC as R10
from lastro.reports.r11_charges import SPEC as R11
from lastro.reports.r12_people import SPEC as R12
from lastro.reports.r17_commitments import SPEC as R17
from lastro.reports.shared.charge_detail import STATUS_LABELS, STATUS_TEXTS
from lastro.transform.position import Position
from tests.books import read_company
from tests.marks import thinned
from tests.oracle import accrual, charge_reports, open_items, people, recurrence
from tests.oracle.charge_reports import in_transit
from tests.unit.reports.readers import assert_well_formed, records, section, table, value
from tests.views import view_of

SEEDS = thinned(range(50), default=(0,))
ZERO = Decimal("0.00")
NAMES = {
    "Vencimento": "vencimento", "Data efetiva": "data_efetiva", "Dias de atraso": "dias_de_atraso", "Faixa": "faixa",
    "Situação": "situacao", "Pessoa": "pessoa", "Forma": "forma", "Bruto": "bruto", "Deduções": "deducoes",
    "Valor": "valor", "Valor atualizado": "valor_atualizado",
}  # fmt: skip


@pytest.fixture(scope="module", params=SEEDS)
def books(request: pytest.FixtureRequest) -> tuple[Position, Any]:
    return read_company(request.param)


def _first(month: tuple[int, int]) -> date:
    return date(month[0], month[1], 1)


def test_r06(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R06.build(view_of(position))
    assert_well_formed(report)
    rows = records(table(report, "dre"))
    lines = {(row["Código"], row["Mês"]): row for row in rows if row["Nível"] == 0}
    for month, figures in accrual.r06(context).items():
        for line in figures["total"]:
            row = lines.get((line, _first(month)))
            found = (row["Valor"], row["Pago/recebido"], row["Em aberto"]) if row else (ZERO, ZERO, ZERO)
            wanted = tuple(figures[name][line] for name in ("total", "pago", "em_aberto"))
            assert found == (wanted if row or wanted[0] is not None else (ZERO, ZERO, ZERO)), line
    state = accrual.map_state(context)
    ours = view_of(position).dre_map
    assert (STATE_NUMBERS[ours.estado], ours.classificada, to_decimal(ours.sem_grupo_centavos), ours.margens) == (
        state["estado"], state["classificada"], state["sem_grupo"], state["margens"],
    )  # fmt: skip
    year = accrual.r06_indicadores(context)
    for row in records(table(report, "dre_acumulado")):
        if row["Nível"] == 0:
            line = row["Código"]
            assert row["Acumulado no ano"] == year["acumulado_no_ano"].get(line, ZERO)
            assert (row["Variação"], row["Var. nota"] or row["Var. %"]) == year["var"][line]


def test_r06_categories_and_other_tables(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R06.build(view_of(position))
    rows = records(table(report, "dre"))
    months = sorted({row["Mês"] for row in rows})
    wanted = accrual.r06_categorias(context)
    for line, tree in wanted.items():
        mine = [row for row in rows if row["Código"] == line and row["Nível"] > 0]
        assert [(row["Categoria id"], row["Nível"]) for row in mine[:: len(months)]] == [
            (row["categoria_id"], row["nivel"] + 1) for row in tree
        ]
        for number, node in enumerate(tree):
            cells = mine[number * len(months) : (number + 1) * len(months)]
            assert {row["Mês"]: row["Valor"] for row in cells if row["Valor"]} == {
                _first(month): amount for month, amount in node["valores"].items() if amount
            }
    centros = {
        (row["Código"], row["Centro id"], row["Mês"]): row["Valor"] for row in records(table(report, "dre_centros"))
    }
    for month in accrual.r06(context):
        for centro, lines in accrual.r06_centros(context, month).items():
            for code, amount in lines.items():
                key = (code, centro, _first(month))
                if key in centros:
                    assert centros[key] == amount
                else:  # of a month with zero-value linhas alone nothing is printed (S8), nor is a margin claimed
                    assert not amount
    tags = accrual.sums_by_tag(context)
    whole = tags.pop("total_sem_repeticao")
    (total,) = records(table(report, "dre_tags_total"))
    assert total["Resultado"] == whole
    found = {row["Id"]: row["Resultado"] for row in records(table(report, "dre_tags"))}
    # A tag that only zero-value linhas carry is in no report (S8).
    assert {tag: amount for tag, amount in found.items() if amount} == {tag: a for tag, a in tags.items() if a}


def test_r07(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R07.build(view_of(position))
    assert_well_formed(report)
    found = {(row["Linha"], row["Mês"]): row["Valor"] for row in records(table(report, "ponte"))}
    shown = {month for _, month in found}
    for month, figures in accrual.r07(context).items():
        if _first(month) in shown:
            assert {line: found[line, _first(month)] for line in figures} == figures


@pytest.mark.parametrize("tipo", ["P", "R"])
def test_r08_and_r09(books: tuple[Position, Any], tipo: str) -> None:
    position, context = books
    report, name = (
        (R08.build(view_of(position)), "a_pagar") if tipo == "P" else (R09.build(view_of(position)), "a_receber")
    )
    assert_well_formed(report)
    expected = open_items.detail(context, tipo)
    found = records(section(report, name))
    assert [row["Título"] for row in found] == [row["id"] for row in expected]
    for row, want in zip(found, expected, strict=True):
        for header, key in NAMES.items():
            assert row[header] == want[key], (want["id"], header)
        # The oracle's paths do not mark what is inactive (S11).
        assert row["Categoria"].replace(" (inativa)", "") == want["categoria"]
        assert (abs(row["Multa est."]), abs(row["Juros est."])) == (want["multa_est"], want["juros_est"])
        assert row["Automático"] == want["automatico"]
        if want["parcela"]:
            assert row["Parcela"] == want["parcela"]
    for row, want in zip(records(section(report, f"{name}_faixas")), open_items.summary(expected), strict=False):
        assert (row["Faixa"], row["Qtde"], row["Valor"], row["% do total"]) == (
            want["faixa"], want["qtde"], want["valor"], want["pct_do_total"],
        )  # fmt: skip
    totals = open_items.position_totals(expected)
    memo = {row["Faixa"]: row["Valor"] for row in records(section(report, f"{name}_faixas"))}
    assert (memo["Vencido"], memo["Em carência"], memo["Vencido efetivo"]) == (
        totals["vencido"], totals["em_carencia"], totals["vencido_efetivo"],
    )  # fmt: skip
    people = table(report, f"{name}_pessoas").rows
    for cells, want in zip(people, open_items.by_person_top(expected), strict=True):
        assert cells[1:-1] == tuple(want["valores"].values())


def test_r08_agenda(books: tuple[Position, Any]) -> None:
    position, context = books
    rows = records(table(R08.build(view_of(position)), "a_pagar_agenda"))
    expected = open_items.agenda(context)
    assert [(row["Data"], row["Saldo antes"], row["A pagar"], row["Saldo depois"]) for row in rows] == [
        (want["data"], want["saldo_antes"], want["a_pagar"], want["saldo_depois"]) for want in expected
    ]


def test_r10(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R10.build(view_of(position))
    assert_well_formed(report)
    found = records(section(report, "inadimplencia"))
    expected = open_items.r10(context)
    assert [row["Id"] for row in found] == [row["pessoa_id"] for row in expected]
    names = {
        "Pessoa": "cliente", "Em aberto": "em_aberto", "A vencer": "a_vencer", "Vencido": "vencido", "1-30": "1-30",
        "31-60": "31-60", "61-90": "61-90", "91-180": "91-180", ">180": ">180", "Em carência": "em_carencia",
        "Maior atraso": "maior_atraso", "Atraso médio": "atraso_medio", "Encargos est.": "encargos_est",
        "Valor atualizado": "valor_atualizado", "% do vencido": "pct_do_vencido", "% acumulado": "pct_acumulado",
        "Com cobrança paga": "com_cobranca_paga", "Último recebimento": "ultimo_recebimento", "Etapa da régua": "etapa",
    }  # fmt: skip
    for row, want in zip(found, expected, strict=True):
        assert {name: row[name] for name in names} == {name: want[key] for name, key in names.items()}
    indices = open_items.r10_indices(context)
    for row, name in zip(
        records(section(report, "inadimplencia_indices")), ("carteira", "acima_90", "ajustada"), strict=True
    ):
        assert (row["Numerador"], row["Denominador"], row["%"]) == indices[name]
    assert {
        row["Safra"]: (row["Ainda em aberto"], row["Emitido"], row["% em aberto"])
        for row in records(section(report, "inadimplencia_safra"))
    } == {_first(month): figures for month, figures in indices["safra"].items()}


def _label(status: str) -> str:
    return STATUS_LABELS.get(status, status)


def test_r11(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R11.build(view_of(position))
    assert_well_formed(report)
    wanted = charge_reports.r11_status_forma(context)
    total = wanted.pop("total")
    cancelled = wanted.pop(("cancelado", None), None)
    sums = ("qtde", "valor", "pago", "taxas", "liquido", "taxa_pct")
    rows = [tuple(value(cell) for cell in row.cells) for row in section(report, "cobrancas_por_status").rows]
    found = {row[:2]: row[2:-1] for row in rows}
    assert found.pop(("Total", None)) == tuple(total[name] for name in sums)
    found.pop(("Cobranças sem lançamento", None), None)
    if cancelled:
        assert found.pop(("Cancelado", "Todas")) == tuple(cancelled[name] for name in sums)
    assert found == {
        (_label(status), position.rotulos.forma(forma)): tuple(figures[name] for name in sums)
        for (status, forma), figures in wanted.items()
    }
    *of_months, whole = records(section(report, "cobrancas_funil_meses"))
    funnel = charge_reports.r11_funil(context)
    nothing = [{"qtde": 0, "valor": Decimal("0.00"), "conversao_pct": None}] * len(STATUS_TEXTS)
    wanted_rows = [
        funnel.get((row["Mês de vencimento"].year, row["Mês de vencimento"].month), nothing) for row in of_months
    ]
    for row, steps in zip([*of_months, whole], [*wanted_rows, funnel["total"]], strict=True):
        assert [row[stage] for stage in STATUS_TEXTS] == [step["qtde"] for step in steps]
        assert [row[f"% {stage}"] for stage in STATUS_TEXTS[1:]] == [step["conversao_pct"] for step in steps[1:]]
        assert row["Valor"] == steps[0]["valor"]
    steps = [step for key, steps in funnel.items() if key != "total" for step in steps]
    by_month = records(table(report, "cobrancas_funil"))
    assert [(row["Qtde"], row["Valor"], row["Conversão"]) for row in by_month] == [
        (step["qtde"], step["valor"], step["conversao_pct"]) for step in steps
    ]
    late = charge_reports.r11_pendentes_vencidas(context)
    assert {
        row["Faixa"]: row["Qtde"] for row in records(table(report, "cobrancas_pendentes_vencidas")) if row["Qtde"]
    } == {faixa: len(ids) for faixa, ids in late.items()}
    assert sum(row["Líquido"] for row in records(table(report, "cobrancas_em_transito"))) == in_transit(context)
    assert {row["Data a transferir"]: row["Líquido"] for row in records(table(report, "cobrancas_em_transito"))} == {
        day: sum(charges.values()) for day, charges in charge_reports.r11_em_transito(context).items()
    }


def test_r11_detail_and_differences(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R11.build(view_of(position))
    rows = {row["Cobrança"]: row for row in records(table(report, "cobrancas_detalhe"))}
    expected = charge_reports.r11_detalhe(context)
    assert set(rows) == {want["cobranca_id"] for want in expected}
    for want in expected:
        row = rows[want["cobranca_id"]]
        assert row["Encargos/taxas não lançados"] == want["encargos_taxas_nao_lancados"]
        assert (row["Data de pagamento"], row["Dias venc.→pagto"], row["Dias pagto→transf."]) == (
            want["data_pagamento"], want["dias_venc_pagto"], want["dias_pagto_transf"],
        )  # fmt: skip
    wanted = {position.rotulos.forma(forma): times for forma, times in charge_reports.r11_tempos(context).items()}
    names = ("venc_pagto_media", "venc_pagto_mediana", "pagto_transf_media", "pagto_transf_mediana")
    columns = ("Venc.→pagto média", "Venc.→pagto mediana", "Pagto→transf. média", "Pagto→transf. mediana")
    assert {
        row["Forma"]: tuple(row[column] for column in columns) for row in records(table(report, "cobrancas_tempos"))
    } == {forma: tuple(times[name] for name in names) for forma, times in wanted.items()}
    found = [
        (row["tipo"], row["cobranca_id"], row["lancamentos"], row["diferenca_centavos"])
        for row in find_differences(position)
    ]
    assert found == [
        (
            want["tipo"],
            want["cobranca_id"],
            want["lancamentos"],
            None if want["diferenca"] is None else int(want["diferenca"] * 100),
        )
        for want in charge_reports.r11_divergencias(context)
    ]


def test_r12(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R12.build(view_of(position))
    assert_well_formed(report)
    names = {
        "Pessoa": "pessoa", "A receber a vencer": "a_receber_a_vencer", "A receber vencido": "a_receber_vencido",
        "A pagar a vencer": "a_pagar_a_vencer", "A pagar vencido": "a_pagar_vencido",
        "Posição líquida": "posicao_liquida", "Recebido 12m": "recebido_12m", "Pago 12m": "pago_12m",
        "Receita 12m": "receita_12m", "% acumulado": "pct_acumulado", "Classe ABC": "classe",
        "Prazo médio": "prazo_medio", "Atraso médio": "atraso_medio", "Último movimento": "ultimo_movimento",
    }  # fmt: skip
    found, expected = records(table(report, "pessoas")), people.r12(context)
    assert [row["Id"] for row in found] == [row["pessoa_id"] for row in expected]
    for row, want in zip(found, expected, strict=True):
        assert {name: row[name] for name in names} == {name: want[key] for name, key in names.items()}
        assert (row["Tipo"] or None) == want["tipo"]
    terms = {row["Indicador"]: row["Dias"] for row in records(table(report, "pessoas_prazos"))}
    want = people.r12_prazos(context)
    assert (terms["PMR"], terms["PMP"], terms["Ciclo"]) == (want["pmr"], want["pmp"], want["ciclo"])
    assert terms["Prazo efetivo de recebimento"] == want["recebimento"]["prazo"]
    assert terms["Atraso médio de recebimento"] == want["recebimento"]["atraso"]
    assert terms["Prazo efetivo de pagamento"] == want["pagamento"]["prazo"]
    assert terms["Atraso médio de pagamento"] == want["pagamento"]["atraso"]
    assert terms["Dias de caixa"] == want["dias_de_caixa"]


def test_r17(books: tuple[Position, Any]) -> None:
    position, context = books
    report: Report = R17.build(view_of(position))
    assert_well_formed(report)
    found = {row["Id"]: row for row in records(table(report, "recorrentes"))}
    for want in recurrence.r17(context):
        row = found[want["grupo_id"]]
        assert (row["Valor em aberto"], row["Último vencimento gerado"], row["Último valor"]) == (
            want["valor_em_aberto"], want["ultimo_vencimento"], want["ultimo_valor"],
        )  # fmt: skip
        assert (row["Pagas"], row["Em aberto"], row["Próximo vencimento"]) == (
            want["pagas"], want["em_aberto"], want["proximo_vencimento"],
        )  # fmt: skip
        assert (row["Variação vs anterior"], row["Equivalente mensal"]) == (
            want["variacao_pct"], want["equivalente_mensal"],
        )  # fmt: skip
