"""README.md of an export to Unreal Engine."""

from __future__ import annotations

from neuralshade.verbs.export.engines.readme_parts import SHORTER, page, table
from neuralshade.verbs.export.engines.surface import Surface
from neuralshade.verbs.export.engines.unreal.custom_node import CustomNode, UnrealAsset
from neuralshade.verbs.export.texture_files import file_of

RAN = ("2026-11-29: compiled by DXC in a stand-in for Unreal's material function, run on Vulkan, "
       "and compared with the asset. Never opened in Unreal.")  # fmt: skip
TYPES = {"float": "CMOT Float 1", "float2": "CMOT Float 2", "float3": "CMOT Float 3",
         "float4": "CMOT Float 4"}  # fmt: skip
# Where values of a role go: pins of the material.
PINS = {"albedo": "Base Color", "normal": "Normal", "metallic": "Metallic",
        "roughness": "Roughness", "occlusion": "Ambient Occlusion", "emission": "Emissive Color",
        "opacity": "Opacity Mask", "specular": "Specular", "color": "Base Color",
        "light": "Emissive Color of an Unlit material"}  # fmt: skip
SOURCES = {"UV": "TextureCoordinate", "Level": "a Custom node of the Level code below, or 0",
           "Wi": "direction to the light, TransformVector to tangent space",
           "Wo": "CameraVector, TransformVector to tangent space"}  # fmt: skip


def readme_text(printer: UnrealAsset, surface: Surface, stem: str) -> str:
    """Return the steps that bring an asset into a material."""
    node, *others = printer.nodes(surface)
    steps = [f"Copy `Shaders/{stem}.ush` into the folder `Shaders` beside your .uproject file; "
             "make it where there is none. Restart the editor: it maps that folder to /Project.",
             *_imports(printer, stem),
             "In a material add a Custom node. In its Details set Code to the line below (it is in "
             f"`{stem}_{node.title}.txt`), Output Type to {TYPES[node.outputs[0][0]]}, and add to "
             f"Include File Paths `/Project/{stem}.ush`.",
             "Add the inputs and Additional Outputs of the table, in any order, names as "
             "written."]  # fmt: skip
    body = ["```hlsl", node.code, "```", "", *table(
        ("", "name", "type", "connect"), _ports(printer, surface, node, stem))]  # fmt: skip
    if others:
        body += ["Further Custom nodes, with the same include file:", "",
                 *(_other(one) for one in others), ""]  # fmt: skip
    return page(printer.form, "Unreal Engine", steps, body, _facts(printer, surface))


def _imports(printer: UnrealAsset, stem: str) -> list[str]:
    steps = []
    if printer.reads_words:
        steps.append(f"Drag `{stem}_numbers.tga` into the Content Browser. In its editor set: "
                     "Compression Settings VectorDisplacementmap (RGBA8), sRGB off, Mip Gen "
                     "Settings NoMipmaps, Filter Nearest, Never Stream on, Virtual Texture "
                     "Streaming off. Magenta means that one of these is different.")  # fmt: skip
    if printer.form.textures:
        beyond = "Wrap" if printer.form.textures[0].wraps else "Clamp"
        colors = [f"`{file_of(one, stem, 'dds')}`" for one in printer.form.textures
                  if one.format.endswith("_srgb")]  # fmt: skip
        on = f"on for {', '.join(colors)}, off for the others" if colors else "off"
        steps.append(f"Import the `.dds` files (Unreal 5.1 or newer). Set: Compression Settings "
                     f"VectorDisplacementmap (RGBA8), sRGB {on}, Mip Gen Settings "
                     f"LeaveExistingMips, X- and Y-axis Tiling Method {beyond}.")  # fmt: skip
    return steps


def _ports(
    printer: UnrealAsset, surface: Surface, node: CustomNode, stem: str
) -> list[tuple[str, ...]]:
    rows = list[tuple[str, ...]]()
    for name, texture in printer.inputs.items():
        file = f"{stem}_numbers" if texture is None else file_of(texture, stem, "dds")[:-4]
        rows.append(("input", name, "texture", f"Texture Object of `{file}`, its Sampler Type as "
                     "the editor proposes"))  # fmt: skip
    for kind, name in node.inputs:
        about = surface.about(name)
        rows.append(("input", name, kind, SOURCES.get(name, about)))
    pins = {own: PINS.get(one.role, "") for one in surface.values for own, _, _ in one.outputs}
    pins |= {"Alpha": "Opacity"}
    for place, (kind, name) in enumerate(node.outputs):
        which = ("additional output", name) if place else ("output", f"return ({name})")
        rows.append((*which, TYPES[kind], pins.get(name, "")))
    return rows


def _other(node: CustomNode) -> str:
    inputs = ", ".join([*node.textures, *(name for _, name in node.inputs)])
    more = ", ".join(f"{name} ({TYPES[kind]})" for kind, name in node.outputs[1:])
    more = f"; additional outputs {more}" if more else ""
    return (f"- {node.title}: `{node.code}`; Output Type {TYPES[node.outputs[0][0]]}; inputs "
            f"{inputs}{more}. {node.about}")  # fmt: skip


def _facts(printer: UnrealAsset, surface: Surface) -> list[str]:
    facts = ["UV has v down, as Unreal's."]
    if surface.kind == "light":
        facts += ["Wi and Wo are in Unreal's tangent space, of length 1, away from the surface. "
                  "Multiply by the light's color."]  # fmt: skip
    elif any(one.space for one in surface.values):
        facts += ["Colors come out in linear light: of sRGB-encoded assets the node decodes them."]
    if surface.role("normal") is not None:
        facts += ["Normals come out in tangent space with y down, as Unreal's are: the node has "
                  "flipped the asset's y."]  # fmt: skip
    if printer.reads_words:
        facts += ["The asset's grids are in the TGA, a word in each texel. It is no PNG, as "
                  "Unreal may replace colors of transparent PNG texels."]  # fmt: skip
    if printer.in_text and printer.form.networks:
        facts += [f"The network's numbers stand in the text. {SHORTER}"]
    if not printer.form.textures:
        facts += ["Values are evaluated at each pixel, without hardware filtering."]
    return [*facts, "A change of the .ush file shows after `recompileshaders changed`.", RAN]
