"""kinds/mipmaps, kernels.cs.slang: references and steps are those of the torch half."""

import numpy as np
import pytest
import torch
from fixtures.mip_engines import colors_of, drawn, engine_of, maps_of, references_of

from neuralshade.kinds.mipmaps.kernels import (
    DARK,
    NUMBERS,
    SMALLEST_ROUGHNESS,
    STEEPEST,
    LevelSizes,
    levels_of,
)
from neuralshade.measure.plane.mip_filters import Maps
from neuralshade.model.microfacet import Surface, burley, lambert, shade
from neuralshade.sampler.directions import draw_pairs
from neuralshade.source.halving import halved

SIZES = [(7, 5), (1, 6), (16, 8)]  # width, height
HALF = 2.0**-10  # rounding of a float16, and of one made of it


def shaded(maps, pairs, diffuse=lambert):
    """Return float64 [n, H, W, 3] of the torch half."""
    fields = (torch.from_numpy(values).double() for values in maps.arrays().values())
    albedo, normal, roughness, metallic = fields
    surface = Surface(albedo, normal, roughness, metallic)
    wi, wo = torch.from_numpy(pairs).double().unbind(1)
    return torch.stack([shade(surface, i, o, diffuse) for i, o in zip(wi, wo, strict=True)]).numpy()


@pytest.mark.parametrize("width, height", SIZES)
@pytest.mark.parametrize("diffuse", [lambert, burley])
def test_references_are_means_of_shaded_texels(gpu, width, height, diffuse):
    base, levels = maps_of(width, height), levels_of(width, height)
    engine = engine_of(gpu, base, levels, diffuse=diffuse.__name__.capitalize())
    pairs = draw_pairs(8, 0.5, 0.2, 9)
    engine.set_pool(pairs)
    found, wanted = references_of(engine, 8), shaded(base, pairs, diffuse)
    for level in range(1, len(levels.sizes)):
        wanted = np.stack([halved(one.astype(np.float64)) for one in wanted])
        first, (w, h) = levels.first(level), levels.sizes[level]
        part = found[:, first : first + w * h].reshape(8, h, w, 3)
        np.testing.assert_allclose(part, wanted, rtol=(level + 1) * HALF, atol=1e-5)
    assert first + w * h == engine.texels


def test_references_beyond_float16_are_its_largest(gpu):
    """A mirror that faces light and eye."""
    flat = np.broadcast_to(np.float32([0, 0, 1]), (2, 2, 3)).copy()
    ones = np.ones((2, 2), np.float32)
    base = Maps(np.ones((2, 2, 3), np.float32), flat, 0 * ones, ones)
    engine = engine_of(gpu, base, levels_of(2, 2))
    engine.set_pool(np.tile(np.float32([0, 0, 1]), (1, 2, 1)))
    assert np.isfinite(references_of(engine, 1)).all()
    np.testing.assert_allclose(references_of(engine, 1), 60000, rtol=HALF)


def gradient_of(values, pairs, references, weights=1.0):
    """Return the derivative of the loss by numbers float64 [NUMBERS, texels].

    ``weights`` of pairs and texels: [pairs, texels, 1].
    """
    leaf = torch.from_numpy(values).double().requires_grad_()
    colors, wanted = colors_of(leaf, pairs), torch.from_numpy(references).double()
    weights = torch.as_tensor(weights)
    (weights * (colors - wanted).abs() / (colors + wanted + DARK)).sum().backward()
    return leaf.grad.numpy()


@pytest.mark.parametrize("width, height", SIZES)
def test_steps_are_adam_on_the_gradient_of_autograd(gpu, width, height):
    base, levels = maps_of(width, height), levels_of(width, height)
    rates, betas = (0.03, 0.02, 0.01, 0.04), (0.7, 0.9)
    engine = engine_of(gpu, base, levels, rates=rates, betas=betas)
    pairs, mean, square = draw_pairs(8, 0.5, 0.2, 0), 0.0, 0.0
    for step, factor in enumerate([1.0, 0.5, 0.25]):
        before = engine.values().astype(np.float64)
        engine.advance([factor])
        part = slice(4 * step % 8, 4 * step % 8 + 4)
        d = gradient_of(before, pairs[part], references_of(engine, 8)[part])
        mean, square = (
            mean + (1 - betas[0]) * (d - mean),
            square + (1 - betas[1]) * (d * d - square),
        )
        moments = engine.state()["moments"].numpy().reshape(2, NUMBERS, -1)
        scale = np.abs(mean).max(axis=1, keepdims=True)
        assert (np.abs(moments[0] - mean) <= 2e-3 * (np.abs(mean) + 1e-2 * scale)).mean() > 0.98
        mean, square = moments.astype(np.float64)  # go on from there, so that nothing adds up
        by = factor * mean / (1 - betas[0] ** (step + 1))
        by /= np.sqrt(square / (1 - betas[1] ** (step + 1))) + 1e-8
        size = np.repeat(rates, [3, 2, 1, 1])[:, None] * np.ones_like(before)
        size[3:5] *= before[5] ** 2
        after = before - size * by
        low = np.repeat([0, -STEEPEST, SMALLEST_ROUGHNESS, 0], [3, 2, 1, 1])[:, None]
        high = np.repeat([1, STEEPEST, 1, 1], [3, 2, 1, 1])[:, None]
        np.testing.assert_allclose(engine.values(), after.clip(low, high), atol=2e-6)


def test_pairs_near_a_mirror_s_weigh_by_level(gpu):
    """The mean gradient after one step; levels beyond the weights have the last."""
    base, levels = maps_of(16, 8), levels_of(16, 8)
    engine = engine_of(gpu, base, levels, near=(1.0, 3.0, 0.25), betas=(0.5, 0.5))
    (pairs, near), before = drawn(0, 8), engine.values().astype(np.float64)
    assert 0 < near[:4].sum() < 4
    engine.advance([1.0])
    of_level = np.repeat([1.0, 3.0, 0.25, 0.25], [w * h for w, h in levels.sizes[1:]])
    weights = np.where(near[:4, None], of_level, 1.0)[..., None]
    d = gradient_of(before, pairs[:4], references_of(engine, 8)[:4], weights)
    mean = engine.state()["moments"].numpy().reshape(2, NUMBERS, -1)[0]
    scale = np.abs(d).max(axis=1, keepdims=True)
    assert (np.abs(mean - 0.5 * d) <= 2e-3 * (np.abs(d) + 1e-2 * scale)).mean() > 0.98


def test_loss_is_the_mean_symmetric_error(gpu):
    base, levels = maps_of(7, 5), levels_of(7, 5)
    engine = engine_of(gpu, base, levels)
    values = torch.from_numpy(engine.values()).double()
    assert engine.advance([1.0]) == pytest.approx(1.0, rel=1e-4)  # over the start's, which it is
    loss = engine.state_now.loss
    references = references_of(engine, 4).astype(np.float64)
    colors = colors_of(values, draw_pairs(8, 0.5, 0.2, 0)[:4]).numpy()
    wanted = (2 * np.abs(colors - references) / (colors + references + DARK)).mean()
    assert loss == pytest.approx(wanted, rel=1e-4)


def test_training_makes_it_better(gpu):
    base, levels = maps_of(16, 8), levels_of(16, 8)
    engine = engine_of(gpu, base, levels, reuse=100)
    first = engine.advance([1.0])
    assert engine.advance([0.5] * 60) < 0.8 * first
    assert engine.state_now.step == 61


def test_a_pool_is_gone_through_and_drawn_anew(gpu):
    """Two steps a time, twice: four steps a pool."""
    pools = []

    def draw(pool, count):
        pools.append((pool, count))
        return drawn(pool, count)

    base, levels = maps_of(7, 5), levels_of(7, 5)
    engine = engine_of(gpu, base, levels, draw, reuse=2)
    assert engine.steps_a_pool == 4
    engine.advance([1.0] * 9)
    assert pools == [(0, 8), (1, 8), (2, 8)]
    apart = engine_of(gpu, base, levels, reuse=2)
    for _ in range(9):
        apart.advance([1.0])
    np.testing.assert_array_equal(apart.values(), engine.values())


def test_short_submissions_change_nothing(gpu, monkeypatch):
    """Of pairs and of steps."""
    base, levels = maps_of(7, 5), levels_of(7, 5)
    engine = engine_of(gpu, base, levels)
    engine.advance([1.0] * 5)
    monkeypatch.setattr("neuralshade.kinds.mipmaps.engine.SUBMITTED_SHADINGS", 40)
    parted = engine_of(gpu, base, levels)
    parted.advance([1.0] * 5)
    np.testing.assert_array_equal(parted.values(), engine.values())


def test_a_state_goes_on_as_if_nothing_had_been(gpu):
    base, levels = maps_of(7, 5), levels_of(7, 5)
    whole, first, second = (engine_of(gpu, base, levels) for _ in range(3))
    whole.advance([1.0, 0.9, 0.8, 0.7, 0.6])
    first.advance([1.0, 0.9])
    second.load_state(first.state())
    second.advance([0.8, 0.7, 0.6])
    np.testing.assert_array_equal(second.values(), whole.values())
    assert second.state_now == whole.state_now


@pytest.mark.parametrize("name", ["values", "moments", "step_state"])
def test_a_state_of_other_levels_is_refused(gpu, name):
    engine = engine_of(gpu, maps_of(7, 5), levels_of(7, 5))
    state = engine.state()
    state[name] = state[name][..., :-1]
    with pytest.raises(ValueError, match=name):
        engine.load_state(state)


def test_levels_halve_down_to_one_texel():
    levels = levels_of(37, 23)
    assert levels.sizes == ((37, 23), (18, 11), (9, 5), (4, 2), (2, 1), (1, 1))
    assert levels.texels == sum(w * h for w, h in levels.sizes[1:])
    assert [levels.first(i) for i in (1, 2, 3)] == [0, 198, 243]
    assert levels_of(37, 23, 2).sizes == levels.sizes[:3]
    assert levels_of(1, 1).sizes == ((1, 1),)
    assert LevelSizes(((4, 4), (2, 2))).table()["first"].tolist() == [0, 0]
