"""Which options of lastro are there: tests pass where the folder of one was deleted, with its own tests.

The pages of the manual and README tell of all of them, so what holds every word of theirs against the code is not asked
then.
"""

from __future__ import annotations

from typing import Final

import pytest

from lastro.extras import OPTIONS, is_there

EVERY: Final = (*OPTIONS, "group")
GONE: Final = tuple(name for name in EVERY if not is_there(name))
tells_of_all = pytest.mark.skipif(bool(GONE), reason=f"the pages tell of what is gone: {', '.join(GONE)}")
