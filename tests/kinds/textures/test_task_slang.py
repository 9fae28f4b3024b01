"""kinds/textures/task: what the device draws, and its loss, equal NumPy."""

import numpy as np
import pytest
from fixtures.texture_engines import device_texels
from fixtures.texture_sets import waves

from neuralshade.kinds.textures.layout import OLDER, build_encoding, shapes_of
from neuralshade.kinds.textures.task import paired_words, texel_task
from neuralshade.kinds.textures.texels import PAIR, PEAK, Texels
from neuralshade.source.material_mips import mip_sizes

KERNEL = """
import neuralshade.model.encoding;
RWStructuredBuffer<float> at;         // [batch][3]
RWStructuredBuffer<uint> wanted;      // [batch][channels]
RWStructuredBuffer<float> losses;     // [batch]
RWStructuredBuffer<float> d_outputs;  // [batch][channels]
StructuredBuffer<float> outputs;      // [batch][channels]
uniform uint step;
uniform uint batch;

[shader("compute")]
[numthreads(32, 1, 1)]
void draw_all(uint index : SV_DispatchThreadID)
{
    if (index >= batch)
        return;
    Task task = make_task(0u);
    Task.Sample sample = task.draw(index, step);
    float[Task.OUTPUTS] output;
    for (int channel = 0; channel < Task.OUTPUTS; ++channel)
    {
        uint word = sample.wanted[channel / 2];
        wanted[index * Task.OUTPUTS + channel] = channel % 2 == 0 ? word & 0xffffu : word >> 16u;
        output[channel] = outputs[index * Task.OUTPUTS + channel];
    }
    for (int i = 0; i < 3; ++i)
        at[3 * index + i] = sample.at[i];
    float loss;
    float[Task.OUTPUTS] d_output = task.loss_gradient(output, sample, loss);
    losses[index] = loss;
    for (int channel = 0; channel < Task.OUTPUTS; ++channel)
        d_outputs[index * Task.OUTPUTS + channel] = d_output[channel];
}
"""
SEED = 2**40 + 77  # of more than a word
CASES = [(33, 17, 5, True), (12, 12, 16, False), (1, 9, 1, True), (64, 2, 2, False)]


def levels_of(width, height, channels):
    sizes = mip_sizes(width, height)
    return [waves(h, w, channels, seed=mip, noise=0.3) for mip, (w, h) in enumerate(sizes)]


class Drawn:
    """What the device makes of texels of a size, step by step."""

    def __init__(self, dispatch, gpu, case, batch=256):
        width, height, channels, self.wraps = case
        self.alpha = 1 if channels > 3 else None  # weighs the errors of the others
        self.texels = Texels(levels_of(width, height, channels), self.alpha)
        self.batch = batch
        rng = np.random.default_rng(0)
        self.weights = rng.uniform(0, 3, channels).astype(np.float32)
        self.outputs = rng.normal(0.5, 1, (batch, channels)).astype(np.float32)
        encoding = build_encoding(self.texels.sizes, shapes_of(1.0, OLDER), self.wraps, None)
        task = texel_task(gpu, encoding, self.texels, self.weights, self.wraps, batch, SEED,
                          halves=False, gradients="fixed")  # fmt: skip
        arrays = {
            "at": np.zeros((batch, 3), np.float32), "wanted": np.zeros((batch, channels), "u4"),
            "losses": np.zeros(batch, np.float32), "outputs": self.outputs,
            "d_outputs": np.zeros((batch, channels), np.float32),
            "grid_numbers": np.zeros(2, np.float32), "grid_sums": np.zeros(4, np.uint32),
        }  # fmt: skip
        self.dispatch, self.text, self.variables = dispatch, task.text + KERNEL, task.variables
        self.arrays = arrays

    def step(self, step):
        """Return what a step draws: the arrays of the kernel, as NumPy's."""
        run = self.dispatch(self.text, self.arrays, step=step, batch=self.batch, **self.variables)
        run.run(("draw_all", -(-self.batch // 32)))
        found = {}
        for name in ("at", "wanted", "losses", "d_outputs"):
            array = self.arrays[name]
            found[name] = run.read(name, array.dtype, array.size).reshape(array.shape)
        return found


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}x{case[1]}-{case[2]}")
def drawn(request, dispatch, gpu):
    return Drawn(dispatch, gpu, request.param)


def test_draws_are_those_of_numpy(drawn):
    texels = drawn.texels
    for step in (0, 7):
        found = drawn.step(step)
        col, row, mip = device_texels(texels, drawn.batch, drawn.wraps, step, SEED)
        width, height = np.array(texels.sizes)[mip].T
        wanted_at = np.stack([(col + 0.5) / width, (row + 0.5) / height, mip], axis=1)
        np.testing.assert_allclose(found["at"], wanted_at, rtol=0, atol=2e-7)
        index = np.array(texels.firsts)[mip] + row * width + col
        assert np.array_equal(found["wanted"], texels.words[index])


def test_pairs_are_neighbours_and_mips_have_their_shares(drawn):
    texels, at = drawn.texels, drawn.step(3)["at"]
    mip = at[:, 2].astype(int)
    size = np.array(texels.sizes)[mip]
    col, row = np.rint(at[:, :2] * size - 0.5).astype(int).T
    assert np.array_equal(row[::PAIR], row[1::PAIR]) and np.array_equal(mip[::PAIR], mip[1::PAIR])
    left, right, across = col[::PAIR], col[1::PAIR], size[::PAIR, 0]
    last = np.zeros_like(left) if drawn.wraps else np.maximum(across - 2, 0)
    assert np.array_equal(right, np.where(left + 1 < across, left + 1, last))
    counts = np.bincount(mip, minlength=len(texels.sizes))
    assert np.abs(counts - texels.shares * drawn.batch).max() <= PAIR + 1


def test_loss_and_gradient_equal_numpy(drawn):
    found = drawn.step(5)
    error = drawn.outputs.astype(np.float64) - found["wanted"] / PEAK
    weighted = drawn.weights * error
    if drawn.alpha is not None:
        others = np.arange(error.shape[1]) != drawn.alpha
        weighted[:, others] *= found["wanted"][:, [drawn.alpha]] / PEAK
    np.testing.assert_allclose(found["losses"], (weighted * error).sum(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found["d_outputs"], 2 * weighted, rtol=1e-5, atol=1e-6)


def test_channels_are_packed_two_a_word():
    words = np.arange(15, dtype=np.uint16).reshape(5, 3) * 4000
    packed = paired_words(words)
    assert packed.shape == (5, 2) and packed.dtype == np.uint32
    assert np.array_equal(packed[:, 0], words[:, 0] + words[:, 1].astype(np.uint32) * 65536)
    assert np.array_equal(packed[:, 1], words[:, 2])
