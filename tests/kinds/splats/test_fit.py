"""kinds/splats/fit: any picture becomes Gaussians in a file whose quality is what was said."""

import json
from dataclasses import replace

import numpy as np
import pytest

import neuralshade
from neuralshade import FitOptions
from neuralshade.asset.asset import read_asset, save_asset
from neuralshade.errors import AssetError, ConfigError, DeviceError, NeuralShadeError, OutputError
from neuralshade.kinds.splats.opened import OpenedSplats

FEW = {"compositing": "normalized", "count": 30, "steps": 60}


def flat_psnr_db(picture):
    """Return the PSNR of the picture's mean color."""
    values = picture.as_float()
    white = float(values.max()) if picture.hdr else 1.0
    return 10 * np.log10(white**2 / values.var(axis=(0, 1)).mean())


def end_to_end(path, folder, **settings):
    """Fit, and look at the asset in all ways there are; return the result of the fit."""
    asset, page, drawn = folder / "x.nsh", folder / "x.html", folder / "x.exr"
    result = neuralshade.fit_splats(path, asset, **{**FEW, **settings})
    picture = neuralshade.load_picture(path)
    row = neuralshade.evaluate(asset, path)[0]
    assert row["psnr_db"] == pytest.approx(result.psnr_db, abs=0.01)
    assert row["bytes"] == result.asset_bytes == asset.stat().st_size
    pixels = neuralshade.render(asset, drawn)
    assert pixels.shape == picture.pixels.shape and pixels.dtype == np.float32
    neuralshade.report(asset, path, page)
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert f"{result.count:,} Gaussians" in page.read_text()
    loaded, facts = neuralshade.load(asset), neuralshade.info(asset)
    assert isinstance(loaded, OpenedSplats) and loaded.header.own["cloud"]["count"] == result.count
    assert (facts["kind"], facts["cloud"]) == ("splats", loaded.header.own["cloud"])
    assert facts["parameters"] == result.count * len(facts["cloud"]["levels"])
    assert facts["picture"]["channels"] == picture.channels
    assert row["memory_bytes"] == facts["memory_bytes"] == 4 * facts["parameters"]
    assert not row["random_access"] and row["setting"].endswith("; drawn, not sampled")
    json.dumps(facts, allow_nan=False)
    return result


# each count of channels has kernels of its own, which take seconds to compile; so have floats
KINDS = [("a.exr", 3), *(("a.png", channels) for channels in (1, 2, 3, 4))]


@pytest.mark.slow
@pytest.mark.parametrize("name, channels", KINDS)
def test_every_kind_of_picture_end_to_end(tmp_path, save_smooth, name, channels):
    path = save_smooth(name, channels=channels)
    result = end_to_end(path, tmp_path)
    assert (result.steps, result.count, result.skipped_steps) == (60, 30, 0)
    assert result.psnr_db > flat_psnr_db(neuralshade.load_picture(path)) + 6


OVER = pytest.param("over", marks=pytest.mark.slow)  # sorts: large kernels, as in test_engine.py


@pytest.mark.slow
@pytest.mark.parametrize("compositing", [OVER, "sum"])
def test_every_compositing_end_to_end(tmp_path, save_smooth, compositing):
    path = save_smooth()
    result = end_to_end(path, tmp_path, compositing=compositing)
    assert result.psnr_db > flat_psnr_db(neuralshade.load_picture(path)) + 6
    assert neuralshade.info(tmp_path / "x.nsh")["recipe"].get("compositing", compositing) == (
        compositing
    )


@pytest.mark.slow
@pytest.mark.parametrize("height, width, count", [(1, 1, 1), (1, 17, 4), (17, 1, 4), (24, 36, 1)])
def test_small_pictures_and_few_gaussians(tmp_path, save_smooth, height, width, count):
    path = save_smooth(height=height, width=width)
    result = end_to_end(path, tmp_path, count=count, steps=200)
    assert result.count == count
    if width * height < 20:
        assert result.psnr_db > 20


def test_one_color(tmp_path):
    """Where nothing changes, there is nothing to place Gaussians by."""
    picture = neuralshade.picture_from_array(np.full((24, 36, 3), 200, np.uint8))
    result = neuralshade.fit_splats(picture, tmp_path / "x.nsh", **FEW)
    assert result.psnr_db > 40


@pytest.mark.slow
def test_large_values_are_learned_as_small_ones_are(tmp_path, save_smooth):
    psnr, settings = [], FEW | {"steps": 200}
    for peak in (1, 100):
        path = save_smooth("a.exr", peak=peak)
        psnr.append(neuralshade.fit_splats(path, tmp_path / "x.nsh", **settings).psnr_db)
    assert psnr[1] > psnr[0] - 6


@pytest.mark.slow
def test_more_gaussians_and_more_steps_learn_more(tmp_path, save_smooth):
    path = save_smooth()

    def psnr_db(**settings):
        return neuralshade.fit_splats(path, tmp_path / "x.nsh", **{**FEW, **settings}).psnr_db

    few, usual = psnr_db(count=5), psnr_db()
    assert usual > few + 3 and psnr_db(steps=300) > usual + 1


@pytest.mark.slow
def test_a_picture_learned_almost_exactly_stays_so_once_rounded(tmp_path, save_smooth):
    """Then colors are rounded to more than a thousand levels."""
    settings = {**FEW, "count": 250, "steps": 300}
    path = save_smooth(height=24, width=32)
    assert neuralshade.fit_splats(path, tmp_path / "x.nsh", **settings).psnr_db > 48


@pytest.mark.slow  # as test_kernels_slang.py has it of every step
def test_the_naive_way_gives_the_same(tmp_path, save_smooth):
    psnr = [neuralshade.fit_splats(save_smooth(), tmp_path / "x.nsh", naive=naive, **FEW)
            .psnr_db for naive in (False, True)]  # fmt: skip
    assert psnr[0] == pytest.approx(psnr[1], abs=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("noise, size", [
    (0.2, {"bytes": 3000}),
    pytest.param(0.2, {"bpp": 3000 * 8 / (64 * 32)}, marks=pytest.mark.slow),  # the same bytes
    pytest.param(1.0, {"bytes": 3000}, marks=pytest.mark.slow),
])  # fmt: skip
def test_a_file_is_as_large_as_asked_for(tmp_path, save_smooth, noise, size):
    """Of a picture with something to spend bytes on: waves and noise, or noise alone."""
    smooth = neuralshade.load_picture(save_smooth(height=32, width=64)).as_float()
    rough = np.random.default_rng(0).random(smooth.shape, dtype=np.float32)
    neuralshade.save_picture(tmp_path / "b.png", smooth + noise * (rough - smooth), "srgb")
    settings = {"compositing": "normalized", "steps": 60, **size}
    result = neuralshade.fit_splats(tmp_path / "b.png", tmp_path / "x.nsh", **settings)
    assert 0.98 * 3000 <= result.asset_bytes <= 3000
    assert result.asset_bytes == (tmp_path / "x.nsh").stat().st_size
    assert not result.bpp_exceeded and result.count > 100


def test_steps_are_made_exactly_and_told(tmp_path, save_smooth):
    seen = []
    result = neuralshade.fit_splats(save_smooth(), tmp_path / "x.nsh",
                                    observer=lambda p: seen.append(p.step), **FEW)  # fmt: skip
    assert seen == sorted(seen) and seen[-1] == result.steps == 60
    training = neuralshade.load(tmp_path / "x.nsh").header.training
    assert training["steps"] == 60 and training["curve"][-1][0] == 60


def test_target_psnr_ends_early_and_what_is_stored_keeps_it(tmp_path, save_smooth):
    settings = FEW | {"steps": 10**6, "target_psnr": 18.0}
    result = neuralshade.fit_splats(save_smooth(), tmp_path / "x.nsh", **settings)
    assert result.steps < 10**5 and result.psnr_db > 17.9
    assert min(neuralshade.info(tmp_path / "x.nsh")["cloud"]["levels"]) >= 1


def test_seconds_end_it(tmp_path, save_smooth):
    settings = {**FEW, "steps": None, "seconds": 0.4}
    result = neuralshade.fit_splats(save_smooth(), tmp_path / "x.nsh", **settings)
    assert 0.4 <= result.seconds < 5 and result.count == 30


def test_an_asset_tells_how_to_make_it_again(tmp_path, save_smooth):
    """Settings as usual are left out of the file, those given are there."""
    settings = {**FEW, "seed": 7, "background": "0,0.5,1"}
    neuralshade.fit_splats(save_smooth(), tmp_path / "x.nsh", **settings)
    facts = neuralshade.info(tmp_path / "x.nsh")
    assert {"count": 30, "steps": 60, "seed": 7, "background": "0,0.5,1"}.items() <= (
        facts["recipe"].items()
    )
    assert facts["cloud"]["background"] == [0, 0.5, 1]


@pytest.fixture(scope="module")
def fitted_splats(tmp_path_factory):
    asset = tmp_path_factory.mktemp("splats") / "s.nsh"
    row, col = np.mgrid[:24, :36]
    waves = [0.5 + 0.4 * np.sin(row / (3 + i) + col / (5 + i)) for i in range(3)]
    picture = neuralshade.picture_from_array(np.uint8(255 * np.stack(waves, axis=2)))
    neuralshade.fit_splats(picture, asset, **FEW)
    return asset


def test_any_part_is_rendered_at_any_resolution(fitted_splats):
    large = neuralshade.render(fitted_splats, size=(36 * 3, 24 * 3))
    np.testing.assert_allclose(large[1::3, 1::3], neuralshade.render(fitted_splats), atol=1e-4)
    part = neuralshade.render(fitted_splats, size=(54, 18), crop=(0.25, 0.5, 0.75, 0.75))
    np.testing.assert_allclose(part, large[36:54, 27:81], atol=1e-4)
    assert large.std() > 0.2


def test_a_field_of_networks_refuses_gaussians(fitted_splats):
    with pytest.raises(AssetError) as caught:
        neuralshade.GpuField(fitted_splats)
    assert str(caught.value) == (
        f"{fitted_splats}: got an asset of kind 'splats', need 'image'. Use one that "
        "fit image made."
    )


def test_a_recipe_of_another_version_is_refused(tmp_path, fitted_splats):
    asset = read_asset(fitted_splats)
    newer = tmp_path / "newer.nsh"
    recipe = asset.header.recipe | {"hue": 3}
    save_asset(newer, asset.kind, replace(asset.header, recipe=recipe), asset.tensors)
    message = refusal(AssetError, neuralshade.render, newer)
    assert message.startswith(f"{newer}: got a recipe that this version cannot read (")
    assert message.endswith("), need one it knows. Upgrade neuralshade.")


@pytest.mark.slow
def test_snapshots_and_report_of_the_fit(tmp_path, save_smooth):
    options = FitOptions(snapshots=tmp_path / "seen", report=tmp_path / "x.html")
    neuralshade.fit_splats(save_smooth(), tmp_path / "x.nsh", options=options, **FEW)
    names = sorted(path.name for path in (tmp_path / "seen").iterdir())
    assert names[0] == "prediction_0000001.png" and names[-1] == "prediction_0000060.png"
    assert len(names) > 8 and not any("grid" in name for name in names)
    assert "30 Gaussians" in (tmp_path / "x.html").read_text()


def refusal(kind, call, *arguments, **named):
    with pytest.raises(kind) as caught:
        call(*arguments, **named)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def refused(kind, tmp_path, picture, **settings):
    """Return the message of a fit that is refused before it trains, and leaves nothing."""

    def never(progress):
        raise AssertionError("it trains")

    asset = tmp_path / "x.nsh"
    message = refusal(kind, neuralshade.fit_splats, picture, asset, observer=never, **settings)
    assert [path.name for path in tmp_path.iterdir()] == [picture.name]
    return message


@pytest.mark.parametrize("settings, start", [
    ({"bytes": 500}, "SplatsRecipe.bytes: got 500 bytes for the file, need about "),
    ({"bpp": 0.1}, "SplatsRecipe.bpp: got 0.1 for 36 x 24 pixels, a file of 11 bytes, need about "),
    ({"count": 3, "bytes": 5000}, "SplatsRecipe.bytes: got 5000 with count=3, need one of "),
    ({"background": "0.5"}, "SplatsRecipe.background: got '0.5', need mean or 3 numbers "),
    ({"gaussians": 3}, "SplatsRecipe.gaussians: unknown setting, need one of "),
])  # fmt: skip
def test_settings_are_refused_before_anything_is_done(tmp_path, save_smooth, settings, start):
    assert refused(ConfigError, tmp_path, save_smooth(), **settings).startswith(start)


@pytest.mark.parametrize("options, kind, message", [
    ({"engine": "torch"}, DeviceError,
     'engine: got "torch", need gpu or auto: Slang runs on a GPU or on software Vulkan. '
     "Leave --engine out."),
    ({"engine": "gp"}, ConfigError,
     "engine: got 'gp', need one of ['auto', 'torch', 'gpu']. Did you mean gpu?"),
    ({"device": "cpu"}, DeviceError,
     "device: got 'cpu', need cuda, vulkan, metal or d3d12: Slang runs on a GPU, or on software "
     "Vulkan. Leave --device out."),
])  # fmt: skip
def test_engines_and_devices_are_refused(tmp_path, save_smooth, options, kind, message):
    path = save_smooth()
    assert refused(kind, tmp_path, path, options=FitOptions(**options), **FEW) == message


@pytest.mark.parametrize("options", [{"deterministic": True}, {"kernels": "fma"}])
def test_options_that_would_change_nothing_are_refused(tmp_path, save_smooth, options):
    refused(NeuralShadeError, tmp_path, save_smooth(), options=FitOptions(**options), **FEW)


def test_output_places_are_tried_before_training(tmp_path, save_smooth, same_message):
    options = FitOptions(report=tmp_path / "absent/x.html")
    message = refused(OutputError, tmp_path, save_smooth(), options=options, **FEW)
    same_message(message, f"{tmp_path}/absent/x.html", "Create")


@pytest.mark.parametrize("ends", [{"seconds": 0.01, "steps": None}, {}])
def test_what_it_came_to_is_looked_at(save_smooth, tmp_path, monkeypatch, caplog, ends):
    """Where a thumbnail is nearer it says so, and the result has that too."""
    seen = []

    def poor(job, quality, byte_count, picture):
        seen.append((quality["psnr_db"], byte_count, picture.width))
        return "fit: got too little"

    monkeypatch.setattr("neuralshade.kinds.splats.fit.poor", poor)
    path = save_smooth()
    result = neuralshade.fit_splats(path, tmp_path / "x.nsh", **{**FEW, **ends})
    assert "fit: got too little" in caplog.messages
    assert result.warnings[-1] == "fit: got too little"
    assert len(result.warnings) == 2 and "are usual" in result.warnings[0]  # it was cut off, too
    width = neuralshade.load_picture(path).width
    assert seen == [(result.psnr_db, result.asset_bytes, width)]
