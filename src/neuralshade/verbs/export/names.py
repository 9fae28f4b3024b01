"""Names that all shading languages take."""

from __future__ import annotations

import re

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError

LONGEST = 48
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*")
# Keywords and usual functions of one language or another, and names of arguments.
WORDS = """
    abs active aliased alias and array asm atan atomic auto bitcast bool break buffer case cast
    catch ceil centroid char check clamp class common compile const constant continue cos cross
    default defined delete device diagnostic discard distance do dot double dx dy dynamic else
    enable enum exp explicit export extern external false far filter fixed flat float floor fn for
    fract friend goto groupshared half halves highp if import in inline inout input int interface
    invariant kernel layout length let level line linear log long loop lowp main matrix max mediump
    metal min mip mix module mut mutable namespace near neuralshade new noise none noperspective
    normal normalize not null nullptr numthreads operator or out output override packed partition
    pass patch pixelfragment pow precise precision private property protected ptr public pure
    readonly register requires resource restrict return sample sampler select self shader shared
    short sign signed sin sizeof smooth snorm sqrt static std step struct subroutine superp switch
    tan tanh target template texture this thread threadgroup throw trait true try type typedef
    typealias typename uint uniform union unorm unsigned use using uv value var varying vec vector
    vertex virtual void volatile where while wi with wo workgroup writeonly xor yield
"""
RESERVED = frozenset(WORDS.split())


def check_name(name: str) -> None:
    """Raise ConfigError unless ``name`` may begin the names of a text in every language."""
    if (not isinstance(name, str) or len(name) > LONGEST or not IDENTIFIER.fullmatch(name)
            or name.lower() in RESERVED or name.startswith("gl_")):  # fmt: skip
        raise ConfigError(f"name: got {shown(name)}, need a letter, then letters, digits and "
                          f"single underscores, {LONGEST} at most, and no word of a shading "
                          "language. Write for example bark.")  # fmt: skip


def asset_name(stem: str) -> str:
    """Return the name that an asset's file gives its functions: bark-2k.nsh has bark_2k."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", stem).strip("_")[:LONGEST].strip("_")
    if not name or not name[0].isalpha():
        name = f"asset_{name}".strip("_")[:LONGEST].strip("_")
    if name.lower() in RESERVED or name.startswith("gl_"):
        name = f"my_{name}"
    return name
