"""What pages that an older lastro landed do not say by themselves, and files that it loaded them into.

Asked by what loads pages (`lastro.warehouse.loading.pages`) and by what migrates files (`migration`), and by nobody
else: once loaded, a record of an old page is like any other.
"""

from __future__ import annotations

from typing import Final

LISTED_ACCOUNT: Final = "try_cast(regexp_extract(origem, '[?&]conta_id=([0-9]+)', 1) AS BIGINT)"
"""SQL of the account whose listing an old page is of, which only its address tells; null where the address has none."""
