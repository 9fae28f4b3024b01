"""Mip levels on the live page: a lit plane that recedes, with a light to drag."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.threads import threads
from neuralshade.fitting.scene import RESULT, Light, Scene, View, nearest_pixels
from neuralshade.kinds.mipmaps import KIND
from neuralshade.measure.plane.lit_plane import plane_picture, plane_reference
from neuralshade.measure.plane.mip_filters import Maps
from neuralshade.measure.plane.plane_view import PlaneView
from neuralshade.source.picture import Picture

REFERENCE = "reference"
REFERENCE_SAMPLES = 36  # of a pixel: what a drag of the light can wait for
MOST_KEPT = 4  # references, one for each size that frames of a fit have by turns
KEPT_TITLE, TRAINED_TITLE = "Kept levels", "Trained levels"
TITLES = {"box": "Box filter", "toksvig": "Toksvig", "lean": "LEAN",
          REFERENCE: "Reference: shaded, then averaged"}  # fmt: skip
LOWEST_DEG, HIGHEST_DEG = 2.0, 90.0  # of the light over the plane
Floats = npt.NDArray[np.float32]


def plane_scene(
    name: str, chains: Mapping[str, Sequence[Maps]], changes: Sequence[str], result: str
) -> Scene:
    """Return the plane as each of ``chains`` has it, and as it is, which takes longer to draw.

    Args:
        name: of the maps.
        chains: levels 0 and on of each, by pane; may change what it holds between two frames.
        changes: panes whose levels do.
        result: title of the pane of the result.
    """
    base = chains[RESULT][0]
    usual = PlaneView.showing(base)

    @lru_cache(MOST_KEPT)
    def reference(seen: PlaneView) -> Floats:
        return plane_reference(base, seen, samples=REFERENCE_SAMPLES)

    def draw(pane: str, view: View) -> Floats:
        # a part of the plane is cut out of the whole, drawn as large as that takes
        u0, v0, u1, v1 = view.region
        width, height = round(view.width / (u1 - u0)), round(view.height / (v1 - v0))
        width, height = min(width, 4 * usual.width), min(height, 4 * usual.height)
        seen = dataclasses.replace(usual, width=width, height=height)
        if view.light is not None:
            elevation = float(np.clip(view.light[1], LOWEST_DEG, HIGHEST_DEG))
            seen = dataclasses.replace(seen, azimuth_deg=view.light[0], elevation_deg=elevation)
        with threads(1):  # a row of pixels is too little to be shared out
            whole = reference(seen) if pane == REFERENCE else plane_picture(chains[pane], seen)
        return nearest_pixels(Picture(whole, "linear", name), view)

    titles = {pane: result if pane == RESULT else TITLES[pane] for pane in [*chains, REFERENCE]}
    light = Light(usual.azimuth_deg, usual.elevation_deg, tuple(titles))
    return Scene(KIND.name, name, usual.width, usual.height, 3, True, True, True, titles, draw,
                 tuple(changes), light=light, parted=False)  # fmt: skip


def trained_plane(name: str, base: Maps, filters: Mapping[str, Any], levels: Any) -> Scene:
    """Return the plane of a fit; ``levels()`` are levels 1 and on as they are now."""

    class Now(Mapping[str, Sequence[Maps]]):
        def __getitem__(self, pane: str) -> Sequence[Maps]:
            return [base, *(levels() if pane == RESULT else filters[pane])]

        def __iter__(self) -> Any:
            return iter((RESULT, *filters))

        def __len__(self) -> int:
            return 1 + len(filters)

    return plane_scene(name, Now(), (RESULT,), TRAINED_TITLE)
