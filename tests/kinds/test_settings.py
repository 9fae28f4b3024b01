"""kinds/*/recipe.py: what editors complete are the recipe's fields, with their types."""

import dataclasses
import importlib
import inspect
import typing

import pytest

from neuralshade.kinds import kind_named

TYPED = ("image", "splats", "textures", "mipmaps", "material", "shader")


def settings_of(name):
    recipe = kind_named(name).recipe
    module = importlib.import_module(f"neuralshade.kinds.{name}.recipe")
    return getattr(module, recipe.__name__.replace("Recipe", "Settings")), recipe


@pytest.mark.parametrize("name", TYPED)
def test_settings_are_the_recipe_s_fields(name):
    settings, recipe = settings_of(name)
    assert typing.get_type_hints(settings) == typing.get_type_hints(recipe)
    assert settings.__optional_keys__ == {field.name for field in dataclasses.fields(recipe)}


@pytest.mark.parametrize("name", TYPED)
def test_a_fit_takes_them(name):
    settings, _ = settings_of(name)
    taken = inspect.signature(kind_named(name).fit).parameters["settings"]
    assert taken.annotation == f"Unpack[{settings.__name__}]"
