"""kinds/shader/recipe and shader_build: settings of a fit, and what makes a task of a module."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import from_dict, to_dict
from neuralshade.fitting.typed_values import parse_values, plain_value
from neuralshade.kinds.shader import recipe as recipe_module
from neuralshade.kinds.shader.build import build_task
from neuralshade.kinds.shader.recipe import MOST_THREADS, ShaderRecipe, size_of, threads_of
from neuralshade.kinds.shader.source import ShaderSource, load_shader
from neuralshade.kinds.shader.task import task_text
from neuralshade.source import picture

TASK = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.5)] [Range(-1, 1)] [Start(0.25)] float3 a;
    [Trainable(0.5)] [Size(2, 1)] Texture<float> t;
    int whole = 16777217;
    bool on = true;
    uint given;
    [Differentiable] float loss(no_diff Thread thread) { return a.x; }
}
"""


def built(**values):
    return build_task(ShaderSource(TASK, "t.slang"), {"given": 1} | values, 0)


@pytest.mark.parametrize("text, sides", [
    ("7", (7, 1, 1)), ("7x5", (7, 5, 1)), ("7X5x3", (7, 5, 3)), ("65535x256", (65535, 256, 1)),
])  # fmt: skip
def test_threads(text, sides):
    assert threads_of(ShaderRecipe(threads=text)) == sides


@pytest.mark.parametrize("name, text", [
    ("threads", ""), ("threads", "0"), ("threads", "2x-3"), ("threads", "1x2x3x4"),
    ("threads", "1.5"), ("threads", f"{MOST_THREADS + 1}"), ("size", "5"), ("size", "0x5"),
    ("size", "1x2x3"),
])  # fmt: skip
def test_sides_that_are_none(name, text):
    with pytest.raises(ConfigError, match=rf"^ShaderRecipe\.{name}: got .*, need .*\.$"):
        ShaderRecipe(**{name: text})


def test_names_are_those_that_there_are():
    assert picture.COLOR_SPACES == recipe_module.COLOR_SPACES


def test_a_recipe_is_plain_data_and_ends():
    recipe = ShaderRecipe(threads="3x2", size="8x4", steps=5)
    assert from_dict(ShaderRecipe, to_dict(recipe)) == recipe and size_of(recipe) == (8, 4)
    with pytest.raises(ConfigError, match=r"^ShaderRecipe\.steps: got None with no seconds"):
        ShaderRecipe(seconds=None)


def test_a_task_begins_as_module_and_values_say():
    task = built()
    np.testing.assert_array_equal(task.start, np.float32([0.25] * 3 + [0] * 2))
    assert (task.numbers, task.pictures, task.task.renders) == ({"given": 1}, {}, None)
    for a in ("0.5,-1,1", [0.5, -1, 1], np.array([0.5, -1, 1])):
        np.testing.assert_array_equal(built(a=a).start[:3], np.float32([0.5, -1, 1]))
    np.testing.assert_array_equal(built(t=[[[1], [2]]]).start[3:], [1, 2])
    assert built(**{"t.size": "3x4"}).task.members[1].shape == (4, 3, 1)
    assert [m.rate for m in built(**{"t.rate": "2"}).task.members] == [0.5, 2.0]


def test_whole_numbers_reach_the_text_whole():
    task = built(whole=-16777217, on="false", given="4294967295")
    text = task_text(task.task, task.numbers, {})
    for line in ("task.whole = int(-16777217);", "task.on = bool(0);",
                 "task.given = uint(4294967295);"):  # fmt: skip
        assert line in text
    assert "task.whole" not in task_text(built().task, built().numbers, {})  # as the module says


@pytest.mark.parametrize("values, message", [
    ({"whole": 0.5}, "set: got whole=0.5, need int: a whole number in -2147483648 ... 2147483647. "
     "Round it, or change the member's type."),
    ({"given": -1}, "set: got given=-1, need uint: a whole number in 0 ... 4294967295. Round it, "
     "or change the member's type."),
    ({"on": 2}, "set: got on=2, need bool: a whole number in 0 ... 1. Round it, or change the "
     "member's type."),
    ({"whole": "1e60"}, "set: got whole='1e60', need a number. Write for example whole=0.5."),
    ({"a": "0.5,,1"}, "set: got a='0.5,,1', need a number, or numbers with commas between. Write "
     "for example a=0.5."),
    ({"a": [0, 2, 0]}, "set: got a with numbers in 0 ... 2, need -1 ... 1, its [Range]. Change "
     "one of the two."),
])  # fmt: skip
def test_values_that_a_member_does_not_take(values, message):
    with pytest.raises(ConfigError) as caught:
        built(**values)
    assert str(caught.value) == message


def test_pairs_of_a_command_line():
    assert parse_values(["a=1", "b.size=2x3", "c=x=y.png", "d="]) == {
        "a": "1", "b.size": "2x3", "c": "x=y.png", "d": "",
    }  # fmt: skip


@pytest.mark.parametrize("name, text, value", [
    ("a", "1", 1), ("a", "-2.5e3", -2500.0), ("a", "0.1,2", [0.1, 2]), ("a", "True", True),
    ("a.size", "8x4", "8x4"), ("a.rate", "0", 0),
])  # fmt: skip
def test_numbers_that_pages_give(name, text, value):
    assert plain_value(name, text) == value


@pytest.mark.parametrize("text", ["photo.png", "/etc/passwd", "1,x", "", "1 2"])
def test_pages_give_no_paths(refusal, text):
    assert refusal(ConfigError, plain_value, "a", text) == (
        f"set: got a={text!r}, need a number, or numbers with commas between. Write for example "
        "a=0.5; send a picture beside the task."
    )


def test_a_mark_at_the_beginning_of_a_file_is_no_text(tmp_path):
    path = tmp_path / "t.slang"
    path.write_bytes(b"\xef\xbb\xbf" + TASK.replace("\n", "\r\n").encode())
    assert load_shader(path).text == TASK and load_shader(path).name == "t.slang"
