"""kinds/textures/rectangle: whole mips and parts of them are what single texels are."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.kinds.textures import rectangle as rectangles
from neuralshade.kinds.textures import shared_inputs
from neuralshade.kinds.textures.engine import mip_positions
from neuralshade.kinds.textures.field import build_field
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.kinds.textures.rectangle import decode_rectangle, rectangle_of
from neuralshade.source.material_mips import mip_sizes


def texel_numbers(across, x, y, width, height):
    return ((y + torch.arange(height))[:, None] * across + x + torch.arange(width)).reshape(-1)


@pytest.mark.parametrize("size", [(1, 1), (24, 16), (13, 9), (37, 20)])
@pytest.mark.parametrize("wrap", ["repeat", "clamp"])
@pytest.mark.parametrize("bpp", [1.11, 5.0, 20.0])
def test_a_rectangle_is_what_its_texels_are(size, wrap, bpp, monkeypatch):
    for module in (rectangles, shared_inputs):
        monkeypatch.setattr(module, "BLOCK_ROWS", 4)
        monkeypatch.setattr(module, "BLOCK_COLUMNS", 8)
    monkeypatch.setattr(rectangles, "STRIP_ROWS", 8)
    recipe = TexturesRecipe(bpp=bpp, wrap=wrap, hidden_width=16)
    field = build_field(recipe, size, 5, torch.Generator().manual_seed(1))
    sizes = mip_sizes(*size, None)
    for mip, (width, height) in enumerate(sizes):
        x, y = width // 3, height // 4
        for asked in ((0, 0, width, height), (x, y, width - x, max(1, height // 2))):
            at = mip_positions(sizes, mip, texel_numbers(width, *asked))
            wanted = field.on_samples(at, torch.float32).t().detach()
            found = decode_rectangle(field, sizes, mip, asked)
            assert found.shape == wanted.shape
            assert float((found - wanted).abs().max()) < 1e-5  # float32, in another order


@given(st.data())
def test_texels_of_a_rectangle_are_recognized(data):
    across, down = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 9))
    x, y = data.draw(st.integers(0, across - 1)), data.draw(st.integers(0, down - 1))
    width, height = data.draw(st.integers(1, across - x)), data.draw(st.integers(1, down - y))
    index = texel_numbers(across, x, y, width, height)
    assert rectangle_of(index, across) == (x, y, width, height)


@given(st.lists(st.integers(0, 11), max_size=8), st.integers(1, 5))
def test_what_is_no_rectangle_is_none(numbers, across):
    index = torch.tensor(numbers, dtype=torch.int64)
    found = rectangle_of(index, across)
    if found is not None:
        assert torch.equal(texel_numbers(across, *found), index) and found[0] + found[2] <= across
    else:
        cols, rows = index % across, index // across
        sides = (len(cols.unique()), len(rows.unique()))
        whole = sides[0] * sides[1] == len(index) and len(index.unique()) == len(index)
        spans = len(index) and int(cols.max() - cols.min()) < sides[0]
        spans = spans and int(rows.max() - rows.min()) < sides[1]
        assert not (whole and spans and torch.equal(index, index.sort().values))
