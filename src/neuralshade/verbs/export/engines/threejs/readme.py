"""README.md of an export to three.js."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from neuralshade.base.message_text import plain
from neuralshade.verbs.export.engines.javascript.data_module import JavaScriptSource

THREE = "0.187.0"  # the version that tests run
UNUSED = "samples"  # a fact about functions that nobody calls here


@dataclass(frozen=True)
class Usage:
    """What a README says of one sort of assets."""

    material: str  # an expression for WebGPURenderer
    more: tuple[str, ...]  # paragraphs about what else there is
    webgl: tuple[str, ...]  # lines of JavaScript
    facts: tuple[str, ...]


def readme_text(source: JavaScriptSource, stem: str) -> str:
    """Return instructions: files, a whole page, the other renderer, and facts."""
    form, names = source.entries.form, source.entries.names
    usage = next(made(source) for name, made in USAGES.items() if name in names)
    known = [(title, fact) for title, fact in form.facts.items() if title != UNUSED]
    lines = [
        f"# {form.name} for three.js", "",
        *(f"- {title}: {plain(fact)}" for title, fact in known), "",
        "## Files", "",
        "Put them into one folder of your site. They need `three` and no build step.", "",
        f"- `{stem}.webgpu.js`: import it where you use WebGPURenderer, with or without WebGPU",
        f"- `{stem}.webgl.js`: import it where you use WebGLRenderer; it loads no WebGPU code",
        f"- `{stem}.data.js`: numbers and shader text that both import", "",
        "## A page", "",
        "Save this as `index.html` beside them, and serve the folder, for example by `python -m "
        "http.server`. If you build your page, drop the import map.", "",
        "```html", page_text(stem, usage.material).rstrip("\n"), "```", "",
        *usage.more,
        "## WebGLRenderer", "",
        "In the page above, take these imports and `const renderer = new THREE.WebGLRenderer({ "
        "antialias: true })`, leave out `await renderer.init()`, and make the material so:", "",
        "```js",
        "import * as THREE from 'three';",
        f"import * as asset from './{stem}.webgl.js';",
        *usage.webgl,
        "```", "",
        "In a ShaderMaterial of your own put `asset.functions` before `main`, and spread "
        "`asset.uniforms` into its uniforms. These functions take uv with v down: "
        "`vec2(uv.x, 1.0 - uv.y)`.", "",
        "## Facts", "",
        "- v: all calls above take three's uv, whose v goes up, and flip it.",
        *(f"- {fact}" for fact in usage.facts),
        f"- Run with three {THREE} in Chromium 156 on SwiftShader, November 2026: WebGPURenderer, "
        "its WebGL 2 fallback and WebGLRenderer. Not run in other browsers.",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def page_text(stem: str, material: str) -> str:
    """Return a page that shows a sphere of a material."""
    text = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    for place, value in (("VERSION", THREE), ("NAME", stem), ("MATERIAL", material)):
        text = text.replace(f"@{place}@", value)
    return text


def _picture(source: JavaScriptSource) -> Usage:
    meant = source.entries.form.meaning("color")
    srgb = meant is not None and meant.space == "srgb"
    space = "The color is linear light and not clamped: use tone mapping."
    if srgb:
        space = ("The color was fitted sRGB-encoded. These calls return linear light, as three's "
                 "materials take it; `{ linear: false }` keeps the encoding.")  # fmt: skip
    area = "`{ area: true }` takes the mean of four samples of a pixel, and `bake` has mip levels."
    return Usage(
        "Object.assign(new THREE.MeshBasicNodeMaterial(), { colorNode: asset.colorNode() })",
        ("`asset.colorNode(uv, { linear, area })` is a vec4 node with alpha for a node material.",
         "", *_bake("MeshBasicNodeMaterial")),
        ("const material = asset.colorMaterial(); // a ShaderMaterial without lights",
         "const baked = new THREE.MeshBasicMaterial(asset.bake(renderer));"),
        (space, "Alpha, if there is any, shows with `material.transparent = true`.",
         f"A function has no mip levels and aliases far away. {area}"),
    )  # fmt: skip


def _maps(source: JavaScriptSource) -> Usage:
    form, entries = source.entries.form, source.entries
    used = [one for one in entries.maps if one != "displacement"]
    others = [one.meaning for one in form.maps if one.meaning not in used]
    apart = ""
    if others:
        apart = (f"Not part of the material: {', '.join(map(plain, others))}. WebGPURenderer has "
                 f"`asset.mapNode('{others[0]}')`, a map as it was fitted.")  # fmt: skip
    return Usage(
        "Object.assign(new THREE.MeshStandardNodeMaterial(), asset.pbr())",
        (f"`asset.pbr({{ uv, level }})` evaluates all maps at once ({', '.join(used)}). It returns "
         "`colorNode`, `normalNode` and so on. The level follows the pixel's footprint.",
         "", "To repeat the maps: `import { uv, vec2 } from 'three/tsl'`, then `asset.pbr({ uv: "
         "uv().mul(vec2(8, 2)) })`. Of baked ones set `repeat` of each texture; a patched material "
         "takes the geometry's uv as they are.",
         "", *_bake("MeshStandardNodeMaterial")),
        ("const material = asset.patch(new THREE.MeshStandardMaterial());",
         "const baked = new THREE.MeshStandardMaterial(asset.bake(renderer));"),
        tuple(filter(None, (
            "Colors come out as linear light. Normals have y up, as three has them. three "
            "applies ao to light from all around alone, such as a HemisphereLight.",
            "Maps that are evaluated per pixel are a little softer than baked ones, which mix "
            "levels between texels by texture units.",
            "In a patched material `color` and `roughness` multiply the maps; nodes replace them.",
            apart))),
    )  # fmt: skip


def _material(source: JavaScriptSource) -> Usage:
    varied = source.entries.varied
    own = f"{{ {', '.join(f'{one.name}: 0.5' for one in varied)} }}" if varied else ""
    later = f" Later: `material.userData.inputs.{varied[0].name}.value`." if varied else ""
    return Usage(
        f"asset.material({own})",
        ("`asset.material()` sums the scene's directional, point and spot lights." + later, "",
         "`asset.brdf({ uv, level, wi, wo })` is f * cos(wi) alone, as a node for lights of your "
         "own. Directions have length 1 and point away from the surface: x along u, y along v, z "
         "along the normal.", ""),
        (f"const material = asset.material({own}); // a ShaderMaterial with lights",
         *(f"material.uniforms.input_{one.name}.value = 0.5;" for one in varied)),
        ("Values are linear light, which three tone-maps and encodes.",
         "Environment light is not summed: a material is evaluated for one direction.",
         "Every light costs one evaluation of the network a pixel.",
         *(f"`{one.name}`: {plain(one.about)}" for one in varied)),
    )  # fmt: skip


USAGES = {"rgba": _picture, "maps": _maps, "brdf": _material}


def _bake(material: str) -> tuple[str, ...]:
    return (f"Slow? `new THREE.{material}(asset.bake(renderer))` decodes the finest level once "
            "into ordinary textures with mip levels, and returns them by the material's names, "
            "such as `map`. They cost what textures cost, memory too. `{ width: 512, height: 512 "
            "}` makes them smaller. In software that takes about 10 s, in which the page "
            "waits.", "")  # fmt: skip
