"""`lastro.toml` and the environment become frozen `Settings`; every mistake is named at once with file, key and fix.

The environment and the working folder arrive as parameters: only `cli.py`, `commands` and `pipelines` read them. The
token is read by `read_tokens`, apart from the settings, so that listing the companies never needs it and no `repr` can
show it.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any, Final

from lastro.errors import ConfigError, name_first
from lastro.folding import fold_person, slug
from lastro.settings.addresses import is_unencrypted, parse_base_url
from lastro.settings.bank_keys import find_key_mistakes
from lastro.settings.files import MAX_FILE_BYTES, read_text
from lastro.settings.model import (
    ENTRADA,
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
from lastro.settings.parsers import (
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
    parse_empresa_id,
)
from lastro.settings.reader import Reader

DEFAULT_FUSO: Final = "America/Sao_Paulo"
TABLES: Final = ("empresa", "grupo", "avisos", "retencao")
"""Tables of the settings file."""
_PART = r"(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')"
_DEEP_KEY = re.compile(rf"(?<![\w.\-\"']){_PART}(?:[ \t]*\.[ \t]*{_PART}){{32}}")
"""A key of many parts: the parser of TOML takes a quarter of a minute over 20,000 of them."""
_DIR = re.compile(r"""^[ \t]*dir[ \t]*=[ \t]*(["'])([^"'\n]+)\1""", re.MULTILINE)
DEFAULT_DIR: Final = "dados"
NO_VALUE: Final = "–"
"""What stored parameters and sheets have for one that is not set."""


def load_settings(config: Path | None, env: Mapping[str, str], cwd: Path) -> Settings:
    """Load the settings: the file given, else `lastro.toml` in the working folder, else the environment (one company).

    Args:
        config: the file named by `--config`, or None.
        env: the environment.
        cwd: the working folder.

    Raises:
        ConfigError: naming every mistake with file, key and fix.
    """
    path = find_settings_file(config, cwd)
    if config is None and not path.exists():
        return _settings_from_env(env, cwd)
    try:
        text = read_text(path, MAX_FILE_BYTES)
        if _DEEP_KEY.search(text):
            raise ConfigError(f"{path}: não vale aqui: uma chave de mais de 32 partes. Corrija essa linha.")
        document = tomllib.loads(text, parse_float=NumberLiteral)
        return _settings_from_document(document, str(path), path.parent)
    except FileNotFoundError:
        raise ConfigError(f"{path}: o arquivo não existe. Dê o caminho de um lastro.toml, ou tire --config.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: não é TOML válido: {str(error)[:200]}. Corrija essa linha.") from None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise ConfigError(f"{path}: não pode ser lido ({why}). Deve ser um arquivo de texto UTF-8.") from None
    except OverflowError:
        raise ConfigError(f"{path}: mais de {MAX_FILE_BYTES // 1000} kB; nenhuma configuração é tão grande.") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"{path}: um número ou um aninhamento passa do que se pode ler ({type(error).__name__}). Corrija."
        ) from None


def find_settings_file(config: Path | None, cwd: Path) -> Path:
    """Find the settings file: the one given, else that of the working folder."""
    return config if config is not None else cwd / FILE_NAME


def find_data_folder(path: Path) -> Path:
    """Find the data folder of a settings file that may be broken: its line `dir`, where that can be read."""
    try:
        text = read_text(path, MAX_FILE_BYTES)
    except (OSError, UnicodeDecodeError, OverflowError):
        text = ""
    match = _DIR.search(text)
    return (path.parent / (DEFAULT_DIR if match is None else match[2])).absolute()


def _settings_from_document(document: dict[str, object], origem: str, folder: Path) -> Settings:
    reader = Reader(origem)
    values = _read_host(reader, document)
    avisos, retencao = read_operation(reader, document, folder)
    tables = reader.tables(document.get("empresa", []), "empresa")
    if not tables:
        reader.wrong("empresa", "nenhuma empresa; acrescente [[empresa]] com id, nome, base_url e token_env")
    pasta, fuso = (folder / values.pop("dir")).absolute(), values.pop("fuso")
    named = {table.get("id") for table in tables if isinstance(table, dict) and isinstance(table.get("id"), str)}
    place = _Place(folder, pasta, frozenset({*named, *RESERVED_IDS}))
    empresas: list[Empresa] = []
    invalidas: dict[str, tuple[str, ...]] = {}
    seen: set[str | None] = set()
    for nth, table in enumerate(tables, 1):
        own = Reader(origem)
        empresa = _read_empresa(own, table, nth, place)
        empresa_id = empresa.id if empresa is not None else _find_id(table)
        if empresa_id is not None and empresa_id in seen:
            reader.wrong("empresa.id", f"«{empresa_id}» aparece duas vezes; cada empresa precisa do seu")
        seen.add(empresa_id)
        if empresa is not None:
            empresas.append(empresa)
        elif empresa_id is None:
            # Without a name of its own a mistake could be anybody's.
            reader.mistakes += own.mistakes
        else:
            invalidas[empresa_id] = tuple(own.mistakes)
    grupo = _read_grupo(reader, document.get("grupo", {}), named)
    if reader.mistakes or not empresas:
        raise ConfigError([*reader.mistakes, *(mistake for mistakes in invalidas.values() for mistake in mistakes)])
    told = {empresa_id: name_first(mistakes) for empresa_id, mistakes in invalidas.items()}
    return Settings(pasta, fuso, tuple(empresas), origem, grupo, told, avisos=avisos, retencao=retencao, **values)


def _read_host(reader: Reader, document: dict[str, object]) -> dict[str, Any]:
    """Read the keys outside every table: what holds for all companies."""
    parsers: dict[str, Parser] = {
        item.name: item.metadata["parse"] for item in fields(Settings) if "parse" in item.metadata
    }
    for key in document:
        if key not in (*parsers, *TABLES):
            tables = (f"[{table}]" for table in TABLES if table != "empresa")
            reader.refuse_unknown(key, (*parsers, "[[empresa]]", *tables))
    values: dict[str, Any] = {"dir": DEFAULT_DIR, "fuso": DEFAULT_FUSO}
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
        transfer = reader.read(GrupoTransferencia, pair, where)
        for side in ("de", "para"):
            if side in transfer and transfer[side] not in empresas:
                reader.wrong(f"{where}.{side}", "não há essa empresa; escreva o id de uma de [[empresa]]")
            if not any(transfer.get(f"{side}_{what}") for what in ("pessoas", "categorias")):
                reader.wrong(
                    f"{where}.{side}_pessoas",
                    f"nada nomeia os lançamentos em {side}; acrescente pessoas ou categorias",
                )
        if "de" in transfer and transfer.get("de") == transfer.get("para"):
            reader.wrong(f"{where}.para", "a mesma empresa; transferências dentro de uma empresa o serviço já conhece")
        if len(reader.mistakes) == before:
            transferencias.append(GrupoTransferencia(**transfer))
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
        """Tell whether a folder is lastro's own: the data folder, or in a company's, but for relatorios and entrada."""
        try:
            parts = Path(path).relative_to(os.path.normpath(self.pasta)).parts
        except ValueError:
            return False
        return not parts or (
            parts[0] in self.own and parts[:2] not in {(empresa_id, "relatorios"), (empresa_id, ENTRADA)}
        )


def _read_empresa(reader: Reader, table: object, nth: int, place: _Place) -> Empresa | None:
    where = f"empresa[{_name_table(table, 'id', nth)}]"
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
            read = conta_values["saldos_conferidos"]
            conta_values["saldos_conferidos"] = _read_inner(reader, SaldoConferido, read, f"{spot}.saldos_conferidos")
        contas.append(conta_values)
    for twice in _find_twice(conta["conta_id"] for conta in contas if "conta_id" in conta):
        reader.wrong(f"{where}.conta.conta_id", f"{twice} aparece duas vezes; liste cada conta uma vez")
    for conta_id, mistake in find_key_mistakes(contas):
        reader.wrong(f"{where}.conta[{conta_id}].extrato", mistake)
    parametros = reader.read(Parametros, table.get("parametros", {}), f"{where}.parametros")
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
    return sorted(repeated for repeated, count in Counter(ids).items() if count > 1)


def _check_approval(reader: Reader, values: Mapping[str, Any], where: str) -> None:
    """Refuse an approval that nobody can give, and names by which two people are not told apart."""
    least, approvers = values.get("aprovacao_minima"), values.get("aprovadores", ())
    if least is not None and least < 0:
        reader.wrong(f"{where}.aprovacao_minima", "é menor que 0; escreva 0 (todo pagamento) ou mais, ou tire a chave")
    if least is not None and not approvers:
        reader.wrong(
            f"{where}.aprovacao_minima", "sem aprovadores ninguém pode aprovar; liste quem aprova em aprovadores"
        )
    for key in ("aprovadores", "responsaveis"):
        nobody = [name for name in values.get(key, ()) if least is not None and not fold_person(name)]
        if nobody:
            reader.wrong(f"{where}.{key}", f"«{nobody[0]}» não é um nome em letras latinas; escreva o nome da pessoa")


def _read_desk(reader: Reader, values: dict[str, Any], regua: Iterable[EtapaRegua], where: str, place: _Place) -> None:
    """Complete what is set of people's files: folders made absolute, the texts of the desk those of steps there are."""
    _check_approval(reader, values, where)
    for key, usual in (("pasta_cobranca", "relatorios"), ("pasta_entrada", ENTRADA)):
        if values.get(key):
            values[key] = os.path.normpath((place.folder / values[key]).absolute())
            if place.keeps(values[key], values.get("id")):
                reader.wrong(
                    f"{where}.{key}",
                    f"fica onde o lastro guarda os próprios arquivos; escreva outra pasta, ou tire para usar {usual}",
                )
    steps = (LEMBRETE, *(step.nome for step in regua), DAR_BAIXA)
    for name in values.get("textos_cobranca", {}):
        if name not in steps:
            reader.wrong(f"{where}.textos_cobranca", f"não há etapa «{name}»; as etapas são {', '.join(steps)}")


def _name_table(table: object, key: str, position: int) -> str:
    """Name a table in messages: by its own id or name, else by its position."""
    name = table.get(key) if isinstance(table, dict) else None
    return str(name) if isinstance(name, str) or (isinstance(name, int) and abs(name) <= MAX_INTEGER) else str(position)


def _read_access(reader: Reader, table: dict[str, object], where: str, values: dict[str, Any], folder: Path) -> None:
    """Read how the company's service is reached: its token, the certificates to trust, whether unencrypted."""
    if ("token_env" in table) == ("token_file" in table):
        both = "token_file também foi dado; fique com um dos dois"
        reader.wrong(
            f"{where}.token_env",
            both if "token_env" in table else "falta; a variável de ambiente que guarda o token, ou token_file",
        )
    if "token_file" in values:
        values["token_file"] = str((folder / values["token_file"]).absolute())
    reader.certificates(values, where, folder)
    if is_unencrypted(values.get("base_url", "")) and not values.get("permitir_http"):
        reader.wrong(
            f"{where}.base_url",
            "token e livros passariam pela rede sem criptografia; escreva https://, ou permitir_http = true ao lado",
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
        reader.wrong(f"{where}.cenario", f"{len(tables)} cenários; no máximo {MAX_CENARIOS} se leem lado a lado")
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
                reader.wrong(f"{spot}.{key}.{of}", f"{twice} aparece duas vezes; diga uma só")
        if len(reader.mistakes) > before:
            continue
        _demand_own_name(reader, spot, values["nome"], seen, "cenário")
        if values.get("calote_pct") is None and not any(values[key] for key in _CENARIO_PARTS):
            reader.wrong(spot, "não muda nada; acrescente calote_pct, atrasos, quedas ou avulsos")
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
        _demand_own_name(reader, spot, recorte.nome, seen, "recorte")
        if not (recorte.contas or recorte.centros or recorte.pessoas or recorte.tags):
            reader.wrong(spot, "não deixa nada de fora; acrescente contas, centros, pessoas ou tags")
        recortes.append(recorte)
    return tuple(recortes)


def _demand_own_name(reader: Reader, spot: str, nome: str, seen: dict[str, str], what: str) -> None:
    called = slug(nome)
    if called in seen:
        reader.wrong(f"{spot}.nome", f"lê-se como «{seen[called]}»; cada {what} precisa de um nome só seu")
    seen[called] = nome


def _read_inner(reader: Reader, kind: type[Any], value: object, where: str) -> tuple[Any, ...]:
    """Read a list of small tables; a wrong one is told and left out."""
    inner = []
    for position, table in enumerate(reader.tables(value, where), 1):
        before = len(reader.mistakes)
        values = reader.read(kind, table, f"{where}[{position}]")
        if len(reader.mistakes) == before:
            inner.append(kind(**values))
    return tuple(inner)


def _settings_from_env(env: Mapping[str, str], cwd: Path) -> Settings:
    origem = "ambiente"
    reader = Reader(origem)
    if not env.get(ENV_BASE_URL):
        raise ConfigError(
            f"{cwd / FILE_NAME}: o arquivo não existe, e {ENV_BASE_URL} não está definida. Comece com lastro "
            f"iniciar, que escreve um {FILE_NAME}, ou defina {ENV_BASE_URL}, {ENV_TOKEN}, {ENV_CONTAS} "
            f"e {ENV_DIR}."
        )
    base_url = ""
    try:
        base_url = parse_base_url(env[ENV_BASE_URL])
    except Wrong as wrong:
        reader.wrong(ENV_BASE_URL, str(wrong))
    if is_unencrypted(base_url):
        reader.wrong(
            ENV_BASE_URL,
            "token e livros passariam pela rede sem criptografia; escreva https://, ou permitir_http = "
            f"true num {FILE_NAME}",
        )
    contas: list[Conta] = []
    for part in filter(None, (piece.strip() for piece in env.get(ENV_CONTAS, "").split(","))):
        if not re.fullmatch("[1-9][0-9]{0,17}", part) or int(part) in {conta.conta_id for conta in contas}:
            reader.wrong(ENV_CONTAS, "escreva ids de contas distintos separados por vírgulas, como 101,102")
            break
        contas.append(Conta(conta_id=int(part)))
    if reader.mistakes:
        raise ConfigError(reader.mistakes)
    empresa = Empresa(id="empresa", nome="Empresa", base_url=base_url, token_env=ENV_TOKEN, contas=tuple(contas))
    return Settings((cwd / (env.get(ENV_DIR) or DEFAULT_DIR)).absolute(), DEFAULT_FUSO, (empresa,), origem)


def setting_rows(parametros: Parametros) -> list[tuple[str, str, str]]:
    """List the parameters for the sheet Parâmetros: name, value as text, meaning."""
    return [
        (item.name, _as_text(getattr(parametros, item.name)), str(item.metadata["about"]))
        for item in fields(parametros)
    ]


def _as_text(value: object) -> str:
    if value is None:
        return NO_VALUE
    if isinstance(value, bool):
        return "sim" if value else "não"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_as_text(element)}" for key, element in value.items()) or NO_VALUE
    if isinstance(value, tuple):
        return ", ".join(_as_text(element) for element in value) or NO_VALUE
    if isinstance(value, date):
        return f"{value:%d/%m/%Y}"
    return str(value)
