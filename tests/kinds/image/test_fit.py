"""kinds/image/fit: any picture becomes an asset whose quality is what was said."""

import io
import os

import numpy as np
import OpenImageIO
import pytest
from PIL import Image

import neuralshade


def save_16_bit(path):
    values = (np.random.default_rng(1).random((9, 14, 3)) * 65535).astype(np.uint16)
    spec = OpenImageIO.ImageSpec(14, 9, 3, "uint16")
    writer = OpenImageIO.ImageOutput.create(str(path))
    assert writer.open(str(path), spec) and writer.write_image(values) and writer.close()


def end_to_end(path, folder, settings):
    """Fit, evaluate, render and report; return the result of the fit and the table."""
    asset, page, drawn = folder / "x.nsh", folder / "x.html", folder / "x.exr"
    result = neuralshade.fit_image(path, asset, **settings)
    rows = neuralshade.evaluate(asset, path)
    assert rows[0]["psnr_db"] == pytest.approx(result.psnr_db, abs=0.01)
    assert rows[0]["bytes"] == result.asset_bytes == asset.stat().st_size
    picture = neuralshade.load_picture(path)
    pixels = neuralshade.render(asset, drawn)
    assert pixels.shape == picture.pixels.shape and pixels.dtype == np.float32
    assert neuralshade.load_picture(drawn).pixels.shape == picture.pixels.shape
    neuralshade.report(asset, path, page)
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert neuralshade.info(asset)["picture"]["channels"] == picture.channels
    return result, rows


MORE = [("a.png", 2, 1), ("a.png", 4, 1), ("a.jpg", 3, 1), ("a.pgm", 1, 1), ("a.exr", 1, 9)]
PICTURES = [
    ("a.png", 1, 1), ("a.png", 3, 1), ("a.exr", 3, 300), ("a.exr", 4, 1),
    *(pytest.param(*picture, marks=pytest.mark.slow) for picture in MORE),
]  # fmt: skip


@pytest.mark.parametrize("name, channels, peak", PICTURES)
def test_every_kind_of_picture_end_to_end(tmp_path, save_smooth, few, name, channels, peak):
    path = save_smooth(name, channels=channels, peak=peak)
    result, _ = end_to_end(path, tmp_path, few)
    assert result.steps == 30 and np.isfinite(result.psnr_db)


def test_sixteen_bits_end_to_end(tmp_path, few):
    save_16_bit(tmp_path / "a.png")
    end_to_end(tmp_path / "a.png", tmp_path, few)
    assert neuralshade.info(tmp_path / "x.nsh")["picture"]["dtype"] == "uint16"


@pytest.mark.slow
@pytest.mark.parametrize("height, width", [(1, 1), (1, 40), (40, 1), (2, 3)])
@pytest.mark.parametrize("preset", ["grid", "lake", "rtxns-fast", "tiny-9"])
def test_smallest_pictures_end_to_end(tmp_path, save_smooth, preset, height, width):
    path = save_smooth(height=height, width=width)
    small = {"batch": 512} if preset != "grid" else {}
    end_to_end(path, tmp_path, {"preset": preset, "steps": 3, **small})


def test_one_pixel_is_learned(tmp_path, save_smooth):
    path = save_smooth(height=1, width=1)
    assert neuralshade.fit_image(path, tmp_path / "x.nsh", steps=300).psnr_db > 40


def test_more_steps_learn_more(tmp_path, save_smooth, few):
    path = save_smooth()
    few["rate"] = few["grid_rate"] = 0.02
    psnr = [neuralshade.fit_image(path, tmp_path / "x.nsh", **(few | {"steps": n})).psnr_db
            for n in (1, 30, 300)]  # fmt: skip
    assert psnr[1] > psnr[0] + 3 and psnr[2] > psnr[1] + 3


@pytest.mark.slow
@pytest.mark.parametrize("transform, size", [("identity", (36, 24)), ("zoom", (18, 12)),
                                             ("flip", (24, 36))])  # fmt: skip
def test_transform(tmp_path, save_smooth, few, transform, size):
    path = save_smooth()
    few |= {"steps": 400, "encoding": "dense_grid:width=36,height=36"}
    asset = tmp_path / "x.nsh"
    result = neuralshade.fit_image(path, asset, transform=transform, **few)
    rows = neuralshade.evaluate(asset, path)
    assert rows[0]["psnr_db"] == pytest.approx(result.psnr_db, abs=0.01)
    assert result.bits_per_pixel == pytest.approx(result.asset_bytes * 8 / (size[0] * size[1]))
    assert rows[0]["bits_per_pixel"] == pytest.approx(result.bits_per_pixel)
    assert neuralshade.info(asset)["bits_per_pixel"] == pytest.approx(result.bits_per_pixel)
    drawn = neuralshade.render(asset)
    assert drawn.shape == (size[1], size[0], 3)
    whole = neuralshade.load_picture(path).as_float()
    target = {"identity": whole, "zoom": whole[6:18, 9:27], "flip": whole.swapaxes(0, 1)}
    errors = {name: float(np.square(drawn - t).mean()) for name, t in target.items()
              if t.shape == drawn.shape}  # fmt: skip
    assert errors[transform] == min(errors.values()) < 1e-2


@pytest.mark.parametrize("steps", [1, 7])
def test_steps_are_made_exactly(tmp_path, save_smooth, few, steps):
    result = neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", **(few | {"steps": steps}))
    assert result.steps == steps
    assert neuralshade.load(tmp_path / "x.nsh").header.training["steps"] == steps


def test_target_psnr_ends_early(tmp_path, save_smooth, few):
    few |= {"steps": 10**6, "target_psnr": 15.0}
    result = neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", **few)
    assert result.steps < 10_000 and result.psnr_db > 14.5


def test_seconds_end_it(tmp_path, save_smooth, few):
    few |= {"steps": None, "seconds": 0.3}
    result = neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", **few)
    assert 0.1 <= result.seconds < 3  # it ends before a step that would exceed them


@pytest.mark.parametrize("preset", ["grid", "lake", "rtxns", "tiny"])
def test_equal_seeds_give_equal_tensors(tmp_path, save_smooth, preset):
    path, assets = save_smooth(), []
    for name, seed in (("x", 4), ("y", 4), ("z", 5)):
        neuralshade.fit_image(path, tmp_path / name, preset=preset, steps=12, seed=seed, batch=256)
        assets.append(neuralshade.load(tmp_path / name).tensors)
    first, again, other = assets
    assert first.keys() == again.keys()
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert any(not np.array_equal(first[name], other[name]) for name in first)


@pytest.mark.parametrize("bits", [16, 32])
def test_averaged_weights_are_what_is_stored(tmp_path, save_smooth, few, bits):
    """The average must still be in the file after the trained weights are back in place."""
    few |= {"network_bits": bits, "grid_bits": bits, "average": 0.9, "rate": 0.1}
    result = neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", **few)
    plain = neuralshade.fit_image(save_smooth(), tmp_path / "y.nsh", **(few | {"average": 0.0}))
    first, second = (neuralshade.load(tmp_path / name).tensors for name in ("x.nsh", "y.nsh"))
    assert any(not np.array_equal(first[name], second[name]) for name in first)
    rows = neuralshade.evaluate(tmp_path / "x.nsh", tmp_path / "a.png")
    assert rows[0]["psnr_db"] == pytest.approx(result.psnr_db, abs=0.01) != plain.psnr_db


def test_a_picture_in_memory(tmp_path, save_smooth, few, monkeypatch):
    monkeypatch.chdir(tmp_path)
    picture = neuralshade.picture_from_array(neuralshade.load_picture(save_smooth()).pixels)
    result = neuralshade.fit_image(picture, **few)
    assert result.asset == "array.nsh"
    from_file = neuralshade.fit_image(tmp_path / "a.png", **few)
    assert from_file.asset == "a.nsh" and from_file.psnr_db == result.psnr_db


def test_observer_sees_the_progress(tmp_path, save_smooth, few):
    seen = []
    neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", **few,
                          observer=lambda p: seen.append((p.step, p.loss)))  # fmt: skip
    assert seen[-1][0] == 30 and all(np.isfinite(loss) for _, loss in seen)


def test_result_says_how_it_ran(tmp_path, save_smooth, few):
    result = neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", **few)
    assert (result.engine, result.device, result.skipped_steps) == ("torch", "cpu", 0)
    assert result.asset == str(tmp_path / "x.nsh")
    assert result.bits_per_pixel == pytest.approx(result.asset_bytes * 8 / (36 * 24))
    assert result.samples_per_second > 0 and np.isfinite(result.loss)


def test_samples_are_those_that_were_drawn(tmp_path, save_smooth):
    """A 1 x 1 picture has one sample a step, however large the batch that was asked for."""
    path = save_smooth(height=1, width=1)
    result = neuralshade.fit_image(path, tmp_path / "x.nsh", steps=20)
    assert result.samples_per_second == pytest.approx(20 / result.seconds, rel=0.01)


def test_picture_of_values_that_float16_lacks(tmp_path, save_smooth, few):
    """The sun in an HDR panorama: biases are float16 in the file, and must not overflow."""
    path = save_smooth("a.exr", peak=1e6)
    result = neuralshade.fit_image(path, tmp_path / "x.nsh", **few)
    assert np.isfinite(result.psnr_db) and np.isfinite(neuralshade.render(tmp_path / "x.nsh")).all()


def test_diverging_fit_ends_in_words_or_well(tmp_path, save_smooth, few):
    """Steps that blow up may be skipped or refused, but never end in a traceback."""
    few |= {"rate": 10.0, "grid_rate": 10.0, "activation": "exp", "hidden_layers": 4}
    try:
        result = neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", **few)
    except neuralshade.NeuralShadeError:
        assert not (tmp_path / "x.nsh").exists()
    else:
        assert np.isfinite(result.psnr_db)


def test_webp_and_tiff_are_read(tmp_path, few):
    pixels = np.random.default_rng(2).integers(0, 255, (8, 11, 3), dtype=np.uint8)
    for suffix in ("webp", "tiff", "bmp"):
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, suffix.upper())
        (tmp_path / f"a.{suffix}").write_bytes(buffer.getvalue())
        result = neuralshade.fit_image(tmp_path / f"a.{suffix}", tmp_path / "x.nsh", **few)
        assert os.path.getsize(result.asset) == result.asset_bytes


def test_a_missed_target_is_told(tmp_path, save_smooth, few):
    result = neuralshade.fit_image(save_smooth(), tmp_path / "a.nsh", **few, target_psnr=90.0)
    [told] = [line for line in result.warnings if "target_psnr" in line]
    assert told.startswith(f"fit: got {result.psnr_db:.2f} dB, where target_psnr asks for 90, at ")


def test_a_psnr_is_rounded_once(tmp_path, save_smooth, few, monkeypatch):
    """41.295 in the file would be told as 41.30."""
    monkeypatch.setattr("neuralshade.kinds.image.quality.decibels", lambda *given: 41.2947)
    result = neuralshade.fit_image(save_smooth(), tmp_path / "a.nsh", **few)
    header = neuralshade.load(tmp_path / "a.nsh").header
    assert result.psnr_db == header.quality["psnr_db"] == header.training["curve"][-1][3] == 41.2947
