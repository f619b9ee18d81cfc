"""`lastro.toml` and the environment become frozen `Settings`; every mistake is named at once with file, key and fix.

The environment and the working folder arrive as parameters: only `cli.py` and `pipelines/` read them. The token is read
by `read_tokens`, apart from the settings, so that listing the companies never needs it and no `repr` can show it.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from lastro.errors import ConfigError, name_first
from lastro.settings.files import MAX_FILE_BYTES, read_certificates, read_text
from lastro.settings.model import (
    Atraso,
    Avulso,
    Cenario,
    Conta,
    Empresa,
    Grupo,
    GrupoTransferencia,
    Parametros,
    Queda,
    Recorte,
    SaldoConferido,
    Settings,
)
from lastro.settings.operation import read_operation
from lastro.settings.outside import read_delta, read_postgres
from lastro.settings.parse import (
    DAR_BAIXA,
    ENV_BASE_URL,
    ENV_CONTAS,
    ENV_DIR,
    ENV_TOKEN,
    FILE_NAME,
    LEMBRETE,
    MAX_CENARIOS,
    MAX_INTEGER,
    REGUA,
    RESERVED_IDS,
    EtapaRegua,
    NumberLiteral,
    Parser,
    Wrong,
    is_unencrypted,
    name_slug,
    parse_base_url,
    parse_empresa_id,
    parse_fuso,
    parse_path,
)
from lastro.settings.pods import read_kubernetes
from lastro.settings.reader import Reader

DEFAULT_FUSO: Final = "America/Sao_Paulo"
TABLES: Final = ("empresa", "grupo", "avisos", "retencao", "postgres", "kubernetes", "delta")
"""Tables of the settings file."""
_PART = r"(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')"
_DEEP_KEY = re.compile(rf"(?<![\w.\-\"']){_PART}(?:[ \t]*\.[ \t]*{_PART}){{32}}")
"""A key of many parts: the parser of TOML takes a quarter of a minute over 20,000 of them."""


def load_settings(config: Path | None, env: Mapping[str, str], cwd: Path) -> Settings:
    """Load the settings: the file given, else `lastro.toml` in the working folder, else the environment (one company).

    Args:
        config: the file named by `--config`, or None.
        env: the environment.
        cwd: the working folder.

    Raises:
        ConfigError: naming every mistake with file, key and fix.
    """
    path = config if config is not None else cwd / FILE_NAME
    if config is None and not path.exists():
        return _settings_from_env(env, cwd)
    try:
        text = read_text(path, MAX_FILE_BYTES)
        if _DEEP_KEY.search(text):
            raise ConfigError(f"{path}: not valid here: a key of more than 32 parts. Mend that line.")
        document = tomllib.loads(text, parse_float=NumberLiteral)
        return _settings_from_document(document, str(path), path.parent)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file. Give the path of a lastro.toml, or leave --config out.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {str(error)[:200]}. Mend that line.") from None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise ConfigError(f"{path}: cannot be read ({why}). It must be a UTF-8 text file.") from None
    except OverflowError:
        raise ConfigError(f"{path}: more than {MAX_FILE_BYTES // 1000} kB; no settings file is.") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"{path}: a number or a nesting in it is beyond what can be read ({type(error).__name__}). Mend it."
        ) from None


def _settings_from_document(document: dict[str, object], origem: str, folder: Path) -> Settings:
    reader = Reader(origem)
    values = _read_host(reader, document)
    operation = read_operation(reader, document, folder)
    tables = reader.tables(document.get("empresa", []), "empresa")
    if not tables:
        reader.wrong("empresa", "no company; add [[empresa]] with id, nome, base_url and token_env")
    pasta, fuso = (folder / values.pop("dir")).absolute(), values.pop("fuso")
    named = {table.get("id") for table in tables if isinstance(table, dict) and isinstance(table.get("id"), str)}
    place = _Place(folder, pasta, frozenset({*named, *RESERVED_IDS}))
    empresas: list[Empresa] = []
    invalidas: dict[str, tuple[str, ...]] = {}
    seen: set[str | None] = set()
    for number, table in enumerate(tables, 1):
        own = Reader(origem)
        empresa = _read_empresa(own, table, number, place)
        empresa_id = empresa.id if empresa is not None else _find_id(table)
        if empresa_id is not None and empresa_id in seen:
            reader.wrong("empresa.id", f"«{empresa_id}» stands twice; every company needs its own")
        seen.add(empresa_id)
        if empresa is not None:
            empresas.append(empresa)
        elif empresa_id is None:
            # Without a name of its own a mistake could be anybody's.
            reader.mistakes += own.mistakes
        else:
            invalidas[empresa_id] = tuple(own.mistakes)
    grupo = _read_grupo(reader, document.get("grupo", {}), named)
    values["postgres"] = read_postgres(reader, document.get("postgres"), folder)
    values["kubernetes"] = read_kubernetes(reader, document)
    values["delta"] = read_delta(reader, document.get("delta"), folder)
    if reader.mistakes or not empresas:
        raise ConfigError([*reader.mistakes, *(mistake for mistakes in invalidas.values() for mistake in mistakes)])
    values |= {"avisos": operation.avisos, "retencao": operation.retencao}
    told = {empresa_id: name_first(mistakes) for empresa_id, mistakes in invalidas.items()}
    return Settings(pasta, fuso, tuple(empresas), origem, grupo, told, **values)


def _read_host(reader: Reader, document: dict[str, object]) -> dict[str, Any]:
    """Read the keys outside every table: what holds for all companies."""
    parsers: dict[str, Parser] = {"dir": parse_path, "fuso": parse_fuso}
    parsers |= {item.name: item.metadata["parse"] for item in fields(Settings) if "parse" in item.metadata}
    for key in document:
        if key not in (*parsers, *TABLES):
            known = ", ".join(f"[{table}]" for table in TABLES if table != "empresa")
            reader.wrong(key, f"unknown key; known are {', '.join(parsers)}, [[empresa]] and {known}")
    values: dict[str, Any] = {"dir": "dados", "fuso": DEFAULT_FUSO}
    for key, parse in parsers.items():
        if key in document:
            try:
                values[key] = parse(document[key])
            except Wrong as wrong:
                reader.wrong(key, str(wrong))
    return values


def _find_id(table: object) -> str | None:
    """Return the id of a company's table whose other keys may be wrong; None when the id itself is."""
    try:
        return parse_empresa_id(table["id"]) if isinstance(table, dict) and "id" in table else None
    except Wrong:
        return None


def _read_grupo(reader: Reader, table: object, empresas: Collection[object]) -> Grupo:
    values = reader.read(Grupo, table, "grupo", inner=("transferencia",))
    pairs = table.get("transferencia", []) if isinstance(table, dict) else []
    transferencias = []
    for position, pair in enumerate(reader.tables(pairs, "grupo.transferencia"), 1):
        where = f"grupo.transferencia[{position}]"
        before = len(reader.mistakes)
        found = reader.read(GrupoTransferencia, pair, where)
        for side in ("de", "para"):
            if side in found and found[side] not in empresas:
                reader.wrong(f"{where}.{side}", "no such company; write the id of one of [[empresa]]")
            if not any(found.get(f"{side}_{what}") for what in ("pessoas", "categorias", "lancamentos")):
                reader.wrong(
                    f"{where}.{side}_pessoas", f"nothing names the entries in `{side}`; add persons or entries"
                )
        if "de" in found and found.get("de") == found.get("para"):
            reader.wrong(f"{where}.para", "the same company; transfers inside a company are known to its service")
        if len(reader.mistakes) == before:
            transferencias.append(GrupoTransferencia(**found))
    return Grupo(**values, transferencias=tuple(transferencias))


@dataclass(frozen=True)
class _Place:
    """Where a company's files are.

    Attributes:
        folder: the folder of the settings file, where relative paths begin.
        pasta: the data folder.
        own: names of the folders in it that are lastro's.
    """

    folder: Path
    pasta: Path
    own: frozenset[object]

    def keeps(self, path: str, empresa_id: object) -> bool:
        """Tell whether a folder is lastro's own: the data folder, or in a company's, but for its relatorios."""
        try:
            parts = Path(path).relative_to(os.path.normpath(self.pasta)).parts
        except ValueError:
            return False
        return not parts or (parts[0] in self.own and parts[:2] != (empresa_id, "relatorios"))


def _read_empresa(reader: Reader, table: object, number: int, place: _Place) -> Empresa | None:
    where = f"empresa[{_name_table(table, 'id', number)}]"
    before = len(reader.mistakes)
    values = reader.read(Empresa, table, where, inner=("conta", "parametros", "cenario", "recorte"))
    if not isinstance(table, dict):
        return None
    _read_access(reader, table, where, values, place.folder)
    contas = []
    for position, conta in enumerate(reader.tables(table.get("conta", []), "empresa.conta"), 1):
        spot = f"{where}.conta[{_name_table(conta, 'conta_id', position)}]"
        conta_values = reader.read(Conta, conta, spot)
        if "saldos_conferidos" in conta_values:
            conta_values["saldos_conferidos"] = _read_saldos(reader, conta_values["saldos_conferidos"], spot)
        contas.append(conta_values)
    for twice in _find_twice(conta["conta_id"] for conta in contas if "conta_id" in conta):
        reader.wrong(f"{where}.conta.conta_id", f"{twice} stands twice; list each account once")
    parametros = reader.read(Parametros, table.get("parametros", {}), f"{where}.parametros")
    if parametros.get("data_fechamento") is not None and parametros.get("fechamento") is not None:
        reader.wrong(f"{where}.parametros.fechamento", "data_fechamento is given too; keep one of them")
    if parametros.get("tolerancia", Decimal(0)) != 0:
        reader.wrong(f"{where}.parametros.tolerancia", "checks of severity erro are exact; leave it at 0.00")
    _read_desk(reader, values, parametros.get("regua", REGUA), where, place)
    cenarios = _read_cenarios(reader, table.get("cenario", []), where)
    recortes = _read_recortes(reader, table.get("recorte", []), where)
    if len(reader.mistakes) > before:
        return None
    return Empresa(
        **values,
        contas=tuple(Conta(**conta) for conta in contas),
        parametros=Parametros(**parametros),
        cenarios=cenarios,
        recortes=recortes,
    )


def _find_twice(ids: Iterable[int]) -> list[int]:
    return sorted(number for number, count in Counter(ids).items() if count > 1)


def _read_desk(reader: Reader, values: dict[str, Any], regua: Iterable[EtapaRegua], where: str, place: _Place) -> None:
    """Complete what is set of the collections desk: its folder made absolute, its texts those of steps there are."""
    if values.get("pasta_cobranca"):
        values["pasta_cobranca"] = os.path.normpath((place.folder / values["pasta_cobranca"]).absolute())
        if place.keeps(values["pasta_cobranca"], values.get("id")):
            reader.wrong(
                f"{where}.pasta_cobranca",
                "lies where lastro keeps files of its own; write another folder, or leave it out for relatorios",
            )
    steps = (LEMBRETE, *(step.nome for step in regua), DAR_BAIXA)
    for name in values.get("textos_cobranca", {}):
        if name not in steps:
            reader.wrong(f"{where}.textos_cobranca", f"no step «{name}»; the steps are {', '.join(steps)}")


def _name_table(table: object, key: str, position: int) -> str:
    """Name a table in messages: by its own id or name, else by its position."""
    name = table.get(key) if isinstance(table, dict) else None
    return str(name) if isinstance(name, str) or (isinstance(name, int) and abs(name) <= MAX_INTEGER) else str(position)


def _read_access(reader: Reader, table: dict[str, object], where: str, values: dict[str, Any], folder: Path) -> None:
    """Read how the company's service is reached: its token, the certificates to trust, whether unencrypted."""
    if ("token_env" in table) == ("token_file" in table):
        both = "token_file is given too; keep one of them"
        reader.wrong(
            f"{where}.token_env",
            both if "token_env" in table else "missing; environment variable that holds the token, or token_file",
        )
    if "token_file" in values:
        values["token_file"] = str((folder / values["token_file"]).absolute())
    if "certificados" in values:
        try:
            values["certificados"] = read_certificates(folder / values["certificados"])
        except Wrong as wrong:
            reader.wrong(f"{where}.certificados", str(wrong))
    if is_unencrypted(values.get("base_url", "")) and not values.get("permitir_http"):
        reader.wrong(
            f"{where}.base_url",
            "token and books would cross the network unencrypted; write https://, or permitir_http = true beside it",
        )


_CENARIO_PARTS: Final[Mapping[str, type[Atraso] | type[Queda] | type[Avulso]]] = {
    "atrasos": Atraso,
    "quedas": Queda,
    "avulsos": Avulso,
}


def _read_cenarios(reader: Reader, value: object, where: str) -> tuple[Cenario, ...]:
    cenarios = []
    tables = reader.tables(value, "empresa.cenario")
    if len(tables) > MAX_CENARIOS:
        reader.wrong(f"{where}.cenario", f"{len(tables)} scenarios; at most {MAX_CENARIOS} can be read side by side")
    seen: dict[str, str] = {}
    for position, table in enumerate(tables, 1):
        spot = f"{where}.cenario[{_name_table(table, 'nome', position)}]"
        before = len(reader.mistakes)
        values = reader.read(Cenario, table, spot, inner=tuple(_CENARIO_PARTS))
        if not isinstance(table, dict):
            continue
        for key, kind in _CENARIO_PARTS.items():
            values[key] = _read_inner(reader, kind, table.get(key, []), f"{spot}.{key}")
        for key, of in (("atrasos", "pessoa_id"), ("quedas", "categoria_id")):
            for twice in _find_twice(getattr(part, of) for part in values[key]):
                reader.wrong(f"{spot}.{key}.{of}", f"{twice} stands twice; say it once")
        if len(reader.mistakes) > before:
            continue
        _demand_own_name(reader, spot, values["nome"], seen, "scenario")
        if values.get("calote_pct") is None and not any(values[key] for key in _CENARIO_PARTS):
            reader.wrong(spot, "changes nothing; add calote_pct, atrasos, quedas or avulsos")
        cenarios.append(Cenario(**values))
    return tuple(cenarios)


def _read_recortes(reader: Reader, value: object, where: str) -> tuple[Recorte, ...]:
    recortes = []
    seen: dict[str, str] = {}
    for position, table in enumerate(reader.tables(value, "empresa.recorte"), 1):
        spot = f"{where}.recorte[{_name_table(table, 'nome', position)}]"
        before = len(reader.mistakes)
        values = reader.read(Recorte, table, spot)
        if len(reader.mistakes) > before:
            continue
        recorte = Recorte(**values)
        _demand_own_name(reader, spot, recorte.nome, seen, "scope")
        if not (recorte.contas or recorte.centros or recorte.pessoas or recorte.tags):
            reader.wrong(spot, "leaves nothing out; add contas, centros, pessoas or tags")
        recortes.append(recorte)
    return tuple(recortes)


def _demand_own_name(reader: Reader, spot: str, nome: str, seen: dict[str, str], what: str) -> None:
    slug = name_slug(nome)
    if slug in seen:
        reader.wrong(f"{spot}.nome", f"reads like «{seen[slug]}»; every {what} needs a name of its own")
    seen[slug] = nome


def _read_inner(reader: Reader, kind: type[Any], value: object, where: str) -> tuple[Any, ...]:
    """Read a list of small tables; a wrong one is told and left out."""
    found = []
    for position, table in enumerate(reader.tables(value, where), 1):
        before = len(reader.mistakes)
        values = reader.read(kind, table, f"{where}[{position}]")
        if len(reader.mistakes) == before:
            found.append(kind(**values))
    return tuple(found)


def _read_saldos(reader: Reader, value: object, where: str) -> tuple[SaldoConferido, ...]:
    saldos = []
    for position, table in enumerate(reader.tables(value, f"{where}.saldos_conferidos"), 1):
        values = reader.read(SaldoConferido, table, f"{where}.saldos_conferidos[{position}]")
        if len(values) == 2:
            saldos.append(SaldoConferido(**values))
    return tuple(saldos)


def _settings_from_env(env: Mapping[str, str], cwd: Path) -> Settings:
    origem = "environment"
    reader = Reader(origem)
    if not env.get(ENV_BASE_URL):
        raise ConfigError(
            f"{cwd / FILE_NAME}: no such file, and {ENV_BASE_URL} is not set. Write a {FILE_NAME} (`lastro sandbox` "
            f"prints one), or set {ENV_BASE_URL}, {ENV_TOKEN}, {ENV_CONTAS} and {ENV_DIR}."
        )
    base_url = ""
    try:
        base_url = parse_base_url(env[ENV_BASE_URL])
    except Wrong as wrong:
        reader.wrong(ENV_BASE_URL, str(wrong))
    if is_unencrypted(base_url):
        reader.wrong(
            ENV_BASE_URL,
            "token and books would cross the network unencrypted; write https://, or permitir_http = true in a "
            f"{FILE_NAME}",
        )
    contas: list[Conta] = []
    for part in filter(None, (piece.strip() for piece in env.get(ENV_CONTAS, "").split(","))):
        if not re.fullmatch("[1-9][0-9]{0,17}", part) or int(part) in {conta.conta_id for conta in contas}:
            reader.wrong(ENV_CONTAS, "write distinct account ids separated by commas, such as 101,102")
            break
        contas.append(Conta(conta_id=int(part)))
    if reader.mistakes:
        raise ConfigError(reader.mistakes)
    empresa = Empresa(id="empresa", nome="Empresa", base_url=base_url, token_env=ENV_TOKEN, contas=tuple(contas))
    return Settings((cwd / (env.get(ENV_DIR) or "dados")).absolute(), DEFAULT_FUSO, (empresa,), origem)


def setting_rows(parametros: Parametros) -> list[tuple[str, str, str]]:
    """List the parameters for the sheet Parâmetros: name, value as text, meaning."""
    return [
        (item.name, _as_text(getattr(parametros, item.name)), str(item.metadata["about"]))
        for item in fields(parametros)
    ]


def _as_text(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "sim" if value else "não"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_as_text(element)}" for key, element in value.items()) or "–"
    if isinstance(value, tuple):
        return ", ".join(_as_text(element) for element in value) or "–"
    if isinstance(value, date):
        return f"{value:%d/%m/%Y}"
    return str(value)
