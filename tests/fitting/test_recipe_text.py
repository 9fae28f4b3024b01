"""fitting/recipe_text: what is written is read back as the same recipe."""

import dataclasses
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.base.toml_file import read_toml
from neuralshade.fitting.recipe import ending, make_recipe, setting
from neuralshade.fitting.recipe_text import recipe_toml
from neuralshade.kinds import all_kinds


@dataclass(frozen=True)
class OddRecipe:
    """One field of each type."""

    text: str = setting("a", "text")
    rate: float = setting(1.0, "a number")
    count: int = setting(1, "a whole number")
    on: bool = setting(True, "a switch")
    steps: int | None = ending(None, "an end")
    seconds: float | None = ending(20.0, "another", limits=(0.01, 10**7))


def read(recipe, folder):
    (folder / "r.toml").write_text(recipe_toml(recipe, "fit odd"), encoding="utf-8")
    return make_recipe(type(recipe), read_toml(folder / "r.toml"))


@given(
    text=st.text(st.characters(exclude_categories=("Cs",))),
    rate=st.floats(allow_nan=False, allow_infinity=False),
    count=st.integers(-(2**63), 2**63 - 1),
    on=st.booleans(),
)
def test_any_value_comes_back(tmp_path_factory, text, rate, count, on):
    recipe = OddRecipe(text, rate, count, on, 7, None)
    assert read(recipe, tmp_path_factory.getbasetemp()) == recipe


@pytest.mark.parametrize("steps, seconds", [(5, None), (None, 2.5), (5, 2.5)])
def test_ends_come_back(tmp_path, steps, seconds):
    recipe = OddRecipe(steps=steps, seconds=seconds)
    assert read(recipe, tmp_path) == recipe


def test_a_fit_that_ends_at_neither_has_the_most_seconds(tmp_path):
    recipe = OddRecipe(steps=None, seconds=None)
    assert read(recipe, tmp_path) == dataclasses.replace(recipe, seconds=1e7)


@pytest.mark.parametrize("kind", list(all_kinds()), ids=lambda kind: kind.name)
def test_the_usual_recipe_of_every_kind_comes_back(tmp_path, kind):
    recipe = kind.recipe()
    text = recipe_toml(recipe, kind.made_by)
    assert text.startswith(f"# neuralshade {kind.made_by} --recipe FILE.toml\n")
    assert read(recipe, tmp_path) == recipe
