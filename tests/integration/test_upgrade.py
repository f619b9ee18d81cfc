"""A company that an older lastro left goes on in this one, with all that *Upgrade* promises (`tests.tools.store`).

Each archive is a company of a version that is out: settings, data folder, and what must be kept as that version said.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
from click.testing import CliRunner

from lastro.bank.days import unite
from lastro.cli import main
from lastro.money import to_decimal
from lastro.operation.doctor import ERRO, examine
from lastro.run.order import RunResult
from lastro.run.record import query_record
from lastro.settings import Settings
from tests.bank import F2, receive
from tests.bank import STORED as STATEMENTS
from tests.desk_sheets import put, row_with
from tests.payables import MONDAY, TUESDAY, make_books
from tests.processes import sh
from tests.served import ask, clock_at, folder_of, run_served
from tests.tools.store import STORED, answer_kept, answer_past, correct, going_on

WEDNESDAY = date(2026, 3, 18)


@dataclass(frozen=True)
class Upgraded:
    """A stored company after its first morning in this version."""

    settings: Settings
    kept: dict[str, Any]
    morning: RunResult


def list_files(folder: Path) -> list[tuple[Path, int, int]]:
    return [(path, path.lstat().st_size, path.lstat().st_mtime_ns) for path in sorted(folder.rglob("*"))]


def approve(older: Path) -> None:
    """Approve 1004 in a file that the older version wrote."""
    book = openpyxl.load_workbook(older)
    sheet = book["Decidir"]
    put(sheet, row_with(sheet, "titulo_id", 1004), **{"Aprovado por": "Dona Rosa"})
    book.save(older)


@pytest.fixture(
    scope="module", params=sorted(STORED.glob("*.tar.xz")), ids=lambda path: path.name.removesuffix(".tar.xz")
)
def upgraded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Upgraded]:
    folder = tmp_path_factory.mktemp("casa")
    with tarfile.open(request.param) as archive:
        archive.extractall(folder, filter="data")
    kept = json.loads((folder / "guardado.json").read_text(encoding="utf-8"))
    with going_on(folder, correct(make_books())) as settings:
        # Beside the service of the old version: it looks, and touches nothing.
        before = list_files(folder / "dados")
        found = examine(settings, {}, clock_at(WEDNESDAY)(), ask=False)
        assert [one for one in found if one.nivel == ERRO and one.o_que != "token"] == []
        assert list_files(folder / "dados") == before
        assert sh("backup.sh", folder / "dados", folder / "backup").returncode == 0
        approve(folder_of(settings) / "relatorios" / "pagamentos anotada.xlsx")
        yield Upgraded(settings, kept, run_served(settings, WEDNESDAY))


def test_the_next_morning_follows_and_keeps_what_the_company_had(upgraded: Upgraded) -> None:
    morning, kept = upgraded.morning, upgraded.kept
    assert (morning.execucao_id, morning.veredito) == (kept["ultima"] + 1, "SOMAS CONFEREM")
    assert answer_kept(morning.warehouse, kept["ultima"]) == kept["respostas"]
    for month, edition, _, digest in kept["respostas"]["fechamentos"]:
        (path,) = (folder_of(upgraded.settings) / "relatorios").glob(f"fechamento_{month[:7]}*.xlsx")
        assert (edition, hashlib.sha256(path.read_bytes()).hexdigest()) == ("1", digest)
    # Decided on Monday: 3003 was approved in the older version, 1004 is in this one, of what the older file showed.
    assert ask(morning.warehouse, "SELECT titulo_id, estado, motivo FROM mart.decisoes ORDER BY 1") == [
        (1004, "em aberto", None), (3003, "em aberto", None)
    ]  # fmt: skip


def test_what_the_old_version_wrote_down_stands_in_the_record(upgraded: Upgraded) -> None:
    """After the first run the files of then are gone."""
    folder = folder_of(upgraded.settings)
    ((*_, digest),) = upgraded.kept["respostas"]["fechamentos"]
    rows = query_record(folder, "SELECT numero, sha256 FROM entrega WHERE especie = 'fechamento.xlsx'")
    assert rows == [(2, digest)]
    assert not [name for name in ("entregues.jsonl", "privado/situacao.json") if (folder / name).exists()]


def test_runs_of_both_versions_are_compared(upgraded: Upgraded) -> None:
    one, other = upgraded.kept["ultima"], upgraded.morning.execucao_id
    config = upgraded.settings.origem
    told = CliRunner().invoke(main, ["diff", str(one), str(other), "--config", str(config)])
    assert (told.exit_code, told.stderr) == (1, "")


def test_a_past_day_has_its_figures_also_of_a_backup_of_the_old_version(upgraded: Upgraded) -> None:
    """A backup holds what was published; this lastro restores it and makes its private file anew of that."""
    home = upgraded.settings.dir
    shutil.rmtree(home)
    assert sh("restore.sh", home.with_name("backup"), home).returncode == 0
    past = answer_past(upgraded.settings, WEDNESDAY, MONDAY)
    # A later version has other checks, and says what 0.3.0 lacks.
    said = {"mapa_sem_grupo": "32520.00", "saldos_que_faltam": "1", **upgraded.kept["passado"]}
    counts = "verificacoes_com_falha"
    assert {**past, counts: ""} == {**said, counts: ""}


MARCH = re.sub(rb"<TRNAMT>1.500", b"<TRNAMT>1.50", (STATEMENTS / F2).read_bytes())
FEE, RENT, ODD = "TARIFA PACOTE P&J", "PIX ALUGUEL DELTA", "VALOR AMBÍGUO"
TYPED = {
    FEE: {"titulo": "", "ignorar": "Sim", "anotacao": "já se sabe"},
    RENT: {"titulo": "1002", "ignorar": "", "anotacao": ""},
    ODD: {"titulo": "", "ignorar": "", "anotacao": "era da filial?"},
}
"""What stands beside lines of the bank in 0.3.0: the title that one pays, one to ignore, a note."""


def type_beside_lines(private: Path) -> None:
    """Keep, as 0.3.0 did on Tuesday, what the bank's March said, and what was typed beside its lines."""
    (read,) = receive(MARCH, "mar.ofx", TUESDAY)
    numbers = {line.historico: line.extrato_id for line in unite([read])[101].linhas}
    with duckdb.connect(str(private)) as con:
        con.execute(
            "INSERT INTO banco.extratos_lidos "
            "VALUES (?, 1, ?, '341', '12345-6', ?, ?, 12348.78, ?, '', '', false, '', 0)",
            [read.sha256, TUESDAY, read.inicio, read.fim, read.saldo_em],
        )
        for line in read.linhas:
            con.execute(
                "INSERT INTO banco.linhas_lidas VALUES (?, 1, ?, ?, ?, ?, ?)",
                [read.sha256, line.ordem, line.dia, to_decimal(line.valor), line.historico, line.fitid],
            )
        for place, (text, cells) in enumerate(TYPED.items(), 10):
            con.execute(
                "INSERT INTO hist.anotacoes VALUES (3, ?, 'pagamentos', 'extrato', ?, ?, '2026-03-16 14:10', ?, ?, "
                "'{}', 'pagamentos anotada.xlsx', 'ouro/pagamentos/2/2026-03-16', '0d2a')",
                [
                    place,
                    numbers[text],
                    text,
                    json.dumps(cells),
                    json.dumps({name: "" for name in cells if cells[name]}),
                ],
            )


@pytest.mark.longo
def test_what_was_typed_beside_bank_lines_holds_through_the_upgrade_and_a_newer_file(tmp_path: Path) -> None:
    """The newer file completes a text and lacks a line: its note is a stray, and the line is told."""
    with tarfile.open(STORED / "lastro-0.3.0.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    (odd,) = (part for part in MARCH.split(b"<STMTTRN>") if ODD.encode() in part)
    newer = MARCH.replace(b"<STMTTRN>" + odd.partition(b"</BANKTRANLIST>")[0], b"").replace(b"P&J", b"P&J CESTA 7")
    newer = newer.replace(b"<OFX>", b"<OFX><DTSERVER>20260317080000").replace(b"12348.78", b"12347.28")
    with going_on(tmp_path, correct(make_books())) as settings:
        folder = folder_of(settings)
        type_beside_lines(folder / "privado" / "lastro.duckdb")
        (folder / "entrada/extratos/mar.ofx").write_bytes(MARCH)
        shown = "SELECT historico, situacao FROM mart.pagamentos_extrato WHERE situacao <> 'sem lançamento' ORDER BY 1"
        morning = run_served(settings, WEDNESDAY)
        assert ask(morning, shown) == [(RENT, "título à mão"), (FEE, "ignorada")]
        assert find_notes(morning, "Extrato") == {"era da filial?", "já se sabe"}
        (folder / "entrada/extratos/novo.ofx").write_bytes(newer)
        later = run_served(settings, WEDNESDAY)
    assert ask(later, shown) == [(RENT, "título à mão"), (f"{FEE} CESTA 7", "ignorada")]
    assert ask(later, "SELECT divergencia, historico FROM mart.extrato_divergencias") == [("retirada", ODD)]
    assert find_notes(later, "Extrato") == {"já se sabe"}
    assert find_notes(later, "Histórico") >= {"era da filial?"}


def find_notes(result: RunResult, sheet: str) -> set[str]:
    """Find which of the typed notes a sheet of the payments desk shows; of *Histórico* those under *Órfãs*."""
    (path,) = (path for path in result.workbooks if path.name.startswith("pagamentos"))
    rows = [[str(cell.value) for cell in row] for row in openpyxl.load_workbook(path)[sheet].iter_rows()]
    first = next((place for place, row in enumerate(rows) if row[0].startswith("Órfãs")), 0)
    return {cell for row in rows[first:] for cell in row} & {cells["anotacao"] for cells in TYPED.values()} - {""}
