"""Shader form: an asset as functions of a small dialect that all shading languages share.

Bodies are lines of a dialect of C that these languages share but for spelling:
``const T x = e;``, ``T x = e;``, ``x = e;``, ``if (c) return e;``, counted ``for`` loops with
braces of their own, ``return e;``; types float, float2 to float4, int, int2, int3, uint, bool and
structs of the form; ``float4(x)`` repeats a number. Names of functions are GLSL's (mix, clamp,
inversesqrt ...), and ``NAME_word(i)`` is a word of the asset's numbers, ``as_float(w)`` its bits,
``halves(w)`` the two float16 in it. half4 has float16: ``to_half`` and ``to_float`` convert four
numbers, and it meets no float. ``TEXTURE_sampled(uv, level)`` is the float4 that a texture has
there, mixed between texels and levels. An integer is shifted by a uint. A loop of ``i < min(8, e)``
may go on to 8 beyond e, where its turns change nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import shown
from neuralshade.errors import AssetError
from neuralshade.model.gaussian import GaussianPicture

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint32]
BLOCKS = ("bc1", "bc7")  # formats of textures; of BC7 modes 4 and 6
# Meanings of functions that are no maps of a surface.
OTHERS = ("color", "light", "direction", "density", "level", "channels", "texel")


@dataclass(frozen=True)
class Layer:
    """One affine map with its activation: ``activation(weight x + bias)``."""

    weight: Doubles  # [outputs, inputs]
    bias: Doubles  # [outputs]
    activation: str  # of languages/activations.py
    half: bool = False  # evaluated in float16, which can hold its numbers


@dataclass(frozen=True)
class Network:
    """Statement of a body that evaluates layers; later lines read ``result``0.x and so on."""

    inputs: tuple[str, ...]  # a float of the dialect for each
    layers: tuple[Layer, ...]
    result: str  # prefix of the float4 that hold the outputs: RESULT0, RESULT1 ...
    steep: bool = False  # small differences of inputs are large ones of outputs

    @property
    def multiply_adds(self) -> int:
        """Return the products of one evaluation."""
        return sum(layer.weight.size for layer in self.layers)


@dataclass(frozen=True)
class Parameter:
    """An argument of a function."""

    type: str
    name: str
    about: str = ""  # unit, range, space
    values: tuple[float, float, float] | None = None  # lowest, highest, usual; of varied inputs


@dataclass(frozen=True)
class Function:
    """One function; users call those that are ``public``."""

    result: str  # type
    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[str | Network, ...]
    about: str = ""  # what it returns
    public: bool = False
    joined: bool = False  # printed directly after the previous one, whose comment covers both
    # What engines take a public function for: color, light (f * cos), direction, density, level,
    # channels (filtered), texel, or a map's name, such as roughness; empty for the others
    meaning: str = ""
    space: str = ""  # srgb or linear, of colors
    span: tuple[float, float] = (0.0, 1.0)  # of a map's numbers, as displays encode them


@dataclass(frozen=True)
class Struct:
    """Several numbers that a function returns."""

    name: str
    members: tuple[tuple[str, str], ...]  # type and name of each


@dataclass(frozen=True)
class Texture:
    """A texture with its mip levels, as files and GPUs have it.

    Functions read it by ``NAME_sampled(uv, level)``: trilinear, u to the right, v down. What a
    format lacks of a float4 is 0, and alpha 1; of a format of sRGB, colors are linear.
    """

    name: str
    title: str  # ends the name of its file, without a suffix
    format: str  # r8, rg8, rgba8, rgba8_srgb, bc1 or bc7, see asset/texture/texture_format.py
    sizes: tuple[tuple[int, int], ...]  # width and height of each level, the finest first
    levels: tuple[bytes, ...]  # texels or blocks of each, row by row from above
    wraps: bool  # repeated beyond the border, else clamped

    @property
    def in_blocks(self) -> bool:
        """Return whether it is of blocks of 4 x 4 texels."""
        return self.format in BLOCKS

    @property
    def reader(self) -> str:
        """Return the name of the function that samples it."""
        return f"{self.name}_sampled"


@dataclass(frozen=True)
class Golden:
    """Golden rows of a public function: arguments, one number a column, and results.

    A function may have several, each with its own tolerance.
    """

    function: str
    inputs: Floats  # [n, numbers of all arguments]
    outputs: Floats  # [n, numbers of the result]
    tolerance: float  # largest correct difference
    relative_to: float | None = None  # times (abs(output) + this), where not absolute
    in_halves: float | None = None  # tolerance with float16 networks, if different
    by_units: float | None = None  # tolerance with texture units, which filter in 8 bits
    about: str = ""  # where the inputs lie, if it matters


@dataclass(frozen=True)
class SlangProgram:
    """A Slang function that the form's functions call: a user's, or another package's.

    The Slang compiler translates it. It reads the form's words as ``NAME_words``.
    """

    function: Function  # without a body; of one float2
    module: str  # declares it; a Slang import
    files: Mapping[str, str]  # text of the module and its imports, by path
    compiled: Callable[..., bytes]  # see languages/program_calls.py: compile_in_process
    untrusted: bool = False  # its code is not run in this process


@dataclass(frozen=True)
class Compact:
    """Fewer numbers from which JavaScript makes a form's words, for pages that carry them."""

    arrays: tuple[npt.NDArray[Any], ...]  # uint8, uint32 or float32, each of one dimension
    # Expression: function of settings, to one of typed arrays, to a Uint32Array.
    script: str = "() => ([words]) => words"
    settings: Mapping[str, Any] = field(default_factory=dict)  # JSON

    @property
    def expression(self) -> str:
        """Return the script with its settings: a function of the arrays."""
        return f"({self.script})({json.dumps(self.settings)})"


@dataclass(frozen=True)
class ShaderForm:
    """Form of an asset: everything a renderer needs to evaluate it."""

    name: str  # an identifier, prefix of all names
    about: tuple[str, ...]  # lines of the header
    structs: tuple[Struct, ...]
    functions: tuple[Function, ...]  # each after those that it calls
    words: Words  # read by ``NAME_word``, without the networks' numbers
    make_golden: Callable[[], Sequence[Golden]] = field(repr=False)
    facts: dict[str, str] = field(default_factory=dict)  # color space and the like, by name
    program: SlangProgram | None = None  # called by functions whose bodies are incomplete
    textures: tuple[Texture, ...] = ()
    make_compact: Callable[[], Compact] | None = field(default=None, repr=False)
    make_gaussians: Callable[[], GaussianPicture] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Check names: some come from files, and text is compiled."""
        names = [self.name, *(one.name for one in self.functions)]
        names += [one.name for one in self.structs]
        names += [name for struct in self.structs for _, name in struct.members]
        names += [one.name for function in self.functions for one in function.parameters]
        names += [name for one in self.textures for name in (one.name, one.title)]
        for name in names:
            if not IDENTIFIER.fullmatch(name):
                raise AssetError(f"shader: got {shown(name)} for a name, need letters, digits and "
                                 "_ alone. Rename it.")  # fmt: skip

    @cached_property
    def golden(self) -> tuple[Golden, ...]:
        """Return the golden rows of public functions, by PyTorch's evaluation of the asset."""
        return tuple(self.make_golden())

    @property
    def compact(self) -> Compact:
        """Return the form's words, or the fewer numbers that its kind makes them from."""
        return Compact((self.words,)) if self.make_compact is None else self.make_compact()

    @property
    def gaussians(self) -> GaussianPicture | None:
        """Return the Gaussians of a picture that consists of such, else None."""
        return None if self.make_gaussians is None else self.make_gaussians()

    @property
    def public(self) -> tuple[Function, ...]:
        """Return the functions that a user calls."""
        return tuple(function for function in self.functions if function.public)

    def meaning(self, name: str) -> Function | None:
        """Return the first public function with a meaning, or None."""
        return next((one for one in self.public if one.meaning == name), None)

    @property
    def maps(self) -> tuple[Function, ...]:
        """Return the functions of maps, ``MAP(uv, level)``, in their order."""
        return tuple(one for one in self.public if one.meaning and one.meaning not in OTHERS)

    def decoder(self, map_function: Function) -> Function | None:
        """Return the function that decodes a map from a texel's channels, if there is one."""
        structs = [one.name for one in self.structs]
        return next((one for one in self.public if len(one.parameters) == 1
                     and f"{one.name}_at" == map_function.name
                     and one.parameters[0].type in structs), None)  # fmt: skip

    @property
    def networks(self) -> tuple[Network, ...]:
        """Return the networks of all functions, in their order."""
        return tuple(line for function in self.functions for line in function.body
                     if isinstance(line, Network))  # fmt: skip

    @property
    def halves(self) -> bool:
        """Return whether a layer of any network is evaluated in float16."""
        return any(layer.half for network in self.networks for layer in network.layers)

    @property
    def multiply_adds(self) -> int:
        """Return the products of all networks."""
        return sum(network.multiply_adds for network in self.networks)
