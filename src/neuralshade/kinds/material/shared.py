"""Shared part of several materials' decoders: the layers that read directions, kept fixed.

Source: ours; after the shared decoders of texture sets, with a map for each material.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.material.recipe import MaterialRecipe

if TYPE_CHECKING:
    from neuralshade.model.field import Field

LAYERS = 1  # number of first layers of the decoder
ARCHITECTURE = ("features", "lobes", "lobe_inputs", "below", "hidden_width", "hidden_layers",
                "activation")  # settings that all must share  # fmt: skip


def shared_names(layers: int = LAYERS) -> list[str]:
    """Return the names of the shared tensors in an asset."""
    return [f"decoder.{i}.{part}" for i in range(layers) for part in ("weight", "bias")]


def shared_digest(tensors: Mapping[str, npt.NDArray[Any]], layers: int = LAYERS) -> str:
    """Return the SHA-256 of a shared part: its float16 numbers, layer by layer."""
    state = hashlib.sha256()
    for name in shared_names(layers):
        state.update(np.ascontiguousarray(tensors[name], "<f2").tobytes())
    return state.hexdigest()


def check_digest(
    path: str, shared: Mapping[str, Any] | None, tensors: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Raise AssetError if the ``shared`` digest of a header does not match the tensors.

    None, in earlier versions, passes. Forms of tensors are checked elsewhere.
    """
    if shared is None or not tensors.keys() >= set(shared_names(shared["layers"])):
        return
    if shared_digest(tensors, shared["layers"]) != shared["digest"]:
        raise AssetError(f"{path}: got a shared layer with another digest than its header says, "
                         "need the same. Fit it again.")  # fmt: skip


@dataclass(frozen=True)
class SharedPart:
    """The first layers of a fitted decoder, for use in other materials."""

    path: str  # of the source asset
    recipe: MaterialRecipe  # of its fit
    tensors: Mapping[str, npt.NDArray[Any]]  # float16, by tensor name

    @property
    def layers(self) -> int:
        """Return the number of shared layers of the decoder."""
        return len(self.tensors) // 2

    @property
    def architecture(self) -> dict[str, Any]:
        """Return the settings that define the architecture."""
        return {name: getattr(self.recipe, name) for name in ARCHITECTURE}

    def apply_to(self, field: Field) -> None:
        """Set the shared layers of ``field``, and freeze them."""
        import torch

        from neuralshade.kinds.material.asset import parameters_of
        from neuralshade.kinds.material.field import encoding_of

        encoding_of(field).mixes = False
        parameters = parameters_of(field)
        for name, values in self.tensors.items():
            with torch.no_grad():
                parameters[name].copy_(torch.from_numpy(values).float())
            parameters[name].requires_grad_(False)

    def check(self, recipe: MaterialRecipe, setting: Callable[[str], str]) -> None:
        """Raise ConfigError for a recipe of another architecture.

        ``setting`` returns the flag that set a field of it.
        """
        for name, need in self.architecture.items():
            got = getattr(recipe, name)
            if got != need:
                flag = setting(name).replace("_", "-")
                raise ConfigError(f"{self.path}: got {name}={got!r}, need {need!r} as its decoder "
                                  f"has. Leave --{flag} out.")  # fmt: skip
        if recipe.varied_count != self.recipe.varied_count:
            raise ConfigError(
                f"{self.path}: got {recipe.varied_count} varied inputs, need "
                f"{self.recipe.varied_count} as its decoder has. Change --vary."
            )


def shared_of(
    path: str | os.PathLike[str], recipe: MaterialRecipe, tensors: Mapping[str, npt.NDArray[Any]]
) -> SharedPart:
    """Return the shared part of an asset; its tensors have the forms of ``recipe``."""
    return SharedPart(str(path), recipe, {name: tensors[name] for name in shared_names()})
