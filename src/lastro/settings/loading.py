"""`lastro.toml` and the environment become frozen `Settings`; every mistake is named at once with file, key and fix.

The environment and the working folder arrive as parameters: only `cli.py`, `commands` and `pipelines` read them. The
token is read by `read_tokens`, apart from the settings, so that listing the companies never needs it and no `repr` can
show it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any, Final

from lastro.errors import ConfigError, name_first
from lastro.settings.addresses import is_unencrypted, parse_base_url
from lastro.settings.document import demand_trust, find_settings_file, read_document, stands
from lastro.settings.files import read_secret
from lastro.settings.ladder import DAR_BAIXA, LEMBRETE
from lastro.settings.model import DEFAULT_DIR, DEFAULT_FUSO, ENTRADA, IN_CLEAR, Conta, Empresa, Parametros, Settings
from lastro.settings.parsers import (
    ENV_BASE_URL,
    ENV_CONTAS,
    ENV_DIR,
    ENV_TOKEN,
    FILE_NAME,
    RESERVED_IDS,
    Wrong,
    parse_empresa_id,
)
from lastro.settings.reader import Reader, find_keys

NO_VALUE: Final = "–"
"""What stored parameters and sheets have for one that is not set."""


def load_settings(config: Path | None, env: Mapping[str, str], cwd: Path) -> Settings:
    """Load the settings: the file given, else `lastro.toml` of the working folder, else the environment (one company).

    Where neither says anything, the nearest `lastro.toml` above the working folder counts, as git finds its own.

    Args:
        config: the file named by `--config`, or None.

    Raises:
        ConfigError: naming every mistake with file, key and fix.
    """
    path = find_settings_file(config, cwd)
    above = config is None and path.parent != cwd
    if (above and env.get(ENV_BASE_URL)) or (config is None and not stands(path)):
        return _settings_from_env(env, cwd)
    if above:
        demand_trust(path)
    try:
        return _settings_from_document(read_document(path), str(path), path.parent)
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"{path}: um número ou um aninhamento passa do que se pode ler ({type(error).__name__}). Corrija."
        ) from None


def _settings_from_document(document: dict[str, Any], origem: str, folder: Path) -> Settings:
    reader = Reader(origem, folder, Settings)
    values, _ = reader.read_values(Settings, document, "", leave=("empresa",))
    values.setdefault("dir", (folder / DEFAULT_DIR).absolute())
    if (file := _find_file(values["dir"])) is not None:
        reader.wrong("dir", f"{file} é um arquivo; escreva uma pasta")
    tables = list(reader.tables(find_keys(Settings)["empresa"], document.get("empresa", []), "empresa"))
    if not tables:
        reader.wrong("empresa", "nenhuma empresa; acrescente [[empresa]] com id, nome, base_url e token_env")
    named = {table["id"] for _, table in tables if isinstance(table, dict) and isinstance(table.get("id"), str)}
    pasta, own = os.path.normpath(values["dir"]), {*named, *RESERVED_IDS}
    empresas, invalidas = _read_companies(reader, tables, pasta, own)
    for position, pair in enumerate(values["grupo"].transferencias if "grupo" in values else (), 1):
        for side in ("de", "para"):
            if getattr(pair, side) not in {*named, None}:
                what = "não há essa empresa; escreva o id de uma de [[empresa]]"
                reader.wrong(f"grupo.transferencia[{position}].{side}", what)
    if reader.mistakes or not empresas:
        raise ConfigError([*reader.mistakes, *(mistake for mistakes in invalidas.values() for mistake in mistakes)])
    told = {empresa_id: name_first(mistakes) for empresa_id, mistakes in invalidas.items()}
    return Settings(**values, empresas=tuple(empresas), origem=origem, invalidas=told)


def _find_file(folder: Path) -> Path | None:
    """Find what keeps a folder from being made, because it is none: the path itself or the nearest one above it."""
    for place in (folder, *folder.parents):
        try:
            return None if stat.S_ISDIR(place.stat().st_mode) else place
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError):
            return None  # what writes there says it
    return None


def _read_companies(
    reader: Reader, tables: Iterable[tuple[str, object]], pasta: str, own: Collection[object]
) -> tuple[list[Empresa], dict[str, list[str]]]:
    """Read each company apart, so that its mistakes stop it alone: the right ones, and the mistakes of the others."""
    empresas: list[Empresa] = []
    invalidas: dict[str, list[str]] = {}
    seen: set[str] = set()
    for where, table in tables:
        alone = Reader(reader.origem, reader.folder, Settings)
        empresa = alone.read(Empresa, table, where)
        for key, mistake in _find_kept(empresa, pasta, own):
            alone.wrong(f"{where}.{key}", mistake)
        empresa_id = _find_id(table)
        if empresa_id is None:
            # Without a name of its own a mistake could be anybody's.
            reader.mistakes += alone.mistakes
            continue
        if empresa_id in seen:
            reader.wrong("empresa.id", f"«{empresa_id}» aparece duas vezes; cada empresa precisa do seu")
        seen.add(empresa_id)
        if alone.mistakes:
            invalidas[empresa_id] = alone.mistakes
        else:
            empresas.append(empresa)
    return empresas, invalidas


def _find_id(table: object) -> str | None:
    """Return the id of a company's table whose other keys may be wrong; None when the id itself is."""
    try:
        return parse_empresa_id(table["id"]) if isinstance(table, dict) and "id" in table else None
    except Wrong:
        return None


def _find_kept(empresa: Empresa | None, pasta: str, own: Collection[object]) -> Iterator[tuple[str, str]]:
    """Yield the folders of people where lastro keeps its files: `pasta`, or one of its `own` in it.

    Of a company's folders relatorios and entrada are for people, too.
    """
    for key, usual in (("pasta_cobranca", "relatorios"), ("pasta_entrada", ENTRADA)):
        path = Path(getattr(empresa, key, ""))
        if empresa is None or not path.is_relative_to(pasta):
            continue
        parts = path.relative_to(pasta).parts
        if not parts or (parts[0] in own and parts[:2] not in {(empresa.id, "relatorios"), (empresa.id, ENTRADA)}):
            what = f"escreva outra pasta, ou tire para usar {usual}"
            yield key, f"fica onde o lastro guarda os próprios arquivos; {what}"


def _settings_from_env(env: Mapping[str, str], cwd: Path) -> Settings:
    origem = "ambiente"
    reader = Reader(origem, cwd, Settings)
    if not env.get(ENV_BASE_URL):
        raise ConfigError(
            f"{cwd / FILE_NAME}: o arquivo não existe, nem numa pasta acima desta. Vá à pasta do seu {FILE_NAME}, ou "
            "dê --config; se ainda não há nenhum, comece com lastro iniciar, que escreve um, ou defina "
            f"{ENV_BASE_URL}, {ENV_TOKEN}, {ENV_CONTAS} e {ENV_DIR}."
        )
    base_url = ""
    try:
        base_url = parse_base_url(env[ENV_BASE_URL])
    except Wrong as wrong:
        reader.wrong(ENV_BASE_URL, str(wrong))
    if is_unencrypted(base_url):
        reader.wrong(ENV_BASE_URL, IN_CLEAR.replace("ao lado", f"num {FILE_NAME}"))
    contas: list[Conta] = []
    for part in filter(None, (piece.strip() for piece in env.get(ENV_CONTAS, "").split(","))):
        if not re.fullmatch("[1-9][0-9]{0,17}", part) or int(part) in {conta.conta_id for conta in contas}:
            reader.wrong(ENV_CONTAS, "escreva ids de contas distintos separados por vírgulas, como 101,102")
            break
        contas.append(Conta(conta_id=int(part)))
    pasta = (cwd / (env.get(ENV_DIR) or DEFAULT_DIR)).absolute()
    if (file := _find_file(pasta)) is not None:
        reader.wrong(ENV_DIR, f"{file} é um arquivo; escreva uma pasta")
    if reader.mistakes:
        raise ConfigError(reader.mistakes)
    empresa = Empresa(id="empresa", nome="Empresa", base_url=base_url, token_env=ENV_TOKEN, contas=tuple(contas))
    return Settings(pasta, DEFAULT_FUSO, (empresa,), origem)


def read_tokens(settings: Settings, empresas: Iterable[Empresa], env: Mapping[str, str]) -> dict[str, str]:
    """Read the tokens of companies from the environment, or from the files that hold them.

    Returns:
        Company id -> token. Never print it, store it or put it into an error.

    Raises:
        ConfigError: naming every variable and file that is missing, empty or without a token, and every file that
            others may write.
    """
    tokens: dict[str, str] = {}
    mistakes = []
    for empresa in empresas:
        key, example = ("token_file", "") if empresa.token_file else ("token_env", f": export {empresa.token_env}=...")
        try:
            tokens[empresa.id] = read_secret(empresa.token_env, empresa.token_file, env)
        except Wrong as wrong:
            mistakes.append(
                f"{settings.origem}: empresa[{empresa.id}].{key}: {wrong}. Ponha ali o token de acesso do "
                f"serviço{example or '.'}"
            )
    if mistakes:
        raise ConfigError(mistakes)
    return tokens


def setting_rows(parametros: Parametros) -> list[tuple[str, str, str]]:
    """List the parameters for the sheet Parâmetros: name, value as text, meaning."""
    return [
        (item.name, _as_text(getattr(parametros, item.name)), str(item.metadata["about"]))
        for item in fields(parametros)
    ]


def typed_settings(parametros: Parametros) -> dict[str, object]:
    """List what SQL computes by, typed: the columns of a row of `ops.calculo`, by name."""
    sides = [
        (f"{name}_{side}", percent)
        for name, each in (("multa", parametros.multa_pct), ("juros", parametros.juros_pct_mes))
        for side, percent in each.items()
    ]
    return {
        "competencia_nula": parametros.competencia_nula,
        "vence_em_dia_util": parametros.venc_regra == "dia_util",
        "historico_meses": parametros.historico_meses,
        **{f"horizonte_{unit}": length for unit, length in parametros.horizonte.items()},
        "categorias_antecipam": list(parametros.categorias_antecipam),
        "categorias_tributos": list(parametros.categorias_tributos),
        "formas_sem_cobranca": list(parametros.formas_sem_cobranca),
        "pessoas_sem_cobranca": list(parametros.pessoas_sem_cobranca),
        "composto_valor_pai": parametros.composto_valor_pai,
        "mapa_classifica": bool({*parametros.dre_mapa.values()} - {"fora", "divida"}),
        "mapeadas": list(parametros.dre_mapa),
        "mapa_tolerancia_pct": parametros.dre_mapa_tolerancia_pct,
        "inadimplencia_dias": parametros.inadimplencia_dias,
        "fazer_minimo": parametros.fazer_minimo,
        **dict(sides),
        "regua": ["", DAR_BAIXA, LEMBRETE, *(step.nome for step in parametros.regua)],
        "regua_ate": [step.ate_dias for step in parametros.regua[:-1]],
    }


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
