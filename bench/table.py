"""Joins kgen's JSON with the lines of the peers into one table, and into JSON for programs.

Standard library only. A spec belongs to a work by its family, dtype and params, and to a row by the
bytes it moves, by the side of a product or by the shape of a transposed matrix; of a family's specs in a row the fastest correct one is
shown, and a work that two families do has a row for each.
"""

import argparse
import json
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = {"cuBLAS", "cuFFT", "CUB"}  # share a column
COLUMNS = ["CUDA library", "cuBLASLt", "Triton", "PyTorch", "padded tile", "no padding", "plain kernel"]
# For kernels that only move elements, types of one size are one work.
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
    """A spec's param, else its family's default, as an integer."""
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


def product_work(spec, dtype):
    transposed = "".join("NT"[param(spec, name)] for name in ("trans_a", "trans_b"))
    return f"gemm {dtype}" + ("" if transposed == "NN" else f" {transposed}")


def is_product(work):
    return work.startswith("gemm ")


def is_transpose(work):
    return work.startswith("transpose ")


def shape(spec, dtype):
    """Of the matrix that is timed, as the peers write it."""
    side = 8192 if WIDTH_OF.get(dtype, dtype) in ("f64", "c128") else 16384
    return "x".join(str(param(spec, name, side)) for name in ("timed_rows", "timed_cols"))


def struct_work(spec, dtype):
    return f"{spec['kernel']} {WIDTH_OF.get(dtype, dtype)} x{param(spec, 'fields')}"


WORKS = {
    "copy": lambda spec, dtype: "copy",
    "transpose": lambda spec, dtype: f"transpose {WIDTH_OF.get(dtype, dtype)}",
    "aos_to_soa": struct_work,
    "soa_to_aos": struct_work,
    "reduce": reduce_work,
    "scan": scan_work,
    "colsum": lambda spec, dtype: f"colsum {dtype}",
    "rowsum": lambda spec, dtype: f"rowsum {dtype}",
    "conv2d": convolution_work,
    "fft": lambda spec, dtype: f"fft {param(spec, 'points')} {dtype}",
    "gemm": product_work,
    "gemm_wgmma": product_work,
    "gemm_f32": product_work,
}


def over_turns(medians, noises):
    """Of runs in several processes: the median, and as noise half their spread where that is more."""
    median = statistics.median(medians)
    return median, max(max(noises), (max(medians) - min(medians)) / 2 / median)


class Ours:
    """A spec that was run and timed."""

    def __init__(self, spec):
        run = spec["run"]
        dtype = spec.get("dtype") or spec["tiles"][0]["dtype"]
        self.name, self.kernel = spec["name"], spec["kernel"]
        self.work = WORKS[self.kernel](spec, dtype)
        self.side = None
        if is_product(self.work):
            self.side = str(param(spec, "size"))
        elif is_transpose(self.work):
            self.side = shape(spec, dtype)
        self.ms, self.min_ms = run["time_ms"]["median"], run["time_ms"]["min"]
        self.noise = run["time_ms"]["noise"] / self.ms
        self.bytes = run["gbps"] * self.ms * 1e6
        self.correct, self.device = run["correct"], run["device"]
        self.memcpy_ratio = run.get("memcpy_ratio")
        self.vs_none = run.get("speedup_vs_none")
        self.taken = False


def join_turns(turns):
    """One spec of all its runs."""
    joined = turns[0]
    joined.ms, joined.noise = over_turns([o.ms for o in turns], [o.noise for o in turns])
    joined.min_ms = min(o.min_ms for o in turns)
    joined.correct = all(o.correct for o in turns)
    return joined


def read_ours(paths):
    found = {}
    for path in paths:
        try:
            specs = json.loads(Path(path).read_text())["specs"]
        except (OSError, ValueError, KeyError):
            continue  # scripts/bench has said that kgen failed
        for spec in specs:
            if spec.get("kernel") in WORKS and spec.get("run", {}).get("time_ms", {}).get("median"):
                found.setdefault(spec["name"], []).append(Ours(spec))
    return [join_turns(turns) for turns in found.values()]


# --- peers ---


def row_without_peers(ours):
    return Row(ours.work, ours.side or f"{ours.bytes / 1e6:.0f} MB")


class Row:
    def __init__(self, work, size):
        self.work, self.size, self.peers, self.ours = work, size, {}, None
        self.side = size if is_product(work) or is_transpose(work) else None
        self.unit = "TFLOP/s" if is_product(work) else "GB/s"

    def of(self, ours):
        """The same row with a spec of ours."""
        row = Row(self.work, self.size)
        row.peers, row.ours = self.peers, ours
        return row

    def bytes(self):
        """What the work moves; None if nobody timed it."""
        timed = [p for p in self.peers.values() if p["rate"]]
        if timed:
            return timed[0]["rate"] * timed[0]["median_ms"] * 1e6
        return self.ours.bytes if self.ours else None

    def fits(self, ours):
        if (ours.work, ours.side) != (self.work, self.side):
            return False
        mine = None if self.side else self.bytes()
        return mine is None or abs(ours.bytes / mine - 1) < 0.01

    def our_rate(self):
        if self.unit == "TFLOP/s":
            return 2 * int(self.size) ** 3 / (self.ours.ms * 1e-3) / 1e12
        return self.ours.bytes / self.ours.ms / 1e6

    def best_peer(self):
        right = [p["rate"] for p in self.peers.values() if p["rate"] and p["checked"] == "yes"]
        return max(right, default=None)


def number(text):
    return None if text == "-" else float(text)


def join_peer_turns(turns):
    """One peer of all its runs. A turn that failed, or was wrong, is what is told."""
    bad = [t for t in turns if t["checked"] != "yes"]
    if bad or len(turns) == 1:
        return (bad or turns)[0]
    median, noise = over_turns([t["median_ms"] for t in turns], [t["noise"] for t in turns])
    amount = turns[0]["rate"] * turns[0]["median_ms"]
    return {
        "median_ms": median,
        "min_ms": min(t["min_ms"] for t in turns),
        "noise": round(noise, 5),
        "rate": round(amount / median, 2),
        "checked": "yes",
    }


def read_rows(path):
    rows, turns = {}, {}
    for line in Path(path).read_text(errors="replace").splitlines():
        cells = line.split("\t")
        if len(cells) != 8:
            continue
        work, size, peer, median, least, noise, rate, checked = cells
        rows.setdefault((work, size), Row(work, size))
        turns.setdefault((work, size, peer), []).append({
            "median_ms": number(median),
            "min_ms": number(least),
            "noise": number(noise),
            "rate": number(rate),
            "checked": checked,
        })
    for (work, size, peer), of_peer in turns.items():
        rows[work, size].peers[peer] = join_peer_turns(of_peer)
    return list(rows.values())


def join(rows, ours):
    """Every row with the best spec of each family that does its work, the best family first."""
    joined = []
    for row in rows:
        best = {}
        for o in sorted(filter(row.fits, ours), key=lambda o: (not o.correct, o.ms)):
            o.taken = True
            best.setdefault(o.kernel, o)
        joined += [row.of(o) for o in best.values()] or [row]
    return joined


def copy_rate(rows, row):
    """The device-to-device copy nearest in bytes."""
    copies = [r for r in rows if r.work == "copy" and r.peers.get("cudaMemcpy", {}).get("rate")]
    if row.unit != "GB/s" or row.bytes() is None or not copies:
        return None
    nearest = min(copies, key=lambda r: abs(2 * int(r.size) - row.bytes()))
    return nearest.peers["cudaMemcpy"]["rate"]


# --- output ---


def rate_text(rate, unit, noise=None):
    if rate is None:
        return "-"
    text = f"{rate:.1f}" if unit == "TFLOP/s" else f"{rate:.0f}"
    return text if noise is None else f"{text} {100 * noise:4.1f}%"


def size_text(size):
    if size.isdigit() and int(size) >= 1 << 16 and int(size) & (int(size) - 1) == 0:
        return f"2^{int(size).bit_length() - 1}"
    return size


def ratio_text(ratio):
    return "-" if ratio is None else f"{ratio:.3f}"


def divide(a, b):
    return None if a is None or not b else a / b


def peer_text(row, column):
    names = LIBRARIES if column == "CUDA library" else {column}
    for name in names & row.peers.keys():
        peer = row.peers[name]
        if peer["rate"] is None:
            return "failed"
        if peer["checked"] != "yes":
            return "WRONG"
        return rate_text(peer["rate"], row.unit, peer["noise"])
    return "-"


def our_right_rate(row):
    return row.our_rate() if row.ours and row.ours.correct else None


def cells(rows, row):
    o, ours, copy = row.ours, our_right_rate(row), copy_rate(rows, row)
    return [
        row.work,
        size_text(row.size),
        o.name if o else "-",
        "WRONG" if o and not o.correct else rate_text(ours, row.unit, o and o.noise),
        rate_text(divide(ours, o and o.vs_none), row.unit),
        *(peer_text(row, c) for c in COLUMNS),
        rate_text(copy, row.unit),
        ratio_text(divide(ours, row.best_peer())),
        ratio_text(divide(ours, copy)),
    ]


TITLES = ["work", "size", "spec", "kgen", "none", *COLUMNS, "copy", "vs best", "vs copy"]


def print_table(rows, device):
    table = [TITLES] + [cells(rows, row) for row in rows]
    widths = [max(len(line[c]) for line in table) for c in range(len(TITLES))]
    print(f"On {device}.")
    print("GB/s of bytes read plus written, gemm TFLOP/s; medians, each with its noise:")
    print("half the interquartile range. none: kgen's kernel without its layout.")
    print()
    for line in table:
        text = [
            cell.ljust(width) if c < 3 else cell.rjust(width)
            for c, (cell, width) in enumerate(zip(line, widths))
        ]
        print("  ".join(text).rstrip())


def print_notes(rows, ours):
    notes = []
    for row in rows:
        for name, peer in row.peers.items():
            if peer["checked"] != "yes":
                notes.append(f"{row.work} {size_text(row.size)}, {name}: {peer['checked']}")
    other = [f"{o.name} ({o.ms:.3f} ms, {o.bytes / 1e6:.0f} MB)" for o in ours if not o.taken]
    if other:
        notes.append("kgen's without a peer of that size: " + ", ".join(other))
    if notes:
        print("\n" + "\n".join(dict.fromkeys(notes)))  # rows of one work share their peers


def as_json(rows, row):
    ours = None
    if row.ours:
        o = row.ours
        ours = {
            "spec": o.name,
            "kernel": o.kernel,
            "rate": row.our_rate(),
            "median_ms": o.ms,
            "min_ms": o.min_ms,
            "noise": o.noise,
            "correct": o.correct,
            "memcpy_ratio": o.memcpy_ratio,
            "speedup_vs_none": o.vs_none,
        }
    rate, copy = our_right_rate(row), copy_rate(rows, row)
    return {
        "work": row.work,
        "size": row.size,
        "unit": row.unit,
        "kgen": ours,
        "peers": row.peers,
        "copy": copy,
        "vs_best_peer": divide(rate, row.best_peer()),
        "vs_copy": divide(rate, copy),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", required=True, help="lines of bench/peers.cu and peers.py")
    parser.add_argument("--json", help="write the table to this file as JSON")
    parser.add_argument("kgen", nargs="*", help="outputs of kgen --run --json")
    options = parser.parse_args()
    ours = read_ours(options.kgen)
    rows = read_rows(options.peers)
    present = {(row.work, row.side) for row in rows}
    for o in ours:  # a work that no peer did is still a row
        if (o.work, o.side) not in present:
            rows.append(row_without_peers(o))
            present.add((o.work, o.side))
    rows.sort(key=lambda row: list(WORKS).index(row.work.split()[0]))
    rows = join(rows, ours)
    device = ours[0].device if ours else "an unknown GPU"
    if options.json:
        result = {"version": 1, "device": device, "works": [as_json(rows, row) for row in rows]}
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n")
    print_table(rows, device)
    print_notes(rows, ours)
    return 0 if any(row.ours for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
