"""The right to run one company: one process at a time, and a proof for others of whether anybody does."""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from lastro.errors import StorageError, WarehouseBusy
from lastro.warehouse.file.faults import storage_error
from lastro.warehouse.file.store import PRIVATE_FOLDER

LOCK_NAME: Final = "trava"
_BOOT: Final = ", boot "
_LOOKS, _LOOK_SECONDS = 4, 0.05
_ROOM = 400
"""Bytes of the file: a name in it takes less."""


class CompanyLock:
    """The right to run one company: held by one process at a time, released by the system if that process dies.

    The file names who holds it: process, machine, its current boot, and the number of the run.

    Args:
        flock: how the system locks a file; tests pass a file system that cannot.
    """

    def __init__(self, pasta: Path, flock: Callable[[int, int], None] = fcntl.flock) -> None:
        self._flock = flock
        self._path = pasta / PRIVATE_FOLDER / LOCK_NAME
        self._handle: int | None = None
        self._owner = ""

    def acquire(self, owner: str) -> None:
        """Take the lock.

        Args:
            owner: who takes it and since when; another process that finds it taken names this text.

        Raises:
            WarehouseBusy: when another process holds it.
            StorageError: when the folder cannot be written, or its file system locks no files.
        """
        try:
            # Whoever can open the file can hold the company: nobody else may, whatever an older lastro left.
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            with contextlib.suppress(PermissionError):
                os.fchmod(handle, 0o600)
        except OSError as error:
            raise storage_error(self._path.parent, error) from None
        if not self._try_lock(handle):
            other = os.read(handle, _ROOM).decode(errors="replace").strip() or "desconhecido"
            os.close(handle)
            who = other.partition(_BOOT)[0]
            raise WarehouseBusy(
                f"{self._path.parent.parent}: outra execução está com esta empresa ({who}). Espere que ela "
                "termine e rode de novo; se travou, encerre esse processo, e a trava se vai com ele."
            ) from None
        self._handle = handle
        try:
            self.sign(owner)
        except StorageError:
            os.close(handle)
            self._handle = None
            raise

    @contextlib.contextmanager
    def held(self, owner: str) -> Iterator[None]:
        """Hold the company for a while; raises as `acquire`."""
        self.acquire(owner)
        try:
            yield
        finally:
            self.release()

    def _try_lock(self, handle: int) -> bool:
        """Take a lock that nobody keeps; whoever only looks (`is_company_free`) holds it for an instant."""
        for attempt in range(_LOOKS):
            try:
                self._flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):  # the latter from some network file systems
                if attempt + 1 < _LOOKS:
                    time.sleep(_LOOK_SECONDS)
            except OSError as error:
                os.close(handle)
                raise StorageError(
                    f"{self._path.parent}: o sistema de arquivos não tranca arquivos ({error.strerror}), e nada "
                    "separaria duas execuções da empresa. Ponha dir num que tranque: um local, ou NFS 4."
                ) from None
            else:
                return True
        return False

    def sign(self, owner: str) -> None:
        """Write who holds the lock, now that more is known of them.

        Raises:
            StorageError: when the file cannot be written.
        """
        if self._handle is None:
            raise RuntimeError("take the lock before signing it")
        self._owner = f"{owner}, em {platform.node()}{_BOOT}{_read_boot()}"
        try:
            os.pwrite(self._handle, self._owner.encode().ljust(_ROOM), 0)
            os.ftruncate(self._handle, _ROOM)  # what a longer file ends with would be nobody's name
        except OSError as error:
            raise storage_error(self._path.parent, error) from None

    def confirm(self) -> None:
        """Demand that the lock is still ours, by what its file says now: somebody may have removed or replaced it.

        Raises:
            WarehouseBusy: when it names somebody else, or nobody.
        """
        try:
            owner = self._path.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            owner = ""
        if not self._owner or owner != self._owner:
            raise WarehouseBusy(
                f"{self._path.parent.parent}: esta execução perdeu a empresa para outra "
                f"({owner.partition(_BOOT)[0] or 'desconhecida'}). "
                "Nada foi publicado; espere a outra terminar e rode de novo."
            )

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        if self._handle is not None:
            # Written over and not cut: on a full disk the next one needs the room to sign.
            with contextlib.suppress(OSError):
                os.pwrite(self._handle, b" " * _ROOM, 0)
            os.close(self._handle)
            self._handle, self._owner = None, ""


def is_company_free(pasta: Path) -> bool | None:
    """Tell whether nobody holds a company's lock; writes nothing.

    Returns:
        None where there is no lock to look at, or it cannot be opened: nobody must call a living run dead for that.
    """
    try:
        handle = os.open(pasta / PRIVATE_FOLDER / LOCK_NAME, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _read_boot() -> str:
    """Read the id of the machine's current boot, where the system tells it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "desconhecido"
