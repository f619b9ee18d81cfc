"""How sensors are made: on, whatever a dagster.yaml says, and grey with a sentence while the settings are broken."""

from collections.abc import Callable
from typing import Any

import dagster as dg

from lastro.errors import ConfigError
from lastro.settings import Settings

from .names import Names
from .resources import Host

Look = Callable[[dg.SensorEvaluationContext, Settings], dg.SensorResult | dg.SkipReason]
"""What a sensor does with the settings of now."""


def watch(
    host: Host, names: Names, every_seconds: int, description: str, **targets: Any
) -> Callable[[Look], dg.SensorDefinition]:
    """Make a sensor of a function, under its name behind the prefix of all of ours.

    Args:
        host: who reads the settings.
        names: of the code location.
        every_seconds: how often, at most.
        description: what it does, and what to do when it fails.
        **targets: `job` or `jobs` whose runs it asks for.
    """

    def make(look: Look) -> dg.SensorDefinition:
        def evaluate(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
            try:
                settings = host.load()
            except ConfigError as error:
                return dg.SkipReason(str(error))
            return look(context, settings)

        return dg.sensor(
            name=names.name(getattr(look, "__name__", "")),
            minimum_interval_seconds=every_seconds,
            default_status=dg.DefaultSensorStatus.RUNNING,
            description=description,
            **targets,
        )(evaluate)

    return make
