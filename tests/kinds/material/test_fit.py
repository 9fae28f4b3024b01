"""kinds/material: small fits of a paint, and what their assets hold."""

import dataclasses

import numpy as np
import pytest
from fixtures.small_material import paint, paint_reference, upper_pairs

import neuralshade
from neuralshade.asset.asset import save_asset
from neuralshade.errors import AssetError, ConfigError
from neuralshade.fitting.options import FitOptions
from neuralshade.kinds.material.engine import pool_of
from neuralshade.kinds.material.fit import fit_material
from neuralshade.kinds.material.judging.judge import Judge, field_shade
from neuralshade.kinds.material.judging.lit_surfaces import plane, sphere, spread
from neuralshade.kinds.material.noise import sampler_noise

SURFACE = """
<surface name="S" type="surfaceshader">
  <input name="bsdf" type="BSDF" nodename="top"/>
</surface>
<surfacematerial name="M" type="material">
  <input name="surfaceshader" type="surfaceshader" nodename="S"/>
</surfacematerial>
</materialx>
"""
GOLD = '[[layer]]\nkind = "conductor"\ncolor = [0.9, 0.7, 0.3]\nroughness = 0.05\n'
OLDER = {"lobe_inputs": 3, "below": 0.0, "activation": "leaky_relu"}  # of files without them
FEW = {"size": 16, "batch": 1024, "hidden_width": 16}


@pytest.fixture(scope="module", autouse=True)
def _small_spheres():
    """Let fits be judged by spheres that are drawn in no time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 48)
        patch.setattr("neuralshade.kinds.material.judging.mip_judge.FOOTPRINTS", 512)
        yield


@pytest.fixture(scope="module")
def fitted(tmp_path_factory, share_device):
    """Give a fit of the paint that has had a few hundred steps: its result, and it opened."""
    path = tmp_path_factory.mktemp("paint") / "paint.nsh"
    with pytest.MonkeyPatch.context() as patch:
        share_device(patch)
        result = fit_material(paint_reference(), path, steps=370, **FEW)
    return result, neuralshade.load(path)


def test_the_curve_ends_with_the_number_of_the_file(fitted):
    """What was measured briefly on the way is not the last that is told."""
    result, opened = fitted
    last = opened.header.training["curve"][-1]
    assert last[0] == result.steps
    assert last[3] == pytest.approx(result.psnr_db, abs=2e-3)


def test_it_tells_where_mip_levels_and_sampler_begin(fitted):
    """Their losses are others than that of the map."""
    result, opened = fitted
    mips, sampler = opened.header.training["breaks"]
    whole = 1 - opened.recipe.sampler
    assert sampler == pytest.approx(whole * result.steps, abs=1)
    assert mips == pytest.approx((1 - opened.recipe.mips) * whole * result.steps, abs=1)


def test_a_file_of_an_earlier_version_is_what_it_was(tmp_path, share_device, monkeypatch):
    share_device(monkeypatch)
    fit_material(paint_reference(), tmp_path / "x.nsh", steps=8, **OLDER, **FEW)
    opened = neuralshade.load(tmp_path / "x.nsh")
    settings = {k: v for k, v in opened.header.recipe.items() if k not in OLDER}
    header = dataclasses.replace(opened.header, recipe=settings)
    save_asset(tmp_path / "old.nsh", "material", header, opened.tensors)
    old, (uv, wi, wo) = neuralshade.load(tmp_path / "old.nsh"), upper_pairs(50)
    assert old.recipe == opened.recipe and opened.field.encoding.width == 8 + 3 * 3 + 4
    found, need = (field_shade(one.field)(uv, wi, wo) for one in (old, opened))
    np.testing.assert_array_equal(found, need)


def test_it_scatters_as_its_reference(fitted):
    """At any point, to any side: the error is a small part of what is scattered."""
    result, opened = fitted
    uv, wi, wo = upper_pairs(4000)
    wanted, found = paint(uv, wi, wo), opened.eval(uv, wi, wo)
    assert np.abs(found - wanted).sum() < 0.2 * wanted.sum()
    assert abs(found.sum() / wanted.sum() - 1) < 0.1
    assert result.psnr_db > 28 and result.worst_db > 25 and result.skipped_steps == 0


def test_it_makes_no_light(fitted):
    """What it scatters in all is at most what its reference does, and 3 % of that."""
    told = fitted[1].header.quality
    assert 0.9 < told["albedo_most"] / told["teacher_albedo_most"] < 1.03


def test_nothing_comes_from_below(fitted):
    uv, wi, wo = upper_pairs(20)
    wi[:10, 2] *= -1
    wo[5:15, 2] *= -1
    found = fitted[1].eval(uv, wi, wo)
    assert not found[:15].any() and (found[15:] > 0).all()


def test_what_the_header_says_is_true_of_the_file(fitted, painted):
    result, opened = fitted
    judged = Judge(painted).judge(field_shade(opened.field))
    quality = opened.header.quality
    noise = sampler_noise(opened.field, opened.sampler)
    measured = {**judged.facts(), **noise}
    assert quality == {k: pytest.approx(v, abs=2e-3) for k, v in measured.items()}
    assert result.highlight_l1 == pytest.approx(quality["l1_highlight"], abs=2e-3)
    assert f"L1 around highlights {result.highlight_l1:.3f}" in opened.summary()["quality"]
    assert result.psnr_db == pytest.approx(quality["psnr_db"], abs=2e-3)
    assert result.asset_bytes == opened.byte_count


@pytest.mark.slow
def test_evaluate_tells_the_same(fitted, one_device):
    _, opened = fitted
    (row,) = opened.evaluate(paint_reference())
    assert row["psnr_db"] == pytest.approx(opened.header.quality["psnr_db"], abs=2e-3)
    assert row["l1_highlight"] < 0.3 and row["memory_bytes"] == opened.facts()["memory_bytes"]
    told = []
    opened.evaluate(paint_reference(), notice=told.append)
    assert told == []
    changed = dataclasses.replace(
        paint_reference(), text=paint_reference().text + "\n// repainted\n"
    )
    opened.evaluate(changed, notice=told.append)
    assert len(told) == 1 and "paint is not what it was fitted to" in told[0]
    other = dataclasses.replace(paint_reference(), name="rust")
    with pytest.raises(AssetError, match="got rust, need paint"):
        opened.evaluate(other)
    with pytest.raises(ConfigError, match="got no material, need the one"):
        opened.evaluate()


def test_files_of_the_first_version_tell_less(fitted, tmp_path):
    opened = fitted[1]
    first = {k: opened.header.quality[k] for k in ("psnr_db", "worst_db", "sky_db")}
    header = dataclasses.replace(opened.header, quality=first)
    save_asset(tmp_path / "old.nsh", "material", header, opened.tensors)
    told = neuralshade.load(tmp_path / "old.nsh").summary()["quality"]
    assert "dB" in told and "L1" not in told


def test_a_fit_that_ends_with_its_encoder_is_baked(tmp_path, one_device):
    fit_material(paint_reference(), tmp_path / "x.nsh", steps=2, encoded_until=0.9, **FEW)
    codes = neuralshade.load(tmp_path / "x.nsh").tensors["features"]
    assert codes.shape == (256 + 64 + 16 + 4 + 1, 8) and len(np.unique(codes[:256])) > 16


@pytest.mark.parametrize(
    "preset, wanted", [(None, (2, 32)), ("standard", (2, 32)), ("high", (3, 64)),
                           ("fast", (2, 16))])  # fmt: skip
def test_a_preset_says_how_large_the_decoder_is(preset, wanted, tmp_path, one_device):
    few = {"size": 4, "batch": 64, "steps": 1}
    fit_material(paint_reference(), tmp_path / "x.nsh", preset=preset, **few)
    recipe = neuralshade.load(tmp_path / "x.nsh").recipe
    assert (recipe.hidden_layers, recipe.hidden_width) == wanted
    fit_material(paint_reference(), tmp_path / "x.nsh", preset=preset, hidden_width=48, **few)
    recipe = neuralshade.load(tmp_path / "x.nsh").recipe
    assert (recipe.hidden_layers, recipe.hidden_width) == (wanted[0], 48)


def test_an_unknown_preset_is_refused_with_the_nearest(tmp_path):
    for fit, given in ((fit_material, "x.toml"), (neuralshade.fit_materials, ["x.toml"])):
        with pytest.raises(ConfigError, match=r"got 'hihg', need one of .*Did you mean high\?"):
            fit(given, tmp_path / "x.nsh", preset="hihg")


def test_a_sphere_and_a_plane_of_white_are_as_bright_as_a_furnace():
    """White scatters all of what comes from all sides, at every point of it."""
    lights = [(d, np.full(3, 4 * np.pi / 2000)) for d in spread(2000)]
    for stage in (sphere(24, 24), plane(3, 3)):
        lit = stage.lit(lambda uv, wi, wo: np.repeat(wi[:, 2:] / np.pi, 3, axis=1), lights)
        assert lit[stage.inside] == pytest.approx(1.0, abs=0.02)
        assert not lit[~stage.inside].any()


def test_parts_of_a_sphere_are_parts_of_the_whole():
    def shade(uv, wi, wo):
        return np.repeat(uv[:, :1], 3, axis=1)

    light = [(np.array([0.0, 0.0, 1.0]), np.ones(3))]
    whole = sphere(32, 24).lit(shade, light)
    part = sphere(16, 12, (0.5, 0.0, 1.0, 0.5)).lit(shade, light)
    np.testing.assert_allclose(part, whole[:12, 16:], atol=1e-5)


@pytest.mark.slow
def test_the_element_of_a_document_is_kept_and_loaded_again(tmp_path, one_device, document):
    """The second material of two, from whose file alone the asset is evaluated."""
    pytest.importorskip("MaterialX", reason="has no wheel for this machine")
    second = SURFACE.replace('"S"', '"T"').replace('"M"', '"N"').replace('"top"', '"white"')
    nodes = "".join(f'<oren_nayar_diffuse_bsdf name="{name}" type="BSDF"><input name="color" '
                    f'type="color3" value="{v}, {v}, {v}"/></oren_nayar_diffuse_bsdf>'
                    for name, v in (("top", 0.1), ("white", 0.9)))  # fmt: skip
    path = document(nodes + second.replace("</materialx>", ""))
    fit_material(path, tmp_path / "x.nsh", element="N", steps=2, **FEW)
    opened = neuralshade.load(tmp_path / "x.nsh")
    assert opened.material["element"] == "N"
    (row,) = opened.evaluate(path)
    assert row["psnr_db"] == pytest.approx(opened.header.quality["psnr_db"], abs=2e-3)


def test_samples_of_large_maps_reach_nearly_all_texels():
    """Two points a texel leave one in seven out, whose neighbours' samples reach it still."""
    assert pool_of(16) == pool_of(128) < pool_of(256) == 4 * 256**2
    assert pool_of(1024) == 2 * 1024**2 == pool_of(8192)


def test_highlights_that_are_lost_are_told(tmp_path):
    """A PSNR does not see them."""
    (tmp_path / "gold.toml").write_text(GOLD)
    result = fit_material(tmp_path / "gold.toml", tmp_path / "gold.nsh", steps=3, size=4, batch=256,
                          mips=0.0, sampler=0.05, options=FitOptions(engine="torch"))  # fmt: skip
    assert result.highlight_l1 > 0.8
    assert any("of the light around highlights is wrong" in said for said in result.warnings)
