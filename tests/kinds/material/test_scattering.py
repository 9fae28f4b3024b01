"""kinds/material/scattering: a decoder in a path tracer says what the field says."""

import numpy as np
import pytest
import torch
from fixtures.small_material import upper_pairs

from neuralshade.gpu.gpu import run_once
from neuralshade.kinds.material.asset import pack_field, stored_field
from neuralshade.kinds.material.field import build_field, encoding_of
from neuralshade.kinds.material.judge import field_shade
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.scattering import scattering_of
from neuralshade.model.scattering import lobe_density

COUNT = 1024
KERNEL = """
import neuralshade.model.scattering;
import {module};
StructuredBuffer<float> numbers;
StructuredBuffer<uint> words;
StructuredBuffer<float> asked;
RWStructuredBuffer<float> answers;
[shader("compute")] [numthreads(64, 1, 1)]
void answer(uint i : SV_DispatchThreadID)
{{
    uint at = 8u * i;
    let surface = {type}.at(numbers, words, 3u, 1u, float2(asked[at], asked[at + 1u]));
    float3 wi = float3(asked[at + 2u], asked[at + 3u], asked[at + 4u]);
    float3 wo = float3(asked[at + 5u], asked[at + 6u], asked[at + 7u]);
    float3 found = surface.eval(wi, wo);
    for (int c = 0; c < 3; ++c)
        answers[8u * i + uint(c)] = found[c];
    answers[8u * i + 3u] = drawn_pdf(surface, wi, wo);
    answers[8u * i + 4u] = surface.lobe(0).density(normalize(wi + wo));
    float3 w = drawn(surface, wo, wi); // three numbers in place of a direction
    for (int c = 0; c < 3; ++c)
        answers[8u * i + 5u + uint(c)] = w[c];
}}
"""


@pytest.fixture(scope="module", params=[("repeat", 3), ("clamp", 1)])
def stored(request):
    """Give recipe, tensors and field of a small material with a random map."""
    wrap, lobes = request.param
    recipe = MaterialRecipe(size=5, wrap=wrap, features=7, lobes=lobes, hidden_width=16)
    rng = torch.Generator().manual_seed(3)
    field = build_field(recipe, 5, rng)
    encoding = encoding_of(field)
    with torch.no_grad():
        encoding.grid.texels.copy_(torch.rand(encoding.grid.texels.shape, generator=rng))
    tensors = pack_field(field)
    return recipe, tensors, stored_field(recipe, 5, tensors)


@pytest.fixture
def answered(gpu, stored):
    """Return what asks the kernel: float32 [COUNT, 8]."""
    recipe, tensors, _ = stored
    found = scattering_of(recipe, 5, tensors)
    numbers = np.concatenate([np.zeros(3, np.float32), found.numbers])  # behind others' numbers
    words = np.concatenate([np.zeros(1, np.uint32), found.words])

    def ask(uv, wi, wo):
        asked = np.concatenate([uv, wi, wo], axis=1).astype(np.float32)
        out = gpu.buffer(size=32 * COUNT)
        variables = {"numbers": gpu.buffer(numbers), "words": gpu.buffer(words), "answers": out,
                     "asked": gpu.buffer(asked)}  # fmt: skip
        text = KERNEL.format(module=found.module, type=found.type)
        run_once(gpu, [(gpu.kernel(text, "answer", variables), COUNT // 64)])
        return out.read().view(np.float32).reshape(-1, 8)

    return ask


def test_both_halves_agree(stored, answered):
    recipe, _, field = stored
    uv, wi, wo = upper_pairs(COUNT)
    uv = uv * 3 - 1  # beyond the borders too
    had = answered(uv, wi, wo)[:, :3]
    inside = np.clip(uv, 0, 1) if recipe.wrap == "clamp" else uv
    np.testing.assert_allclose(had, field_shade(field)(inside, wi, wo), rtol=5e-4, atol=1e-6)


def test_the_pdf_is_the_one_that_directions_are_drawn_by(answered, noise):
    """Its integral over all directions is 1; means by drawing equal means by summing."""
    wo = np.tile(np.float32([[0.6, 0.0, 0.8]]), (COUNT, 1))
    i = np.arange(COUNT) + 0.5
    z, turn = 1 - 2 * i / COUNT, np.pi * (1 + 5**0.5) * i
    around = np.sqrt(1 - z * z)
    sphere = np.stack([around * np.cos(turn), around * np.sin(turn), z], 1).astype(np.float32)
    one_place = np.full((COUNT, 2), 0.3, np.float32)
    pdf = answered(one_place, sphere, wo)[:, 3]
    assert abs(pdf.mean() * 4 * np.pi - 1) < 0.02  # of a lattice of 1,024 points
    numbers = noise.random((COUNT, 3)).astype(np.float32)
    drawn = answered(one_place, numbers, wo)[:, 5:]
    for power in (1, 2):
        summed = (pdf[:, None] * sphere**power).mean(0) * 4 * np.pi
        error = (drawn**power).std(0) / COUNT**0.5
        assert (np.abs((drawn**power).mean(0) - summed) < 4 * error + 0.02).all()


def test_lobe_density_is_numpys(stored, answered):
    _, _, field = stored
    uv, wi, wo = upper_pairs(COUNT, 5)
    uv[:] = 0.4
    encoding = encoding_of(field)
    at = torch.tensor([[0.4, 0.4, 0.0]])
    normal, tangent, widths = encoding.lobes.frames(encoding.latents(at))
    half = (wi + wo) / np.linalg.norm(wi + wo, axis=1, keepdims=True)
    parts = (part[:, 0, 0].detach().numpy().astype(float) for part in (normal, tangent, widths))
    wanted = lobe_density(half.astype(float), *parts)
    np.testing.assert_allclose(answered(uv, wi, wo)[:, 4], wanted, rtol=2e-3, atol=1e-6)


def test_directions_have_length_one(answered):
    uv, _, wo = upper_pairs(COUNT, 9)
    numbers = np.random.default_rng(1).random((COUNT, 3)).astype(np.float32)
    drawn = answered(uv, numbers, wo)[:, 5:]
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 1, atol=1e-4)
