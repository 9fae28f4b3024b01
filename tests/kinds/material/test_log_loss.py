"""log_loss: value, gradient and its Slang half."""

import math

import numpy as np
import pytest
import torch

from neuralshade.gpu.gpu import run_once
from neuralshade.kinds.material.log_loss import DARK, FLOOR, SQUARED, log_loss, logs_of

KERNEL = """
import neuralshade.kinds.material.log_loss;
StructuredBuffer<float> rows; // output, wanted, seen: 7 each
RWStructuredBuffer<float> found; // loss, its gradient: 4 each
uniform float floor;

[shader("compute")] [numthreads(32, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    uint i = thread.x, at = 7u * i;
    if (at >= rows.getCount())
        return;
    float output[3] = { rows[at], rows[at + 1u], rows[at + 2u] };
    float3 wanted = float3(rows[at + 3u], rows[at + 4u], rows[at + 5u]);
    float loss;
    float d_output[3] = log_loss_gradient(output, wanted, rows[at + 6u], floor, loss);
    found[4u * i] = loss;
    for (uint channel = 0u; channel < 3u; ++channel)
        found[4u * i + 1u + channel] = d_output[channel];
}
"""


def samples(count: int, rng: torch.Generator) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return what a decoder says, light of e^-20 to e^6 and none, and what is seen: [3, count]."""
    output = 26 * torch.rand((3, count), generator=rng) - 20
    wanted = (26 * torch.rand((3, count), generator=rng) - 20).exp()
    seen = torch.rand(count, generator=rng) < 0.9
    return output, torch.where(torch.rand((3, count), generator=rng) < 0.1, 0, wanted), seen.float()


def test_small_errors_count_by_their_square_too_and_large_ones_by_their_size():
    errors = torch.tensor([0.0, 0.1, -0.1, 2.0, -SQUARED, 5.0, -7.0])
    value, gradient = log_loss(errors + 1, torch.ones(7))
    wanted = [0, 0.105, 0.105, 4, SQUARED + SQUARED**2 / 2, 5 + 5 * 3 - 4.5, 7 + 7 * 3 - 4.5]
    np.testing.assert_allclose(value.numpy(), wanted, atol=1e-5)
    np.testing.assert_allclose(gradient.numpy(), [0, 1.1, -1.1, 3, -4, 4, -4], atol=1e-5)


def test_the_gradient_is_that_of_the_value(rng):
    p, t = (6 * torch.randn((2, 500), generator=rng, dtype=torch.float64)).unbind()
    step = 1e-6
    far = (p - t).abs() > 2 * step
    rise = (log_loss(p + step, t)[0] - log_loss(p - step, t)[0]) / (2 * step)
    torch.testing.assert_close(log_loss(p, t)[1][far], rise[far], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_told(broken):
    value, gradient = log_loss(torch.tensor([broken]), torch.tensor([0.5]))
    assert not value.isfinite().any() and not gradient.isfinite().any()


def test_of_a_texel_with_two_sides_neither_is_taken_for_all_of_it():
    """A median is the side that three points of five lie on, however far the other is."""
    t = torch.tensor([0.0, 0.0, 0.0, 2.0, 2.0], dtype=torch.float64)
    said = torch.linspace(-1, 3, 4001, dtype=torch.float64)
    best = [float(said[loss.mean(1).argmin()])
            for loss in ((said[:, None] - t).abs(), log_loss(said[:, None], t)[0])]  # fmt: skip
    assert best[0] == pytest.approx(0, abs=1e-3) and best[1] == pytest.approx(0.6, abs=2e-3)


def test_both_halves_say_the_same(gpu, rng):
    output, wanted, seen = samples(320, rng)
    said = output.exp().requires_grad_()
    p, t = logs_of(said, (wanted + FLOOR).log()) * seen, (wanted + FLOOR).log() * seen
    value, d_p = log_loss(p.detach(), t)
    p.backward(d_p)
    rows = torch.cat([output, wanted, seen[None]]).t().contiguous().numpy()
    found = gpu_found(gpu, rows)
    np.testing.assert_allclose(found[:, 0], value.sum(0).numpy(), rtol=2e-3, atol=2e-4)
    d_output = (said.grad * said.detach()).t().numpy()
    near = (np.abs((p.detach() - t).t().numpy()) < 1e-3) & (seen[:, None].numpy() > 0)
    np.testing.assert_allclose(found[:, 1:][~near], d_output[~near], rtol=5e-3, atol=2e-4)
    dark = (output.exp() < 1e-3) & (wanted > 0.1) & (seen > 0)
    assert dark.any() and (np.abs(found[:, 1:].T[dark.numpy()]) >= DARK).all()


def gpu_found(gpu, rows):
    """Return loss and gradient of the Slang half: float32 [n, 4]."""
    found = gpu.buffer(np.zeros(4 * len(rows), np.float32))
    bound = {"rows": gpu.buffer(rows.ravel()), "found": found, "floor": FLOOR}
    kernel = gpu.kernel(KERNEL, "main", bound)
    run_once(gpu, [(kernel, -(-len(rows) // 32))])
    return found.read().view(np.float32).reshape(-1, 4)
