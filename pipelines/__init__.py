"""The Dagster code location: wiring only.

The folder stands at the top of the repository, and `src/lastro/pipelines` is a link to it: everywhere it is imported as
`lastro.pipelines`, for to Dagster a second name would be a second code location.
"""

from importlib.metadata import version
from typing import Final

from lastro.extras import demand_dagster
from lastro.garbage import collect_seldom

if __name__ != "lastro.pipelines":
    raise ImportError(f"the code location is lastro.pipelines; {__name__} would be a second one")
demand_dagster(version("dagster"))  # another one is told as such, and not by what of it is missed first

MODULE: Final = "lastro.pipelines.definitions"
"""The module of the code location, and its name wherever nobody gives it another one."""

collect_seldom()  # what Dagster's processes load first; the rest of their imports takes a fifth less
