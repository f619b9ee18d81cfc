"""The company of `lastro demo`, read and reported: every sheet shows what it is for, and nothing by accident."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest

from lastro.schema.run_kinds import Modo
from lastro.settings import load_settings
from lastro_sandbox.life import Life
from tests.desk_sheets import rows_of
from tests.integration.shown import DAY, make_shown
from tests.paper import count_all_pages
from tests.served import run_served
from tests.tools.look.__main__ import count_pages as count_pdf_pages
from tests.tools.look.__main__ import make_pdf


@dataclass
class Demo:
    life: Life
    folder: Path
    con: duckdb.DuckDBPyConnection

    def list_workbooks(self) -> list[Path]:
        return sorted(self.folder.glob("*_2026-1*.xlsx"))


@pytest.fixture(scope="module")
def demo(demo_run: Path) -> Iterator[Demo]:
    settings = load_settings(demo_run / "lastro.toml", {}, demo_run)
    folder = settings.pasta(settings.empresas[0])
    with duckdb.connect(str(folder / "lastro.duckdb"), read_only=True) as con:
        yield Demo(make_shown()[1], folder / "relatorios", con)


def test_the_map_is_complete(demo: Demo) -> None:
    # 0 no map, 1 partial, 2 complete (S17); no category in use is without a group, none looks out of place.
    assert demo.con.execute("SELECT valor FROM ops.kpis WHERE kpi = 'mapa_estado'").fetchall() == [(Decimal(2),)]
    assert (found(demo, "Q20"), found(demo, "Q21")) == ((0, None, None, ""), (0, None, None, ""))


def found(demo: Demo, regra: str) -> tuple[int, Decimal | None, Decimal | None, str]:
    """Return how many a rule found, their receivables, their payables and their ids."""
    query = "SELECT qtde, entra, sai, exemplos FROM mart.achados WHERE regra = ?"
    (row,) = demo.con.execute(query, [regra]).fetchall()
    return row


def test_only_the_forgotten_payroll_looks_forgotten(demo: Demo) -> None:
    assert found(demo, "Q33") == (1, Decimal("0.00"), Decimal("18500.00"), str(demo.life.folha_esquecida))
    rows = dict(demo.con.execute("SELECT regra, valor FROM mart.fazer_hoje").fetchall())
    assert (rows["F3"], {"F1", "F2", "F3"} <= set(rows)) == (Decimal("18500.00"), True)


def test_statements_a_promise_and_the_payroll_are_all_there_to_see(demo: Demo) -> None:
    promised = "SELECT pessoa_id, dia, valor, estado FROM mart.promessas"
    assert demo.con.execute(promised).fetchall() == [
        (demo.life.devedor, date(2026, 11, 26), Decimal("1500.00"), "em aberto")
    ]
    papers = "SELECT DISTINCT origem, papel FROM mart.extratos ORDER BY ALL"
    assert demo.con.execute(papers).fetchall() == [("arquivo", "conferência"), ("ofx", "conferência")]
    kept = "SELECT count(*) FROM mart.fluxo_diario WHERE com_promessas <> saldo_final"
    assert demo.con.execute(kept).fetchall() != [(0,)]


def open_workbook(demo: Demo, kind: str) -> Any:
    (path,) = [one for one in demo.list_workbooks() if one.name.startswith(kind)]
    return openpyxl.load_workbook(path)


def follow(book: Any, cell: Any) -> Any:
    """Click a cell: return the one to which it leads."""
    sheet, place = cell.hyperlink.location.rsplit("!", 1)
    return book[sheet.strip("'")][place]


def test_a_clerks_morning_leads_from_the_cover_to_what_nobody_booked(demo: Demo) -> None:
    """Two clicks to the payroll that the bank paid, one to the fee; both are on the desk's sheet Extrato by their id.

    The charge that the bank has not transferred yet is the books' alone, for a day.
    """
    book, desk = open_workbook(demo, "gerencial"), open_workbook(demo, "pagamentos")
    cover = {str(row[0].value): row for row in book["Resumo"].iter_rows() if row[0].value}
    (said,) = [text for text in cover if text.startswith("BANCO: livro ")]
    assert "2 linhas sem lançamento (-18.535,90) · 1 baixa sem movimento no banco" in said
    bank = follow(book, cover[said][6]).parent  # the first click
    rows = [[*row] for row in bank.iter_rows(min_row=5) if row[0].value in ("Banco", "Livro")]
    assert [(row[0].value, row[4].value) for row in rows] == [("Banco", -18500), ("Banco", -35.9), ("Livro", 14500)]
    payroll, fee, charge = rows
    assert charge[6].value == "em trânsito até 23/11"
    entry = follow(book, payroll[7])  # the second
    names = {cell.value: cell.column for cell in entry.parent[4]}
    assert entry.parent.cell(entry.row, names["Título"]).value == demo.life.folha_esquecida
    due = {str(row[0].value): row for row in book["Fazer"].iter_rows(min_row=5)}["Conferir no extrato"]
    assert due[7].value.startswith("o banco pagou em ")
    assert follow(book, due[9]).coordinate == entry.coordinate
    (told,) = [row for text, row in cover.items() if "Conferir «" in text]
    assert follow(book, told[6]).row == due[0].row
    lines = rows_of(desk["Extrato"], "extrato_id")
    assert [lines[row[8].value]["Valor"] for row in (payroll, fee)] == [-18500, -35.9]
    (probably,) = rows_of(desk["Já pagos"], "titulo_id").values()
    assert probably["Prova"].startswith("confirmada: o banco pagou em ")
    assert [found(demo, rule)[0] for rule in ("Q24", "Q25", "Q26", "Q27", "Q28", "Q31")] == [0, 2, 0, 0, 0, 0]
    read = (
        "SELECT count(*) FROM mart.parametros WHERE parametro LIKE 'entrada/extratos/%' AND valor LIKE '% 0 sem ler, %'"
    )
    assert demo.con.execute(read).fetchall() == [(4,)]


def test_only_the_draws_have_still_to_be_generated(demo: Demo) -> None:
    (regra,) = demo.con.execute(
        "SELECT DISTINCT grupo_id FROM core.linhas WHERE descricao = 'Retirada de sócios'"
    ).fetchall()
    assert found(demo, "Q12")[::3] == (1, str(regra[0]))


def test_nothing_is_wrong_but_the_statement_that_lacks_that_payroll(demo: Demo) -> None:
    query = (
        "SELECT verificacao, severidade, diferenca FROM ops.verificacoes "
        "WHERE situacao = 'falhou' AND (verificacao LIKE 'V%' OR severidade = 'erro')"
    )
    assert demo.con.execute(query).fetchall() == [("V19", "alerta", Decimal("18500.00"))]


def test_the_budget_and_the_closing_of_october_are_there_to_see(demo: Demo) -> None:
    judged = "SELECT verificacao, situacao FROM ops.verificacoes WHERE verificacao IN ('V22', 'V23', 'V30', 'V40')"
    assert {situacao for _, situacao in demo.con.execute(judged).fetchall()} == {"ok"}
    assert (found(demo, "Q22")[0], found(demo, "Q30")[0]) == (0, 0)
    budgeted = "SELECT count(*) FROM mart.orcado WHERE orcada"
    assert demo.con.execute(budgeted).fetchall() == [(len(demo.life.orcamento),)]
    book = open_workbook(demo, "fechamento_2026-10")
    shown = [cell for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row]
    assert not [cell for cell in shown if isinstance(cell, str) and re.search(r"nov/26|/11/2026 \(", cell)]


def test_the_workbook_prints_on_20_pages_at_most(demo: Demo) -> None:
    pages = count_all_pages(open_workbook(demo, "gerencial"))
    assert (pages["Resumo"], pages["DRE"], pages["Fluxo mensal"], pages["Lançamentos"]) == (1, 2, 1, 0)
    assert sum(pages.values()) <= 20, pages


def test_every_form_centre_tag_and_document_type_has_its_name(demo: Demo) -> None:
    assert found(demo, "Q34") == (0, None, None, "")
    words: set[str] = set()
    for path in demo.list_workbooks():
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".xml"):
                    words.update(re.findall(r"<t(?: [^>]*)?>([^<]*)</t>", archive.read(name).decode()))
    assert len(words) > 1_000
    bare = re.compile(r"\b(Forma|Centro|Tag|Tipo de documento) #\d")
    assert [one for one in words if bare.search(one)] == []
    assert {"Boleto", "Cartão de crédito", "Depósito", "Nota fiscal", "Licitação"} <= words


NO_CALIBRI = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><include>/etc/fonts/fonts.conf</include><selectfont><rejectfont>
<pattern><patelt name="family"><string>Carlito</string></patelt></pattern>
<pattern><patelt name="family"><string>Calibri</string></patelt></pattern>
</rejectfont></selectfont></fontconfig>
"""
"""Fonts without one as narrow as the one that the files name: columns are a third wider."""
SCENARIO = """
[[empresa.cenario]]
nome = "Calote"
calote_pct = 30
"""


@pytest.mark.longo
@pytest.mark.skipif(not (shutil.which("soffice") and shutil.which("pdftotext")), reason="needs LibreOffice and poppler")
def test_closing_and_workbook_print_on_few_pages_without_calibri(demo_run: Path, tmp_path: Path) -> None:
    """Ten and twenty, with budget, statements and a scenario; no sheet takes a page more than the file plans."""
    folder = tmp_path / "demo"
    shutil.copytree(demo_run, folder, symlinks=True)
    with (folder / "lastro.toml").open("a", encoding="utf-8") as written:
        written.write(SCENARIO)
    settings = load_settings(folder / "lastro.toml", {}, folder)
    result = run_served(settings, DAY, modo=Modo.RECALCULO, fechamento=date(2026, 10, 1))
    fonts = tmp_path / "fonts.conf"
    fonts.write_text(NO_CALIBRI, encoding="utf-8")
    for kind, most in (("fechamento", 10), ("gerencial", 20)):
        path = next(one for one in result.workbooks if one.name.startswith(kind))
        pages = count_pdf_pages(make_pdf(path, tmp_path, fonts))
        planned = {name: count for name, count in count_all_pages(openpyxl.load_workbook(path)).items() if count}
        assert pages == planned, kind
        assert sum(pages.values()) <= most, (kind, pages)
