"""Pictures of a mip chain's report: lit planes, and maps of its levels."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from neuralshade.measure.display import (
    PagePicture,
    all_shown,
    error_picture,
    error_scale,
    on_screen,
)
from neuralshade.measure.figures import within_bytes
from neuralshade.measure.plane.lit_plane import Planes
from neuralshade.measure.plane.mip_filters import Floats, Maps
from neuralshade.measure.quality import psnr_db
from neuralshade.source.color import linear_to_srgb

# Longer sides to try in pixels, for reduced planes, and bytes of data URI, as in figures.py
PLANES = ((640, 512, 384), 3_800_000)
MOST_PX = 960  # of the longer side of a plane
MAPS = ((256, 192, 128, 64), 1_400_000)
SHOWN_LEVELS = (1, 3, 5)
STEEP_DEG = 11.5  # of the eye over the plane, the least for which levels are trained
FLOOR = 0.01  # of the symmetric error, as in training
Screens = tuple[Floats, Floats, dict[str, Floats]]  # reference, filtered, chains; as shown


def plane_rows(planes: Planes, stops: float) -> dict[str, Any]:
    """Return the pictures of the planes and their errors against two references.

    Differences are to the picture that is shaded first and then filtered in the same way. All have
    one scale, at which the best of them is hardly clamped.
    """
    side = max(planes.reference.shape[:2])
    truth, filtered = (on_screen(p, side, stops) for p in (planes.reference, planes.filtered))
    seen = {name: on_screen(p, side, stops) for name, p in planes.pictures.items()}
    scale = max(error_scale(filtered, picture) for picture in seen.values())

    def draw(side: int) -> list[PagePicture]:
        drawn = [("What the pixels cover", truth), ("Shaded first, then filtered", filtered)]
        for name, picture in seen.items():
            drawn += [
                (name, picture),
                (f"{name}, difference", error_picture(filtered, picture, scale)),
            ]
        return all_shown([(title, "", on_screen(p, side, None)) for title, p in drawn])

    own = min(side, MOST_PX)  # larger sides would encode the same picture again
    sides = (own, *(smaller for smaller in PLANES[0] if smaller < own))
    pictures = within_bytes((sides, PLANES[1]), draw)
    return {
        "references": pictures[:2],
        "panes": list(zip(seen, pictures[2::2], pictures[3::2], strict=True)),
        "scale": scale,
        "steep_deg": STEEP_DEG,
        "areas": [
            (name, _errors_from(first, planes, (truth, filtered, seen)))
            for name, first in (
                (f"more than {STEEP_DEG:g} degrees", planes.view.first_row(STEEP_DEG)),
                ("all of it", planes.view.horizon),
            )
            if first < planes.view.height
        ],
    }


def _errors_from(first: int, planes: Planes, screens: Screens) -> dict[str, Any]:
    """Return the errors of the planes in the rows from ``first`` on, on screen and in light."""
    truth, filtered, seen = screens
    chains = {}
    for name, picture in planes.pictures.items():
        light, target = picture[first:], planes.reference[first:]
        chains[name] = {
            "psnr_db": psnr_db(truth[first:], seen[name][first:]),
            "filtered_psnr_db": psnr_db(filtered[first:], seen[name][first:]),
            "symmetric": _symmetric(target, light),
            "filtered_symmetric": _symmetric(planes.filtered[first:], light),
            "drift": float(light.mean() / target.mean() - 1),
        }
    return {"chains": chains, "limit_db": psnr_db(truth[first:], filtered[first:])}


def map_rows(chains: Mapping[str, Sequence[Maps]], trained: str) -> list[dict[str, Any]]:
    """Return pictures of some levels' maps, the first other chain's beside the trained one's."""
    other = next((name for name in chains if name != trained), trained)
    levels = [level for level in SHOWN_LEVELS if level <= len(chains[trained])]

    def draw(side: int) -> list[PagePicture]:
        return all_shown([
            (f"{what}, {name}", "", on_screen(picture, side, None))
            for level in levels
            for what, pictures in _maps_of(chains, (other, trained), level - 1)
            for name, picture in pictures
        ])  # fmt: skip

    drawn = within_bytes(MAPS, draw)
    each = len(drawn) // max(1, len(levels))
    return [
        {"level": level, "pictures": drawn[index * each : (index + 1) * each]}
        for index, level in enumerate(levels)
    ]


def _maps_of(
    chains: Mapping[str, Sequence[Maps]], names: Sequence[str], index: int
) -> list[tuple[str, list[tuple[str, Floats]]]]:
    maps = [(name, chains[name][index]) for name in names]
    opacity = [(name, m.opacity[..., None]) for name, m in maps if m.opacity is not None]
    return [
        ("albedo", [(name, linear_to_srgb(m.albedo)) for name, m in maps]),
        ("normal", [(name, m.normal * np.float32(0.5) + np.float32(0.5)) for name, m in maps]),
        ("roughness", [(name, m.roughness[..., None]) for name, m in maps]),
        ("metallic", [(name, m.metallic[..., None]) for name, m in maps]),
        *([("opacity", opacity)] if opacity else []),
    ]


def _symmetric(target: Floats, result: Floats) -> float:
    return float((2 * np.abs(result - target) / (result + target + FLOOR)).mean())
