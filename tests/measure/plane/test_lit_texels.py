"""measure/plane/lit_texels: what errors of maps do to light."""

import numpy as np
import pytest

from neuralshade.measure.plane import lit_texels as module
from neuralshade.measure.plane.lit_texels import lit_errors


def flat(value, channels=1, size=(12, 20)):
    return np.full((*size, channels), value, np.uint8)


def lit_error(given, other):
    (found,) = lit_errors(given, [other])
    return found


def test_equal_maps_are_lit_alike():
    maps = {"albedo": flat(188, 3), "roughness": flat(90), "normal": flat(128, 3)}
    assert lit_error(maps, dict(maps)) == 0
    usual = {"roughness": flat(round(module.ROUGH * 255)), "metallic": flat(0), "ao": flat(255)}
    assert lit_error({"albedo": flat(188, 3)}, {"albedo": flat(188, 3)} | usual) < 2e-3


@pytest.mark.parametrize("name, one, other", [
    ("albedo", 150, 90), ("roughness", 60, 140), ("metallic", 0, 200), ("ao", 255, 20),
])  # fmt: skip
def test_every_map_shows(name, one, other):
    maps = {"albedo": flat(120, 3), "roughness": flat(60)}
    channels = 3 if name == "albedo" else 1
    far, near = (
        lit_error(maps | {name: flat(one, channels)}, maps | {name: flat(value, channels)})
        for value in (other, one + (other - one) // 4)
    )
    assert 0 < near < far < 1


def test_a_tilted_normal_shows():
    maps = {"albedo": flat(188, 3), "normal": flat(128, 3)}
    maps["normal"][..., 2] = 255
    tilted = maps["normal"].copy()
    tilted[..., 0] = 190
    assert lit_error(maps, maps | {"normal": tilted}) > 0.02


def test_of_large_maps_every_few_texels_are_taken(monkeypatch):
    rng = np.random.default_rng(0)
    one, other = ({"albedo": rng.integers(60, 200, (32, 30, 3), np.uint8)} for _ in range(2))
    whole = lit_error(one, other)
    monkeypatch.setattr(module, "MOST_TEXELS", 200)
    assert lit_error(one, other) == pytest.approx(whole, rel=0.1) and lit_error(one, other) != whole


def test_sets_side_by_side_are_as_each_alone():
    given = {"albedo": flat(120, 3), "roughness": flat(90)}
    others = [given | {"roughness": flat(value)} for value in (90, 140, 200)]
    found = lit_errors(given, others)
    assert found == [lit_error(given, other) for other in others]
    assert found[0] == 0 and found == sorted(found) and found[1] < found[2]


def test_texels_count_by_their_weights():
    """What opacity hides is no error: as if only what is seen were there."""
    rng = np.random.default_rng(2)
    given, other = ({"albedo": rng.integers(0, 256, (6, 9, 3), np.uint8)} for _ in range(2))
    seen = np.zeros((6, 9), np.float32)
    seen[:, :4] = 1
    part = [{"albedo": maps["albedo"][:, :4]} for maps in (given, other)]
    assert lit_errors(given, [other], seen) == pytest.approx(lit_errors(part[0], [part[1]]))
    assert lit_errors(given, [other], seen * 0 + 0.5) == pytest.approx(lit_errors(given, [other]))
