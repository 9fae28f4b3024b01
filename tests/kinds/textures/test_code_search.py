"""kinds/textures/code_search: codes move where the error falls, and stop where none can."""

import numpy as np
import pytest
import torch
from fixtures.texture_engines import texels_of
from fixtures.texture_sets import small_set
from hypothesis import given
from hypothesis import strategies as st

import neuralshade
from neuralshade.kinds.textures import code_search
from neuralshade.kinds.textures.channels import codings_of
from neuralshade.kinds.textures.code_search import _color, colors_along, polish, search_codes
from neuralshade.kinds.textures.engine import decode_texels, latent_grids, rounded_field
from neuralshade.kinds.textures.field import build_field
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.kinds.textures.texels import LEAST_TEXELS

WEIGHTS = torch.tensor([1.0, 2.0, 0.5, 1.0, 0.0, 3.0])
# finest grids of 6 x 4, 5 x 3 and 3 x 2 latents and less, which an odd size wraps or clamps
CASES = {
    "even": ((8, 12), {"grids": "2:2:2,4:1:4"}),
    "odd": ((5, 10), {"grids": "2:1:3,4:1:4"}),
    "scale 1": ((3, 5), {"grids": "1:2:1,2:1:4", "mips": 2}),
    "clamp": ((6, 9), {"grids": "3:2:2,6:1:2", "wrap": "clamp"}),
}


def case_of(name):
    (height, width), settings = CASES[name]
    recipe = TexturesRecipe(hidden_width=16, **settings)
    texels = texels_of(small_set(height, width), recipe.mips or None)
    rng = torch.Generator().manual_seed(3)
    return rounded_field(build_field(recipe, (width, height), texels.channels, rng)), texels


def error(field, texels):
    """Return the weighted squared error of all mips, each as often as it is drawn."""
    total = 0.0
    for mip, (width, height) in enumerate(texels.sizes):
        found = decode_texels(field, texels.sizes, mip).clip(0, 1).astype(np.float64)
        squares = np.square(found - texels.level(mip).reshape(found.shape)) @ WEIGHTS.numpy()
        total += squares.sum() * max(1, LEAST_TEXELS / (width * height))
    return total


@pytest.mark.parametrize("name", CASES)
def test_in_the_end_no_code_can_move(name, monkeypatch):
    """Against every single move, tried with the whole field."""
    monkeypatch.setattr(code_search, "BAND_TEXELS", 40)  # several bands of rows
    monkeypatch.setattr(code_search, "BLOCK_TEXELS", 16)
    field, texels = case_of(name)
    before = [p.detach().clone() for p in field.parameters()]
    errors = [error(field, texels)]
    while search_codes(field, texels, WEIGHTS, 1):
        errors.append(error(field, texels))
    assert len(errors) > 1 and all(np.diff(errors) < 0)
    finest = latent_grids(field)[0]
    others = zip(list(field.parameters())[1:], before[1:], strict=True)
    assert finest.texels is next(field.parameters()) and all(torch.equal(*pair) for pair in others)
    codes = finest.codes().astype(np.int64)
    assert codes.max() <= finest.steps
    assert torch.equal(finest.texels, torch.from_numpy(codes).float() / finest.steps)
    for place in np.ndindex(codes.shape):
        for step in (-1, 1):
            if not 0 <= int(codes[place]) + step <= finest.steps:
                continue
            tried = codes.copy()
            tried[place] += step
            finest.set_codes(tried)
            assert error(field, texels) > errors[-1] * (1 - 1e-4)  # LEAST_GAIN, and rounding
    finest.set_codes(codes)


def test_several_passes_are_one_after_the_other():
    one, texels = case_of("even")
    two, _ = case_of("even")
    moved = search_codes(one, texels, WEIGHTS, 1) + search_codes(one, texels, WEIGHTS, 1)
    assert search_codes(two, texels, WEIGHTS, 2) == moved > 0
    assert all(map(torch.equal, one.parameters(), two.parameters()))
    search_codes(two, texels, WEIGHTS, 50)
    assert search_codes(two, texels, WEIGHTS, 1) == 0


def test_a_search_that_is_stopped_keeps_what_it_has(monkeypatch):
    monkeypatch.setattr(code_search, "BAND_TEXELS", 40)
    field, texels = case_of("even")
    start = error(field, texels)
    assert search_codes(field, texels, WEIGHTS, 1, lambda: True) == 0
    assert error(field, texels) == start
    asked = iter([False, True])
    assert search_codes(field, texels, WEIGHTS, 9, lambda: next(asked)) > 0
    assert error(field, texels) < start


@given(st.integers(1, 40), st.booleans())
def test_neighbours_have_other_colors(size, wraps):
    colors = _color(torch.arange(size), size, wraps).tolist()
    assert set(colors) == set(range(min(size, colors_along(size, wraps))))
    following = colors[1:] + (colors[:1] if wraps else [])
    assert size == 1 or all(a != b for a, b in zip(colors, following, strict=False))


def test_a_fit_with_polish_is_nearer_and_says_by_how_much(fitted, capsys):
    maps = small_set(16, 16)
    plain = fitted(maps, "plain.nsh", bpp=20.0)
    better = fitted(maps, "better.nsh", bpp=20.0, polish=2)
    again = fitted(maps, "again.nsh", bpp=20.0, polish=2)
    assert plain.search is None and better.search.ended and better.search.moved > 0
    gain = better.psnr_db - plain.psnr_db
    assert gain > 0 and better.search.gain_db == pytest.approx(
        gain, abs=0.1
    )  # a file's have one place
    one, two = (neuralshade.load(result.asset).tensors for result in (better, again))
    assert all(np.array_equal(one[name], two[name]) for name in one)
    better.print()
    assert f"{better.search.moved:,} codes moved after training" in capsys.readouterr().out


def test_ctrl_c_ends_the_search_and_keeps_the_field(monkeypatch):
    textures = small_set(8, 12)
    field, texels = case_of("even")

    class Asked(code_search.Interruption):
        def __enter__(self):
            self.requested = True
            return self

        def __exit__(self, *exception):
            pass

    monkeypatch.setattr(code_search, "Interruption", Asked)
    found = polish(field, texels, codings_of(textures), WEIGHTS, 1)
    assert (found.moved, found.gain_db, found.ended) == (0, 0.0, False)
    assert str(found).startswith("0 codes moved after training in ")
    assert str(found).endswith(" s, interrupted: +0.00 dB")
