"""A fitted material for a path tracer, which also says what a frame's decoder reads of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.scattering import scattering_of
from neuralshade.kinds.material.shared import ARCHITECTURE
from neuralshade.kinds.material.varied import Varied
from neuralshade.model.frame_decoder import FrameDecoder
from neuralshade.model.scattering import Scattering

if TYPE_CHECKING:
    from neuralshade.kinds.material.opened import OpenedMaterial


@dataclass(frozen=True)
class TracedMaterial:
    """A material of ``build_decoder``, as scenes ask it: see ``Framed``."""

    recipe: MaterialRecipe
    side: int
    tensors: Mapping[str, npt.NDArray[Any]]

    @property
    def architecture(self) -> Hashable:
        """Return what all materials of one decoder have in common."""
        return tuple(getattr(self.recipe, name) for name in ARCHITECTURE)

    def path(self, gpu: Gpu) -> str:
        """Return how a decoder evaluates it on ``gpu``: vector, matrix or fma."""
        from neuralshade.kinds.material.batched_decoder import decoder_path

        return decoder_path(gpu, self.recipe)

    def decoder(self, gpu: Gpu, materials: Sequence[TracedMaterial]) -> FrameDecoder:
        """Return what evaluates materials of one architecture, this one among them."""
        from neuralshade.kinds.material.batched_decoder import build_decoder

        return build_decoder(gpu, materials)


def traced_material(opened: OpenedMaterial, reference: Any = None) -> Scattering:
    """Return what a path tracer reads of a material, or of ``reference``, which it was fitted to.

    A scene's road alone: many materials share machine code, and a decoder of frames on matrix
    units, which functions of ``shader.py`` do not. Elsewhere these are what evaluates a material.

    A Slang module is one that a scene names: it is looked through as code of documents is.
    Raises: AssetError for another material; ConfigError for a module that does more than
        arithmetic; what ``load_reference`` raises.
    """
    found = traced_scattering(opened.recipe, opened.side, opened.tensors, opened.varied,
                              opened.shares)  # fmt: skip
    if reference is None:
        return found
    from neuralshade.kinds.material.reference_scattering import (
        reference_scattering,
        screened_reference,
    )

    return reference_scattering(found, screened_reference(opened, reference))


def traced_scattering(
    recipe: MaterialRecipe, side: int, tensors: Mapping[str, npt.NDArray[Any]],
    varied: Sequence[Varied] = (), shares: Sequence[float] = (),
) -> Scattering:  # fmt: skip
    """Return what ``scattering_of`` does, and for a decoder of frames where no input is varied."""
    found = scattering_of(recipe, side, tensors, varied, shares)
    if recipe.varied_count:
        return found
    return replace(found, framed=TracedMaterial(recipe, side, tensors))
