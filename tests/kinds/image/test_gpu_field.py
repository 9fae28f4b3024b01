"""kinds/image/gpu_field: the same numbers as render's, in every form."""

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.errors import DeviceError, ShapeError
from neuralshade.gpu.slangpy_gpu import SlangpyGpu

spy = pytest.importorskip("slangpy")

WIDTH, HEIGHT, CROP = 19, 13, (0.25, 0.0, 1.0, 0.5)


@pytest.fixture
def one_device():
    """Leave each its own device: that they are opened and closed is tested here."""


@pytest.fixture(params=[pytest.param("grid", marks=pytest.mark.slow), "rtxns"])
def asset(request, tmp_path, save_smooth):
    settings = {"preset": request.param, "steps": 30, "batch": 256}
    options = neuralshade.FitOptions(engine="torch")
    neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", options=options, **settings)
    return tmp_path / "x.nsh"


@pytest.fixture
def gpu_field(asset, gpu, device):
    """Give a field on an open SlangPy device, or on a CUDA device of its own."""
    with neuralshade.GpuField(asset, "cuda" if gpu.api == "cuda" else device) as field:
        assert repr(field).startswith(f"<GpuField: {asset}, ")
        yield field


@pytest.fixture
def close(gpu_field):
    """Give the tolerance: of float16 products where the network runs on them."""
    return {"atol": 1e-5 if gpu_field.inference.path == "fma" else 2e-2, "rtol": 0}


@pytest.mark.parametrize("crop", [(0.0, 0.0, 1.0, 1.0), CROP])
def test_picture_is_that_of_render(asset, gpu_field, close, crop):
    drawn = gpu_field.picture(WIDTH, HEIGHT, crop).clip(0, 1)
    np.testing.assert_allclose(
        drawn,
        neuralshade.render(asset, size=(WIDTH, HEIGHT), stretch=True, filter="point", crop=crop),
        **close,
    )


def test_many_positions_are_evaluated_in_parts(gpu_field, monkeypatch):
    uv = np.random.default_rng(0).random((300, 2), dtype=np.float32)
    whole = gpu_field.at(uv)
    monkeypatch.setattr("neuralshade.engine.kernels.infer.infer.BLOCK_PIXELS", 100)
    np.testing.assert_array_equal(gpu_field.at(uv), whole)


def test_tensors_of_the_gpu_stay_there(gpu, gpu_field):
    if gpu.api != "cuda" or not torch.cuda.is_available():
        pytest.skip("needs PyTorch on CUDA and a field there")
    uv = torch.rand(1000, 2, device="cuda", requires_grad=True)
    for count in (1000, 7, 1000, 0):
        drawn = gpu_field.at(uv[:count])
        assert drawn.device == uv.device and drawn.dtype == torch.float32
        expected = gpu_field.at(uv[:count].detach().cpu())
        np.testing.assert_array_equal(drawn.cpu().numpy(), expected)
    with pytest.raises(ShapeError, match=r"at\.uv: got shape \[1000\]"):
        gpu_field.at(uv[:, 0])
    with pytest.raises(ShapeError, match="contiguous"):
        gpu_field.at(torch.rand(2, 50, device="cuda").t())


def test_large_pictures_are_drawn_in_blocks(gpu_field, monkeypatch):
    whole = gpu_field.picture(WIDTH, HEIGHT)
    monkeypatch.setattr("neuralshade.engine.kernels.infer.infer.BLOCK_PIXELS", 100)
    np.testing.assert_array_equal(gpu_field.picture(WIDTH, HEIGHT), whole)


def test_positions_are_those_of_the_picture(gpu_field):
    u, v = np.meshgrid((np.arange(WIDTH) + 0.5) / WIDTH, (np.arange(HEIGHT) + 0.5) / HEIGHT)
    uv = torch.from_numpy(np.stack([u, v], -1).reshape(-1, 2))
    pixels = gpu_field.picture(WIDTH, HEIGHT).reshape(-1, 3)
    for count in (len(uv), 5, len(uv)):  # what was made for many is there for few
        np.testing.assert_allclose(gpu_field.at(uv[:count]), pixels[:count], atol=2e-3)


def test_a_texture_is_the_picture(gpu_field, device):
    if not isinstance(gpu_field.gpu, SlangpyGpu):
        with pytest.raises(DeviceError) as caught:
            gpu_field.into_texture(None)
        assert str(caught.value) == (
            f"device: got {gpu_field.gpu.name} through cuda, need SlangPy for textures. "
            "Open it with the API vulkan, metal or d3d12."
        )
        return
    usage = spy.TextureUsage.unordered_access | spy.TextureUsage.shader_resource
    texture = device.create_texture(
        width=WIDTH, height=HEIGHT, format=spy.Format.rgba32_float, usage=usage
    )
    gpu_field.into_texture(texture)
    picture = gpu_field.picture(WIDTH, HEIGHT)
    np.testing.assert_allclose(texture.to_numpy()[:, :, :3], picture, atol=1e-6)
    assert (texture.to_numpy()[:, :, 3] == 1).all()


@pytest.mark.slow
def test_an_own_device_is_closed_with_it(asset, gpu):
    with neuralshade.GpuField(asset, gpu.api) as own:
        assert own.at([[0.5, 0.5]]).shape == (1, 3)


def test_another_shape_is_refused(gpu_field, same_message):
    with pytest.raises(ShapeError) as caught:
        gpu_field.at([0.5, 0.5])
    same_message(str(caught.value), "at_positions", "Put")
