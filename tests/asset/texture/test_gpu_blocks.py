"""asset/texture/gpu_blocks: blocks as good as those of CPUs, for any reader."""

import numpy as np
import pytest
import skimage.data
import texture2ddecoder

from neuralshade.asset.texture.bc7_shapes import ANCHORS, SHAPES
from neuralshade.asset.texture.block_compression import compress_blocks
from neuralshade.asset.texture.block_decompression import decompress_blocks, decompress_tiles
from neuralshade.asset.texture.gpu_blocks import GpuBlocks
from neuralshade.asset.texture.mip_chain import stored_texels
from neuralshade.asset.texture.texture_format import FORMATS
from neuralshade.gpu.slangpy_gpu import SlangpyGpu

NAMES = ("bc1", "bc4", "bc5", "bc7")
SIDE = 64  # of most pictures
NEAR = 1.01  # errors of two encoders that round in another order, one by the other


class Encoder:
    """The encoder of a GPU, whose kernels are compiled once for all tests."""

    def __init__(self, device):
        self.gpu = SlangpyGpu(device, owned=False)
        self.texels = self.gpu.buffer(size=4 * 3 * SIDE * SIDE)
        self.found = self.gpu.buffer(size=16 + SIDE * SIDE)
        self.blocks = GpuBlocks(self.gpu, self.texels, self.found)

    def __call__(self, picture, name, first=0):
        """Return the blocks of float32 [H, W, C]."""
        height, width = picture.shape[:2]
        commands = self.gpu.commands()
        commands.upload(self.texels, 0, np.ascontiguousarray(picture, np.float32))
        size = self.blocks.fill(commands, FORMATS[name], width, height, first)
        commands.submit()
        return self.found.read()[first : first + size].tobytes()


@pytest.fixture(scope="module")
def encode(device):
    return Encoder(device)


def squares(blocks, name, picture):
    """Return the squared error of blocks, read as GPUs do."""
    height, width, channels = picture.shape
    shown = decompress_blocks(blocks, FORMATS[name], height, width)
    return ((shown[..., :channels].astype(np.float64) - picture) ** 2).sum()


def channels_of(name):
    return min(FORMATS[name].channels, 3)


def pictures():
    """Yield pictures [SIDE, SIDE, 3] that differ in kind: a photograph, waves, steps, noise."""
    rng = np.random.default_rng(0)
    across, down = np.meshgrid(np.arange(SIDE), np.arange(SIDE))
    yield skimage.data.astronaut()[90 : 90 + SIDE, 180 : 180 + SIDE].astype(np.float32) / 255
    yield np.stack([np.sin((across + down * k) / 9) / 2 + 0.5 for k in (1, 2, 3)], axis=2)
    yield np.repeat(((across // 3 + down // 5) % 2)[..., None], 3, axis=2) * 0.7
    yield rng.random((SIDE, SIDE, 3))
    yield rng.integers(2, size=(SIDE, SIDE, 1)).repeat(3, axis=2)


@pytest.mark.parametrize("name", NAMES)
def test_as_good_as_the_encoders_of_the_cpu(encode, name):
    form = FORMATS[name]
    for picture in pictures():
        own = np.ascontiguousarray(picture[..., : channels_of(name)], np.float32)
        expected = squares(compress_blocks(stored_texels(own, form), form), name, own)
        assert squares(encode(own, name), name, own) <= NEAR * expected + 1e-9, name


@pytest.mark.parametrize("name", NAMES)
def test_edges_repeat_what_lies_at_them(encode, name):
    picture = next(pictures())[:21, :30, : channels_of(name)]
    padded = np.pad(picture, ((0, 3), (0, 2), (0, 0)), mode="edge")
    assert encode(picture, name) == encode(padded, name)
    assert encode(picture[:1, :1], name) == encode(np.tile(picture[:1, :1], (4, 4, 1)), name)
    assert encode(picture, name, first=16) == encode(picture, name)


def test_every_reader_sees_the_same_in_bc7(encode):
    for picture in pictures():
        blocks = encode(picture, "bc7")
        shown = decompress_blocks(blocks, FORMATS["bc7"], SIDE, SIDE)
        raw = texture2ddecoder.decode_bc7(blocks, SIDE, SIDE)
        other = np.frombuffer(raw, np.uint8).reshape(SIDE, SIDE, 4)[..., [2, 1, 0, 3]]
        assert np.array_equal(np.rint(shown * 255), other)
        assert (other[..., 3] == 255).all()


def test_a_block_of_one_color_is_exact_in_bc7(encode):
    levels = np.arange(256)
    colors = np.stack([levels, levels[::-1], np.random.default_rng(0).permutation(levels)], axis=1)
    picture = colors.reshape(16, 16, 3).repeat(4, 0).repeat(4, 1).astype(np.float32) / 255
    shown = decompress_blocks(encode(picture, "bc7"), FORMATS["bc7"], SIDE, SIDE)
    np.testing.assert_allclose(shown[..., :3], picture, atol=1e-6)
    assert (shown[..., 3] == 1).all()


def bits_of(*fields):
    """Return a block of (value, count of bits), the lowest bit first."""
    value = filled = 0
    for number, count in fields:
        value |= number << filled
        filled += count
    assert filled == 128
    return np.frombuffer(value.to_bytes(16, "little"), np.uint8)


@pytest.mark.parametrize("shape", range(64))
def test_shapes_and_anchors_are_those_of_the_format(shape):
    """Mode 1: a black half, and one from black to white, whose indices rise with the texel."""
    ends = [(0, 6), (0, 6), (0, 6), (63, 6)] * 3
    second = [SHAPES[shape] >> i & 1 for i in range(16)]
    short = (0, ANCHORS[shape])
    steps = [1 if i in short else 4 + i % 4 for i in range(16)]
    block = bits_of((2, 2), (shape, 6), *ends, (0, 1), (1, 1),
                    *((step, 2 if i in short else 3) for i, step in enumerate(steps)))  # fmt: skip
    shown = decompress_tiles(block[None])[0, ..., 0].reshape(16)
    low = 2  # black with its lowest bit set, of seven
    weights = [round(step * 64 / 7) for step in steps]
    lit = [(low * (64 - weight) + 255 * weight + 32) >> 6 for weight in weights]
    assert second[0] == 0 and second[ANCHORS[shape]] == 1
    assert list(shown) == [value if own else 0 for own, value in zip(second, lit, strict=True)]


def test_all_shapes_are_found(encode):
    """Two colors that no one line holds well beside their neighbours, divided in each shape."""
    pairs = np.array([[(255, 0, 0), (200, 0, 40)], [(0, 255, 255), (0, 180, 255)]], np.float32)
    tiles = []
    for shape in SHAPES:
        half = np.array([shape >> i & 1 for i in range(16)])
        tiles.append(pairs[half, np.arange(16) // 3 % 2].reshape(4, 4, 3))
    picture = np.array(tiles).reshape(8, 8, 4, 4, 3).swapaxes(1, 2).reshape(32, 32, 3) / 255
    blocks = np.frombuffer(encode(picture, "bc7"), np.uint8).reshape(64, 16)
    in_mode_1 = blocks[:, 0] & 3 == 2
    chosen = np.where(in_mode_1, blocks[:, 0] >> 2, (blocks[:, 0] >> 4) | (blocks[:, 1] & 3) << 4)
    assert list(chosen) == list(range(64))
