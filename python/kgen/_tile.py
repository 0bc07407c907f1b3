"""Tiles without a spec: solves or judges a layout for the accesses of warps."""

from __future__ import annotations

import ctypes as c
import json
import operator
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Sequence, Union

from . import _show
from ._library import (
    LANES,
    RANKS,
    XORS,
    CAccess,
    CPlacement,
    CResult,
    CTile,
    Handle,
    KgenError,
    encoded,
    library,
    number,
    text,
    text_or_none,
)

# The element that one lane accesses: its row-major index, its coordinates, or None for an idle lane.
Lane = Union[int, Sequence[int], None]
_OPS = ("load", "store", "atomic", "ldmatrix", "stmatrix")


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


@dataclass(frozen=True)
class Placement:
    """Where elements are stored: element (..., row, col) at the sum of coordinates times strides, in
    elements, with col replaced by col ^ X. X is the XOR of (row >> shift) & mask over the swizzle's
    (shift, mask); a negative shift shifts left. `row` is all dimensions but the last, flattened. A tile
    of rank 1 with a period P has row = i // P and col = i % P, and two strides."""

    strides: tuple[int, ...]
    swizzle: tuple[tuple[int, int], ...] = ()
    period: int | None = None


@dataclass(frozen=True)
class Cost:
    """The cost of one access in wavefronts, summed over its instructions. plain: in the unpadded
    row-major tile, None if that misaligns vectors. worst: the wavefronts of the costliest lane group,
    1 without conflicts."""

    name: str
    bytes_per_lane: int
    instructions: int
    wavefronts: int
    ideal: int
    plain: int | None
    worst: int


@dataclass(frozen=True)
class Result:
    """A layout and its cost. In a notebook, the tile before and after, coloured by bank."""

    tile: tuple[int, ...]
    dtype: str
    placement: Placement
    kind: str  # none, pad, xor, pad+xor; expr: outside of that family
    expression: str  # the offset in C over c0, c1, ...
    cute: str | None  # the same as a CuTe layout; None: there is none
    tma: int  # the TMA swizzle mode that stores the tile in this way: 32, 64 or 128 bytes; 0: none
    bytes: int  # of the tile, padding included
    pad_bytes: int  # of padding
    conflict_free: bool  # every access costs its ideal
    minimal: bool  # proven: no layout of the family costs less
    costs: tuple[Cost, ...]
    claim: str  # the certificate in one sentence
    better: Result | None  # only from judge: the best layout of the family, if it costs less
    _handle: Handle = field(repr=False, compare=False)
    _result: Any = field(repr=False, compare=False)
    _tile: CTile = field(repr=False, compare=False)

    @property
    def wavefronts(self) -> int:
        """The sum over all accesses, unweighted."""
        return sum(cost.wavefronts for cost in self.costs)

    def offset(self, *coord: int) -> int:
        """The offset at which an element is stored, in elements. Raises IndexError outside of the tile."""
        return _offset(self._tile, self._result.contents.placement, self.tile, coord)

    def explain(self) -> str:
        """What `kgen --explain` prints: the banks before and after, and why nothing cheaper works."""
        with self._handle.lock:
            return text(library.kgen_result_explain(self._handle.pointer, self._result))

    def plan(self) -> dict[str, Any]:
        """The spec's object of `kgen --json`, with the certificate and its witnesses."""
        with self._handle.lock:
            plan: dict[str, Any] = json.loads(
                text(library.kgen_result_json(self._handle.pointer, self._result))
            )
            return plan

    def svg(self) -> str:
        """An SVG document: the tile before and after, coloured by bank, as `kgen --svg` draws it."""
        with self._handle.lock:
            drawn = library.kgen_result_svg(self._handle.pointer, self._result)
            if drawn is None:
                raise self._handle.refuse()
            return text(drawn)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return _show.page(self)


# --- to C ---


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


def _c_access(access: Access, extent: Sequence[int]) -> CAccess:
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


def _c_tile(
    tile: Sequence[int],
    dtype: str,
    accesses: Iterable[Access],
    layout: str,
    align: int,
    max_bytes: int,
    arch: str | None,
    name: str | None,
) -> CTile:
    try:
        extent = [operator.index(v) for v in tile]
    except TypeError:
        raise KgenError(f"the extents of a tile must be integers, not {tuple(tile)}") from None
    if not 1 <= len(extent) <= RANKS or any(not 0 < v < 1 << 31 for v in extent):
        raise KgenError(f"a tile must have 1 to {RANKS} extents of 1 or more, not {tuple(extent)}")
    items = [_c_access(a, extent) for a in accesses]
    return CTile(
        encoded(name),
        encoded(dtype),
        len(extent),
        (c.c_int * RANKS)(*extent),
        encoded(layout),
        number(align, "align"),
        number(max_bytes, "max_bytes"),
        encoded(arch),
        len(items),
        (CAccess * len(items))(*items),
    )


def _c_placement(p: Placement, rank: int) -> CPlacement:
    if len(p.strides) > RANKS or len(p.swizzle) > XORS:
        raise KgenError(f"a placement must have at most {RANKS} strides and {XORS} terms")
    if len(p.strides) != (2 if p.period else rank):
        raise KgenError(f"a placement of a tile of rank {rank} does not have strides {p.strides}")
    strides = [number(v, "a stride") for v in p.strides]
    out = CPlacement(number(p.period or 0, "the period"), (c.c_int * RANKS)(*strides), len(p.swizzle))
    for term, (shift, mask) in zip(out.xor_term, p.swizzle):
        term.shift, term.mask = number(shift, "a shift"), number(mask, "a mask")
    return out


# --- from C ---


def _offset(tile: CTile, placement: CPlacement, extent: Sequence[int], coord: Sequence[int]) -> int:
    if len(coord) != len(extent):
        raise IndexError(f"{len(coord)} coordinates for a tile of rank {len(extent)}")
    inside = all(0 <= v < n for v, n in zip(coord, extent))
    at = library.kgen_offset(tile, placement, (c.c_int * RANKS)(*coord)) if inside else -1
    if at < 0:
        raise IndexError(f"element {tuple(coord)} is not in a tile of {tuple(extent)}")
    return int(at)


def _placement(p: CPlacement, rank: int) -> Placement:
    terms = tuple((p.xor_term[i].shift, p.xor_term[i].mask) for i in range(p.xors))
    return Placement(tuple(p.stride[: 2 if p.period else rank]), terms, p.period or None)


def _result(handle: Handle, tile: CTile, pointer: Any) -> Result:
    r: CResult = pointer.contents
    costs = tuple(
        Cost(
            text(x.name),
            x.bytes_per_lane,
            x.instructions,
            x.wavefronts,
            x.ideal,
            x.plain if x.plain >= 0 else None,
            x.worst,
        )
        for x in r.cost[: r.accesses]
    )
    return Result(
        tile=tuple(tile.extent[: tile.rank]),
        dtype=text(tile.dtype),
        placement=_placement(r.placement, tile.rank),
        kind=text(r.kind),
        expression=text(r.expression),
        cute=text_or_none(r.cute),
        tma=r.tma,
        bytes=r.bytes,
        pad_bytes=r.pad_bytes,
        conflict_free=r.conflict_free,
        minimal=r.minimal,
        costs=costs,
        claim=text(r.claim),
        better=_result(handle, tile, r.better) if r.better else None,
        _handle=handle,
        _result=pointer,
        _tile=tile,
    )


def solve(
    tile: Sequence[int],
    dtype: str,
    accesses: Iterable[Access],
    *,
    layout: str = "auto",
    align: int = 1,
    max_bytes: int = 0,
    arch: str | None = None,
    name: str | None = None,
) -> Result:
    """Finds the cheapest layout for all accesses at once: fewest weighted wavefronts, then fewest bytes,
    then the cheapest address.

    tile: 1 to 4 extents in elements, the last one contiguous. dtype: f32, f16, ...; b8 to b128 for any
    other type of so many bits. layout: auto, none, pad or xor. align: bytes to which rows and pieces of
    that size stay aligned. max_bytes: the limit of the padded tile; 0: what `arch` (default sm_90) gives
    a block. Raises KgenError for what is out of range, accesses that leave the tile, and misaligned
    vectors.
    """
    c_tile = _c_tile(tile, dtype, accesses, layout, align, max_bytes, arch, name)
    handle = Handle()
    pointer = library.kgen_solve(handle.pointer, c_tile)
    if not pointer:
        raise handle.refuse()
    return _result(handle, c_tile, pointer)


def judge(
    tile: Sequence[int],
    dtype: str,
    accesses: Iterable[Access],
    placement: Placement,
    *,
    layout: str = "auto",
    align: int = 1,
    max_bytes: int = 0,
    arch: str | None = None,
    name: str | None = None,
) -> Result:
    """Judges a given placement for the same arguments as solve. `minimal` says whether the family
    `layout` holds nothing cheaper, `better` is what does. Raises KgenError as solve does, and for a
    placement that stores two elements at one offset or misaligns vectors."""
    c_tile = _c_tile(tile, dtype, accesses, layout, align, max_bytes, arch, name)
    handle = Handle()
    pointer = library.kgen_judge(handle.pointer, c_tile, _c_placement(placement, len(tile)))
    if not pointer:
        raise handle.refuse()
    return _result(handle, c_tile, pointer)


def wavefronts(op: str, bytes_per_lane: int, addresses: Sequence[int | None]) -> tuple[int, int]:
    """The wavefronts of one warp-wide instruction, and the ideal for its lanes, from the byte addresses
    of up to 32 lanes, None for an idle one. op: load, store, atomic, ldmatrix or stmatrix.
    bytes_per_lane: 1, 2, 4, 8 or 16, and addresses are multiples of it; KgenError otherwise."""
    given = addresses.tolist() if hasattr(addresses, "tolist") else list(addresses)
    if op not in _OPS or len(given) > LANES:
        raise KgenError(f"op must be one of {', '.join(_OPS)}, with at most {LANES} lanes")
    at = [0 if v is None else number(v, "an address", c.c_int64) for v in given]
    active = sum(1 << i for i, v in enumerate(given) if v is not None)
    ideal = c.c_int()
    n = library.kgen_wavefronts(
        _OPS.index(op), number(bytes_per_lane, "bytes_per_lane"), active, (c.c_int64 * LANES)(*at), c.byref(ideal)
    )
    if n < 0:
        raise KgenError(
            "lanes must access 1, 2, 4, 8 or 16 bytes (16 for ldmatrix and stmatrix) at multiples of that"
        )
    return int(n), ideal.value
