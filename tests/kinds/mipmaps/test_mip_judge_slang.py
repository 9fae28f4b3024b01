"""kinds/mipmaps/mip_judge, kernels.judge.slang: errors of levels are those of the torch half."""

import numpy as np
import pytest
import torch
from fixtures.mip_engines import colors_of, engine_of, maps_of, references_of

from neuralshade.kinds.mipmaps.kernels import DARK, GROUP, MEASURES, levels_of
from neuralshade.kinds.mipmaps.mip_judge import MipJudge, by_measure
from neuralshade.sampler.directions import draw_pairs


def measured(color, reference):
    """Return MEASURES of colors [n, texels, 3]."""
    logs = np.log1p(10 * color) - np.log1p(10 * reference)
    apart = np.abs(color - reference)
    found = ((2 * apart / (color + reference + DARK)), apart / (reference + DARK), logs**2,
             color, reference)  # fmt: skip
    return dict(zip(MEASURES, (values.mean() for values in found), strict=True))


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


def test_of_large_levels_each_pair_lights_a_part_of_the_texels(gpu, monkeypatch):
    """Groups of 128 texels: each has half of the pairs, as NumPy takes them."""
    monkeypatch.setattr("neuralshade.kinds.mipmaps.mip_judge.PART_TEXELS", 256)
    base, levels = maps_of(64, 32), levels_of(64, 32)  # level 1 has four groups
    engine = engine_of(gpu, base, levels)
    pairs = draw_pairs(6, 0.5, 0.2, 5)
    engine.set_pool(pairs)
    judging = MipJudge(engine, [engine.values()])
    judging.add(6)
    found = judging.means()[0]
    color = colors_of(torch.from_numpy(engine.values()).double(), pairs).numpy()
    reference = references_of(engine, 6).astype(np.float64)
    group = np.arange(512) // GROUP
    seen = (np.arange(6)[:, None] % 2) == (group + group // 2) % 2
    wanted = measured(color[:, :512][seen], reference[:, :512][seen])
    assert by_measure(found[0]) == pytest.approx(wanted, rel=1e-4, abs=1e-7)
    whole = measured(color[:, 512:640], reference[:, 512:640])
    assert by_measure(found[1]) == pytest.approx(whole, rel=1e-4, abs=1e-7)
