"""Figures of a texture set's page: spheres, maps with errors, a close-up, mips."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from PIL import Image

from neuralshade.kinds.textures.evaluate import Comparison
from neuralshade.measure.display import PagePicture, all_shown, shown
from neuralshade.measure.figures import within_bytes
from neuralshade.measure.map_psnr import Bytes
from neuralshade.measure.pair import unit_float
from neuralshade.measure.plane.lit_sphere import Floats
from neuralshade.measure.resample import fit_within, resample

ERROR_SCALE = 8
CLOSE_UP_PX = 96  # a side of the square with the largest error
# Longer sides to try in pixels, and bytes of data URI: with the spheres (130 kB each) and the
# latents of ``grid_pages`` the page stays below 6 MB.
MAPS = ((640, 512, 448, 384, 320, 256, 192), 3_300_000)
MIPS = ((256, 192, 128, 96), 600_000)
CLOSE_UP = ((CLOSE_UP_PX, CLOSE_UP_PX // 2), 800_000)
STRIP = 5  # shown mips below 0
SMALLEST_PX = 4  # the shorter side of a shown mip


def screen_map(texels: Bytes) -> Floats:
    """Return a map for display: float32 [H, W, 1 or 3] in [0, 1]; two channels as red, green."""
    values = unit_float(texels)
    return np.pad(values, ((0, 0), (0, 0), (0, 1))) if values.shape[2] == 2 else values


def sphere_row(found: Comparison) -> list[PagePicture]:
    """Return the lit sphere of the target maps, then that of each rival with its FLIP."""
    if found.sphere is None:
        return []
    row = [shown("Reference", "", found.sphere)]
    for name, sphere in found.spheres.items():
        row.append(shown(name, f"FLIP {found.flip_of(name):.4f}", sphere))
    return row


def map_rows(found: Comparison) -> list[dict[str, Any]]:
    """Return by map: name, dB of mip 0, and pictures of target, result and error.

    The error is the mean of its absolute value over the texels of a page's pixel, times
    ERROR_SCALE: reducing does not average it out.
    """
    names = list(found.target.levels)

    def draw(side: int) -> Iterator[PagePicture]:
        for name in names:
            target, decoded = (screen_map(m[name][0]) for m in (found.target.levels, found.decoded))
            error = np.abs(target - decoded)
            yield from all_shown([
                (f"{name}, {title}", "", (_reduced(picture, side) * np.float32(gain)).clip(0, 1))
                for title, picture, gain in (
                    ("reference", target, 1), ("as decoded", decoded, 1),
                    ("error", error, ERROR_SCALE),
                )
            ])  # fmt: skip

    drawn = within_bytes(MAPS, draw)
    return [
        {"name": name, "psnr_db": found.psnr_db[name][0], "pictures": drawn[3 * i : 3 * i + 3]}
        for i, name in enumerate(names)
    ]


def close_up(found: Comparison) -> tuple[str, list[tuple[str, list[PagePicture]]]]:
    """Return the position of the square with the largest error, and it in every map.

    By map: the target, then each rival, a pixel per texel. Empty for small maps.
    """
    target = {name: levels[0] for name, levels in found.target.levels.items()}
    height, width = next(iter(target.values())).shape[:2]
    if min(height, width) <= CLOSE_UP_PX:
        return "", []
    tops, lefts = (range(0, n - CLOSE_UP_PX + 1, CLOSE_UP_PX) for n in (height, width))
    # relative to each map's own error, or the worst map would decide alone
    ours = found.ours.maps
    squares = [np.square(unit_float(target[n]) - unit_float(ours[n])).mean(2) for n in target]
    weights = [1 / max(float(square.mean()), 1e-12) for square in squares]
    worst = max(
        ((top, left) for top in tops for left in lefts),
        key=lambda at: sum(
            weight * float(square[at[0] :, at[1] :][:CLOSE_UP_PX, :CLOSE_UP_PX].mean())
            for weight, square in zip(weights, squares, strict=True)
        ),
    )
    sets = [("Reference", target)] + [(each.name, each.maps) for each in found.rivals if each.maps]

    def draw(side: int) -> list[PagePicture]:
        window = np.s_[worst[0] : worst[0] + side, worst[1] : worst[1] + side]
        return [
            shown(f"{title}: {name}", "", screen_map(maps[name][window]))
            for name in target
            for title, maps in sets
        ]

    drawn, each = within_bytes(CLOSE_UP, draw), len(sets)
    rows = [(name, drawn[i * each : (i + 1) * each]) for i, name in enumerate(target)]
    return f"at x {worst[1]:,}, y {worst[0]:,}", rows


def close_up_titles(found: Comparison) -> list[str]:
    """Return the titles of a close-up's pictures, in their order."""
    return ["Reference", *(each.name for each in found.rivals if each.maps)]


def mip_strip(found: Comparison) -> list[dict[str, Any]]:
    """Return by map: name, and by mip pictures of target and result, with the dB."""
    names = list(found.target.levels)
    levels = [
        level
        for level, texels in enumerate(found.target.levels[names[0]])
        if 0 < level <= STRIP and min(texels.shape[:2]) >= SMALLEST_PX
    ]

    def draw(side: int) -> list[PagePicture]:
        return [
            shown(f"{name}, mip {level}, {title}", "",
                  _reduced(screen_map(maps[name][level]), side))
            for name in names
            for level in levels
            for title, maps in (("reference", found.target.levels), ("as decoded", found.decoded))
        ]  # fmt: skip

    drawn = iter(within_bytes(MIPS, draw) if levels else [])
    return [
        {"name": name, "mips": [
            {"mip": level, "psnr_db": found.psnr_db[name][level],
             "pictures": [next(drawn), next(drawn)]}
            for level in levels
        ]}
        for name in names
    ]  # fmt: skip


def _reduced(picture: Floats, side: int) -> Floats:
    height, width = fit_within(picture.shape[0], picture.shape[1], side)
    if (height, width) == picture.shape[:2]:
        return picture
    return resample(picture, height, width, Image.Resampling.BOX)
