"""HTML for notebooks: a result with its picture, which the library draws, and a lint report as tables."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING, Iterable, Sequence

if TYPE_CHECKING:
    from ._lint import LintReport
    from ._tile import Result


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    def line(tag: str, cells: Sequence[object]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(str(v))}</{tag}>" for v in cells) + "</tr>"

    return "<table>" + line("th", head) + "".join(line("td", row) for row in rows) + "</table>"


def _image(result: Result) -> str:
    """An image element, since the styles of an inline SVG would apply to the whole page."""
    data = base64.b64encode(result.svg().encode()).decode()
    alt = escape(f"banks of the tile, plain and as {result.expression}", quote=True)
    return f'<img alt="{alt}" src="data:image/svg+xml;base64,{data}">'


def page(result: Result) -> str:
    """The verdict, the accesses' costs and the picture of a result."""
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
        f"<code>{escape(result.expression)}</code></p>{better}{costs}{_image(result)}"
    )


def lint_page(report: LintReport) -> str:
    """The lines of a report, those with most conflicts first, and its findings."""
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
