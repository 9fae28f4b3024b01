"""Reader of weight files of other programs: tensors by name.

No code of a file is run, and every size in its header is checked against the bytes that are
there before it is used.
"""

from __future__ import annotations

import os
from pathlib import Path

from neuralshade.asset.weights.foreign_bytes import (
    Tensors,
    check_finite,
    damaged,
    floats_of,
    read_bytes,
)
from neuralshade.base.message_text import named, shown
from neuralshade.errors import AssetError

SUFFIXES = (".safetensors", ".npz", ".npy", ".pt", ".pth")
FORMS = "safetensors, npz, npy or pt"


def read_tensors(path: str | os.PathLike[str]) -> Tensors:
    """Return the floating-point tensors of a file by name; the one of an .npy is "params".

    float16 and float32 stay; bfloat16 and float64 become float32. Others are left out.

    Raises: AssetError for a file in none of FORMS, a damaged one, or NaN or infinity in it.
    """
    suffix = Path(path).suffix.lower()
    data = read_bytes(path)
    if suffix == ".safetensors":
        found = _safetensors(path, data)
    elif suffix in (".npz", ".npy"):
        from neuralshade.asset.weights.numpy_file import numpy_tensors

        found = numpy_tensors(path, data)
    elif suffix in (".pt", ".pth"):
        from neuralshade.asset.weights.torch_file import torch_tensors

        found = torch_tensors(path, data)
    else:
        raise AssetError(f"{path}: got suffix {shown(suffix)}, need {FORMS}. Save it by "
                         "safetensors.torch.save_file.")  # fmt: skip
    for name, values in found.items():
        check_finite(f"{path}", values, f" in tensor {named(name)}")
    return dict(sorted(found.items()))  # some libraries return them in varying order


def _safetensors(path: object, data: bytes) -> Tensors:
    import safetensors
    import safetensors.torch

    try:
        return floats_of(path, safetensors.torch.load(data))
    # KeyError: a dtype that PyTorch lacks; ValueError, RuntimeError: a shape beyond its tensors
    except (safetensors.SafetensorError, KeyError, ValueError, RuntimeError) as error:
        raise damaged(path, error, "a whole safetensors file") from error
