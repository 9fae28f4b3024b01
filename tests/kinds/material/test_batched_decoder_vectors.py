"""kinds/material/batched_decoder: cooperative vectors, as loops on a CPU."""

import numpy as np
import pytest
from fixtures.drawn_materials import drawn_material
from fixtures.framed_materials import ASK, wanted
from fixtures.small_material import upper_pairs

from neuralshade.kinds.material.batched_decoder import vectors_text
from neuralshade.kinds.material.batched_maps import BatchedMaps
from neuralshade.kinds.material.batched_networks import pack_networks, row_major

TEXELS = """
StructuredBuffer<uint2> one_texels;

/// Return the codes of a map of one texel, each in [0, 1].
float4[2] frame_codes(uint map, uint layer, float2 uv, float level)
{
    float4 found[2];
    for (uint i = 0u; i < 8u; ++i)
        found[i / 4u][i % 4u] = float((one_texels[map][i / 4u] >> (8u * (i % 4u))) & 255u) / 255.0f;
    return found;
}
"""


@pytest.mark.slow
def test_vectors_say_what_the_decoder_does(on_cpu):
    """Maps are of one texel, as there are no textures."""
    first, second = drawn_material(0, side=1), drawn_material(1, side=1)
    three = [first, second, drawn_material(2, like=second, side=1)]
    texels = np.concatenate([one.tensors["features"].reshape(-1) for one in three])
    packed = pack_networks(
        three, [(0, 0), (1, 0), (2, 0)], lambda rows, columns: 2 * rows * columns
    )
    maps = BatchedMaps(TEXELS, {}, [])
    text = vectors_text(three[0].recipe, "row_major", maps, packed.places) + ASK
    uv, wi, wo = upper_pairs(128)
    which = np.arange(128) % 3
    asked = np.concatenate([which[:, None], uv, wi, wo], axis=1).astype(np.float32)
    given = {"one_texels": texels, "frame_bytes": row_major(packed), "asked": asked,
             "frame_places": packed.places}  # fmt: skip
    found = on_cpu(text, "ask", given, "said", np.zeros((128, 3), np.float32), threads=128)
    np.testing.assert_allclose(found, wanted(three, which, uv, wi, wo), rtol=1e-2, atol=5e-4)
