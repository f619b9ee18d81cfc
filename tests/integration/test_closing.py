"""The closing of a month, from the order to its editions, the line on the cover and the record (S25)."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import openpyxl
import pytest

from lastro.closing.figures import ClosedMonth
from lastro.commands.outcome_text import print_result
from lastro.errors import ConfigError
from lastro.operation.outcome import describe_result
from lastro.operation.state import read_states
from lastro.run.order import RunResult
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings, load_settings
from lastro_sandbox import Books, create_app, golden_company, serve
from tests.golden.expected import D
from tests.served import TOKEN, copy_golden, run_served, write_settings

FEBRUARY = date(2026, 2, 1)
PARAMETERS = 'dre_mapa = { 30 = "fora" }\nfechamento = "dia_util:3"\nfechamento_sem_mapa = true'


@dataclass(frozen=True)
class Company:
    books: Books
    settings: Settings

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        with duckdb.connect(str(self.settings.dir / "ouro" / "lastro.duckdb"), read_only=True) as con:
            return con.execute(sql).fetchall()


@pytest.fixture
def company(first_run: Path, tmp_path: Path) -> Iterator[Company]:
    """The golden company after its first run, whose settings close a month on the third business day of the next."""
    books = golden_company()
    with serve(create_app(books, token=TOKEN)) as service:
        copy_golden(first_run, tmp_path, service.base_url)
        yield Company(books, write_settings(tmp_path, books, service.base_url, PARAMETERS))


def closings(result: RunResult) -> list[str]:
    return [path.name for path in result.workbooks if path.name.startswith("fechamento")]


def said_of(company: Company) -> tuple[str, ...]:
    """What `lastro estado` says of closings."""
    (state,) = read_states(company.settings, datetime.now(UTC))
    return state.recados


def texts(path: Path, sheet: str) -> list[str]:
    book = openpyxl.load_workbook(path, read_only=True)
    return [str(cell) for row in book[sheet].iter_rows(values_only=True) for cell in row if cell is not None]


@pytest.mark.longo
def test_a_first_run_closes_nothing_by_itself(company: Company) -> None:
    shutil.rmtree(company.settings.dir)
    first = run_served(company.settings, D)
    assert closings(first) == []
    assert first.catalogue.recados == ("fechamento de fev/26 à espera: é a primeira execução",)


def test_a_month_that_cannot_be_closed_is_refused(company: Company) -> None:
    for modo in (Modo.COMPLETA, Modo.RECALCULO):
        with pytest.raises(ConfigError, match="ainda não acabou") as refused:
            run_served(company.settings, D, modo=modo, fechamento=date(2026, 3, 1))
        assert (refused.value.exit_code, refused.value.requisicoes) == (2, None)  # before anything is read
    with pytest.raises(ConfigError, match="não há dados"):
        run_served(company.settings, D, modo=Modo.RECALCULO, fechamento=date(2020, 3, 1))


def test_a_month_is_closed_on_its_day(two_runs: Path) -> None:
    company = Company(golden_company(), load_settings(two_runs / "lastro.toml", {}, two_runs))
    (path,) = (two_runs / "dados" / "ouro" / "relatorios").glob("fechamento*")
    assert path.name == "fechamento_2026-02.xlsx"
    names = openpyxl.load_workbook(path, read_only=True).sheetnames
    assert names[:8] == [
        "Capa", "DRE", "Fluxo do mês", "Saldos", "A receber e a pagar", "Ponte", "Indicadores", "Notas",
    ]  # fmt: skip
    for name in names[:8]:
        assert texts(path, name)[0] == f"FECHAMENTO FEV/26 · 1ª EDIÇÃO · {name.upper()}"
        assert "Data-base 28/02/2026" in " ".join(texts(path, name)[:4])
        assert "RECONSTITUÍDO" not in " ".join(texts(path, name)[:4])
    assert "Sem comentário: escreva comentarios/2026-02.txt" in texts(path, "Capa")
    assert company.ask("SELECT mes, edicao, execucao_id FROM ops.fechamentos") == [(FEBRUARY, 1, 2)]
    assert company.ask("SELECT valor FROM ops.fechamento_valores WHERE bloco = 'dre' AND chave = 'resultado'") == [
        (Decimal("-4800.00"),)
    ]
    judged = "SELECT execucao_id, situacao FROM ops.verificacoes WHERE verificacao = 'V40'"
    assert company.ask(judged) == [(2, "ok")]


@pytest.mark.longo
def test_a_closed_month_is_told_when_it_changes_and_closed_again_on_demand(company: Company) -> None:
    run_served(company.settings, D + timedelta(days=1))
    company.books.change_entry(company.books.lancamentos[1003], valor=-160000)
    folder = company.settings.entrada(company.settings.empresas[0]) / "comentarios"
    folder.mkdir(parents=True)
    (folder / "2026-02.txt").write_text("O aluguel subiu.", encoding="utf-8")
    third = run_served(company.settings, D + timedelta(days=2))
    assert closings(third) == []
    assert said_of(company) == third.catalogue.recados != ()
    (book,) = [one for one in third.workbooks if one.name.startswith("gerencial")]
    told = [text for text in texts(book, "Resumo") if "mudou depois do fechamento" in text]
    assert len(told) == 1
    assert told[0].startswith("fev/26 mudou depois do fechamento de 17/03: ")
    assert told[0].endswith("resultado -100,00")

    again = run_served(company.settings, D + timedelta(days=2), modo=Modo.RECALCULO, fechamento=FEBRUARY)
    assert closings(again) == ["fechamento_2026-02_r2.xlsx"]
    (path,) = [one for one in again.workbooks if one.name.startswith("fechamento")]
    assert "O aluguel subiu." in texts(path, "Capa")
    notes = texts(path, "Notas")
    assert {"1003", "1ª edição"} <= {*notes}
    assert any(text.startswith("-4900") for text in notes)
    assert "Indicador" in texts(path, "Capa")
    fourth = run_served(company.settings, D + timedelta(days=2), modo=Modo.RECALCULO)
    assert said_of(company) == fourth.catalogue.recados == ()
    # No edition was touched, and each is what was noted of it.
    digests = [hashlib.sha256((path.parent / name).read_bytes()).hexdigest() for name in (
        "fechamento_2026-02.xlsx", "fechamento_2026-02_r2.xlsx")]  # fmt: skip
    assert company.ask("SELECT sha256 FROM ops.fechamentos ORDER BY edicao") == [(one,) for one in digests]
    (book,) = [one for one in fourth.workbooks if one.name.startswith("gerencial")]
    assert not [text for text in texts(book, "Resumo") if "mudou depois do fechamento" in text]
    assert closings(fourth) == []
    assert company.ask("SELECT edicao FROM ops.fechamentos ORDER BY 1") == [(1,), (2,)]


class OneCentavoMore(ClosedMonth):
    """A month whose first figure is a centavo off."""

    def list_all(self) -> list[tuple[str, str, str, Decimal]]:
        (block, key, text, value), *rest = super().list_all()
        return [(block, key, text, value + Decimal("0.01")), *rest]


@pytest.mark.longo
def test_a_run_whose_closing_fails_v40_says_so_itself(
    first_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lastro.run.closing.ClosedMonth", OneCentavoMore)
    settings = copy_golden(first_run, tmp_path, "http://127.0.0.1:9")
    result = run_served(settings, D, modo=Modo.RECALCULO, fechamento=FEBRUARY)
    assert [check.id for check in result.failed] == ["V40"]  # of it comes the exit code
    described = describe_result(result)
    assert (described["veredito"], described["verificacoes"]["V40"]) == ("NÃO CONFIÁVEL", "falhou")
    print_result("Ouro", result)
    assert "NÃO CONFIÁVEL" in (told := capsys.readouterr().out)
    assert "(V40)" in told
    (state,) = read_states(settings, datetime.now(UTC))
    assert state.veredito == result.veredito
