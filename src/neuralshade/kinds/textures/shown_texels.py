"""The texels that a live page shows of a set: as they were given, and as decoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.fitting.scene import Page, grid_pages
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.engine import Integers, decode_texels, latent_grids
from neuralshade.kinds.textures.reference import given_texels
from neuralshade.model.field import Field
from neuralshade.source.material_mips import mip_levels
from neuralshade.source.material_set import MaterialSet

Floats = npt.NDArray[np.float32]


class GivenTexels:
    """A set's own maps; levels are made when one but 0 is first asked for."""

    def __init__(self, textures: MaterialSet, mips: int):
        self._textures, self._mips = textures, mips
        self._levels: dict[str, list[Floats]] = {}

    def coded(self, coding: MapCoding, level: int, index: Integers) -> Floats:
        """Return texels of a map as a fit compares them: float32 [..., channels] in [0, 1].

        ``index`` [...]: their numbers in the level, row by row.
        """
        one = self._textures[coding.name]
        if level == 0:
            values = one.values
        else:
            if coding.name not in self._levels:
                self._levels[coding.name] = mip_levels(one, self._mips)
            values = self._levels[coding.name][level]
        return given_texels(coding, values.reshape(-1, values.shape[2])[index])


class DecodedTexels:
    """What a field makes of them now, all maps of the texels that were asked for last at once.

    ``step`` returns how many steps were made: for the same number ``field`` is called once.
    """

    def __init__(
        self, field: Callable[[], Field], sizes: Sequence[tuple[int, int]], step: Callable[[], int]
    ):
        self._field, self._sizes, self.step = field, sizes, step
        self._known: tuple[int, Field] | None = None
        self._last: tuple[tuple[int, int], Integers, Floats] | None = None

    @property
    def field(self) -> Field:
        """The field as it is now."""
        step = self.step()
        if self._known is None or self._known[0] != step:
            self._known = step, self._field()
        return self._known[1]

    def coded(self, coding: MapCoding, level: int, index: Integers) -> Floats:
        """Return texels of a map, see ``GivenTexels.coded``."""
        return coding.shown(self._channels(level, index))

    def _channels(self, level: int, index: Integers) -> Floats:
        """Return trained channels [..., C]."""
        asked, last = (self.step(), level), self._last
        if last is None or last[0] != asked or not np.array_equal(last[1], index):
            texels = torch.from_numpy(index.reshape(-1))
            found = decode_texels(self.field, self._sizes, level, texels)
            last = self._last = asked, index, found.reshape(*index.shape, -1)
        return last[2]

    def pages(self) -> dict[str, Page]:
        """Return pictures of the finest level of each grid of latents."""
        return grid_pages(
            lambda: [grid.level(0).cpu().numpy() for grid in latent_grids(self.field)]
        )
