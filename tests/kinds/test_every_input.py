"""Every kind on every class of input, on every road: a fit ends with a finite quality, and roads
that take the same steps reach the same.

Roads are PyTorch and software Vulkan; with a hardware GPU also CUDA and its own Vulkan, side by
side, where `python benchmarks/every_input.py` writes the table.
"""

import math

import pytest
from shared.every_input import APART, HIGHEST, all_cases

from neuralshade.gpu.open import hardware_adapter

# What broke first of the kinds whose fits are compiled in seconds; all others take minutes.
OFTEN = {"image: 3 x 2", "splats: one texel", "shader: constant"}

# Normals under a roughness of 0: PyTorch has come out ahead for each of three seeds, by 0.6 to 1.7
# dB. That it draws directions about the normal of a known point beside the sample, and kernels
# about the sample's own, is not the cause, or not all of it.
UNEVEN = {"material: set, mirror"}


def marked(case):
    return pytest.param(case, id=str(case), marks=[] if str(case) in OFTEN else pytest.mark.slow)


@pytest.mark.slangpy
@pytest.mark.parametrize("case", [marked(case) for case in all_cases()])
def test_roads_agree(tmp_path, device, case):
    roads = [road for road in case.roads() if road != "cuda" or has_cuda()]
    reached = {road: case.fit(tmp_path, road) for road in roads}
    assert all(map(math.isfinite, reached.values())), reached
    seen = [min(db, HIGHEST) for db in reached.values()]
    assert max(seen) - min(seen) < APART or str(case) in UNEVEN, reached


def has_cuda():
    """Return whether a fit on this machine may ask for CUDA."""
    adapter = hardware_adapter()
    return adapter is not None and adapter.api == "cuda"
