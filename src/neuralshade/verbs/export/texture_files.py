"""Texture files of an export, as engines load them."""

from __future__ import annotations

from pathlib import Path

from neuralshade.asset.texture.mip_chain import shapes_of
from neuralshade.asset.texture.texture_files import CHAINS
from neuralshade.asset.texture.texture_format import find_format
from neuralshade.model.shader_form import Texture

BUFFER = "buffer"  # no files: texels are words
TEXTURES = (*CHAINS, BUFFER)


def file_of(texture: Texture, stem: str, container: str) -> str:
    """Return the name of a texture's file. ``container``: dds or ktx2."""
    return f"{stem}_{texture.title}.{container}"


def fill_texture(partial: Path, texture: Texture) -> None:
    """Write a texture with all its levels; the suffix of ``partial`` names the container."""
    chosen = find_format(texture.format)
    shapes = shapes_of(texture.sizes, chosen.channels)
    CHAINS[partial.suffix[1:]](partial, shapes, chosen, texture.levels)
