"""2D Gaussians and their compositing to a picture. Device half: gaussian.slang.

The functions here visit every Gaussian at every place: they are what the kernels are tested
against. Places and sizes are in pixels of the fitted picture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neuralshade.base.lazy_import import lazy_module

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch
else:  # the constants below are read without it
    torch = lazy_module("torch")

CENTER, SIZE, SHEAR, COLOR = slice(0, 2), slice(2, 4), 4, 5  # rows of a cloud's attributes
LARGEST_OPACITY = 0.995  # below 1, so that Gaussians behind it get gradients
LEAST_SUM = 1e-4  # of the weights at a place that are made to sum to one
SMALLEST_PX = 0.25  # standard deviation across and down
COMPOSITINGS = ("over", "sum", "normalized")


@dataclass(frozen=True)
class Compositing:
    """How a place's color comes from the Gaussians that meet it.

    ``over``: each covers those after it, opacity [0, 1) times its weight; the background is last.
    ``sum``: weights times colors are added to the background.
    ``normalized``: the same of the ``strongest`` weights at the place, divided by their sum.
    """

    kind: str
    strongest: int = 10
    cutoff: float = 3.0  # standard deviations, beyond which a Gaussian is 0

    @property
    def opacity(self) -> int:
        """Return how many numbers of a Gaussian are its opacity: 1 or 0."""
        return int(self.kind == "over")


@dataclass(frozen=True)
class GaussianPicture:
    """A picture of Gaussians for renderers of such, float64, x to the right and y down."""

    centers: npt.NDArray[Any]  # [N, 2], pixels
    roots: npt.NDArray[Any]  # [N, 2, 2], pixels; a covariance is root root^T
    colors: npt.NDArray[Any]  # [N, C]
    opacities: npt.NDArray[Any] | None  # [N], of ``over``, where the first is in front
    background: npt.NDArray[Any]  # [C]
    compositing: Compositing
    width: int
    height: int
    space: str  # of colors: srgb or linear
    draw: Callable[[int, int], npt.NDArray[Any]]  # float32 [height, width, C], of any size


def weight_at(attributes: torch.Tensor, places_px: torch.Tensor, cutoff: float) -> torch.Tensor:
    """Return the weight of each Gaussian at each place.

    Args:
        attributes: float [A, N]: center x, y in pixels, logarithms of width and height, shear.
        places_px: float [P, 2].
        cutoff: in standard deviations, where the weight has come to 0.

    Returns:
        float [P, N] in [0, 1]; gradients reach ``attributes``.
    """
    offset = places_px[:, :, None] - attributes[CENTER]  # [P, 2, N]
    u = offset[:, 0] * torch.exp(-attributes[2])
    v = offset[:, 1] * torch.exp(-attributes[3]) - attributes[SHEAR] * u
    least = torch.exp(torch.tensor(-0.5 * cutoff**2, dtype=attributes.dtype))
    return ((torch.exp(-0.5 * (u * u + v * v)) - least) / (1 - least)).clamp(min=0)


def reach_px(attributes: torch.Tensor, cutoff: float) -> torch.Tensor:
    """Return half the sides of the boxes that hold all of each Gaussian: float [2, N]."""
    width, height = torch.exp(attributes[SIZE])
    return cutoff * torch.stack([width, height * torch.sqrt(1 + attributes[SHEAR] ** 2)])


def channels_of(colors: torch.Tensor) -> torch.Tensor:
    """Return stored colors [C, N] as channels: the first three of three or more are luma,
    orange and green chroma. Source: Malvar and Sullivan 2003, YCoCg-R, without its rounding.
    """
    if len(colors) < 3:
        return colors
    luma, orange, green, *alpha = colors
    return torch.stack([luma - green + orange, luma + green, luma - green - orange, *alpha])


def stored_of(channels: torch.Tensor) -> torch.Tensor:
    """Return the inverse of ``channels_of``: [C, N]."""
    if len(channels) < 3:
        return channels
    red, green, blue, *alpha = channels
    return torch.stack([(red + 2 * green + blue) / 4, (red - blue) / 2,
                        (2 * green - red - blue) / 4, *alpha])  # fmt: skip


def color_at(
    attributes: torch.Tensor,
    places_px: torch.Tensor,
    background: torch.Tensor,
    compositing: Compositing,
) -> torch.Tensor:
    """Return the color of a cloud at each place: float [P, C].

    Args:
        attributes: float [A, N] as ``weight_at`` has it, then C numbers of color (see
            ``channels_of``) and, for ``over``, the logit of the opacity.
        places_px: float [P, 2].
        background: float [C].
        compositing: how Gaussians come together.

    Gradients reach ``attributes``. Sources: Porter and Duff 1984 (over); Zhang et al. 2024,
    GaussianImage, equation 5 (sum); Zhang et al. 2025, Image-GS, equation 2 (normalized).
    """
    weights = weight_at(attributes, places_px, compositing.cutoff)
    colors = channels_of(attributes[COLOR : COLOR + len(background)]).t()
    if compositing.kind == "sum":
        return background + weights @ colors
    if weights.shape[1] == 0:
        return background.expand(len(weights), -1)
    if compositing.kind == "normalized":
        ranked = min(compositing.strongest, weights.shape[1])
        least = weights.topk(ranked, dim=1).values[:, -1:]
        weights = weights * (weights >= least)
        total = weights.sum(1, keepdim=True) + LEAST_SUM
        return (LEAST_SUM * background + weights @ colors) / total
    alpha = weights * LARGEST_OPACITY * torch.sigmoid(attributes[-1])
    passed = torch.cumprod(1 - alpha, dim=1)
    before = torch.cat([torch.ones_like(passed[:, :1]), passed[:, :-1]], dim=1)
    return (before * alpha) @ colors + passed[:, -1:] * background
