"""neuralshade decode: texture maps of an asset as files for engines."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from neuralshade.asset.texture.map_arrangement import Arrangement
from neuralshade.asset.texture.map_chain import MapChain
from neuralshade.asset.texture.texture_files import check_container, map_files, write_maps
from neuralshade.base.argument_checks import check_path
from neuralshade.base.atomic import check_writable
from neuralshade.errors import ConfigError, OutputError
from neuralshade.fitting.output_checks import check_no_input
from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import AssetLike, Notice, ignore
from neuralshade.source.region import Region, checked_region

BLOCK_SIDE = 4  # texels


def decode(
    asset: AssetLike,
    output: str | os.PathLike[str],
    *,
    format: str = "dds",
    blocks: Sequence[str] = (),
    maps: Sequence[str] | None = None,
    levels: int | None = None,
    region: Region | None = None,
    latents: bool = False,
    normal_convention: str = "opengl",
    pack: Sequence[str] = (),
    alpha: bool = False,
    device: str = "auto",
    on_device: Notice = ignore,
) -> list[Path]:
    """Write all levels of the texture maps of an asset: all files, or none.

    The asset is a texture set, or mip levels. Constant maps are written too.

    Args:
        asset: path of an asset, or the result of ``load``.
        output: folder, created where missing. Existing files of the same names are replaced, others
            stay.
        format: dds or ktx2: a file for each map, such as albedo.dds; png or exr: one for each
            level, such as albedo_0.png.
        blocks: bc7, bc6h, bc5, bc4, bc1: allowed formats of maps, for dds and ktx2. Colors use bc7
            or bc1, whichever comes first, light beyond 1 bc6h; normals bc5, bc7 or bc1; maps of
            one channel bc4, of two bc5, with alpha bc7. Others are uncompressed.
        maps: names of maps; by default all of them.
        levels: number of levels, from level 0 on; by default all of them.
        region: x, y, width, height in texels of level 0, the only level written; multiples of 4
            with blocks.
        latents: write latents that are BC1 textures unchanged, as latents_0.dds and so on, and
            decoder.json; excludes all other choices.
        normal_convention: opengl, green up, or directx, green down.
        pack: words such as "orm", "arm" or "mra": a file each, whose channels are the maps of
            these letters, from red on: a or o is ao, r roughness, m metallic, h or d
            displacement. These maps get no files of their own. ao that a set lacks is 1, metallic
            is 0, with a warning.
        alpha: write opacity as the alpha of albedo, which is not multiplied by it.
        device: of a texture set, where its network runs: cpu, or the API of a GPU: cuda, vulkan,
            metal or d3d12. auto is a hardware GPU where the CPU would take longer than to open
            one, about 2 s; otherwise, or without a GPU, the CPU.
        on_device: called with the device's name: cpu, or a GPU's name and API.

    Returns: the files, map by map, those of a map level by level.

    Raises: AssetError for an asset without texture maps; ConfigError for maps, levels, formats
        or blocks that do not exist, and for too little memory; OutputError; DeviceError for
        BC7 without its package, and for a named device that is not available.
    """
    if latents:
        _check_alone(format, blocks=blocks, maps=maps, levels=levels, region=region, pack=pack,
                     alpha=alpha, normal_convention=normal_convention != "opengl",
                     device=device != "auto")  # fmt: skip
    blocks = (blocks,) if isinstance(blocks, str) else tuple(blocks)
    check_container(format, blocks)
    packs = (pack,) if isinstance(pack, str) else tuple(pack)
    arrangement = Arrangement(normal_convention, packs, alpha)
    arrangement.check(format)
    part = None if region is None else checked_region(region, BLOCK_SIDE if blocks else 1)
    check_path("output", output, OutputError)
    opened = open_asset(asset)
    folder = Path(output)
    there = os.path.exists(folder)
    try:
        if latents:
            return opened.latent_files(folder)
        # a GPU compresses unpacked maps only
        chains = opened.chains(None if arrangement.joins else maps, levels, part,
                               blocks=blocks if arrangement.is_plain else (), device=device,
                               on_device=on_device)  # fmt: skip
        named = (maps,) if isinstance(maps, str) else maps
        arranged = arrangement.arranged(chains, named if arrangement.joins else None)
        return write_maps(folder, format, _checked(arranged, folder, format, opened.path), blocks)
    except BaseException:  # also an interruption: no file is left
        if not there:
            with suppress(OSError):  # it was not created, or others have put something there
                folder.rmdir()
        raise


def _check_alone(format: str, **others: Any) -> None:
    chosen = ["format"] * (format != "dds") + [name for name, value in others.items() if value]
    if chosen:
        raise ConfigError(f"latents: got it beside {chosen[0]}, need it alone: latents are written "
                          "as they are, in dds. Leave one out.")  # fmt: skip


def _checked(
    chains: Iterator[MapChain], folder: Path, container: str, asset: str
) -> Iterator[MapChain]:
    """Yield chains; OutputError before the first where ``folder`` is not writable.

    Also where one of the files would be the asset.
    """
    check_writable(folder / f"maps.{container}")
    for one in chains:
        for path in map_files(folder, container, [one.name], len(one.levels)):
            check_no_input(path, asset)
        yield one
