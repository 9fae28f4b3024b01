"""Names that users gave, as identifiers that every shading language takes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from neuralshade.languages.statements import NAME
from neuralshade.model.shader_form import Function

WORDS = re.compile(NAME)
# Of the dialect, C++, GLSL, HLSL, Slang, WGSL and Metal, as far as people name things so.
KEYWORDS = """
abs active alias all and any array as_float asm atomic attribute auto bool break buffer case
cast catch centroid char clamp class column common compile concept const constant continue
cos cross default delete device discard distance do dot double else enum exp explicit export
extension extern external false filter final fixed flat float float2 float3 float4 floor fn
for frac fract fragment friend from func function get goto half halves handle highp if image
impl import in inline inout input int int2 int3 interface invariant inversesqrt kernel
layout length lerp let line linear log long loop lowp main mat match material matrix max
mediump mesh meta min mix mod module move mut namespace new nil normalize not null nullptr
object of operator or out output override packed parameter partition pass patch pixel point
pow precise precision private property protected ptr pub public ref regardless register
requires resource restrict return round row sample sampler saturate select self set shader
shared short sign signed sin sizeof smooth snorm sqrt stage static std step string struct
subroutine super superp switch tanh target task technique template texture this thread
threadgroup throw trait triangle true try type typedef typename uint uniform union unorm
unsigned use using var varying vector vertex vertices virtual void volatile where while with
write xor yield
"""
RESERVED = frozenset(KEYWORDS.split())


def identifiers(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return names as different identifiers, none of them ``taken`` or reserved.

    A letter or digit of ASCII stays what it is, anything else becomes ``_``; what cannot stand
    alone begins with ``input_``.
    """
    used, found = {*taken} | RESERVED, list[str]()
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
        if plain in used or not plain[:1].isalpha() or plain.startswith("gl_"):
            plain = f"input_{plain or 'none'}"
        made, count = plain, 1
        while made in used:
            count += 1
            made = f"{plain}_{count}"
        used.add(made)
        found.append(made)
    return found


def words_in(functions: Iterable[Function]) -> set[str]:
    """Return all words of functions' lines and heads."""
    texts = [line for function in functions for line in function.body if isinstance(line, str)]
    texts += [f"{one.type} {one.name}" for function in functions for one in function.parameters]
    return {word for text in texts for word in WORDS.findall(text)}
