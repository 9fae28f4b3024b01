"""model/dense_grid, model/hash_grid: sizes of levels, borders, the hash, storage bits."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.model.dense_grid import DenseGrid, level_sizes
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.quantize import fake_quantize


@pytest.mark.parametrize(
    "coarsest, finest, levels, wanted",
    [
        (16, 128, 1, [128]),
        (16, 128, 4, [16, 32, 64, 128]),
        (1, 100, 3, [1, 10, 100]),
        (5, 5, 3, [5, 5, 5]),
        (10, 20, 3, [10, 14, 20]),  # 14.14
    ],
)
def test_levels_grow_by_a_constant_factor(coarsest, finest, levels, wanted):
    assert level_sizes(coarsest, finest, levels) == wanted


@pytest.mark.parametrize(
    "levels, coarsest, width, height, wanted",
    [
        (3, 4, 16, 8, [(2, 4), (4, 8), (8, 16)]),
        (3, 4, 8, 16, [(4, 2), (8, 4), (16, 8)]),
        (2, 2, 100, 1, [(1, 2), (1, 100)]),
        (2, 16, 5, 3, [(3, 5), (3, 5)]),  # coarsest beyond the finest: all levels are finest
        (1, 16, 200, 137, [(137, 200)]),
    ],
)
def test_dense_levels_keep_the_aspect(levels, coarsest, width, height, wanted):
    grid = DenseGrid(levels, 2, coarsest, width, height)
    assert [tuple(texels.shape) for texels in grid.texels] == [(2, *size) for size in wanted]


@given(
    levels=st.integers(1, 32),
    sizes=st.tuples(st.integers(1, 65_536), st.integers(1, 65_536)).map(sorted),
)
@settings(max_examples=60, deadline=None)
def test_level_sizes_start_at_coarsest_end_at_finest_and_never_shrink(levels, sizes):
    coarsest, finest = sizes
    got = level_sizes(coarsest, finest, levels)
    assert len(got) == levels
    assert got == sorted(got)
    assert got[-1] == finest
    assert levels == 1 or got[0] == coarsest


def test_dense_grid_clamps_at_borders_like_a_texture():
    grid = DenseGrid(1, 1, 1, width=4, height=2)
    with torch.no_grad():
        grid.texels[0].copy_(torch.arange(8.0).view(1, 2, 4))
    uv = torch.tensor(
        [[0.0, 0.0], [0.125, 0.25], [0.06, 0.1], [1.0, 1.0], [0.9, 0.8], [1.0, 0.0], [0.0, 1.0]]
    )
    wanted = torch.tensor([0.0, 0.0, 0.0, 7.0, 7.0, 3.0, 4.0])
    torch.testing.assert_close(grid(uv)[:, 0], wanted, rtol=0, atol=1e-6)


def test_dense_grid_meets_every_texel_at_its_center(rng):
    grid = DenseGrid(1, 3, 1, width=5, height=3, rng=rng)
    u, v = (torch.arange(5) + 0.5) / 5, (torch.arange(3) + 0.5) / 3
    torch.testing.assert_close(grid.on_lattice(u, v), grid.texels[0].data, rtol=1e-5, atol=1e-8)


def test_hash_grid_cells_of_instant_ngp():
    """16 * 2^(l / 3), rounded down: growth 32^(1 / 15)."""
    assert HashGrid(16, 1, 4, 16, 512).cells == [
        16, 20, 25, 32, 40, 50, 64, 80, 101, 128, 161, 203, 256, 322, 406, 512,
    ]  # fmt: skip


@given(
    levels=st.integers(2, 32),
    sizes=st.tuples(st.integers(1, 2000), st.integers(1, 1_048_576)).map(sorted),
)
@settings(max_examples=60, deadline=None)
def test_hash_grid_last_level_has_finest_cells(levels, sizes):
    coarsest, finest = sizes
    cells = HashGrid(levels, 1, 4, coarsest, finest).cells
    assert len(cells) == levels
    assert cells == sorted(cells)
    assert (cells[0], cells[-1]) == (coarsest, finest)


@pytest.mark.parametrize(
    "levels, coarsest, finest", [(29, 1339, 719_250), (20, 286, 920_912), (31, 1286, 814_225)]
)
def test_hash_grid_last_level_is_not_one_short(levels, coarsest, finest):
    assert HashGrid(levels, 1, 4, coarsest, finest).cells[-1] == finest


def test_hash_grid_levels_that_are_whole_numbers_stay_so():
    """64^(1 / 3) is 3.9999999999999996 in float64."""
    assert HashGrid(4, 1, 4, 1, 64).cells == [1, 4, 16, 64]


def test_one_hash_level_has_finest_cells():
    assert HashGrid(1, 1, 4, 16, 50).cells == [50]


@pytest.mark.parametrize("grid", [
    DenseGrid(2, 3, 2, 6, 4), HashGrid(2, 3, 4, 2, 6),
    DenseGrid(2, 3, 2, 6, 4, smooth=1), HashGrid(2, 3, 4, 2, 6, smooth=1),
])  # fmt: skip
def test_gradients_reach_the_numbers_and_the_position(grid, rng):
    uv = torch.rand(9, 2, generator=rng, dtype=torch.float64).requires_grad_()
    grid.double()(uv).sum().backward()
    assert all(p.grad.abs().sum() > 0 for p in grid.parameters())
    step = 1e-6 * torch.eye(2, dtype=torch.float64)  # no sample lies so near an edge of a texel
    with torch.no_grad():
        ends = [grid(uv + s).sum(1) - grid(uv - s).sum(1) for s in step]
    torch.testing.assert_close(uv.grad, torch.stack(ends, dim=1) / 2e-6, rtol=1e-5, atol=1e-7)


@given(
    log2_entries=st.integers(4, 20),
    cells=st.integers(1, 1_048_576),
    col=st.integers(0, 1_048_576),
    row=st.integers(0, 1_048_576),
)
@settings(max_examples=200, deadline=None)
def test_hash_index_equals_equation_4(log2_entries, cells, col, row):
    col, row = min(col, cells), min(row, cells)
    grid = HashGrid(1, 1, 4, 1, 1)
    grid.table = 2**log2_entries
    if (cells + 1) ** 2 <= 2**log2_entries:
        wanted = row * (cells + 1) + col
    else:
        wanted = (col * 1 ^ row * 2654435761) % 2**log2_entries
    assert int(grid.index(torch.tensor(col), torch.tensor(row), cells)) == wanted


def test_hash_tables_are_no_larger_than_their_level_needs():
    grid = HashGrid(3, 2, log2_entries=6, coarsest=2, finest=50)  # 2, 10, 50 cells
    assert [tuple(vertices.shape) for vertices in grid.vertices] == [(9, 2), (64, 2), (64, 2)]


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("kind", ["dense", "hash"])
def test_forward_shows_what_the_asset_will_hold(kind, bits, rng):
    """Bits change the value to that of the rounded parameters; 8-bit steps are per feature."""
    uv = torch.rand(50, 2, generator=rng)
    if kind == "dense":
        grid = DenseGrid(1, 3, 1, 6, 4, rng=rng)
        [parameter], rounded = grid.texels, lambda x: fake_quantize(x, bits)
    else:
        grid = HashGrid(1, 3, 4, 6, 6, rng=rng)
        [parameter], rounded = grid.vertices, lambda x: fake_quantize(x.t(), bits).t()
    with torch.no_grad():
        parameter.mul_(torch.tensor([1.0, 30.0, 900.0]).view(-1, *[1] * 2) if kind == "dense"
                       else torch.tensor([1.0, 30.0, 900.0]))  # fmt: skip
    unrounded = grid(uv)
    grid.bits = bits
    got = grid(uv)
    got.sum().backward()
    straight = parameter.grad.clone()
    with torch.no_grad():
        parameter.copy_(rounded(parameter))
    grid.bits, parameter.grad = 32, None
    wanted = grid(uv)
    wanted.sum().backward()
    assert not torch.equal(got, unrounded)
    torch.testing.assert_close(got, wanted, rtol=1e-6, atol=0)
    torch.testing.assert_close(straight, parameter.grad, rtol=1e-6, atol=0)


def test_dense_gradient_is_the_same_on_every_run_with_several_threads(rng):
    """Checkpoints resume bit for bit on the CPU, so sums may not depend on thread timing."""
    grid = DenseGrid(1, 3, 1, 20, 13, rng=rng)
    uv, d_y = torch.rand(16_384, 2, generator=rng), torch.randn(16_384, 3, generator=rng)
    threads = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        gradients = []
        for _ in range(6):
            grid.zero_grad()
            grid(uv).backward(d_y)
            gradients.append(grid.texels[0].grad.clone())
    finally:
        torch.set_num_threads(threads)
    assert all(torch.equal(gradients[0], other) for other in gradients)
