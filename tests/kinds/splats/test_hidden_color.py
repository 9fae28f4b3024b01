"""kinds/splats: color under alpha 0 is not fitted, and judged by nobody, unless it is kept."""

import numpy as np
import pytest

import neuralshade
from neuralshade.kinds.splats.build import background_of
from neuralshade.kinds.splats.growth import added_cloud
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.model.gaussian import Compositing
from neuralshade.source.hidden_color import visible_picture
from neuralshade.source.picture import picture_from_array

FEW = {"compositing": "sum", "count": 12, "steps": 20}


def sprite(hidden):
    """Return a disk of a gradient over ``hidden`` color: uint8 [20, 24, 2]."""
    v, u = np.meshgrid(np.arange(20) / 20, np.arange(24) / 24, indexing="ij")
    alpha = np.float32(np.hypot(u - 0.5, v - 0.5) < 0.35)
    return np.uint8(255 * np.stack([np.where(alpha > 0, 0.3 + 0.5 * u, hidden), alpha], 2))


@pytest.mark.slow
def test_hidden_color_changes_nothing(tmp_path):
    noise = np.random.default_rng(0).random((20, 24))
    found = []
    for hidden in (0.0, noise):
        told = neuralshade.fit_splats(sprite(hidden), tmp_path / "x.nsh", **FEW)
        opened = neuralshade.load(tmp_path / "x.nsh")
        found.append((told.psnr_db, opened.tensors["stream"].tobytes()))
        assert opened.header.recipe["keep_hidden_color"] is False
        drawn, wanted = opened.draw(24, 20).clip(0, 1), sprite(noise) / 255
        weights = np.stack([wanted[..., 1], np.ones((20, 24))], 2)
        squares = weights * np.square(drawn.astype(np.float64) - wanted)
        assert told.psnr_db == pytest.approx(10 * np.log10(weights.sum() / squares.sum()), abs=1e-3)
        row = neuralshade.evaluate(tmp_path / "x.nsh", sprite(noise))[0]
        assert row["psnr_db"] == pytest.approx(told.psnr_db, abs=1e-3)
    assert found[0] == found[1]


def test_the_background_is_the_mean_of_what_is_seen():
    recipe = SplatsRecipe()
    picture = visible_picture(picture_from_array(sprite(1.0)))
    color, alpha = background_of(recipe, picture)
    seen = sprite(1.0)[sprite(1.0)[..., 1] > 0][:, 0] / 255
    assert color == pytest.approx(seen.mean(), abs=1e-5)
    assert alpha == pytest.approx((sprite(1.0)[..., 1] / 255).mean(), abs=1e-5)


def test_none_is_added_for_errors_that_nobody_sees():
    wanted = np.float32(sprite(0.0)) / 255
    drawn = wanted.copy()
    drawn[wanted[..., 1] == 0, 0] = 1  # wrong where it is hidden
    drawn[10, 12, 0] += 0.1
    rng = np.random.default_rng(0)
    cloud = added_cloud(wanted, drawn, 9, 2.0, Compositing("sum"), rng, alpha_weighted=True)
    assert (np.floor(cloud[:2]) == [[12], [10]]).all()
