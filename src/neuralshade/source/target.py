"""Target picture of a fit, sampled at pixels and positions. Device half: target.slang."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray


class Target:
    """The picture's channels in planes, in the stored dtype to save memory.

    ``planes`` [C, H, W] uint8, uint16, float16 or float32. Look-ups return float32 columns
    [C, N], integers scaled to [0, 1], in the picture's own colour space.
    """

    def __init__(self, pixels: NDArray[Any], device: torch.device):
        # writable: PyTorch warns about read-only arrays, such as PIL's
        planes = np.require(np.moveaxis(pixels, 2, 0), requirements=["C", "W"])
        self.planes = torch.from_numpy(planes).to(device)
        self.unit = unit_of(pixels.dtype)

    @property
    def height(self) -> int:
        return self.planes.shape[1]

    @property
    def width(self) -> int:
        return self.planes.shape[2]

    def at_lattice(self, rows: torch.Tensor, cols: torch.Tensor) -> torch.Tensor:
        """Return the pixels where ``rows`` [R] cross ``cols`` [C], row by row: [C, R * C]."""
        picked = self.planes[:, rows[:, None], cols[None, :]]
        return picked.flatten(1).float().mul_(self.unit)

    def at_pixels(self, row: torch.Tensor, col: torch.Tensor) -> torch.Tensor:
        """Return pixels (row[i], col[i]) as columns [C, N]."""
        return self.planes[:, row, col].float().mul_(self.unit)

    def at_positions(self, uv: torch.Tensor) -> torch.Tensor:
        """Return the picture at ``uv`` [N, 2], bilinear between pixel centres, clamped."""
        size = torch.tensor([self.width, self.height], device=uv.device)
        place = (uv * size - 0.5).clamp(min=0)
        place = torch.minimum(place, size - 1.0)
        first = place.floor().long()
        across, down = (place - first).unbind(1)
        (col, row), (last_col, last_row) = first.unbind(1), (size - 1).unbind(0)
        next_col, next_row = torch.minimum(col + 1, last_col), torch.minimum(row + 1, last_row)
        upper = torch.lerp(self.at_pixels(row, col), self.at_pixels(row, next_col), across)
        lower = torch.lerp(
            self.at_pixels(next_row, col), self.at_pixels(next_row, next_col), across
        )
        return torch.lerp(upper, lower, down)


def unit_of(dtype: np.dtype[Any]) -> float:
    """Return the factor of stored numbers of that dtype: integers are scaled to [0, 1]."""
    return 1.0 / np.iinfo(dtype).max if np.issubdtype(dtype, np.integer) else 1.0


def device_pixels(pixels: NDArray[Any]) -> tuple[str, str, NDArray[Any]]:
    """Return the device's form of ``pixels`` [H, W, C], C <= 4, and its numbers.

    The type in target.slang, the element of its buffer, and uint32 [H * W] or float32
    [H * W, 4]; integers of more than 8 bits become float32 in [0, 1].
    """
    height, width, channels = pixels.shape
    if pixels.dtype == np.uint8:
        filled = np.zeros((height * width, 4), np.uint8)
        filled[:, :channels] = pixels.reshape(-1, channels)
        return "ByteTarget", "uint", filled.view("<u4").reshape(-1).astype(np.uint32)
    numbers = np.zeros((height * width, 4), np.float32)
    numbers[:, :channels] = pixels.reshape(-1, channels)
    numbers *= np.float32(unit_of(pixels.dtype))
    return "FloatTarget", "float4", numbers
