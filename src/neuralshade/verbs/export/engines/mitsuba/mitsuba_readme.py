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

RAN = ("Ran in Mitsuba 3.9.1 on 2026-11-29, variants scalar_rgb and llvm_ad_rgb (LLVM 19). "
       "cuda_ad_rgb runs the same code through Dr.Jit; it was not run.")  # fmt: skip
UV = ("u runs to the right and v down, as Mitsuba's `bitmap` has it. Its `rectangle` has v up: "
      "there a picture stands on its head, as a bitmap does. `to_uv` with a scale of 1, -1 and "
      "then a move of 0, 1 turns it.")  # fmt: skip


def readme_text(form: ShaderForm, stem: str) -> str:
    """Return one screen: how to import the module, what to write, what holds."""
    light = form.meaning("light")
    facts = [f"- {title}: {plain(fact)}" for title, fact in form.facts.items()]
    own = _material(form) if light else _textures(form)
    lines = [
        f"# {form.name} in Mitsuba 3", "", *facts, "",
        f"Put `{stem}.py` and `{stem}.npy` into one folder, and import the module after "
        "`import mitsuba`:", "", "```python", "import mitsuba as mi", 'mi.set_variant("llvm_ad_rgb")',
        f"import {stem} # registers {PLUGIN.format(name=form.name)}, also for variants set later",
        "```", "", *own, "", "## Facts", "", f"- {UV}", *_level(form),
        "- Variants: scalar_rgb, llvm_ad_rgb and cuda_ad_rgb. Spectral, mono and polarized variants "
        "are not registered.", "- A scalar variant evaluates in Python: 0.1 to 1 ms a sample, "
        "for one thread at a time. Use it for tests, and llvm or cuda for pictures.",
        "- llvm variants need LLVM 17 or newer; if Mitsuba takes another one, set "
        "`DRJIT_LIBLLVM_PATH`.", f"- {RAN}", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _scene(plugin: str, kind: str, parameters: dict[str, object]) -> list[str]:
    """Return a plugin in a scene's dict, and in XML."""
    xml_kinds = {str: "string", float: "float", bool: "boolean"}
    inner = "".join(f'\n    <{xml_kinds[type(value)]} name="{name}" value="{value}"/>'
                    for name, value in parameters.items())  # fmt: skip
    listed = "".join(f', "{name}": {value!r}' for name, value in parameters.items())
    end = f">{inner}\n</{kind}>" if inner else "/>"
    return ["```python", f'{{"type": "{plugin}"{listed}}}', "```", "",
            "```xml", f'<{kind} type="{plugin}"{end}', "```"]  # fmt: skip


def _material(form: ShaderForm) -> list[str]:
    inputs = inputs_of(form)
    plugin = PLUGIN.format(name=form.name)
    more = []
    if inputs:
        listed = ", ".join(f"`{name}` ({value:g})" for name, value in inputs.items())
        more = ["", f"Inputs that vary: {listed}. Each is a number or a texture, and is a "
                "parameter for `mi.traverse`."]  # fmt: skip
    return [
        "## A BSDF", "", *_scene(plugin, "bsdf", {"level": 0.0, **inputs}), *more, "",
        "It has eval (f * cos), sample, pdf and eval_pdf, and reflects on the front alone: put "
        "`twosided` around it for the back. The material's x axis lies along u, y against v, "
        "z along the shading normal, whichever way v runs on a shape; a shape needs texture "
        "coordinates.",
    ]  # fmt: skip


def _textures(form: ShaderForm) -> list[str]:
    plugin, maps = PLUGIN.format(name=form.name), maps_of(form)
    lines = ["## Textures", "", "`map` is one of "
             + ", ".join(f"`{plain(name)}`" for name in maps) + "; the first is the default.", "",
             *_scene(plugin, "texture", {"map": next(iter(maps)), "raw": False}), "",
             "Colors come out linear: sRGB-encoded ones are clamped to 0 to 1 and decoded, unless "
             "`raw` is true. Other maps come out as they are."]  # fmt: skip
    if any(space == "normal" for _, _, space, _ in maps.values()):
        lines[-1] += " Normals come out as Mitsuba's `normalmap` reads them, 0 to 1."
    if principled_maps(form):
        used = ["opacity", "normal", *principled_maps(form).values()]
        left = [f"`{plain(name)}`" for name in maps if name not in used]
        lines += ["", f"`{form.name}_principled(**parameters)` of the module returns Mitsuba's "
                  "`principled` BSDF with all maps that it takes, as a dict for a scene."]  # fmt: skip
        if left:
            lines[-1] += f" Left out: {', '.join(left)}."
    return lines


def _level(form: ShaderForm) -> list[str]:
    if form.meaning("level") is None:
        return []
    return ["- `level` is the mip level, 0 by default. Mitsuba's integrators give no footprints; "
            "`footprint` = true adds the level of `si.duv_dx` and `si.duv_dy` where yours computes "
            "them (`si.compute_uv_partials`)."]  # fmt: skip
