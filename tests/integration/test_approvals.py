"""A morning after approvals: the books changed, files were forged and copied; what holds, and who is told."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lastro.operation.causes import CauseKind, find_causes
from lastro.operation.state import read_states
from lastro.run.order import RunResult
from lastro.settings import Settings
from lastro_sandbox import create_app, serve
from tests.desk_sheets import put, row_with, rows_of
from tests.payables import MONDAY, OWNER, TUESDAY, copy_monday, make_books
from tests.served import TOKEN, ask, clock_at, run_served

TYPED = {"Pagar em": date(2026, 3, 20), "Responsável": "Bia", "Aprovado por": OWNER}


def approve(*numbers: int) -> Callable[[Any], None]:
    def work(book: Any) -> None:
        for number in numbers:
            put(book["Decidir"], row_with(book["Decidir"], "titulo_id", number), **TYPED)

    return work


def forge(number: int, arquivo_id: str | None) -> Callable[[Any], None]:
    def work(book: Any) -> None:
        approve(number)(book)
        if arquivo_id is None:
            del book["_lastro"]
        else:
            book["_lastro"]["B1"].value = arquivo_id

    return work


def answer_elsewhere(book: Any) -> None:
    """Approve, and answer where nothing is asked: on *Decidir*, under a header of one's own."""
    approve(1004, 3002)(book)
    sheet = book["Decidir"]
    sheet.cell(4, sheet.max_column + 1).value = "Resposta"
    put(sheet, row_with(sheet, "titulo_id", 3000), Resposta="pago")


def save(original: Path, name: str, work: Callable[[Any], None]) -> None:
    book = openpyxl.load_workbook(original)
    work(book)
    book.save(original.with_name(name))


@pytest.fixture(scope="module")
def morning(monday_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, RunResult]]:
    books = make_books()
    with serve(create_app(books, token=TOKEN)) as service:
        settings, original = copy_monday(monday_run, tmp_path_factory.mktemp("aprovado"), service.base_url, "100.00")
        save(original, original.name, answer_elsewhere)
        os.utime(original, (86_400, 86_400))  # as an archive without times leaves it: its days are of today
        save(original, "sem folha.xlsx", forge(3003, None))
        save(original, "outra execução.xlsx", forge(3004, "ouro/pagamentos/999999/2026-03-16"))
        save(original, "de outra.xlsx", forge(1016, "azul/pagamentos/1/2026-03-16"))
        payee = books.lancamentos[3002]
        payee.pessoa_id = 501 if payee.pessoa_id != 501 else 502
        books.touch("lancamentos", 3002)
        yield settings, run_served(settings, TUESDAY)


def test_only_what_its_file_showed_is_approved(morning: tuple[Settings, RunResult]) -> None:
    _, result = morning
    found = {number: (state, why) for number, state, why in ask(
        result, "SELECT titulo_id, estado, motivo FROM mart.decisoes"
    )}  # fmt: skip
    unknown = "esta versão do lastro não escreveu o arquivo da aprovação: aprove no novo"
    assert found == {
        1004: ("em aberto", None),
        3002: ("aguarda aprovação", "mudou depois da aprovação: outro fornecedor"),
        **dict.fromkeys((1016, 3003, 3004), ("aguarda aprovação", unknown)),
    }
    book = openpyxl.load_workbook(next(path for path in result.workbooks if path.name.startswith("pagamentos")))
    rows = rows_of(book["Decidir"], "titulo_id")
    assert {number: row["Aprovado por"] for number, row in rows.items() if number in found} == {
        1004: OWNER, **dict.fromkeys((1016, 3002, 3003, 3004)),
    }  # fmt: skip
    assert ask(result, "SELECT count(*) FROM mart.pagamentos_decidir WHERE titulo_id = 3000") == [(1,)]  # not answered
    assert f"Aprovado por: {unknown}" in rows[3004]["Aviso"]
    assert rows[3002]["Decisão"] == "aguarda aprovação · mudou depois da aprovação: outro fornecedor"
    assert all(row["Responsável"] == "Bia" for number, row in rows.items() if number in found)


def test_who_looks_anywhere_is_told(morning: tuple[Settings, RunResult]) -> None:
    settings, result = morning
    assert ask(result, "SELECT regra, titulo_id, por_que FROM mart.fazer WHERE titulo_id = 3002") == [
        ("F5", 3002, "mudou depois da aprovação: outro fornecedor")
    ]
    changed = "1 pagamento aprovado mudou: "
    cover, html = (next(path for path in kind if path.stem.startswith(name)) for kind, name in (
        (result.workbooks, "gerencial"), ([path for path in result.paginas if path.suffix == ".html"], "resumo")
    ))  # fmt: skip
    lines = [str(cell) for row in openpyxl.load_workbook(cover)["Resumo"].iter_rows(values_only=True) for cell in row]
    assert next(text for text in lines if changed in text).startswith(f"1  {changed}")
    assert changed in html.read_text(encoding="utf-8")
    assert "V41" not in {check.id for check in result.catalogue.errors}
    ((phrase,),) = ask(result, "SELECT frase FROM mart.fazer_hoje WHERE regra = 'F5'")
    assert phrase.partition(":")[0] == (
        "Decidir 3 pagamentos vencidos e 1 que mudou depois da aprovação"
    )  # 1004, 3004 and 3000, of which nobody has said that it was paid (Q33)
    (finding,) = [one for one in result.catalogue.findings if one.regra == "Q42"]
    assert finding.ids == (3002,)
    causes = find_causes(read_states(settings, now := clock_at(TUESDAY)()), settings.avisos, now, None)
    (cause,) = [cause for cause in causes if cause.kind is CauseKind.APROVACAO]
    assert "mudou depois da aprovação" in cause.houve
    told = dict(ask(result, "SELECT arquivo, motivo FROM raw.arquivo_rejeitados"))
    assert "aprovação nenhuma vale" in told["sem folha.xlsx"]
    assert "aprovação nenhuma vale" in told["de outra.xlsx"]
    assert "esta versão do lastro não o escreveu" in told["outra execução.xlsx"]


def test_what_files_showed_is_kept_with_payee_and_account(morning: tuple[Settings, RunResult]) -> None:
    _, result = morning
    kept = ask(
        result,
        "SELECT arquivo_id, chave, valor, data_vencimento, conta_id FROM hist.mesa_mostrado "
        "WHERE tipo = 'pagar' AND chave = 3004 ORDER BY 1",
    )
    assert [(one[0].rpartition("/")[0], *one[1:3], one[4]) for one in kept] == [
        (f"ouro/pagamentos/{day}", 3004, Decimal("9000.00"), 101) for day in (MONDAY, TUESDAY)
    ]
    assert all(re.fullmatch("[0-9a-f]{32}", one[0].rpartition("/")[2]) for one in kept)
