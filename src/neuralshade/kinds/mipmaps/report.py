"""Report of mip levels: errors, a lit plane, and the maps beside a box filter's."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from neuralshade.base.message_text import plural
from neuralshade.base.progress_scope import counted_part, part
from neuralshade.fitting.output_checks import check_no_input
from neuralshade.kinds.mipmaps.asset import ENVIRONMENT, KEPT, OVER_BOX, STORED, LevelsAsset
from neuralshade.kinds.mipmaps.build import base_maps
from neuralshade.kinds.mipmaps.judge import EYES, LIGHTS, as_stored
from neuralshade.kinds.mipmaps.page import MipmapsReport, write_mipmaps_report
from neuralshade.measure.plane.lit_plane import Planes, draw_planes
from neuralshade.measure.plane.mip_filters import FILTERS, Maps

TITLES = {"toksvig": "Toksvig", "lean": "LEAN"}
LOSS_CAPTION = (
    "Loss: over that of a box filter's levels, which training starts from, under the same lights: "
    "1 is as wrong as they are. The first steps are large and make levels worse; as steps "
    "shrink, the loss falls below 1. Other lights in each step let it go up and down."
)
OLD_LOSS_CAPTION = (
    "Loss: of each step's own lights, which differ by more than training changes. The first number "
    "is a box filter's, from which training starts."
)
DIRECTIONS_CAPTIONS = {
    "mirror": "One light at a time, near where a mirror would reflect it to the eye: there, "
    "normals and roughness show.",
    "cosine": "One light at a time; light and eye are distributed by the cosine.",
    ENVIRONMENT: f"A sun and a sky together, {LIGHTS} lights at most, one such for each of {EYES} "
    "directions to the eye.",
}


def report_mipmaps(
    opened: LevelsAsset,
    source: Any,
    output: str | os.PathLike[str],
    facts: Sequence[tuple[str, str]] = (),
) -> None:
    """Write the report of a mipmaps asset.

    Args:
        opened: the asset.
        source: a folder, a manifest or a TextureSet: the maps that it was trained from.
        output: the page.
        facts: (label, value) lines to add to the asset's own.

    Raises: AssetError for other maps, OutputError; errors of ``load_texture_set``.
    """
    with part("writing the report", len(FILTERS) + 5):
        with counted_part("filtering maps"):
            textures = opened.same_textures(source)
            check_no_input(output, opened.path, *textures.paths.values())
            base = base_maps(textures, opened.weighted)
            below = len(opened.chain) - 1
            chains = {TITLES.get(name, name): as_stored(make(base, below))
                      for name, make in FILTERS.items()}  # fmt: skip
            chains[KEPT] = opened.chain[1:]
        planes = draw_planes(base, chains, opened.view)  # one pass for each, and two more
        with counted_part("drawing pictures and charts"):
            write_mipmaps_report(output, _page(opened, base, chains, planes, facts))


def _page(
    opened: LevelsAsset,
    base: Maps,
    chains: Mapping[str, Sequence[Maps]],
    planes: Planes,
    facts: Sequence[tuple[str, str]],
) -> MipmapsReport:
    """Return the content of the page."""
    header = opened.header
    quality = {
        kind: {**{TITLES.get(name, name): found[STORED[name]] for name in FILTERS},
               KEPT: found[KEPT]}
        for kind, found in header.quality.items()
    }  # fmt: skip
    training = header.training
    return MipmapsReport(
        title=opened.maps["name"],
        base=base,
        chains=chains,
        trained=KEPT,
        judged=quality,
        note="All levels are as stored, in 8 bits, the filters' too.",
        planes=planes,
        kept=[TITLES.get(name, name) for name in opened.maps["kept"]],
        directions=DIRECTIONS_CAPTIONS,
        curve=[tuple(row) for row in training["curve"]],
        curve_note=LOSS_CAPTION if training.get("loss_over") == OVER_BOX else OLD_LOSS_CAPTION,
        facts=[*facts,
               ("Training", f"{training['seconds']:.1f} s, {plural(training['steps'], 'step')}"),
               ("File", f"{opened.byte_count:,} bytes")],
        notes=opened.maps["notes"],
        recipe=header.recipe,
    )  # fmt: skip
