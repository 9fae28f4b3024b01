"""Picture groups of the report page, each within its share of the page's bytes."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from PIL import Image

from neuralshade.measure.display import (
    PagePicture,
    all_shown,
    error_picture,
    error_scale,
    feature_pages,
    is_thin,
    on_screen,
    shown,
)
from neuralshade.measure.pair import Pixels, color_count
from neuralshade.measure.quality import psnr_db
from neuralshade.measure.resample import fit_within, resample

CLOSE_UP_PX = 96  # side of the square with the largest error
# Longer sides to try in pixels, and how many bytes of data URI the group may take. With the
# curves (about 60 kB) and the close-ups (about 35 kB each) the page stays below 6 MB.
PANES = ((1024, 768, 512, 384), 3_600_000)
THIN_PX = 8192  # longer side of a thin picture: reduced further, its few rows would merge
COMPARED_PX, LEAST_CHANGE = 64, 2 / 255  # longer side; mean below which snapshots are alike
LEAST_CONTRAST = 0.1  # share of the last snapshot's contrast, below which a snapshot shows nothing
SNAPSHOTS = ((320, 224, 160, 112, 80), 1_100_000)
DRAWINGS = ((768, 512, 384, 256), 1_200_000)
GRIDS = ((512, 384, 256, 128, 64), 900_000)
SURE = 1.1  # factor by which a smaller side's lower bound must exceed the limit to be skipped


def comparison(
    target: Pixels, result: Pixels, stops: float | None
) -> tuple[list[PagePicture], int]:
    """Return target, result, error (and alpha's error), and the scale of the error."""
    scale = 0

    def draw(side: int) -> list[PagePicture]:
        nonlocal scale
        small_target, small_result = (on_screen(p, side, stops) for p in (target, result))
        scale = error_scale(small_target, small_result)
        error = error_picture(small_target, small_result, scale)
        colors = color_count(target)
        panes = [("Target", "", small_target), ("Result", "", small_result),
                 ("Error", "", error[..., :colors])]  # fmt: skip
        if colors < target.shape[2]:
            panes.append(("Error of alpha", "", error[..., colors:]))
        return all_shown(panes)

    sides: Sequence[int] = PANES[0]
    height, width = target.shape[:2]
    if is_thin(height, width):
        sides = (min(max(height, width), THIN_PX), *sides)
    return within_bytes((sides, PANES[1]), draw), scale


def close_up(pictures: Sequence[tuple[str, Pixels]], stops: float | None) -> list[PagePicture]:
    """Return one unreduced square of each picture, where the second visibly differs most.

    Empty if the pictures are not larger than the square.
    """
    target, result = pictures[0][1], pictures[1][1]
    height, width = target.shape[:2]
    if min(height, width) <= CLOSE_UP_PX:
        return []
    windows = [
        np.s_[top : top + CLOSE_UP_PX, left : left + CLOSE_UP_PX]
        for top in range(0, height - CLOSE_UP_PX + 1, CLOSE_UP_PX)
        for left in range(0, width - CLOSE_UP_PX + 1, CLOSE_UP_PX)
    ]

    def closeness(window: tuple[slice, slice]) -> float:
        seen = on_screen(target[window], CLOSE_UP_PX, stops)
        return psnr_db(seen, on_screen(result[window], CLOSE_UP_PX, stops))

    worst = min(windows, key=closeness)
    place = f"at x {worst[1].start:,}, y {worst[0].start:,}"
    return [
        shown(name, place, on_screen(picture[worst], CLOSE_UP_PX, stops))
        for name, picture in pictures
    ]


def snapshot_strip(
    snapshots: Sequence[tuple[int, Pixels]], stops: float | None
) -> list[PagePicture]:
    """Return the snapshots in order, titled by their step, from the first that shows something.

    A fit begins with steps of one color and others like them: only the first of those is
    returned.
    """
    small = [on_screen(picture, COMPARED_PX, stops) for _, picture in snapshots]
    contrasts = [float(each.std(axis=(0, 1)).mean()) for each in small]
    least = LEAST_CONTRAST * contrasts[-1] if small and contrasts[-1] > LEAST_CHANGE else 0.0
    first = next((i for i, contrast in enumerate(contrasts) if contrast >= least), 0)
    changed = [bool(np.abs(each - small[first]).mean() >= LEAST_CHANGE) for each in small[first:]]
    begun = changed.index(True) if True in changed else len(changed)
    telling = [*snapshots[first : first + 1], *snapshots[first + max(1, begun) :]]

    def draw(side: int) -> Iterator[PagePicture]:
        for step, picture in telling:
            yield shown(f"step {step:,}", "", on_screen(picture, side, stops))

    return within_bytes(SNAPSHOTS, draw)


def drawings(pictures: Sequence[tuple[str, Pixels]], stops: float | None) -> list[PagePicture]:
    """Return titled pictures at the size of target and result."""

    def draw(side: int) -> Iterator[PagePicture]:
        for title, picture in pictures:
            yield shown(title, "", on_screen(picture, side, stops))

    return within_bytes(DRAWINGS, draw)


def grid_pages(grids: Sequence[tuple[str, Pixels]]) -> list[PagePicture]:
    """Return every grid, three features a picture; captions state ranges and reductions."""
    pages = [
        (title, caption, picture)
        for title, grid in grids
        for caption, picture in feature_pages(grid)
    ]

    def draw(side: int) -> Iterator[PagePicture]:
        for title, caption, picture in pages:
            rows, cols = picture.shape[:2]
            height, width = fit_within(rows, cols, side)
            if (height, width) != (rows, cols):
                picture = resample(picture, height, width, Image.Resampling.BOX)
                caption += f"; reduced to {width} x {height}"
            yield shown(f"{title}, {cols} x {rows}", caption, picture)

    return within_bytes(GRIDS, draw)


def within_bytes(
    limits: tuple[Sequence[int], int], draw: Callable[[int], Iterable[PagePicture]]
) -> list[PagePicture]:
    """Return ``draw(side)`` for the first side whose pictures fit the byte limit, or the last.

    Sides that cannot fit are skipped by a lower bound; of one that does not fit, only as many
    pictures are drawn as show it: ``draw`` should be a generator.
    """
    sides, most_bytes = limits
    largest = list(draw(sides[0]))
    if len(sides) == 1 or _bytes_of(largest) <= most_bytes:
        return largest
    for side in sides[1:-1]:
        if _least_bytes(largest, side) > SURE * most_bytes:
            continue
        drawn = _while_fitting(draw(side), most_bytes)
        if drawn is not None:
            return drawn
    return list(draw(sides[-1]))


def _bytes_of(pictures: Iterable[PagePicture]) -> int:
    return sum(len(picture.uri) for picture in pictures)


def _least_bytes(drawn: Iterable[PagePicture], side: int) -> float:
    """Return a lower bound of the same pictures' bytes at a smaller side."""
    return sum(
        len(picture.uri) * min(1, side / max(picture.width, picture.height)) ** 2
        for picture in drawn
    )


def _while_fitting(pictures: Iterable[PagePicture], most_bytes: int) -> list[PagePicture] | None:
    """Return all pictures, or None as soon as they take more bytes."""
    drawn, left = [], most_bytes
    for picture in pictures:
        drawn.append(picture)
        left -= len(picture.uri)
        if left < 0:
            return None
    return drawn
