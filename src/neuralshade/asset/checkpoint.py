"""Checkpoint: an unfinished fit as an asset file with the state for a restart."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from neuralshade.asset.file import CHECKPOINT, AssetFile, read_asset_file, write_asset_file
from neuralshade.asset.rules import CHECKPOINT as CHECKPOINT_RULE
from neuralshade.asset.schema import check_header
from neuralshade.base.lazy_import import lazy_module
from neuralshade.base.message_text import named
from neuralshade.errors import AssetError

if TYPE_CHECKING:
    import torch
else:  # a checkpoint's facts need no tensors
    torch = lazy_module("torch")

SQUARES = ("moments", ".exp_avg_sq")  # suffixes of tensors with squared gradients
REMEDY = "Start the fit again."


@dataclass(frozen=True)
class Checkpoint:
    """Resolved ``recipe``, name and digest of the ``source``, ``progress``, engine ``state``."""

    recipe: dict[str, Any]
    source: dict[str, Any]
    progress: dict[str, Any]
    state: dict[str, torch.Tensor]

    @property
    def wrap(self) -> str:
        """Return the recipe's border, of kinds that have one; "repeat" for older fits."""
        return str(self.recipe.get("wrap", "repeat"))


def save_checkpoint(path: str | os.PathLike[str], kind: str, checkpoint: Checkpoint) -> None:
    """Write the checkpoint of a fit of that kind whole or not at all. Raises OutputError."""
    header = {"kind": kind + CHECKPOINT, "recipe": checkpoint.recipe,
              "picture": checkpoint.source, "progress": checkpoint.progress}  # fmt: skip
    tensors = {name: value.detach().cpu().numpy() for name, value in checkpoint.state.items()}
    write_asset_file(path, AssetFile(header, tensors))


def load_checkpoint(path: str | os.PathLike[str], kind: str) -> Checkpoint:
    """Read a file of ``save_checkpoint``; AssetError where it is refused."""
    file = read_asset_file(path, kind + CHECKPOINT)
    check_header(str(path), file.header, CHECKPOINT_RULE, "checkpoint", REMEDY)
    # copied: safetensors hands out read-only views of the file's bytes
    state = {name: _tensor(name, value, path) for name, value in file.tensors.items()}
    broken = not_finite(state)
    if broken is not None:
        raise AssetError(f"{path}: got NaN or infinity in tensor {named(broken)}, need finite "
                         f"numbers. {REMEDY}")  # fmt: skip
    recipe, source, progress = (file.header[name] for name in ("recipe", "picture", "progress"))
    return Checkpoint(recipe, source, progress, state)


def not_finite(state: Mapping[str, torch.Tensor]) -> str | None:
    """Return the name of a tensor that holds NaN or infinity; None without one.

    Infinite squared gradients are allowed: their parameters just stop moving.
    """
    for name, values in state.items():
        if values.is_floating_point():
            broken = values.isnan() if name.endswith(SQUARES) else ~values.isfinite()
            if broken.any():
                return name
    return None


def _tensor(name: str, values: NDArray[Any], path: str | os.PathLike[str]) -> torch.Tensor:
    try:
        return torch.from_numpy(values.copy())
    except TypeError as error:  # a dtype of NumPy that PyTorch lacks
        raise AssetError(f"{path}: got {values.dtype} for {named(name)}, need numbers of a fit. "
                         f"{REMEDY}") from error  # fmt: skip
