"""What stands outside the data folder: the tables for other engines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lastro.settings.parse import Wrong, parse_boolean, parse_path, setting

_S3 = re.compile(r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._=-]+)*/?$")


class _Reader(Protocol):
    """What reads tables of the file and collects mistakes (`lastro.settings.load`)."""

    mistakes: list[str]

    def read(self, kind: type[object], table: object, where: str) -> dict[str, Any]: ...


def parse_destino(value: object) -> str:
    """Read where tables go: a folder, or a bucket with a path in it; never a key or a password."""
    text = parse_path(value)
    if "://" in text and not _S3.fullmatch(text):
        raise Wrong("escreva uma pasta ou s3://balde/caminho; as chaves vêm do ambiente")
    return text.rstrip("/") or "/"


@dataclass(frozen=True)
class Delta:
    """Open tables for other engines, written after each publication (extra `[delta]`)."""

    destino: str = setting(parse_destino, about="pasta ou s3://balde/caminho das tabelas")
    dados_pessoais: bool = setting(
        parse_boolean, False, about="também contatos e documentos inteiros de pessoas; sem isto ficam de fora"
    )


def read_delta(reader: _Reader, table: object, folder: Path) -> Delta | None:
    """Read `[delta]`; None when it is absent or has mistakes, which the reader keeps."""
    if table is None:
        return None
    before = len(reader.mistakes)
    values = reader.read(Delta, table, "delta")
    if len(reader.mistakes) > before:
        return None
    if "://" not in values["destino"]:
        values["destino"] = str((folder / values["destino"]).absolute())
    return Delta(**values)
