"""What an analyst relies on in SQL: what may be summed, what each recipe of the manual claims, what columns say.

On the golden company after two runs, on the same after all that may follow them, and on a made-up one with a map of
the DRE after two runs, the second one changed.
"""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest

from lastro import manual
from lastro.commands.dbt_sources import MAY_BE_NULL, gather_keys
from lastro.grid.words import column_name
from lastro.run.names import COBRANCA, PAGAMENTOS
from lastro.run.order import RunResult
from lastro.run.stages import STAGES, run_stage
from lastro.schema.derivation import CENTAVOS
from lastro.schema.dictionary import read_dictionary
from lastro.schema.frames import FRAMES
from lastro.schema.run_kinds import Modo
from lastro.schema.tables import TABLES, VERSIONED
from lastro.transform.openings import ORIGENS
from lastro.warehouse.file.computed_columns import COMPUTED
from lastro.warehouse.file.report_tables import FIRST_VIEWS
from lastro_sandbox import create_app, golden_company, make_company, serve
from lastro_sandbox.bank_statements import make_bank_files
from tests.desk_sheets import put, row_with, rows_of
from tests.golden.expected import D
from tests.marks import thinned
from tests.served import TOKEN, open_session, run_served, write_settings
from tests.tools.consultas import PARAMETROS, SECOND, ask_file, write_results
from tests.tools.net import _change

RECIPES = dict(
    re.findall(
        r"^## ([^\n]+)\n(?:(?!^## ).)*?```sql\n(.*?);\n```", manual.read_page("consultas"), re.DOTALL | re.MULTILINE
    )
)
"""Title -> question."""
DAY = date(2026, 6, 15)


def _run_made_up(folder: Path) -> Path:
    books = make_company(seed=3, lancamentos=400, hoje=DAY)
    groups = ("receita_bruta", "custos_variaveis", "pessoal", "administrativas", "financeiro", "fora")
    mapped = ", ".join(
        f'{key} = "{groups[place % 6]}"' for place, key in enumerate(sorted(books.categorias)) if place % 5
    )
    for day in (DAY, date(2026, 6, 22)):
        with serve(create_app(books, token=TOKEN)) as service:
            settings = write_settings(folder, books, service.base_url, f"dre_mapa = {{ {mapped} }}")
            (empresa,) = settings.empresas
            linked = tuple(replace(conta, extrato=(str(conta.conta_id),)) for conta in empresa.contas)
            result = run_served(replace(settings, empresas=(replace(empresa, contas=linked),)), day)
        if day == DAY:
            _leave_typed(settings.entrada(empresa) / "extratos", make_bank_files(books), result)
        _change(books, random.Random(3))  # noqa: S311 - drawn, not secret
    return result.warehouse


def _leave_typed(folder: Path, statements: Mapping[str, bytes], result: RunResult) -> None:
    """Leave statements of the banks, and three decisions at the payments desk."""
    folder.mkdir(parents=True)
    for name, content in statements.items():
        (folder / name).write_bytes(content)
    (path,) = (one for one in result.workbooks if one.name.startswith("pagamentos"))
    book = openpyxl.load_workbook(path)
    for place, number in enumerate([*rows_of(book["Decidir"], "titulo_id")][:3]):
        put(book["Decidir"], row_with(book["Decidir"], "titulo_id", number), **{"Pagar em": date(2026, 6, 24 + place)})
    book.save(path)


def _run_on(two_runs: Path, folder: Path) -> Path:
    """Follow two complete runs: of the day, by a past day, one that died, a hot run and a recálculo of it."""
    shutil.copytree(two_runs, folder, dirs_exist_ok=True, symlinks=True)
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        # A scope takes as long again as the whole; none of what is asked here asks one of these runs for it.
        parametros = PARAMETROS + SECOND.partition("[[")[0]
        settings = write_settings(folder, golden_company(), service.base_url, parametros)
        run_served(settings, D, data_base=D - timedelta(days=20))
        run_served(settings, D, modo=Modo.RECALCULO, data_base=date(2026, 2, 27))
        with open_session(settings, D) as session:
            for stage in STAGES[:2]:
                run_stage(session, stage)  # its history is written, and nobody sees it
        run_served(settings, D, modo=Modo.QUENTE)
        return run_served(settings, D, modo=Modo.RECALCULO).warehouse


@pytest.fixture(scope="module", params=thinned(("golden", "golden, followed", "made up"), default=("golden",)))
def con(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    if request.param == "golden":
        file = request.getfixturevalue("two_runs") / "dados" / "ouro" / "lastro.duckdb"
    elif request.param == "golden, followed":
        file = _run_on(request.getfixturevalue("two_runs"), tmp_path_factory.mktemp("seguida"))
    else:
        file = _run_made_up(tmp_path_factory.mktemp("livros"))
    with duckdb.connect(str(file), read_only=True) as opened:
        yield opened


def ask(con: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return con.execute(sql).fetchall()


TOTALS = {
    "a_pagar_faixas_total": ("valor", "SELECT sum(valor) FROM mart.a_pagar"),
    "a_receber_faixas_total": ("valor", "SELECT sum(valor) FROM mart.a_receber"),
    "cobrancas_funil": ("qtde", "SELECT agendado FROM mart.cobrancas_funil_meses_total WHERE codigo = 'total'"),
    "cobrancas_por_status": ("valor", "SELECT valor FROM mart.cobrancas_por_status_total WHERE codigo = 'total'"),
    "cobrancas_por_status_total": (
        "valor",
        "SELECT sum(valor) FROM mart.cobrancas_detalhe WHERE status <> 'Cancelado'",
    ),
    "comparativo_caixa": (
        "atual",
        "SELECT sum(atual) FROM mart.comparativo_caixa WHERE codigo = 'geracao_de_caixa' AND nivel = 0",
    ),
    "comparativo_resultado": ("atual", "SELECT sum(atual) FROM mart.comparativo_resultado WHERE codigo = 'resultado'"),
    "dre": ("valor", "SELECT sum(valor) FROM mart.lancamentos WHERE dre_grupo <> 'fora'"),
    "dre_acumulado": (
        "acumulado_no_ano",
        """SELECT sum(valor) FROM mart.lancamentos WHERE dre_grupo <> 'fora' AND data_competencia_ef BETWEEN
date_trunc('year', mart.data_base()) AND last_day(mart.data_base())""",
    ),
    "dre_centros": ("valor", "SELECT sum(valor) FROM mart.lancamentos WHERE dre_grupo <> 'fora'"),
    "dre_centros_periodo": (
        "valor",
        """SELECT sum(valor) FROM mart.lancamentos WHERE dre_grupo <> 'fora' AND data_competencia_ef BETWEEN
date_trunc('year', mart.data_base()) AND mart.data_base()""",
    ),
    "fluxo_mensal": (
        "valor",
        """SELECT sum(entradas + saidas + nao_operacional + transf_recebidas + transf_enviadas) FROM
mart.fluxo_por_conta_total""",
    ),
    "fluxo_mensal_total": ("total", "SELECT sum(valor) FILTER (soma) FROM mart.fluxo_mensal"),
    "mudancas_ponte": (
        "valor",
        "SELECT sum(valor) FROM mart.titulos_em(mart.data_base()) WHERE NOT pago AND NOT transferencia",
    ),
    "ponte": (
        "valor",
        """SELECT sum(f.valor) FROM mart.fluxo_mensal f WHERE f.momento = 'realizado' AND f.nivel = 0 AND f.linha IN
('geracao_de_caixa', 'transferencias', 'saldos_implantados') AND mes IN (SELECT mes FROM mart.ponte)""",
    ),
    "ponte_resumo": ("valor", "SELECT sum(valor) FILTER (soma) FROM mart.ponte"),
    "previsto_realizado_desvios": (
        "valor",
        "SELECT valor FROM mart.previsto_realizado_desvios WHERE item = 'Realizado'",
    ),
    "saldos_por_conta_total": ("saldo_em_d", "SELECT sum(saldo) FROM mart.saldos_em(mart.data_base())"),
    "tributos_total": ("valor", "SELECT coalesce(sum(valor), 0) FROM mart.tributos"),
}
"""View -> an amount of it, and what its rows with `soma` come to, asked elsewhere where it stands elsewhere."""


@pytest.mark.parametrize("view", sorted(TOTALS))
def test_rows_with_soma_add_up_to_the_total_once(con: duckdb.DuckDBPyConnection, view: str) -> None:
    figure, question = TOTALS[view]
    ((found,),) = ask(con, f"SELECT coalesce(sum({figure}) FILTER (soma), 0) FROM mart.{view}")  # noqa: S608 - own names
    ((wanted,),) = ask(con, question) or [(0,)]
    assert found == (wanted or 0)


def test_every_view_with_soma_is_summed_here(con: duckdb.DuckDBPyConnection) -> None:
    having = {name for (name,) in ask(con, "SELECT table_name FROM duckdb_columns() WHERE column_name = 'soma'")}
    assert having == set(COMPUTED["soma"][1]) == set(TOTALS)


@pytest.mark.parametrize("cut", ["mes", "mes, codigo"])
def test_soma_holds_in_every_cut_of_the_dre(con: duckdb.DuckDBPyConnection, cut: str) -> None:
    by = cut.replace("mes", "date_trunc('month', data_competencia_ef)::DATE").replace("codigo", "dre_grupo")
    summed = f"SELECT {cut}, sum(valor) FILTER (soma) AS v FROM mart.dre GROUP BY ALL"  # noqa: S608 - written here
    own = f"SELECT {by}, sum(valor) AS v FROM mart.lancamentos WHERE dre_grupo <> 'fora' GROUP BY ALL"  # noqa: S608
    one, other = (ask(con, f"FROM ({each}) WHERE v <> 0 ORDER BY ALL") for each in (summed, own))
    assert one == other


CLAIMS = {
    "Resultado de cada mês": (
        "SELECT mes, resultado FROM q WHERE resultado IS NOT NULL",
        "SELECT mes, valor FROM mart.dre WHERE codigo = 'resultado'",
    ),
    "DRE de cada mês ao lado do ano anterior": (
        """SELECT mes, codigo, valor FROM q UNION ALL SELECT (mes - INTERVAL 1 YEAR)::DATE, codigo, ano_anterior
FROM q WHERE mes - INTERVAL 1 YEAR IN (SELECT mes FROM q)""",
        """SELECT mes, codigo, valor FROM mart.dre WHERE nivel = 0 UNION ALL SELECT mes, codigo, valor FROM mart.dre
WHERE nivel = 0 AND mes + INTERVAL 1 YEAR IN (SELECT mes FROM mart.dre)""",
    ),
    "Recebido e pago em cada mês": (
        "SELECT * FROM q WHERE mes IN (SELECT mes FROM mart.fluxo_mensal)",
        """SELECT * FROM (SELECT mes, sum(valor) FILTER (linha = 'entradas'), sum(valor) FILTER (linha = 'saidas'),
sum(valor) FILTER (linha = 'nao_operacional') FROM mart.fluxo_mensal WHERE nivel = 0 AND momento = 'realizado' GROUP
BY mes) WHERE mes IN (SELECT date_trunc('month', data_caixa) FROM mart.lancamentos)""",
    ),
    "As maiores despesas do mês passado, por categoria": (
        "SELECT categoria_id, valor FROM q WHERE categoria_id IS NOT NULL",
        """SELECT categoria_id, arg_max(valor, nivel) FROM mart.dre WHERE codigo NOT IN ('receitas',
'receita_bruta', 'fora') AND nivel > 0 AND mes = date_trunc('month', mart.data_base()) - INTERVAL 1 MONTH AND
categoria_id IN (SELECT categoria_id FROM q) GROUP BY categoria_id""",
    ),
    "Os lançamentos por trás de uma linha da DRE": (
        "SELECT sum(valor) FROM q",
        "SELECT min(valor) FROM mart.dre WHERE soma AND mes = date_trunc('month', mart.data_base()) - INTERVAL 1 MONTH",
    ),
    "O que falta: categoria, pessoa, competência": (
        "SELECT * FROM q",
        """SELECT max(qtde) FILTER (regra = 'Q01'), max(qtde) FILTER (regra = 'Q03'), max(qtde) FILTER (regra =
'Q05') FROM mart.achados""",
    ),
    "Os próximos 30 dias, por conta e dia": (
        "SELECT conta_id, arg_max(saldo_final, dia) FROM q GROUP BY ALL",
        "SELECT conta_id, saldo_em_d_30 FROM mart.saldos_por_conta WHERE conta_id IN (SELECT conta_id FROM q)",
    ),
    "A pagar até o fim do mês": (
        "SELECT coalesce(sum(valor), 0) FROM q",
        """SELECT valor FROM mart.fluxo_mensal WHERE linha = 'saidas' AND nivel = 0 AND momento = 'a_realizar' AND
mes = date_trunc('month', mart.data_base())""",
    ),
    "O que se pagou e recebeu na última semana, e com quem": (
        "SELECT data_caixa, sum(valor) FROM q WHERE data_caixa < mart.data_base() GROUP BY ALL HAVING sum(valor) <> 0",
        """SELECT dia, liquido_do_dia FROM mart.fluxo_diario WHERE dia BETWEEN mart.data_base() - 6 AND
mart.data_base() - 1 AND liquido_do_dia <> 0""",
    ),
    "Quanto há no banco, em um número": (
        "SELECT saldo FROM q",
        "SELECT saldo_em_d FROM mart.saldos_por_conta_total WHERE codigo = 'total'",
    ),
    "O que se decidiu pagar, dia a dia": (
        "SELECT dia, valor FROM q WHERE dia <= mart.data_base() + 15",
        "SELECT dia, decidido FROM mart.pagamentos_dias WHERE decidido <> 0",
    ),
    "O que o banco tem e ninguém lançou": (
        "SELECT conta_id, sum(valor) FROM q GROUP BY ALL",
        "SELECT conta_id, no_banco_sem_livro FROM mart.conciliacao WHERE no_banco_sem_livro <> 0",
    ),
    "Saldos no fim de cada mês do ano": (
        "SELECT dia, sum(saldo) FROM q GROUP BY ALL",
        """SELECT least(last_day(mes), mart.data_base()), saldo_final FROM mart.fluxo_por_conta_total WHERE momento
= 'realizado' AND mes >= date_trunc('year', mart.data_base())""",
    ),
    "Saldo de cada conta em cada um dos últimos dias": (
        "SELECT dia, conta_id, saldo FROM q WHERE dia < mart.data_base()",
        """SELECT dia, conta_id, saldo_final FROM mart.fluxo_diario_contas WHERE dia BETWEEN mart.data_base() - 4
AND mart.data_base() - 1""",
    ),
    "Os dez clientes mais atrasados, com telefone": (
        "SELECT pessoa_id, vencido FROM q",
        """SELECT pessoa_id, vencido FROM mart.inadimplencia WHERE vencido > 0 ORDER BY maior_atraso DESC, pessoa_id
LIMIT 10""",
    ),
    "Vencido por cliente e faixa": (
        "SELECT coalesce(sum(faixa_1_30 + faixa_31_60 + faixa_61_90 + faixa_91_180 + acima_de_180), 0) FROM q",
        "SELECT valor FROM mart.resumo WHERE kpi = 'vencido_a_receber'",
    ),
    "A receber em aberto por centro": (
        "SELECT sum(titulos), sum(em_aberto) FROM q",
        "SELECT qtde, valor FROM mart.a_receber_faixas_total WHERE codigo = 'total'",
    ),
    "Tarifas das cobranças por mês": (
        "SELECT coalesce(sum(taxas), 0) FROM q",
        "SELECT taxas FROM mart.cobrancas_por_status_total WHERE codigo = 'total'",
    ),
    "O que mudou desde o último relatório": (
        "SELECT tipo, count(DISTINCT linha_id) FROM q GROUP BY ALL",
        "SELECT tipo, linhas FROM mart.mudancas_tipos WHERE linhas > 0",
    ),
    "O que mudou entre duas leituras quaisquer": (
        """
SELECT tipo, linha_id, impacto_no_aberto FROM q""",
        """
SELECT tipo, linha_id, sum(impacto_no_aberto) FROM mart.mudancas GROUP BY ALL""",
    ),
    "O que explica um mês fechado que mudou": (
        "SELECT mes, regime, sum(diferenca) FROM q GROUP BY ALL",
        "SELECT mes, regime, diferenca FROM mart.mudancas_meses",
    ),
    "Como um lançamento chegou a ser o que é": (
        "SELECT linha_id, data_vencimento FROM q WHERE valido_ate IS NULL",
        "SELECT linha_id, data_depois FROM mart.mudancas WHERE campo = 'Vencimento' ORDER BY linha_id DESC LIMIT 1",
    ),
    "O que foi excluído no serviço": (
        "SELECT registro_id FROM q WHERE estado = 'excluido'",
        "SELECT linha_id FROM mart.mudancas WHERE tipo = 'EXCLUIDO' GROUP BY ALL",
    ),
    "O que o carimbo conta": (
        "SELECT count(*) FROM q",
        "SELECT valor FROM mart.resumo WHERE kpi = 'verificacoes_com_falha'",
    ),
    "Um indicador de relatório a relatório": (
        "SELECT arg_max(valor, data_base) FROM q",
        "SELECT sum(saldo_em_d) FROM mart.saldos_por_conta",
    ),
}
"""Title -> the recipe (`q`) brought to what a report prints, and the report."""
NO_REPORT = {
    "Clientes que pagam mais tarde que no trimestre anterior",
    "O que se acreditava num dia sobre os seguintes",
    "Vencido por faixa no fim dos últimos três meses",
    "Quanto as execuções demoram, e o que pedem",
    "A prova de que a listagem está completa",
}
"""Recipes whose answer stands in no report."""


@pytest.mark.parametrize("title", sorted(CLAIMS))
def test_a_recipe_agrees_with_the_report_that_it_names(con: duckdb.DuckDBPyConnection, title: str) -> None:
    brought, report = (
        ask(con, f"WITH q AS ({RECIPES[title]}) FROM ({question}) ORDER BY ALL") for question in CLAIMS[title]
    )
    assert brought == report


def test_what_the_desk_and_the_bank_know_is_asked_of_something(con: duckdb.DuckDBPyConnection) -> None:
    """The golden company has neither decisions nor statements, and its answers are empty."""
    asked = ("O que se decidiu pagar, dia a dia", "O que o banco tem e ninguém lançou")
    known = ask(con, "SELECT count(*) FROM mart.pagamentos_extrato") != [(0,)]
    assert [ask(con, RECIPES[title]) != [] for title in asked] == [known, known]


def test_what_was_believed_on_a_day_does_not_hang_on_what_ran_after_it(con: duckdb.DuckDBPyConnection) -> None:
    """Every macro of history, on both days that were read: the state that their last complete reading left."""
    complete = ask(
        con,
        "SELECT data_extracao, max(execucao_id) FROM ops.execucoes WHERE tipo_execucao = 'completa' AND situacao = "
        "'completa' GROUP BY ALL ORDER BY ALL",
    )
    assert [number for _, number in complete] == [1, 2]
    for name in (*VERSIONED, "linha_tags"):
        for (day, number), until in zip(complete, (complete[1][0] - timedelta(days=1), date(2099, 1, 1)), strict=True):
            left = ask(con, f"FROM hist.{name}_em({number}) ORDER BY ALL")
            assert ask(con, f"FROM hist.{name}_no_dia(DATE '{day}') ORDER BY ALL") == left, name
            assert ask(con, f"FROM hist.{name}_no_dia(DATE '{until}') ORDER BY ALL") == left, name
    others = ask(con, "SELECT execucao_id FROM ops.execucoes WHERE tipo_execucao <> 'completa' OR situacao = 'falhou'")
    for (number,) in others:
        with pytest.raises(duckdb.Error, match="nenhuma leitura completa tem esse número"):
            ask(con, f"FROM hist.linhas_em({number})")


def test_the_listings_are_proved_whatever_ran_last(con: duckdb.DuckDBPyConnection) -> None:
    proved = ask(con, RECIPES["A prova de que a listagem está completa"])
    assert proved
    assert {row[-1] for row in proved} == {"provada"}


def test_the_band_of_a_titulo_is_that_of_the_reports(con: duckdb.DuckDBPyConnection) -> None:
    printed = "SELECT titulo_id, faixa FROM mart.a_receber UNION ALL SELECT titulo_id, faixa FROM mart.a_pagar"
    bands = dict(ask(con, "SELECT titulo_id, faixa FROM mart.titulos_em(mart.data_base())"))
    found = ask(con, printed)
    assert {titulo_id: bands[titulo_id] for titulo_id, _ in found} == dict(found)
    assert len(set(dict(found).values())) > 2


def test_the_views_to_begin_with_are_listed_first_and_are_those_of_mart(con: duckdb.DuckDBPyConnection) -> None:
    first = re.findall(r"`([a-z_]+)`", manual.read_page("consultas").split("visões: ", 1)[1].split(", e para")[0])
    assert [name for (name,) in ask(con, "SHOW TABLES")] == sorted(first) == sorted(FIRST_VIEWS)
    said = "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE schema_name = '{}' "
    said += f"AND table_name IN {FIRST_VIEWS} ORDER BY table_name, column_index"
    assert ask(con, said.format("main")) == ask(con, said.format("mart"))
    for name in first:
        assert ask(con, f"FROM {name} EXCEPT ALL FROM mart.{name}") == []
        assert ask(con, f"SELECT count(*) FROM {name}") == ask(con, f"SELECT count(*) FROM mart.{name}")  # noqa: S608


def test_every_view_has_a_key_that_is_one(con: duckdb.DuckDBPyConnection) -> None:
    keys = {name.removeprefix("mart."): key for name, key in gather_keys().items() if name.startswith("mart.")}
    views = {name for (name,) in ask(con, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'mart'")}
    # Of these two rows may be alike: a record found twice, a line not understood twice, two equal lines of a bank.
    assert views - keys.keys() == {"achados_itens", "extrato_divergencias", "fazer", "orcado_nao_lido"}
    assert keys.keys() <= views
    odd = {}
    for view in sorted(views & keys.keys()):
        key = keys[view]
        nulls = "false" if view in MAY_BE_NULL else " OR ".join(f"{column} IS NULL" for column in key)
        counts = f"count(*), count(DISTINCT row({', '.join(key)})), count(*) FILTER ({nulls})"
        ((rows, distinct, empty),) = ask(con, f"SELECT {counts} FROM mart.{view}")  # noqa: S608 - our own names
        if rows != distinct or empty:
            odd[view] = (key, rows, distinct, empty)
    assert odd == {}


def test_a_finding_joins_its_records_and_a_check_those_of_every_run(con: duckdb.DuckDBPyConnection) -> None:
    told = "SELECT count(*), count(a.achado) FROM mart.achados_itens i LEFT JOIN mart.achados a USING (regra)"
    ((items, joined),) = ask(con, told)
    assert items == joined > 0
    checks = "SELECT verificacao FROM mart.verificacoes EXCEPT SELECT verificacao FROM ops.verificacoes"
    assert ask(con, checks) == []


def test_a_titulo_names_whom_the_reports_name(con: duckdb.DuckDBPyConnection) -> None:
    printed = "SELECT titulo_id, pessoa FROM mart.lancamentos"
    names = set(ask(con, "SELECT titulo_id, pessoa FROM mart.titulos_em(mart.data_base())"))
    assert names == set(ask(con, printed))
    assert len({pessoa for _, pessoa in names}) > 3


def test_every_recipe_is_held_against_a_report_or_said_to_stand_in_none() -> None:
    assert set(RECIPES) == set(CLAIMS) | NO_REPORT
    assert {title for title, query in RECIPES.items() if len(query.splitlines()) > 4} == set()
    # No day is written out: a recipe works on the day on which it is pasted.
    assert [title for title, query in RECIPES.items() if re.search(r"DATE '", query)] == []


def test_what_stands_below_the_questions_is_what_they_answer(two_runs: Path) -> None:
    page = manual.read_page("consultas")
    with duckdb.connect(str(two_runs / "dados" / "ouro" / "lastro.duckdb"), read_only=True) as opened:
        assert write_results(page, ask_file(opened)) == page, "python -m tests.tools.consultas writes it anew"
        # By hand: of the golden company's open entries on 27/02, what was due in March and in April.
        assert ask(opened, RECIPES["O que se acreditava num dia sobre os seguintes"])[-2:] == [
            (date(2026, 3, 1), Decimal("-2560.00")),
            (date(2026, 4, 1), Decimal("3500.00")),
        ]


def test_every_column_of_a_report_says_what_its_values_are(con: duckdb.DuckDBPyConnection) -> None:
    columns = ask(con, "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE schema_name = 'mart'")
    unsaid = [
        f"{view}.{name}"
        for view, name, comment in columns
        if column_name(comment.removesuffix(" (R$)").removesuffix(" (%)")) == name
    ]
    assert unsaid == []


def test_every_term_of_the_dictionary_is_of_some_table_or_stands_on_a_desk(
    con: duckdb.DuckDBPyConnection, two_runs: Path
) -> None:
    asked = "SELECT column_name FROM duckdb_columns() WHERE schema_name IN ('mart', 'dados')"
    views = Counter(name for (name,) in ask(con, asked))
    folder = two_runs / "dados" / "ouro" / "relatorios"
    books = [openpyxl.load_workbook(path) for desk in (COBRANCA, PAGAMENTOS) for path in folder.glob(f"{desk}_*")]
    headers = {
        cell for book in books for ws in book for row in ws.iter_rows(max_row=60, values_only=True) for cell in row
    }
    kept = {column for table in TABLES.values() for column in table.columns}
    kept |= {name.removesuffix(CENTAVOS) for frame in FRAMES.values() for name in frame.names}
    unused = {*read_dictionary()} - {*views} - kept
    assert [key for key in unused if read_dictionary()[key].header not in headers] == []


def test_a_figure_whose_unit_a_column_says_is_told_to_be_in_no_other(con: duckdb.DuckDBPyConnection) -> None:
    columns = ask(
        con,
        "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE schema_name = 'mart' AND table_name IN "
        "(SELECT table_name FROM duckdb_columns() WHERE schema_name = 'mart' AND column_name = 'unidade')",
    )
    assert [f"{view}.{name}" for view, name, comment in columns if comment.endswith((" (R$)", " (%)"))] == []


def test_the_origins_of_a_balance_are_those_that_are_stored(con: duckdb.DuckDBPyConnection) -> None:
    told = ask(
        con,
        "SELECT comment FROM duckdb_columns() WHERE column_name = 'origem' AND table_name IN "
        "('extratos', 'extrato_saldos') AND schema_name IN ('core', 'mart')",
    )
    assert len(told) == 2
    assert [origin for (comment,) in told for origin in ORIGENS if f"{origin} (" not in comment] == []
