"""The oracle against every figure of section 5, for the five shapes of the composite and variant S."""

from __future__ import annotations

import itertools
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.golden import dataset, expected
from tests.oracle import accrual, changes, charge_reports, flow, open_items, people, quality, recurrence, resume
from tests.oracle.context import build_context
from tests.oracle.flow import lowest_projected, opening_balance
from tests.oracle.open_items import receivables

ZERO = Decimal("0.00")
VARIANTS = [*dataset.FORMAS_COMPOSTO, "S"]


def _payload(variant: str) -> dict[str, Any]:
    return dataset.payloads("A", saldo_inicial=True) if variant == "S" else dataset.payloads(variant)


@pytest.fixture(scope="module", params=VARIANTS)
def variant(request):
    return request.param


@pytest.fixture(scope="module")
def ctx(variant):
    return build_context(_payload(variant))


@pytest.fixture(scope="module")
def before(variant):
    forma = "A" if variant == "S" else variant
    return build_context(dataset.payloads(forma, saldo_inicial=variant == "S", anterior=True))


def test_counts_and_mode(ctx, variant):
    assert len(ctx.linhas) == expected.CONTAGENS["linhas"]
    assert len(ctx.titulos) == expected.CONTAGENS["titulos"]
    assert sum(linha["valor"] for linha in ctx.linhas) == expected.CONTAGENS["soma"]
    mode = expected.MODO["A" if variant == "S" else variant]
    assert {key: ctx.modo[key] for key in mode} == mode


def test_r01(ctx):
    for day, by_account in expected.SALDOS.items():
        assert {conta: flow.balance(ctx, conta, day) for conta in by_account} == by_account
    rows = {row["conta_id"]: row for row in flow.r01(ctx)}
    assert {conta: row["saldo_d30"] for conta, row in rows.items()} == expected.R01["saldo_d30"]
    whole = flow.r01_total(ctx)
    assert whole["saldo"] == expected.R01["saldo_total"]
    assert whole["saldo_inicial"] == expected.R01["saldos_iniciais"]
    assert sum(linha["valor"] for linha in ctx.linhas if linha["caixa"]) == expected.R01["soma_linhas_caixa"]


def test_r02(ctx):
    rows = {row["data"]: row for row in flow.r02(ctx, date(2026, 1, 1))}
    golden = expected.R02
    moved = {
        day: row["liquido_do_dia"] - row["saldos_implantados"]
        for day, row in rows.items()
        if day < expected.D and (row["liquido_do_dia"] != row["saldos_implantados"] or day == date(2026, 2, 10))
    }
    assert moved == golden["liquido_realizado"]
    legs = [x["valor"] for x in ctx.linhas if x["transferencia"] and x["data_pagamento"] == date(2026, 2, 10)]
    assert tuple(sorted(legs)) == golden["transferencias_10_02"]
    projected = {
        day: (row["liquido_do_dia"], row["saldo_final"])
        for day, row in rows.items()
        if day >= expected.D and row["liquido_do_dia"] != 0
    }
    assert projected == golden["projetado"]
    kpis = resume.r00(ctx)
    assert kpis["menor_saldo_contratual"] == golden["menor_saldo"]
    assert lowest_projected(ctx)[1] == golden["data_menor_saldo"]
    memo = flow.r02_memo(ctx)
    assert memo["vencidos_a_receber"] == golden["vencidos_a_receber"]
    assert memo["vencidos_a_pagar"] == golden["vencidos_a_pagar"]


def test_r02_sheet_starts_on_the_first_of_the_month_and_has_45_days_from_d(ctx):
    days = [row["data"] for row in flow.r02(ctx)]
    assert (days[0], days[-1], len(days)) == (date(2026, 3, 1), date(2026, 4, 29), 60)


def test_r02_dia_util(variant):
    ctx = build_context(_payload(variant), venc_regra="dia_util")
    golden = expected.R02_DIA_UTIL
    closings = {row["data"]: row["saldo_final"] for row in flow.r02(ctx)}
    assert {day: closings[day] for day in golden["saldo_final"]} == golden["saldo_final"]
    assert flow.r02_memo(ctx)["vencidos_a_receber"] == golden["vencidos_a_receber"]


def test_r03(ctx):
    rows = {row["semana"]: row for row in flow.r03(ctx, date(2026, 1, 5), 20)}
    for week, row in rows.items():
        assert row["liquido_da_semana"] - row["saldos_implantados"] == expected.R03.get(week, ZERO)
    shown = flow.r03(ctx)
    assert (shown[0]["semana"], len(shown)) == ((2026, 8), 17)
    assert shown[4]["rotulo"] == "Sem 12 · 16/03 a 22/03/2026"


def test_r04(ctx):
    table = flow.r04(ctx)
    for column, golden in expected.R04.items():
        assert {line: table[column][line] for line in golden} == golden


def test_r04_categories(ctx):
    sections = flow.r04_categorias(ctx)
    for column, golden in expected.R04_CATEGORIAS.items():
        leaves = {
            row["caminho"]: row["valores"][column]
            for rows in sections.values()
            for row in rows
            if row["valores"][column] != 0
            and (row["direto"] or not ctx.categorias.get(row["categoria_id"], {}).get("filhas"))
        }
        assert leaves == golden


def test_r05(ctx):
    blocks = flow.r05(ctx)
    for (conta, month), golden in expected.R05.items():
        part = "realizado" if month == ctx.mes else "total"
        row = blocks[conta][(month, part)]
        assert {line: row[line] for line in golden} == golden


def test_r06(ctx):
    table = accrual.r06(ctx)
    for month, golden in expected.R06.items():
        found = table[month]
        assert found["receitas"] == golden["receitas"]
        assert found["despesas"] == golden["despesas"]
        assert found["total"]["resultado"] == golden["resultado"]
        assert found["pago"]["resultado"] == golden["pago"]
        assert found["em_aberto"]["resultado"] == golden["em_aberto"]
    assert sum(found["total"]["fora"] for found in table.values()) == Decimal("6000.00")


def test_r06_centres_and_tags(ctx):
    for month, golden in expected.R06_CENTROS.items():
        lines = accrual.r06_centros(ctx, month)
        assert {centre: values["resultado"] for centre, values in lines.items()} == golden
        whole = accrual.r06(ctx)[month]["total"]
        assert {n: sum(values[n] or 0 for values in lines.values()) for n in whole} == whole
    assert accrual.sums_by_tag(ctx) == expected.TAGS


def test_r07(ctx):
    table = accrual.r07(ctx)
    for month, golden in expected.R07.items():
        row = {**table[month], "n_mais_o": table[month]["n"] + table[month]["o"]}
        assert {line: row[line] for line in golden} == golden


def test_r08(ctx, variant):
    rows = open_items.detail(ctx, "P")
    bands = {row["faixa"]: row["valor"] for row in open_items.summary(rows) if row["faixa"] != "Total" and row["valor"]}
    assert bands == expected.R08["faixas"]
    assert open_items.position_totals(rows)["total"] == expected.R08["total"]
    days = {row["id"]: row["dias_de_atraso"] for row in rows}
    assert {key: days[key] for key in expected.R08["dias"]} == expected.R08["dias"]
    rated = build_context(_payload(variant), multa_pct={"pagar": 2}, juros_pct_mes={"pagar": 1})
    for row in open_items.detail(rated, "P"):
        if row["id"] in expected.R08["taxas_2_1"]:
            golden = expected.R08["taxas_2_1"][row["id"]]
            assert (row["multa_est"], row["juros_est"]) == (golden["multa"], golden["juros"])


def test_r09(ctx):
    rows = open_items.detail(ctx, "R")
    bands = {row["faixa"]: row["valor"] for row in open_items.summary(rows) if row["faixa"] != "Total" and row["valor"]}
    assert bands == expected.R09["faixas"]
    totals = open_items.position_totals(rows)
    assert {key: totals[key] for key in ("total", "vencido", "vencido_efetivo", "em_carencia")} == {
        key: expected.R09[key] for key in ("total", "vencido", "vencido_efetivo", "em_carencia")
    }
    by_id = {row["id"]: row for row in rows}
    assert not by_id.keys() & expected.R09["ausentes"]
    names = {"dias": "dias_de_atraso", "multa": "multa_est", "juros": "juros_est", "atualizado": "valor_atualizado"}
    for titulo_id, golden in expected.R09["titulos"].items():
        assert {key: by_id[titulo_id][names.get(key, key)] for key in golden} == golden


def test_r10(ctx):
    indices = open_items.r10_indices(ctx)
    for name in ("carteira", "acima_90", "ajustada"):
        assert indices[name] == expected.R10[name]
    assert {month: values[2] for month, values in indices["safra"].items()} == expected.R10["safra"]
    late = sum(row["vencido"] for row in open_items.r10(ctx))
    assert late == sum(t["valor"] for t in receivables(ctx) if not t["pago"] and t["vencido"]) == Decimal("3400.00")
    assert {row["pessoa_id"]: row["etapa"] for row in open_items.r10(ctx)} == {
        502: "Dar baixa",  # 1011 has a paid charge, 1015 is far ahead
        501: "Vence hoje/carência",
    }


def test_r11(ctx):
    golden = expected.R11
    whole = charge_reports.r11_status_forma(ctx)["total"]
    assert {key: whole[key] for key in ("qtde", "valor", "pago", "taxas", "liquido")} == {
        key: golden[key] for key in ("qtde", "valor", "pago", "taxas", "liquido")
    }
    assert sum(charge["paga"] for charge in ctx.cobrancas.values()) == golden["qtde_pagas"]
    assert charge_reports.r11_em_transito(ctx) == golden["em_transito_por_data"]
    assert resume.r00(ctx)["em_transito_fora"] == golden["em_transito"]
    assert [step["qtde"] for step in charge_reports.r11_funil(ctx)["total"]] == golden["funil"]
    rows = {row["cobranca_id"]: row for row in charge_reports.r11_detalhe(ctx)}
    for charge_id, days in golden["tempos"].items():
        assert {key: rows[charge_id][key] for key in days} == days
    booked = {key: row["encargos_taxas_nao_lancados"] for key, row in rows.items()}
    assert {key: value for key, value in booked.items() if value is not None} == golden["encargos_nao_lancados"]
    pending = charge_reports.r11_pendentes_vencidas(ctx)
    assert [charge_id for ids in pending.values() for charge_id in ids] == golden["pendentes_vencidas"]
    found = charge_reports.r11_divergencias(ctx)
    assert [(row["tipo"], row["cobranca_id"], *row["lancamentos"]) for row in found] == golden["divergencias"]


def test_r12(ctx):
    rows = {row["pessoa_id"]: row for row in people.r12(ctx)}
    names = (
        "a_receber_a_vencer", "a_receber_vencido", "a_pagar_a_vencer", "a_pagar_vencido", "recebido_12m", "pago_12m",
    )  # fmt: skip
    assert rows.keys() == expected.R12.keys()
    for person, golden in expected.R12.items():
        assert {name: rows[person][name] for name in names} == {name: golden.get(name, ZERO) for name in names}
    for person, (revenue, cumulative, classe) in expected.ABC.items():
        row = rows[person]
        assert (row["receita_12m"], row["pct_acumulado"], row["classe"]) == (revenue, cumulative, classe)


def test_r12_terms(ctx):
    terms, golden = people.r12_prazos(ctx), expected.PRAZOS
    for name in ("pmr", "pmp", "pmr_parcelas", "pmp_parcelas", "saidas_90", "dias_de_caixa"):
        assert terms[name] == golden[name]
    assert (terms["recebimento"]["prazo"], terms["recebimento"]["atraso"]) == (
        golden["prazo_recebimento"],
        golden["atraso_recebimento"],
    )
    paying = terms["pagamento"]
    assert (paying["prazo"], paying["atraso"]) == (golden["prazo_pagamento"], golden["atraso_pagamento"])
    assert (paying["soma_prazo"], paying["peso"]) == golden["prazo_pagamento_parcelas"]


def test_r13(ctx, before):
    first, last = date(2026, 3, 1), date(2026, 3, 16)
    golden = expected.R13
    assert changes.choose_run([date(2026, 2, 27), date(2026, 3, 16)], first, 0) == before.data_base
    assert changes.choose_run([date(2026, 2, 27), date(2026, 3, 16)], first, 7) is None
    found = changes.r13(ctx, before, first, last)
    assert (found["previsto"], found["realizado"]) == (golden["previsto"], golden["realizado"])
    assert {key[1] for key in found["p"]} == golden["previsto_linhas"]
    assert {name: value for name, value in found["cascata"].items() if value} == golden["cascata"]
    moved = {
        name: {key[1]: value for key, value in amounts.items() if value} for name, amounts in found["linhas"].items()
    }
    assert {name: amounts for name, amounts in moved.items() if amounts} == golden["cascata_linhas"]
    accuracy = changes.r13_acuracia(ctx, before, first, last)
    assert {name: accuracy[name] for name in ("soma_erro_absoluto", "wape", "aderencia", "vies")} == {
        name: golden[name] for name in ("soma_erro_absoluto", "wape", "aderencia", "vies")
    }


def test_r14(ctx, before):
    rows = changes.r14(ctx, before)
    found: dict[str, set[int]] = {}
    for row in rows:
        found.setdefault(row["tipo"], set()).add(row["linha_id"])
    assert found == expected.R14["mudancas"]
    fields = {(row["linha_id"], name): values for row in rows for name, values in row["campos"].items()}
    for key, values in expected.R14["campos"].items():
        assert fields[key] == values
    assert changes.r14_ponte(ctx, before) == expected.R14["ponte"]
    assert changes.r14_cobrancas(ctx, before) == []


def test_r15(ctx):
    assert quality.r15(ctx) == expected.R15
    assert quality.automatic_settlements(ctx) == expected.BAIXAS_AUTOMATICAS[ctx.mes]
    checks = quality.data_checks(ctx)
    assert charge_reports.charges_on_their_way(ctx) == expected.V13
    assert checks == {name: set() for name in checks}


def test_q19_fails_when_the_opening_entry_is_not_configured():
    payload = dataset.payloads("A", saldo_inicial=True)
    del payload["parametros"]["saldo_inicial_lancamentos"]
    ctx = build_context(payload)
    assert quality.r15(ctx)["Q19"] == {1000}
    assert resume.r00(ctx)["saldo_atual"] == Decimal("25980.00")


def test_r17(ctx):
    rows = {row["grupo_id"]: row for row in recurrence.r17(ctx)}
    assert rows.keys() == expected.R17.keys()
    for group, golden in expected.R17.items():
        assert {name: rows[group][name] for name in golden} == golden


def test_periods_chain(ctx):
    """V02: every closing is the next opening, whatever the grain."""
    for rows in (flow.r02(ctx, date(2025, 12, 1)), flow.r03(ctx)):
        for one, other in itertools.pairwise(rows):
            assert one["saldo_final"] == other["saldo_inicial"]
    table = flow.r04(ctx)
    whole = [column for column in table if column[1] in ("total", "previsto")]
    for column, after in itertools.pairwise(whole):
        assert table[column]["saldo_final"] == table[after]["saldo_inicial"]
    assert opening_balance(ctx, date(2026, 4, 30)) == Decimal("18580.00")
