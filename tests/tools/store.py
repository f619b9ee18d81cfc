"""A company as this version leaves it, stored for the versions to come: `python -m tests.tools.store`.

Writes `tests/stored/lastro-<version>.tar.xz` anew: settings, data folder, and in `guardado.json` what must be kept of
it, as this version answers. `tests/integration/test_upgrade.py` lets the present version go on with each such archive.
Run it from a clean tree before a release, and never again for a version that is out.

The company is the golden one with its payments, read on four mornings: 27/02, Monday 16/03, Tuesday 17/03 with what
people typed on Monday, and a recálculo after a statement of the past. Every clock, id and typed text is fixed.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import openpyxl

from lastro.entrada.saldos import TypedBalance, append_balances
from lastro.run.order import RunResult
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings, load_settings
from lastro_sandbox import Books, create_app, golden_company, serve
from tests.desk_sheets import put, row_with
from tests.payables import MONDAY, TUESDAY, make_books
from tests.served import TOKEN, TOKEN_VARIABLE, ask, folder_of, run_served

STORED: Final = Path(__file__).parents[1] / "stored"
FEBRUARY: Final = date(2026, 2, 27)
LEFT_OUT: Final = re.compile(r"(gerencial|dados|resumo|cobranca|pagamentos)_|0*[12]$|lastro-0*[1-3]\.duckdb$")
"""What a person may have tidied away: workbooks that nobody reads back, pages and copies of the earlier runs."""

KEPT: Final = {
    "execucoes": "SELECT execucao_id, tipo_execucao, data_base, data_extracao, situacao FROM ops.execucoes",
    "indicadores": "SELECT execucao_id, kpi, valor, unidade FROM ops.kpis",
    "anotacoes": "SELECT execucao_id, mesa, chave, valores FROM hist.anotacoes",
    "fechamentos": "SELECT mes, edicao, execucao_id, sha256 FROM ops.fechamentos",
    "valores_fechados": "SELECT *, 0 AS execucao_id FROM ops.fechamento_valores",
    "extratos": "SELECT conta_id, dia, valor, 0 AS execucao_id FROM banco.saldos",
}
"""What must be kept, each as a question of the published file; answers are of the runs up to the stored ones."""

SETTINGS: Final = f"""\
dir = "dados"
[[empresa]]
id = "ouro"
nome = "Ouro"
base_url = "http://127.0.0.1:1"
token_env = "{TOKEN_VARIABLE}"
limites = []
aprovadores = ["Dona Rosa"]
aprovacao_minima = "1000.00"
responsaveis = ["Bia", "Caio"]
[[empresa.conta]]
conta_id = 101
descricao = "Banco Alfa"
extrato = ["0341/12345-6"]
[[empresa.conta]]
conta_id = 102
descricao = "Poupança"
valor_saldo_inicial = "1200.00"
data_saldo_inicial = 2025-12-31
[empresa.parametros]
dre_mapa = {{ 30 = "fora" }}
fechamento = "dia_util:3"
fechamento_sem_mapa = true
"""


@contextmanager
def going_on(folder: Path, books: Books) -> Iterator[Settings]:
    """Serve the company at an address of today, and give its settings as they stand in a folder."""
    with serve(create_app(books, token=TOKEN)) as service:
        text = (folder / "lastro.toml").read_text(encoding="utf-8")
        own = folder / "servida.toml"
        own.write_text(text.replace("http://127.0.0.1:1", service.base_url), encoding="utf-8")
        yield load_settings(own, {}, folder)


def make_home(folder: Path) -> None:
    """Let the company live its mornings in a folder."""
    (folder / "lastro.toml").write_text(SETTINGS, encoding="utf-8")
    with going_on(folder, golden_company(anterior=True)) as settings:
        entry = settings.entrada(settings.empresas[0])
        entry.mkdir(parents=True)
        (entry / "extratos").mkdir()
        shutil.copyfile(STORED / "ofx/extrato_f1.ofx", entry / "extratos/extrato_f1.ofx")
        run_served(settings, FEBRUARY)
    with going_on(folder, make_books()) as settings:
        type_monday(run_served(settings, MONDAY))
    with going_on(folder, correct(make_books())) as settings:
        run_served(settings, TUESDAY)
        append_balances(entry, [TypedBalance(102, date(2026, 2, 27), Decimal("1300.00"))], "extrato")
        run_served(settings, TUESDAY, modo=Modo.RECALCULO)


def correct(books: Books) -> Books:
    """Give the books as Tuesday finds them: a payable paid, a past day corrected, an entry deleted."""
    books.change_entry(books.lancamentos[3005], data_pagamento="2026-03-17")
    books.change_entry(books.lancamentos[1001], data_pagamento="2026-02-09")
    books.remove_entry(books.lancamentos[3002])
    return books


def type_monday(result: RunResult) -> None:
    """Decide, approve and promise in copies of the desks' files, saved on Monday at 14:10."""
    decided: dict[int, dict[str, Any]] = {
        1004: {"Pagar em": date(2026, 3, 18), "Responsável": "Bia"},
        3003: {"Pagar em": date(2026, 3, 20), "Responsável": "Bia", "Aprovado por": "Dona Rosa"},
    }
    promised = {501: {"Resultado": "Prometeu", "Promessa": date(2026, 3, 27), "Anotação": "liga na sexta"}}
    for name, sheet, key, rows in (
        ("pagamentos", "Decidir", "titulo_id", decided), ("cobranca", "Fila", "pessoa_id", promised)
    ):  # fmt: skip
        source = next(path for path in result.workbooks if path.name.startswith(name))
        path = source.with_name(f"{name} anotada.xlsx")
        book = openpyxl.load_workbook(source)
        for number, typed in rows.items():
            put(book[sheet], row_with(book[sheet], key, number), **typed)
        book.save(path)
        moment = datetime(2026, 3, 16, 17, 10, tzinfo=UTC).timestamp()
        os.utime(path, (moment, moment))


def answer_kept(published: Path, until: int) -> dict[str, list[list[str]]]:
    """Answer what must be kept, by the runs up to a number, as texts in order."""
    asked = {name: f"FROM ({sql}) WHERE execucao_id <= {until}" for name, sql in KEPT.items()}
    complete = ask(published, f"{asked['execucoes']} AND tipo_execucao = 'completa' ORDER BY ALL")
    asked |= {f"historia_{n}": f"SELECT COLUMNS(*)::VARCHAR FROM hist.linhas_em({n})" for n, *_ in complete}  # noqa: S608 - a number
    return {name: sorted([str(value) for value in row] for row in ask(published, sql)) for name, sql in asked.items()}


def answer_past(settings: Settings, day: date, past: date) -> dict[str, str]:
    """Ask a past day again, and give its indicators as texts."""
    result = run_served(settings, day, data_base=past)
    return {kpi.slug: str(kpi.valor) for kpi in result.catalogue.kpis}


def write_archive(home: Path, kept: dict[str, Any], path: Path) -> None:
    """Pack a home with what must be kept of it: no owner, no name of this machine, files in order."""

    def enter(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
        if LEFT_OUT.match(Path(info.name).name):
            return None
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        return info

    with tarfile.open(path, "w:xz", preset=9) as archive:
        for name in ("dados", "lastro.toml"):
            archive.add(home / name, name, filter=enter)
        text = json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True).encode()
        info = tarfile.TarInfo("guardado.json")
        info.size = len(text)
        archive.addfile(info, io.BytesIO(text))


def store() -> None:
    """Make the company anew and store it."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "casa"
        home.mkdir()
        make_home(home)
        shutil.copytree(home, stored := Path(name) / "guardada", symlinks=True)
        with going_on(home, correct(make_books())) as settings:
            published = folder_of(settings) / "lastro.duckdb"
            (last,) = ask(published, "SELECT max(execucao_id) FROM ops.execucoes")[0]
            kept = {"ultima": last, "respostas": answer_kept(published, last)}
            kept["passado"] = answer_past(settings, TUESDAY, MONDAY)
        project = tomllib.loads((STORED.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        path = STORED / f"lastro-{project['version'].removesuffix('.dev0')}.tar.xz"
        write_archive(stored, kept, path)


if __name__ == "__main__":
    store()
