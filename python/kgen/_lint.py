# SPDX-License-Identifier: MIT
"""Lints kernels: executes them on the emulator, without a GPU, and reports costs and bugs."""

from __future__ import annotations

import ctypes as c
import json
import os
from dataclasses import dataclass, field
from typing import Any, Sequence

from ._library import CLint, CLintReport, Handle, KgenError, encoded, library, number, text, text_or_none, words
from ._show import code, paragraph, table


@dataclass(frozen=True)
class SharedLine:
    """The shared-memory instructions of one source line with one operation and one width. Counts are
    of warp-wide instructions and of wavefronts, summed over the launch."""

    file: str
    line: int
    op: str
    bytes_per_lane: int
    instructions: int
    wavefronts: int
    ideal: int
    fix: str | None  # a layout with fewer wavefronts, as C


@dataclass(frozen=True)
class GlobalLine:
    """The same of global memory. Sectors have 32 bytes; a request is a warp-wide instruction."""

    file: str
    line: int
    op: str
    bytes_per_lane: int
    requests: int
    sectors: int
    ideal_sectors: int
    used_share: float  # how much of the sectors' bytes the lanes use, 0 to 1


@dataclass(frozen=True)
class Finding:
    """A bug: a race, an out-of-bounds access, a read of unwritten memory, a missed barrier, ..."""

    kind: str
    file: str
    line: int
    message: str
    thread: tuple[int, int, int]  # where it was seen first
    block: tuple[int, int, int]
    count: int  # how often it was seen


@dataclass(frozen=True)
class LintReport:
    """The report of one launch. In a notebook, its lines and findings as tables."""

    kernel: str
    conflicts: int  # wavefronts above the ideal, of all shared-memory accesses
    blocks: int  # blocks that were executed
    shared: tuple[SharedLine, ...]
    globals: tuple[GlobalLine, ...]
    findings: tuple[Finding, ...]
    printed: str = field(repr=False)  # what the kernel printed
    text: str = field(repr=False)  # what `kgen --lint` prints
    data: dict[str, Any] = field(repr=False)  # the object of `kgen --lint --json`
    name: str | None = None  # the launch's name in a lint.yaml
    next: LintReport | None = field(default=None, repr=False)  # the report of the file's next launch
    notes: tuple[Finding, ...] = ()  # legal, but probably unintended

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        shared = sorted(self.shared, key=lambda s: s.ideal - s.wavefronts)  # most conflicts first
        lines = table(
            ("line", "op", "wavefronts", "ideal", "fix"),
            [(f"{s.file}:{s.line}", s.op, s.wavefronts, s.ideal, s.fix or "") for s in shared],
        )
        found = table(
            ("finding", "line", "message", "times"),
            [(f.kind, f"{f.file}:{f.line}", f.message, f.count) for f in self.findings],
        )
        head = f"{code(self.kernel)}: {self.conflicts} conflicts, {len(self.findings)} findings"
        return paragraph(head) + lines + (found if self.findings else "")


def _extents(v: int | Sequence[int] | None, what: str) -> Any:
    if v is None:
        return (c.c_uint32 * 3)()
    given = [int(v)] if hasattr(v, "__index__") else [int(x) for x in v]  # type: ignore
    if not 1 <= len(given) <= 3 or any(not 0 < x < 1 << 32 for x in given):
        raise KgenError(f"{what} must be one to three numbers of 1 or more, not {v!r}")
    return (c.c_uint32 * 3)(*given, *[1] * (3 - len(given)))


def _members(item: Any, names: Sequence[str]) -> list[Any]:
    values = []
    for name in names:
        value = getattr(item, name)
        if isinstance(value, c.Array):
            value = tuple(value)
        values.append(text_or_none(value) if isinstance(value, bytes) or value is None else value)
    return values


def lint(
    file: str | os.PathLike[str],
    source: str | None = None,
    *,
    kernel: str | None = None,
    grid: int | Sequence[int] | None = None,
    block: int | Sequence[int] | None = None,
    args: Sequence[str] = (),
    smem: int = 0,
    variables: Sequence[str] = (),
    include: Sequence[str] = (),
    define: Sequence[str] = (),
    flags: Sequence[str] = (),
    std: str | None = None,
    arch: str | None = None,
    seed: int = 1,
    max_steps: int = 0,
    time_limit: int = 0,
) -> LintReport:
    """Launches one kernel on the emulator and reports what its accesses cost, line by line, and its bugs.

    file: CUDA C++, which NVRTC or nvcc compiles; PTX, if its name ends in .ptx; or a lint.yaml, whose
    further launches are the report's `next`. source: the file's contents, if it is not to be read.
    grid, block: one to three extents, the others are 1. args: one per parameter, as after --arg:
    'buf:4096' (bytes), 'i32:64', ... smem: bytes of dynamic shared memory. max_steps: instructions per
    warp, time_limit: seconds, 0: the default. The others are the options of `kgen --lint` of that name.
    Raises KgenError for a file that cannot be read or compiled, a kernel that is not there or not
    unique, and arguments that do not fit its parameters.
    """
    handle = Handle()
    asked = CLint(
        encoded(file),
        encoded(source),
        encoded(kernel),
        _extents(grid, "grid"),
        _extents(block, "block"),
        number(smem, "smem", c.c_uint32),
        words(args),
        words(variables),
        words(include),
        words(define),
        words(flags),
        encoded(std),
        encoded(arch),
        number(seed, "seed", c.c_uint64),
        number(max_steps, "max_steps", c.c_uint64),
        number(time_limit, "time_limit", c.c_int64),
    )
    pointer = library.kgen_lint(handle.pointer, asked)
    if not pointer:
        raise handle.refuse()
    return _report(pointer.contents)


def _report(r: CLintReport) -> LintReport:
    def rows(kind: Any, items: Any, count: int) -> tuple[Any, ...]:
        names = list(kind.__dataclass_fields__)
        return tuple(kind(*_members(item, names)) for item in items[:count])

    return LintReport(
        text(r.kernel),
        r.conflicts,
        r.blocks,
        rows(SharedLine, r.shared_line, r.shared_lines),
        rows(GlobalLine, r.global_line, r.global_lines),
        rows(Finding, r.finding, r.findings),
        text(r.printed),
        text(r.text),
        json.loads(text(r.json))["lint"],
        text_or_none(r.name),
        _report(r.next.contents) if r.next else None,
        rows(Finding, r.note, r.notes),
    )
