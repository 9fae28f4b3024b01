"""Files of an asset for Godot."""

from __future__ import annotations

from dataclasses import replace

from neuralshade.languages.language import MOST_IN_TEXT
from neuralshade.verbs.export.engines.engine import Contents, EngineSource
from neuralshade.verbs.export.engines.godot.material_file import Picture, material_text
from neuralshade.verbs.export.engines.godot.readme import readme_text
from neuralshade.verbs.export.engines.godot.shader import GodotShader
from neuralshade.verbs.export.engines.surface import surface_of
from neuralshade.verbs.export.engines.wide_textures import with_wide_textures
from neuralshade.verbs.export.engines.word_texture import WordTexture


def godot_files(source: EngineSource) -> Contents:
    """Return a shader, and a material with the textures that it reads."""
    if source.form.halves:
        raise source.refused("godot", "numbers of 32 bits, as its shaders have no others",
                             "Leave half out.")  # fmt: skip
    form, stem = with_wide_textures(source.form, whole_chains=True), source.stem
    largest = max((one.multiply_adds for one in form.networks), default=0)
    in_text = largest <= MOST_IN_TEXT if source.in_text is None else source.in_text
    surface = surface_of(replace(source, form=form), "godot")
    printer = GodotShader(form, in_text)
    pictures = [Picture(one.name, *one.sizes[0], b"".join(one.levels), len(one.sizes) > 1)
                for one in form.textures]  # fmt: skip
    if printer.reads_words:
        words = WordTexture(printer.words)
        texels = words.texels.tobytes()
        pictures.append(Picture(printer.numbers, words.width, words.height, texels))
    return {
        f"{stem}.gdshader": printer.shader_text(surface).encode(),
        f"{stem}.tres": material_text(f"{stem}.gdshader", pictures).encode(),
        "README.md": readme_text(printer, surface, stem).encode(),
    }
