"""Check of a loss's two halves against each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.gpu.gpu import Gpu, run_once
from neuralshade.loss.pointwise import loss_named, slang_loss
from neuralshade.testing.device import some_gpu

KERNEL = """
typealias L = {type};
StructuredBuffer<float> p;
StructuredBuffer<float> t;
RWStructuredBuffer<float> value;
RWStructuredBuffer<float> d_p;

[shader("compute")] [numthreads(32, 1, 1)]
void compared(uint3 thread : SV_DispatchThreadID)
{{
    uint i = thread.x;
    if (i >= {count}u)
        return;
    value[i] = L.eval(p[i], t[i]);
    d_p[i] = L.gradient(p[i], t[i]);
}}
"""
SIZES = (1e-4, 0.02, 1.0, 1e4)  # of predictions and targets
EACH = 40
ODD = (math.nan, math.inf, -math.inf)
# p - t is exact to 2^-24 of itself; a GPU's quotient and logarithm to some times that
CLOSE = {"rtol": 2e-6, "atol": 1e-12}

Floats = npt.NDArray[Any]


def check_loss(kind: str, *, gpu: Gpu | None = None, rtol: float = CLOSE["rtol"]) -> None:
    """Assert that a loss meets the requirements of fits and kernels.

    Value and gradient of the Slang half equal those of the Python half in float64, for numbers of
    both signs from 1e-4 to 1e4, black among them; and an error that is not finite has a gradient
    that is not finite, in both halves, so that the step is skipped.

    Args:
        kind: as in a recipe.
        gpu: from ``neuralshade.gpu.open.open_gpu``; by default one is opened for this call.
        rtol: relative tolerance.

    Raises: AssertionError with the difference; ConfigError for an unknown name; KernelError where
        the Slang half does not compile; DeviceError where no device answers.
    """
    p, t = samples(torch.Generator().manual_seed(0))
    with some_gpu(gpu) as opened:
        value, d_p = run_loss(opened, kind, *_with_odd(p, t))
    expected, d_expected = by_torch(kind, p, t)
    count = len(p)
    for found, right, what in ((value, expected, "value"), (d_p, d_expected, "gradient")):
        np.testing.assert_allclose(found[:count], right, rtol=rtol, atol=CLOSE["atol"],
                                   err_msg=what)  # fmt: skip
    on_host = by_torch(kind, *_with_odd(p, t))[1][count:]
    for half, gradient in (("Python", on_host), ("Slang", d_p[count:])):
        assert not np.isfinite(gradient).any(), f"{half}: a finite gradient of an odd error"


def samples(rng: torch.Generator) -> tuple[Floats, Floats]:
    """Return p, t float32 [160]: both signs, of all SIZES, black among them."""
    size = torch.tensor(SIZES)[:, None]
    p, t = ((size * torch.randn(len(SIZES), EACH, generator=rng)).flatten().numpy() for _ in "pt")
    p[:5] = 0.0
    t[3:8] = 0.0
    return p, t


def _with_odd(p: Floats, t: Floats) -> tuple[Floats, Floats]:
    odd = np.array(ODD, np.float32)
    half = np.full(len(odd), 0.5, np.float32)
    return np.concatenate([p, odd, half, odd]), np.concatenate([t, half, odd, odd])


def by_torch(kind: str, p: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Return value and gradient of the Python half in float64."""
    value, d_p = loss_named(kind)(*(torch.from_numpy(np.float64(x)) for x in (p, t)))
    return value.numpy(), d_p.numpy()


def run_loss(gpu: Gpu, kind: str, p: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Return value and gradient of the Slang half, float32."""
    half = slang_loss(kind)
    text = "".join(f"import {module};\n" for module in sorted(half.modules))
    text += KERNEL.format(type=half.type, count=len(p))
    zeros = np.zeros(len(p), np.float32)
    arrays = {"p": np.float32(p), "t": np.float32(t), "value": zeros, "d_p": zeros}
    buffers = {name: gpu.buffer(values) for name, values in arrays.items()}
    run_once(gpu, [(gpu.kernel(text, "compared", buffers), -(-len(p) // 32))])
    value, d_p = (buffers[name].read().view(np.float32)[: len(p)] for name in ("value", "d_p"))
    return value, d_p
