# SPDX-License-Identifier: MIT
"""Says which work a spec does: a row of scripts/bench's table, named as in bench/peers*.cu and peers.py.

Standard library only. As a program it reads kgen's JSON and writes a line for each spec whose work the peers do, separated by tabs:
work, size (- if the peers have only one), spec. With `--specs PART` only the names of those whose "work, size" has PART in it.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# For kernels that only move elements, all types of one size are the same work.
WIDTHS = {
    "u8": "i8 e4m3 e5m2 b8",
    "f16": "u16 i16 bf16 b16",
    "f32": "u32 i32 b32",
    "f64": "u64 i64 c64 b64",
    "c128": "b128",
}
WIDTH_OF = {alias: name for name, aliases in WIDTHS.items() for alias in aliases.split()}
OPERATIONS = ["sum", "min", "max"]


# --- specs: which work is it? ---


def param(spec, name, otherwise=0):
    """The value of a spec's param, else its family's default, else `otherwise`; an integer."""
    written = rf"^params:[^#\n]*\b{name}: *(\d+)"
    patterns = [
        ("specs", spec["name"], written),
        ("bench/specs", spec["name"], written),
        ("templates", spec["kernel"], rf"^  {name}: *{{default: *(\d+) *[,}}]"),
    ]
    for folder, stem, pattern in patterns:
        path = ROOT / folder / f"{stem}.yaml"
        found = re.search(pattern, path.read_text(), re.M) if path.exists() else None
        if found:
            return int(found.group(1))
    return otherwise


def reduce_work(spec, dtype):
    return f"reduce {OPERATIONS[param(spec, 'operation')]} {dtype}"


def scan_work(spec, dtype):
    return f"scan {'exclusive' if param(spec, 'exclusive') else 'inclusive'} {dtype}"


def convolution_work(spec, dtype):
    side = 2 * param(spec, "radius", 1) + 1
    return f"conv2d {side}x{side} {dtype}"


def is_wide(spec, dtype):
    """True if C is f32 and the operands are not."""
    dtypes = {tile["name"]: tile["dtype"] for tile in spec.get("tiles", [])}
    return dtype != "f32" and (param(spec, "wide") == 1 or dtypes.get("c") == "f32")


def product_work(spec, dtype):
    transposed = "".join("NT"[param(spec, name)] for name in ("trans_a", "trans_b"))
    form = "" if transposed == "NN" else f" {transposed}"
    return f"gemm {dtype}{form}" + (" to f32" if is_wide(spec, dtype) else "")


def fourier_work(spec, dtype):
    return f"fft {param(spec, 'points')}{' inverse' if param(spec, 'inverse') else ''} {dtype}"


def is_product(work):
    return work.startswith("gemm ")


def is_transpose(work):
    return work.startswith("transpose ")


def shape(spec):
    """The matrices that are timed, as the peers write them: ROWSxCOLS, or N of ROWSxCOLS."""
    rows, cols, batch = (spec["problem"][name] for name in ("rows", "cols", "batch"))
    text = f"{rows}x{cols}"
    return text if batch == 1 else f"{batch} of {text}"


def struct_work(spec, dtype):
    return f"{spec['kernel']} {WIDTH_OF.get(dtype, dtype)} x{param(spec, 'fields')}"


WORKS = {
    "copy": lambda spec, dtype: "copy",
    "transpose": lambda spec, dtype: f"transpose {WIDTH_OF.get(dtype, dtype)}",
    "transpose_odd": lambda spec, dtype: f"transpose {WIDTH_OF.get(dtype, dtype)}",
    "transpose_skinny": lambda spec, dtype: f"transpose {WIDTH_OF.get(dtype, dtype)}",
    "transpose_small": lambda spec, dtype: f"transpose {WIDTH_OF.get(dtype, dtype)}",
    "aos_to_soa": struct_work,
    "soa_to_aos": struct_work,
    "reduce": reduce_work,
    "scan": scan_work,
    "colsum": lambda spec, dtype: f"colsum {dtype}",
    "rowsum": lambda spec, dtype: f"rowsum {dtype}",
    "conv2d": convolution_work,
    "fft": fourier_work,
    "gemm": product_work,
    "gemm_tma": product_work,
    "gemm_wgmma": product_work,
    "gemm_f32": product_work,
}


def work_of(spec):
    """The work of a spec in kgen's JSON, and its size, or None if the peers have only one size of it."""
    dtype = spec.get("dtype") or spec["tiles"][0]["dtype"]
    work = WORKS[spec["kernel"]](spec, dtype)
    if is_product(work):
        m, n, k = (spec["problem"][name] for name in "mnk")
        return work, str(m) if m == n == k else f"{m}x{n}x{k}"
    return work, shape(spec) if is_transpose(work) else None


def is_wanted(work, size, part):
    """True if `part` is in "work, size"; a work whose size only the peers know is judged without it."""
    return part in f"{work}, {size}" if size else part.split(", ")[0] in work


def main():
    part = sys.argv[2] if sys.argv[1:2] == ["--specs"] else None
    for spec in json.load(sys.stdin)["specs"]:
        if spec.get("kernel") in WORKS:
            work, size = work_of(spec)
            if part is None:
                print(work, size or "-", spec["name"], sep="\t")
            elif is_wanted(work, size, part):
                print(spec["name"])


if __name__ == "__main__":
    main()
