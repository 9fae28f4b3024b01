"""kinds/material/judging/judge: which part of a tile is seen from the front."""

import numpy as np
import pytest

from neuralshade.kinds.material.judging import judge as judging
from neuralshade.kinds.material.judging.judge import judged_sphere
from neuralshade.kinds.material.judging.lit_surfaces import held_out_lights

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


def test_a_thinned_sphere_is_about_an_eighth_of_its_points_and_always_the_same():
    """What is finer than their distance is among them as often as among all."""
    whole = judged_sphere(256, 3)
    some, again = whole.thinned(8), whole.thinned(8)
    np.testing.assert_array_equal(some.uv, again.uv)
    assert len(some.uv) == pytest.approx(len(whole.uv) / 8, rel=0.05)
    assert some.inside.sum() == len(some.uv) and not (some.inside & ~whole.inside).any()
    rows, columns = np.nonzero(some.inside)
    place = np.cumsum(whole.inside).reshape(whole.inside.shape)[rows, columns] - 1
    for name in ("uv", "tangent", "bitangent", "normal", "footprint"):
        np.testing.assert_array_equal(getattr(some, name), getattr(whole, name)[place])
    row = whole.uv[np.argmin(np.abs(whole.uv[:, 1] - 0.4)), 1]  # a scratch that one row is all of
    scratched = [(np.abs(stage.uv[:, 1] - row) < 1e-4).mean() for stage in (whole, some)]
    assert scratched[1] == pytest.approx(scratched[0], rel=0.5) and scratched[0] > 0


def test_a_glance_is_near_what_the_end_is_told(painted, monkeypatch):
    """Of a fit that is wrong in scratches alone, which a sphere of few pixels would not show."""
    for name, value in (("SIDE_PX", 128), ("QUICK_PIXELS", 8), ("SKY_LIGHTS", 1)):
        monkeypatch.setattr(judging, name, value)
    judge = judging.Judge(painted)

    def scratched(uv, wi, wo):
        light = painted.eval(uv, wi, wo)
        return light + 0.3 * (np.abs(uv[:, 1:2] * 40 % 1 - 0.5) < 0.02)

    assert judge.quick_psnr(scratched) == pytest.approx(judge.judge(scratched).psnr_db, abs=1.5)
