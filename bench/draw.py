# SPDX-License-Identifier: MIT
"""Draws a result of scripts/bench: the table of docs/explanation/performance.md and docs/images/figures.svg.

Standard library only. --check writes nothing, and exits 1 if one of them, or a rate in the README, differs from the result.
"""

import json
import re
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench/results/nvidia_h200.json"
PAGE = ROOT / "docs/explanation/performance.md"
CHART = ROOT / "docs/images/figures.svg"
README = ROOT / "README.md"
BEGIN, END = "<!-- figures: begin, by scripts/bench --draw -->\n", "<!-- figures: end -->\n"


def size_text(size):
    number = int(size) if size.isdigit() else 0
    if number >= 1 << 16 and number & (number - 1) == 0:
        return f"2^{number.bit_length() - 1}"
    return size


def rate_text(rate, unit):
    return f"{rate:.0f}" if unit == "GB/s" or rate >= 100 else f"{rate:.1f}"


def best_peer(row):
    """The name and the numbers of the peer that comes closest; None if there is none."""
    name = row["best_peer"]
    return (name, row["peers"][name]) if name else None


def shown(result):
    """The rows in which kgen's result is correct."""
    return [row for row in result["works"] if row["kgen"] and row["kgen"]["correct"]]


# --- the table ---


def noise_text(noise):
    return f" ({100 * noise:.1f} %)" if noise >= 0.005 else ""


def table_row(row):
    ours, best = row["kgen"], best_peer(row)
    rate = rate_text(ours["rate"], row["unit"]) + noise_text(ours["noise"])
    none = rate_text(ours["alone"]["rate"] / ours["speedup_vs_none"], row["unit"]) if ours["speedup_vs_none"] else "-"
    peer = f"{best[0]} {rate_text(best[1]['rate'], row['unit'])}{noise_text(best[1]['noise'])}" if best else "-"
    cells = [f"{row['work']}, {size_text(row['size'])}", f"`{ours['spec']}`", rate, none, peer]
    cells += [f"{row[key]:.2f}" if row[key] else "-" for key in ("vs_best_peer", "vs_copy")]
    return "| " + " | ".join(cells) + " |"


def table(result):
    lines = ["| workload | spec | kgen | none | fastest reference | ratio | of a copy |", "|---|---|---|---|---|---|---|"]
    return "\n".join(lines + [table_row(row) for row in shown(result)]) + "\n"


def page_with(text, page):
    head, rest = page.split(BEGIN)
    return head + BEGIN + text + END + rest.split(END, 1)[1]


# --- the chart: a bar a row, as long as kgen's rate is of the fastest peer's ---

ROW, TOP, LEFT, SCALE = 16, 44, 250, 260  # px: height of a row, the first's top, the axis, ratio 1
LONGEST = 1.5  # beyond it a bar is cut, and only its number says how far it goes
# A ground of its own: a dark desktop may show it on a light page.
STYLE = """  svg { background: #fff } text { font: 11px sans-serif; fill: #24292f } .title { font-size: 14px; font-weight: bold }
  .more { fill: #1a7f37 } .less { fill: #bf8700 } .one { stroke: #57606a; stroke-dasharray: 3 2 }
  @media (prefers-color-scheme: dark) { svg { background: #0d1117 } text { fill: #e6edf3 } .one { stroke: #9198a1 } }"""


def names(rows):
    """What the bars are called: a work that several families do with the family, too."""
    works = [(row["work"], row["size"]) for row in rows]
    return [
        f"{work}, {size_text(size)}" + (f", {row['kgen']['kernel']}" if works.count((work, size)) > 1 else "")
        for row, (work, size) in zip(rows, works)
    ]


def bar(i, row, name):
    ratio, y = row["vs_best_peer"], TOP + ROW * i
    length = round(min(ratio, LONGEST) * SCALE)
    value = escape(f"{ratio:.2f} of {best_peer(row)[0]}")
    return (
        f'<text x="{LEFT - 6}" y="{y + 11}" text-anchor="end">{escape(name)}</text>'
        f'<rect class="{"more" if ratio >= 1 else "less"}" x="{LEFT}" y="{y + 2}" width="{length}" height="{ROW - 4}"/>'
        f'<text x="{LEFT + max(length, SCALE) + 5}" y="{y + 11}">{value}</text>'
    )


def chart(result):
    rows = [row for row in shown(result) if row["vs_best_peer"]]
    width, height = LEFT + round(LONGEST * SCALE) + 150, TOP + ROW * len(rows) + 12
    one = LEFT + SCALE
    title = f"kgen's rate as a multiple of the fastest peer's, on an {escape(result['device'])}"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img">',
        f"<title>{title}</title>",
        f"<style>\n{STYLE}\n</style>",
        f'<text class="title" x="8" y="24">{title}</text>',
        *(bar(i, row, name) for i, (row, name) in enumerate(zip(rows, names(rows)))),
        f'<line class="one" x1="{one}" x2="{one}" y1="{TOP - 6}" y2="{height - 8}"/>',
        "</svg>\n",
    ])


def stale_claims(result):
    """The rates in the README that differ from the result."""
    rates = {row["kgen"]["spec"]: rate_text(row["kgen"]["rate"], row["unit"]) for row in shown(result)}
    claims = re.findall(r"`specs/(\w+)\.yaml`[^`]*?reaches (\d+) GB/s", README.read_text())
    wrong = [f"README.md: {spec} {rate} GB/s, not {rates.get(spec)}" for spec, rate in claims if rates.get(spec) != rate]
    return wrong if claims else ["README.md no longer says what a spec reaches"]


def main():
    result = json.loads(RESULT.read_text())
    drawn = {PAGE: page_with(table(result), PAGE.read_text()), CHART: chart(result)}
    if sys.argv[1:] == ["--check"]:
        stale = [path for path, text in drawn.items() if not path.exists() or path.read_text() != text]
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what {RESULT.relative_to(ROOT)} says: scripts/bench --draw")
        claims = stale_claims(result)
        print("\n".join(claims), end="\n" if claims else "")
        return 1 if stale or claims else 0
    for path, text in drawn.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
