"""Any kernel, executed on the emulator: no GPU is needed."""

from __future__ import annotations

import ctypes as c
import json
import os
from dataclasses import dataclass, field
from typing import Any, Sequence

from . import _show
from ._library import CLint, CLintReport, Handle, KgenError, encoded, library, text, text_or_none, words


@dataclass(frozen=True)
class SharedLine:
    """Shared-memory instructions of one source line, one operation and one width."""

    file: str
    line: int
    op: str
    bytes_per_lane: int
    instructions: int
    wavefronts: int
    ideal: int
    fix: str | None  # a layout that costs less, in C


@dataclass(frozen=True)
class GlobalLine:
    """The same of global memory, in sectors of 32 bytes."""

    file: str
    line: int
    op: str
    bytes_per_lane: int
    requests: int
    sectors: int
    ideal_sectors: int
    used_share: float  # of the sectors' bytes: 0 to 1


@dataclass(frozen=True)
class Finding:
    """What the kernel does wrong: a race, an access outside of its memory, ..."""

    kind: str
    file: str
    line: int
    message: str
    thread: tuple[int, int, int]  # of the first
    block: tuple[int, int, int]
    count: int


@dataclass(frozen=True)
class LintReport:
    kernel: str
    conflicts: int  # wavefronts above the ideal, in all
    blocks: int  # that were executed
    shared: tuple[SharedLine, ...]
    globals: tuple[GlobalLine, ...]
    findings: tuple[Finding, ...]
    printed: str = field(repr=False)  # what the kernel printed
    text: str = field(repr=False)  # what `kgen --lint` prints
    data: dict[str, Any] = field(repr=False)  # the object of `kgen --lint --json`
    name: str | None = None  # of the launch in a lint.yaml
    next: LintReport | None = field(default=None, repr=False)  # of the file's next launch

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return _show.lint_page(self)


def _extents(v: int | Sequence[int] | None, what: str) -> Any:
    if v is None:
        return (c.c_uint32 * 3)()
    given = [int(v)] if hasattr(v, "__index__") else [int(x) for x in v]  # type: ignore
    if not 1 <= len(given) <= 3 or any(not 0 < x < 1 << 32 for x in given):
        raise KgenError(f"{what} is one to three numbers from 1 on, not {v!r}")
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
    """Launches one kernel and reports what its accesses cost, line by line, and its bugs.

    file: CUDA C++, which NVRTC or nvcc compiles, PTX if its name ends in .ptx, or a lint.yaml, whose
    launches follow each other as `next`; source: its contents, if it is not to be read. args: one per
    parameter, as after --arg: 'buf:4096', 'i32:64', ... The others are the options of `kgen --lint` of
    that name; what is left out of grid and block is 1.
    """
    handle = Handle()
    asked = CLint(
        encoded(file),
        encoded(source),
        encoded(kernel),
        _extents(grid, "grid"),
        _extents(block, "block"),
        smem,
        words(args),
        words(variables),
        words(include),
        words(define),
        words(flags),
        encoded(std),
        encoded(arch),
        seed,
        max_steps,
        time_limit,
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
    )
