"""kinds/textures/sample_blocks: sampling hardware filters the files that decode writes."""

import numpy as np
import pytest
import slangpy as spy
import torch

import neuralshade
from neuralshade.errors import AssetError
from neuralshade.kinds.textures.sample import TextureSetField, packed_latents
from neuralshade.kinds.textures.sample_blocks import filtered_sampler_slang
from neuralshade.model.parameters import pack_halves

COUNT = 128
TEXT = """
Texture2D<float4> textures[{count}];
SamplerState sampler;
StructuredBuffer<uint> weights;
StructuredBuffer<float4> asked; // u, v, mip
RWStructuredBuffer<float> drawn; // [2][COUNT][CHANNELS]
static const uint COUNT = {samples};
static const uint CHANNELS = {channels};

[shader("compute")]
[numthreads(32, 1, 1)]
void sample(uint3 thread : SV_DispatchThreadID)
{{
    {type} set = {{ textures, sampler, {{ weights }} }};
    float4 at = asked[thread.x];
    float texel = exp2(at.z) / {side}.0f; // of the mip, square
    float of_mip[CHANNELS] = set.sample(at.xy, at.z);
    float of_footprint[CHANNELS] = set.sample_footprint(
        at.xy, float2(texel, 0.0f), float2(0.0f, texel));
    for (uint channel = 0; channel < CHANNELS; ++channel)
    {{
        drawn[thread.x * CHANNELS + channel] = of_mip[channel];
        drawn[(COUNT + thread.x) * CHANNELS + channel] = of_footprint[channel];
    }}
}}
"""


def buffer(device, values):
    """Return values on the device, which a kernel may write."""
    usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access
    return device.create_buffer(data=values, usage=usage, struct_size=4)


def test_a_gpu_samples_the_files_as_pytorch_does(device, block_set, tmp_path):
    """A DDS loader takes them; decompression, filtering and the choice of levels are the GPU's."""
    opened = neuralshade.load(block_set.asset)
    files = neuralshade.decode(opened, tmp_path, latents=True)
    loader = spy.TextureLoader(device)
    textures = [loader.load_texture(path) for path in files if path.suffix == ".dds"]
    assert [t.format for t in textures] == [spy.Format.bc1_unorm] * 3
    half = filtered_sampler_slang(opened)
    lines = "".join(f"import {name};\n" for name in sorted(half.modules))
    text = lines + half.declarations + TEXT.format(
        type=half.type, count=len(textures), samples=COUNT, channels=opened.channels,
        side=opened.sizes[0][0],
    )  # fmt: skip
    rng = torch.Generator().manual_seed(0)
    uv = torch.rand(COUNT, 2, generator=rng) * 3 - 1
    mips = torch.randint(0, len(opened.sizes), (COUNT,), generator=rng)
    asked = torch.cat([uv, mips[:, None], mips[:, None]], dim=1).float().numpy()
    network = torch.nn.utils.parameters_to_vector(opened.field.network.parameters())
    program = device.link_program(
        modules=[module := device.load_module_from_source("filtered_blocks", text)],
        entry_points=[module.entry_point("sample")],
    )
    drawn = buffer(device, np.zeros(2 * COUNT * opened.channels, np.float32))
    device.create_compute_kernel(program).dispatch(
        thread_count=[COUNT, 1, 1],
        vars={
            "textures": textures,
            "sampler": device.create_sampler(address_u=spy.TextureAddressingMode.wrap,
                                             address_v=spy.TextureAddressingMode.wrap),
            "weights": buffer(device, pack_halves(network.detach().numpy())),
            "asked": device.create_buffer(data=asked, struct_size=16,
                                          usage=spy.BufferUsage.shader_resource),
            "drawn": drawn,
        },
    )  # fmt: skip
    found = drawn.to_numpy().view(np.float32).reshape(2, COUNT, -1)
    wanted = TextureSetField(opened).channels(uv, mips, "latents").numpy()
    # Mesa decompresses to 8 bits, and filters in fixed point: 2 of 255 of a latent, through the
    # decoder
    for each in found:
        assert np.abs(each - wanted).max() < 0.05
        assert np.abs(each - wanted).mean() < 0.005
    assert wanted.std(0).min() > 0.05


def test_each_way_to_sample_refuses_the_other_s_sets(block_set, fitted_set):
    blocks, plain = neuralshade.load(block_set.asset), neuralshade.load(fitted_set.asset)
    with pytest.raises(AssetError, match=r"need plain ones\. Use filtered_sampler_slang of"):
        packed_latents(blocks)
    with pytest.raises(AssetError, match="got plain latents, need those of fit textures"):
        filtered_sampler_slang(plain)
    with pytest.raises(neuralshade.errors.ConfigError, match="Use bilinear"):
        TextureSetField(plain)(torch.zeros(1, 2), filter="latents")
