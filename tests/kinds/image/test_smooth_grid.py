"""A picture of smooth grids and parts of the coordinates: equal by every road, and in its file."""

import numpy as np
import pytest
import torch
from fixtures.shader_runs import by_cpp, off

import neuralshade
from neuralshade.kinds.image.tiny_cuda_nn import from_tiny_cuda_nn

GRID = {"interpolation": "Smoothstep", "n_levels": 2, "dims_to_encode_begin": 0,
        "n_dims_to_encode": 2, "per_level_scale": 2.0}  # fmt: skip
NESTED = [
    {"otype": "Frequency", "n_frequencies": 2, "dims_to_encode_begin": 1, "n_dims_to_encode": 1},
    {"otype": "DenseGrid", "base_resolution": 5, **GRID},
    {"otype": "HashGrid", "base_resolution": 3, "log2_hashmap_size": 5, **GRID},
]
CONFIG = {
    "encoding": {"otype": "Composite", "nested": NESTED},
    "network": {"n_neurons": 16, "n_hidden_layers": 1},
    "loss": {"otype": "L2"},
}
SIZE = 23, 17


@pytest.fixture(
    params=["torch", pytest.param("gpu", marks=[pytest.mark.slow, pytest.mark.slangpy])]
)
def asset(request, tmp_path):
    """Return a picture's asset of codes in 4 bits, searched after training."""
    settings = from_tiny_cuda_nn(CONFIG) | {"grid_bits": 4, "steps": 150, "batch": 200}
    v, u = np.mgrid[0:17, 0:23] / 16
    pixels = 0.5 + 0.3 * np.sin(9 * u[..., None] + [0, 1, 2]) * np.cos(7 * v[..., None])
    options = neuralshade.FitOptions(engine=request.param)
    result = neuralshade.fit_image(pixels.astype(np.float32), tmp_path / "x.nsh", options=options,
                                   polish=2, **settings)  # fmt: skip
    assert result.psnr_db > 18 and result.search.gain_db > 0
    assert neuralshade.info(result.asset)["recipe"]["encoding"].count("smooth=1") == 2
    return result.asset


def test_all_roads_show_the_same(asset, gpu, device):
    opened = neuralshade.load(asset)
    u, v = (torch.arange(SIZE[0]) + 0.5) / SIZE[0], (torch.arange(SIZE[1]) + 0.5) / SIZE[1]
    centers = torch.stack(torch.meshgrid(u, v, indexing="xy"), 2).reshape(-1, 2)
    drawn = opened.draw(*SIZE)
    ours = opened.at(centers).numpy().reshape(drawn.shape)
    np.testing.assert_allclose(ours, drawn, atol=1e-5)  # sums in another order
    assert torch.equal(opened.module()(centers), opened.at(centers))
    with neuralshade.GpuField(asset, "cuda" if gpu.api == "cuda" else device) as field:
        close = 1e-5 if field.inference.path == "fma" else 2e-2
        np.testing.assert_allclose(field.picture(*SIZE), drawn, atol=close)


@pytest.mark.parametrize("asset", ["torch"], indirect=True)
def test_other_languages_say_what_python_does(asset, tmp_path):
    form = neuralshade.load(asset).shader("waves")
    found = by_cpp(form, tmp_path)
    for golden in form.golden:
        assert off(golden, found[golden.function]) < 1


@pytest.mark.parametrize("asset", ["torch"], indirect=True)
def test_there_are_no_creases_between_texels(asset):
    """A bilinear mix of the same texels has them: its slope jumps at each center."""
    encoding = neuralshade.load(asset).field.encoding
    grid = next(part for part in encoding.members if "Dense" in type(part).__name__)
    texels = (torch.arange(1, 4, dtype=torch.float64) + 0.5) / grid.sizes()[1][0]
    grid.double()

    def jump() -> float:
        slopes = []
        for aside in (-1e-6, 1e-6):
            at = torch.stack([texels + aside, torch.full_like(texels, 0.4)], 1).requires_grad_()
            slopes.append(torch.autograd.grad(grid(at)[:, 2:].sum(), at)[0][:, 0])
        return float((slopes[1] - slopes[0]).abs().max())

    smooth, grid.smooth = jump(), False
    assert smooth < 1e-3 * jump()
