"""Files of an asset for Unreal Engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neuralshade.asset.texture.texture_format import find_format
from neuralshade.languages.language import MOST_IN_TEXT
from neuralshade.languages.software_textures import in_words
from neuralshade.model.shader_form import ShaderForm, Texture
from neuralshade.verbs.export.engines.engine import Contents, EngineSource
from neuralshade.verbs.export.engines.surface import surface_of
from neuralshade.verbs.export.engines.unreal.custom_node import UnrealAsset
from neuralshade.verbs.export.engines.unreal.readme import readme_text
from neuralshade.verbs.export.engines.word_texture import WordTexture
from neuralshade.verbs.export.texture_files import file_of

SHADERS = "Shaders"  # folder of a project that Unreal maps to /Project


def unreal_files(source: EngineSource) -> Contents:
    """Return an include file for the Custom node, its code, and the textures that it reads."""
    stem = source.stem
    form = importable(source.form)
    largest = max((one.multiply_adds for one in form.networks), default=0)
    in_text = largest <= MOST_IN_TEXT if source.in_text is None else source.in_text
    surface = surface_of(replace(source, form=form), "unreal")
    printer = UnrealAsset(form, in_text)
    contents: Contents = {f"{SHADERS}/{stem}.ush": printer.include_text(surface).encode()}
    for node in printer.nodes(surface):
        contents[f"{stem}_{node.title}.txt"] = f"{node.code}\n".encode()
    if printer.reads_words:
        contents[f"{stem}_numbers.tga"] = WordTexture(printer.words).tga()
    for one in form.textures:
        contents[file_of(one, stem, "dds")] = one
    contents["README.md"] = readme_text(printer, surface, stem).encode()
    return contents


def importable(form: ShaderForm) -> ShaderForm:
    """Return a form whose textures have four bytes a texel, which Unreal imports with all levels.

    Blocks, which it would compress a second time, become words.
    """
    if any(one.format == "bc1" for one in form.textures):
        return in_words(form)
    return replace(form, textures=tuple(map(_widened, form.textures)),
                   make_golden=lambda: form.golden)  # fmt: skip


def _widened(texture: Texture) -> Texture:
    channels = find_format(texture.format).channels
    if channels == 4:
        return texture
    levels = []
    for data in texture.levels:
        texels = np.frombuffer(data, np.uint8).reshape(-1, channels)
        filled = np.full((len(texels), 4), 255, np.uint8)
        filled[:, :3] = texels[:, :1] if channels == 1 else 0
        filled[:, :channels] = texels
        levels.append(filled.tobytes())
    return replace(texture, format="rgba8", levels=tuple(levels))
