"""The part of a decoder that several materials share: what reads directions, and stays as it is.

Source: ours; after the shared decoders of texture sets, with a map for each material.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.material.asset import parameters_of
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.model.field import Field

LAYERS = 1  # of the decoder, its first ones
ARCHITECTURE = ("features", "lobes", "lobe_inputs", "below", "hidden_width", "hidden_layers",
                "activation")  # settings that all share  # fmt: skip


def shared_names(layers: int = LAYERS) -> list[str]:
    """Return the names of the tensors that are shared, as an asset has them."""
    return [f"decoder.{i}.{part}" for i in range(layers) for part in ("weight", "bias")]


def shared_digest(tensors: Mapping[str, npt.NDArray[Any]], layers: int = LAYERS) -> str:
    """Return what tells one shared part from another: SHA-256 of its float16, layer by layer."""
    state = hashlib.sha256()
    for name in shared_names(layers):
        state.update(np.ascontiguousarray(tensors[name], "<f2").tobytes())
    return state.hexdigest()


def check_digest(
    path: str, told: Mapping[str, Any] | None, tensors: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Raise AssetError where a header's ``told`` digest is not that of the asset's tensors.

    None, of earlier versions, tells nothing. What tensors there must be is another's to check.
    """
    if told is None or not tensors.keys() >= set(shared_names(told["layers"])):
        return
    if shared_digest(tensors, told["layers"]) != told["digest"]:
        raise AssetError(f"{path}: got a shared layer with another digest than its header says, "
                         "need the same. Fit it again.")  # fmt: skip


@dataclass(frozen=True)
class SharedPart:
    """The first layers of a fitted decoder, for other materials to take over."""

    path: str  # of the asset that they are from
    recipe: MaterialRecipe  # it was fitted by
    tensors: Mapping[str, npt.NDArray[Any]]  # float16, by the names of an asset

    @property
    def layers(self) -> int:
        """Return how many layers of the decoder are shared."""
        return len(self.tensors) // 2

    @property
    def architecture(self) -> dict[str, Any]:
        """Return the settings that make its architecture."""
        return {name: getattr(self.recipe, name) for name in ARCHITECTURE}

    @torch.no_grad()
    def apply_to(self, field: Field) -> None:
        """Set the shared layers of ``field``, and let no step change them."""
        parameters = parameters_of(field)
        for name, values in self.tensors.items():
            parameters[name].copy_(torch.from_numpy(values).float())
            parameters[name].requires_grad_(False)

    def check(self, recipe: MaterialRecipe, setting: Callable[[str], str]) -> None:
        """Raise ConfigError for a recipe of another architecture.

        ``setting`` returns which flag asked for a field of it.
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
    """Return what an asset shares; its tensors have the forms that ``recipe`` makes."""
    return SharedPart(str(path), recipe, {name: tensors[name] for name in shared_names()})
