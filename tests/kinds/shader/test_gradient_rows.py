"""kinds/shader/check_gradients: what a row says of where its verdict is from."""

import pytest

import neuralshade
from neuralshade.kinds.shader.source import ShaderSource

TASK = """import neuralshade.model.trainable;
float cut(float x) { return x; }
struct Task : ITask
{
    [Trainable(0.1)] [Range(0, 4)] float2 a;
    [Trainable(0.1)] [Start(1)] float b;
    [Differentiable] float loss(no_diff Thread thread) { return LOSS; }
}
"""


def rows_of(loss, **settings):
    source = ShaderSource(TASK.replace("LOSS", loss), "t.slang")
    return {row.member: row for row in neuralshade.check_gradients(source, threads="4", **settings)}


def test_a_member_that_the_loss_does_not_read_has_no_gradient():
    rows = rows_of("b * b")
    assert {name: row.verdict for name, row in rows.items()} == {"a": "no gradient", "b": "right"}
    assert (rows["a"].derivative, rows["a"].difference, rows["a"].error) == (0, 0, 0)


def test_one_that_begins_at_a_flat_place_has_one():
    assert rows_of("dot(a, a) + b")["a"].verdict == "right"


def test_a_derivative_that_is_cut_off_is_wrong_and_not_none():
    assert rows_of("no_diff(cut(a.x)) + b")["a"].verdict == "wrong"


@pytest.mark.slow
def test_places_beside_which_the_loss_is_no_number_are_named():
    rows = rows_of("sqrt(a.x) + a.y + b")
    assert rows["a"].undefined == ("a[0], start",) and rows["a"].verdict == "right"
    assert rows["b"].undefined == ()


@pytest.mark.slow
def test_the_error_that_is_shown_is_one_of_the_verdict_and_its_limit_is_told():
    for loss in ("sin(3 * a.x) * a.y + b * b * b", "no_diff(cut(a.x)) + a.y + b"):
        for row in rows_of(loss).values():
            assert (row.error <= row.allowed) == (row.verdict == "right"), row
            assert row.allowed >= 0.002 * abs(row.derivative)


def test_what_rounding_hides_is_counted_and_not_shown_as_right():
    """Numbers of a grid begin so small that a step of them drowns in the loss."""
    (row,) = (r for r in rows_of("1000.0f + b * 1e-3f + a.x").values() if r.member == "b")
    assert row.lost > 0 or row.error <= row.allowed
    assert row.relative <= 0.011 or row.verdict != "right"


def test_kinks_are_counted():
    row = rows_of("abs(a.x) + abs(a.y) + b")["a"]
    assert row.kinks == 2 and row.verdict == "right"


@pytest.mark.slow
def test_large_members_are_sampled():
    text = TASK.replace("float b;", "float b; [Trainable(1)] [Size(50, 40)] Texture<float> t;")
    source = ShaderSource(text.replace("LOSS", "b * t.sample(thread.uv()) + a.x"), "t.slang")
    *_, row = neuralshade.check_gradients(source, threads="8x8")
    assert row.member == "t" and 64 <= row.numbers <= 128 and row.size == 2000
