"""README.md of an export to Unity."""

from __future__ import annotations

from neuralshade.verbs.export.engines.readme_parts import SHORTER, TYPES, page, table
from neuralshade.verbs.export.engines.surface import Surface
from neuralshade.verbs.export.engines.unity.shader_graph import Node, UnityAsset
from neuralshade.verbs.export.texture_files import file_of

RAN = ("2026-11-29: compiled by DXC with stand-ins for Unity's macros, run on Vulkan, and compared "
       "with the asset. Never opened in Unity.")  # fmt: skip
# Where values of a role go: blocks of the master stack, in URP and HDRP.
BLOCKS = {"albedo": "Base Color", "normal": "Normal (Tangent Space)", "metallic": "Metallic",
          "occlusion": "Ambient Occlusion", "emission": "Emission", "opacity": "Alpha",
          "color": "Base Color"}  # fmt: skip
PUNCTUAL = ("Multiply Light by the light's color and by pi: Unity's lights have no 1 / pi in URP. "
            "Put the sum into Emission, or Base Color of an Unlit graph.")  # fmt: skip


def readme_text(printer: UnityAsset, surface: Surface, stem: str) -> str:
    """Return the steps that bring an asset into a Shader Graph."""
    node, *others = printer.nodes(surface)
    name = printer.form.name
    steps = ["Copy all files of this folder into a folder of your project's "
             f"`Assets`{_meta(printer)}.",
             *_imports(printer, stem),
             f"Unity 6.5 or newer: in a Shader Graph, Create Node > neuralshade > {name} > {name} "
             f"{node.title}.",
             "Older, from 2020.2 on: Create Node > Custom Function. In the Graph Inspector's Node "
             f"Settings choose Type File, Source `{stem}.hlsl`, Name `{node.name}` (without "
             "_float), and add these inputs and outputs, in this order:"]  # fmt: skip
    body = table(("", "name", "type", "connect"), _ports(printer, surface, node, stem))
    if others:
        body += ["Further nodes, to add likewise:", "", *(_other(one) for one in others), ""]
    return page(printer.form, "Unity", steps, body, _facts(printer, surface))


def _meta(printer: UnityAsset) -> str:
    return ", the `.meta` file too: it has the import settings" * printer.reads_words


def _imports(printer: UnityAsset, stem: str) -> list[str]:
    steps = []
    if printer.reads_words:
        steps.append(f"Select `{stem}_numbers.png`. The Inspector has to show: sRGB off, "
                     "Non-Power of 2 None, Generate Mip Maps off, Filter Mode Point, Max Size "
                     "2048, Compression None. Magenta means that one of these is different."
                     )  # fmt: skip
    if printer.form.textures:
        beyond = "Repeat" if printer.form.textures[0].wraps else "Clamp"
        colors = [file_of(one, stem, "dds") for one in printer.form.textures
                  if one.format.endswith("_srgb")]  # fmt: skip
        on = f"on for `{'`, `'.join(colors)}`, off for the others" if colors else "off"
        steps.append(f"Select each `.dds` file and set: sRGB {on}, Filter Mode Trilinear, Wrap "
                     f"Mode {beyond}, Texture Type Default, for normals too. Its mip levels are "
                     "those that were fitted. Where Unity takes no DDS, the PNG has the finest "
                     "level alone.")  # fmt: skip
    return steps


def _ports(printer: UnityAsset, surface: Surface, node: Node, stem: str) -> list[tuple[str, ...]]:
    rows = list[tuple[str, ...]]()
    for name, texture in printer.inputs.items():
        file = f"{stem}_numbers.png" if texture is None else file_of(texture, stem, "dds")
        rows.append(("input", name, "Texture 2D", f"Texture 2D Asset: `{file}`"))
    sources = {"UV": "UV", "Level": f"`{printer.form.name}_Level`, or 0",
               "Wi": "direction to the light, Transform to Tangent",
               "Wo": "View Direction, Tangent space"}  # fmt: skip
    for kind, name in node.inputs:
        about = surface.about(name)
        rows.append(("input", name, TYPES[kind], sources.get(name, about)))
    blocks = {one.name: BLOCKS.get(one.role, "") for one in surface.values}
    blocks |= {"Smoothness": "Smoothness", "Alpha": "Alpha"}
    rows += [("output", name, TYPES[kind], blocks.get(name, "")) for kind, name in node.outputs]
    return rows


def _other(node: Node) -> str:
    inputs = ", ".join([*node.textures, *(name for _, name in node.inputs)])
    outputs = ", ".join(f"{name} ({TYPES[kind]})" for kind, name in node.outputs)
    return f"- `{node.name}`: inputs {inputs}; outputs {outputs}. {node.about}"


def _facts(printer: UnityAsset, surface: Surface) -> list[str]:
    facts = ["UV is Unity's, v up; the functions flip it. Nothing else has to be flipped."]
    if surface.kind == "light":
        facts += ["Wi and Wo are in tangent space, of length 1, away from the surface. " + PUNCTUAL]
    elif any(one.space for one in surface.values):
        facts += ["Colors come out in the project's color space: linear, or sRGB-encoded where "
                  "UNITY_COLORSPACE_GAMMA is defined."]  # fmt: skip
    if surface.role("normal") is not None:
        facts += ["Normals are unit vectors in tangent space, y up as Unity's: no Normal Unpack."]
    if printer.reads_words:
        facts += ["The network's grids are in the PNG, a word in each texel, as graphs bind no "
                  "buffers. Text and PNG belong together: export both again."]  # fmt: skip
    if printer.in_text and printer.form.networks:
        facts += [f"The network's numbers stand in the text. {SHORTER}"]
    if not printer.form.textures:
        facts += ["Values are evaluated at each pixel, without hardware filtering."]
    return [*facts, "In .shader files include the .hlsl file after Core.hlsl and Texture.hlsl of "
            "com.unity.render-pipelines.core.", RAN]  # fmt: skip
