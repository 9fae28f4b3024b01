"""Slang program of a field whose encoding comes from another package, from its Slang half."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.languages.program_calls import compile_in_process
from neuralshade.languages.slang_modules import with_modules
from neuralshade.model.field import Field
from neuralshade.model.shader_form import Function, SlangProgram

MODULES = {"neuralshade.model.encoding", "neuralshade.model.parameters"}
TEXT = """// {stem}.slang: the field of {name}, of the Slang halves of its encoding and network.
{imports}
public StructuredBuffer<uint> {name}_words;

/// The field's numbers: the encoding's, then the network's.
public struct {name}_Numbers : IParameters
{{
    public float load(uint index)
    {{
        return asfloat({name}_words[index]);
    }}

    public float2 load2(uint index)
    {{
        return float2(load(index), load(index + 1u));
    }}
}}

{declarations}typealias {name}_Encoding = {encoding};
typealias {name}_Network = {network};

/// The color at uv.
public {result} {function}(float2 uv)
{{
    {name}_Numbers numbers = {{}};
    float[{name}_Encoding.WIDTH] encoded = encode<{name}_Encoding>(uv, numbers);
    LaterParameters<{name}_Numbers> rest = {{ numbers, {name}_Encoding.number_count() }};
    float[{channels}] color = {name}_Network.eval(encoded, rest);
    return {result}({listed});
}}
"""


def field_program(
    field: Field, name: str, function: Function
) -> tuple[SlangProgram, npt.NDArray[np.uint32]]:
    """Return the program of ``function`` of an asset called ``name``, and the words it reads."""
    encoding, network = field.encoding.slang(f"{name}_"), field.network.slang()
    modules = sorted(MODULES | encoding.modules | network.modules)
    channels = int(function.result.removeprefix("float") or 1)
    folder, stem = f"{name}_modules", f"{name}_field"
    text = TEXT.format(
        stem=stem, name=name, imports="\n".join(f"import {module};" for module in modules),
        declarations=encoding.declarations, encoding=encoding.type, network=network.type,
        result=function.result, function=function.name, channels=channels,
        listed=", ".join(f"color[{i}]" for i in range(channels)),
    )  # fmt: skip
    files = with_modules({f"{folder}/{stem}.slang": text}, folder, {})
    numbers = torch.cat([
        field.encoding.flatten(list(field.encoding.parameters())).detach().reshape(-1),
        torch.nn.utils.parameters_to_vector(field.network.parameters()).detach(),
    ])  # fmt: skip
    words = numbers.float().cpu().numpy().view(np.uint32)
    return SlangProgram(function, f"{folder}.{stem}", files, compile_in_process), words
