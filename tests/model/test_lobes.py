"""model/lobes: how directions lie to the lobes that latents say."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.model.lobes import LEAST, LOG_WIDTHS, LOW, QUARTER, LobeInputs

FEATURES, COUNT, SAMPLES = 5, 3, 20


def unit(rng, count):
    found = torch.randn(3, count, generator=rng, dtype=torch.float64)
    found[2] = found[2].abs() + 0.05
    return found / found.norm(dim=0)


@pytest.fixture(params=[3, 4, 5])
def columns(request):
    return request.param


@pytest.fixture(params=[0.0, 0.15])
def below(request):
    return request.param


@pytest.fixture
def lobes(rng, columns, below):
    made = LobeInputs(FEATURES, COUNT, columns, below, rng=rng).double()
    torch.nn.init.normal_(made.read.weight, 0, 0.5, generator=rng)
    return made


def by_hand(read, wi, wo, columns, below):
    """Return one sample's numbers behind the latents, of its read-out [count, 6]."""
    half = (wi + wo) / np.linalg.norm(wi + wo)
    logs, of_wi, of_wo, of_half, low, low_wo = [], [], [], [], [], []
    for x, y, tangent_x, tangent_y, *widths in read:
        normal = np.array([-x, -y, 1]) / np.sqrt(x * x + y * y + 1)
        tangent = np.array([tangent_x, tangent_y, 0])
        tangent = tangent - tangent @ normal * normal
        tangent /= np.linalg.norm(tangent)
        wide, high = np.exp(np.clip(widths, *LOG_WIDTHS))
        along = (half @ tangent / wide) ** 2 + (half @ np.cross(normal, tangent) / high) ** 2
        logs.append(QUARTER * np.log(along + (half @ normal) ** 2))
        of_wi.append(wi @ normal)
        of_wo.append(wo @ normal)
        of_half.append(half @ normal)
        low.append(QUARTER * np.log(max(wi @ normal + below, LOW)))
        low_wo.append(QUARTER * np.log(max(wo @ normal + below, LOW)))
    product = max(wi[2] * wo[2], LEAST)
    shared = [half @ wi, wi[2], wo[2], QUARTER * np.log(product)]
    seen = {3: [logs, of_wi, of_wo], 4: [logs, low, low_wo, of_half],
            5: [logs, of_wi, of_wo, of_half, low]}[columns]  # fmt: skip
    return [*itertools.chain(*seen), *shared]


def test_numbers_are_those_by_hand(lobes, columns, below, rng):
    latents = torch.randn(FEATURES, SAMPLES, generator=rng, dtype=torch.float64)
    wi, wo = unit(rng, SAMPLES), unit(rng, SAMPLES)
    found = lobes(latents, wi, wo).detach().numpy()
    assert found.shape == (lobes.width, SAMPLES) == (FEATURES + columns * COUNT + 4, SAMPLES)
    np.testing.assert_array_equal(found[:FEATURES], latents)
    read = (latents.T @ lobes.read.weight.T + lobes.read.bias).detach().numpy()
    for sample in range(SAMPLES):
        wanted = by_hand(read[sample].reshape(COUNT, 6), wi[:, sample].numpy(),
                         wo[:, sample].numpy(), columns, below)  # fmt: skip
        np.testing.assert_allclose(found[FEATURES:, sample], wanted, rtol=1e-9, atol=1e-9)


def test_gradients_are_right(lobes, rng):
    latents = torch.randn(FEATURES, 4, generator=rng, dtype=torch.float64, requires_grad=True)
    wi, wo = unit(rng, 4), unit(rng, 4)
    assert torch.autograd.gradcheck(lambda z: lobes(z, wi, wo), (latents,))
    weight, bias = lobes.read.weight, lobes.read.bias
    whole = lobes(latents, wi, wo).square().sum()
    of_weight, of_bias = torch.autograd.grad(whole, [weight, bias])
    step = 1e-6
    for parameter, gradient in ((weight, of_weight), (bias, of_bias)):
        with torch.no_grad():
            parameter.view(-1)[7] += step
            changed = lobes(latents, wi, wo).square().sum()
            parameter.view(-1)[7] -= step
        slope = float((changed - whole).detach() / step)
        assert slope == pytest.approx(float(gradient.view(-1)[7]), rel=1e-4, abs=1e-4)


@given(st.floats(-1e4, 1e4), st.floats(1e-3, 1.0))
def test_all_is_finite_at_grazing_angles_and_of_any_latents(size, height):
    lobes = LobeInputs(FEATURES, COUNT, rng=torch.Generator().manual_seed(0))
    low = torch.tensor([[(1 - height**2) ** 0.5], [0.0], [height]])
    mirrored = low * torch.tensor([[-1.0], [1.0], [1.0]])
    for pair in ((low, low), (low, mirrored)):
        assert lobes(torch.full((FEATURES, 1), size), *pair).isfinite().all()


def test_frames_are_orthonormal(lobes, rng):
    latents = 3 * torch.randn(FEATURES, SAMPLES, generator=rng, dtype=torch.float64)
    normal, tangent, widths = lobes.frames(latents)
    ones = torch.ones(COUNT, SAMPLES, dtype=torch.float64)
    torch.testing.assert_close(normal.norm(dim=0), ones)
    torch.testing.assert_close(tangent.norm(dim=0), ones)
    torch.testing.assert_close((normal * tangent).sum(0), 0 * ones)
    assert (normal[2] > 0).all()
    assert (widths.log() >= LOG_WIDTHS[0] - 1e-9).all()
    assert (widths.log() <= LOG_WIDTHS[1] + 1e-9).all()
