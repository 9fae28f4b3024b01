"""kinds/notebook: what IPython shows of an opened asset, and offers behind its dot."""

import io

import pytest
from PIL import Image

import neuralshade
from neuralshade.errors import DeviceError
from neuralshade.kinds import KINDS, kind_named


@pytest.mark.parametrize("name", KINDS)
def test_only_names_for_users_are_offered(small_kinds, name):
    opened = neuralshade.load(small_kinds[name].asset)
    names, kind = dir(opened), kind_named(name)
    assert {"draw", "evaluate", "recipe", "tensors", *type(opened).offered} <= {*names}
    assert not any(each.startswith("_") for each in names) and len(names) <= 26
    assert all(hasattr(type(opened), n) or hasattr(opened, n) for n in names)
    assert ("module" in names) == (kind.evaluated is not None)
    assert ("shader" in names) == (kind.shaders is not None)


def test_a_notebook_shows_its_picture(small_kinds):
    opened = neuralshade.load(small_kinds["image"].asset)
    shown = Image.open(io.BytesIO(opened._repr_png_()))
    assert shown.format == "PNG" and shown.size == opened.size


def test_a_large_one_is_shown_small(small_kinds, monkeypatch):
    opened = neuralshade.load(small_kinds["image"].asset)
    monkeypatch.setattr(type(opened), "size", (2048, 64))
    assert Image.open(io.BytesIO(opened._repr_png_())).size == (512, 16)


def test_without_a_device_its_line_is_enough(small_kinds, monkeypatch):
    opened = neuralshade.load(small_kinds["image"].asset)

    def refused(*size):
        raise DeviceError("gpu: got none.")

    monkeypatch.setattr(type(opened), "draw", refused)
    assert opened._repr_png_() is None
    family = neuralshade.load(small_kinds["mip_family"].asset)
    assert family._repr_png_() is None  # it shows nothing
