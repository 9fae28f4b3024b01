"""engine/shader_engine: a task's loss, its gradient by every kind of member, Adam, and faults."""

import numpy as np
import pytest
import torch

from neuralshade.errors import ConfigError, KernelError
from neuralshade.gpu.slangpy_gpu import SlangpyGpu
from neuralshade.recipes.shader import ShaderRecipe
from neuralshade.recipes.shader_build import build_shader_engine, build_task
from neuralshade.source.picture import picture_from_array
from neuralshade.source.shader import ShaderSource

MODULE = """import neuralshade.model.trainable;
{before}
struct Task : ITask
{{
    {members}

    [Differentiable]
    float loss(no_diff Thread thread)
    {{
        {body}
    }}
    {after}
}}
"""


def module(members, body, after="", before=""):
    text = MODULE.format(members=members, body=body, after=after, before=before)
    return ShaderSource(text, "task.slang")


def engine_of(gpu, source, values=None, threads="8x8", **settings):
    recipe = ShaderRecipe(threads=threads, steps=1, **settings)
    return build_shader_engine(build_task(source, values or {}, recipe.seed), recipe, gpu)


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
}


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_equals_central_differences(gpu, kind):
    engine = engine_of(gpu, module(*KINDS[kind]))
    values = np.random.default_rng(0).uniform(-1, 1, engine.task.count).astype(np.float32)
    engine.set_values(values)
    wanted = differences(engine, values)
    assert np.count_nonzero(np.abs(wanted) > 1e-3) >= 0.8 * wanted.size  # else it says little
    # a step of 1/64 squared over 6, times third derivatives of about 1; 1e-7 over that step
    np.testing.assert_allclose(engine.gradient(), wanted, atol=2e-4 * np.abs(wanted).max())
    np.testing.assert_array_equal(engine.values(), values)  # nothing was trained


@pytest.mark.parametrize("threads, count", [("1", 1), ("7x3", 21), ("9x30x4", 1080), ("257", 257)])
def test_every_thread_is_run_once(gpu, threads, count):
    """Of losses that say where the thread is: 3D, and no multiple of a group."""
    where = "thread.index.x + 1000.0 * thread.index.y + 100000.0 * thread.index.z"
    source = module("[Trainable(0.1)] float a; float scale = 1;", f"return scale * a + {where};")
    engine = engine_of(gpu, source, {"a": 0.5}, threads)
    x, y, z = [*map(int, threads.split("x")), 1, 1][:3]
    at = np.stack(np.meshgrid(range(z), range(y), range(x), indexing="ij"), -1).reshape(-1, 3)
    wanted = 0.5 + at @ [100000.0, 1000.0, 1.0]
    np.testing.assert_allclose(engine.losses(), wanted, rtol=1e-6)
    assert len(wanted) == count
    np.testing.assert_allclose(engine.gradient(), [1.0], rtol=1e-5)
    assert engine.advance([0.0]) == pytest.approx(wanted.mean(), rel=1e-5)  # the mean is told


def test_steps_are_those_of_torch(gpu):
    """With rates of members of their own, and the schedule's factor on top of them."""
    source = module("[Trainable(0.1)] float a; [Trainable(0.02)] float3 b;",
                    "return (a - 1) * (a - 1) + dot(b, b.zxy) + sin(b.x) * a;")  # fmt: skip
    start = {"a": 0.25, "b": [0.5, -0.25, 1.0]}
    engine = engine_of(gpu, source, start, "1", beta1=0.8, beta2=0.95, epsilon=1e-6, rate=0.5)
    a, b = torch.tensor(0.25, requires_grad=True), torch.tensor(start["b"], requires_grad=True)
    groups = [{"params": [a], "lr": 0.05}, {"params": [b], "lr": 0.01}]
    adam = torch.optim.Adam(groups, betas=(0.8, 0.95), eps=1e-6)
    rates = [group["lr"] for group in adam.param_groups]
    factors = np.linspace(1, 0.2, 30)
    for factor in factors:
        for group, rate in zip(adam.param_groups, rates, strict=True):
            group["lr"] = rate * factor
        adam.zero_grad()
        loss = (a - 1) ** 2 + (b * b[[2, 0, 1]]).sum() + torch.sin(b[0]) * a
        loss.backward()
        adam.step()
    told = engine.advance(list(factors))
    wanted = [a.item(), *b.tolist()]
    # 30 steps whose gradients differ by float32 rounding
    np.testing.assert_allclose(engine.values(), wanted, atol=2e-5)
    assert told == pytest.approx(loss.item(), abs=1e-4)  # before the last step


def test_ranges_are_kept(gpu):
    source = module("[Trainable(0.5)] [Range(-1, 0.25)] float2 a; [Trainable(0.5)] float b;",
                    "return a.x - a.y - b;")  # fmt: skip
    engine = engine_of(gpu, source)
    engine.advance([1.0] * 20)
    a, b = engine.values()[:2], engine.values()[2]
    np.testing.assert_array_equal(a, np.float32([-1, 0.25]))
    assert b > 2


def test_a_rate_of_zero_keeps_a_member(gpu):
    source = module("[Trainable(0.5)] float a; [Trainable(0.5)] float b;", "return a + b;")
    engine = engine_of(gpu, source, {"a.rate": 0, "a": 0.75})
    engine.advance([1.0] * 5)
    assert engine.values()[0] == 0.75 and engine.values()[1] < -1


def test_random_numbers_differ_by_thread_step_and_seed(gpu):
    source = module("[Trainable(0.1)] float a;", "return a + thread.random.next_uniform().x;")

    def drawn(seed, steps):
        engine = engine_of(gpu, source, {"a.rate": 0}, "16x16", seed=seed)
        engine.advance([1.0] * steps)
        first, again = engine.losses(), engine.losses()
        np.testing.assert_array_equal(first, again)
        return first

    draws = [drawn(seed, steps) for seed, steps in ((0, 1), (0, 2), (1, 1))]
    assert len(set(draws[0].tolist())) > 250
    for index, one in enumerate(draws):
        assert one.mean() == pytest.approx(0.5, abs=0.08)  # 1/sqrt(12 * 256) is 0.018
        for other in draws[index + 1 :]:
            assert abs(np.corrcoef(one, other)[0, 1]) < 0.3


def test_given_numbers_and_pictures_reach_the_task(gpu):
    """As they are: whole numbers beyond a float's, and what the module itself says."""
    source = module(
        "[Trainable(1)] float a; float f; int i; uint u; bool on; float kept = 2 * 1.25;"
        "bool off = false; Picture<float2> photo;",
        "float2 p = photo.load(int2(thread.index.xy));"
        "bool whole = i == -16777217 && u == 4294967295u && on && !off;"
        "return a + (whole ? f * kept : -1.0) + p.x + 10 * p.y;",
    )
    pixels = np.random.default_rng(0).random((3, 4, 2), dtype=np.float32)
    picture = picture_from_array(pixels, "linear")
    values = {"f": -0.5, "i": -16777217, "u": 4294967295, "on": "true", "photo": picture}
    engine = engine_of(gpu, source, values, "4x3")
    wanted = -1.25 + pixels[..., 0] + 10 * pixels[..., 1]
    np.testing.assert_allclose(engine.losses().reshape(3, 4), wanted, rtol=1e-5)


def test_names_of_the_user_s_own_are_free(gpu):
    before = """
struct View { float x; }
struct Trained { float x; }
static const float count = 2, GROUP = 1, seed = 0, adam = 0;
[Differentiable] float keep(float x) { return x * count + GROUP; }
[Differentiable] float loss_of(float x) { return keep(x); }
void make_task() {}
"""
    body = "View v = { 1 }; Trained m = { 2 }; return loss_of(a) * v.x * m.x;"
    engine = engine_of(gpu, module("[Trainable(1)] float a;", body, before=before), {"a": 0.5})
    assert engine.advance([0.0]) == pytest.approx(4) and engine.gradient()[0] == pytest.approx(4)


RENDERS = {
    "float": ("return uv.x;", lambda u, v: [u]),
    "float2": ("return uv;", lambda u, v: [u, v, 0 * u]),
    "float3": ("return float3(uv, a);", lambda u, v: [u, v, 0 * u + 0.5]),
    "float4": ("return float4(uv, a, 0.25);", lambda u, v: [u, v, 0 * u + 0.5, 0 * u + 0.25]),
}


@pytest.mark.parametrize("color", RENDERS)
def test_pictures_are_drawn_of_any_part(gpu, color):
    body, wanted = RENDERS[color]
    source = module(
        "[Trainable(1)] float a;", "return a;", f"{color} render(float2 uv) {{ {body} }}"
    )
    engine = engine_of(gpu, source, {"a": 0.5})
    drawn = engine.draw(37, 11, (0.25, 0.5, 0.75, 1.0))
    u = 0.25 + 0.5 * (np.arange(37) + 0.5)[None] / 37 + np.zeros((11, 1))
    v = 0.5 + 0.5 * (np.arange(11) + 0.5)[:, None] / 11 + np.zeros((1, 37))
    np.testing.assert_allclose(drawn, np.stack(wanted(u, v), -1), atol=1e-6)


def test_large_pictures_are_drawn_in_parts(gpu, monkeypatch):
    source = module(
        "[Trainable(1)] float a;", "return a;", "float2 render(float2 uv) { return uv; }"
    )
    engine = engine_of(gpu, source)
    whole = engine.draw(30, 20)
    monkeypatch.setattr("neuralshade.engine.shader_engine.DRAWN_PIXELS", 70)
    np.testing.assert_array_equal(engine.draw(30, 20), whole)


def test_more_numbers_than_groups(gpu, monkeypatch):
    """Where a device takes fewer groups than there are numbers for, threads take several."""
    monkeypatch.setattr(gpu, "most_groups", 3)
    source = module("[Trainable(0.5)] [Size(64, 40)] Texture<float> a;",
                    "float d = a.load(int2(thread.index.xy)) - 1; return d * d * 99;")  # fmt: skip
    engine = engine_of(gpu, source, threads="32x20")
    assert engine.task.count > 3 * 256
    engine.advance([1.0])
    wanted = np.zeros((40, 64))
    wanted[:20, :32] = 0.5  # those that some thread saw
    np.testing.assert_allclose(engine.values().reshape(40, 64), wanted, rtol=1e-5)


FAULTS = {
    "a loss from the first step on": (
        "return thread.index.x == 3u && thread.index.y == 2u ? log(a - 1) : a;",
        "loss that is no number in step 1, thread (3, 2, 0)",
    ),
    "a gradient": (
        "return thread.index.x == 3u && thread.index.y == 2u ? bad(b[1]) : a;",
        "gradient of b[1] that is no number in step 1, thread (3, 2, 0)",
    ),
    "a texture's gradient": (
        "return thread.index.x == 3u && thread.index.y == 2u ? bad(t.load(int2(1, 0)).y) : a;",
        "gradient of t[0][1][1] that is no number in step 1, thread (3, 2, 0)",
    ),
    "a loss later on": (
        "return thread.step == 2u && thread.index.x == 3u && thread.index.y == 2u ? log(-1 - a * a)"
        " : a * 0.0;",
        "loss that is no number in step 3, thread (3, 2, 0)",
    ),
}
BAD = """
[BackwardDerivative(bad_back)] float bad(float x) { return x; }
void bad_back(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d * log(x.p - 1)); }
"""


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_number_is_named_and_stops_training(gpu, fault):
    body, message = FAULTS[fault]
    members = ("[Trainable(0.1)] float a; [Trainable(0.1)] float2 b;"
               "[Trainable(0.1)] [Size(2, 1)] Texture<float2> t;")  # fmt: skip
    engine = engine_of(gpu, module(members, body, before=BAD))
    before = engine.values()
    with pytest.raises(ConfigError) as caught:
        engine.advance([1.0] * 5)
    assert str(caught.value) == (
        f"task.slang: got a {message}, need finite ones. Guard divisions, roots and logarithms "
        "near 0, or lower the rates."
    )
    np.testing.assert_array_equal(engine.values(), before)


def test_a_gradient_that_is_no_number_is_told_once(gpu):
    """And what comes after it is not blamed for it."""
    engine = engine_of(gpu, module("[Trainable(0.1)] float2 b;", "return bad(b.x);", before=BAD))
    with pytest.raises(ConfigError, match=r"gradient of b\[0\] that is no number in step 1"):
        engine.gradient()
    other = engine_of(gpu, module("[Trainable(0.1)] float2 b;", "return b.x > 0 ? b.x : bad(b.y);",
                                  before=BAD))  # fmt: skip
    with pytest.raises(ConfigError, match=r"gradient of b\[1\]"):
        other.gradient()
    other.set_values(np.float32([1, 0]))
    np.testing.assert_allclose(other.gradient(), [1, 0], rtol=1e-6)
    other.advance([1.0])


@pytest.mark.parametrize("steps", [1, 300])
def test_a_state_goes_on_as_if_nothing_had_happened(gpu, steps):
    """One thread: no sum then depends on the order of its parts. 300 is more than is submitted."""
    body = "float r = thread.random.next_uniform().x; return dot(a - r, a.yzx + r);"
    source = module("[Trainable(0.1)] float3 a;", body)
    factors = list(np.linspace(1, 0.1, steps + 5))
    whole = engine_of(gpu, source, {"a": [1, 2, 3]}, "1")
    whole.advance(factors)
    first = engine_of(gpu, source, {"a": [1, 2, 3]}, "1")
    first.advance(factors[:steps])
    second = engine_of(gpu, source, threads="1")
    second.load_state(first.state())
    second.advance(factors[steps:])
    for name, wanted in whole.state().items():
        assert second.state()[name].numpy().tobytes() == wanted.numpy().tobytes(), name
    with pytest.raises(ValueError, match="other sizes"):
        engine_of(gpu, module("[Trainable(1)] float a;", "return a;")).load_state(first.state())


def test_errors_of_kernels_name_the_user_s_file_and_line(gpu):
    """What the compiler sees only when it builds the kernel: here, two structs of one name."""
    before = "struct Moments { float x; }"
    engine = engine_of(gpu, module("[Trainable(1)] float a;", "return a;", before=before))
    with pytest.raises(KernelError) as caught:
        engine.losses()
    assert "ambiguous reference to 'Moments'" in str(caught.value)
    assert "--> task.slang:2:8" in str(caught.value)


def test_errors_that_only_the_driver_s_form_shows(device, capfd):
    """A constant index beyond an array's end; Slang gives no line for it."""
    source = module("[Trainable(1)] float a;", "float x[2] = { a, a }; return x[7];")
    engine = engine_of(SlangpyGpu(device, owned=False), source)
    with pytest.raises(KernelError) as caught:
        engine.losses()
    assert "array index out of bounds" in str(caught.value)
    capfd.readouterr()  # SlangPy prints it too
