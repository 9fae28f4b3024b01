"""--to threejs: three's renderers draw what the asset is, all of them alike."""

import numpy as np
import pytest
from fixtures.engine_pages import (
    centers,
    check_alike,
    check_nearly_alike,
    check_right,
    decoded,
    drawn,
    encoded,
    save_page,
    served,
    shown_page,
)
from fixtures.npm_packages import THREE
from fixtures.small_kinds import ASSETS, DATA

import neuralshade
from neuralshade.kinds import open_asset
from neuralshade.kinds.splats.shader import colors_at

pytestmark = [pytest.mark.slow]
MODES = ("webgpu", "fallback", "webgl")
KINDS = ("image", "splats", "textures", "mipmaps", "material")
SIZE = 48  # pixels of a canvas
WI, WO = np.array([0.48, 0.36, 0.8]), np.array([-0.6, 0.0, 0.8])
GAIN = 5.0  # of a material's values, so that 8 bits show them

PICTURE = {
    "gpu": "if (!linear) renderer.outputColorSpace = three.LinearSRGBColorSpace;"
           "const material = new three.MeshBasicNodeMaterial();"
           "material.colorNode = asset.colorNode(tsl.uv(), {linear}); return material;",
    "webgl": "return asset.colorMaterial({linear});",
}  # fmt: skip
BAKED = {
    mode: "if (name !== 'map') renderer.outputColorSpace = three.LinearSRGBColorSpace;"
          "const map = asset.bake(renderer, {width: size, height: size})[name];"
          f"return new three.MeshBasic{node}Material({{map}});"
    for mode, node in (("gpu", "Node"), ("webgl", ""))
}  # fmt: skip
COLUMN = {
    "gpu": "renderer.outputColorSpace = three.LinearSRGBColorSpace;"
           "const maps = asset.pbr(), material = new three.MeshBasicNodeMaterial();"
           "material.colorNode = {"
           "    0: maps.colorNode, 1: maps.normalNode?.mul(.5).add(.5),"
           "    2: tsl.vec4(maps.aoNode ?? 1, maps.roughnessNode ?? 1, maps.metalnessNode ?? 0, 1)"
           "}[column]; return material;",
    "webgl": "return new three.ShaderMaterial({uniforms: asset.uniforms, vertexShader:"
             "`out vec2 at; out vec3 place; void main() { at = uv; place = position;"
             "gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,"
             "fragmentShader: `in vec2 at; in vec3 place; ${asset.functions} void main() {"
             "vec2 uv = vec2(at.x, 1.0 - at.y);"
             "vec4 found = photo_maps(uv, photo_level(dFdx(uv), dFdy(uv)))[${column}];"
             "if (${column} == 1) found.xyz = 0.5 + 0.5 * (photo_frame(vec3(0.0, 0.0, 1.0),"
             "dFdx(place), dFdy(place), dFdx(at), dFdy(at)) * found.xyz);"
             "gl_FragColor = vec4(found.xyz, 1.0); }`});",
}  # fmt: skip
BRDF = {
    "gpu": "renderer.outputColorSpace = three.LinearSRGBColorSpace;"
           "const material = new three.MeshBasicNodeMaterial();"
           "material.colorNode = tsl.vec4(asset.brdf({level: tsl.float(0), wi: tsl.vec3(...wi),"
           "wo: tsl.vec3(...wo)}).mul(gain), 1); return material;",
    "webgl": "return new three.ShaderMaterial({uniforms: asset.uniforms, vertexShader:"
             "`out vec2 at; void main() { at = uv;"
             "gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,"
             "fragmentShader: `in vec2 at; ${asset.functions} void main() {"
             "gl_FragColor = vec4(float(${gain}) * photo_brdf(vec2(at.x, 1.0 - at.y), 0.0,"
             "vec3(${wi}), vec3(${wo})), 1.0); }`});",
}  # fmt: skip
PBR = {
    "gpu": "return Object.assign(new three.MeshStandardNodeMaterial(), asset.pbr());",
    "webgl": "return asset.patch(new three.MeshStandardMaterial());",
}
MATERIAL = {"gpu": "return asset.material();", "webgl": "return asset.material();"}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Give the folder of all exports, each in one named after its kind."""
    folder = tmp_path_factory.mktemp("three")
    for kind in KINDS:
        neuralshade.export(DATA / ASSETS[kind], "threejs", folder / kind, name="photo")
    return folder


@pytest.fixture(scope="module")
def draw(exported, gpu_browser):
    """Give a function that draws one scene by all renderers: uint8 [SIZE, SIZE, 3] of each."""
    with served(assets=exported, three=THREE.folder()) as address:

        def draw(kind, builds, shape="plane", modes=MODES, **values):
            found = {}
            for mode in modes:
                build = builds["webgl" if mode == "webgl" else "gpu"]
                given = "".join(f"const {name} = {value};" for name, value in values.items())
                found[mode], answer = drawn(
                    gpu_browser, f"{address}/three.html", mode=mode, module=f"{kind}/photo",
                    build=given + build, shape=shape, size=SIZE,
                )  # fmt: skip
                assert not answer["complaints"], (mode, answer["complaints"])
                if "maps_node" in answer["shader"]:  # WebGPU: its declaration and one call
                    assert answer["shader"].count("photo_maps_node") == 2
            return {mode: each[..., :3].astype(int) for mode, each in found.items()}

        yield draw


@pytest.mark.parametrize("kind", ["image", "splats"])
@pytest.mark.parametrize("linear", [True, False], ids=["light", "encoded"])
def test_pictures(draw, kind, linear):
    found = draw(kind, PICTURE, linear="true" if linear else "false")
    check_alike(found)
    with open_asset(DATA / ASSETS[kind]) as opened:
        at = centers(SIZE)
        expected = colors_at(opened.cloud, at.reshape(-1, 2)) if kind == "splats" else opened.at(at)
    check_right(found, expected.reshape(SIZE, SIZE, 3))


@pytest.mark.parametrize("column", range(3))
def test_maps_of_a_set(draw, column):
    found = draw("textures", COLUMN, column=column)
    check_alike(found)
    check_right(found, column_of(centers(SIZE), column))


@pytest.mark.parametrize("kind", ["textures", "mipmaps"])
def test_lit_maps(draw, kind):
    found = draw(kind, PBR, "tilted")
    assert all(np.ptp(each) > 60 for each in found.values())
    check_alike(found)
    check_nearly_alike(draw(kind, PBR, "sphere"))


def test_values_of_a_material(draw):
    found = draw("material", BRDF, wi=WI.tolist(), wo=WO.tolist(), gain=GAIN)
    check_alike(found)
    check_right(found, GAIN * light_of(WI, WO))


def test_a_lit_material(draw):
    sun = np.array([1, 2, 3]) / 14**0.5
    color = 2.5 * decoded(np.array([0xFF, 0xEE, 0xDD]) / 255)  # as the page has it
    check_right(draw("material", MATERIAL), encoded(color * light_of(sun, np.array([0, 0, 1]))))
    found = draw("material", MATERIAL, "tilted")
    assert all(np.ptp(each) > 60 for each in found.values())
    check_alike(found)
    check_nearly_alike(draw("material", MATERIAL, "sphere"))


@pytest.mark.parametrize("column, name", [(0, "map"), (1, "normalMap"), (2, "roughnessMap")])
def test_baked_textures(draw, column, name):
    found = draw("textures", BAKED, name=repr(name), size=SIZE)
    check_alike(found)
    expected = column_of(centers(SIZE), column)
    check_right(found, encoded(expected) if column == 0 else expected)


def test_a_baked_picture(draw):
    found = draw("image", BAKED, name="'map'", size=SIZE)
    check_alike(found)
    check_right(found, neuralshade.load(DATA / ASSETS["image"]).at(centers(SIZE)))


@pytest.mark.parametrize("kind", ["image", "textures", "material"])
def test_the_page_of_the_readme(exported, gpu_browser, kind):
    save_page(exported / kind)
    pixels, complaints = shown_page(gpu_browser, exported / kind, THREE)
    assert not complaints
    assert np.ptp(pixels[40:120, 80:160]) > 60  # a sphere with a picture or light on it


def column_of(uv, column):
    """Return the numbers of a column of maps at positions, as they are drawn."""
    maps = neuralshade.load(DATA / ASSETS["textures"]).at(uv, level=0)
    if column == 0:
        return decoded(maps["albedo"])
    if column == 1:
        return 0.5 + 0.5 * maps["normal"]
    lanes = [maps[name].reshape(uv.shape[:2]) for name in ("roughness", "metallic")]
    return np.stack([np.ones(uv.shape[:2]), *lanes], -1)  # no ambient occlusion


def light_of(wi, wo):
    """Return f * cos of the material at the pixels' centers."""
    uv = centers(SIZE).reshape(-1, 2)
    light = neuralshade.load(DATA / ASSETS["material"]).eval(
        uv, *(np.tile(one, (len(uv), 1)) for one in (wi, wo)))  # fmt: skip
    return light.reshape(SIZE, SIZE, 3)
