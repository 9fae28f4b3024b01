"""What every test may ask for: a device, a seeded generator; and when `gpu` tests run."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from neuralshade.errors import DeviceError
from neuralshade.gpu.device import open_device
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import hardware_adapter, open_gpu
from neuralshade.gpu.slangpy_gpu import SlangpyGpu


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked `gpu` where no hardware GPU answers."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and hardware_adapter() is None:
        config.hook.pytest_deselected(items=marked)
        items[:] = [item for item in items if item not in marked]


@pytest.fixture(scope="session")
def device() -> Iterator[Any]:
    """Give the session's SlangPy device; without one, skip, but fail in CI where apt has Mesa."""
    try:
        opened = open_device("auto")
    except DeviceError as error:
        if os.environ.get("CI") == "true" and shutil.which("apt-get"):
            pytest.fail(f"CI has apt, so it must have software Vulkan: {error}")
        pytest.skip(str(error))
    yield opened
    opened.close()


@pytest.fixture(scope="session", params=["slangpy", pytest.param("cuda", marks=pytest.mark.gpu)])
def gpu(request: pytest.FixtureRequest) -> Iterator[Gpu]:
    """Give the session's GPU: through SlangPy as ``device``, then, where there is one, by CUDA."""
    if request.param == "slangpy":
        opened: Gpu = SlangpyGpu(request.getfixturevalue("device"), owned=False)
    else:
        try:
            opened = open_gpu("cuda")
        except DeviceError as error:
            pytest.skip(str(error))
    yield opened
    opened.close()


@pytest.fixture
def rng() -> torch.Generator:
    """Give a generator that starts equal in every test."""
    return torch.Generator().manual_seed(0)


@pytest.fixture
def refusal():
    """Return what calls a function that must raise, and returns the message: one line."""

    def message(kind, call, *arguments, **named):
        with pytest.raises(kind) as caught:
            call(*arguments, **named)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return message
