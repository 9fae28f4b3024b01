"""engines/mitsuba in Mitsuba 3: textures and BSDFs answer as the asset does, in both variants."""

import json
from pathlib import Path

import numpy as np
import pytest
from fixtures.engine_exports import exported, linear
from fixtures.mitsuba_runs import VARIANTS, run_there, skip_without
from fixtures.random_materials import material
from fixtures.small_kinds import DATA

from neuralshade.verbs.export.engines.engine import ENGINES, EngineSource
from neuralshade.verbs.export.engines.mitsuba.plugin_constants import maps_of

pytestmark = [pytest.mark.slow]
TEXTURES = ["image_grid", "image_hash", "splats_normalized", "splats_over", "splats_sum",
            "mipmaps", "textures"]  # fmt: skip
VARIED = {"size": 5, "features": 7, "vary": "wetness=0..2,a.b=-1..1,for=2..4",
          "hidden_width": 20}  # fmt: skip
CLAMPED = {"size": 6, "features": 3, "lobes": 2, "wrap": "clamp", "lobe_inputs": 3,
           "activation": "leaky_relu"}  # fmt: skip
ROWS = 96  # of golden ones: a scalar variant takes milliseconds for each
STEEP = 2.3  # of linear light over encoded, at most
NOISE = 4.5  # standard errors


def written(folder, files):
    for name, content in files.items():
        Path(folder, name).write_bytes(content)


@pytest.fixture(params=VARIANTS)
def variant(request):
    skip_without(request.param)
    return request.param


@pytest.mark.parametrize("kind", TEXTURES)
def test_textures_are_the_assets(kind, variant, tmp_path):
    form, files = exported(DATA / f"{kind}.nsh", "mitsuba")
    written(tmp_path, files)
    golden = {one.function: one for one in form.golden}
    plugins, inputs = {}, {}
    for index, (name, (function, *_)) in enumerate(maps_of(form).items()):
        at = golden[function].inputs[:ROWS]
        for raw in (True, False):
            key = f"map{index}_{raw}"
            plugins[key] = {"map": name, "raw": raw}
            inputs[f"{key}_uv"] = at[:, :2]
            inputs[f"{key}_level"] = np.pad(at, ((0, 0), (0, 1)))[:, 2:3]
    found = run_there(variant, tmp_path, "photo", "textures",
                      plugins=json.dumps(plugins), **inputs)  # fmt: skip
    for key, plugin in plugins.items():
        function, lanes, space, _ = maps_of(form)[plugin["map"]]
        one = golden[function]
        values = one.outputs[:ROWS, ["xyzw".index(lane) for lane in lanes or "x"]]
        values = values.astype(np.float64)
        if space == "normal":
            values = 0.5 * values + 0.5
        elif space and not plugin["raw"]:
            values = linear(np.clip(values, 0, 1)) if space == "srgb" else np.maximum(values, 0)
        three = np.repeat(values, 3, 1)[:, :3] if values.shape[1] == 1 else values
        close = {"rtol": 0, "atol": STEEP * one.tolerance + 1e-6}
        np.testing.assert_allclose(found[key][:, :3], three, **close)
        np.testing.assert_allclose(found[key][:, 3:6], three, **close)
        gray = values @ [0.212671, 0.715160, 0.072169] if len(values[0]) == 3 else values[:, 0]
        np.testing.assert_allclose(found[key][:, 6], gray, **close)
        assert 0 <= found[f"{key}_mean"][0] <= 1.01 * max(1, three.max())


def exported_material(folder, **settings):
    """Write a material of random numbers, and return its form."""
    opened = material(**settings)
    form = opened.shader("photo")
    files = ENGINES["mitsuba"].files(EngineSource(form, opened, "photo"))
    written(folder, files)
    return form


@pytest.mark.parametrize("settings", [VARIED, CLAMPED], ids=["varied", "clamped"])
def test_a_bsdf_is_the_asset(settings, variant, tmp_path):
    form = exported_material(tmp_path, **settings)
    light, pdf, drawn = (form.meaning(each) for each in ("light", "density", "direction"))
    golden = {one.function: one for one in form.golden}
    names = [one.name for one in light.parameters if one.values is not None]
    assert len(names) == settings.get("vary", "").count("=")

    def columns(function, widths):
        parts = np.split(golden[function.name].inputs[:ROWS], np.cumsum(widths)[:-1], 1)
        return dict(zip([one.name for one in function.parameters], parts, strict=False))

    at = columns(light, [2, 1, 3, 3, *[1] * len(names)])
    of_pdf = columns(pdf, [2, 1, 3, 3, *[1] * len(names)])
    drawing = columns(drawn, [2, 1, 3, 3, *[1] * len(names)])
    for own in (at, of_pdf, drawing):
        own["varied"] = np.concatenate([np.zeros((ROWS, 0)), *(own.pop(name) for name in names)], 1)
    inputs = {f"drawn_{key}": value for key, value in drawing.items()}
    found = run_there(variant, tmp_path, "photo", "bsdf", names=json.dumps(names), **at, **inputs)
    again = run_there(variant, tmp_path, "photo", "bsdf", names=json.dumps(names), **of_pdf,
                      **inputs)  # fmt: skip

    def check(values, one, columns=slice(None)):
        wanted = one.outputs[:ROWS, columns].astype(np.float64)
        allowed = one.tolerance * (np.abs(wanted) + one.relative_to)
        assert (np.abs(values - wanted) <= allowed).all() and np.abs(wanted).max() > 0.05

    check(found["values"][:, :3], golden[light.name])
    check(found["values"][:, 4:7], golden[light.name])
    check(again["values"][:, 3:4], golden[pdf.name])
    check(again["values"][:, 7:], golden[pdf.name])
    good = golden[drawn.name].outputs[:ROWS, 3] > 0
    wanted, rows = golden[drawn.name], found["drawn"]
    assert good.sum() > ROWS / 2 and (rows[~good, 3:7] == 0).all()
    check(rows[:, :3], wanted, slice(3))
    check(rows[:, 3:4], wanted, slice(3, 4))
    above = good & (rows[:, 2] > 0)  # the weight is what eval and pdf say of the direction
    np.testing.assert_allclose(rows[above, 4:7] * rows[above, 7:8], rows[above, 8:], rtol=2e-3,
                               atol=1e-4)  # fmt: skip
    np.testing.assert_allclose(rows[above, 3], rows[above, 7], rtol=2e-3)


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


def test_varied_inputs_have_gradients(tmp_path):
    exported_material(tmp_path, **VARIED)
    found = run_there("llvm_ad_rgb", tmp_path, "photo", "gradient", name="wetness")
    assert np.abs(found["exact"]) > 1e-4
    np.testing.assert_allclose(found["exact"], found["central"], rtol=0.05)
