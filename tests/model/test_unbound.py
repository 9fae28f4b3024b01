"""model/unbound: what a module declares and no kernel binds is refused by name."""

import pytest

from neuralshade.errors import ConfigError
from neuralshade.gpu.slang_reflection import Parameter, reflect_parameters
from neuralshade.model.trainable import PARAMETERS
from neuralshade.model.unbound import check_bound

BUFFER = "StructuredBuffer<vector<float,3>, DefaultDataLayout>"


def test_names_and_types_are_as_people_write_them(refusal, same_message):
    found = [Parameter("t", "Texture2D<vector<float,4>>"), Parameter("b", BUFFER),
             Parameter("N", "ConstantBuffer<SLANG_ParameterGroup_N, DefaultDataLayout>"),
             Parameter("c", "ConstantBuffer<P, DefaultDataLayout>")]  # fmt: skip
    same_message(refusal(ConfigError, check_bound, found, "x.slang", "Do."), "x.slang", "Do")


def test_many_are_counted(refusal):
    found = [Parameter(f"a{i}", "float") for i in range(11)]
    said = refusal(ConfigError, check_bound, found, "x.slang", "Do.")
    assert "float a7 and 3 more at" in said and "a8" not in said


def test_what_is_bound_is_no_fault():
    check_bound([], "x", "Do.")
    check_bound([Parameter("words", "float")], "x", "Do.", ("words",))


def test_those_of_the_device_half_are_known():
    pytest.importorskip("slangpy")
    found = reflect_parameters("import neuralshade.model.trainable;", "x.slang")
    assert {one.name for one in found} == set(PARAMETERS)
    check_bound(found, "x.slang", "Do.")
