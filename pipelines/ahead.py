"""What Dagster loads only once it opens its records, loaded ahead: by the server that forks the companies of a batch.

Each company would load it by itself, three hundred modules; to open records that are nowhere loads nearly all of it.
"""

import contextlib

import dagster as dg

# Where something hinders it each company loads its own, and says what that is.
with contextlib.suppress(Exception), dg.DagsterInstance.ephemeral():
    pass
