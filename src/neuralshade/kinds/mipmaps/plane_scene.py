"""Live-page scene of mip levels: a lit plane that recedes, with a movable light."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from neuralshade.engine.threads import threads
from neuralshade.fitting.picture_scene import nearest
from neuralshade.fitting.scene import RESULT, Light, Scene, View
from neuralshade.kinds.mipmaps import KIND
from neuralshade.measure.plane.lit_plane import plane_picture, plane_reference
from neuralshade.measure.plane.mip_filters import Maps
from neuralshade.measure.plane.plane_view import PlaneView, Window
from neuralshade.measure.plane.texel_levels import TexelLevels

REFERENCE = "reference"
REFERENCE_SAMPLES = 36  # of a pixel: fast enough while the light is dragged
DRAFT_SAMPLES = 4  # of a pixel in a quick first picture
MOST_KEPT = 4  # cached references, one for each size of a fit's frames
KEPT_TITLE, TRAINED_TITLE = "Kept levels", "Trained levels"
TITLES = {"box": "Box filter", "toksvig": "Toksvig", "lean": "LEAN",
          REFERENCE: "Reference: shaded, then averaged"}  # fmt: skip
LOWEST_DEG, HIGHEST_DEG = 2.0, 90.0  # of the light over the plane
Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]


def plane_scene(
    name: str,
    base: Maps,
    chains: Mapping[str, Sequence[Maps]],
    result: str,
    trained: Callable[[], Sequence[Maps]] | None = None,
) -> Scene:
    """Return the plane with each of ``chains``, and with level 0, which is slower to draw.

    Args:
        name: of the maps.
        base: level 0.
        chains: levels 1 and on of each, by pane.
        result: title of the pane of the result.
        trained: the result's levels as they are now; None where they do not change.
    """
    usual = PlaneView.showing(base)

    @cache  # of their own only once they are drawn: they are as large as the maps
    def texels() -> Mapping[str, TexelLevels]:
        return TexelLevels.sharing(base, chains)

    @lru_cache(MOST_KEPT)
    def reference(seen: PlaneView, window: Window, samples: int) -> Floats:
        return plane_reference(texels()[RESULT], seen, samples=samples, window=window)

    def drawn(pane: str, seen: PlaneView, window: Window, draft: bool) -> Floats:
        if pane == REFERENCE:
            return reference(seen, window, DRAFT_SAMPLES if draft else REFERENCE_SAMPLES)
        levels = texels()[pane]
        if pane == RESULT and trained is not None:
            levels.replace_below(trained())
        return plane_picture(levels, seen, window=window)

    def draw(pane: str, view: View) -> Floats:
        seen, rows, cols = _sized_view(usual, view)
        window = Window(range(rows[0], rows[-1] + 1), range(cols[0], cols[-1] + 1))
        with threads(1):  # a row of pixels is too little to be shared out
            part = drawn(pane, seen, window, view.draft)
        return part[rows[:, None] - rows[0], cols - cols[0]]

    titles = {pane: result if pane == RESULT else TITLES[pane] for pane in [*chains, REFERENCE]}
    light = Light(usual.azimuth_deg, usual.elevation_deg, tuple(titles))
    changes = () if trained is None else (RESULT,)
    return Scene(KIND.name, name, usual.width, usual.height, 3, True, True, True, titles, draw,
                 changes, light=light,
                 drafts={REFERENCE: REFERENCE_SAMPLES / DRAFT_SAMPLES})  # fmt: skip


def _sized_view(usual: PlaneView, view: View) -> tuple[PlaneView, Indices, Indices]:
    """Return the plane's view as large as ``view`` takes, and its rows and columns in that."""
    u0, v0, u1, v1 = view.region
    width, height = round(view.width / (u1 - u0)), round(view.height / (v1 - v0))
    width, height = min(width, 4 * usual.width), min(height, 4 * usual.height)
    seen = dataclasses.replace(usual, width=width, height=height)
    if view.light is not None:
        elevation = float(np.clip(view.light[1], LOWEST_DEG, HIGHEST_DEG))
        seen = dataclasses.replace(seen, azimuth_deg=view.light[0], elevation_deg=elevation)
    return seen, nearest(v0, v1, view.height, height), nearest(u0, u1, view.width, width)
