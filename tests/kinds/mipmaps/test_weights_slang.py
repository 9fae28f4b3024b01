"""kinds/mipmaps kernels: texels count by opacity, in references, in the loss and for judges."""

import dataclasses

import numpy as np
import pytest
import torch
from fixtures.mip_engines import colors_of, engine_of, maps_of, references_of

from neuralshade.kinds.mipmaps import tiles
from neuralshade.kinds.mipmaps.kernels import DARK, MEASURES, level_weights, levels_of
from neuralshade.kinds.mipmaps.mip_judge import MipJudge, by_measure
from neuralshade.kinds.mipmaps.tiles import Tiles
from neuralshade.model.microfacet import Surface, shade
from neuralshade.sampler.directions import draw_pairs

SIZES = [(7, 5), (1, 6), (16, 8)]  # width, height
HALF = 2.0**-10  # rounding of a float16, and of one made of it


def opacity_of(width, height):
    """Return opacities of which half are 0, a whole quarter among them: float32 [H, W]."""
    rng = np.random.default_rng(width)
    opacity = np.where(rng.random((height, width)) < 0.5, 0, rng.random((height, width)))
    opacity[: height // 2, : width // 2] = 0
    opacity[-1, -1] = 0.75
    return opacity.astype(np.float32)


def cutout_of(width, height):
    return dataclasses.replace(maps_of(width, height), opacity=opacity_of(width, height))


def covered(size, below):
    """Return by which shares of area texels along an axis cover those of the level before."""
    edges = np.arange(below + 1) * size / below
    at = np.arange(size)
    low, high = np.maximum(edges[:-1, None], at), np.minimum(edges[1:, None], at + 1)
    return np.maximum(high - low, 0) / (size / below)


def counted(values, weights):
    """Return values [n, H, W, 3] and weights at half the size: sums of shares times weights."""
    height, width = weights.shape
    rows, cols = (covered(side, max(1, side // 2)) for side in (height, width))
    total = rows @ weights @ cols.T
    sums = np.einsum("ab,nbcd,ec->naed", rows, values * weights[..., None], cols)
    return sums / total[..., None], total


@pytest.mark.parametrize("width, height", SIZES)
def test_references_are_means_by_opacity(gpu, width, height):
    base, levels = cutout_of(width, height), levels_of(width, height)
    engine = engine_of(gpu, base, levels)
    pairs = draw_pairs(8, 0.5, 0.2, 9)
    engine.set_pool(pairs)
    fields = (base.albedo, base.normal, base.roughness, base.metallic)
    surface = Surface(*(torch.from_numpy(values).double() for values in fields))
    wanted = np.stack([shade(surface, *pair) for pair in torch.from_numpy(pairs).double()])
    weights = np.maximum(base.opacity.astype(np.float64), 1e-7)
    found = references_of(engine, 8)
    for level in range(1, len(levels.sizes)):
        wanted, weights = counted(wanted, weights)
        first, (w, h) = levels.first(level), levels.sizes[level]
        part = found[:, first : first + w * h].reshape(8, h, w, 3)
        np.testing.assert_allclose(part, wanted, rtol=(level + 1) * HALF, atol=1e-5)


@pytest.mark.parametrize("width, height", SIZES)
def test_what_is_hidden_changes_no_reference(gpu, width, height):
    """But those under which all is hidden: there it stands for itself."""
    base, levels = cutout_of(width, height), levels_of(width, height)
    bright = (base.opacity == 0)[..., None] | (base.albedo > 1)
    other = dataclasses.replace(base, albedo=np.where(bright, np.float32(1), base.albedo))
    pairs, found = draw_pairs(4, 0.5, 0.2, 9), []
    for maps in (base, other):
        engine = engine_of(gpu, maps, levels)
        engine.set_pool(pairs)
        found.append(references_of(engine, 4))
    seen = level_weights(base.opacity, levels)[width * height :] > 1e-5
    assert seen.any()
    np.testing.assert_allclose(found[0][:, seen], found[1][:, seen], rtol=2e-3, atol=1e-5)


@pytest.mark.parametrize("opacity", [1.0, 0.3])
def test_one_opacity_everywhere_is_none(gpu, opacity):
    """To rounding, in references, steps and judgments."""
    base, levels, found = maps_of(7, 5), levels_of(7, 5), []
    alike = np.full((5, 7), opacity, np.float32)
    for maps in (base, dataclasses.replace(base, opacity=alike)):
        engine = engine_of(gpu, maps, levels)
        loss = engine.advance([1.0, 0.5])
        engine.set_pool(draw_pairs(8, 0.5, 0.2, 3))
        judging = MipJudge(engine, [engine.values()])
        judging.add(8)
        found.append((references_of(engine, 8), engine.values(), loss, judging.means()))
    for plain, weighted in zip(*found, strict=True):
        np.testing.assert_allclose(weighted, plain, rtol=3e-3, atol=1e-4)


def test_loss_is_a_mean_by_weight(gpu):
    base, levels = cutout_of(7, 5), levels_of(7, 5)
    engine = engine_of(gpu, base, levels)
    values = torch.from_numpy(engine.values()).double()
    assert engine.advance([1.0]) == pytest.approx(1.0, rel=1e-4)  # over the start's, which it is
    references = references_of(engine, 4).astype(np.float64)
    colors = colors_of(values, draw_pairs(8, 0.5, 0.2, 0)[:4]).numpy()
    apart = (2 * np.abs(colors - references) / (colors + references + DARK)).mean(axis=2)
    weights = level_weights(base.opacity, levels)[7 * 5 :]
    for level in range(1, len(levels.sizes)):
        first, (w, h) = levels.first(level), levels.sizes[level]
        assert weights[first : first + w * h].mean() == pytest.approx(1, rel=1e-5)
    assert engine.state_now.loss == pytest.approx((apart * weights).mean(), rel=1e-4)


@pytest.mark.parametrize("briefly", [False, True])
def test_judges_count_by_weight(gpu, briefly):
    base, levels = cutout_of(7, 5), levels_of(7, 5)
    engine = engine_of(gpu, base, levels)
    pairs = draw_pairs(6, 0.5, 0.2, 5)
    engine.set_pool(pairs)
    judging = MipJudge(engine, [engine.values(), engine.values() * np.float32(0.9)], briefly)
    judging.add(6, 3)
    found = judging.means()
    assert found.shape == (2, len(levels.sizes) - 1, len(MEASURES))
    color = colors_of(torch.from_numpy(engine.values() * np.float32(0.9)).double(), pairs).numpy()
    color, reference = (
        seen.reshape(2, 3, -1, 3).sum(axis=1)
        for seen in (color, references_of(engine, 6).astype(np.float64))
    )
    apart = np.abs(color - reference)
    measures = {"symmetric": 2 * apart / (color + reference + DARK), "color": color,
                "reference": reference}  # fmt: skip
    weights = level_weights(base.opacity, levels)[7 * 5 :].astype(np.float64)
    for level, row in enumerate(found[1], start=1):
        w, h = levels.sizes[level]
        part = slice(levels.first(level), levels.first(level) + w * h)
        for name in measures if not briefly else ("symmetric",):
            wanted = np.average(measures[name].mean(axis=(0, 2))[part], weights=weights[part])
            assert by_measure(row)[name] == pytest.approx(wanted, rel=1e-4, abs=1e-7)


def test_tiles_and_samples_count_by_weight(gpu, monkeypatch):
    """Texels of a square alike, its references sampled: then they are what all texels give."""
    for name, value in {"TILE": 4, "DEEPEST": 2, "FEWEST": 32, "THIN": {1: 2}}.items():
        monkeypatch.setattr(tiles, name, value)
    small = cutout_of(16, 8)
    base = type(small)(*(part.repeat(2, 0).repeat(2, 1) for part in small.arrays().values()))
    levels = levels_of(32, 16)
    engine = engine_of(gpu, base, levels, pool=16)
    pairs = draw_pairs(16, 0.5, 0.2, 5)
    judging = MipJudge(engine, [engine.values()])
    Tiles(engine).add([judging], pairs, np.ones(16, np.float32), 1)
    means, sampled = judging.means()[0], references_of(engine, 16)
    engine.set_pool(pairs)
    whole = references_of(engine, 16)
    coarse = slice(levels.first(2), None)
    np.testing.assert_allclose(sampled[:, coarse], whole[:, coarse], rtol=4e-3, atol=1e-4)
    judging.add(16)
    for level, row in enumerate(judging.means()[0]):
        if level >= 2:  # finer ones are judged by a part of their texels
            np.testing.assert_allclose(means[level], row, rtol=4e-3)
