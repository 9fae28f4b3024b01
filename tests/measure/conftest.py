"""Pictures that these tests compare."""

import pathlib

import numpy as np
import pytest
from PIL import Image

JEEP = pathlib.Path(__file__).parents[2] / "../shared/data/jeep/jeep.jpg"


@pytest.fixture(scope="session")
def photo():
    """A smooth, colored picture with edges: float32 [61, 83, 3] in [0, 1]."""
    row, col = np.mgrid[0:61, 0:83].astype(np.float32)
    disk = ((row - 30) ** 2 + (col - 40) ** 2 < 400).astype(np.float32)
    return np.stack([col / 82, 0.5 + 0.5 * np.sin(row / 4), 0.2 + 0.6 * disk], axis=2)


@pytest.fixture(scope="session")
def jeep():
    if not JEEP.exists():
        pytest.skip("../shared/data/jeep/jeep.jpg is not here")
    return np.asarray(Image.open(JEEP).convert("RGB"))
