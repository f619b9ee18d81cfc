"""What is wrong with an installation, or soon will be: every diagnosis with its cure. Nothing is changed.

Of the service one documented question is asked a company (the list of categories), and only the service that its books
came from: an address that changed is told, and not sent the token. What the companies' runs came to says `state`.
"""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from lastro.api.client import Client
from lastro.api.endpoints import REFERENCIAS
from lastro.api.retry import RetryPolicy
from lastro.errors import ConfigError, LastroError, NoticeNotSent, join_keys
from lastro.extras import is_installed
from lastro.files import may_write, refuse_access
from lastro.grid.words import count_text, format_date, format_moment
from lastro.operation.causes import find_cure
from lastro.operation.channels import open_channels
from lastro.operation.notice_text import compose_rehearsal
from lastro.operation.records import CONFIG, look_for_limit
from lastro.operation.retention import plan_removals
from lastro.operation.scheduler import read_scheduler
from lastro.operation.state import AHEAD, REFUSED, WRONG, CompanyState, read_states
from lastro.run.access import find_notices
from lastro.run.origin import name_service
from lastro.schema.tables import SCHEMA_VERSION
from lastro.settings import Empresa, Settings, read_tokens
from lastro.settings.files import name_holder
from lastro.warehouse.file.migration import OLDEST
from lastro.warehouse.file.store import LINK_NAME
from lastro.warehouse.loading.dialect import read_published_dialect
from lastro.warehouse.publication.category_map import read_ids_of_books
from lastro.warehouse.publication.published_run import read_provenance

OK, AVISO, ERRO = "ok", "aviso", "erro"
ACCESS, FOLDER = "acesso", "pasta de dados"
"""Whether a company's folder may be entered, and whether a run could write."""
PATIENCE: Final = RetryPolicy(attempts=2, first_attempts=2, base=0.5, cap=2.0, patience=30.0, silence=30.0)
"""Somebody is waiting for the answer."""
CLOCK_SECONDS: Final = 120
_UNSEEN: Final = "a UI não mostra o que lastro run publica (sensor execucoes_de_fora)"
_OF_CATEGORIES: Final = ("dre_mapa", "categorias_tributos", "categorias_antecipam", "saldo_inicial_categorias")
_PACKAGES: Final = ("lastro", "duckdb", "pandas", "httpx", "openpyxl", "dagster")


@dataclass(frozen=True)
class Diagnosis:
    """One thing that was looked at, and how it stands.

    Attributes:
        o_que: what was looked at.
        nivel: OK, AVISO or ERRO.
        achado: what was found.
        cura: what to do; empty where nothing has to be done.
        empresa: whose; empty for the installation.
    """

    o_que: str
    nivel: str
    achado: str
    cura: str = ""
    empresa: str = ""

    def describe(self) -> dict[str, Any]:
        """Describe it for JSON."""
        return asdict(self)


def examine(
    settings: Settings, env: Mapping[str, str], now: datetime, *, ask: bool, send: bool = False
) -> Iterator[Diagnosis]:
    """Look at everything, the installation first.

    Args:
        env: the environment, for tokens.
        now: the clock, UTC.
        ask: whether to ask the services.
        send: whether to send a notice that says that it is a rehearsal.
    """
    yield _check_versions()
    yield from _check_disk(settings)
    yield from _check_modes(settings)
    states = read_states(settings, now)
    yield from _check_dagster(settings, env, now, used=any(not _is_new(state) for state in states))
    yield _check_notices(settings)
    if send:
        yield from _rehearse_notices(settings, env, now)
    yield from _check_retention(settings, now)
    for state in states:
        yield from _check_company(settings, state, env, now, ask=ask)


def _check_versions() -> Diagnosis:
    versions = [f"Python {platform.python_version()}", f"esquema {SCHEMA_VERSION}"]
    for name in _PACKAGES:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return Diagnosis("versões", OK, ", ".join(versions))


def _check_disk(settings: Settings) -> Iterator[Diagnosis]:
    folder = next(path for path in (settings.dir, *settings.dir.parents) if path.is_dir())
    free = shutil.disk_usage(folder).free // 1_000_000
    least = settings.avisos.disco_minimo_mb
    if free < least:
        yield Diagnosis(
            "disco", ERRO, f"restam {free} MB; o mínimo é {least}", "libere espaço: lastro limpar --simular"
        )
    else:
        yield Diagnosis("disco", OK, f"restam {free} MB")
    if not may_write(folder):
        yield Diagnosis(FOLDER, ERRO, str(refuse_access(settings.dir)), "até lá nenhuma execução escreve")
    elif folder != settings.dir:
        yield Diagnosis(FOLDER, OK, f"{settings.dir}: a primeira execução cria")


def _check_modes(settings: Settings) -> Iterator[Diagnosis]:
    notices = find_notices(settings, settings.empresas)
    for notice in notices:
        yield Diagnosis("permissões", AVISO, notice, "lastro manual Arquivos")
    if not notices:
        yield Diagnosis("permissões", OK, "só quem roda o lastro, ou o grupo de leitores, lê o que ele escreve")


def _is_new(state: CompanyState) -> bool:
    """Whether a company has not run yet, which is how every one begins."""
    return not (state.publicada or state.falha or state.andamento or state.interrompida)


def _check_dagster(settings: Settings, env: Mapping[str, str], now: datetime, *, used: bool) -> Iterator[Diagnosis]:
    if not is_installed("dagster"):
        yield Diagnosis("agendador", OK, "o Dagster não está instalado: um temporizador do sistema roda lastro run")
        return
    yield from _check_instance(settings, env)
    scheduler = read_scheduler(settings.dir)
    if scheduler is None and not used:
        yield Diagnosis("agendador", OK, "ainda não rodou aqui", "depois da primeira execução: lastro dev")
    elif scheduler is None:
        yield Diagnosis(
            "agendador",
            AVISO,
            f"nunca deu sinal de vida aqui: {_UNSEEN}",
            "lastro dev, ou o serviço em pipelines/lastro_pipelines/deploy",
        )
    elif not scheduler.is_alive(now):
        since = format_moment(scheduler.vivo_em, settings.fuso)
        yield Diagnosis("agendador", ERRO, f"parado desde {since}: {_UNSEEN}", "inicie o serviço de novo")
    elif not scheduler.de_fora:
        yield Diagnosis("agendador", AVISO, f"de pé, com o sensor desligado: {_UNSEEN}", "ligue-o na UI, em Sensors")
    elif scheduler.proxima is None:
        yield Diagnosis(
            "agendador", AVISO, "de pé, com o horário das 06:00 desligado", "ligue o horário na UI, em Schedules"
        )
    else:
        yield Diagnosis("agendador", OK, f"de pé; próxima execução {format_moment(scheduler.proxima, settings.fuso)}")


def _check_instance(settings: Settings, env: Mapping[str, str]) -> Iterator[Diagnosis]:
    try:
        home, limited = look_for_limit(settings, env)
    except ConfigError as error:
        yield Diagnosis("agendador", ERRO, str(error), error.cure)
    except ValueError as error:
        yield Diagnosis(CONFIG, ERRO, f"não pode ser lido: {error}", "corrija, ou tire do lugar: vem um novo")
    else:
        if not limited:
            text = f"{home}: falta: tag_concurrency_limits: lastro/uma_por_vez"
            yield Diagnosis(CONFIG, AVISO, text, "acrescente o que lastro dev --mostrar imprime")
        elif (home / CONFIG).is_file():
            yield Diagnosis(CONFIG, OK, "as execuções de uma empresa esperam umas pelas outras")


def _check_notices(settings: Settings) -> Diagnosis:
    avisos = settings.avisos
    ways = [name for name, way in (("e-mail", avisos.email), ("webhook", avisos.webhook)) if way is not None]
    if ways:
        return Diagnosis("avisos", OK, f"por {' e '.join(ways)}")
    return Diagnosis(
        "avisos", AVISO, "ninguém é avisado quando algo falha", "lastro manual Avisos mostra o que escrever"
    )


def _rehearse_notices(settings: Settings, env: Mapping[str, str], now: datetime) -> Iterator[Diagnosis]:
    """Send a message that says that it is a rehearsal over every channel; nothing is kept of it."""
    notice = compose_rehearsal(settings.fuso, now, platform.node())
    for channel in open_channels(settings.avisos, env):
        level = AVISO
        try:
            why = channel.send(notice, now)
        except NoticeNotSent as error:
            level, why = ERRO, str(error)
        if why:
            yield Diagnosis("ensaio de aviso", level, f"{channel.nome}: {why}", "corrija [avisos] e ensaie de novo")
        else:
            yield Diagnosis("ensaio de aviso", OK, f"{channel.nome}: aceito; veja se chegou")


def _check_retention(settings: Settings, now: datetime) -> Iterator[Diagnosis]:
    try:
        plan = plan_removals(settings, now)
    except LastroError as error:
        yield Diagnosis("retenção", ERRO, str(error), error.cure)
        return
    size = sum(removal.bytes for removal in plan.going) // 1_000_000
    text = f"{count_text(len(plan.going), 'item sairia', 'itens sairiam')}, {size} MB"
    yield Diagnosis("retenção", OK, text, "lastro limpar --simular mostra quais" if plan.going else "")
    if plan.warnings:
        more = f" (e mais {len(plan.warnings) - 3})" if len(plan.warnings) > 3 else ""
        held = "; ".join(plan.warnings[:3]) + more
        yield Diagnosis("retenção", AVISO, held, "veja o relógio; a próxima execução publicada o resolve")


def _check_company(
    settings: Settings, state: CompanyState, env: Mapping[str, str], now: datetime, *, ask: bool
) -> Iterator[Diagnosis]:
    own, cure = state.empresa, find_cure(state, settings.avisos, now)
    if state.fechada:
        yield Diagnosis(ACCESS, ERRO, " ".join(state.erros), cure, own)
        return
    if state.pasta.is_dir() and not may_write(state.pasta):
        yield Diagnosis(FOLDER, ERRO, str(refuse_access(state.pasta)), "até lá nenhuma execução escreve", own)
    if state.erros:
        what = "configuração" if state.situacao == WRONG else "arquivo"
        yield Diagnosis(what, ERRO, " ".join(state.erros), cure, own)
    elif _is_new(state):
        yield Diagnosis("execuções", OK, "nenhuma ainda", f"lastro run --empresa {own}", own)
    elif state.is_fresh and not cure:
        yield Diagnosis("execuções", OK, "em dia", "", own)
    else:
        # What every further run meets too is an error, and no matter of waiting.
        level = ERRO if state.situacao in (AHEAD, REFUSED) else AVISO
        found = state.situacao if state.adiante is None else f"{state.situacao}: {state.adiante.fact}"
        yield Diagnosis("execuções", level, found, cure or "lastro estado", own)
    empresa = next((candidate for candidate in settings.empresas if candidate.id == own), None)
    if empresa is None:
        return
    yield from _check_file(state)
    if (state.pasta / LINK_NAME).exists():
        yield from _check_ids(empresa, state.pasta)
    try:
        token = read_tokens(settings, [empresa], env)[own]
    except ConfigError as error:
        yield Diagnosis("token", ERRO, str(error), error.cure, own)
        return
    if ask:
        yield from _ask(state.pasta, empresa, token)


def _check_file(state: CompanyState) -> Iterator[Diagnosis]:
    try:
        origin = read_provenance(state.pasta)
        days = read_published_dialect(state.pasta)
    except LastroError as error:
        yield Diagnosis("arquivo", ERRO, str(error), error.cure, state.empresa)
        return
    if origin is None:
        return
    if origin.esquema < SCHEMA_VERSION:
        text = f"esquema {origin.esquema}; esta versão tem o {SCHEMA_VERSION}"
        level, cure = AVISO, "a próxima execução migra, com uma cópia antes"
        if origin.esquema < OLDEST:
            level, cure = ERRO, "antigo demais: guarde a pasta da empresa em outro lugar e rode, tudo é lido de novo"
        yield Diagnosis("migração", level, text, cure, state.empresa)
    if days:
        known, since = days[0][1], days[0][0]
        for day, dialect, _ in days[1:]:
            if dialect != known:
                break
            since = day
        told = known.describe()
        text = ", ".join(f"{name}: {_say(value)}" for name, value in told.items())
        yield Diagnosis("dialeto do serviço", OK, f"{text} (desde {format_date(since)})", "", state.empresa)


def _check_ids(empresa: Empresa, pasta: Path) -> Iterator[Diagnosis]:
    """Tell the categories and cost centres that the settings name and the published books do not have."""
    try:
        categories, centres = read_ids_of_books(pasta)
    except LastroError:
        return  # `_check_file` says why
    own = empresa.parametros
    named = {key: (getattr(own, key), categories) for key in _OF_CATEGORIES}
    named |= {f"recorte[{one.nome}].centros": (one.centros, centres) for one in empresa.recortes}
    for key, (ids, known) in named.items():
        if unknown := [one for one in ids if one not in known]:
            text = f"{key} nomeia {join_keys(unknown)}, que os livros não têm"
            yield Diagnosis("ids da configuração", AVISO, text, "corrija o id, ou apague a linha", empresa.id)


def _say(value: object) -> str:
    if value is None:
        return "não visto"
    if isinstance(value, bool):
        return "legível" if value else "ilegível"
    return " ".join(map(str, value)) or "nenhuma" if isinstance(value, list) else str(value)


def _ask(pasta: Path, empresa: Empresa, token: str) -> Iterator[Diagnosis]:
    """Ask one documented question."""
    here = name_service(empresa.base_url)
    origin = read_provenance(pasta) if (pasta / LINK_NAME).exists() else None
    if origin is not None and origin.host is not None and name_service(origin.host) != here:
        yield Diagnosis(
            "serviço", ERRO, f"base_url é {here}, e estes livros são de {name_service(origin.host)}: nada foi pedido",
            "lastro manual OriginHeld", empresa.id,
        )  # fmt: skip
        return
    endpoint = REFERENCIAS["categorias"]
    client = Client(
        empresa.base_url,
        token,
        holder=name_holder(empresa.token_env, empresa.token_file),
        limites=empresa.limites,
        certificados=empresa.certificados,
        policy=PATIENCE,
    )
    try:
        client.get_json(endpoint.path, endpoint.params, shape="list", whole=True)
        yield Diagnosis("token", OK, f"{here} aceita o token", "", empresa.id)
        yield from _check_clock(client.clock_offset, empresa.id)
    except LastroError as error:
        yield Diagnosis("serviço", ERRO, str(error), error.cure, empresa.id)
    finally:
        client.close()


def _check_clock(offset: timedelta | None, empresa: str) -> Iterator[Diagnosis]:
    if offset is None:
        return
    seconds = abs(round(offset.total_seconds()))
    side = "adiantado" if offset > timedelta(0) else "atrasado"
    if seconds > CLOCK_SECONDS:
        text = f"o relógio desta máquina está {seconds} s {side} em relação ao do serviço"
        yield Diagnosis("relógio", AVISO, text, "acerte o relógio (timedatectl set-ntp true)", empresa)
    else:
        yield Diagnosis("relógio", OK, f"{seconds} s de diferença", "", empresa)
