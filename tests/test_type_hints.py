"""neuralshade: type hints of the public functions can be read by programs, not by editors alone."""

import importlib
import inspect
import os
import typing

import pytest

import neuralshade

CLASSES = [name for name in neuralshade.__all__ if inspect.isclass(getattr(neuralshade, name))]
FUNCTIONS = [name for name in neuralshade.__all__
             if inspect.isfunction(getattr(neuralshade, name))]  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_hints_of_public_functions_resolve(name):
    function = getattr(neuralshade, name)
    hints = typing.get_type_hints(function)
    assert set(hints) - {"return"} == set(inspect.signature(function).parameters)


def methods(kind):
    """Yield the methods of a class and of its bases that are ours, of properties too, by name."""
    ours = [each for each in kind.__mro__ if each.__module__.split(".")[0] == "neuralshade"]
    for name, member in ((n, m) for each in ours for n, m in vars(each).items()):
        found = getattr(member, "fget", None) or getattr(member, "func", None) or member
        found = inspect.unwrap(getattr(found, "__func__", found))
        if inspect.isfunction(found):
            yield name, found


@pytest.mark.parametrize("name", CLASSES)
def test_hints_of_public_classes_resolve(name):
    kind = getattr(neuralshade, name)
    typing.get_type_hints(kind)
    for method, function in methods(kind):
        hints = typing.get_type_hints(function)
        unread = {name: type(hint) for name, hint in hints.items() if "ForwardRef" in repr(hint)}
        assert not unread, f"{name}.{method}: {unread}"


def test_what_hints_name_is_loaded_as_they_are_read():
    opened = typing.get_type_hints(neuralshade.Opened.evaluate)["return"]
    assert opened is importlib.import_module("neuralshade.measure.table").Table
    assert typing.get_type_hints(neuralshade.Opened.chains)["region"] == (
        importlib.import_module("neuralshade.source.region").Region | None
    )
    asset = typing.get_type_hints(neuralshade.Opened)["asset"]
    taken = typing.get_type_hints(neuralshade.GpuField.__init__)["asset"]
    assert taken == str | os.PathLike[str] | neuralshade.Opened | asset


def test_the_settings_of_a_fit_are_told():
    taken = typing.get_type_hints(neuralshade.fit_image)["settings"]
    (settings,) = typing.get_args(taken)
    assert typing.get_type_hints(settings)["hidden_width"] is int
