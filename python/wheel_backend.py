# SPDX-License-Identifier: MIT
"""PEP 517: a wheel with libkgen.so and the templates in it, from this checkout alone: no network, no other
build tool than CMake.

    pip wheel ./python          # or: pip install ./python

$KGEN_LIBRARY names a libkgen.so that is built already; otherwise CMake builds one in a scratch directory.
$KGEN_URL names the project's home page, if the wheel is to have one.
The wheel serves every Python 3.9 or later; its platform tag is what the library asks of glibc.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import subprocess
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def _version() -> str:
    found = re.search(r"project\(kgen VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found
    return found.group(1)


def _run(*command: object) -> None:
    subprocess.run([str(word) for word in command], check=True)


def _library(folder: Path) -> Path:
    given = os.environ.get("KGEN_LIBRARY")
    if given:
        return Path(given)
    _run("cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DKGEN_TESTS=OFF", "-DKGEN_PACKAGED=ON")
    _run("cmake", "--build", folder, "--parallel", os.cpu_count() or 1, "--target", "libkgen_shared")
    return folder / "libkgen.so"


def _platform(library: bytes) -> str:
    """The newest version of glibc that a symbol of the library has, as manylinux tags name it."""
    minors = [int(v) for v in re.findall(rb"GLIBC_2\.(\d+)", library)]
    return f"manylinux_2_{max(minors)}_{platform.machine()}"


def _metadata(version: str) -> str:
    return (
        f"Metadata-Version: 2.1\nName: kgen\nVersion: {version}\n"
        "Summary: Minimal, proven conflict-free shared-memory layouts for CUDA\n"
        + (f"Home-page: {os.environ['KGEN_URL']}\n" if os.environ.get("KGEN_URL") else "")
        + "License: MIT\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n"
        + (ROOT / "docs" / "howto" / "python.md").read_text()
    )


def _files(library: bytes, version: str) -> dict[str, bytes]:
    soname = "libkgen.so." + ".".join(version.split(".")[:2])
    files = {f"kgen/{soname}": library}
    for path in sorted((HERE / "kgen").iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            files[f"kgen/{path.name}"] = path.read_bytes()
    for path in sorted((ROOT / "templates").rglob("*")):
        if path.is_file():
            files[f"kgen/templates/{path.relative_to(ROOT / 'templates')}"] = path.read_bytes()
    info = f"kgen-{version}.dist-info"
    files[f"{info}/METADATA"] = _metadata(version).encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: kgen\nRoot-Is-Purelib: false\n"
        f"Tag: py3-none-{_platform(library)}\n"
    ).encode()
    return files


def _record(files: dict[str, bytes], info: str) -> bytes:
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return ("".join(lines) + f"{info}/RECORD,,\n").encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    version = _version()
    with tempfile.TemporaryDirectory() as folder:
        library = _library(Path(folder)).read_bytes()
    files = _files(library, version)
    info = f"kgen-{version}.dist-info"
    files[f"{info}/RECORD"] = _record(files, info)
    name = f"kgen-{version}-py3-none-{_platform(library)}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))  # the same bytes from the same input
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


class UnsupportedOperation(Exception):
    """What PEP 517 asks for where a hook has nothing to make."""


def build_sdist(sdist_directory, config_settings=None) -> str:
    raise UnsupportedOperation("kgen's source release is the tarball of scripts/release")
