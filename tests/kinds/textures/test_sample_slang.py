"""kinds/textures/sample: the shader reads an asset's own bytes, and says what PyTorch says."""

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.kinds.textures.sample import TextureSetField, packed_latents, sampler_slang
from neuralshade.model.parameters import pack_halves

COUNT = 96
TEXT = """
StructuredBuffer<uint> latents;
StructuredBuffer<uint> weights;
StructuredBuffer<float4> asked; // u, v, two random numbers
StructuredBuffer<int> mips;
RWStructuredBuffer<float> drawn; // [3][COUNT][CHANNELS]
static const uint COUNT = {count};
static const uint CHANNELS = {channels};

[shader("compute")]
[numthreads(32, 1, 1)]
void sample(uint3 thread : SV_DispatchThreadID)
{{
    {type} set = {{ {{ latents }}, {{ weights }} }};
    float4 at = asked[thread.x];
    int mip = mips[thread.x];
    for (uint filter = 0; filter < 3u; ++filter)
    {{
        float channels[CHANNELS];
        if (filter == 0u)
            channels = set.nearest(at.xy, mip);
        else if (filter == 1u)
            channels = set.bilinear(at.xy, mip);
        else
            channels = set.stochastic(at.xy, mip, at.zw);
        for (uint channel = 0; channel < CHANNELS; ++channel)
            drawn[(filter * COUNT + thread.x) * CHANNELS + channel] = channels[channel];
    }}
}}
"""


# compiling takes seconds; beyond the border PyTorch's half is compared with NumPy
@pytest.mark.slow
@pytest.mark.parametrize("wrap", ["repeat", "clamp"])
def test_the_shader_equals_pytorch(dispatch, fitted_set, wrap, rng):
    path = fitted_set.asset if wrap == "repeat" else fitted_set.clamped
    opened, field = neuralshade.load(path), TextureSetField(path)
    half = sampler_slang(opened)
    lines = "".join(f"import {name};\n" for name in sorted(half.modules))
    text = lines + half.declarations + TEXT.format(
        type=half.type, count=COUNT, channels=opened.channels
    )  # fmt: skip
    uv = torch.rand(COUNT, 2, generator=rng) * 3 - 1
    random = torch.rand(COUNT, 2, generator=rng)
    mips = torch.randint(-1, 6, (COUNT,), generator=rng)
    network = torch.nn.utils.parameters_to_vector(opened.field.network.parameters())
    codes = packed_latents(opened)
    run = dispatch(text, {
        "latents": codes.words, "weights": pack_halves(network.detach().numpy()),
        "asked": torch.cat([uv, random], dim=1).numpy(), "mips": mips.to(torch.int32).numpy(),
        "drawn": np.zeros(3 * COUNT * opened.channels, np.float32),
    })  # fmt: skip
    run.run(("sample", COUNT // 32))
    drawn = run.read("drawn", np.float32, 3 * COUNT * opened.channels)
    nearest, bilinear, stochastic = drawn.reshape(3, COUNT, -1)
    close = {"rtol": 0, "atol": 1e-4}  # float32 sums of some 30 numbers, twice; sines
    np.testing.assert_allclose(nearest, field.channels(uv, mips, "nearest"), **close)
    np.testing.assert_allclose(bilinear, field.channels(uv, mips), **close)
    wanted = field.channels(uv, mips, "stochastic", random)
    np.testing.assert_allclose(stochastic, wanted, **close)


def test_memory_is_the_file_s(fitted_set):
    """Up to 3 bytes a grid, to begin with a whole word."""
    opened = neuralshade.load(fitted_set.asset)
    stored = sum(t.nbytes for n, t in opened.tensors.items() if n.startswith("latents"))
    assert stored <= packed_latents(opened).words.nbytes <= stored + 9
