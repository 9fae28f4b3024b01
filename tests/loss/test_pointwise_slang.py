"""loss/pointwise: the Slang half equals the Python half in value and gradient."""

import math

import numpy as np
import pytest
import torch

from neuralshade.errors import ConfigError
from neuralshade.loss.pointwise import FLOOR, LOSSES, slang_loss

KERNEL = """
import neuralshade.loss.pointwise;
typealias L = KIND;
StructuredBuffer<float> p;
StructuredBuffer<float> t;
RWStructuredBuffer<float> value;
RWStructuredBuffer<float> d_p;
RWStructuredBuffer<float> floor_is;

[shader("compute")] [numthreads(32, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    uint i = thread.x;
    if (i >= p.getCount())
        return;
    value[i] = L.eval(p[i], t[i]);
    d_p[i] = L.gradient(p[i], t[i]);
    floor_is[i] = FLOOR;
}
"""
NEVER_CLOSER = np.float32(0.01)  # p and t, where their sign is asked for


@pytest.fixture(scope="module")
def run(device):
    """Give a function that runs one kind on p and t and returns what every buffer holds."""
    spy = pytest.importorskip("slangpy")
    kernels = {}
    usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access

    def run(kind, p, t):
        if kind not in kernels:
            text = KERNEL.replace("KIND", slang_loss(kind).type)
            module = device.load_module_from_source(f"test_pointwise_{kind}", text)
            program = device.link_program([module], [module.entry_point("main")])
            kernels[kind] = device.create_compute_kernel(program)
        p, t = (np.asarray(x, np.float32) for x in (p, t))
        made = ("value", "d_p", "floor_is")
        data = {"p": p, "t": t, **{name: np.zeros_like(p) for name in made}}
        buffers = {n: device.create_buffer(data=v, usage=usage) for n, v in data.items()}
        kernels[kind].dispatch([len(p), 1, 1], vars=buffers)
        return {name: buffers[name].to_numpy().view(np.float32) for name in made}

    return run


def samples(rng):
    """Return p, t float32 [160]: both signs, from 1e-4 to 1e4, black among them."""
    size = torch.tensor([1e-4, 0.02, 1.0, 1e4])[:, None]
    p, t = ((size * torch.randn(4, 40, generator=rng)).flatten().numpy() for _ in "pt")
    p[:5] = 0.0
    t[3:8] = 0.0
    return p, t


def reference(kind, p, t):
    """Return value and gradient of the Python half in float64."""
    value, d_p = LOSSES[kind](*(torch.from_numpy(np.float64(x)) for x in (p, t)))
    return value.numpy(), d_p.numpy()


@pytest.mark.parametrize("kind", LOSSES)
def test_both_halves_agree(run, rng, kind):
    p, t = samples(rng)
    got = run(kind, p, t)
    value, d_p = reference(kind, p, t)
    # p - t is exact to 2^-24 of itself; a GPU's quotient and logarithm to some times that
    np.testing.assert_allclose(got["value"], value, rtol=2e-6, atol=1e-12)
    np.testing.assert_allclose(got["d_p"], d_p, rtol=2e-6, atol=1e-12)


@pytest.mark.parametrize("kind", LOSSES)
def test_the_gradient_equals_the_central_difference(run, rng, kind):
    p, t = (x[80:120] for x in samples(rng))  # of size 1
    p = np.where(abs(p - t) < 4 * NEVER_CLOSER, p + 8 * NEVER_CLOSER, p)
    if kind == "log_l2":
        p, t = abs(p) + 1, abs(t)  # near 0 it bends within such a difference
    h = np.float32(2.0**-8)
    above, below = (run(kind, q, t)["value"].astype(np.float64) for q in (p + h, p - h))
    if kind in ("relative_l2", "smape"):  # the denominator is held constant in the gradient
        held = denominator(kind, p, t)
        above, below = above * denominator(kind, p + h, t), below * denominator(kind, p - h, t)
        above, below = above / held, below / held
    difference = (above - below) / np.float64((p + h) - (p - h))
    np.testing.assert_allclose(run(kind, p, t)["d_p"], difference, rtol=1e-3, atol=1e-4)


def denominator(kind, p, t):
    p, t = np.float64(p), np.float64(t)
    return p * p + 0.01 if kind == "relative_l2" else (abs(p) + abs(t)) / 2 + 0.01


@pytest.mark.parametrize("kind", LOSSES)
def test_a_perfect_prediction_costs_nothing_and_pulls_nowhere(run, kind):
    t = [-3.0, 0.0, 0.5, 1e4]
    got = run(kind, t, t)
    np.testing.assert_array_equal(got["value"], 0.0)
    np.testing.assert_array_equal(got["d_p"], 0.0)


@pytest.mark.parametrize("kind", LOSSES)
def test_an_error_that_is_not_finite_shows_in_the_gradient(run, kind):
    odd = [math.nan, math.inf, -math.inf]
    pairs = [(0.3, 0.1), *[(x, 0.5) for x in odd], *[(0.5, x) for x in odd]]
    pairs += [(x, x) for x in odd]
    d_p = run(kind, *zip(*pairs, strict=True))["d_p"]
    assert np.isfinite(d_p).tolist() == [True] + [False] * 9


def test_both_halves_have_the_same_floor(run):
    assert run("smape", [1.0], [2.0])["floor_is"][0] == np.float32(FLOOR)


def test_names_in_slang():
    assert slang_loss("relative_l2").type == "RelativeL2"
    assert slang_loss("log_l1").type == "LogL1"


def test_refusal_of_an_unknown_name():
    with pytest.raises(ConfigError) as refused:
        slang_loss("L2")
    kinds = list(LOSSES)
    assert str(refused.value) == f"loss: got 'L2', need one of {kinds}. Did you mean l2?"
