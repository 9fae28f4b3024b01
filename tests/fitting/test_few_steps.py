"""fitting/facts: fits that were cut off long before what is usual say so, with the share."""

import pytest

from neuralshade.fitting.facts import few_steps, steps_left
from neuralshade.fitting.progress import Progress
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.kinds.textures.recipe import TexturesRecipe


def told(step, share=1.0, recipe=TexturesRecipe, usual=None, **settings):
    progress = Progress(step=step, share=share, seconds=settings.get("seconds") or 0.0)
    return few_steps(progress, recipe(**settings), usual)


@pytest.mark.parametrize("recipe", [TexturesRecipe, MaterialRecipe])
def test_a_clock_that_comes_much_too_soon_is_told(recipe, same_message):
    same_message(told(499, recipe=recipe, seconds=5.0, steps=None), "fit", "--seconds")
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


def test_a_kind_without_a_usual_clock_is_told_on_a_cpu_too(same_message):
    """Mip levels end by steps: a clock is always one that was asked for."""
    progress = Progress(step=17, share=1.0, seconds=2.0)
    said = few_steps(progress, MipmapsRecipe(steps=None, seconds=2.0), on_cpu=True)
    same_message(said, "fit", "--seconds")


def test_what_was_stopped_by_hand_is_not():
    assert told(20, 0.4, seconds=5.0, steps=None) is None


def on_cpu(step, recipe=TexturesRecipe, usual=None, **settings):
    """Return what is said of a CPU that had the usual time, or another that was given."""
    given = recipe(**settings)
    progress = Progress(step=step, share=1.0, seconds=given.seconds)
    return few_steps(progress, given, usual, on_cpu=True), steps_left(progress, given)


@pytest.mark.parametrize("recipe, whole", [(TexturesRecipe, 950), (MaterialRecipe, 2_840)])
def test_a_cpu_in_its_usual_time_tells_what_is_left_and_warns_of_nothing(recipe, whole):
    seconds = recipe.seconds
    assert on_cpu(635, recipe) == (None, (
        f"fit: ran 635 of 10,000 steps in its {seconds:g} s. All of them take about {whole:,} s "
        f"here: --seconds {whole}."
    ))  # fmt: skip
    assert on_cpu(10_000, recipe) == (None, None)


def test_a_cpu_that_is_unusually_slow_is_told(same_message):
    said, left = on_cpu(150)
    same_message(said, "fit", "--seconds")
    assert left is not None and left.endswith(
        "All of them take about 4,000 s here: --seconds 4000."
    )


def test_a_cpu_with_less_than_the_usual_time_is_told():
    said, left = on_cpu(635, seconds=20.0, steps=None)
    assert said is not None and "6.3 % of the 10,000" in said and left is None
    assert on_cpu(400, SplatsRecipe, 8_000)[0] is None
    assert on_cpu(400, SplatsRecipe, 8_000, seconds=10.0)[0] is not None


def test_a_gpu_in_the_usual_time_is_told():
    assert told(635, seconds=60.0, steps=10_000) is not None
