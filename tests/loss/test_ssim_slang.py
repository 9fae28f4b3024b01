"""loss/ssim: the kernels equal the Python half in value and gradient."""

from typing import NamedTuple

import numpy as np
import pytest
import torch

from neuralshade.gpu.gpu import run_once
from neuralshade.loss.ssim import ssim_bytes, ssim_groups, ssim_map, ssim_text
from neuralshade.source.target import device_pixels

SIZES = ((1, 1), (3, 50), (16, 16), (37, 41))  # height, width
SCALE = 0.37


class Run(NamedTuple):
    similarity: np.ndarray  # [H, W, C]
    sums: np.ndarray  # [C]
    d_drawn: np.ndarray  # [H, W, C]


@pytest.fixture
def run(gpu):
    """Give a function that runs both kernels on ``drawn`` and ``target``, [H, W, C] each."""

    def run(drawn: np.ndarray, target: np.ndarray) -> Run:
        height, width, channels = sides = drawn.shape
        kind, _, stored = device_pixels(target)
        size_px = np.array([width, height], np.int32)
        made = {n: gpu.buffer(size=s) for n, s in ssim_bytes(width, height, channels).items()}
        variables = {
            **made, "drawn": gpu.buffer(drawn), "ssim_scale": SCALE,
            "target": {"pixels": gpu.buffer(stored), "size_px": size_px},
        }  # fmt: skip
        text, groups = ssim_text(channels, kind), ssim_groups(width, height, channels)
        entries = ("ssim_forward", "ssim_backward")
        run_once(gpu, [(gpu.kernel(text, entry, variables), groups) for entry in entries])
        read = {name: buffer.read().view(np.float32) for name, buffer in made.items()}
        numbers = height * width * channels
        maps = read["ssim_maps"][: 4 * numbers].reshape(channels, height, width, 4)
        sums = read["ssim_sums"][: groups[0] * channels].reshape(channels, -1)
        d_drawn = read["d_drawn"][:numbers].reshape(sides)
        return Run(np.moveaxis(maps[..., 3], 0, 2), sums.sum(1), d_drawn)

    return run


def planes(pixels: np.ndarray) -> torch.Tensor:
    """Return ``pixels`` [H, W, C] as float64 [C, H, W], those of 8 bits scaled to [0, 1]."""
    unit = 255.0 if pixels.dtype == np.uint8 else 1.0
    return torch.from_numpy(np.moveaxis(pixels / np.float64(unit), 2, 0).copy())


def reference(drawn: np.ndarray, target: np.ndarray) -> Run:
    """Return the same by the Python half in float64."""
    p = planes(drawn).requires_grad_()
    similarity = ssim_map(p, planes(target))
    (-SCALE * similarity.sum()).backward()
    sums = similarity.sum((1, 2))
    return Run(*(np.asarray(x.detach()) for x in
                 (similarity.permute(1, 2, 0), sums, p.grad.permute(1, 2, 0))))  # fmt: skip


def off(got: np.ndarray, wanted: np.ndarray) -> float:
    """Return the norm of the difference, relative to that of ``wanted``."""
    return float(np.linalg.norm(got - wanted) / np.linalg.norm(wanted))


def check(run, drawn: np.ndarray, target: np.ndarray) -> None:
    """Check value and gradient, in float32 beside float64."""
    got, wanted = run(drawn, target), reference(drawn, target)
    assert np.sqrt(np.mean((got.similarity - wanted.similarity) ** 2)) < 1e-5
    assert abs(got.sums - wanted.sums).max() / wanted.similarity[..., 0].size < 1e-5
    assert off(got.d_drawn, wanted.d_drawn) < 1e-5


def wavy(rng: np.random.Generator, height: int, width: int, channels: int) -> np.ndarray:
    """Return float32 [H, W, C] about [0, 1] with smooth and rough places."""
    row, col = np.indices((height, width))[:, :, :, None]
    smooth = 0.5 + 0.4 * np.sin(0.21 * row + 0.13 * col + rng.uniform(0, 6, channels))
    rough = rng.normal(0.0, 0.1, smooth.shape) * (col % 9 > 4)
    return (smooth + rough).astype(np.float32)


def noisy(rng: np.random.Generator, pixels: np.ndarray, sigma: float) -> np.ndarray:
    return (pixels + rng.normal(0.0, sigma, pixels.shape)).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("height, width", SIZES)
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_both_halves_agree(run, height, width, channels):
    rng = np.random.default_rng(height * 8 + channels)
    target = wavy(rng, height, width, channels)
    check(run, wavy(rng, height, width, channels), target)
    check(run, noisy(rng, target, 0.02), target)


def test_a_target_of_bytes(run):
    rng = np.random.default_rng(0)
    target = rng.integers(0, 256, (19, 33, 3), dtype=np.uint8)
    check(run, wavy(rng, 19, 33, 3), target)


@pytest.mark.parametrize("sigma", [1e-2, 1e-4])
def test_bright_flat_parts_lose_nothing(run, sigma):
    """Plain differences of squares would be off by 4e-5 and 1e-4 here."""
    rng = np.random.default_rng(0)
    flat = np.full((37, 41, 3), 0.95, np.float32)
    check(run, noisy(rng, flat, sigma), noisy(rng, flat, sigma))


@pytest.mark.parametrize("drawn, target", [(0.0, 0.9), (0.5, 0.9), (1.0, 0.1)])
def test_constant_pictures(run, drawn, target):
    check(run, *(np.full((21, 30, 3), x, np.float32) for x in (drawn, target)))


@pytest.mark.parametrize("flat", [False, True])
def test_equal_pictures_are_alike_and_pull_nowhere(run, flat):
    target = wavy(np.random.default_rng(0), 37, 41, 3)
    if flat:
        target[:] = 0.7
    got = run(target, target)
    np.testing.assert_array_equal(got.similarity, 1.0)
    np.testing.assert_array_equal(got.sums, 37 * 41)
    np.testing.assert_array_equal(got.d_drawn, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_a_pixel_that_is_not_finite_shows_in_every_gradient_that_it_reaches(run, odd):
    target = wavy(np.random.default_rng(0), 37, 41, 1)
    drawn = noisy(np.random.default_rng(1), target, 0.1)
    drawn[20, 13] = odd  # windows reach 5 pixels, their slopes 5 more
    row, col = np.indices((37, 41))
    reached = (abs(row - 20) <= 10) & (abs(col - 13) <= 10)
    np.testing.assert_array_equal(np.isfinite(run(drawn, target).d_drawn[:, :, 0]), ~reached)


def test_a_stray_pixel_in_the_middle_of_a_tile_spoils_no_others(run):
    target = wavy(np.random.default_rng(0), 37, 41, 1)
    drawn = noisy(np.random.default_rng(1), target, 0.1)
    drawn[24, 24] = 1e4
    got, wanted = run(drawn, target).d_drawn, reference(drawn, target).d_drawn
    assert off(got[:, :14], wanted[:, :14]) < 1e-5
    assert off(got[:14], wanted[:14]) < 1e-5
    assert off(got[16:32, 35:], wanted[16:32, 35:]) < 1e-5


def test_rounding_of_large_numbers_keeps_the_similarity_in_its_bounds(run):
    target = noisy(np.random.default_rng(0), np.full((37, 41, 1), 1000.0), 0.01)
    got = run(3.0 * target, target)
    assert abs(got.similarity).max() <= 1.0
    assert np.isfinite(got.d_drawn).all()
