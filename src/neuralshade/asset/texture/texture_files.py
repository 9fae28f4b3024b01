"""Texture files of maps: names, and writers of all their levels."""

import logging
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.texture.dds import fill_dds
from neuralshade.asset.texture.ktx2 import fill_ktx2
from neuralshade.asset.texture.map_chain import (
    Floats,
    MapChain,
    chain_format,
    chain_texels,
    check_blocks,
)
from neuralshade.asset.texture.mip_chain import check_chain
from neuralshade.asset.texture.texture_format import find_format
from neuralshade.base.atomic import make_folder, whole_file
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.base.progress_scope import part
from neuralshade.errors import ConfigError, OutputError
from neuralshade.source.image_output import check_savable, fill_picture

log = logging.getLogger("neuralshade")
PICTURES = ("png", "exr")  # which hold one level each
CHAINS = {"dds": fill_dds, "ktx2": fill_ktx2}  # which hold all of one map


def file_name(name: str) -> str:
    """Return the name of a set or a map as a file name without suffix and folders."""
    return re.sub(r"[/\\:\0]", "_", name)


def map_files(folder: Path, container: str, names: Iterable[str], levels: int) -> list[Path]:
    """Return the files for so many levels of maps, level 0 included.

    ``container``: one of PICTURES, whose files are listed level by level, or of CHAINS.
    """
    stems = list(map(file_name, names))
    if container in PICTURES:
        stems = [f"{stem}_{level}" for level in range(levels) for stem in stems]
    return [folder / f"{stem}.{container}" for stem in stems]


def level_files(folder: Path, names: Iterable[str]) -> list[Path]:
    """Return the files of ``folder`` with names as in ``map_files``, sorted.

    None where there is no such folder. Raises OutputError where it cannot be read.
    """
    if not os.path.isdir(folder):
        return []
    stems = "|".join(re.escape(file_name(name)) for name in names)
    called = re.compile(rf"({stems})(_\d+\.({'|'.join(PICTURES)})|\.({'|'.join(CHAINS)}))")
    try:
        return sorted(path for path in folder.iterdir() if called.fullmatch(path.name))
    except OSError as error:
        raise OutputError(
            f"{folder}: got '{error.strerror}', need a folder that can be read: the levels of "
            "others may lie there. Choose another path."
        ) from error


def save_chain(path: Path, levels: Sequence[NDArray[Any]], format: str) -> None:
    """Write the levels of one map into the container that the suffix of ``path`` names.

    Args:
        levels: as ``write_dds`` takes them; a format of two channels takes the first two.
        format: as ``write_dds`` takes it.

    Raises: what ``write_dds`` raises.
    """
    if find_format(format).channels == 2:
        levels = [level[..., :2] for level in levels]
    chosen = check_chain(levels, format)
    with whole_file(path) as partial:
        CHAINS[path.suffix[1:]](partial, levels, chosen)


def check_container(container: str, blocks: Sequence[str] = ()) -> None:
    """Raise ConfigError for an unknown container or block, or blocks in a picture file."""
    known = (*CHAINS, *PICTURES)
    if container not in known:
        raise ConfigError(f"format: got {shown(container)}, need one of {', '.join(known)}."
                          f"{did_you_mean(str(container), known)}")  # fmt: skip
    check_blocks(blocks)
    if blocks and container in PICTURES:
        raise ConfigError(f"block: got {', '.join(blocks)} for {container}, need dds or ktx2. "
                          "Choose another format, or leave block out.")  # fmt: skip


def write_maps(
    folder: Path, container: str, maps: Iterable[MapChain], blocks: Sequence[str] = ()
) -> list[Path]:
    """Write maps with all their levels into ``folder``, created if missing: all or nothing.

    dds and ktx2: a file for each map, in its ``chain_format``.
    png: a file for each level, 16 bits where the map comes from more than 8; normals are
    (n + 1) / 2, linear colors are encoded as sRGB.
    exr: a file for each level, linear colors, normals from -1 to 1; half where the map comes
    from 8 bits, else float.
    A third channel of 0 is added to maps of two in picture files, whose second would be alpha.

    Args:
        container: "dds", "ktx2", "png" or "exr".
        maps: iterated once, one map in memory at a time.
        blocks: of BLOCKS, for dds and ktx2; none: plain texels.

    Returns: the files, in the order of the maps; picture files level by level in each.
    Raises: ConfigError for what ``check_container`` refuses, maps whose files would be one, and
        wide maps in png; what ``check_chain`` raises for bad levels; OutputError; DeviceError
        for BC7 without its package.
    """
    check_container(container, blocks)
    make_folder(folder, "textures")
    written: list[Path] = []
    with ExitStack() as stack:
        for one in maps:
            paths = map_files(folder, container, [one.name], len(one.levels))
            if paths[0] in written:
                raise ConfigError(f"{one.name}: got a second map for {paths[0].name}, need another "
                                  "name. Rename one of the two.")  # fmt: skip
            partials = [stack.enter_context(whole_file(path)) for path in paths]
            with part(f"writing {one.name}"):
                if container in PICTURES:
                    for path, partial, level in zip(paths, partials, one.levels, strict=True):
                        _fill_level(one, level, path, partial)
                else:
                    _fill_chain(one, blocks, partials[0])
            written += paths
    return written


def _fill_chain(one: MapChain, blocks: Sequence[str], partial: Path) -> None:
    form = chain_format(one, blocks)
    height, width = one.levels[0].shape[:2]
    if form.compressed_bytes and (height % form.side_px or width % form.side_px):
        log.warning("%s: %d x %d texels in %s, which Direct3D and WebGL take only with sides that "
                    "are multiples of 4. Resize the maps, or leave the blocks out.", one.name,
                    width, height, form.name)  # fmt: skip
    if one.blocks:
        CHAINS[partial.suffix[1:]](partial, one.levels, form, one.blocks)
        return
    channels = form.channels if one.channels == 4 else min(form.channels, 3)
    levels = [chain_texels(one, level, channels) for level in one.levels]
    CHAINS[partial.suffix[1:]](partial, levels, check_chain(levels, form.name))


def _fill_level(one: MapChain, level: Floats, path: Path, partial: Path) -> None:
    if path.suffix == ".exr":
        texels = level if one.channels != 2 else chain_texels(one, level, 3)
        values: NDArray[Any] = texels.astype(np.float16 if one.bits == 8 else np.float32)
        space = "srgb" if one.meaning == "srgb" else "linear"
    else:
        if one.wide:
            raise ConfigError(f"format: got png for {one.name}, whose numbers pass 1, need dds, "
                              "ktx2 or exr. Choose another.")  # fmt: skip
        values = chain_texels(one, level, {1: 1, 4: 4}.get(one.channels, 3))
        space = "linear" if one.meaning == "linear" else "srgb"
    check_savable(path, values, space)
    fill_picture(path, partial, values, space, 8 if one.bits == 8 else 16)
