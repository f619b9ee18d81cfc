"""The random companies are hostile enough, and the oracle's own statements close on them."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from tests import oracle
from tests.oracle.accrual import accrual_linhas, accrual_months
from tests.oracle.changes import CLASSES_R13
from tests.oracle.companies import company, two_runs
from tests.oracle.context import CLASSES, open_titulos
from tests.oracle.days import first_day, last_day
from tests.oracle.flow import PARCELAS, consolidated_balance, monthly_columns, of_class, realised

ZERO = Decimal("0.00")
SEEDS = range(40)


@pytest.fixture(scope="module")
def contexts():
    return [oracle.build_context(company(seed)) for seed in SEEDS]


def test_the_same_seed_gives_the_same_company():
    assert company(7) == company(7)
    assert two_runs(7) == two_runs(7)
    assert company(7) != company(8)


def test_the_companies_hold_everything_the_documents_speak_of(contexts):
    rules, types, states, modes, classes, aging = (Counter[Any]() for _ in range(6))
    for ctx in contexts:
        rules.update(rule for rule, keys in oracle.r15(ctx).items() if keys)
        types.update(row["tipo"] for row in oracle.r11_divergencias(ctx))
        states.update(row["situacao"] for row in oracle.r08(ctx) + oracle.r09(ctx))
        aging.update(row["faixa"] for row in oracle.r08(ctx) + oracle.r09(ctx))
        modes[ctx.modo["modo"]] += 1
        modes["diferenca"] += any(linha["origem"] == "diferenca" for linha in ctx.linhas)
        modes["retroativo"] += ctx.retroativo
        classes.update(linha["classe"] for linha in ctx.linhas)
    assert set(rules) == {f"Q{number:02d}" for number in (*range(1, 22), 33, 34)}
    assert set(types) == {f"M{number}" for number in range(1, 12)}
    assert set(states) == {"Agendado", "Em carência", "Vencido", "Vence hoje", "A vencer"}
    assert set(aging) == {"A vencer", "1-30", "31-60", "61-90", "91-180", ">180"}
    assert set(classes) == set(CLASSES)
    assert all(modes[name] for name in ("parcela", "total", "diferenca", "retroativo"))


def test_linha_keys_are_unique_and_cents_are_conserved(contexts):
    for ctx in contexts:
        keys = [(linha["origem"], linha["linha_id"]) for linha in ctx.linhas]
        assert len(keys) == len(set(keys))
        by_titulo = sum(titulo["valor"] for titulo in ctx.titulos.values())
        assert by_titulo == sum(linha["valor"] for linha in ctx.linhas)


def test_balances_and_flows_close(contexts):
    """V01 to V04: openings, classes, days, weeks and months add to the balances."""
    for ctx in contexts:
        opening = sum(account["valor_saldo_inicial"] for account in ctx.contas.values())
        cash = [linha for linha in ctx.linhas if linha["caixa"]]
        assert opening + sum(linha["valor"] for linha in cash) == consolidated_balance(ctx, ctx.data_base)
        assert sum(of_class(cash, classe) for classe in CLASSES) == sum(linha["valor"] for linha in cash)
        days = oracle.r02(ctx)
        for row in days:
            assert row["saldo_inicial"] + sum(row[name] for name in PARCELAS) == row["saldo_final"]
        for rows in (days, oracle.r03(ctx)):
            assert all(one["saldo_final"] == other["saldo_inicial"] for one, other in pairwise(rows))
        table = oracle.r04(ctx)
        whole = [column for column in table if column[1] != "realizado" and column[1] != "a_realizar"]
        for one, other in pairwise(whole):
            assert table[one]["saldo_final"] == table[other]["saldo_inicial"]
        parts = [table[(ctx.mes, part)] for part in ("realizado", "a_realizar", "total")]
        assert parts[0]["saldo_final"] == parts[1]["saldo_inicial"]
        assert parts[1]["saldo_final"] == parts[2]["saldo_final"]
        by_day = oracle.r02(ctx, first_day(ctx.mes), last_day(ctx.mes))
        assert sum(row["liquido_do_dia"] for row in by_day) == parts[2]["saldo_final"] - parts[2]["saldo_inicial"]


def test_accounts_add_to_the_consolidated(contexts):
    for ctx in contexts[:20]:
        blocks = oracle.r05(ctx)
        table = oracle.r04(ctx)
        for column in monthly_columns(ctx):
            rows = [blocks[conta_id][column] for conta_id in ctx.contas]
            whole = blocks["consolidado"][column]
            for name in ("saldo_inicial", "saldos_implantados", "entradas", "saidas", "nao_operacional"):
                assert sum(row[name] or ZERO for row in rows) == whole[name] == table[column][name]
            transfers = whole["transf_recebidas"] + whole["transf_enviadas"]
            assert transfers == table[column]["transferencias"]
            for row in rows:
                if row["saldo_final"] is not None:
                    moved = sum(v for k, v in row.items() if k not in ("saldo_inicial", "saldo_final"))
                    assert row["saldo_final"] == (row["saldo_inicial"] or ZERO) + moved


def test_category_rows_add_to_the_sections(contexts):
    """V07: a node is its direct amount plus its children; the roots are the section."""
    lines = {"Entradas": "entradas", "Saídas": "saidas", "Não operacional": "nao_operacional"}
    for ctx in contexts[:20]:
        table, sections = oracle.r04(ctx), oracle.r04_categorias(ctx)
        for section, rows in sections.items():
            for column in table:
                roots = sum(row["valores"][column] for row in rows if row["nivel"] == 0)
                assert roots == table[column][lines[section]]
                for position, row in enumerate(rows):
                    below = []
                    for other in rows[position + 1 :]:
                        if other["nivel"] <= row["nivel"]:
                            break
                        below.append(other)
                    children = [other for other in below if other["nivel"] == row["nivel"] + 1]
                    if children:
                        assert row["valores"][column] == sum(child["valores"][column] for child in children)


def test_dre_and_bridge_close(contexts):
    """V05, V08, and line 12 = line 14 without IR."""
    for ctx in contexts:
        table = oracle.r06(ctx)
        inside = [linha for linha in accrual_linhas(ctx) if not linha["fora_resultado"]]
        assert sum(row["total"]["resultado"] for row in table.values()) == sum(linha["valor"] for linha in inside)
        for month, row in table.items():
            assert row["receitas"] + row["despesas"] == row["total"]["resultado"]
            assert row["pago"]["resultado"] + row["em_aberto"]["resultado"] == row["total"]["resultado"]
            centres = oracle.r06_centros(ctx, month)
            assert sum(lines["resultado"] or 0 for lines in centres.values()) == row["total"]["resultado"]
        for month, row in oracle.r07(ctx).items():
            first, last = first_day(month), min(last_day(month), ctx.data_base)
            cash = realised(ctx, first, last)
            assert row["l"] == sum(linha["valor"] for linha in cash if not linha["transferencia"])
            if first <= last:
                change = consolidated_balance(ctx, last) - consolidated_balance(ctx, first - timedelta(days=1))
                assert row["p"] == change
        assert accrual_months(ctx) == sorted(table)


def test_open_items_partition(contexts):
    """V06, and R10 and R12 tie to R08 + R09."""
    for ctx in contexts:
        payable, receivable = oracle.r08(ctx), oracle.r09(ctx)
        total = sum(titulo["valor"] for titulo in open_titulos(ctx))
        assert sum(row["valor"] for row in payable + receivable) == total
        for rows in (payable, receivable):
            sums = oracle.position_totals(rows)
            assert sums["vencido"] + sums["vence_hoje"] + sums["a_vencer"] == sums["total"]
            faixas = oracle.summary(rows)
            assert sum(row["valor"] for row in faixas[:-1]) == faixas[-1]["valor"] == sums["total"]
            assert all(row["bruto"] + row["deducoes"] == row["valor"] for row in rows)
        assert sum(row["posicao_liquida"] for row in oracle.r12(ctx)) == total
        inside = {row["id"] for row in receivable if not ctx.titulos[row["id"]]["fora_resultado"]}
        overdue = sum(row["valor"] for row in receivable if row["vencido"] and row["id"] in inside)
        assert sum(row["vencido"] for row in oracle.r10(ctx)) == overdue


def test_charges_partition(contexts):
    for ctx in contexts:
        table = oracle.r11_status_forma(ctx)
        live = [key for key in table if key != "total" and key[0] != "cancelado"]
        for name in ("qtde", "valor", "pago", "taxas", "liquido"):
            assert sum(table[key][name] for key in live) == table["total"][name]


def test_two_runs_close():
    """V17 and V18, whatever the period."""
    seen, types = Counter[Any](), Counter[Any]()
    for seed in range(30):
        first_run, second_run = two_runs(seed)
        before, now = oracle.build_context(first_run), oracle.build_context(second_run)
        bridge = oracle.r14_ponte(now, before)
        assert sum(value for name, value in bridge.items() if name != "aberto_b") == bridge["aberto_b"]
        types.update(row["tipo"] for row in oracle.r14(now, before))
        day = before.data_base
        for start, end in (
            (day + timedelta(days=1), now.data_base),
            (day + timedelta(days=8), day + timedelta(days=20)),
            (day - timedelta(days=10), now.data_base),
        ):
            found = oracle.r13(now, before, start, end)
            assert found["previsto"] + sum(found["cascata"].values()) == found["realizado"]
            seen.update(name for name, amounts in found["linhas"].items() if amounts)
    assert set(seen) == set(CLASSES_R13)
    assert {"EXCLUIDO", "NOVO", "ESTORNADO", "LIQUIDADO", "VALOR", "VENCIMENTO", "PAGAMENTO", "CONTA"} <= set(types)


def test_the_order_of_the_rows_does_not_matter():
    for seed in range(10):
        payload = company(seed, duplicatas=False)
        straight = oracle.r16(oracle.build_context(payload))
        random.Random(seed).shuffle(payload["lancamentos"])  # noqa: S311 - test data, no secret
        assert oracle.r16(oracle.build_context(payload)) == straight


def test_every_report_runs_on_every_company(contexts):
    for ctx in contexts[:12]:
        kpis = oracle.r00(ctx)
        assert kpis["saldo_atual"] == oracle.r01_total(ctx)["saldo"]
        assert len(oracle.r01(ctx)) == len(ctx.contas)
        assert oracle.r04_total(ctx)["saldo_final"] == oracle.r04(ctx)[monthly_columns(ctx)[-1]]["saldo_final"]
        oracle.r04_memo(ctx)
        oracle.r06_indicadores(ctx)
        oracle.r10_indices(ctx)
        oracle.r11_funil(ctx)
        oracle.r11_tempos(ctx)
        oracle.r12_prazos(ctx)
        oracle.r13_vencimento_pagamento(ctx)
        oracle.r17(ctx)
        oracle.agenda(ctx)
        assert all(isinstance(row["data"], date) for row in oracle.missing_recurrences(ctx, ctx.data_base))
