"""Let the tests import `tests.oracle` and `tests.golden` whatever the way pytest was started."""

import sys
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parents[3])
if _ROOT not in sys.path:
    sys.path.insert(0, _ROOT)
