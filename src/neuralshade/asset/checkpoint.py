"""An unfinished fit on disk: an asset file with everything that a restart needs."""

import os
from dataclasses import dataclass
from typing import Any

import torch

from neuralshade.asset.file import CHECKPOINT, AssetFile, read_asset_file, write_asset_file
from neuralshade.errors import AssetError


@dataclass(frozen=True)
class Checkpoint:
    """Resolved ``recipe``, name and digest of the ``source``, ``progress``, engine ``state``."""

    recipe: dict[str, Any]
    source: dict[str, Any]
    progress: dict[str, Any]
    state: dict[str, torch.Tensor]


def save_checkpoint(path: str | os.PathLike[str], kind: str, checkpoint: Checkpoint) -> None:
    """Write the checkpoint of a fit of that kind whole or not at all. Raises OutputError."""
    header = {"kind": kind + CHECKPOINT, "recipe": checkpoint.recipe,
              "picture": checkpoint.source, "progress": checkpoint.progress}  # fmt: skip
    tensors = {name: value.detach().cpu().numpy() for name, value in checkpoint.state.items()}
    write_asset_file(path, AssetFile(header, tensors))


def load_checkpoint(path: str | os.PathLike[str], kind: str) -> Checkpoint:
    """Read what ``save_checkpoint`` wrote; AssetError says why a file is refused."""
    file = read_asset_file(path, kind + CHECKPOINT)
    # copied: safetensors hands out read-only views of the file's bytes
    state = {name: torch.from_numpy(value.copy()) for name, value in file.tensors.items()}
    try:
        recipe, source, progress = (file.header[n] for n in ("recipe", "picture", "progress"))
    except KeyError as error:
        raise AssetError(f"{path}: got no {error} in the header, need a whole checkpoint. "
                         "Start the fit again.") from error  # fmt: skip
    return Checkpoint(recipe, source, progress, state)
