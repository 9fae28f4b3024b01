"""Files of an asset for Unity."""

from __future__ import annotations

from neuralshade.languages.language import MOST_IN_TEXT
from neuralshade.model.shader_form import ShaderForm
from neuralshade.verbs.export.engines.engine import Contents, EngineSource
from neuralshade.verbs.export.engines.surface import surface_of
from neuralshade.verbs.export.engines.unity.readme import readme_text
from neuralshade.verbs.export.engines.unity.shader_graph import UnityAsset
from neuralshade.verbs.export.engines.unity.texture_meta import numbers_meta
from neuralshade.verbs.export.engines.word_texture import WordTexture, finest_png
from neuralshade.verbs.export.texture_files import file_of


def unity_files(source: EngineSource) -> Contents:
    """Return HLSL for Shader Graph, and the textures that it reads."""
    form, stem = source.form, source.stem
    surface = surface_of(source, "unity")
    printer = UnityAsset(form, in_text(form, source.in_text))
    contents: Contents = {
        f"{stem}.hlsl": printer.include_text(surface).encode(),
        f"{stem}_nodes.hlsl": printer.nodes_text(surface, f"{stem}.hlsl").encode(),
    }
    if printer.reads_words:
        name, words = f"{stem}_numbers.png", WordTexture(printer.words)
        contents[name] = words.lifted_png()
        contents[f"{name}.meta"] = numbers_meta(name, words.texels.tobytes())
    for one in form.textures:
        contents[file_of(one, stem, "dds")] = one
        if not one.in_blocks:
            contents[file_of(one, stem, "png")] = finest_png(one)
    contents["README.md"] = readme_text(printer, surface, stem).encode()
    return contents


def in_text(form: ShaderForm, chosen: bool | None) -> bool:
    """Return whether networks' numbers stand in the text: as chosen, else by their size."""
    largest = max((one.multiply_adds for one in form.networks), default=0)
    return largest <= MOST_IN_TEXT if chosen is None else chosen
