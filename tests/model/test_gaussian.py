"""model/gaussian: weights, reach and colors are what their definitions say."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.model.gaussian import (
    COLOR,
    COMPOSITINGS,
    LARGEST_OPACITY,
    Compositing,
    channels_of,
    color_at,
    reach_px,
    stored_of,
    weight_at,
)

CUTOFFS = [1.0, 2.5, 3.0, 6.0]
SHAPES = [(2.0, 2.0, 0.0), (5.0, 0.7, 1.3), (0.25, 9.0, -8.0)]  # width, height, shear
BACKGROUND = torch.tensor([0.2, 0.5, 0.9], dtype=torch.float64)


def gaussian(center, width, height, shear, *rest):
    """Return one Gaussian: float64 [A, 1]."""
    numbers = [*center, math.log(width), math.log(height), shear, *rest]
    return torch.tensor(numbers, dtype=torch.float64)[:, None]


def factor_of(width, height, shear):
    """Return the triangle L of the covariance L L^T."""
    return torch.tensor([[width, 0.0], [shear * height, height]], dtype=torch.float64)


def around(one, cutoff, distance):
    """Return places [360, 2] that lie ``distance`` standard deviations from the centre."""
    angle = torch.arange(360, dtype=torch.float64) / 180 * math.pi
    circle = torch.stack([angle.cos(), angle.sin()])
    factor = factor_of(*one[2:4, 0].exp().tolist(), float(one[4, 0]))
    return (one[:2] + distance * factor @ circle).t()


def cloud_of(*members, opacity):
    """Return Gaussians of 2 px with a logit of opacity where there is one: float64 [A, N].

    A member is its centre and its red, green and blue.
    """
    rows = []
    for center, channels in members:
        stored = stored_of(torch.tensor(channels, dtype=torch.float64)[:, None])[:, 0].tolist()
        rows.append(gaussian(center, 2.0, 2.0, 0.0, *stored, *[12.0] * opacity))
    return torch.cat(rows, dim=1)


def scattered(kind, rng, count=4):
    """Return Gaussians all over 12 x 12 pixels, of three channels: float64 [A, N]."""
    opacity = Compositing(kind).opacity
    cloud = torch.rand(COLOR + 3 + opacity, count, generator=rng, dtype=torch.float64)
    cloud[:2] *= 12
    cloud[2:4] += 0.5
    return cloud


def places(rng, count=40):
    return 12 * torch.rand(count, 2, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("cutoff", CUTOFFS)
def test_weight_is_one_at_the_centre_and_ends_at_the_cutoff(shape, cutoff):
    one = gaussian((3.0, -7.0), *shape)
    assert float(weight_at(one, one[:2].t(), cutoff)) == 1.0
    assert weight_at(one, around(one, cutoff, cutoff * 1.000001), cutoff).eq(0).all()
    assert weight_at(one, around(one, cutoff, 100.0), cutoff).eq(0).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("cutoff", CUTOFFS)
def test_weight_has_no_edge(shape, cutoff):
    """It falls all the way out, and what is left just inside the cutoff is next to nothing."""
    one = gaussian((3.0, -7.0), *shape)
    steps = torch.linspace(0, cutoff, 50, dtype=torch.float64)
    falling = torch.stack([weight_at(one, around(one, cutoff, r), cutoff)[:, 0] for r in steps])
    assert (falling.diff(dim=0) < 0).all()
    inside = weight_at(one, around(one, cutoff, cutoff - 1e-6), cutoff)
    assert (inside > 0).all() and float(inside.max()) < 2e-6


@pytest.mark.parametrize("shape", SHAPES)
def test_covariance_is_that_of_its_triangle(shape):
    """By an inverse: exp(-q / 2) of q = d^T (L L^T)^-1 d, less what it is at the cutoff."""
    one, factor = gaussian((3.0, -7.0), *shape), factor_of(*shape)
    at = torch.cat([around(one, 3.0, r) for r in (0.1, 0.9, 1.7, 2.9, 3.1)])
    offset = at - one[:2].t()
    q = (offset @ torch.linalg.inv(factor @ factor.t()) * offset).sum(1)
    least = math.exp(-4.5)
    wanted = ((-0.5 * q).exp() - least).clamp(min=0) / (1 - least)
    torch.testing.assert_close(weight_at(one, at, 3.0)[:, 0], wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", [(2.0, 3.0, 0.0), (3.0, 1.5, 1.3), (2.0, 2.0, -0.8)])
def test_second_moments_are_the_covariance(shape):
    one, factor = gaussian((40.3, 39.6), *shape), factor_of(*shape)
    side = torch.arange(80, dtype=torch.float64) + 0.5
    at = torch.cartesian_prod(side, side)
    weight = weight_at(one, at, 6.0)
    offset = at - one[:2].t()
    moments = offset.t() @ (weight * offset) / weight.sum()
    torch.testing.assert_close(moments, factor @ factor.t(), rtol=1e-4, atol=1e-4)


@settings(deadline=None, max_examples=50)
@given(
    size=st.tuples(*[st.floats(math.log(0.25), math.log(8000))] * 2),
    shear=st.floats(-8, 8),
    offset=st.tuples(*[st.floats(-9000, 9000)] * 2),
)
def test_weights_are_shares_whatever_the_numbers_are(size, shear, offset):
    one = torch.tensor([0.0, 0.0, *size, shear])[:, None]
    weight = weight_at(one, torch.tensor([offset]), 3.0)
    assert weight.shape == (1, 1) and 0 <= float(weight) <= 1


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("cutoff", CUTOFFS)
def test_reach_holds_all_that_is_not_zero_and_no_more(shape, cutoff):
    one = gaussian((3.0, -7.0), *shape)
    reach = reach_px(one, cutoff)[:, 0]
    edge = around(one, cutoff, cutoff - 1e-9)
    assert weight_at(one, edge, cutoff).gt(0).all()
    furthest = (edge - one[:2].t()).abs().max(dim=0).values
    assert (furthest < reach).all()
    torch.testing.assert_close(furthest, reach, rtol=1e-3, atol=0)  # of 360 places


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_stored_colors_and_channels_are_each_others_inverse(channels, rng):
    colors = torch.randn(channels, 9, generator=rng, dtype=torch.float64)
    torch.testing.assert_close(channels_of(stored_of(colors)), colors)
    torch.testing.assert_close(stored_of(channels_of(colors)), colors)
    if channels == 4:
        assert torch.equal(stored_of(colors)[3], colors[3])  # alpha
    if channels < 3:
        assert torch.equal(stored_of(colors), colors)


def test_grey_is_stored_without_chroma():
    grey = stored_of(torch.full((3, 1), 0.4, dtype=torch.float64))[:, 0]
    assert grey.tolist() == pytest.approx([0.4, 0.0, 0.0], abs=1e-15)


@pytest.mark.parametrize("kind", COMPOSITINGS)
def test_the_background_is_where_no_gaussian_is(kind, rng):
    together = Compositing(kind)
    cloud = scattered(kind, rng)
    far = torch.tensor([[900.0, -900.0], [1e6, 3.0]], dtype=torch.float64)
    for members in (cloud, cloud[:, :0]):
        drawn = color_at(members, far, BACKGROUND, together)
        torch.testing.assert_close(drawn, BACKGROUND.expand(2, 3), rtol=0, atol=1e-15)


def test_over_shows_the_first_where_it_hides_the_others():
    """As opaque as any can be: 0.5 % of what is behind is left."""
    red, blue = ((5.0, 5.0), (1.0, 0.0, 0.0)), ((5.0, 5.0), (0.0, 0.0, 1.0))
    at = torch.tensor([[5.0, 5.0]], dtype=torch.float64)
    for first, second in ((red, blue), (blue, red)):
        cloud = cloud_of(first, second, opacity=1)
        drawn = color_at(cloud, at, BACKGROUND, Compositing("over"))[0]
        front, behind = (torch.tensor(m[1], dtype=torch.float64) for m in (first, second))
        share = LARGEST_OPACITY * float(torch.sigmoid(cloud[-1, 0]))
        passed = (1 - share) * (share * behind + (1 - share) * BACKGROUND)
        torch.testing.assert_close(drawn, share * front + passed, rtol=0, atol=1e-12)
        assert float((drawn - front).abs().max()) < 0.0051


@pytest.mark.parametrize("kind", ["sum", "normalized"])
def test_order_counts_for_over_alone(kind, rng):
    at, shuffled = places(rng), torch.tensor([2, 0, 3, 1])
    cloud = scattered(kind, rng)
    same = [color_at(c, at, BACKGROUND, Compositing(kind)) for c in (cloud, cloud[:, shuffled])]
    torch.testing.assert_close(*same, rtol=1e-12, atol=1e-12)
    cloud = scattered("over", rng)
    other = [color_at(c, at, BACKGROUND, Compositing("over")) for c in (cloud, cloud[:, shuffled])]
    assert float((other[0] - other[1]).abs().max()) > 0.01


def test_a_sum_is_the_background_and_all_weighted_colors(rng):
    cloud, at = scattered("sum", rng), places(rng)
    drawn = color_at(cloud, at, BACKGROUND, Compositing("sum"))
    weights, colors = weight_at(cloud, at, 3.0), channels_of(cloud[COLOR:])
    one_by_one = sum(weights[:, [i]] * colors[:, i] for i in range(4))
    torch.testing.assert_close(drawn, BACKGROUND + one_by_one)


def test_one_normalized_gaussian_gives_its_color_where_it_weighs_much():
    color = (0.8, 0.1, 0.3)
    cloud = cloud_of(((5.0, 5.0), color), opacity=0)
    inside = around(cloud, 3.0, 2.0)
    drawn = color_at(cloud, inside, BACKGROUND, Compositing("normalized"))
    wanted = torch.tensor(color, dtype=torch.float64).expand_as(drawn)
    torch.testing.assert_close(drawn, wanted, rtol=0, atol=1e-3)
    assert not torch.allclose(color_at(cloud, inside, BACKGROUND, Compositing("sum")), wanted)


def test_normalized_gaussians_of_one_color_give_it_whatever_they_weigh(rng):
    cloud = scattered("normalized", rng)
    cloud[2:4] = 2.0  # so that all places are met
    cloud[COLOR:] = torch.tensor([0.4, 0.1, -0.2], dtype=torch.float64)[:, None]
    drawn = color_at(cloud, places(rng), BACKGROUND, Compositing("normalized"))
    wanted = channels_of(cloud[COLOR:])[:, 0]
    torch.testing.assert_close(drawn, wanted.expand_as(drawn), rtol=0, atol=1e-3)


@pytest.mark.parametrize("strongest", [1, 2, 3, 9])
def test_normalized_counts_the_strongest_of_a_place(strongest, rng):
    cloud, at = scattered("normalized", rng), places(rng)
    drawn = color_at(cloud, at, BACKGROUND, Compositing("normalized", strongest))
    for place, color in zip(at, drawn, strict=True):
        ranked = weight_at(cloud, place[None], 3.0)[0].argsort(descending=True)[:strongest]
        kept = color_at(cloud[:, ranked], place[None], BACKGROUND, Compositing("normalized"))
        torch.testing.assert_close(color, kept[0])


@pytest.mark.parametrize("kind", COMPOSITINGS)
@pytest.mark.parametrize("channels", [1, 3])
def test_gradients_reach_every_number(kind, channels, rng):
    together = Compositing(kind, strongest=3)
    cloud, at = scattered(kind, rng), places(rng, 6)
    kept = [*range(COLOR + channels), *[COLOR + 3] * together.opacity]
    cloud = cloud[kept].requires_grad_()

    def drawn(numbers):
        return color_at(numbers, at, BACKGROUND[:channels], together)

    assert torch.autograd.gradcheck(drawn, cloud, eps=1e-6, atol=1e-6)
    (gradient,) = torch.autograd.grad(drawn(cloud).square().sum(), cloud)
    assert gradient.abs().amax(dim=1).gt(1e-6).all()  # none is passed over
