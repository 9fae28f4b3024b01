"""cli/early: NVIDIA's driver starts while a fit's packages load, where the fit may use it."""

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from neuralshade.cli.early import early_device
from neuralshade.gpu import nvidia_driver
from neuralshade.kinds import fit_verb

PHOTO = Path(__file__).parent.parent / "data" / "photo.png"
# a driver that initializes only once the fit's packages are loaded, and then has no GPU
BESIDE = """
import sys, threading
import neuralshade.cli.fit as fit
import neuralshade.gpu.nvidia_driver as nvidia_driver
from neuralshade.cli.main import main

entered, loaded, call = threading.Event(), threading.Event(), fit.fit_call

class Driver:
    cuDeviceGet = cuDevicePrimaryCtxRetain = cuDevicePrimaryCtxRelease_v2 = None
    def cuInit(self, flags):
        entered.set()
        loaded.wait()
        return 100

def loads(kind, line):
    entered.wait()
    assert "torch" not in sys.modules
    called = call(kind, line)
    assert "torch" in sys.modules
    loaded.set()
    return called

nvidia_driver.load_driver, fit.fit_call = Driver, loads
main(["fit", "image", sys.argv[1], "-o", sys.argv[2], "--device", "cuda", "--quiet"])
"""


@pytest.mark.parametrize("kind, options, starts", [
    ("image", {"engine": "auto", "device": None}, True),
    ("image", {"engine": "gpu", "device": "cuda"}, True),
    ("splats", {"device": None}, True),  # which has no choice of engine
    ("image", {"engine": "torch", "device": None}, False),
    ("image", {"engine": "auto", "device": "cpu"}, False),
    ("image", {"engine": "auto", "device": "cuda:0"}, False),  # PyTorch's
    ("image", {"engine": "gpu", "device": "vulkan"}, False),
])  # fmt: skip
def test_the_driver_starts_for_fits_that_may_use_it(monkeypatch, kind, options, starts):
    began = nullcontext()
    monkeypatch.setattr(nvidia_driver, "driver_started", lambda: began)
    found = fit_verb(kind)
    own = dict.fromkeys((flag.key for flag in found.flags), None)
    assert (early_device(found, own, options) is began) == starts


def test_flags_that_print_in_place_of_a_fit_start_nothing(monkeypatch):
    began = nullcontext()
    monkeypatch.setattr(nvidia_driver, "driver_started", lambda: began)
    kind = fit_verb("textures")
    for printing in [flag.key for flag in kind.flags if flag.stops]:
        own = {flag.key: flag.key == printing for flag in kind.flags}
        assert early_device(kind, own, {"engine": "auto", "device": None}) is not began


@pytest.mark.slow  # PyTorch loads
def test_packages_load_while_the_driver_starts(tmp_path):
    done = subprocess.run([sys.executable, "-c", BESIDE, PHOTO, tmp_path / "x.nsh"],
                          capture_output=True, text=True)  # fmt: skip
    assert "got no NVIDIA driver with a GPU" in done.stderr and len(done.stderr.splitlines()) == 1
    assert done.returncode == 1
