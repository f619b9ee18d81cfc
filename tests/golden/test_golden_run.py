"""The golden data set through the whole path: service, pages, warehouse, reports, workbook (section 5).

The extraction date is a parameter, 2026-03-16; every expected figure was transcribed by hand into `expected.py`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest

from lastro.analysis.dre_map import propose_map
from lastro.manual.dictionary import describe_file, render_dictionary
from lastro.schema.tables import TABLES
from lastro.warehouse.publication.category_map import read_used_categories
from lastro_sandbox import create_app, golden_company, serve
from tests.golden import expected
from tests.marks import thinned
from tests.served import GOLDEN_PARAMETERS, TOKEN, run_served, write_settings

SHAPES = ("A", "B", "C", "D", "T")


@dataclass
class GoldenRun:
    warehouse: Path
    workbooks: tuple[Path, ...]
    con: duckdb.DuckDBPyConnection
    book: openpyxl.Workbook

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self.con.execute(sql, parameters).fetchall()

    def failed(self) -> list[tuple[Any, ...]]:
        return self.query(
            "SELECT verificacao FROM ops.verificacoes WHERE situacao = 'falhou' AND severidade = 'erro' AND "
            "execucao_id = (SELECT execucao_id FROM ops.relatorio)"
        )

    def cells(self, sheet: str) -> list[list[Any]]:
        return [list(row) for row in self.book[sheet].iter_rows(values_only=True)]


def open_run(warehouse: Path, workbooks: Sequence[Path]) -> GoldenRun:
    con = duckdb.connect(str(warehouse), read_only=True)
    return GoldenRun(warehouse, tuple(workbooks), con, openpyxl.load_workbook(workbooks[0], data_only=True))


def golden_run(folder: Path, parametros: str = GOLDEN_PARAMETERS, **shape: Any) -> GoldenRun:
    books = golden_company(**shape)
    with serve(create_app(books, token=TOKEN)) as service:
        settings = write_settings(folder, books, service.base_url, parametros)
        result = run_served(settings, expected.D)
        assert {method for method, *_ in service.requests} == {"GET"}
    return open_run(result.warehouse, result.workbooks)


@pytest.fixture(scope="module")
def golden(first_run: Path) -> Iterator[GoldenRun]:
    folder = first_run / "dados" / "ouro"
    run = open_run(folder / "lastro.duckdb", [folder / "relatorios" / f"gerencial_{expected.D}.xlsx"])
    yield run
    run.con.close()


@pytest.fixture(scope="module", params=thinned(SHAPES, default="A"))
def shaped(
    request: pytest.FixtureRequest, golden: GoldenRun, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, GoldenRun]]:
    """The golden company in each shape of the composite."""
    if request.param == "A":
        yield "A", golden
        return
    run = golden_run(tmp_path_factory.mktemp(request.param), forma=request.param)
    yield request.param, run
    run.con.close()


def month(key: tuple[int, int]) -> date:
    return date(*key, 1)


def money(value: Any) -> Decimal:
    """Turn a number cell back into centavos: openpyxl reads every number as a float."""
    return Decimal(0) if value is None else Decimal(str(value)).quantize(Decimal("0.01"))


def test_linhas_titulos_and_mode_in_every_shape(shaped: tuple[str, GoldenRun]) -> None:
    shape, run = shaped
    counts = run.query("SELECT count(*), sum(valor) FROM core.linhas")[0]
    assert counts == (expected.CONTAGENS["linhas"], expected.CONTAGENS["soma"])
    assert run.query("SELECT count(*) FROM core.titulos") == [(expected.CONTAGENS["titulos"],)]
    mode = dict(run.query("SELECT parametro, valor_texto FROM ops.parametros WHERE parametro LIKE 'composto_%'"))
    assert mode["composto_modo"] == expected.MODO[shape]["modo"]
    assert (int(mode["composto_n0"]), int(mode["composto_n1"])) == (
        expected.MODO[shape]["n0"],
        expected.MODO[shape]["n1"],
    )


def test_every_shape_gives_the_same_reports(golden: GoldenRun, shaped: tuple[str, GoldenRun]) -> None:
    views = [name for (name,) in golden.query("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'mart'")]
    # The linhas themselves have other ids in shape T; what the mode and its evidence are is told apart.
    different = {
        "lancamentos",
        "parametros",
        "resumo",
        "achados",
        "achados_itens",
        "verificacoes",
        "rejeitados",
        "esquema",
        "conferencias",
    }
    assert len(views) > 20
    for view in sorted(set(views) - different):
        sql = f"SELECT * FROM mart.{view}"  # noqa: S608 - names from the catalogue
        assert shaped[1].query(sql) == golden.query(sql), view


def test_r01_balances(golden: GoldenRun) -> None:
    for day, accounts in expected.SALDOS.items():
        found = dict(golden.query(f"SELECT conta_id, saldo FROM mart.saldos_em(DATE '{day}')"))  # noqa: S608
        assert found == accounts
    rows = golden.query("SELECT conta_id, saldo_em_d, saldo_em_d_30 FROM mart.saldos_por_conta ORDER BY conta_id")
    today = expected.SALDOS[expected.D]
    assert rows == [(conta, today[conta], expected.R01["saldo_d30"][conta]) for conta in (101, 102)]
    sheet = golden.cells("Saldos")
    balances = next(row for row in sheet if row[0] == "Saldo em 16/03/2026")
    assert money(balances[sheet[3].index("Banco Alfa")]) == today[101]
    assert money(balances[sheet[3].index("Total")]) == expected.R01["saldo_total"]
    openings = next(row for row in sheet if row[0] == "Saldo inicial")
    assert money(openings[sheet[3].index("Total")]) == expected.R01["saldos_iniciais"]


def test_r02_daily_flow(golden: GoldenRun) -> None:
    rows = {row[0]: row[1:] for row in golden.query("SELECT dia, liquido_do_dia, saldo_final FROM mart.fluxo_diario")}
    for day, net in expected.R02["liquido_realizado"].items():
        if day >= date(2026, 3, 1):  # the sheet starts with D's month
            assert rows[day][0] == net
    for day, (net, closing) in expected.R02["projetado"].items():
        assert rows[day] == (net, closing)
    memo = dict(golden.query("SELECT memo, valor FROM mart.fluxo_diario_memo"))
    assert memo["Vencidos a receber (não projetados)"] == expected.R02["vencidos_a_receber"]
    assert memo["Vencidos a pagar (não projetados)"] == expected.R02["vencidos_a_pagar"]
    sheet = golden.cells("Fluxo diário")
    net_at, closing_at = sheet[3].index("Líquido do dia"), sheet[3].index("Saldo final")
    printed = {row[0].date(): row for row in sheet if hasattr(row[0], "date")}
    for day, (net, closing) in expected.R02["projetado"].items():
        assert (money(printed[day][net_at]), money(printed[day][closing_at])) == (net, closing)


def test_r00_lowest_balance_and_overdue(golden: GoldenRun) -> None:
    kpis = dict(golden.query("SELECT kpi, valor FROM ops.kpis"))
    assert kpis["saldo_atual"] == expected.R01["saldo_total"]
    assert kpis["menor_saldo_contratual"] == expected.R02["menor_saldo"]
    assert kpis["vencido_a_receber"] == expected.R09["vencido"]
    assert kpis["vencido_a_pagar"] == expected.R08["faixas"]["1-30"]
    assert kpis["dias_de_caixa"] == Decimal("210.9")
    assert kpis["pmr"] == Decimal("52.8")
    assert kpis["folego_media"] == Decimal("7.9")  # 15,980.00 / (0 + 1,500.00 + 4,600.00) x 3
    units = dict(golden.query("SELECT kpi, unidade FROM ops.kpis WHERE kpi IN ('folego_media', 'pmr')"))
    assert units == {"folego_media": "meses", "pmr": "N"}  # lastro diff says months of the one and days of the other
    assert kpis["vencido_efetivo_a_receber"] == Decimal("2400.00")
    assert kpis.get("pmp_fornecedores") is None  # n/d sem mapa
    rows = {row[0]: row for row in golden.cells("Indicadores") if row[0]}
    assert money(rows["Saldo atual"][1]) == expected.R01["saldo_total"]
    assert rows["Data do menor saldo (no vencimento)"][1].date() == expected.R02["data_menor_saldo"]


def test_r04_monthly_flow(golden: GoldenRun) -> None:
    lines: dict[tuple[date, str], dict[str, Decimal]] = {}
    for mes, momento, linha, valor in golden.query(
        "SELECT mes, momento, linha, valor FROM mart.fluxo_mensal WHERE nivel = 0"
    ):
        lines.setdefault((mes, momento), {})[linha] = valor
    part = {"total": "realizado", "realizado": "realizado", "a_realizar": "a_realizar", "previsto": "previsto"}
    for (key, name), figures in expected.R04.items():
        found = lines[month(key), part[name]]
        for line, value in figures.items():
            assert (found.get(line) or Decimal("0.00")) == value, (key, name, line)
    paths = {
        (mes, momento, categoria.strip()): valor
        for mes, momento, categoria, valor in golden.query(
            "SELECT mes, momento, categoria, valor FROM mart.fluxo_mensal WHERE nivel > 0"
        )
    }
    for (key, name), categories in expected.R04_CATEGORIAS.items():
        for path, value in categories.items():
            assert paths[month(key), part[name], path] == value, (key, path)
    sheet = golden.cells("Fluxo mensal")
    january = sheet[3].index("jan/26")
    labels = {str(row[0]).strip().upper(): row for row in sheet if row[0]}
    assert money(labels["SALDO FINAL"][january]) == expected.R04[expected.JAN26, "total"]["saldo_final"]
    assert money(labels["SAÍDAS"][january]) == expected.R04[expected.JAN26, "total"]["saidas"]


def test_r06_income_statement(golden: GoldenRun) -> None:
    found = {
        (mes, codigo): (valor, paid, pending)
        for codigo, mes, valor, paid, pending in golden.query(
            "SELECT codigo, mes, valor, pago_recebido, em_aberto FROM mart.dre WHERE nivel = 0"
        )
    }
    for key, figures in expected.R06.items():
        mes = month(key)
        assert found[mes, "resultado"] == (figures["resultado"], figures["pago"], figures["em_aberto"]), key
        assert found[mes, "receitas"][0] == figures["receitas"], key
    centres = {
        (mes, centro): valor
        for mes, centro, valor in golden.query(
            "SELECT mes, centro_custo_lucro_id, valor FROM mart.dre_centros WHERE codigo = 'resultado'"
        )
    }
    for key, centros in expected.R06_CENTROS.items():
        for centro, value in centros.items():
            assert centres[month(key), centro] == value
    sheet = golden.cells("DRE")
    march = next(position for position, header in enumerate(sheet[3]) if str(header).startswith("mar/26"))
    result = next(row for row in sheet if str(row[0]).strip() == "Resultado")
    assert money(result[march]) == expected.R06[expected.MAR26]["resultado"]


def test_proposed_lines_of_the_map_come_from_what_is_published(golden: GoldenRun) -> None:
    used = read_used_categories(golden.warehouse.parent, "ouro")
    proposals, left = propose_map(used.categorias, used.centavos, {30: "fora"})
    # Competence from 01/03/2025 to 16/03/2026: 5000 + 1000 - 200 + 2400; rent 3 x 1500; payroll -3000 + 150.
    assert {one.categoria_id: one.centavos for one in proposals} == {
        10: 820_000, 21: -450_000, 22: -285_000, 23: -37_000, 24: 0,
    }  # fmt: skip
    assert (used.data_base, left) == (expected.D, [])


def test_r07_bridge(golden: GoldenRun) -> None:
    found = {(mes, linha): valor for linha, mes, valor in golden.query("SELECT linha, mes, valor FROM mart.ponte")}
    for key, figures in expected.R07.items():
        for line, value in figures.items():
            if line == "n_mais_o":
                assert found[month(key), "n"] + found[month(key), "o"] == value, key
            else:
                assert found[month(key), line] == value, (key, line)
    sheet = golden.cells("Ponte")
    column = sheet[3].index("fev/26")
    cash = next(row for row in sheet if "Geração de caixa" in str(row[0]) or "Geração de caixa" in str(row[1]))
    assert money(cash[column]) == expected.R07[expected.FEV26]["l"]


@pytest.mark.parametrize(
    ("view", "figures", "sheet"),
    [("a_pagar", expected.R08, "Pagar títulos"), ("a_receber", expected.R09, "Receber títulos")],
)
def test_open_items(golden: GoldenRun, view: str, figures: dict[str, Any], sheet: str) -> None:
    bands = dict(golden.query(f"SELECT faixa, valor FROM mart.{view}_faixas WHERE valor <> 0"))  # noqa: S608
    assert bands == figures["faixas"]
    detail = {
        row[0]: row[1:]
        for row in golden.query(
            "SELECT titulo_id, dias_de_atraso, situacao, valor, multa_est, juros_est, valor_atualizado "  # noqa: S608
            f"FROM mart.{view}"
        )
    }
    assert sum(row[2] for row in detail.values()) == figures["total"]
    overdue = {number for number, row in detail.items() if row[0] > 0}
    assert overdue == figures.get("pa", figures.get("ra"))
    assert not detail.keys() & figures.get("ausentes", set())
    assert {number: detail[number][0] for number in figures.get("dias", {})} == figures.get("dias", {})
    for number, facts in figures.get("titulos", {}).items():
        days, situation, _, fine, interest, updated = detail[number]
        assert (days, fine, interest) == (facts["dias"], facts["multa"], facts["juros"])
        assert facts.get("situacao", situation) == situation
        assert facts.get("atualizado", updated) == updated
    cells = golden.cells(sheet)
    header = next(row for row in cells if "Vencimento" in row and "Título" in row)
    printed = {row[header.index("Título")]: row for row in cells[cells.index(header) + 1 :]}
    for number, row in detail.items():
        assert money(printed[number][header.index("Valor")]) == row[2], number
        assert printed[number][header.index("Dias de atraso")] == row[0]


def test_r11_charges(golden: GoldenRun) -> None:
    rows = golden.query(
        "SELECT status, sum(qtde), sum(valor), sum(pago), sum(taxas), sum(liquido) FROM mart.cobrancas_por_status "
        "GROUP BY 1"
    )
    live = [row for row in rows if not row[0].lower().startswith("cancelad")]
    assert sum(row[1] for row in live) == expected.R11["qtde"]
    for position, name in ((2, "valor"), (3, "pago"), (4, "taxas"), (5, "liquido")):
        assert sum(row[position] or 0 for row in live) == expected.R11[name], name
    transit = golden.query("SELECT data_a_transferir, liquido FROM mart.cobrancas_em_transito")
    assert transit == [(date(2026, 3, 17), expected.R11["em_transito"])]
    detail = {
        row[0]: row[1:]
        for row in golden.query(
            "SELECT cobranca_id, dias_venc_pagto, dias_pagto_transf, encargos_taxas_nao_lancados "
            "FROM mart.cobrancas_detalhe"
        )
    }
    assert {key: row[2] for key, row in detail.items() if row[2] is not None} == expected.R11["encargos_nao_lancados"]
    assert {key: detail[key][:2] for key in expected.R11["tempos"]} == {
        key: tuple(days.values()) for key, days in expected.R11["tempos"].items()
    }
    funnel = "SELECT agendado, pendente, cliente_pagou, transferindo, transferido FROM mart.cobrancas_funil_meses_total"
    assert golden.query(f"{funnel} WHERE codigo = 'total'") == [tuple(expected.R11["funil"])]
    late = golden.query("SELECT sum(qtde), sum(valor) FROM mart.cobrancas_pendentes_vencidas")
    assert late == [(len(expected.R11["pendentes_vencidas"]), Decimal("1000.00"))]
    differences = golden.query("SELECT tipo, cobranca_id, lancamentos FROM mart.cobrancas_divergencias ORDER BY ALL")
    assert [(kind.split(" ")[0], charge, int(ids)) for kind, charge, ids in differences] == expected.R11["divergencias"]
    slugs = dict(golden.query("SELECT cobranca_id, status FROM core.cobrancas"))
    assert slugs == {9001: "pendente", 9002: "transferido", 9003: "cliente_pagou", 9004: "cancelado"}


QUESTIONS = {
    1: "SELECT conta_id, saldo FROM mart.saldos_em(d())",
    2: "SELECT sum(valor) FILTER (date_trunc('month', data_competencia_ef) = DATE '2026-03-01'), sum(valor) FILTER "
    "(date_trunc('month', data_caixa) = DATE '2026-03-01') FROM mart.lancamentos WHERE classe <> 'Transferências'",
    3: "SELECT pessoa_id, sum(valor), max(dias_de_atraso) FROM mart.titulos_em(d()) WHERE NOT pago AND "
    "NOT transferencia AND tipo = 'R' AND dias_de_atraso > 0 GROUP BY pessoa_id ORDER BY sum(valor) DESC, pessoa_id",
    4: "SELECT s.conta_id, s.saldo + coalesce(sum(l.valor), 0) FROM mart.saldos_em(d()) s LEFT JOIN "
    "mart.linhas_em(d()) l ON l.conta_id = s.conta_id AND NOT l.pago AND l.data_projetada <= d() + 30 GROUP BY "
    "s.conta_id, s.saldo",
    5: "SELECT b.cobranca_id, t.titulo_id FROM core.cobrancas b JOIN core.cobranca_titulos USING (cobranca_id) JOIN "
    "mart.titulos_em(d()) t USING (titulo_id) WHERE b.status IN ('cliente_pagou', 'transferindo', 'transferido') AND "
    "NOT t.pago",
    7: "SELECT safra, pct_em_aberto FROM mart.inadimplencia_safra",
    8: "SELECT categoria, sum(valor) FROM mart.lancamentos WHERE data_caixa IS NOT NULL AND categoria LIKE 'Despesas%' "
    "GROUP BY ALL",
}
"""Example question -> how SQL asks it; 6 is asked of history."""


@pytest.mark.parametrize("number", QUESTIONS)
def test_the_example_questions(golden: GoldenRun, number: int) -> None:
    answer, wanted = golden.query(QUESTIONS[number].replace("d()", "mart.data_base()")), expected.PERGUNTAS[number]
    if number == 2:
        assert answer == [*wanted.values()]
    elif isinstance(wanted, dict):
        assert dict(answer) == {month(key) if isinstance(key, tuple) else key: value for key, value in wanted.items()}
    else:
        assert answer == wanted


def test_checks_are_as_the_document_says(shaped: tuple[str, GoldenRun]) -> None:
    _, run = shaped
    found = dict(run.query("SELECT verificacao, situacao FROM ops.verificacoes"))
    assert found["V13"] == "informação"  # in transit until 17/03
    failed = {name for name, situation in found.items() if situation == "falhou"}
    assert not {name for name in failed if name.startswith("V")}
    assert "Q19" not in failed
    assert run.failed() == []
    keys = run.query("SELECT chaves FROM ops.verificacoes WHERE verificacao = 'V13'")[0][0]
    assert any("9003" in key for key in keys)


@pytest.mark.no_cover
@pytest.mark.longo
def test_variant_s_changes_nothing_when_configured(tmp_path: Path, golden: GoldenRun) -> None:
    run = golden_run(tmp_path, GOLDEN_PARAMETERS + "\nsaldo_inicial_lancamentos = [1000]", saldo_inicial=True)
    with run.con:
        for view in ("saldos_por_conta", "fluxo_diario", "fluxo_mensal", "dre", "ponte", "a_pagar", "a_receber"):
            sql = f"SELECT * FROM mart.{view}"  # noqa: S608
            assert run.query(sql) == golden.query(sql), view
        assert run.failed() == []


@pytest.fixture(scope="module")
def second(two_runs: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The run of 16/03 after the complete run of 27/02, in one warehouse (section 5, R13 and R14)."""
    with duckdb.connect(str(two_runs / "dados" / "ouro" / "lastro.duckdb"), read_only=True) as opened:
        yield opened


def test_a_scope_has_a_workbook_of_its_own(
    two_runs: Path, second: duckdb.DuckDBPyConnection, golden: GoldenRun
) -> None:
    kinds = ("gerencial", "gerencial_poupanca", "cobranca", "pagamentos", "dados")
    paths = [two_runs / "dados" / "ouro" / "relatorios" / f"{kind}_{expected.D}.xlsx" for kind in kinds]
    assert [path for path in paths if not path.exists()] == []
    for view in ("saldos_por_conta", "fluxo_mensal", "a_receber", "cobrancas_em_transito"):
        sql = f"SELECT * FROM mart.{view}"  # noqa: S608
        assert second.execute(sql).fetchall() == golden.query(sql), view
    savings = openpyxl.load_workbook(paths[1], data_only=True)
    assert "Filtro: Poupança (contas Poupança)" in str(savings["Resumo"]["A2"].value)
    assert str(savings["Resumo"]["B1"].value).startswith("[CONFIÁVEL · 0 erros")
    assert "Contas: 1 de 1" in str(savings["Resumo"]["A2"].value)
    rows = {row[0]: row for row in savings["Saldos"].iter_rows(min_row=5, values_only=True)}
    place = [cell.value for cell in savings["Saldos"][4]].index("Poupança")
    assert money(rows["Saldo em 16/03/2026"][place]) == Decimal("2200.00")
    assert "Banco Alfa" not in {cell.value for cell in savings["Saldos"][4]}
    entries = [row for row in savings["Lançamentos"].iter_rows(min_row=5, values_only=True) if row[3]]
    assert [money(row[5]) for row in entries] == [Decimal("-600.00"), Decimal("-900.00"), Decimal("800.00")]
    # Nothing to hold a scope against: the figures of 27/02 are those of the whole.
    assert all(row[2] is None for row in savings["Indicadores"].iter_rows(min_row=5, max_row=10, values_only=True))


def test_r14_changes_since_the_previous_run(second: duckdb.DuckDBPyConnection) -> None:
    found = {(kind, number) for kind, number in second.execute("SELECT tipo, linha_id FROM mart.mudancas").fetchall()}
    for kind, numbers in (
        ("EXCLUIDO", {1018}),
        ("NOVO", {1013, 1014}),
        ("LIQUIDADO", {1010, 1019}),
        ("VENCIMENTO", {1012}),
    ):
        assert {number for name, number in found if name == kind} >= numbers, kind
    bridge = second.execute("SELECT * FROM mart.mudancas_ponte").fetchall()
    amounts = [row[1] for row in bridge]
    assert amounts[0] == Decimal("3340.00")
    assert amounts[-1] == Decimal("4500.00")
    assert {Decimal("450.00"), Decimal("710.00")} <= set(amounts)


def test_whoever_asks_the_file_what_changed_hears_what_the_report_says(second: duckdb.DuckDBPyConnection) -> None:
    """R14 in section 5: two entries came, one went, two were paid, of which one by -10.00 more, one was put off."""
    asked = (
        "SELECT linha_id, tipo, campos, impacto_no_aberto, impacto_no_resultado, {} FROM hist.mudancas({}) ORDER BY 1"
    )
    values = "antes.valor, depois.valor"
    nothing = Decimal("0.00")
    told = second.execute(asked.format(values, "1, 2")).fetchall()
    assert [row for row in told if row[0] in (1010, 1012, 1018)] == [
        (1010, "LIQUIDADO", ["valor", "data_pagamento"], Decimal("110.00"), Decimal("-10.00"), Decimal("-110.00"),
         Decimal("-120.00")),
        (1012, "VENCIMENTO", ["data_vencimento"], nothing, nothing, Decimal("1000.00"), Decimal("1000.00")),
        (1018, "EXCLUIDO", [], Decimal("450.00"), Decimal("450.00"), Decimal("-450.00"), None),
    ]  # fmt: skip
    reported = (
        "SELECT tipo, linha_id, sum(impacto_no_aberto), sum(impacto_no_resultado) FROM mart.mudancas GROUP BY ALL"
    )
    assert {(row[1], row[0], *row[3:5]) for row in told} == {*second.execute(reported).fetchall()}
    assert second.execute("SELECT count(*) FROM hist.mudancas(2, 2)").fetchone() == (0,)
    with pytest.raises(duckdb.Error, match="nenhuma leitura completa tem esse número"):
        second.execute("FROM hist.mudancas(1, 9)")


def test_deleted_entry_was_confirmed_and_kept(second: duckdb.DuckDBPyConnection) -> None:
    gone = second.execute("SELECT registro_id, estado, resposta, valor FROM hist.ausencias").fetchall()
    assert gone == [(1018, "excluido", "ausente", Decimal("-450.00"))]
    assert second.execute("SELECT count(*) FROM core.linhas WHERE linha_id = 1018").fetchall() == [(0,)]


def test_history_gives_the_earlier_run_back(second: duckdb.DuckDBPyConnection) -> None:
    day = "DATE '2026-02-27'"
    stored = f"SELECT max(execucao_id) FROM ops.execucoes WHERE situacao = 'completa' AND data_extracao <= {day}"  # noqa: S608
    question_6 = second.execute(
        f"SELECT date_trunc('month', data_vencimento)::DATE AS mes, sum(valor) FROM hist.linhas_em(({stored})) "  # noqa: S608
        "WHERE NOT transferencia AND (data_pagamento IS NULL OR data_pagamento > DATE '2026-02-27') "
        "AND data_vencimento >= DATE '2026-02-27' GROUP BY mes ORDER BY mes"
    ).fetchall()
    assert question_6 == [(month(key), value) for key, value in expected.PERGUNTAS[6].items()]


def test_v17_and_v18_hold_with_history(second: duckdb.DuckDBPyConnection) -> None:
    found = dict(second.execute("SELECT verificacao, situacao FROM ops.verificacoes WHERE execucao_id = 2").fetchall())
    assert (found["V17"], found["V18"]) == ("ok", "ok")
    waterfall = second.execute("SELECT * FROM mart.previsto_realizado_desvios").fetchall()
    assert any(Decimal("-1210.00") in row for row in waterfall)
    assert any(Decimal("5280.00") in row for row in waterfall)


ROOT = Path(__file__).parents[2]


def test_every_query_of_the_readme_runs(golden: GoldenRun) -> None:
    queries = re.findall(r"```sql\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    answers = [golden.query(query) for query in queries]
    assert answers[0] == [
        (101, "Banco Alfa", Decimal("13780.00"), False), (102, "Poupança", Decimal("2200.00"), False),
    ]  # fmt: skip
    assert answers[1] == [(502, Decimal("2400.00"), 96, 1), (501, Decimal("1000.00"), 2, 1)]
    assert all(answers)


@pytest.mark.parametrize("macro", ["mart.titulos_em", "mart.linhas_em", "mart.saldos_em", "hist.linhas_no_dia"])
def test_a_macro_never_answers_with_the_books_of_another_company(golden: GoldenRun, tmp_path: Path, macro: str) -> None:
    other = tmp_path / "beta.duckdb"
    shutil.copyfile(golden.warehouse, other)
    other.chmod(0o600)
    with duckdb.connect(str(other)) as con:
        con.execute("UPDATE ops.identidade SET empresa = 'beta'")
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{golden.warehouse}' AS ouro (READ_ONLY); ATTACH '{other}' AS beta (READ_ONLY)")
        con.execute("USE ouro")
        assert con.execute(f"FROM {macro}(DATE '2026-03-16')").fetchall()
        con.execute("USE beta")
        assert con.execute("SELECT count(*) FROM ouro.mart.lancamentos").fetchall() == [(18,)]
        with pytest.raises(duckdb.Error, match="abra este arquivo diretamente"):
            con.execute(f"FROM ouro.{macro}(DATE '2026-03-16')").fetchall()


def test_projected_days_are_the_same_in_sql_and_on_the_sheets(golden: GoldenRun) -> None:
    d = f"DATE '{expected.D}'"
    differ = golden.query(
        f"SELECT l.linha_id FROM mart.lancamentos l JOIN mart.linhas_em({d}) m USING (origem, linha_id) "  # noqa: S608
        "WHERE l.data_projetada IS DISTINCT FROM m.data_projetada"
    )
    assert differ == []
    assert golden.query("SELECT count(*) FROM mart.lancamentos WHERE data_projetada IS NOT NULL") != [(0,)]


def test_a_day_after_the_reading_has_no_balance_and_one_before_the_first_run_no_books(golden: GoldenRun) -> None:
    with pytest.raises(duckdb.Error, match="depois da leitura"):
        golden.query("FROM mart.saldos_em(DATE '2026-03-17')")
    for macro in ("titulos_em", "linhas_em"):
        with pytest.raises(duckdb.Error, match="depois da leitura"):
            golden.query(f"SELECT sum(valor) FROM mart.{macro}(DATE '2026-03-17')")  # noqa: S608 - written above
    with pytest.raises(duckdb.Error, match="nenhuma execução completa"):
        golden.query("FROM hist.titulos_no_dia(DATE '2026-03-15')")


def test_the_dictionary_of_the_manual_describes_what_a_run_publishes(golden: GoldenRun) -> None:
    page = render_dictionary()
    assert page == describe_file(golden.query)
    assert "| valor | DECIMAL(18,2) | S5: " in page


def test_everything_in_the_warehouse_has_a_comment(golden: GoldenRun) -> None:
    bare = golden.query(
        "SELECT schema_name || '.' || table_name || '.' || column_name FROM duckdb_columns() WHERE NOT internal AND "
        "schema_name <> 'interno' AND comment IS NULL UNION ALL SELECT schema_name || '.' || table_name FROM "
        "duckdb_tables() WHERE schema_name <> 'interno' AND comment IS NULL UNION ALL SELECT schema_name || '.' || "
        "view_name FROM duckdb_views() WHERE NOT internal AND schema_name <> 'interno' AND comment IS NULL"
    )
    assert bare == []
    silent = golden.query("SELECT function_name FROM duckdb_functions() WHERE NOT internal AND comment IS NULL")
    assert silent == []


def test_no_name_needs_quotes(golden: GoldenRun) -> None:
    names = (
        "SELECT column_name AS name FROM duckdb_columns() WHERE NOT internal UNION SELECT table_name FROM "
        "duckdb_columns() WHERE NOT internal UNION SELECT function_name FROM duckdb_functions() WHERE NOT internal"
    )
    odd = golden.query(
        f"SELECT name FROM ({names}) WHERE NOT regexp_full_match(name, '[a-z_][a-z0-9_]*') OR name IN "  # noqa: S608
        "(SELECT keyword_name FROM duckdb_keywords())"
    )
    assert odd == []


SURFACE = Path(__file__).parent / "sql_surface.txt"


@pytest.mark.no_cover
def test_the_public_sql_surface_is_the_committed_one(second: duckdb.DuckDBPyConnection) -> None:
    """Analysts' queries name these views and columns: whoever changes one says so here and in the changelog."""
    shown = second.execute(
        "SELECT table_name || ': ' || string_agg(column_name, ', ' ORDER BY column_index) FROM duckdb_columns() "
        "WHERE schema_name = 'mart' GROUP BY table_name "
        "ORDER BY table_name"
    ).fetchall()
    found = "".join(f"{line}\n" for (line,) in shown)
    assert found == SURFACE.read_text(encoding="utf-8"), f"write this to {SURFACE.name} if it is meant:\n{found}"


SMALL_WORDS = {"de", "do", "da", "e", "no"}
OWN_WORDS = {
    "ano", "cobranca", "competencia", "data_observada", "de", "grupo", "juros", "linhas", "multa", "pago", "par",
    "par_id", "qtde", "resultado", "saldo", "saldo_inicial", "semana", "total", "transferido", "transferindo",
}  # fmt: skip
"""Columns that sound like one of `core` and hold something else: a month, a count, a label, a sum, an estimate."""


@pytest.mark.no_cover
def test_what_core_has_a_name_for_is_called_so_everywhere(second: duckdb.DuckDBPyConnection) -> None:
    """No column of mart, of its macros or of dados is one of core with a word left out or a small one added."""
    core = {column for name, own in TABLES.items() if name.startswith("core.") for column in own.columns}
    shown = second.execute("SELECT column_name FROM duckdb_columns() WHERE schema_name IN ('mart', 'dados')").fetchall()
    for name in ("titulos_em", "linhas_em", "saldos_em"):
        described = second.execute(f"DESCRIBE FROM mart.{name}(mart.data_base())")
        shown += [column[:1] for column in described.fetchall()]
    named = {name for (name,) in shown} - core - OWN_WORDS
    assert [(name, twin) for name in sorted(named) for twin in core if _is_short(name, twin)] == []


def _is_short(name: str, twin: str) -> bool:
    words = iter(twin.split("_"))
    alike = name.endswith("_id") == twin.endswith("_id")
    return alike and all(word in words for word in name.split("_") if word not in SMALL_WORDS)
