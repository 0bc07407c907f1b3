# SPDX-License-Identifier: MIT
"""Lists what changed between two results of scripts/bench beyond the noise of both. Standard library only."""

import json
import sys
from pathlib import Path

# Added to the noise of both: half of what physical addresses change between processes of one turn.
PLACE = 0.025


def rates(path):
    """The rate, noise and unit of each (work, size, who) of a result; None where it was wrong or failed."""
    found = {}
    for work in json.loads(Path(path).read_text())["works"]:
        key = work["work"], work["size"]
        ours = work["kgen"]
        if ours:
            right = ours["rate"], ours["noise"], work["unit"]
            found[key + (f"kgen {ours['kernel']}",)] = right if ours["correct"] else None
        for peer, p in work["peers"].items():
            right = p["rate"], p["noise"], work["unit"]
            found[key + (peer,)] = right if p["rate"] and p["checked"] == "yes" else None
    return found


def change(was, now):
    """What became of one that both results have, and whether that is worse; None if nothing did."""
    if not was or not now:
        return None if was == now else ("is right now" if now else "is wrong now", not now)
    (before, noise, unit), (after, other, _) = was, now
    ratio = after / before
    if abs(ratio - 1) <= PLACE + noise + other:
        return None
    return f"{before:.1f} -> {after:.1f} {unit}, x {ratio:.3f}", ratio < 1


def changes(old, new):
    """The lines to print, those in which kgen got worse first, and whether there is one of these."""
    lines = []
    for key in old.keys() | new.keys():
        name = "  ".join(key)
        if key not in new or key not in old:
            lines.append((2, f"{name}: only in the {'new' if key in new else 'old'} result"))
        elif found := change(old[key], new[key]):
            text, worse = found
            lines.append((0 if worse and key[2].startswith("kgen ") else 1, f"{name}: {text}"))
    lines.sort()
    return [text for _, text in lines], any(rank == 0 for rank, _ in lines)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: bench/changes.py OLD.json NEW.json")
    lines, worse = changes(rates(sys.argv[1]), rates(sys.argv[2]))
    print("\n".join(lines) if lines else "nothing changed beyond noise")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
