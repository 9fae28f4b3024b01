"""neuralshade: type hints of the public functions can be read by programs, not by editors alone."""

import inspect
import typing

import pytest

import neuralshade

FUNCTIONS = [name for name in neuralshade.__all__
             if inspect.isfunction(getattr(neuralshade, name))]  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_hints_of_public_functions_resolve(name):
    function = getattr(neuralshade, name)
    hints = typing.get_type_hints(function)
    assert set(hints) - {"return"} == set(inspect.signature(function).parameters)


def test_the_settings_of_a_fit_are_told():
    taken = typing.get_type_hints(neuralshade.fit_image)["settings"]
    (settings,) = typing.get_args(taken)
    assert typing.get_type_hints(settings)["hidden_width"] is int
