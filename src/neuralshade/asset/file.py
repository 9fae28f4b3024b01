"""File format of assets and checkpoints: reader and writer."""

import hashlib
import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from neuralshade.base.argument_checks import check_path
from neuralshade.base.atomic import whole_file
from neuralshade.base.message_text import LONGEST, plain, read_failure, shown
from neuralshade.base.regular_file import check_regular
from neuralshade.base.strict_json import strict_json
from neuralshade.errors import AssetError

FORMAT = 1  # raise it when older readers would misread the file
KEY = "neuralshade"  # the only metadata entry of the safetensors header; JSON
MARK = b'\\"checksum\\":\\"'  # JSON inside a JSON string: quotes are escaped
CHECKPOINT = "-checkpoint"  # suffix of the kind of an unfinished fit
START = b'{"__metadata__":{"neuralshade":'  # after the header's length, which takes 8 bytes
LONGEST_HEADER = 2**26  # bytes to read for the kind
DIGITS = 16  # of SHA-256, hex, over the whole file with the checksum's digits as zeros


@dataclass(frozen=True)
class AssetFile:
    """Header and tensors of a file: ``header`` is plain JSON data, tensors are NumPy arrays.

    NaN and infinity, which JSON lacks, are None after writing and reading; tensors are
    sorted by name.
    """

    header: dict[str, Any]
    tensors: dict[str, NDArray[Any]]


def write_asset_file(path: str | os.PathLike[str], file: AssetFile) -> int:
    """Write ``file`` whole or not at all; return its size in bytes. Raises OutputError."""
    with whole_file(path) as partial:
        partial.write_bytes(to_bytes(file))
    return Path(path).stat().st_size


def to_bytes(file: AssetFile) -> bytes:
    """Return the bytes of the file, checksum filled in."""
    # first, so that no other part of the header can match it
    header = {"checksum": "0" * DIGITS, "format": FORMAT, **file.header}
    metadata = {KEY: json.dumps(_finite(header), separators=(",", ":"), allow_nan=False)}
    # not ascontiguousarray, which turns a scalar into an array of one
    tensors = {name: np.asarray(value, order="C") for name, value in file.tensors.items()}
    data = safetensors.numpy.save(tensors, metadata)
    place = data.index(MARK) + len(MARK)
    return data[:place] + _digest(data, place) + data[place + DIGITS :]


def read_asset_file(path: str | os.PathLike[str], kind: str | None = None) -> AssetFile:
    """Read a file of ``write_asset_file``.

    Raises: AssetError with the reason, for a file that is missing, foreign, truncated, altered,
        newer than this version, or of another kind than ``kind``.
    """
    check_path("asset", path, AssetError)
    if not os.fspath(path):
        raise AssetError("asset: got an empty name, need an asset's. Name a file.")
    try:
        check_regular(path)
        data = Path(path).read_bytes()
    except OSError as error:
        raise AssetError(f"{path}: got {read_failure(error)}, need a readable asset file. "
                         f"{_where(path)}") from error  # fmt: skip
    file = from_bytes(data, str(path))
    if kind is not None and file.header["kind"] != kind:
        found = file.header["kind"]
        got, need = _kinds_text(found, kind)
        raise AssetError(f"{path}: got {got}, need {need}. "
                         f"{_remedy(found, kind)}")  # fmt: skip
    return file


def _where(path: str | os.PathLike[str]) -> str:
    """Return the remedy for an unreadable file: fits of mip levels write folders."""
    inside = sorted(Path(path).glob("*.nsh")) if os.path.isdir(path) else []
    return f"Name the one in it: {inside[0]}." if len(inside) == 1 else "Check the path."


def is_asset_file(path: str | os.PathLike[str]) -> bool:
    """Return whether the file begins like one of ``write_asset_file``. Raises OSError."""
    check_regular(path)
    with Path(path).open("rb") as file:
        return file.read(8 + len(START))[8:] == START


def stored_kind(path: str | os.PathLike[str]) -> str | None:
    """Return the kind in a file's header, without verifying its checksum; None without one.

    Raises: OSError.
    """
    check_regular(path)
    with Path(path).open("rb") as file:
        header = stored_header(file)
    return None if header is None else str(header["kind"]).removesuffix(CHECKPOINT)


def stored_header(file: IO[bytes]) -> dict[str, Any] | None:
    """Return the header of an open file, without verifying its checksum; None for other files.

    Reads the header's bytes alone: a file of a store may be far away. Raises: OSError.
    """
    start = file.read(8 + len(START))
    if start[8:] != START:
        return None
    rest = min(int.from_bytes(start[:8], "little"), LONGEST_HEADER) - len(START)
    try:
        return _header(start + file.read(max(0, rest)), "asset")
    except AssetError:
        return None


def from_bytes(data: bytes, place: str = "asset") -> AssetFile:
    """Parse the bytes of a file; AssetError as in ``read_asset_file``."""
    header = _header(data, place)
    if header["format"] > FORMAT:
        raise AssetError(f"{place}: got format {shown(header['format'])}, need <= {FORMAT}. "
                         "Upgrade neuralshade.")  # fmt: skip
    digits = data.index(MARK) + len(MARK)
    if _digest(data, digits) != data[digits : digits + DIGITS]:
        raise AssetError(f"{place}: got bytes that do not match their checksum, need the file "
                         "as it was written. Copy it again.")  # fmt: skip
    return AssetFile(header, _tensors(data, place))


def _tensors(data: bytes, place: str) -> dict[str, NDArray[Any]]:
    """Return the tensors by name; AssetError where their table does not match the file's bytes."""
    try:
        found = safetensors.numpy.load(data)
    # KeyError: a dtype that NumPy lacks; ValueError: a shape beyond its arrays
    except (safetensors.SafetensorError, KeyError, ValueError) as error:
        raise AssetError(f"{place}: got tensors that no reader takes ({_reason(error)}), need "
                         "those of a fit. Fit it again.") from error  # fmt: skip
    return dict(sorted(found.items()))  # safetensors returns them in varying order


def _reason(error: Exception) -> str:
    return plain(str(error))[:LONGEST]


def _header(data: bytes, place: str) -> dict[str, Any]:
    try:
        length = int.from_bytes(data[:8], "little")
        if len(data) < 8 + length:
            raise ValueError("cut")
        metadata = strict_json(data[8 : 8 + length])["__metadata__"][KEY]
        header = strict_json(metadata)
        if (
            not isinstance(header["kind"], str)
            or type(header["format"]) is not int
            or header["format"] < 1
        ):
            raise ValueError("header")
        data.index(MARK)
    except (ValueError, KeyError, TypeError) as error:
        raise AssetError(f"{place}: got {_guess(data)}, need a neuralshade asset. "
                         "Make one with neuralshade fit.") from error  # fmt: skip
    return dict(header)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _guess(data: bytes) -> str:
    """Return what the bytes probably are, for the message."""
    if not data:
        return "an empty file"
    if KEY.encode() in data[:4096]:
        return "a damaged or truncated asset"
    try:
        safetensors.numpy.load(data)
    except safetensors.SafetensorError:
        return "a file that is no safetensors file"
    return "a safetensors file of another program"


def _digest(data: bytes, place: int) -> bytes:
    state = hashlib.sha256(data[:place])
    state.update(b"0" * DIGITS)
    state.update(data[place + DIGITS :])
    return state.hexdigest()[:DIGITS].encode()


def _remedy(kind: str, needed: str) -> str:
    if kind.endswith(CHECKPOINT) and not needed.endswith(CHECKPOINT):
        return "Finish it with neuralshade fit --resume."
    if kind + CHECKPOINT == needed:
        return "That fit is finished: name the .checkpoint.nsh file of an interrupted one."
    if needed.endswith(CHECKPOINT):
        return "Name its .checkpoint.nsh file, or leave --resume out."
    return "Use an asset that the matching fit verb made."


def _kinds_text(kind: str, needed: str) -> tuple[str, str]:
    """Return the kind of a file and the needed one, for the message."""
    if not needed.endswith(CHECKPOINT):
        return f"an asset of kind {shown(kind)}", repr(needed)
    need = f"the checkpoint of an interrupted fit {needed.removesuffix(CHECKPOINT)}"
    if kind.endswith(CHECKPOINT):
        return f"a checkpoint of kind {shown(kind.removesuffix(CHECKPOINT))}", need
    return f"an asset of kind {shown(kind)}", need
