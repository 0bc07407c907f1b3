"""Compares how kgen writes one layout in several languages: every offset, by the definition of each language, and by its package
where that is installed. Reads the output of `kgen --json`; prints what differs, and which packages are missing."""

import json
import math
import random
import sys


def elements(tile):
    """All of them; of large tiles those at powers of two, which decide a linear layout, and random ones."""
    total = math.prod(tile)
    at = range(total)
    if total > 1024:
        at = [1 << bit for bit in range(total.bit_length()) if 1 << bit < total] + random.Random(1).choices(at, k=500)
    return [[i // math.prod(tile[d + 1:]) % tile[d] for d in range(len(tile))] for i in at]


def index_of(tile, c):
    at = 0
    for n, x in zip(tile, c):
        at = at * n + x
    return at


def by_json(tile, layout):
    """Offsets by the strides, terms or matrix of the report."""
    if "matrix" in layout:
        def linear(c):
            at, i = 0, index_of(tile, c)
            for bit, column in enumerate(layout["matrix"]):
                at ^= column if i >> bit & 1 else 0
            return at
        return linear

    def strided(c):
        period, x = layout["period"], list(c)
        source = {"index": index_of(tile, c), "row": index_of(tile[:-1], c[:-1])}
        if period:
            x = [c[0] // period, c[0] % period]
            source["row"] = x[0]
        source.update({f"c{d}": v for d, v in enumerate(x)})
        changed = list(x)
        for term in layout["swizzle"]:
            value, shift = source[term["source"]], term["shift"]
            value = value >> shift if shift >= 0 else value << -shift
            changed[-1 if period else int(term["target"][1:])] ^= value & term["mask"]
        return sum(v * s for v, s in zip(changed, layout["strides"]))

    return strided


def swizzle(b, m, s):
    def apply(offset):
        mask = (1 << b) - 1
        return offset ^ ((offset >> m + s & mask) << m if s >= 0 else (offset >> m & mask) << m - s)
    return apply


class Strided:
    """A layout of CuTe: a coordinate for each mode, or, of a rank-1 tile with two modes, one that counts through the first mode."""

    def __init__(self, shape, stride):
        self.shape, self.stride = shape, stride

    def __call__(self, c):
        if len(c) < len(self.shape):
            c = (c[0] % self.shape[0], c[0] // self.shape[0])
        return sum(x * s for x, s in zip(c, self.stride))


class Cute:
    """The functions of CuTe DSL that kgen writes."""
    make_layout = staticmethod(lambda shape, stride: Strided(shape, stride))
    make_swizzle = staticmethod(swizzle)
    make_composed_layout = staticmethod(lambda inner, offset, outer: lambda c: inner(offset + outer(c)))


class TileLang:
    Layout = staticmethod(lambda shape, forward: lambda c: forward(*c))


def offsets_of_bases(bases, tile):
    """Gluon's bases say which element is at each power of two of the offset."""
    at = {}
    for offset in range(1 << len(bases)):
        element = [0] * len(tile)
        for bit, base in enumerate(bases):
            if offset >> bit & 1:
                element = [x ^ y for x, y in zip(element, base)]
        at[tuple(element)] = offset
    return at.__getitem__


class Gluon:
    """Gluon's shared layouts by their documentation."""

    def __init__(self, tile):
        self.tile = tile

    def SwizzledSharedLayout(self, vec, per_phase, max_phase, order):
        assert order == list(range(len(self.tile)))[::-1]

        def offset(c):
            row = c[-2] if len(c) > 1 else 0
            column = c[-1] // vec ^ row // per_phase % max_phase
            return index_of(self.tile, (*c[:-1], column * vec + c[-1] % vec))
        return offset

    def SharedLinearLayout(self, bases):
        return offsets_of_bases(bases, self.tile)

    def NVMMASharedLayout(self, swizzle_byte_width, element_bitwidth, rank):
        size = element_bitwidth // 8
        assert rank == 2 and self.tile[1] * size == swizzle_byte_width
        bits = swizzle(swizzle_byte_width.bit_length() - 5, 4, 3)
        return lambda c: bits(index_of(self.tile, c) * size) // size

    class PaddedSharedLayout:
        def __init__(self, pairs, bases, blocks, shape):
            self.pairs, self.at = pairs, offsets_of_bases(bases, shape)

        @classmethod
        def with_identity_for(cls, pairs, shape, order):
            assert order == list(range(len(shape)))[::-1]
            bases = []
            for d in order:
                for bit in range(shape[d].bit_length() - 1):
                    bases.append([1 << bit if i == d else 0 for i in range(len(shape))])
            return cls(pairs, bases, [], shape)

        def __call__(self, c):
            at = self.at(tuple(c))
            return at + sum(at // interval * pad for interval, pad in self.pairs)


def mojo(text):
    names = {"IntTuple": lambda *v: v, "Layout": Strided, "Swizzle": swizzle,
             "ComposedLayout": lambda outer, inner: lambda c: inner(outer(c))}
    return eval(text, names)


def triton_of():
    """Offsets by Triton's own layouts, or None without that package."""
    try:
        from triton._C.libtriton import gluon_ir, ir
        from triton.experimental.gluon import language as ttgl
    except ImportError as error:
        print(f"triton is not installed ({error}): Gluon's layouts are compared with their documentation alone")
        return None
    context = ir.context()
    ir.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)

    def offsets(text, tile):
        assert context  # the builder does not keep it
        if "Padded" in text:
            return None  # a padded layout is no linear one
        linear = builder.to_linear_layout(eval(text, {"ttgl": ttgl})._to_ir(builder), list(tile))
        return offsets_of_bases(linear.offset_bases, tile)
    return offsets


def compare_cutedsl(layouts):
    """Offsets by CuTe DSL's own layouts, of a hundred elements of each tile. The number of layouts, and what differs."""
    try:
        from cutlass import cute
    except ImportError as error:
        print(f"nvidia-cutlass-dsl is not installed ({error}): CuTe DSL's layouts are compared with their documentation alone")
        return 0, []
    wrong = []

    def compare_all():
        for name, tile, layout in layouts:
            text, want = layout["as"]["cutedsl"], by_json(tile, layout)
            real = eval(text, {"cute": cute})
            for c in elements(tile)[:100]:
                at = real(tuple(c) if len(c) > 1 else c[0])
                if at != want(c):
                    wrong.append(f"{name}: CuTe DSL: {c} is at {at}, not {want(c)}: {text}")
                    break

    @cute.jit
    def run():
        compare_all()

    run()
    return len(layouts), wrong


def compare(name, tile, layout, triton):
    """The number of languages that have the layout."""
    want, said, wrong = by_json(tile, layout), layout["as"], []
    have = {}
    for language in ("cutedsl", "gluon", "tilelang", "mojo"):
        text = said[language]
        if isinstance(text, dict):
            assert text["none"], (name, language)
            continue
        have[language] = eval(text, {"cute": Cute, "ttgl": Gluon(tile), "T": TileLang}) if language != "mojo" else mojo(text)
    if triton and "gluon" in have and (real := triton(said["gluon"], tile)):
        have["triton"] = real
    for language, offset in have.items():
        for c in elements(tile):
            if offset(tuple(c)) != want(c):
                wrong.append(f"{name}: {language}: {c} is at {offset(tuple(c))}, not {want(c)}: {said.get(language, said['gluon'])}")
                break
    if layout["cute"] and layout["cute"][0] and "cutedsl" not in have:
        wrong.append(f"{name}: CuTe has a swizzle, CuTe DSL none")
    print("\n".join(wrong), end="\n" if wrong else "")
    return len(have), len(wrong)


def main():
    triton, have, wrong, tiles, in_cutedsl = triton_of(), 0, 0, 0, []
    for spec in json.load(sys.stdin)["specs"]:
        for tile in spec.get("tiles", [spec]):
            if tile["layout"]["kind"] == "expr":
                continue
            name = f"{spec['name']} {tile.get('name', '')}"
            h, w = compare(name, tile["tile"], tile["layout"], triton)
            have, wrong, tiles = have + h, wrong + w, tiles + 1
            if isinstance(tile["layout"]["as"]["cutedsl"], str):
                in_cutedsl.append((name, tile["tile"], tile["layout"]))
    compared, differ = compare_cutedsl(in_cutedsl)
    print("\n".join(differ), end="\n" if differ else "")
    have, wrong = have + compared, wrong + len(differ)
    print(f"{tiles} layouts in {have} forms, {wrong} wrong")
    sys.exit(1 if wrong or not have else 0)


main()
