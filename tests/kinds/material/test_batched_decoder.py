"""kinds/material/batched_decoder: materials by index, each as by itself; shared layers once."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from fixtures.drawn_materials import drawn_material
from fixtures.framed_materials import ASK, wanted
from fixtures.small_material import upper_pairs

from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import run_once
from neuralshade.gpu.slang_export import export_slang
from neuralshade.kinds.material.asset import stored_field
from neuralshade.kinds.material.batched_decoder import build_decoder, vectors_text, warps_text
from neuralshade.kinds.material.batched_maps import map_textures, map_words
from neuralshade.kinds.material.batched_networks import (
    as_fragments,
    fragment_bytes,
    pack_networks,
    row_major,
)
from neuralshade.kinds.material.field import encoding_of
from neuralshade.kinds.material.levels import level_latents
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.model.lobes import BINARY, LOG_WIDTHS


@pytest.fixture(scope="module")
def three():
    """Give three materials with maps of different sides; the last two share a layer."""
    first, second = drawn_material(0), drawn_material(1)
    return [first, second, drawn_material(2, like=second)]


@pytest.mark.slow
def test_each_is_what_it_is_by_itself(gpu, three):
    uv, wi, wo = upper_pairs(128)
    which = np.arange(128) % 3  # neighbours' are different
    decoder = build_decoder(gpu, three)
    asked = np.concatenate([which[:, None], uv, wi, wo], axis=1).astype(np.float32)
    said = gpu.buffer(size=12 * 128)
    bound = {**decoder.variables, "asked": gpu.buffer(asked), "said": said}
    kernel = gpu.kernel(decoder.text + ASK, "ask", bound, **decoder.options)
    run_once(gpu, [(kernel, 2)])
    found = said.read().view(np.float32)[:384].reshape(128, 3)
    close = {"rtol": 5e-4} if decoder.path == "fma" else {"rtol": 2e-2, "atol": 1e-3}
    np.testing.assert_allclose(found, wanted(three, which, uv, wi, wo), **close)


def halves_at(data, first, shape):
    return data[first : first + 2 * int(np.prod(shape))].view("<f2").reshape(shape).astype(float)


def after(x):
    """Return what is after a hidden layer."""
    return x * np.clip(x / 3 + 0.5, 0, 1)


def packed_eval(data, place, one, uv, wi, wo):
    """Return f * cos by the numbers that batched_decoder.slang reads, where it reads them."""
    ends, read, biases, first, second, stride = (int(number) for number in place[:6])
    field = stored_field(one.recipe, one.side, one.tensors)
    encoding = encoding_of(field)
    low, span = data[ends : ends + 64].view("<f4").reshape(2, 8)
    at = torch.from_numpy(np.concatenate([uv, np.zeros((len(uv), 1), np.float32)], axis=1))
    codes = (encoding.grid(at).detach().numpy() + 1) / 2
    latents = low + span * codes
    bias = data[biases : biases + 2 * (24 + 16 + 16 + 8)].view("<f2").astype(float)
    numbers = (latents @ halves_at(data, read, (24, 8)).T + bias[:24])[:, :18].reshape(-1, 3, 6)
    numbers[:, :, 4:] = numbers[:, :, 4:] * (LOG_WIDTHS[1] - LOG_WIDTHS[0]) + LOG_WIDTHS[0]
    own = encoding.lobes.read(torch.from_numpy(latents)).detach().numpy()
    np.testing.assert_allclose(numbers.reshape(-1, 18), own, rtol=2e-3, atol=1e-4)
    columns = encoding.lobes(
        torch.from_numpy(latents.T), *(torch.from_numpy(w.T) for w in (wi, wo))
    )
    inputs = columns.detach().numpy().T.copy()
    inputs[:, encoding.lobes.log_columns] /= BINARY  # as the device half has logarithms there
    x = inputs @ halves_at(data, first, (16, 24)).T + bias[24:40]
    x = after(x) @ halves_at(data, second, (16, 16)).T + bias[40:56]
    x = after(x) @ halves_at(data, second + stride, (8, 16)).T + bias[56:]
    return np.exp2(x[:, :3])


def test_vectors_are_given_what_the_file_holds_and_a_shared_layer_once(three):
    packed = pack_networks(
        three, [(0, 0), (0, 2), (1, 0)], lambda rows, columns: 2 * rows * columns
    )
    data = row_major(packed)
    uv, wi, wo = upper_pairs(20)
    for index, one in enumerate(three):
        found = packed_eval(data, packed.places[index], one, uv, wi, wo)
        alone = wanted(three, np.full(20, index), uv, wi, wo)
        np.testing.assert_allclose(found, alone, rtol=2e-3)
    of_bytes = pack_networks(three, [(0, 0)] * 3, lambda rows, columns: 2 * rows * columns, 255.0)
    ends = slice(packed.places[0, 0], packed.places[0, 0] + 64)
    (low, span), (_, each) = (
        one.data[ends].view("<f4").reshape(2, 8) for one in (packed, of_bytes)
    )
    np.testing.assert_array_equal(low, three[0].tensors["range"][0])
    np.testing.assert_allclose(255 * each, span, rtol=1e-6)
    first = packed.places[:, 3].tolist()
    assert first[0] != first[1] == first[2]
    assert (
        packed.places[:, 6:].tolist() == [[0, 0], [0, 2], [1, 0]]
        and (packed.places[:, :6] % 64 == 0).all()
    )
    assert len(packed.matrices) == 2 + 3 * 3  # two first layers; read-out and two layers of each


@pytest.mark.parametrize("activation", ["hard_gelu", "leaky_relu"])
def test_the_text_for_vectors_compiles(device, three, activation):
    """Types are checked, for nothing runs it here."""
    maps = map_textures(device, three)
    places = pack_networks(three, [(0, 0)] * 3, lambda rows, columns: 2 * rows * columns).places
    recipe = MaterialRecipe(activation=activation)
    text = vectors_text(recipe, "inferencing_optimal", maps, places) + ASK
    module = device.load_module_from_source(f"frame_of_vectors_{activation}", text)
    device.link_program([module], [module.entry_point("ask")])


def test_the_text_for_warps_compiles(three):
    maps = map_words(three)
    for some in (three, three[:1]):
        of_maps = maps.places[: len(some)]
        places = pack_networks(some, of_maps, fragment_bytes, maps.largest).places
        text = warps_text(MaterialRecipe(hidden_width=16), maps, places) + ASK
        code = export_slang(text, "ask").code
        assert ("first_in_warp" in code) == (len(some) > 1), "one material takes no turns"


def test_fragments_are_what_a_warp_multiplies(three):
    """As the instruction reads them: of lane 4 r + c, column 2 c of row r is its first half."""
    packed = pack_networks(three, [(0, 0)] * 3, fragment_bytes)
    data = as_fragments(packed)
    sizes = {values.shape for _, values in packed.matrices}
    assert sizes == {(24, 8), (16, 24), (16, 16), (8, 16)}
    for first, values in packed.matrices:
        tall, wide = (-(-size // 16) for size in values.shape)
        halves = halves_at(data, first, (tall, wide, 32, 8))
        padded = np.pad(values, [(0, -size % 16) for size in values.shape])
        for row, column in np.ndindex(padded.shape):
            lane = 4 * (row % 8) + column % 8 // 2
            place = row % 16 // 8 * 4 + column % 16 // 8 * 2 + column % 2
            assert halves[row // 16, column // 16, lane, place] == padded[row, column]


MAPS = "import neuralshade.kinds.material.batched_maps;"
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


def check_maps(gpu, maps, materials, atol):
    rng = np.random.default_rng(5)
    uv, level = rng.uniform(-0.5, 1.5, (200, 2)), rng.uniform(0, 2, (200, 1))
    asked = np.concatenate([uv, level], axis=1).astype(np.float32)
    for one, (index, layer) in zip(materials, maps.places, strict=True):
        text = MAPS + maps.text + LOOK_UP.replace("MAP", f"{index}u").replace("LAYER", f"{layer}u")
        said = gpu.buffer(size=32 * 200)
        bound = {**maps.variables, "asked": gpu.buffer(asked), "said": said}
        run_once(gpu, [(gpu.kernel(text, "look_up", bound), 200)])
        encoding = encoding_of(stored_field(one.recipe, one.side, one.tensors))
        encoding.set_ends(torch.tensor([[0.0], [1.0]]).expand(2, 8))
        found = torch.from_numpy(asked)
        wanted = level_latents(encoding, found[:, :2], found[:, 2]).detach().numpy().T
        got = said.read().view(np.float32).reshape(200, 8) / maps.largest
        np.testing.assert_allclose(got, wanted, atol=atol)


@pytest.mark.parametrize("alike", [True, False])
def test_textures_say_what_the_feature_map_does(gpu, device, alike):
    """Between texels, between levels and beyond borders; the device has shares of 1/256."""
    if gpu.api == "cuda":
        pytest.skip("textures are SlangPy's")
    more = {"levels": 3} if alike else {"side": 6, "wrap": "clamp"}
    materials = [drawn_material(1, side=8, levels=3), drawn_material(2, **{"side": 8, **more})]
    maps = map_textures(device, materials)
    assert maps.places == ([(0, 0), (0, 2)] if alike else [(0, 0), (1, 0)])
    check_maps(gpu, maps, materials, atol=2.5 / 256)


def test_a_whole_chain_has_a_level_of_one_texel(gpu, device):
    """NumPy calls a part of one texel contiguous whatever its strides, and SlangPy does not."""
    if gpu.api == "cuda":
        pytest.skip("textures are SlangPy's")
    materials = [drawn_material(1, side=4, levels=3)]
    check_maps(gpu, map_textures(device, materials), materials, atol=2.5 / 256)


def test_words_say_what_the_feature_map_does(gpu):
    materials = [drawn_material(1, side=8, levels=3), drawn_material(2, side=5, wrap="clamp")]
    maps = map_words(materials)
    bound = {name: gpu.buffer(values) for name, values in maps.variables.items()}
    assert maps.places == [(0, 8 + 2**16 * 3 + 2**31), (64 + 16 + 4, 5 + 2**16)]
    assert maps.largest == 255
    check_maps(gpu, replace(maps, variables=bound), materials, atol=2e-3)


@pytest.mark.parametrize(
    "name, value", [("hidden_width", 32), ("lobes", 2), ("lobe_inputs", 3), ("vary", "wet=0..1"),
                    ("activation", "leaky_relu")]
)  # fmt: skip
def test_different_architectures_are_refused(gpu, three, refusal, name, value):
    message = refusal(
        ConfigError, build_decoder, gpu, [three[0], drawn_material(1, **{name: value})]
    )
    if name == "vary":
        name, value = "varied_count", 1
    need = getattr(three[0].recipe, name)
    assert message == (f"frame: got {name}={value!r} of material 1, need {need!r} as material 0 "
                       "has. Fit them by fit materials.")  # fmt: skip
    assert refusal(ConfigError, build_decoder, gpu, []) == (
        "frame: got no material, need one or more. Name assets."
    )
