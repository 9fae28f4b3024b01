"""kinds/material/frame: what cooperative vectors say, on a CPU, for which Slang makes loops."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from fixtures.drawn_materials import drawn_material
from fixtures.framed_materials import ASK, wanted
from fixtures.small_material import upper_pairs

import neuralshade
from neuralshade.kinds.material.frame import vectors_text
from neuralshade.kinds.material.frame_maps import FrameMaps
from neuralshade.kinds.material.frame_numbers import pack_frame, row_major

SOURCE = Path(neuralshade.__file__).parents[1]
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


@pytest.fixture(scope="module")
def cpu_device():
    """Give what runs Slang text on the CPU, and returns what a kernel left in a buffer."""
    spy = pytest.importorskip("slangpy")
    if not any(map(shutil.which, ("g++", "clang++", "cl"))):
        pytest.skip("needs a C++ compiler")
    device = spy.create_device(type=spy.DeviceType.cpu, include_paths=[SOURCE])
    usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access

    def run(text, entry, given, answer, threads):
        module = device.load_module_from_source(f"on_cpu_{entry}", text)
        kernel = device.create_compute_kernel(
            device.link_program([module], [module.entry_point(entry)])
        )
        bound = {name: device.create_buffer(size=values.nbytes, usage=usage,
                                            data=values.reshape(-1).view(np.uint8))
                 for name, values in given.items()}  # fmt: skip
        name, size = answer
        bound[name] = device.create_buffer(size=size, usage=usage)
        kernel.dispatch(thread_count=[threads, 1, 1], vars=bound)
        return bound[name].to_numpy().view(np.uint8)

    yield run
    device.close()


@pytest.mark.slow
def test_vectors_say_what_the_decoder_does(cpu_device):
    """Maps are of one texel, as there are no textures."""
    first, second = drawn_material(0, side=1), drawn_material(1, side=1)
    three = [first, second, drawn_material(2, like=second, side=1)]
    texels = np.concatenate([one.tensors["features"].reshape(-1) for one in three])
    packed = pack_frame(three, [(0, 0), (1, 0), (2, 0)], lambda rows, columns: 2 * rows * columns)
    maps = FrameMaps(TEXELS, {}, [])
    text = vectors_text(three[0].recipe, "row_major", maps, packed.places) + ASK
    uv, wi, wo = upper_pairs(128)
    which = np.arange(128) % 3
    asked = np.concatenate([which[:, None], uv, wi, wo], axis=1).astype(np.float32)
    given = {"one_texels": texels, "frame_bytes": row_major(packed), "asked": asked,
             "frame_places": packed.places}  # fmt: skip
    said = cpu_device(text, "ask", given, ("said", 12 * 128), 128)
    found = said.view(np.float32).reshape(128, 3)
    np.testing.assert_allclose(found, wanted(three, which, uv, wi, wo), rtol=1e-2, atol=5e-4)
