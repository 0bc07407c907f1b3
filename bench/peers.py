"""What PyTorch and Triton make of the same work, in the lines that bench/peers.cu prints.

work, size, peer, median ms, min ms, noise, GB/s of bytes read plus written, checked; tabs between.
Inputs are random and far larger than any L2; every result is compared in full before it is timed.
"""

import sys
import time

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


def sample(call):
    """Sorted milliseconds of one call, in samples of at least SAMPLE_MS after a warm-up."""
    runs, spent = 1, 0.0
    while elapsed_ms(call, runs) < SAMPLE_MS:
        runs *= 2
    while spent < WARM_UP_MS:
        spent += elapsed_ms(call, runs)
    return sorted(elapsed_ms(call, runs) / runs for _ in range(SAMPLES))


def compare(work, size, peer, moved, call, is_right):
    """Runs, checks and times one method, and prints its line, or the error instead."""
    try:
        right = "yes" if is_right(call()) else "WRONG"
        ms = sample(call)
        median = ms[SAMPLES // 2]
        noise = (ms[3 * SAMPLES // 4] - ms[SAMPLES // 4]) / 2 / median
        rate = moved / (median * 1e-3) / 1e9
        cells = [f"{median:.6f}", f"{ms[0]:.6f}", f"{noise:.5f}", f"{rate:.2f}", right]
    except Exception as error:  # a failed method is a row that says so
        text = " ".join(str(error).split())[:200]
        cells = ["-"] * 4 + [f"{type(error).__name__}: {text}"]
    print("\t".join([work, str(size), peer, *cells]), flush=True)


def random(shape, dtype):
    if dtype == torch.uint8:
        return torch.randint(0, 256, shape, dtype=dtype, device=DEVICE)
    return torch.randn(shape, dtype=dtype, device=DEVICE)


def integers(shape):
    """Floats of -127 to 127: their sums are exact in every order, as long as they stay small."""
    return torch.randint(-127, 128, shape, device=DEVICE, dtype=torch.int32).float()


# --- transposes ---

if triton:

    @triton.jit
    def transpose_kernel(out, src, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr, BAND: tl.constexpr):
        # BAND rows of tiles are walked together, column by column: the writes of neighbouring
        # blocks then fall into the same pages of DRAM.
        tile = tl.program_id(0)
        tiles_x = tl.cdiv(cols, COLS)
        band = tile // (BAND * tiles_x)
        within = tile % (BAND * tiles_x)
        y = (band * BAND + within % BAND) * ROWS + tl.arange(0, ROWS)
        x = within // BAND * COLS + tl.arange(0, COLS)
        inside = (y < rows)[:, None] & (x < cols)[None, :]
        values = tl.load(src + y[:, None] * cols + x[None, :], mask=inside)
        tl.store(out + x[:, None] * rows + y[None, :], tl.trans(values), mask=tl.trans(inside))


# As in bench/peers.cu.
SHAPES = [(16384, 16384), (8192, 8192), (4096, 4096), (8192, 12288), (8191, 8193)]
DTYPES_OF_TRANSPOSES = ["f32", "f16", "u8", "f64", "c128"]
# Rows, columns, tiles of a band, warps.
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


def launcher(out, src, config):
    high, wide, band, warps = config
    rows, cols = src.shape
    bands = triton.cdiv(rows, high * band)
    grid = (bands * band * triton.cdiv(cols, wide),)
    return lambda: transpose_kernel[grid](out, src, rows, cols, high, wide, band, num_warps=warps)


def tuned_transpose(out, src):
    """The fastest of CONFIGS, as far as TUNE_SECONDS reach."""
    deadline = time.monotonic() + TUNE_SECONDS
    best, best_ms = None, float("inf")
    for config in CONFIGS:
        if best and time.monotonic() > deadline:
            break
        launch = launcher(out, src, config)
        launch()
        ms = min(elapsed_ms(launch, 3) for _ in range(3))
        if ms < best_ms:
            best, best_ms = launch, ms
    return best


def compare_triton(work, size, moved, src):
    out = src.new_empty((src.shape[1], src.shape[0]))
    best = []

    def call():
        if not best:
            best.append(tuned_transpose(out, src))
            out.zero_()
        best[0]()
        return out

    compare(work, size, "Triton", moved, call, lambda made: torch.equal(made, src.t()))


def compare_transpose(name, rows, cols):
    src = random((rows, cols), DTYPES[name])
    moved = 2 * src.numel() * src.element_size()
    work, size = f"transpose {name}", f"{rows}x{cols}"
    compare(
        work,
        size,
        "PyTorch",
        moved,
        lambda: src.t().contiguous(),
        lambda made: torch.equal(made, src.t()),
    )
    if triton and name != "c128":  # which Triton has no type for
        compare_triton(work, size, moved, src)


# --- arrays of structs ---


def compare_structs(name, fields):
    dtype = DTYPES[name]
    count = GIBIBYTE // (fields * dtype.itemsize) // 1024 * 1024
    moved = 2 * count * fields * dtype.itemsize
    for work, shape in (("aos_to_soa", (count, fields)), ("soa_to_aos", (fields, count))):
        src = random(shape, dtype)
        compare(
            f"{work} {name} x{fields}",
            count,
            "PyTorch",
            moved,
            lambda: src.t().contiguous(),
            lambda made: torch.equal(made, src.t()),
        )
        del src


# --- sums, scans, convolutions ---


def compare_sum(name, count):
    src = integers((count,)).to(DTYPES[name])
    moved = src.numel() * src.element_size()
    sum_dtype = torch.float64 if name == "f64" else torch.float32
    want = src.sum(dtype=torch.float64).item()
    compare(
        f"reduce sum {name}",
        count,
        "PyTorch",
        moved,
        lambda: src.sum(dtype=sum_dtype),
        lambda made: made.item() == want,
    )


def compare_scan(count):
    src = integers((count,))
    want = src.double().cumsum(0).float()
    compare(
        "scan inclusive f32",
        count,
        "PyTorch",
        8 * count,
        lambda: src.cumsum(0),
        lambda made: torch.equal(made, want),
    )


def compare_line_sums(n):
    src = integers((n, n))
    for work, dim in (("colsum f32", 0), ("rowsum f32", 1)):
        want = src.sum(dim, dtype=torch.float64).float()
        compare(
            work,
            f"{n}x{n}",
            "PyTorch",
            4 * (n * n + n),
            lambda: src.sum(dim),
            lambda made: torch.equal(made, want),
        )


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
    # Winograd and FFT round: 1e-4 of the largest sum, where a wrong pixel is off by 1 and more.
    slack = 1e-4 * want.abs().max().item()
    compare(
        f"conv2d {k}x{k} f32",
        f"{n}x{n}",
        "PyTorch",
        8 * n * n,
        lambda: torch.nn.functional.conv2d(image[None, None], weights[None, None], padding=k // 2),
        lambda made: (made[0, 0] - want).abs().max().item() <= slack,
    )


WORKS = [
    *((compare_transpose, (name, *shape)) for shape in SHAPES for name in DTYPES_OF_TRANSPOSES),
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
    # The peers of f32 kernels compute in f32.
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
