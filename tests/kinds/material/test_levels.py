"""kinds/material/levels: chains of a feature map, their box filter, and what is read of them."""

import numpy as np
import pytest
import torch
from fixtures.small_material import drawn_directions, paint, upper_pairs
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.gpu.gpu import run_once
from neuralshade.kinds.material.asset import pack_field, pack_sampler, stored_field
from neuralshade.kinds.material.field import build_field, encoding_of
from neuralshade.kinds.material.footprints import Footprints
from neuralshade.kinds.material.judging.judge import field_shade
from neuralshade.kinds.material.judging.lit_surfaces import plane, sphere
from neuralshade.kinds.material.levels import boxed, level_of, level_shade
from neuralshade.kinds.material.map_rows import level_rows
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.sampler_fit import untrained_sampler
from neuralshade.kinds.material.scattering import scattering_of
from neuralshade.kinds.material.schema import level_sides, texel_count
from neuralshade.languages.translate import TARGETS, translate
from neuralshade.model.widths import SAMPLER_LAYERS, SAMPLER_WIDTH

COUNT = 512
KERNEL = """
import {module};
StructuredBuffer<float> numbers;
StructuredBuffer<uint> words;
StructuredBuffer<float> asked;
RWStructuredBuffer<float> answers;
[shader("compute")] [numthreads(64, 1, 1)]
void answer(uint3 thread : SV_DispatchThreadID)
{{
    uint i = thread.x, at = 10u * i;
    float2 uv = float2(asked[at], asked[at + 1u]);
    float3 wi = float3(asked[at + 2u], asked[at + 3u], asked[at + 4u]);
    float3 wo = float3(asked[at + 5u], asked[at + 6u], asked[at + 7u]);
    float3 one = {type}.at_level(numbers, words, 0u, 0u, uv, asked[at + 8u]).eval(wi, wo);
    float3 two = {type}.at(numbers, words, 0u, 0u, uv, asked[at + 9u]).eval(wi, wo);
    for (int c = 0; c < 3; ++c)
    {{
        answers[6u * i + uint(c)] = one[c];
        answers[6u * i + 3u + uint(c)] = two[c];
    }}
}}
"""


def stored(side, wrap="repeat"):
    """Return recipe, tensors and field of a small material whose levels are all random."""
    recipe = MaterialRecipe(size=side, wrap=wrap, features=7, lobes=2, hidden_width=16)
    rng = torch.Generator().manual_seed(side)
    field = build_field(recipe, side, rng, len(level_sides(side)))
    texels = encoding_of(field).grid.texels
    with torch.no_grad():
        texels.copy_(torch.rand(texels.shape, generator=rng))
    tensors = {**pack_field(field), **pack_sampler(untrained_sampler(recipe))}
    return recipe, tensors, stored_field(recipe, side, tensors)


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_a_box_filter_keeps_the_mean_of_the_map(side, seed):
    """But for its one rounding; and a map of one color stays that."""
    sides = level_sides(side)
    assert sides[0] == side and sides[-1] == 1
    finest = np.random.default_rng(seed).integers(0, 256, (side * side, 3), np.uint8)
    chain = boxed(finest, side)
    for each, codes in zip(sides[1:], chain, strict=True):
        assert codes.shape == (each * each, 3)
        assert np.abs(codes.mean(0) - finest.mean(0)).max() <= 0.501
    whole = level_rows(np.concatenate([finest, *chain]), side)
    assert [len(level) for level in whole] == [each * each for each in sides]
    assert sum(map(len, whole)) == texel_count(side, len(sides))
    assert len(level_rows(finest, side)) == 1
    assert all((level == 7).all() for level in boxed(np.full_like(finest, 7), side))


def test_whole_levels_are_their_own_and_others_lie_between():
    """Bilinear on a map of 4 x 4 by hand; and linear from one level to the next."""
    _, tensors, field = stored(4)
    encoding = encoding_of(field)
    low, high = (encoding.get_buffer(name).numpy() for name in ("low", "high"))
    middle = level_rows(tensors["features"], 4)[1].reshape(2, 2, 7) / 255
    uv, wi, wo = upper_pairs(1)
    uv[:] = 0.5
    shade = level_shade(field)
    latents = encoding.latents(torch.tensor([[0.5, 0.5, 1.0]]))[:, 0].detach().numpy()
    np.testing.assert_allclose(latents, low + (high - low) * middle.mean((0, 1)), atol=1e-5)
    logs = [np.log(shade(uv, wi, wo, np.float32([level]))) for level in (1.0, 1.5, 2.0, 7.0)]
    assert not np.allclose(logs[0], logs[1], atol=1e-3) and np.array_equal(logs[2], logs[3])
    assert np.array_equal(shade(uv, wi, wo, np.float32([-1.0])), field_shade(field)(uv, wi, wo))


@pytest.mark.slow
@pytest.mark.parametrize("side, wrap", [(12, "repeat"), (5, "clamp")])
def test_both_halves_agree_at_any_level(gpu, side, wrap, noise):
    recipe, tensors, field = stored(side, wrap)
    ready = scattering_of(recipe, side, tensors)
    uv, wi, wo = upper_pairs(COUNT)
    level = noise.uniform(-1, 5, COUNT).astype(np.float32)
    footprint = (noise.uniform(0, 2, COUNT) ** 3).astype(np.float32)
    asked = np.concatenate([uv, wi, wo, level[:, None], footprint[:, None]], axis=1)
    out = gpu.buffer(size=24 * COUNT)
    variables = {"numbers": gpu.buffer(ready.numbers), "words": gpu.buffer(ready.words),
                 "answers": out, "asked": gpu.buffer(asked)}  # fmt: skip
    text = KERNEL.format(module=ready.module, type=ready.type)
    run_once(gpu, [(gpu.kernel(text, "answer", variables), COUNT // 64)])
    had = out.read().view(np.float32).reshape(-1, 6)
    shade = level_shade(field)
    for found, at in ((had[:, :3], level), (had[:, 3:], level_of(footprint, side))):
        np.testing.assert_allclose(found, shade(uv, wi, wo, at), rtol=5e-4, atol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_it_compiles_for_every_target(target):
    kind = f"FittedMaterial<8, 3, 4, 32, 2, HardGelu, {SAMPLER_WIDTH}, {SAMPLER_LAYERS}>"
    ready = KERNEL.format(module="neuralshade.kinds.material.scattering", type=kind)
    assert len(translate(ready, "answer", target)) > 1000


def test_levels_of_footprints():
    assert level_of([0, 1 / 64, 1 / 32, 1 / 24, 1], 64) == pytest.approx(
        [0, 0, 1, 1.415, 6], abs=1e-3
    )


def test_a_footprint_is_the_mean_over_a_square(painted):
    """Of the paint, in NumPy, by a fine lattice; within four standard errors, which are small."""
    uv, wi, wo = upper_pairs(200)
    width = np.random.default_rng(1).uniform(0.05, 0.6, 200).astype(np.float32)
    rng = torch.Generator().manual_seed(0)
    asked = (torch.from_numpy(each) for each in (uv, width, wi, wo))
    found = Footprints(painted, wraps=True, points=64).mean(*asked, rng).numpy()
    steps = (np.stack(np.meshgrid(*[np.arange(32)] * 2), 2).reshape(-1, 1, 2) + 0.5) / 32 - 0.5
    places = (uv + steps * width[:, None]).reshape(-1, 2) % 1
    wanted = paint(places, np.tile(wi, (1024, 1)), np.tile(wo, (1024, 1)))
    wanted = wanted.reshape(1024, 200, 3).mean(0)
    assert np.abs(found / wanted - 1).mean() < 0.02 and abs(found.sum() / wanted.sum() - 1) < 5e-3


@pytest.mark.parametrize("wraps", [True, False])
def test_points_of_footprints_lie_where_the_material_is(painted, wraps):
    """All of a square alike, each of its points drawn as often; beyond the border as textures."""
    rng = torch.Generator().manual_seed(0)
    uv = torch.tensor([[0.05, 0.5]]).expand(500, 2)
    found = Footprints(painted, wraps).places(uv, torch.full((500,), 0.2), rng).numpy()
    across = (found[..., 0] + 0.3) % 1 - 0.3 if wraps else found[..., 0]
    assert found.min() >= 0 and found.max() <= 1
    assert (across.min() < -0.049) == wraps and across.max() > 0.149
    shares = np.histogram(across[across > 0], 6, (0, 0.15))[0] / across.size
    np.testing.assert_allclose(shares, 0.125, atol=0.01)
    assert abs(found[..., 1].mean() - 0.5) < 1e-3


def test_an_eye_may_look_at_levels_of_all_points(noise):
    """Directions of any length of rows; more rows than a field takes at once."""
    _, _, field = stored(6)
    count = 2**14 + 3
    wi, wo = (np.abs(drawn_directions(count, seed)) for seed in (1, 2))
    level = noise.uniform(0, 2, count).astype(np.float32)
    uv = noise.random((count, 2), np.float32)
    shade = level_shade(field)
    whole = shade(uv, wi, wo, level)
    np.testing.assert_allclose(shade(uv[-5:], wi[-5:], wo[-5:], level[-5:]), whole[-5:], rtol=1e-4)


@pytest.mark.parametrize("crop", [(0.0, 0.0, 1.0, 1.0), (0.25, 0.25, 0.75, 0.75)])
def test_footprints_are_what_pixels_cover(crop):
    """Of a sphere's middle and of a plane: how far uv goes from one pixel to the next."""
    for stage, sideways in ((sphere(64, 64, crop), False), (plane(64, 32, crop), True)):
        uv = np.full((*stage.inside.shape, 2), np.nan)
        uv[stage.inside] = stage.uv
        footprint = np.full(stage.inside.shape, np.nan)
        footprint[stage.inside] = stage.footprint
        row, col = (side // 2 for side in stage.inside.shape)
        across = uv[row, col + 1, 0] - uv[row, col, 0]
        down = uv[row + 1, col, 1] - uv[row, col, 1]
        wanted = (across * down) ** 0.5
        assert footprint[row, col] == pytest.approx(wanted, rel=1e-3 if sideways else 0.05)
