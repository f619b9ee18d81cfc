"""File permissions: files of lastro are readable by their owner, published ones by the group too (`leitores`).

Belongs here: the modes of folders and files, and what a person is told of doors that stand open. What exists already
keeps its mode, but for what a run writes anew and for the bits that `leitores = "grupo"` asks for.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from lastro.errors import StorageError
from lastro.files import describe_denial
from lastro.settings import Empresa, Settings

GRUPO = "grupo"
_OTHERS = 0o077
_PASS, _LOOK = 0o010, 0o050
"""Permissions that the group needs on a folder: to pass through it, and to list it."""


@contextlib.contextmanager
def keep_private() -> Iterator[None]:
    """Make folders 0700 and files 0600 in this process and its children, whatever the environment has set."""
    before = os.umask(_OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def choose_mode(settings: Settings, *, writable: bool, within: Path | None = None) -> int:
    """Choose the mode of a published file: the warehouse's copy is never written again, a workbook may be.

    Whoever may write into a folder of somebody else's (`within`) may save the file, too.

    Returns:
        0400 or 0600; with `leitores = "grupo"` 0440 or 0640; and what `within` lets be read and written.
    """
    mode = (0o600 if writable else 0o400) | (0o040 if settings.leitores == GRUPO else 0)
    with contextlib.suppress(OSError):
        mode |= 0 if within is None else stat.S_IMODE(within.stat().st_mode) & 0o666
    return mode


def admit_readers(settings: Settings, *folders: Path) -> None:
    """Let the group into folders below `dir` when the settings say so; on the way there it sees nothing else.

    Raises:
        StorageError: when a folder cannot be made, or lacks the mode and cannot be given it.
    """
    if settings.leitores != GRUPO:
        return
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except PermissionError as error:
            raise describe_denial(error) from None
        except OSError as error:
            raise StorageError(f"{folder}: {error.strerror}. Libere a escrita na pasta e rode de novo.") from None
        _add_bits(folder, _LOOK)
        for above in folder.parents:
            if above.is_relative_to(settings.dir):
                _add_bits(above, _PASS)


def find_notices(settings: Settings, empresas: Iterable[Empresa]) -> list[str]:
    """Tell which doors stand open: the data folder, the way to a service, the file of a token. Nothing is changed."""
    notices = []
    mode = _read_mode(settings.dir)
    if mode & 0o007:
        # Whoever made it knows why: lastro makes its own 0700, and tells nobody to close /srv.
        told = f"{settings.dir}: aberta a todo usuário desta máquina (modo {mode:04o}); o que o lastro escreve nela "
        notices.append(f"{told}agora não é aberto, o que um mais antigo deixou pode ser (lastro manual Arquivos).")
    for empresa in empresas:
        where = f"empresa[{empresa.id}]"
        if empresa.em_claro:
            notices.append(f"{where}.permitir_http: token e livros passam pela rede sem criptografia.")
        if empresa.token_file and _read_mode(Path(empresa.token_file)) & 0o004:
            notices.append(f"{where}.token_file: todo usuário desta máquina pode ler o token. Feche-o com chmod o=.")
    return notices


def _read_mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0


def _add_bits(folder: Path, bits: int) -> None:
    try:
        mode = stat.S_IMODE(folder.stat().st_mode)
        if mode & bits != bits:
            folder.chmod(mode | bits)
    except OSError as error:
        raise StorageError(
            f"{folder}: leitores diz que o grupo pode ler, e o modo da pasta não consegue dizer isso "
            f"({error.strerror}). Rode o lastro como o dono dela, ou dê a ela "
            f"o modo g+{'rx' if bits == _LOOK else 'x'}."
        ) from None
