"""Result of a texture set's fit beside block compression at half size, in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neuralshade.errors import NeuralShadeError
from neuralshade.fitting.command import named_sources
from neuralshade.kinds.textures.opened import OpenedTextures
from neuralshade.kinds.textures.reference import byte_maps, same_set
from neuralshade.kinds.textures.request import MapSetRequest
from neuralshade.kinds.textures.result import TexturesResult
from neuralshade.measure.texture_rivals import half_size_rival
from neuralshade.measure.verdict import more, times

# of all maps at mip 0: below, headers decide; above, encoding takes more than two seconds
LEAST_TEXELS, MOST_TEXELS = 2**13, 5 * 2**20


def blocks_beside(result: Any, subject: Sequence[str]) -> str | None:
    """Return the quality and bytes of BC7, BC5 and BC4 at half size; None where not measured.

    Of sets with a usual number of texels and two mips or more, whose files are those of the fit.
    """
    if not isinstance(result, TexturesResult):  # a plan has no asset
        return None
    opened = OpenedTextures.read(result.asset)
    width, height = opened.sizes[0]
    texels = width * height * len(result.maps)
    if len(opened.sizes) < 2 or not LEAST_TEXELS <= texels <= MOST_TEXELS:
        return None
    sources, maps = named_sources(subject)
    source: Any = sources[0] if len(sources) == 1 else sources or None
    try:
        if maps:
            source = MapSetRequest(source, dict(maps), None).textures(opened.recipe.wrap)
        textures = same_set(opened, source)
        if textures is None:
            return None
        rival = half_size_rival(byte_maps(opened, textures))
    except NeuralShadeError:  # maps were replaced meanwhile, or no encoder is installed
        return None
    assert rival.mean_psnr_db is not None, rival.name
    return (f"{rival.name}: {more(rival.mean_psnr_db - result.psnr_db)} in "
            f"{times(rival.disk_bytes / result.asset_bytes)} (neuralshade evaluate has "
            "more)")  # fmt: skip
