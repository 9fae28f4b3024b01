"""Entry functions: the same few calls for every asset, in the dialect of shader forms."""

from __future__ import annotations

from dataclasses import dataclass, replace

from neuralshade.model.shader_form import Function, Parameter, ShaderForm

# The four columns of what ``maps`` returns: the maps that fill their lanes, and else a number.
COLUMNS = (
    (("albedo", 3), ("opacity", 1)),
    (("normal", 3), ("displacement", 1)),
    (("ao", 1), ("roughness", 1), ("metallic", 1), ("", 1)),
    (("emissive", 3), ("", 1)),
)
MISSING = {"albedo": "float3(1.0)", "opacity": "1.0", "normal": "float3(0.0, 0.0, 1.0)",
           "displacement": "0.0", "ao": "1.0", "roughness": "1.0", "metallic": "0.0",
           "emissive": "float3(0.0)", "": "0.0"}  # fmt: skip
UV = Parameter("float2", "uv", "u to the right, v down")
LEVEL = Parameter("float", "level", "0 is the finest")


@dataclass(frozen=True)
class Entries:
    """A form with entry functions, and their names by what they do."""

    form: ShaderForm
    names: dict[str, str]  # of rgba, linear, maps, level, brdf, frame: those that there are
    maps: tuple[str, ...] = ()  # maps that ``maps`` returns

    @property
    def varied(self) -> tuple[Parameter, ...]:
        """Return the inputs of a material that its user chooses."""
        light = self.form.meaning("light")
        return light.parameters[4:] if light is not None else ()


def with_entries(form: ShaderForm) -> Entries | None:
    """Return a form with the entries of its meaning; None where it has none."""
    color, light = form.meaning("color"), form.meaning("light")
    taken = {one.name for one in form.functions} | {one.name for one in form.structs}

    def named(what: str) -> str:
        name = next(each for each in (f"{form.name}_{what}{'_' * bool(more)}{more or ''}"
                                      for more in range(len(taken) + 1))
                    if each not in taken)  # fmt: skip
        taken.add(name)
        return name

    names = {"channel": named("light_of"), "linear": named("linear")}
    added = _to_linear(names)
    if color is not None:
        names |= {"rgba": named("rgba"), "light": named("light_at")}
        added += _picture(form, color, names)
        area = next((one for one in form.public if one.name == f"{form.name}_area"), None)
        if area is not None:
            names |= {"rgba_area": named("rgba_area"), "light_area": named("light_area")}
            added += _picture(form, area, names, "_area")
    elif light is not None:
        names |= {"brdf": named("brdf"), "frame": named("frame")}
        own = replace(light, name=names["brdf"], about=light.about, public=False, joined=False,
                      body=(f"return {light.name}("
                            f"{', '.join(one.name for one in light.parameters)});",))  # fmt: skip
        added += [own, _frame(names["frame"])]
    elif form.maps:
        names |= {"maps": named("maps"), "frame": named("frame")}
        added += [_maps(form, names), _frame(names["frame"])]
    else:
        return None
    level = form.meaning("level")
    if level is not None:
        names["level"] = level.name
    return Entries(replace(form, functions=(*form.functions, *added)), names, _filled(form))


def _filled(form: ShaderForm) -> tuple[str, ...]:
    found = {one.meaning for one in form.maps}
    return tuple(name for column in COLUMNS for name, _ in column if name in found)


def _to_linear(names: dict[str, str]) -> list[Function]:
    channel = Function(
        "float", names["channel"], (Parameter("float", "x"),),
        ("if (x <= 0.04045) return max(x, 0.0) / 12.92;",
         "return exp(2.4 * log((x + 0.055) / 1.055));"),
        "Linear light of a channel that is sRGB-encoded.",
    )  # fmt: skip
    lanes = ", ".join(f"{channel.name}(c.{lane})" for lane in "xyz")
    return [channel, Function("float3", names["linear"], (Parameter("float3", "c"),),
                              (f"return float3({lanes});",))]  # fmt: skip


def _rgba(value: str, type_: str) -> tuple[str, str]:
    """Return a color's three channels, and its alpha."""
    if type_ == "float":
        return f"float3({value})", "1.0"
    if type_ == "float3":
        return value, "1.0"
    return f"{value}.xyz", f"{value}.w"


def _picture(
    form: ShaderForm, color: Function, names: dict[str, str], end: str = ""
) -> list[Function]:
    """Return the entries that return four numbers: as fitted, and in linear light."""
    listed = ", ".join(one.name for one in color.parameters)
    value, alpha = _rgba("c", color.result)
    rgba = Function("float4", names[f"rgba{end}"], color.parameters,
                    (f"const {color.result} c = {color.name}({listed});",
                     f"return float4({value}, {alpha});"),
                    "The color with alpha, in the space of what was fitted.")  # fmt: skip
    meant = form.meaning("color")
    srgb = meant is not None and meant.space == "srgb"
    light = f"{names['linear']}(c.xyz)" if srgb else "c.xyz"
    return [rgba, Function("float4", names[f"light{end}"], color.parameters,
                           (f"const float4 c = {rgba.name}({listed});",
                            f"return float4({light}, c.w);"),
                           "The color in linear light, with alpha.")]  # fmt: skip


def _maps(form: ShaderForm, names: dict[str, str]) -> Function:
    """Return the entry that evaluates all maps of shading at once."""
    channels = form.meaning("channels")
    lines, together = list[str](), False
    values = dict[str, str]()
    for one in form.maps:
        if one.meaning in MISSING:
            decoder = form.decoder(one) if channels is not None else None
            together |= decoder is not None
            call = f"{one.name}(uv, level)" if decoder is None else f"{decoder.name}(at)"
            lines.append(f"const {one.result} {one.meaning}_ = {call};")
            values[one.meaning] = _lanes(f"{one.meaning}_", one, names)
            if one.meaning == "albedo" and one.result == "float4":
                values.setdefault("opacity", "albedo_.w")
    if together and channels is not None:
        lines.insert(0, f"const {channels.result} at = {channels.name}(uv, level);")
    columns = [", ".join(values.get(name, MISSING[name]) for name, _ in column)
               for column in COLUMNS]  # fmt: skip
    return Function(
        "mat4", names["maps"], (UV, LEVEL),
        (*lines, f"return mat4({', '.join(f'float4({column})' for column in columns)});"),
        "Columns: albedo in linear light and opacity; normal and displacement; ambient occlusion, "
        "roughness and metallic; emission in linear light.",
    )  # fmt: skip


def _lanes(value: str, one: Function, names: dict[str, str]) -> str:
    """Return the lanes of a map's value: three of a color or a normal, else one."""
    wide = MISSING[one.meaning].startswith("float3")
    if not wide:
        return value if one.result == "float" else f"{value}.x"
    color = {"float": f"float3({value})", "float3": value,
             "float2": f"float3({value}, 0.0)"}.get(one.result, f"{value}.xyz")  # fmt: skip
    return f"{names['linear']}({color})" if one.space == "srgb" else color


def _frame(name: str) -> Function:
    """Return the entry that makes a tangent frame from derivatives.

    Its sign does not depend on whether rows of pixels go up or down.
    """
    return Function(
        "mat3", name,
        (Parameter("float3", "normal", "of length 1; all in one space"),
         Parameter("float3", "px", "step of the position to the next pixel across"),
         Parameter("float3", "py", "and to the next row"),
         Parameter("float2", "ux", "likewise of uv with v up"), Parameter("float2", "uy")),
        ("const float turn = sign(ux.x * uy.y - ux.y * uy.x);",
         "const float3 along = (px * uy.y - py * ux.y) * turn;",
         "const float3 up = (py * ux.x - px * uy.x) * turn;",
         "const float3 leaning = along - normal * dot(normal, along);",
         "const float3 tangent = leaning * inversesqrt(max(dot(leaning, leaning), 1e-30));",
         "const float3 across = cross(normal, tangent);",
         "return mat3(tangent, across * sign(dot(across, up)), normal);"),
        "Columns: where u grows, where v grows up, and the normal.",
    )  # fmt: skip
