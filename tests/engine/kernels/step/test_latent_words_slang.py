"""latent_words: both halves pack alike; what the device rounds at random is right in the mean."""

import numpy as np
import pytest
import torch

from neuralshade.engine.kernels.step.latent_words import (
    LATENT_STEPS,
    pack_latents,
    pack_moments,
    unpack_latents,
    unpack_moments,
)
from neuralshade.optimizer.adam import LatentAdam

RATE, BETAS, EPSILON = 0.05, (0.8, 0.95), 1e-5
TEXT = """import neuralshade.engine.kernels.step.latent_words;
import neuralshade.optimizer.adam;
uniform AdamStep by;
uniform uint step, numbers;
StructuredBuffer<float2> gradients;
RWStructuredBuffer<uint> values;
RWStructuredBuffer<uint2> moments;
RWStructuredBuffer<float2> wide, noise;
[shader("compute")] [numthreads(64, 1, 1)]
void step_pairs(uint3 thread : SV_DispatchThreadID)
{
    uint pair = thread.x;
    if (2u * pair >= numbers)
        return;
    uint4 random = latent_random(2u * pair, step);
    LatentPair latents = { values[pair], moments[pair] };
    latents.step(gradients[pair], CountedStep(by, step + 1u), random);
    values[pair] = latents.values;
    moments[pair] = latents.moments;
    noise[pair] = latent_noise(random);
}
[shader("compute")] [numthreads(64, 1, 1)]
void read_pairs(uint3 thread : SV_DispatchThreadID)
{
    uint pair = thread.x;
    if (2u * pair >= numbers)
        return;
    noise[pair] = latents_of(values[pair]);
    wide[2u * pair] = moments_of(moments[pair].x);
    wide[2u * pair + 1u] = moments_of(moments[pair].y);
}
[shader("compute")] [numthreads(64, 1, 1)]
void pack_pairs(uint3 thread : SV_DispatchThreadID)
{
    uint pair = thread.x;
    if (2u * pair >= numbers)
        return;
    uint4 random = latent_random(2u * pair, step);
    moments[pair] = uint2(moments_word(wide[2u * pair], random.z),
                          moments_word(wide[2u * pair + 1u], random.w));
}
"""


class Pairs:
    """Latents on the device, of which a kernel takes two at once."""

    def __init__(self, dispatch, latents, moments, step=0):
        self.count, self.groups = latents.size, -(-latents.size // 128)
        size = latents.size
        arrays = {"values": pack_latents(latents), "moments": pack_moments(*moments),
                  "gradients": np.zeros(size, np.float32), "noise": np.zeros(size, np.float32),
                  "wide": np.stack(moments, axis=1)}  # fmt: skip
        by = {"rate": RATE, "beta1": BETAS[0], "beta2": BETAS[1], "epsilon": EPSILON}
        self.run = dispatch(TEXT, arrays, by=by, step=step, numbers=size)

    def __call__(self, entry, **arrays):
        self.run.write(**arrays)
        self.run.run((entry, self.groups))
        return self

    @property
    def values(self):
        return unpack_latents(self.run.read("values", np.uint16, self.count))

    @property
    def moments(self):
        kept = self.run.read("moments", np.uint16, 2 * self.count).reshape(-1, 2)
        return unpack_moments(kept[:, 0]), unpack_moments(kept[:, 1])


def zeros(count):
    return np.zeros((2, count), np.float32)


def test_every_latent_and_every_finite_bfloat_comes_back():
    kept = np.arange(LATENT_STEPS + 1).astype(np.uint16)
    np.testing.assert_array_equal(pack_latents(unpack_latents(kept)), kept)
    finite = kept[np.isfinite(unpack_moments(kept))]
    both = pack_moments(unpack_moments(finite), unpack_moments(finite[::-1]))
    np.testing.assert_array_equal(both[:, 0], finite)
    np.testing.assert_array_equal(both[:, 1], finite[::-1])


@pytest.mark.parametrize("bits", range(1, 9))
def test_codes_are_the_same_after_packing(bits):
    steps = np.float32(2**bits - 1)
    codes = np.arange(2**bits, dtype=np.float32)
    again = unpack_latents(pack_latents(codes / steps))
    np.testing.assert_array_equal(np.rint(again * steps), codes)


def test_the_host_rounds_to_the_nearest_finite_one(rng):
    values = torch.randn(1000, generator=rng) * 10.0 ** torch.arange(-30, 20).repeat(20)
    packed = pack_moments(values.numpy(), -values.numpy())
    np.testing.assert_array_equal(unpack_moments(packed[:, 0]), values.bfloat16().float())
    np.testing.assert_array_equal(unpack_moments(packed[:, 1]), -values.bfloat16().float())
    largest = unpack_moments(pack_moments(np.float32([3.4e38, np.inf]), np.float32([0, 0]))[:, 0])
    assert np.isfinite(largest).all() and largest.min() > 3.38e38


def test_both_halves_read_alike(dispatch, rng):
    latents, moments = torch.rand(64, generator=rng), torch.randn(2, 64, generator=rng).numpy()
    pairs = Pairs(dispatch, latents.numpy(), moments)("read_pairs")
    np.testing.assert_allclose(pairs.run.read("noise", np.float32, 64), pairs.values, rtol=1e-6)
    wide = pairs.run.read("wide", np.float32, 128).reshape(-1, 2)
    np.testing.assert_array_equal(wide.T, np.stack(pairs.moments))


@pytest.mark.parametrize("value", [1.003, -1.003, 2.0**-40 * 1.0009, 255.999, 3.0])
def test_moments_are_right_in_the_mean(dispatch, value):
    count = 2**14
    moments = np.full((2, count), value, np.float32)
    for got in Pairs(dispatch, np.zeros(count, np.float32), moments, 7)("pack_pairs").moments:
        low, high = got.min(), got.max()
        gap = high - low
        assert low <= value <= high and gap <= abs(value) * 2**-7
        assert (gap == 0) == (value == 3.0)  # which is a bfloat16
        chance = (value - low) / max(gap, 1e-30)
        off = abs(got.astype(np.float64).mean() - np.float32(value))
        assert off <= 4 * gap * (chance * (1 - chance) / count) ** 0.5 + 1e-7 * abs(value)


def test_moments_stay_finite_and_zero_stays_zero(dispatch):
    wide = np.float32([[np.inf, 3.402e38, -np.inf, 0.0] * 64, [np.inf, 3.4028e38, 0.0, 0.0] * 64])
    means, squares = Pairs(dispatch, zeros(256)[0], wide)("pack_pairs").moments
    assert np.isfinite(means).all() and np.isfinite(squares).all() and (squares >= 0).all()
    assert not means[3::4].any() and not squares[2::4].any()


def test_small_moves_are_right_in_the_mean_and_alike_on_every_run(dispatch):
    """A tenth of a step of what is kept; nothing leaves [0, 1], nothing moves without cause."""
    count, d_value = 2**14, 1e-9
    start = np.resize(np.float32([0.3, 0.9999, 0.0, 1.0]), count)
    gradients = np.full(count, d_value, np.float32)
    one, two = (Pairs(dispatch, start, zeros(count))("step_pairs", gradients=gradients)
                for _ in range(2))  # fmt: skip
    np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_array_equal(np.stack(one.moments), np.stack(two.moments))
    move = RATE * d_value / (d_value + EPSILON) * LATENT_STEPS  # of the kept steps
    moved = (unpack_latents(pack_latents(start)) - one.values) * LATENT_STEPS
    assert 0.1 < move < 0.9 and not moved[2::4].any()  # at 0 already
    for first in (0, 1, 3):
        own = moved[first::4].astype(np.float64)
        assert set(np.rint(own)) == {0, 1}
        assert abs(own.mean() - move) < 4 * (move * (1 - move) / own.size) ** 0.5 + 1e-3
    still = Pairs(dispatch, start, zeros(count))("step_pairs")
    np.testing.assert_array_equal(still.values, unpack_latents(pack_latents(start)))


def test_random_bits_are_of_their_own(dispatch):
    """Noise is uniform, and neither that of a neighbor nor what rounds the latent tells of it."""
    count = 2**14
    gradients = np.full(count, 1e-9, np.float32)
    pairs = Pairs(dispatch, np.full(count, 0.5, np.float32), zeros(count), 3)
    noise = pairs("step_pairs", gradients=gradients).run.read("noise", np.float32, count)
    assert np.abs(noise).max() < 0.5
    counts = np.histogram(noise, 16, (-0.5, 0.5))[0]
    assert np.square(counts - count / 16).sum() / (count / 16) < 38  # chi-squared, 15 degrees
    kept = pairs.run.read("values", np.uint16, count).astype(np.float32)
    columns = np.array([noise[::2], noise[1::2], kept[::2], kept[1::2]])
    between = np.corrcoef(columns) - np.eye(4)
    assert np.abs(between).max() < 5 * (count / 2) ** -0.5


@pytest.mark.parametrize("count", [2, 150])
def test_steps_are_those_of_latent_adam(dispatch, rng, count):
    p = torch.nn.Parameter(torch.rand(count, generator=rng))
    adam = LatentAdam([p], RATE, BETAS, EPSILON)
    latents, moments = p.detach().numpy().copy(), zeros(count)
    for step in range(4):
        p.grad = torch.randn(count, generator=rng)
        adam.step(1.0)
        pairs = Pairs(dispatch, latents, moments, step)("step_pairs", gradients=p.grad.numpy())
        latents, moments = pairs.values, pairs.moments
    # four roundings of either moment, each less than 2^-7 of it; of a latent less than a step,
    # and as wrong besides as four moves are by their moments
    close = {"rtol": 4 * 2.0**-7, "atol": 4 * 2.0**-7}
    np.testing.assert_allclose(moments[0], adam.means[0], **close)
    np.testing.assert_allclose(moments[1], adam.squares[0], **close)
    off = np.abs(latents - p.detach().numpy())
    assert off.max() < 4 * RATE * 2.0**-6 and off.mean() < RATE * 2.0**-7
