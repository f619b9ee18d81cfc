"""R00 to R05 and R16 of random hostile companies, equal to the independent calculation to the centavo."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from lastro.analysis.cash_series import build_movements, build_series
from lastro.grid.pivot import list_dicts
from lastro.grid.sections import Style
from lastro.reports.r01_balances import SPEC as R01
from lastro.reports.r02_daily_flow import SPEC as R02
from lastro.reports.r03_weekly_flow import SPEC as R03
from lastro.reports.r04_monthly_flow import SPEC as R04
from lastro.reports.r05_account_flow import SPEC as R05
from lastro.reports.r16_entries import build_r16
from lastro.reports.shared.kpis import list_kpis
from lastro.transform.position import Position
from tests.books import read_company
from tests.marks import thinned
from tests.oracle import flow, quality, resume
from tests.oracle.flow import lowest_projected
from tests.unit.reports.readers import assert_well_formed, by_key, record, records, section, table
from tests.views import view_of

SEEDS = thinned(range(50), default=(0,))
FLOW_LINES = {
    "Saldos implantados": "saldos_implantados",
    "Entradas": "entradas",
    "Saídas": "saidas",
    "Não operacional": "nao_operacional",
    "Transf. recebidas": "transf_recebidas",
    "Transf. enviadas": "transf_enviadas",
}
AMOUNTS = {
    "Saldo inicial": "saldo_inicial",
    "Saldos implantados": "saldos_implantados",
    "Entradas realizadas": "entradas_realizadas",
    "Saídas realizadas": "saidas_realizadas",
    "Entradas previstas": "entradas_previstas",
    "Saídas previstas": "saidas_previstas",
    "Não operacional": "nao_operacional",
    "Transferências": "transferencias",
    "Saldo final": "saldo_final",
}


@pytest.fixture(scope="module", params=SEEDS)
def books(request: pytest.FixtureRequest) -> tuple[Position, Any]:
    return read_company(request.param)


def test_r01(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R01.build(view_of(position))
    assert_well_formed(report)
    found = {row["conta_id"]: row for row in list_dicts(table(report, "saldos_por_conta"))}
    expected = flow.r01(context)
    assert list(found) == [row["conta_id"] for row in expected]
    keys = {
        "saldo_em_d_1": "saldo_ontem", "saldo_em_d": "saldo", "a_realizar_7_dias": "a_realizar_7",
        "saldo_em_d_7": "saldo_d7", "a_realizar_30_dias": "a_realizar_30", "saldo_em_d_30": "saldo_d30",
        "data_saldo_inicial": "inicio_do_controle", "valor_saldo_inicial": "saldo_inicial",
        **{key: key for key in (
            "entradas_do_dia", "saidas_do_dia", "nao_operacional_do_dia",
            "transferencias_do_dia", "menor_saldo_projetado", "data_do_menor_saldo", "saldo_conferido", "diferenca",
        )},
    }  # fmt: skip
    for row in expected:
        assert {key: found[row["conta_id"]][key] for key in keys} == {key: row[name] for key, name in keys.items()}
    figures = record(table(report, "saldos_por_conta_total"), codigo="total")
    figures_of_oracle = flow.r01_total(context)
    assert figures["Menor saldo projetado"] == figures_of_oracle["menor_saldo_projetado"]
    assert figures["Data do menor saldo"] == figures_of_oracle["data_do_menor_saldo"]
    assert figures["Saldo em D+30"] == figures_of_oracle["saldo_d30"]


def test_r02(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R02.build(view_of(position))
    assert_well_formed(report)
    found = records(table(report, "fluxo_diario"))
    expected = flow.r02(context)
    assert [row["Data"] for row in found] == [row["data"] for row in expected]
    for row, want in zip(found, expected, strict=True):
        assert {header: row[header] for header in AMOUNTS} == {name: want[key] for name, key in AMOUNTS.items()}
        assert (row["Dia"], row["Dia útil"], row["Tipo"], row["Alerta"] or "") == (
            want["dia"], want["dia_util"], want["tipo"], want["alerta"],
        )  # fmt: skip
        assert row["Líquido do dia"] == want["liquido_do_dia"]
    day = position.data_base
    finals = {
        (row["Conta id"], row["Data"]): row["Saldo final"] for row in records(table(report, "fluxo_diario_contas"))
    }
    for row in flow.r01(context):
        conta = row["conta_id"]
        assert [finals[conta, day + timedelta(days=ahead)] for ahead in (7, 30)] == [row["saldo_d7"], row["saldo_d30"]]
        ahead_of = [final for (number, on), final in finals.items() if number == conta and on >= day]
        lowest = None if finals[conta, day] is None else min(final for final in ahead_of if final is not None)
        assert lowest == row["menor_saldo_projetado"]
    memo = [value for _, value, _ in table(report, "fluxo_diario_memo").rows]
    want = flow.r02_memo(context)
    assert memo == [
        want["vencidos_a_receber"],
        want["vencidos_a_pagar"],
        want["saldo_final_com_vencidos"],
        want["recorrencias_nao_geradas"],
    ]
    totals = flow.r02_totais(expected)
    shown = section(report, "fluxo_diario")
    printed = [by_key(shown, row) for row in shown.rows if row.style in (Style.SUBTOTAL, Style.TOTAL)]
    keys = [*AMOUNTS.values(), "liquido_do_dia"]
    groups = [*(group for key, group in totals.items() if key != "geral"), totals["geral"]]
    if not any(want["saldos_implantados"] for want in expected):
        assert not any("saldos_implantados" in row for row in printed)
        keys.remove("saldos_implantados")
    assert [{key: row[key] for key in keys} for row in printed] == [
        {key: group[key] for key in keys} for group in groups
    ]


def test_r03(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R03.build(view_of(position))
    assert_well_formed(report)
    for row, want in zip(records(table(report, "fluxo_semanal")), flow.r03(context), strict=True):
        assert {header: row[header] for header in AMOUNTS} == {name: want[key] for name, key in AMOUNTS.items()}
        assert (row["Ano ISO"], row["Semana ISO"]) == want["semana"]
        assert row["Semana"] == want["rotulo"]
        assert row["Líquido da semana"] == want["liquido_da_semana"]


def test_r04(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R04.build(view_of(position))
    assert_well_formed(report)
    columns = list(flow.r04(context))
    printed = report.sections[0]
    by_line = {row.key: row.cells for row in printed.rows if row.key}
    lines = flow.r04(context)
    totals = flow.r04_total(context)
    for line in totals:
        cells = by_line[line]
        assert list(cells[1 : 1 + len(columns)]) == [lines[column][line] for column in columns], line
        assert cells[1 + len(columns)] == totals[line], line
    memo = flow.r04_memo(context)
    early, missing = memo["anteriores_ao_controle"], memo["recorrencias_nao_geradas"]
    memos = [list(row.cells[1 : 2 + len(columns)]) for row in printed.rows if row.style is Style.MEMO]
    past, ahead = ("realizado", "total"), ("a_realizar", "total", "previsto")
    blank: list[Any] = [None] * len(columns)
    assert memos == [
        [*blank, memo["vencidos_a_receber"]],
        [*blank, memo["vencidos_a_pagar"]],
        [
            *(early.get(month, Decimal(0)) if moment in past else None for month, moment in columns),
            sum((early.get(month, Decimal(0)) for month in dict(columns)), Decimal(0)),
        ],
        [
            *(
                missing.get(month, Decimal(0)) if moment in ahead and month >= context.mes else None
                for month, moment in columns
            ),
            sum(missing.values(), Decimal(0)),
        ],
    ]
    senses = {"entradas": "ganho", "saidas": "custo", "nao_operacional": "mista"}
    trees = {"entradas": "Entradas", "saidas": "Saídas", "nao_operacional": "Não operacional"}
    long_rows, of_all = records(table(report, "fluxo_mensal")), records(table(report, "fluxo_mensal_total"))
    for code, classe in trees.items():
        expected = flow.r04_categorias(context)[classe]
        nodes = [row for row in of_all if row["Linha"] == code and row["Nível"] > 0]
        for node, want in zip(nodes, expected, strict=True):
            indicators = flow.r04_indicadores(context, want["valores"], senses[code])
            assert (node["Nível"], node["Total"], node["Média mensal"], node["Variação"], node["Var. %"]) == (
                want["nivel"] + 1, indicators["total"], indicators["media_mensal"], indicators["var"][0],
                None if node["Var. nota"] else indicators["var"][1],
            )  # fmt: skip
        # The sheet has them in this order, and a level with one child once.
        left = iter([[want["valores"][column] for column in columns] for want in expected])
        for row in (row for row in printed.rows if row.key and row.key.startswith(f"{code}_")):
            assert list(row.cells[1 : 1 + len(columns)]) in left
        paths = [row["caminho"] for row in expected]
        seen = list(dict.fromkeys(row["Categoria"] for row in long_rows if row["Linha"] == code and row["Nível"] > 0))
        assert [path.replace(" (inativa)", "") for path in seen] == list(dict.fromkeys(paths))


def test_r05(books: tuple[Position, Any]) -> None:
    position, context = books
    report = R05.build(view_of(position))
    assert_well_formed(report)
    found: dict[Any, list[dict[str, Any]]] = {}
    for row in records(table(report, "fluxo_por_conta")):
        found.setdefault(row["Conta id"], []).append(row)
    expected = flow.r05(context)
    assert set(found) == set(expected) - {"consolidado"}
    here = context.mes
    for conta_id, rows in found.items():
        columns = [column for column in expected[conta_id] if column != (here, "total")]
        for row, column in zip(rows, columns, strict=True):
            want = expected[conta_id][column]
            assert {name: row[name] for name in FLOW_LINES} == {name: want[key] for name, key in FLOW_LINES.items()}
            assert (row["Saldo inicial"], row["Saldo final"]) == (want["saldo_inicial"], want["saldo_final"])
    shown = section(report, "fluxo_por_conta")
    last = max(number for number, row in enumerate(shown.rows) if row.style is Style.SECTION)  # D's month, realised
    printed = {str(line["linha"]): line["total"] for line in (by_key(shown, row) for row in shown.rows[last + 1 :])}
    want = expected["consolidado"][here, "realizado"]
    figures = {"Saldo inicial": "saldo_inicial", **FLOW_LINES, "Saldo final": "saldo_final"}
    if "Saldos implantados" not in printed:
        assert not want["saldos_implantados"]
        del figures["Saldos implantados"]
    assert printed == {line: want[key] for line, key in figures.items()}


def test_r00(books: tuple[Position, Any]) -> None:
    position, context = books
    kpis = {kpi.slug: kpi.valor for kpi in list_kpis(view_of(position))}
    expected = resume.r00(context)
    known = set(kpis) & set(expected)
    # The habits of payers have tests of their own.
    untold = {slug for slug in kpis if slug.startswith("primeiro_")}
    by_habit = {"menor_saldo_habitos", "atrasado_a_receber"}
    of_trust = {"verificacoes_com_falha", "mapa_sem_grupo", "saldos_que_faltam"}
    assert set(kpis) - known - untold == {"data_menor_saldo", *of_trust, *by_habit}
    # S8 has the share of what is overdue; em carência counts within it only by calendar days.
    if position.parametros.venc_regra == "dia_util":
        known.discard("em_carencia")
    assert {slug: kpis[slug] for slug in known} == {slug: expected[slug] for slug in known}


def test_r16(books: tuple[Position, Any]) -> None:
    position, context = books
    report = build_r16(view_of(position))
    assert_well_formed(report)
    found = [
        (row["Classe"], row["Id"], row["Valor"], row["Data"], row["Data caixa"], row["Data competência"],
         row["Situação"])
        for row in records(table(report, "lancamentos"))
    ]  # fmt: skip
    expected = [
        (row["classe"], row["linha_id"], row["valor"], row["data"], row["data_caixa"], row["data_competencia"],
         row["situacao"])
        for row in quality.r16(context)
    ]  # fmt: skip
    assert sorted(found, key=str) == sorted(expected, key=str)
    blocks = [(row.cells[1], row.cells[2]) for row in report.sections[0].rows if row.key]
    assert len(blocks) == len(set(blocks))


def test_balances_are_the_sum_of_their_days(books: tuple[Position, Any]) -> None:
    """The movements and what the accounts begin with give the last balance back (V01)."""
    position, context = books
    movements = build_movements(position)
    series = build_series(position, movements)
    begun = sum(account.saldo_inicial_centavos for account in series.accounts)
    last = max([position.data_base, *movements["data"].dt.date, *(one.inicio for one in series.accounts if one.inicio)])
    assert series.balance(last) == begun + int(movements["valor_centavos"].sum())
    lowest = series.lowest(flow.r02(context)[-1]["data"])
    assert lowest is not None
    assert (Decimal(lowest[0]).scaleb(-2), lowest[1]) == lowest_projected(context)
