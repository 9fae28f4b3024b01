"""model/microfacet: formulas, reciprocity, gradients and what happens at the corners."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import normalize

from neuralshade.model.microfacet import (
    DIELECTRIC_F0,
    DIFFUSES,
    SMALLEST_ALPHA,
    SMALLEST_COSINE,
    Surface,
    alpha_of,
    distribution,
    dot,
    f0_of,
    fresnel,
    lambert,
    masking,
    pdf,
    sample_microfacet,
    shade,
    visibility,
)

ROUGHNESSES = [0.0, 0.1, 0.3, 0.6, 1.0]
UP = torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64)
TILTED = torch.tensor([0.48, -0.36, 0.8], dtype=torch.float64)


def uniform(count, rng):
    return torch.rand(count, 3, generator=rng, dtype=torch.float64)


def test_alpha_is_the_square_but_never_none():
    alpha = alpha_of(torch.tensor([0.0, 0.01, 0.5, 1.0], dtype=torch.float64))
    assert alpha.tolist() == [SMALLEST_ALPHA, SMALLEST_ALPHA, 0.25, 1.0]


@pytest.mark.parametrize("roughness", ROUGHNESSES)
def test_pieces_equal_their_textbook_forms(roughness, direction):
    alpha = float(alpha_of(torch.tensor(roughness, dtype=torch.float64)))
    width = torch.tensor(alpha, dtype=torch.float64)
    wm = direction(torch.linspace(0.01, 1, 100))
    height = wm[:, 2]
    wanted = alpha**2 / (math.pi * (height**2 * (alpha**2 - 1) + 1) ** 2)
    torch.testing.assert_close(distribution(UP, wm, width), wanted, rtol=1e-8, atol=0)

    def hidden(cosine):  # Heitz 2014, equation 72: the Smith Lambda of GGX
        return ((1 + alpha**2 * (1 / cosine**2 - 1)).sqrt() - 1) / 2

    torch.testing.assert_close(masking(height, width), 1 / (1 + hidden(height)))
    cos_o = height.flip(0)
    wanted = 1 / (1 + hidden(height) + hidden(cos_o)) / (4 * height * cos_o)
    torch.testing.assert_close(visibility(height, cos_o, width), wanted)


def test_fresnel_runs_from_f0_to_one():
    f0 = torch.tensor([0.04, 0.5, 1.0], dtype=torch.float64)
    cosine = torch.tensor([1.0, 0.5, 0.0, 1 + 1e-7], dtype=torch.float64)
    wanted = [f0, f0 + (1 - f0) / 32, torch.ones_like(f0), f0]
    torch.testing.assert_close(fresnel(f0, cosine), torch.stack(wanted))
    assert fresnel(torch.zeros(3), torch.tensor(1.001)).ge(0).all()  # a cosine that was rounded


def test_f0_is_that_of_a_dielectric_or_the_albedo(surface_of):
    assert f0_of(surface_of(0.7, 0.5, 0.0)).tolist() == [DIELECTRIC_F0] * 3
    assert f0_of(surface_of(0.7, 0.5, 1.0)).tolist() == pytest.approx([0.7] * 3, abs=1e-15)
    assert f0_of(surface_of(0.7, 0.5, 0.5)).tolist() == pytest.approx([0.37] * 3, abs=1e-15)


@pytest.mark.parametrize("roughness", [0.0, 0.5, 1.0])
def test_burley_equals_its_formula(roughness):
    cos_i, cos_o, cos_m = (torch.tensor(x, dtype=torch.float64) for x in (0.3, 0.8, 0.6))
    at_grazing = 0.5 + 2 * roughness * 0.6**2
    wanted = (1 + (at_grazing - 1) * 0.7**5) * (1 + (at_grazing - 1) * 0.2**5) / math.pi
    got = DIFFUSES["burley"](torch.tensor(roughness, dtype=torch.float64), cos_i, cos_o, cos_m)
    assert float(got) == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("kind", DIFFUSES)
def test_what_is_shaded_is_the_sum_of_its_parts(kind, surface_of, direction):
    surface = surface_of(0.6, 0.5, 0.25, TILTED)
    wi, wo = direction(0.9, 0.6), direction(0.8, 0.9)
    cos_i, cos_o, wm = dot(TILTED, wi), dot(TILTED, wo), normalize(wi + wo, dim=-1)
    alpha = torch.tensor(0.25, dtype=torch.float64)
    specular = fresnel(torch.full((3,), 0.03 + 0.15, dtype=torch.float64), dot(wi, wm))
    specular = specular * distribution(TILTED, wm, alpha) * visibility(cos_i, cos_o, alpha)
    scattered = DIFFUSES[kind](surface.roughness, cos_i, cos_o, dot(wi, wm))
    wanted = (specular + 0.75 * 0.6 * scattered) * cos_i
    torch.testing.assert_close(shade(surface, wi, wo, DIFFUSES[kind]), wanted)


def test_shapes_are_broadcast(direction):
    surface = Surface(torch.rand(5, 1, 3), UP.float(), torch.rand(5, 1), torch.tensor(0.5))
    wi, wo = direction(torch.linspace(0.1, 1, 4)).float(), direction(0.5).float()
    assert shade(surface, wi, wo).shape == (5, 4, 3)
    assert shade(surface, wi, wo).dtype == torch.float32
    assert pdf(surface, wi, wo).shape == (5, 4)
    assert sample_microfacet(surface, wo, torch.rand(5, 4, 3)).shape == (5, 4, 3)


share = st.floats(0, 1)
numbers = st.tuples(share, share, share)  # of a surface but for its normal
upright = st.tuples(st.floats(0.2, 1), share)  # height and turn of directions
anywhere = st.tuples(st.floats(-1, 1), share)


@settings(deadline=None, max_examples=200)
@given(numbers, upright, anywhere, anywhere, st.sampled_from(list(DIFFUSES)))
def test_reciprocal_and_never_negative(surface_of, direction, numbers, normal, wi, wo, kind):
    surface, wi, wo = surface_of(*numbers, direction(*normal)), direction(*wi), direction(*wo)
    there, back = (shade(surface, *pair, DIFFUSES[kind]) for pair in ((wi, wo), (wo, wi)))
    assert there.isfinite().all() and there.ge(0).all()
    cos_i, cos_o = dot(surface.normal, wi), dot(surface.normal, wo)
    torch.testing.assert_close(there * cos_o, back * cos_i, rtol=1e-9, atol=1e-300)
    assert there.eq(0).all() or min(cos_i, cos_o) > SMALLEST_COSINE
    single = Surface(*(x.float() for x in vars(surface).values()))
    there = shade(single, wi.float(), wo.float(), DIFFUSES[kind])
    assert there.isfinite().all() and there.ge(0).all()
    density = pdf(single, wi.float(), wo.float())
    assert density.isfinite() and density >= 0


@pytest.mark.parametrize("kind", DIFFUSES)
@pytest.mark.parametrize("roughness", [0.1, 0.4, 1.0])
def test_gradient_equals_the_central_difference(kind, roughness, rng, surface_of, direction):
    wo, u = direction(torch.linspace(0.3, 1, 8), torch.linspace(0, 0.9, 8)), uniform(8, rng)
    start = surface_of(0.5, roughness, 0.3, TILTED)
    wi = sample_microfacet(start, wo, u)
    albedo = uniform(8, rng)
    roughness = start.roughness.repeat(8)
    leaves = [albedo, TILTED.repeat(8, 1), roughness, torch.linspace(0, 1, 8).double()]
    leaves = [x.requires_grad_() for x in leaves]

    def shaded(*numbers):
        return shade(Surface(*numbers), wi, wo, DIFFUSES[kind])

    assert shaded(*leaves).gt(0).any(-1).sum() >= 5
    assert torch.autograd.gradcheck(shaded, leaves, eps=1e-7, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("kind", DIFFUSES)
@pytest.mark.parametrize("roughness", [0.0, 1.0])
@pytest.mark.parametrize("metallic", [0.0, 1.0])
def test_corners_are_finite_and_what_is_below_pulls_nowhere(
    dtype, kind, roughness, metallic, surface_of, direction
):
    looks = direction(torch.tensor([1.0, 0.8, 2e-4, 1e-30, 0.0, -0.6, -1.0]).repeat(2))
    looks[7:, :2] *= -1
    looks = torch.cat([looks, -looks]).to(dtype)
    wi, wo = looks[:, None], looks[None, :]  # wi = -wo among them
    for normal in (UP, TILTED):
        for albedo in (0.0, 1.0):
            numbers = vars(surface_of(albedo, roughness, metallic, normal)).values()
            # each pair its own numbers, so that each has its own gradient
            leaves = [x.to(dtype).repeat(28, 28, *[1] * x.ndim).requires_grad_() for x in numbers]
            shaded = shade(Surface(*leaves), wi, wo, DIFFUSES[kind])
            gradients = torch.autograd.grad(shaded.sum(), leaves)
            cosines = torch.minimum(dot(normal.to(dtype), wi), dot(normal.to(dtype), wo))
            below = cosines <= SMALLEST_COSINE
            assert below.any() and not below.all()
            assert shaded.isfinite().all() and shaded[below].eq(0).all()
            assert shaded.ge(0).all()
            for gradient in gradients:
                assert gradient.isfinite().all() and gradient[below].eq(0).all()


def test_lambert_is_what_is_used_unless_another_is_named(surface_of, direction):
    surface, wi, wo = surface_of(0.5, 0.9, 0.0), direction(0.2), direction(0.3)
    assert torch.equal(shade(surface, wi, wo), shade(surface, wi, wo, lambert))
    assert not torch.equal(shade(surface, wi, wo), shade(surface, wi, wo, DIFFUSES["burley"]))
