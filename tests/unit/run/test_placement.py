"""Files get their names in folders that clerks may write into, on this disk and on another one."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lastro.errors import StorageError
from lastro.run.placement import find_highest, move_folder, move_unclaimed

NAME = "cobranca_2026-03-17.xlsx"


def refuse(*_: object, **__: object) -> None:
    """A share that knows no hard links."""
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A folder on another disk."""
    memory = Path("/dev/shm")  # noqa: S108 - another disk is what is tested
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second disk here")
    folder = Path(tempfile.mkdtemp(dir=memory))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    return write(tmp_path)


def write(folder: Path, text: str = "planilha") -> Path:
    path = folder / NAME
    path.write_text(text, encoding="utf-8")
    path.chmod(0o640)
    return path


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if not path.is_symlink()}


def test_a_planted_link_leads_nowhere(workbook: Path, elsewhere: Path, tmp_path: Path) -> None:
    """Neither at the name that an older lastro copied under, nor at the target, nor to a file that is not there."""
    victim, absent = tmp_path / "lastro.toml", tmp_path / "authorized_keys"
    victim.write_text("dir = 'x'", encoding="utf-8")
    mode = victim.stat().st_mode
    (elsewhere / ".cobranca_2026-03-17.xlsx.novo").symlink_to(victim)
    (elsewhere / "cobranca_2026-03-17.xlsx").symlink_to(victim)
    (elsewhere / "cobranca_2026-03-17_r2.xlsx").symlink_to(absent)
    moved = move_unclaimed(workbook, elsewhere / NAME)
    assert (moved.name, moved.is_symlink(), stat.S_IMODE(moved.stat().st_mode)) == (
        "cobranca_2026-03-17_r3.xlsx", False, 0o640,
    )  # fmt: skip
    assert (victim.read_text(encoding="utf-8"), victim.stat().st_mode) == ("dir = 'x'", mode)
    assert not absent.exists()
    assert contents(elsewhere) == {"cobranca_2026-03-17_r3.xlsx": "planilha"}
    assert not workbook.exists()


@pytest.mark.parametrize("disk", ["this", "other"])
@pytest.mark.parametrize("linked", [True, False], ids=["links", "no-links"])
def test_names_are_taken_in_turn_on_every_disk(
    tmp_path: Path, request: pytest.FixtureRequest, disk: str, *, linked: bool
) -> None:
    folder = (request.getfixturevalue("elsewhere") if disk == "other" else tmp_path) / "relatorios"
    link = os.link if linked else refuse
    names = [move_unclaimed(write(tmp_path, text), folder / NAME, link=link).name for text in ("um", "dois")]
    assert names == ["cobranca_2026-03-17.xlsx", "cobranca_2026-03-17_r2.xlsx"]
    assert contents(folder) == {names[0]: "um", names[1]: "dois"}


def test_the_number_is_beyond_every_one_that_stands_there(tmp_path: Path) -> None:
    for name in ("cobranca_2026-03-17_r4.xlsx", "cobranca_2026-03-17_r20260318.xlsx", "cobranca_2026-03-18_r7.xlsx"):
        (tmp_path / name).touch()
    assert find_highest("cobranca_2026-03-17.xlsx", tmp_path) == 4
    chosen = tmp_path / "cobranca_2026-03-17_r4.xlsx"
    assert move_unclaimed(write(tmp_path), chosen).name == "cobranca_2026-03-17_r5.xlsx"  # taken meanwhile


@pytest.mark.parametrize("disk", ["this", "other"])
def test_half_a_copy_of_a_run_that_died_is_swept(tmp_path: Path, request: pytest.FixtureRequest, disk: str) -> None:
    folder = request.getfixturevalue("elsewhere") if disk == "other" else tmp_path / "mesa"
    folder.mkdir(exist_ok=True)
    for name in (".lastro-0f.novo", "meu.lastro-0f.novo"):
        (folder / name).touch()
    (folder / ".lastro-pasta.novo").mkdir()
    move_unclaimed(write(tmp_path), folder / NAME)
    assert sorted(path.name for path in folder.iterdir()) == [
        ".lastro-pasta.novo", "cobranca_2026-03-17.xlsx", "meu.lastro-0f.novo",
    ]  # fmt: skip


def test_a_folder_that_is_a_link_to_another_disk_is_written_into(
    workbook: Path, elsewhere: Path, tmp_path: Path
) -> None:
    (tmp_path / "relatorios").symlink_to(elsewhere)
    assert move_unclaimed(workbook, tmp_path / "relatorios" / NAME).resolve().parent == elsewhere
    assert list(contents(elsewhere).values()) == ["planilha"]


def test_a_copy_that_fails_leaves_no_part_of_it(tmp_path: Path, elsewhere: Path) -> None:
    unreadable = tmp_path / "dados_2026-03-17.xlsx"
    unreadable.mkdir()  # opens, and gives nothing to read
    for folder, link in ((elsewhere, os.link), (tmp_path / "relatorios", refuse)):
        with pytest.raises(StorageError, match=r"Is a directory"):
            move_unclaimed(unreadable, folder / NAME, link=link)
        assert list(folder.iterdir()) == []


def test_exported_folders_are_claimed_by_making_them(tmp_path: Path, elsewhere: Path) -> None:
    (tmp_path / "victim").mkdir()
    for into in (tmp_path / "exportados", elsewhere):
        into.mkdir(exist_ok=True)
        (into / "dados_2026-03-17").symlink_to(tmp_path / "victim")
        (into / "dados_2026-03-17_r2").mkdir()
        folder = tmp_path / "preparo" / "dados_2026-03-17"
        folder.mkdir(parents=True)
        (folder / "titulos.csv").write_text("a;b", encoding="utf-8")
        moved = move_folder(folder, into, 0o640)
        assert (moved.name, contents(moved)) == ("dados_2026-03-17_r3", {"titulos.csv": "a;b"})
        assert stat.S_IMODE((moved / "titulos.csv").stat().st_mode) == 0o640
        assert sorted(path.name for path in into.iterdir()) == [
            f"dados_2026-03-17{revision}" for revision in ("", "_r2", "_r3")
        ]
        assert not folder.exists()
    assert list((tmp_path / "victim").iterdir()) == []
