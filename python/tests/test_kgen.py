# SPDX-License-Identifier: MIT
"""python3 -m unittest discover -s python/tests, with PYTHONPATH=python: no NumPy, no GPU, no NVRTC."""

import base64
import os
import tempfile
import threading
import unittest
import xml.dom.minidom
from pathlib import Path

import kgen

ROWS = [[32 * i + lane for lane in range(32)] for i in range(32)]
COLUMNS = [[32 * lane + i for lane in range(32)] for i in range(32)]
ACCESSES = [kgen.Access("fill", "store", ROWS), kgen.Access("drain", "load", COLUMNS)]
XOR = "c0 * 32 + (c1 ^ (c0 & 31))"

SPEC = """version: 1
kernel: none
dtype: f32
tile: [32, 32]
block: [32, 8]
access:
  - {name: fill, op: store, for: {j: 4}, at: [ty + 8*j, tx]}
  - {name: drain, op: load, for: {j: 4}, at: [tx, ty + 8*j]}
"""

PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry column() {
  .reg .b32 %r<4>;
  .shared .align 4 .b8 tile[4096];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 7;
  mov.u32 %r3, tile;
  add.s32 %r3, %r3, %r2;
  st.shared.u32 [%r3], %r1;
  ret;
}
"""


class Array:
    """What NumPy's arrays offer and kgen uses: tolist."""

    def __init__(self, rows):
        self.rows = rows

    def tolist(self):
        return self.rows


class Solve(unittest.TestCase):
    def test_transpose(self):
        r = kgen.solve((32, 32), "f32", ACCESSES)
        self.assertEqual(r.expression, XOR)
        self.assertEqual((r.kind, r.bytes, r.pad_bytes), ("xor", 4096, 0))
        self.assertTrue(r.conflict_free and r.minimal)
        self.assertIsNone(r.better)
        self.assertEqual(r.placement, kgen.Placement((32, 1), ((0, 31),)))
        self.assertEqual([(x.name, x.wavefronts, x.plain) for x in r.costs],
                         [("fill", 32, 32), ("drain", 32, 1024)])
        self.assertEqual(r.wavefronts, 64)
        self.assertEqual(r.offset(3, 5), 3 * 32 + (5 ^ 3))
        self.assertIn("why nothing cheaper works", r.explain())
        self.assertEqual(r.plan()["layout"]["swizzle"], [{"shift": 0, "mask": 31, "source": "row", "target": "c1"}])
        self.assertEqual(kgen.explain(r), r.explain())

    def test_ways_to_give_lanes(self):
        want = kgen.solve((32, 32), "f32", ACCESSES)
        coords = [[(lane, i) for lane in range(32)] for i in range(32)]
        for columns in (Array(COLUMNS), coords, Array([[list(x) for x in row] for row in coords])):
            r = kgen.solve((32, 32), "f32", [ACCESSES[0], kgen.Access("drain", "load", columns)])
            self.assertEqual(r, want)
        drain = kgen.Access.of("drain", "load", lambda i, lane: (lane, i), 32)
        self.assertEqual(kgen.solve((32, 32), "f32", [ACCESSES[0], drain]), want)

    def test_idle_lanes(self):
        one = kgen.solve((32, 32), "f32", [kgen.Access("a", "load", [0, None, 64, -1])])
        self.assertEqual(one.costs[0].wavefronts, 2 if one.kind == "none" else 1)
        self.assertEqual(one.costs[0].instructions, 1)
        with self.assertRaisesRegex(kgen.KgenError, "no active lane"):
            kgen.solve((32, 32), "f32", [kgen.Access("a", "load", [None])])

    def test_copies(self):
        lanes = [(lane // 8, lane % 8 * 4) for lane in range(32)]
        source = [lane // 8 * 4096 + lane % 8 * 16 for lane in range(32)]
        for given in (source, Array([source]), None):
            copy = kgen.Access("copy", "cp_async", lanes, vector=4, cache="cg", source=given)
            self.assertEqual(kgen.solve((4, 32), "f32", [copy]).costs[0].wavefronts, 4)
        with self.assertRaisesRegex(kgen.KgenError, "as many rows as lanes"):
            kgen.solve((4, 32), "f32", [kgen.Access("copy", "cp_async", [lanes] * 2, source=source)])

    def test_requests(self):
        pad = kgen.solve((32, 32), "f32", ACCESSES, layout="pad")
        self.assertEqual((pad.placement.strides, pad.pad_bytes), ((33, 1), 128))
        aligned = kgen.solve((32, 32), "f32", ACCESSES, layout="pad", align=16)
        self.assertEqual(aligned.placement.strides[0] % 4, 0)
        line = kgen.solve((1024,), "f32", [kgen.Access("a", "load", [32 * i for i in range(32)])])
        self.assertTrue(line.conflict_free and line.placement.swizzle)

    def test_refusals(self):
        def refused(pattern, tile=(32, 32), dtype="f32", accesses=ACCESSES, **more):
            with self.assertRaisesRegex(kgen.KgenError, pattern):
                kgen.solve(tile, dtype, accesses, **more)

        refused("did you mean 'f32'", dtype="f23")
        refused("layout is 'xro'", layout="xro")
        refused("leaves the tile: element 992 of 992", tile=(31, 32))
        refused("1 to 4 extents", tile=())
        refused("1 to 4 extents", tile=(4, 4, 4, 4, 4))
        refused("0 accesses", accesses=[])
        refused("must be integers", tile=(32.5, 32))
        for weight in (0, -1, float("nan"), float("inf")):
            refused("weight of an access", accesses=[kgen.Access("a", "load", ROWS, weight=weight)])
        refused("32 lanes, not 33", accesses=[kgen.Access("a", "load", list(range(33)))])
        refused("is not in a tile", accesses=[kgen.Access("a", "load", [[(0, 32)]])])
        refused("must be below", accesses=[kgen.Access("a", "load", [1 << 40])])
        refused("max_bytes is 4294971392, which 32 bits", max_bytes=(1 << 32) + 4096)
        refused("align is 4294967312, which 32 bits", align=(1 << 32) + 16)
        refused("vector must be an integer", accesses=[kgen.Access("a", "load", ROWS, vector=1.5)])
        source = [[1 << 64] * 32 for _ in ROWS]
        refused("source's byte is 18446744073709551616", accesses=[kgen.Access("a", "cp_async", ROWS, source=source)])
        with self.assertRaises(kgen.KgenError) as caught:
            kgen.solve((32, 32), "f23", ACCESSES)
        self.assertEqual([(e.kind, e.hint) for e in caught.exception.errors],
                         [("argument", "did you mean 'f32'?")])


class Judge(unittest.TestCase):
    def test_given(self):
        padded = kgen.judge((32, 32), "f32", ACCESSES, kgen.Placement((33, 1)))
        self.assertTrue(padded.conflict_free and not padded.minimal)
        self.assertEqual(padded.better.expression, XOR)
        self.assertEqual(padded.offset(1, 0), 33)
        self.assertEqual(padded.better.offset(1, 0), 33)
        best = kgen.judge((32, 32), "f32", ACCESSES, kgen.Placement((32, 1), ((0, 31),)))
        self.assertTrue(best.minimal and best.better is None)

    def test_refusals(self):
        with self.assertRaisesRegex(kgen.KgenError, r"elements \(0, 31\) and \(1, 0\) both at 31"):
            kgen.judge((32, 32), "f32", ACCESSES, kgen.Placement((31, 1)))
        for strides in ((32,), (32, 1, 1)):
            with self.assertRaisesRegex(kgen.KgenError, "does not have strides"):
                kgen.judge((32, 32), "f32", ACCESSES, kgen.Placement(strides))
        with self.assertRaisesRegex(kgen.KgenError, "at most 4 strides"):
            kgen.judge((32, 32), "f32", ACCESSES, kgen.Placement((1,) * 5))
        wide = (1 << 32) + 33
        for placement in (kgen.Placement((wide, 1)), kgen.Placement((32, 1), ((wide, 1),))):
            with self.assertRaisesRegex(kgen.KgenError, "is 4294967329, which 32 bits"):
                kgen.judge((32, 32), "f32", ACCESSES, placement)

    def test_outside(self):
        r = kgen.solve((32, 32), "f32", ACCESSES)
        for coord in ((32, 0), (0, -1), (1 << 32, 0), (0,), (0, 0, 0)):
            with self.assertRaises(IndexError):
                r.offset(*coord)


class Wavefronts(unittest.TestCase):
    def test_one_instruction(self):
        self.assertEqual(kgen.wavefronts("load", 4, [128 * i for i in range(32)]), (32, 1))
        self.assertEqual(kgen.wavefronts("load", 4, Array([132 * i for i in range(32)])), (1, 1))
        self.assertEqual(kgen.wavefronts("load", 4, [128 * i for i in range(8)] + [None] * 24)[0], 8)
        for op, width, at in (("laod", 4, [0]), ("load", 3, [0]), ("load", 4, [2]), ("load", 4, [0] * 33),
                              ("load", 4, [1 << 64]), ("load", 4, [0.5]), ("load", (1 << 32) + 4, [0])):
            with self.assertRaises(kgen.KgenError):
                kgen.wavefronts(op, width, at)


class Specs(unittest.TestCase):
    def test_text(self):
        g = kgen.generate(SPEC, name="columns")
        self.assertEqual((g.name, g.file, g.conflict_free), ("columns", "columns.h", True))
        self.assertIn("columns_offset", g.source)
        self.assertEqual(g.plan["layout"]["kind"], "xor")
        self.assertIn("why nothing cheaper works", kgen.explain(SPEC))
        self.assertEqual(kgen.explain(g), g.explanation)
        with tempfile.TemporaryDirectory() as folder:
            path = g.write(folder)
            os.utime(path, (1, 1))
            self.assertEqual(g.write(folder).stat().st_mtime, 1)
            self.assertEqual(path.read_text(), g.source)

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mine.yaml"
            path.write_text(SPEC)
            self.assertEqual(kgen.generate(path).file, "mine.h")
            self.assertEqual(kgen.generate(str(path)).file, "mine.h")
        with self.assertRaisesRegex(kgen.KgenError, "mine.yaml"):
            kgen.generate(path)

    def test_family(self):
        self.assertIn("transpose_launch", kgen.generate("version: 1\nkernel: transpose\ndtype: f32\n",
                                                        name="transpose").source)

    def test_errors(self):
        with self.assertRaises(kgen.KgenError) as caught:
            kgen.generate(SPEC.replace("f32", "f23").replace("load", "laod"), name="bad")
        errors = caught.exception.errors
        self.assertEqual([(e.kind, e.file, e.line) for e in errors],
                         [("spec", "bad.yaml", 3), ("spec", "bad.yaml", 8)])
        self.assertIn("f32", errors[0].hint)
        self.assertIn("bad.yaml:3:8: error: ", str(caught.exception))
        with self.assertRaisesRegex(ValueError, "NUL"):
            kgen.generate("version: 1\n\0")


class Lint(unittest.TestCase):
    def test_text(self):
        r = kgen.lint("column.ptx", PTX, block=32, grid=(2, 1))
        self.assertEqual((r.kernel, r.conflicts, r.blocks), ("column", 62, 2))
        self.assertEqual(r.findings, ())
        line = r.shared[0]
        self.assertEqual((line.file, line.line, line.op, line.wavefronts, line.ideal),
                         ("column.ptx", 11, "store", 64, 2))
        self.assertTrue(line.fix)
        self.assertEqual(r.data["conflicts"], 62)
        self.assertIn("column", str(r))
        self.assertIn("<table>", r._repr_html_())

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "k.ptx").write_text(PTX)
            (Path(folder) / "lint.yaml").write_text(
                "version: 1\nsource: k.ptx\nlaunches:\n"
                "  - {name: one, grid: 1, block: 32}\n  - {name: two, grid: 2, block: 32}\n")
            one = kgen.lint(folder)
            self.assertEqual([(r.name, r.conflicts) for r in (one, one.next)], [("one", 31), ("two", 62)])
            self.assertIsNone(one.next.next)
            with self.assertRaisesRegex(kgen.KgenError, "no --grid"):
                kgen.lint(folder, grid=2)

    def test_findings(self):
        far = PTX.replace("shl.b32 %r2, %r1, 7", "shl.b32 %r2, %r1, 9")
        r = kgen.lint("far.ptx", far, block=32)
        self.assertTrue(r.findings)
        self.assertEqual((r.findings[0].line, r.findings[0].block), (11, (0, 0, 0)))
        self.assertIn(r.findings[0].message[:20].split("<")[0], r._repr_html_())

    def test_refusals(self):
        def refused(kind, pattern, *args, **more):
            with self.assertRaisesRegex(kgen.KgenError, pattern) as caught:
                kgen.lint(*args, **more)
            self.assertIn(kind, [e.kind for e in caught.exception.errors] or ["python"])

        refused("argument", "No such file", "/nowhere/k.ptx")
        refused("argument", "did you mean column", "k.ptx", PTX, kernel="colum")
        refused("argument", "0 parameters, 1 --arg", "k.ptx", PTX, args=["i32:4"])
        refused("rejected", "frob", "k.ptx", PTX.replace("ret;", "frob.x;"))
        refused("python", "block must be one to three", "k.ptx", PTX, block=(1, 2, 3, 4))
        refused("python", "smem is -1, which", "k.ptx", PTX, smem=-1)
        refused("python", "seed is 18446744073709551617, which 64 bits", "k.ptx", PTX, seed=(1 << 64) + 1)


class Pictures(unittest.TestCase):
    def test_svg(self):
        for tile, dtype in (((32, 32), "f32"), ((4, 8), "f16"), ((128, 128), "u8"), ((8, 8), "f64"),
                            ((1024,), "f32"), ((4, 8, 8), "f32")):
            last = tile[-1]
            rows = 1
            for n in tile[:-1]:
                rows *= n
            lanes = [last * i for i in range(min(32, rows))] if rows > 1 else [32 * i for i in range(32)]
            r = kgen.solve(tile, dtype, [kgen.Access("a", "load", lanes)])
            svg = r._repr_svg_()
            document = xml.dom.minidom.parseString(svg)
            self.assertEqual(document.documentElement.tagName, "svg", (tile, dtype))
            page = r._repr_html_()
            self.assertEqual(base64.b64decode(page.split("base64,")[1].split('"')[0]).decode(), svg)
            self.assertIn("<table>", page)
            self.assertNotIn("<style", page)

    def test_spec(self):
        g = kgen.generate(SPEC)
        xml.dom.minidom.parseString(g.svg)
        self.assertEqual(g._repr_svg_(), g.svg)


class Threads(unittest.TestCase):
    def test_two(self):
        wrong = []

        def work():
            for _ in range(3):
                r = kgen.solve((32, 32), "f32", ACCESSES)
                report = kgen.lint("column.ptx", PTX, block=32)
                if r.expression != XOR or report.conflicts != 31:
                    wrong.append(r)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


class Declarations(unittest.TestCase):
    def test_header(self):
        """Every function and every member that kgen.h declares, in its order."""
        header = Path(__file__).resolve().parents[2] / "gen" / "kgen.h"
        if not header.exists():
            self.skipTest("not in a checkout")
        import re

        from kgen import _library

        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        declared = set(re.findall(r"KGEN_API[^;]*?(kgen_\w+)\(", text))
        self.assertEqual(declared, set(_library._FUNCTIONS))
        structs = dict((name, body) for body, name in
                       re.findall(r"typedef struct \{((?:[^{}]|\{[^{}]*\})*)\} (Kgen\w+);", text))
        structs["KgenResult"] = re.search(r"struct KgenResult \{([^{}]*)\};", text).group(1)
        for name, body in structs.items():
            mirror = getattr(_library, "C" + name[len("Kgen"):])
            body = re.sub(r"struct \{[^{}]*\}", "", body)
            members = [re.sub(r"\[.*?\]", "", m).split()[-1].lstrip("*")
                       for line in body.split(";") if line.strip() for m in line.split(",")]
            self.assertEqual(members, [field for field, *_ in mirror._fields_], name)
        self.assertRegex(kgen.version(), r"^\d+\.\d+\.\d+$")
        self.assertIn("libkgen.so." + ".".join(kgen.version().split(".")[:2]), _library._SONAME)


if __name__ == "__main__":
    unittest.main()
