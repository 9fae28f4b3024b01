"""kinds/material/scattering: what a path tracer is told is what the field and its sampler say."""

import numpy as np
import pytest
import torch
from fixtures.small_material import drawn_directions, upper_pairs

from neuralshade.kinds.material.asset import (
    pack_field,
    pack_sampler,
    stored_field,
    stored_sampler,
)
from neuralshade.kinds.material.field import build_field, encoding_of
from neuralshade.kinds.material.judging.judge import field_shade
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import places
from neuralshade.kinds.material.scattering import scattering_of
from neuralshade.kinds.material.varied import Varied
from neuralshade.languages.translate import translate
from neuralshade.model.lobe_sampler import LobeSampler, Mixture

COUNT, MOST = 1024, 2**14
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
    let drawn = surface.sample(wo, wi); // three numbers in place of a direction
    for (int c = 0; c < 3; ++c)
    {{
        answers[8u * i + uint(c)] = found[c];
        answers[8u * i + 4u + uint(c)] = drawn.wi[c];
    }}
    answers[8u * i + 3u] = surface.pdf(wi, wo);
    answers[8u * i + 7u] = drawn.pdf;
}}
"""
EYES = [(0.0, 0.0, 1.0), (0.6, 0.3, 0.5), (-0.9, 0.4, 0.1)]
PLACES = [(0.3, 0.3), (0.85, 0.1)]


VARIED = (Varied("wetness", 0.0, 2.0, 0.5), Varied("age", -1.0, 1.0, 0.0))
SHARES = (0.3, 0.9)


# a text of kernels each
MORE = pytest.param(("repeat", 3, 4, "hard_gelu", "wetness=0..2,age=-1..1"), marks=pytest.mark.slow)
STORED = [MORE, ("clamp", 1, 3, "leaky_relu", ""), ("repeat", 2, 5, "hard_gelu", "")]


@pytest.fixture(scope="module", params=STORED)
def stored(request):
    """Give recipe, tensors, field and sampler of a small material with a random map.

    Its lobes lean, some so far that a part of them lies below the horizon. One has varied inputs.
    """
    wrap, lobes, columns, activation, vary = request.param
    recipe = MaterialRecipe(size=5, wrap=wrap, features=7, lobes=lobes, lobe_inputs=columns,
                            hidden_width=16, activation=activation, vary=vary)  # fmt: skip
    rng = torch.Generator().manual_seed(3)
    field = build_field(recipe, 5, rng)
    encoding = encoding_of(field)
    with torch.no_grad():
        encoding.grid.texels.copy_(torch.rand(encoding.grid.texels.shape, generator=rng))
        encoding.lobes.read.weight.mul_(5)
    sampler = LobeSampler(recipe.features, lobes, recipe.varied_count, rng=rng)
    tensors = pack_field(field) | pack_sampler(sampler)
    return recipe, tensors, stored_field(recipe, 5, tensors), stored_sampler(recipe, tensors)


@pytest.fixture
def mixture(stored):
    """Return what directions are drawn from at places [n, 2] for eyes [n, 3], in Python."""
    _, _, field, sampler = stored
    encoding = encoding_of(field)

    @torch.no_grad()
    def at(uv, wo):
        latents = encoding.latents(torch.from_numpy(np.pad(uv, ((0, 0), (0, 1)))))
        shares = torch.tensor(SHARES[: encoding.varied]).expand(len(uv), -1)
        return sampler.mixture(encoding.lobes, latents, torch.from_numpy(wo.T), shares)

    return at


@pytest.fixture
def drawn_from(mixture):
    """Return the same of one place and one eye, for so many samples."""

    def at(place, eye, count):
        found = mixture(np.float32([place]), unit(eye))
        return Mixture(*(x.expand(*x.shape[:-1], count) for x in vars(found).values()))

    return at


def unit(eye):
    found = np.float32([eye])
    return found / np.linalg.norm(found)


def repeated(place, eye, count):
    return np.tile(np.float32([place]), (count, 1)), np.tile(unit(eye), (count, 1))


@pytest.fixture(scope="module")
def answered(gpu, stored):
    """Return what asks the kernel, compiled once: float32 [n, 8], n at most MOST."""
    recipe, tensors, _, _ = stored
    count = recipe.varied_count
    found = scattering_of(recipe, 5, tensors, VARIED[:count], SHARES[:count])
    numbers = np.concatenate([np.zeros(3, np.float32), found.numbers])  # behind others' numbers
    words = np.concatenate([np.zeros(1, np.uint32), found.words])
    asked, answers = (gpu.buffer(size=32 * MOST) for _ in range(2))
    variables = {"numbers": gpu.buffer(numbers), "words": gpu.buffer(words), "answers": answers,
                 "asked": asked}  # fmt: skip
    text = KERNEL.format(module=found.module, type=found.type)
    kernel = gpu.kernel(text, "answer", variables)

    def ask(uv, wi, wo):
        rows = np.concatenate([uv, wi, wo], axis=1).astype(np.float32)
        commands = gpu.commands()
        commands.upload(asked, 0, rows)
        commands.run(gpu.steps([(kernel, -(-len(rows) // 64))]))
        commands.submit()
        return answers.read().view(np.float32).reshape(-1, 8)[: len(rows)]

    return ask


@pytest.mark.slow
def test_both_halves_agree(stored, mixture, answered, noise):
    """In what is scattered, and in what is drawn: directions of all sides, some below."""
    recipe, _, field, _ = stored
    uv, wi, wo = upper_pairs(COUNT)
    uv = uv * 3 - 1  # beyond the borders too
    had = answered(uv, wi, wo)
    inside = np.clip(uv, 0, 1) if recipe.wrap == "clamp" else uv
    wanted = field_shade(field)(places(inside, SHARES[: recipe.varied_count]), wi, wo)
    np.testing.assert_allclose(had[:, :3], wanted, rtol=5e-4, atol=1e-6)
    at = mixture(inside, wo)
    anywhere, u = drawn_directions(COUNT, 7), noise.random((COUNT, 3)).astype(np.float32)
    density = answered(uv, anywhere, wo)[:, 3]
    wanted = at.pdf(torch.from_numpy(anywhere.T), torch.from_numpy(wo.T))
    np.testing.assert_allclose(density, wanted, rtol=1e-4, atol=1e-5)
    assert not density[anywhere[:, 2] <= 0].any()
    drawn = answered(uv, u, wo)[:, 4:]
    wi, pdf = at.sample(torch.from_numpy(wo.T), torch.from_numpy(u.T))
    np.testing.assert_allclose(drawn[:, :3], wi.T, atol=1e-4)
    np.testing.assert_allclose(drawn[:, 3], pdf, rtol=5e-3)  # of directions that are rounded


def test_lobes_that_lean_below_the_horizon_are_among_them(mixture):
    """What the other tests hold would be easy without."""
    uv, _, wo = upper_pairs(COUNT)
    normal = mixture(uv, wo).normal
    slants = torch.rad2deg(torch.arccos(normal[2]))
    assert slants.max() > 45 and ((torch.from_numpy(wo.T)[:, None] * normal).sum(0) < 0).any()


@pytest.mark.slow
@pytest.mark.parametrize("eye", EYES)
def test_densities_sum_to_one(answered, eye):
    count = MOST
    i = np.arange(count) + 0.5
    z, turn = 1 - 2 * i / count, np.pi * (1 + 5**0.5) * i
    around = np.sqrt(1 - z * z)
    sphere = np.stack([around * np.cos(turn), around * np.sin(turn), z], 1).astype(np.float32)
    for place in PLACES:
        uv, wo = repeated(place, eye, count)
        assert answered(uv, sphere, wo)[:, 3].mean() * 4 * np.pi == pytest.approx(1, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("eye", EYES)
def test_directions_follow_their_density(answered, drawn_from, noise, eye):
    """Chi-squared over 240 cells of the hemisphere, each integrated over 1,024 points."""
    rows, cols, fine, count = 12, 20, 32, MOST
    z, phi = (np.arange(rows * fine) + 0.5) / (rows * fine), np.arange(cols * fine) + 0.5
    z, phi = (x.ravel() for x in np.meshgrid(z, phi * 2 * np.pi / (cols * fine), indexing="ij"))
    grid = np.stack([np.sqrt(1 - z * z) * np.cos(phi), np.sqrt(1 - z * z) * np.sin(phi), z])
    for place in PLACES:
        at = drawn_from(place, eye, len(z))
        to_eye = torch.from_numpy(unit(eye).T).double()
        chance = at.pdf(torch.from_numpy(grid), to_eye).view(rows, fine, cols, fine).sum((1, 3))
        wanted = count * (chance / chance.sum()).flatten()
        uv, wo = repeated(place, eye, count)
        wi = answered(uv, noise.random((count, 3)).astype(np.float32), wo)[:, 4:7]
        turn = np.arctan2(wi[:, 1], wi[:, 0]) / (2 * np.pi) % 1
        cell = np.minimum((wi[:, 2] * rows).astype(int), rows - 1) * cols
        cell += (turn * cols).astype(int) % cols
        found = torch.bincount(torch.from_numpy(cell), minlength=rows * cols).double()
        rare = wanted < 10
        had, due = (torch.cat([x[~rare], x[rare].sum()[None]]) for x in (found, wanted))
        distance = ((had - due) ** 2 / due.clamp(min=1)).sum()
        freedom = torch.tensor((len(had) - 1) / 2, dtype=torch.float64)
        assert float(torch.special.gammaincc(freedom, distance / 2)) > 1e-5
        assert wi[:, 2].min() >= 0
        np.testing.assert_allclose(np.linalg.norm(wi, axis=1), 1, atol=1e-4)


@pytest.mark.parametrize("eye", EYES)
def test_what_is_drawn_has_the_mean_of_cosine_sampling(answered, noise, eye):
    """Of light that is scattered, within five deviations of both means."""
    count = MOST
    uv, wo = repeated(PLACES[0], eye, count)
    u = noise.random((count, 3)).astype(np.float32)
    drawn = answered(uv, u, wo)[:, 4:]
    ours = answered(uv, np.ascontiguousarray(drawn[:, :3]), wo)[:, :3] / drawn[:, 3:]
    radius, angle = np.sqrt(u[:, 0]), 2 * np.pi * u[:, 1]
    plain = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.sqrt(1 - u[:, 0])], 1)
    plain[:, 2] = np.maximum(plain[:, 2], 1e-4)
    by_cosine = answered(uv, plain, wo)[:, :3] * np.pi / plain[:, 2:]
    error = np.sqrt((ours.var(0) + by_cosine.var(0)) / count)
    assert (np.abs(ours.mean(0) - by_cosine.mean(0)) < 5 * error).all()


@pytest.mark.parametrize("target", ["spirv", "cuda", "wgsl", "hlsl", "glsl", "metal"])
def test_it_compiles_for_every_device(target):
    sizes = scattering_type()
    text = KERNEL.format(module="neuralshade.kinds.material.scattering", type=sizes)
    assert translate(text, "answer", target)


def scattering_type():
    """Return the type of a material of the usual sizes."""
    recipe = MaterialRecipe(size=1)
    field = build_field(recipe, 1, torch.Generator().manual_seed(0))
    sampler = LobeSampler(recipe.features, recipe.lobes, rng=torch.Generator())
    return scattering_of(recipe, 1, pack_field(field) | pack_sampler(sampler)).type
