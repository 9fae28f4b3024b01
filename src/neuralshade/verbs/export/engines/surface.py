"""Surfaces: what of a form an engine's own nodes and shaders show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from neuralshade.errors import ConfigError
from neuralshade.model.shader_form import Function, Parameter, ShaderForm
from neuralshade.verbs.export.engines.engine import EngineSource

PLACE = ("float2", "float")  # arguments of a map: uv, level
STOCHASTIC = (
    "The same of one texel, which three random numbers choose: a quarter of the work, "
    "and noise for temporal antialiasing to average. Random: 0 to 1, new in each frame."
)
# Names that engines give maps, where ours differ.
ROLES = {"ao": "occlusion", "emissive": "emission"}


@dataclass(frozen=True)
class Value:
    """One value of a surface, as an engine's node has it."""

    name: str  # an identifier in capitals: BaseColor
    role: str  # albedo, normal, roughness ... or the name of a custom map, lower-case
    type: str  # float to float4
    call: str  # an expression of the dialect
    space: str  # srgb, linear, or empty where it is no color
    about: str

    @property
    def outputs(self) -> tuple[tuple[str, str, str], ...]:
        """Return name, type and lanes of what a node returns: a picture's alpha by itself."""
        if self.role == "color" and self.type in ("float2", "float4"):
            color = ("float", "x") if self.type == "float2" else ("float3", "xyz")
            return (self.name, *color), ("Alpha", "float", (self.type == "float2" and "y") or "w")
        return ((self.name, self.type, ""),)


@dataclass(frozen=True)
class Surface:
    """Values that one call of an engine's node returns, and what has to be bound or passed."""

    form: ShaderForm
    kind: str  # color: a picture; maps; light: a material
    parameters: tuple[Parameter, ...]  # of the dialect, uv first
    arguments: tuple[str, ...]  # what nodes call the parameters
    lines: tuple[str, ...]  # declarations before the values, in the dialect
    values: tuple[Value, ...]

    def role(self, name: str) -> Value | None:
        """Return the value of a role, if there is one."""
        return next((one for one in self.values if one.role == name), None)

    def about(self, argument: str) -> str:
        """Return what is known of an argument: unit, range, space."""
        return self.parameters[self.arguments.index(argument)].about

    @property
    def leveled(self) -> bool:
        """Return whether values depend on a level."""
        return any(one.name == "level" for one in self.parameters)

    @property
    def level(self) -> Function | None:
        """Return the function that says which level a footprint is served by."""
        return self.form.meaning("level") if self.leveled else None

    @property
    def stochastic(self) -> Surface | None:
        """Return maps of one texel that three random numbers choose: one run of the network."""
        name = f"{self.form.name}_stochastic"
        found = next((one for one in self.form.public if one.name == name), None)
        filtering = f"= {self.form.name}_bilinear("  # other filters run the network once anyway
        if found is None or not any(filtering in line for line in self.lines):
            return None
        line = f"const {found.result} channels_ = {_call(found, ['uv', 'level', 'u'])};"
        return replace(self, parameters=found.parameters, arguments=(*self.arguments, "Random"),
                       lines=(line,))  # fmt: skip

    @property
    def area(self) -> Function | None:
        """Return the function of a picture that averages a footprint."""
        name = f"{self.form.name}_area"
        return next((one for one in self.form.public if one.name == name
                     and self.kind == "color"), None)  # fmt: skip


def surface_of(source: EngineSource, engine: str) -> Surface:
    """Return the surface of an asset; ConfigError for one that an engine's text cannot hold."""
    form = source.form
    if form.program is not None:
        raise source.refused(engine, "an asset without Slang code of its own",
                             "Export it --to hlsl or glsl, and call that.")  # fmt: skip
    light, color = form.meaning("light"), form.meaning("color")
    if light is not None and len(light.parameters) >= 4:
        return _material(form, light)
    if color is not None and len(color.parameters) == 1:
        value = Value("Color", "color", color.result, _call(color, ["uv"]), color.space,
                      color.about)  # fmt: skip
        return Surface(form, "color", color.parameters, ("UV",), (), (value,))
    maps = [one for one in form.public if one.meaning and _is_map(one)]
    if not maps:
        raise _nothing(source, engine)
    return _maps(form, maps)


def _material(form: ShaderForm, light: Function) -> Surface:
    """Return a material; inputs that were varied are called input0_ and on, as users name them."""
    usual, varied = light.parameters[:4], light.parameters[4:]
    parameters = (*usual, *(replace(one, name=f"input{i}_") for i, one in enumerate(varied)))
    names = capitals(one.name for one in varied)
    call = _call(light, (one.name for one in parameters))
    value = Value("Light", "light", light.result, call, light.space, light.about)
    return Surface(form, "light", parameters, ("UV", "Level", "Wi", "Wo", *names), (), (value,))


def _nothing(source: EngineSource, engine: str) -> ConfigError:
    return source.refused(engine, "a picture, maps or a material", "Export it --to hlsl.")


def _is_map(function: Function) -> bool:
    types = tuple(one.type for one in function.parameters)
    return types == PLACE and function.result.startswith("float")


def _maps(form: ShaderForm, maps: Sequence[Function]) -> Surface:
    """Return maps; where they have a decoder, the network runs once for all of them."""
    channels = form.meaning("channels")
    decoders = [None if channels is None else form.decoder(one) for one in maps]
    lines: tuple[str, ...] = ()
    if channels is not None and any(one is not None for one in decoders):
        lines = (f"const {channels.result} channels_ = {_call(channels, ['uv', 'level'])};",)
    names = capitals(one.meaning for one in maps)
    values = []
    for one, decoder, name in zip(maps, decoders, names, strict=True):
        call = f"{decoder.name}(channels_)" if decoder else _call(one, ["uv", "level"])
        role = one.meaning.lower()
        about = (decoder or one).about
        values.append(Value(name, ROLES.get(role, role), one.result, call, one.space, about))
    return Surface(form, "maps", maps[0].parameters, ("UV", "Level"), lines, tuple(values))


def _call(function: Function, arguments: Iterable[str]) -> str:
    return f"{function.name}({', '.join(arguments)})"


# Arguments of nodes, and what engines' own macros are called.
TAKEN = ("UV", "Level", "Random", "Numbers", "Wi", "Wo", "Light", "Color", "Alpha", "Smoothness",
         "Texture2D", "SamplerState", "Texture", "Sampler", "Matrix", "Vector", "String", "Pass",
         "Technique")  # fmt: skip


def capitals(names: Iterable[str], taken: Iterable[str] = TAKEN) -> list[str]:
    """Return user names as different identifiers that begin with a capital: base_color, BaseColor.

    ASCII letters and digits stay.
    """
    used, found = {one.lower() for one in taken}, list[str]()
    for name in names:
        words = re.findall(r"[A-Za-z0-9]+", name)
        plain = "".join(word[0].upper() + word[1:] for word in words)
        if not plain or plain[0].isdigit() or plain.lower() in used:
            plain = f"Map{plain}"
        made, count = plain, 1
        while made.lower() in used:
            count += 1
            made = f"{plain}{count}"
        used.add(made.lower())
        found.append(made)
    return found
