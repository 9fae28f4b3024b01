"""kinds/splats/kernels: the kernels of Gaussians equal the float64 half, in value and gradient."""

import dataclasses

import numpy as np
import pytest
import torch

from neuralshade.gpu.gpu import run_once
from neuralshade.kinds.splats.kernels import (
    LIST_BYTES,
    RANGE,
    THREADS,
    TILE_PX,
    VIEW,
    SplatBuffers,
    SplatForm,
    layout_for,
    tile_stride,
)
from neuralshade.loss.pointwise import l2, weighted_by_alpha
from neuralshade.model.gaussian import (
    COLOR,
    LARGEST_OPACITY,
    LEAST_SUM,
    color_at,
    reach_px,
    weight_at,
)

FORMS = {
    "sum-1": SplatForm(1, "sum"),
    "sum-4": SplatForm(4, "sum", cutoff=2.5),
    "normalized-2": SplatForm(2, "normalized", strongest=3, alpha_weighted=True),
    "normalized-3": SplatForm(3, "normalized"),
    "over-3": SplatForm(3, "over"),
}
# kernels that take seconds to compile; those of normalized-3 are test_fit.py's too
MORE = [pytest.param(n, marks=pytest.mark.slow) for n in FORMS if n != "normalized-3"]
BACKGROUND = np.float32([0.3, 0.6, 0.1, 0.8])
# Pictures of six or eight tiles, for which the text is the same: compiling one takes seconds.
CASES = {  # width, height, Gaussians
    "few": (37, 21, 40),
    "one": (37, 21, 1),
    "crowd": (20, 60, 700),
    "needles": (37, 21, 30),
    "points": (37, 21, 60),
    "covering": (3, 85, 8),
    "outside": (37, 21, 30),
}


class Bound:
    """The kernels of one cloud; Adam's mean is the gradient itself, and no number moves."""

    def __init__(self, gpu, form, values, width, height, pixels=None):
        self.gpu, self.form, self.count = gpu, form, values.shape[1]
        self.layout = layout_for(width, height, self.count)
        self.buffers = SplatBuffers(
            gpu, form, self.count, self.layout, pixels, self.layout.tiles,
            {"beta1": 0.0, "beta2": 0.0, "epsilon": 1.0}, BACKGROUND[: form.channels],
        )  # fmt: skip
        ranges = np.zeros(form.attributes, RANGE)
        ranges["low"], ranges["high"] = -1e9, 1e9
        self.write(values=np.float32(values), ranges=ranges)
        self.look((0, 0), (1, 1))
        groups, cells = -(-self.count // THREADS), self.layout.cells
        self.groups = {"project_splats": groups, "update_splats": groups + 1, "list_cells": cells}

    def look(self, first_px, magnified):
        view = np.zeros(1, VIEW)
        view["first_px"], view["magnified"], view["count"] = first_px, magnified, self.count
        view["size_px"] = self.layout.width, self.layout.height
        self.write(views=view)

    def write(self, **arrays):
        commands = self.gpu.commands()
        for name, array in arrays.items():
            commands.upload(self.buffers.bound[name], 0, array)
        commands.submit()

    def run(self, *entries):
        kernels = self.buffers.kernels(["project_splats", "list_cells", *entries])
        groups = [self.groups.get(entry, self.layout.tiles) for entry in kernels]
        run_once(self.gpu, list(zip(kernels.values(), groups, strict=True)))

    def read(self, name, dtype, *shape):
        raw = self.buffers.bound[name].read().view(dtype)
        return raw[: int(np.prod(shape))].reshape(shape)

    def drawn(self):
        self.run("draw_tile")
        sides = self.layout.height * self.layout.width
        return self.read("drawn", np.float32, sides, self.form.channels)

    def trained(self):
        """Return the gradient by all numbers [A, N] and the sum of the loss."""
        self.run("train_tile", "update_splats")
        gradient = self.read("moments", np.float32, self.form.attributes, self.count)
        return gradient.astype(np.float64), self.read("losses", np.float32, self.layout.tiles).sum()

    def weighed(self):
        self.run("weigh_tile")
        return self.read("gradients", np.float32, self.count, self.form.stride)[:, COLOR]


def random_cloud(case, form, rng):
    width, height, count = CASES[case]
    values = np.zeros((form.attributes, count), np.float32)
    values[:2] = rng.random((2, count)) * [[width], [height]]
    values[2:4] = rng.normal(0.8, 0.6, (2, count))
    values[4] = rng.normal(0, 0.7, count)
    values[COLOR:] = rng.normal(0.3, 0.3, (form.attributes - COLOR, count))
    if case == "needles":
        values[2], values[3], values[4] = np.log(0.25), np.log(6), rng.choice([-8, 8], count)
    if case == "points":
        values[2:4], values[4] = np.log(0.25), 0
    if case == "covering":
        values[2:4] = np.log(200)
    if case == "outside":  # to the right and below, some so near that they still reach in
        values[:2] += [[width], [height]]
        values[2:4] = 2
    return values


def places_of(width, height, first_px=(0, 0), magnified=(1, 1)):
    row, col = np.mgrid[:height, :width]
    places = np.stack([col, row], axis=-1).reshape(-1, 2) + 0.5
    return torch.tensor(places / magnified + first_px)


def ranks_apart(values, form, places):
    """Return whether rounding cannot change which Gaussians are a place's strongest."""
    if form.compositing != "normalized" or values.shape[1] <= form.strongest:
        return True
    weights = weight_at(torch.tensor(values).double(), places, form.cutoff)
    last, next_ = weights.topk(form.strongest + 1).values[:, -2:].unbind(1)
    return bool(((next_ == 0) | (last - next_ > 1e-5 * last)).all())


def cloud_for(case, form, places=None):
    """Return Gaussians of a case: float32 [A, N]."""
    places = places_of(*CASES[case][:2]) if places is None else places
    clouds = (random_cloud(case, form, np.random.default_rng(seed)) for seed in range(100))
    return next(values for values in clouds if ranks_apart(values, form, places))


def pixels_for(case, form):
    shape = (*CASES[case][1::-1], form.channels)
    return np.random.default_rng(7).integers(0, 256, shape, dtype=np.uint8)


def host_colors(values, form, places):
    background = torch.tensor(BACKGROUND[: form.channels]).double()
    return color_at(values, places, background, form.together)


def host_loss(values, form, pixels):
    drawn = host_colors(values, form, places_of(*pixels.shape[1::-1]))
    wanted = torch.tensor(pixels / 255).flatten(0, 1).t()
    return (weighted_by_alpha(l2) if form.alpha_weighted else l2)(drawn.t(), wanted)[0].sum()


def assert_close(got, wanted, rows=slice(None)):
    """Compare row by row; what cancels in a row is rounded as coarsely as the largest is."""
    error = np.linalg.norm(got - wanted, axis=1)[rows]
    allowed = 1e-4 * np.linalg.norm(wanted, axis=1)[rows] + 2e-6 * np.linalg.norm(wanted)
    assert (error <= allowed).all(), (error, allowed)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", [*MORE, "normalized-3"])
def test_picture_and_gradient_are_those_of_the_host(gpu, name, case):
    form, (width, height, _) = FORMS[name], CASES[case]
    values, pixels = cloud_for(case, form), pixels_for(case, form)
    bound = Bound(gpu, form, values, width, height, pixels)
    numbers = torch.tensor(values).double().requires_grad_()
    drawn = host_colors(numbers, form, places_of(width, height)).detach().numpy()
    np.testing.assert_allclose(bound.drawn(), drawn, rtol=0, atol=1e-4 * max(1, abs(drawn).max()))
    loss = host_loss(numbers, form, pixels)
    loss.backward()
    gradient, summed = bound.trained()
    assert summed == pytest.approx(loss.item(), rel=1e-5)
    assert np.linalg.norm(numbers.grad) > 0.1
    assert_close(gradient, numbers.grad.numpy())


def test_a_crowd_does_not_fit_into_a_group_at_once():
    """What the case is there for: more Gaussians meet a tile than are kept close."""
    values = torch.tensor(cloud_for("crowd", FORMS["sum-1"]))
    reach = reach_px(values, 3.0)
    near = (values[:2] - reach < TILE_PX).all(0) & (values[:2] + reach > 0).all(0)
    assert near.sum() > THREADS


@pytest.mark.parametrize("name", [MORE[1], "normalized-3", MORE[3]])
def test_gradient_by_each_number_is_a_central_difference(gpu, name):
    form, step = FORMS[name], 1e-5
    values, pixels = cloud_for("few", form)[:, :5], pixels_for("few", form)
    gradient, _ = Bound(gpu, form, values, 37, 21, pixels).trained()
    wanted = np.zeros_like(gradient)
    for place in np.ndindex(wanted.shape):
        sides = []
        for sign in (1, -1):
            numbers = torch.tensor(values).double()
            numbers[place] += sign * step
            sides.append(host_loss(numbers, form, pixels).item())
        wanted[place] = (sides[0] - sides[1]) / (2 * step)
    assert (abs(wanted).max(axis=1) > 1e-3).all()
    np.testing.assert_allclose(gradient, wanted, rtol=1e-3, atol=1e-5 * abs(wanted).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", [MORE[1], "normalized-3", MORE[3]])
@pytest.mark.parametrize("case", ["crowd", "needles", "outside"])
def test_tiles_leave_nothing_out(gpu, name, case):
    """They equal the naive way, where every pixel visits every Gaussian."""
    form, (width, height, _) = FORMS[name], CASES[case]
    values, pixels = cloud_for(case, form), pixels_for(case, form)
    tiled, naive = (Bound(gpu, dataclasses.replace(form, naive=way), values, width, height, pixels)
                    for way in (False, True))  # fmt: skip
    np.testing.assert_allclose(tiled.drawn(), naive.drawn(), rtol=1e-6, atol=1e-6)
    assert (naive.read("boxes", np.float32, naive.count, 4)[:, 2:] > 1e8).all()
    (gradient, loss), (wanted, wanted_loss) = tiled.trained(), naive.trained()
    assert loss == pytest.approx(wanted_loss, rel=1e-6)
    assert_close(gradient, wanted)


@pytest.mark.parametrize("name", [MORE[1], "normalized-3", MORE[3]])
def test_any_part_is_drawn_at_any_resolution(gpu, name):
    form, first_px, magnified = FORMS[name], (7.25, -3.0), (2.5, 1.75)
    places = places_of(37, 21, first_px, magnified)
    values = cloud_for("few", form, places)
    bound = Bound(gpu, form, values, 37, 21)
    bound.look(first_px, magnified)
    wanted = host_colors(torch.tensor(values).double(), form, places)
    np.testing.assert_allclose(bound.drawn(), wanted, rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", [MORE[1], "normalized-3", MORE[3]])
@pytest.mark.parametrize("case", ["few", "crowd"])
def test_weights_are_what_pixels_count_of_each_gaussian(gpu, name, case):
    form, (width, height, _) = FORMS[name], CASES[case]
    values = cloud_for(case, form)
    numbers, places = torch.tensor(values).double(), places_of(width, height)
    weights = weight_at(numbers, places, form.cutoff)
    if form.compositing == "normalized":
        least = weights.topk(form.strongest).values[:, -1:]
        weights = weights * (weights >= least)
        weights = weights / (weights.sum(1, keepdim=True) + LEAST_SUM)
    if form.compositing == "over":
        alpha = weights * LARGEST_OPACITY * torch.sigmoid(numbers[-1])
        before = torch.cumprod(torch.cat([torch.ones(len(alpha), 1), 1 - alpha], 1), 1)
        weights = alpha * before[:, :-1]
    wanted = weights.sum(0).numpy()
    got = Bound(gpu, form, values, width, height).weighed()
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5 * wanted.max())


@pytest.mark.parametrize("width, height, count", [(150, 100, 1500), (65, 129, 257), (37, 21, 300),
                                                  (150, 1, 256), (64, 64, 1)])  # fmt: skip
def test_lists_hold_exactly_what_meets_their_cell_in_order(gpu, width, height, count):
    form = FORMS["sum-1"]
    rng = np.random.default_rng(3)
    values = np.zeros((form.attributes, count), np.float32)
    values[:2] = (1.4 * rng.random((2, count)) - 0.2) * [[width], [height]]  # some outside
    values[2:4] = rng.normal(0.8, 0.9, (2, count))
    values[4] = rng.normal(0, 0.7, count)
    bound = Bound(gpu, form, values, width, height)
    bound.run()
    boxes = bound.read("boxes", np.float32, count, 4)
    reach = reach_px(torch.tensor(values).double(), form.cutoff).numpy()
    np.testing.assert_allclose(boxes, np.concatenate([values[:2], reach]).T, rtol=1e-5)
    side = TILE_PX * bound.layout.cell_tiles
    across, cells = -(-width // side), bound.layout.cells
    assert cells == across * -(-height // side)
    counts = bound.read("cell_counts", np.uint32, cells)
    lists = bound.read("cell_lists", np.uint32, cells, count)
    for cell in range(cells):  # whose box meets the square of its pixels' centres
        middle = np.float32([cell % across, cell // across]) * side + np.float32(side / 2)
        near = abs(boxes[:, :2] - middle) < boxes[:, 2:] + np.float32(side / 2 - 0.5)
        members = np.flatnonzero(near.all(axis=1))
        assert lists[cell, : counts[cell]].tolist() == members.tolist(), cell
    assert counts.min() > 0 or count == 1
    assert counts.max() > THREADS or count < 1500


@pytest.mark.parametrize("width, height, capacity", [(512, 512, 1000), (6000, 4000, 1_000_000),
                                                     (1, 1, 1), (40_000, 17, 300_000)])  # fmt: skip
def test_lists_of_all_cells_fit_into_memory(width, height, capacity):
    layout = layout_for(width, height, capacity)
    assert layout.cells == 1 or 4 * layout.cells * capacity <= LIST_BYTES
    assert layout.tiles == -(-width // TILE_PX) * -(-height // TILE_PX)
    assert layout.cells >= layout.tiles / layout.cell_tiles**2  # and none is left out


@pytest.mark.parametrize("tiles", [1, 2, 3, 6, 8, 64, 1000, 1023, 94_000])
def test_a_stride_visits_every_tile(tiles):
    visited = np.arange(tiles, dtype=np.int64) * tile_stride(tiles) % tiles
    assert len(np.unique(visited)) == tiles
