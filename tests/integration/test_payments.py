"""A week at the payments desk: two clerks and an owner in copies of one file, sorted, cut and misspelt.

The golden company with the entries of the desk (part C of its design), read three times.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.worksheet.worksheet import Worksheet

from lastro.commands.outcome_text import print_result
from lastro.export.looks import RED
from lastro.run.order import RunResult
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings
from lastro_sandbox import create_app, serve
from tests.desk_sheets import header_of, move_column, put, row_with, rows_of, save_with_libreoffice, sort_rows
from tests.payables import MONDAY, OWNER, TUESDAY, copy_monday, make_books
from tests.served import TOKEN, ask, folder_of, run_served

THURSDAY = date(2026, 3, 19)


def save(book: Any, path: Path, minute: int, program: str) -> None:
    """Save a copy on Monday at 14:mm there."""
    book.save(path)
    if program == "libreoffice":
        save_with_libreoffice(path, path)
    moment = datetime(2026, 3, 16, 17, minute, tzinfo=UTC).timestamp()
    os.utime(path, (moment, moment))


def decide(ws: Worksheet, number: int, **values: Any) -> None:
    put(ws, row_with(ws, "titulo_id", number), **{name.replace("_", " "): value for name, value in values.items()})


def type_monday(original: Path, program: str) -> None:
    folder = original.parent
    bia = openpyxl.load_workbook(original)
    ws = bia["Decidir"]
    decide(ws, 1004, Pagar_em=date(2026, 3, 17), Responsável="Bia")
    decide(ws, 3003, Pagar_em="20/03", Responsável="Bia", Anotação="=guia na mesa")
    ws.cell(row_with(ws, "titulo_id", 3003), header_of(ws)["Anotação"]).data_type = "s"
    decide(ws, 1016, Pagar_em="sexta", Conta="Banco Delta")
    ws.delete_rows(row_with(ws, "titulo_id", 3002))  # takes nothing back
    sort_rows(ws, "Descrição")
    move_column(ws, "Responsável")
    bottom = ws.max_row + 1
    put(ws, bottom, Fornecedor="Padaria", Anotação="boleto chegou hoje")
    put(ws, bottom + 1, Fornecedor="Outro", Anotação="chave inventada", titulo_id=987654)
    ws.cell(4, own := len(header_of(ws)) + 1).value = "Filial"
    ws.cell(row_with(ws, "titulo_id", 1004), own).value = "Centro"
    contas = bia["Contas"]
    put(contas, row_with(contas, "conta_id", 101), **{"Extrato em": date(2026, 3, 13), "Saldo no extrato": "11.280,00"})
    put(contas, row_with(contas, "conta_id", 102), **{"Extrato em": "13/03", "Saldo no extrato": "R$ 2.000"})
    bia["Dias"]["A70"] = "ligar para o banco"
    save(bia, folder / "da Bia.xlsx", 10, program)

    caio = openpyxl.load_workbook(original)
    ws = caio["Decidir"]
    decide(ws, 1004, Adiar_para=date(2026, 3, 18), Responsável="Caio")  # later than Bia, without seeing her
    decide(ws, 3004, Adiar_para=date(2026, 4, 15), Responsável="Caio")
    decide(ws, 3005, Pagar_em=date(2026, 3, 16), Grupo="ver com a dona")  # no yellow cell
    save(caio, folder / "de Caio.xlsx", 20, program)

    rosa = openpyxl.load_workbook(original)
    decide(rosa["Decidir"], 3003, Aprovado_por=OWNER)
    decide(rosa["Já pagos"], 3000, Resposta=" PAGO", Aprovado_por=OWNER)  # 2.500,00: two people
    rosa["Decidir"].cell(row_with(rosa["Decidir"], "titulo_id", 3002), 2).comment = Comment("Combinei: 3x", "Rosa")
    save(rosa, folder / "da dona.xlsx", 30, program)


@dataclass
class Week:
    """The company with what its two runs published, each in a file of its own."""

    settings: Settings
    monday: Path
    tuesday: RunResult

    @property
    def reports(self) -> Path:
        return folder_of(self.settings) / "relatorios"

    def book(self, day: date) -> Any:
        return openpyxl.load_workbook(self.reports / f"pagamentos_{day}.xlsx")


@pytest.fixture(scope="module", params=["openpyxl", pytest.param("libreoffice", marks=pytest.mark.longo)])
def week(monday_run: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Week]:
    if request.param == "libreoffice" and shutil.which("soffice") is None:
        pytest.skip("LibreOffice is not installed")
    folder, books = tmp_path_factory.mktemp("semana"), make_books()
    with serve(create_app(books, token=TOKEN)) as service:
        settings, original = copy_monday(monday_run, folder, service.base_url, "1000.00")
        published = folder_of(settings) / "lastro.duckdb"
        monday = shutil.copyfile(published, folder / "segunda.duckdb")
        type_monday(original, request.param)
        paid = books.lancamentos[3005]
        paid.data_pagamento = "2026-03-17"
        books.touch("lancamentos", 3005)
        tuesday = run_served(settings, TUESDAY)
        own = shutil.copyfile(published, folder / "terca.duckdb")  # the next run takes its place
        yield Week(settings, monday, replace(tuesday, warehouse=own))


@pytest.fixture(scope="module")
def thursday(week: Week) -> RunResult:
    return run_served(week.settings, THURSDAY)


def test_every_decision_is_there_by_its_key_with_its_state(week: Week) -> None:
    found = ask(week.tuesday, "SELECT titulo_id, o_que, dia, estado, responsavel, aprovado_por FROM mart.decisoes "
                              "ORDER BY titulo_id, feita_em, o_que DESC")  # fmt: skip
    assert found == [
        (1004, "pagar", date(2026, 3, 17), "trocada", "Caio", ""),
        (1004, "adiar", date(2026, 3, 18), "em aberto", "Caio", ""),
        (3003, "pagar", date(2026, 3, 20), "em aberto", "Bia", OWNER),
        (3004, "adiar", date(2026, 4, 15), "em aberto", "Caio", ""),
        (3005, "pagar", date(2026, 3, 16), "paga depois", "", ""),
    ]
    rows = rows_of(week.book(TUESDAY)["Decidir"], "titulo_id")
    assert set(rows) == {1004, 1016, 3002, 3003, 3004}  # 3005 is paid, 3000 answered to be
    assert set(rows_of(week.book(MONDAY)["Decidir"], "titulo_id")) == {*rows, 3000, 3005}
    assert (rows[1004]["Pagar em"], rows[1004]["Adiar para"].date(), rows[1004]["Decisão"]) == (
        None, date(2026, 3, 18), "em aberto",
    )  # fmt: skip
    assert rows[3003]["Anotação"] == "=guia na mesa"


def test_what_was_not_understood_stays_red_and_counts_for_nothing(week: Week) -> None:
    book = week.book(TUESDAY)
    ws = book["Decidir"]
    cell = ws.cell(row_with(ws, "titulo_id", 1016), header_of(ws)["Pagar em"])
    assert (cell.value, cell.font.color.rgb[-6:]) == ("sexta", RED)
    told = " ".join(str(row[1]) for row in book["Histórico"].iter_rows(min_row=5, max_col=2, values_only=True))
    for text in ("não entendi a data «sexta»", "não entendi a conta «Banco Delta»", "não entendi o valor «R$ 2.000»",
                 "perdeu para de Caio.xlsx", "pagar: paga depois"):  # fmt: skip
        assert text in told, text
    # "sexta", the account, and of 102 the amount, which stands in no file any more.
    assert ask(
        week.tuesday, "SELECT registros FROM ops.verificacoes WHERE (execucao_id, verificacao) = (2, 'Q39')"
    ) == [(3,)]


def test_an_answer_stands_where_it_was_typed_and_silences_the_question(week: Week) -> None:
    """What Q33 asks about is decided on Monday, with the question; on Tuesday it is answered, until it is settled."""
    before, after = (rows_of(week.book(one)["Já pagos"], "titulo_id") for one in (MONDAY, TUESDAY))
    assert {number: row["Resposta"] for number, row in before.items()} == {3000: None}
    assert {number: row["Resposta"] for number, row in after.items()} == {3000: "PAGO"}
    asked = "SELECT count(*) FROM mart.achados_itens WHERE regra = 'Q33' AND id = 3000"
    assert (ask(week.monday, asked), ask(week.tuesday, asked)) == ([(1,)], [(0,)])
    assert ask(week.tuesday, "SELECT regra, id FROM ops.notados WHERE regra IN ('S26', 'R21', 'Q33')") == [
        ("S26", 3000)
    ]


def test_nothing_is_lost(week: Week) -> None:
    lines = [
        [cell for cell in row if cell is not None]
        for row in week.book(TUESDAY)["Histórico"].iter_rows(values_only=True)
    ]
    flat = {str(cell) for line in lines for cell in line}
    assert {"boleto chegou hoje", "titulo_id 987654 não existe", "linha sem chave", "Filial: Centro"} <= flat
    assert "Dias: ligar para o banco" in flat
    assert ask(week.tuesday, "SELECT DISTINCT mesa FROM hist.anotacoes") == [("pagamentos",)]
    assert rows_of(week.book(TUESDAY)["Decidir"], "titulo_id")[3002]["Anotação"] == "Combinei: 3x"
    unread = "folha «Decidir»: o que se escreveu em células brancas não foi lido (titulo_id 3005)"
    assert ask(week.tuesday, "SELECT arquivo, motivo FROM raw.arquivo_rejeitados") == [("de Caio.xlsx", unread)]
    assert ask(week.tuesday, "SELECT arquivo FROM hist.arquivos_mesa WHERE situacao = 'lido em parte'") == [
        ("de Caio.xlsx",)
    ]


def test_what_is_approved_is_written_beside_the_desk_for_whoever_pays(week: Week) -> None:
    assert not list(week.reports.glob("pagamentos_aprovados_2026-03-16*"))  # nothing was decided
    path = week.reports / "pagamentos_aprovados_2026-03-17.csv"
    _, *lines = path.read_text(encoding="utf-8-sig").splitlines()
    assert [line.split(";")[4:10] for line in lines] == [["1200,00", "20/03/2026", "Banco Alfa", "3003", "Bia", OWNER]]
    told = week.book(TUESDAY)["Histórico"].iter_rows(values_only=True)
    assert not any("salvo como .csv" in str(cell) for row in told for cell in row)


@pytest.mark.longo
@pytest.mark.usefixtures("thursday")
def test_what_is_approved_is_no_file_of_a_person(week: Week) -> None:
    """Thursday's run looked into the folder in which Tuesday's list lies."""
    told = week.book(THURSDAY)["Histórico"].iter_rows(values_only=True)
    assert not any("salvo como .csv" in str(cell) for row in told for cell in row)


@pytest.mark.longo
def test_nothing_is_read_twice(week: Week, thursday: RunResult) -> None:
    for count in ("SELECT count(*) FROM hist.anotacoes", "SELECT count(*) FROM core.extrato_saldos"):
        assert ask(thursday, count) == ask(week.tuesday, count)


def test_a_balance_typed_is_a_statement_and_the_cells_are_empty_again(week: Week) -> None:
    found = ask(week.tuesday, "SELECT conta_id, dia, valor, origem FROM core.extrato_saldos")
    assert found == [(101, date(2026, 3, 13), Decimal("11280.00"), "mesa")]
    accounts = rows_of(week.book(TUESDAY)["Contas"], "conta_id")
    assert (accounts[101]["Extrato em"], accounts[101]["Saldo no extrato"]) == (None, None)
    assert accounts[101]["Saldo do extrato"] == 11280


def test_the_plan_is_in_the_flow_on_the_cover_and_leaves_f5_empty(
    week: Week, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "SELECT dia, saldo_final FROM mart.fluxo_diario_cenarios WHERE codigo = '{}'"
    assert not ask(week.monday, asked.format("com_o_combinado"))
    series, plain = (dict(ask(week.tuesday, asked.format(code))) for code in ("com_o_combinado", "conservador"))
    # On D 1004 and 3004 stay, the day after 1004 leaves, on 15/04 3004; 3000, overdue too, was answered to be paid.
    gaps = {day: series[day] - plain[day] for day in series}
    assert (gaps[TUESDAY], gaps[date(2026, 3, 18)], gaps[date(2026, 4, 15)]) == (10500, 9000, 0)
    late = "SELECT valor FROM mart.resumo WHERE kpi = 'atrasado_a_pagar'"
    assert (ask(week.monday, late), ask(week.tuesday, late)) == ([(Decimal("-13000.00"),)], [(Decimal("0.00"),)])
    lows = dict(ask(week.tuesday, "SELECT kpi, valor FROM mart.resumo WHERE starts_with(kpi, 'menor_saldo_')"))
    assert lows["menor_saldo_combinado"] == min(series.values())
    print_result("Ouro", week.tuesday)
    out = capsys.readouterr().out
    assert "Plano" in out
    assert "a pagar sem decisão" not in out
    beside = ask(week.tuesday, "SELECT titulo_id, decisao FROM mart.a_pagar WHERE decisao IS NOT NULL ORDER BY ALL")
    assert beside == [
        (1004, "adiar para 18/03 · em aberto"),
        (3000, "resposta: pago"),
        (3003, "pagar em 20/03 · em aberto"),
        (3004, "adiar para 15/04 · em aberto"),
    ]
    assert ask(week.tuesday, "SELECT titulo_id FROM mart.fazer WHERE regra = 'F5'") == []
    states = ask(
        week.tuesday, "SELECT DISTINCT situacao FROM ops.verificacoes WHERE severidade = 'erro' AND execucao_id = 2"
    )
    assert "falhou" not in {state for (state,) in states}


@pytest.mark.longo
def test_of_a_day_before_nothing_was_typed(week: Week) -> None:
    """The Friday before, asked on Tuesday: it knows no decision and no answer."""
    past = run_served(week.settings, TUESDAY, modo=Modo.RECALCULO, data_base=date(2026, 3, 13))
    assert ask(past, "SELECT valor FROM mart.resumo WHERE kpi = 'atrasado_a_pagar'") == [(Decimal("-13000.00"),)]


@pytest.mark.longo
def test_a_day_that_is_over_comes_back_on_top(thursday: RunResult) -> None:
    assert ask(
        thursday, "SELECT titulo_id, estado FROM mart.decisoes WHERE titulo_id = 1004 AND estado <> 'trocada'"
    ) == [(1004, "vencida")]
    assert ask(thursday, "SELECT bloco, titulo_id FROM mart.pagamentos_decidir WHERE ordem = 1") == [
        ("Decisão vencida", 1004)
    ]
    assert ask(thursday, "SELECT registros FROM ops.verificacoes WHERE (execucao_id, verificacao) = (3, 'Q38')") == [
        (1,)
    ]
    assert ask(thursday, "SELECT frase FROM mart.fazer_hoje WHERE regra = 'F5'") == [
        ("Decidir 1 pagamento vencido, 1 com decisão vencida: Delta 1.500",)
    ]
