"""What was told, to whom, when: so that a cause is told once a day, and once when it is good again.

The record of the home has it, a row for each cause and channel.
"""

from __future__ import annotations

import contextlib
import platform
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from lastro.calendar import local_day
from lastro.errors import NoticeNotSent
from lastro.operation.causes import EVENTS, MACHINE, STOPPING, Cause, CauseKind, find_causes
from lastro.operation.channels import SECONDS, Channel, open_channels
from lastro.operation.notice_text import Told, compose, compose_page, describe_count
from lastro.operation.state import CompanyState, read_states
from lastro.run.record import as_said, as_text, mend, writing
from lastro.settings import Settings
from lastro.warehouse.file.faults import storage_error

_READ: Final = "SELECT chave, dia, em_ordem, titulo, desde FROM avisado WHERE canal = ? ORDER BY rowid"
_TOLD: Final = (
    "INSERT INTO avisado VALUES (?, ?, ?, 0, ?, ?) ON CONFLICT DO UPDATE SET dia = excluded.dia, em_ordem = 0"
)
_PATIENCE_SECONDS: Final = 3 * SECONDS
"""Longer than another process takes over both ways."""


def tell(
    settings: Settings,
    env: Mapping[str, str],
    now: datetime,
    *,
    states: Sequence[CompanyState] | None = None,
    channels: Sequence[Channel] | None = None,
    wait: float = _PATIENCE_SECONDS,
) -> tuple[str, ...]:
    """Send over every channel the causes that it was not told today, and those that have ended.

    Args:
        env: the environment, for passwords and addresses.
        now: the clock, UTC.
        states: how the companies stand, where somebody has looked already.
        channels: other ways than those of the settings.
        wait: for how many seconds to wait for another process that tells.

    Returns:
        What was sent, a line per message; none where there was nothing to tell, or nobody to tell it to.

    Raises:
        NoticeNotSent: when a channel did not take it, whatever went wrong; the others have been told, which is written
            down, and it is tried again next time.
        WarehouseBusy: when another process tells and does not come to an end, or the home's disk locks no files.
        StorageError: when the home cannot be written: what was told must be kept.
    """
    channels = open_channels(settings.avisos, env) if channels is None else channels
    if not channels:
        return ()
    # A data folder that is not there (its disk was not mounted) is when nobody must be left in the dark.
    try:
        settings.dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(settings.dir, error) from None
    mend(settings.dir, wait)
    looked = read_states(settings, now) if states is None else states
    causes = find_causes(looked, settings.avisos, now, _measure_free(settings.dir))
    read = {MACHINE: None, **{state.empresa: state.completa_em for state in looked}}
    sent, missed = list[str](), dict[str, str]()
    for channel in channels:
        # Whoever tells holds the record meanwhile: another one would tell the same. What was told is durable before the
        # next way is tried.
        with writing(settings.dir, wait) as con:
            try:
                sent += _tell_channel(con, settings, channel, causes, read, now)
            except NoticeNotSent as error:
                missed[channel.nome] = str(error)
    if missed:
        reached = [channel.nome for channel in channels if channel.nome not in missed]
        others = f"Não falta nada a: {', '.join(reached)}." if reached else "Ninguém foi avisado."
        raise NoticeNotSent(" ".join([*missed.values(), others]))
    return tuple(sent)


def _tell_channel(
    con: sqlite3.Connection,
    settings: Settings,
    channel: Channel,
    causes: Sequence[Cause],
    read: Mapping[str, datetime | None],
    now: datetime,
) -> Iterator[str]:
    """Tell over one channel, write down what it took, and let go what is over.

    Args:
        con: the record of the home.
        read: who is in the settings: when the last complete reading of each began.
        now: the clock, UTC.

    Yields:
        Each message that it took, in a line.

    Raises:
        NoticeNotSent: when it did not take one.
    """
    today, host = local_day(now, settings.fuso).isoformat(), platform.node()
    rows = con.execute(_READ, [channel.nome]).fetchall()
    told = [Told(key, day, bool(good), title, datetime.fromisoformat(since)) for key, day, good, title, since in rows]
    last, known = {each.key: each.dia for each in told}, {cause.key for cause in causes}
    stopped = {cause.empresa for cause in causes if cause.kind in STOPPING}
    gone = [each for each in told if each.key not in known and each.empresa in read]
    # What keeps figures from coming, and gives way to another such cause, is not good for it.
    ended = [each for each in gone if each.kind not in STOPPING or each.empresa not in stopped]
    # Lateness ends with another complete reading than the one grown old, and not with a run that begins.
    late = [each for each in ended if each.kind == CauseKind.ATRASO and read[each.empresa] in (None, each.desde)]
    good = [each for each in ended if not each.em_ordem and each.kind not in EVENTS and each not in late]
    new = [cause for cause in causes if not cause.suspensa and last.get(cause.key) != today]
    new = [cause for cause in new if cause.key not in last or cause.kind not in EVENTS]
    news = [cause for cause in new if cause.kind is not CauseKind.RESUMO]
    pages = [cause for cause in new if cause.kind is CauseKind.RESUMO and channel.takes_pages]
    letters = [(page.title, compose_page(page, settings.fuso, now, host), [page], good[:0]) for page in pages]
    if news or good:
        notice = compose(news, good, settings.fuso, now, host)
        letters.insert(0, (describe_count(news, good), notice, news, good))
    for text, notice, wrong, right in letters:
        unreached = channel.send(notice, now)
        own = [(each.key, channel.nome, today, as_said(each.title), as_text(each.desde or now)) for each in wrong]
        con.executemany(_TOLD, own)
        con.executemany("UPDATE avisado SET em_ordem = 1 WHERE chave = ? AND canal = ?", _name(right, channel))
        yield f"{channel.nome}: {text}" + (f" ({unreached})" if unreached else "")
    # What comes back on the day on which it was told is the same cause: until then it is kept.
    over = [each for each in gone if each.dia != today and (each.em_ordem or each not in late)]
    over += [each for each in told if each.empresa not in read]
    con.executemany("DELETE FROM avisado WHERE chave = ? AND canal = ?", _name(over, channel))


def _name(told: Sequence[Told], channel: Channel) -> list[tuple[str, str]]:
    return [(each.key, channel.nome) for each in told]


def _measure_free(folder: Path) -> int | None:
    with contextlib.suppress(OSError):
        return shutil.disk_usage(folder).free
    return None
