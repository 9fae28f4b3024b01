"""Structural similarity of two pictures, as a loss term. Device half: ssim.cs.slang.

Source: Wang et al. 2004, Image Quality Assessment: From Error Visibility to Structural
Similarity, equation 13. Outside the picture the windows meet zeros, which no weight makes up for.
"""

import math

import torch
import torch.nn.functional as F

from neuralshade.errors import ShapeError

RADIUS_PX = 5  # of the window: 3.5 SIGMA_PX, rounded
SIGMA_PX = 1.5
C1 = 0.01**2  # keeps black from dominating; K1 and K2 of the paper, for values in [0, 1]
C2 = 0.03**2  # the same for flat parts
TILE_PX = 16  # side of what a group of the device works on

TEXT = """static const int CHANNELS = {channels};
static const int TILE_PX = {tile_px};
static const int RADIUS_PX = {radius_px};
static const float WINDOW[] = {{ {window} }};
static const float C1 = {c1!r}f;
static const float C2 = {c2!r}f;
typealias Target = {target};
#include "neuralshade/loss/ssim.cs.slang"
"""


def ssim(p: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    """Return the mean of ``ssim_map`` over all channels and pixels: 1 for equal pictures."""
    return ssim_map(p, t).mean()


def ssim_map(p: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    """Return the structural similarity around every pixel, each channel on its own.

    Args:
        p: floats [C, H, W], values about [0, 1], of any size from 1 x 1 on.
        t: floats [C, H, W], likewise: what ``p`` is compared with.

    Returns:
        [C, H, W] in [-1, 1], 1 is equal; float64 of float64, else float32.

    Gradients: reach both. Raises: ShapeError if the shapes differ or are not [C, H, W].
    """
    if p.ndim != 3 or p.shape != t.shape:
        raise ShapeError(
            f"ssim: got p {list(p.shape)} and t {list(t.shape)}, need one shape [C, H, W]. "
            "Permute the axes, or render at the target's size."
        )
    dtype = torch.promote_types(p.dtype, torch.float32)  # halves cannot hold variances
    p, t = p.to(dtype), t.to(dtype)
    mean_p, mean_t, square_p, square_t, product = _blurred(torch.stack([p, t, p * p, t * t, p * t]))
    variance_p = square_p - mean_p * mean_p
    variance_t = square_t - mean_t * mean_t
    covariance = product - mean_p * mean_t
    luminance = (2.0 * mean_p * mean_t + C1) / (mean_p * mean_p + mean_t * mean_t + C1)
    return luminance * (2.0 * covariance + C2) / (variance_p + variance_t + C2)


def _blurred(pictures: torch.Tensor) -> torch.Tensor:
    """Return weighted sums over the window around every pixel: [N, C, H, W] likewise."""
    weights = torch.tensor(window(), dtype=pictures.dtype, device=pictures.device)
    planes = pictures.flatten(0, 1)[:, None]
    down = F.conv2d(planes, weights[None, None, :, None], padding=(RADIUS_PX, 0))
    across = F.conv2d(down, weights[None, None, None, :], padding=(0, RADIUS_PX))
    return across.view_as(pictures)


def window() -> list[float]:
    """Return the Gaussian's weights along one axis: 11 that sum to 1."""
    weights = [
        math.exp(-0.5 * (offset / SIGMA_PX) ** 2) for offset in range(-RADIUS_PX, RADIUS_PX + 1)
    ]
    return [weight / math.fsum(weights) for weight in weights]


def ssim_text(channels: int, target: str) -> str:
    """Return the module of ``ssim_forward`` and ``ssim_backward``.

    Args:
        channels: of the picture, 1 to 4.
        target: a type of source/target.slang.
    """
    return TEXT.format(
        channels=channels,
        tile_px=TILE_PX,
        radius_px=RADIUS_PX,
        window=", ".join(f"{weight!r}f" for weight in window()),
        c1=C1,
        c2=C2,
        target=target,
    )


def ssim_groups(width: int, height: int, channels: int) -> tuple[int, int]:
    """Return how many groups either dispatch has: tiles, and channels."""
    return -(-width // TILE_PX) * -(-height // TILE_PX), channels


def ssim_bytes(width: int, height: int, channels: int) -> dict[str, int]:
    """Return the size of each buffer that the kernels write, by the name it is bound to."""
    tiles, _ = ssim_groups(width, height, channels)
    numbers = width * height * channels
    return {"ssim_maps": 16 * numbers, "ssim_sums": 4 * tiles * channels, "d_drawn": 4 * numbers}
