"""A set whose latents are BC1 textures, filtered in a shader. Device half: sample_blocks.slang."""

from __future__ import annotations

from neuralshade.errors import AssetError
from neuralshade.kinds.textures.block_layout import blocks_for
from neuralshade.kinds.textures.block_shape import octave_of
from neuralshade.kinds.textures.opened import OpenedTextures
from neuralshade.model.parameters import SlangHalf

TEXTURES = """public struct {name}Textures : ILatentTextures
{{
    public static const int COUNT = {count};
    static const int OFFSETS[{count}] = {{ {offsets} }};
    public static int offset(int texture) {{ return OFFSETS[texture]; }}
}}
"""


def filtered_sampler_slang(opened: OpenedTextures, name: str = "Set") -> SlangHalf:
    """Return the ``FilteredSampler`` of a set: its type, its imports and what it declares.

    It samples the textures that ``decode(..., latents=True)`` writes, in their order, and reads
    weights as ``pack_halves`` packs those of ``field.network``. ``name`` is an identifier that
    begins the names of all structs; no other set of the same program may have it.

    Raises: AssetError where latents are no textures.
    """
    if opened.recipe.latents != "bc1":
        raise AssetError(f"{opened.path}: got plain latents, need those of fit textures --latents "
                         "bc1. Use sampler_slang.")  # fmt: skip
    shapes = [shape for shape in blocks_for(opened.recipe) for _ in range(shape.textures)]
    network = opened.field.network.slang()
    declarations = TEXTURES.format(
        name=name, count=len(shapes), offsets=", ".join(str(octave_of(s.scale)) for s in shapes)
    )
    modules = network.modules | {
        "neuralshade.kinds.textures.sample_blocks", "neuralshade.kinds.textures.sample",
        "neuralshade.model.parameters",
    }  # fmt: skip
    type = f"FilteredSampler<{name}Textures, {network.type}, PackedParameters>"
    return SlangHalf(type, frozenset(modules), declarations)
