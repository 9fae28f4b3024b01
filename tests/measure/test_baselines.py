"""measure/baselines and measure/quality_rows: the same bytes spent otherwise."""

import io
import math

import numpy as np
import pytest
import torch
from PIL import Image

from neuralshade.errors import ShapeError
from neuralshade.measure import baselines as baselines_module
from neuralshade.measure.baselines import (
    Baseline,
    baselines,
    spend_on_avif,
    spend_on_jpeg,
    spend_on_thumbnail,
    spend_on_webp,
    to_uint8,
)
from neuralshade.measure.quality import missing_flip, psnr_db
from neuralshade.measure.quality_rows import rows_for


def file_size(pixels, kind, **how):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, **how)
    return len(file.getvalue())


@pytest.mark.parametrize("spend", [spend_on_jpeg, spend_on_webp])
@pytest.mark.parametrize("byte_count", [9_000, 20_000, 60_000])
def test_files_fit_the_budget_and_use_it(spend, byte_count, jeep):
    spent = spend(jeep, byte_count)
    assert 0.9 * byte_count < spent.byte_count <= byte_count
    assert spent.result.shape == jeep.shape
    assert spent.result.dtype == np.float32
    assert psnr_db(jeep, spent.result) > 27


@pytest.mark.parametrize("byte_count", [20_000, 60_000])  # sequential, progressive is smaller
def test_jpeg_takes_the_highest_quality_that_fits(byte_count, jeep):
    spent = spend_on_jpeg(jeep, byte_count)
    quality, kind = spent.setting.removeprefix("quality ").split(", ")
    how = {"optimize": True, "subsampling": {"4:2:0": 2, "4:4:4": 0}[kind]}
    sizes = {
        q: min(file_size(jeep, "JPEG", quality=q, progressive=p, **how) for p in (False, True))
        for q in (int(quality), int(quality) + 1)
    }
    assert sizes[int(quality)] == spent.byte_count
    assert sizes[int(quality) + 1] > byte_count


def test_jpeg_takes_the_better_subsampling():
    stripes = np.zeros((48, 48, 3), np.uint8)  # one pixel wide: 4:2:0 cannot show them
    stripes[:, ::2, 0], stripes[:, 1::2, 2] = 255, 255
    spent = spend_on_jpeg(stripes, 4_000)
    assert spent.setting.endswith("4:4:4")
    file = io.BytesIO()
    Image.fromarray(stripes).save(file, "JPEG", quality=100, subsampling=2)
    assert psnr_db(stripes, spent.result) > psnr_db(stripes, np.asarray(Image.open(file))) + 10


def test_webp_takes_the_highest_quality_that_fits(jeep):
    spent = spend_on_webp(jeep, 20_000)
    quality = int(spent.setting.removeprefix("quality "))
    sizes = [
        file_size(jeep, "WEBP", quality=q, method=6, exact=True) for q in (quality, quality + 1)
    ]
    assert sizes[0] == spent.byte_count
    assert sizes[1] > 20_000


def test_webp_is_lossless_where_that_fits(photo):
    pixels = to_uint8(photo)
    spent = spend_on_webp(pixels, 3 * pixels.size)
    assert spent.setting == "lossless"
    assert np.array_equal(to_uint8(spent.result), pixels)


@pytest.mark.parametrize("channels", [2, 4])
def test_webp_keeps_alpha_and_what_it_hides(channels, photo):
    pixels = to_uint8(np.concatenate([photo, photo[..., :1]], axis=2))[..., 4 - channels :]
    pixels[20:40, 20:40, -1] = 0
    assert np.array_equal(to_uint8(spend_on_webp(pixels, 1 << 20).result), pixels)


def test_lossy_webp_keeps_what_alpha_hides(jeep):
    jeep = jeep[128:384, 128:384]
    hidden = np.zeros((256, 256, 1), np.uint8)  # alpha 0 everywhere
    spent = spend_on_webp(np.concatenate([jeep, hidden], axis=2), 5_000)
    assert spent.setting.startswith("quality ")
    assert psnr_db(jeep, spent.result[..., :3]) > 30


def test_the_search_is_a_bisection(photo, monkeypatch):
    encode, qualities = baselines_module.picture_file, []

    def counted(picture, format_name, **how):
        qualities.append(how["quality"])
        return encode(picture, format_name, **how)

    monkeypatch.setattr(baselines_module, "picture_file", counted)
    spend_on_webp(to_uint8(photo), 1_000)
    assert len(qualities) <= 7  # of 101


def test_grey_stays_grey(jeep):
    grey = np.ascontiguousarray(jeep[..., 1:2])
    for spent in (spend_on_jpeg(grey, 12_000), spend_on_webp(grey, 12_000)):
        assert spent.result.shape == grey.shape
        assert psnr_db(grey, spent.result) > 30
    assert spend_on_jpeg(grey, 12_000).setting.endswith(", grey")


@pytest.mark.parametrize("height, width", [(1, 1), (1, 300), (300, 1)])
def test_thin_pictures_have_baselines(height, width, noise):
    target = noise.random((height, width, 3)).astype(np.float32)
    for spent in baselines(target, "srgb", 20_000):
        assert spent.result.shape == target.shape
        assert 0 < spent.byte_count <= 20_000


def test_avif_keeps_channels_and_its_budget(jeep):
    """Colors have a sample for every pixel where bits are many, else one for four."""
    if "AVIF" not in Image.SAVE:
        pytest.skip("Pillow before 11.3 writes no AVIF")
    part = jeep[128:256, 128:256]
    alpha = np.concatenate([part, part[..., :1]], axis=2)
    for target, byte_count, kind in (
        (part, 4_000, "4:4:4"), (part, 1_200, "4:2:0"), (alpha, 5_000, "4:4:4"),
        (np.ascontiguousarray(part[..., 1:2]), 3_000, "grey"),
        (np.ascontiguousarray(alpha[..., 2:]), 4_000, "4:4:4"),
    ):  # fmt: skip
        spent = spend_on_avif(np.ascontiguousarray(target), byte_count)
        assert spent.result.shape == target.shape
        assert spent.byte_count <= byte_count and spent.setting.endswith(kind)
        assert psnr_db(target, spent.result) > 20
    assert spend_on_avif(part, 20).setting.startswith("not possible: quality 0 needs ")


def test_pillow_without_avif_is_told(jeep, monkeypatch):
    monkeypatch.setattr(Image, "SAVE", {k: v for k, v in Image.SAVE.items() if k != "AVIF"})
    spent = spend_on_avif(jeep[:16, :16].copy(), 5_000)
    assert spent.result is None and "11.3" in spent.setting


def test_what_is_not_possible_says_why(photo):
    pixels = to_uint8(photo)
    smallest = file_size(pixels, "WEBP", quality=0, method=6, exact=True)
    assert spend_on_webp(pixels, 20) == Baseline(
        "WebP", 0, None, f"not possible: quality 0 needs {smallest:,} bytes"
    )
    smallest = min(
        file_size(pixels, "JPEG", quality=1, subsampling=s, progressive=p, optimize=True)
        for s in (0, 2)
        for p in (False, True)
    )
    assert spend_on_jpeg(pixels, 20).setting == f"not possible: quality 1 needs {smallest:,} bytes"
    assert spend_on_jpeg(pixels[..., :2], 9_999).setting == "not possible: JPEG has no alpha"
    wide = np.zeros((1, 16_384, 3), np.uint8)
    assert spend_on_webp(wide, 9_999).setting == "not possible: at most 16,383 pixels a side"
    assert spend_on_jpeg(wide, 9_999).result is not None
    wide = np.zeros((1, 65_536, 3), np.uint8)
    assert spend_on_jpeg(wide, 9_999).setting == "not possible: at most 65,535 pixels a side"
    assert spend_on_thumbnail(photo, 2, "srgb").setting == "not possible: one texel needs 3 bytes"


@pytest.mark.parametrize("spend", [spend_on_jpeg, spend_on_webp])
def test_files_need_bytes(spend, photo):
    with pytest.raises(ShapeError) as caught:
        spend(photo, 1000)
    assert str(caught.value) == (
        f"{spend.__name__}: got target float32, need uint8. Convert it with to_uint8."
    )


@pytest.mark.slow
def test_huge_pictures_are_not_tried():
    huge = np.lib.stride_tricks.as_strided(np.zeros(3, np.uint8), (4200, 8192, 3), (0, 0, 1))
    for spent in baselines(huge, "srgb", 1 << 20):
        assert spent.result is None
        most = 8 if spent.name == "AVIF" else 32
        assert spent.setting == f"not tried: more than {most} megapixels"


@pytest.mark.parametrize("byte_count", [3, 100, 1_000, 10_000, 1 << 20])
@pytest.mark.parametrize("color_space, texel_bytes", [("srgb", 3), ("linear", 6)])
def test_thumbnails_fit_the_budget_and_use_it(byte_count, color_space, texel_bytes, photo):
    spent = spend_on_thumbnail(photo, byte_count, color_space)
    if byte_count < texel_bytes:
        assert spent.result is None
        return
    cols, rows = (int(n) for n in spent.setting.split(" texels")[0].split(" x "))
    assert spent.byte_count == rows * cols * texel_bytes <= byte_count
    assert rows == max(1, round(cols * 61 / 83)) <= 61
    wider = (cols + 1) * max(1, round((cols + 1) * 61 / 83)) * texel_bytes
    assert wider > byte_count or cols == 83


def test_a_thumbnail_of_a_ramp_is_exact_inside():
    ramp = np.tile((np.arange(64, dtype=np.float32) / 64)[:, None, None], (1, 32, 1))
    spent = spend_on_thumbnail(ramp, 16 * 8 * 2, "linear")  # 4 x 4 pixels a texel, half floats
    assert spent.setting == "8 x 16 texels, half float, bilinear"
    assert np.array_equal(spent.result[2:-2], ramp[2:-2])
    # Clamped: the outer two rows repeat the outermost texel, the mean of rows 0..3
    assert np.array_equal(spent.result[:2], np.full((2, 32, 1), 1.5 / 64, np.float32))


def test_a_thumbnail_is_what_a_bilinear_sampler_shows(photo):
    spent = spend_on_thumbnail(photo, 20 * 15 * 3, "srgb")
    assert spent.setting == "20 x 15 texels, 8 bit, bilinear"
    small = Image.fromarray(to_uint8(photo)).resize((20, 15), Image.Resampling.BOX)
    texels = torch.from_numpy(np.array(small, np.float32)) / 255
    shown = torch.nn.functional.interpolate(
        texels.permute(2, 0, 1)[None], size=(61, 83), mode="bilinear", align_corners=False
    )
    # 8-bit filtering against float filtering differs by at most one level
    np.testing.assert_allclose(spent.result, shown[0].permute(1, 2, 0), atol=1.01 / 255)


def test_a_budget_for_all_texels_gives_the_picture_back(photo):
    spent = spend_on_thumbnail(to_uint8(photo), photo.size, "srgb")
    assert np.array_equal(to_uint8(spent.result), to_uint8(photo))


def test_half_float_thumbnails_do_not_overflow():
    bright = np.full((4, 4, 1), 1e6, np.float32)
    assert spend_on_thumbnail(bright, 32, "linear").result.max() == 65504


@pytest.mark.slow
def test_rows_of_an_srgb_picture(jeep):
    jeep = jeep[128:384, 128:384]
    result = (np.float32(0.9) * jeep / 255).astype(np.float32)
    rows = rows_for(jeep, result, 4_096, "srgb", name="jeep.nsh")
    names = ["jeep.nsh", "JPEG", "WebP", "AVIF", "Thumbnail"]
    assert [row["name"] for row in rows[:5]] == names and len(rows) > 9
    assert rows[0]["bytes"] == 4_096
    assert rows[0]["bits_per_pixel"] == 0.5
    assert rows[0]["psnr_db"] == psnr_db(jeep, result)
    for row in rows[1:5]:
        assert 0.85 * 4_096 < row["bytes"] <= 4_096
        assert row["bits_per_pixel"] == row["bytes"] * 8 / 256**2
        assert 20 < row["psnr_db"] < 35
        assert 0.5 < row["ssim"] < 1
        assert row["flip"] is None if missing_flip() else 0 < row["flip"] < 0.3
    assert len({tuple(row) for row in rows}) == 1  # equal keys in equal order


def test_rows_of_an_hdr_picture(photo):
    rows = rows_for(photo * 9, photo * 8.9, 1_000, "linear")
    for row in rows[1:4]:
        assert row["setting"] == "not possible: 8 bits do not hold HDR"
        assert [row[key] for key in ("bytes", "psnr_db", "ssim", "flip")] == [None] * 4
    assert rows[4]["setting"] == "15 x 11 texels, half float, bilinear"
    assert math.isfinite(rows[4]["psnr_db"])
    assert [row["name"] for row in rows[5:]] == ["BC6H", "BC6H, reduced"]
    assert rows[5]["psnr_db"] > rows[6]["psnr_db"] > 15
    assert rows[5]["log_psnr_db"] > 30 and rows[5]["light_kept"] == pytest.approx(1, abs=0.01)


def test_rivals_are_taken_as_given(photo):
    rival = Baseline("theirs", 77, photo, "by hand")
    rows = rows_for(photo, photo * 0.9, 100, "srgb", rivals=[rival])
    assert [(row["name"], row["setting"], row["bytes"]) for row in rows] == [
        ("neuralshade", "", 100),
        ("theirs", "by hand", 77),
    ]
    assert rows[1]["psnr_db"] == math.inf
