"""The right to run a company, where the file system cannot give it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from lastro.errors import StorageError, WarehouseBusy
from lastro.warehouse.file.lock import CompanyLock


def lock_that_says(folder: Path, number: int) -> CompanyLock:
    def flock(_: int, __: int) -> None:
        raise OSError(number, os.strerror(number))

    return CompanyLock(folder, flock)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_no_busy_company(tmp_path: Path, number: int) -> None:
    with pytest.raises(StorageError, match="não tranca arquivos") as caught:
        lock_that_says(tmp_path, number).acquire("somebody")
    assert os.strerror(number) in str(caught.value)


@pytest.mark.parametrize("number", [errno.EWOULDBLOCK, errno.EACCES])
def test_a_lock_that_another_has_is_busy_however_the_file_system_says_it(tmp_path: Path, number: int) -> None:
    with pytest.raises(WarehouseBusy, match="outra execução"):
        lock_that_says(tmp_path, number).acquire("somebody")


def test_a_file_that_is_longer_than_its_text_is_cut_to_it(tmp_path: Path) -> None:
    file = tmp_path / "privado" / "trava"
    file.parent.mkdir()
    file.write_text("x" * 5000, encoding="utf-8")
    lock = CompanyLock(tmp_path)
    with lock.held("somebody"):
        lock.confirm()
        file.write_text("", encoding="utf-8")
        with pytest.raises(WarehouseBusy, match="desconhecida"):
            lock.confirm()
