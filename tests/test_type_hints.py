"""neuralshade: type hints of the public functions can be read by programs, not by editors alone."""

import dataclasses
import importlib
import inspect
import os
import typing

import pytest

import neuralshade

NAMES = sorted({*neuralshade.__all__, *neuralshade._HOMES})
CLASSES = [name for name in NAMES if inspect.isclass(getattr(neuralshade, name))]
FUNCTIONS = [name for name in NAMES if inspect.isfunction(getattr(neuralshade, name))]
FITS = {"fit_image": "ImageRecipe", "fit_splats": "SplatsRecipe", "fit_mipmaps": "MipmapsRecipe",
        "fit_textures": "TexturesRecipe",
        "fit_material": "MaterialRecipe", "fit_materials": "MaterialRecipe",
        "fit_shader": "ShaderRecipe"}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_hints_of_public_functions_resolve(name):
    function = getattr(neuralshade, name)
    hints = typing.get_type_hints(function)
    code = function.__code__  # a fit's signature says more than it
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]
    assert set(hints) - {"return"} == set(parameters)


@pytest.mark.parametrize("name", FITS)
def test_settings_of_a_fit_are_completed(name):
    """st<Tab> offers steps: completion asks the signature, which had ``settings`` alone."""
    signature = inspect.signature(getattr(neuralshade, name))
    fields = {field.name: field for field in dataclasses.fields(getattr(neuralshade, FITS[name]))}
    taken = {name for name, each in signature.parameters.items() if name in fields}
    assert fields.keys() <= signature.parameters.keys() and "settings" not in signature.parameters
    for each in taken - {"target_psnr"}:
        assert signature.parameters[each].default == fields[each].default


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
