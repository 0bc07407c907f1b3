# SPDX-License-Identifier: MIT
"""The parts of which results and reports make their HTML for notebooks."""

from __future__ import annotations

import base64
from html import escape
from typing import Iterable, Sequence


def paragraph(*lines: str) -> str:
    return "<p>" + "<br>".join(lines) + "</p>"


def code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    def line(tag: str, cells: Sequence[object]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(str(v))}</{tag}>" for v in cells) + "</tr>"

    return "<table>" + line("th", head) + "".join(line("td", row) for row in rows) + "</table>"


def image(svg: str, alt: str) -> str:
    """An image element, since the styles of an inline SVG would apply to the whole page."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{escape(alt, quote=True)}" src="data:image/svg+xml;base64,{data}">'
