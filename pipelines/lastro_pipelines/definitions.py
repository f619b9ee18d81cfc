"""The code location, as Dagster's processes load it; what it is made of stands in `location`."""

from .location import build_definitions
from .resources import Host

defs = build_definitions(Host())
