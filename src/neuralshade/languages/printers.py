"""Registry of printers, by the name of the language."""

from __future__ import annotations

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.errors import ConfigError
from neuralshade.languages.coopvec import CoopVecSlang, CoopVecSpirv
from neuralshade.languages.cpp import Cpp, Cuda, Metal
from neuralshade.languages.glsl import Glsl, GlslEs
from neuralshade.languages.hlsl import Hlsl, Slang
from neuralshade.languages.javascript import JavaScript
from neuralshade.languages.language import MOST_IN_TEXT, Printer
from neuralshade.languages.program_calls import program_printer
from neuralshade.languages.pytorch import Torch
from neuralshade.languages.software_textures import in_words
from neuralshade.languages.spirv import Spirv
from neuralshade.languages.wgsl import Wgsl
from neuralshade.model.shader_form import ShaderForm

LANGUAGES: dict[str, type[Printer]] = {
    one.name: one
    for one in (
        Slang,
        Hlsl,
        Glsl,
        GlslEs,
        Spirv,
        Wgsl,
        Metal,
        Cuda,
        Cpp,
        Torch,
        JavaScript,
        CoopVecSlang,
        CoopVecSpirv,
    )
}


def printer_of(
    form: ShaderForm, language: str, in_text: bool | None = None, units: bool = True
) -> Printer:
    """Return the printer of ``form`` in a language.

    ``in_text``: whether networks' numbers are in the text; None: by their size.
    ``units``: whether textures are sampled by texture units, in languages that have them.

    Raises: ConfigError for another language, and one without float16 for a form that has it;
        KernelError where Slang's compiler refuses a program.
    """
    if language not in LANGUAGES:
        raise ConfigError(f"to: got {language!r}, need one of {', '.join(LANGUAGES)}."
                          f"{did_you_mean(language, LANGUAGES)}")  # fmt: skip
    if form.halves and not LANGUAGES[language].has_halves:
        having = [one.name for one in LANGUAGES.values() if one.has_halves]
        raise ConfigError(f"half: got {language}, which has no 16-bit numbers to compute with, "
                          f"need {', '.join(having)}. Export {language} without half.")  # fmt: skip
    if in_text is None:
        most = max((one.multiply_adds for one in form.networks), default=0)
        in_text = LANGUAGES[language].prefers_text and most <= MOST_IN_TEXT
    if form.program is not None:
        return program_printer(language)(form, in_text)
    printer = LANGUAGES[language]
    return printer(form if units and printer.samples else in_words(form), in_text)
