"""Lobe inputs: what a BSDF decoder reads of latents and directions.

Device half: lobes.slang.

A linear read-out makes of the latents a few frames, each a normal, a tangent and two widths, and
the decoder sees for each the logarithm of the denominator of a GGX distribution there. So a
highlight, however sharp, is nearly linear to the network, where the learned frames of
Zeltner et al. 2024 (Real-Time Neural Appearance Models, section 4.1) leave its width to the layers.
The half vector's cosine and the logarithms of wi's and wo's do the same for sheen and for bumps
in shadow: the decoder's output is a logarithm, too.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.model.linear import Linear
from neuralshade.model.parameters import SlangType
from neuralshade.model.widths import LOBE_NUMBERS as NUMBERS
from neuralshade.model.widths import lobes_width
from neuralshade.sampler.material_directions import unit

Floats = npt.NDArray[Any]

COLUMNS = 4  # of a lobe; decoders of earlier versions have 3 or 5
WIDTHS = (0.08, 0.35, 0.15)  # where lobes start, in turn
LOG_WIDTHS = (math.log(0.005), 0.7)
SMALL_START = 0.3  # of the read-out's weights, so that lobes begin near the surface's normal
QUARTER = 0.25  # of logarithms, so that they are about as large as the rest
BINARY = QUARTER * math.log(2)  # of logarithms to base 2, to the same end
LEAST = 1e-3  # product of cosines
LOW = 0.02  # cosine of wi or wo to a lobe's normal, and how far below its horizon besides
LOBES = """public struct {name}Lobes : ILobes
{{
    public static const int FEATURES = {features};
    public static const int COUNT = {count};
    public static const int COLUMNS = {columns};
    public static float2 log_widths() {{ return float2({narrowest!r}, {widest!r}); }}
    public static const bool SHARES = {shares};
    public static float least() {{ return {least!r}; }}
    public static float low() {{ return {low!r}; }}
    public static float below() {{ return {below!r}; }}
    public static float scale() {{ return {scale!r}; }}
}}
"""


class LobeInputs(torch.nn.Module):
    """Input of the decoder: latents, and for ``count`` lobes the directions relative to them.

    float32 [features + columns count + 4, N]: the latents; of each lobe log of the denominator,
    logs of the cosines of wi and wo, cosine of the half vector; then cosine of half the angle
    between wi and wo, wi.z, wo.z and the log of these two's product. Of other ``columns`` than 4,
    3 are the denominator's log and the cosines of wi and wo, 5 these, the half vector's cosine and
    the log of wi's. Gradients reach latents and the read-out.

    ``below`` is added to cosines before their logarithm. With 0 a lobe's horizon is the end
    of the logarithm, and all directions below it look alike; so a material that is cut off there,
    as a sheen is by its bumps, is a step at the very end of the decoder's input.
    """

    def __init__(
        self,
        features: int,
        count: int,
        columns: int = COLUMNS,
        below: float = 0.0,
        *,
        rng: torch.Generator | None,
    ):
        super().__init__()
        self.features, self.count, self.columns, self.below = features, count, columns, below
        self.width = lobes_width(features, count, columns)
        self.read = Linear(features, NUMBERS * count, 1.0, True, rng=rng)
        bias = self.read.bias
        assert bias is not None
        with torch.no_grad():
            self.read.weight.mul_(SMALL_START)
            for lobe, numbers in enumerate(bias.view(count, NUMBERS)):
                numbers.zero_()
                numbers[2] = 1.0
                numbers[4:] = math.log(WIDTHS[lobe % len(WIDTHS)])

    def freeze_read_out(self) -> None:
        """Freeze the read-out: buffers instead of parameters, under the same names."""
        for name in ("weight", "bias"):
            value = getattr(self.read, name).detach()
            delattr(self.read, name)
            self.read.register_buffer(name, value)

    def read_numbers(self) -> Floats:
        """Return the read-out's weights, row-major, then its bias, in device order."""
        parts = [getattr(self.read, name).detach().float().cpu() for name in ("weight", "bias")]
        return np.concatenate([part.numpy().ravel() for part in parts])

    def folded_weights(self, first: Floats) -> Floats:
        """Return a decoder's first weights for unscaled logarithms to base 2."""
        weights = first.astype(np.float32)
        weights[:, self.log_columns] *= np.float32(BINARY)
        return weights

    def folded_read(self, weight: Floats, bias: Floats) -> tuple[Floats, Floats]:
        """Return a read-out whose widths are fractions between the least and the largest."""
        scale, shift = np.ones(len(bias), np.float32), np.zeros(len(bias), np.float32)
        for lobe in range(self.count):
            widths = slice(NUMBERS * lobe + 4, NUMBERS * (lobe + 1))
            scale[widths] = 1 / (LOG_WIDTHS[1] - LOG_WIDTHS[0])
            shift[widths] = LOG_WIDTHS[0]
        return weight * scale[:, None], (bias - shift) * scale

    @property
    def log_columns(self) -> list[int]:
        """Return which columns of the decoder's input are logarithms."""
        sorts = {3: (0,), 4: (0, 1, 2), 5: (0, 4)}[self.columns]
        own = [self.features + sort * self.count + lobe for sort in sorts
               for lobe in range(self.count)]  # fmt: skip
        return [*own, self.width - 1]

    def slang(self, name: str, *, folded: bool = False) -> SlangType:
        """Return the device half, ``LobeInputs``; ``name`` begins the name of its sizes.

        ``folded``: for numbers of ``folded_read`` and ``folded_weights``, which save
        work on the device.
        """
        declaration = LOBES.format(name=name, features=self.features, count=self.count,
                                   columns=self.columns, narrowest=LOG_WIDTHS[0],
                                   widest=LOG_WIDTHS[1], least=LEAST, low=LOW, below=self.below,
                                   scale=QUARTER / BINARY if folded else QUARTER,
                                   shares=str(folded).lower())  # fmt: skip
        modules = frozenset({"neuralshade.model.lobes"})
        return SlangType(f"LobeInputs<{name}Lobes>", modules, declaration)

    def frames(self, latents: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return normals and tangents [3, count, N], and widths [2, count, N], of [features, N]."""
        bias = self.read.bias
        assert bias is not None
        read = torch.addmm(bias[:, None], self.read.weight, latents)
        read = read.view(self.count, NUMBERS, -1).transpose(0, 1)
        x, y, tangent_x, tangent_y = read[:4]
        length = torch.rsqrt(x * x + y * y + 1)
        normal = torch.stack([-x * length, -y * length, length])
        along = normal[0] * tangent_x + normal[1] * tangent_y
        tangent = torch.stack([tangent_x, tangent_y, torch.zeros_like(along)]) - along * normal
        tangent = unit(tangent)
        return normal, tangent, read[4:].clamp(*LOG_WIDTHS).exp()

    def forward(self, latents: torch.Tensor, wi: torch.Tensor, wo: torch.Tensor) -> torch.Tensor:
        """Return the decoder's input; ``wi``, ``wo`` float32 [3, N], of length 1."""
        normal, tangent, widths = self.frames(latents)
        half = unit(wi + wo)
        bitangent = across(normal, tangent)
        over = (dots(half, tangent) / widths[0]).square() + (
            dots(half, bitangent) / widths[1]
        ).square()
        upright, of_wi = dots(half, normal), dots(wi, normal)
        denominator = over + upright.square()
        high, low = wi[2], wo[2]
        shared = torch.stack([
            (half * wi).sum(0), high, low, (high * low).clamp_min(LEAST).log() * QUARTER,
        ])  # fmt: skip
        seen, of_wo = [denominator.log() * QUARTER], dots(wo, normal)
        if self.columns == COLUMNS:
            seen += [self._log(of_wi), self._log(of_wo), upright]
        else:
            seen += [of_wi, of_wo, upright, self._log(of_wi)][: self.columns - 1]
        return torch.cat([latents, *seen, shared])

    def _log(self, cosine: torch.Tensor) -> torch.Tensor:
        """Return a quarter of the logarithm of cosines over what lies ``below``, at least LOW."""
        return (cosine + self.below).clamp_min(LOW).log() * QUARTER


def across(normal: torch.Tensor, tangent: torch.Tensor) -> torch.Tensor:
    """Return the cross products of [3, count, N]; torch.linalg.cross takes four times as long."""
    x, y, z = normal
    i, j, k = tangent
    return torch.stack([y * k - z * j, z * i - x * k, x * j - y * i])


def dots(direction: torch.Tensor, frames: torch.Tensor) -> torch.Tensor:
    """Return the dot products of [3, N] and [3, count, N]: [count, N]."""
    return (direction[:, None] * frames).sum(0)
