"""kinds/material/shader: random recipes as PyTorch, C++ and JavaScript, against the material."""

import pytest
from fixtures.random_materials import material
from fixtures.shader_runs import by_cpp, by_module, by_node, off
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from neuralshade.kinds.material.recipe import ACTIVATIONS

FEW = {"derandomize": True, "deadline": None,
       "suppress_health_check": [HealthCheck.function_scoped_fixture]}  # fmt: skip
VARIED = ("", "wetness=0..2", "a=-1..1,for=2..4,uv=0..0.5")
RECIPES = st.fixed_dictionaries({
    "size": st.integers(1, 17),
    "features": st.integers(2, 16),
    "lobes": st.integers(1, 6),
    "lobe_inputs": st.integers(3, 5),
    "below": st.sampled_from((0.0, 0.05, 0.7)),
    "wrap": st.sampled_from(("repeat", "clamp")),
    "hidden_layers": st.integers(1, 4),
    "hidden_width": st.integers(16, 24),
    "activation": st.sampled_from(ACTIVATIONS),
    "vary": st.sampled_from(VARIED),
    "levels": st.sampled_from((None, 1)),
})  # fmt: skip


# of lobes so narrow that a density of thousands follows the last bit of its direction
NARROW = {"size": 1, "features": 2, "lobes": 3, "lobe_inputs": 3, "below": 0.0, "wrap": "repeat",
          "hidden_layers": 3, "hidden_width": 17, "activation": "hard_gelu", "vary": VARIED[2],
          "levels": None}  # fmt: skip


@settings(max_examples=6, **FEW)
@example(NARROW)
@given(RECIPES)
def test_a_printed_module_answers_as_the_material_does(tmp_path, settings):
    form = material(**settings).shader("paint")
    for golden in form.golden:
        assert off(golden, by_module(form, tmp_path, golden.function)) <= 1, golden.function


@settings(max_examples=1, **FEW)
@given(RECIPES)
def test_node_answers_as_the_material_does(settings):
    for golden, found in by_node(material(**settings).shader("paint")):
        assert off(golden, found) <= 1, golden.function


@settings(max_examples=1, **FEW)
@given(RECIPES)
def test_cpp_answers_as_the_material_does(tmp_path, settings):
    form = material(**settings).shader("paint")
    found = by_cpp(form, tmp_path)
    for golden in form.golden:
        assert off(golden, found[golden.function]) <= 1, golden.function


@pytest.mark.slow
@settings(max_examples=20, **FEW)
@given(RECIPES)
def test_many_of_cpp_answer_as_the_material_does(tmp_path, settings):
    test_cpp_answers_as_the_material_does.hypothesis.inner_test(tmp_path, settings)
