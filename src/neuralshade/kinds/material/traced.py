"""Path-traced form of a fitted material, with the batched decoder where it applies."""

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
from neuralshade.model.batched_decoder import BatchedDecoder
from neuralshade.model.scattering import Scattering

if TYPE_CHECKING:
    from neuralshade.kinds.material.opened import OpenedMaterial


@dataclass(frozen=True)
class TracedMaterial:
    """A material of ``build_decoder`` for scenes: see ``Framed``."""

    recipe: MaterialRecipe
    side: int
    tensors: Mapping[str, npt.NDArray[Any]]

    @property
    def architecture(self) -> Hashable:
        """Return the common settings of all materials of one decoder."""
        return tuple(getattr(self.recipe, name) for name in ARCHITECTURE)

    def path(self, gpu: Gpu) -> str:
        """Return the path of its decoder on ``gpu``: vector, matrix or fma."""
        from neuralshade.kinds.material.batched_decoder import decoder_path

        return decoder_path(gpu, self.recipe)

    def decoder(self, gpu: Gpu, materials: Sequence[TracedMaterial]) -> BatchedDecoder:
        """Return the decoder of materials of one architecture, including this one."""
        from neuralshade.kinds.material.batched_decoder import build_decoder

        return build_decoder(gpu, materials)


def traced_material(opened: OpenedMaterial, reference: Any = None) -> Scattering:
    """Return the scattering of a material, or of ``reference``, which it was fitted to.

    It is for scenes, where many materials share machine code, and a batched decoder on matrix
    units; ``shader.py`` has neither.

    A Slang module named by a scene is screened like code of documents.
    Raises: AssetError for another material; ConfigError for a module that does more than
        arithmetic; errors of ``load_reference``.
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
    """Return ``scattering_of``, with a batched decoder if no input is varied."""
    found = scattering_of(recipe, side, tensors, varied, shares)
    if recipe.varied_count:
        return found
    return replace(found, batched=TracedMaterial(recipe, side, tensors))
