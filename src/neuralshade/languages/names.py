"""Conversion of user names to identifiers of all shading languages."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from neuralshade.languages.statements import NAME
from neuralshade.model.shader_form import Function

WORDS = re.compile(NAME)
# Keywords and common functions of all languages, names of arguments, and of the variables of
# compute shaders (harness.py).
KEYWORDS = """
Float32Array Float64Array Infinity Int32Array Math NaN Uint32Array Uint8Array abs active
alias aliased all and answers any arguments array as_float asm async atan atob atomic
attribute auto await bitcast bool break buffer case cast catch ceil centroid char check
clamp class common compile concept const constant continue cos count cross debugger
default defined delete device diagnostic discard distance do dot double dx dy dynamic
else enable enum eval exp explicit export extends extension extern external false far
filter final finally fixed flat float float2 float3 float32array float4 float64array
floor fn for found frac fract fragment friend from func function get goto groupshared
half halves handle highp i id if impl implements import in infinity inline inout input
instanceof int int2 int3 int32array interface invariant inversesqrt kernel layout length
lerp let level line linear log long loop lowp main match math matrix max mediump mesh
meta metal min mip mix mod module move mut mutable namespace nan near neuralshade new
nil noise none noperspective normal normalize not null nullptr numthreads of operator or
out output override package packed partition pass patch pixelfragment point pow precise
precision private property protected ptr pub public pure readonly ref regardless
register requires resource restrict return row rows sample sampler saturate select self
set shader shared short sign signed sin sizeof smooth snorm sqrt static std step stride
string struct subroutine super superp switch tan tanh target task technique template
texture this thread threadgroup throw trait triangle true try type typealias typedef
typename typeof uint uint32array uint8array undefined uniform union unorm unsigned use
using uv value var varying vec vector vertex vertices virtual void volatile where while
wi with wo workgroup writeonly xor yield
"""
# In Python text, modules and a list that the printers' lines name.
PYTHON = frozenset(keyword.kwlist) | {"dr", "early", "functional", "np", "torch"}
RESERVED = frozenset(KEYWORDS.split()) | PYTHON


def identifiers(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return names as different identifiers, none of them ``taken`` or reserved.

    ASCII letters and digits stay, anything else becomes ``_``; a name that is
    invalid by itself gets the prefix ``input_``.
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
    """Return all words in functions' lines and heads."""
    texts = [line for function in functions for line in function.body if isinstance(line, str)]
    texts += [f"{one.type} {one.name}" for function in functions for one in function.parameters]
    return {word for text in texts for word in WORDS.findall(text)}
