"""gpu/gpu: what a GPU does for the engine, the same through SlangPy and through CUDA."""

import numpy as np
import pytest

from neuralshade.errors import DeviceError, KernelError
from neuralshade.gpu.gpu import lost_device, no_memory, padded_size, run_once
from neuralshade.gpu.slangpy_gpu import SlangpyGpu

SCALE = """
struct Part
{
    float factor;
    float2 offset;
}

uniform Part part;
uniform uint count;
StructuredBuffer<float> ring;
StructuredBuffer<float> from;
RWStructuredBuffer<float> into;

[shader("compute")]
[numthreads(8, 1, 1)]
void scale(uint3 thread : SV_DispatchThreadID)
{
    uint size, stride;
    ring.GetDimensions(size, stride);
    if (thread.x < count)
        into[thread.x] = into[thread.x] + part.factor * from[thread.x] + part.offset.y
            + 100.0f * ring[5u % size];
}

[shader("compute")]
[numthreads(4, 2, 1)]
void place(uint3 thread : SV_DispatchThreadID)
{
    into[thread.y * 8u + thread.x] = float(10u * thread.y + thread.x);
}
"""
FROM = np.arange(11, dtype=np.float32)


@pytest.fixture
def scaled(gpu):
    """Give the result buffer, the ring, and what runs the kernel so many times."""
    into, ring = gpu.buffer(size=44), gpu.ring(np.float32, 4)
    kernel = gpu.kernel(SCALE, "scale", {
        "part": {"factor": 2.0, "offset": np.float32([9.0, 0.5])}, "count": len(FROM),
        "from": gpu.buffer(FROM), "into": into, "ring": ring, "unknown": 3,
    })  # fmt: skip
    steps = gpu.steps([(kernel, 2), (kernel, 0)])

    def run(times, *ring_writes):
        commands = gpu.commands()
        for first, values in ring_writes:
            ring.write(commands, first, values)
        commands.run(steps, times)
        commands.submit()
        return into.read().view(np.float32)[: len(FROM)]

    return into, run


@pytest.mark.parametrize("times", [1, 2, 3, 16, 37])
def test_steps_run_so_many_times(scaled, times):
    _, run = scaled
    np.testing.assert_array_equal(run(times), times * (2 * FROM + 0.5))
    np.testing.assert_array_equal(run(times), 2 * times * (2 * FROM + 0.5))


def test_a_ring_is_written_around_its_end(scaled):
    """Number 5 lies at 1: once written from the front, once behind the end."""
    _, run = scaled
    first = run(1, (4, [7.0, 3.0]))
    np.testing.assert_array_equal(first, 2 * FROM + 0.5 + 300.0)
    second = run(1, (6, [8.0, 9.0, 1.0, 4.0]))
    np.testing.assert_array_equal(second - first, 2 * FROM + 0.5 + 400.0)


def test_uploads_clears_and_readers(gpu):
    buffer = gpu.buffer(np.arange(6, dtype=np.uint32))
    commands = gpu.commands()
    commands.upload(buffer, 8, np.array([70, 80], np.uint32))
    commands.upload(buffer, 0, np.zeros(0, np.uint8))
    commands.submit()
    assert buffer.read().view(np.uint32).tolist() == [0, 1, 70, 80, 4, 5]
    assert buffer.read(12).view(np.uint32).tolist() == [0, 1, 70]
    reader = gpu.reader(buffer, 12)
    assert reader.read().view(np.uint32).tolist() == [0, 1, 70]
    commands = gpu.commands()
    commands.clear(buffer)
    commands.submit()
    assert reader.read().view(np.uint32).tolist() == [0, 0, 0]


@pytest.mark.parametrize("size", [0, 1, 17])
def test_a_buffer_is_never_empty_and_begins_as_zeros(gpu, size):
    buffer = gpu.buffer(size=size)
    assert buffer.size == padded_size(size) == len(buffer.read()) >= max(1, size)
    assert not buffer.read().any()


def test_groups_lie_in_a_plane(gpu):
    into = gpu.buffer(size=4 * 32)
    run_once(gpu, [(gpu.kernel(SCALE, "place", {"into": into}), (2, 2))])
    row, col = np.mgrid[:4, :8]
    np.testing.assert_array_equal(into.read().view(np.float32).reshape(4, 8), 10 * row + col)


def test_stamps_go_forward(gpu, scaled):
    _, run = scaled
    stamps = gpu.stamps(3)
    for index in range(3):
        run(1)
        commands = gpu.commands()
        commands.stamp(stamps, index)
        commands.submit()
    first, second, third = stamps.seconds(3)
    assert first < second < third < first + 60.0


def test_text_that_does_not_compile_is_refused(gpu):
    with pytest.raises(KernelError) as caught:
        gpu.kernel("void f() { undefined_thing(); }", "f", {})
    assert "got Slang text that does not compile, need one that does." in str(caught.value)
    assert "undefined_thing" in str(caught.value)


def test_the_adapter_is_described(gpu):
    adapter = gpu.adapter
    assert (adapter.name, adapter.api) == (gpu.name, gpu.api)
    assert {"half", "atomic_float", "wave_ops"} <= set(adapter.features)
    assert adapter.multiprocessors is None or adapter.multiprocessors == gpu.multiprocessors


@pytest.mark.gpu
def test_more_memory_than_there_is_is_refused(gpu):
    with pytest.raises(DeviceError) as caught:
        gpu.buffer(size=2**42) if gpu.api == "cuda" else pytest.skip("it takes the host's first")
    message = str(caught.value)
    assert message.startswith("memory: got ") and message.endswith(
        f"MB free on {gpu.name}, need 4194304.0 MB more for this fit. "
        "Take a smaller picture, size, bpp, grids or batch, or close what else uses the GPU."
    )


def test_what_is_said_of_memory_and_of_a_lost_device(same_message):
    same_message(str(no_memory("RTX", 3 * 2**19)), "memory", "Take")
    same_message(str(no_memory("RTX", 3 * 2**20, 2**19)), "memory", "Take")
    same_message(str(lost_device("RTX", "gone")), "device", "Resume")


def test_a_device_of_somebody_else_stays_open(device):
    SlangpyGpu(device, owned=False).close()
    assert SlangpyGpu(device, owned=False).buffer(size=8).size == 16


def test_a_dispatch_beyond_the_device_is_refused(gpu):
    kernel = gpu.kernel(SCALE, "place", {"into": gpu.buffer(size=256)})
    if gpu.api == "cuda":
        pytest.skip("a launch may have more groups than a fit can ask for")
    gpu.steps([(kernel, gpu.most_groups)])
    for groups in (gpu.most_groups + 1, (gpu.most_groups + 1, 1)):
        with pytest.raises(DeviceError, match=rf"^dispatch: got {gpu.most_groups + 1} groups"):
            gpu.steps([(kernel, groups)])


def test_a_buffer_that_cannot_be_bound_is_refused(gpu):
    if gpu.api == "cuda":
        pytest.skip("CUDA binds addresses")
    with pytest.raises(DeviceError, match=r"^memory: got 4096\.0 MB for one buffer"):
        gpu.buffer(size=2**32)
