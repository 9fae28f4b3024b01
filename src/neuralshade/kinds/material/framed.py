"""A fitted material for a path tracer, which also says what a frame's decoder reads of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.scattering import scattering_of
from neuralshade.kinds.material.shared import ARCHITECTURE
from neuralshade.kinds.material.varied import Varied
from neuralshade.model.frame_decoder import FrameDecoder
from neuralshade.model.scattering import Scattering


@dataclass(frozen=True)
class FramedMaterial:
    """A material of ``frame_decoder``, as scenes ask it: see ``Framed``."""

    recipe: MaterialRecipe
    side: int
    tensors: Mapping[str, npt.NDArray[Any]]

    @property
    def architecture(self) -> Hashable:
        """Return what all materials of one decoder have in common."""
        return tuple(getattr(self.recipe, name) for name in ARCHITECTURE)

    def path(self, gpu: Gpu) -> str:
        """Return how a decoder evaluates it on ``gpu``: vector, matrix or fma."""
        from neuralshade.kinds.material.frame import frame_path

        return frame_path(gpu, self.recipe)

    def decoder(self, gpu: Gpu, materials: Sequence[FramedMaterial]) -> FrameDecoder:
        """Return what evaluates materials of one architecture, this one among them."""
        from neuralshade.kinds.material.frame import frame_decoder

        return frame_decoder(gpu, materials)


def framed_scattering(
    recipe: MaterialRecipe, side: int, tensors: Mapping[str, npt.NDArray[Any]],
    varied: Sequence[Varied] = (), shares: Sequence[float] = (),
) -> Scattering:  # fmt: skip
    """Return what ``scattering_of`` does, and for a decoder of frames where no input is varied."""
    found = scattering_of(recipe, side, tensors, varied, shares)
    if recipe.varied_count:
        return found
    return replace(found, framed=FramedMaterial(recipe, side, tensors))
