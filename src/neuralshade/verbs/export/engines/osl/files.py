"""Files of an asset for renderers with OSL."""

from __future__ import annotations

from dataclasses import replace

from neuralshade.languages.software_textures import in_words
from neuralshade.verbs.export.engines.engine import Contents, EngineSource
from neuralshade.verbs.export.engines.osl.readme import readme_text
from neuralshade.verbs.export.engines.osl.shader import OslShader
from neuralshade.verbs.export.engines.surface import surface_of


def osl_files(source: EngineSource) -> Contents:
    """Return a shader and its README.md; ConfigError for materials and tasks."""
    if source.form.halves:
        raise source.refused("osl", "numbers of 32 bits, as its shaders have no others",
                             "Leave half out.")  # fmt: skip
    form = in_words(source.form)
    surface = surface_of(replace(source, form=form), "osl")
    if surface.kind == "light":
        raise source.refused(
            "osl",
            "a picture or maps: a shader of OSL knows no direction to the light",
            "Bake the material to maps, and export these.",
        )
    shader = OslShader(form, surface)
    return {f"{source.stem}.osl": shader.text().encode(),
            "README.md": readme_text(form, surface, shader, source.stem).encode()}  # fmt: skip
