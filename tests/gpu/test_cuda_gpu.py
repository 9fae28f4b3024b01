"""gpu/cuda_gpu: what only CUDA has: memory shared with PyTorch, large group-shared memory."""

import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from neuralshade.errors import DeviceError, KernelError, ShapeError
from neuralshade.gpu import cuda_builds
from neuralshade.gpu.cuda_gpu import CudaGpu
from neuralshade.gpu.gpu import KernelText, bound_kernel, run_once

pytestmark = pytest.mark.gpu
TWICE = """
StructuredBuffer<float> from;
RWStructuredBuffer<float> into;

[shader("compute")]
[numthreads(64, 1, 1)]
void twice(uint3 thread : SV_DispatchThreadID)
{
    into[PLACE] = 2.0f * from[thread.x];
}
"""


@pytest.fixture(scope="module")
def cuda():
    try:
        gpu = CudaGpu()
    except DeviceError as error:
        pytest.skip(str(error))
    yield gpu
    gpu.close()


def text(place="thread.x"):
    return TWICE.replace("PLACE", place)


@pytest.fixture
def torch_device():
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no CUDA device")
    return torch.device("cuda", 0)


def test_pytorch_and_kernels_share_memory(cuda, torch_device):
    given = torch.arange(64, dtype=torch.float32, device=torch_device)
    torch.cuda.synchronize()
    made = cuda.buffer(size=256)
    kernel = cuda.kernel(text(), "twice", {"from": cuda.wrap(given), "into": made})
    run_once(cuda, [(kernel, 1)])
    cuda.wait()
    seen = torch.as_tensor(made, device=torch_device).view(torch.float32)
    assert seen.data_ptr() == made.pointer
    assert torch.equal(seen, 2 * given)
    np.testing.assert_array_equal(cuda.wrap(given).read().view(np.float32), np.arange(64))


def test_memory_with_gaps_is_refused(cuda, torch_device):
    with pytest.raises(ShapeError) as caught:
        cuda.wrap(torch.zeros(4, 6, device=torch_device)[:, ::2])
    assert str(caught.value) == (
        "wrap.array: got an array with gaps, need a contiguous one. Call contiguous() on it."
    )


def test_group_shared_memory_limits_the_groups_at_once(cuda):
    buffers = {"from": cuda.buffer(size=256), "into": cuda.buffer(size=256)}
    most = cuda.adapter.shared_bytes
    few = cuda.occupancy(cuda.kernel(text(), "twice", buffers, shared_bytes=most))
    many = cuda.occupancy(cuda.kernel(text(), "twice", buffers))
    assert few == 1 < many
    with pytest.raises(KernelError) as caught:
        cuda.kernel(text(), "twice", buffers, shared_bytes=most + 1024)
    assert str(caught.value) == (
        f"twice: got {most + 1024} bytes of group-shared memory, need fewer on {cuda.name}. "
        "Use a smaller plan."
    )


def test_a_kernel_keeps_what_it_is_bound_to(cuda):
    into = cuda.buffer(size=256)
    kernel = cuda.kernel(
        text(), "twice", {"from": cuda.buffer(np.arange(64, dtype=np.float32)), "into": into}
    )
    others = [cuda.buffer(np.full(64, 7, np.float32)) for _ in range(8)]
    run_once(cuda, [(kernel, 1)])
    np.testing.assert_array_equal(into.read().view(np.float32), 2 * np.arange(64))
    assert len(others) == 8


def test_what_is_prepared_is_not_compiled_again(cuda, monkeypatch, tmp_path):
    known = KernelText(text(), "twice", folder=tmp_path)
    wrong = KernelText("no Slang", "twice")
    cuda.prepare([known, wrong, known])
    buffers = {"from": cuda.buffer(size=256), "into": cuda.buffer(size=256)}
    with pytest.raises(KernelError):
        cuda.kernel(wrong.text, wrong.entry, buffers)
    bound_kernel(cuda, known, buffers)
    monkeypatch.setattr(cuda_builds, "build_kernel", None)  # it would be called
    run_once(cuda, [(bound_kernel(cuda, known, buffers), 1)])
    for other in (replace(known, fast_math=True), replace(known, folder=None)):
        with pytest.raises(TypeError):
            bound_kernel(cuda, other, buffers)


@pytest.mark.parametrize("size", [4, 4096, 2**15])
def test_uploads_that_are_not_waited_for_arrive_as_they_were(cuda, size):
    """More of them than there is room for at once; two lie beside each other."""
    buffers = [cuda.buffer(size=size) for _ in range(3)]
    commands, sent = cuda.commands(), np.random.default_rng(0)
    last = {}
    for round_ in range(400):
        values = sent.integers(0, 256, size, dtype=np.uint8)
        commands.upload(buffers[round_ % 3], 0, values)
        last[round_ % 3] = values.copy()
        values[:] = 0
    for index, buffer in enumerate(buffers):
        np.testing.assert_array_equal(buffer.read()[:size], last[index])


def test_work_for_a_closed_device_is_refused():
    gpu = CudaGpu()
    gpu.buffer(size=64)
    gpu.close()
    gpu.close()
    with pytest.raises(DeviceError) as caught:
        gpu.commands()
    assert str(caught.value) == (
        "device: got work for a CUDA device that was closed, need an open one. Open it again."
    )


def test_a_kernel_that_fails_is_told():
    """In a process of its own: nothing runs on the context afterwards."""
    code = (
        "from neuralshade.gpu.cuda_gpu import CudaGpu\n"
        "from neuralshade.gpu.gpu import run_once\n"
        "gpu = CudaGpu()\n"
        "buffers = {'from': gpu.buffer(size=256), 'into': gpu.buffer(size=256)}\n"
        f"run_once(gpu, [(gpu.kernel({text('0x7fffffffu')!r}, 'twice', buffers), 1)])\n"
        "gpu.wait()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("neuralshade.errors.DeviceError: device: got an error from ")
    # which address it was decides the name: ILLEGAL_ADDRESS, INVALID_ADDRESS_SPACE
    assert re.search(
        r"\(CUDA_ERROR_\w*ADDRESS\w*\), need one that answers. "
        r"Resume from the last checkpoint, or start again.$",
        last,
    )
