"""README.md of an export to Babylon.js."""

from __future__ import annotations

from pathlib import Path

from neuralshade.base.message_text import plain
from neuralshade.verbs.export.engines.javascript.data_module import JavaScriptSource

BABYLON = "9.35.0"  # the version that tests run
UNUSED = "samples"  # a fact about functions that nobody calls here
MATERIALS = {
    "rgba": "asset.colorMaterial(BABYLON, scene)",
    "maps": "asset.plugin(BABYLON, new BABYLON.PBRMaterial('material', scene))",
    "brdf": "asset.material(BABYLON, scene{})",
}


def readme_text(source: JavaScriptSource, stem: str) -> str:
    """Return instructions: files, a whole page, and facts."""
    form, entries = source.entries.form, source.entries
    meaning = next(name for name in MATERIALS if name in entries.names)
    varied = ", ".join(f"{one.name}: 0.5" for one in entries.varied)
    material = MATERIALS[meaning].format(f", {{ {varied} }}" if varied else "")
    known = [(title, fact) for title, fact in form.facts.items() if title != UNUSED]
    lines = [
        f"# {form.name} for Babylon.js", "",
        *(f"- {title}: {plain(fact)}" for title, fact in known), "",
        "## Files", "",
        "Put them into one folder of your site. They need no build step.", "",
        f"- `{stem}.js`: materials for WebGPUEngine (WGSL) and Engine (GLSL, WebGL 2)",
        f"- `{stem}.data.js`: numbers and shader text that it imports", "",
        "Each call takes Babylon's namespace first: the global `BABYLON`, or what `import * as "
        "BABYLON from '@babylonjs/core'` gives.", "",
        "## A page", "",
        "Save this as `index.html` beside them, and serve the folder, for example by `python -m "
        "http.server`.", "",
        "```html", page_text(stem, material).rstrip("\n"), "```", "",
        "For WebGL 2 write `new BABYLON.Engine(canvas, true)` and leave out `initAsync`. In a "
        "ShaderMaterial of your own put `asset.functions.wgsl` or `.glsl` before `main`. These "
        "functions take uv with v down.", "",
        "## Facts", "",
        "- v: all calls take Babylon's uv, whose v goes up, and flip it.",
        *(f"- {fact}" for fact in FACTS[meaning](source)),
        f"- Run with babylonjs {BABYLON} in Chromium 156 on SwiftShader, November 2026: "
        "WebGPUEngine and Engine. Not run in other browsers.",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def page_text(stem: str, material: str) -> str:
    """Return a page that shows a sphere of a material."""
    text = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    for place, value in (("VERSION", BABYLON), ("NAME", stem), ("MATERIAL", material)):
        text = text.replace(f"@{place}@", value)
    return text


def _picture(source: JavaScriptSource) -> list[str]:
    return [
        "The material has no lights and writes sRGB, as a canvas takes it. `{ linear: true }` "
        "writes linear light, for a pipeline that encodes at its end.",
        "A function has no mip levels and aliases far away. `{ area: true }` takes the mean of "
        "four samples of a pixel.",
    ]  # fmt: skip


def _maps(source: JavaScriptSource) -> list[str]:
    form, entries = source.entries.form, source.entries
    used = [one for one in entries.maps if one != "displacement"]
    others = [plain(one.meaning) for one in form.maps if one.meaning not in used]
    found = [
        f"The plugin evaluates all maps at once: {', '.join(used)}. The level follows the pixel's "
        "footprint.",
        "Metallic and roughness replace the material's numbers, its colors multiply the maps.",
        "Colors come out as linear light. Normals have y up: leave `invertNormalMapY` alone.",
    ]  # fmt: skip
    return found + ([f"Not part of the material: {', '.join(others)}."] if others else [])


def _material(source: JavaScriptSource) -> list[str]:
    return [
        "The material sums the scene's first eight directional and point lights: diffuse color "
        "times intensity. It writes sRGB, as a canvas takes it.",
        "Environment light is not summed: a material is evaluated for one direction.",
        "Every light costs one evaluation of the network a pixel.",
        *(f"`material.setFloat('input_{one.name}', 0.5)`: {plain(one.about)}"
          for one in source.entries.varied),
    ]  # fmt: skip


FACTS = {"rgba": _picture, "maps": _maps, "brdf": _material}
