# SPDX-License-Identifier: MIT
"""Joins kgen's JSON with the lines of the peers into one table, and into JSON for programs.

Standard library only. bench/works.py says which work a spec does. A spec belongs to a row by the bytes that it moves, by the size of
a product, or by the shape of a transposed matrix. A row shows the fastest correct spec of a family; a work that two families do has a
row for each. The peers' programs also time kgen's kernels, in turns with theirs: a ratio compares two rates of one program, and the
rate shown for kgen is the one beside the peer that comes closest. A kernel that no peer's program has is shown as kgen --run timed it.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

from works import WORKS, is_product, is_transpose, work_of

KGEN = "kgen "  # before a spec, in the lines of the peers
LIBRARIES = {"cuBLAS", "cuFFT", "CUB"}  # share a column
COLUMNS = ["CUDA library", "cuBLASLt", "Triton", "PyTorch", "padded tile", "no padding", "plain kernel"]


def over_turns(medians, noises):
    """Median and noise of runs in several processes: noise is half their spread, if that is more than each run's own."""
    median = statistics.median(medians)
    return median, max(max(noises), (max(medians) - min(medians)) / 2 / median)


class Ours:
    """A spec that was run and timed."""

    def __init__(self, spec):
        run = spec["run"]
        self.name, self.kernel = spec["name"], spec["kernel"]
        self.work, self.side = work_of(spec)
        self.ms, self.min_ms = run["time_ms"]["median"], run["time_ms"]["min"]
        self.noise = run["time_ms"]["noise"] / self.ms
        self.bytes = run["gbps"] * self.ms * 1e6
        self.correct, self.device = run["correct"], run["device"]
        self.memcpy_ratio = run.get("memcpy_ratio")
        self.vs_none = run.get("speedup_vs_none")
        self.taken = False


def join_turns(turns):
    """Joins all runs of one spec."""
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
            continue  # scripts/bench has reported that kgen failed
        for spec in specs:
            if spec.get("kernel") in WORKS and spec.get("run", {}).get("time_ms", {}).get("median"):
                found.setdefault(spec["name"], []).append(Ours(spec))
    return [join_turns(turns) for turns in found.values()]


# --- peers ---


def row_without_peers(ours):
    return Row(ours.work, ours.side or f"{ours.bytes / 1e6:.0f} MB")


class Row:
    """A row of the table. peers: numbers by name; their `beside` holds kgen's numbers of the same turns, by spec."""

    def __init__(self, work, size):
        self.work, self.size, self.peers, self.ours = work, size, {}, None
        self.side = size if is_product(work) or is_transpose(work) else None
        self.unit = "TFLOP/s" if is_product(work) else "GB/s"

    def of(self, ours):
        """The same row with one of kgen's specs."""
        row = Row(self.work, self.size)
        row.peers, row.ours = self.peers, ours
        return row

    def bytes(self):
        """The bytes that the work moves; None if nothing was timed."""
        timed = [p for p in self.peers.values() if p["rate"]]
        if timed:
            return timed[0]["rate"] * timed[0]["median_ms"] * 1e6
        return self.ours.bytes if self.ours else None

    def fits(self, ours):
        if (ours.work, ours.side) != (self.work, self.side):
            return False
        mine = None if self.side else self.bytes()
        return mine is None or abs(ours.bytes / mine - 1) < 0.01

    def rate_alone(self, ours):
        if self.unit == "TFLOP/s":
            return 2 * int(self.size) ** 3 / (ours.ms * 1e-3) / 1e12
        return ours.bytes / ours.ms / 1e6

    def rate_beside(self, ours, peer):
        """kgen's rate in turns with a peer; if that was not measured, its rate alone."""
        turns = self.peers[peer]["beside"].get(ours.name)
        return turns["rate"] if turns and turns["checked"] == "yes" else self.rate_alone(ours)

    def ratio(self, ours, peer):
        return self.rate_beside(ours, peer) / self.peers[peer]["rate"]

    def best_peer(self, ours=None):
        """The name of the correct peer that comes closest to kgen, or beats it by most; None if there is none."""
        ours = ours or self.ours
        right = [name for name, p in self.peers.items() if p["rate"] and p["checked"] == "yes"]
        return min(right, key=lambda name: self.ratio(ours, name), default=None)

    def shown(self, ours=None):
        """kgen's rate and noise: beside the best peer, else alone."""
        ours = ours or self.ours
        best = self.best_peer(ours)
        turns = self.peers[best]["beside"].get(ours.name) if best else None
        if turns and turns["checked"] == "yes":
            return turns["rate"], turns["noise"]
        return self.rate_alone(ours), ours.noise

    def is_right(self):
        """True if kgen's results were correct alone and in turns with every peer."""
        turns = [p["beside"].get(self.ours.name, {}) for p in self.peers.values()]
        return self.ours.correct and all(t.get("checked", "yes") == "yes" for t in turns)


def number(text):
    return None if text == "-" else float(text)


def join_peer_turns(turns):
    """Joins all runs of one peer. If one failed or was wrong, that one is returned."""
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


def read_lines(path):
    """The joined numbers of one program's lines, by (work, size), then by peer."""
    turns = {}
    for line in Path(path).read_text(errors="replace").splitlines():
        cells = line.split("\t")
        if len(cells) != 8:
            continue
        work, size, peer, median, least, noise, rate, checked = cells
        turns.setdefault((work, size), {}).setdefault(peer, []).append({
            "median_ms": number(median),
            "min_ms": number(least),
            "noise": number(noise),
            "rate": number(rate),
            "checked": checked,
        })
    return {key: {name: join_peer_turns(t) for name, t in who.items()} for key, who in turns.items()}


def read_rows(paths):
    rows = {}
    for path in paths:
        for key, who in read_lines(path).items():
            row = rows.setdefault(key, Row(*key))
            beside = {name[len(KGEN) :]: numbers for name, numbers in who.items() if name.startswith(KGEN)}
            for name, numbers in who.items():
                if not name.startswith(KGEN):
                    row.peers[name] = {**numbers, "beside": beside}
    return list(rows.values())


def join(rows, ours):
    """Each row with the best spec of every family that does its work, the best family first."""
    joined = []
    for row in rows:
        best = {}
        for o in sorted(filter(row.fits, ours), key=lambda o: (not o.correct, -row.shown(o)[0])):
            o.taken = True
            best.setdefault(o.kernel, o)
        joined += [row.of(o) for o in best.values()] or [row]
    return joined


def copy_rate(rows, row):
    """The rate of the device-to-device copy that is nearest in bytes."""
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
    return row.shown()[0] if row.ours and row.is_right() else None


def vs_best_peer(row):
    best = row.best_peer() if our_right_rate(row) else None
    return row.ratio(row.ours, best) if best else None


def our_text(row):
    if not row.ours:
        return "-"
    rate, noise = row.shown()
    return rate_text(rate, row.unit, noise) if row.is_right() else "WRONG"


def cells(rows, row):
    o, ours, copy = row.ours, our_right_rate(row), copy_rate(rows, row)
    return [
        row.work,
        size_text(row.size),
        o.name if o else "-",
        our_text(row),
        rate_text(divide(o and row.rate_alone(o), o and o.vs_none), row.unit),
        *(peer_text(row, c) for c in COLUMNS),
        rate_text(copy, row.unit),
        ratio_text(vs_best_peer(row)),
        ratio_text(divide(ours, copy)),
    ]


TITLES = ["work", "size", "spec", "kgen", "none", *COLUMNS, "copy", "vs best", "vs copy"]


def print_table(rows, device):
    table = [TITLES] + [cells(rows, row) for row in rows]
    widths = [max(len(line[c]) for line in table) for c in range(len(TITLES))]
    print(f"On {device}.")
    print("GB/s of bytes read plus written, gemm TFLOP/s; medians, each with its noise:")
    print("half the interquartile range. kgen: in turns with the peer that comes closest. none: its")
    print("kernel without the layout, alone.")
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
            beside = {KGEN + spec: numbers for spec, numbers in peer["beside"].items()}
            for who, numbers in {name: peer, **beside}.items():
                if numbers["checked"] != "yes":
                    notes.append(f"{row.work} {size_text(row.size)}, {who}: {numbers['checked']}")
    other = [f"{o.name} ({o.ms:.3f} ms, {o.bytes / 1e6:.0f} MB)" for o in ours if not o.taken]
    if other:
        notes.append("kgen's without a peer of that size: " + ", ".join(other))
    if notes:
        print("\n" + "\n".join(dict.fromkeys(notes)))  # rows of one work share their peers


def peer_as_json(row, peer):
    """A peer's numbers, with kgen's of the same turns as `kgen`, if there are any."""
    numbers = {name: value for name, value in peer.items() if name != "beside"}
    return {**numbers, "kgen": peer["beside"].get(row.ours.name) if row.ours else None}


def as_json(rows, row):
    ours = None
    if row.ours:
        o = row.ours
        ours = {
            "spec": o.name,
            "kernel": o.kernel,
            "rate": row.shown()[0],
            "noise": row.shown()[1],
            "alone": {"rate": row.rate_alone(o), "median_ms": o.ms, "min_ms": o.min_ms, "noise": o.noise},
            "correct": row.is_right(),
            "memcpy_ratio": o.memcpy_ratio,
            "speedup_vs_none": o.vs_none,
        }
    rate, copy = our_right_rate(row), copy_rate(rows, row)
    return {
        "work": row.work,
        "size": row.size,
        "unit": row.unit,
        "kgen": ours,
        "best_peer": row.best_peer() if row.ours else None,
        "copy": copy,
        "vs_best_peer": vs_best_peer(row),
        "vs_copy": divide(rate, copy),
        "peers": {name: peer_as_json(row, p) for name, p in row.peers.items()},
    }


def json_text(result):
    """The result as JSON with one line per row and one per peer, so that a diff shows which of them changed."""
    lines = []
    for work in result["works"]:
        peers = [f"   {json.dumps(name)}: {json.dumps(numbers)}" for name, numbers in work["peers"].items()]
        head = json.dumps({key: value for key, value in work.items() if key != "peers"})
        lines.append("  " + head[:-1] + ', "peers": {' + ("\n" + ",\n".join(peers) if peers else "") + "}}")
    head = json.dumps({key: value for key, value in result.items() if key != "works"})
    return head[:-1] + ', "works": [\n' + ",\n".join(lines) + "\n]}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="append", default=[], help="lines of bench/peers.cu or peers.py")
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
        Path(options.json).write_text(json_text(result))
    print_table(rows, device)
    print_notes(rows, ours)
    return 0 if any(row.ours for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
