"""kinds/mipmaps/tiles, kernels.tiles.slang: a part of the texels tells what all of them would."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fixtures.mip_engines import colors_of, engine_of, maps_of, references_of

from neuralshade.kinds.mipmaps import judge as mipmaps_judge
from neuralshade.kinds.mipmaps import tiles
from neuralshade.kinds.mipmaps.kernels import DARK, levels_of
from neuralshade.kinds.mipmaps.mip_judge import MipJudge
from neuralshade.kinds.mipmaps.tiles import Tiles, tiled
from neuralshade.sampler.directions import draw_pairs

WIDTH, HEIGHT, PAIRS = 32, 16, 16


@pytest.fixture
def small(monkeypatch):
    """Make tiles so small that a map of 32 x 16 texels has 32 of them, levels 1 and 2 in tiles."""
    monkeypatch.setattr(tiles, "TILE", 4)
    monkeypatch.setattr(tiles, "DEEPEST", 2)
    monkeypatch.setattr(tiles, "FEWEST", 32)
    monkeypatch.setattr(tiles, "THIN", {})


@pytest.fixture
def engine(gpu, small):
    """Give an engine of such maps that holds all pairs at once."""
    return engine_of(gpu, maps_of(WIDTH, HEIGHT), levels_of(WIDTH, HEIGHT), pool=PAIRS)


def errors_by_all(engine, pairs):
    """Return symmetric errors of each pair and texel of all levels: [pairs, texels]."""
    engine.set_pool(pairs)
    color = colors_of(torch.from_numpy(engine.values()).double(), pairs).numpy()
    reference = references_of(engine, len(pairs)).astype(np.float64)
    return (2 * np.abs(color - reference) / (color + reference + DARK)).mean(axis=2)


def errors_by_tiles(engine, pairs, together=1, briefly=True):
    """Return the symmetric error of each level as tiles tell it."""
    judging = MipJudge(engine, [engine.values()], briefly)
    Tiles(engine).add([judging], pairs, np.ones(len(pairs), np.float32), together)
    return judging.means()[0, :, 0]


def part_of(level, parts):
    """Return which part of the pairs each texel of a level sees: [texels], row by row."""
    row, col = np.mgrid[: HEIGHT >> level, : WIDTH >> level]
    side, across = 4 >> level, WIDTH // 4
    tile = row // side * across + col // side
    begin = tile // parts * parts
    return ((tile - begin - 3 * (begin // across)) % parts).reshape(-1)


@pytest.mark.parametrize("pairs, parts", [(16, 8), (12, 4)])
def test_a_tile_is_lit_by_its_part_of_the_pairs(engine, pairs, parts):
    lights = draw_pairs(pairs, 0.5, 0.2, 5)
    found, errors = errors_by_tiles(engine, lights), errors_by_all(engine, lights)
    for level in (1, 2):
        first, part = engine.levels.first(level), part_of(level, parts)
        seen = np.arange(pairs)[:, None] // (pairs // parts) == part
        own = errors[:, first : first + len(part)]
        assert (np.bincount(part, minlength=parts) == len(part) // parts).all()
        assert found[level - 1] == pytest.approx(own[seen].mean(), rel=1e-4)


def test_tiles_are_judged_by_every_measure(engine):
    pairs = draw_pairs(PAIRS, 0.5, 0.2, 5)
    whole = errors_by_tiles(engine, pairs, together=2, briefly=False)
    np.testing.assert_allclose(errors_by_tiles(engine, pairs, together=2), whole, rtol=1e-5)


def test_coarse_levels_are_sampled_from_every_square(gpu, small):
    """Of squares whose texels are alike each is as good: then it is what all texels tell."""
    base = maps_of(WIDTH // 2, HEIGHT // 2)
    alike = type(base)(*(part.repeat(2, 0).repeat(2, 1) for part in base.arrays().values()))
    engine = engine_of(gpu, alike, levels_of(WIDTH, HEIGHT), pool=PAIRS)
    pairs = draw_pairs(PAIRS, 0.5, 0.2, 5)
    found, errors = errors_by_tiles(engine, pairs), errors_by_all(engine, pairs)
    for level in range(3, len(engine.levels.sizes)):
        first, (width, height) = engine.levels.first(level), engine.levels.sizes[level]
        own = errors[:, first : first + width * height]
        assert found[level - 1] == pytest.approx(own.mean(), rel=2e-3)  # float16 references


def test_coarse_levels_are_sampled_all_over_the_square(gpu, small):
    """One white texel of four: what is drawn has it as often as it is there."""
    side = 64
    base = maps_of(side, side, (1.0, 1.0))
    base.albedo[:], base.metallic[:], base.roughness[:] = 0, 0, 1
    base.albedo[1::2, 0::2], base.normal[:] = 1, (0, 0, 1)
    engine = engine_of(gpu, base, levels_of(side, side), pool=PAIRS)
    pairs = draw_pairs(PAIRS, 0.0, 0.2, 5)
    errors_by_tiles(engine, pairs)
    last = engine.levels.texels - 1
    sampled = references_of(engine, PAIRS)[:, last].mean()
    engine.set_pool(pairs)
    # of 1,024 squares each of two blocks of pairs draws anew: 0.75 / 0.25 over 2,048, its root
    assert sampled == pytest.approx(references_of(engine, PAIRS)[:, last].mean(), rel=0.15)


def test_thinned_levels_have_rows_of_every_tile(engine, monkeypatch):
    """Half of level 1's errors, drawn all over it: other than all of them, and about as large."""
    monkeypatch.setattr(tiles, "THIN", {1: 2})
    pairs = draw_pairs(PAIRS, 0.5, 0.2, 5)
    errors = errors_by_all(engine, pairs)[:, : engine.levels.first(2)]
    found = errors_by_tiles(engine, pairs)[0]
    assert found == pytest.approx(errors.mean(), rel=0.2)
    monkeypatch.setattr(tiles, "THIN", {})
    assert found != pytest.approx(errors_by_tiles(engine, pairs)[0], rel=1e-4)


def test_levels_that_end_in_tiles(engine):
    engine = engine_of(engine.gpu, maps_of(WIDTH, HEIGHT), levels_of(WIDTH, HEIGHT, 1), pool=PAIRS)
    assert errors_by_tiles(engine, draw_pairs(PAIRS, 0.5, 0.2, 5)).shape == (1,)


@pytest.mark.parametrize("size, fall", [
    ((1024, 1024), True), ((512, 512), True), ((2048, 1024), True), ((4096, 64), True),
    ((256, 256), False), ((1000, 1024), False), ((1024, 992), False), ((704, 576), False),
])  # fmt: skip
def test_what_falls_into_tiles(size, fall):
    assert tiled(levels_of(*size)) is fall


@pytest.mark.parametrize("software", [True, False])
def test_a_gpu_judges_every_texel(software):
    """It does that in a moment."""
    gpu = SimpleNamespace(adapter=SimpleNamespace(software=software))
    engine = SimpleNamespace(gpu=gpu, levels=levels_of(512, 512))
    assert mipmaps_judge.judged_in_tiles(engine) is software
