"""A user's Slang module as a reference, with ``float3 eval(float2 uv, float3 wi, float3 wo)``.

Optional functions: ``void parameters(float2 uv, out float values[N])`` returns the encoder's input,
values that closures read. Without it the input is the light between a few fixed pairs of
directions. ``float3 emission(float2 uv, float3 wo)`` returns emitted light. Numbers of the module,
``uniform float wetness = 0.5;``, are its inputs, and ``uniform Picture<float3> albedo =
"albedo.png";`` are pictures that it reads.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from neuralshade.base.message_text import shown
from neuralshade.base.text_file import read_text
from neuralshade.errors import ConfigError
from neuralshade.gpu.import_check import check_imports
from neuralshade.gpu.slang_reflection import reflect_parameters
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, reference_text
from neuralshade.kinds.material.references.slang_pictures import is_global, with_pictures
from neuralshade.kinds.material.varied import Input
from neuralshade.model.unbound import check_bound

SUFFIX = ".slang"
EVAL = re.compile(r"\bfloat3\s+eval\s*\(\s*float2\b[^,)]*,\s*float3\b[^,)]*,\s*float3\b[^,)]*\)")
EMISSION = re.compile(r"\bfloat3\s+emission\s*\(")
PARAMETERS = re.compile(r"\bvoid\s+parameters\s*\(\s*float2\s+\w+\s*,\s*out\s+float\s+\w+\s*"
                        r"\[\s*([^\]]*?)\s*\]\s*\)")  # fmt: skip
# An input, at the start of a line; not const. Only a uniform may lack its default.
INPUT = re.compile(r"^[ \t]*(?P<sort>uniform|static)\s+float\s+(?P<name>\w+)\s*"
                   r"(?:=\s*(?P<number>[-+.\deE]+)[fF]?\s*)?;", re.MULTILINE)  # fmt: skip
NO_DEFAULT = 0.0  # of an input without its own
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
MOST_PARAMETERS = 256
UNBOUND = ('Write a texture as uniform Picture<float3> NAME = "a.png"; in this file, a number as '
           "uniform float NAME = 0.5;, other values as static const, and leave out "
           "samplers.")  # fmt: skip
# Pairs that distinguish most surfaces: mirrors of several slants, a grazing one, two far from any.
PROBES = (
    ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)), ((0.6, 0.0, 0.8), (-0.6, 0.0, 0.8)),
    ((0.0, 0.6, 0.8), (0.0, -0.6, 0.8)), ((0.8, 0.0, 0.6), (0.8, 0.0, 0.6)),
    ((0.0, -0.8, 0.6), (0.0, -0.8, 0.6)), ((0.96, 0.0, 0.28), (-0.96, 0.0, 0.28)),
    ((0.6, 0.0, 0.8), (0.0, 0.6, 0.8)), ((0.0, 0.0, 1.0), (0.8, 0.0, 0.6)),
)  # fmt: skip
PROBED = """
void parameters(float2 uv, out float values[REFERENCE_PARAMETERS])
{{
    float3 probes[{count}][2] = {{ {pairs} }};  // CUDA has no static arrays of vectors
    for (int pair = 0; pair < {count}; ++pair)
    {{
        float3 seen = log(max(eval(uv, probes[pair][0], probes[pair][1]), 0.0f) + 0.01f);
        values[3 * pair] = seen.x;
        values[3 * pair + 1] = seen.y;
        values[3 * pair + 2] = seen.z;
    }}
}}
"""
DARK = """
float3 emission(float2 uv, float3 wo)
{
    return float3(0.0f);
}
"""


def load_slang(path: str | os.PathLike[str]) -> ReferenceBsdf:
    """Return the reference of a Slang module.

    Raises: ConfigError for a file that is not text, a missing ``eval``, shader parameters that
        nothing binds, files outside of its folder, and a picture of other channels; PictureError;
        KernelError with the compiler's output.
    """
    place = Path(path)
    text = read_text(place, f"a {SUFFIX} file", "Slang text")
    check_imports(text, str(place))
    text, variables = with_pictures(place, text, COMMENTS.sub(_blank, text))
    code = COMMENTS.sub(_blank, text)
    if not EVAL.search(code):
        raise ConfigError(f"{place}: got a module without eval, need float3 eval(float2 uv, float3 "
                          "wi, float3 wo), which returns f * cos of wi. Write it.")  # fmt: skip
    added = "" if EMISSION.search(code) else DARK
    own = PARAMETERS.search(code)
    count = 3 * len(PROBES) if own is None else _count(place, own[1])
    added += _probed() if own is None else ""
    names = tuple(f"values[{i}]" for i in range(count))
    declared = _declared(code)
    inputs = {one["name"]: _input(place, one["name"], one["number"]) for one in declared}
    reference = ReferenceBsdf(place.stem, f"{_static(text, declared)}\n{added}", names, variables,
                      folder=place.resolve().parent, inputs=inputs, file=place.name,
                      probes=PROBES if own is None else ())  # fmt: skip
    found = reflect_parameters(reference_text(reference), place.name, reference.folder)
    check_bound(found, str(place), UNBOUND)
    return reference


def _blank(comment: re.Match[str]) -> str:
    """Return blanks in place of a comment, keeping its line breaks."""
    return re.sub(r"[^\n]", " ", comment[0])


def _declared(code: str) -> list[re.Match[str]]:
    """Return the global inputs that a text without comments declares."""
    return [one for one in INPUT.finditer(code)
            if is_global(code, one.start())
            and (one["number"] or one["sort"] == "uniform")]  # fmt: skip


def _static(text: str, declared: Sequence[re.Match[str]]) -> str:
    """Return the text with inputs as thread-local variables, as they differ between samples."""
    for one in reversed(declared):
        default = "" if one["number"] else f" = {NO_DEFAULT}f"
        text = "".join([
            text[: one.start("sort")], "static", text[one.end("sort") : one.end("name")], default,
            text[one.end("name") :],
        ])  # fmt: skip
    return text


def _input(place: Path, name: str, number: str | None) -> Input:
    """Return an input with its default, if the text has one."""
    if number is None:
        return Input(name, NO_DEFAULT, has_default=False)
    try:
        return Input(name, float(number))
    except ValueError as error:
        raise ConfigError(f"{place}: {name}: got {shown(number)}, need a number. Correct "
                          "it.") from error  # fmt: skip


def _count(place: Path, text: str) -> int:
    """Return the number of values of ``parameters``."""
    if not text.isdecimal() or not 1 <= int(text) <= MOST_PARAMETERS:
        raise ConfigError(f"{place}: parameters: got values[{shown(text)[1:-1]}], need a number "
                          f"from 1 to {MOST_PARAMETERS}. Write it out.")  # fmt: skip
    return int(text)


def _probed() -> str:
    pairs = ", ".join(
        "{ " + ", ".join(f"float3({', '.join(map(str, w))})" for w in pair) + " }"
        for pair in PROBES
    )
    return PROBED.format(count=len(PROBES), pairs=pairs)
