"""What was told, to whom, when: so that a cause is told once a day, and once when it is good again.

The record of the home has it, and whom the last good settings named: when they are broken, nothing else says whom to
tell. Addresses and names of variables stand there, never what the variables hold.
"""

from __future__ import annotations

import contextlib
import json
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from lastro.calendar import local_day
from lastro.errors import ConfigError, NoticeNotSent
from lastro.files import locked
from lastro.operation.causes import EVENTS, MACHINE, STOPPING, Cause, CauseKind, describe_broken, find_causes
from lastro.operation.channels import SECONDS, Channel, open_channels
from lastro.operation.notice_text import Notice, Told, compose, compose_page, describe_count
from lastro.operation.state import CompanyState, read_states
from lastro.run.record import as_said, keep_signal, mend, query_record, read_signal, writing
from lastro.settings import Avisos, Email, Settings, Webhook, find_data_folder
from lastro.warehouse.file.faults import storage_error

LOCK: Final = ".avisos.trava"
_ADDRESSES: Final = "destinatarios"
_PATIENCE_SECONDS: Final = 3 * SECONDS
"""Longer than another process takes over both ways."""
_READ: Final = "SELECT chave, canal, dia, em_ordem, titulo, desde FROM avisado ORDER BY rowid"
_TOLD: Final = (
    "INSERT INTO avisado VALUES (?, ?, ?, NULL, ?, ?) ON CONFLICT DO UPDATE SET dia = excluded.dia, em_ordem = NULL"
)


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
        StorageError: when the home cannot be written, or its disk locks no files: what was told must be kept.
    """
    channels = open_channels(settings.avisos, env) if channels is None else channels
    if not channels:
        if settings.dir.is_dir():
            _keep_addresses(settings)
        return ()
    # A data folder that is not there (its disk was not mounted) is when nobody must be left in the dark.
    try:
        settings.dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(settings.dir, error) from None
    with _alone(settings.dir, wait):
        mend(settings.dir)
        _keep_addresses(settings)
        looked = read_states(settings, now) if states is None else states
        causes = find_causes(looked, settings.avisos, now, _measure_free(settings.dir))
        read = {MACHINE: None, **{state.empresa: state.completa_em for state in looked}}
        return _tell_channels(settings, channels, causes, read, now)


def tell_broken(
    error: ConfigError, path: Path, env: Mapping[str, str], now: datetime, *, wait: float = _PATIENCE_SECONDS
) -> tuple[str, ...]:
    """Tell that a settings file is broken as a whole, to whom it named when it was last good; as `tell`, else."""
    home, name = find_data_folder(path), str(path.absolute())
    try:
        kept = json.loads(read_signal(home, _ADDRESSES))
        own: dict[str, Any] = kept["avisos"]
        email, webhook = own.pop("email"), own.pop("webhook")
        mail = email and Email(**email | {"para": tuple(email["para"])})
        avisos = Avisos(**own, email=mail, webhook=webhook and Webhook(**webhook))
        if kept["origem"] != name:
            return ()
    except (ValueError, TypeError, KeyError):
        return ()  # nobody was, or it cannot be known
    last = Settings(home, kept["fuso"], (), name, avisos=avisos)
    with _alone(home, wait):
        # Of the companies nothing is known now: what was told of them stays as it is.
        return _tell_channels(last, open_channels(avisos, env), [describe_broken(error)], {MACHINE: None}, now)


def _keep_addresses(settings: Settings) -> None:
    """Keep who is told; where nobody is told any more, nobody is kept."""
    own = {"origem": str(Path(settings.origem).absolute()), "fuso": settings.fuso, "avisos": asdict(settings.avisos)}
    text = json.dumps(own, ensure_ascii=False) if settings.avisos.tells_anybody else ""
    if read_signal(settings.dir, _ADDRESSES) != text:
        keep_signal(settings.dir, _ADDRESSES, text)


def _tell_channels(
    settings: Settings,
    channels: Sequence[Channel],
    causes: Sequence[Cause],
    read: Mapping[str, datetime | None],
    now: datetime,
) -> tuple[str, ...]:
    """Tell over every channel, and let go what is over.

    Args:
        settings: all settings.
        channels: the ways.
        causes: all that is wrong.
        read: of whom it is known how they stand: when their last complete reading began.
        now: the clock, UTC.
    """
    home, today, sent, missed = settings.dir, local_day(now, settings.fuso).isoformat(), list[str](), dict[str, str]()
    for channel in channels:
        told = [each for each in _read(home) if each.canal == channel.nome and each.empresa in read]
        try:
            for text, notice, news, good in _list_notices(settings, channel, causes, told, read, now):
                unreached = channel.send(notice, now)
                # At once: who was told is not told again, however the next way ends.
                with writing(home) as con:
                    for cause in news:
                        own = [cause.key, channel.nome, today, as_said(cause.title), (cause.desde or now).isoformat()]
                        con.execute(_TOLD, own)
                    for each in good:
                        row = [today, each.key, channel.nome]
                        con.execute("UPDATE avisado SET em_ordem = ? WHERE chave = ? AND canal = ?", row)
                sent.append(f"{channel.nome}: {text}" + (f" ({unreached})" if unreached else ""))
        except NoticeNotSent as error:
            missed[channel.nome] = str(error)
        except Exception as error:  # noqa: BLE001 - no way may keep the others from being told
            missed[channel.nome] = f"{channel.nome}: {type(error).__name__}."
    names = {channel.nome for channel in channels}
    over = [(each.key, each.canal) for each in _read(home) if _is_over(each, causes, names, set(read), today)]
    if over:
        with writing(home) as con:
            con.executemany("DELETE FROM avisado WHERE chave = ? AND canal = ?", over)
    if missed:
        reached = [channel.nome for channel in channels if channel.nome not in missed]
        others = f"Não falta nada a: {', '.join(reached)}." if reached else "Ninguém foi avisado."
        raise NoticeNotSent(" ".join([*missed.values(), others]))
    return tuple(sent)


def _read(home: Path) -> list[Told]:
    rows = query_record(home, _READ)
    return [Told(key, *own, datetime.fromisoformat(since)) for key, *own, since in rows]  # type: ignore[call-arg]


def _list_notices(
    settings: Settings,
    channel: Channel,
    causes: Sequence[Cause],
    told: Sequence[Told],
    read: Mapping[str, datetime | None],
    now: datetime,
) -> Iterator[tuple[str, Notice, Sequence[Cause], Sequence[Told]]]:
    """Compose what one channel is to be told: in a line, the message, and what it tells as wrong and as good again."""
    today, host = local_day(now, settings.fuso).isoformat(), platform.node()
    last = {each.key: each.dia for each in told}
    new = [cause for cause in causes if not cause.suspensa and last.get(cause.key) != today]
    new = [cause for cause in new if cause.key not in last or cause.kind not in EVENTS]
    news = [cause for cause in new if cause.kind is not CauseKind.RESUMO]
    good = [each for each in told if not each.em_ordem and _is_good(each, causes, read)]
    if news or good:
        yield describe_count(news, good), compose(news, good, settings.fuso, now, host), news, good
    for page in new:
        if page.kind is CauseKind.RESUMO and channel.takes_pages:
            yield page.title, compose_page(page, settings.fuso, now, host), [page], ()


def _is_good(told: Told, causes: Sequence[Cause], read: Mapping[str, datetime | None]) -> bool:
    """Tell whether a cause has ended that can: of lateness, with another complete reading than the one grown old."""
    late = told.kind == CauseKind.ATRASO and read.get(told.empresa) in (None, told.desde)
    return told.kind not in EVENTS and not late and not _stands(told, causes, or_other=True)


def _is_over(told: Told, causes: Sequence[Cause], channels: set[str], known: set[str], today: str) -> bool:
    """Tell whether what was told can be let go: told as good, an event, given way, or nobody's any more.

    Not before the day ends: what comes back on the day on which it was told is the same cause.
    """
    if told.empresa not in known:
        # Of who left the settings nothing is good again; settings that are broken say nothing of anybody.
        return known != {MACHINE}
    if _stands(told, causes) or (told.dia == today and told.canal in channels):
        return False
    ended = told.em_ordem or told.kind in EVENTS or told.canal not in channels
    return bool(ended) or _stands(told, causes, or_other=True)


def _stands(told: Told, causes: Sequence[Cause], *, or_other: bool = False) -> bool:
    """Tell whether a cause stands, or (`or_other`) another failure came in its place: then it is not good again."""
    gave_way = or_other and told.kind in STOPPING
    return any(
        cause.key == told.key or (gave_way and cause.kind in STOPPING and cause.empresa == told.empresa)
        for cause in causes
    )


def _measure_free(folder: Path) -> int | None:
    with contextlib.suppress(OSError):
        return shutil.disk_usage(folder).free
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
