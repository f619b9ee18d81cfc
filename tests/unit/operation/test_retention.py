"""What may go and what never does, over folders whose ages are set by hand."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from lastro.operation.authorship import EDITED, FOREIGN
from lastro.operation.retention import plan_removals, prune, remove
from lastro.run.delivery_log import DELIVERY_LOG, digest_file, note_files
from lastro.settings import Empresa, Retencao, Settings
from lastro.warehouse.file.lock import CompanyLock
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.publication.copies import publish

NOW = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)


def age(path: Path, days: float) -> None:
    moment = (NOW - timedelta(days=days)).timestamp()
    os.utime(path, (moment, moment), follow_symlinks=True)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path, "UTC", (Empresa("acme", "Acme", "https://x", "TOKEN"),), "lastro.toml")


RUNS = [(1, "completa"), (2, "completa"), (3, "completa"), (4, "quente"), (5, "quente")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A company with pages of runs 1 to 7: 3 the last complete one, 5 published and hot over 3, 6 and 7 failed."""
    pasta = tmp_path_factory.mktemp("empresa") / "acme"
    lock = CompanyLock(pasta)
    lock.acquire("a test")
    lock.release()
    with Warehouse(pasta) as warehouse:
        rows = [
            {
                "execucao_id": number,
                "situacao": "completa",
                "tipo_execucao": kind,
                "leitura_id": number,
                "base_id": 3 if kind == "quente" else None,
                "iniciada_em": f"2026-03-01 09:0{number}:00",
            }
            for number, kind in RUNS
        ]
        warehouse.insert("ops.execucoes", rows)
        publish(warehouse, 5)
    age(pasta / "lastro.duckdb", 0.5)
    for number in range(1, 8):
        folder = pasta / "privado" / "paginas" / f"{number:06d}"
        folder.mkdir(parents=True)
        (folder / "lancamentos.jsonl.gz").write_bytes(b"x" * 100)
        age(folder, {1: 90, 2: 29, 7: 1}.get(number, 90))
    return pasta


@pytest.fixture
def acme(settings: Settings, made: Path) -> Path:
    """That company, of one test alone."""
    return Path(shutil.copytree(made, settings.dir / "acme", symlinks=True))


@pytest.fixture
def own(settings: Settings) -> Settings:
    """Settings by which no page goes, whatever its age."""
    return replace(settings, retencao=Retencao(paginas_dias=1000))


def names(settings: Settings, *, asked: bool = False) -> list[str]:
    return sorted(Path(one.caminho).name for one in plan_removals(settings, NOW, asked=asked).going)


def files(settings: Settings, *, asked: bool = False) -> list[str]:
    """Name what goes but folders of pages."""
    return [name for name in names(settings, asked=asked) if not name.isdecimal()]


def why(settings: Settings, now: datetime = NOW) -> dict[str, tuple[str, str]]:
    """Name -> why it stays and until when."""
    kept = plan_removals(settings, now).kept
    return {Path(one.caminho).name: (one.porque, "" if one.ate is None else one.ate.isoformat()) for one in kept}


def deliver(folder: Path, days: Mapping[str, float]) -> None:
    """Write files, name -> its age in days, and write down that lastro did."""
    folder.mkdir(exist_ok=True, parents=True)
    for name, number in days.items():
        (folder / name).write_text(f"planilha {name}", encoding="utf-8")
        age(folder / name, number)
    note_files(folder.parent, 1, {folder / name: folder for name in days})


def forty_days(folder: Path) -> None:
    """Deliver `gerencial` of each of the 40 days up to `NOW`."""
    deliver(folder, {f"gerencial_{(NOW - timedelta(days=days)).date()}.xlsx": days for days in range(40)})


def test_pages_go_that_no_run_needs_any_more(settings: Settings, acme: Path) -> None:
    # 2 is young, 3 to 5 are needed, 6 failed long ago, 7 may still be looked at
    assert names(settings) == ["000001", "000006"]
    assert {one.bytes for one in plan_removals(settings, NOW).going} == {100}
    assert len(prune(settings, NOW)) == 2
    left = sorted(path.name for path in (acme / "privado" / "paginas").iterdir())
    assert left == ["000002", "000003", "000004", "000005", "000007"]
    assert not (acme / "privado" / ".lixo").exists()


def test_without_a_published_copy_that_can_be_read_no_page_goes(settings: Settings, acme: Path) -> None:
    published = (acme / "lastro.duckdb").resolve()
    published.chmod(0o600)
    published.write_bytes(b"nothing" * 1000)
    assert names(settings) == []
    (acme / "lastro.duckdb").unlink()
    assert names(settings) == []


def test_a_company_that_runs_is_left_alone(settings: Settings, acme: Path) -> None:
    lock = CompanyLock(acme)
    lock.acquire("a run")
    try:
        assert remove(settings, plan_removals(settings, NOW).going) == ()
    finally:
        lock.release()
    assert len(list((acme / "privado" / "paginas").iterdir())) == 7


WORKBOOKS = {
    "gerencial_2025-01-31.xlsx": 409,
    "gerencial_2026-03-01.xlsx": 15,
    "gerencial_2026-03-01_r2.xlsx": 14,
    "gerencial_2026-03-01_r10.xlsx": 13,
    "gerencial_2026-03-12.xlsx": 4,
    "gerencial_2026-03-12_r2.xlsx": 4,
    "gerencial_loja_2_2024-12-31.xlsx": 500,
    "fechamento_2024-01.xlsx": 700,
    "fechamento_2024-01_r2.xlsx": 700,
    "minha_planilha.xlsx": 900,
    "folha_2025-01-31.xlsx": 900,
    "contrato social_2024-05-05.xlsx": 900,
}


def test_workbooks_go_by_day_and_revision_and_closings_never(own: Settings, acme: Path) -> None:
    deliver(acme / "relatorios", WORKBOOKS)
    # the last of each kind stays whatever its age; 12/03 was written again four days ago
    assert files(own) == ["gerencial_2025-01-31.xlsx", "gerencial_2026-03-01.xlsx", "gerencial_2026-03-01_r2.xlsx"]


DAILY = {date(2026, 2, 23) + timedelta(days=number): 20 - number for number in range(21)}
"""Three weeks from a Monday to the eve of `NOW`'s Monday: day -> its age."""


def test_of_older_weeks_the_last_of_each_file_stays(own: Settings, acme: Path) -> None:
    """Of pages too; where people typed every day stays, and a page that is not ours by its name."""
    stems = ("gerencial_{}.xlsx", "cobranca_{}.xlsx", "resumo_{}.html", "resumo_{}.pdf", "ata_{}.pdf")
    deliver(acme / "relatorios", {stem.format(day): days for day, days in DAILY.items() for stem in stems})
    # the Sundays 01/03 and 08/03 end their weeks; what is not older than seven days stays anyhow
    gone = [f"2026-02-{day}" for day in range(23, 29)] + [f"2026-03-{day:02}" for day in range(2, 8)]
    kinds = ("gerencial_{}.xlsx", "resumo_{}.html", "resumo_{}.pdf")
    assert files(own) == sorted(stem.format(day) for stem in kinds for day in gone)
    assert files(replace(own, retencao=replace(own.retencao, diarias_dias=400))) == []
    shorter = replace(own, retencao=replace(own.retencao, planilhas_dias=13))
    # 01/03 is fourteen days old, 02/03 thirteen
    assert {"cobranca_2026-03-01.xlsx", "gerencial_2026-03-01.xlsx"} <= set(names(shorter, asked=True))
    assert "cobranca_2026-03-02.xlsx" not in names(shorter, asked=True)


def test_leftovers_go_once_a_run_went_well_after_them(own: Settings, acme: Path) -> None:
    for number in (6, 7):
        age(acme / "privado" / "paginas" / f"{number:06d}", 1)
    for name in ("lastro.danificado", "lastro-v3.bak.duckdb", "lastro.duckdb"):
        (acme / "privado" / name).touch()
        age(acme / "privado" / name, 8)
    age(acme / "lastro.duckdb", 9)
    assert files(own) == []
    age(acme / "lastro.duckdb", 1)
    assert files(own) == ["lastro-v3.bak.duckdb", "lastro.danificado"]
    # Written last before the first run that is published: the history in it is nowhere else.
    age(acme / "privado" / "lastro.danificado", 16)
    assert files(own) == ["lastro-v3.bak.duckdb"]
    assert why(own)["lastro.danificado"] == ("pode ser tudo o que resta do histórico", "")


def write_book(path: Path, properties: str) -> Path:
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("docProps/core.xml", f"<cp:coreProperties>{properties}</cp:coreProperties>")
    return path


OURS = "<dc:creator>lastro</dc:creator><dcterms:created>{0}</dcterms:created><dcterms:modified>{1}</dcterms:modified>"
DAY, LATER = "2025-01-31T09:05:00Z", "2025-02-03T14:00:00Z"
HEAD = (
    '<!DOCTYPE html><html lang="pt-BR"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
    'initial-scale=1"><title>Posição financeira — Acme</title>'
)
OLDER = {  # before anything was written down: name -> what it says of itself, and whether it goes
    "gerencial_2025-01-03.xlsx": (OURS.format(DAY, DAY), True),
    "gerencial_2025-01-10.xlsx": (OURS.format(DAY, LATER), False),
    "gerencial_2025-01-17.xlsx": (OURS.format(DAY, DAY) + "<cp:lastModifiedBy/>", False),
    "gerencial_2025-01-24.xlsx": ("<dc:creator>Ana</dc:creator>", False),
    "gerencial_2025-01-31.xlsx": (None, False),  # no workbook at all
    "gerencial_loja_2025-01-31.xlsx": (OURS.format(DAY, DAY), True),
    "resumo_2025-01-31.html": (HEAD, True),
    "resumo_2025-01-24.html": ("<html><title>Ata da reunião</title></html>", False),
    "resumo_2025-01-31.pdf": ("%PDF-1.4 /Author (lastro)", True),
    "resumo_2025-01-24.pdf": ("%PDF-1.4 /Author (Ana)", False),
}
PEOPLE = (
    "folha_2025-01-31.xlsx",
    "contrato social_2024-05-05.xlsx",
    "gerencial_2025-1-31.xlsx",
    "dados_2025-01-31.pdf",
)


def test_older_files_are_lastros_by_name_and_by_what_they_say(settings: Settings, own: Settings, acme: Path) -> None:
    folder = acme / "relatorios"
    kinds = ("gerencial_{}.xlsx", "gerencial_loja_{}.xlsx", "resumo_{}.html", "resumo_{}.pdf")
    deliver(folder, {kind.format("2026-03-15"): 1 for kind in kinds})
    for name, (text, _) in OLDER.items():
        if text is not None and name.endswith(".xlsx"):
            write_book(folder / name, text)
        else:
            (folder / name).write_text(text or "texto", encoding="utf-8")
    for name in PEOPLE:
        write_book(folder / name, OURS.format(DAY, DAY))
    (folder / "projeto_2025-01-31.xlsx").mkdir()
    (folder / "dados_2025-01-31.xlsx").mkdir()
    outside = write_book(settings.dir / "fora.xlsx", OURS.format(DAY, DAY))
    (folder / "dados_2025-01-30.xlsx").symlink_to(outside)
    os.mkfifo(folder / "dados_2025-01-29.xlsx")
    age(outside, 500)
    for name in (*OLDER, *PEOPLE):
        age(folder / name, 500)
    deliver(folder, {"gerencial_2026-02-01.xlsx": -150_000})  # saved by a machine that lives in 2436
    assert files(own) == sorted(name for name, (_, goes) in OLDER.items() if goes)
    reasons = {name: text for name, (text, _) in why(own).items() if name in OLDER}
    assert reasons == {
        "gerencial_2025-01-10.xlsx": EDITED,
        "gerencial_2025-01-17.xlsx": EDITED,
        "gerencial_2025-01-24.xlsx": FOREIGN,
        "gerencial_2025-01-31.xlsx": FOREIGN,
        "resumo_2025-01-24.html": FOREIGN,
        "resumo_2025-01-24.pdf": FOREIGN,
    }
    prune(own, NOW)
    left = {path.name for path in folder.iterdir()}
    assert {*PEOPLE, "projeto_2025-01-31.xlsx", *(f"dados_2025-01-{day}.xlsx" for day in (29, 30, 31))} <= left
    assert not {name for name, (_, goes) in OLDER.items() if goes} & left


def test_what_somebody_changed_or_brought_stays(own: Settings, acme: Path) -> None:
    """It also counts as nobody's newest: the last of lastro's own stays beside it."""
    folder = acme / "relatorios"
    days = ("2025-01-24", "2025-01-31", "2025-02-07")
    deliver(folder, {f"{kind}_{day}.xlsx": 500 for kind in ("gerencial", "dados") for day in days})
    edited = folder / "gerencial_2025-01-31.xlsx"
    text = edited.read_text(encoding="utf-8")
    edited.write_text(text.replace("planilha", "mudada!!"), encoding="utf-8")  # as long as it was
    brought = write_book(folder / "dados_2026-01-01.xlsx", OURS.format(DAY, DAY))
    for path in (edited, brought):
        age(path, 450)
    assert files(own) == ["dados_2025-01-24.xlsx", "dados_2025-01-31.xlsx", "gerencial_2025-01-24.xlsx"]
    found = why(own)
    assert (found[edited.name][0], found[brought.name][0]) == (EDITED, FOREIGN)
    assert found["dados_2025-02-07.xlsx"] == found["gerencial_2025-02-07.xlsx"] == ("a mais nova", "")
    deliver(folder, {"resumo_2026-03-15.html": 1, "resumo_2026-03-16.html": 0})
    (folder / "resumo_2026-03-15.html").write_text("recortado para o banco", encoding="utf-8")
    asked = {Path(one.caminho).name: one.porque for one in plan_removals(own, NOW, asked=True).kept}
    assert asked["resumo_2026-03-15.html"] == EDITED  # said before its days are over, to who asks
    plan = plan_removals(own, NOW)
    changed = folder / "dados_2025-01-24.xlsx"
    changed.write_text("anotada entre o plano e a limpeza", encoding="utf-8")
    assert [Path(one.caminho).name for one in remove(own, plan.going)] == [
        "000006", "dados_2025-01-31.xlsx", "gerencial_2025-01-24.xlsx",
    ]  # fmt: skip
    assert changed.exists()
    assert "dados_2025-01-31.xlsx" not in (acme / DELIVERY_LOG).read_text(encoding="utf-8")


def test_a_cobranca_goes_only_as_it_was_written_or_read(own: Settings, acme: Path) -> None:
    folder = acme / "relatorios"
    deliver(folder, {f"cobranca_2025-01-{day}.xlsx": 500 for day in ("03", "10", "13", "17", "24")})
    for day in ("2025-01-10", "2025-01-13", "2025-01-17"):
        (folder / f"cobranca_{day}.xlsx").write_text(f"promessa de {day}", encoding="utf-8")
        age(folder / f"cobranca_{day}.xlsx", 499)
    with Warehouse(acme) as warehouse:
        for day, state in (("10", "lido"), ("13", "lido em parte")):
            name = f"cobranca_2025-01-{day}.xlsx"
            read = {"sha256": digest_file(folder / name), "arquivo": name, "situacao": state, "execucao_id": 5}
            warehouse.insert("hist.arquivos_mesa", [read])
        publish(warehouse, 6)
    age(acme / "lastro.duckdb", 0.5)
    assert files(own) == ["cobranca_2025-01-03.xlsx", "cobranca_2025-01-10.xlsx"]
    assert [why(own)[f"cobranca_2025-01-{day}.xlsx"] for day in ("13", "17")] == [(EDITED, "")] * 2


@pytest.mark.parametrize(
    ("moved", "told"),
    [
        (timedelta(days=3650), "o relógio está 3650 dias além da última execução publicada"),
        (timedelta(days=46), "o relógio está 46 dias além da última execução publicada"),
        (timedelta(days=-3650), "o relógio está antes da última execução publicada"),
    ],
)
def test_a_clock_that_jumped_lets_nothing_go_by_itself(
    settings: Settings, acme: Path, moved: timedelta, told: str
) -> None:
    (acme / "privado" / "lastro-v3.bak.duckdb").touch()
    age(acme / "privado" / "lastro-v3.bak.duckdb", 4000)
    age(acme / "privado" / "paginas" / "000001", 4000)
    forty_days(acme / "relatorios")
    before = sorted(path for path in settings.dir.rglob("*"))
    plan = plan_removals(settings, NOW + moved)
    assert (prune(settings, NOW + moved), sorted(path for path in settings.dir.rglob("*"))) == ((), before)
    assert {text.split(": ")[-1] for text in plan.warnings} == {told}
    asked = plan_removals(settings, NOW + moved, asked=True)
    assert (len(asked.going) > 0, asked.warnings[0].startswith("acme: páginas: sem pedir não sairiam: ")) == (
        True,
        True,
    )


def test_half_of_ten_things_do_not_go_at_once_by_themselves(settings: Settings, acme: Path) -> None:
    """The clock jumped, a run was published by it, and then somebody looked."""
    folder = acme / "relatorios"
    forty_days(folder)
    own = replace(settings, retencao=Retencao(paginas_dias=1000, planilhas_dias=0))
    assert files(own) == []
    assert why(own)["gerencial_2026-02-10.xlsx"] == ("sairiam 39 de 40 de uma vez", "")
    assert len(files(own, asked=True)) == 39
    for day in range(1, 32):
        (folder / f"gerencial_2026-02-{day:02}.xlsx").unlink(missing_ok=True)
    for day in range(1, 8):
        (folder / f"gerencial_2026-03-{day:02}.xlsx").unlink()
    assert len(files(own)) == 8  # of the nine that are left: too few for the rule


def test_nothing_goes_where_nothing_is_published(settings: Settings, acme: Path) -> None:
    forty_days(acme / "relatorios")
    (acme / "lastro.duckdb").unlink()
    assert names(settings) == []
    assert "nada está publicado" in plan_removals(settings, NOW).warnings[0]


def test_the_groups_files_go_as_a_companys(settings: Settings) -> None:
    folder = settings.dir / "grupo" / "relatorios"
    deliver(folder, {f"grupo_{(NOW - timedelta(days=days)).date()}.xlsx": days for days in range(30)})
    lock = CompanyLock(settings.dir / "grupo")  # as its database leaves one
    lock.acquire("a test")
    lock.release()
    write_book(folder / "grupo_2025-01-31.xlsx", "<dc:creator>Ana</dc:creator>")
    age(folder / "grupo_2025-01-31.xlsx", 400)
    # 22 are older than seven days; of them the Sundays 15/02, 22/02, 01/03 and 08/03 stay
    assert len(names(settings, asked=True)) == 18
    assert len(prune(settings, NOW + timedelta(days=46))) == 0
    assert len(remove(settings, plan_removals(settings, NOW, asked=True).going)) == 18


def test_a_company_that_left_the_settings_is_pruned_and_a_folder_that_is_none_is_not(
    settings: Settings, acme: Path
) -> None:
    acme.rename(settings.dir / "antiga")
    other = settings.dir / "notas" / "relatorios"
    other.mkdir(parents=True)
    (other / "gerencial_2020-01-01.xlsx").touch()
    age(other / "gerencial_2020-01-01.xlsx", 2000)
    (other / "gerencial_2020-01-02.xlsx").touch()
    assert names(settings) == ["000001", "000006"]
