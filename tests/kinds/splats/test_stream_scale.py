"""kinds/splats/stream_scale: a second cloud's bytes are told nearly as packing it would."""

import numpy as np
import pytest

from neuralshade.kinds.splats.asset import STREAM, cloud_facts, pack_cloud
from neuralshade.kinds.splats.kernels import RANGE
from neuralshade.kinds.splats.stream_scale import StreamScale

SPREADS = np.array([0, 0, 8, 8, 5, 20, 6, 6])  # of levels; positions are even


def a_cloud(count, finer, seed):
    """Return levels [8, count] and their ranges, attributes ``finer`` times as fine."""
    rng = np.random.default_rng(seed)
    sizes = np.array([800, 600, *(SPREADS[2:] * 10 * finer)])
    middles = sizes[:, None] // 2 + rng.normal(0, 1, (8, count)) * (SPREADS * finer)[:, None]
    levels = middles.astype(int).clip(0, sizes[:, None] - 1)
    levels[:2] = rng.integers(0, sizes[:2, None], (2, count))
    ranges = np.zeros(8, RANGE)
    ranges["high"], ranges["levels"] = sizes - 1, sizes
    return levels.astype(np.int32), ranges


def packed(levels, ranges, ordered):
    facts = cloud_facts(levels.shape[1], ranges, np.zeros(3))
    return pack_cloud(levels, facts, ordered)[STREAM].size, 700


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("count, finer", [(1500, 1), (1000, 2), (3000, 3)])
def test_a_later_cloud_is_told_within_two_percent(ordered, count, finer):
    weighed = []

    def weigh(*cloud):
        weighed.append(cloud)
        return packed(*cloud, ordered)

    scale = StreamScale(weigh, ordered=ordered)
    first = a_cloud(1500, 1, seed=0)
    assert scale(*first) == pytest.approx(packed(*first, ordered))
    other = a_cloud(count, finer, seed=1)
    assert scale(*other) == pytest.approx(packed(*other, ordered), rel=0.02)
    assert len(weighed) == 1


@pytest.mark.parametrize("count", [1, 2])
def test_the_smallest_clouds(count):
    scale = StreamScale(lambda *cloud: packed(*cloud, ordered=False), ordered=False)
    cloud = np.zeros((8, count), np.int32), np.full(8, np.array((0, 0, 1, 0), RANGE))
    assert scale(*cloud) == pytest.approx(packed(*cloud, ordered=False))


def test_a_restart_weighs_nothing_again():
    first = StreamScale(lambda *cloud: packed(*cloud, ordered=False), ordered=False)
    cloud, other = a_cloud(500, 1, seed=0), a_cloud(600, 2, seed=1)
    first(*cloud)
    again = StreamScale(lambda *_: pytest.fail("weighed again"), ordered=False)
    again.load_state(first.state())
    assert again(*other) == first(*other)


@pytest.mark.parametrize("state", [[], [1.0], [1.0, 2.0, 3.0]])
def test_other_states_are_as_if_nothing_was_weighed(state):
    scale = StreamScale(lambda *cloud: packed(*cloud, ordered=False), ordered=False)
    scale.load_state(state)
    cloud = a_cloud(500, 1, seed=0)
    assert scale(*cloud) == pytest.approx(packed(*cloud, ordered=False))
