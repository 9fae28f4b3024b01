"""fitting/facts: fits that were cut off long before what is usual say so, with the share."""

import pytest

from neuralshade.fitting.facts import few_steps
from neuralshade.fitting.progress import Progress
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.kinds.textures.recipe import TexturesRecipe


def told(step, share=1.0, recipe=TexturesRecipe, usual=None, **settings):
    progress = Progress(step=step, share=share, seconds=settings.get("seconds") or 0.0)
    return few_steps(progress, recipe(**settings), usual)


@pytest.mark.parametrize("recipe", [TexturesRecipe, MaterialRecipe])
def test_a_clock_that_comes_much_too_soon_is_told(recipe):
    assert told(499, recipe=recipe, seconds=5.0, steps=None) == (
        "fit: ended at its 5 s after 499 steps, 5 % of the 10,000 that are usual: far below what "
        "it comes to. Give it more --seconds, or a machine with less to do."
    )
    assert told(999, seconds=0.5) is not None  # beside the usual steps


@pytest.mark.parametrize("step, said", [
    (999, "fit: ended at its 999 steps, 10 % of the 10,000 that are usual: far below what it comes "
     "to. Give it more --steps."),
    (1_300, "fit: ended at its 1,300 steps, 13 % of the 10,000 that are usual: below what it comes "
     "to. Give it more --steps."),
    (2_500, None),
])  # fmt: skip
def test_few_steps_that_were_asked_for_are_told(step, said):
    assert told(step, seconds=None, steps=step) == said


def test_a_kind_that_ends_by_its_clock_alone_says_what_is_usual():
    said = told(52, recipe=SplatsRecipe, usual=8_000, seconds=20.0)
    assert said is not None and "after 52 steps, 0.65 % of the 8,000 that are usual" in said
    assert told(2_000, recipe=SplatsRecipe, usual=8_000, seconds=20.0) is None


def test_what_was_stopped_by_hand_is_not():
    assert told(20, 0.4, seconds=5.0, steps=None) is None
