"""Every report, in the order of the workbook: who adds one writes its module and its line here.

Names, tabs, the catalogue, the order of building, the assets and the tests derive from this list.
"""

from __future__ import annotations

from typing import Final

from lastro.reports import (
    parametros,
    r00,
    r01,
    r02,
    r03,
    r04,
    r05,
    r06,
    r07,
    r08,
    r09,
    r10,
    r11,
    r12,
    r13,
    r14,
    r15,
    r16,
    r17,
)  # fmt: skip
from lastro.reports.spec import ReportSpec

REPORTS: Final[tuple[ReportSpec, ...]] = (
    r00.SPEC,
    r01.SPEC,
    r02.SPEC,
    r03.SPEC,
    r04.SPEC,
    r05.SPEC,
    r06.SPEC,
    r07.SPEC,
    r08.SPEC,
    r09.SPEC,
    r10.SPEC,
    r11.SPEC,
    r12.SPEC,
    r13.SPEC,
    r14.SPEC,
    r17.SPEC,
    r15.SPEC,
    r16.SPEC,
    parametros.SPEC,
)
