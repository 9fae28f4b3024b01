"""A fitted PBR set in a fragment shader of OpenGL, without neuralshade's own kernels.

    python examples/export/lit_maps.py bark.nsh [--size 512] [-o out/lit_maps.png]

Exports the set as GLSL, draws a lit square with it through moderngl (pip install moderngl), and
writes a picture. The program below is all that an engine needs besides the exported text.
"""

import argparse
import tempfile
from pathlib import Path

import moderngl
import numpy as np

import neuralshade

VERTICES = """#version 450
out vec2 place;
void main()
{
    place = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
    gl_Position = vec4(place * 2.0 - 1.0, 0.0, 1.0);
}
"""
PIXELS = """
in vec2 place;
out vec4 color;
void main()
{
    vec2 uv = vec2(place.x, 1.0 - place.y); // v goes down
    maps_channels maps = maps_bilinear(uv, maps_level(dFdx(uv), dFdy(uv)));
    vec3 normal = maps_normal(maps);
    vec3 light = normalize(vec3(0.5, 0.6, 0.6));
    vec3 half_way = normalize(light + vec3(0.0, 0.0, 1.0));
    float rough = maps_roughness(maps);
    float shininess = 2.0 / max(rough * rough * rough * rough, 1e-3);
    vec3 linear = pow(maps_albedo(maps), vec3(2.2)) * max(dot(normal, light), 0.0);
    linear += 0.04 * pow(max(dot(normal, half_way), 0.0), shininess) * (shininess + 2.0) / 8.0;
    color = vec4(pow(linear * 2.0 + 0.02, vec3(1.0 / 2.2)), 1.0);
}
"""


def draw(asset: str | Path, size: int) -> np.ndarray:
    """Return a square lit from above right: uint8 [size, size, 3]."""
    with tempfile.TemporaryDirectory() as folder:
        neuralshade.export(asset, "glsl", folder, name="maps")
        text = (Path(folder) / "maps.glsl").read_text()
        words = (Path(folder) / "maps.bin").read_bytes()
    context = moderngl.create_context(standalone=True, backend="egl", require=450)
    program = context.program(VERTICES, "#version 450\n" + text + PIXELS)
    context.buffer(words).bind_to_storage_buffer(0)
    frame = context.simple_framebuffer((size, size), components=3)
    frame.use()
    context.vertex_array(program, []).render(vertices=3)
    pixels = np.frombuffer(frame.read(components=3, alignment=1), np.uint8)
    context.release()
    return pixels.reshape(size, size, 3)[::-1].copy()


def main() -> None:
    """Draw, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("asset", type=Path)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("-o", "--output", type=Path, default=Path("out/lit_maps.png"))
    given = parser.parse_args()
    given.output.parent.mkdir(exist_ok=True)
    neuralshade.save_picture(given.output, draw(given.asset, given.size) / np.float32(255), "srgb")
    print(given.output)


if __name__ == "__main__":
    main()
