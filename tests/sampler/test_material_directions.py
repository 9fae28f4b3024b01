"""sampler/material_directions: pairs everywhere, and where a surface shines."""

import math

import pytest
import torch

from neuralshade.sampler.material_directions import (
    LEAST,
    half_vector_pairs,
    hemisphere,
    mirror_pairs,
    mirrored,
    mixed_pairs,
    unit,
)

COUNT = 20_000


def test_all_are_unit(rng):
    normals = hemisphere(*torch.rand(2, COUNT, generator=rng))
    u = torch.rand((5, COUNT), generator=rng)
    for pair in (half_vector_pairs(u[:4]), mirror_pairs(normals, u),
                 mixed_pairs(normals, rng)[:2]):  # fmt: skip
        for directions in pair:
            assert (directions.norm(dim=0) - 1).abs().max() < 1e-5


@pytest.mark.parametrize("shape", [(3, 1), (3, 7), (3, 4, 5)])
def test_columns_are_normalized_with_their_gradients(rng, shape):
    vectors = torch.randn(shape, generator=rng, dtype=torch.float64)
    vectors[..., 0] = 0
    weights = torch.randn(shape, generator=rng, dtype=torch.float64)
    found = []
    for way in (unit, lambda given: torch.nn.functional.normalize(given, dim=0)):
        given = vectors.clone().requires_grad_()
        value = way(given)
        (value * weights).sum().backward()
        found.append((value.detach(), given.grad))
    torch.testing.assert_close(*found)


def test_the_hemisphere_is_uniform(rng):
    found = hemisphere(*torch.rand(2, COUNT, generator=rng))
    assert found[2].min() >= LEAST
    for power in (1, 2):  # the mean of z^n over it is 1 / (n + 1)
        assert found[2].pow(power).mean() == pytest.approx(1 / (power + 1), abs=0.01)
    assert found[:2].mean(1).abs().max() < 0.02


def test_angles_of_half_vectors_are_uniform(rng):
    wi, wo = half_vector_pairs(torch.rand((4, COUNT), generator=rng))
    half = torch.nn.functional.normalize(wi + wo, dim=0)
    for cosine in (half[2], (half * wi).sum(0)):
        angle = cosine.clamp(-1, 1).acos() / (math.pi / 2)
        assert angle.mean() == pytest.approx(0.5, abs=0.01)
        assert angle.var() == pytest.approx(1 / 12, abs=0.005)


def test_mirrors_lie_about_their_normals(rng):
    """Half of all within the median width: slopes are GGX's, whose median is the width."""
    normals = torch.tensor([[0.3], [-0.2], [0.93]]).expand(3, COUNT)
    normals = torch.nn.functional.normalize(normals, dim=0)
    wi, wo = mirror_pairs(normals, torch.rand((5, COUNT), generator=rng))
    half = torch.nn.functional.normalize(wi + wo, dim=0)
    slopes = half[:2] / half[2] - normals[:2] / normals[2]
    assert slopes.norm(dim=0).median() == pytest.approx((0.015 * 0.6) ** 0.5, rel=0.05)


def test_mirrored_twice_is_the_same(rng):
    one, normal = (hemisphere(*torch.rand(2, 9, generator=rng)) for _ in range(2))
    torch.testing.assert_close(mirrored(mirrored(one, normal), normal), one)


UP = torch.tensor([[0.0], [0.0], [1.0]])


def test_pairs_below_are_replaced(rng):
    wi, wo, seen = mixed_pairs(UP.expand(3, COUNT), rng)
    assert wi.shape == wo.shape == (3, COUNT) and wi[2].min() > LEAST and wo[2].min() > LEAST
    assert 0.97 < seen.float().mean() < 1
    up = torch.tensor([0.0, 0.0, 1.0])
    assert torch.equal(wi[:, ~seen].t().unique(dim=0)[0], up)


def test_drawing_again_changes_no_share(rng, monkeypatch):
    """Of what lies above, as much is of each way, and at each slant, as without it."""
    found = []
    for times in (0, 2):
        monkeypatch.setattr("neuralshade.sampler.material_directions.REDRAWN", times)
        wi, wo, seen = mixed_pairs(UP.expand(3, 5 * COUNT), rng)
        half = unit(wi + wo)
        columns = torch.stack([wi[2], wo[2], half[2], (half * wi).sum(0)])[:, seen]
        found.append(columns)
    before, after = found
    assert after.shape[1] > 1.2 * before.shape[1]
    for power in (1, 2, 4):
        near = 6 / before.shape[1] ** 0.5 * before.pow(power).std(1)
        assert ((before.pow(power).mean(1) - after.pow(power).mean(1)).abs() < near).all()
