"""model/lobe_sampler: densities that sum to one, samples that follow them, and a network's gain."""

import math

import pytest
import torch
from torch.nn.functional import normalize

from neuralshade.model.lobe_sampler import LobeSampler, Mixture, sampler_loss
from neuralshade.model.lobes import LobeInputs

FEATURES, COUNT = 5, 3
VIEWS = [(0.0, 0.0, 1.0), (0.6, 0.3, 0.5), (-0.9, 0.4, 0.12), (0.2, -1.0, 0.03)]


def eye(view):
    return normalize(torch.tensor(view, dtype=torch.float64), dim=0)[:, None]


def made(rng, tilt=0.5):
    """Return lobes and a sampler of random numbers, whose lobes lean by about ``tilt``."""
    lobes = LobeInputs(FEATURES, COUNT, rng=rng).double()
    torch.nn.init.normal_(lobes.read.weight, 0, tilt, generator=rng)
    return lobes, LobeSampler(FEATURES, COUNT, rng=rng).double()


def at(index, rng):
    return torch.randn(FEATURES, 8, generator=rng, dtype=torch.float64)[:, index : index + 1]


def mixture_at(view, index, rng, **how):
    lobes, sampler = made(rng)
    with torch.no_grad():
        return sampler.mixture(lobes, at(index, rng), eye(view), **how)


def spread(mixture, count):
    """Return a mixture of one sample as that of ``count``."""
    return Mixture(*(x.expand(*x.shape[:-1], count) for x in vars(mixture).values()))


def hemisphere(rows, cols):
    """Return the middles of cells of equal solid angle over the upper hemisphere [3, rows cols]."""
    z = (torch.arange(rows, dtype=torch.float64) + 0.5) / rows
    phi = (torch.arange(cols, dtype=torch.float64) + 0.5) / cols * 2 * math.pi
    z, phi = (x.flatten() for x in torch.meshgrid(z, phi, indexing="ij"))
    radius = (1 - z * z).sqrt()
    return torch.stack([radius * phi.cos(), radius * phi.sin(), z])


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("index", range(2))
def test_density_sums_to_one_over_the_upper_hemisphere(view, index, rng):
    """Lobes that lean send a part below, which is folded up."""
    mixture, wi = mixture_at(view, index, rng), hemisphere(200, 400)
    total = spread(mixture, wi.shape[1]).pdf(wi, eye(view)).mean() * 2 * math.pi
    assert float(total) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("index", range(2))
def test_samples_follow_their_density(view, index, rng):
    """Chi-squared over 240 cells of the hemisphere, each integrated over 256 points."""
    rows, cols, fine, count = 12, 20, 16, 20_000
    mixture = mixture_at(view, index, rng)
    grid = hemisphere(rows * fine, cols * fine)
    chance = spread(mixture, grid.shape[1]).pdf(grid, eye(view)) * 2 * math.pi / grid.shape[1]
    chance = chance.view(rows, fine, cols, fine).sum((1, 3)).flatten()
    u = torch.rand(3, count, generator=rng, dtype=torch.float64)
    wi, density = spread(mixture, count).sample(eye(view).expand(3, count), u)
    assert wi[2].min() > 0 and density.min() > 0
    turn = torch.atan2(wi[1], wi[0]) / (2 * math.pi) % 1
    cell = (wi[2] * rows).long().clamp(max=rows - 1) * cols + (turn * cols).long() % cols
    found = torch.bincount(cell, minlength=rows * cols).double()
    wanted = count * chance / chance.sum()  # of a grid whose sum another test holds to be 1
    rare = wanted < 10
    had, due = (torch.cat([x[~rare], x[rare].sum()[None]]) for x in (found, wanted))
    distance = ((had - due) ** 2 / due.clamp(min=1)).sum()
    freedom = torch.tensor((len(had) - 1) / 2, dtype=torch.float64)
    assert float(torch.special.gammaincc(freedom, distance / 2)) > 1e-5


@pytest.mark.parametrize("view", VIEWS)
def test_importance_sampling_has_the_mean_of_cosine_sampling(view, rng):
    """Of what is no lobe of the mixture: within five deviations of both means."""
    count = 100_000
    mixture, wo = spread(mixture_at(view, 1, rng), count), eye(view).expand(3, count)

    def light(wi):
        return wi[2] * (1 + wi[0] + 3 * (normalize(wi + wo, dim=0)[2] > 0.95))

    u = torch.rand(3, count, generator=rng, dtype=torch.float64)
    wi, density = mixture.sample(wo, u)
    drawn = light(wi) / density
    radius, angle = u[1].sqrt(), 2 * math.pi * u[2]
    plain = torch.stack([radius * angle.cos(), radius * angle.sin(), (1 - u[1]).sqrt()])
    by_cosine = light(plain) * math.pi / plain[2]
    error = (drawn.var() + by_cosine.var()).sqrt() / count**0.5
    assert abs(float(drawn.mean() - by_cosine.mean())) < 5 * float(error)


def test_lobes_that_the_eye_is_below_have_no_weight(rng):
    lobes, sampler = made(rng, 3.0)
    latents = torch.randn(FEATURES, 200, generator=rng, dtype=torch.float64)
    wo = eye((1.0, 0.2, 0.05)).expand(3, 200)
    mixture = sampler.mixture(lobes, latents, wo)
    hidden = (wo[:, None] * mixture.normal).sum(0) < 0
    assert hidden.sum() > 20 and not mixture.weights[1:][hidden].any()
    torch.testing.assert_close(mixture.weights.sum(0), torch.ones(200, dtype=torch.float64))


def test_nothing_is_drawn_below(rng):
    mixture = mixture_at((0.6, 0.3, 0.5), 0, rng)
    wi = -hemisphere(4, 4)
    assert not spread(mixture, 16).pdf(wi, eye((0.6, 0.3, 0.5))).any()


def test_all_is_finite_in_float32_at_the_corners(rng):
    lobes, sampler = LobeInputs(FEATURES, COUNT, rng=rng), LobeSampler(FEATURES, COUNT, rng=rng)
    ends = torch.tensor([0.0, 0.5, 1 - 2.0**-24])
    u = torch.cartesian_prod(ends, ends, ends).t()
    for height in (1.0, 0.5, 1e-3):
        wo = torch.tensor([[(1 - height**2) ** 0.5], [0.0], [height]]).expand(3, u.shape[1])
        for size in (-1e3, 0.0, 1e3):
            mixture = sampler.mixture(lobes, torch.full((FEATURES, u.shape[1]), size), wo)
            wi, density = mixture.sample(wo, u)
            assert wi.isfinite().all() and density.isfinite().all() and density.ge(0).all()
            torch.testing.assert_close(wi.norm(dim=0), torch.ones(u.shape[1]))


@pytest.mark.slow
def test_training_brings_the_noise_down(rng):
    """A surface that shines by its first lobe alone: the network finds which."""
    lobes, sampler = made(rng, 0.2)
    optimizer = torch.optim.Adam(sampler.parameters(), lr=1e-2)

    def draw(count, trained):
        latents = torch.randn(FEATURES, count, generator=rng, dtype=torch.float64)
        wo = hemisphere(40, count // 40)
        mixture = sampler.mixture(lobes, latents, wo, trained=trained)
        u = torch.rand(3, count, generator=rng, dtype=torch.float64)
        wi, density = mixture.sample(wo, u)
        shine = lobes.frames(latents)
        first = Mixture(*shine, torch.eye(4, dtype=torch.float64)[1][:, None])
        return latents, wi, wo, first.pdf(wi, wo).detach() / density.detach()

    noise = draw(8000, False)[3].std()
    for _ in range(80):
        latents, wi, wo, weight = draw(800, False)
        loss = sampler_loss(sampler.mixture(lobes, latents, wo), wi, wo, weight.clamp(max=20))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert draw(8000, True)[3].std() < 0.5 * noise
