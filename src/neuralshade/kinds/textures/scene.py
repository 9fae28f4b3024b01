"""The maps of a set on the live page: as decoded, each beside itself as it was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.fitting.scene import GIVEN, Page, Scene, View, grid_pages
from neuralshade.kinds.textures import KIND
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.engine import (
    Integers,
    decode_texels,
    latent_grids,
    texels_under,
)
from neuralshade.kinds.textures.reference import TexturesAsset, given_texels, reference_set
from neuralshade.model.field import Field
from neuralshade.source.material_set import MaterialSet

Floats = npt.NDArray[np.float32]
MAP = "map:"  # before a map's name, which may be what pages call something else
CHANNELS = 3  # of every pane, or the page could not show one beside another


def opened_scene(opened: TexturesAsset, reference: Any = None) -> Scene:
    """Return mip 0 of an asset's maps, each beside itself as given where these are there.

    Args:
        opened: the asset.
        reference: a folder, a manifest, files of maps or a MaterialSet: what it was fitted to.

    Raises: AssetError for other maps; what ``load_material_set`` raises.
    """
    given = None if reference is None else reference_set(opened, reference)
    decoder = Decoder(lambda: opened.field, opened.sizes, lambda: 0)
    return _scene(str(opened.textures["name"]), opened.sizes, opened.codings, given, decoder,
                  changes=False)  # fmt: skip


def fit_scene(
    textures: MaterialSet, codings: Sequence[MapCoding], sizes: Sequence[tuple[int, int]],
    field: Callable[[], Field], step: Callable[[], int],
) -> Scene:  # fmt: skip
    """Return mip 0 of the maps of a fit that goes on, each beside itself as given.

    Args:
        textures: what is fitted.
        codings: how each map is trained.
        sizes: width and height of every mip.
        field: returns the field as it is now, latents rounded as they are stored.
        step: returns how many steps were made: for the same number ``field`` is called once.
    """
    return _scene(textures.name, sizes, codings, textures, Decoder(field, sizes, step),
                  changes=True)  # fmt: skip


class Decoder:
    """Decodes texels of mip 0 as a page wants them, all maps of a view at once."""

    def __init__(
        self, field: Callable[[], Field], sizes: Sequence[tuple[int, int]], step: Callable[[], int]
    ):
        self._field, self._sizes, self._step = field, sizes, step
        self._known: tuple[int, Field] | None = None
        self._last: tuple[Any, Floats] | None = None

    @property
    def field(self) -> Field:
        """The field as it is now."""
        step = self._step()
        if self._known is None or self._known[0] != step:
            self._known = step, self._field()
        return self._known[1]

    def __call__(self, view: View) -> Floats:
        """Return trained channels under the view's pixels: float32 [height, width, C]."""
        asked = (self._step(), view.region, view.width, view.height)
        if self._last is None or self._last[0] != asked:
            index = torch.from_numpy(seen_texels(*self._sizes[0], view).reshape(-1))
            channels = decode_texels(self.field, self._sizes, 0, index)
            self._last = asked, channels.reshape(view.height, view.width, -1)
        return self._last[1]

    def pages(self) -> dict[str, Page]:
        """Return pictures of the finest level of each grid of latents."""
        return grid_pages(
            lambda: [grid.level(0).cpu().numpy() for grid in latent_grids(self.field)]
        )


def seen_texels(width: int, height: int, view: View) -> Integers:
    """Return the numbers of the texels under a view's pixels, row by row: [height, width]."""
    rows, cols = texels_under((width, height), view.width, view.height, view.region)
    return rows[:, None] * width + cols


def _scene(
    name: str, sizes: Sequence[tuple[int, int]], codings: Sequence[MapCoding],
    given: MaterialSet | None, decoded: Decoder, *, changes: bool,
) -> Scene:  # fmt: skip
    width, height = sizes[0]
    by_pane = {MAP + coding.name: coding for coding in codings}

    def draw(pane: str, view: View) -> Floats:
        coding = by_pane[pane.removeprefix(GIVEN)]
        if given is not None and pane.startswith(GIVEN):
            values = given[coding.name].values.reshape(width * height, -1)
            return _shown(given_texels(coding, values[seen_texels(width, height, view)]))
        return _shown(coding.shown(decoded(view)))

    varying = tuple(pane for pane, coding in by_pane.items() if coding.count)
    titles = _titles([coding.name for coding in codings], given is not None)
    return Scene(KIND.name, name, width, height, CHANNELS, False, False, False, titles, draw,
                 varying if changes else (), decoded.pages())  # fmt: skip


def _titles(names: Sequence[str], compared: bool) -> Mapping[str, str]:
    """Return the panes' titles, decoded maps first."""
    if not compared:
        return {MAP + name: name for name in names}
    titles = {MAP + name: f"{name} as decoded" for name in names}
    return titles | {GIVEN + MAP + name: f"{name} as given" for name in names}


def _shown(coded: Floats) -> Floats:
    """Return one, two or three channels in [0, 1] as three: grey, or red and green."""
    if coded.shape[2] == 1:
        return np.repeat(coded, CHANNELS, axis=2)
    return np.pad(coded, ((0, 0), (0, 0), (0, CHANNELS - coded.shape[2])))
