"""Layouts of every form that a report may hold, evaluated here and by the page: model.js must give the same offsets, and its C too."""

import itertools
import json


def coordinates(extent, index):
    at = []
    for n in reversed(extent):
        at.insert(0, index % n)
        index //= n
    return at


def offsets(extent, layout):
    """Every element's offset, straight from the definition in docs: terms read coordinates before any XOR."""
    count, found = 1, []
    for n in extent:
        count *= n
    for index in range(count):
        if "offsets" in layout:
            found.append(layout["offsets"][index])
            continue
        if layout["kind"] == "linear":
            offset = 0
            for bit, image in enumerate(layout["matrix"]):
                offset ^= image if index >> bit & 1 else 0
            found.append(offset)
            continue
        period = layout["period"]
        at = [index // period, index % period] if period else coordinates(extent, index)
        row = index // (period or extent[-1])
        to = list(at)
        for term in layout["swizzle"]:
            source = term.get("source", "row")
            value = {"row": row, "index": index}.get(source)
            if value is None:
                value = at[int(source[1:])]
            target = int(term["target"][1:]) if "target" in term else len(to) - 1
            shift = term["shift"]
            to[target] ^= (value >> shift if shift >= 0 else value << -shift) & term["mask"]
        found.append(sum(c * s for c, s in zip(to, layout["strides"])))
    return found


def term(shift, mask, **more):
    return {"shift": shift, "mask": mask, **more}


def xor(strides, *terms, period=None):
    return {"kind": "xor", "strides": strides, "period": period, "swizzle": list(terms)}


# (extent, layout): each source, each target, both directions of shifts, several terms, and each kind.
CASES = [
    ([32, 32], xor([33, 1])),
    ([32, 32], xor([32, 1], term(0, 31))),
    ([32, 32], xor([32, 1], term(1, 6), term(-1, 24))),
    ([32, 32], xor([32, 1], term(0, 7, source="c0", target="c1"), term(2, 24, source="row", target="c1"))),
    ([16, 64], xor([64, 1], term(5, 31, source="index", target="c1"))),
    ([4, 1024], xor([1024, 1], term(5, 31, source="c1", target="c1"))),
    ([8, 4, 32], xor([128, 32, 1], term(0, 3, source="c0", target="c1"), term(0, 31, source="row", target="c2"))),
    ([8, 4, 32], xor([128, 32, 1], term(0, 24, source="c1", target="c2"), term(-2, 28, source="c0", target="c2"))),
    ([2, 4, 8, 16], xor([512, 128, 16, 1], term(1, 6, source="c1", target="c2"), term(3, 15, source="index", target="c3"))),
    ([32, 4], xor([1, 32], term(0, 3, source="c0", target="c1"))),
    ([512], xor([1], term(4, 15, source="index", target="c0"))),
    ([512], xor([1])),
    ([500], xor([33, 1], period=32)),
    ([512], xor([32, 1], term(1, 15), period=32)),
    ([512], xor([36, 1], term(0, 28, source="c0", target="c1"), period=32)),
    ([8, 16], {"kind": "linear", "strides": None, "period": None, "swizzle": [], "matrix": [1, 2, 4, 8, 17, 34, 68]}),
    ([4, 4, 4], {"kind": "linear", "strides": None, "period": None, "swizzle": [], "matrix": [1, 2, 20, 8, 16, 33]}),
    ([64], {"kind": "linear", "strides": None, "period": None, "swizzle": [], "matrix": [32, 16, 8, 4, 2, 1]}),
    ([4, 8], {"kind": "expr", "strides": [8, 1], "period": None, "swizzle": [], "bytes": 256, "offsets": [63 - 2 * i for i in range(32)]}),
]


def check_layouts(b, check, equal):
    for extent, layout in CASES:
        dims = [["i"], ["row", "col"], ["z", "y", "x"], ["w", "z", "y", "x"]][len(extent) - 1]
        tile = {"extent": extent, "dims": dims, "element_bytes": 4, "banks": {"count": 32, "bytes": 4}}
        want = offsets(extent, layout)
        name = f"{extent} {json.dumps(layout)[:160]}"
        got = b.js(f"""(() => {{
          const tile = {json.dumps(tile)}, layout = {json.dumps(layout)}, offsets = [...offsetsOf(tile, layout)];
          const names = ['index', 'row', ...tile.dims.filter(d => d !== 'row')];
          if (layout.offsets) return {{offsets, spelled: offsets, bytes: bytesOf(tile, layout), pad: padOf(tile, layout)}};
          const c = spellLayout(tile, layout).replace(/\\((\\w+) \\/ (\\d+)\\)/g, '(($1 / $2) | 0)');
          const spelled = offsets.map((_, i) => {{
            const at = coordinatesOf(tile, i), row = Math.floor(i / tile.extent.at(-1));
            const value = n => n === 'index' ? i : n === 'row' ? row : at[tile.dims.indexOf(n)];
            return new Function(...names, `return ${{c}}`)(...names.map(value));
          }});
          return {{offsets, spelled, bytes: bytesOf(tile, layout), pad: padOf(tile, layout)}};
        }})()""")
        equal(f"offsets of {name}", got["offsets"], want)
        equal(f"as C, {name}", got["spelled"], want)
        rows = layout.get("strides") and max(n * s for n, s in itertools.zip_longest(extent, layout["strides"]) if n and s)
        if rows and not layout["period"] and "offsets" not in layout:
            equal(f"bytes of {name}", got["bytes"], rows * 4)
        check(f"the offsets of {name} are within its bytes", max(want) * 4 < got["bytes"])
