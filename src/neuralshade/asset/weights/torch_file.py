"""Reader of PyTorch state dicts in .pt files, without unpickling code."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from typing import Any

from neuralshade.asset.weights.foreign_bytes import Tensors, damaged, floats_of
from neuralshade.base.message_text import shown
from neuralshade.errors import AssetError

NEED = "a state dict or a tensor of torch.save"


def torch_tensors(path: object, data: bytes) -> Tensors:
    """Return the float tensors of a file by name. Raises AssetError for anything else in it."""
    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about content that is refused below
            found: Any = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as error:  # untrusted bytes: UnpicklingError, RuntimeError, KeyError ...
        raise damaged(path, error, NEED) from error
    if isinstance(found, torch.Tensor):
        found = {"params": found}
    if not isinstance(found, Mapping):
        raise _other(path, type(found).__name__)
    for name, values in found.items():
        if not isinstance(name, str) or not isinstance(values, torch.Tensor):
            raise _other(path, f"{type(values).__name__} as {shown(name)}")
    return floats_of(path, found)


def _other(path: object, got: str) -> AssetError:
    return AssetError(f"{path}: got {got}, need {NEED}. Save module.state_dict() by "
                      "safetensors.torch.save_file.")  # fmt: skip
