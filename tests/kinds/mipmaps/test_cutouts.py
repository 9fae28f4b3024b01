"""kinds/mipmaps: of sets with opacity, what it hides reaches no level, and coverage is kept."""

import dataclasses
import signal
from types import SimpleNamespace

import numpy as np
import OpenImageIO
import pytest
from PIL import Image

import neuralshade
from neuralshade import FitOptions
from neuralshade.errors import AssetError, PictureError, ShapeError
from neuralshade.kinds.mipmaps.asset import stored_level, stored_levels
from neuralshade.kinds.mipmaps.build import base_maps
from neuralshade.measure.plane.mip_filters import FILTERS

GRASS, MAGENTA = (60, 150, 40), (255, 0, 255)
FORMATS = ("png", "exr", "dds", "ktx2-bc")
COUNTS = "opacity: texels of all other maps count by it; its levels"


def alpha_of(height, width, seed=1):
    """Return leaning blades as tall as the picture, some of their edges in part: uint8 [H, W]."""
    rng, (row, column) = np.random.default_rng(seed), np.mgrid[:height, :width]
    alpha = np.zeros((height, width))
    for _ in range(width // 8):
        apart = np.abs(column - rng.uniform(0, width) - rng.uniform(-0.7, 0.7) * row)
        alpha = np.maximum(alpha, np.where(apart < 1.2, 255, np.where(apart < 1.4, 90, 0)))
    return alpha.astype(np.uint8)


def write_grass(folder, alpha, below=MAGENTA, rough=(64, 255)):
    """Write a set whose texels are all alike where they are seen, and others elsewhere."""
    folder.mkdir()
    seen = (alpha > 0)[..., None]
    color = np.where(seen, GRASS, below)
    Image.fromarray(np.dstack([color, alpha]).astype(np.uint8)).save(folder / "albedo.png")
    normal = np.where(seen, (128, 128, 255), (230, 128, 200)).astype(np.uint8)
    Image.fromarray(normal).save(folder / "normal_gl.png")
    Image.fromarray(np.where(seen[..., 0], *rough).astype(np.uint8)).save(folder / "roughness.png")
    return folder


@pytest.fixture(scope="module")
def grass(device, share_device, tmp_path_factory):
    """Give a fit of 48 x 40 texels in several formats. Not to be written to."""
    folder = tmp_path_factory.mktemp("grass")
    source = write_grass(folder / "grass", alpha_of(40, 48))
    with pytest.MonkeyPatch.context() as patch:
        share_device(patch)
        result = neuralshade.fit_mipmaps(source, folder / "out", formats=FORMATS, steps=64,
                                         pool=16, pairs=4)  # fmt: skip
    return SimpleNamespace(source=source, folder=folder / "out", result=result,
                           levels=stored_levels(neuralshade.load(result.asset)))  # fmt: skip


def test_every_level_has_the_color_that_is_seen(grass):
    for level in grass.levels:
        np.testing.assert_array_equal(
            level["albedo"], np.broadcast_to(GRASS, level["albedo"].shape)
        )
        assert set(level["roughness"].flat) == {64}
    textures = neuralshade.load_texture_set(grass.source)
    for make in FILTERS.values():
        for level in make(base_maps(textures, weighted=True), 5):
            color = stored_level(level)["albedo"]
            np.testing.assert_array_equal(color, np.broadcast_to(GRASS, color.shape))


def test_trained_levels_have_it_too(device, grass, monkeypatch, stand):
    """Whatever is judged to be better."""
    monkeypatch.setattr("neuralshade.kinds.mipmaps.fit.chosen_methods",
                        lambda engine, stored, recipe: ["trained"] * 5)  # fmt: skip
    result = neuralshade.fit_mipmaps(grass.source, "out", steps=64, pool=16, pairs=4)
    for level in stored_levels(neuralshade.load(result.asset)):
        apart = np.abs(level["albedo"].astype(int) - GRASS)
        assert apart.max() <= 3


def test_levels_of_opacity_keep_its_coverage(grass):
    shares = [(level["opacity"] >= 128).mean() for level in grass.levels]
    assert shares[0] == pytest.approx(0.261, abs=1e-3)
    for level, share in zip(grass.levels, shares, strict=True):  # as near as so few texels allow
        assert abs(share - shares[0]) <= max(0.03, 0.6 / level["opacity"].size)
    assert neuralshade.info(grass.result.asset)["maps"]["opacity"] == "coverage"
    assert f"{COUNTS} keep the share that an alpha test at 0.5 passes, {shares[0]:.3g}." in (
        grass.result.notes
    )
    assert any("filled from texels that are seen" in note for note in grass.result.notes)


def test_files_have_the_opacity_of_the_asset(grass):
    names = {path.name for path in grass.folder.iterdir()}
    assert {"opacity.dds", "opacity.ktx2", "opacity_5.png", "opacity_5.exr"} <= names
    assert sorted(p.rpartition("/")[2] for p in grass.result.files) == sorted(names - {"grass.nsh"})
    for i, level in enumerate(grass.levels):
        with Image.open(grass.folder / f"opacity_{i}.png") as png:
            assert png.mode == "L"
            np.testing.assert_array_equal(np.asarray(png), level["opacity"][..., 0])
        file = OpenImageIO.ImageInput.open(str(grass.folder / f"opacity_{i}.exr"))
        np.testing.assert_allclose(file.read_image("float") * 255, level["opacity"], atol=0.51)
        file.close()
    raw = (grass.folder / "opacity.dds").read_bytes()
    assert raw[148 : 148 + 40 * 48] == grass.levels[0]["opacity"].tobytes()
    assert np.frombuffer((grass.folder / "opacity.ktx2").read_bytes()[12:16], "<u4") == 139  # BC4
    opened = neuralshade.load(grass.result.asset)
    texels = sum(width * height for width, height in opened.maps["sizes"])
    blocks = sum(-(-width // 4) * -(-height // 4) for width, height in opened.maps["sizes"])
    assert opened.memory_bytes == 16 * blocks * 2 + 8 * blocks * 3 and texels > 0
    assert "opacity" in "".join(opened.tensor_summary())


def test_decoded_opacity_goes_into_alpha(grass, tmp_path):
    neuralshade.decode(grass.result.asset, tmp_path, format="png", alpha=True)
    with Image.open(tmp_path / "albedo_2.png") as png:
        assert png.mode == "RGBA"
        np.testing.assert_array_equal(np.asarray(png)[..., 3], grass.levels[2]["opacity"][..., 0])


def test_evaluate_has_the_numbers_of_the_fit(grass, stand):
    sources = (grass.source, neuralshade.load_texture_set(grass.source),
               neuralshade.load_material_set(grass.source))  # fmt: skip
    for source in sources:
        for row in neuralshade.evaluate(grass.result.asset, source):
            errors = grass.result.errors[row["light"]]
            assert row["ours"] == errors["kept"][row["level"] - 1]
            assert row["lean"] == errors["stored_lean"][row["level"] - 1]
    textures = sources[1]
    for opacity in (None, textures.opacity[::-1].copy()):
        with pytest.raises(AssetError, match="got another opacity map"):
            neuralshade.evaluate(grass.result.asset, dataclasses.replace(textures, opacity=opacity))


def test_the_page_shows_it(grass, tmp_path, monkeypatch):
    from neuralshade.measure.plane.plane_view import PlaneView

    view = PlaneView(width=48, height=27)
    monkeypatch.setattr(PlaneView, "showing", classmethod(lambda cls, base: view))
    neuralshade.report(grass.result.asset, grass.source, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert f"opacity, {'kept'}" in page and "count by it" in page


def test_hidden_color_may_be_kept(device, grass, stand, short):
    """Then levels are those of a set without opacity, and opacity's are means."""
    result = neuralshade.fit_mipmaps(grass.source, "out", keep_hidden_color=True, **short)
    opened = neuralshade.load(result.asset)
    levels = stored_levels(opened)
    assert (levels[0]["albedo"] == MAGENTA).all(2).any()
    assert levels[-1]["opacity"] == pytest.approx(levels[0]["opacity"].mean(), abs=1)
    assert opened.maps["opacity"] == "means" and not opened.weighted
    textures = neuralshade.load_texture_set(grass.source, keep_hidden_color=True)
    opaque = dataclasses.replace(textures, opacity=None)
    other = neuralshade.fit_mipmaps(opaque, "other", **short)
    assert other.errors == result.errors
    for level, same in zip(levels, stored_levels(neuralshade.load(other.asset)), strict=True):
        assert all(np.array_equal(level[name], same[name]) for name in same)
    row, *_ = neuralshade.evaluate(result.asset, grass.source)
    assert row["ours"] == result.errors[row["light"]]["kept"][0]
    kept = [len(chain.levels) for chain in opened.chains()]
    assert kept == [6] * 5 and opened.scene().kind == "mipmaps"


@pytest.mark.parametrize("opacity", [0.0, 1.0])
def test_an_opacity_that_hides_nothing_or_all_is_none(device, stand, short, set_of, opacity):
    """To the same bits."""
    textures, results = set_of(7, 5), []
    alike = np.full((5, 7), opacity, np.float32)
    for name, one in (("plain", textures), ("alike", dataclasses.replace(textures, opacity=alike))):
        results.append(neuralshade.fit_mipmaps(one, name, **short))
    first, other = (neuralshade.load(result.asset).tensors for result in results)
    assert list(first) == list(other)
    assert all(np.array_equal(first[name], other[name]) for name in first)
    assert results[0].errors == results[1].errors
    assert f"opacity: {opacity:g} everywhere, taken as none." in results[1].notes


def test_an_asset_without_opacity_is_judged_as_it_was_fitted(device, stand, short, set_of):
    textures = set_of(7, 5)
    result = neuralshade.fit_mipmaps(textures, "out", keep_hidden_color=True, **short)
    half = np.arange(35.0).reshape(5, 7) % 2  # float64: sets made by hand may have it
    row, *_ = neuralshade.evaluate(result.asset, dataclasses.replace(textures, opacity=half))
    assert row["ours"] == result.errors[row["light"]]["kept"][0]
    cut = neuralshade.fit_mipmaps(dataclasses.replace(textures, opacity=half), "cut", **short)
    assert neuralshade.info(cut.asset)["maps"]["opacity"] == "coverage"


def test_an_opacity_of_its_own_file_is_what_the_alpha_is(device, grass, stand, short):
    """By its name in a folder, by a flag's, in memory; smooth ones have means."""
    alpha = alpha_of(40, 48)
    write_grass(stand / "grass", np.maximum(alpha, 1))
    with Image.open(grass.source / "albedo.png") as albedo:
        albedo.convert("RGB").save("grass/albedo.png")
    Image.fromarray(alpha).save("grass/x_opacity.png")
    loaded = neuralshade.load_texture_set("grass")
    np.testing.assert_array_equal(loaded.opacity, alpha / np.float32(255))
    named = neuralshade.load_texture_set("grass", opacity=alpha)
    np.testing.assert_array_equal(named.opacity, loaded.opacity)
    smooth = np.linspace(30, 220, alpha.size).reshape(alpha.shape).astype(np.uint8)
    result = neuralshade.fit_mipmaps("grass", "out", maps={"opacity": smooth}, **short)
    assert f"{COUNTS} are means: most of its texels are neither 0 nor 1." in result.notes
    assert neuralshade.info(result.asset)["maps"]["opacity"] == "means"


def test_resumed_has_the_bits_of_uninterrupted(device, grass, stand):
    few = {"steps": 12, "pool": 8, "pairs": 4, "reuse": 2}
    whole = neuralshade.fit_mipmaps(grass.source, "whole", **few)

    with pytest.raises(neuralshade.FitInterrupted):
        neuralshade.fit_mipmaps(
            grass.source, "parted", **few,
            observer=lambda p: p.step >= 4 and signal.raise_signal(signal.SIGINT),
        )  # fmt: skip
    options = FitOptions(resume="parted/grass.checkpoint.nsh")
    parted = neuralshade.fit_mipmaps(grass.source, "parted", options=options)
    assert parted.errors == whole.errors
    first, other = (neuralshade.load(result.asset).tensors for result in (whole, parted))
    assert all(np.array_equal(other[name], values) for name, values in first.items())


def test_sets_made_by_hand_are_checked(device, stand, short, set_of):
    textures = set_of(6, 4)
    bright = textures.albedo.copy()
    bright[1, 2] = 1e30
    result = neuralshade.fit_mipmaps(dataclasses.replace(textures, albedo=bright), "out", **short)
    assert "albedo: 3 values beyond [0, 1] clipped." in result.notes
    row, *_ = neuralshade.evaluate(result.asset, dataclasses.replace(textures, albedo=bright))
    assert row["ours"] == result.errors[row["light"]]["kept"][0]
    bright[1, 2] = np.nan
    with pytest.raises(PictureError, match="waves: albedo: got NaN or infinity in 3 values"):
        neuralshade.fit_mipmaps(dataclasses.replace(textures, albedo=bright), "out")
    wide = np.zeros((4, 7), np.float32)
    with pytest.raises(ShapeError, match=r"got opacity \[4, 7\], need \[4, 6\] .* Reshape"):
        neuralshade.fit_mipmaps(dataclasses.replace(textures, opacity=wide), "out")


@pytest.mark.slow
def test_a_family_of_cutouts(device, stand, short, monkeypatch):
    """They teach a network and are helped by it as others are."""
    for name, below in (("a", MAGENTA), ("b", MAGENTA), ("c", (9, 9, 9))):
        write_grass(stand / name, alpha_of(24, 16, seed=ord(name)), below, rough=(140, 20))
    result = neuralshade.fit_mipmaps_family(["a", "b"], "f.nsh", "out", **short)
    for one in result.sets:
        assert any(note.startswith(COUNTS) for note in one.notes)
    helped = neuralshade.fit_mipmaps_family("c", "f.nsh", "out/c", **short).sets[0]
    levels = stored_levels(neuralshade.load(helped.asset))
    assert all((level["albedo"] == GRASS).all() for level in levels)
    row, *_ = neuralshade.evaluate(helped.asset, "c")
    assert row["ours"] == helped.errors[row["light"]]["kept"][0]
