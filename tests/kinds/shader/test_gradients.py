"""kinds/shader/engine: a task's gradient by every kind of member, beside differences."""

import numpy as np
import pytest


def mean_loss(engine):
    return engine.losses().mean(dtype=np.float64)


def differences(engine, values, step=2.0**-6):
    """Return central differences of the mean loss: float64 [count]."""
    slopes = np.empty(values.size)
    for index, value in enumerate(values):
        losses = []
        for sign in (1, -1):
            engine.set_value(index, value + sign * step)
            losses.append(mean_loss(engine))
        engine.set_value(index, value)
        slopes[index] = (losses[0] - losses[1]) / (2 * step)
    return slopes


KINDS = {  # members, and a loss that every number of them has a part in
    "float": ("[Trainable(1)] float a;", "return sin(a + thread.uv().x);"),
    "vectors": (
        "[Trainable(1)] float2 a; [Trainable(1)] float3 b; [Trainable(1)] float4 c;",
        "return sin(dot(a, thread.uv())) + dot(b, b.yzx) * c.x + c.y * c.z * sin(c.w);",
    ),
    "matrices": (
        "[Trainable(1)] float3x3 a; [Trainable(1)] float2x4 b;",
        "float3 x = mul(a, float3(thread.uv(), 1)); float2 y = mul(b, float4(x, 0.5));"
        "return dot(x, x) + sin(y.x) * y.y;",
    ),
    "nested arrays": (
        "[Trainable(1)] float2 a[2][3]; [Trainable(1)] float2x2 b[3];",
        "uint i = thread.index.x % 2u, j = thread.index.y % 3u;"
        "return sin(a[i][j].x) * a[i][j].y + determinant(b[j]);",
    ),
    "long arrays": (
        "[Trainable(1)] float a[5][7];",  # more numbers than the text names one by one
        "uint i = thread.index.x % 5u, j = thread.index.y % 7u; return a[i][j] * sin(a[i][j] + i);",
    ),
    "texture": (
        "[Trainable(1)] [Size(3, 2)] Texture<float3> a;",
        "float3 c = a.sample(thread.uv() * 2.0 - 0.3); return dot(c, c.zxy) + c.x;",
    ),
    "network": (
        "[Trainable(1)] Network<2, 2, 2, 5, Silu, None> a;",
        "float2 uv = thread.uv(); float x[2] = { uv.x, uv.y }; float y[2] = a.eval(x);"
        "return y[0] * y[0] + sin(y[1]);",
    ),
    "grid encoding": (
        "[Trainable(1)] float b; [Trainable(1)] GridEncoding<2, 2, 2, 4, 3> a;",
        "float x[4] = a.eval(thread.uv() + 0.1 * b); return x[0] * x[3] + sin(x[1] + x[2]);",
    ),
    "hash encoding": (
        "[Trainable(1)] HashEncoding<3, 1, 4, 1, 15> a; [Trainable(1)] float b;",
        "float x[3] = a.eval(thread.uv() + 0.02 * b); return x[0] * x[1] + sin(x[2]);",
    ),
    "encodings into a network": (
        "[Trainable(1)] GridEncoding<1, 3, 3, 3, 2> a;"
        "[Trainable(1)] HashEncoding<2, 2, 4, 3, 5> b;"
        "[Trainable(1)] Network<7, 1, 1, 4, Tanh, None> n;",
        "float2 uv = thread.uv(); float x[3] = a.eval(uv); float y[4] = b.eval(uv.yx);"
        "float both[7] = { x[0], x[1], x[2], y[0], y[1], y[2], y[3] };"
        "return n.eval(both)[0];",
    ),
}


# networks and encodings are in test_trainable_slang.py too; arrays take long to compile
QUICK = ("float", "texture")
EACH = [k if k in QUICK else pytest.param(k, marks=pytest.mark.slow) for k in KINDS]


@pytest.mark.parametrize("kind", EACH)
def test_gradient_equals_central_differences(gpu, kind, module, engine_of):
    engine = engine_of(gpu, module(*KINDS[kind]))
    values = np.random.default_rng(0).uniform(-1, 1, engine.task.count).astype(np.float32)
    engine.set_values(values)
    wanted = differences(engine, values)
    assert np.count_nonzero(np.abs(wanted) > 1e-3) >= 0.8 * wanted.size  # else it says little
    # a step of 1/64 squared over 6, times third derivatives of about 1; 1e-7 over that step
    np.testing.assert_allclose(engine.gradient(), wanted, atol=2e-4 * np.abs(wanted).max())
    np.testing.assert_array_equal(engine.values(), values)  # nothing was trained
