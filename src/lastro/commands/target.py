"""A file that a person names to be written: whole or not at all, through no link, and never one of lastro's own."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lastro.errors import ConfigError
from lastro.settings import Settings


@contextmanager
def write_aside(settings: Settings, target: Path) -> Iterator[Path]:
    """Give a path to write to, and move what stands there to its place once all is well.

    An ordinary file of that name is replaced and its mode kept; a link is not followed. The path is in a new folder
    that nobody else can enter, beside the target, so that nothing can be put there meanwhile.

    Raises:
        ConfigError: when the target is lastro's own or no ordinary file, or cannot be written.
    """
    try:
        folder = target.parent.resolve(strict=True)
        before = _read_mode(folder / target.name)
        _refuse_own(settings, folder, target)
        aside = Path(tempfile.mkdtemp(prefix=".lastro-", dir=folder))
        try:
            fresh = aside / target.name
            yield fresh
            if before is not None:
                fresh.chmod(stat.S_IMODE(before))
            os.replace(fresh, folder / target.name)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise ConfigError(f"{target}: {error.strerror}. Escolha outro arquivo.") from None


def _read_mode(path: Path) -> int | None:
    """Read the mode of an ordinary file; None where there is none."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise ConfigError(f"{path}: um link, pasta ou dispositivo, não um arquivo comum. Escolha outro arquivo.")
    return mode


def refuse_folder(settings: Settings, folder: Path) -> None:
    """Refuse a folder to write into that is lastro's own, or below such, by whatever way it is named.

    Raises:
        ConfigError: when it is.
    """
    if (place := _find_own(settings, folder.resolve())) is not None:
        raise ConfigError(f"{folder}: {place} é pasta do próprio lastro. Escolha uma pasta fora dela.")


def _refuse_own(settings: Settings, folder: Path, target: Path) -> None:
    """Refuse settings, token, and whatever is below a folder into which lastro writes, by whatever way it is named."""
    if (place := _find_own(settings, folder)) is not None:
        raise ConfigError(f"{target}: {place} é pasta do próprio lastro. Escolha um arquivo fora dela.")
    files = {settings.origem, *(each.token_file for each in settings.empresas if each.token_file)}
    if target.exists() and any(os.path.exists(each) and target.samefile(each) for each in files):
        raise ConfigError(f"{target}: a configuração, ou o token, está neste arquivo. Escolha outro arquivo.")


def _find_own(settings: Settings, folder: Path) -> Path | None:
    """Find the folder of lastro's that a folder is, or is below."""
    own = {settings.dir, *(Path(each.pasta_cobranca) for each in settings.empresas if each.pasta_cobranca)}
    # A company's folder, or one in it, may be a link to another disk.
    own |= {path for pattern in ("*", "*/*") for path in settings.dir.glob(pattern) if path.is_symlink()}
    above = [each for each in (folder, *folder.parents) if each.exists()]
    return next((place for place in own if place.is_dir() and any(each.samefile(place) for each in above)), None)
