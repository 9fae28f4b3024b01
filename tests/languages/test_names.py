"""languages/names: what people call inputs, as identifiers of shading languages."""

import re

from hypothesis import given
from hypothesis import strategies as st

from neuralshade.languages.names import RESERVED, identifiers, words_in
from neuralshade.model.shader_form import Function, Network, Parameter


def test_names_that_are_identifiers_stay():
    assert identifiers(["wetness", "Age2"], {"uv"}) == ["wetness", "Age2"]


def test_others_become_some():
    names = ["coat.color x", "sample", "uv", "2nd", "__a__", "", "Gr\u00f6\u00dfe"]
    assert identifiers(names, {"uv"}) == ["coat_color_x", "input_sample", "input_uv", "input_2nd",
                                          "a", "input_none", "Gr_e"]  # fmt: skip
    assert identifiers(["a b", "a_b", "a-b"], ()) == ["a_b", "input_a_b", "input_a_b_2"]


@given(st.lists(st.text(max_size=8) | st.sampled_from(["for", "uv", "gl_a"]), max_size=4))
def test_whatever_they_are_called_they_are_different_and_free(names):
    found = identifiers(names, {"uv", "input_uv"})
    assert len({*found}) == len(names) and not {*found} & (RESERVED | {"uv", "input_uv"})
    for name in found:
        assert re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII)
        assert "__" not in name and not name.startswith("gl_")


def test_words_of_functions():
    function = Function("float", "f", (Parameter("float2", "uv"),),
                        ("const float x = uv.x;", Network(("x",), (), "y")))  # fmt: skip
    assert words_in([function]) == {"float2", "uv", "const", "float", "x"}
