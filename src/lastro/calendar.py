"""Days, months, ISO weeks, business days, bank holidays of Brazil, local time; never reads the clock (S8, S14).

National bank holidays are those on which the interbank market does not settle. Laws that moved them: 21/04, 01/05,
07/09, 02/11, 15/11 and 25/12 stand in Lei 662/1949 (as amended by Lei 10.607/2002), 12/10 in Lei 6.802/1980 (from
1980), 20/11 in Lei 14.759/2023 (from 2024); 01/01 in Lei 662/1949 too. Carnival Monday and Tuesday, Good Friday and
Corpus Christi follow Easter by the resolutions of the Conselho Monetário Nacional (Resolução CMN 4.880/2020).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

ONE_DAY = timedelta(days=1)
FIRST_YEAR_CONSCIENCIA_NEGRA = 2024
FIRST_YEAR_APARECIDA = 1980


def find_easter(year: int) -> date:
    """Find Easter Sunday of a Gregorian year (anonymous Gregorian computus).

    >>> find_easter(2026)
    datetime.date(2026, 4, 5)
    """
    golden = year % 19
    century, rest = divmod(year, 100)
    leap_centuries, century_rest = divmod(century, 4)
    moon_shift = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leap_centuries - moon_shift + 15) % 30
    leap_years, year_rest = divmod(rest, 4)
    weekday = (32 + 2 * century_rest + 2 * leap_years - epact - year_rest) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)


@lru_cache(maxsize=512)
def find_holidays(year: int) -> dict[date, str]:
    """Name the national bank holidays of a year (S8).

    >>> find_holidays(2026)[date(2026, 6, 4)]
    'Corpus Christi'
    """
    easter = find_easter(year)
    holidays = {
        date(year, 1, 1): "Confraternização Universal",
        easter - timedelta(days=48): "Carnaval (segunda)",
        easter - timedelta(days=47): "Carnaval (terça)",
        easter - timedelta(days=2): "Sexta-feira Santa",
        date(year, 4, 21): "Tiradentes",
        date(year, 5, 1): "Dia do Trabalho",
        easter + timedelta(days=60): "Corpus Christi",
        date(year, 9, 7): "Independência",
        date(year, 11, 2): "Finados",
        date(year, 11, 15): "Proclamação da República",
        date(year, 12, 25): "Natal",
    }
    if year >= FIRST_YEAR_APARECIDA:
        holidays[date(year, 10, 12)] = "Nossa Senhora Aparecida"
    if year >= FIRST_YEAR_CONSCIENCIA_NEGRA:
        holidays[date(year, 11, 20)] = "Consciência Negra"
    return holidays


@dataclass(frozen=True)
class BusinessCalendar:
    """Which days banks settle.

    Attributes:
        extras: local bank holidays (`feriados_extras`).
    """

    extras: frozenset[date] = field(default_factory=frozenset)

    def holiday_name(self, day: date) -> str | None:
        """Name the holiday of a day, or None."""
        if day in self.extras:
            return "Feriado local"
        return find_holidays(day.year).get(day)

    def is_business_day(self, day: date) -> bool:
        """Tell whether banks settle on a day: Monday to Friday and no holiday (S8)."""
        return day.weekday() < 5 and self.holiday_name(day) is None

    def next_business_day(self, day: date) -> date:
        """Return the day itself if it is a business day, else the next one (`data_efetiva`, S3)."""
        while not self.is_business_day(day):
            day += ONE_DAY
        return day

    def previous_business_day(self, day: date) -> date:
        """Return the day itself if it is a business day, else the one before (`categorias_antecipam`, S3)."""
        while not self.is_business_day(day):
            day -= ONE_DAY
        return day

    def find_business_day(self, month: date, nth: int) -> date:
        """Find the nth business day of a month.

        >>> BusinessCalendar().find_business_day(date(2026, 4, 1), 3)
        datetime.date(2026, 4, 6)
        """
        day = self.next_business_day(month.replace(day=1))
        for _ in range(nth - 1):
            day = self.next_business_day(day + ONE_DAY)
        return day


def month_start(day: date) -> date:
    """Return the first day of a date's month."""
    return day.replace(day=1)


def add_months(day: date, months: int) -> date:
    """Move a date by whole months, the day clamped to the end of the month (S10).

    >>> add_months(date(2026, 1, 31), 1)
    datetime.date(2026, 2, 28)
    """
    total = day.year * 12 + day.month - 1 + months
    year, month = divmod(total, 12)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - ONE_DAY).day
    return date(year, month + 1, min(day.day, last))


def month_end(day: date) -> date:
    """Return the last day of a date's month."""
    return add_months(month_start(day), 1) - ONE_DAY


def iter_days(first: date, last: date) -> Iterator[date]:
    """Yield every day from `first` to `last`, both included."""
    for offset in range((last - first).days + 1):
        yield first + timedelta(days=offset)


def iter_months(first: date, last: date) -> Iterator[date]:
    """Yield the first day of every month from `first`'s to `last`'s, both included."""
    month = month_start(first)
    while month <= last:
        yield month
        month = add_months(month, 1)


def week_start(day: date) -> date:
    """Return the Monday of a date's ISO week (S14)."""
    return day - timedelta(days=day.weekday())


def local_time(moment: datetime, fuso: str) -> datetime:
    """Turn a moment into the local one of a zone, naive and to the second; a naive moment is UTC, as stored.

    >>> local_time(datetime(2026, 3, 16, 9, 5), "America/Sao_Paulo")
    datetime.datetime(2026, 3, 16, 6, 5)
    """
    return _in_zone(moment, fuso).replace(tzinfo=None, microsecond=0)


def universal_time(moment: datetime, fuso: str) -> datetime:
    """Turn a local moment of a zone into UTC, naive; of an hour that comes twice the first one is taken.

    >>> universal_time(datetime(2026, 3, 16, 6, 5), "America/Sao_Paulo")
    datetime.datetime(2026, 3, 16, 9, 5)
    """
    return moment.replace(tzinfo=ZoneInfo(fuso)).astimezone(UTC).replace(tzinfo=None)


def local_day(moment: datetime, fuso: str) -> date:
    """Return the day of a moment in a zone."""
    return _in_zone(moment, fuso).date()


def zone_label(moment: datetime, fuso: str) -> str:
    """Name a zone at a moment, as a stamp does.

    >>> zone_label(datetime(2026, 3, 16, 9, 5), "America/Sao_Paulo")
    'BRT'
    """
    name = _in_zone(moment, fuso).tzname() or fuso
    return "BRT" if name == "-03" else name


def _in_zone(moment: datetime, fuso: str) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(ZoneInfo(fuso))
