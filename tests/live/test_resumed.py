"""live/live: a fit that was resumed begins again with the recipe of its checkpoint."""

import signal

import pytest

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.presets import preset_recipe
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe, mipmaps_recipe
from neuralshade.kinds.shader.fit import shader_recipe
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.splats.fit import splats_recipe
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.source.transform import transform_picture

SETTINGS = {"steps": 10**8, "seed": 7, "bpp": 40.0, "rate": 0.004, "batch": 256}


@pytest.fixture
def resumed(picture, background, live, tmp_path):
    """Start to go on with a fit from its checkpoint, with no word of its recipe."""
    with pytest.raises(FitInterrupted):
        neuralshade.fit_image(
            picture,
            tmp_path / "x.nsh",
            observer=lambda p: signal.raise_signal(signal.SIGINT),
            **SETTINGS,
        )
    options = FitOptions(resume=tmp_path / "x.checkpoint.nsh")
    return background(live.run, neuralshade.fit_image, picture, tmp_path / "x.nsh",
                      options=options)  # fmt: skip


def expected(picture, **changed):
    """Return the recipe of a fit that begins with SETTINGS, but for some."""
    recipe = preset_recipe("grid", {**SETTINGS, **changed})
    return to_dict(resolve(recipe, transform_picture(picture, recipe.transform)))


@pytest.mark.parametrize("action, changed", [
    ("reset", {"seed": 3}),
    ("transform", {"transform": "zoom"}),
    ("start", {"seconds": 60.0, "seed": 8}),
])  # fmt: skip
def test_while_it_runs(resumed, look, picture, tmp_path, action, changed):
    page = look()
    page.reach(2)
    page.control(action, **changed)
    page.reach(2, fit=2)
    page.control("stop")
    resumed.finish()
    ends = {"steps": None} if "seconds" in changed else {}
    found = neuralshade.info(tmp_path / "x.nsh")["recipe"]
    assert found == expected(picture, **changed, **ends)


def test_when_it_has_ended(resumed, look, background, live, picture, tmp_path):
    page = look()
    page.reach(2)
    page.control("stop")
    resumed.finish()
    background(live.wait)
    page.state("ended")
    page.control("reset", seed=3)
    page.reach(2, fit=2)
    page.control("stop")
    page.state("ended")
    assert neuralshade.info(tmp_path / "x.nsh")["recipe"] == expected(picture, seed=3)


@pytest.mark.parametrize("ends", [{"steps": 7, "seconds": None}, {"steps": None, "seconds": 2.0}])
@pytest.mark.parametrize("asked, kind", [
    (splats_recipe, SplatsRecipe), (mipmaps_recipe, MipmapsRecipe), (shader_recipe, ShaderRecipe),
])  # fmt: skip
def test_a_recipe_s_settings_give_the_same_recipe(asked, kind, ends):
    """Every verb takes all that a checkpoint's recipe says."""
    recipe = kind(**ends, seed=3)
    assert asked(to_dict(recipe)) == recipe
