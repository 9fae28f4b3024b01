"""scene/material_sort: every point once, one material in each group of threads."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import run_once
from neuralshade.scene.material_sort import LANES, MOST_MATERIALS, NOBODY, MaterialSort


@pytest.mark.parametrize("points, materials, drawn", [
    (1, 1, "any"), (5000, 100, "any"), (2049, 300, "runs"), (9000, MOST_MATERIALS, "any"),
    (4097, 2, "runs"),
])  # fmt: skip
def test_points_are_sorted_and_groups_filled_up(gpu, points, materials, drawn):
    rng = np.random.default_rng(points)
    of = rng.integers(0, materials, points).astype(np.uint32)
    if drawn == "runs":
        of = np.sort(of)[::-1].copy()
    buffer = gpu.buffer(of)
    sort = MaterialSort(gpu, buffer, points, materials)
    for _ in range(2):  # the second time as the first
        run_once(gpu, sort.dispatches)
        order = sort.order.read().view(np.uint32)[: LANES * sort.groups]
        placed = order[order != NOBODY]
        np.testing.assert_array_equal(np.sort(placed), np.arange(points))
        assert (np.diff(of[placed].astype(np.int64)) >= 0).all()
        places = sort.places.read().view(np.uint32)[:points]
        np.testing.assert_array_equal(order[places], np.arange(points))
        for group in order.reshape(-1, LANES):
            own = group[group != NOBODY]
            assert len(set(of[own].tolist())) <= 1
            assert (group[: len(own)] != NOBODY).all()  # what fills up lies behind


def test_sizes_may_change_between_sorts(gpu):
    """What is beyond them is left as it was, and every point before has its place."""
    of = np.random.default_rng(1).integers(0, 5, 5000).astype(np.uint32)
    sizes = gpu.buffer(np.zeros(2, np.uint32))
    sort = MaterialSort(gpu, gpu.buffer(of), 5000, 5, sizes)
    for points in (5000, 70, 4999, 1):
        places = sort.places_for(points)
        commands = gpu.commands()
        commands.upload(sizes, 0, np.array([points, places], np.uint32))
        commands.submit()
        run_once(gpu, sort.dispatches_for(points))
        order = sort.order.read().view(np.uint32)[:places]
        placed = order[order != NOBODY]
        np.testing.assert_array_equal(np.sort(placed), np.arange(points))
        assert (np.diff(of[placed].astype(np.int64)) >= 0).all()


@pytest.mark.parametrize("points, materials", [(0, 1), (1, 0), (1, MOST_MATERIALS + 1)])
def test_other_counts_are_refused(gpu, refusal, points, materials):
    message = refusal(ConfigError, MaterialSort, gpu, None, points, materials)
    assert message == (f"frame: got {points} points of {materials} materials, need a point and 1 "
                       f"to {MOST_MATERIALS} materials. Draw what is left in a frame of its "
                       "own.")  # fmt: skip
