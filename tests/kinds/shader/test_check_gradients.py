"""kinds/shader/check_gradients: right derivatives pass, wrong ones are caught and named."""

import json

import pytest

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.shader.source import ShaderSource

MODULE = """import neuralshade.model.trainable;
{before}
struct Task : ITask
{{
    [Trainable(0.1)] [Start(0.5)] float3 tint;
    [Trainable(0.1)] float sh[4];
    [Trainable(0.1)] [Size(16, 9)] [Start(0.25)] Texture<float2> map;
    [Trainable(0.1)] Network<2, 1, 1, 8, Relu, None> net;

    [Differentiable]
    float loss(no_diff Thread thread)
    {{
        float2 uv = thread.uv() + thread.random.next_uniform().xy * 0.01;
        float x[2] = {{ uv.x, uv.y }};
        float c = net.eval(x)[0] + dot(map.sample(uv * float2(1, 0.5)), tint.xy) + tint.z * uv.x;
        float d = {loss} + sh[0] + sh[1] * uv.x + sh[2] * uv.y + sh[3] * sh[0];
        return d * d;
    }}
}}
"""
SQUARE = "[BackwardDerivative(square_back)] float square(float x) { return x * x; }\n"
WRONG = (
    SQUARE
    + """
void square_back(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, HERE); }
"""
)


def task(loss="c", before=""):
    return ShaderSource(MODULE.format(loss=loss, before=before), "task.slang")


def small(loss, before=""):
    """Return the same with fewer numbers and without a network, which takes long to compile."""
    text = MODULE.replace("Size(16, 9)", "Size(3, 2)").replace("net.eval(x)[0]", "x[0] * x[1]")
    text = "".join(line for line in text.splitlines(True) if "Network<" not in line)
    return ShaderSource(text.format(loss=loss, before=before), "task.slang")


def rows_of(source, **settings):
    return {row.member: row for row in neuralshade.check_gradients(source, **settings)}


@pytest.mark.slow
def test_right_derivatives_are_right():
    rows = rows_of(task(), threads="24x20")
    assert {row.verdict for row in rows.values()} == {"right"}
    assert list(rows) == ["tint", "sh", "map", "net"]
    numbers = {name: row.numbers for name, row in rows.items()}
    assert numbers["tint"], numbers["sh"] == (3, 4)
    assert 64 <= numbers["map"] <= 128 and numbers["net"] == 33
    assert all(row.relative < 5e-3 for row in rows.values())
    assert all(row.where.startswith(row.member) for row in rows.values())
    json.dumps([vars(row) for row in rows.values()], allow_nan=False)


@pytest.mark.slow  # each is a module of its own to compile
@pytest.mark.parametrize("derivative", ["d * 2 * x.p * 1.05", "0", "d * 2", "-d * 2 * x.p"])
def test_a_wrong_derivative_is_caught_and_named(derivative):
    """Of one member alone: others go on being right."""
    before = WRONG.replace("HERE", derivative)
    rows = rows_of(small("c + square(tint.z + 0.25)", before), threads="24x20")
    assert {name: row.verdict for name, row in rows.items()} == {
        "tint": "wrong", "sh": "right", "map": "right",
    }  # fmt: skip
    row = rows["tint"]
    assert row.where == "tint[2]" and row.relative > 0.01
    assert row.error == pytest.approx(abs(row.derivative - row.difference))


@pytest.mark.slow  # large kernels; the gradient of all encodings is in test_gradients.py too
def test_derivatives_of_encodings_are_right(encoded, save_smooth):
    rows = neuralshade.check_gradients(encoded, values={"photo": save_smooth()}, threads="24x20")
    assert [(row.member, row.verdict) for row in rows] == [
        ("grid", "right"), ("table", "right"), ("net", "right"),
    ]  # fmt: skip
    assert all(row.numbers >= 64 for row in rows)
    assert rows[0].where.startswith("grid (number ")


@pytest.mark.slow
def test_what_is_wrong_only_away_from_the_start():
    """Zeros hide it: there both ways give 0."""
    before = WRONG.replace("HERE", "d * 3 * x.p")
    row = rows_of(small("c + square(sh[3])", before), threads="24x20")["sh"]
    assert (row.verdict, row.where, row.place) == ("wrong", "sh[3]", "moved")


@pytest.mark.slow
def test_a_member_that_is_cut_off_is_wrong():
    row = rows_of(
        small("c + no_diff(cut(tint.z))", "float cut(float x) { return x; }"), threads="24x20"
    )["tint"]
    assert (row.verdict, row.where) == ("wrong", "tint[2]")


def test_slang_s_own_error_is_caught():
    """slangpy 0.43.1: an array read by a constant and by a variable loses part of its gradient."""
    source = ShaderSource(
        "import neuralshade.model.trainable;\n"
        "struct Task : ITask { [Trainable(1)] float a[3]; [Differentiable] "
        "float loss(no_diff Thread thread) { uint i = thread.index.x % 3u; "
        "return sin(a[i]) + 3 * a[2]; } }",
        "task.slang",
    )
    (row,) = neuralshade.check_gradients(source, threads="9x9")
    assert (row.verdict, row.where) == ("wrong", "a[2]")


KINK = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] [Range(0, 1)] float edge;
    [Trainable(0.1)] [Range(0, 1)] float root;

    [Differentiable]
    float loss(no_diff Thread thread) { return abs(edge) + (root < 0 ? log(root) : root); }
}
"""


def test_kinks_and_edges_are_no_errors():
    """abs at 0 has two slopes; below 0 the loss is no number."""
    rows = rows_of(ShaderSource(KINK, "task.slang"), threads="4")
    assert rows["edge"].verdict == "right"  # once moved
    assert rows["root"].verdict == "right"


@pytest.mark.slow
def test_values_and_settings_reach_it():
    source = task("c")
    rows = rows_of(source, threads="8x8", seed=3, values={"map.size": (3, 2), "tint": 2})
    assert rows["map"].numbers == 12
    with pytest.raises(ConfigError, match=r"^widths: got \[0.1, 0.1\], need two or more, each"):
        neuralshade.check_gradients(source, widths=[0.1, 0.1])
    with pytest.raises(ConfigError, match=r"^ShaderRecipe\.thread: unknown setting"):
        neuralshade.check_gradients(source, thread="8x8")
    with pytest.raises(ConfigError, match=r"^set: got tnt, need one of tint, .*Did you mean tint"):
        neuralshade.check_gradients(source, values={"tnt": 1})


def test_a_gradient_that_is_no_number_is_named():
    with pytest.raises(ConfigError, match=r"^task.slang: got a loss that is no number in step 1"):
        neuralshade.check_gradients(small("c + log(-1 - tint.x * tint.x)"), threads="4x4")
