"""The sensor that tells people in time, and leaves the sign of life by which others see that schedules run at all."""

import hashlib
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import dagster as dg

from lastro.errors import NoticeNotSent, WarehouseBusy
from lastro.operation.scheduler import Scheduler, write_scheduler
from lastro.run.record import RECORD
from lastro.settings import Settings
from lastro.warehouse.file.store import LINK_NAME

from .names import Names
from .outside import OUTSIDE
from .resources import Host
from .schedules import DIARIO, DIARIO_HOUR

EVERY_SECONDS = 60
WAIT_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 900


def find_next_tick(instance: dg.DagsterInstance, names: Names, fuso: str, now: datetime) -> datetime | None:
    """Find the next tick of the morning schedule; None where somebody switched it off."""
    if is_off(instance, names.name(DIARIO)):
        return None
    zone = ZoneInfo(fuso)
    local = now.astimezone(zone)
    days = (local.date() + timedelta(days=ahead) for ahead in range(2))
    ticks = (datetime.combine(day, DIARIO_HOUR, zone).astimezone(UTC) for day in days)
    return next(tick for tick in ticks if tick >= now)


def is_off(instance: dg.DagsterInstance, name: str) -> bool:
    """Tell whether somebody switched a schedule or sensor off."""
    states = instance.all_instigator_state()
    return any(state.instigator_name == name and not state.is_running for state in states)


def trace_companies(settings: Settings, now: datetime) -> str:
    """Write what changes whenever a company's state may have: looking at all of them costs more.

    What is late becomes late without a word, so every quarter of an hour is another one.
    """
    parts = [str(int(now.timestamp()) // LOOK_AGAIN_SECONDS), repr(settings.avisos)]
    for path in (settings.dir / empresa_id / name for empresa_id in settings.ids for name in (RECORD, LINK_NAME)):
        try:
            parts.append(f"{path}{path.lstat().st_mtime_ns}")
        except OSError:
            parts.append(str(path))
    return hashlib.sha256("/".join(parts).encode()).hexdigest()[:16]


def build_notice_sensor(host: Host, names: Names) -> dg.SensorDefinition:
    """Build the sensor `avisos`; it is on, and does nothing more than look where nobody is to be told."""

    @dg.sensor(
        name=names.name("avisos"),
        minimum_interval_seconds=EVERY_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Avisa por e-mail ou webhook ([avisos] da configuração) o que falhou, ficou retido ou atrasou, uma "
        "vez por causa e dia, e quando voltou ao normal. Vermelho: o lastro.toml não pode ser lido. Se falhar: o "
        "motivo está no tick; o aviso é tentado de novo.",
    )
    def avisos(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        now = host.clock()
        settings = host.load()  # broken settings turn the tick red as long as it lasts
        shows = not is_off(context.instance, names.name(OUTSIDE))
        next_tick = find_next_tick(context.instance, names, settings.fuso, now)
        write_scheduler(settings.dir, Scheduler(now, next_tick, shows))
        seen = trace_companies(settings, now)
        if context.cursor == seen:
            return dg.SensorResult(skip_reason="nada mudou", cursor=seen)
        from lastro.operation.notice_log import tell

        try:
            sent = tell(settings, host.env, now, wait=WAIT_SECONDS)
        except (NoticeNotSent, WarehouseBusy) as error:
            # With the cursor as it was: tried again at the next tick.
            return dg.SkipReason(str(error))
        return dg.SensorResult(skip_reason="; ".join(sent) or "ninguém a avisar", cursor=seen)

    return avisos
