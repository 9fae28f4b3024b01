"""kinds/material/judging/judge: which part of a tile is seen from the front."""

import numpy as np
import pytest

from neuralshade.kinds.material.judging.judge import judged_sphere
from neuralshade.kinds.material.judging.lit import held_out_lights

SIDE_PX = 48
FRONT = 0.8  # cosine of an eye


@pytest.mark.parametrize("count", [4, len(held_out_lights())])
def test_each_part_of_a_tile_is_seen_from_the_front_by_one_of_few_spheres(count):
    stages = [judged_sphere(SIDE_PX, number) for number in range(count)]
    fronts = [stage.uv[stage.normal[:, 2] > FRONT, 0] for stage in stages]
    seen, _ = np.histogram(np.concatenate(fronts), 16, (0, 1))
    assert seen.min() > 0
    if count > 4:  # and about as often
        assert seen.max() < 1.5 * seen.min()


def test_judged_spheres_differ_in_what_they_show_alone():
    first, *others = (judged_sphere(SIDE_PX, number) for number in range(3))
    for other in others:
        np.testing.assert_array_equal(other.inside, first.inside)
        np.testing.assert_allclose(other.footprint, first.footprint, rtol=1e-5)
        assert np.abs(other.uv - first.uv).max() > 0.1
