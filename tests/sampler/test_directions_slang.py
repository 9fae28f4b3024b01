"""sampler/directions: what a thread draws by itself is what the host half makes of its numbers."""

import numpy as np
import pytest

from neuralshade.gpu.random import Random
from neuralshade.sampler.directions import drawn_pairs

COUNT, STEP, SEED = 4096, 5, 9
TEXT = """
import neuralshade.gpu.random;
import neuralshade.sampler.directions;

Pair pair(uint index, float lowest)
{
    Random random = { index, 5u, 9u, 0u };
    return drawn_pair(random, lowest);
}

float3 light(uint index, float lowest) { return pair(index, lowest).wi; }
float3 eye(uint index, float lowest) { return pair(index, lowest).wo; }
"""


@pytest.fixture(scope="module")
def kernels(device):
    spy = pytest.importorskip("slangpy")
    return spy.Module(device.load_module_from_source("test_directions_slang", TEXT))


@pytest.mark.parametrize("lowest", [0.0, 0.3])
def test_both_halves_draw_the_same(kernels, lowest):
    indices = np.arange(COUNT, dtype=np.uint32)
    got = [getattr(kernels, name)(indices, lowest, _result="numpy") for name in ("light", "eye")]
    random = Random(indices, STEP, SEED)
    numbers = np.concatenate([random.next_uniform(), random.next_uniform()], axis=1)
    wanted = drawn_pairs(numbers, lowest)
    np.testing.assert_allclose(np.stack(got, axis=1), wanted, atol=1e-4)  # a driver's cosine
    np.testing.assert_allclose(np.linalg.norm(wanted, axis=2), 1, atol=1e-12)
    assert wanted[:, 1, 2].min() >= np.sqrt(0.1)
    # raised to `lowest`, then made of length 1 again, which takes some of it
    assert wanted[:, 0, 2].min() >= lowest / np.sqrt(1 + lowest**2) - 1e-12


def test_every_other_light_is_near_the_mirror():
    numbers = np.random.default_rng(0).random((20_000, 8))
    wi, wo = drawn_pairs(np.float32(numbers), 0.0).swapaxes(0, 1)
    between = wi + wo
    up = between[:, 2] / np.linalg.norm(between, axis=1)
    near = (up > 0.99).mean()
    far = (up[numbers[:, 6] < 0.5] > 0.99).mean()
    assert 0.4 < (numbers[:, 6] >= 0.5).mean() < 0.6
    assert near > 2 * far  # half of them would else be no more often there
