"""kinds/splats/gpu_splats: the pictures that render draws, on the GPU."""

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import AssetError, ConfigError

CROP = (0.25, 0.0, 1.0, 0.5)


# those of the others are drawn in test_kernels_slang.py too
MORE = [pytest.param(name, marks=pytest.mark.slow) for name in ("over", "sum")]


@pytest.fixture(scope="module", params=[*MORE, "normalized"])
def asset(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    row, col = np.mgrid[:24, :36]
    waves = [127 + 90 * np.sin(row / (3 + i) + col / (5 - i)) for i in range(3)]
    picture = neuralshade.picture_from_array(np.uint8(np.stack(waves, axis=-1)))
    path = folder / "x.nsh"
    neuralshade.fit_splats(picture, path, count=30, steps=40, compositing=request.param)
    return path


@pytest.mark.parametrize("size, crop", [
    ((36, 24), (0.0, 0.0, 1.0, 1.0)), ((70, 45), (0.0, 0.0, 1.0, 1.0)), ((19, 13), CROP),
    ((1, 1), CROP), pytest.param((300, 2), (0.0, 0.0, 1.0, 1.0), marks=pytest.mark.slow),
])  # fmt: skip
def test_picture_is_that_of_render(asset, gpu, size, crop):
    with neuralshade.GpuSplats(asset, gpu.api) as splats:
        assert repr(splats).startswith(f"<GpuSplats: {asset}, ")
        drawn = splats.picture(*size, crop)
    assert drawn.shape == (size[1], size[0], 3) and drawn.dtype == np.float32
    wanted = neuralshade.render(asset, size=size, crop=crop, stretch=True, filter="point")
    np.testing.assert_allclose(drawn.clip(0, 1), wanted, atol=2e-5, rtol=0)


def test_large_pictures_are_drawn_in_parts(asset, gpu, monkeypatch):
    with neuralshade.GpuSplats(asset, gpu.api) as splats:
        whole = splats.picture(70, 45, CROP)
        monkeypatch.setattr("neuralshade.kinds.splats.gpu_renderer.BLOCK_PX", 32)
        parts = splats.picture(70, 45, CROP)
    np.testing.assert_allclose(parts, whole, atol=2e-5, rtol=0)


def test_a_picture_of_another_size_compiles_nothing(asset, gpu, monkeypatch):
    """A page that grows sharp asks for many sizes."""
    texts, prepare = set(), type(gpu).prepare
    monkeypatch.setattr(type(gpu), "prepare", lambda self, kernels: (
        texts.add(kernels[0].text), prepare(self, kernels))[1])  # fmt: skip
    with neuralshade.GpuSplats(asset, gpu.api) as splats:
        for size in [(36, 24), (70, 45), (19, 13)]:
            splats.picture(*size)
    assert len(texts) == 1


def test_an_asset_of_another_kind_is_refused(fitted, same_message):
    path = fitted / "a.nsh"
    with pytest.raises(AssetError) as caught:
        neuralshade.GpuSplats(path)
    same_message(str(caught.value), path, "Use")


def test_an_unknown_device_is_refused(asset):
    with pytest.raises(ConfigError):
        neuralshade.GpuSplats(asset, "vulcan")
