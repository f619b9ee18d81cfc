"""Parsers of the settings file, one for each kind of value; an error says what was expected."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

from lastro.folding import slug
from lastro.money import parse_centavos, to_decimal

FILE_NAME = "lastro.toml"
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
    "divida",
    "fora",
)
_LIMITE = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,3})s")
MAX_WINDOW_SECONDS = 3_600
_EMPRESA_ID = re.compile(r"^[a-z0-9_-]{1,64}$")
GROUP_FOLDER: Final = "grupo"
"""The folder of what is of all companies together."""
RESERVED_IDS = frozenset({"dagster", GROUP_FOLDER})
"""Folders of the data folder that are not companies."""
MAX_INTEGER = 10**18 - 1
MAX_DAYS, MAX_MONTHS = 3_660, 120
"""Ten years: what is further off is a slip of the keyboard that would cost minutes or leave the calendar."""
MAX_NOME, MAX_CENARIOS = 40, 12
"""A scenario is a column of R02 and R03: more would not be read."""
MAX_TEXT, MAX_PATH = 200, 4_000
"""Characters of a name or label, of a path or an address."""
_ENV_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
ENV_BASE_URL, ENV_TOKEN, ENV_CONTAS, ENV_DIR = (
    "LASTRO_BASE_URL",
    "LASTRO_ACCESS_TOKEN",
    "LASTRO_CONTAS",
    "LASTRO_DIR",
)

Parser = Callable[[object], Any]


class Wrong(Exception):
    """One value is wrong; the text says what is expected."""


class NumberLiteral(str):
    """A TOML number with a fraction or exponent, by its literal: money never passes through a float."""

    __slots__ = ()


TAKES: Final[dict[object, str]] = {}
"""Parser -> the values that it takes, as the page of settings prints them."""
_Declared = TypeVar("_Declared", bound=Callable[..., Any])


def takes(values: str) -> Callable[[_Declared], _Declared]:
    """Say which values a parser takes."""

    def keep(parser: _Declared) -> _Declared:
        TAKES[parser] = values
        return parser

    return keep


def setting(default: Any = MISSING, *, about: str, figures: bool = True) -> Any:
    """Declare a setting; its type says how it is read.

    Args:
        default: what stands for it where the file says nothing; without one it must be written.
        about: what it is, as the manual and the sheet Parâmetros print it.
        figures: of a parameter: whether an amount, a share or a number of days among the KPIs may be another with
            another value, so that the figures of two reports are compared only where both had the same.
    """
    metadata = {"about": about, "figures": figures}
    if default is MISSING:
        return field(metadata=metadata)
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def tables(default: Any = (), *, key: str = "", by: str = "") -> Any:
    """Declare a table of the file, or a list of them.

    Args:
        default: what stands for it where there is none, or the class that makes it.
        key: how the file calls each of the list, as the end of its head; empty for the name of the field.
        by: the key by which messages name each.
    """
    metadata = {"key": key, "by": by}
    if isinstance(default, type):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


def count_given(table: object, told: Collection[str], *keys: str) -> int:
    """Count which of some keys a table gives, those among them that are wrong too."""
    return sum(bool(getattr(table, key)) or key in told for key in keys)


@takes("texto")
def parse_text(value: object, most: int = MAX_TEXT, *, unseen: str = "") -> str:
    """Read a text that is not empty, without the blanks around it.

    Args:
        value: what stands in the file.
        most: its longest; what is longer fits no cell, no subject and no line of a table.
        unseen: characters that may stand in it although nothing prints them.
    """
    if not isinstance(value, str) or isinstance(value, NumberLiteral) or not value.strip():
        raise Wrong("escreva um texto entre aspas")
    text = value.strip()
    if len(text) > most:
        raise Wrong(f"escreva no máximo {most} caracteres; tem {len(text)}")
    for position, char in enumerate(text, 1):
        # Blanks of every width can be printed: names come with some, pasted from elsewhere.
        if not char.isprintable() and char not in unseen and unicodedata.category(char) != "Zs":
            name = f" ({unicodedata.name(char)})" if unicodedata.name(char, "") else ""
            raise Wrong(f"tire o caractere {position}, U+{ord(char):04X}{name}: não se imprime")
    return text


@dataclass(frozen=True)
class Placed:
    """A parser of the path of a file or folder; relative ones begin at the folder of the settings file."""

    finish: Callable[[Path], Any]
    """What becomes of the whole path."""

    def __post_init__(self) -> None:
        """Say what it takes."""
        TAKES[self] = "caminho"

    def __call__(self, value: object, folder: Path) -> Any:
        """Read the path."""
        return self.finish((folder / parse_text(value, MAX_PATH)).absolute())


@takes("true ou false")
def parse_boolean(value: object) -> bool:
    """Read true or false, and nothing that only looks like it."""
    if not isinstance(value, bool):
        raise Wrong("escreva true ou false")
    return value


def parse_integer(least: int, most: int = MAX_INTEGER) -> Parser:
    """Make the parser of a whole number within bounds."""

    @takes(f"inteiro, {least} {'ou mais' if most == MAX_INTEGER else f'a {most}'}")
    def parse(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise Wrong(f"escreva um número inteiro de {least} a {most}")
        return value

    return parse


@takes('valor, como "10000.00"')
def parse_money(value: object) -> Decimal:
    """Read an amount by its literal, two places at most: no float on the way."""
    try:
        if isinstance(value, bool):
            raise ValueError  # noqa: TRY004 - told with what the literal could be wrong in
        # A whole number beyond belief cannot even be written out: a ValueError too.
        return to_decimal(parse_centavos(str(value)))
    except ValueError:
        raise Wrong('escreva um valor entre aspas e com ponto, como "10000.00"') from None


@takes("número, como 2 ou 1.5")
def parse_decimal(value: object) -> Decimal:
    """Read a number that is not negative, by its literal."""
    try:
        text = "" if isinstance(value, bool) else str(value)
    except ValueError:
        text = ""
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text):
        raise Wrong("escreva um número que não seja negativo, como 2 ou 1.5")
    return Decimal(text)


@takes("data, como 2026-01-31")
def parse_date(value: object) -> date:
    """Read a day between 1900 and 2199, as TOML has it or as text."""
    if isinstance(value, str):
        try:
            value = date.fromisoformat(value) if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value) else None
        except ValueError:
            value = None
    if not isinstance(value, date) or isinstance(value, datetime) or not 1900 <= value.year <= 2199:
        raise Wrong("escreva uma data entre 1900 e 2199, como 2026-01-31")
    return value


@takes('data, ou regra como "dia_util:3"')
def parse_closing(value: object) -> date | str:
    """Read the last closed day, or a closing by rule (R14).

    >>> parse_closing("dia_util:3"), parse_closing("2026-02-28")
    ('dia_util:3', datetime.date(2026, 2, 28))
    """
    if isinstance(value, str) and re.fullmatch("dia_util:([1-9]|1[0-9])", value):
        return value
    try:
        return parse_date(value)
    except Wrong:
        raise Wrong(
            'escreva o último dia fechado, como 2026-02-28 (de 1900 a 2199), ou "dia_util:3": o dia '
            "útil do mês seguinte, de 1 a 19, em que o mês fecha"
        ) from None


def parse_choice(*allowed: str) -> Parser:
    """Make the parser of one of a few words."""
    words = [f'"{word}"' for word in allowed]

    @takes(" ou ".join(words))
    def parse(value: object) -> str:
        if value not in allowed:
            raise Wrong("escreva um de " + ", ".join(words))
        return str(value)

    return parse


def parse_list_of(parse_one: Parser) -> Parser:
    """Make the parser of a list of equal things."""

    @takes(f"lista de {TAKES[parse_one]}")
    def parse(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise Wrong("escreva uma lista entre colchetes")
        return tuple(parse_one(element) for element in value)

    return parse


def parse_map_of(parse_one: Parser) -> Parser:
    """Make the parser of a table from ids to something."""

    @takes(f"tabela de id = {TAKES[parse_one]}")
    def parse(value: object) -> dict[int, Any]:
        if not isinstance(value, dict) or not all(re.fullmatch("[0-9]{1,18}", str(key)) for key in value):
            raise Wrong("escreva uma tabela de id = valor, como { 30 = ... }")
        return {int(key): parse_one(element) for key, element in value.items()}

    return parse


def parse_table_of(default: Mapping[str, Any], parse_one: Parser) -> Parser:
    """Make the parser of a table of a few names; those left out keep their default."""

    @takes(f"tabela de {', '.join(default)}: {TAKES[parse_one]}")
    def parse(value: object) -> dict[str, Any]:
        if not isinstance(value, dict) or not set(value) <= set(default):
            raise Wrong("escreva uma tabela com as chaves " + ", ".join(default))
        return {**default, **{key: parse_one(element) for key, element in value.items()}}

    return parse


@takes("% de 0 a 100")
def parse_percent(value: object) -> Decimal:
    """Read a percentage up to 100."""
    percent = parse_decimal(value)
    if percent > 100:
        raise Wrong("escreva uma porcentagem de 0 a 100, como 40 ou 12.5")
    return percent


@takes("nome curto")
def parse_short_name(value: object) -> str:
    """Read a name that heads a column or names a file."""
    text = parse_text(value)
    if len(text) > MAX_NOME or not slug(text):
        raise Wrong(f"escreva um nome com letras ou dígitos, de no máximo {MAX_NOME} caracteres")
    return text


@dataclass(frozen=True)
class Window:
    """A limit of the service: at most `requests` requests in any `seconds` seconds."""

    requests: int
    seconds: int

    def __str__(self) -> str:
        """Write the limit as the file has it."""
        return f"{self.requests}/{self.seconds}s"


DEFAULT_LIMITES: Final = (Window(100, 60), Window(200, 300))


@takes('limite, como "100/60s"')
def parse_limite(value: object) -> Window:
    """Read requests per window.

    >>> parse_limite("100/60s")
    Window(requests=100, seconds=60)
    """
    match = _LIMITE.fullmatch(value) if isinstance(value, str) else None
    if not match or int(match[2]) > MAX_WINDOW_SECONDS:
        raise Wrong(f'escreva pedidos por janela de no máximo {MAX_WINDOW_SECONDS} segundos, como "100/60s"')
    return Window(int(match[1]), int(match[2]))


@takes("a-z, 0-9, _ e -")
def parse_empresa_id(value: object) -> str:
    """Read the id of a company, which names a folder, a partition and a file."""
    text = _parse_id(value, "nomeia uma pasta, uma partição e um arquivo")
    if text in RESERVED_IDS:
        raise Wrong(f"escolha outro; «{text}» já é uma pasta abaixo de dir")
    return text


@takes("a-z, 0-9, _ e -")
def parse_local(value: object) -> str:
    """Read what the names of this code location begin with in Dagster."""
    return _parse_id(value, "vem antes de todo nome no Dagster").replace("-", "_")


def _parse_id(value: object, why: str) -> str:
    if not isinstance(value, str) or isinstance(value, NumberLiteral) or not _EMPRESA_ID.fullmatch(value):
        raise Wrong(f"use só a-z, 0-9, _ e -, no máximo 64; {why}")
    return value


@takes("nome de arquivo")
def parse_file_name(value: object) -> str:
    """Read the name of a file, without a folder."""
    text = parse_text(value)
    if "/" in text or text in (".", ".."):
        raise Wrong('escreva o nome de um arquivo em dir, como ".volume", sem pasta')
    return text


@takes("nome de variável")
def parse_env_name(value: object) -> str:
    """Read the NAME of a variable; a token written by mistake is refused and not quoted."""
    if not isinstance(value, str) or not _ENV_NAME.fullmatch(value) or any(map(_is_secret, value.split("_"))):
        raise Wrong("escreva o NOME da variável de ambiente que guarda o token, nunca o token")
    return value


def _is_secret(word: str) -> bool:
    """Tell a word of a token from one of a name: it is long, and letters and digits stand mixed in it."""
    return len(word) >= 16 and any(map(str.isalpha, word)) and sum(map(str.isdigit, word)) >= 3


@takes("fuso horário")
def parse_fuso(value: object) -> str:
    """Read the name of a time zone that this system knows."""
    text = parse_text(value)
    try:
        ZoneInfo(text)
    except (KeyError, ValueError, OSError):
        raise Wrong('escreva um fuso horário, como "America/Sao_Paulo"') from None
    return text


HORIZONTE = {"dias": 45, "semanas": 13, "meses": 6}
_HORIZONTE_MOST = {"dias": MAX_DAYS, "semanas": MAX_DAYS // 7, "meses": MAX_MONTHS}


@takes("tabela de dias, semanas, meses")
def parse_horizonte(value: object) -> dict[str, int]:
    """Read how far projections reach."""
    horizon: dict[str, int] = parse_table_of(HORIZONTE, parse_integer(1))(value)
    for name, periods in horizon.items():
        if periods > _HORIZONTE_MOST[name]:
            raise Wrong(f"escreva no máximo dez anos: {name} até {_HORIZONTE_MOST[name]}")
    return horizon


BY_TYPE: Final[Mapping[Any, Parser]] = {
    str: parse_text,
    bool: parse_boolean,
    date: parse_date,
    Decimal: parse_money,
    int: parse_integer(1),
}
"""Type -> what reads it where its annotation says no more: amounts, and ids."""
