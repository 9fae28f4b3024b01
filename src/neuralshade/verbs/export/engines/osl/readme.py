"""README.md of an export to OSL."""

from __future__ import annotations

from neuralshade.base.message_text import plain
from neuralshade.model.shader_form import ShaderForm
from neuralshade.verbs.export.engines.osl.shader import OslShader
from neuralshade.verbs.export.engines.readme_parts import page, table
from neuralshade.verbs.export.engines.surface import Surface

RAN = ("2026-11-29: compiled and rendered by Cycles of Blender 5.0.1 on the CPU, and compared with "
       "the asset. Never opened in Arnold or RenderMan, whose compiler is the same.")  # fmt: skip


def readme_text(form: ShaderForm, surface: Surface, shader: OslShader, stem: str) -> str:
    """Return the steps that bring a shader into Blender, and its ports."""
    steps = [
        "In Blender set Render Engine to Cycles, Device to CPU, and turn on Open Shading Language "
        "in the render properties.",
        f"Add a Script node (Add, Script), choose External and `{stem}.osl`. The button beside it "
        "compiles; Blender writes the `.oso` file beside the `.osl`.",
        "Connect UV of a Texture Coordinate node, and the outputs of the table.",
        f"Elsewhere compile it once, `oslc {stem}.osl`, and put `{stem}.oso` into the renderer's "
        f"folder of shaders. The shader is called `{shader.name}`.",
    ]  # fmt: skip
    rows = [(f"`{one.name}`", one.type, plain(one.about)) for one in shader.outputs]
    body = table(("output", "type", "what it is"), rows)
    return page(form, "OSL: Blender, Arnold, RenderMan", steps, body, _facts(surface))


def _facts(surface: Surface) -> list[str]:
    facts = ["`v_up` (V goes up) is on for v as in Blender, Arnold and most others. Turn it off "
             "where v goes down."]  # fmt: skip
    if any(one.space for one in surface.values):
        facts += ["Colors come out linear, with the primaries of sRGB: of sRGB-encoded assets the "
                  "shader decodes them."]  # fmt: skip
    if surface.role("normal") is not None:
        facts += ["Normals are encoded as in a normal map, y up: connect them to a Normal Map node "
                  "as data."]  # fmt: skip
    if surface.leveled:
        facts += ["`Level` 0 is the finest. A path tracer averages its samples, so far surfaces "
                  "need no higher one; it saves noise there."]  # fmt: skip
    if surface.stochastic is not None:
        facts += ["`stochastic` (Stochastic) evaluates one texel a sample, which a hash of UV "
                  "chooses, instead of four: less work, more noise, the same mean."]  # fmt: skip
    return [*facts, "All numbers stand in the text. Values are evaluated at each sample.", RAN]
