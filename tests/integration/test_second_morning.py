"""The second morning: what a report compares with is what people last read of an earlier day, and it tells no tale.

README's own path: a run, the statements, the map, a recálculo; the next day a run. Nothing moves between the two
mornings, so every page must say so. The first day asked again knows its statements and none of the next one's (S3,
S20).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest

from lastro.entrada.saldos import TypedBalance, append_balances
from lastro.grid.verdict import NAO_SE_APLICA, OK
from lastro.run.order import RunResult
from lastro.run.stages import STAGES, run_stage
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings, load_settings
from lastro_sandbox import create_app, golden_company, serve
from tests.bank import F1, F2, STORED
from tests.golden.expected import D
from tests.served import TOKEN, TOKEN_VARIABLE, ask, copy_golden, open_session, run_served

NEXT = D + timedelta(days=1)
MAP = 'dre_mapa = { 10 = "receita_bruta", 20 = "custos_variaveis", 21 = "pessoal", 30 = "fora" }'
SAME = "= sem mudança"
BANK = ("conciliacao", "conciliacao_pendencias", "conciliadas", "extrato_arquivos")
FIRST = [
    TypedBalance(101, date(2026, 2, 28), Decimal("8000.00")),
    TypedBalance(102, date(2026, 2, 28), Decimal("2200.00")),
]


@dataclass
class Company:
    """A company of whose settings nobody knows more than the accounts, and its folder."""

    folder: Path
    base_url: str

    def settings(self, parametros: str = "", more: str = "") -> Settings:
        (self.folder / "lastro.toml").write_text(
            f'dir = "dados"\n\n[[empresa]]\nid = "ouro"\nnome = "Ouro"\nbase_url = "{self.base_url}"\n'
            f'token_env = "{TOKEN_VARIABLE}"\nlimites = []\n\n'
            '[[empresa.conta]]\nconta_id = 101\ndescricao = "Banco Alfa"\nextrato = ["0341/12345-6"]\n\n'
            '[[empresa.conta]]\nconta_id = 102\ndescricao = "Poupança"\n\n'
            f"[empresa.parametros]\n{parametros}\n{more}",
            encoding="utf-8",
        )
        return load_settings(self.folder / "lastro.toml", {}, self.folder)

    def type(self, rows: list[TypedBalance]) -> None:
        settings = self.settings()
        append_balances(settings.entrada(settings.empresas[0]), rows)

    def walk(self, *, hot: bool = False) -> Settings:
        """Walk README's path on the first day; return the settings at its end."""
        run_served(self.settings(), D)
        if hot:
            run_served(self.settings(), D, modo=Modo.QUENTE)
        self.type(FIRST)
        settings = self.settings(MAP)
        run_served(settings, D, modo=Modo.RECALCULO)
        return settings


@pytest.fixture
def company(tmp_path: Path) -> Iterator[Company]:
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        yield Company(tmp_path, service.base_url)


@dataclass
class Mornings:
    """A company after README's path and the run of the next day, and what was read on the way."""

    settings: Settings
    last_read: dict[str, list[tuple[Any, ...]]]
    """The figures that people last read on the first day."""
    second: RunResult


@pytest.fixture(scope="module")
def mornings(first_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mornings]:
    """Of one account a statement of the bank is there on the first day, and the next one with a file that is none."""
    with serve(create_app(golden_company(), token=TOKEN)) as service:
        company = Company(tmp_path_factory.mktemp("manhas"), service.base_url)
        copy_golden(first_run, company.folder, service.base_url)
        settings = company.settings(MAP)
        company.type(FIRST[1:])
        put_statements(settings, F1)
        last_read = read_figures(run_served(settings, D, modo=Modo.RECALCULO).warehouse)
        second = run_served(settings, NEXT)
        (put_statements(settings, F2) / "nao_e_ofx.ofx").write_text("?", encoding="utf-8")
        yield Mornings(settings, last_read, second)


def put_statements(settings: Settings, *names: str) -> Path:
    folder = settings.entrada(settings.empresas[0]) / "extratos"
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_bytes((STORED / name).read_bytes())
    return folder


def look(result: RunResult) -> dict[str, Any]:
    """Return what every page says of the cash beside the report before."""
    cover = result.catalogue.reports[0].cover
    assert cover is not None
    pages = result.workbooks[0].parent.glob(f"resumo_{result.data_base}*.html")
    html = max(pages, key=lambda path: path.stat().st_mtime)
    moved = "SELECT kpi, variacao FROM mart.{} WHERE kpi IN ('saldo_atual', 'saldo_ontem') ORDER BY kpi"
    return {
        "tile": cover.tiles[0].lines[0],
        "html": SAME in html.read_text(encoding="utf-8"),
        "resumo": dict(ask(result, moved.format("resumo"))),
        "indicadores": dict(ask(result, moved.format("indicadores"))),
        "tendencia": [
            value for (value,) in ask(
                result, "SELECT valor FROM mart.kpis_tendencia WHERE kpi = 'saldo_atual' ORDER BY ordem"
            )
        ],
    }  # fmt: skip


def expect_same(result: RunResult, reports: int = 2) -> None:
    """Assert that no page says that cash moved."""
    (now,) = ask(result, "SELECT saldo_em_d FROM mart.saldos_por_conta_total WHERE codigo = 'total'")
    nothing = {"saldo_atual": Decimal("0.00"), "saldo_ontem": Decimal("0.00")}
    told = look(result)
    assert told.pop("resumo") == told.pop("indicadores") == nothing
    assert told == {"tile": SAME, "html": True, "tendencia": list(now) * reports}


def a_past_day(company: Company, settings: Settings) -> Settings:
    del company
    run_served(settings, D, data_base=D - timedelta(days=10))
    run_served(settings, D, modo=Modo.RECALCULO, data_base=D - timedelta(days=10))
    return settings


def a_past_day_published(company: Company, settings: Settings) -> Settings:
    del company
    run_served(settings, D, modo=Modo.RECALCULO, data_base=D - timedelta(days=10), publicar_passado=True)
    return settings


def a_run_that_died(company: Company, settings: Settings) -> Settings:
    del company
    with open_session(settings, NEXT) as session:
        for stage in STAGES[:3]:
            run_stage(session, stage)
    return settings


def a_statement_corrected(company: Company, settings: Settings) -> Settings:
    company.type([TypedBalance(101, date(2026, 2, 28), Decimal("7900.00"))])
    return settings


def another_map(company: Company, settings: Settings) -> Settings:
    del settings
    return company.settings(MAP.replace('21 = "pessoal"', '21 = "administrativas"'))


def a_statement_linked(company: Company, settings: Settings) -> Settings:
    (settings.entrada(settings.empresas[0]) / "saldos.csv").unlink()
    put_statements(settings, F1, F2)
    company.type(FIRST[1:])
    return settings


def test_readme_walked_over_two_mornings_says_that_nothing_moved(mornings: Mornings) -> None:
    second = mornings.second
    expect_same(second)
    moved = ask(second, "SELECT variacao FROM mart.resumo WHERE kpi = 'menor_saldo_contratual'")
    assert moved == [(Decimal("0.00"),)]  # the same openings on both sides
    assert ask(second, "SELECT count(*) FROM mart.mudancas") == [(0,)]
    assert ask(second, "SELECT count(*) FROM mart.achados_itens WHERE regra = 'Q36'") == [(0,)]


def read_figures(file: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return what the reports of a file say of balances, statements, result and indicators.

    Not how many alerts there are: what is odd in the files of people is said of those that are there now.
    """
    asked = {
        "saldos": "SELECT conta_id, saldo_em_d, saldo_em_d_30, so_variacao FROM mart.saldos_por_conta ORDER BY ALL",
        "extratos": "SELECT conta_id, dia, extrato, livro, papel FROM mart.extratos ORDER BY ALL",
        **{name: f"FROM mart.{name} ORDER BY ALL" for name in BANK},
        "dre": "SELECT codigo, mes, valor FROM mart.dre WHERE nivel = 0 ORDER BY ALL",
        "indicadores": "SELECT kpi, valor, so_variacao FROM mart.indicadores WHERE kpi <> 'verificacoes_com_falha' "
        "ORDER BY ALL",
        "dados": "SELECT dre_grupo, count(*) FROM core.categorias GROUP BY 1 ORDER BY 1",
    }
    with duckdb.connect(str(file), read_only=True) as con:
        return {name: con.execute(sql).fetchall() for name, sql in asked.items()}


def test_the_first_day_asked_again_is_as_people_last_read_it(mornings: Mornings) -> None:
    """Balances typed and a map written on that day hold in it, as they do in a day before all runs (S3).

    Of the bank's side line by line what its own report showed.
    """
    last_read = mornings.last_read
    again = run_served(mornings.settings, NEXT, modo=Modo.RECALCULO, data_base=D)
    assert again.failed == ()
    assert [check.id for check in again.verifications if check.situacao == NAO_SE_APLICA and not check.detalhe] == []
    assert read_figures(again.warehouse) == last_read
    assert (101, Decimal("13780.00"), False) in [row[:2] + row[3:] for row in last_read["saldos"]]
    # One file states one balance, from which the eve follows that opens the account: there is nothing to compare.
    assert judge_bank(again) == {"V24": NAO_SE_APLICA, "V25": OK, "V26": OK}
    found = {one.regra: one for one in again.catalogue.findings}
    assert {"Q24", "Q25", "Q26", "Q27", "Q28"} <= found.keys()
    assert "linha 49" not in found["Q24"].por_que  # a transaction of the second file, which nobody had
    assert ask(again, "SELECT count(*), max(dia) FROM banco.linhas") == [(5, date(2026, 2, 27))]
    assert ask(again, "SELECT inicio, fim, saldo FROM prova.banco_blocos") == [
        (date(2026, 2, 1), date(2026, 2, 28), Decimal("8004.68"))
    ]


@pytest.mark.longo
def test_before_the_first_statement_nothing_is_held_against_the_books(mornings: Mornings) -> None:
    again = run_served(mornings.settings, NEXT, modo=Modo.RECALCULO, data_base=D - timedelta(days=1))
    assert judge_bank(again) == {}
    assert [ask(again, f"SELECT count(*) FROM mart.{name}") for name in BANK] == [[(0,)]] * len(BANK)  # noqa: S608
    # The opening follows from what is known today.
    assert ask(again, "SELECT abertura_calculada FROM mart.saldos_por_conta WHERE conta_id = 101") == [
        (Decimal("10000.00"),)
    ]


@pytest.mark.longo
def test_today_is_as_it_was_after_a_past_day(mornings: Mornings) -> None:
    before = read_figures(run_served(mornings.settings, NEXT, modo=Modo.RECALCULO).warehouse)
    run_served(mornings.settings, NEXT, modo=Modo.RECALCULO, data_base=D)
    assert read_figures(run_served(mornings.settings, NEXT, modo=Modo.RECALCULO).warehouse) == before


def test_a_part_tells_no_closed_month_of_the_whole(first_run: Path, tmp_path: Path) -> None:
    """January's rent (account 101, centre 201) changes: the company says so for days, the part without it never."""
    books = golden_company()
    parts = "".join(
        f'[[empresa.recorte]]\nnome = "{name}"\n{what}\n'
        for name, what in (("conta", "contas = [102]"), ("sede", "centros = [201]"))
    )
    with serve(create_app(books, token=TOKEN)) as service:
        company = Company(tmp_path, service.base_url)
        copy_golden(first_run, tmp_path, service.base_url)
        settings = company.settings(MAP, parts)
        rent = books.lancamentos[1002]
        books.change_entry(rent, valor=rent.valor - 10_000)
        told = read_covers(run_served(settings, NEXT))
        recalled = read_covers(run_served(settings, NEXT + timedelta(days=1)))
    changed = "1 mês fechado alterado por 1 linha: competência -R$ 100,00; caixa -R$ 100,00"
    assert [name for name, texts in sorted(told.items()) if f"Alerta: {changed}" in texts] == [
        "gerencial",
        "gerencial_sede",
    ]
    assert f"Em 17/03: {changed}" in recalled["gerencial"]
    for covers, name in ((told, "conta"), (recalled, "conta"), (recalled, "sede")):
        assert [text for text in covers[f"gerencial_{name}"] if "mês fechado" in text] == []


def read_covers(result: RunResult) -> dict[str, list[str]]:
    """Read every text of the first page of each workbook for management: the company's and those of its parts."""
    covers = {}
    for path in result.workbooks:
        kind = path.stem.rpartition("_2026")[0]
        if kind.startswith("gerencial"):
            sheet = openpyxl.load_workbook(path)["Resumo"]
            covers[kind] = [str(cell) for row in sheet.iter_rows(values_only=True) for cell in row if cell is not None]
    return covers


def judge_bank(result: RunResult) -> dict[str, str]:
    """Return what the checks of the bank came to, and what failed besides with severity erro."""
    checks = {check.id: check for check in result.catalogue.verifications}
    assert [check.id for check in checks.values() if check.failed and check.severidade == "erro"] == []
    return {name: checks[name].situacao for name in ("V24", "V25", "V26") if name in checks}


@pytest.mark.longo
@pytest.mark.parametrize(
    "between",
    [a_past_day, a_past_day_published, a_run_that_died, a_statement_corrected, another_map, a_statement_linked],
)
def test_no_tale_whatever_came_between(company: Company, between: Callable[[Company, Settings], Settings]) -> None:
    expect_same(run_served(between(company, company.walk()), NEXT))


@pytest.mark.longo
def test_a_hot_run_between_changes_nothing_of_it(company: Company) -> None:
    settings = company.walk(hot=True)
    run_served(settings, D, modo=Modo.QUENTE)
    second = run_served(settings, NEXT)
    expect_same(second)
    expect_same(run_served(settings, NEXT, modo=Modo.QUENTE))
    expect_same(run_served(settings, NEXT, modo=Modo.RECALCULO))
    # The map is that of the report that people last read, a hot one.
    assert ask(second, "SELECT variacao FROM mart.resumo WHERE kpi = 'pmr'") != [(None,)]


@pytest.mark.longo
def test_a_report_of_another_map_or_opening_is_not_compared(company: Company) -> None:
    settings = company.walk()
    company.type([TypedBalance(101, date(2026, 2, 28), Decimal("7900.00"))])
    second = run_served(settings, NEXT)
    asked = "SELECT kpi, variacao IS NULL FROM mart.resumo WHERE kpi IN ('menor_saldo_contratual', 'pmr') ORDER BY kpi"
    assert ask(second, asked) == [("menor_saldo_contratual", True), ("pmr", False)]
    trend = "SELECT kpi, count(*) FROM mart.kpis_tendencia WHERE kpi IN ('menor_saldo_contratual', 'pmr') GROUP BY kpi"
    assert ask(second, f"{trend} ORDER BY kpi") == [("menor_saldo_contratual", 1), ("pmr", 2)]
    third = run_served(another_map(company, settings), NEXT + timedelta(days=1))
    assert ask(third, asked) == [("menor_saldo_contratual", True), ("pmr", True)]
