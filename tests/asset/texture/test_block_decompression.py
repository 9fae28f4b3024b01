"""asset/texture/block_decompression: what blocks show, as another decoder has it."""

import numpy as np
import pytest
from fixtures.other_readers import DECODERS
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from neuralshade.asset.texture.block_compression import compress_blocks
from neuralshade.asset.texture.block_decompression import decompress_bc4, decompress_blocks
from neuralshade.asset.texture.texture_format import FORMATS

SIDES = st.integers(1, 13)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(DECODERS)), st.integers(1, 13), st.integers(1, 13), st.integers(0, 99)
)
def test_another_decoder_agrees(format, height, width, seed):
    """Of blocks as our encoders make them; it cuts steps off, where ours keeps them."""
    chosen, rng = FORMATS[format], np.random.default_rng(seed)
    texels = rng.random((height, width, chosen.channels), np.float32)
    if chosen.dtype == "uint8":
        texels = (texels * 255).astype(np.uint8)
    blocks = compress_blocks(texels, chosen)
    ours = decompress_blocks(blocks, chosen, height, width)
    assert (ours.dtype, ours.shape) == (np.float32, texels.shape)
    bgra = np.frombuffer(DECODERS[format](blocks, width, height), np.uint8)
    theirs = bgra.reshape(height, width, 4)[..., [2, 1, 0, 3]][..., : chosen.channels]
    apart = ours * 255 - theirs
    if format in ("bc1", "bc7"):
        assert np.abs(apart).max() <= 1e-3
    else:
        assert apart.min() > -0.01 and apart.max() < 1


@given(hnp.arrays(np.uint8, (5, 8)))
def test_bc4_is_read_by_the_specification(blocks):
    """Direct3D 11.3 Functional Specification, 19.5.12, number by number."""
    values = decompress_bc4(blocks)
    for block, shown in zip(blocks.tolist(), values, strict=True):
        a, b, *rest = block
        codes = int.from_bytes(bytes(rest), "little")
        if a > b:
            palette = [a, b, *((a * (7 - i) + b * i) / 7 for i in range(1, 7))]
        else:
            palette = [a, b, *((a * (5 - i) + b * i) / 5 for i in range(1, 5)), 0, 255]
        wanted = [palette[codes >> 3 * i & 7] / 255 for i in range(16)]
        np.testing.assert_allclose(shown, wanted, atol=1e-6)


def test_srgb_colors_stay_encoded():
    texels = np.full((4, 4, 3), 200, np.uint8)
    blocks = compress_blocks(texels, FORMATS["bc1"])
    plain, coded = (decompress_blocks(blocks, FORMATS[f], 4, 4) for f in ("bc1", "bc1_srgb"))
    np.testing.assert_array_equal(plain, coded)
    assert coded == pytest.approx(200 / 255, abs=4 / 255)
