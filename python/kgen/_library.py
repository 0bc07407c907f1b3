# SPDX-License-Identifier: MIT
"""libkgen.so through ctypes: the structs of kgen.h, its functions, and handles that free themselves."""

from __future__ import annotations

import ctypes as c
import operator
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

LANES, RANKS, XORS = 32, 4, 24
_SONAME = "libkgen.so.0.2"
_HERE = Path(__file__).resolve().parent


# --- the structs of kgen.h, member by member ---


class CError(c.Structure):
    _fields_ = [
        ("kind", c.c_int),
        ("file", c.c_char_p),
        ("line", c.c_int),
        ("col", c.c_int),
        ("width", c.c_int),
        ("message", c.c_char_p),
        ("hint", c.c_char_p),
    ]


class CAccess(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("op", c.c_char_p),
        ("vector", c.c_int),
        ("weight", c.c_double),
        ("instructions", c.c_int),
        ("index", c.POINTER(c.c_int32)),
        ("cache", c.c_char_p),
        ("source", c.POINTER(c.c_int64)),
    ]


class CTile(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("dtype", c.c_char_p),
        ("rank", c.c_int),
        ("extent", c.c_int * RANKS),
        ("layout", c.c_char_p),
        ("align", c.c_int),
        ("max_bytes", c.c_int),
        ("arch", c.c_char_p),
        ("accesses", c.c_int),
        ("access", c.POINTER(CAccess)),
    ]


class CXor(c.Structure):
    _fields_ = [("shift", c.c_int), ("mask", c.c_int), ("source", c.c_int), ("target", c.c_int)]


class CPlacement(c.Structure):
    _fields_ = [
        ("period", c.c_int),
        ("stride", c.c_int * RANKS),
        ("xors", c.c_int),
        ("xor_term", CXor * XORS),
        ("linear", c.c_int),
    ]


class CCost(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("bytes_per_lane", c.c_int),
        ("instructions", c.c_int64),
        ("wavefronts", c.c_int64),
        ("ideal", c.c_int64),
        ("plain", c.c_int64),
        ("worst", c.c_int),
    ]


class CResult(c.Structure):
    pass


CResult._fields_ = [
    ("placement", CPlacement),
    ("kind", c.c_char_p),
    ("expression", c.c_char_p),
    ("cute", c.c_char_p),
    ("tma", c.c_int),
    ("bytes", c.c_int64),
    ("pad_bytes", c.c_int64),
    ("conflict_free", c.c_bool),
    ("minimal", c.c_bool),
    ("accesses", c.c_int),
    ("cost", c.POINTER(CCost)),
    ("claim", c.c_char_p),
    ("better", c.POINTER(CResult)),
]


class CWords(c.Structure):
    _fields_ = [("count", c.c_int), ("item", c.POINTER(c.c_char_p))]


class CLint(c.Structure):
    _fields_ = [
        ("file", c.c_char_p),
        ("text", c.c_char_p),
        ("kernel", c.c_char_p),
        ("grid", c.c_uint32 * 3),
        ("block", c.c_uint32 * 3),
        ("smem", c.c_uint32),
        ("arg", CWords),
        ("variable", CWords),
        ("include", CWords),
        ("define", CWords),
        ("flag", CWords),
        ("std", c.c_char_p),
        ("arch", c.c_char_p),
        ("seed", c.c_uint64),
        ("max_steps", c.c_uint64),
        ("time_limit", c.c_int64),
    ]


class CSharedLine(c.Structure):
    _fields_ = [
        ("file", c.c_char_p),
        ("line", c.c_int),
        ("op", c.c_char_p),
        ("bytes_per_lane", c.c_int),
        ("instructions", c.c_int64),
        ("wavefronts", c.c_int64),
        ("ideal", c.c_int64),
        ("fix", c.c_char_p),
    ]


class CGlobalLine(c.Structure):
    _fields_ = [
        ("file", c.c_char_p),
        ("line", c.c_int),
        ("op", c.c_char_p),
        ("bytes_per_lane", c.c_int),
        ("requests", c.c_int64),
        ("sectors", c.c_int64),
        ("ideal_sectors", c.c_int64),
        ("used_share", c.c_double),
    ]


class CFinding(c.Structure):
    _fields_ = [
        ("kind", c.c_char_p),
        ("file", c.c_char_p),
        ("line", c.c_int),
        ("message", c.c_char_p),
        ("thread", c.c_uint32 * 3),
        ("block", c.c_uint32 * 3),
        ("count", c.c_int64),
    ]


class CLintReport(c.Structure):
    pass


CLintReport._fields_ = [  # set after the class statement, since a report points to the next one
    ("kernel", c.c_char_p),
    ("conflicts", c.c_int64),
    ("blocks", c.c_int64),
    ("shared_lines", c.c_int),
    ("global_lines", c.c_int),
    ("findings", c.c_int),
    ("notes", c.c_int),
    ("shared_line", c.POINTER(CSharedLine)),
    ("global_line", c.POINTER(CGlobalLine)),
    ("finding", c.POINTER(CFinding)),
    ("note", c.POINTER(CFinding)),
    ("printed", c.c_char_p),
    ("text", c.c_char_p),
    ("json", c.c_char_p),
    ("name", c.c_char_p),
    ("next", c.POINTER(CLintReport)),
]


# --- the library ---

_Handle, _Index = c.c_void_p, c.c_int
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "kgen_version": (c.c_char_p, []),
    "kgen_open": (_Handle, [c.c_char_p]),
    "kgen_free": (None, [_Handle]),
    "kgen_error_count": (c.c_int, [_Handle]),
    "kgen_error": (c.POINTER(CError), [_Handle, _Index]),
    "kgen_errors": (c.c_char_p, [_Handle]),
    "kgen_add": (c.c_bool, [_Handle, c.c_char_p]),
    "kgen_add_text": (c.c_bool, [_Handle, c.c_char_p, c.c_char_p]),
    "kgen_count": (c.c_int, [_Handle]),
    "kgen_name": (c.c_char_p, [_Handle, _Index]),
    "kgen_file": (c.c_char_p, [_Handle, _Index]),
    "kgen_source": (c.c_char_p, [_Handle, _Index]),
    "kgen_explain": (c.c_char_p, [_Handle, _Index]),
    "kgen_conflict_free": (c.c_bool, [_Handle, _Index]),
    "kgen_svg": (c.c_char_p, [_Handle, _Index]),
    "kgen_json": (c.c_char_p, [_Handle]),
    "kgen_write": (c.c_bool, [_Handle, c.c_char_p]),
    "kgen_solve": (c.POINTER(CResult), [_Handle, c.POINTER(CTile)]),
    "kgen_judge": (c.POINTER(CResult), [_Handle, c.POINTER(CTile), c.POINTER(CPlacement)]),
    "kgen_result_explain": (c.c_char_p, [_Handle, c.POINTER(CResult)]),
    "kgen_result_json": (c.c_char_p, [_Handle, c.POINTER(CResult)]),
    "kgen_result_svg": (c.c_char_p, [_Handle, c.POINTER(CResult)]),
    "kgen_offset": (c.c_int64, [c.POINTER(CTile), c.POINTER(CPlacement), c.POINTER(c.c_int)]),
    "kgen_wavefronts": (
        c.c_int,
        [c.c_int, c.c_int, c.c_uint32, c.POINTER(c.c_int64), c.POINTER(c.c_int)],
    ),
    "kgen_lint": (c.POINTER(CLintReport), [_Handle, c.POINTER(CLint)]),
}


def _candidates() -> Iterator[str]:
    """Where the library may be: only $KGEN_LIBRARY if it is set; else in the wheel, in a checkout's
    build folder, or where the loader finds it."""
    given = os.environ.get("KGEN_LIBRARY")
    if given:
        yield given
        return
    for path in (_HERE / _SONAME, _HERE.parents[1] / "build" / "libkgen.so"):
        if path.exists():
            yield str(path)
    yield _SONAME


def _load() -> c.CDLL:
    why = []
    for name in _candidates():
        try:
            library = c.CDLL(name)
        except OSError as e:
            why.append(str(e))
            continue
        for function, (result, arguments) in _FUNCTIONS.items():
            f = getattr(library, function)
            f.restype, f.argtypes = result, arguments
        return library
    raise ImportError(f"kgen needs {_SONAME}: " + "; ".join(why))


library = _load()


def version() -> str:
    """The library's version, e.g. '0.2.0'."""
    return text(library.kgen_version())


# --- values ---


def text(value: bytes | None) -> str:
    return value.decode("utf-8", "replace") if value else ""


def text_or_none(value: bytes | None) -> str | None:
    return None if value is None else text(value)


def encoded(value: str | os.PathLike[str] | None) -> bytes | None:
    if value is None:
        return None
    data = os.fsencode(value)
    if b"\0" in data:
        raise ValueError("a text for kgen must not contain a NUL character")
    return data


def words(values: Sequence[str]) -> CWords:
    items = (c.c_char_p * len(values))(*[encoded(v) for v in values])
    return CWords(len(values), c.cast(items, c.POINTER(c.c_char_p)))


# --- errors and handles ---

_KINDS = ("argument", "spec", "rejected", "not written")


@dataclass(frozen=True)
class Error:
    """One error. kind: 'argument', 'spec', 'rejected' (by a compiler) or 'not written'. line and col
    count from 1; 0 stands for the whole file or the whole line. width: columns that are marked."""

    kind: str
    message: str
    hint: str | None
    file: str | None
    line: int
    col: int
    width: int


class KgenError(ValueError):
    """Raised for what kgen refuses. str() shows every error as the command prints it, `errors` holds
    them; it is empty if an argument was refused before the library was called."""

    def __init__(self, message: str, errors: Sequence[Error] = ()) -> None:
        super().__init__(message)
        self.errors = tuple(errors)


def number(value: Any, what: str, kind: Any = c.c_int) -> int:
    """An integer that `kind`, a type of C's, holds: ctypes would cut it without a word. KgenError for
    anything else."""
    try:
        n = operator.index(value)
    except TypeError:
        raise KgenError(f"{what} must be an integer, not {value!r}") from None
    if kind(n).value != n:
        raise KgenError(f"{what} is {n}, which {8 * c.sizeof(kind)} bits of C's do not hold")
    return n


class Handle:
    """A Kgen of kgen.h, freed with the last object that refers to it. Only one thread at a time may
    use a Kgen: the lock lets several threads use its results."""

    def __init__(self) -> None:
        templates = _HERE / "templates"
        chosen = None if "KGEN_TEMPLATES" in os.environ else templates
        self.lock = threading.RLock()
        self.pointer = library.kgen_open(encoded(chosen) if chosen and chosen.exists() else None)
        self._free = library.kgen_free

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            self._free(self.pointer)

    def errors(self) -> list[Error]:
        found = []
        for i in range(library.kgen_error_count(self.pointer)):
            e = library.kgen_error(self.pointer, i).contents
            found.append(
                Error(
                    _KINDS[e.kind],
                    text(e.message),
                    text_or_none(e.hint),
                    text_or_none(e.file),
                    e.line,
                    e.col,
                    e.width,
                )
            )
        return found

    def refuse(self) -> KgenError:
        return KgenError(text(library.kgen_errors(self.pointer)).rstrip("\n"), self.errors())
