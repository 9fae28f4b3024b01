"""kinds/textures/layout: grids by rate, and which of their levels serve which mips."""

import itertools
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.kinds.textures.layout import (
    OLDER,
    ROUGH,
    SMOOTH,
    GridShape,
    build_encoding,
    decoder_bits,
    latent_rate,
    layout_text,
    rate_of,
    served_first,
    shapes_for,
    shapes_of,
    with_grids,
)
from neuralshade.kinds.textures.recipe import GRID_LIMITS, TexturesRecipe
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.latent_position import LatentPosition
from neuralshade.source.material_mips import mip_sizes

TABLES = (ROUGH, SMOOTH, OLDER)
quick = settings(max_examples=60, deadline=None, derandomize=True)


def test_the_rate_is_bits_by_texel():
    assert GridShape(2, 4, 3).rate == 3 and GridShape(16, 7, 4).rate == 28 / 256
    assert rate_of(OLDER[2]) == 3 + 1 + 1


def test_a_smooth_set_has_a_decoder_of_16_bits_but_where_few_bits_are_left_for_it():
    asked = TexturesRecipe()
    found = [[decoder_bits(asked, shapes) for shapes in tried] for tried in (ROUGH, SMOOTH)]
    assert found == [[8, 8, 8, 16, 16], [8, 16, 16, 16, 16]]
    assert decoder_bits(replace(asked, network_bits=8), SMOOTH[2]) == 8
    assert decoder_bits(replace(asked, latents="bc1"), ROUGH[0]) == 16


@pytest.mark.parametrize("tried", [ROUGH, SMOOTH])
def test_many_fine_codes_take_smaller_steps(tried):
    asked = [TexturesRecipe(grids=layout_text(shapes)) for shapes in tried]
    assert [latent_rate(recipe) for recipe in asked] == [0.1, 0.1, 0.1, 0.1, 0.025]
    assert latent_rate(replace(asked[4], latent_rate=0.3)) == 0.3
    assert latent_rate(TexturesRecipe(latents="bc1", bpp=13.3, grids="1:2,2:2")) == 0.1


@pytest.mark.parametrize("tried", TABLES)
@pytest.mark.parametrize("rate, index", [(1.11, 0), (2.5, 1), (5, 2), (10, 3), (20, 4)])
def test_known_rates_have_known_layouts(tried, rate, index):
    """Nominal ones: 1.11 stands for 1.109, 10 for 10.0, ... to within a percent or so."""
    assert shapes_of(rate, tried) == tried[index]
    assert rate_of(tried[index]) == pytest.approx(rate, rel=0.02)


@quick
@given(st.floats(1, 32), st.sampled_from(TABLES))
def test_a_rate_is_met_from_below(bpp, tried):
    shapes = shapes_of(bpp, tried)
    assert 0.9 * bpp <= rate_of(shapes) <= 1.005 * bpp
    scales = [shape.scale for shape in shapes]
    assert scales == sorted(scales) and len({*scales}) == 3
    assert all(1 <= s.features <= GRID_LIMITS[1] and 1 <= s.bits <= 8 for s in shapes)


@pytest.mark.parametrize("tried", TABLES)
def test_more_bits_never_are_fewer(tried):
    rates = [rate_of(shapes_of(0.3 * 1.06**i, tried)) for i in range(81)]
    assert all(after >= 0.97 * before for before, after in itertools.pairwise(rates))
    assert rates[0] == min(rates) <= 0.3
    least = rate_of(shapes_of(0.01, tried))  # below the smallest layout there is none
    assert rate_of(shapes_of(0.1, tried)) == least <= rates[0]


def test_fits_name_their_grids_and_older_files_have_those_of_their_time():
    for tried in (ROUGH, SMOOTH):
        named = with_grids(TexturesRecipe(bpp=5.0), tried)
        assert shapes_for(named) == tried[2] and named.bpp == 5.0
    older = [shapes_for(TexturesRecipe(bpp=rate)) for rate in (1.11, 2.5, 5, 10, 20)]
    assert older == list(OLDER)


@pytest.mark.parametrize("scale, firsts", [
    (1, [0, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8]),
    (2, [0, 0, 0, 0, 2, 2, 4, 4, 6, 6, 8]),
    (4, [0, 0, 0, 0, 0, 2, 2, 4, 4, 6, 6]),
])  # fmt: skip
def test_levels_serve_ranges_of_mips(scale, firsts):
    found = served_first(scale, 11)
    assert found == sorted(found) and all(f <= mip for mip, f in enumerate(found))
    assert found[: len(firsts)] == firsts


@quick
@given(st.integers(1, 70), st.integers(1, 70), st.sampled_from([1.11, 2.5, 5, 10, 20]),
       st.sampled_from(TABLES), st.booleans(), st.data())  # fmt: skip
def test_every_mip_of_any_size_is_served(width, height, bpp, tried, wraps, data):
    most = len(mip_sizes(width, height))
    sizes = mip_sizes(width, height, data.draw(st.integers(1, most)))
    shapes = shapes_of(bpp, tried)
    encoding = build_encoding(sizes, shapes, wraps, torch.Generator())
    grids, position = encoding.members[:-1], encoding.members[-1]
    assert isinstance(position, LatentPosition)
    for grid, shape in zip(grids, shapes, strict=True):
        assert isinstance(grid, LatentGrid) and grid.wraps == wraps
        assert (grid.features, grid.bits) == (shape.features, shape.bits)
        assert len(grid.serves) == len(sizes) and {*grid.serves} == {*range(len(grid.sizes))}
        assert grid.sizes[0] == (-(-width // shape.scale), -(-height // shape.scale))
        for mip in range(len(sizes)):
            first, across, down = grid.place(mip)
            assert first + across * down <= len(grid.texels) and across * down > 0
    corners = torch.tensor([[u, v, float(mip)] for u in (0, 0.5, 1) for v in (0, 0.5, 1)
                            for mip in range(len(sizes))])  # fmt: skip
    encoded = encoding(corners)
    assert encoded.shape == (len(corners), sum(s.features for s in shapes) + position.width)
    assert bool(encoded.isfinite().all())
