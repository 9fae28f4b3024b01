"""MaterialX's nodes, one small graph for each: what the generator's text says, as numbers."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from fixtures.small_material import upper_pairs

import neuralshade
from neuralshade.kinds.material.references.materialx import load_materialx
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.model.microfacet import Surface, shade
from neuralshade.source.color import linear_to_srgb

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

TEXCOORD = """
<texcoord name="uv" type="vector2"/>
<multiply name="often" type="vector2">
  <input name="in1" type="vector2" nodename="uv"/><input name="in2" type="float" value="8"/>
</multiply>
<position name="place" type="vector3"/>
<multiply name="far" type="vector3">
  <input name="in1" type="vector3" nodename="place"/><input name="in2" type="float" value="8"/>
</multiply>
"""
COUNT = 2000
SHADER = """
<{0} name="S" type="surfaceshader">{1}</{0}>
<surfacematerial name="M" type="material">
  <input name="surfaceshader" type="surfaceshader" nodename="S"/>
</surfacematerial>
</materialx>
"""


def given(name, kind, value):
    return f'<input name="{name}" type="{kind}" value="{value}"/>'


def linked(name, kind, node):
    return f'<input name="{name}" type="{kind}" nodename="{node}"/>'


def made(category, name, kind, *inputs):
    return f'<{category} name="{name}" type="{kind}">{"".join(inputs)}</{category}>\n'


def told_of(nodes):
    """Return nodes and a closure for each of their colors, all added up: its inputs are told."""
    closures = [made("oren_nayar_diffuse_bsdf", f"b_{name}", "BSDF",
                     linked("color", "color3", name)) for name in nodes]  # fmt: skip
    sums, last = [], f"b_{nodes[0]}"
    for index, (_, name) in enumerate(pairwise(nodes)):
        sums.append(made("add", f"s{index}", "BSDF", linked("in1", "BSDF", last),
                         linked("in2", "BSDF", f"b_{name}")))  # fmt: skip
        last = f"s{index}"
    top = made("multiply", "top", "BSDF", linked("in1", "BSDF", last), given("in2", "float", 1))
    return "".join([*closures, *sums, top])


def values_of(gpu, document, text, uv):
    """Return what a graph's closures are given at points: [n] by a node's name and a channel."""
    reference = load_materialx(document(text))
    names = [f"{told.partition('_out')[0]}{told[-2:]}" for told in reference.parameters]
    return dict(zip(names, ReferenceKernels(gpu, reference).parameters(uv).T, strict=True))


def albedo(kernels, slant=0.8, count=20_000):
    """Return the share of a lit hemisphere that comes back to one eye: [3]."""
    rng = np.random.default_rng(5)
    up, turn = rng.random(count), 2 * np.pi * rng.random(count)
    flat = np.sqrt(1 - up * up)
    wi = np.stack([flat * np.cos(turn), flat * np.sin(turn), up], 1).astype(np.float32)
    wo = np.tile(np.float32([math.sqrt(1 - slant * slant), 0, slant]), (count, 1))
    uv = np.full((count, 2), 0.5, np.float32)
    return kernels.eval(uv, wi, wo).mean(0) * 2 * math.pi


NOISES = ("noise2d", "noise3d", "fractal2d", "fractal3d", "cellnoise2d", "cellnoise3d",
          "worleynoise2d", "worleynoise3d", "unifiednoise2d")  # fmt: skip


def noise(category):
    flat = category.endswith("2d")
    where = linked("texcoord", "vector2", "often") if flat else linked("position", "vector3", "far")
    return (made(category, f"{category}_n", "float", where)
            + made("combine3", f"{category}_c", "color3",
                   *(linked(f"in{i}", "float", f"{category}_n") for i in (1, 2, 3))))  # fmt: skip


@pytest.mark.slow
def test_noises_vary_from_place_to_place(gpu, document):
    """Cells are of one value each, and all else is continuous; noise of space reads the place."""
    text = TEXCOORD + "".join(map(noise, NOISES)) + told_of([f"{name}_c" for name in NOISES])
    uv = np.random.default_rng(0).random((COUNT, 2), np.float32)
    step = np.float32(1e-4)
    near = uv + step * (1 - 2 * (uv > 0.5))
    there, beside = (values_of(gpu, document, text, at) for at in (uv, near))
    for name in NOISES:
        found = there[f"{name}_c.x"]
        assert np.isfinite(found).all() and np.abs(found).max() < 4, name
        assert found.std() > 0.02, name
        moved = np.abs(beside[f"{name}_c.x"] - found)
        assert np.quantile(moved, 0.95) < 0.02, name
    cells = there["cellnoise2d_c.x"]
    place = (uv * 8).astype(int) @ [8, 1]
    assert all(np.ptp(cells[place == cell]) < 1e-6 for cell in np.unique(place))


@pytest.fixture
def ramp(tmp_path):
    """Write a picture whose red goes up along u and whose green goes down along v."""
    along = (np.arange(64, dtype=np.float32) + 0.5) / 64
    red, green = np.meshgrid(along, along)
    picture = np.stack([red, green, np.full_like(red, 0.25)], -1)
    neuralshade.save_picture(tmp_path / "ramp.png", picture, "linear")


FILE = '<input name="file" type="filename" value="ramp.png" colorspace="srgb_texture"/>'


@pytest.mark.slow
def test_pictures_are_tiled_broken_up_and_projected(gpu, document, ramp):
    tiled = made("tiledimage", "tiled", "color3", FILE, given("uvtiling", "vector2", "2, 3"))
    hextile = made("hextiledimage", "hextile", "color3", FILE,
                   given("tiling", "vector2", "4, 4"))  # fmt: skip
    sides = "".join(FILE.replace('"file"', f'"file{axis}"') for axis in "xyz")
    projected = made("triplanarprojection", "projected", "color3", sides)
    split = made("splitlr", "split", "color3", given("valuel", "color3", "1, 0, 0"),
                 linked("texcoord", "vector2", "uv"))  # fmt: skip
    text = tiled + hextile + projected + TEXCOORD + split
    text += told_of(["tiled", "hextile", "projected", "split"])
    uv = np.random.default_rng(1).random((COUNT, 2), np.float32)
    found = values_of(gpu, document, text, uv)
    inside = (np.abs(uv * [2, 3] - np.round(uv * [2, 3])) > 0.02).all(1)
    along = (uv * [2, 3] % 1)[inside]
    np.testing.assert_allclose(found["tiled.x"][inside], along[:, 0], atol=0.01)
    # what MaterialX counts from below, we count from above
    np.testing.assert_allclose(found["tiled.y"][inside], along[:, 1], atol=0.01)
    assert 0.05 < found["hextile.x"].std() < 0.4
    assert abs(found["hextile.x"].mean() - 0.5) < 0.1
    np.testing.assert_allclose(found["hextile.z"], 0.25, atol=0.02)
    np.testing.assert_allclose(found["projected.z"], 0.25, atol=0.01)
    assert found["projected.x"].std() > 0.1
    np.testing.assert_array_equal(found["split.x"], uv[:, 0] < 0.5)


def test_pictures_in_linear_light_are_taken_as_they_are(gpu, document, ramp):
    """Of a node with several pictures, too, of which those of other spaces are converted."""
    plain = FILE.replace("srgb_texture", "lin_rec709")
    sides = "".join(plain.replace('"file"', f'"file{axis}"') for axis in "xyz")
    text = made("triplanarprojection", "projected", "color3", sides) + told_of(["projected"])
    found = values_of(gpu, document, text, np.float32([[0.5, 0.5]]))["projected.z"]
    assert found.item() == pytest.approx(float(linear_to_srgb(0.25)), abs=0.01)
    handed = made("nodegraph", "NG", "color3", FILE.replace('"file"', '"picture"'),
                  made("triplanarprojection", "inner", "color3",
                       *(f'<input name="file{axis}" type="filename" interfacename="picture"/>'
                         for axis in "xyz")),
                  '<output name="out" type="color3" nodename="inner"/>')  # fmt: skip
    handed += made("dot", "seen", "color3", '<input name="in" type="color3" nodegraph="NG"/>')
    found = values_of(gpu, document, handed + told_of(["seen"]), np.float32([[0.5, 0.5]]))
    assert found["seen.z"].item() == pytest.approx(0.25, abs=0.01)
    found = values_of(gpu, document, text.replace("lin_rec709", "acescg"),
                      np.float32([[0.5, 0.5]]))  # fmt: skip
    stored = float(linear_to_srgb(0.25))
    ramp = [float(linear_to_srgb(0.5))] * 2
    wanted = ACESCG_BLUE @ [*ramp, stored]
    assert found["projected.z"].item() == pytest.approx(wanted, abs=0.01)


# The row for blue of the matrix from ACEScg to Rec. 709.
ACESCG_BLUE = np.array([-0.024004, -0.128969, 1.152973])
COLOR = np.array([0.2, 0.5, 0.8])
BASE = "0.2, 0.5, 0.8"
# A matt one of each shading model, and what of its inputs brightens grazing eyes, and what emits.
MODELS = {
    "standard_surface": (
        given("base", "float", 1) + given("base_color", "color3", BASE)
        + given("specular", "float", 0),
        given("sheen", "float", 1), given("emission", "float", 1),
    ),
    "open_pbr_surface": (
        given("base_color", "color3", BASE) + given("specular_weight", "float", 0),
        given("fuzz_weight", "float", 1), given("emission_luminance", "float", 1),
    ),
    "gltf_pbr": (
        given("base_color", "color3", BASE) + given("metallic", "float", 0)
        + given("roughness", "float", 1) + given("specular", "float", 0),
        given("sheen_color", "color3", "1, 1, 1") + given("sheen_roughness", "float", 0.5),
        given("emissive", "color3", "1, 1, 1"),
    ),
    "UsdPreviewSurface": (
        given("diffuseColor", "color3", BASE) + given("roughness", "float", 1)
        + given("ior", "float", 1),
        "", given("emissiveColor", "color3", "1, 1, 1"),
    ),
    "disney_principled": (
        given("baseColor", "color3", BASE) + given("roughness", "float", 1)
        + given("specular", "float", 0),
        given("sheen", "float", 1), "",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_shading_models_scatter_their_color_and_emit_apart(gpu, document, model):
    """They return their base color, of whose light none is emission's; sheen adds to that."""
    matt, sheen, emits = MODELS[model]
    uv, up = np.float32([[0.5, 0.5]]), np.float32([[0, 0, 1]])

    def kernels(inputs):
        return ReferenceKernels(gpu, load_materialx(document("", SHADER.format(model, inputs))))

    shining, sheer = kernels(matt + emits), kernels(matt + sheen)
    np.testing.assert_allclose(albedo(shining), COLOR, rtol=0.06)
    assert not sheer.emission(uv, up).any() and shining.emission(uv, up).all() == bool(emits)
    gained = albedo(sheer, 0.15) - albedo(shining, 0.15)
    red = gained[0]  # which is darkest: most is seen there
    assert red > 0.01 if sheen else abs(red) < 1e-4


METAL = "0.9, 0.6, 0.3"
CLOSURES = {
    "hair": made("chiang_hair_bsdf", "top", "BSDF"),
    "subsurface": made("subsurface_bsdf", "top", "BSDF"),
    "burley": made("burley_diffuse_bsdf", "top", "BSDF"),
    "sheen of Conty": made("sheen_bsdf", "top", "BSDF"),
    "sheen of Zeltner": made("sheen_bsdf", "top", "BSDF", given("mode", "string", "zeltner")),
    "film": made("dielectric_bsdf", "top", "BSDF", given("thinfilm_thickness", "float", 400),
                 given("thinfilm_ior", "float", 1.4)),
    "metal": made("conductor_bsdf", "top", "BSDF"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("closure", CLOSURES)
def test_closures_return_light_and_no_more_than_came(gpu, document, closure):
    kernels = ReferenceKernels(gpu, load_materialx(document(CLOSURES[closure])))
    found = albedo(kernels)
    assert (found > 1e-3).all() and (found < 1.04).all()
    spread = np.ptp(found) / found.max()
    assert (spread > 0.1) == (closure in ("film", "metal"))  # all others are grey


@pytest.mark.slow
def test_a_metal_is_that_of_the_shading_model(gpu, document):
    """But for what is scattered more than once, which takes on the color's mean reflectance."""
    roughness = 0.3
    alpha = roughness**2
    text = made("generalized_schlick_bsdf", "top", "BSDF", given("color0", "color3", METAL),
                given("roughness", "vector2", f"{alpha}, {alpha}"))  # fmt: skip
    kernels = ReferenceKernels(gpu, load_materialx(document(text)))
    uv, wi, wo = upper_pairs(2000)
    wi[:1000] = wo[:1000] * [-1, -1, 1] + 0.05 * wi[:1000]  # half of them near the mirror's
    wi /= np.linalg.norm(wi, axis=1, keepdims=True)
    surface = Surface(torch.tensor([0.9, 0.6, 0.3]), torch.tensor([0.0, 0.0, 1.0]),
                      torch.tensor(roughness), torch.tensor(1.0))  # fmt: skip
    wanted = shade(surface, torch.from_numpy(wi), torch.from_numpy(wo)).numpy()
    bright = (wanted.min(1) > 1e-3) & (np.minimum(wi[:, 2], wo[:, 2]) > 0.3)
    assert bright.sum() > 1000 and wanted.max() > 1
    color = np.array([0.9, 0.6, 0.3])
    more = (kernels.eval(uv, wi, wo) / wanted - 1)[bright] / (color + (1 - color) / 21)
    assert (more > -0.01).all() and (more < 0.1).all()
    assert np.ptp(more, axis=1).max() < 0.015
