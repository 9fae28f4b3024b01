"""kinds/splats/compact: JavaScript makes of levels the very words that shaders read."""

from pathlib import Path

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.kinds.splats.draw import Cloud
from neuralshade.model.gaussian import COLOR, COMPOSITINGS, SIZE, Compositing
from neuralshade.verbs.export.web.packing import packed

DATA = Path(__file__).parents[2] / "data"
WIDTH, HEIGHT = 61, 44  # of the picture, in pixels
FINE, FINEST = 2**9, 2**19  # levels across


def words_of(unpacked, form):
    """Return the words that JavaScript makes."""
    sent, script = packed(*form.compact.arrays), form.compact.expression
    (found,) = unpacked(sent, f"(arrays) => [({script})(arrays)]")
    return found


def opened(together, channels, count, across):
    """Return an asset of other Gaussians: a needle, a point, one over all, some outside, twins."""
    rng = np.random.default_rng(6)
    values = rng.normal(0.3, 0.3, (COLOR + channels + together.opacity, count))
    values[:2] = (1.4 * rng.random((2, count)) - 0.2) * [[WIDTH], [HEIGHT]]
    values[SIZE] += 0.6
    values[2:5, 0] = np.log(0.3), np.log(8), 7.0
    values[2:5, 1] = np.log(0.25), np.log(0.25), 0.0
    values[2:5, 2] = np.log(90), np.log(90), 0.0
    values[:, 4] = values[:, 5]
    step = np.full((len(values), 1), 0.031)
    step[:2] = 1.4 * WIDTH / across
    levels = np.rint(values / step)
    first = levels.min(1, keepdims=True)
    found = neuralshade.load(DATA / f"splats_{together.kind}.nsh")
    found.header.own["cloud"].update(
        first=first.ravel().astype(int).tolist(), step=step.ravel().tolist(),
        levels=(np.ptp(levels, axis=1) + 1).astype(int).tolist(),
    )  # fmt: skip
    stored = torch.tensor((first + (levels - first)) * step).float()
    cloud = Cloud(stored, torch.linspace(0.1, 0.6, channels), together, WIDTH, HEIGHT)
    vars(found)["cloud"] = cloud
    return found


@pytest.mark.parametrize("kind", COMPOSITINGS)
def test_words_of_fits_come_back(unpacked, kind):
    form = neuralshade.load(DATA / f"splats_{kind}.nsh").shader("dots")
    np.testing.assert_array_equal(words_of(unpacked, form), form.words)


@pytest.mark.parametrize("together, channels, count, across", [
    (Compositing("over"), 3, 70, FINE),
    (Compositing("over", cutoff=6.0), 1, 70, FINEST),
    (Compositing("sum", cutoff=1.0), 4, 70, FINEST),
    (Compositing("normalized", strongest=9), 2, 71, FINE),
    (Compositing("normalized", cutoff=0.25), 3, 2**16 + 1, FINEST),
], ids=["over", "over, grey", "sum, alpha", "two channels", "many"])  # fmt: skip
def test_words_of_odd_clouds_come_back(unpacked, together, channels, count, across):
    form = opened(together, channels, count, across).shader("dots")
    np.testing.assert_array_equal(words_of(unpacked, form), form.words)


def test_they_are_several_times_smaller():
    form = opened(Compositing("sum"), 3, 2_000, FINE).shader("dots")
    levels = packed(*form.compact.arrays)
    assert len(levels) + len(form.compact.expression) < len(packed(form.words)) / 2
