"""What a result depends on beside its declaration: code, packages, machine."""

from __future__ import annotations

import ast
import hashlib
import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import pbow

__all__ = ["code_digest", "machine", "versions"]

PACKAGES = ("pbow", "numpy", "scipy", "scikit-learn", "numba", "gudhi")
# No result depends on the tools, nor on how results are shown.
NOT_IN_RESULTS = (
    *("cli", "explorer", "plotting", "demo.py"),
    *("experiment/results.py", "experiment/tables.py", "experiment/report.py"),
    *("experiment/estimate.py", "experiment/significance.py"),
)


def code_digest(module: str = "pbow") -> str:
    """Return a digest of the code that results depend on.

    Comments and docstrings do not count; the module of a descriptor's class does, if it
    is not one of pbow.
    """
    digest = hashlib.sha256(_library_digest().encode())
    outside = None if module.startswith("pbow.") else find_spec(module)
    if module != "pbow" and outside is not None and outside.origin is not None:
        digest.update(_statements(Path(outside.origin)).encode())
    return digest.hexdigest()[:12]


@cache
def _library_digest() -> str:
    root = Path(pbow.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        inner = path.relative_to(root)
        if not {inner.parts[0], inner.as_posix()} & {*NOT_IN_RESULTS}:
            digest.update(f"{inner.as_posix()}\0{_statements(path)}".encode())
    return digest.hexdigest()


def _statements(path: Path) -> str:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            is_text = ast.get_docstring(node, clean=False) is not None
            node.body = node.body[is_text:] or [ast.Pass()]
    return ast.unparse(tree)


@cache
def versions() -> str:
    """Return the versions of Python and of the packages that results depend on."""
    found = [f"python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:  # an extra that is not installed
            continue
    return ", ".join(found)


@cache
def machine() -> str:
    """Return the processor and the number of cores."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # another system
        lines = []
    for line in lines:
        if line.startswith("model name"):
            name = line.partition(":")[2].strip()
            break
    return f"{name}, {os.cpu_count()} cores"
