"""live/messages: whatever is said gives a message or one line that refuses it."""

import json
import math
from collections.abc import Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neuralshade.errors import ConfigError
from neuralshade.live.messages import (
    LARGEST_SIDE,
    MOST_PIXELS,
    READERS,
    Control,
    FrameShown,
    Overlay,
    Pick,
    Tone,
    View,
    Visible,
    kind_of,
    parse,
)

MESSAGES = (View, FrameShown, Visible, Pick, Overlay, Control)
FIELDS = ("id", "scene", "region", "width", "height", "panes", "exposure", "gamma", "light",
          "inputs", "u", "v", "name", "visible", "action", "rate_scale", "transform", "seed",
          "picture", "preset", "seconds")  # fmt: skip
VIEW = {"type": "view", "id": 5, "scene": 3, "region": [0.25, 0.0, 1.0, 0.5], "width": 40,
        "height": 30, "panes": ["target", "result"]}  # fmt: skip

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
    | st.sampled_from(["pause", "rate", "zoom", "start", 1, 5, 0.5]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner,
                                                                max_size=3),
    max_leaves=8,
)  # fmt: skip
somehow_typed = st.sampled_from([*READERS]) | anything
objects = st.builds(lambda kind, rest: {"type": kind, **rest}, somehow_typed,
                    st.dictionaries(st.sampled_from(FIELDS), anything))  # fmt: skip
messages = st.text() | objects.map(json.dumps) | anything.map(json.dumps)


WRITTEN = [
    "NaN", "-Infinity", "1e999", "-1e-999", "9" * 400, "9" * 5000, "-0.0", "0", "1", "0.5", "1e18",
    "true", "null", '"\\ud800"', '"\\u0000"', '"pause"', '"rate"', '"start"', '"result"', '""',
    "{}", "[" * 300 + "]" * 300, "[0, 0, 1, 1]", "[0, 0, NaN, 1]", '["\\udfff"]', "[1e400, 0]",
    "01", "'x'",
]  # fmt: skip
PLAIN = [value for value in WRITTEN if value in ("0", "1", "0.5", '"pause"', "[0, 0, 1, 1]")]


def written(chance):
    """Return an object as text: most of it as a page could say it, names perhaps more than once."""
    fields = [("type", f'"{chance.choice(list(READERS))}"')]
    for _ in range(chance.randrange(12)):
        name = chance.choice(("type", *FIELDS))
        fields.append((name, chance.choice(WRITTEN if chance.random() < 0.3 else PLAIN)))
    return "{" + ", ".join(f'"{name}": {value}' for name, value in fields) + "}"


def said(**message):
    return parse(json.dumps(message))


@given(messages)
@example('{"type": []}')
@example('{"type": {}}')
@example("[" * 100_000)
@example('{"type": ' + "[" * 900 + "]" * 900 + "}")
@example('{"type": "control", "action": ' + "[" * 950 + "]" * 950 + "}")
@example('{"type": "view", "id": ' + "9" * 5000 + "}")
@example('{"type": "pick", "id": 1, "scene": 1, "u": 1e999, "v": NaN}')
@example("null")
@example('"\\ud800"')
@example('{"type": "overlay", "scene": 1, "name": "\\ud800"}')
def test_whatever_is_said_is_a_message_or_refused_in_one_line(text):
    kind = kind_of(text)
    assert isinstance(kind, str) and len(kind) <= 200
    try:
        message = parse(text)
    except ConfigError as error:
        line = str(error)
        assert line and "\n" not in line and len(line) < 400
        return
    assert isinstance(message, MESSAGES)
    if isinstance(message, View):
        u0, v0, u1, v1 = message.region
        assert 0 <= u0 < u1 <= 1 and 0 <= v0 < v1 <= 1
        assert 1 <= message.width * message.height <= MOST_PIXELS


@given(st.randoms(use_true_random=True))
def test_whatever_is_written_is_a_message_of_plain_numbers_or_refused(chance):
    """Numbers that JSON lacks or that are too large for any use, names said twice."""
    for _ in range(40):
        text = written(chance)
        assert len(kind_of(text)) <= 200
        try:
            message = parse(text)
        except ConfigError as error:
            line = str(error)
            assert line.isprintable() and 0 < len(line) < 400
        else:
            assert isinstance(message, MESSAGES)
            assert all(abs(number) < 2**31 for number in numbers_in(message))


def numbers_in(value):
    """Return the numbers in a message, those of its parts too."""
    if isinstance(value, (int, float)):
        return [value]
    if isinstance(value, (list, tuple)):
        return [number for item in value for number in numbers_in(item)]
    if isinstance(value, Mapping):
        return numbers_in(list(value.values()))
    return numbers_in(list(vars(value).values())) if hasattr(value, "__dict__") else []


def test_a_view_is_what_was_said():
    tone, light = {"exposure": -2.5, "gamma": 2.2}, [28, 40]
    assert said(**VIEW, **tone, light=light) == View(
        5, 3, (0.25, 0.0, 1.0, 0.5), 40, 30, ("target", "result"), Tone(-2.5, 2.2), (28.0, 40.0)
    )
    assert said(type="view", id=0, scene=0, width=1, height=1) == View(0, 0)
    assert said(**VIEW, inputs=[1, 0.5]).inputs == (1.0, 0.5)


@pytest.mark.parametrize("width, height", [(LARGEST_SIDE, 1024), (1024, LARGEST_SIDE),
                                           (2048, 2048), (1, 1)])  # fmt: skip
def test_views_up_to_the_limits(width, height):
    view = said(**VIEW | {"width": width, "height": height})
    assert (view.width, view.height) == (width, height)


@pytest.mark.parametrize("changed, line", [
    ({"width": 4097}, "view.width: need a whole number from 1 to 4096."),
    ({"height": 0}, "view.height: need a whole number from 1 to 4096."),
    ({"width": 1.5}, "view.width: need a whole number from 1 to 4096."),
    ({"width": True}, "view.width: need a whole number from 1 to 4096."),
    ({"width": 4096, "height": 1025}, "view: got 4096 x 1025 pixels, need 4194304 at most."),
    ({"region": [0, 0, 1]}, "view.region: need 4 numbers."),
    ({"region": [0, 0, 1, "1"]}, "view.region: need 4 numbers."),
    ({"region": [0, 0, 1, math.nan]}, "message: got no strict JSON, need an object with a type."),
    ({"id": 1, "more": [-math.inf]}, "message: got no strict JSON, need an object with a type."),
    ({"region": [0, 0, 1, 10**400]}, "message: got no strict JSON, need an object with a type."),
    ({"region": [0, 0, 1, 10**20]}, "view.region: need 4 numbers."),
    ({"panes": ["\ud800"]}, "message: got no strict JSON, need an object with a type."),
    ({"panes": ["a\n"]}, "view.panes: got something else, need up to 8 names."),
    ({"region": [0, 0, 1.5, 1]}, "view.region: got a number beyond 1."),
    ({"region": [0.5, 0, 0.5, 1]},
     "view.region: got 0.5,0,0.5,1, need u0 < u1 and v0 < v1 in [0, 1]."),
    ({"region": [-0.5, 0, 0.5, 1]},
     "view.region: got -0.5,0,0.5,1, need u0 < u1 and v0 < v1 in [0, 1]."),
    ({"region": [0, 0, 5e-324, 1]}, "view.region: need sides of 1e-09 at least."),
    ({"region": [0.5, 0, 1, 1e-10]}, "view.region: need sides of 1e-09 at least."),
    ({"panes": ["result"] * 9}, "view.panes: got something else, need up to 8 names."),
    ({"panes": "result"}, "view.panes: got something else, need up to 8 names."),
    ({"panes": ["x" * 201]}, "view.panes: got something else, need up to 8 names."),
    ({"exposure": 33}, "view.exposure: need a number from -32 to 32."),
    ({"exposure": None}, "view.exposure: need a number from -32 to 32."),
    ({"gamma": 0}, "view.gamma: need a number from 0.1 to 10."),
    ({"light": [361, 0]}, "view.light: got a number beyond 360."),
    ({"light": 5}, "view.light: need 2 numbers."),
    ({"inputs": 1}, "view.inputs: need a list of up to 16 numbers."),
    ({"inputs": [True]}, "view.inputs: need a list of up to 16 numbers."),
    ({"inputs": [0.0] * 17}, "view.inputs: need a list of up to 16 numbers."),
    ({"scene": -1}, "view.scene: need a whole number from 0 to 2147483647."),
    ({"id": 2**31}, "view.id: need a whole number from 0 to 2147483647."),
])  # fmt: skip
def test_views_that_are_refused(refusal, changed, line):
    assert refusal(ConfigError, said, **VIEW | changed) == line


@pytest.mark.parametrize("given_settings, kept", [
    ({"action": "pause"}, {}),
    ({"action": "pause", "rate_scale": 5, "seed": 1, "picture": "p1"}, {}),
    ({"action": "rate", "rate_scale": 0.01}, {"rate_scale": 0.01}),
    ({"action": "transform", "transform": "zoom"}, {"transform": "zoom"}),
    ({"action": "reset", "seed": 3}, {"seed": 3}),
    ({"action": "reset"}, {}),
    ({"action": "start", "picture": "p1", "preset": "grid", "seed": 0, "seconds": 20},
     {"picture": "p1", "preset": "grid", "seed": 0, "seconds": 20.0}),
    ({"action": "start", "picture": None, "preset": "grid", "seed": None, "seconds": None},
     {"preset": "grid"}),
])  # fmt: skip
def test_controls(given_settings, kept):
    assert said(type="control", **given_settings) == Control(given_settings["action"], kept)


@pytest.mark.parametrize("settings, line", [
    ({}, "control.action: got 'None', need one of pause, resume, step, stop, rate, transform, "
         "reset, start."),
    ({"action": "rate"}, "control.rate_scale: need a number from 0.01 to 100."),
    ({"action": "rate", "rate_scale": 101}, "control.rate_scale: need a number from 0.01 to 100."),
    ({"action": "transform", "transform": "spin"},
     "control.transform: need one of identity, zoom, flip."),
    ({"action": "reset", "seed": -1}, "control.seed: need a whole number from 0 to 2147483647."),
    ({"action": "start", "picture": ["p1"]}, "control.picture: got something else, need a name."),
    ({"action": "start", "set": "a=1"}, "control.set: need a list of up to 64 NAME=VALUE."),
    ({"action": "start", "set": ["a=1"] * 65}, "control.set: need a list of up to 64 NAME=VALUE."),
    ({"action": "start", "set": ["a=1", 2]}, "control.set: need a list of up to 64 NAME=VALUE."),
    ({"action": "start", "seconds": 0}, "control.seconds: need a number from 0.1 to 86400."),
])  # fmt: skip
def test_controls_that_are_refused(refusal, settings, line):
    assert refusal(ConfigError, said, type="control", **settings) == line


def test_the_rest():
    assert said(type="received", id=17) == FrameShown(17)
    assert said(type="visible", visible=True) == Visible(True)
    assert said(type="visible", visible="yes") == Visible(False)
    assert said(type="pick", id=1, scene=2, u=0, v=1) == Pick(1, 2, 0.0, 1.0)
    assert said(type="overlay", scene=2, name="grid 1") == Overlay(2, "grid 1")


@pytest.mark.parametrize("text", ["", "{", "[1", "\x00", '{"type": "view", "type": "received"}',
                                  '{"type": "received", "id": 1, "id": 2}'])  # fmt: skip
def test_no_json(refusal, text):
    line = "message: got no strict JSON, need an object with a type."
    assert refusal(ConfigError, parse, text) == line


@pytest.mark.parametrize("text", ["[]", "1", "{}", '{"type": "shell"}', '{"type": null}',
                                  '{"type": ["view"]}'])  # fmt: skip
def test_no_known_type(refusal, text, same_message):
    same_message(refusal(ConfigError, parse, text), "message", "control")
