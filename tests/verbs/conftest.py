"""Small pictures, and assets fitted to them in a few steps."""

import numpy as np
import pytest

import neuralshade

FEW = {"steps": 30, "encoding": "dense_grid:width=12,height=8", "hidden_width": 8, "warmup": 0}


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
