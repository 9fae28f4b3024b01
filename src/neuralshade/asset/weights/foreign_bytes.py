"""Limits and error messages shared by the readers of weight files."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import LONGEST, named, plain, read_failure
from neuralshade.base.regular_file import check_regular
from neuralshade.errors import AssetError

if TYPE_CHECKING:
    import torch

log = logging.getLogger("neuralshade")

LARGEST_BYTES = 2**31  # of a file, and of what a compressed one holds
FLOATS = ("float16", "float32")  # kept as they are

Array = npt.NDArray[Any]
Tensors = dict[str, Array]


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file. Raises AssetError where it cannot be read, or is too large."""
    try:
        check_regular(path)
        size = os.stat(path).st_size
        if size > LARGEST_BYTES:
            raise too_large(path, size)
        return Path(path).read_bytes()
    except OSError as error:
        raise AssetError(f"{path}: got {read_failure(error)}, need a file of trained numbers. "
                         "Check the path.") from error  # fmt: skip


def too_large(path: object, size: int) -> AssetError:
    """Return the error for a file of so many bytes."""
    return AssetError(f"{path}: got {size:,} bytes, need at most {LARGEST_BYTES:,}. "
                      "Save the parameters alone.")  # fmt: skip


def check_finite(place: str, values: npt.NDArray[Any], where: str = "") -> None:
    """Raise AssetError where ``values`` hold NaN or infinity."""
    if not np.isfinite(values).all():
        raise AssetError(f"{place}: got NaN or infinity{where}, need finite numbers. "
                         "Train it again.")  # fmt: skip


def damaged(path: object, error: Exception, need: str) -> AssetError:
    """Return the error for a file that its library refuses."""
    described = plain(str(error))[:LONGEST] or type(error).__name__
    return AssetError(f"{path}: got bytes that no reader takes ({described}), need {need}. "
                      "Save it again.")  # fmt: skip


def note_rounded(path: object, name: str, dtype: str, size: int) -> None:
    """Log that a tensor with ``size`` bytes per number is rounded to float32, if it is."""
    if size > 4:
        log.warning("%s: got %s as %s, rounded to float32.", path, named(name), dtype)


def floats_of(path: object, tensors: Mapping[str, torch.Tensor]) -> Tensors:
    """Return floating-point tensors of PyTorch as arrays; others are left out."""
    import torch

    found: Tensors = {}
    for name, values in tensors.items():
        if not values.is_floating_point() or values.layout is not torch.strided:
            continue
        if values.is_meta or values.nbytes > values.untyped_storage().nbytes():
            raise AssetError(f"{path}: got {list(values.shape)} of {named(name)} in fewer bytes, "
                             "need every number in the file. Save a contiguous copy.")  # fmt: skip
        kept, dtype = values.detach().cpu(), str(values.dtype).removeprefix("torch.")
        if dtype not in FLOATS:
            note_rounded(path, name, dtype, values.element_size())
            kept = kept.float()
        found[name] = kept.contiguous().numpy()
    return found
