"""measure/block_baselines: what a shader samples, whole and reduced, by channels and by size."""

import sys

import numpy as np
import pytest

from neuralshade.asset.texture import mip_chain
from neuralshade.base.cores import core_count
from neuralshade.errors import DeviceError
from neuralshade.measure.astc import astc_round_trip, astc_size, missing_astc
from neuralshade.measure.baselines import Baseline, spend_on_thumbnail
from neuralshade.measure.block_baselines import block_baselines, block_codecs
from neuralshade.measure.quality import psnr_db

LACKING = "not tried: astc-encoder-py is not installed"


@pytest.fixture
def channels_of(photo):
    """Return the photo with so many channels; alpha falls from 1 to 0."""
    alpha = np.broadcast_to(np.linspace(1, 0, photo.shape[1], dtype=np.float32), photo.shape[:2])
    chosen = {1: photo[..., 1:2], 2: np.dstack([photo[..., 1], alpha]), 3: photo,
              4: np.dstack([photo, alpha])}  # fmt: skip
    return chosen.get


def blocks_of(target, byte_count=1 << 20, color_space="srgb"):
    found = block_baselines(target, color_space, byte_count)
    return {each.name: each for each in found if not each.name.startswith("ASTC")}


@pytest.mark.parametrize(
    "channels, bits", [(1, {"BC4": 4}), (2, {"BC5": 8}), (3, {"BC1": 4, "BC7": 8}), (4, {"BC7": 8})]
)
def test_formats_and_rates_by_channels(channels, bits, channels_of):
    target = channels_of(channels)  # 61 x 83: 16 x 21 blocks
    found = blocks_of(target)
    assert {name: each.byte_count for name, each in found.items()} == {
        name: 16 * 21 * 16 * rate // 8 for name, rate in bits.items()
    }
    for each in found.values():
        assert each.result.shape == target.shape and each.result.dtype == np.float32
        assert each.memory_bytes == each.byte_count and each.random_access
        assert psnr_db(target, each.result) > 28
        for channel in range(channels):
            one = np.s_[..., channel : channel + 1]
            assert psnr_db(target[one], each.result[one]) > 25, (each.name, channel)


def test_more_bits_are_better(photo):
    found = blocks_of(photo)
    assert psnr_db(photo, found["BC7"].result) > psnr_db(photo, found["BC1"].result) + 3


def test_sixteen_bit_grey_keeps_what_lies_between_bytes():
    ramp = np.tile(np.linspace(0.5, 0.505, 64, dtype=np.float32)[None, :, None], (8, 1, 1))
    stored = np.rint(ramp * 65535).astype(np.uint16)
    bytes_only = np.rint(ramp * 255).astype(np.uint8)
    (found,) = blocks_of(stored).values()
    assert psnr_db(stored, found.result) > psnr_db(stored, bytes_only) + 3


@pytest.mark.parametrize("byte_count", [600, 1_500, 2_600])
def test_reduced_to_the_bytes_of_the_asset(byte_count, photo):
    found = blocks_of(photo, byte_count)
    assert list(found) == ["BC1", "BC1, reduced", "BC7", "BC7, reduced"]
    for name in ("BC1", "BC7"):
        whole, reduced = found[name], found[f"{name}, reduced"]
        assert 0.7 * byte_count < reduced.byte_count <= byte_count < whole.byte_count
        assert reduced.memory_bytes == reduced.byte_count
        assert reduced.setting.endswith(" texels, bilinear")
        assert psnr_db(photo, reduced.result) < psnr_db(photo, whole.result)


def test_a_reduced_texture_is_near_to_the_same_texels_without_blocks(photo):
    reduced = blocks_of(photo, 1_500)["BC7, reduced"]
    cols, rows = map(int, reduced.setting.split(" texels")[0].split(" x "))
    plain = spend_on_thumbnail(photo, rows * cols * 3, "srgb")
    assert plain.setting.startswith(f"{cols} x {rows} texels")
    assert psnr_db(plain.result, reduced.result) > 35


def test_no_reduced_twin_of_what_is_small_enough(photo):
    whole = 16 * 21 * 8  # of BC1
    assert "BC1, reduced" not in blocks_of(photo, whole)
    assert "BC1, reduced" not in blocks_of(photo, round(whole / 1.019))
    assert "BC1, reduced" in blocks_of(photo, round(whole / 1.03))


def test_no_block_fits(photo):
    assert blocks_of(photo, 7)["BC1, reduced"] == Baseline(
        "BC1, reduced", 0, None, "not possible: one block needs 8 bytes", random_access=True
    )


@pytest.mark.parametrize("height, width", [(1, 1), (1, 300), (5, 2)])
def test_thin_pictures(height, width, noise):
    target = noise.random((height, width, 3), np.float32)
    for each in blocks_of(target, 1 << 10).values():
        assert each.result.shape == target.shape


def test_bands_do_not_show(photo, monkeypatch):
    at_once = blocks_of(photo)["BC1"].result
    monkeypatch.setattr(mip_chain, "BAND_TEXELS", 83 * 8 // min(core_count(), mip_chain.MOST_BANDS))
    assert mip_chain.band_rows(83) < len(photo)
    np.testing.assert_array_equal(blocks_of(photo)["BC1"].result, at_once)


@pytest.mark.parametrize("channels", [1, 3])
def test_light_is_kept_in_bc6h_whole_and_reduced(channels, photo):
    target = (photo[..., :channels] * 9) ** 2
    found = blocks_of(target, 1_500, "linear")
    assert list(found) == ["BC6H", "BC6H, reduced"]
    whole, reduced = found.values()
    assert whole.byte_count == whole.memory_bytes == 16 * 21 * 16  # 8 bits a texel
    assert whole.setting == "8 bits per texel, of one region a block"
    assert 0.7 * 1_500 < reduced.byte_count <= 1_500
    for each in found.values():
        assert each.result.shape == target.shape and each.result.dtype == np.float32
        assert each.random_access and each.result.max() > 20
    peak = float(target.max())
    assert psnr_db(target / peak, whole.result / peak) > 26
    assert psnr_db(target / peak, reduced.result / peak) > 18


def test_light_beyond_halves_is_clipped(noise):
    """It shows in PSNR and in the share of light."""
    target = noise.random((8, 8, 3), np.float32) - 0.2
    target[:4, :4] = 1e6
    found = blocks_of(target, 1 << 20, "linear")["BC6H"]
    assert found.result.max() == pytest.approx(65504, rel=0.01) and found.result.min() >= 0


def test_light_with_alpha_is_left_out_and_said(photo):
    target = np.dstack([photo * 9, photo[..., :1]])
    assert list(block_baselines(target, "linear", 1_000)) == [
        Baseline("BC6H", 0, None, "not possible: BC6H has no alpha", random_access=True)
    ]


def test_huge_pictures_are_not_tried():
    huge = np.lib.stride_tricks.as_strided(np.zeros(3, np.uint8), (2049, 2048, 3), (0, 0, 1))
    found = list(block_baselines(huge, "srgb", 1 << 20))
    assert [each.name for each in found] == ["BC1", "BC7", "ASTC 6x6", "ASTC 8x8"]
    assert {each.setting for each in found} == {"not tried: more than 4 megapixels"}
    assert all(each.result is None for each in found)


def test_without_the_encoder_of_astc_its_rows_say_so(photo, monkeypatch, refusal):
    monkeypatch.setitem(sys.modules, "astc_encoder", None)
    found = [each for each in block_baselines(photo, "srgb", 1_500) if each.name[:4] == "ASTC"]
    assert [(each.result, each.setting) for each in found] == [(None, LACKING)] * 2
    texels = np.zeros((4, 4, 4), np.uint8)
    assert (
        refusal(DeviceError, astc_round_trip, texels, 6)
        == missing_astc()
        == (
            "astc: got no package astc-encoder-py (import of astc_encoder halted; None in "
            "sys.modules), need it to encode ASTC. Run: pip install astc-encoder-py."
        )
    )


@pytest.mark.skipif(missing_astc() is not None, reason="astc-encoder-py is not installed")
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_astc(channels, channels_of):
    target = channels_of(channels)
    found = [e for e in block_baselines(target, "srgb", 1_500) if e.name.startswith("ASTC")]
    assert [each.byte_count for each in found] == [11 * 14 * 16, 8 * 11 * 16]
    assert [astc_size(61, 83, side) for side in (6, 8)] == [11 * 14 * 16, 8 * 11 * 16]
    for each in found:
        assert each.result.shape == target.shape and each.random_access
        for channel in range(channels):
            one = np.s_[..., channel : channel + 1]
            assert psnr_db(target[one], each.result[one]) > 22, (each.name, channel)
    assert psnr_db(target, found[0].result) > psnr_db(target, found[1].result)


@pytest.mark.parametrize(
    "byte_count, sides",
    [(100, (6, 8)), (700, (6, 8, 12)), (1_500, (6, 8)), (2_600, (6, 8)), (9_999, (4, 6, 8))],
)
def test_blocks_of_astc_that_fit_the_bytes(byte_count, sides, photo, monkeypatch):
    monkeypatch.setitem(sys.modules, "astc_encoder", None)
    found = block_baselines(photo, "srgb", byte_count)
    names = [each.name for each in found if each.name.startswith("ASTC")]
    assert names == [f"ASTC {side}x{side}" for side in sides]


def test_rates_are_told():
    rates = {each.name: f"{each.bits:.3g}" for each in block_codecs(3)}
    assert rates == {"BC1": "4", "BC7": "8", "ASTC 6x6": "3.56", "ASTC 8x8": "2"}
