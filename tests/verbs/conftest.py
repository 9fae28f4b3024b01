"""Small pictures, and assets fitted to them in a few steps."""

import numpy as np
import pytest

import neuralshade
from neuralshade.gpu.open import open_gpu

FEW = {"steps": 30, "encoding": "dense_grid:width=12,height=8", "hidden_width": 8, "warmup": 0}

TINT = """import neuralshade.model.trainable;

struct Task : ITask
{
    [Trainable(0.05)] [Range(0, 1)] [Start(0.5)] float3 tint;
    [Trainable(0.05)] Texture<float3> map;
    [Trainable(0.01)] Network<2, 3, 1, 8, Relu, None> net;
    Picture<float3> photo;
    float strength = 1.0;

    [Differentiable]
    float loss(no_diff Thread thread)
    {
        float2 uv = thread.random.next_uniform().xy;
        float3 d = color(uv) - photo.sample(uv);
        return strength * dot(d, d);
    }

    [Differentiable]
    float3 color(no_diff float2 uv)
    {
        float x[2] = { uv.x, uv.y };
        float y[3] = net.eval(x);
        return tint * (1 + map.sample(uv)) + float3(y[0], y[1], y[2]);
    }

    float3 render(float2 uv)
    {
        return color(uv);
    }
}
"""
ENCODED = """import neuralshade.model.encoding;
import neuralshade.model.frequency;
import neuralshade.model.trainable;

struct Task : ITask
{
    [Trainable(0.02)] GridEncoding<2, 2, 4, 12, 8> grid;
    [Trainable(0.02)] HashEncoding<3, 2, 6, 4, 18> table;
    [Trainable(0.01)] Network<14, 3, 1, 16, Silu, Sigmoid> net;
    Picture<float3> photo;

    [Differentiable]
    float loss(no_diff Thread thread)
    {
        float2 uv = thread.random.next_uniform().xy;
        float3 d = color(uv) - photo.sample(uv);
        return dot(d, d);
    }

    [Differentiable]
    float3 color(no_diff float2 uv)
    {
        float a[4] = grid.eval(uv);
        float b[6] = table.eval(uv);
        float c[4] = no_diff(encode<Frequency<1>>(uv));
        float x[14] = { a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], b[4], b[5],
                        c[0], c[1], c[2], c[3] };
        float y[3] = net.eval(x);
        return float3(y[0], y[1], y[2]);
    }

    float3 render(float2 uv)
    {
        return color(uv);
    }
}
"""
SUM = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] float a;
    float b = 2;
    [Differentiable] float loss(no_diff Thread thread) { return (a - b) * (a - b); }
}
"""


def smooth(height, width, channels=3, peak=1.0):
    """Return a smooth picture: float32 [height, width, channels] in [0.1, 0.9] * peak."""
    row, col = np.mgrid[0:height, 0:width].astype(np.float32)
    waves = [0.5 + 0.4 * np.sin(row / (3 + i) + col / (5 + i)) for i in range(channels)]
    return np.stack(waves, axis=2).astype(np.float32) * np.float32(peak)


@pytest.fixture
def save_smooth(tmp_path):
    """Give a function that saves a smooth picture under a name and returns its path."""

    def save(name="a.png", height=24, width=36, channels=3, peak=1.0):
        path = tmp_path / name
        color_space = "linear" if path.suffix == ".exr" else "srgb"
        neuralshade.save_picture(path, smooth(height, width, channels, peak), color_space)
        return path

    return save


@pytest.fixture
def few():
    """Give settings of a fit that takes milliseconds."""
    return dict(FEW)


@pytest.fixture(scope="session")
def fitted(tmp_path_factory):
    """Give a folder with a.png, 36 x 24, and a.nsh fitted to it. Not to be written to."""
    folder = tmp_path_factory.mktemp("fitted")
    neuralshade.save_picture(folder / "a.png", smooth(24, 36), "srgb")
    neuralshade.fit_image(folder / "a.png", folder / "a.nsh", **FEW)
    return folder


@pytest.fixture
def tint(tmp_path):
    """Return the path of a task with members of many kinds."""
    path = tmp_path / "tint.slang"
    path.write_text(TINT)
    return path


@pytest.fixture
def values_of(save_smooth):
    """Return what gives the values of ``tint``, others changed."""

    def build(**others):
        return {"photo": save_smooth(), "map.size": (5, 3), **others}

    return build


@pytest.fixture
def encoded(tmp_path):
    """Return the path of a task with encodings of all kinds, given a photo."""
    path = tmp_path / "encoded.slang"
    path.write_text(ENCODED)
    return path


@pytest.fixture
def drawing_gpus(monkeypatch):
    """Give the GPUs that were opened to draw tasks, each with ``closed``."""
    found = []

    def opened(api):
        gpu = open_gpu(api)
        gpu.closed, close = False, gpu.close

        def closing():
            assert not gpu.closed
            gpu.closed = True
            close()

        gpu.close = closing
        found.append(gpu)
        return gpu

    monkeypatch.setattr("neuralshade.kinds.shader.opened.open_gpu", opened)
    return found


@pytest.fixture
def sum_text():
    """Return the text of a task with one trained number."""
    return SUM


@pytest.fixture
def brief():
    """Give settings of a fit of a task that takes milliseconds."""
    return {"steps": 40, "threads": "16x16", "size": "36x24"}
