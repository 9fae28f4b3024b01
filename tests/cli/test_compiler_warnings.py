"""cli: kernels of this package compile without a warning, which SlangPy would print to users."""

import os
import subprocess
import sys

import numpy as np
import pytest
from fixtures.texture_sets import waves

import neuralshade

FITS = {  # kind -> its subject and flags
    "image": ["a.png", "--steps", "2"],
    "splats": ["a.png", "--steps", "2", "--count", "8"],
    "textures": ["maps", "--steps", "2"],
    "mipmaps": ["maps", "--steps", "2", "--format", "dds"],
}


@pytest.mark.slow  # processes that compile
@pytest.mark.parametrize("kind", FITS)
def test_a_first_fit_says_nothing_of_ours(device, folder, kind):
    (folder / "maps").mkdir()
    up = np.float32([[[0.5, 0.5, 1.0]]])
    bent = up + np.float32([[[0.3, 0.3, 0.0]]]) * (waves(16, 16, 3) - np.float32(0.5))
    for name, pixels in (("albedo", waves(16, 16, 3)), ("normal", bent),
                         ("roughness", waves(16, 16, 1))):  # fmt: skip
        neuralshade.save_picture(folder / f"maps/maps_{name}.png", pixels, "srgb")
    command = [sys.executable, "-m", "neuralshade", "fit", kind, *FITS[kind],
               "--device", device.info.type.name]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True,
                          env=os.environ | {"XDG_CACHE_HOME": str(folder / "cache")})  # fmt: skip
    assert "warning[" not in done.stdout + done.stderr
