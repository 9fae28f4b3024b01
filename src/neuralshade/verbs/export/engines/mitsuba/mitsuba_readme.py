"""README.md of an export to Mitsuba."""

from __future__ import annotations

from neuralshade.base.message_text import plain
from neuralshade.model.shader_form import ShaderForm
from neuralshade.verbs.export.engines.mitsuba.plugin_constants import (
    PLUGIN,
    inputs_of,
    maps_of,
    principled_maps,
)
from neuralshade.verbs.export.engines.readme_parts import page

XML_KINDS = {str: "string", float: "float", bool: "boolean"}
RAN = ("2026-11-29: run in Mitsuba 3.9.1, variants scalar_rgb and llvm_ad_rgb (LLVM 19), and "
       "compared with the asset. cuda_ad_rgb runs the same code, and was never run.")  # fmt: skip
UV = ("u runs to the right and v down, as Mitsuba's `bitmap` has it. Mitsuba's `rectangle` has v "
      "up: a picture stands on its head there, as a bitmap does. `to_uv` of a scale of 1, -1 and "
      "then a move of 0, 1 turns it.")  # fmt: skip
LEVEL = (
    "`level` is the mip level, 0 by default. Mitsuba's integrators compute no footprints; "
    "`footprint` = true adds the level of `si.duv_dx` and `si.duv_dy`, where yours does."
)
GENERAL = (
    "Variants: scalar_rgb, llvm_ad_rgb and cuda_ad_rgb. In spectral, mono and polarized ones the "
    "plugin is not registered.",
    "A scalar variant evaluates in Python, .1 to 3 ms a sample, one thread at a time. Use it for "
    "tests, and llvm or cuda for pictures.",
    "llvm variants ran with LLVM 19; with 15 and 16 Mitsuba aborts. `DRJIT_LIBLLVM_PATH` names "
    "the library, where Mitsuba takes another one.",
)  # fmt: skip


def readme_text(form: ShaderForm, stem: str) -> str:
    """Return one screen: how to import the module, what to write, what holds."""
    plugin = PLUGIN.format(name=form.name)
    steps = [
        f"Put `{stem}.py` and `{stem}.npy` into one folder, where Python finds modules.",
        f"`import {stem}` after `import mitsuba`, before or after `mi.set_variant`. It registers "
        f"`{plugin}`, and needs nothing else of neuralshade.",
        "Write the plugin into a scene, as below.",
    ]  # fmt: skip
    own = _material(form, plugin) if form.meaning("light") else _textures(form, plugin)
    leveled = [LEVEL] if form.meaning("level") else []
    return page(form, "Mitsuba 3", steps, [*own, ""], [UV, *leveled, *GENERAL, RAN])


def _scene(plugin: str, kind: str, parameters: dict[str, object]) -> list[str]:
    """Return a plugin in a scene's dict, and in XML."""
    listed = "".join(f', "{name}": {_python(value)}' for name, value in parameters.items())
    inner = [f'    <{XML_KINDS[type(value)]} name="{name}" value="{_xml(value)}"/>'
             for name, value in parameters.items()]  # fmt: skip
    return ["```python", f'{{"type": "{plugin}"{listed}}}', "```", "", "```xml",
            f'<{kind} type="{plugin}">', *inner, f"</{kind}>", "```"]  # fmt: skip


def _python(value: object) -> str:
    return f'"{plain(value)}"' if isinstance(value, str) else str(value)


def _xml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else plain(str(value))


def _material(form: ShaderForm, plugin: str) -> list[str]:
    inputs = inputs_of(form)
    lines = ["## BSDF", "", *_scene(plugin, "bsdf", {"level": 0.0, **inputs}), "",
             "It has eval (f * cos), sample, pdf and eval_pdf, and reflects on the front alone: "
             "`twosided` around it has the back too. Its x axis lies along u, y against v, z along "
             "the shading normal, whichever way v runs on a shape. The shape needs texture "
             "coordinates."]  # fmt: skip
    if inputs:
        listed = ", ".join(f"`{name}` ({value:g})" for name, value in inputs.items())
        lines += ["", f"Inputs that vary: {listed}. Each is a number or a texture, and "
                  "`mi.traverse` finds it."]  # fmt: skip
    return lines


def _textures(form: ShaderForm, plugin: str) -> list[str]:
    maps, principled = maps_of(form), principled_maps(form)
    lines = [
        "## Textures",
        "",
        *_scene(plugin, "texture", {"map": next(iter(maps)), "raw": False}),
        "",
        "`map` is one of these, and the first by default: "
        + ", ".join(f"`{plain(name)}`" for name in maps)
        + ". Colors come out linear: "
        "sRGB-encoded ones are clamped to 0 to 1 and decoded, unless `raw` is true.",
    ]
    if any(space == "normal" for _, _, space, _ in maps.values()):
        lines[-1] += " Normals come out as Mitsuba's `normalmap` reads them, 0 to 1."
    if principled:
        used = {"opacity", "normal", *principled.values()}
        left = [f"`{plain(name)}`" for name in maps if name not in used]
        lines += [
            "",
            f"`{form.name}_principled(**parameters)` of the module returns Mitsuba's "
            "`principled` BSDF with the maps that it takes, as a dict for a scene.",
        ]
        lines[-1] += f" Left out: {', '.join(left)}." if left else ""
    return lines
