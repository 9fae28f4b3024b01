"""Reader of .npy and .npz files that checks headers against their bytes."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.weights.foreign_bytes import (
    FLOATS,
    LARGEST_BYTES,
    Tensors,
    damaged,
    note_rounded,
    too_large,
)
from neuralshade.errors import AssetError

ONLY = "params"  # the name of an .npy file's array
NEED = "a whole .npy or .npz file of float arrays"
START = b"\x93NUMPY"


def numpy_tensors(path: object, data: bytes) -> Tensors:
    """Return the float arrays of a file by name. Raises AssetError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about headers of Python 2, duplicate names in a zip
            found = {ONLY: _array(data)} if data.startswith(START) else _zipped(path, data)
        return _floats(path, found)
    except AssetError:  # a ValueError with its message already
        raise
    except Exception as error:  # untrusted bytes: ValueError, TokenError, BadZipFile ...
        raise damaged(path, error, NEED) from error


def _zipped(path: object, data: bytes) -> dict[str, npt.NDArray[Any]]:
    found: dict[str, npt.NDArray[Any]] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        if size > LARGEST_BYTES:
            raise too_large(path, size)
        for member in members:
            with archive.open(member) as file:  # ends at file_size, whatever the member expands to
                content = file.read(member.file_size + 1)
            found[member.filename.removesuffix(".npy")] = _array(content)
    return found


def _array(data: bytes) -> npt.NDArray[Any]:
    """Return the array of one .npy file; ValueError where its header and bytes do not match."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"format {version[0]}.{version[1]}")
    read = {(1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0}[version]  # fmt: skip
    shape, in_columns, dtype = read(file)
    if dtype.hasobject:
        raise ValueError("Python objects, which are never loaded")
    if any(side < 0 for side in shape):
        raise ValueError(f"shape {shape}")
    start = file.tell()
    if math.prod(shape) * dtype.itemsize != len(data) - start:
        raise ValueError(f"{len(data) - start} bytes for shape {shape} of {dtype}")
    values = np.frombuffer(data, dtype, offset=start)
    return values.reshape(shape, order="F" if in_columns else "C")


def _floats(path: object, arrays: dict[str, npt.NDArray[Any]]) -> Tensors:
    found: Tensors = {}
    for name, values in arrays.items():
        if values.dtype.kind != "f":
            continue
        kept = values.dtype.name in FLOATS and values.dtype.isnative
        if values.dtype.name not in FLOATS:
            note_rounded(path, name, values.dtype.name, values.itemsize)
        with np.errstate(over="ignore"):  # infinity is refused
            found[name] = np.ascontiguousarray(values) if kept else values.astype(np.float32)
    return found
