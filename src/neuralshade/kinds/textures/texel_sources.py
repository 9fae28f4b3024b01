"""Texel sources of a live page: a set's reference maps, and the decoded ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.fitting.picture_scene import grid_pages
from neuralshade.fitting.scene import Page
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.engine import Integers, decode_texels, latent_grids
from neuralshade.kinds.textures.rectangle import takes_rectangles
from neuralshade.kinds.textures.reference import coded_texels
from neuralshade.model.field import Field
from neuralshade.source.cutout import level_list
from neuralshade.source.material_set import MaterialSet

Floats = npt.NDArray[np.float32]
SPREAD = 36  # a rectangle is decoded whole if at most so many times larger than what is shown
MOST = 2**20  # texels of a rectangle decoded at once: bounds memory


class ReferenceTexels:
    """A set's own maps; deeper levels are computed on first use."""

    def __init__(self, textures: MaterialSet, mips: int):
        self._textures, self._mips = textures, mips
        self._levels: dict[str, list[Floats]] = {}

    def coded(self, coding: MapCoding, level: int, index: Integers) -> Floats:
        """Return texels of a map for comparison: float32 [..., channels] in [0, 1].

        ``index`` [...]: of texels in the level, row by row.
        """
        one = self._textures[coding.name]
        if level == 0:
            values = one.values
        else:
            if coding.name not in self._levels:
                self._levels[coding.name] = level_list(self._textures, coding.name, self._mips)
            values = self._levels[coding.name][level]
        return coded_texels(coding, values.reshape(-1, values.shape[2])[index])


class DecodedTexels:
    """A field's current results: caches all maps of the last texels.

    ``step`` returns the number of steps so far: ``field`` is called once for each.
    """

    def __init__(
        self, field: Callable[[], Field], sizes: Sequence[tuple[int, int]], step: Callable[[], int]
    ):
        self._field, self._sizes, self.step = field, sizes, step
        self._known: tuple[int, Field] | None = None
        self._last: tuple[tuple[int, int], Integers, Floats] | None = None

    @property
    def field(self) -> Field:
        """The current field."""
        step = self.step()
        if self._known is None or self._known[0] != step:
            self._known = step, self._field()
        return self._known[1]

    def coded(self, coding: MapCoding, level: int, index: Integers) -> Floats:
        """Return texels of a map, see ``ReferenceTexels.coded``."""
        return coding.shown(self._channels(level, index))

    def _channels(self, level: int, index: Integers) -> Floats:
        """Return trained channels [..., C]."""
        request, last = (self.step(), level), self._last
        if last is None or last[0] != request or not np.array_equal(last[1], index):
            last = self._last = request, index, self._decoded(level, index)
        return last[2]

    def _decoded(self, level: int, index: Integers) -> Floats:
        field, width = self.field, self._sizes[level][0]
        rows, cols = np.divmod(index, width)
        top, left = rows.min(), cols.min()
        height, across = rows.max() - top + 1, cols.max() - left + 1
        between = height * across
        shares = next(field.parameters()).device.type == "cpu" and takes_rectangles(field)
        # texels of a rectangle share work: decoding all may be faster than decoding some
        if shares and index.size < between <= SPREAD * index.size:
            if between > MOST and len(index) > 1:
                parts = np.array_split(index, 2)
                return np.concatenate([self._decoded(level, part) for part in parts])
            whole = (top + np.arange(height))[:, None] * width + left + np.arange(across)
            return self._decoded(level, whole)[rows - top, cols - left]
        found = decode_texels(field, self._sizes, level, torch.from_numpy(index.reshape(-1)))
        return found.reshape(*index.shape, -1)

    def pages(self) -> dict[str, Page]:
        """Return pictures of the finest level of each grid of latents."""
        return grid_pages(
            lambda: [grid.level(0).cpu().numpy() for grid in latent_grids(self.field)]
        )
