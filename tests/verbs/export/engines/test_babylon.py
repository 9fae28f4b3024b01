"""--to babylon: both engines of Babylon.js draw what the asset is, alike."""

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
from fixtures.npm_packages import BABYLON
from fixtures.small_kinds import ASSETS, DATA

import neuralshade
from neuralshade.kinds import open_asset
from neuralshade.kinds.splats.shader import colors_at

pytestmark = [pytest.mark.slow]
MODES = ("webgpu", "webgl")
KINDS = ("image", "splats", "textures", "mipmaps", "material")
SIZE = 48  # pixels of a canvas
PICTURE = "return asset.colorMaterial(BABYLON, scene, {linear});"
PBR = "return asset.plugin(BABYLON, new BABYLON.PBRMaterial('pbr', scene));"
# Without light of its own, a material shows the emission that a second plugin sets to maps
COLUMN = """
const pbr = asset.plugin(BABYLON, new BABYLON.PBRMaterial('pbr', scene));
class Shown extends BABYLON.MaterialPluginBase {
    constructor(material) { super(material, 'Shown', 300, {}, true, true); }
    isCompatible() { return true; }
    getClassName() { return 'Shown'; }
    getCustomCode(type) {
        return type === 'fragment' ? {CUSTOM_FRAGMENT_BEFORE_FRAGCOLOR: shown} : null;
    }
}
new Shown(pbr);
return pbr;
"""
SHOWN = (
    "finalColor = toGammaSpace({four}(neural_maps[0].xyz, 1.0));",
    "finalColor = {four}(normalW * {three}(0.5, 0.5, -0.5) + 0.5, 1.0);",  # z goes away from us
    "finalColor = {four}(1.0, roughness, neural_maps[2].z, 1.0);",
)
MATERIAL = "return asset.material(BABYLON, scene);"
SUN = 2.5 * np.array([1, 0.93, 0.87]) ** 2.2  # as the page and Babylon have it


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Give the folder of all exports, each in one named after its kind."""
    folder = tmp_path_factory.mktemp("babylon")
    for kind in KINDS:
        neuralshade.export(DATA / ASSETS[kind], "babylon", folder / kind, name="photo")
    return folder


@pytest.fixture(scope="module")
def draw(exported, gpu_browser):
    """Give a function that draws one scene by both engines: uint8 [SIZE, SIZE, 3] of each."""
    with served(assets=exported, babylon=BABYLON.folder()) as address:

        def draw(kind, build, shape="plane", **values):
            found = {}
            for mode in MODES:
                given = "".join(f"const {name} = {value};" for name, value in values.items())
                found[mode], answer = drawn(
                    gpu_browser, f"{address}/babylon.html", mode=mode, module=f"{kind}/photo",
                    build=f"const mode = '{mode}';{given}{build}", shape=shape, size=SIZE,
                )  # fmt: skip
                assert not answer["complaints"], (mode, answer["complaints"])
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
    expected = expected.reshape(SIZE, SIZE, 3)
    check_right(found, decoded(expected) if linear else expected)


@pytest.mark.parametrize("column", range(3))
def test_maps_of_a_set(draw, column):
    spelled = [SHOWN[column].format(four=f"vec4{end}", three=f"vec3{end}") for end in ("f", "")]
    found = draw("textures", COLUMN, shown=f"mode === 'webgpu' ? {spelled[0]!r} : {spelled[1]!r}")
    check_alike(found)
    maps = neuralshade.load(DATA / ASSETS["textures"]).at(centers(SIZE), level=0)
    if column == 0:
        return check_right(found, maps["albedo"], most=3)  # toGammaSpace raises to 1 / 2.2
    if column == 1:
        return check_right(found, 0.5 + 0.5 * maps["normal"])
    lanes = [maps[name].reshape(SIZE, SIZE) for name in ("roughness", "metallic")]
    return check_right(found, np.stack([np.ones((SIZE, SIZE)), *lanes], -1))


@pytest.mark.parametrize("kind", ["textures", "mipmaps"])
def test_lit_maps(draw, kind):
    found = draw(kind, PBR, "tilted")
    assert all(np.ptp(each) > 60 for each in found.values())
    check_alike(found)
    check_nearly_alike(draw(kind, PBR, "sphere"))


def test_a_lit_material(draw):
    uv = centers(SIZE).reshape(-1, 2)
    sun, eye = np.array([1, 2, 3]) / 14**0.5, np.array([0, 0, 1])
    light = neuralshade.load(DATA / ASSETS["material"]).eval(
        uv, *(np.tile(one, (len(uv), 1)) for one in (sun, eye)))  # fmt: skip
    found = draw("material", MATERIAL, far="scene.activeCamera.position.z = -1e6",
                 away="(scene.activeCamera.maxZ = 1e7)")  # fmt: skip
    check_right(found, encoded(SUN * light.reshape(SIZE, SIZE, 3)))
    found = draw("material", MATERIAL, "tilted")
    assert all(np.ptp(each) > 60 for each in found.values())
    check_alike(found)
    check_nearly_alike(draw("material", MATERIAL, "sphere"))


@pytest.mark.parametrize("kind", ["image", "textures", "material"])
def test_the_page_of_the_readme(exported, gpu_browser, kind):
    save_page(exported / kind)
    pixels, complaints = shown_page(gpu_browser, exported / kind, BABYLON)
    assert not complaints
    assert np.ptp(pixels[40:120, 80:160]) > 60  # a sphere with a picture or light on it
