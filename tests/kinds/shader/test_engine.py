"""kinds/shader/engine: threads of a step, Adam, given values, states that go on."""

import numpy as np
import pytest
import torch

from neuralshade.source.picture import picture_from_array


@pytest.mark.parametrize("threads, count", [("1", 1), ("7x3", 21), ("9x30x4", 1080), ("257", 257)])
def test_every_thread_is_run_once(gpu, threads, count, module, engine_of):
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


def test_steps_are_those_of_torch(gpu, module, engine_of):
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


def test_ranges_are_kept(gpu, module, engine_of):
    source = module("[Trainable(0.5)] [Range(-1, 0.25)] float2 a; [Trainable(0.5)] float b;",
                    "return a.x - a.y - b;")  # fmt: skip
    engine = engine_of(gpu, source)
    engine.advance([1.0] * 20)
    a, b = engine.values()[:2], engine.values()[2]
    np.testing.assert_array_equal(a, np.float32([-1, 0.25]))
    assert b > 2


def test_a_rate_of_zero_keeps_a_member(gpu, module, engine_of):
    source = module("[Trainable(0.5)] float a; [Trainable(0.5)] float b;", "return a + b;")
    engine = engine_of(gpu, source, {"a.rate": 0, "a": 0.75})
    engine.advance([1.0] * 5)
    assert engine.values()[0] == 0.75 and engine.values()[1] < -1


def test_random_numbers_differ_by_thread_step_and_seed(gpu, module, engine_of):
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


def test_given_numbers_and_pictures_reach_the_task(gpu, module, engine_of):
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


def test_names_of_the_user_s_own_are_free(gpu, module, engine_of):
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


def test_more_numbers_than_groups(gpu, monkeypatch, module, engine_of):
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


@pytest.mark.parametrize("steps", [1, 300])
def test_a_state_goes_on_as_if_nothing_had_happened(gpu, steps, module, engine_of):
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
