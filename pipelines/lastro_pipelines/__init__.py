"""The Dagster code location: wiring only.

It stands above `lastro`, which it imports; of `lastro` only the commands that serve Dagster's UI, and what reads its
records, import it, within functions.
"""

from importlib.metadata import version
from typing import Final

from lastro.extras import demand_dagster
from lastro.garbage import collect_seldom

demand_dagster(version("dagster"))  # another one is told as such, and not by what of it is missed first

MODULE: Final = "lastro_pipelines.definitions"
"""The module of the code location."""
LOCATION: Final = "lastro.pipelines.definitions"
"""The location's name wherever nobody gives it another one.

The module was called so until 0.3: a schedule that somebody switched off then, and the runs of then, go by this name.
"""

collect_seldom()  # what Dagster's processes load first; the rest of their imports takes a fifth less
