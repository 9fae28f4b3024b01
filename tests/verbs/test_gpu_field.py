"""verbs/gpu_field: the same numbers as render's, in every form."""

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.engine.paths import inference_path
from neuralshade.errors import ShapeError
from neuralshade.gpu.device import describe_adapter

spy = pytest.importorskip("slangpy")

WIDTH, HEIGHT, CROP = 19, 13, (0.25, 0.0, 1.0, 0.5)


@pytest.fixture(params=["grid", "rtxns"])
def asset(request, tmp_path, save_smooth):
    settings = {"preset": request.param, "steps": 30, "batch": 256}
    options = neuralshade.FitOptions(engine="torch")
    neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", options=options, **settings)
    return tmp_path / "x.nsh"


@pytest.fixture
def gpu_field(asset, device):
    return neuralshade.GpuField(asset, device)


@pytest.fixture
def close(device):
    """Give the tolerance: float16 products where the device has cooperative vectors."""
    halves = inference_path(describe_adapter(device)) == "vector"
    return {"atol": 2e-2 if halves else 1e-5, "rtol": 0}


@pytest.mark.parametrize("crop", [(0.0, 0.0, 1.0, 1.0), CROP])
def test_picture_is_that_of_render(asset, gpu_field, close, crop):
    drawn = gpu_field.picture(WIDTH, HEIGHT, crop).clip(0, 1)
    np.testing.assert_allclose(
        drawn, neuralshade.render(asset, size=(WIDTH, HEIGHT), crop=crop), **close
    )


def test_large_pictures_are_drawn_in_blocks(gpu_field, monkeypatch):
    whole = gpu_field.picture(WIDTH, HEIGHT)
    monkeypatch.setattr("neuralshade.engine.infer.BLOCK_PIXELS", 100)
    np.testing.assert_array_equal(gpu_field.picture(WIDTH, HEIGHT), whole)


def test_positions_and_texture_are_those_of_the_picture(gpu_field, device):
    u, v = np.meshgrid((np.arange(WIDTH) + 0.5) / WIDTH, (np.arange(HEIGHT) + 0.5) / HEIGHT)
    uv = torch.from_numpy(np.stack([u, v], -1).reshape(-1, 2))
    usage = spy.TextureUsage.unordered_access | spy.TextureUsage.shader_resource
    texture = device.create_texture(
        width=WIDTH, height=HEIGHT, format=spy.Format.rgba32_float, usage=usage
    )
    gpu_field.into_texture(texture)
    picture = gpu_field.picture(WIDTH, HEIGHT)
    np.testing.assert_allclose(gpu_field.at(uv), picture.reshape(-1, 3), atol=2e-3)
    np.testing.assert_allclose(texture.to_numpy()[:, :, :3], picture, atol=1e-6)
    assert (texture.to_numpy()[:, :, 3] == 1).all()


def test_an_own_device_is_closed_with_it(asset, device):
    with neuralshade.GpuField(asset, device.info.type.name) as own:
        assert own.device is not device
        assert own.at([[0.5, 0.5]]).shape == (1, 3)


def test_another_shape_is_refused(gpu_field):
    with pytest.raises(ShapeError) as caught:
        gpu_field.at([0.5, 0.5])
    assert str(caught.value) == (
        "at_positions.uv: got shape [2], need [N, 2]. Put u and v of one position into one row."
    )
