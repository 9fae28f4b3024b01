"""model/quantize: the device rounds to the very numbers that the Python half does."""

import numpy as np
import pytest
import torch

from neuralshade.engine.kernels.step.update import levels_of
from neuralshade.model.quantize import LEVELS, SMALLEST_STEP, fake_quantize, step_of

RUN = """
import neuralshade.model.quantize;

float2 network(float value, float largest, float4 kind)
{
    Levels levels = { kind.x, kind.y, kind.z, kind.w };
    float step = levels.step_of(largest);
    return float2(levels.stored(value, step), step);
}

float2 grid(float value, float largest, float rms, float4 kind)
{
    Levels levels = { kind.x, kind.y, kind.z, kind.w };
    float step = levels.step_of(largest, rms);
    return float2(levels.stored(value, step), step);
}

float sixteen_bits(float value)
{
    return half_rounded(value);
}
"""


@pytest.fixture(scope="module")
def kernels(device):
    spy = pytest.importorskip("slangpy")
    return spy.Module(device.load_module_from_source("test_quantize_slang", RUN))


def kind_of(bits: int):
    spy = pytest.importorskip("slangpy")
    levels = levels_of(bits)
    return spy.float4(*(levels[name] for name in ("low", "high", "offset", "reach")))


def slices(bits: int, rng: torch.Generator) -> dict[str, torch.Tensor]:
    """Return slices to round: random ones, ties, zeros, tiny and huge ones, outliers."""
    random = torch.randn(200, generator=rng)
    largest = LEVELS[bits].largest
    ties = torch.arange(-2 * largest, 2 * largest + 1) / 2  # step 1: whole and half levels
    outlier = random.clone()
    outlier[7] = 60.0
    return {
        "random": random,
        "ties": ties,
        "zeros": torch.zeros(5),
        "one": torch.tensor([-3.0]),
        "tiny": random * 1e-20,
        "huge": random * 1e18,
        "outlier": outlier,
    }


@pytest.mark.parametrize("grid", [False, True])
@pytest.mark.parametrize("bits", [4, 8])
def test_both_halves_agree(kernels, rng, bits, grid):
    for name, values in slices(bits, rng).items():
        x = values[None]
        wanted, step = fake_quantize(x, bits, grid)[0].numpy(), step_of(x, bits, grid).item()
        largest, rms = x.abs().max().item(), x.square().mean().sqrt().item()
        extent = (largest, rms) if grid else (largest,)
        run = kernels.grid if grid else kernels.network
        got = run(values.numpy(), *extent, kind_of(bits), _result="numpy")
        np.testing.assert_allclose(got[:, 1], step, rtol=3e-7, err_msg=name)  # a GPU's quotient
        off = np.abs(got[:, 0] - wanted) / step
        fraction = values.numpy() / step - LEVELS[bits].offset
        near_tie = np.abs(fraction - np.floor(fraction) - 0.5) < 1e-4
        assert (off < 1e-4 * LEVELS[bits].largest)[~near_tie].all(), name
        assert (off < 1.0 + 1e-3).all(), name
        assert near_tie.mean() < 0.1 or name in ("ties", "zeros")


@pytest.mark.parametrize("bits", [4, 8])
def test_ties_go_to_the_even_level(kernels, bits):
    """Exact ones: the step is 1, so that no quotient is rounded."""
    levels = LEVELS[bits]
    ties = np.arange(levels.low, levels.high, dtype=np.float32) + 0.5 + levels.offset
    got = kernels.network(ties, levels.largest, kind_of(bits), _result="numpy")[:, 0]
    np.testing.assert_array_equal(got, np.round(ties - levels.offset) + levels.offset)
    wanted = fake_quantize(torch.tensor([[*ties, levels.largest]]), bits)[0, :-1]
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("bits", [4, 8])
def test_a_slice_of_zeros_has_a_step_to_divide_by(kernels, bits):
    for run, extent in ((kernels.network, (0.0,)), (kernels.grid, (0.0, 0.0))):
        got = run(np.zeros(1, np.float32), *extent, kind_of(bits), _result="numpy")[0]
        assert got[1] == np.float32(SMALLEST_STEP)
        # four bits have no zero: the level beside it, half a step away
        assert abs(got[0]) <= np.float32(0.5 * SMALLEST_STEP) * (1 + 1e-6)


def test_sixteen_bits_are_float16(kernels):
    """Every exponent, both signs, ties, subnormals, and what no float16 holds."""
    rng = np.random.default_rng(2)
    sizes = np.ldexp(rng.random(3000) + 1, rng.integers(-30, 18, 3000))
    halves = np.arange(0, 0x7C00, 37, dtype=np.uint16).view(np.float16).astype(np.float64)
    above = np.nextafter(halves.astype(np.float16), np.float16(np.inf)).astype(np.float64)
    edges = [65504, 65519.99, 65520, 1e5, 3e38, 2.0**-24, 2.0**-25, 3 * 2.0**-26, 0.0, np.inf]
    x = np.float32(np.concatenate([sizes, halves, (halves + above)[:-1] / 2, edges]))
    x = np.concatenate([x, -x, [np.nan]]).astype(np.float32)
    got = kernels.sixteen_bits(x, _result="numpy")
    wanted = fake_quantize(torch.from_numpy(x), 16).numpy()
    np.testing.assert_array_equal(got, wanted)
    assert np.mean(got != x) > 0.3
