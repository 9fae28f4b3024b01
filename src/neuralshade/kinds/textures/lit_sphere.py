"""Lit sphere on the live page, with a set's maps as decoded and as reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from neuralshade.fitting.scene import View
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.measure.plane.lit_sphere import LIT
from neuralshade.measure.plane.sphere_view import SphereView, usual_light
from neuralshade.source.color import srgb_to_linear

Floats = npt.NDArray[np.float32]


class TexelSource(Protocol):
    """Source of texels, see ``ReferenceTexels``."""

    def coded(self, coding: MapCoding, level: int, index: npt.NDArray[np.int64]) -> Floats: ...


class LitPane:
    """Draws the sphere; caches its texels while only the light moves."""

    def __init__(
        self, texels: TexelSource, step: Callable[[], int], codings: Sequence[MapCoding],
        sizes: Sequence[tuple[int, int]],
    ):  # fmt: skip
        self._texels, self._step, self._sizes = texels, step, sizes
        self._codings = [coding for coding in codings if coding.name in LIT]
        self._last: tuple[Any, SphereView, dict[str, Floats]] | None = None

    def __call__(self, view: View) -> Floats:
        """Return the sphere as a screen shows it: float32 [height, width, 3], sRGB in [0, 1]."""
        sphere, maps = self._texels_of(view)
        return sphere.lit(maps, view.light or usual_light())

    def radiance(self, view: View) -> Floats:
        """Return the same as linear light, which may be above 1."""
        sphere, maps = self._texels_of(view)
        return sphere.radiance(maps, view.light or usual_light())

    def _texels_of(self, view: View) -> tuple[SphereView, dict[str, Floats]]:
        width, height = view.screen or (view.width, view.height)
        request = (self._step(), view.region, width, height, view.level)
        if self._last is None or self._last[0] != request:
            sphere = SphereView.of(self._sizes[0], view.region, width, height)
            level = min(view.level, len(self._sizes) - 1)
            # maps repeat around the sphere: each texel is decoded once
            index, places = np.unique(sphere.texels(*self._sizes[level]), return_inverse=True)
            maps = {
                coding.name: straight(coding, self._texels.coded(coding, level, index))[places]
                for coding in self._codings
            }
            self._last = request, sphere, maps
        return self._last[1:]


def straight(coding: MapCoding, coded: Floats) -> Floats:
    """Return texels of a map for shading: colors linear, normals from -1 to 1."""
    values = coding.straight(coded)
    return srgb_to_linear(values) if coding.meaning == "srgb" else values
