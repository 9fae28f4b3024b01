"""kinds/textures/shaded: the device's loss and gradient are those of PyTorch."""

import numpy as np
import pytest
import torch
from fixtures.texture_engines import device_directions, engine_pair
from fixtures.texture_sets import small_set, waves

from neuralshade.kinds.textures.channels import codings_of, trained_levels
from neuralshade.kinds.textures.layout import OLDER, build_encoding, shapes_of
from neuralshade.kinds.textures.shaded import MAPS_SHARE, ShadedTask, light_of, lit_maps, tone
from neuralshade.kinds.textures.task import texel_task
from neuralshade.kinds.textures.texels import PEAK, Texels
from neuralshade.source.material_set import MaterialMap, MaterialSet

KERNEL = """
import neuralshade.model.encoding;
import neuralshade.sampler.directions;
RWStructuredBuffer<uint> wanted;      // [batch][channels]
RWStructuredBuffer<float> directions; // [batch][2][3]
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
    Pair pair = task.directions(sample);
    for (int i = 0; i < 3; ++i)
    {
        directions[6 * index + i] = pair.wi[i];
        directions[6 * index + 3 + i] = pair.wo[i];
    }
    float[Task.OUTPUTS] output;
    for (int channel = 0; channel < Task.OUTPUTS; ++channel)
    {
        uint word = sample.texel.wanted[channel / 2];
        wanted[index * Task.OUTPUTS + channel] = channel % 2 == 0 ? word & 0xffffu : word >> 16u;
        output[channel] = outputs[index * Task.OUTPUTS + channel];
    }
    float loss;
    float[Task.OUTPUTS] d_output = task.loss_gradient(output, sample, loss);
    losses[index] = loss;
    for (int channel = 0; channel < Task.OUTPUTS; ++channel)
        d_outputs[index * Task.OUTPUTS + channel] = d_output[channel];
}
"""
SEED, STEP, BATCH = 2**40 + 77, 5, 256


def unit_normals(height, width):
    xy = (waves(height, width, 2, seed=3, noise=0.3) - np.float32(0.5)) * np.float32(0.8)
    return np.concatenate([xy, np.sqrt(1 - np.square(xy).sum(2, keepdims=True))], axis=2)


def map_of(name, values, meaning, bits=8):
    return MaterialMap(name, np.ascontiguousarray(values, np.float32), meaning, bits, None)


def whole_set(height=17, width=33):
    """Return a set with all that is lit, whose roughness is below 0 here and there."""
    of = [waves(height, width, 1, seed=seed, noise=0.3) for seed in range(4)]
    return MaterialSet("whole", (
        map_of("displacement", of[0], "data"),
        map_of("albedo", waves(height, width, 3, seed=9, noise=0.3), "srgb"),
        map_of("normal", unit_normals(height, width), "normal"),
        map_of("roughness", of[1] * 1.5 - 0.2, "data", 32), map_of("metallic", of[2], "data"),
        map_of("ao", of[3], "data"),
    ), ())  # fmt: skip


def lacking_set(height=12, width=12):
    """Return one with light colors of one channel, a constant normal, and no roughness."""
    tilted = np.tile(np.float32([0.6, 0, 0.8]), (height, width, 1))
    grey = waves(height, width, 1, seed=4, noise=0.3) * 3
    return MaterialSet("lacking", (
        map_of("normal", tilted, "normal"), map_of("albedo", grey, "linear", 32),
    ), ())  # fmt: skip


def drawn(dispatch, gpu, textures, weights):
    """Return (found, outputs): what the kernel makes of a set, by name, and of which outputs."""
    codings = codings_of(textures)
    texels = Texels(trained_levels(textures, codings, 3))
    rng = np.random.default_rng(0)
    shape = (BATCH, texels.channels)
    outputs = rng.normal(0.5, 0.4, shape).astype(np.float32)  # beyond [0, 1] too
    encoding = build_encoding(texels.sizes, shapes_of(1.0, OLDER), True, None)
    task = texel_task(gpu, encoding, texels, weights(texels.channels), True, BATCH, SEED,
                      halves=False, gradients="fixed", lit=lit_maps(codings))  # fmt: skip
    arrays = {
        "wanted": np.zeros(shape, "u4"), "directions": np.zeros((BATCH, 2, 3), np.float32),
        "losses": np.zeros(BATCH, np.float32), "outputs": outputs,
        "d_outputs": np.zeros(shape, np.float32),
        "grid_numbers": np.zeros(2, np.float32), "grid_sums": np.zeros(4, np.uint32),
    }  # fmt: skip
    run = dispatch(task.text + KERNEL, arrays, step=STEP, batch=BATCH, **task.variables)
    run.run(("draw_all", -(-BATCH // 32)))
    names = ("wanted", "directions", "losses", "d_outputs")
    return {n: run.read(n, arrays[n].dtype, arrays[n].size).reshape(arrays[n].shape)
            for n in names}, outputs  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("textures", [whole_set(), lacking_set()], ids=lambda one: one.name)
def test_loss_and_gradient_equal_pytorch(dispatch, gpu, textures):
    weights = lambda channels: np.linspace(0.5, 2, channels, dtype=np.float32)  # noqa: E731
    found, outputs = drawn(dispatch, gpu, textures, weights)
    seen = device_directions(BATCH, STEP, SEED)
    np.testing.assert_allclose(found["directions"], seen, atol=2e-6)

    predicted = torch.from_numpy(outputs.T.astype(np.float64)).requires_grad_()
    wanted = torch.from_numpy(found["wanted"].T / PEAK)
    maps, (wi, wo) = lit_maps(codings_of(textures)), torch.from_numpy(seen).double().unbind(1)
    of_light = tone(light_of(maps, predicted, wi, wo)) - tone(light_of(maps, wanted, wi, wo))
    by_channel = torch.from_numpy(weights(len(wanted)))[:, None] * (predicted - wanted) ** 2
    loss = of_light.square().sum(0) + MAPS_SHARE * by_channel.sum(0)
    loss.sum().backward()
    assert of_light.abs().max() > 0.3
    np.testing.assert_allclose(found["losses"], loss.detach(), rtol=2e-3, atol=1e-5)
    # of a few texels the cosine or the highlight is at an end of float32's digits
    error = np.abs(found["d_outputs"] - predicted.grad.T.numpy())
    assert (error > 2e-3 * (1 + np.abs(predicted.grad.T.numpy()))).mean() < 0.005


@pytest.mark.slow
def test_both_engines_take_the_same_steps(gpu):
    on_gpu, host = engine_pair(gpu, small_set(16, 24), loss="shaded")
    assert isinstance(host.task, ShadedTask)
    for step in range(3):
        host.task.directions = lambda count, rng, step=step: torch.from_numpy(
            device_directions(count, step, host.task.sampler.recipe.seed)
        )
        assert on_gpu.advance([1.0]) == pytest.approx(host.advance([1.0]), rel=1e-3)
    got, wanted = on_gpu.state(), host.state()
    for name, value in wanted.items():
        if name.startswith("field"):
            assert (got[name] - value).norm() < 2e-3 * value.norm(), name
