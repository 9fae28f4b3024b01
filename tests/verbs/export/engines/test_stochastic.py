"""Engines evaluate one texel of a set instead of four, chosen at random."""

import numpy as np
import pytest
from fixtures.engine_exports import exported
from fixtures.godot_shaders import footprints, run
from fixtures.small_kinds import ASSETS, DATA
from fixtures.unity_nodes import node as unity_node
from fixtures.unity_nodes import upward
from fixtures.unreal_nodes import node as unreal_node

pytestmark = [pytest.mark.slow]
SIZE = (12, 8)
ASSET = DATA / ASSETS["textures"]
CLOSE = 2e-5  # float32, and what sums of weights are off by


def centers():
    """Return the centers of all texels of the finest level, which have one texel: [n, 2]."""
    row, col = np.mgrid[: SIZE[1], : SIZE[0]].reshape(2, -1)
    return np.stack([(col + 0.5) / SIZE[0], (row + 0.5) / SIZE[1]], axis=1).astype(np.float32)


def between(count):
    """Return one place between texels and levels for many random numbers: [n, 6]."""
    rng = np.random.default_rng(5)
    place = np.tile(np.float32([0.311, 0.57, 0.4]), (count, 1))
    return np.concatenate([place, rng.random((count, 3), np.float32)], axis=1)


def nodes(engine):
    """Return functions of rows of inputs: filtered, and chosen; each returns [n, numbers]."""
    form, files = exported(ASSET, engine)
    if engine == "unreal":
        run_ = [lambda rows, title=title: unreal_node(form, files, title, rows)
                for title in ("Maps", "Stochastic")]  # fmt: skip
    else:
        run_ = [lambda rows, name=name: unity_node(form, files, f"photo_{name}_float", upward(rows))
                for name in ("Maps", "Stochastic")]  # fmt: skip
    return [lambda rows, one=one: np.concatenate(list(one(rows).values()), axis=1) for one in run_]


@pytest.mark.parametrize("engine", ["unity", "unreal"])
def test_a_texel_is_itself_whatever_is_drawn(engine):
    filtered, chosen = nodes(engine)
    rows = np.concatenate([centers(), np.zeros((96, 1), np.float32)], axis=1)
    random = np.random.default_rng(1).random((96, 3), np.float32)
    found = chosen(np.concatenate([rows, random], axis=1))
    np.testing.assert_allclose(found, filtered(rows), atol=CLOSE, rtol=0)


@pytest.mark.parametrize("engine", ["unity", "unreal"])
def test_numbers_choose_among_texels_whose_mean_is_filtered(engine):
    filtered, chosen = nodes(engine)
    rows = between(4096)
    found, mean = chosen(rows), filtered(rows[:1, :3])[0]
    assert len(np.unique(found[:, 0])) == 8
    normals = slice(3, 6)  # of which directions are mixed, not numbers
    off = np.abs(found.mean(0) - mean) / (found.std(0) / 64 + 1e-6)
    off[normals] = 0
    assert off[3:].max() < 5  # albedo is decoded after it is mixed


def test_godot_has_a_switch():
    form, files = exported(ASSET, "godot")
    shader, resource = files["photo.gdshader"].decode(), files["photo.tres"].decode()
    steps = footprints(form, np.zeros(96))
    rows = np.concatenate([centers(), steps, steps], axis=1)
    chosen = shader.replace("uniform bool stochastic = false", "uniform bool stochastic = true")
    assert chosen != shader
    for part in range(2):
        found, filtered = (run(text, resource, "Maps", rows, 2)[part] for text in (chosen, shader))
        np.testing.assert_allclose(found, filtered, atol=CLOSE, rtol=0)
    rows[:, :2] += np.float32([0.3 / SIZE[0], 0.2 / SIZE[1]])
    found, filtered = (run(text, resource, "Maps", rows, 1)[0] for text in (chosen, shader))
    assert np.abs(found - filtered).max() > 0.01
