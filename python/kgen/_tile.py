# SPDX-License-Identifier: MIT
"""Tiles without a spec: solves or judges a layout for the accesses of warps."""

from __future__ import annotations

import ctypes as c
import json
import operator
from dataclasses import dataclass, field
from html import escape
from typing import Any, Iterable, Sequence

from ._access import Access, c_access
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
from ._show import code, image, paragraph, table

_SOURCES = ("row", "index", "c0", "c1", "c2", "c3")
_OPS = ("load", "store", "atomic", "ldmatrix", "stmatrix")


@dataclass(frozen=True)
class Placement:
    """Where elements are stored: at the sum of coordinates times strides, in elements. Each term of the
    swizzle first XORs (source >> shift) & mask into a coordinate; a negative shift shifts left. A term is
    (shift, mask), of the row into the last coordinate, or (shift, mask, source, target): source "row",
    "index" or "c0" to "c3", target "c0" to "c3". The row is all dimensions but the last, flattened, the
    index all of them. A padded tile of rank 1 has a period P: row = i // P and col = i % P, and two
    strides. linear: the XOR of all terms is the offset, and strides take no part."""

    strides: tuple[int, ...]
    swizzle: tuple[tuple[int, int] | tuple[int, int, str, str], ...] = ()
    period: int | None = None
    linear: bool = field(default=False, repr=False)


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
        verdict = "conflict-free" if self.conflict_free else "not conflict-free"
        proof = "proven minimal" if self.minimal else "not proven minimal"
        shape = " x ".join(str(n) for n in self.tile)
        head = f"{escape(self.dtype)} {shape}, {self.bytes} bytes: {verdict}, {proof}"
        better = paragraph(f"better: {code(self.better.expression)}") if self.better else ""
        costs = table(
            ("access", "wavefronts", "ideal", "plain"),
            [(x.name, x.wavefronts, x.ideal, "-" if x.plain is None else x.plain) for x in self.costs],
        )
        picture = image(self.svg(), f"banks of the tile, plain and as {self.expression}")
        return paragraph(head, code(self.expression)) + better + costs + picture


# --- to C ---


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
    items = [c_access(a, extent) for a in accesses]
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
    for term, (shift, mask, *rest) in zip(out.xor_term, p.swizzle):
        term.shift, term.mask = number(shift, "a shift"), number(mask, "a mask")
        if rest:
            source, target = rest
            if source not in _SOURCES or target not in _SOURCES[2:]:
                raise KgenError(f"a term reads row, index or c0 to c3 and changes c0 to c3, not {rest}")
            term.source, term.target = _SOURCES.index(source), _SOURCES.index(target) - 1
    out.linear = int(p.linear)
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
    terms = tuple(_term(p.xor_term[i], rank) for i in range(p.xors))
    strides = tuple(p.stride[: 2 if p.period else rank])
    return Placement(strides, terms, p.period or None, bool(p.linear))


def _term(t: Any, rank: int) -> tuple[int, int] | tuple[int, int, str, str]:
    if not t.source and not t.target:
        return (t.shift, t.mask)
    return (t.shift, t.mask, _SOURCES[t.source], f"c{t.target - 1 if t.target else rank - 1}")


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
