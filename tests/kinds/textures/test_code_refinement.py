"""kinds/textures/code_refinement: codes move where the error falls, and stop where none can."""

import numpy as np
import pytest
import torch
from fixtures.texture_engines import texels_of
from fixtures.texture_sets import small_set

import neuralshade
from neuralshade.engine import code_refinement as engine_search
from neuralshade.fitting.time_plan import Deadline
from neuralshade.kinds.textures import code_refinement
from neuralshade.kinds.textures.channels import codings_of
from neuralshade.kinds.textures.code_refinement import (
    MipTexels,
    groups_of,
    passes_of,
    refine_codes,
    searcher_of,
)
from neuralshade.kinds.textures.engine import (
    decode_texels,
    latent_grids,
    mip_positions,
    rounded_field,
)
from neuralshade.kinds.textures.field import build_field
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.kinds.textures.texels import LEAST_TEXELS
from neuralshade.model.mlp import MLP

WEIGHTS = torch.tensor([1.0, 2.0, 0.5, 1.0, 0.0, 3.0])
# finest grids of 6 x 4, 5 x 3 and 3 x 2 latents and less, which an odd size wraps or clamps
CASES = {
    "even": ((8, 12), {"grids": "2:2:2,4:1:4"}),
    "odd": ((5, 10), {"grids": "2:3:3,4:1:4"}),
    "scale 1": ((3, 5), {"grids": "1:2:1,2:1:4", "mips": 2}),
    "two levels": ((33, 20), {"grids": "2:5:2,4:3:4"}),
    "clamp": ((6, 9), {"grids": "3:2:2,6:1:2", "wrap": "clamp"}),
}

EACH = [pytest.param("even", marks=pytest.mark.slow), "odd", "scale 1", "clamp"]


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


@pytest.mark.parametrize("name", EACH)
def test_the_error_falls_until_no_code_moves(name, monkeypatch):
    monkeypatch.setattr(engine_search, "BAND_PIXELS", 40)  # several bands of rows
    monkeypatch.setattr(engine_search, "BLOCK_PIXELS", 16)
    field, texels = case_of(name)
    network = [p.detach().clone() for p in field.network.parameters()]
    errors = [error(field, texels)]
    while searcher_of(field, texels, WEIGHTS)(1):
        errors.append(error(field, texels))
    assert len(errors) > 1 and all(np.diff(errors) < 0)
    assert errors[-1] < 0.9 * errors[0]
    assert all(map(torch.equal, field.network.parameters(), network))
    for grid in latent_grids(field):
        codes = grid.codes().astype(np.int64)
        assert codes.max() <= grid.steps
        assert torch.equal(grid.texels, torch.from_numpy(codes).float() / grid.steps)


@pytest.mark.parametrize("name", EACH)
def test_no_code_of_a_linear_decoder_would_gain_by_one(name, monkeypatch):
    """There the linear picture is the decoder itself: every code is tried by brute force."""
    monkeypatch.setattr(engine_search, "BAND_PIXELS", 40)
    field, texels = case_of(name)
    rng = torch.Generator().manual_seed(5)
    field.network = MLP(field.encoding.width, texels.channels, 0, 1, bias=True, rng=rng)
    with torch.no_grad():
        field.network.members[0].weight.mul_(0.1)
        field.network.members[0].bias.fill_(0.5)  # nothing is clamped
    searcher_of(field, texels, WEIGHTS)(50)
    least = error(field, texels)
    for grid in latent_grids(field):
        codes = grid.codes().astype(np.int64)
        for place in np.ndindex(codes.shape):
            errors = []
            for step in (-1, 1):
                tried = codes.copy()
                tried[place] += step
                inside = 0 <= tried[place] <= grid.steps
                grid.set_codes(np.clip(tried, 0, grid.steps))
                errors.append(error(field, texels) if inside else np.inf)
            # a damped step of a half and less is none: what it would gain is a share of the bend
            bend = sum(errors) - 2 * least
            spared = engine_search.DAMPING * (bend / 2 if np.isfinite(bend) else least)
            assert min(errors) >= least - spared - 1e-6
        grid.set_codes(codes)


def test_a_lattice_encodes_what_the_field_does():
    field, texels = case_of("odd")
    mip = MipTexels(field, texels, WEIGHTS, 1)
    height, width = mip.size
    rows = torch.tensor([1, 0])
    wanted = field.encoding(mip_positions(texels.sizes, 1, torch.arange(2 * width)))
    swapped = wanted.view(2, width, -1).flip(0).flatten(0, 1).t()
    with torch.no_grad():
        assert torch.equal(mip.encoded(rows), swapped)
    level = torch.from_numpy(texels.level(1)).permute(2, 0, 1)[:, :2].flip(1)
    assert torch.equal(mip.target(rows), level)
    whole = mip.target(torch.arange(height)).permute(1, 2, 0).flatten(0, 1)
    np.testing.assert_allclose(mip.targets(), whole, rtol=0, atol=1e-7)
    assert height >= 2


@pytest.mark.parametrize("settings, size, on_gpu, passes", [
    ({}, (1024, 1024), False, 1), ({}, (2048, 1024), False, 0), ({}, (2048, 2048), True, 4),
    ({}, (4096, 4096), True, 1), ({}, (8192, 4096), True, 0),
    ({"polish": 0}, (8, 8), True, 0), ({"polish": 5}, (4096, 4096), False, 5),
    ({"latents": "bc1"}, (8, 8), True, 0), ({"loss": "shaded"}, (8, 8), True, 0),
])  # fmt: skip
def test_passes_by_size_and_device(settings, size, on_gpu, passes):
    assert passes_of(TexturesRecipe(**settings), size, on_gpu) == passes


def test_levels_are_where_kernels_read_them():
    """Entries of 5 and 3 numbers are filled up there."""
    field, texels = case_of("two levels")
    flat = field.encoding.flatten(list(field.encoding.parameters()))
    levels = [level for group in groups_of(field, texels, WEIGHTS) for level in group.levels]
    assert [level.index for level in levels] == [0, 0, 1, 1]
    for level in levels:
        features, rows, columns = level.codes.shape
        numbers = flat[level.first_number :][: rows * columns * level.stride]
        codes = numbers.view(rows, columns, -1)[..., :features] * level.grid.steps
        torch.testing.assert_close(codes.permute(2, 0, 1), level.codes)


def test_the_gpu_finds_what_the_cpu_finds(gpu):
    (one, texels), (two, _) = case_of("odd"), case_of("odd")
    codings = codings_of(small_set(*CASES["odd"][0]))
    told = refine_codes(one, texels, codings, WEIGHTS, 2)
    also = refine_codes(two, texels, codings, WEIGHTS, 2, gpu)
    assert told.moved > 10 and abs(also.moved - told.moved) <= 2
    assert also.gain_db == pytest.approx(told.gain_db, abs=0.1) and also.failed is None
    assert error(two, texels) == pytest.approx(error(one, texels), rel=0.02)


def test_several_passes_are_one_after_the_other():
    one, texels = case_of("even")
    two, _ = case_of("even")
    moved = searcher_of(one, texels, WEIGHTS)(1) + searcher_of(one, texels, WEIGHTS)(1)
    assert searcher_of(two, texels, WEIGHTS)(2) == moved > 0
    assert all(map(torch.equal, one.parameters(), two.parameters()))
    searcher_of(two, texels, WEIGHTS)(50)
    assert searcher_of(two, texels, WEIGHTS)(1) == 0


def test_a_search_that_is_stopped_keeps_what_it_has(monkeypatch):
    monkeypatch.setattr(engine_search, "BAND_PIXELS", 40)
    field, texels = case_of("even")
    start = error(field, texels)
    assert searcher_of(field, texels, WEIGHTS)(1, lambda: True) == 0
    assert error(field, texels) == start
    asked = iter([False, True])
    assert searcher_of(field, texels, WEIGHTS)(9, lambda: next(asked)) > 0
    assert error(field, texels) < start


@pytest.mark.slow
def test_a_fit_with_polish_is_nearer_and_says_by_how_much(fitted, capsys):
    maps = small_set(16, 16)
    plain = fitted(maps, "plain.nsh", bpp=20.0, polish=0)
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
    assert f"; refined after training: {better.search.gain_db:+.2f} dB" in capsys.readouterr().out


def test_a_refitted_decoder_is_kept_where_it_is_nearer():
    codings = codings_of(small_set(8, 12))
    asked = []

    def refitted(share):
        field, texels = case_of("even")

        def refit(found):
            """Add a share of what the decoder is off by, in the mean over mip 0."""
            asked.append(found)
            off = texels.level(0).reshape(96, -1) - decode_texels(found, texels.sizes, 0)
            with torch.no_grad():
                found.network.members[-1].bias.add_(share * torch.from_numpy(off.mean(0)))

        refine_codes(field, texels, codings, WEIGHTS, 2, None, refit)
        return error(field, texels), field.network.members[-1].bias.tolist()

    left, bias = refitted(0.0)
    assert refitted(-3.0) == (left, bias)
    better, moved = refitted(0.5)
    assert better < left and moved != bias
    assert len(asked) == 6, "after each pass"


def test_ctrl_c_ends_the_search_and_keeps_the_field(monkeypatch):
    textures = small_set(8, 12)
    field, texels = case_of("even")

    class Asked(code_refinement.Interruption):
        def __enter__(self):
            self.requested = True
            return self

        def __exit__(self, *exception):
            pass

    monkeypatch.setattr(code_refinement, "Interruption", Asked)
    found = refine_codes(field, texels, codings_of(textures), WEIGHTS, 1)
    assert (found.moved, found.gain_db, found.ended) == (0, 0.0, False)
    assert str(found).startswith("refined after training: +0.00 dB in ")
    assert str(found).endswith(" s, ended by Ctrl-C")


def test_a_deadline_ends_the_search_and_the_file_is_whole(monkeypatch):
    field, texels = case_of("even")
    asked, codings = [], codings_of(small_set(8, 12))
    found = refine_codes(field, texels, codings, WEIGHTS, 3, None, asked.append,
                         over=Deadline(0.0))  # fmt: skip
    assert (found.moved, found.ended, found.timed_out, asked) == (0, True, True, [])
    assert str(found).endswith(" s, ended by its share of --seconds")
