# SPDX-License-Identifier: MIT
"""The accesses of warps, as the caller describes them and as the library takes them."""

from __future__ import annotations

import ctypes as c
from dataclasses import dataclass
from typing import Any, Callable, Sequence, Union

from ._library import LANES, CAccess, KgenError, encoded, number

# The element that one lane accesses: its row-major index, its coordinates, or None for an idle lane.
Lane = Union[int, Sequence[int], None]


@dataclass(frozen=True)
class Access:
    """The warp-wide instructions of one access.

    lanes: one row of 32 lanes per instruction; a single row is one instruction. Each entry is the
    row-major index of the element in the unpadded tile, its coordinates as a tuple, or None (or a
    negative index) for an idle lane. An integer array, such as NumPy's, may have shape [n, 32], or
    [n, 32, rank] with coordinates. Shorter rows leave their last lanes idle.
    op: load, store, atomic, ldmatrix, stmatrix or cp_async. For ldmatrix and stmatrix a lane's element is
    the first of the row of 16 bytes whose address it passes.
    vector: elements per lane, contiguous in the last dimension.
    weight: relative frequency, 0.001 or more.
    cache, source: only for cp_async. 'ca' or 'cg', and the byte offset in device memory that each lane
    copies from; by default elements lie there as in the tile, each row on cache lines of its own.
    """

    name: str
    op: str
    lanes: Any
    vector: int = 1
    weight: float = 1.0
    cache: str | None = None
    source: Any = None

    @classmethod
    def of(
        cls,
        name: str,
        op: str,
        at: Callable[[int, int], Lane],
        instructions: int,
        vector: int = 1,
        weight: float = 1.0,
    ) -> Access:
        """An access whose lanes are at(i, lane), for instructions i = 0, 1, ... and lanes 0 to 31."""
        rows = [[at(i, lane) for lane in range(LANES)] for i in range(instructions)]
        return cls(name, op, rows, vector, weight)


def _index_of(lane: Lane, extent: Sequence[int]) -> int:
    if lane is None:
        return -1
    if hasattr(lane, "__index__"):
        return int(lane)  # type: ignore[arg-type]
    coord = [int(v) for v in lane]  # type: ignore[union-attr]
    if len(coord) != len(extent) or any(not 0 <= v < n for v, n in zip(coord, extent)):
        raise KgenError(f"element {tuple(coord)} is not in a tile of {tuple(extent)}")
    index = 0
    for v, n in zip(coord, extent):
        index = index * n + v
    return index


def _given(lanes: Any) -> list[Any]:
    """One row per instruction; a single row becomes a list of one."""
    given = lanes.tolist() if hasattr(lanes, "tolist") else list(lanes)
    single = given and all(v is None or hasattr(v, "__index__") or isinstance(v, tuple) for v in given)
    return [given] if single else given


def _source_of(access: Access, instructions: int) -> Any:
    if access.source is None:
        return None
    rows = [
        [0 if v is None else number(v, "a source's byte", c.c_int64) for v in row] for row in _given(access.source)
    ]
    if len(rows) != instructions or any(len(row) > LANES for row in rows):
        raise KgenError(f"access {access.name!r}: source must have as many rows as lanes, of at most {LANES}")
    flat = [v for row in rows for v in row + [0] * (LANES - len(row))]
    return (c.c_int64 * len(flat))(*flat)


def _rows_of(lanes: Any, extent: Sequence[int]) -> list[list[int]]:
    rows = [[_index_of(lane, extent) for lane in row] for row in _given(lanes)]
    for row in rows:
        if len(row) > LANES:
            raise KgenError(f"an instruction has {LANES} lanes, not {len(row)}")
        if any(v > 0x7FFFFFFF for v in row):
            raise KgenError(f"an index must be below 2**31, not {max(row)}")
        row.extend([-1] * (LANES - len(row)))
    return rows


def c_access(access: Access, extent: Sequence[int]) -> CAccess:
    if not 0.001 <= access.weight < float("inf"):
        raise KgenError(f"the weight of an access must be 0.001 or more, not {access.weight}")
    flat = [max(v, -1) for row in _rows_of(access.lanes, extent) for v in row]
    return CAccess(
        encoded(access.name),
        encoded(access.op),
        number(access.vector, "vector"),
        access.weight,
        len(flat) // LANES,
        (c.c_int32 * len(flat))(*flat),
        encoded(access.cache),
        _source_of(access, len(flat) // LANES),
    )
