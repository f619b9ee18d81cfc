"""What was told, to whom, when: so that a cause is told once a day, and once when it is good again."""

from __future__ import annotations

import contextlib
import json
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from pathlib import Path
from typing import Final

from lastro.calendar import local_day
from lastro.errors import ConfigError, NoticeNotSent
from lastro.files import locked
from lastro.operation.causes import EVENTS, MACHINE, STOPPING, Cause, CauseKind, describe_broken, find_causes
from lastro.operation.channels import SECONDS, Channel, open_channels
from lastro.operation.last_addresses import keep_last, read_last
from lastro.operation.notice_text import Told, compose, compose_page, compose_rehearsal, describe_count
from lastro.operation.state import CompanyState, read_states
from lastro.run.status_file import keep_text
from lastro.settings import Settings
from lastro.warehouse.file.faults import storage_error

FILE: Final = "avisos.json"
LOCK: Final = ".avisos.trava"
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
        settings: all settings.
        env: the environment, for passwords and addresses.
        now: the clock, UTC.
        states: how the companies stand, where somebody has looked already.
        channels: other ways than those of the settings.
        wait: for how many seconds to wait for another process that tells.

    Returns:
        What was sent, a line per channel; none where there was nothing to tell, or nobody to tell it to.

    Raises:
        NoticeNotSent: when a channel did not take it, whatever went wrong; the others have been told, which is written
            down, and it is tried again next time.
        StorageError: when the data folder is not there and cannot be made: what was told must be kept.
    """
    keep_last(settings)
    channels = open_channels(settings.avisos, env) if channels is None else channels
    if not channels:
        return ()
    # A data folder that is not there (its disk was not mounted) is when nobody must be left in the dark.
    try:
        settings.dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(settings.dir, error) from None
    with _alone(settings.dir, wait):
        looked = read_states(settings, now) if states is None else states
        causes = find_causes(looked, settings.avisos, now, _measure_free(settings.dir))
        known = {MACHINE, *(state.empresa for state in looked)}
        # Of who left the settings nothing is good again; there is nothing left to tell.
        record = {key: told for key, told in _read(settings.dir / FILE).items() if told.empresa in known}
        read = {state.empresa: state.completa_em for state in looked}
        return _tell_channels(settings, channels, causes, record, {}, read, now)


def tell_broken(
    error: ConfigError, path: Path, env: Mapping[str, str], now: datetime, *, wait: float = _PATIENCE_SECONDS
) -> tuple[str, ...]:
    """Tell that the settings are broken as a whole, to whom they named when they were last good.

    Args:
        error: what is wrong.
        path: the settings file.
        env: the environment, for passwords and addresses.
        now: the clock, UTC.
        wait: for how many seconds to wait for another process that tells.

    Returns:
        What was sent, a line per channel; none where it was told today, or nobody is known.

    Raises:
        NoticeNotSent: as `tell` does.
    """
    last = read_last(path)
    if last is None:
        return ()
    cause = describe_broken(error)
    with _alone(last.dir, wait):
        # Of the companies nothing is known now: what was told of them stays as it is.
        rest = _read(last.dir / FILE)
        record = {cause.key: rest.pop(cause.key)} if cause.key in rest else {}
        return _tell_channels(last, open_channels(last.avisos, env), [cause], record, rest, {}, now)


def _tell_channels(
    settings: Settings,
    channels: Sequence[Channel],
    causes: Sequence[Cause],
    record: dict[str, Told],
    rest: Mapping[str, Told],
    read: Mapping[str, datetime | None],
    now: datetime,
) -> tuple[str, ...]:
    """Tell over every channel and write down what was told, beside the rest, which is left as it is."""
    sent: list[str] = []
    missed: dict[str, str] = {}
    for channel in channels:
        try:
            sent += _tell_channel(settings, channel, causes, record, read, now)
        except NoticeNotSent as error:
            missed[channel.nome] = str(error)
        except Exception as error:  # noqa: BLE001 - no way may keep the others from being told
            missed[channel.nome] = f"{channel.nome}: {type(error).__name__}."
        finally:
            # At once: who was told is not told again, however the next way ends.
            _write(settings.dir / FILE, {**rest, **record})
    _forget(record, causes, [channel.nome for channel in channels], local_day(now, settings.fuso))
    _write(settings.dir / FILE, {**rest, **record})
    if missed:
        reached = [channel.nome for channel in channels if channel.nome not in missed]
        others = f"Não falta nada a: {', '.join(reached)}." if reached else "Ninguém foi avisado."
        raise NoticeNotSent(" ".join([*missed.values(), others]))
    return tuple(sent)


def rehearse(settings: Settings, env: Mapping[str, str], now: datetime) -> Iterator[tuple[str, str, bool]]:
    """Send a message that says that it is a rehearsal over every channel; nothing is kept of it.

    Args:
        settings: all settings.
        env: the environment, for passwords and addresses.
        now: the clock, UTC.

    Yields:
        Channel, why nobody or not everybody got it (empty when everybody did), and whether anybody did.
    """
    notice = compose_rehearsal(settings.fuso, now, platform.node())
    for channel in open_channels(settings.avisos, env):
        try:
            yield channel.nome, channel.send(notice, now), True
        except NoticeNotSent as error:
            yield channel.nome, str(error), False


def _tell_channel(
    settings: Settings,
    channel: Channel,
    causes: Sequence[Cause],
    record: dict[str, Told],
    read: Mapping[str, datetime | None],
    now: datetime,
) -> list[str]:
    today, name = local_day(now, settings.fuso), channel.nome
    told_now = [cause for cause in causes if not cause.suspensa and _is_news(record.get(cause.key), cause, name, today)]
    news = [cause for cause in told_now if cause.kind is not CauseKind.RESUMO]
    pages = [cause for cause in told_now if cause.kind is CauseKind.RESUMO and channel.takes_pages]
    open_keys, stopped = {cause.key for cause in causes}, {cause.empresa for cause in causes if cause.kind in STOPPING}
    good = [
        told
        for key, told in record.items()
        if key not in open_keys
        and name in told.avisado
        and name not in told.em_ordem
        and told.kind not in EVENTS
        # A failure that gave way to another one is not good again.
        and not (told.kind in STOPPING and told.empresa in stopped)
        # Only another complete reading than the one that had grown old makes lateness good.
        and not (told.kind == CauseKind.ATRASO and read.get(told.empresa) in (None, told.desde))
    ]
    sent = []
    if news or good:
        unreached = channel.send(compose(news, good, settings.fuso, now, platform.node()), now)
        _note_told(record, news, name, today, now)
        for told in good:
            told.em_ordem[name] = today
        sent.append(f"{name}: {describe_count(news, good)}" + (f" ({unreached})" if unreached else ""))
    for page in pages:
        unreached = channel.send(compose_page(page, settings.fuso, now, platform.node()), now)
        _note_told(record, [page], name, today, now)
        sent.append(f"{name}: {page.title}" + (f" ({unreached})" if unreached else ""))
    return sent


def _note_told(record: dict[str, Told], causes: Sequence[Cause], channel: str, today: date, now: datetime) -> None:
    for cause in causes:
        told = record.setdefault(cause.key, Told(cause.empresa, cause.kind.value, cause.title, cause.desde or now))
        told.avisado[channel] = today
        told.em_ordem.pop(channel, None)


def _is_news(told: Told | None, cause: Cause, channel: str, today: date) -> bool:
    last = None if told is None else told.avisado.get(channel)
    return last is None or (last != today and cause.kind not in EVENTS)


def _forget(record: dict[str, Told], causes: Sequence[Cause], channels: Sequence[str], today: date) -> None:
    """Let go what is over: told as good to everybody who knew, or an event, or replaced; not before the day ends.

    What comes back on the day on which it was told is the same cause: at most one message a day.
    """
    open_keys, stopped = {cause.key for cause in causes}, {cause.empresa for cause in causes if cause.kind in STOPPING}
    for key, told in list(record.items()):
        if key in open_keys:
            continue
        for channel in set(told.avisado) - set(channels):
            del told.avisado[channel]
        over = told.kind in EVENTS or (told.kind in STOPPING and told.empresa in stopped)
        if all(day != today for day in told.avisado.values()) and (over or set(told.avisado) <= set(told.em_ordem)):
            del record[key]


def _measure_free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


@contextlib.contextmanager
def _alone(folder: Path, wait: float) -> Iterator[None]:
    """Let one process tell at a time.

    Raises:
        NoticeNotSent: when another one does not come to an end, or the folder cannot be written.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(folder / LOCK, wait))
        except TimeoutError:
            raise NoticeNotSent("outro processo está avisando e não termina.") from None
        except OSError as error:
            raise NoticeNotSent(
                f"{folder}: {error.strerror}: não dá para guardar o que foi avisado. Ninguém foi avisado."
            ) from None
        yield


def _read(path: Path) -> dict[str, Told]:
    """Read what was told; a file that cannot be read means that nothing was."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return {
            key: Told(
                row["empresa"],
                row["kind"],
                row["title"],
                datetime.fromisoformat(row["desde"]),
                {channel: date.fromisoformat(day) for channel, day in row["avisado"].items()},
                {channel: date.fromisoformat(day) for channel, day in row["em_ordem"].items()},
            )
            for key, row in document.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _write(path: Path, record: Mapping[str, Told]) -> None:
    keep_text(
        path, json.dumps({key: asdict(told) for key, told in record.items()}, ensure_ascii=False, default=_as_text)
    )


def _as_text(value: date) -> str:
    return value.isoformat()
