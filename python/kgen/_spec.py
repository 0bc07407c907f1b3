# SPDX-License-Identifier: MIT
"""Specs, as files or as text: their layouts, sources and explanations."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

from ._library import Handle, encoded, library, text
from ._tile import Result

# A path, or a spec's text, which is recognized by having more than one line.
SpecLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Generated:
    """What a spec generates: a CUDA source, or the header of `kernel: none`."""

    name: str
    file: str  # NAME.cu or NAME.h
    source: str
    conflict_free: bool
    plan: dict[str, Any] = field(repr=False)  # the spec's object of `kgen --json`
    explanation: str = field(repr=False)  # what `kgen --explain` prints
    svg: str = field(repr=False)  # the tile before and after, coloured by bank

    def _repr_svg_(self) -> str:
        return self.svg

    def write(self, folder: SpecLike) -> Path:
        """Writes the source into a folder, which is created if needed, and returns its path. A file that
        holds the same source already is left alone, with its modification time."""
        path = Path(folder) / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        if not (path.exists() and path.read_text() == self.source):
            path.write_text(self.source)
        return path


def generate(spec: SpecLike, name: str = "spec") -> Generated:
    """Reads, solves and renders a spec, given as a path or as text of several lines. `name` is the
    text's name in errors, and the kernel's if the text has no `name:`. Raises KgenError with all errors
    of the spec."""
    handle = Handle()
    if isinstance(spec, str) and "\n" in spec:
        added = library.kgen_add_text(handle.pointer, encoded(name + ".yaml"), encoded(spec))
    else:
        added = library.kgen_add(handle.pointer, encoded(spec))
    if not added:
        raise handle.refuse()
    return Generated(
        text(library.kgen_name(handle.pointer, 0)),
        text(library.kgen_file(handle.pointer, 0)),
        text(library.kgen_source(handle.pointer, 0)),
        library.kgen_conflict_free(handle.pointer, 0),
        json.loads(text(library.kgen_json(handle.pointer)))["specs"][0],
        text(library.kgen_explain(handle.pointer, 0)),
        text(library.kgen_svg(handle.pointer, 0)),
    )


def explain(what: SpecLike | Result | Generated) -> str:
    """What `kgen --explain` prints of a spec or of a result: the banks before and after, the layout, and
    why nothing cheaper works."""
    if isinstance(what, Result):
        return what.explain()
    return (what if isinstance(what, Generated) else generate(what)).explanation
