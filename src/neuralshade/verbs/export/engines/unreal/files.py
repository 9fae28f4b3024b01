"""Files of an asset for Unreal Engine."""

from __future__ import annotations

from dataclasses import replace

from neuralshade.languages.language import MOST_IN_TEXT
from neuralshade.verbs.export.engines.engine import Contents, EngineSource
from neuralshade.verbs.export.engines.surface import surface_of
from neuralshade.verbs.export.engines.unreal.custom_node import UnrealAsset
from neuralshade.verbs.export.engines.unreal.readme import readme_text
from neuralshade.verbs.export.engines.wide_textures import with_wide_textures
from neuralshade.verbs.export.engines.word_texture import WordTexture
from neuralshade.verbs.export.texture_files import file_of

SHADERS = "Shaders"  # folder of a project that Unreal maps to /Project


def unreal_files(source: EngineSource) -> Contents:
    """Return an include file for the Custom node, its code, and the textures that it reads."""
    stem = source.stem
    form = with_wide_textures(source.form)
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
