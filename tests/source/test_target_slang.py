"""source/target: the device's pixels and positions equal the Python half's."""

import numpy as np
import pytest
import torch

from neuralshade.gpu.gpu import run_once
from neuralshade.source.target import Target, device_pixels

DTYPES = (np.uint8, np.uint16, np.float16, np.float32)
SIZES = ((1, 1), (1, 5), (7, 3))  # height, width
LOOK = """
import neuralshade.source.target;
StructuredBuffer<ELEMENT> pixels;
StructuredBuffer<float2> uv;
RWStructuredBuffer<float4> at_pixels;
RWStructuredBuffer<float4> at_uv;
uniform int2 size_px;

[shader("compute")]
[numthreads(32, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    TARGET target = { pixels, size_px };
    int index = int(thread.x);
    if (index < size_px.x * size_px.y)
        at_pixels[index] = target.load(int2(index % size_px.x, index / size_px.x));
    if (index < POSITIONS)
        at_uv[index] = at_position(target, uv[index]);
}
"""


def picture(height: int, width: int, channels: int, dtype: type) -> np.ndarray:
    rng = np.random.default_rng(height * 8 + channels)
    if np.issubdtype(dtype, np.integer):
        top = np.iinfo(dtype).max
        pixels = rng.integers(0, top, (height, width, channels), dtype=dtype, endpoint=True)
        pixels[0, 0] = top
        return pixels
    return rng.normal(0.3, 4.0, (height, width, channels)).astype(dtype)


def positions(height: int, width: int) -> np.ndarray:
    """Return corners, pixel centers, their middles, and random places: float32 [N, 2]."""
    rng = np.random.default_rng(5)
    size = np.array([width, height])
    corners = [[0, 0], [1, 1], [0, 1], [1, 0], [0.5, 0.5]]
    halves = rng.integers(0, 2 * size + 1, (20, 2)) / (2 * size)
    return np.concatenate([corners, halves, rng.random((30, 2))]).astype(np.float32)


def look(gpu, pixels: np.ndarray, uv: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the device's channels at every pixel and at ``uv``, each [N, 4]."""
    height, width, _ = pixels.shape
    target, element, stored = device_pixels(pixels)
    text = LOOK.replace("ELEMENT", element).replace("TARGET", target)
    out = {"at_pixels": height * width, "at_uv": len(uv)}
    made = {name: gpu.buffer(size=16 * count) for name, count in out.items()}
    kernel = gpu.kernel(text.replace("POSITIONS", str(len(uv))), "main", {
        "pixels": gpu.buffer(stored), "uv": gpu.buffer(uv),
        "size_px": np.array([width, height], np.int32), **made,
    })  # fmt: skip
    run_once(gpu, [(kernel, -(-max(out.values()) // 32))])
    first, second = (
        made[name].read().view(np.float32).reshape(-1, 4)[:count] for name, count in out.items()
    )
    return first, second


@pytest.mark.parametrize("height, width", SIZES)
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", DTYPES)
def test_both_halves_agree(gpu, dtype, channels, height, width):
    pixels, uv = picture(height, width, channels, dtype), positions(height, width)
    at_pixels, at_uv = look(gpu, pixels, uv)
    target = Target(pixels, torch.device("cpu"))
    wanted = target.at_lattice(torch.arange(height), torch.arange(width)).t()
    # 2^-23: v / 255 on one half, v * (1 / 255) on the other
    np.testing.assert_allclose(at_pixels[:, :channels], wanted, rtol=2.5e-7)
    # a place within a pixel is known to 2^-24 of the picture; neighbors differ by up to 20
    np.testing.assert_allclose(
        at_uv[:, :channels], target.at_positions(torch.from_numpy(uv)).t(), rtol=1e-6, atol=2e-5
    )
    assert not at_pixels[:, channels:].any() and not at_uv[:, channels:].any()


def test_what_the_device_keeps():
    bytes_kept = device_pixels(np.array([[[1, 2, 3]], [[255, 0, 7]]], np.uint8))
    assert bytes_kept[:2] == ("ByteTarget", "uint")
    assert bytes_kept[2].dtype == np.uint32
    assert bytes_kept[2].tolist() == [0x030201, 0x0700FF]
    kind, element, numbers = device_pixels(np.array([[[65535, 13107]]], np.uint16))
    assert (kind, element, numbers.dtype) == ("FloatTarget", "float4", np.float32)
    np.testing.assert_allclose(numbers, [[1.0, 0.2, 0.0, 0.0]], rtol=1e-7)
    numbers = device_pixels(np.array([[[-2.5], [7e4]]], np.float32))[2]
    np.testing.assert_array_equal(numbers, np.float32([[-2.5, 0, 0, 0], [7e4, 0, 0, 0]]))
