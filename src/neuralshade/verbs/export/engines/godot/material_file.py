"""A ShaderMaterial of Godot as a text resource, with its textures inside."""

from __future__ import annotations

import base64
from dataclasses import dataclass

FORMAT = 4  # of text resources with bytes in base64: Godot 4.3 and newer


@dataclass(frozen=True)
class Picture:
    """A texture: RGBA, four bytes a texel, row 0 above."""

    uniform: str
    width: int
    height: int
    texels: bytes  # of all levels
    mipmaps: bool = False


def material_text(shader: str, pictures: list[Picture]) -> str:
    """Return NAME.tres. ``shader``: the file of the shader, in the same folder."""
    lines = [f'[gd_resource type="ShaderMaterial" load_steps={2 + 2 * len(pictures)} '
             f"format={FORMAT}]", "", f'[ext_resource type="Shader" path="{shader}" id="1"]',
             ""]  # fmt: skip
    for one in pictures:
        content = base64.b64encode(one.texels).decode()
        lines += [f'[sub_resource type="Image" id="Image_{one.uniform}"]', "data = {",
                  f'"data": PackedByteArray("{content}"),', '"format": "RGBA8",',
                  f'"height": {one.height},', f'"mipmaps": {str(one.mipmaps).lower()},',
                  f'"width": {one.width}', "}", "",
                  f'[sub_resource type="ImageTexture" id="Texture_{one.uniform}"]',
                  f'image = SubResource("Image_{one.uniform}")', ""]  # fmt: skip
    lines += ["[resource]", 'shader = ExtResource("1")']
    lines += [f'shader_parameter/{one.uniform} = SubResource("Texture_{one.uniform}")'
              for one in pictures]  # fmt: skip
    return "\n".join([*lines, ""])
