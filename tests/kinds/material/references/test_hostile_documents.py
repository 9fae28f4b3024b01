"""kinds/material/references: a changed document loads, or is refused in a line; nothing else."""

import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neuralshade.errors import NeuralShadeError
from neuralshade.kinds.material.references.sources import load_reference

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

WHOLE = """<?xml version="1.0"?>
<materialx version="1.39" colorspace="lin_rec709" fileprefix="maps/">
  <nodedef name="ND_own" node="own">
    <input name="amount" type="float" value="0.5"/><output name="out" type="float"/>
  </nodedef>
  <nodegraph name="NG_own" nodedef="ND_own">
    <multiply name="half" type="float">
      <input name="in1" type="float" interfacename="amount"/>
      <input name="in2" type="float" value="0.5"/>
    </multiply>
    <output name="out" type="float" nodename="half"/>
  </nodegraph>
  <nodegraph name="NG">
    <input name="tint" type="color3" value="0.2, 0.4, 0.6" colorspace="srgb_texture"/>
    <fractal3d name="noise" type="float">
      <input name="octaves" type="integer" value="3"/>
    </fractal3d>
    <own name="own1" type="float"><input name="amount" type="float" nodename="noise"/></own>
    <mix name="mixed" type="color3">
      <input name="fg" type="color3" interfacename="tint"/>
      <input name="bg" type="color3" value="1, 1, 1"/>
      <input name="mix" type="float" nodename="own1"/>
    </mix>
    <output name="out" type="color3" nodename="mixed"/>
  </nodegraph>
  <standard_surface name="S" type="surfaceshader">
    <input name="base_color" type="color3" nodegraph="NG" output="out"/>
    <input name="specular_roughness" type="float" value="0.3"/>
  </standard_surface>
  <surfacematerial name="M" type="material">
    <input name="surfaceshader" type="surfaceshader" nodename="S"/>
  </surfacematerial>
</materialx>
"""
STACK = """[mask.wear]
noise = "fractal"
scale = 4
octaves = 3
[mask.both]
multiply = ["wear", "!wear"]
[[layer]]
kind = "conductor"
color = [0.9, 0.5, 0.2]
[[layer]]
name = "paint"
kind = "dielectric"
mask = "both"
roughness = 0.2
"""
ODD = ["", "0", "-1", "nan", "1e999", "a" * 5000, "../../../etc/passwd", "/etc/passwd", "\ud7ff",
       "ND_own", "NG_own", "NG", "own", "own1", "noise", "S", "M", "float", "color3", "string",
       "filename", "BSDF", "surfaceshader", "0); f(", "[x]", "{x}", "$x", "#include", "1,2,3,4,5",
       "&#10;", "&lt;x&gt;", "10" * 40]  # fmt: skip
VALUES = re.compile(r'(?<==")[^"]*(?=")')
ELEMENTS = re.compile(r"<[a-z_0-9]+ [^>]*/>")


def mutated(text, number):
    """Return a text with a few changes: of values, of elements, of characters."""
    rng = random.Random(number)
    for _ in range(rng.randint(1, 4)):
        form = rng.randrange(6)
        spots = [found.span() for found in (VALUES if form < 3 else ELEMENTS).finditer(text)]
        if not spots:
            break
        (begin, end), (from_begin, from_end) = rng.choice(spots), rng.choice(spots)
        if form == 0:
            text = text[:begin] + rng.choice(ODD) + text[end:]
        elif form in (1, 2, 3):  # another's in its place
            text = text[:begin] + text[from_begin:from_end] + text[end:]
        elif form == 4:
            text = text[:begin] + text[end:]
        else:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(["<", ">", '"', "&", "\0", "]", "x"]) + text[at + 1 :]
    return text


def check(path, text):
    path.write_text(text, errors="surrogatepass")
    try:
        load_reference(path)
    except NeuralShadeError as error:
        said = str(error)
    else:
        return
    assert said.startswith(str(path.parent)) and "\n" not in said


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_a_changed_document(tmp_path, number):
    check(tmp_path / "x.mtlx", mutated(WHOLE, number))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_a_changed_stack(tmp_path, number):
    rng = random.Random(number)
    lines = STACK.splitlines()
    for _ in range(rng.randint(1, 4)):
        line, value = rng.randrange(len(lines)), rng.choice(['"wear"', "[]", "{}", "-1", "nan",
            "1e400", "true", '"a"', f'"{"a" * 5000}"', "10" * 40, '["both"]', "[1, 2, 3]",
            "2020-01-01", '"!"', "'''"])  # fmt: skip
        name = rng.choice([lines[line].partition(" = ")[0], "x", "mix", "vary", "mask.wear"])
        lines[line] = rng.choice([f"{name} = {value}", lines[rng.randrange(len(lines))], ""])
    check(tmp_path / "x.toml", "\n".join(lines))


def test_the_whole_ones_load(tmp_path):
    (tmp_path / "x.mtlx").write_text(WHOLE)
    assert load_reference(tmp_path / "x.mtlx").name == "x M"
    (tmp_path / "x.toml").write_text(STACK)
    assert load_reference(tmp_path / "x.toml").name == "x"
