"""Export of BC1 latents: DDS files, and the decoder as JSON beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.texture.dds import fill_dds
from neuralshade.asset.texture.mip_chain import shapes_of
from neuralshade.asset.texture.texture_format import FORMATS
from neuralshade.base.atomic import make_folder, whole_file
from neuralshade.errors import AssetError
from neuralshade.fitting.output_checks import check_no_input
from neuralshade.kinds.textures.block_layout import block_grids
from neuralshade.kinds.textures.block_shape import octave_of
from neuralshade.kinds.textures.layout import blocks_for
from neuralshade.kinds.textures.reference import TexturesAsset

DECODER = "decoder.json"
SIDE_PX = 4  # of a block


def latent_files(opened: TexturesAsset, folder: Path) -> list[Path]:
    """Write each texture of latents as a DDS file, and the decoder as JSON: all files, or none.

    Returns: latents_0.dds and so on, the finest first, each with all its levels in the asset's
    form; then decoder.json, see ``decoder_facts``.
    Raises: AssetError for latents that are no textures; OutputError.
    """
    if opened.recipe.latents != "bc1":
        raise AssetError(f"{opened.path}: got plain latents, need those of fit textures --latents "
                         "bc1. Decode its maps instead.")  # fmt: skip
    facts = decoder_facts(opened)
    sizes = [
        grid.sizes for grid in block_grids(opened.field.encoding) for _ in range(grid.textures)
    ]
    paths = [folder / one["file"] for one in facts["textures"]]
    for path in (*paths, folder / DECODER):
        check_no_input(path, opened.path)
    make_folder(folder, "textures")
    with ExitStack() as stack:
        for index, path in enumerate(paths):
            partial = stack.enter_context(whole_file(path))
            blocks = _level_blocks(opened.tensors[f"latents.{index}"], sizes[index])
            fill_dds(partial, shapes_of(sizes[index], 3), FORMATS["bc1"], blocks)
        stack.enter_context(whole_file(folder / DECODER)).write_text(json.dumps(facts) + "\n")
    return [*paths, folder / DECODER]


def _level_blocks(blocks: npt.NDArray[np.uint8], sizes: Sequence[tuple[int, int]]) -> list[bytes]:
    """Return the blocks of a texture level by level, from all of them [N, 8]."""
    counts = [-(-width // SIDE_PX) * -(-height // SIDE_PX) for width, height in sizes]
    return [part.tobytes() for part in np.split(blocks, np.cumsum(counts)[:-1])]


def decoder_facts(opened: TexturesAsset) -> dict[str, Any]:
    """Return what a shader needs besides the textures, as plain JSON data.

    ``textures``: ``file``, and ``level_offset``: mip m of the set is level m - level_offset, at
    least 0. ``layers``: ``weight`` [outputs][inputs], ``bias`` [outputs], and ``activation``; the
    inputs are 2 x - 1 of red, green and blue of each texture in turn. ``maps``: from the asset's
    header: ``count`` outputs from ``first`` on, and their meaning.
    """
    shapes = [shape for shape in blocks_for(opened.recipe) for _ in range(shape.textures)]
    network = opened.field.network
    return {
        "name": opened.textures["name"],
        "width": opened.sizes[0][0], "height": opened.sizes[0][1], "mips": len(opened.sizes),
        "wrap": opened.recipe.wrap,
        "textures": [
            {"file": f"latents_{index}.dds", "level_offset": octave_of(shape.scale)}
            for index, shape in enumerate(shapes)
        ],
        "layers": [
            {"weight": layer.weight.tolist(),
             "bias": [] if layer.bias is None else layer.bias.tolist(), "activation": kind}
            for layer, kind in zip(network.members, network.kinds, strict=True)
        ],
        "maps": [coding.facts() | {"count": coding.count} for coding in opened.codings],
    }  # fmt: skip
