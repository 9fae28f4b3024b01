"""asset/texture/bc6h: blocks of light that OpenImageIO and texture2ddecoder read as they were."""

import numpy as np
import OpenImageIO
import pytest
import texture2ddecoder

from neuralshade.asset.texture import bc6h
from neuralshade.asset.texture.bc6h import MODES, compress_bc6h, decompress_bc6h
from neuralshade.asset.texture.block_compression import block_tiles, compress_blocks
from neuralshade.asset.texture.block_decompression import decompress_blocks
from neuralshade.asset.texture.dds import write_dds
from neuralshade.asset.texture.ktx2 import write_ktx2
from neuralshade.asset.texture.map_chain import MapChain, chain_format
from neuralshade.asset.texture.texture_format import FORMATS


def light(height, width, most=3.0):
    """Return light that grows along one direction: float32 [height, width, 3]."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    along = (x + y) / (height + width)
    return np.stack([0.5 + most * along, 1 + along, 2 + 3 * along], axis=2)


def read(path, levels):
    """Return the first level as OpenImageIO has it: float32 [height, width, 3]."""
    write_dds(path, levels, "bc6h")
    reader = OpenImageIO.ImageInput.open(str(path))
    assert str(reader.spec().format) == "half"
    image = reader.read_image("float")[..., :3]
    reader.close()
    return image


@pytest.mark.parametrize("mode", MODES, ids=[f"{bits} bits" for _, bits, _ in MODES])
def test_every_mode_is_read_by_others_as_it_was_written(tmp_path, monkeypatch, mode):
    """A block of one color has the end points' precision, in all three channels."""
    monkeypatch.setattr(bc6h, "MODES", (mode,))
    colors = np.array([[0.3, 1.5, 900.0], [60000.0, 1e-3, 0.0], [1, 2, 3]], np.float32)
    for color in colors:
        image = read(tmp_path / "x.dds", [np.tile(color, (4, 4, 1))])
        wanted, found = (each.astype(np.float16).view(np.uint16).astype(int)
                         for each in (color, image[1, 2]))  # fmt: skip
        assert (np.abs(found - wanted) <= max(1, 2 ** (15 - mode[1]))).all(), (mode, color)


@pytest.mark.parametrize("modes", [MODES, *([mode] for mode in MODES)], ids=len)
@pytest.mark.parametrize("spread", [0.003, 0.3, 5.0])
def test_our_decoder_finds_what_others_find(tmp_path, monkeypatch, noise, modes, spread):
    if len(modes) == 1 and modes[0][2]:
        spread /= 10_000  # a mode of differences has no others
    monkeypatch.setattr(bc6h, "MODES", modes)
    wanted = np.exp(noise.normal(0, spread, (9, 14, 3))).clip(0, 65504).astype(np.float32)
    blocks = compress_blocks(wanted.astype(np.float16), FORMATS["bc6h"])
    found = decompress_blocks(blocks, FORMATS["bc6h"], 9, 14)
    np.testing.assert_array_equal(found, read(tmp_path / "x.dds", [wanted]))


def test_no_other_step_is_nearer(noise):
    """By brute force over the 16 colors of each block, which rounding puts beside their line."""
    wanted = np.exp(noise.normal(0, 0.2, (64, 16, 3))).astype(np.float16)
    blocks = compress_bc6h(wanted)
    found = decompress_bc6h(blocks).astype(np.float16).view(np.uint16).astype(int)
    bits = wanted.view(np.uint16).astype(int)
    apart = np.square(found - bits).sum(2)
    colors = np.stack([decompress_bc6h(with_steps(blocks, step)) for step in range(16)], 2)
    colors = colors.astype(np.float16).view(np.uint16).astype(int)
    least = (
        np.square(colors - bits[:, :, None]).sum(3).min(2)[:, 1:]
    )  # the first one has three bits
    assert (apart[:, 1:] <= 1.01 * least + 4).all()


def with_steps(blocks, step):
    """Return the blocks with one step for all texels but the first: their last 60 bits."""
    turned = blocks.copy()
    turned[:, 8] = turned[:, 8] & 0x0F | step << 4
    turned[:, 9:] = step * 0x11
    return turned


@pytest.mark.parametrize("size", [(4, 4), (8, 12), (5, 3), (1, 1), (32, 32)])
def test_light_is_near_what_was_given(tmp_path, size):
    wanted = light(*size)
    image = read(tmp_path / "x.dds", [wanted])
    assert image.shape == wanted.shape
    assert np.abs(image - wanted).mean() / wanted.mean() < 0.04


def test_two_colors_of_a_block_are_both_kept(tmp_path):
    """Also where the first texel takes the second end point: its index has three bits."""
    for first, second in ((0.25, 8.0), (8.0, 0.25)):
        texels = np.full((4, 4, 3), first, np.float32)
        texels[2:] = second
        image = read(tmp_path / "x.dds", [texels])
        np.testing.assert_allclose(image, texels, rtol=0.02)


def test_more_modes_are_nearer_to_smooth_light(tmp_path, monkeypatch):
    wanted = light(32, 32, 0.5)
    whole = np.abs(read(tmp_path / "x.dds", [wanted]) - wanted).mean()
    monkeypatch.setattr(bc6h, "MODES", MODES[:1])
    assert whole < 0.6 * np.abs(read(tmp_path / "x.dds", [wanted]) - wanted).mean()


def test_another_decoder_finds_the_same():
    """One that shows what is above 1 as white."""
    wanted = light(4, 32, 0.4) / 6
    blocks = compress_bc6h(block_tiles(wanted.astype(np.float16)).reshape(-1, 16, 3))
    data = texture2ddecoder.decode_bc6(blocks.tobytes(), 32, 4)
    shown = np.frombuffer(data, np.uint8).reshape(4, 32, 4)[..., 2::-1] / 255
    assert np.abs(shown - wanted).max() < 0.02


def test_ktx2_says_what_it_holds(tmp_path):
    write_ktx2(tmp_path / "x.ktx2", [light(8, 8)], "bc6h")
    data = (tmp_path / "x.ktx2").read_bytes()
    assert int.from_bytes(data[12:16], "little") == 143  # VK_FORMAT_BC6H_UFLOAT_BLOCK
    start = int.from_bytes(data[48:52], "little")
    descriptor = data[start : start + 44]
    assert descriptor[12] == 133 and descriptor[31] & 0x80  # KHR_DF_MODEL_BC6H, a float
    write_dds(tmp_path / "x.dds", [light(8, 8)], "bc6h")
    assert data[-64:] == (tmp_path / "x.dds").read_bytes()[-64:]


@pytest.mark.parametrize("most, least, format", [
    (30.0, 0.0, "bc6h"), (30.0, -2.0, "rgba16f"), (1e6, 0.0, "rgba32f"),
])  # fmt: skip
def test_what_the_format_cannot_hold_stays_plain(most, least, format):
    levels = [light(8, 8, most) + np.float32(least)]
    one = MapChain("emissive", levels, "linear", 16, wide=True)
    assert chain_format(one, ("bc7", "bc6h")).name == format
    narrow = MapChain("x", [light(8, 8, 0.1) / 6], "srgb")
    assert chain_format(narrow, ("bc6h",)).name == "rgba8_srgb"
