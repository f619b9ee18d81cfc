"""The code location, as Dagster's processes load it; what it is made of stands in `location`."""

from typing import Final

from .location import build_definitions
from .resources import Host

SCHEDULED_RETRIES: Final = 2

defs = build_definitions(Host(retries=SCHEDULED_RETRIES))
