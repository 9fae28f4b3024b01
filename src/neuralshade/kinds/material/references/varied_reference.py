"""References with varied inputs: the text that sets them, and the encoder's values."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, lined_text
from neuralshade.kinds.material.varied import Varied, varied_of

Floats = npt.NDArray[np.float32]
AXES = "xyzw"
SET = """
/// Let inputs be what these shares of their ranges say.
void set_varied(float4 share)
{{
{lines}}}
"""
AT_ENDS = """static const int REFERENCE_PARAMETERS_NOW = {count};
#define parameters parameters_now
#define REFERENCE_PARAMETERS REFERENCE_PARAMETERS_NOW
{text}
#undef parameters
#undef REFERENCE_PARAMETERS
{set}
void parameters(float2 uv, out float values[REFERENCE_PARAMETERS])
{{
    float4 ends[{ends}] = {{ {shares} }}; // CUDA has no static arrays of vectors
    for (int end = 0; end < {ends}; ++end)
    {{
        float now[REFERENCE_PARAMETERS_NOW];
        set_varied(ends[end]);
        parameters_now(uv, now);
        for (int i = 0; i < REFERENCE_PARAMETERS_NOW; ++i)
            values[end * REFERENCE_PARAMETERS_NOW + i] = now[i];
    }}
}}
"""


def vary_reference(reference: ReferenceBsdf, ranges: str) -> ReferenceBsdf:
    """Return a reference with inputs varied over ``ranges``; unchanged for no range.

    Its ``parameters`` are those at the ends of each range, with all other inputs at their defaults,
    so that an encoder knows the range of each place.

    Raises: ConfigError for an unknown input; see ``varied_of``.
    """
    varied = varied_of(ranges, reference.inputs, reference.owner)
    if not varied:
        return reference
    origin = reference
    if reference.written is not None:
        reference = reference.written([one.name for one in varied])
    ends = _ends(varied)
    lines = "".join(f"    {reference.inputs[one.name].variable} = {one.low!r}f + "
                    f"{one.high - one.low!r}f * share.{axis};\n"
                    for one, axis in zip(varied, AXES, strict=False))  # fmt: skip
    shares = ", ".join(f"float4({', '.join(f'{s!r}f' for s in end)})" for end in ends)
    text = AT_ENDS.format(count=max(1, len(reference.parameters)), text=lined_text(reference),
                          shares=shares, ends=len(ends), set=SET.format(lines=lines))  # fmt: skip
    names = tuple(f"{number}:{name}" for number in range(len(ends))
                  for name in reference.parameters or ("none",))  # fmt: skip
    return dataclasses.replace(reference, text=text, parameters=names, varied=varied,
                               origin=origin)  # fmt: skip


def _ends(varied: Sequence[Varied]) -> list[tuple[float, ...]]:
    """Return the encoder's settings: defaults, and each range's ends; padded to four shares."""
    usual = [one.share(one.default) for one in varied]
    found = [usual]
    for number in range(len(varied)):
        found += [[*usual[:number], end, *usual[number + 1 :]] for end in (0.0, 1.0)]
    rest = (0.0,) * (len(AXES) - len(varied))
    return list(dict.fromkeys((*end, *rest) for end in found))
