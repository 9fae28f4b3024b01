"""optimizer/adam: one number's step on the device equals PyTorch's Adam over many steps."""

import numpy as np
import pytest
import torch

BETAS = (0.9, 0.99)
STEPS = 300
NUMBERS = 40
RUN = """
import neuralshade.optimizer.adam;

float3 moved(float3 number, float d_value, uint count, float rate, float2 betas, float epsilon)
{
    Moments moments = { number.x, number.y, number.z };
    AdamStep by = { rate, betas.x, betas.y, epsilon };
    moments.step(d_value, CountedStep(by, count));
    return float3(moments.value, moments.mean, moments.square);
}

float correction(float decay, uint count)
{
    return unbiased(decay, count);
}
"""


@pytest.fixture(scope="module")
def kernels(device):
    spy = pytest.importorskip("slangpy")
    return spy.Module(device.load_module_from_source("test_adam_slang", RUN))


@pytest.mark.parametrize("betas, epsilon", [((0.9, 0.99), 1e-8), ((0.5, 0.999), 1e-3)])
def test_many_steps_equal_those_of_pytorch(kernels, rng, betas, epsilon):
    spy = pytest.importorskip("slangpy")
    theta = torch.randn(NUMBERS, generator=rng)
    p = torch.nn.Parameter(theta.double())
    adam = torch.optim.Adam([p], lr=1e-2, betas=betas, eps=epsilon)
    number = np.stack([theta.numpy(), *np.zeros((2, NUMBERS))], axis=1).astype(np.float32)
    sizes = torch.logspace(-6, 3, NUMBERS)  # of the gradients
    for step in range(STEPS):
        rate = 1e-2 * (1 - step / STEPS)
        gradient = torch.randn(NUMBERS, generator=rng) * sizes
        gradient[step % NUMBERS] = 0.0
        p.grad, adam.param_groups[0]["lr"] = gradient.double(), rate
        adam.step()
        args = (gradient.numpy(), step + 1, rate, spy.float2(*betas), epsilon)
        number = kernels.moved(number, *args, _result="numpy")
        if step in (0, 1, 10, STEPS - 1):
            # a step is known to 1e-5 (1 - decay^count by float32 powers), 1e-2 long at most
            np.testing.assert_allclose(number[:, 0], p.detach(), rtol=2e-6, atol=2e-5)
    kept = adam.state[p]
    np.testing.assert_allclose(number[:, 1] / sizes.numpy(), kept["exp_avg"] / sizes, atol=3e-6)
    np.testing.assert_allclose(number[:, 2], kept["exp_avg_sq"], rtol=2e-5)


def test_the_correction_of_a_mean_that_began_at_zero(kernels):
    counts = np.array([1, 2, 3, 10, 100, 5000, 10**6], np.uint32)
    for decay in (0.5, 0.9, 0.99, 0.9999):
        got = kernels.correction(decay, counts, _result="numpy")
        # decay is rounded to float32, 6e-8 off, and so is its power: 2^-23 beside 1 - decay
        wanted = 1 - float(np.float32(decay)) ** counts.astype(np.float64)
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=5e-7)
    assert (kernels.correction(0.0, counts, _result="numpy") == 1.0).all()


def test_a_number_without_gradient_or_moments_stays(kernels):
    spy = pytest.importorskip("slangpy")
    still = np.array([[0.3, 0, 0], [-7.0, 0, 0]], np.float32)
    args = (np.zeros(2, np.float32), 1, 0.1, spy.float2(*BETAS), 1e-8)
    np.testing.assert_array_equal(kernels.moved(still, *args, _result="numpy"), still)
