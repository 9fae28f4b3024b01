"""Result of a texture set's fit beside block compression at half size, in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neuralshade.base.ahead import begin, begun_result
from neuralshade.errors import NeuralShadeError
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.opened import OpenedTextures
from neuralshade.kinds.textures.reference import byte_maps, byte_maps_of, same_set, varying
from neuralshade.kinds.textures.request import MapSetRequest, typed_source
from neuralshade.kinds.textures.result import TexturesResult
from neuralshade.measure.rival_process import begun_process
from neuralshade.measure.set_apart import half_size_apart
from neuralshade.measure.texture_rivals import TextureRival, half_size_rival
from neuralshade.measure.verdict import more, times
from neuralshade.source.material_set import MaterialSet

# of all maps at mip 0: below, headers decide; above, encoding takes more than two seconds
LEAST_TEXELS, MOST_TEXELS = 2**13, 5 * 2**20


def begin_beside(
    digest: str, textures: MaterialSet, codings: Sequence[MapCoding], mips: int, wrap: str,
    *, on_gpu: bool,
) -> None:  # fmt: skip
    """Begin to measure what ``blocks_beside`` tells of a set that is fitted.

    Not beside a fit on the CPU, as that takes all cores.
    """
    process = begun_process()  # it ends here where it is not needed
    if on_gpu and _is_measured(textures.width * textures.height * len(varying(codings)), mips):
        begin(
            _key(digest, mips, wrap),
            lambda: half_size_apart(
                byte_maps_of(codings, mips, wrap == "repeat", textures), process
            ),
        )


def blocks_beside(result: Any, subject: Sequence[str]) -> str | None:
    """Return the quality and bytes of BC7, BC5 and BC4 at half size; None where not measured.

    Of sets with a usual number of texels and two mips or more, whose files are those of the fit.
    """
    if not isinstance(result, TexturesResult):  # a plan has no asset
        return None
    opened = OpenedTextures.read(result.asset)
    width, height = opened.sizes[0]
    if not _is_measured(width * height * len(result.maps), len(opened.sizes)):
        return None
    try:
        digest, wrap = opened.textures["digest"], opened.recipe.wrap
        rival = begun_result(_key(digest, len(opened.sizes), wrap)) or _rival(opened, subject)
    except NeuralShadeError:  # maps were replaced meanwhile, or no encoder is installed
        return None
    if rival is None:
        return None
    assert rival.mean_psnr_db is not None, rival.name
    return (f"{rival.name}: {more(rival.mean_psnr_db - result.psnr_db)} in "
            f"{times(rival.disk_bytes / result.asset_bytes)} (neuralshade evaluate has "
            "more)")  # fmt: skip


def _is_measured(texels: int, mips: int) -> bool:
    return mips >= 2 and LEAST_TEXELS <= texels <= MOST_TEXELS


def _key(digest: str, mips: int, wrap: str) -> tuple[Any, ...]:
    return "blocks beside", digest, mips, wrap


def _rival(opened: OpenedTextures, subject: Sequence[str]) -> TextureRival | None:
    """Return the set in blocks, read again; None where its files are others now."""
    source, maps = typed_source(subject)
    if maps:
        source = MapSetRequest(source, maps, None).textures(opened.recipe.wrap)
    textures = same_set(opened, source)
    return None if textures is None else half_size_rival(byte_maps(opened, textures))
