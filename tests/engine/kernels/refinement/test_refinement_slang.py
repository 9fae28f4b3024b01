"""engine/kernels/refinement: it finds what the CPU finds, by slopes that are the network's."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.engine import code_refinement
from neuralshade.engine.code_bands import Group, Level
from neuralshade.engine.code_refinement import descend_codes
from neuralshade.engine.kernels.refinement.refinement import GpuRefinement, refinement_texts
from neuralshade.model.axis_stencil import Axis
from neuralshade.model.composite import Composite, placed_members
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.field import Field
from neuralshade.model.frequency import Frequency
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.latent_position import LatentPosition
from neuralshade.model.mlp import MLP

WEIGHTS = torch.tensor([1.0, 0.5, 0.0, 2.0, 1.5])


class Grid(Level):
    """Codes whose numbers are (code + offset) * quantum; the encoding is ``slope`` times these."""

    def __init__(self, texels, limits, offset, quantum, slope, *placed):
        first, number, stride, axes = placed
        codes = torch.round(texels / quantum[:, None, None] - offset).clamp(*limits)
        super().__init__(codes, slope * quantum, limits, first, axes, number, stride, offset,
                         quantum)  # fmt: skip
        self.texels = texels
        self.apply(slice(0, texels.shape[1]))

    def apply(self, rows):
        values = (self.codes[:, rows] + self.offset) * self.quantum[:, None, None]
        with torch.no_grad():
            self.texels[:, rows] = values


class Pixels:
    """A lattice that wants waves."""

    def __init__(self, field, size, beyond, weights, channels, alpha=None):
        self.field, self.size, self.beyond, self.weights = field, size, beyond, weights
        self.channels, self.alpha = channels, alpha

    def encoded(self, rows):
        height, width = self.size
        v, u = torch.meshgrid((rows + 0.5) / height, (torch.arange(width) + 0.5) / width,
                              indexing="ij")  # fmt: skip
        at = [u.flatten(), v.flatten()]
        at += [torch.full_like(at[0], value) for value in self.beyond]
        with torch.no_grad():
            return self.field.encoding(torch.stack(at, 1)).t().contiguous()

    def target(self, rows):
        width = self.size[1]
        u, v = torch.arange(width) / width, rows[:, None] / self.size[0]
        waves = [0.5 + 0.6 * torch.sin(9 * u + (2 + k) * v + k) for k in range(self.channels)]
        return torch.stack(waves).clamp(0, 1)

    def targets(self):
        return self.target(torch.arange(self.size[0])).flatten(1).t().contiguous().numpy()


def latents_case(wraps, seed, features):
    """Return a field of latents that serve two mips each, and its groups."""
    rng = torch.Generator().manual_seed(seed)
    sizes = [(11, 7), (6, 4), (3, 2)]
    serves, (fine, coarse) = [0, 0, 1], features
    grids = [LatentGrid([(6, 5), (3, 2)], serves, fine, 2, wraps=wraps, rng=rng),
             LatentGrid([(3, 2), (1, 1)], serves, coarse, 4, wraps=wraps, rng=rng)]  # fmt: skip
    for grid in grids:
        torch.nn.init.uniform_(grid.texels, 0, 1, generator=rng)
    encoding = Composite([*grids, LatentPosition(sizes, [0, 0, 2])])
    field = Field(encoding, MLP(encoding.width, 5, 2, 12, rng=rng))
    groups = []
    for index, mips in enumerate([(0, 1), (2,)]):
        lattices = [Pixels(field, sizes[mip][::-1], (float(mip),), WEIGHTS / (mip + 1), 5)
                    for mip in mips]  # fmt: skip
        levels = []
        for grid, first, tables in list(placed_members(encoding))[:2]:
            width, height = grid.sizes[index]
            axes = [(Axis(width, lattice.size[1], wraps), Axis(height, lattice.size[0], wraps))
                    for lattice in lattices]  # fmt: skip
            number = tables[0].first + grid.firsts[index] * grid.stride
            texels = grid.level(index).permute(2, 0, 1)
            quantum = torch.full((grid.features,), 1 / grid.steps)
            levels.append(Grid(texels, (0, grid.steps), 0.0, quantum, 2, first, number,
                               grid.stride, axes))  # fmt: skip
        groups.append(Group(levels, lattices))
    return field, groups


def picture_case(layers, activation, seed, alpha=None):
    """Return a field of two dense grids and sines over a picture, and its one group."""
    rng = torch.Generator().manual_seed(seed)
    grids = [DenseGrid(2, 2, 3, 9, 7, rng=rng), DenseGrid(1, 1, 2, 20, 3, rng=rng)]
    encoding = Composite([grids[0], Frequency(2), grids[1]])
    for parameter in encoding.parameters():
        torch.nn.init.normal_(parameter, 0, 0.4, generator=rng)
    network = MLP(encoding.width, 3, layers, 8, activation, rng=rng)
    field = Field(encoding, network)
    pixels = Pixels(field, (13, 17), (), None, 3, alpha)
    levels = []
    for grid, first, tables in placed_members(encoding):
        if isinstance(grid, DenseGrid):
            for texels, table in zip(grid.texels, tables, strict=True):
                _, rows, columns = texels.shape
                axes = [(Axis(columns, 17), Axis(rows, 13))]
                quantum = torch.linspace(0.05, 0.1, len(texels))
                levels.append(Grid(texels.detach(), (-8, 7), 0.5, quantum, 1, first, table.first,
                                   table.stride, axes))  # fmt: skip
                first += len(texels)
    return field, [Group(levels, [pixels])]


CASES = {
    "wraps": lambda seed: latents_case(True, seed, (7, 5)),
    "clamps": lambda seed: latents_case(False, seed, (3, 2)),
    "picture": lambda seed: picture_case(2, "silu", seed),
    "alpha": lambda seed: picture_case(1, "relu", seed, alpha=2),
    "linear": lambda seed: picture_case(0, "none", seed),
}


def codes_of(groups):
    return [level.codes.clone() for group in groups for level in group.levels]


def differing(some, others):
    return sum(int((a != b).sum()) for a, b in zip(some, others, strict=True))


def roots_of(lattice, rows):
    """Return the roots of what errors count with: float32 [C, rows, width], or to be so."""
    wanted = lattice.target(rows)
    roots = torch.ones_like(wanted)
    if lattice.alpha is not None:
        roots *= wanted[lattice.alpha].sqrt()
        roots[lattice.alpha] = 1
    return roots if lattice.weights is None else roots * lattice.weights[:, None, None]


def error_of(field, groups):
    total = 0.0
    for lattice in (lattice for group in groups for lattice in group.lattices):
        rows = torch.arange(lattice.size[0])
        with torch.no_grad():
            found = field.network(lattice.encoded(rows).t()).t().clamp(0, 1)
        off = found.view(-1, *lattice.size) - lattice.target(rows)
        off *= roots_of(lattice, rows)
        total += float(off.double().square().sum())
    return total


def slope_bytes(field, groups, pixels):
    """Return what makes bands of so many pixels, of groups that have as many features."""
    (slots,) = {sum(len(level.codes) for level in group.levels) for group in groups}
    return 4 * slots * pixels * field.network.members[-1].weight.shape[0]


@pytest.mark.parametrize("pixels", [10**6, 40])
@pytest.mark.parametrize("name", CASES)
def test_it_finds_what_the_cpu_finds(name, pixels, gpu, monkeypatch):
    """All rows at once, or few; codes between which there is little to choose may differ."""
    monkeypatch.setattr(code_refinement, "BAND_PIXELS", pixels)
    (field, groups), (other, same) = CASES[name](1), CASES[name](1)
    start, first = error_of(field, groups), codes_of(groups)
    searched = GpuRefinement(gpu, field, groups, slope_bytes(field, groups, pixels))
    assert all((len(bands) > 1) == (pixels == 40) for bands in searched.bands[:1])
    found = searched.refine(2)
    wanted = sum(descend_codes(other.network, group.levels, group.lattices, 2) for group in same)
    moved = differing(first, codes_of(groups))
    assert moved > 10
    assert differing(codes_of(groups), codes_of(same)) <= 0.05 * moved
    assert found == pytest.approx(wanted, rel=0.05)
    assert error_of(field, groups) == pytest.approx(error_of(other, same), rel=1e-2)
    assert error_of(field, groups) < start


@pytest.mark.parametrize("name", CASES)
def test_slopes_and_residuals_are_the_networks(name, gpu):
    field, groups = CASES[name](2)
    searched = GpuRefinement(gpu, field, groups)
    searched.refine(0)  # brings the numbers there
    commands = gpu.commands()
    searched.begin(commands, next(iter(searched.plans(0))))
    commands.submit()
    lattice, slots, band = groups[0].lattices[0], searched.tables[0].slots, searched.bands[0][0]
    count, channels = lattice.size[0] * lattice.size[1], searched.channels
    y, d = field.network.jacobian(lattice.encoded(band.rows[0]))
    weights = roots_of(lattice, band.rows[0]).flatten(1)
    off = y.clamp(0, 1) - lattice.target(band.rows[0]).flatten(1)
    free = ((y >= 0) & (y <= 1)) | (off != 0)
    wanted = d[slots["column"].astype(int)] * free * weights
    pixels = searched.pixels(0, band)
    slopes = searched.buffers["slopes"].read().view(np.float32)[: len(slots) * pixels * channels]
    slopes = slopes.reshape(len(slots), pixels, channels)[:, :count]
    np.testing.assert_allclose(slopes, wanted.permute(0, 2, 1), rtol=1e-4, atol=1e-5)
    residuals = searched.buffers["residuals"].read().view(np.float32)[: count * channels]
    np.testing.assert_allclose(residuals.reshape(count, channels), (off * weights).t(),
                               rtol=1e-4, atol=1e-5)  # fmt: skip


def test_kernels_that_do_not_evaluate_a_field_are_those_of_other_fields():
    (look, *others), (other_look, *same) = (
        refinement_texts(CASES[name](1)[0], None) for name in ("picture", "linear")
    )
    assert [kernel.entry for kernel in others] == ["descend", "descend", "copy_codes", "next_turn"]
    assert look != other_look and others == same
    *descends, copy_codes, next_turn = refinement_texts(CASES["wraps"](1)[0], None)[1:]
    assert descends != others[:2]  # of 5 outputs in place of 3
    assert [copy_codes, next_turn] == others[2:]


@settings(max_examples=6)
@given(st.integers(0, 10**6))
def test_the_error_never_rises_and_the_field_has_the_codes(gpu, seed):
    field, groups = CASES["wraps"](seed)
    with torch.no_grad():
        for layer in field.network.members:
            layer.weight.mul_(3)  # far from linear: some bands are refused
    errors = [error_of(field, groups)]
    searched = GpuRefinement(gpu, field, groups, slope_bytes(field, groups, 20))
    while moved := searched.refine(1):
        errors.append(error_of(field, groups))
    assert moved == 0 and all(np.diff(errors) < 0)
    for level in (level for group in groups for level in group.levels):
        values = (level.codes + level.offset) * level.quantum[:, None, None]
        torch.testing.assert_close(level.texels, values, rtol=0, atol=0)
        assert level.limits[0] <= level.codes.min() and level.codes.max() <= level.limits[1]


def test_it_is_the_same_every_time_and_stops_when_asked(gpu):
    found = []
    for _ in range(2):
        field, groups = CASES["linear"](5)
        GpuRefinement(gpu, field, groups).refine(3)
        found.append(codes_of(groups))
    assert differing(*found) == 0
    field, groups = CASES["linear"](5)
    searched = GpuRefinement(gpu, field, groups, slope_bytes(field, groups, 60))
    start = codes_of(groups)
    assert searched.refine(2, lambda: True) == 0 and differing(start, codes_of(groups)) == 0
    asked = iter([False, *[True] * 99])
    assert searched.refine(2, lambda: next(asked)) == differing(start, codes_of(groups)) > 0
