"""What may go and what never does, over folders whose ages are set by hand."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from lastro.files import digest_file
from lastro.operation.retention import EDITED, UNREAD, plan_removals, prune, remove
from lastro.run.deliveries import deliver, note_read_back
from lastro.run.record import query_record
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


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A company with pages of runs 1 to 7: 3 the last complete one, 5 published and hot over 3, 6 and 7 failed."""
    pasta = tmp_path_factory.mktemp("empresa") / "acme"
    with CompanyLock(pasta).held("a test"), Warehouse(pasta) as warehouse:
        rows = [
            {
                "execucao_id": number,
                "situacao": "completa",
                "tipo_execucao": "completa" if number < 4 else "quente",
                "leitura_id": number,
                "base_id": None if number < 4 else 3,
                "iniciada_em": f"2026-03-01 09:0{number}:00",
            }
            for number in range(1, 6)
        ]
        warehouse.insert("ops.execucoes", rows)
        publish(warehouse, 5)
    put(pasta / "relatorios", [("ata_2026-03-15.pdf", 0.5)])
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


def put(folder: Path, files: Iterable[tuple[str, float]], home: Path | None = None) -> list[Path]:
    """Deliver files one after the other: name of the first of its day, and its age in days."""
    folder.mkdir(exist_ok=True, parents=True)
    moved = []
    for name, days in files:
        aside = folder.parent / name
        aside.write_text(f"planilha {name}", encoding="utf-8")
        told = deliver(home or folder.parent, 1, {aside: folder}, NOW - timedelta(days=days), published=True)
        moved.append(aside.rename(told[aside]))
    return moved


def names(settings: Settings, now: datetime = NOW) -> list[str]:
    return sorted(Path(one.caminho).name for one in plan_removals(settings, now).going)


def files(settings: Settings, now: datetime = NOW) -> list[str]:
    """Name what goes but folders of pages."""
    return [name for name in names(settings, now) if not name.isdecimal()]


def why(settings: Settings, now: datetime = NOW) -> dict[str, tuple[str, str]]:
    """Name -> why it stays and until when."""
    kept = plan_removals(settings, now).kept
    return {Path(one.caminho).name: (one.porque, "" if one.ate is None else one.ate.isoformat()) for one in kept}


def test_pages_go_that_no_run_needs_any_more(settings: Settings, acme: Path) -> None:
    # 2 is young, 3 to 5 are needed, 6 failed long ago, 7 may still be looked at
    assert names(settings) == ["000001", "000006"]
    assert {one.bytes for one in plan_removals(settings, NOW).going} == {100}
    with CompanyLock(acme).held("a run"):
        assert prune(settings, NOW) == ()
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


def test_workbooks_go_by_day_and_revision_and_closings_never(own: Settings, acme: Path) -> None:
    days = [("2025-01-31", 409), ("2026-03-01", 15), ("2026-03-01", 14), ("2026-03-01", 13), ("2026-03-12", 4.5)]
    put(acme / "relatorios", [(f"gerencial_{day}.xlsx", age) for day, age in [*days, ("2026-03-12", 4)]])
    put(acme / "relatorios", [("gerencial_loja_2_2024-12-31.xlsx", 500), ("fechamento_2024-01.xlsx", 700)])
    put(acme / "relatorios", [("fechamento_2024-01_r2.xlsx", 700)])
    for name in ("minha_planilha.xlsx", "folha_2025-01-31.xlsx", "gerencial_2025-01-30.xlsx"):  # nobody delivered them
        (acme / "relatorios" / name).touch()
    # the last of each kind stays whatever its age; 12/03 was written again four days ago
    gone = ["gerencial_2025-01-31.xlsx", "gerencial_2026-03-01.xlsx", "gerencial_2026-03-01_r2.xlsx"]
    assert files(own) == gone
    assert why(own)["fechamento_2024-01.xlsx"] == ("fechamento: fica sempre", "")
    assert why(own)["gerencial_2026-03-12.xlsx"] == ("há outra mais nova do mesmo dia", "2026-03-18")
    assert files(replace(own, retencao=replace(own.retencao, diarias_dias=400))) == gone[:1]
    # 01/03, the last of its week, is thirteen days old
    assert files(replace(own, retencao=replace(own.retencao, planilhas_dias=12))) == [
        *gone,
        "gerencial_2026-03-01_r3.xlsx",
    ]


def test_leftovers_go_once_a_run_went_well_after_them(own: Settings, acme: Path) -> None:
    for number in (6, 7):
        age(acme / "privado" / "paginas" / f"{number:06d}", 1)
    for name in ("lastro.danificado", "lastro-v3.bak.duckdb", "lastro.duckdb", "../registro.danificado"):
        (acme / "privado" / name).touch()
        age(acme / "privado" / name, 8)
    age(acme / "lastro.duckdb", 9)
    assert files(own) == []
    age(acme / "lastro.duckdb", 1)
    assert files(own) == ["lastro-v3.bak.duckdb", "lastro.danificado", "registro.danificado"]
    # Written last before the first run that is published: the history in it is nowhere else.
    age(acme / "privado" / "lastro.danificado", 16)
    assert files(own) == ["lastro-v3.bak.duckdb", "registro.danificado"]
    assert why(own)["lastro.danificado"] == ("pode ser tudo o que resta do histórico", "")


def test_what_somebody_changed_took_or_replaced_stays(own: Settings, acme: Path) -> None:
    days = ("2025-01-24", "2025-01-31", "2025-02-07")
    old = put(
        acme / "relatorios", [(f"{kind}_{day}.xlsx", 500) for day in days for kind in ("dados", "gerencial", "resumo")]
    )
    edited, taken, linked, made, changed, gone = old[:6]
    edited.write_text(edited.read_text(encoding="utf-8").replace("planilha", "mudada!!"), encoding="utf-8")
    taken.rename(acme / "outra.xlsx")
    linked.rename(acme / "alvo.xlsx")
    linked.symlink_to(acme / "alvo.xlsx")
    made.unlink()
    made.mkdir()
    plan = plan_removals(own, NOW)
    assert [why(own)[path.name] for path in (edited, old[8])] == [(EDITED, ""), ("a mais nova", "")]
    changed.write_text("anotada entre o plano e a limpeza", encoding="utf-8")
    assert [Path(one.caminho).name for one in remove(own, plan.going, NOW)] == ["000006", gone.name]
    assert all(path.exists() for path in (edited, changed, linked, made, acme / "alvo.xlsx", acme / "outra.xlsx"))
    sql = "SELECT caminho FROM entrega WHERE saiu IS NOT NULL"
    assert query_record(acme, sql) == [(f"relatorios/{gone.name}",)]  # told once: its number stays known


def test_a_cobranca_goes_only_as_it_was_written_or_read_back_whole(own: Settings, acme: Path) -> None:
    folder = acme / "relatorios"
    old = put(folder, [(f"cobranca_2025-01-{day}.xlsx", 500) for day in ("03", "10", "17", "24", "31")])
    for path in old[1:4]:
        path.write_text(f"promessa em {path.name}", encoding="utf-8")
    note_read_back(acme, [(old[1].name, digest_file(old[1]), ""), (old[2].name, digest_file(old[2]), "desenho")])
    assert files(own) == [old[0].name, old[1].name]
    assert [why(own)[path.name][0] for path in old[2:]] == [UNREAD, EDITED, "a mais nova"]


@pytest.mark.parametrize(
    ("days", "told"),
    [
        (3650, "o relógio está 3650 dias além da última execução publicada"),
        (46, "o relógio está 46 dias além da última execução publicada"),
        (-3650, "o relógio está antes da última execução publicada"),
        (0, "nada está publicado, pelo registro"),
    ],
)
def test_a_clock_that_jumped_or_an_empty_record_lets_nothing_go(
    settings: Settings, acme: Path, days: int, told: str
) -> None:
    """Half a day after the last publication, by `NOW`. Neither does a person's word: the clock is what is wrong."""
    now = NOW + timedelta(days=days)
    age(acme / "privado/paginas/000001", 4000)
    put(acme / "relatorios", [(f"gerencial_{(NOW - timedelta(days=n)).date()}.xlsx", n) for n in range(4000, 4003)])
    assert len(plan_removals(settings, NOW).going) > 0
    if not days:
        (acme / "registro.db").unlink()
    before = sorted(settings.dir.rglob("*"))
    plan = plan_removals(settings, now)
    assert (prune(settings, now), sorted(settings.dir.rglob("*"))) == ((), before)
    assert plan.warnings == (f"acme: {told}",)
    assert {one.porque for one in plan.kept if one.caminho.endswith("000001")} == {told}


def test_the_groups_files_go_as_a_companys(settings: Settings) -> None:
    folder = settings.dir / "grupo" / "relatorios"
    days = [(f"grupo_{(NOW - timedelta(days=days)).date()}.xlsx", float(days)) for days in range(29, -1, -1)]
    put(folder, days, settings.dir)
    (folder / "grupo_2025-01-31.xlsx").touch()
    # 22 are older than seven days; of them the Sundays 15/02, 22/02, 01/03 and 08/03 stay
    assert prune(settings, NOW + timedelta(days=46)) == ()
    assert len(prune(settings, NOW)) == 18
    assert prune(settings, NOW) == ()


def test_a_company_that_left_the_settings_is_pruned_and_a_folder_that_is_none_is_not(
    settings: Settings, acme: Path
) -> None:
    acme.rename(settings.dir / "antiga")
    put(settings.dir / "notas" / "relatorios", [(f"gerencial_2020-01-0{day}.xlsx", 2000) for day in (1, 2)])
    assert names(settings) == ["000001", "000006"]


@pytest.mark.parametrize("mornings", [60, pytest.param(365, marks=pytest.mark.longo)])
def test_over_many_mornings_the_newest_and_what_is_a_persons_stay_and_the_disk_is_freed(
    own: Settings, acme: Path, mornings: int
) -> None:
    """Two runs a morning, the retention after each; people edit a file a week, mail one away, type into the desk."""
    folder, peoples = acme / "relatorios", dict[Path, str]()
    kinds = ("gerencial_{}.xlsx", "gerencial_loja_{}.xlsx", "resumo_{}.pdf", "cobranca_{}.xlsx")
    kept = replace(own, retencao=Retencao(paginas_dias=1000, planilhas_dias=40))
    for number in range(mornings):
        now = NOW + timedelta(days=number)
        for run in range(2):
            made = put(folder, [(kind.format(now.date()), -number - run / 48) for kind in kinds])
            assert {path.stem[-3:] == "_r2" for path in made} == {run == 1}
        if number % 7 == 3:
            made[0].write_text(f"da Ana, {now.date()}", encoding="utf-8")
            peoples[made[0]] = made[0].read_text(encoding="utf-8")
            made[1].unlink()
            made[3].write_text("promessa", encoding="utf-8")
            if number % 2:
                note_read_back(acme, [(made[3].name, digest_file(made[3]), None)])
            else:
                peoples[made[3]] = "promessa"
        prune(kept, now + timedelta(hours=1))
        newest = {path for path in made if not (number % 7 == 3 and path == made[1])}
        assert all(path.exists() for path in newest)
    assert {path: path.read_text(encoding="utf-8") for path in peoples} == peoples
    left = defaultdict(set)
    for path in folder.glob("*_r2.*"):
        if path not in peoples:
            left[path.name.partition("_2")[0]].add((now.date() - date.fromisoformat(path.stem[-13:-3])).days)
    sundays = {days for days in range(40) if (now.date() - timedelta(days=days)).weekday() == 6}
    assert left["resumo"] == {*range(7), *sundays}
    assert left["cobranca"] == {
        days for days in range(40) if folder / f"cobranca_{now.date() - timedelta(days=days)}_r2.xlsx" not in peoples
    }
    first = {path for path in folder.glob("[cgr]*_2026-03-1?.*") if path not in peoples}
    assert first == set()  # all of them are older than any limit
