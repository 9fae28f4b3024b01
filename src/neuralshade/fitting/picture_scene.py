"""Live scene of an asset that is drawn like a picture, beside its reference."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.fitting.scene import RESULT, TARGET, Floats, Page, Points, Scene, View
from neuralshade.source.picture import Picture, PictureForm


def nearest(low: float, high: float, count: int, size: int) -> npt.NDArray[np.int64]:
    """Return the indices of a side's ``size`` pixels that hold ``count`` centers in [low, high]."""
    places = low + (np.arange(count) + 0.5) / count * (high - low)
    return np.clip((places * size).astype(np.int64), 0, size - 1)


def nearest_pixels(picture: Picture, view: View) -> Floats:
    """Return the picture's pixels at the centers of the view's pixels."""
    u0, v0, u1, v1 = view.region
    cols = nearest(u0, u1, view.width, picture.width)
    rows = nearest(v0, v1, view.height, picture.height)
    part = dataclasses.replace(picture, pixels=picture.pixels[rows[:, None], cols[None, :]])
    return part.as_float()


def picture_scene(
    kind: str,
    picture: Picture | PictureForm,
    draw: Callable[[int, int, Any], Floats],
    *,
    continuous: bool,
    pages: Mapping[str, Page] | None = None,
    points: Mapping[str, Points] | None = None,
    changes: tuple[str, ...] = (RESULT,),
) -> Scene:
    """Return the scene of an asset that is drawn like a picture.

    Args:
        kind: of asset.
        picture: its reference, or the form of the drawings only.
        draw: width, height, crop in, float32 [height, width, C] out.
        continuous: whether ``draw`` supports more than the picture's pixels.
        pages: pictures of learned features.
        points: positions of Gaussians.
        changes: panes that differ from step to step.
    """
    titles, stops = {RESULT: "Result"}, 0.0
    if isinstance(picture, Picture):
        titles = {TARGET: "Reference"} | titles
        stops = initial_stops(picture.as_float()) if picture.hdr else 0.0

    def drawn(pane: str, view: View) -> Floats:
        if pane == TARGET and isinstance(picture, Picture):
            return nearest_pixels(picture, view)
        return draw(view.width, view.height, view.region)

    return Scene(kind, picture.name, picture.width, picture.height, picture.channels,
                 picture.color_space == "linear", picture.hdr, continuous, titles, drawn,
                 changes, pages or {}, points or {}, stops=stops,
                 stored=(TARGET,) if TARGET in titles else (),
                 alpha_weighted=isinstance(picture, Picture) and picture.alpha_weighted
                 )  # fmt: skip


def initial_stops(light: Floats) -> float:
    """Return the reports' exposure of linear pixels, rounded to a slider's step of 0.1 stops.

    The first call loads metrics: half a second.
    """
    from neuralshade.measure.display import exposure_stops

    return round(exposure_stops(light), 1)


def grid_pages(grids: Callable[[], list[npt.NDArray[Any]]]) -> dict[str, Page]:
    """Return pictures of every feature grid, three features each, drawn on demand.

    ``grids`` returns float32 [h, w, features] each, always the same number and depth.
    """

    def drawn(number: int, page: int) -> tuple[str, Floats]:
        from neuralshade.measure.display import feature_pages  # loads metrics: half a second

        return feature_pages(grids()[number])[page]

    pages: dict[str, Page] = {}
    for number, grid in enumerate(grids()):
        for page in range(-(-grid.shape[2] // 3)):
            name = f"grid {number + 1}" + (f", features from {3 * page}" if page else "")
            pages[name] = partial(drawn, number, page)
    return pages
