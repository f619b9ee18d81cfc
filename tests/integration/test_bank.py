"""A company puts its bank's OFX files into the folder: what a run makes of them, and no trace after (S20, R20)."""

from __future__ import annotations

import re
import shutil
import zipfile
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest

from lastro.export.xlsx import render_workbook
from lastro.grid.workbook import Stamp, Workbook
from lastro.operation.outcome import is_told
from lastro.run.order import RunResult
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings, load_settings
from lastro_sandbox import golden_company
from tests.bank import F1, F2, STORED, serve_banked
from tests.desk_sheets import header_of, put, row_with
from tests.golden.expected import D
from tests.served import ask, run_served

SEEN = date(2026, 3, 17)
"""The day of every run: what the bank showed on the 16th was that day's last."""
TARIFA, ALUGUEL = 178139879615723, 104913938550329
FIRST, SECOND = ((STORED / name).read_bytes() for name in (F1, F2))
VARIES = ("parametros", "certificado", "kpis_tendencia")
"""Views that say which run it was, or which files it read."""
Views = dict[str, list[tuple[Any, ...]]]


def _run(settings: Settings, **asked: Any) -> RunResult:
    return run_served(settings, SEEN, **asked)


def _read_views(result: RunResult) -> Views:
    with duckdb.connect(str(result.warehouse), read_only=True) as con:
        names = con.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'mart' ORDER BY ALL").fetchall()
        return {name: con.execute(f"FROM mart.{name}").fetchall() for (name,) in names if name not in VARIES}


@dataclass(frozen=True)
class Company:
    """The golden company, whose settings know no opening, its first run, and its folder `extratos`."""

    settings: Settings
    before: Views
    workbook: dict[str, bytes]
    """The parts of the one for management."""

    @property
    def folder(self) -> Path:
        return self.settings.entrada(self.settings.empresas[0]) / "extratos"

    def put(self, **files: bytes) -> None:
        """Let the folder hold these files and nothing else."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for name, content in files.items():
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / f"{name}.ofx").write_bytes(content)


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Company:
    folder = tmp_path_factory.mktemp("banco")
    with serve_banked(folder) as settings:
        first = _run(settings)
    return Company(settings, _read_views(first), _unpack(first, folder / "antes.xlsx"))


def put_statements(folder: Path) -> None:
    """Two statements, one that is none, and a file that nobody asked for."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (F1, F2, "nao_e_ofx.ofx"):
        (folder / name).write_bytes((STORED / name).read_bytes())
    (folder / "leia.txt").write_text("?", encoding="utf-8")


@dataclass(frozen=True)
class Shown:
    """The run that has read two statements, and what it published."""

    result: RunResult
    views: Views


@pytest.fixture(scope="module")
def shown(company: Company) -> Shown:
    put_statements(company.folder)
    result = _run(company.settings, modo=Modo.RECALCULO)
    return Shown(result, {name: rows for name, rows in _read_views(result).items() if "achados" not in name})


def test_without_statements_nothing_is_held_against_the_books(first_run: Path) -> None:
    with duckdb.connect(str(first_run / "dados" / "ouro" / "lastro.duckdb"), read_only=True) as con:
        for name in ("conciliacao", "conciliacao_pendencias", "conciliadas", "extrato_arquivos"):
            assert con.execute(f"FROM mart.{name}").fetchall() == [], name


@pytest.mark.longo
def test_statements_are_held_against_the_books(tmp_path: Path) -> None:
    with serve_banked(tmp_path) as settings:
        put_statements(settings.entrada(settings.empresas[0]) / "extratos")
        result = _run(settings)
    assert result.failed == ()
    (said,) = result.catalogue.ditos
    assert said == (
        "BANCO  livro 13.780,00 · extrato 12.348,78 em 16/03 · conciliado até 11/03 · 2 linhas sem lançamento "
        "(-1.535,90) · 1 conta sem extrato"
    )
    sheets = [sheet.name for sheet in result.catalogue.sheets]
    assert sheets[sheets.index("Saldos") + 1] == "Conciliação"
    # A5: the eve anchors, what the bank showed checks.
    assert ask(result, "SELECT dia, extrato, diferenca, nasceu_no_periodo, papel, origem FROM mart.extratos") == [
        (date(2026, 1, 31), Decimal("8500.00"), Decimal("0.00"), Decimal("0.00"), "âncora", "ofx"),
        (date(2026, 2, 28), Decimal("8004.68"), Decimal("-104.68"), Decimal("-104.68"), "conferência", "ofx"),
        (D, Decimal("12348.78"), Decimal("1431.22"), Decimal("1535.90"), "conferência", "ofx"),
    ]
    assert ask(result, "SELECT abertura_calculada FROM mart.saldos_por_conta WHERE conta_id = 101") == [
        (Decimal("10000.00"),)
    ]
    assert ask(result, "SELECT regra, titulo_id, por_que FROM mart.fazer WHERE titulo_id = 1004") == [
        ("F3", 1004, "o banco pagou em 13/03")
    ]
    found = {one.regra: one for one in result.catalogue.findings}
    assert {rule: found[rule].qtde for rule in ("Q24", "Q25", "Q26", "Q27", "Q28", "Q31", "Q37")} == {
        "Q24": 2, "Q25": 2, "Q26": 0, "Q27": 1, "Q28": 0, "Q31": 1, "Q37": 0,
    }  # fmt: skip
    assert "linha 49: não entendi o valor: 1.500 é ambíguo" in found["Q24"].por_que
    assert "leia.txt" in found["Q31"].por_que
    assert ask(result, "SELECT count(*), sum(diferenca) FROM mart.conciliadas") == [(7, Decimal("104.68"))]
    assert ask(result, "SELECT titulo_id, prova FROM mart.pagamentos_ja_pagos") == [
        (1004, "confirmada: o banco pagou em 13/03")
    ]


RETURNED = b"""<OFX><STMTRS><BANKACCTFROM><BANKID>341<ACCTID>12345-6</BANKACCTFROM><BANKTRANLIST>
<DTSTART>20260313<DTEND>20260316
<STMTTRN><DTPOSTED>20260314<TRNAMT>1500.00<FITID>1<MEMO>DEVOLUCAO TED ALUGUEL</STMTTRN>
</BANKTRANLIST></STMTRS></OFX>"""
"""The bank gives back on 14/03 what it had paid on 13/03 for 1004."""


@pytest.mark.longo
def test_what_came_back_and_what_did_not_come(tmp_path: Path) -> None:
    """The rent came back; charge 9003 (2400.00 less 3.50) was to come on 12/03, which the statements cover."""
    books = golden_company()
    books.cobrancas[9003].data_a_transferir = "2026-03-12"
    with serve_banked(tmp_path, books) as settings:
        folder = settings.entrada(settings.empresas[0]) / "extratos"
        put_statements(folder)
        (folder / "volta.ofx").write_bytes(RETURNED)
        result = _run(settings)
    assert result.failed == ()
    assert (
        ask(result, "SELECT verificacao FROM ops.verificacoes WHERE situacao = 'falhou' AND severidade = 'erro'") == []
    )
    assert ask(result, "SELECT devolucao FROM mart.conciliadas WHERE passo = 'devolvida' ORDER BY ALL") == [
        ("devolução de 13/03",), ("devolvido em 14/03",),
    ]  # fmt: skip
    assert ask(result, "SELECT regra, por_que FROM mart.fazer WHERE titulo_id IN (1004, 1011)") == [
        ("F5", "vencido há 12 dias; devolvido em 14/03"),
    ]
    announced = "SELECT data_vencimento, dias_de_atraso, a_receber, por_que FROM mart.fazer WHERE regra = 'F8'"
    assert ask(result, announced) == [
        (date(2026, 3, 12), 5, Decimal("2396.50"), "anunciado para 12/03; o extrato até 16/03 não o traz"),
    ]  # fmt: skip
    assert ask(result, "SELECT frase FROM mart.fazer_hoje WHERE regra = 'F8'") == [
        ("Cobrar do banco o repasse de 12/03 (2.396,50)",),
    ]  # fmt: skip
    (path,) = (path for path in result.workbooks if path.name.startswith("gerencial"))
    sheet = openpyxl.load_workbook(path, read_only=True)["Conciliação"]
    shown = {cell for row in sheet.iter_rows(values_only=True) for cell in row}
    assert "devolvido em 14/03" in shown
    assert not {cell for cell in shown if str(cell).startswith("dar baixa em")}


@pytest.mark.longo
def test_what_a_clerk_types_pairs_and_ignores_lines_and_can_be_taken_back(company: Company, shown: Shown) -> None:
    company.put(a=FIRST, b=SECOND)
    (path,) = (path for path in shown.result.workbooks if path.name.startswith("pagamentos"))
    book = openpyxl.load_workbook(path)
    sheet = book["Extrato"]
    assert header_of(sheet).keys() >= {"Histórico", "Sugestão", "Título", "Ignorar", "Anotação", "extrato_id"}
    put(sheet, row_with(sheet, "extrato_id", TARIFA), Ignorar="Sim")
    put(sheet, row_with(sheet, "extrato_id", ALUGUEL), Título=1002)
    book.save(path)
    typed = _run(company.settings, modo=Modo.RECALCULO)
    assert typed.failed == ()
    assert ask(typed, "SELECT situacao, conciliado_ate, ignoradas, fora_do_periodo FROM mart.conciliacao LIMIT 1") == [
        ("1 linha ignorada: -35,90", D, Decimal("-35.90"), Decimal("-1500.00"))
    ]
    assert ask(typed, "SELECT extrato_id, situacao FROM mart.pagamentos_extrato") == [
        (TARIFA, "ignorada"), (ALUGUEL, "título à mão"),
    ]  # fmt: skip
    (path,) = (path for path in typed.workbooks if path.name.startswith("pagamentos"))
    book = openpyxl.load_workbook(path)
    sheet = book["Extrato"]
    put(sheet, row_with(sheet, "extrato_id", TARIFA), Ignorar=None)
    put(sheet, row_with(sheet, "extrato_id", ALUGUEL), Título=4242)
    book.save(path)
    back = _run(company.settings, modo=Modo.RECALCULO)
    assert _read_views(back)["conciliacao"] == shown.views["conciliacao"]
    assert [one.qtde for one in back.catalogue.findings if one.regra == "Q39"] == [1]


@pytest.mark.longo
def test_statements_that_go_leave_no_trace(company: Company, shown: Shown, tmp_path: Path) -> None:
    assert shown.views["conciliacao"]
    company.put()
    gone = _run(company.settings, modo=Modo.RECALCULO)
    left = _read_views(gone)
    assert {name for name, rows in company.before.items() if rows != left[name]} == set()
    before, after = company.workbook, _unpack(gone, tmp_path / "b.xlsx")
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} == set()


def _unpack(result: RunResult, path: Path) -> dict[str, bytes]:
    """Write the workbook for management anew, with one stamp, but for Parâmetros, which names the run."""
    sheets = tuple(sheet for sheet in result.catalogue.sheets if sheet.name != "Parâmetros")
    stamp = Stamp("Ouro", D, datetime(2026, 3, 17, 6), "BRT", 1, 0, 0)  # noqa: DTZ001 - local, as printed
    with zipfile.ZipFile(render_workbook(Workbook("gerencial", stamp, sheets), path)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


NAMELESS = re.sub(rb"<BANKACCTFROM>.*?</BANKACCTFROM>", b"", SECOND, flags=re.DOTALL)


@pytest.mark.longo
@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a", SECOND.replace(b"12345-6", b"99999-9"), 'extrato = ["341/999999"]'),
        ("Nubank_2026-03", NAMELESS, 'extrato = ["arquivo:nubank*"]'),
    ],
)
def test_a_statement_that_nobody_is_linked_to_says_which_line_to_paste_and_pasted_it_links(
    company: Company, name: str, content: bytes, line: str
) -> None:
    company.put(**{name: content})
    result = _run(company.settings, modo=Modo.RECALCULO)
    (found,) = (one for one in result.catalogue.findings if one.regra == "Q28")
    assert (found.qtde, found.ids) == (1, (101,))
    assert found.como_corrigir.endswith(f"{line} (palpite: conta 101)")
    origem = Path(company.settings.origem)
    pasted = origem.with_name("colada.toml")
    pasted.write_text(origem.read_text(encoding="utf-8").replace('extrato = ["0341/12345-6"]', line), encoding="utf-8")
    linked = _run(load_settings(pasted, {}, pasted.parent), modo=Modo.RECALCULO)
    assert [one.qtde for one in linked.catalogue.findings if one.regra == "Q28"] == [0]
    assert ask(linked, "SELECT conta_id, extrato_ate FROM mart.conciliacao WHERE extrato_ate IS NOT NULL") == [(101, D)]
    company.put()


@pytest.mark.longo
def test_a_folder_in_which_no_file_can_be_read_is_told(company: Company) -> None:
    company.put(sessao=b"<html>entre de novo</html>")
    result = _run(company.settings, modo=Modo.RECALCULO)
    (found,) = (one for one in result.catalogue.findings if one.regra == "Q24")
    (text,) = found.textos
    assert text.startswith("entrada/extratos/sessao.ofx: não é um extrato OFX: página de sessão expirada? Baixe de")
    company.put()


@pytest.mark.longo
def test_a_file_without_a_decimal_mark_is_read_as_the_books_say_and_opens_nothing_where_they_say_nothing(
    company: Company,
) -> None:
    plain = re.sub(rb"(?<=AMT>)\S+", lambda amount: amount[0].replace(b".", b"").replace(b",", b""), FIRST)
    company.put(fev=plain)
    told = _run(company.settings, modo=Modo.RECALCULO)
    assert ask(told, "SELECT valor FROM banco.linhas ORDER BY dia, valor") == [
        (Decimal(amount),) for amount in ("-1500.00", "5104.68", "-800.00", "-200.00", "-3100.00")
    ]
    opening = "SELECT abertura_calculada FROM mart.saldos_por_conta WHERE conta_id = 101"
    assert ask(told, opening) == [(Decimal("10000.00"),)]
    assert [one.qtde for one in told.catalogue.findings if one.regra == "Q24"] == [0]
    company.put(fev=plain.replace(b"2026022", b"2026032").replace(b"2026021", b"2026011"))  # other days
    silent = _run(company.settings, modo=Modo.RECALCULO)
    assert ask(silent, opening) == [(None,)]
    (found,) = (one for one in silent.catalogue.findings if one.regra == "Q24")
    assert found.textos[0].endswith("nenhum valor do arquivo tem casas decimais: podem ser centavos")
    company.put()


@pytest.mark.longo
def test_a_statement_that_is_saved_again_without_a_line_is_told_by_the_line(company: Company) -> None:
    """A clerk swaps a file that was read for one that says nothing of a payment, with the balance to go with it."""
    (rent,) = (part for part in SECOND.split(b"<STMTTRN>") if b"PIX ALUGUEL" in part)
    company.put(mar=SECOND)
    _run(company.settings, modo=Modo.RECALCULO)
    company.put(mar=SECOND.replace(b"<STMTTRN>" + rent, b"").replace(b"12348.78", b"13848.78"))
    swapped = _run(company.settings, modo=Modo.RECALCULO)
    (found,) = (one for one in swapped.catalogue.findings if one.regra == "Q29")
    assert (found.qtde, found.gravidade, found.textos) == (
        1, "alerta",
        ("conta 101: mar.ofx já não traz 1 linha de mar.ofx de 17/03/2026 (-1.500,00 em 13/03/2026)",),
    )  # fmt: skip
    assert "Q29" in {one.regra for one in swapped.catalogue.findings if is_told(one)}
    assert ask(swapped, "SELECT divergencia, historico, extrato_id FROM mart.extrato_divergencias") == [
        ("retirada", "PIX ALUGUEL DELTA", None)
    ]
    company.put()
