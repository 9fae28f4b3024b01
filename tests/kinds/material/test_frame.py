"""kinds/material/frame: many materials by index, each as it is by itself; shared layers once."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fixtures.small_material import upper_pairs

from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import run_once
from neuralshade.kinds.material.asset import pack_field, pack_sampler, stored_field
from neuralshade.kinds.material.field import build_field, encoding_of
from neuralshade.kinds.material.frame import frame_decoder, pack_frame, row_major, vectors_text
from neuralshade.kinds.material.frame_maps import frame_maps
from neuralshade.kinds.material.judging.judge import field_shade
from neuralshade.kinds.material.levels import level_latents
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.sampler_fit import untrained_sampler
from neuralshade.model.activation import LEAK

ASK = """
StructuredBuffer<float> asked; // [n][9]: material, uv, wi, wo
RWStructuredBuffer<float> said;

[shader("compute")]
[numthreads(1, 1, 1)]
void ask(uint3 group : SV_GroupID)
{
    float x[9];
    for (uint i = 0u; i < 9u; ++i)
        x[i] = asked[9u * group.x + i];
    float3 found = decoded(uint(x[0]), float2(x[1], x[2]), 0.0f,
                           float3(x[3], x[4], x[5]), float3(x[6], x[7], x[8]));
    for (uint i = 0u; i < 3u; ++i)
        said[3u * group.x + i] = found[int(i)];
}
"""


def drawn_material(seed, like=None, side=0, levels=1, **sizes):
    """Return a material with random numbers; ``like`` is one whose first layer it has."""
    recipe = MaterialRecipe(**{"hidden_width": 16, **sizes})
    side, rng = side or 4 + seed, torch.Generator().manual_seed(seed)
    field = build_field(recipe, side, rng, levels)
    torch.nn.init.uniform_(encoding_of(field).grid.texels, 0, 1, generator=rng)
    tensors = {**pack_field(field), **pack_sampler(untrained_sampler(recipe))}
    if like is not None:
        tensors |= {n: like.tensors[n] for n in ("decoder.0.weight", "decoder.0.bias")}
    return SimpleNamespace(recipe=recipe, side=side, tensors=tensors)


@pytest.fixture(scope="module")
def three():
    """Give three materials with maps of different sides; the last two share a layer."""
    first, second = drawn_material(0), drawn_material(1)
    return [first, second, drawn_material(2, like=second)]


def wanted(materials, which, uv, wi, wo):
    found = np.zeros((len(uv), 3), np.float32)
    for index, one in enumerate(materials):
        own = which == index
        field = stored_field(one.recipe, one.side, one.tensors)
        found[own] = field_shade(field)(uv[own], wi[own], wo[own])
    return found


@pytest.mark.slow
def test_each_is_what_it_is_by_itself(gpu, three):
    uv, wi, wo = upper_pairs(60)
    which = np.arange(60) % 3
    decoder = frame_decoder(gpu, three)
    asked = np.concatenate([which[:, None], uv, wi, wo], axis=1).astype(np.float32)
    said = gpu.buffer(size=12 * 60)
    bound = {**decoder.variables, "asked": gpu.buffer(asked), "said": said}
    run_once(gpu, [(gpu.kernel(decoder.text + ASK, "ask", bound), 60)])
    found = said.read().view(np.float32)[:180].reshape(60, 3)
    close = {"rtol": 5e-4} if decoder.path == "fma" else {"rtol": 2e-2, "atol": 1e-3}
    np.testing.assert_allclose(found, wanted(three, which, uv, wi, wo), **close)


def halves_at(data, first, shape):
    return data[first : first + 2 * int(np.prod(shape))].view("<f2").reshape(shape).astype(float)


def packed_eval(data, place, one, uv, wi, wo):
    """Return f * cos by the numbers that frame.slang reads, where it reads them."""
    ends, read, biases, first, second, stride = (int(number) for number in place[:6])
    field = stored_field(one.recipe, one.side, one.tensors)
    encoding = encoding_of(field)
    low, high = data[ends : ends + 64].view("<f4").reshape(2, 8)
    at = torch.from_numpy(np.concatenate([uv, np.zeros((len(uv), 1), np.float32)], axis=1))
    codes = (encoding.grid(at).detach().numpy() + 1) / 2
    latents = low + (high - low) * codes
    bias = data[biases : biases + 2 * (24 + 16 + 16 + 8)].view("<f2").astype(float)
    numbers = latents @ halves_at(data, read, (24, 8)).T + bias[:24]
    own = encoding.lobes.read(torch.from_numpy(latents)).detach().numpy()
    np.testing.assert_allclose(numbers[:, :18], own, rtol=1e-3, atol=1e-4)
    columns = encoding.lobes(
        torch.from_numpy(latents.T), *(torch.from_numpy(w.T) for w in (wi, wo))
    )
    x = np.pad(columns.detach().numpy().T, ((0, 0), (0, 3)))
    x = x @ halves_at(data, first, (16, 24)).T + bias[24:40]
    x = np.maximum(x, LEAK * x) @ halves_at(data, second, (16, 16)).T + bias[40:56]
    x = np.maximum(x, LEAK * x) @ halves_at(data, second + stride, (8, 16)).T + bias[56:]
    return np.exp(x[:, :3])


def test_vectors_are_given_what_the_file_holds_and_a_shared_layer_once(three):
    packed = pack_frame(three, [(0, 0), (0, 2), (1, 0)], lambda rows, columns: 2 * rows * columns)
    data = row_major(packed)
    uv, wi, wo = upper_pairs(20)
    for index, one in enumerate(three):
        found = packed_eval(data, packed.places[index], one, uv, wi, wo)
        alone = wanted(three, np.full(20, index), uv, wi, wo)
        np.testing.assert_allclose(found, alone, rtol=2e-3)
    first = packed.places[:, 3].tolist()
    assert first[0] != first[1] == first[2]
    assert (
        packed.places[:, 6:].tolist() == [[0, 0], [0, 2], [1, 0]]
        and (packed.places[:, :6] % 64 == 0).all()
    )
    assert len(packed.matrices) == 2 + 3 * 3  # two first layers; read-out and two layers of each


def test_the_text_for_vectors_compiles(device, three):
    """Types are checked, for nothing runs it here."""
    maps = frame_maps(device, three).text
    text = vectors_text(MaterialRecipe(), "inferencing_optimal", maps) + ASK
    module = device.load_module_from_source("frame_of_vectors", text)
    device.link_program([module], [module.entry_point("ask")])


LOOK_UP = """
StructuredBuffer<float> asked; // [n][3]: uv, level
RWStructuredBuffer<float4> said;

[shader("compute")]
[numthreads(1, 1, 1)]
void look_up(uint3 group : SV_GroupID)
{
    uint at = 3u * group.x;
    float4 found[2] = frame_codes(MAP, LAYER, float2(asked[at], asked[at + 1u]), asked[at + 2u]);
    said[2u * group.x] = found[0];
    said[2u * group.x + 1u] = found[1];
}
"""


@pytest.mark.parametrize("alike", [True, False])
def test_textures_say_what_the_feature_map_does(gpu, device, alike):
    """Between texels, between levels and beyond borders; the device has shares of 1/256."""
    more = {"levels": 3} if alike else {"side": 6, "wrap": "clamp"}
    materials = [drawn_material(1, side=8, levels=3), drawn_material(2, **{"side": 8, **more})]
    maps, rng = frame_maps(device, materials), np.random.default_rng(5)
    assert maps.places == ([(0, 0), (0, 2)] if alike else [(0, 0), (1, 0)])
    uv, level = rng.uniform(-0.5, 1.5, (200, 2)), rng.uniform(0, 2, (200, 1))
    asked = np.concatenate([uv, level], axis=1).astype(np.float32)
    for one, (index, layer) in zip(materials, maps.places, strict=True):
        text = maps.text + LOOK_UP.replace("MAP", f"{index}u").replace("LAYER", f"{layer}u")
        said = gpu.buffer(size=32 * 200)
        bound = {**maps.variables, "asked": gpu.buffer(asked), "said": said}
        run_once(gpu, [(gpu.kernel(text, "look_up", bound), 200)])
        encoding = encoding_of(stored_field(one.recipe, one.side, one.tensors))
        encoding.set_ends(torch.tensor([[0.0], [1.0]]).expand(2, 8))
        found = torch.from_numpy(asked)
        wanted = level_latents(encoding, found[:, :2], found[:, 2]).detach().numpy().T
        got = said.read().view(np.float32).reshape(200, 8)
        np.testing.assert_allclose(got, wanted, atol=2.5 / 256)


@pytest.mark.parametrize("name, value", [("hidden_width", 32), ("lobes", 2), ("vary", "wet=0..1")])
def test_different_architectures_are_refused(gpu, three, refusal, name, value):
    message = refusal(
        ConfigError, frame_decoder, gpu, [three[0], drawn_material(1, **{name: value})]
    )
    if name == "vary":
        name, value = "varied_count", 1
    need = getattr(three[0].recipe, name)
    assert message == (f"frame: got {name}={value} of material 1, need {need} as material 0 has. "
                       "Fit them by fit materials.")  # fmt: skip
    assert refusal(ConfigError, frame_decoder, gpu, []) == (
        "frame: got no material, need one or more. Name assets."
    )
