"""model/linear on the device: equal to the float64 Python half."""

import numpy as np
import pytest
import torch

from neuralshade.model.linear import Linear

SIZES = [(1, 1), (2, 1), (6, 4), (5, 31), (33, 16), (16, 7)]  # inputs, outputs
SAMPLES = 9


def layer_and_batch(inputs, outputs, bias, rng):
    layer = Linear(inputs, outputs, 1.0, bias, rng=rng)
    if bias:
        torch.nn.init.uniform_(layer.bias, -0.5, 0.5, generator=rng)
    x = torch.randn(SAMPLES, inputs, generator=rng).numpy()
    return layer, x, torch.randn(SAMPLES, outputs, generator=rng).numpy()


def numbers_of(module: torch.nn.Module) -> np.ndarray:
    return torch.nn.utils.parameters_to_vector(module.parameters()).detach().numpy()


LARGE = [pytest.param(*size, marks=pytest.mark.slow) for size in SIZES[3:]]  # seconds to compile


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("inputs, outputs", [*SIZES[:3], *LARGE])
def test_both_halves_agree(inputs, outputs, bias, network_kernel, float64_passes, rng):
    layer, x, d_y = layer_and_batch(inputs, outputs, bias, rng)
    kernel = network_kernel(layer.slang(), inputs, outputs, SAMPLES)
    got = kernel.run(numbers_of(layer), x, d_y)
    for name, wanted in float64_passes(layer, x, d_y)._asdict().items():
        close = {"rtol": 1e-5, "atol": 1e-5}  # float32 sums of up to 33 terms
        np.testing.assert_allclose(getattr(got, name), wanted, err_msg=name, **close)


@pytest.mark.parametrize("inputs, outputs", [(5, 3), (6, 5)])
def test_packed_halves_are_read_in_their_place(
    inputs, outputs, network_kernel, float64_passes, rng
):
    layer, x, d_y = layer_and_batch(inputs, outputs, True, rng)
    layer.half()
    kernel = network_kernel(layer.slang(), inputs, outputs, SAMPLES, packed=True)
    got = kernel.run(numbers_of(layer), x, d_y)
    for name, wanted in float64_passes(layer, x, d_y)._asdict().items():
        close = {"rtol": 1e-5, "atol": 1e-5}  # float32 sums
        np.testing.assert_allclose(getattr(got, name), wanted, err_msg=name, **close)


def test_its_name_in_slang(rng):
    half = Linear(5, 3, 1.0, False, rng=rng).slang()
    assert (half.type, half.declarations) == ("Linear<5, 3, false>", "")
