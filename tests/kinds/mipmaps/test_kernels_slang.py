"""engine, mipmaps.cs.slang: references, steps and errors are those of the torch half."""

import numpy as np
import pytest
import torch

from neuralshade.kinds.mipmaps.build import numbers_of, packed_base
from neuralshade.kinds.mipmaps.engine import MipEngine, MipTraining
from neuralshade.kinds.mipmaps.judging import MipJudge, by_measure
from neuralshade.kinds.mipmaps.kernels import (
    DARK,
    MEASURES,
    NUMBERS,
    SMALLEST_ROUGHNESS,
    STEEPEST,
    LevelSizes,
    levels_of,
)
from neuralshade.measure.plane.mip_filters import Maps, box_chain, halved, unit
from neuralshade.model.microfacet import Surface, burley, lambert, shade
from neuralshade.sampler.directions import draw_pairs, near_mirror

SIZES = [(7, 5), (1, 6), (16, 8)]  # width, height
HALF = 2.0**-10  # rounding of a float16, and of one made of it


def maps_of(width, height, roughness=(0.2, 1.0)):
    """Return maps of random texels; the first texels are as smooth and as rough as can be."""
    rng = np.random.default_rng(width * 100 + height)
    normal = unit(rng.normal(0, 0.4, (height, width, 3)).astype(np.float32) + np.float32([0, 0, 1]))
    rough = rng.uniform(*roughness, (height, width)).astype(np.float32)
    rough.reshape(-1)[:2] = [0.0, 1.0]
    metallic = rng.random((height, width)).astype(np.float32).round()
    return Maps(rng.random((height, width, 3)).astype(np.float32), normal, rough, metallic)


def drawn(pool, count):
    return draw_pairs(count, 0.5, 0.2, pool), near_mirror(count, 0.5, pool)


def engine_of(gpu, base, levels, draw=None, **training):
    below = len(levels.sizes) - 1
    start = numbers_of(box_chain(base, below))
    training = MipTraining(**{"pairs": 4, "pool": 8, **training})
    draw = draw or drawn
    return MipEngine(gpu, levels, training, packed_base(base), start, draw)


def shaded(maps, pairs, diffuse=lambert):
    """Return float64 [n, H, W, 3] of the torch half."""
    fields = (torch.from_numpy(values).double() for values in vars(maps).values())
    albedo, normal, roughness, metallic = fields
    surface = Surface(albedo, normal, roughness, metallic)
    wi, wo = torch.from_numpy(pairs).double().unbind(1)
    return torch.stack([shade(surface, i, o, diffuse) for i, o in zip(wi, wo, strict=True)]).numpy()


def references_of(engine, count):
    """Return what the device holds: float32 [count, texels, 3]."""
    raw = engine._bound["references"].read().view(np.float16)
    return raw.reshape(-1, 4)[: count * engine.texels, :3].reshape(count, -1, 3).astype(np.float32)


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


def colors_of(values, pairs):
    """Return what texels [NUMBERS, texels] show, in torch: [n, texels, 3]."""
    up = torch.ones_like(values[:1])
    normal = torch.nn.functional.normalize(torch.cat([values[3:5], up]).T, dim=-1)
    surface = Surface(values[:3].T, normal, values[5], values[6])
    wi, wo = torch.from_numpy(pairs).double().unbind(1)
    return torch.stack([shade(surface, i, o) for i, o in zip(wi, wo, strict=True)])


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
    loss = engine.advance([1.0])
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


def measured(color, reference):
    """Return MEASURES of colors [n, texels, 3]."""
    logs = np.log1p(10 * color) - np.log1p(10 * reference)
    apart = np.abs(color - reference)
    found = ((2 * apart / (color + reference + DARK)), apart / (reference + DARK), logs**2,
             color, reference)  # fmt: skip
    return dict(zip(MEASURES, (values.mean() for values in found), strict=True))


@pytest.mark.parametrize("together", [1, 3])
def test_errors_are_those_of_numpy(gpu, together):
    base, levels = maps_of(7, 5), levels_of(7, 5)
    engine = engine_of(gpu, base, levels)
    pairs, weights = draw_pairs(6, 0.5, 0.2, 5), np.linspace(0.2, 1.4, 6, dtype=np.float32)
    engine.set_pool(pairs, weights)
    chains = [engine.values(), engine.values() * np.float32(0.9)]
    judging = MipJudge(engine, chains)
    judging.add(6, together)
    found = judging.means()
    assert found.shape == (2, len(levels.sizes) - 1, len(MEASURES))
    for values, rows in zip(chains, found, strict=True):
        color = colors_of(torch.from_numpy(values).double(), pairs).numpy()
        sums = [
            (weights[:, None, None] * seen).reshape(-1, together, engine.texels, 3).sum(axis=1)
            for seen in (color, references_of(engine, 6).astype(np.float64))
        ]
        for level, row in enumerate(rows, start=1):
            w, h = levels.sizes[level]
            part = slice(levels.first(level), levels.first(level) + w * h)
            wanted = measured(sums[0][:, part], sums[1][:, part])
            assert by_measure(row) == pytest.approx(wanted, rel=1e-4, abs=1e-7)


def test_a_brief_judge_knows_the_symmetric_error_alone(gpu):
    base, levels = maps_of(16, 8), levels_of(16, 8)
    engine = engine_of(gpu, base, levels)
    engine.set_pool(draw_pairs(6, 0.5, 0.2, 5))
    found = []
    for briefly in (False, True):
        judging = MipJudge(engine, [engine.values()], briefly)
        judging.add(6)
        found.append(judging.means())
    np.testing.assert_allclose(found[1][..., 0], found[0][..., 0], rtol=1e-6)
    assert (found[1][..., 1:] == 0).all() and (found[0][..., 1:] != 0).all()


def test_errors_of_pools_add_up_until_they_are_asked_for(gpu):
    """The mean of two pools, one twice as large; and nothing of it in the next."""
    base, levels = maps_of(16, 8), levels_of(16, 8)
    engine = engine_of(gpu, base, levels)
    judging, alone = MipJudge(engine, [engine.values()]), []
    for count, seed in ((6, 5), (3, 6)):
        engine.set_pool(draw_pairs(count, 0.5, 0.2, seed))
        judging.add(count)
        other = MipJudge(engine, [engine.values()])
        other.add(count)
        alone.append(other.means())
    np.testing.assert_allclose(judging.means(), (2 * alone[0] + alone[1]) / 3, rtol=1e-5)
    judging.add(3)
    np.testing.assert_allclose(judging.means(), alone[1], rtol=1e-6)


def test_lights_weigh_1_where_nothing_is_said(gpu):
    engine = engine_of(gpu, maps_of(7, 5), levels_of(7, 5))
    pairs = draw_pairs(6, 0.5, 0.2, 5)
    judging = MipJudge(engine, [engine.values()])
    engine.set_pool(pairs, np.ones(6, np.float32))
    judging.add(6)
    told = judging.means()
    engine.set_pool(pairs)
    judging.add(6)
    np.testing.assert_array_equal(judging.means(), told)


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


def test_a_pool_of_others_is_forgotten(gpu):
    """Judging between steps changes none."""
    base, levels = maps_of(7, 5), levels_of(7, 5)
    engine, judged = engine_of(gpu, base, levels), engine_of(gpu, base, levels)
    engine.advance([1.0] * 3)
    judged.advance([1.0])
    judged.set_pool(draw_pairs(8, 0.5, 0.2, 99))
    MipJudge(judged, [judged.values()]).add(8)
    judged.advance([1.0] * 2)
    np.testing.assert_array_equal(judged.values(), engine.values())


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
