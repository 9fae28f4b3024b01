"""model/microfacet: no more is reflected than is received, and samples follow their density."""

import math

import pytest
import torch
from torch.nn.functional import normalize

from neuralshade.model.microfacet import (
    DIFFUSES,
    SMALLEST_ALPHA,
    Surface,
    alpha_of,
    distribution,
    dot,
    masking,
    pdf,
    sample_microfacet,
    shade,
)

ROUGHNESSES = [
    0.0, 0.3, 1.0, *(pytest.param(rough, marks=pytest.mark.slow) for rough in (0.1, 0.6)),
]  # fmt: skip
HEIGHTS = [1.0, 0.7, 0.2, 0.02]  # of wo
UP = torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64)
TILTED = torch.tensor([0.48, -0.36, 0.8], dtype=torch.float64)


def about(axis, local):
    """Return directions given about z as the same about ``axis``, whichever way they turn."""
    side = torch.linalg.cross(axis, torch.eye(3, dtype=axis.dtype)[axis.abs().argmin()])
    first = normalize(side, dim=-1)
    frame = torch.stack([first, torch.linalg.cross(axis, first), axis])
    return local @ frame


def middles(count):
    """Return the middles of equal parts of 0 to 1."""
    return (torch.arange(count, dtype=torch.float64) + 0.5) / count


def hemisphere(direction, count=512):
    """Return directions [N, 3] over the plane and how much solid angle each stands for."""
    height, turn = torch.meshgrid(middles(count), middles(count), indexing="ij")
    each = 2 * math.pi / count**2
    return direction(height, turn).reshape(-1, 3), each


def facet_normals(direction, alpha, count=400):
    """Return directions [N, 3] that are dense where a distribution of ``alpha`` has its peak, and
    the solid angle [N] of each.
    """
    part, turn = torch.meshgrid(middles(count), middles(count), indexing="ij")
    slope = alpha * part / (1 - part)
    theta = slope.atan()
    d_theta = alpha / (1 - part) ** 2 / (1 + slope**2)
    solid = theta.sin() * d_theta * 2 * math.pi / count**2
    return direction(theta.cos(), turn).reshape(-1, 3), solid.flatten()


def sphere(direction, axis, count_polar, count_turn):
    """Return directions [P, T, 3], dense about ``axis``, and the solid angle of each."""
    part, turn = torch.meshgrid(middles(count_polar), middles(count_turn), indexing="ij")
    theta = math.pi * part**4
    solid = theta.sin() * 4 * math.pi * part**3 * 2 * math.pi / (count_polar * count_turn)
    return about(axis, direction(theta.cos(), turn)), solid


def mirrored(normal, wo):
    return 2 * dot(normal, wo) * normal - wo


def uniform(count, rng):
    return torch.rand(count, 3, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize("normal", [UP, TILTED])
def test_distribution_is_one_of_angles_with_the_normal(normal, direction):
    width, local = torch.tensor(0.2, dtype=torch.float64), direction(middles(30), middles(30))
    turned = distribution(normal, about(normal, local), width)
    torch.testing.assert_close(turned, distribution(UP, local, width))
    assert distribution(normal, about(normal, -local), width).eq(0).all()


def test_narrow_distribution_keeps_its_shape_in_float32(direction):
    """1 - cos^2 in float32 would be up to half of the value off here."""
    at = direction((0.002 * middles(50)).cos())
    width = torch.tensor(SMALLEST_ALPHA)
    narrow = distribution(TILTED.float(), about(TILTED, at).float(), width)
    wanted = distribution(TILTED, about(TILTED, at).float().double(), width.double())
    torch.testing.assert_close(narrow.double(), wanted, rtol=5e-4, atol=0)


@pytest.mark.parametrize("roughness", ROUGHNESSES)
def test_facets_project_to_the_plane(roughness, direction):
    alpha = alpha_of(torch.tensor(roughness, dtype=torch.float64))
    wm, solid = facet_normals(direction, float(alpha))
    projected = (distribution(UP, wm, alpha) * wm[:, 2] * solid).sum()
    assert float(projected) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("height", HEIGHTS)
@pytest.mark.parametrize("roughness", ROUGHNESSES)
def test_weak_white_furnace(roughness, height, direction):
    """Facets that are seen, projected to the eye, make up what the plane is seen as."""
    alpha, wo = alpha_of(torch.tensor(roughness, dtype=torch.float64)), direction(height)
    wm, solid = facet_normals(direction, float(alpha))
    towards = dot(wm, wo).clamp(min=0) * distribution(UP, wm, alpha) * solid
    seen = masking(wo[2], alpha) * towards.sum() / height
    assert float(seen) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("height", HEIGHTS)
@pytest.mark.parametrize("roughness", ROUGHNESSES)
def test_white_metal_reflects_no_more_than_it_receives(
    roughness, height, rng, surface_of, direction
):
    surface, wo = surface_of(1.0, roughness, 1.0), direction(height)
    wi = sample_microfacet(surface, wo, uniform(40_000, rng))
    weight = shade(surface, wi, wo)[:, 0] / pdf(surface, wi, wo)
    assert weight.max() <= 1 + 1e-9  # visible normals leave G2 / G1
    reflected = float(weight.mean())
    wi, solid = sphere(direction, mirrored(UP, wo), 600, 400)
    counted = float((shade(surface, wi, wo)[..., 0] * solid).sum())
    assert counted <= 1 + 1e-5 and (counted > 0.99 or roughness > 0.1 or height < 0.2)
    # four deviations of a mean of 40,000; 1e-3: of a grid that is coarse for what grazes
    assert reflected == pytest.approx(counted, abs=4 * float(weight.std()) / 200 + 1e-3)


@pytest.mark.parametrize("height", [*HEIGHTS, 0.4])
def test_the_roughest_white_metal_reflects_what_its_integral_is(height, surface_of, direction):
    """Where alpha is 1, the integral of cos_i / (2 pi (cos_i + cos_o)) has a closed form."""
    wi, each = hemisphere(direction)
    reflected = shade(surface_of(1.0, 1.0, 1.0), wi, direction(height))[:, 0].sum() * each
    assert float(reflected) == pytest.approx(1 - height * math.log(1 + 1 / height), abs=2e-5)


def test_lambert_scatters_all_of_it_and_burley_more_at_grazing_angles(surface_of, direction):
    wi, each = hemisphere(direction, 256)
    for height, roughness in ((1.0, 0.0), (0.5, 0.5), (0.05, 1.0)):
        surface, wo = surface_of(1.0, roughness, 0.0), direction(height)
        black = surface_of(0.0, roughness, 0.0)
        scattered = {
            kind: float((shade(surface, wi, wo, d) - shade(black, wi, wo, d))[:, 0].sum() * each)
            for kind, d in DIFFUSES.items()
        }
        assert scattered["lambert"] == pytest.approx(1, abs=1e-4)
        assert 0.9 < scattered["burley"] < 1.8
        assert (scattered["burley"] > 1.2) == (height == 0.05)


BELOW = (1.0, 0.5, 0.05)  # heights of wo here


@pytest.mark.parametrize("metallic", [0.0, 1.0])
@pytest.mark.parametrize("height", BELOW)
@pytest.mark.parametrize("roughness", ROUGHNESSES)
def test_density_sums_to_one(roughness, height, metallic, surface_of, direction):
    surface = surface_of(0.5, roughness, metallic, TILTED)
    wo = about(TILTED, direction(height))
    wi, solid = sphere(direction, mirrored(TILTED, wo), 600, 400)
    assert float((pdf(surface, wi, wo) * solid).sum()) == pytest.approx(1, abs=2e-3)


@pytest.mark.parametrize("dtype", [
    torch.float32, pytest.param(torch.float64, marks=pytest.mark.slow),
])  # fmt: skip
@pytest.mark.parametrize("metallic", [0.0, 1.0])
@pytest.mark.parametrize("height", BELOW)
@pytest.mark.parametrize("roughness", ROUGHNESSES)
def test_samples_follow_their_density(
    roughness, height, metallic, dtype, rng, surface_of, direction
):
    """Chi-squared, in bins that are dense about the mirrored direction."""
    polar, turns, fine, count = 24, 12, 20, 40_000
    surface = surface_of(0.5, roughness, metallic, TILTED)
    wo = about(TILTED, direction(height))
    axis = mirrored(TILTED, wo)
    single = Surface(*(x.to(dtype) for x in vars(surface).values()))
    wi = sample_microfacet(single, wo.to(dtype), uniform(count, rng).to(dtype)).double()
    assert dot(wi, wi).sub(1).abs().max() < (1e-5 if dtype == torch.float32 else 1e-12)

    grid, solid = sphere(direction, axis, polar * fine, turns * fine)
    chance = pdf(surface, grid, wo) * solid
    wanted = count * chance.reshape(polar, fine, turns, fine).sum((1, 3)).flatten()
    frame = about(axis, torch.eye(3, dtype=torch.float64))  # rows: what x, y and z became
    x, y, z = (wi @ frame.t()).unbind(-1)
    theta = torch.atan2(torch.hypot(x, y), z)
    row = ((theta / math.pi) ** 0.25 * polar).long().clamp(max=polar - 1)
    col = ((torch.atan2(y, x) / (2 * math.pi) % 1) * turns).long().clamp(max=turns - 1)
    found = torch.bincount(row * turns + col, minlength=polar * turns).double()

    rare = wanted < 10
    pooled = [torch.cat([x[~rare], x[rare].sum()[None]]) for x in (found, wanted)]
    distance = ((pooled[0] - pooled[1]) ** 2 / pooled[1].clamp(min=1)).sum()
    freedom = torch.tensor((len(pooled[0]) - 1) / 2, dtype=torch.float64)
    assert float(torch.special.gammaincc(freedom, distance / 2)) > 1e-5


def test_an_eye_below_the_surface_gets_the_cosine(rng, surface_of, direction):
    surface, wo = surface_of(0.5, 0.5, 1.0), direction(-0.5)
    wi = sample_microfacet(surface, wo, uniform(1000, rng))
    assert wi[:, 2].gt(0).all()
    torch.testing.assert_close(pdf(surface, wi, wo), wi[:, 2] / math.pi)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("roughness", [0.0, 1.0])
@pytest.mark.parametrize("metallic", [0.0, 1.0])
@pytest.mark.parametrize("normal", [UP, -UP, TILTED])
def test_sampling_is_finite_at_the_corners(
    dtype, roughness, metallic, normal, surface_of, direction
):
    ends = torch.tensor([0.0, 0.5, 1 - 2.0**-24], dtype=dtype)
    u = torch.cartesian_prod(ends, ends, ends)
    for height in (1.0, 0.5, 2e-4, 0.0, -1.0):
        for albedo in (0.0, 1.0):
            surface = surface_of(albedo, roughness, metallic, normal)
            surface = Surface(*(x.to(dtype) for x in vars(surface).values()))
            wo = about(normal, direction(height)).to(dtype)
            wi = sample_microfacet(surface, wo, u)
            torch.testing.assert_close(dot(wi, wi), torch.ones_like(wi[:, 0]))
            density = pdf(surface, torch.cat([wi, -wo[None]]), wo)
            assert density.isfinite().all() and density.ge(0).all()
