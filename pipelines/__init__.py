"""The Dagster code location: wiring only.

Modules import one another relatively: this is `pipelines` in the repository and `lastro.pipelines` in the wheel. One of
the two is imported, never both (`lastro.extras.load_pipelines`); whatever has to be told a name builds it from
`PACKAGE`.
"""

from typing import Final

from lastro.garbage import collect_seldom

PACKAGE: Final = __name__
"""What this package is called here."""
MODULE: Final = f"{PACKAGE}.definitions"
"""The module of the code location, as Dagster's processes are told it."""
LOCATION: Final = "pipelines.definitions"
"""Name of the code location, under which Dagster keeps what it knows of schedules, sensors and runs: the same wherever
the module is (`MODULE`), so that a schedule that somebody switched off stays off."""

collect_seldom()  # what Dagster's processes load first; the rest of their imports takes a fifth less
