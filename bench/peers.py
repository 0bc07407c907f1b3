# SPDX-License-Identifier: MIT
"""Times PyTorch and Triton at the same works, in turns with kgen's kernels, and prints the lines of bench/peers.cu.

work, size, peer, median ms, min ms, noise, GB/s of bytes read plus written, checked; separated by tabs.
Inputs are random and far larger than any L2; every result is compared in full before it is timed.
"""

import ctypes
import itertools
import os
import sys
import time
from pathlib import Path

try:
    import torch
except ImportError as error:
    sys.exit(f"peers.py: no PyTorch: {error}")
try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

DEVICE = "cuda"
SAMPLE_MS, WARM_UP_MS, SAMPLES = 4, 50, 21
WORKSPACE_BYTES = 64 << 20  # as in bench/peers.h
TUNE_SECONDS = 12  # for the Triton kernel, per dtype
GIBIBYTE = 1 << 30
DTYPES = {
    "u8": torch.uint8,
    "f16": torch.float16,
    "f32": torch.float32,
    "f64": torch.float64,
    "c128": torch.complex128,
}


def elapsed_ms(call, runs):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(runs):
        call()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def choose_runs(call):
    """The number of calls of a sample that takes at least SAMPLE_MS."""
    runs = 1
    while elapsed_ms(call, runs) < SAMPLE_MS:
        runs *= 2
    return runs


def kernels_for(work, size):
    """kgen's specs that do a work, with their host functions, from $KERNELS, which scripts/bench --build fills."""
    folder = Path(os.environ.get("KERNELS", "/nowhere"))
    if not (folder / "libkernels.so").exists():
        return []
    library = ctypes.CDLL(str(folder / "libkernels.so"))
    lines = [line.split("\t") for line in (folder / "kernels.tsv").read_text().splitlines()]
    specs = [spec for of, at, spec in lines if of == work and at in ("-", str(size))]
    return [(spec, library[f"{spec}_launch"]) for spec in specs]


def in_turn(call, sets):
    """A function without arguments that calls call(out, src) on the sets in turn and returns its result."""
    rotation = itertools.cycle(sets)
    return lambda: call(*next(rotation))


class Method:
    def __init__(self, name, call, is_right):
        self.name, self.call = name, call
        self.checked = "yes" if is_right(call()) else "WRONG"
        self.runs, self.ms = choose_runs(call), []

    def run(self):
        return elapsed_ms(self.call, self.runs)


class Row:
    """Methods on the same arrays, whose samples alternate."""

    def __init__(self, work, size, moved):
        self.work, self.size, self.moved, self.methods = work, str(size), moved, []

    def add(self, name, call, is_right):
        if os.environ.get("ONLY", "") not in f"{self.work}, {self.size}":
            return
        try:
            self.methods.append(Method(name, call, is_right))
        except Exception as error:  # a failed method is a row that says so
            text = " ".join(str(error).split())[:200]
            self.print(name, ["-"] * 4 + [f"{type(error).__name__}: {text}"])

    def add_kernels(self, sets, is_right, words=None):
        """Adds kgen's kernels for this work. sets: an output each, with the host function's arguments except
        for the stream: tensors, int and int64(). words(): makes the workspace of functions whose last
        argument is one.
        """
        for spec, launch in kernels_for(self.work, self.size):
            own = [words()] if words else []

            def call(out, arguments, launch=launch, own=own):
                passed = [pointer(a) if torch.is_tensor(a) else a for a in [*arguments, *own]]
                if status := launch(*passed, ctypes.c_void_p(0)):
                    raise RuntimeError(f"CUDA error {status}")
                return out

            for out, _ in sets:
                out.zero_()
            self.add(f"kgen {spec}", in_turn(call, sets), is_right)

    def measure(self):
        spent = 0.0
        while self.methods and spent < WARM_UP_MS:
            spent += sum(method.run() for method in self.methods)
        for i in range(SAMPLES):
            for j in range(len(self.methods)):  # each one first in one of the runs
                method = self.methods[(i + j) % len(self.methods)]
                method.ms.append(method.run() / method.runs)
        for method in self.methods:
            ms = sorted(method.ms)
            median = ms[SAMPLES // 2]
            noise = (ms[3 * SAMPLES // 4] - ms[SAMPLES // 4]) / 2 / median
            rate = self.moved / (median * 1e-3) / 1e9
            self.print(method.name, [f"{median:.6f}", f"{ms[0]:.6f}", f"{noise:.5f}", f"{rate:.2f}", method.checked])

    def print(self, name, cells):
        print("\t".join([self.work, self.size, name, *cells]), flush=True)


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def int64(value):
    return ctypes.c_longlong(value)


def random(shape, dtype):
    if dtype == torch.uint8:
        return torch.randint(0, 256, shape, dtype=dtype, device=DEVICE)
    return torch.randn(shape, dtype=dtype, device=DEVICE)


def integers(shape):
    """Integers from -127 to 127 as floats: as long as sums stay small, they are exact in every order."""
    return torch.randint(-127, 128, shape, device=DEVICE, dtype=torch.int32).float()


# --- transposes ---

if triton:

    @triton.jit
    def transpose_kernel(out, src, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr, BAND: tl.constexpr):
        # Blocks visit bands of BAND rows of tiles column by column: the stores of neighbouring blocks
        # then hit the same pages of DRAM.
        tile = tl.program_id(0)
        tiles_x = tl.cdiv(cols, COLS)
        band = tile // (BAND * tiles_x)
        within = tile % (BAND * tiles_x)
        y = (band * BAND + within % BAND) * ROWS + tl.arange(0, ROWS)
        x = within // BAND * COLS + tl.arange(0, COLS)
        inside = (y < rows)[:, None] & (x < cols)[None, :]
        values = tl.load(src + y[:, None] * cols + x[None, :], mask=inside)
        tl.store(out + x[:, None] * rows + y[None, :], tl.trans(values), mask=tl.trans(inside))


# The same shapes as in bench/peers.cu.
SHAPES = [(16384, 16384), (8192, 8192), (4096, 4096), (8192, 12288), (8191, 8193)]
DTYPES_OF_TRANSPOSES = ["f32", "f16", "u8", "f64", "c128"]
# Rows, columns and matrices.
ODD_SHAPES = {
    "u8": [(3, 33000000), (33000000, 3), (10000, 7777)],
    "f16": [(33, 77777), (100000, 64), (50257, 768), (128, 128, 4096), (1000, 1000, 64), (32, 32, 65536)],
    "f32": [(3, 10000000), (10000000, 3), (10000, 7777), (8, 8, 1048576)],
}
# The rows and columns of a tile, the tiles of a band, and the warps of a block.
CONFIGS = [
    (64, 64, 8, 4),
    (64, 64, 8, 8),
    (128, 64, 8, 8),
    (64, 128, 8, 8),
    (128, 128, 8, 8),
    (32, 64, 8, 4),
    (64, 32, 8, 4),
    (32, 32, 8, 4),
    (64, 64, 1, 4),
    (128, 128, 1, 8),
]


def launcher(sets, config):
    high, wide, band, warps = config
    rows, cols = sets[0][1].shape
    bands = triton.cdiv(rows, high * band)
    grid = (bands * band * triton.cdiv(cols, wide),)

    def launch(out, src):
        transpose_kernel[grid](out, src, rows, cols, high, wide, band, num_warps=warps)
        return out

    return in_turn(launch, sets)


def tuned_transpose(sets):
    """The fastest of CONFIGS that were tried within TUNE_SECONDS."""
    deadline = time.monotonic() + TUNE_SECONDS
    best, best_ms = None, float("inf")
    for config in CONFIGS:
        if best and time.monotonic() > deadline:
            break
        launch = launcher(sets, config)
        launch()
        ms = min(elapsed_ms(launch, 3) for _ in range(3))
        if ms < best_ms:
            best, best_ms = config, ms
    for out, _ in sets:
        out.zero_()
    return launcher(sets, best)


def add_triton(row, sets, is_right):
    best = []

    def call():
        if not best:
            best.append(tuned_transpose(sets))
        return best[0]()

    row.add("Triton", call, is_right)


def compare_transpose(name, rows, cols, batch=1):
    """Small matrices come in several sets, as in bench/peers.h, so that a launch finds none of its data in L2."""
    moved = 2 * batch * rows * cols * DTYPES[name].itemsize
    several = [batch] if batch > 1 else []
    sources = [random((*several, rows, cols), DTYPES[name]) for _ in range(1 + (240 << 20) // moved)]
    sets = [(src.new_empty((*several, cols, rows)), src) for src in sources]
    row = Row(f"transpose {name}", f"{batch} of {rows}x{cols}" if batch > 1 else f"{rows}x{cols}", moved)

    def is_right(made):
        return torch.equal(made, sources[0].mT)

    row.add("PyTorch", in_turn(lambda out, src: out.copy_(src.mT), sets), is_right)
    if triton and name != "c128" and batch == 1:  # which Triton has no type for
        add_triton(row, sets, is_right)
    shape = [rows, cols, int64(cols), int64(rows), batch]
    row.add_kernels([(out, [out, src, *shape]) for out, src in sets], is_right)
    row.measure()


# --- arrays of structs ---


def compare_structs(name, fields):
    dtype = DTYPES[name]
    count = GIBIBYTE // (fields * dtype.itemsize) // 1024 * 1024
    moved = 2 * count * fields * dtype.itemsize
    for work, shape in (("aos_to_soa", (count, fields)), ("soa_to_aos", (fields, count))):
        src = random(shape, dtype)
        out = src.new_empty(shape[::-1])
        row = Row(f"{work} {name} x{fields}", count, moved)

        def is_right(made):
            return torch.equal(made, src.t())

        row.add("PyTorch", lambda: src.t().contiguous(), is_right)
        row.add_kernels([(out, [out, src, int64(count), int64(count)])], is_right)
        row.measure()
        del src, out


# --- sums, scans, convolutions ---


def zeroed_workspace():
    return torch.zeros(WORKSPACE_BYTES, dtype=torch.uint8, device=DEVICE)


def compare_sum(name, count):
    src = integers((count,)).to(DTYPES[name])
    sum_dtype = torch.float64 if name == "f64" else torch.float32
    want = src.sum(dtype=torch.float64).item()
    row = Row(f"reduce sum {name}", count, src.numel() * src.element_size())
    out = torch.empty(1, dtype=sum_dtype, device=DEVICE)
    row.add("PyTorch", lambda: src.sum(dtype=sum_dtype), lambda made: made.item() == want)
    row.add_kernels(
        [(out, [out, src, int64(count)])], lambda made: made.item() == want, zeroed_workspace
    )
    row.measure()


def compare_scan(count):
    src = integers((count,))
    out = torch.empty_like(src)
    want = src.double().cumsum(0).float()
    row = Row("scan inclusive f32", count, 8 * count)
    row.add("PyTorch", lambda: src.cumsum(0), lambda made: torch.equal(made, want))
    row.add_kernels(
        [(out, [out, src, int64(count)])], lambda made: torch.equal(made, want), zeroed_workspace
    )
    row.measure()


def compare_line_sums(n):
    src = integers((n, n))
    for work, dim in (("colsum f32", 0), ("rowsum f32", 1)):
        want = src.sum(dim, dtype=torch.float64).float()
        row = Row(work, f"{n}x{n}", 4 * (n * n + n))
        row.add("PyTorch", lambda: src.sum(dim), lambda made: torch.equal(made, want))
        out = torch.empty_like(want)
        row.add_kernels(
            [(out, [out, src, n, int64(n)] if dim else [out, src, int64(n), n])],
            lambda made: torch.equal(made, want),
            zeroed_workspace,
        )
        row.measure()


def shifted_sum(image, weights):
    """The convolution as a sum of shifted images, exact for small integers."""
    k, n = weights.shape[-1], image.shape[-1]
    wide = torch.nn.functional.pad(image, (k // 2,) * 4)
    total = torch.zeros_like(image)
    for i in range(k):
        for j in range(k):
            total += weights[i, j] * wide[i : i + n, j : j + n]
    return total


def compare_convolution(k, n):
    image = integers((n, n))
    weights = torch.randint(-7, 8, (k, k), device=DEVICE).float()
    want = shifted_sum(image, weights)
    # Winograd and FFT round by up to 1e-4 of the largest sum; a wrong pixel differs by 1 or more.
    slack = 1e-4 * want.abs().max().item()
    row = Row(f"conv2d {k}x{k} f32", f"{n}x{n}", 8 * n * n)
    row.add(
        "PyTorch",
        lambda: torch.nn.functional.conv2d(image[None, None], weights[None, None], padding=k // 2)[0, 0],
        lambda made: (made - want).abs().max().item() <= slack,
    )
    out = torch.empty_like(image)
    row.add_kernels([(out, [out, image, weights, n, n])], lambda made: torch.equal(made, want))
    row.measure()


WORKS = [
    *((compare_transpose, (name, *shape)) for shape in SHAPES for name in DTYPES_OF_TRANSPOSES),
    *((compare_transpose, (name, *shape)) for name, shapes in ODD_SHAPES.items() for shape in shapes),
    (compare_structs, ("f32", 4)),
    (compare_structs, ("f32", 3)),
    (compare_structs, ("f32", 2)),
    (compare_structs, ("f32", 8)),
    (compare_structs, ("f64", 4)),
    (compare_structs, ("f64", 8)),
    (compare_sum, ("f32", GIBIBYTE // 4)),
    (compare_sum, ("f16", GIBIBYTE // 2)),
    (compare_sum, ("f64", GIBIBYTE // 8)),
    (compare_scan, (GIBIBYTE // 4,)),
    (compare_line_sums, (16384,)),
    (compare_convolution, (3, 16384)),
    (compare_convolution, (5, 16384)),
    (compare_convolution, (7, 16384)),
]


def main():
    if not torch.cuda.is_available():
        sys.exit("peers.py: PyTorch sees no GPU")
    # The peers of f32 kernels must compute in f32, not in TF32.
    torch.backends.cudnn.allow_tf32 = False
    for measure, arguments in WORKS:
        try:
            measure(*arguments)
        except Exception as error:  # out of memory, while the input is made
            print(f"peers.py: {measure.__name__} {arguments}: {error}", file=sys.stderr)
        torch.cuda.empty_cache()
    if not triton:
        print("peers.py: no Triton", file=sys.stderr)


if __name__ == "__main__":
    main()
