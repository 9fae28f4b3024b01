"""kinds/material/varied: ranges as they are typed, and inputs of stacks and of Slang modules."""

import numpy as np
import pytest
from fixtures.small_material import upper_pairs, wet_file

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels, places
from neuralshade.kinds.material.references.slang_reference import load_slang
from neuralshade.kinds.material.references.stack import load_stack
from neuralshade.kinds.material.references.varied_reference import vary_reference
from neuralshade.kinds.material.varied import (
    Input,
    Varied,
    parse_ranges,
    shares_of,
    spread_shares,
    varied_of,
)

INPUTS = {"wetness": Input("w", 0.25, 0.0, 1.0), "age": Input("a", 0.0)}
STACK = """
[vary]
wet = 0.25
old = 0.5

[mask]
grow = {{ noise = "cells", scale = 3, levels = ["!{wet}", 1.0] }}

[[layer]]
kind = "conductor"
color = {{ mix = [[0.9, 0.6, 0.5], [0.2, 0.4, 0.3]], by = "{old}" }}
roughness = ["{old}", 0.4]

[[layer]]
kind = "dielectric"
thickness = "{wet}"
roughness = {{ mix = [0.5, "{wet}"], by = "grow" }}
mask = ["grow", "!{old}"]
weight = "{wet}"
"""

INPUTS_OF_A_MODULE = """
uniform float a;
  uniform float b = 0.5; // {
/* uniform float no; */
static float c /* usual */ = -1.0f;
\tuniform float  d ;
static float scratch;
float f() {
    static float inner = 0.5f;
    return inner; }
float3 eval(float2 uv, float3 wi, float3 wo) { return float3(a + b + c + d) * wi.z; }
"""


def test_ranges_as_they_are_typed():
    assert parse_ranges("") == []
    assert parse_ranges(" wetness = 0..1 , age=-0.5 .. 2e1") == [
        ("wetness", 0.0, 1.0), ("age", -0.5, 20.0),
    ]  # fmt: skip
    assert MaterialRecipe(vary="a=0..1,b=1..2").varied_count == 2


@pytest.mark.parametrize("text, said", [
    ("wetness", "vary: got 'wetness', need NAME=LOW..HIGH. Write for example wetness=0..1."),
    ("wetness=0..wet", "vary: got 'wetness=0..wet', need NAME=LOW..HIGH. Write for example "
     "wetness=0..1."),
    ("a=0..1,", "vary: got '', need NAME=LOW..HIGH. Write for example wetness=0..1."),
    ("wetness=0..inf", "vary: got 'wetness=0..inf', need NAME=LOW..HIGH. Write for example "
     "wetness=0..1."),
    ("age=1..1", "vary: got age=1..1, an empty range, need its lower end first. Write for example "
     "wetness=0..1."),
    ("age=0..1,age=0..2", "vary: got age twice, need it once. Leave one out."),
    ("a=0..1,b=0..1,c=0..1,d=0..1,e=0..1", "vary: got 5 inputs, need 4 at most. Leave some out."),
])  # fmt: skip
def test_ranges_that_are_none(refusal, text, said):
    assert refusal(ConfigError, parse_ranges, text) == said
    assert refusal(ConfigError, MaterialRecipe, vary=text) == said


@pytest.mark.parametrize("text, said", [
    ("wetnes=0..1", "vary: got wetnes, which tray has not, need one of wetness, age. Did you mean "
     "wetness?"),
    ("wetness=0.5..1", "vary: got wetness=0.5..1, need a range around its default, 0.25. Widen "
     "it, or change the default."),
    ("wetness=0..2", "vary: got wetness=0..2, need a range within 0..1, which tray takes. Narrow "
     "it."),
])  # fmt: skip
def test_ranges_that_a_material_does_not_take(refusal, text, said):
    assert refusal(ConfigError, varied_of, text, INPUTS, "tray") == said


@pytest.mark.parametrize("text, default", [("w=0..1", 0.0), ("w=0.5..1", 0.5), ("w=-2..-1", -1.0)])
def test_an_untold_default_is_the_number_nearest_to_0(text, default):
    (found,) = varied_of(text, {"w": Input("w", 0.0, has_default=False)}, "tray")
    assert found.default == default


def test_a_material_without_inputs(refusal, same_message):
    same_message(refusal(ConfigError, varied_of, "wet=0..1", {}, "tray"), "vary", "material")


def test_shares_are_those_of_values_and_else_of_defaults():
    varied = (Varied("wet", 0.0, 2.0, 0.5), Varied("age", -1.0, 1.0, 0.0))
    assert shares_of(varied, {}, "a.nsh") == [0.25, 0.5]
    assert shares_of(varied, {"age": "1", "wet": 0}, "a.nsh") == [0.0, 1.0]
    assert varied[1].value(varied[1].share(0.3)) == pytest.approx(0.3)


def test_lightings_see_every_part_of_a_range():
    """One in each of as many equal parts, for the first input; no two alike."""
    found = np.array(spread_shares(16, 4))
    assert found.shape == (16, 4) and ((found >= 0) & (found < 1)).all()
    assert sorted(np.floor(16 * found[:, 0])) == list(range(16))
    for column in found.T:
        assert np.histogram(column, bins=4, range=(0, 1))[0].min() >= 2
    assert spread_shares(3, 0) == [[], [], []]


def test_a_stack_is_what_its_inputs_are(gpu, tmp_path):
    """Varied and asked at values, it is the stack that has these written out."""
    values = {"wet": 0.75, "old": 0.125}
    one = tmp_path / "one.toml"
    one.write_text(STACK.format(wet="wet", old="old"))
    plain = load_stack(one)
    assert {name: (i.default, i.least, i.most) for name, i in plain.inputs.items()} == {
        "wet": (0.25, 0, 1), "old": (0.5, 0, 1),
    }  # fmt: skip
    assert "conductor_1.color.x" in plain.parameters and "dielectric_2.weight" in plain.parameters
    other = tmp_path / "other.toml"
    other.write_text(one.read_text().replace("0.25", "0.75").replace("old = 0.5", "old = 0.125"))
    uv, wi, wo = upper_pairs(200)
    varied = ReferenceKernels(gpu, vary_reference(plain, "wet=0..1,old=0..0.5"))
    at = places(uv, [values["wet"], values["old"] / 0.5])
    wanted = ReferenceKernels(gpu, load_stack(other)).eval(uv, wi, wo)
    np.testing.assert_allclose(varied.eval(at, wi, wo), wanted, rtol=1e-4, atol=1e-6)
    assert np.abs(varied.eval(uv, wi, wo) - wanted).mean() > 1e-3  # that is at its defaults


@pytest.mark.parametrize("before, after, said", [
    ("wet = 0.25", "wet = 1.5", "mask grow.levels: got !{wet}, which is 1.5, need an input from 0 "
     "to 1. Change its default in [vary]."),
    ("wet = 0.25", "wet = 'a'", "vary.wet: got 'a', need a number: its default."),
    ("wet = 0.25", "wet = nan", "vary.wet: got nan, need a number: its default."),
    ("wet = 0.25", "grow = 0.25", "vary: got the name 'grow', need letters, digits and _, a letter "
     "first, and no mask's. Change it."),
    ('thickness = "wet"', 'thickness = "wett"', "thickness: got 'wett', which is not there, need"),
    ("[vary]", "vary = 3\n[x]", "got key x, need one of mask, layer, vary."),
    ("[vary]\nwet = 0.25\nold = 0.5", "vary = 3", "vary: got 3, need a table. Write [vary]"),
])  # fmt: skip
def test_inputs_of_a_stack_that_are_none(tmp_path, refusal, before, after, said):
    text = STACK.format(wet="wet", old="old")
    assert before in text
    path = tmp_path / "x.toml"
    path.write_text(text.replace(before, after))
    found = refusal(ConfigError, load_stack, path)
    assert said.format(wet="wet") in found and "\n" not in found


def test_a_height_is_no_input(tmp_path, refusal):
    text = '[vary]\nwet = 0.0\n[[layer]]\nkind = "diffuse"\ncolor = "#ffffff"\nbump = {by = "wet"}'
    (tmp_path / "x.toml").write_text(text)
    found = refusal(ConfigError, load_stack, tmp_path / "x.toml")
    assert "bump.by: got 'wet', need one mask" in found


def test_inputs_of_a_slang_module(tmp_path, refusal):
    """Uniforms and variables of a number each, outside of functions; no constants."""
    assert load_slang(wet_file(tmp_path)).inputs == {
        "rough": Input("rough", 0.2), "wetness": Input("wetness", 0.25),
    }  # fmt: skip
    own = tmp_path / "own.slang"
    own.write_text(INPUTS_OF_A_MODULE)
    assert load_slang(own).inputs == {
        "a": Input("a", 0.0, has_default=False), "b": Input("b", 0.5), "c": Input("c", -1.0),
        "d": Input("d", 0.0, has_default=False),
    }  # fmt: skip
    bad = tmp_path / "bad.slang"
    bad.write_text("uniform float x = 1e;\nfloat3 eval(float2 uv, float3 wi, float3 wo) {}")
    assert "x: got '1e', need a number. Correct it." in refusal(ConfigError, load_slang, bad)


def test_an_input_without_a_default_is_0_unless_it_is_varied(gpu, tmp_path):
    own = tmp_path / "own.slang"
    own.write_text(INPUTS_OF_A_MODULE)
    plain = load_slang(own)
    up = np.float32([[0, 0, 1]])
    asked = np.float32([[0.5, 0.5]]), up, up
    varied = ReferenceKernels(gpu, vary_reference(plain, "a=2..4,c=-1..1,d=0..1"))
    assert varied.eval(*asked).tolist() == [[1.5] * 3]
    assert varied.eval(np.float32([[0.5, 0.5, 1, 1, 1]]), up, up).tolist() == [[6.5] * 3]
    bright = ReferenceKernels(gpu, vary_reference(plain, "c=-1..1"))
    assert bright.eval(np.float32([[0.5, 0.5, 1]]), up, up).tolist() == [[1.5] * 3]
