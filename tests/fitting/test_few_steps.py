"""fitting/ending: fits that a clock ended long before what is usual say so."""

from types import SimpleNamespace

import pytest

from neuralshade.fitting.ending import few_steps
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.kinds.textures.recipe import TexturesRecipe


def told(step, share=1.0, recipe=TexturesRecipe, **settings):
    loop = SimpleNamespace(progress=SimpleNamespace(step=step, share=share))
    return few_steps(loop, recipe(**settings))


@pytest.mark.parametrize("recipe", [TexturesRecipe, MaterialRecipe])
def test_a_clock_that_comes_much_too_soon_is_told(recipe):
    assert told(999, recipe=recipe, seconds=5.0, steps=None) == (
        "fit: ended at its 5 s after 999 steps, where 10,000 are usual: far below what it comes "
        "to. Give it more --seconds."
    )
    assert told(999, seconds=0.5) is not None  # beside the usual steps


def test_a_kind_that_ends_by_its_clock_alone_says_what_is_usual():
    loop = SimpleNamespace(progress=SimpleNamespace(step=52, share=1.0))
    said = few_steps(loop, SplatsRecipe(), 8_000)
    assert said is not None and "after 52 steps, where 8,000 are usual" in said
    loop.progress.step = 800
    assert few_steps(loop, SplatsRecipe(), 8_000) is None


@pytest.mark.parametrize("step, share, settings", [
    (1000, 1.0, {"seconds": 5.0, "steps": None}),  # a tenth
    (20, 0.4, {"seconds": 5.0, "steps": None}),  # stopped by hand
    (20, 1.0, {"seconds": None, "steps": 20}),
    (20, 1.0, {"seconds": 5.0, "steps": 20}),
])  # fmt: skip
def test_what_was_asked_for_is_not(step, share, settings):
    assert told(step, share, **settings) is None
