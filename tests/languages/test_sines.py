"""languages/sines: sines of WGSL to the last bits, and names that no map may have."""

from dataclasses import replace

import numpy as np
import pytest
from fixtures.small_kinds import ASSETS, DATA

from neuralshade.kinds import open_asset
from neuralshade.kinds.textures.shader import _taken
from neuralshade.languages.activations import ACTIVATIONS
from neuralshade.languages.halves import in_halves
from neuralshade.languages.printers import LANGUAGES, printer_of
from neuralshade.languages.sines import sine_functions, with_portable_sines
from neuralshade.model.shader_form import Function, Golden, Layer, Network, Parameter, ShaderForm
from neuralshade.verbs.export.check.checks import check_form


def test_they_are_right_to_float32():
    angle = np.linspace(-np.pi, np.pi, 4097, dtype=np.float32)[:, None]
    found = np.concatenate([np.sin(angle.astype(float)), np.cos(angle.astype(float))], axis=1)
    function = Function("float2", "turn", (Parameter("float", "angle"),),
                        ("return float2(sin(angle), cos(angle));",), public=True)  # fmt: skip
    golden = Golden("turn", angle, found.astype(np.float32), 4e-7)
    form = ShaderForm("turn", (), (), (function,), np.zeros(0, np.uint32), lambda: [golden])
    assert "turn_sine(angle)" in printer_of(form, "wgsl").text()
    (row,) = check_form(form, ["wgsl"], None)
    if row["right"] is None:
        pytest.skip(row["why_not"])
    assert row["right"], row


def test_inputs_of_networks_have_them_too():
    network = Network(("sin(angle)", "cos(angle)"), (Layer(np.eye(2), np.zeros(2), "none"),), "y")
    function = Function("float2", "turn", (Parameter("float", "angle"),),
                        (network, "return y0.xy;"), public=True)  # fmt: skip
    form = ShaderForm("turn", (), (), (function,), np.zeros(0, np.uint32), list)
    assert [one.name for one in sine_functions(form)] == ["turn_sine", "turn_cosine"]


def test_a_sum_of_four_has_its_own():
    assert with_portable_sines("2.0 * sin((x - 1.0) * y)", "a") == "2.0 * a_sines((x - 1.0) * y)"
    assert with_portable_sines("sin(x.y) + cos(x)", "a") == "a_sine(x.y) + a_cosine(x)"


def test_no_map_is_called_as_a_function_of_a_language():
    form = open_asset(DATA / ASSETS["textures"]).shader("photo")

    def activated(line, name):
        layers = tuple(replace(one, activation=name) for one in line.layers)
        return replace(line, layers=layers)

    names = set()
    for name in ACTIVATIONS:
        functions = tuple(
            replace(one, body=tuple(activated(line, name) if isinstance(line, Network) else line
                                    for line in one.body))
            for one in form.functions
        )  # fmt: skip
        own = replace(form, functions=functions)
        for language, one in LANGUAGES.items():
            for each in (own, in_halves(own)) if one.has_halves else (own,):
                for in_text in (True, False):
                    printer = printer_of(each, language, in_text)
                    names |= {helper.name for helper in printer.helpers()}
    assert len(names) > 5
    assert {name.removeprefix("photo_") for name in names} <= _taken([], "photo")
