"""`lastro.toml` and the environment become frozen `Settings`; every mistake is named at once with file, key and fix.

The environment and the working folder arrive as parameters: only `cli.py` and `pipelines/` read them. The token is read
by `read_tokens`, apart from the settings, so that listing the companies never needs it and no `repr` can show it.
"""

from __future__ import annotations

import itertools
import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from lastro.errors import ConfigError
from lastro.money import parse_centavos, to_decimal

FILE_NAME = "lastro.toml"
DEFAULT_LIMITES = ("100/60s", "200/300s")
DRE_GRUPOS = (
    "receita_bruta",
    "deducoes",
    "custos_variaveis",
    "pessoal",
    "administrativas",
    "comerciais",
    "financeiro",
    "outras",
    "ir_csll",
    "fora",
)
_LIMITE = re.compile(r"^[1-9][0-9]{0,5}/[1-9][0-9]{0,5}s$")
_EMPRESA_ID = re.compile(r"^[a-z0-9_-]{1,64}$")
RESERVED_IDS = frozenset({"dagster", "grupo"})
"""Folders of the data folder that are not companies."""
MAX_ID = 10**18 - 1
MAX_DAYS, MAX_MONTHS = 3_660, 120
"""Ten years: what is further off is a slip of the keyboard that would cost minutes or leave the calendar."""
MAX_NOME, MAX_CENARIOS = 40, 12
"""A scenario is a column of R02 and R03: more would not be read."""
_ENV_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
ENV_BASE_URL, ENV_TOKEN, ENV_CONTAS, ENV_DIR = (
    "LASTRO_BASE_URL",
    "LASTRO_ACCESS_TOKEN",
    "LASTRO_CONTAS",
    "LASTRO_DIR",
)

Parser = Callable[[object], Any]


class _Wrong(Exception):
    """One value is wrong; the text says what is expected."""


class _NumberLiteral(str):
    """A TOML number with a fraction or exponent, by its literal: money never passes through a float."""

    __slots__ = ()


def _setting(parse: Parser, default: Any = MISSING, *, about: str = "") -> Any:
    metadata = {"parse": parse, "about": about}
    if default is MISSING:
        return field(metadata=metadata)
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def _text(value: object) -> str:
    if not isinstance(value, str) or isinstance(value, _NumberLiteral) or not value.strip():
        raise _Wrong("write a text in quotes")
    return value.strip()


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Wrong("write true or false")
    return value


def _integer(least: int, most: int = MAX_ID) -> Parser:
    def parse(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise _Wrong(f"write a whole number from {least} to {most}")
        return value

    return parse


def _money(value: object) -> Decimal:
    text = str(value)
    try:
        if isinstance(value, bool):
            raise ValueError
        return to_decimal(parse_centavos(text))
    except ValueError:
        raise _Wrong('write an amount in quotes with a point, such as "10000.00"') from None


def _decimal(value: object) -> Decimal:
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", str(value)):
        raise _Wrong("write a number that is not negative, such as 2 or 1.5")
    return Decimal(str(value))


def _date(value: object) -> date:
    if isinstance(value, str):
        try:
            value = date.fromisoformat(value) if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value) else None
        except ValueError:
            value = None
    if not isinstance(value, date) or isinstance(value, datetime) or not 1900 <= value.year <= 2199:
        raise _Wrong("write a date between 1900 and 2199, such as 2026-01-31")
    return value


def _closing_rule(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch("dia_util:([1-9]|1[0-9])", value):
        raise _Wrong('write "dia_util:3": the business day of the next month, 1 to 19, on which a month closes')
    return value


def _choice(*allowed: str) -> Parser:
    def parse(value: object) -> str:
        if value not in allowed:
            raise _Wrong("write one of " + ", ".join(f'"{choice}"' for choice in allowed))
        return str(value)

    return parse


def _list_of(parse_one: Parser) -> Parser:
    def parse(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _Wrong("write a list in brackets")
        return tuple(parse_one(element) for element in value)

    return parse


def _map_of(parse_one: Parser) -> Parser:
    def parse(value: object) -> dict[int, Any]:
        if not isinstance(value, dict) or not all(re.fullmatch("[0-9]+", str(key)) for key in value):
            raise _Wrong("write a table of id = value, such as { 30 = ... }")
        return {int(key): parse_one(element) for key, element in value.items()}

    return parse


def _table_of(names: Sequence[str], parse_one: Parser, default: Mapping[str, Any]) -> Parser:
    def parse(value: object) -> dict[str, Any]:
        if not isinstance(value, dict) or not set(value) <= set(names):
            raise _Wrong("write a table with the keys " + ", ".join(names))
        return {**default, **{key: parse_one(element) for key, element in value.items()}}

    return parse


def _percent(value: object) -> Decimal:
    percent = _decimal(value)
    if percent > 100:
        raise _Wrong("write a percentage from 0 to 100, such as 40 or 12.5")
    return percent


def _short_name(value: object) -> str:
    text = _text(value)
    if len(text) > MAX_NOME or not name_slug(text):
        raise _Wrong(f"write a name with letters or digits, at most {MAX_NOME} characters")
    return text


def name_slug(nome: str) -> str:
    """Name a scenario as its column or a scope as its file, to find two names that would be one.

    >>> name_slug("Azul atrasa 15 dias"), name_slug("–")
    ('azul_atrasa_15_dias', '')
    """
    text = unicodedata.normalize("NFKD", nome).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", text).strip("_")


def _limite(value: object) -> str:
    if not isinstance(value, str) or not _LIMITE.fullmatch(value):
        raise _Wrong('write requests per window, such as "100/60s"')
    return value


def _base_url(value: object) -> str:
    text = _text(value)
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise _Wrong("write the address of the service, such as https://api.example.com") from None
    if parts.scheme not in ("http", "https") or not host or re.search(r"\s", text):
        raise _Wrong("write an address that begins with https:// (or http:// on this machine)")
    if parts.query or parts.fragment or parts.username or parts.password:
        raise _Wrong("write the address without user, query and token; the token comes from the environment")
    return text.rstrip("/").removesuffix("/v1")


def _empresa_id(value: object) -> str:
    if not isinstance(value, str) or isinstance(value, _NumberLiteral) or not _EMPRESA_ID.fullmatch(value):
        raise _Wrong("use only a-z, 0-9, _ and -, at most 64; it names a folder, a partition and a file")
    if value in RESERVED_IDS:
        raise _Wrong(f"choose another one; «{value}» is a folder of its own below dir")
    return value


def _env_name(value: object) -> str:
    if not isinstance(value, str) or not _ENV_NAME.fullmatch(value):
        raise _Wrong("write the NAME of the environment variable that holds the token, never the token itself")
    return value


def _fuso(value: object) -> str:
    text = _text(value)
    try:
        ZoneInfo(text)
    except (KeyError, ValueError, OSError):
        raise _Wrong('write a time zone such as "America/Sao_Paulo"') from None
    return text


def _abc_cortes(value: object) -> tuple[Decimal, ...]:
    cuts: tuple[Decimal, ...] = _list_of(_decimal)(value)
    if len(cuts) != 2 or not cuts[0] < cuts[1] <= 100:
        raise _Wrong("write two rising percentages, such as [80, 95]")
    return cuts


@dataclass(frozen=True)
class EtapaRegua:
    """One step of the collection ladder (R10).

    Attributes:
        nome: what is printed.
        ate_dias: the step holds up to this many days of mora; None = without end.
    """

    nome: str
    ate_dias: int | None

    def __str__(self) -> str:
        """Write the step as Parâmetros prints it."""
        return self.nome if self.ate_dias is None else f"{self.nome} até {self.ate_dias}"


REGUA: Final = (
    EtapaRegua("Vence hoje/carência", 0),
    EtapaRegua("1º aviso", 5),
    EtapaRegua("2º aviso", 15),
    EtapaRegua("Contato", 30),
    EtapaRegua("Negociação", 60),
    EtapaRegua("Negativação", 90),
    EtapaRegua("Protesto/jurídico", None),
)
DAR_BAIXA, LEMBRETE = "Dar baixa", "Lembrete"
"""Steps of the ladder that depend on no days of mora: a paid charge, and the last days before the due date."""


def _regua(value: object) -> tuple[EtapaRegua, ...]:
    mistake = _Wrong(
        'write the steps in order, such as [{ nome = "Aviso", ate_dias = 15 }, { nome = "Jurídico" }]: days that rise, '
        f"names that differ from each other and from {DAR_BAIXA} and {LEMBRETE}, and no days on the last one only"
    )
    if not isinstance(value, list) or not value:
        raise mistake
    steps = []
    for table in value:
        if not isinstance(table, dict) or not set(table) <= {"nome", "ate_dias"} or "nome" not in table:
            raise mistake
        days = table.get("ate_dias")
        steps.append(EtapaRegua(_text(table["nome"]), None if days is None else _integer(0, MAX_DAYS)(days)))
    ends = [step.ate_dias for step in steps[:-1]]
    names = {step.nome for step in steps} - {DAR_BAIXA, LEMBRETE}
    rising = None not in ends and all(one < other for one, other in itertools.pairwise(ends))  # type: ignore[operator]
    if not rising or steps[-1].ate_dias is not None or len(names) < len(steps):
        raise mistake
    return tuple(steps)


_HORIZONTE = {"dias": 45, "semanas": 13, "meses": 6}
_HORIZONTE_MOST = {"dias": MAX_DAYS, "semanas": MAX_DAYS // 7, "meses": MAX_MONTHS}


def _horizonte(value: object) -> dict[str, int]:
    horizon: dict[str, int] = _table_of(tuple(_HORIZONTE), _integer(1), _HORIZONTE)(value)
    for name, number in horizon.items():
        if number > _HORIZONTE_MOST[name]:
            raise _Wrong(f"write at most ten years: {name} up to {_HORIZONTE_MOST[name]}")
    return horizon


@dataclass(frozen=True)
class SaldoConferido:
    """A balance read from a bank statement, at the end of a day (V19)."""

    data: date = _setting(_date, about="day of the statement")
    valor: Decimal = _setting(_money, about="balance at the end of that day")


@dataclass(frozen=True)
class Conta:
    """A bank account and its opening balance (S7); the service has no documented account list."""

    conta_id: int = _setting(_integer(1), about="id of the account in the service")
    descricao: str = _setting(_text, "", about="name to print; empty takes the service's, else «Conta #id»")
    valor_saldo_inicial: Decimal | None = _setting(
        _money, None, about="opening balance; none means «variação, não saldo»"
    )
    data_saldo_inicial: date | None = _setting(_date, None, about="first day of control; none counts every payment")
    ativa: bool = _setting(_boolean, True, about="still in use")
    tipo: str = _setting(_choice("conta", "cartao"), "conta", about="bank account or credit card")
    saldos_conferidos: tuple[SaldoConferido, ...] = _setting(
        lambda value: value, (), about="statement balances to hold the books against (V19)"
    )


@dataclass(frozen=True)
class Parametros:
    """The parameters of a company (manual: PAR); printed on the sheet Parâmetros."""

    saldo_inicial_ref: str = _setting(
        _choice("abertura", "fechamento"), "abertura", about="opening balance before or after that day's movements (S7)"
    )
    saldo_inicial_lancamentos: tuple[int, ...] = _setting(
        _list_of(_integer(1)), (), about="entries that are opening balances (S7)"
    )
    saldo_inicial_categorias: tuple[int, ...] = _setting(
        _list_of(_integer(1)), (), about="categories whose entries are opening balances (S7)"
    )
    composto_valor_pai: str = _setting(
        _choice("auto", "parcela", "total"), "auto", about="whether a composite's parent includes its items (S2)"
    )
    competencia_nula: str = _setting(
        _choice("vencimento", "caixa", "excluir"), "vencimento", about="competence month of an entry without one (S4)"
    )
    natureza_por: str = _setting(
        _choice("categoria", "sinal"), "categoria", about="what makes an entry revenue or expense (S5)"
    )
    dre_mapa: dict[int, str] = _setting(
        _map_of(_choice(*DRE_GRUPOS)), {}, about="category -> DRE group; nearest mapped ancestor wins (R06)"
    )
    venc_regra: str = _setting(
        _choice("corrido", "dia_util"), "corrido", about="overdue by calendar day or by business day (S8)"
    )
    proj_dia_util: bool = _setting(_boolean, False, about="project on the effective business day (S4)")
    vencidos_na_projecao: str = _setting(
        _choice("separado", "data_base", "conservador"),
        "separado",
        about="where overdue items stand in projections (S4)",
    )
    horizonte: dict[str, int] = _setting(
        _horizonte,
        _HORIZONTE,
        about="how far projections reach",
    )
    historico_meses: int = _setting(_integer(1, MAX_MONTHS), 12, about="closed months shown before the current one")
    feriados_extras: tuple[date, ...] = _setting(_list_of(_date), (), about="local bank holidays (S8)")
    categorias_antecipam: tuple[int, ...] = _setting(
        _list_of(_integer(1)), (), about="categories due on the business day before (taxes, S3)"
    )
    ultimo_dia_util_ano: bool = _setting(_boolean, True, about="the last weekday of December is a business day (S8)")
    multa_pct: dict[str, Decimal] = _setting(
        _table_of(("receber", "pagar"), _decimal, {"receber": Decimal(2), "pagar": Decimal(0)}),
        {"receber": Decimal(2), "pagar": Decimal(0)},
        about="fine in percent, for estimates only (S8)",
    )
    juros_pct_mes: dict[str, Decimal] = _setting(
        _table_of(("receber", "pagar"), _decimal, {"receber": Decimal(1), "pagar": Decimal(0)}),
        {"receber": Decimal(1), "pagar": Decimal(0)},
        about="interest in percent a month, for estimates only (S8)",
    )
    inadimplencia_dias: int = _setting(_integer(0, MAX_DAYS), 90, about="days late that count as default (R10)")
    janela_prazos_dias: int = _setting(_integer(1, MAX_DAYS), 90, about="window of PMR and PMP (R12)")
    regua: tuple[EtapaRegua, ...] = _setting(_regua, REGUA, about="collection ladder by days of mora (R10)")
    lembrete_dias: int = _setting(_integer(0, MAX_DAYS), 3, about="days of the reminder before the due date (R10)")
    abc_cortes: tuple[Decimal, ...] = _setting(
        _abc_cortes, (Decimal(80), Decimal(95)), about="cuts of the ABC curve (R12)"
    )
    saldo_minimo: Decimal = _setting(_money, Decimal("0.00"), about="alert level of projected balances")
    data_fechamento: date | None = _setting(_date, None, about="last closed day (R14)")
    fechamento: str | None = _setting(
        _closing_rule,
        None,
        about="closing by rule, «dia_util:3»: a month closes on that business day of the next (R14)",
    )
    projetar_infinitos: bool = _setting(_boolean, False, about="memo rows for endless series (S10)")
    repasse_dias_max: int = _setting(
        _integer(0, MAX_DAYS), 35, about="longest normal gap between a charge's due date and its entry's (R11)"
    )
    formas: dict[int, str] = _setting(_map_of(_text), {}, about="payment methods: id -> label (S11)")
    centros: dict[int, str] = _setting(_map_of(_text), {}, about="cost centres: id -> label (S11)")
    tags: dict[int, str] = _setting(_map_of(_text), {}, about="tags: id -> label (S11)")
    tipos_documento: dict[int, str] = _setting(_map_of(_text), {}, about="document types: id -> label (S11)")
    tolerancia: Decimal = _setting(_money, Decimal("0.00"), about="always 0.00: checks of severity erro are exact")
    ordem_categorias: str = _setting(
        _choice("nome", "valor"), "nome", about="siblings of Fluxo mensal by name, or the largest first (R04)"
    )
    fluxo_por_centro: bool = _setting(_boolean, False, about="also the sheet Fluxo por centro (R05)")
    limite_exclusoes: Decimal = _setting(
        _decimal, Decimal(5), about="percent of rows or value that a run may remove without being asked (S13)"
    )
    limite_alteracoes: Decimal = _setting(
        _decimal, Decimal(30), about="percent of the past's value that a run may change without being asked (S13)"
    )
    listas_observadas: bool = _setting(
        _boolean, True, about="probe the account, cost-centre, payment-method, tag and document-type lists once per run"
    )
    anexos: bool = _setting(_boolean, False, about="read the metadata of attachments")
    baixar_anexos: bool = _setting(_boolean, False, about="also download the files of attachments")


@dataclass(frozen=True)
class Atraso:
    """A customer that pays everything not yet due so many days later."""

    pessoa_id: int = _setting(_integer(1), about="customer")
    dias: int = _setting(_integer(1, MAX_DAYS), about="days later than projected")


@dataclass(frozen=True)
class Queda:
    """A category, with those below it, whose projected amounts shrink."""

    categoria_id: int = _setting(_integer(1), about="category; those below it shrink too")
    percentual: Decimal = _setting(_percent, about="percent that does not come")


@dataclass(frozen=True)
class Avulso:
    """An amount that moves cash once."""

    data: date = _setting(_date, about="day on which it moves; before the data-base it counts for nothing")
    valor: Decimal = _setting(_money, about="signed amount: negative leaves")
    descricao: str = _setting(_text, "", about="what it is")


@dataclass(frozen=True)
class Cenario:
    """What if: an extra column beside the projected balance; the base never changes."""

    nome: str = _setting(_short_name, about="name of the column")
    calote_pct: Decimal | None = _setting(
        _percent, None, about="percent of the overdue receivables that never comes; none leaves them as in the base"
    )
    recuperacao_dias: int = _setting(
        _integer(0, MAX_DAYS), 30, about="with calote_pct: days after the data-base on which the rest comes"
    )
    atrasos: tuple[Atraso, ...] = ()
    quedas: tuple[Queda, ...] = ()
    avulsos: tuple[Avulso, ...] = ()


@dataclass(frozen=True)
class Recorte:
    """A scope: the reports once more, over a part of the entries, in a workbook of their own (DEC10).

    An entry is in scope when it meets every criterion given.
    """

    nome: str = _setting(_short_name, about="name of the workbook")
    contas: tuple[int, ...] = _setting(_list_of(_integer(1)), (), about="accounts")
    centros: tuple[int, ...] = _setting(_list_of(_integer(1)), (), about="cost centres")
    pessoas: tuple[int, ...] = _setting(_list_of(_integer(1)), (), about="customers and suppliers")
    tags: tuple[int, ...] = _setting(_list_of(_integer(1)), (), about="tags")
    tags_modo: str = _setting(_choice("alguma", "todas"), "alguma", about="any of the tags, or all of them")


@dataclass(frozen=True)
class Empresa:
    """One company: where its service is and what the service does not tell."""

    id: str = _setting(_empresa_id, about="names folder, partition and file")
    nome: str = _setting(_text, about="name to print")
    base_url: str = _setting(_base_url, about="address of the service, without /v1")
    token_env: str = _setting(_env_name, about="environment variable that holds the token")
    limites: tuple[str, ...] = _setting(_list_of(_limite), DEFAULT_LIMITES, about="requests per window; [] = none")
    contas: tuple[Conta, ...] = ()
    parametros: Parametros = field(default_factory=Parametros)
    cenarios: tuple[Cenario, ...] = ()
    recortes: tuple[Recorte, ...] = ()


@dataclass(frozen=True)
class GrupoTransferencia:
    """What two companies of the group book with each other, named from both sides (`lastro grupo`).

    An entry belongs to a side when its id is listed, or when it has one of the side's persons (the other company as
    counterparty) and, where categories are given too, one of those. Nothing is matched by amount or date: what is not
    named stays in the sum, and what does not agree between the sides is printed as a difference.
    """

    de: str = _setting(_empresa_id, about="id of one company")
    para: str = _setting(_empresa_id, about="id of the other company")
    de_pessoas: tuple[int, ...] = _setting(_list_of(_integer(1)), (), about="persons in `de` that are `para`")
    de_categorias: tuple[int, ...] = _setting(_list_of(_integer(1)), (), about="categories in `de` for these entries")
    de_lancamentos: tuple[int, ...] = _setting(_list_of(_integer(1)), (), about="entries in `de`, one by one")
    para_pessoas: tuple[int, ...] = _setting(_list_of(_integer(1)), (), about="persons in `para` that are `de`")
    para_categorias: tuple[int, ...] = _setting(_list_of(_integer(1)), (), about="categories in `para` for them")
    para_lancamentos: tuple[int, ...] = _setting(_list_of(_integer(1)), (), about="entries in `para`, one by one")


@dataclass(frozen=True)
class Grupo:
    """How the companies of the file are added up (`lastro grupo`)."""

    nome: str = _setting(_text, "Grupo", about="name to print")
    transferencias: tuple[GrupoTransferencia, ...] = ()


@dataclass(frozen=True)
class Settings:
    """Everything a run needs to know that the service does not say.

    Attributes:
        dir: folder of warehouses, workbooks and Dagster's home.
        fuso: zone in which a run's clock becomes a day.
        empresas: the companies that can be run.
        origem: file or environment, for messages.
        grupo: how the companies are added up.
        invalidas: id of a company whose table has mistakes -> those mistakes; they stop that company alone.
    """

    dir: Path
    fuso: str
    empresas: tuple[Empresa, ...]
    origem: str
    grupo: Grupo = field(default_factory=Grupo)
    invalidas: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all companies, those with mistakes too."""
        return (*(empresa.id for empresa in self.empresas), *self.invalidas)

    def empresa(self, empresa_id: str) -> Empresa:
        """Return a company by id.

        Raises:
            ConfigError: when there is none, naming the ones there are; when its table has mistakes, naming them.
        """
        for empresa in self.empresas:
            if empresa.id == empresa_id:
                return empresa
        if empresa_id in self.invalidas:
            raise ConfigError(self.invalidas[empresa_id])
        known = ", ".join(self.ids)
        raise ConfigError(f"{self.origem}: no company «{empresa_id}». Companies there: {known}.")

    def pasta(self, empresa: Empresa) -> Path:
        """Return the folder of a company."""
        return self.dir / empresa.id


DEFAULT_FUSO: Final = "America/Sao_Paulo"


class _Reader:
    """Collects mistakes while tables of the file are turned into values."""

    def __init__(self, origem: str) -> None:
        self.origem = origem
        self.mistakes: list[str] = []

    def wrong(self, key: str, what: str) -> None:
        self.mistakes.append(f"{self.origem}: {key}: {what}.")

    def read(self, kind: type[object], table: object, where: str, *, inner: Iterable[str] = ()) -> dict[str, Any]:
        """Parse the simple settings of one table; the keys in `inner` are read by the caller."""
        if not isinstance(table, dict):
            self.wrong(where, "write it as a table")
            return {}
        known = {item.name: item for item in fields(kind) if "parse" in item.metadata}  # type: ignore[arg-type]
        for key in table:
            if key not in known and key not in inner:
                self.wrong(f"{where}.{key}", "unknown key; known are " + ", ".join([*known, *inner]))
        values: dict[str, Any] = {}
        for name, item in known.items():
            if name in table:
                try:
                    values[name] = item.metadata["parse"](table[name])
                except _Wrong as wrong:
                    self.wrong(f"{where}.{name}", str(wrong))
            elif item.default is MISSING and item.default_factory is MISSING:
                self.wrong(f"{where}.{name}", f"missing; {item.metadata['about']}")
        return values

    def tables(self, value: object, where: str) -> list[object]:
        if not isinstance(value, list):
            self.wrong(where, f"write each as [[{where}]]")
            return []
        return value


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
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=_NumberLiteral)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file. Give the path of a lastro.toml, or leave --config out.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({type(error).__name__}). It must be a UTF-8 text file.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}. Mend that line.") from None
    return _settings_from_document(document, str(path), path.parent)


def _settings_from_document(document: dict[str, object], origem: str, folder: Path) -> Settings:
    reader = _Reader(origem)
    for key in document:
        if key not in ("dir", "fuso", "empresa", "grupo"):
            reader.wrong(key, "unknown key; known are dir, fuso, [[empresa]] and [grupo]")
    values: dict[str, str] = {"dir": "dados", "fuso": DEFAULT_FUSO}
    for key, parse in (("dir", _text), ("fuso", _fuso)):
        if key in document:
            try:
                values[key] = parse(document[key])
            except _Wrong as wrong:
                reader.wrong(key, str(wrong))
    tables = reader.tables(document.get("empresa", []), "empresa")
    if not tables:
        reader.wrong("empresa", "no company; add [[empresa]] with id, nome, base_url and token_env")
    empresas: list[Empresa] = []
    invalidas: dict[str, tuple[str, ...]] = {}
    for number, table in enumerate(tables, 1):
        own = _Reader(origem)
        empresa = _read_empresa(own, table, number)
        empresa_id = empresa.id if empresa is not None else _find_id(table)
        if empresa_id is not None and empresa_id in {*invalidas, *(known.id for known in empresas)}:
            reader.wrong("empresa.id", f"«{empresa_id}» stands twice; every company needs its own")
        if empresa is not None:
            empresas.append(empresa)
        elif empresa_id is None:
            # Without a name of its own a mistake could be anybody's.
            reader.mistakes += own.mistakes
        else:
            invalidas[empresa_id] = tuple(own.mistakes)
    named = {table.get("id") for table in tables if isinstance(table, dict) and isinstance(table.get("id"), str)}
    grupo = _read_grupo(reader, document.get("grupo", {}), named)
    if reader.mistakes or not empresas:
        raise ConfigError([*reader.mistakes, *(mistake for mistakes in invalidas.values() for mistake in mistakes)])
    return Settings((folder / values["dir"]).absolute(), values["fuso"], tuple(empresas), origem, grupo, invalidas)


def _find_id(table: object) -> str | None:
    """Return the id of a company's table whose other keys may be wrong; None when the id itself is."""
    try:
        return _empresa_id(table["id"]) if isinstance(table, dict) and "id" in table else None
    except _Wrong:
        return None


def _read_grupo(reader: _Reader, table: object, empresas: Collection[object]) -> Grupo:
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


def _read_empresa(reader: _Reader, table: object, number: int) -> Empresa | None:
    name = table.get("id") if isinstance(table, dict) else None
    where = f"empresa[{name or number}]"
    before = len(reader.mistakes)
    values = reader.read(Empresa, table, where, inner=("conta", "parametros", "cenario", "recorte"))
    if not isinstance(table, dict):
        return None
    contas = []
    for position, conta in enumerate(reader.tables(table.get("conta", []), "empresa.conta"), 1):
        conta_id = conta.get("conta_id") if isinstance(conta, dict) else None
        spot = f"{where}.conta[{conta_id or position}]"
        conta_values = reader.read(Conta, conta, spot)
        if "saldos_conferidos" in conta_values:
            conta_values["saldos_conferidos"] = _read_saldos(reader, conta_values["saldos_conferidos"], spot)
        contas.append(conta_values)
    ids = [conta["conta_id"] for conta in contas if "conta_id" in conta]
    for twice in sorted({conta_id for conta_id in ids if ids.count(conta_id) > 1}):
        reader.wrong(f"{where}.conta.conta_id", f"{twice} stands twice; list each account once")
    parametros = reader.read(Parametros, table.get("parametros", {}), f"{where}.parametros")
    if parametros.get("data_fechamento") is not None and parametros.get("fechamento") is not None:
        reader.wrong(f"{where}.parametros.fechamento", "data_fechamento is given too; keep one of them")
    if parametros.get("tolerancia", Decimal(0)) != 0:
        reader.wrong(f"{where}.parametros.tolerancia", "checks of severity erro are exact; leave it at 0.00")
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


_CENARIO_PARTS: Final[Mapping[str, type[Atraso] | type[Queda] | type[Avulso]]] = {
    "atrasos": Atraso,
    "quedas": Queda,
    "avulsos": Avulso,
}


def _read_cenarios(reader: _Reader, value: object, where: str) -> tuple[Cenario, ...]:
    cenarios = []
    tables = reader.tables(value, "empresa.cenario")
    if len(tables) > MAX_CENARIOS:
        reader.wrong(f"{where}.cenario", f"{len(tables)} scenarios; at most {MAX_CENARIOS} can be read side by side")
    seen: dict[str, str] = {}
    for position, table in enumerate(tables, 1):
        name = table.get("nome") if isinstance(table, dict) else None
        spot = f"{where}.cenario[{name or position}]"
        before = len(reader.mistakes)
        values = reader.read(Cenario, table, spot, inner=tuple(_CENARIO_PARTS))
        if not isinstance(table, dict):
            continue
        for key, kind in _CENARIO_PARTS.items():
            values[key] = _read_inner(reader, kind, table.get(key, []), f"{spot}.{key}")
        for key, of in (("atrasos", "pessoa_id"), ("quedas", "categoria_id")):
            ids = [getattr(part, of) for part in values[key]]
            for twice in sorted({number for number in ids if ids.count(number) > 1}):
                reader.wrong(f"{spot}.{key}.{of}", f"{twice} stands twice; say it once")
        if len(reader.mistakes) > before:
            continue
        _demand_own_name(reader, spot, values["nome"], seen, "scenario")
        if values.get("calote_pct") is None and not any(values[key] for key in _CENARIO_PARTS):
            reader.wrong(spot, "changes nothing; add calote_pct, atrasos, quedas or avulsos")
        cenarios.append(Cenario(**values))
    return tuple(cenarios)


def _read_recortes(reader: _Reader, value: object, where: str) -> tuple[Recorte, ...]:
    recortes = []
    seen: dict[str, str] = {}
    for position, table in enumerate(reader.tables(value, "empresa.recorte"), 1):
        name = table.get("nome") if isinstance(table, dict) else None
        spot = f"{where}.recorte[{name or position}]"
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


def _demand_own_name(reader: _Reader, spot: str, nome: str, seen: dict[str, str], what: str) -> None:
    slug = name_slug(nome)
    if slug in seen:
        reader.wrong(f"{spot}.nome", f"reads like «{seen[slug]}»; every {what} needs a name of its own")
    seen[slug] = nome


def _read_inner(reader: _Reader, kind: type[Any], value: object, where: str) -> tuple[Any, ...]:
    """Read a list of small tables; a wrong one is told and left out."""
    found = []
    for position, table in enumerate(reader.tables(value, where), 1):
        before = len(reader.mistakes)
        values = reader.read(kind, table, f"{where}[{position}]")
        if len(reader.mistakes) == before:
            found.append(kind(**values))
    return tuple(found)


def _read_saldos(reader: _Reader, value: object, where: str) -> tuple[SaldoConferido, ...]:
    saldos = []
    for position, table in enumerate(reader.tables(value, f"{where}.saldos_conferidos"), 1):
        values = reader.read(SaldoConferido, table, f"{where}.saldos_conferidos[{position}]")
        if len(values) == 2:
            saldos.append(SaldoConferido(**values))
    return tuple(saldos)


def _settings_from_env(env: Mapping[str, str], cwd: Path) -> Settings:
    origem = "environment"
    reader = _Reader(origem)
    if not env.get(ENV_BASE_URL):
        raise ConfigError(
            f"{cwd / FILE_NAME}: no such file, and {ENV_BASE_URL} is not set. Write a {FILE_NAME} (`lastro sandbox` "
            f"prints one), or set {ENV_BASE_URL}, {ENV_TOKEN}, {ENV_CONTAS} and {ENV_DIR}."
        )
    base_url = ""
    try:
        base_url = _base_url(env[ENV_BASE_URL])
    except _Wrong as wrong:
        reader.wrong(ENV_BASE_URL, str(wrong))
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


def read_tokens(settings: Settings, empresas: Iterable[Empresa], env: Mapping[str, str]) -> dict[str, str]:
    """Read the tokens of companies from the environment.

    Returns:
        Company id -> token. Never print it, store it or put it into an error.

    Raises:
        ConfigError: naming every variable that is missing, empty or not a token.
    """
    tokens: dict[str, str] = {}
    mistakes = []
    for empresa in empresas:
        token = env.get(empresa.token_env, "").strip()
        if not token or not token.isprintable() or " " in token:
            problem = "holds blanks or control characters" if token else "is not set"
            mistakes.append(
                f"{settings.origem}: empresa[{empresa.id}].token_env: the variable {empresa.token_env} {problem}. "
                f"Put the access token of the service into it."
            )
        tokens[empresa.id] = token
    if mistakes:
        raise ConfigError(mistakes)
    return tokens


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
