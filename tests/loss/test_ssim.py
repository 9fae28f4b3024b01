"""loss/ssim: the Python half equals the formula, scikit-image and its central differences."""

import numpy as np
import pytest
import torch
from skimage.metrics import structural_similarity

from neuralshade.errors import ShapeError
from neuralshade.loss.ssim import C1, C2, ssim, ssim_bytes, ssim_groups, ssim_map, window


def pictures(
    rng: torch.Generator, channels: int, height: int, width: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return p, t float64 [C, H, W] in [0, 1], not far from each other."""
    t = torch.rand(channels, height, width, generator=rng, dtype=torch.float64)
    p = t + 0.3 * torch.randn(t.shape, generator=rng, dtype=torch.float64)
    return p.clamp(0, 1), t


def formula(p: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return the same of one channel, window by window, with variances as the paper has them."""
    height, width = p.shape
    p, t = (np.pad(x, 5) for x in (p, t))
    offset = np.arange(-5, 6)
    w = np.exp(-(offset[:, None] ** 2 + offset[None, :] ** 2) / (2 * 1.5**2))
    w /= w.sum()
    out = np.empty((height, width))
    for row, col in np.ndindex(height, width):
        x, y = (z[row : row + 11, col : col + 11] for z in (p, t))
        mx, my = (w * x).sum(), (w * y).sum()
        vx, vy, cov = ((w * u * v).sum() for u, v in
                       ((x - mx, x - mx), (y - my, y - my), (x - mx, y - my)))  # fmt: skip
        above = (2 * mx * my + 0.01**2) * (2 * cov + 0.03**2)
        out[row, col] = above / ((mx**2 + my**2 + 0.01**2) * (vx + vy + 0.03**2))
    return out


@pytest.mark.parametrize("height, width", [(1, 1), (3, 17), (13, 12)])
def test_value_equals_the_formula_borders_included(rng, height, width):
    p, t = pictures(rng, 2, height, width)
    wanted = [formula(*pair) for pair in zip(p.numpy(), t.numpy(), strict=True)]
    np.testing.assert_allclose(ssim_map(p, t), wanted, rtol=0, atol=1e-12)
    assert ssim(p, t).item() == pytest.approx(np.mean(wanted), abs=1e-12)


def test_scikit_image_says_the_same_away_from_borders(rng):
    p, t = pictures(rng, 3, 37, 41)
    _, wanted = structural_similarity(
        p.numpy(), t.numpy(), channel_axis=0, full=True, data_range=1.0,
        gaussian_weights=True, sigma=1.5, use_sample_covariance=False,
    )  # fmt: skip
    inner = (slice(None), slice(5, -5), slice(5, -5))
    np.testing.assert_allclose(ssim_map(p, t)[inner], wanted[inner], rtol=0, atol=1e-12)


def test_gradients_equal_central_differences(rng):
    p, t = (x.requires_grad_() for x in pictures(rng, 2, 5, 13))
    assert torch.autograd.gradcheck(ssim, (p, t))


def test_equal_pictures_are_alike_and_pull_nowhere(rng):
    _, t = pictures(rng, 3, 20, 14)
    p = t.clone().requires_grad_()
    value = ssim(p, t)
    value.backward()
    assert value.item() == pytest.approx(1.0, abs=1e-12)
    assert p.grad is not None and p.grad.abs().max().item() < 1e-12


def test_constant_pictures_differ_in_luminance_only(rng):
    p, t = (torch.full((1, 11, 11), x, dtype=torch.float64) for x in (0.5, 0.9))
    wanted = (2 * 0.5 * 0.9 + C1) / (0.5**2 + 0.9**2 + C1)
    # 1e-16 / C2: what rounding leaves of the variances
    assert ssim_map(p, t)[0, 5, 5].item() == pytest.approx(wanted, abs=1e-16 / C2 * 10)


def test_halves_are_computed_in_float32(rng):
    p, t = pictures(rng, 3, 20, 14)
    assert ssim(p, t).dtype == torch.float64
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        small_p, small_t = p.to(dtype), t.to(dtype)
        got, wanted = ssim(small_p, small_t), ssim(small_p.double(), small_t.double())
        assert got.dtype == torch.float32
        assert got.item() == pytest.approx(wanted.item(), abs=1e-5)


def test_the_window_is_symmetric_and_weighs_1():
    weights = window()
    assert len(weights) == 11
    assert weights == weights[::-1]
    assert sum(weights) == pytest.approx(1.0, abs=1e-15)


def test_groups_and_buffers_of_the_kernels():
    assert ssim_groups(1, 1, 1) == (1, 1)
    assert ssim_groups(17, 16, 3) == (2, 3)
    assert ssim_groups(33, 48, 4) == (9, 4)
    wanted = {"ssim_maps": 16 * 17 * 16 * 3, "ssim_sums": 4 * 2 * 3, "d_drawn": 4 * 17 * 16 * 3}
    assert ssim_bytes(17, 16, 3) == wanted


@pytest.mark.parametrize("p, t", [((1, 4, 5), (3, 4, 5)), ((4, 5), (4, 5))])
def test_refusal_of_other_shapes(p, t):
    with pytest.raises(ShapeError) as refused:
        ssim(torch.zeros(p), torch.zeros(t))
    assert str(refused.value) == (
        f"ssim: got p {list(p)} and t {list(t)}, need one shape [C, H, W]. "
        "Permute the axes, or render at the target's size."
    )
