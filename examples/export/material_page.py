"""A fitted material on a page of WebGPU: a sphere that turns with a light, in one file.

    python examples/export/material_page.py tray.nsh [-o out/material.html]

Exports the material as WGSL and writes a page that holds the text and the numbers; open it in
a browser with WebGPU. The shader below is all that a page needs besides the exported text.
"""

import argparse
import base64
import json
import tempfile
from pathlib import Path

import neuralshade

SHADER = """
@group(0) @binding(1) var<uniform> seconds: f32;

@vertex
fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32(i & 1u), f32(i >> 1u)) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn pixel(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let place = (at.xy / 256.0 - 1.0) * vec2f(1.0, -1.0) * 1.1;
    let inside = 1.0 - dot(place, place);
    let n = vec3f(place, sqrt(max(inside, 1e-4))); // the sphere's normal; the eye looks along -z
    let uv = vec2f(atan2(n.x, n.z) / 6.2831853 + 0.5, acos(clamp(n.y, -1.0, 1.0)) / 3.1415927);
    let t = normalize(vec3f(n.z, 0.0, -n.x) + vec3f(1e-5, 0.0, 0.0)); // along u
    let b = cross(n, t); // against v
    let light = normalize(vec3f(sin(seconds), 0.7, cos(seconds) + 1.0));
    let wi = vec3f(dot(light, t), dot(light, b), dot(light, n));
    let wo = vec3f(t.z, b.z, n.z);
    let level = stuff_level(dpdx(uv * 2.0), dpdy(uv * 2.0));
    let color = 3.0 * stuff(uv * 2.0, level, wi, wo) + 0.15 * stuff(uv * 2.0, level, wo, wo);
    return vec4f(pow(select(vec3f(0.0), color, inside > 0.0), vec3f(1.0 / 2.2)), 1.0);
}
"""
PAGE = """<!doctype html>
<meta charset="utf-8">
<title>NAME</title>
<style>body { background: #222; color: #ddd; font: 14px sans-serif; text-align: center }</style>
<canvas id="canvas" width="512" height="512"></canvas>
<p id="said">NAME</p>
<script type="module">
const text = TEXT;
const numbers = Uint8Array.from(atob("WORDS"), (letter) => letter.charCodeAt(0));
const adapter = await navigator.gpu?.requestAdapter();
if (!adapter) {
    said.textContent = "This browser has no WebGPU.";
    throw new Error("no WebGPU");
}
const device = await adapter.requestDevice();
const context = canvas.getContext("webgpu");
const format = navigator.gpu.getPreferredCanvasFormat();
context.configure({ device, format });
const module = device.createShaderModule({ code: text });
const pipeline = await device.createRenderPipelineAsync({
    layout: "auto",
    vertex: { module, entryPoint: "corner" },
    fragment: { module, entryPoint: "pixel", targets: [{ format }] },
});
const words = device.createBuffer({
    size: numbers.length, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
});
const seconds = device.createBuffer({
    size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
});
device.queue.writeBuffer(words, 0, numbers);
const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
        { binding: 0, resource: { buffer: words } },
        { binding: 1, resource: { buffer: seconds } },
    ],
});
function draw(milliseconds) {
    device.queue.writeBuffer(seconds, 0, new Float32Array([milliseconds / 1000]));
    const commands = device.createCommandEncoder();
    const view = context.getCurrentTexture().createView();
    const pass = commands.beginRenderPass({
        colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }],
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
    pass.end();
    device.queue.submit([commands.finish()]);
    document.body.dataset.drawn = "yes";
    requestAnimationFrame(draw);
}
requestAnimationFrame(draw);
</script>
"""


def page(asset: str | Path) -> str:
    """Return the page of a fitted material."""
    with tempfile.TemporaryDirectory() as folder:
        neuralshade.export(asset, "wgsl", folder, name="stuff")
        text = (Path(folder) / "stuff.wgsl").read_text()
        words = (Path(folder) / "stuff.bin").read_bytes()
    shader = json.dumps(text + SHADER).replace("</", "<\\/")
    name = "".join(letter for letter in Path(asset).stem if letter.isalnum() or letter in " -_")
    found = PAGE.replace("NAME", name).replace("TEXT", shader)
    return found.replace("WORDS", base64.b64encode(words).decode())


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("asset", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("out/material.html"))
    given = parser.parse_args()
    given.output.parent.mkdir(exist_ok=True)
    given.output.write_text(page(given.asset))
    print(f"{given.output}: {given.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
