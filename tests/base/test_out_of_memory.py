"""memory: what is for want of it is told in one line, with the amount where that is known."""

import errno

import numpy as np
import pytest
import torch

from neuralshade.base.out_of_memory import out_of_memory_message

ENDING = (", need as much. End other programs, or take less at a time: a smaller picture, batch "
          "or size.")  # fmt: skip


def raised(call):
    with pytest.raises((MemoryError, RuntimeError)) as caught:
        call()
    return caught.value


@pytest.mark.parametrize("call, amount", [
    (lambda: np.empty(2**60, np.uint8), "no 1.00 EiB more"),
    (lambda: torch.empty(2**60, dtype=torch.uint8), "no 1099511627776.0 MiB more"),
    (lambda: bytearray(2**62), "none left"),
])  # fmt: skip
def test_what_libraries_say_themselves(call, amount):
    assert out_of_memory_message(raised(call)) == f"memory: got {amount}{ENDING}"


@pytest.mark.parametrize("error, amount", [
    (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has"),
     "no 20.00 MiB more"),
    (RuntimeError("std::bad_alloc"), "none left"),
    (RuntimeError("can't start new thread"), "none left"),
    (ImportError("libtorch_cpu.so: failed to map segment from shared object"), "none left"),
    (OSError(errno.ENOMEM, "Cannot allocate memory"), "none left"),
])  # fmt: skip
def test_others(error, amount):
    assert out_of_memory_message(error) == f"memory: got {amount}{ENDING}"


@pytest.mark.parametrize("error", [
    RuntimeError("a shape"), ImportError("no module"), OSError(errno.ENOSPC, "full"), ValueError(),
])  # fmt: skip
def test_any_other_error_is_none_of_these(error):
    assert out_of_memory_message(error) is None
