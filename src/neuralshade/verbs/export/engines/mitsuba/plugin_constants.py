"""Constants of a Mitsuba plugin: which function of the form serves which purpose."""

from __future__ import annotations

from neuralshade.model.shader_form import Function, ShaderForm

PLUGIN = "neuralshade_{name}"
PRINCIPLED = {
    "base_color": ("albedo", "base_color"),
    "roughness": ("roughness",),
    "metallic": ("metallic",),
}  # parameters of that BSDF, and names of their maps
LANES = {1: None, 2: "xy", 3: "xyz", 4: "xyz"}  # of a map's numbers, what a texture returns


def constants(form: ShaderForm, stem: str) -> list[str]:
    """Return the lines of constants that the plugin's code reads."""
    level = form.meaning("level")
    own = _bsdf(form) if form.meaning("light") else _maps(form)
    return [f"PLUGIN = {PLUGIN.format(name=form.name)!r}", f"NUMBERS = {stem + '.npy'!r}",
            f"LEVEL = {level.name if level else None!r}  # function: level of a footprint",
            *own]  # fmt: skip


def _bsdf(form: ShaderForm) -> list[str]:
    """Return the calls of a material."""
    found = []
    for title, meaning in (("LIGHT", "light"), ("SAMPLE", "direction"), ("DENSITY", "density")):
        function = form.meaning(meaning)
        assert function is not None, meaning
        arguments = tuple(one.name for one in function.parameters)
        found.append(f"{title} = {function.name!r}, {arguments!r}")
    return [*found, f"INPUTS = {inputs_of(form)!r}"]


def inputs_of(form: ShaderForm) -> dict[str, float]:
    """Return the varied inputs of a material, with what they usually are."""
    light = form.meaning("light")
    assert light is not None
    return {one.name: one.values[2] for one in light.parameters if one.values is not None}


def maps_of(form: ShaderForm) -> dict[str, tuple[str, str | None, str, bool]]:
    """Return by the name of a map: its function, lanes, color space, and whether it has levels."""
    color = form.meaning("color")
    if color is None:
        return {one.meaning: _map(one, LANES[_width(one)]) for one in form.maps}
    # Of two numbers, the second is alpha
    found = {"color": _map(color, "x" if _width(color) == 2 else LANES[_width(color)])}
    if _width(color) in (2, 4):
        name, _, _, leveled = found["color"]
        found["alpha"] = name, "xyzw"[_width(color) - 1], "", leveled
    return found


def _map(one: Function, lanes: str | None) -> tuple[str, str | None, str, bool]:
    normal = one.meaning == "normal" and _width(one) == 3
    return one.name, lanes, "normal" if normal else one.space, len(one.parameters) > 1


def _width(function: Function) -> int:
    return int(function.result[-1]) if function.result[-1].isdigit() else 1


def principled_maps(form: ShaderForm) -> dict[str, str]:
    """Return the maps of Mitsuba's principled BSDF, by parameter."""
    names = [one.meaning for one in form.maps]
    return {key: name for key, known in PRINCIPLED.items() for name in known if name in names}


def _maps(form: ShaderForm) -> list[str]:
    maps = [f"    {name!a}: {value!r}," for name, value in maps_of(form).items()]
    return ["# Of each map: function, lanes, color space, whether it has mip levels.",
            "MAPS = {", *maps, "}", f"PRINCIPLED = {principled_maps(form)!r}"]  # fmt: skip
