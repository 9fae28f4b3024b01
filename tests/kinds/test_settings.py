"""kinds/*/recipe.py: what editors complete are the recipe's fields, with their types."""

import dataclasses
import importlib
import typing

import pytest

from neuralshade.asset.checkpoint import Checkpoint
from neuralshade.fitting.recipe import from_dict, stored_recipe
from neuralshade.fitting.resuming import Source, resumed_recipe
from neuralshade.kinds import kind_named

OLDER = {
    "image": {"keep_hidden_color": True},
    "splats": {"keep_hidden_color": True},
    "material": {"lobe_inputs": 3, "below": 0.0, "activation": "leaky_relu"},
    "mipmaps": {"favor": "mirror", "keep_hidden_color": True},
    "textures": {"network_bits": 16, "keep_hidden_color": True},
}
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
    taken = kind_named(name).fit.__annotations__["settings"]  # its signature may list them already
    assert taken == f"Unpack[{settings.__name__}]"


@pytest.mark.parametrize("name", TYPED)
def test_a_file_that_lacks_a_setting_stands_for_what_was_there_before(name):
    """Of an asset and of a checkpoint, which is gone on with; what a file says is left."""
    recipe, older = kind_named(name).recipe, OLDER.get(name, {})
    begun = recipe(**older)
    assert stored_recipe(recipe, {}) == begun
    source = Source("x", "digest")
    kept = Checkpoint({}, {"name": "x", "digest": "digest"}, {}, {})
    assert resumed_recipe(kept, "x", source, recipe, lambda kept: recipe(**kept)) == begun
    usual = {setting: getattr(from_dict(recipe, {}), setting) for setting in older}
    assert stored_recipe(recipe, usual) == recipe()
