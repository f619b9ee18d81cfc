"""The steps of the README, and what a controller types from bank statements in between (S23): saldos.csv."""

from __future__ import annotations

import re
import shlex
import shutil
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
from click.testing import CliRunner, Result

from lastro.cli import main
from lastro.clock import utc_now
from lastro.commands.saldos import describe_account, say_effect
from lastro.entrada.saldos import TypedBalance, append_balances, read_balances
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings, load_settings
from lastro.warehouse.publication.balances import Anchor, Implied, PublishedBalance
from lastro_sandbox import Books, Running, create_app, golden_company, serve
from tests.golden.expected import D
from tests.served import TOKEN, TOKEN_VARIABLE, ask, copy_golden, run_served


@dataclass(frozen=True)
class Company:
    """What the served company holds, and its settings."""

    books: Books
    settings: Settings


def name_accounts(folder: Path, base_url: str) -> Settings:
    """Settings that name the golden company's accounts and nothing else."""
    (folder / "lastro.toml").write_text(
        f'dir = "dados"\n\n[[empresa]]\nid = "ouro"\nnome = "Ouro"\nbase_url = "{base_url}"\n'
        f'token_env = "{TOKEN_VARIABLE}"\nlimites = []\n\n'
        '[[empresa.conta]]\nconta_id = 101\ndescricao = "Banco Alfa"\n\n'
        '[[empresa.conta]]\nconta_id = 102\ndescricao = "Poupança"\n',
        encoding="utf-8",
    )
    return load_settings(folder / "lastro.toml", {}, folder)


@pytest.fixture(scope="module")
def read_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """The golden company whose settings name its accounts and nothing else, after its first run."""
    folder, books = tmp_path_factory.mktemp("extratos"), golden_company()
    with serve(create_app(books)) as served:
        settings = name_accounts(folder, served.base_url)
        run_served(settings, D)
        yield Company(books, settings)


@pytest.fixture
def typed(read_once: Company, tmp_path: Path) -> Settings:
    """A copy of it with a statement of both accounts."""
    company = copy_settings(read_once.settings.dir.parent, tmp_path)
    append_balances(company.entrada(company.empresas[0]), BOTH)
    return company


BOTH = [
    TypedBalance(101, date(2026, 2, 28), Decimal("7900.00")),
    TypedBalance(102, date(2026, 3, 16), Decimal("2200.00")),
]


def saldos(settings: Settings, *words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(main, ["saldos", "--config", settings.origem, *words])
    return ended.exit_code, re.sub(r" +", " ", ended.output)


def find_q36(settings: Settings, execucao_id: int) -> tuple[object, ...]:
    rows = ask(
        settings,
        "SELECT execucao_id, severidade, situacao, registros, detalhe FROM ops.verificacoes WHERE verificacao = 'Q36'",
    )
    return {row[0]: row[1:] for row in rows}[execucao_id]


FLAGGED = (
    "mart.saldos_por_conta", "mart.saldos_por_conta_total", "mart.saldos_em(DATE '2026-03-16')", "mart.fluxo_diario",
    "mart.saldos_entre(DATE '2026-03-01', DATE '2026-03-16')", "mart.fluxo_diario_contas", "mart.fluxo_semanal",
    "mart.fluxo_mensal", "mart.fluxo_por_conta", "mart.fluxo_por_conta_total", "mart.previsao_semanal",
    "mart.fluxo_diario_cenarios", "mart.fluxo_semanal_cenarios", "mart.fluxo_mensal_cenarios",
    "(FROM mart.resumo WHERE kpi = 'saldo_atual')", "(FROM mart.indicadores WHERE kpi = 'menor_saldo_contratual')",
)  # fmt: skip


def find_variations(settings: Settings) -> list[tuple[str, bool]]:
    """Tell of every view with a balance whether all of its rows, or none, say that it is a variation."""
    with duckdb.connect(str(settings.pasta(settings.empresas[0]) / "lastro.duckdb"), read_only=True) as con:
        flags = [con.execute(f"SELECT DISTINCT so_variacao FROM {each}").fetchall() for each in FLAGGED]  # noqa: S608
    return [(each, bool(flag)) for each, [(flag,)] in zip(FLAGGED, flags, strict=True)]


README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
(KEYS,) = re.findall(r"```toml\n(.*?)```", README, flags=re.DOTALL)
(TYPED,) = re.findall(r"```csv\n(.*?)```", README, flags=re.DOTALL)
STEPS = [shlex.split(line.split("  ")[0])[1:] for line in re.findall(r"^lastro .*", README, re.MULTILINE)]


@dataclass(frozen=True)
class Steps:
    """What the lines of the README's block said, on the golden company, each of them once, and where.

    Attributes:
        folder: where the last one ended.
        kept: of a line, the folder after it.
    """

    folder: Path
    told: list[Result]
    kept: dict[int, Settings]


READ, COMPUTED = 2, 6
"""Which of them publish what is looked at: without and with the balances that are typed between them."""


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Steps:
    """The figures are those of 16/03/2026."""
    folder, told, kept = tmp_path_factory.mktemp("passos"), [], {}
    day = D.isoformat()
    with serve(create_app(golden_company(), token=TOKEN)) as service, pytest.MonkeyPatch.context() as patch:
        for name in ("LASTRO_BASE_URL", "DISPLAY", "WAYLAND_DISPLAY"):
            patch.delenv(name, raising=False)
        patch.chdir(folder)
        for number, step in enumerate(STEPS):
            more = {
                "iniciar": ["--base-url", service.base_url, "--nome", "Acme Ltda", "--id", "acme"],
                "run": ["--data-base", day, *(["--data-extracao", day] if step == ["run"] else [])],
            }
            asked = [*step, *more.get(step[0], [])]
            told.append(CliRunner().invoke(main, asked, env={"ACME_TOKEN": TOKEN}))
            assert told[-1].exit_code == 0, (step, told[-1].output)
            if number in (READ, COMPUTED):
                kept[number] = copy_settings(folder, tmp_path_factory.mktemp("passo"))
    return Steps(folder, told, kept)


def copy_settings(folder: Path, target: Path) -> Settings:
    """Copy a company with its data folder."""
    shutil.copytree(folder, target, symlinks=True, dirs_exist_ok=True)
    return load_settings(target / "lastro.toml", {}, target)


def test_the_five_steps_of_the_readme_in_their_order(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(steps.folder)
    begun, doctor, first, accounts, typed, mapped, again, opened = steps.told
    assert begun.output.rstrip().endswith("Próximo passo: lastro run")
    assert " 0 erros, 1 aviso." in begun.output  # that nobody is told when something fails
    assert "127.0.0.1 aceita o token" in doctor.output
    assert re.findall(r"^ +(10\d) ", accounts.stdout, re.MULTILINE) == ["101", "102"]
    assert re.findall(r"saldo inicial ([\d.,]+)", typed.stdout) == ["10.000,00", "2.000,00"]
    assert (steps.folder / "dados" / "acme" / "entrada" / "saldos.csv").read_text(encoding="utf-8") == TYPED
    lacking = [re.findall(r"Categoria sem grupo na DRE: (\d) \(Q20\): Pôr", told.stdout) for told in (first, again)]
    assert lacking == [["8"], ["1"]]  # `lastro mapa` proposes a group for seven
    assert "R$ 15.980,00" not in first.stdout
    assert "R$ 15.980,00" in again.stdout  # by hand: 13.780,00 and 2.200,00
    assert "linhas acrescentadas a" in mapped.stderr
    assert "lastro run --empresa acme --modo recalculo" in mapped.stderr
    written = (steps.folder / "lastro.toml").read_text(encoding="utf-8")
    assert tomllib.loads(written)["empresa"][0].keys() >= tomllib.loads(KEYS)["empresa"][0].keys()
    (empresa,) = load_settings(steps.folder / "lastro.toml", {}, steps.folder).empresas
    assert empresa.parametros.dre_mapa
    folder = str(steps.folder / "dados" / "acme")
    assert again.stdout.count(folder) == 1
    assert f"  Em {folder}:\n" in again.stdout
    assert f"    Planilha relatorios/gerencial_{D}.xlsx\n" in first.stdout
    assert opened.stdout == f"{folder}/relatorios/gerencial_{D}_r2.xlsx\n"
    assert CliRunner().invoke(main, ["abrir", "--imprimir"]).stdout == opened.stdout
    assert "não há o que acrescentar" in CliRunner().invoke(main, ["mapa", "--escrever"]).stderr
    shown = CliRunner().invoke(main, ["mapa"])
    assert "[empresa.parametros.dre_mapa]" not in shown.stdout
    assert "repita com --escrever" in shown.stderr


def test_from_variations_to_balances(steps: Steps) -> None:
    company, first = steps.kept[READ], steps.told[READ].stdout
    assert re.search(r"Saldo atual +R\$ 3\.980,00 — VARIAÇÃO, não saldo: falta o extrato de 2 contas", first)
    assert "Vencido a receber" in first
    assert "Variação, não saldo" in first
    assert first.count("VARIAÇÃO") == 3  # the balance, and the lows of the other lines
    assert find_variations(company) == [(each, True) for each in FLAGGED]
    assert ask(company, "SELECT DISTINCT so_variacao FROM ops.kpis WHERE kpi = 'saldo_atual'") == [(True,)]
    code, printed = saldos(company)
    assert code == 0
    assert "Saldos de acme em 16/03/2026 (execução 1)" in printed
    assert "101 3.780,00 — variação, não saldo" in printed
    assert "Falta o extrato de 2 contas: lastro saldos acme --em AAAA-MM-DD 101=VALOR 102=VALOR" in printed

    computed = steps.kept[COMPUTED]
    assert "· execução 2 · recálculo" in steps.told[COMPUTED].stdout
    code, printed = saldos(computed)
    assert "101 13.780,00 28/02/2026 7.900,00 7.900,00 0,00 0,00 28/02 é a âncora" in printed
    assert "Falta o extrato" not in printed
    assert find_variations(computed) == [(each, False) for each in FLAGGED]
    assert ask(computed, "SELECT sum(saldo_em_d) FROM mart.saldos_por_conta") == [(Decimal("15980.00"),)]
    assert ask(computed, "SELECT count(*) > 0 FROM mart.dre WHERE codigo = 'receita_bruta'") == [(True,)]
    assert ask(computed, "SELECT origem, papel FROM core.extrato_saldos") == [("arquivo", "âncora")] * 2
    assert ask(computed, "SELECT arquivo, linhas, aceitas, rejeitadas FROM ops.arquivos") == [
        ("entrada/saldos.csv", 2, 2, 0)
    ]
    failed = ask(computed, "SELECT verificacao FROM ops.verificacoes WHERE situacao = 'falhou' AND execucao_id = 2")
    assert [rule for (rule,) in failed if str(rule).startswith("V")] == ["V20"]  # the settings name no account
    assert balances(computed, "2025-12-31", "2026-01-31", "2026-02-28") == ["12000.00", "10500.00", "10700.00"]


def test_a_recalculation_with_openings_is_not_equal_to_its_reading(steps: Steps) -> None:
    done = CliRunner().invoke(main, ["diff", "--config", steps.kept[COMPUTED].origem, "1", "2"])
    assert done.exit_code == 1
    assert "Iguais" not in done.output
    assert "Saldo atual" in done.output
    assert "Parâmetros que não são os mesmos: aberturas, dre_mapa" in done.output


def test_an_account_whose_balance_waits_for_a_run_lacks_none(steps: Steps, tmp_path: Path) -> None:
    company = copy_settings(steps.kept[READ].dir.parent, tmp_path)
    assert saldos(company, "--em", "2026-02-28", "101=7900")[0] == 0
    printed = saldos(company)[1]
    assert "Falta o extrato de 1 conta: lastro saldos acme --em AAAA-MM-DD 102=VALOR" in printed
    assert "1 saldo digitado espera a próxima execução" in printed
    assert saldos(company, "--em", "2026-02-28", "102=200")[0] == 0
    printed = saldos(company)[1]
    assert "Falta o extrato" not in printed
    assert "2 saldos digitados esperam a próxima execução" in printed


TYPED_LATER = [  # of account 101, whose opening of 10000.00 follows from 7900.00 on 28/02
    (
        "2026-03-16",
        "99999,99",
        "conferência: livro 13.780,00, difere -86.219,99 (a abertura é do extrato de 28/02/2026)",
    ),
    ("2026-03-16", "13780", "conferência: livro 13.780,00, confere (a abertura é do extrato de 28/02/2026)"),
    ("2026-02-28", "8000", "→ saldo inicial 10.100,00: substitui 7.900,00"),
    ("2026-01-31", "8500", "→ saldo inicial 10.000,00: passa a ser a âncora (antes 28/02/2026)"),
]


def test_typing_says_what_it_changes(steps: Steps, tmp_path: Path) -> None:
    company = copy_settings(steps.kept[COMPUTED].dir.parent, tmp_path)
    for day, value, said in TYPED_LATER:
        code, printed = saldos(company, "--em", day, f"101={value}")
        assert (code, said in printed) == (0, True), printed


def _publish(**given: Any) -> PublishedBalance:
    return PublishedBalance(101, "Banco Alfa", Decimal("1.00"), variacao=False, **given)


def test_an_opening_that_is_no_statements_is_only_checked() -> None:
    typed = TypedBalance(101, date(2026, 2, 28), Decimal("7900.00"))
    implied = Implied(Decimal("10000.00"), Decimal("8079.72"), Decimal("0.00"), Decimal("0.00"))
    assert say_effect(_publish(origem="configurado"), typed, implied, {}, configured=True) == (
        "conferência: livro 8.079,72, difere 179,72 (a abertura é da configuração)"
    )
    assert (
        say_effect(_publish(origem="configurado"), typed, implied, {}, configured=False) == "→ saldo inicial 10.000,00"
    )
    late = replace(implied, livro=None)
    assert say_effect(_publish(origem="lancamento"), typed, late, {}, configured=False) == (
        "conferência: o controle da conta começa depois (a abertura é de um lançamento)"
    )
    derived = _publish(origem="extrato", ancora=Anchor(date(2026, 1, 31), Decimal("8500.00"), derivada=True))
    assert say_effect(derived, typed, implied, {}, configured=False) == (
        "→ saldo inicial 10.000,00: passa a ser a âncora (antes 31/01/2026)"
    )


def test_an_anchor_is_no_agreement_and_what_differs_before_it_is_told() -> None:
    day = date(2026, 11, 25)
    own = _publish(
        dia=day, provada=True, extrato=Decimal("5.00"),
        livro=Decimal("5.00"), transito=Decimal("0.00"), diferenca=Decimal("0.00"),
        ancora=Anchor(day, Decimal("5.00"), derivada=False), diferem=((date(2026, 8, 28), Decimal("179.72")),),
    )  # fmt: skip
    assert describe_account(own)[-1] == "25/11 é a âncora; 28/08 difere 179,72"
    assert describe_account(replace(own, ancora=None, diferem=()))[-1] == "confere"
    old = replace(own, ancora=Anchor(date(2018, 5, 5), Decimal("1.00"), derivada=False), diferem=())
    assert describe_account(old)[-1] == "confere; a âncora é de 05/05/2018"


def test_what_is_typed_is_added_to_the_file_and_nothing_of_what_is_wrong(first_run: Path, tmp_path: Path) -> None:
    copy_golden(first_run, tmp_path, "http://127.0.0.1:1")
    company = name_accounts(tmp_path, "http://127.0.0.1:1")
    assert "101 Banco Alfa 13.780,00" in saldos(company)[1]
    for bad in (["101=1.500"], ["105=1,00"], ["101=1,00", "102=x"], ["101=1,00", "101=2,00"]):
        code, printed = saldos(company, "--em", "2026-02-28", *bad)
        assert code == 2
        assert "Nada foi gravado" in printed
    for day in ("31/10/0206", "1926-10-31", "31/10/2062", f"{utc_now().date() + timedelta(2)}"):
        code, printed = saldos(company, "--em", day, "101=1,00")
        assert (code, "está fora do que vale aqui, de 01/01/1990 a " in printed) == (2, True)
    assert saldos(company, "101=1,00")[0] == 2
    entry = company.entrada(company.empresas[0])
    assert not entry.exists()

    code, printed = saldos(company, "--em", "28/02/2026", "banco alfa=7.900,00")
    assert code == 0
    assert "101 Banco Alfa: extrato de 28/02/2026 7.900,00 → saldo inicial 10.000,00" in printed
    code, printed = saldos(company, "ouro", "--em", "2026-03-16", "102=2200", "--nota", "extrato de março")
    assert "saldo inicial 2.000,00" in printed
    assert "vale na próxima execução; agora: lastro run --empresa ouro --modo recalculo" in printed
    assert (entry / "saldos.csv").read_text(encoding="utf-8") == (
        "data;conta;saldo;nota\n2026-02-28;101;7900,00;\n2026-03-16;102;2200,00;extrato de março\n"
    )
    # What a spreadsheet would take for a formula is guarded once, and the lines before stay as they are.
    for note in ("=HYPERLINK(1)", "'=HYPERLINK(1)", "ver;@x"):
        assert saldos(company, "--em", "2026-03-16", "102=2200", "--nota", note)[0] == 0
    assert (entry / "saldos.csv").read_text(encoding="utf-8").splitlines()[2:] == [
        "2026-03-16;102;2200,00;extrato de março",
        "2026-03-16;102;2200,00;'=HYPERLINK(1)",
        "2026-03-16;102;2200,00;'=HYPERLINK(1)",
        '2026-03-16;102;2200,00;"ver;\'@x"',
    ]
    code, printed = saldos(company, "--em", "2026-02-27", "101=1,00")
    assert code == 0
    assert "em 27/02/2026 há pagamentos de -3.100,00: confira se o extrato já os traz" in printed


def test_what_the_file_has_already_is_known_when_more_is_typed(first_run: Path, tmp_path: Path) -> None:
    copy_golden(first_run, tmp_path, "http://127.0.0.1:1")
    company = name_accounts(tmp_path, "http://127.0.0.1:1")
    path = company.entrada(company.empresas[0]) / "saldos.csv"
    assert saldos(company, "--em", "2026-02-28", "101=7900")[0] == 0
    code, printed = saldos(company, "--em", "2026-03-15", "101=1")
    assert (code, "conferência: a âncora é o extrato de 28/02/2026, que também espera" in printed) == (0, True)
    code, printed = saldos(company, "--em", "2026-02-28", "101=7901")
    assert (code, "→ saldo inicial 10.001,00: substitui 7.900,00" in printed) == (0, True)
    assert path.read_text(encoding="utf-8").splitlines()[-1] == "2026-02-28;101;7901,00;substitui 7.900,00"
    assert "2 saldos digitados esperam a próxima execução" in saldos(company)[1]
    # A slip of the year would anchor all that followed.
    code, printed = saldos(company, "--em", "2018-05-05", "101=1")
    assert (code, "05/05/2018 é mais de 31 dias antes do primeiro lançamento da conta, " in printed) == (2, True)
    assert "é mesmo? Se é, repita com --nota confirmado. Nada foi gravado" in printed
    assert saldos(company, "--em", "2018-05-05", "101=1", "--nota", "confirmado")[0] == 0
    path.write_text(f"{path.read_text(encoding='utf-8')}2018-05-06;101;2,00;\n2026-03-15;101;3,00;\n", encoding="utf-8")
    code, printed = saldos(company)
    assert "2 linhas de saldos.csv sem contar" in printed
    assert "se é mesmo, escreva confirmado na nota" in printed
    assert "linha 3: a linha 7 diz outro saldo do mesmo dia, e vale; se o corrige" in printed
    assert "«substitui 1,00»" in printed


def balances(settings: Settings, *days: str) -> list[str]:
    return [str(ask(settings, f"SELECT sum(saldo) FROM mart.saldos_em(DATE '{day}')")[0][0]) for day in days]  # noqa: S608


@pytest.mark.longo
def test_an_entry_of_before_the_statement_that_changes_moves_what_was_before_it(
    typed: Settings, read_once: Company
) -> None:
    """A4: after a complete run has shown the opening."""
    company, books = typed, read_once.books
    run_served(company, D + timedelta(days=1))  # of one day nothing is compared
    # Only the accounts' opening is another: no month is restated, nothing lies outside the control (A1).
    assert ask(company, "FROM mart.mudancas_meses") == []
    assert ask(company, "SELECT qtde FROM mart.achados WHERE regra = 'Q10'") == [(0,)]
    assert find_q36(company, 2)[:3] == ("informação", "ok", 2)
    assert str(find_q36(company, 2)[3]).startswith(
        "Banco Alfa: abertura de R$ 0,00 para R$ 10.000,00: âncora nova, extrato de 28/02/2026 · Poupança: "
    )
    entry = books.lancamentos[1003]
    books.change_entry(entry, valor=(was := entry.valor) - 10000)
    run_served(company, D + timedelta(days=2))
    books.change_entry(entry, valor=was)
    severity, state, count, detail = find_q36(company, 3)
    assert (severity, state, count) == ("informação", "ok", 1)
    assert "Banco Alfa: saldos até 04/02/2026 sobem R$ 100,00: 1 lançamento pago até 28/02/2026 mudou" in str(detail)
    assert ask(company, "SELECT tipo, id, valor, texto FROM mart.achados_itens WHERE regra = 'Q36'") == [
        ("linha", 1003, Decimal("100.00"), "Banco Alfa: passado mudou")
    ]
    assert balances(company, "2026-01-31", "2026-02-28", "2026-03-16") == ["10600.00", "10700.00", "15980.00"]


@pytest.mark.longo
def test_a_past_day_has_the_opening_of_today(typed: Settings) -> None:
    """27/02 is typed after the last run of D: the morning after it is the anchor, and of D as well (DEC128)."""
    company = typed
    run_served(company, D)
    append_balances(company.entrada(company.empresas[0]), [TypedBalance(101, date(2026, 2, 27), Decimal("1.00"))])
    run_served(company, D + timedelta(days=1))
    anchor = "SELECT dia, valor FROM core.extrato_saldos WHERE conta_id = 101 AND papel = 'âncora'"
    assert ask(company, anchor) == [(date(2026, 2, 27), Decimal("1.00"))]
    balance = "SELECT saldo_em_d FROM mart.saldos_por_conta WHERE conta_id = 101"
    assert ask(company, balance) == [(Decimal("5881.00"),)]  # 13,780.00 less what 27/02 is short of 7,900.00
    past = run_served(company, D + timedelta(days=1), modo=Modo.RECALCULO, data_base=D)
    assert past.retroativa
    with duckdb.connect(str(past.warehouse), read_only=True) as con:
        assert con.execute(balance).fetchall() == [(Decimal("5881.00"),)]
        assert con.execute("SELECT conta_id, dia FROM mart.extratos ORDER BY 1").fetchall() == [
            (101, date(2026, 2, 27)), (101, date(2026, 2, 28)), (102, date(2026, 3, 16)),
        ]  # fmt: skip


def test_two_who_append_at_once_lose_nothing(tmp_path: Path) -> None:
    days = [date(2026, 1, day) for day in range(1, 21)]

    def append(conta: int) -> None:
        for day in days:
            append_balances(tmp_path, [TypedBalance(conta, day, Decimal("1.00"))])

    people = [threading.Thread(target=append, args=(conta,)) for conta in (101, 102, 103)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    read = read_balances((tmp_path / "saldos.csv").read_bytes(), {101: "a", 102: "b", 103: "c"})
    assert (len(read.saldos), read.recusadas) == (60, ())
    assert [path.name for path in tmp_path.iterdir()] == ["saldos.csv"]


def test_a_file_that_excel_saved_stays_as_it_is_and_gets_its_line(tmp_path: Path) -> None:
    saved = 'Nota,Saldo,Conta,Data\r\nfevereiro é bom,"1,00",101,28/02/2026'.encode("cp1252")
    (tmp_path / "Saldos.CSV").write_bytes(saved)
    path = append_balances(tmp_path, [TypedBalance(102, date(2026, 3, 16), Decimal("-2.50"))], "cartão")
    assert path.name == "Saldos.CSV"
    assert path.read_bytes() == saved + '\ncartão,"-2,50",102,2026-03-16\n'.encode("cp1252")
    assert len(read_balances(path.read_bytes(), {101: "a", 102: "b"}).saldos) == 2


@pytest.mark.longo
def test_another_map_restates_no_month(golden: tuple[Settings, Running]) -> None:
    """Rent is taken out of the result after the first run: the two closed months that it fills are no news."""
    settings, _ = golden
    empresa = settings.empresas[0]
    mapa = {**empresa.parametros.dre_mapa, 21: "fora"}
    moved = replace(empresa, parametros=replace(empresa.parametros, dre_mapa=mapa))
    second = run_served(replace(settings, empresas=(moved,)), D + timedelta(days=1))
    assert ask(settings, "SELECT count(*) FROM core.linhas WHERE categoria_id = 21 AND fora_resultado") == [(3,)]
    assert ask(settings, "FROM mart.mudancas_meses") == []
    assert ask(settings, "SELECT situacao FROM ops.verificacoes WHERE verificacao = 'V32' AND execucao_id = 2") != [
        ("falhou",)
    ]
    sheet = openpyxl.load_workbook(second.workbooks[0], read_only=True)["Mudanças"]
    told = [cell for row in sheet.iter_rows(values_only=True) for cell in row if "mapa da DRE mudou" in str(cell)]
    assert told == [
        "O mapa da DRE mudou: 3 linhas contam de outro modo. O relatório anterior é comparado pelo mapa de agora."
    ]


def test_what_the_settings_say_moves_to_the_file_once(tmp_path: Path) -> None:
    """Two statements, and control since 02/03 with 8,000.00: what the bank had at the end of 01/03."""
    (tmp_path / "lastro.toml").write_text(
        'dir = "dados"\n\n[[empresa]]\nid = "ouro"\nnome = "Ouro"\nbase_url = "https://x.example"\n'
        f'token_env = "{TOKEN_VARIABLE}"\n\n[[empresa.conta]]\nconta_id = 101\ndescricao = "Banco Alfa"\n'
        'data_saldo_inicial = 2026-03-02\nvalor_saldo_inicial = "8000.00"\n'
        'saldos_conferidos = [{ data = 2026-03-16, valor = "-12.50" }]\n\n'
        '[[empresa.conta]]\nconta_id = 102\nsaldos_conferidos = [{ data = 2026-03-16, valor = "2200.00" }]\n',
        encoding="utf-8",
    )
    settings = load_settings(tmp_path / "lastro.toml", {}, tmp_path)
    folder = settings.entrada(settings.empresas[0])
    append_balances(folder, [TypedBalance(102, date(2026, 3, 16), Decimal("2199.00"))])
    code, printed = saldos(settings, "--importar")
    assert code == 0, printed
    assert "102 em 16/03/2026: fica o de saldos.csv, 2.199,00; a configuração diz 2.200,00" in printed
    assert "2 saldos passaram da configuração para saldos.csv." in printed
    assert "nas contas 101, 102: saldos_conferidos" in printed
    text = "data;conta;saldo;nota\n2026-03-16;102;2199,00;\n"
    text += "2026-03-16;101;-12,50;da configuração\n2026-03-01;101;8000,00;da configuração\n"
    assert (folder / "saldos.csv").read_text(encoding="utf-8") == text
    assert "0 saldos passaram" in saldos(settings, "--importar")[1]
    assert (folder / "saldos.csv").read_text(encoding="utf-8") == text
    assert saldos(settings, "--importar", "--em", "2026-03-16", "101=1,00")[0] == 2
    for order in ((), ("--importar",)):
        code, printed = saldos(settings, *order, "--nota", "do gerente")
        assert (code, "--nota acompanha --em" in printed) == (2, True)
