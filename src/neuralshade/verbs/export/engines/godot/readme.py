"""README.md of an export to Godot."""

from __future__ import annotations

from neuralshade.verbs.export.engines.godot.shader import BUILT_IN, GodotShader
from neuralshade.verbs.export.engines.readme_parts import SHORTER, page
from neuralshade.verbs.export.engines.surface import Surface

RAN = ("2026-11-29: compiled as GLSL ES 3.00 by Mesa with stand-ins for Godot's built-ins, run, "
       "and compared with the asset. Never opened in Godot.")  # fmt: skip


def readme_text(printer: GodotShader, surface: Surface, stem: str) -> str:
    """Return the steps that bring an asset into a scene."""
    steps = [f"Copy `{stem}.gdshader` and `{stem}.tres` into one folder of your project (Godot 4.3 "
             "or newer). Nothing is imported: the material has all numbers."]  # fmt: skip
    if surface.kind == "color":
        steps += ["Add a ColorRect to a scene, of the picture's proportions.",
                  f"Drag `{stem}.tres` from the FileSystem dock to CanvasItem > Material > "
                  "Material of its Inspector.",
                  "If Project Settings > Rendering > Viewport > HDR 2D is on, turn on the "
                  "material's parameter Hdr 2d."]  # fmt: skip
    else:
        steps += ["Select a MeshInstance3D whose mesh has UVs and tangents.",
                  f"Drag `{stem}.tres` from the FileSystem dock to Geometry > Material Override "
                  "of its Inspector.",
                  "`Uv Scale` and `Uv Offset` among the material's Shader Parameters repeat and "
                  "move it."]  # fmt: skip
    if surface.stochastic is not None:
        steps += ["`Stochastic` evaluates one texel of each pixel: a quarter of the work, with "
                  "noise for temporal antialiasing."]  # fmt: skip
    return page(printer.form, "Godot", steps, [], _facts(printer, surface))


def _facts(printer: GodotShader, surface: Surface) -> list[str]:
    facts = ["UV has v down, as Godot's: nothing is flipped."]
    if surface.kind == "maps":
        used = [one for one in surface.values if one.role in BUILT_IN]
        others = [f"`{one.name}`" for one in surface.values if one.role not in BUILT_IN]
        facts += [f"fragment() sets {', '.join(BUILT_IN[one.role].split(' ')[0] for one in used)}. "
                  "One evaluation serves all maps, at the level of the pixel's footprint."
                  ] * bool(used)  # fmt: skip
        facts += [f"{', '.join(others)}: not used; the shader's comments say how to call them."
                  ] * bool(others)  # fmt: skip
        facts += ["Normals: tangent space, y up, as Godot's."] * any(
            one.role == "normal" for one in used)  # fmt: skip
    if surface.kind == "light":
        facts += ["light() adds f * cos for each light that reaches the surface; LIGHT_COLOR has "
                  "the factor pi already. Environments and lightmaps add nothing."]  # fmt: skip
    if printer.in_text and printer.form.networks:
        facts += ["The network's numbers stand in the shader. Versions of Godot that write "
                  f"literals with 6 digits are off by 2e-5 or less. {SHORTER}"]  # fmt: skip
    if printer.reads_words:
        facts += [f"`{printer.numbers}` holds the asset's grids, a word in each texel: uniforms "
                  "end at 64 KB, of mobiles at 16."]  # fmt: skip
    return [*facts, RAN]
