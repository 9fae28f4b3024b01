"""What tests of kernels share: one dispatch of an entry point over NumPy arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from neuralshade.gpu.kernel import Kernel, device_buffer, load_text


class Dispatch:
    """Runs entry points of one text; what buffers hold afterwards is in ``read``."""

    def __init__(self, device: Any, text: str, arrays: Mapping[str, np.ndarray], others: Any):
        self.device, self.module, self.others = device, load_text(device, text), others
        self.buffers = {name: device_buffer(device, array) for name, array in arrays.items()}
        self.kernels: dict[str, Kernel] = {}

    def run(self, *entries: tuple[str, int]) -> None:
        """Run each (entry point, groups) after the one before it."""
        encoder = self.device.create_command_encoder()
        with encoder.begin_compute_pass() as into:
            for entry, groups in entries:
                self._kernel(entry).record(into, [groups])
        self.device.submit_command_buffer(encoder.finish())

    def _kernel(self, entry: str) -> Kernel:
        if entry not in self.kernels:  # compiling one takes seconds
            variables = {**self.others, **self.buffers}
            self.kernels[entry] = Kernel(self.device, self.module, entry, variables)
        return self.kernels[entry]

    def write(self, **arrays: np.ndarray) -> None:
        """Replace the contents of buffers."""
        encoder = self.device.create_command_encoder()
        for name, array in arrays.items():
            if array.size:
                encoder.upload_buffer_data(self.buffers[name], 0, array)
        self.device.submit_command_buffer(encoder.finish())

    def read(self, name: str, dtype: Any, count: int) -> np.ndarray:
        """Return the first ``count`` elements of a buffer."""
        raw = self.buffers[name].to_numpy().view(np.uint8)
        return raw[: count * np.dtype(dtype).itemsize].view(dtype)


@pytest.fixture(scope="session")
def dispatch(device):
    """Give a function that uploads ``arrays`` for a text; ``others`` are bound as they are."""

    def build(text: str, arrays: Mapping[str, np.ndarray], **others: Any) -> Dispatch:
        return Dispatch(device, text, arrays, others)

    return build
