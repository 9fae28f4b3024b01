"""Maps of a set, decoded into the textures that glTF's materials read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from neuralshade.asset.texture.map_arrangement import Arrangement
from neuralshade.asset.texture.map_chain import MapChain
from neuralshade.asset.texture.texture_files import write_maps
from neuralshade.baking.gltf.materials import BASE, EMISSIVE, NORMAL, OCCLUSION, ROUGH
from neuralshade.errors import AssetError
from neuralshade.kinds import open_asset

BLOCK_SIDE = 4  # texels: Direct3D takes blocks only for sides that are multiples
# BC7 for normals, too: glTF reads three numbers of them, of which BC5 has two
BLOCKS = ("bc7", "bc4")
ORM = "orm"
MAPS = {BASE: "albedo", NORMAL: "normal", EMISSIVE: "emissive", OCCLUSION: "ao"}


@dataclass(frozen=True)
class TextureFiles:
    """One texture: the finest level as PNG, and all levels as DDS with BC7 or BC4 blocks.

    ``dds`` is None where a side is no multiple of four.
    """

    png: bytes
    dds: bytes | None


def decoded_textures(
    asset: str | os.PathLike[str], slots: Collection[str]
) -> dict[str, TextureFiles]:
    """Return the textures of these slots; those of one image are one object.

    Roughness and metallic are green and blue of one texture, with occlusion in red, or 1 without.

    Raises: AssetError for an asset without their maps.
    """
    with open_asset(asset) as opened:
        chains = {one.name: one for one in opened.chains()}
        wanted = {name: _arranged(name, chains, os.fspath(asset)) for name in _names(slots)}
        with tempfile.TemporaryDirectory(prefix="neuralshade-") as folder:
            files = {name: _files(chain, Path(folder)) for name, chain in wanted.items()}
    return {slot: files[_name(slot, slots)] for slot in slots}


def _names(slots: Collection[str]) -> dict[str, None]:
    return dict.fromkeys(_name(slot, slots) for slot in slots)


def _name(slot: str, slots: Collection[str]) -> str:
    """Return the name of the texture that a slot reads."""
    return ORM if slot == ROUGH or (slot == OCCLUSION and ROUGH in slots) else MAPS[slot]


def _arranged(name: str, chains: Mapping[str, MapChain], place: str) -> MapChain:
    """Return the levels of a texture, of one map or of several."""
    needed = ("roughness", "metallic") if name == ORM else (name,)
    for one in needed:
        if one not in chains:
            raise AssetError(f"{place}: got a set without {one}, need that of this model. Bake it "
                             "again.")  # fmt: skip
    if name == ORM:
        rough = chains["roughness"]
        white = MapChain("ao", [np.ones_like(level) for level in rough.levels], "data", rough.bits)
        parts = [chains.get("ao", white), rough, chains["metallic"]]
        return next(Arrangement(packs=(ORM,)).arranged(iter(parts), None))
    if name == MAPS[BASE] and "opacity" in chains:
        parts = [chains[name], chains["opacity"]]
        return next(Arrangement(alpha=True).arranged(iter(parts), None))
    return chains[name]


def _files(chain: MapChain, folder: Path) -> TextureFiles:
    (png,) = write_maps(folder, "png", [replace(chain, levels=chain.levels[:1])])
    height, width = chain.levels[0].shape[:2]
    if height % BLOCK_SIDE or width % BLOCK_SIDE:
        return TextureFiles(png.read_bytes(), None)
    if chain.channels == 3 and chain.meaning == "data":  # BC7 of three numbers needs a name
        chain = replace(chain, meaning="linear")
    (dds,) = write_maps(folder, "dds", [chain], BLOCKS)
    return TextureFiles(png.read_bytes(), dds.read_bytes())
