"""benchmarks/scene_paths: both ways are compared, then timed."""

from types import SimpleNamespace

import numpy as np
import pytest
import scene_paths
from scene_paths import EYE, grid, mean_off, row_of, size_of

from neuralshade.kinds.material.recipe import MaterialRecipe

RECIPE = MaterialRecipe(hidden_width=16, hidden_layers=1, lobes=2)


@pytest.mark.parametrize("count, spheres", [(1, 9), (4, 9), (10, 16)])
def test_each_material_is_on_a_sphere_of_the_grid(count, spheres):
    stage = grid(count, 4, RECIPE)
    assert len(stage.materials) == count and len(stage.meshes) == 1 + spheres
    assert {material for _, material, _ in stage.meshes} == set(range(count))
    places = np.array([mesh.places for mesh, _, _ in stage.meshes[1:]])
    assert places[:, :, 1].min() > -1e-6  # they stand on the floor, each beside the next
    middles = places.mean(1)[:, ::2]
    away = np.linalg.norm(middles[:, None] - middles, axis=2) + 9 * np.eye(spheres)
    assert away.min() > np.ptp(places[0, :, 0])


@pytest.mark.slow  # two path tracers
def test_a_row_has_all_parts(gpu):
    asked = SimpleNamespace(size=size_of("9x6"), bounces=2)
    row = row_of(gpu, grid(2, 4, RECIPE), EYE, asked)
    parts = ["begin", "meet", "sort", "decode", "end"]
    assert all(row[f"{name} [us]"] > 0 for name in ("whole", "waves", *parts))
    assert row["materials"] == 2 and float(row["light off"]) < scene_paths.MOST_OFF


def test_other_light_is_refused():
    seen = [SimpleNamespace(trace=lambda: None, radiance=lambda light=light: np.full(3, light))
            for light in (1.0, 1.2)]  # fmt: skip
    with pytest.raises(SystemExit, match=r"^waves: got light 0\.2 of the mean off, need 0\.03"):
        mean_off(*seen)
