"""engines/mitsuba in Mitsuba 3: textures and BSDFs answer as the asset does, in both variants."""

import re

import numpy as np
import pytest
from fixtures.engine_exports import exported, linear
from fixtures.mitsuba_checks import bsdf_errors, texture_errors, written
from fixtures.mitsuba_runs import VARIANTS, run_there, skip_without
from fixtures.random_materials import material
from fixtures.small_kinds import DATA

pytestmark = [pytest.mark.slow]
TEXTURES = ["image_grid", "image_hash", "splats_normalized", "splats_over", "splats_sum",
            "mipmaps", "textures"]  # fmt: skip
VARIED = {"size": 5, "features": 7, "vary": "wetness=0..2,a.b=-1..1,for=2..4",
          "hidden_width": 20}  # fmt: skip
CLAMPED = {"size": 6, "features": 3, "lobes": 2, "wrap": "clamp", "lobe_inputs": 3,
           "activation": "leaky_relu"}  # fmt: skip
NOISE = 4.5  # standard errors


@pytest.fixture(params=VARIANTS)
def variant(request):
    skip_without(request.param)
    return request.param


@pytest.mark.parametrize("kind", TEXTURES)
def test_textures_are_the_assets(kind, variant, tmp_path):
    for name, error in texture_errors(
        *exported(DATA / f"{kind}.nsh", "mitsuba"), variant, tmp_path
    ):
        assert error <= 1, name


def exported_material(folder, **settings):
    """Write a material of random numbers."""
    written(folder, exported(material(**settings), "mitsuba")[1])


@pytest.mark.parametrize("settings", [VARIED, CLAMPED], ids=["varied", "clamped"])
def test_a_bsdf_is_the_asset(settings, variant, tmp_path):
    form, files = exported(material(**settings), "mitsuba")
    for name, error in bsdf_errors(form, files, variant, tmp_path):
        assert error <= 1, name


def test_a_bsdfs_frame_follows_u_and_v(variant, tmp_path):
    """On Mitsuba's rectangle v runs up: x along u, y against v, also where to_uv turns them."""
    exported_material(tmp_path, size=5)
    random = np.random.default_rng(2)
    directions = random.normal(size=(40, 2, 3))
    directions[..., 2] = np.abs(directions[..., 2]) + 0.2
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    places = random.uniform(-0.9, 0.9, (40, 2))
    rows = np.concatenate([places, directions.reshape(40, 6)], 1)
    found = run_there("scalar_rgb", tmp_path, "photo", "shapes", rows=rows)
    uv = (places + 1) / 2
    turns = {  # uv of the texture, and x and y of the material in x and y of the rectangle
        "as it is": (uv, [[1, 0], [0, -1]]),
        "v turned": (np.stack([uv[:, 0], 1 - uv[:, 1]], 1), [[1, 0], [0, 1]]),
        "u and v swapped": (uv[:, ::-1], [[0, 1], [-1, 0]]),
    }
    for name, (at, axes) in turns.items():
        local = directions.copy()
        local[..., :2] = directions[..., :2] @ np.transpose(axes)
        wanted = run_there(variant, tmp_path, "photo", "called", uv=at, wi=local[:, 0],
                           wo=local[:, 1])["values"]  # fmt: skip
        np.testing.assert_allclose(found[name][:, :2], uv, atol=1e-5)
        np.testing.assert_allclose(found[name][:, 2:], wanted, rtol=2e-3, atol=1e-4)
        plain = run_there(variant, tmp_path, "photo", "called", uv=at, wi=directions[:, 0],
                          wo=directions[:, 1])["values"]  # fmt: skip
        assert name == "v turned" or np.abs(plain - wanted).max() > 0.05 * wanted.max()


def test_a_white_furnace(variant, tmp_path):
    """Weights of samples have the energy of eval, and the pdf integrates to 1."""
    exported_material(tmp_path, size=8)
    eyes = np.array([[0, 0, 1], [0.6, 0, 0.8], [0, -0.954, 0.3]])
    count = 2**17 if variant.startswith("llvm") else 3000
    rows = run_there(variant, tmp_path, "photo", "furnace", eyes=eyes, count=count)["rows"]
    means, errors = rows[:, 0], rows[:, 1]
    drawn, uniform = means[:, :3], means[:, 3:6]
    both = np.hypot(errors[:, :3], errors[:, 3:6])
    assert (np.abs(drawn - uniform) < NOISE * both).all(), (drawn, uniform, both)
    assert (np.abs(means[:, 6] - 1) < NOISE * errors[:, 6]).all(), (means[:, 6], errors[:, 6])
    if count > 1e5:
        assert (both < 0.05 * uniform).all() and (errors[:, 6] < 0.02).all()


def test_mitsubas_integrator_finds_the_same_energy(variant, tmp_path):
    """A ball in a white sky, by light sampling and by the BSDF's: its disk's mean of energies."""
    form, files = exported(DATA / "material.nsh", "mitsuba")
    written(tmp_path, files)
    samples = 256 if variant.startswith("llvm") else 8
    picture = run_there(variant, tmp_path, form.name, "white_room", samples=samples)["picture"]
    eyes = np.array([[0, 0, 1.0]])
    energy = run_there("scalar_rgb", tmp_path, form.name, "furnace", eyes=eyes, count=2000)["rows"]
    middle = picture[10:14, 10:14].mean((0, 1))  # looks at the ball head-on, at a few texels
    assert (np.abs(middle - energy[0, 0, :3]) < 0.25 * energy[0, 0, :3]).all()
    assert np.isfinite(picture).all() and picture.max() < 4


def test_principled_is_that_of_bitmaps(variant, tmp_path):
    """A texture set's own dict, beside Mitsuba's bitmaps of the same texels."""
    form, files = exported(DATA / "mipmaps.nsh", "mitsuba")
    written(tmp_path, files)
    maps = {one.title: one for one in form.textures}
    inputs = {}
    for name in ("albedo", "normal", "roughness", "metallic"):
        texture = next(one for title, one in maps.items() if name in title)
        width, height = texture.sizes[0]
        texels = np.frombuffer(texture.levels[0], np.uint8).reshape(height, width, -1) / 255
        texels = linear(texels[..., :3]) if texture.format.endswith("_srgb") else texels[..., :3]
        inputs[name] = texels.astype(np.float32)
    assert inputs["normal"].shape[2] == 3
    samples = 512 if variant.startswith("llvm") else 16
    found = run_there(variant, tmp_path, "photo", "principled", samples=samples, **inputs)
    ours, theirs = found["ours"], found["theirs"]
    assert theirs.std() > 0.02
    # Ours are unit normals after mixing, Mitsuba's are made so in its normalmap: alike.
    np.testing.assert_allclose(ours.mean((0, 1)), theirs.mean((0, 1)), rtol=0.01)
    assert np.abs(ours - theirs).max() < 0.05


def test_xml_and_variants_one_after_another(tmp_path):
    skip_without("llvm_ad_rgb")
    _, files = exported(DATA / "textures.nsh", "mitsuba")
    written(tmp_path, files)
    text = (
        '<texture version="3.0.0" type="neuralshade_photo"><string name="map" value="albedo"/>'
        '<transform name="to_uv"><scale x="2" y="1"/></transform></texture>'
    )
    found = run_there("llvm_ad_rgb", tmp_path, "photo", "xml", xml=text)
    assert len(found) == 3
    first, *others = found.values()
    for one in others:
        np.testing.assert_allclose(one, first, atol=1e-5)
    assert first.min() > 0 and np.ptp(first) > 0


def test_footprints_choose_levels(variant, tmp_path):
    form, files = exported(DATA / "mipmaps.nsh", "mitsuba")
    written(tmp_path, files)
    level = form.meaning("level").name
    golden = next(one for one in form.golden if one.function == level)
    assert np.ptp(golden.outputs) > 1
    dx, dy = np.split(golden.inputs[:60], 2, 1)
    uv = np.random.default_rng(1).random((60, 2))
    found = run_there(variant, tmp_path, "photo", "footprints", uv=uv, dx=dx, dy=dy,
                      level=golden.outputs[:60])  # fmt: skip
    np.testing.assert_allclose(found["True"], found["False"], atol=2e-4)
    assert np.ptp(found["True"]) > 0.1


@pytest.mark.parametrize("kind", ["textures", "material"])
def test_what_the_readme_writes_loads(kind, tmp_path):
    asset = material(**VARIED) if kind == "material" else DATA / "textures.nsh"
    _, files = exported(asset, "mitsuba")
    written(tmp_path, files)
    text = files["README.md"].decode()
    dicts, xml = (re.findall(rf"```{each}\n(.+?)\n```", text, re.DOTALL)
                  for each in ("python", "xml"))  # fmt: skip
    xml = [re.sub(r" type=", ' version="3.0.0" type=', one, count=1) for one in xml]
    found = run_there("scalar_rgb", tmp_path, "photo", "readme", dicts=dicts, xml=xml)
    assert found["count"] == len(dicts) + len(xml) == 2


def test_varied_inputs_have_gradients(tmp_path):
    exported_material(tmp_path, **VARIED)
    found = run_there("llvm_ad_rgb", tmp_path, "photo", "gradient", name="wetness")
    assert np.abs(found["exact"]) > 1e-4
    np.testing.assert_allclose(found["exact"], found["central"], rtol=0.05)
