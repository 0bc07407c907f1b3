"""Pictures for notebooks: the tile before and after, a cell an element or a bank's word, its colour the
bank. Hue goes round the banks and every other one is darker, so that neighbours differ for the
colour-blind, too; small tiles also carry the bank's number."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Iterable, Sequence

if TYPE_CHECKING:
    from ._lint import LintReport
    from ._tile import Result

_BANKS, _BANK_BYTES = 32, 4
_SHOWN = 64  # rows and columns drawn of a larger tile
_WIDTH = 384  # of one tile, in pixels
_BYTES = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}


def _element_bytes(dtype: str) -> int:
    if dtype in ("e4m3", "e5m2"):
        return 1
    digits = dtype.lstrip("abcdefghijklmnopqrstuvwxyz")
    return _BYTES[digits]


def _fill(bank: int) -> str:
    return f"hsl({bank * 360 // _BANKS},65%,{72 if bank % 2 == 0 else 52}%)"


def _unflatten(index: int, extent: Sequence[int]) -> list[int]:
    coord = []
    for n in reversed(extent):
        coord.append(index % n)
        index //= n
    return coord[::-1]


class _Grid:
    """The tile as rows of cells; of more than _SHOWN rows or cells the first."""

    def __init__(self, result: Result) -> None:
        self.extent = result.tile
        self.bytes = _element_bytes(result.dtype)
        self.step = max(1, _BANK_BYTES // self.bytes)
        row = result.placement.period or result.tile[-1]
        if len(result.tile) == 1 and not result.placement.period:
            row = min(row, _BANKS * self.step)
        elements = 1
        for n in result.tile:
            elements *= n
        self.width, self.elements = row, elements
        self.rows, self.cells = -(-elements // row), -(-row // self.step)
        self.shown_rows, self.shown_cells = min(self.rows, _SHOWN), min(self.cells, _SHOWN)

    def index(self, row: int, cell: int) -> int | None:
        index = row * self.width + cell * self.step
        return index if cell * self.step < self.width and index < self.elements else None

    def bank(self, offset: int) -> int:
        return offset * self.bytes // _BANK_BYTES % _BANKS


def _draw(result: Result, grid: _Grid, chosen: bool, x0: int, title: str) -> tuple[str, int]:
    size = max(6, min(20, _WIDTH // grid.shown_cells))
    out = [f'<text x="{x0}" y="14" font-size="12" fill="currentColor">{escape(title)}</text>']
    for row in range(grid.shown_rows):
        for cell in range(grid.shown_cells):
            index = grid.index(row, cell)
            if index is None:
                continue
            coord = _unflatten(index, grid.extent)
            offset = result.offset(*coord) if chosen else index
            bank = grid.bank(offset)
            x, y = x0 + cell * size, 22 + row * size
            out.append(
                f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="{_fill(bank)}">'
                f"<title>{tuple(coord)}: offset {offset}, bank {bank}</title></rect>"
            )
            if size >= 12:
                out.append(
                    f'<text x="{x + size // 2}" y="{y + size - 4}" font-size="{size // 2}" '
                    f'text-anchor="middle" fill="#000">{bank}</text>'
                )
    more = []
    if grid.shown_rows < grid.rows:
        more.append(f"{grid.shown_rows} of {grid.rows} rows")
    if grid.shown_cells < grid.cells:
        more.append(f"{grid.shown_cells} of {grid.cells} columns")
    height = 22 + grid.shown_rows * size + 16
    if more:
        out.append(
            f'<text x="{x0}" y="{height - 4}" font-size="10" fill="currentColor">'
            f"{', '.join(more)}</text>"
        )
    return "\n".join(out), height


def tiles(result: Result) -> str:
    """One SVG: left the plain tile, right the chosen layout."""
    grid = _Grid(result)
    size = max(6, min(20, _WIDTH // grid.shown_cells))
    right = max(grid.shown_cells * size, 160) + 32
    plain, height = _draw(result, grid, False, 0, "plain: banks")
    chosen, _ = _draw(result, grid, True, right, result.expression)
    width = right + max(grid.shown_cells * size, 7 * len(result.expression))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" role="img" '
        f'aria-label="banks of the tile, plain and as {escape(result.expression, quote=True)}">\n'
        f"{plain}\n{chosen}\n</svg>"
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    def line(tag: str, cells: Sequence[object]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(str(v))}</{tag}>" for v in cells) + "</tr>"

    return "<table>" + line("th", head) + "".join(line("td", row) for row in rows) + "</table>"


def page(result: Result) -> str:
    """The verdict, the accesses and the picture."""
    verdict = "conflict-free" if result.conflict_free else "not conflict-free"
    proof = "proven minimal" if result.minimal else "not proven minimal"
    shape = " x ".join(str(n) for n in result.tile)
    costs = _table(
        ("access", "wavefronts", "ideal", "plain"),
        [(x.name, x.wavefronts, x.ideal, "-" if x.plain is None else x.plain) for x in result.costs],
    )
    better = ""
    if result.better:
        better = f"<p>better: <code>{escape(result.better.expression)}</code></p>"
    return (
        f"<p>{escape(result.dtype)} {shape}, {result.bytes} bytes: {verdict}, {proof}<br>"
        f"<code>{escape(result.expression)}</code></p>{better}{costs}{tiles(result)}"
    )


def lint_page(report: LintReport) -> str:
    """The lines with conflicts first, then findings."""
    shared = sorted(report.shared, key=lambda s: s.ideal - s.wavefronts)
    lines = _table(
        ("line", "op", "wavefronts", "ideal", "fix"),
        [(f"{s.file}:{s.line}", s.op, s.wavefronts, s.ideal, s.fix or "") for s in shared],
    )
    found = _table(
        ("finding", "line", "message", "times"),
        [(f.kind, f"{f.file}:{f.line}", f.message, f.count) for f in report.findings],
    )
    return (
        f"<p><code>{escape(report.kernel)}</code>: {report.conflicts} conflicts, "
        f"{len(report.findings)} findings</p>{lines}{found if report.findings else ''}"
    )
