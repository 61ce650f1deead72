"""Damaged bytes, forged headers, and values that nobody expects."""

from __future__ import annotations

import copy
import json
import random
import re
import struct
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import numpy as np

from pbow.io.container import pack

__all__ = ["damage", "forge", "forge_npy", "forge_zip", "leaves"]

TOKENS = (
    b"nan",
    b"inf",
    b"-inf",
    b"1e999",
    b"-1",
    b"1e-320",
    b"9" * 400,
    b"99999999999",
    b"1_0",
    b"0x1p3",
    b'"',
    b"'=1",
    b"\xff\xfe",
    b"\0",
    b"\r",
    b"#",
    b",,",
)
LEAVES = (
    None,
    True,
    0,
    -1,
    2**31,
    2**63,
    10**400,
    1e308,
    -0.5,
    5e-324,
    "",
    "inf",
    "H1",
    "\ud800",
    "x" * 1000,
    [],
    {},
    {"float": "nan"},
    {"float": "inf"},
    {"list": []},
    {"tuple": [1, 2]},
    {"dict": {}},
    {"array": "array0"},
)
NUMBERS = (np.nan, np.inf, -1.0, -0.0, 1e200, 5e-324, 1e15)
DTYPES = ("<f8", "<f4", "<i8", "<i4")
# What is written in the place of a shape, a type or an order of a .npy file.
NPY_TOKENS = (
    "(99999999999, 2)",
    "(4611686018427387904, 4)",
    "(-1, 2)",
    "(0, 99999999999)",
    "()",
    "(3, 2, 1, 1)",
    "(2.0,)",
    "'|O'",
    "'<U999999999'",
    "'|V0'",
    "[('a', '<f8')]",
    "'>f2'",
    "'<M8[ns]'",
    "'|b1'",
    "True",
    "None",
    "__import__('os')",
    "{}",
    "9" * 5000,
    "(" * 300,
)
LENGTH_BYTES = 8


def damage(data: bytes, rng: random.Random, *, text: bool) -> bytes:
    """Return bytes that something has happened to, once or a few times."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(changed) + 1)
        n = rng.choice((1, 2, 4, 8, 64))
        match rng.randrange(7 if text else 6):
            case 0:
                changed[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                changed[at : at + n] = rng.choice((b"\0", b"\xff")) * n
            case 2:
                changed[at : at + n] = b""
            case 3:
                changed[at:at] = changed[rng.randrange(len(changed) + 1) :][:n]
            case 4:
                changed[at : at + n] = rng.randbytes(n)
            case 5:
                changed = changed[:at] if rng.random() < 0.3 else changed
            case _:
                changed[at : at + n] = rng.choice(TOKENS)
    return bytes(changed)


def forge(
    header: dict[str, Any], arrays: dict[str, Any], kind: str, rng: random.Random
) -> bytes:
    """Return a file of pbow with another content, and a right checksum.

    One in eight has other positions or types of its arrays, as safetensors has them.
    """
    header, arrays = copy.deepcopy(header), dict(arrays)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if arrays and rng.random() < 0.4:
            name = rng.choice(list(arrays))
            arrays[name] = forged_array(arrays[name], rng)
        else:
            change_leaf(header, rng)
    data = b"".join(pack(kind, header, arrays))
    if rng.random() < 1 / 8:
        stop = LENGTH_BYTES + int.from_bytes(data[:LENGTH_BYTES], "little")
        description = json.loads(data[LENGTH_BYTES:stop])
        change_leaf(description, rng)
        text = json.dumps(description).encode()
        data = len(text).to_bytes(LENGTH_BYTES, "little") + text + data[stop:]
    return data


def change_leaf(tree: Any, rng: random.Random) -> None:
    """Replace or delete something in nested dicts and lists."""
    if places := list(leaves(tree)):
        holder, key = rng.choice(places)
        if rng.random() < 0.2:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(rng.choice(LEAVES))


def leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place of nested dicts and lists, as what holds it and its key."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(items):
        yield value, key
        if isinstance(item, dict | list):
            yield from leaves(item)


def forged_array(array: np.ndarray[Any, Any], rng: random.Random) -> Any:
    """Return an array of another length, shape or type, or with an odd number."""
    changed = np.array(array)
    with np.errstate(all="ignore"):
        match rng.randrange(5):
            case 0:
                return changed[:-1] if changed.ndim else changed
            case 1:
                return changed.reshape(-1)
            case 2:
                return changed.astype(rng.choice(DTYPES))
            case 3:
                return changed[..., None] if changed.ndim < 4 else changed
            case _:
                if changed.size:
                    odd = np.float64(rng.choice(NUMBERS)).astype(changed.dtype)
                    changed.reshape(-1)[rng.randrange(changed.size)] = odd
                return changed


def forge_npy(data: bytes, rng: random.Random) -> bytes:
    """Return a ``.npy`` file with another type, order or shape in a sound header."""
    stop = 10 + struct.unpack("<H", data[8:10])[0]
    header = data[10:stop].decode("latin1").strip()
    values = list(re.finditer(r"(?<=: )('[^']*'|\w+|\([^)]*\))", header))
    value = rng.choice(values)
    token = rng.choice(NPY_TOKENS)
    text = f"{header[: value.start()]}{token}{header[value.end() :]}\n".encode()
    return data[:8] + struct.pack("<H", len(text)) + text + data[stop:]


def forge_zip(data: bytes, rng: random.Random) -> bytes:
    """Return an archive with forged arrays, or without or with further members."""
    stream = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        chosen = rng.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            if name == chosen:
                match rng.randrange(6):
                    case 0:
                        continue
                    case 1:
                        new.writestr(zipfile.ZipInfo("more.npy"), content)
                    case 2:
                        content = damage(content, rng, text=False)
                    case 3 if name.endswith(".json"):
                        content = damage(content, rng, text=True)
                    case _ if name.endswith(".npy"):
                        content = forge_npy(content, rng)
                    case _ if name.endswith(".npz"):
                        content = forge_zip(content, rng)
            new.writestr(zipfile.ZipInfo(name), content)  # without the time of day
    return stream.getvalue()
