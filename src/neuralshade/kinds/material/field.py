"""What a fitted material is: a feature map, lobes read out of it, and a decoder."""

from __future__ import annotations

import torch

from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.model.encoding import Encoding
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.lobes import LobeInputs
from neuralshade.model.mlp import MLP

BITS = 8
FIRST = -2.0  # of the decoder's output before its exponential
REACH = (0.0005, 0.9995)  # of what an encoder says of texels, that their range covers
MARGIN = 0.1  # of that range, to either side
QUANTILES_OF = 2**20  # numbers at most


class MaterialEncoding(Encoding):
    """Encoding of (u, v, mip, wi, wo), nine numbers: ``LobeInputs`` of a texel's numbers.

    Texels hold numbers in [0, 1]; ``low`` and ``high`` say what these stand for.
    """

    dimensions = 9

    def __init__(self, grid: LatentGrid, lobes: LobeInputs):
        super().__init__()
        self.grid, self.lobes, self.width = grid, lobes, lobes.width
        self.register_buffer("low", -torch.ones(grid.features))
        self.register_buffer("high", torch.ones(grid.features))

    def latents(self, at: torch.Tensor) -> torch.Tensor:
        """Return the numbers at (u, v, mip) [N, 3]: float32 [features, N]."""
        low, high = self.get_buffer("low")[:, None], self.get_buffer("high")[:, None]
        return torch.addcmul((low + high) / 2, self.grid(at).t(), (high - low) / 2)

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        columns = at.t()
        return self.lobes(self.latents(at[:, :3]), columns[3:6], columns[6:9]).t()

    @torch.no_grad()
    def take_over(self, numbers: torch.Tensor) -> None:
        """Set the finest texels to ``numbers`` [texels, features], and the range to theirs."""
        step = max(1, numbers.numel() // QUANTILES_OF)
        ends = torch.quantile(numbers[::step].float(), torch.tensor(REACH), dim=0)
        margin = MARGIN * (ends[1] - ends[0]) + 1e-3
        low, high = ends[0] - margin, ends[1] + margin
        self.get_buffer("low").copy_(low)
        self.get_buffer("high").copy_(high)
        width, height = self.grid.sizes[0]
        self.grid.texels[: width * height] = ((numbers - low) / (high - low)).clamp(0, 1)


def build_field(recipe: MaterialRecipe, side: int, rng: torch.Generator | None) -> Field:
    """Return the untrained field; what it says is f * cos of wi."""
    grid = LatentGrid([(side, side)], [0], recipe.features, BITS,
                      wraps=recipe.wrap == "repeat", rng=rng)  # fmt: skip
    lobes = LobeInputs(recipe.features, recipe.lobes, rng=rng)
    network = MLP(lobes.width, 3, recipe.hidden_layers, recipe.hidden_width, "leaky_relu", "exp",
                  rng=rng)  # fmt: skip
    bias = network.members[-1].bias
    assert bias is not None
    torch.nn.init.constant_(bias, FIRST)
    return Field(MaterialEncoding(grid, lobes), network)


def encoding_of(field: Field) -> MaterialEncoding:
    """Return the encoding of a material's field."""
    assert isinstance(field.encoding, MaterialEncoding)
    return field.encoding
