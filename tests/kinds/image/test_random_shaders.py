"""kinds/image/shader: random recipes as PyTorch, C++ and JavaScript, against the asset itself."""

import shutil

import numpy as np
import pytest
import torch
from fixtures.image_assets import opened_field
from fixtures.shader_runs import by_cpp, by_node, off, printed_module
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from neuralshade.kinds.image.recipe import ACTIVATIONS, ImageRecipe
from neuralshade.verbs.export.check.timed_rows import error_of

SIDE = st.integers(1, 9)
FEATURES = st.integers(1, 6)
SMOOTH = st.integers(0, 1)
LEVELS = st.integers(1, 3)
PARTS = {
    "identity": {},
    "frequency": {"octaves": st.integers(1, 6)},
    "triangle_wave": {"octaves": st.integers(1, 6)},
    "one_blob": {"bins": st.integers(1, 9)},
    "cell_wave": {"width": SIDE, "height": SIDE},
    "dense_grid": {"levels": LEVELS, "features": FEATURES, "coarsest": SIDE, "width": SIDE,
                   "height": SIDE, "smooth": SMOOTH},
    "tile_grid": {"features": FEATURES, "width": st.integers(1, 40), "height": st.integers(1, 40),
                  "tile": st.integers(8, 20), "texels": st.integers(200, 999)},
    "hash_grid": {"levels": LEVELS, "features": FEATURES, "log2_entries": st.integers(4, 7),
                  "coarsest": st.integers(1, 4), "finest": st.integers(4, 60), "smooth": SMOOTH},
}  # fmt: skip
SETTLED = {"exp": "tanh"}  # what grows without end inside


@st.composite
def encodings(draw):
    """Return the text of one to three parts."""
    parts = []
    for kind in draw(st.lists(st.sampled_from(sorted(PARTS)), min_size=1, max_size=3)):
        listed = [f"{name}={draw(values)}" for name, values in PARTS[kind].items()]
        parts.append(f"{kind}:{','.join(listed)}" if listed else kind)
    return " + ".join(parts)


@st.composite
def recipes(draw):
    """Return a recipe, and the channels of its picture."""
    inside = draw(st.sampled_from(ACTIVATIONS))
    return ImageRecipe(
        encoding=draw(encodings()),
        hidden_layers=draw(st.integers(0, 3)),
        hidden_width=draw(st.sampled_from((8, 9, 12, 19))),
        activation=SETTLED.get(inside, inside),
        output_activation=draw(st.sampled_from(ACTIVATIONS)),
        bias=draw(st.booleans()),
        grid_bits=draw(st.sampled_from((4, 8, 16, 32))),
        network_bits=draw(st.sampled_from((8, 16, 32))),
        batch=16,
    ), draw(st.integers(1, 4))  # fmt: skip


FEW = {"derandomize": True, "deadline": None,
       "suppress_health_check": [HealthCheck.function_scoped_fixture]}  # fmt: skip


def form_of(path, recipe, channels):
    opened = opened_field(path, recipe, channels)
    form = opened.shader("photo")
    (golden,) = form.golden
    assert np.isfinite(golden.outputs).all()
    return form, golden


@settings(max_examples=30, **FEW)
@given(recipes())
@example((ImageRecipe(encoding="identity", hidden_layers=0, hidden_width=8, batch=4), 1))
def test_a_printed_module_answers_as_the_asset_does(tmp_path, made):
    form, golden = form_of(tmp_path / "a.nsh", *made)
    found = printed_module(form, tmp_path)(torch.from_numpy(golden.inputs))
    assert error_of(golden, found.detach().numpy()) <= golden.tolerance


@settings(max_examples=3, **FEW)
@given(recipes())
def test_node_answers_as_the_asset_does(tmp_path, made):
    form, golden = form_of(tmp_path / "a.nsh", *made)
    ((_, found),) = by_node(form)
    assert off(golden, found) <= 1


@pytest.mark.slow
@settings(max_examples=60, **FEW)
@given(recipes())
def test_many_of_node_answer_as_the_asset_does(tmp_path, made):
    test_node_answers_as_the_asset_does.hypothesis.inner_test(tmp_path, made)


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@settings(max_examples=3, **FEW)
@given(recipes())
def test_cpp_answers_as_the_asset_does(tmp_path, made):
    form, golden = form_of(tmp_path / "a.nsh", *made)
    assert off(golden, by_cpp(form, tmp_path)["photo"]) <= 1


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@settings(max_examples=60, **FEW)
@given(recipes())
def test_many_of_cpp_answer_as_the_asset_does(tmp_path, made):
    test_cpp_answers_as_the_asset_does.hypothesis.inner_test(tmp_path, made)
