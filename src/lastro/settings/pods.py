"""`[kubernetes]`: each run in a pod of its own. What a pod is given stands here; what it must not be given, nowhere."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Protocol

from lastro.settings.outside import SENHA_ENV
from lastro.settings.parse import Wrong, parse_integer, parse_list_of, parse_text, setting

_LABEL = re.compile(r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")
_IMAGE = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}$")
_QUANTITY = re.compile(r"^[1-9][0-9]{0,8}(m|Mi|Gi)?$")


class _Reader(Protocol):
    """What reads tables of the file and collects mistakes (`lastro.settings.load`)."""

    mistakes: list[str]

    def wrong(self, key: str, what: str) -> None: ...

    def read(self, kind: type[object], table: object, where: str) -> dict[str, Any]: ...


def parse_label(value: object) -> str:
    """Read the name of an object of Kubernetes."""
    text = parse_text(value)
    if not _LABEL.fullmatch(text):
        raise Wrong("write a name of small letters, digits and -, at most 63, as Kubernetes takes it")
    return text


def parse_image(value: object) -> str:
    """Read the name of an image, with its registry and its version or digest: one that says which it is."""
    text = parse_text(value)
    version = text.rpartition("/")[2].partition(":")[2]
    if not _IMAGE.fullmatch(text) or not version or version == "latest":
        raise Wrong("write an image with its version or digest, such as registro.example.com/lastro:0.2.0; not latest")
    return text


def parse_quantity(value: object) -> str:
    """Read an amount of memory or of processors."""
    text = parse_text(value)
    if not _QUANTITY.fullmatch(text):
        raise Wrong('write an amount such as "2Gi", "512Mi" or "500m"')
    return text


@dataclass(frozen=True)
class Kubernetes:
    """How a run becomes a pod (extra `[kubernetes]`). Secrets are named, their content is never a setting."""

    imagem: str = setting(parse_image, about="image of the pods: lastro with its extras postgres and kubernetes")
    namespace: str = setting(parse_label, "lastro", about="namespace of the pods")
    conta_servico: str = setting(
        parse_label, "lastro-execucao", about="service account of the pods; it needs no right at all"
    )
    configuracao: str = setting(parse_label, "lastro", about="config map that holds this file as lastro.toml")
    volume: str = setting(parse_label, "lastro-dados", about="volume claim that is mounted at `dir`")
    segredo_postgres: str = setting(
        parse_label, "lastro-postgres", about="secret whose key postgresql-password is the password of the database"
    )
    segredos: tuple[str, ...] = setting(
        parse_list_of(parse_label), ("lastro-tokens",), about="secrets whose keys are variables of the pods: the tokens"
    )
    simultaneas: int = setting(parse_integer(1, 1_000), 10, about="most pods at once; the others wait their turn")
    memoria: str = setting(parse_quantity, "2Gi", about="memory of a pod, asked for and at most")
    cpu: str = setting(parse_quantity, "500m", about="processors that a pod asks for")


def read_kubernetes(reader: _Reader, document: dict[str, object]) -> Kubernetes | None:
    """Read `[kubernetes]` and what it asks of the rest of the file; None when it is absent or has mistakes."""
    table = document.get("kubernetes")
    if table is None:
        return None
    before = len(reader.mistakes)
    values = reader.read(Kubernetes, table, "kubernetes")
    folder = document.get("dir")
    if not isinstance(folder, str) or not PurePosixPath(folder).is_absolute():
        reader.wrong("dir", "with [kubernetes] write an absolute path: where the pods mount the volume")
    postgres = document.get("postgres")
    if not isinstance(postgres, dict):
        reader.wrong("postgres", "missing; the pods share their records, so [kubernetes] needs it")
    else:
        if "senha_file" in postgres or postgres.get("senha_env", SENHA_ENV) != SENHA_ENV:
            reader.wrong(
                "postgres.senha_env", f"the pods find the password in {SENHA_ENV}, from segredo_postgres; leave it out"
            )
        authority = postgres.get("autoridade", "/")
        if not isinstance(authority, str) or not PurePosixPath(authority).is_absolute():
            reader.wrong(
                "postgres.autoridade", "with [kubernetes] write an absolute path: where the pods have the file"
            )
    return Kubernetes(**values) if len(reader.mistakes) == before else None
