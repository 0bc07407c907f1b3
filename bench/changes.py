"""Lists what changed between two results of scripts/bench beyond the noise of both. Standard library only."""

import json
import sys
from pathlib import Path

# Added to the noise of both: half of what physical addresses change between processes of one turn.
PLACE = 0.025


def rates(path):
    """The rate, noise and unit of each (work, size, who) of a result."""
    found = {}
    for work in json.loads(Path(path).read_text())["works"]:
        key = work["work"], work["size"]
        ours = work["kgen"]
        if ours and ours["correct"]:
            found[key + (f"kgen {ours['kernel']}",)] = ours["rate"], ours["noise"], work["unit"]
        for peer, p in work["peers"].items():
            if p["rate"] and p["checked"] == "yes":
                found[key + (peer,)] = p["rate"], p["noise"], work["unit"]
    return found


def changes(old, new):
    """The lines to print, those in which kgen got slower first, and whether there is one of these."""
    lines = []
    for key in old.keys() | new.keys():
        name = "  ".join(key)
        if key not in new or key not in old:
            lines.append((2, f"{name}: only in the {'new' if key in new else 'old'} result"))
            continue
        (was, noise, unit), (now, other, _) = old[key], new[key]
        ratio = now / was
        if abs(ratio - 1) > PLACE + noise + other:
            slower = ratio < 1 and key[2].startswith("kgen ")
            lines.append((0 if slower else 1, f"{name}: {was:.1f} -> {now:.1f} {unit}, x {ratio:.3f}"))
    lines.sort()
    return [text for _, text in lines], any(rank == 0 for rank, _ in lines)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: bench/changes.py OLD.json NEW.json")
    lines, slower = changes(rates(sys.argv[1]), rates(sys.argv[2]))
    print("\n".join(lines) if lines else "nothing changed beyond noise")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
