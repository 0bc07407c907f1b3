# SPDX-License-Identifier: MIT
"""Conflict-free shared memory for CUDA kernels: computed, proven, and judged.

>>> import kgen
>>> rows = [[32 * i + lane for lane in range(32)] for i in range(32)]
>>> columns = [[32 * lane + i for lane in range(32)] for i in range(32)]
>>> r = kgen.solve((32, 32), "f32", [kgen.Access("fill", "store", rows),
...                                  kgen.Access("drain", "load", columns)])
>>> r.expression, r.conflict_free, r.minimal
('c0 * 32 + (c1 ^ (c0 & 31))', True, True)

solve and judge take the accesses of warps, generate and explain take specs, lint takes kernels. What
kgen refuses raises KgenError, which lists every error. All functions may be called from any thread.
"""

from ._access import Access
from ._library import Error, KgenError, version
from ._lint import Finding, GlobalLine, LintReport, SharedLine, lint
from ._spec import Generated, explain, generate
from ._tile import Cost, Placement, Result, judge, solve, wavefronts

__all__ = [
    "Access",
    "Cost",
    "Error",
    "Finding",
    "Generated",
    "GlobalLine",
    "KgenError",
    "LintReport",
    "Placement",
    "Result",
    "SharedLine",
    "explain",
    "generate",
    "judge",
    "lint",
    "solve",
    "version",
    "wavefronts",
]
