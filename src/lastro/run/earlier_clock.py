"""A clock that stands before the last complete reading: now it is wrong, or it was wrong then; only a person knows."""

from __future__ import annotations

from datetime import date

from lastro.errors import ConfigError
from lastro.grid.words import format_date


class EarlierClock(ConfigError):
    """The clock stands before the last complete reading: a report of now would be the newest, and of the past.

    Attributes:
        fact: what does not fit, a sentence.
        cure: the two ways out: one for each clock that may be the wrong one.
    """

    def __init__(self, empresa_id: str, now: str, today: date, execucao_id: int, read: str) -> None:
        """Say which reading lies ahead of the clock.

        Args:
            now: what the clock says, as it is compared: a day or a moment.
            today: its day, in the zone of the settings.
            execucao_id: number of the last complete run.
            read: when that one read the service, written as `now`.
        """
        self.fact = f"o relógio diz {now}, mas a execução {execucao_id} leu o serviço em {read}."
        self.cure = (
            "se o relógio desta máquina está errado agora, acerte-o; se está certo, o daquela execução é que estava "
            f"adiantado: lastro run --empresa {empresa_id} --publicar-passado --data-base {today} --data-extracao "
            f"{today} publica hoje ({format_date(today)}) e as próximas voltam a rodar sozinhas"
        )
        super().__init__(f"{self.fact} {self.cure[:1].upper()}{self.cure[1:]}.")
