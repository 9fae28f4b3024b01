"""Model of a fitted material: feature map, lobe read-out and decoder.

Device half of the encoding: field.slang.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.kinds.material.map_rows import MapBlocks
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.model.encoding import Encoding
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.lobes import LobeInputs
from neuralshade.model.mlp import MLP
from neuralshade.model.parameters import SlangType, Table

BITS = 8
DIRECTED = 9  # numbers of a position: u, v, mip, wi, wo
FIRST = -2.0  # of the decoder's output before its exponential
REACH = (0.0005, 0.9995)  # quantiles of the encoder's outputs that the range covers
MARGIN = 0.1  # of that range, to either side
QUANTILES_OF = 2**20  # numbers at most
NUMBERS_TEXT = """
StructuredBuffer<float> {name}_given;
public struct {name}Given : IGiven
{{
    public typealias Numbers = FloatParameters;
    public static FloatParameters numbers() {{ return {{ {name}_given }}; }}
}}
"""


class MaterialEncoding(Encoding):
    """Encoding of (u, v, mip, wi, wo), nine numbers: ``LobeInputs`` of a texel's numbers.

    Behind them are the shares of ``varied`` inputs (see varied.py), each a column from -1 to 1.
    Texels hold numbers in [0, 1]; ``low`` and ``high`` are the values of 0 and 1. On a device the
    lobes' read-out is an input, see ``lobes.freeze_read_out``; read_out.py trains it there.

    ``compressed``: files have the map as BC7 blocks; ``blocks`` are these, once it is rounded, and
    None before. ``mixes``: they may mix latents, as no reader of them is kept fixed.
    """

    def __init__(self, grid: LatentGrid, lobes: LobeInputs, varied: int = 0):
        super().__init__()
        self.compressed, self.mixes = False, True
        self.blocks: MapBlocks | None = None
        self.grid, self.lobes, self.width = grid, lobes, lobes.width + varied
        self.varied, self.dimensions = varied, DIRECTED + varied
        # not -ones: on the meta device a negation loads all of PyTorch's compiler, 3 s
        self.register_buffer("low", torch.full((grid.features,), -1.0))
        self.register_buffer("high", torch.ones(grid.features))

    def latents(self, at: torch.Tensor) -> torch.Tensor:
        """Return the numbers at (u, v, mip) [N, 3]: float32 [features, N]."""
        low, high = self.get_buffer("low")[:, None], self.get_buffer("high")[:, None]
        return torch.addcmul((low + high) / 2, self.grid(at).t(), (high - low) / 2)

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        columns = at.t()
        return self.columns(self.latents(at[:, :3]), columns[3:6], columns[6:9], at[:, 9:]).t()

    def columns(
        self, latents: torch.Tensor, wi: torch.Tensor, wo: torch.Tensor, shares: torch.Tensor
    ) -> torch.Tensor:
        """Return the decoder's input, float32 [width, N].

        ``latents`` [features, N], directions [3, N], ``shares`` of varied inputs [N, varied].
        """
        read: torch.Tensor = self.lobes(latents, wi, wo)
        return read if not self.varied else torch.cat([read, 2 * shares.t() - 1])

    def slang(self, name: str) -> SlangType:
        return self._of_grid(name, self.grid.slang(name))

    def sized_slang(self, name: str) -> SlangType:
        return self._of_grid(name, self.grid.sized_slang(name))

    def _of_grid(self, name: str, grid: SlangType) -> SlangType:
        lobes = self.lobes.slang(name)
        modules = grid.modules | lobes.modules | {"neuralshade.kinds.material.field",
                                                  "neuralshade.model.parameters"}  # fmt: skip
        declarations = grid.declarations + lobes.declarations + NUMBERS_TEXT.format(name=name)
        kind = f"MaterialEncoding<{grid.type}, {name}Lobes, {name}Given, {self.dimensions}>"
        return SlangType(kind, modules, declarations, grid.uniforms)

    def fixed_buffers(self, name: str) -> Mapping[str, npt.NDArray[Any]]:
        low, high = self.get_buffer("low"), self.get_buffer("high")
        ends = torch.cat([(low + high) / 2, (high - low) / 2]).float().cpu().numpy()
        return {f"{name}_given": np.concatenate([ends, self.lobes.read_numbers()])}

    def number_count(self) -> int:
        return self.grid.number_count()

    def views(self, flat: torch.Tensor) -> list[torch.Tensor]:
        return self.grid.views(flat)

    def tables(self) -> list[Table]:
        return self.grid.tables()

    def ends(self) -> torch.Tensor:
        """Return the values of 0 and 1: float32 [2, features]."""
        return torch.stack([self.get_buffer("low"), self.get_buffer("high")])

    @torch.no_grad()
    def set_ends(self, ends: torch.Tensor) -> None:
        """Set the values of 0 and 1."""
        for name, values in zip(("low", "high"), ends, strict=True):
            self.get_buffer(name).copy_(values)

    @torch.no_grad()
    def take_over(self, numbers: torch.Tensor) -> None:
        """Set the finest texels to ``numbers`` [texels, features], and the range to theirs."""
        step = max(1, numbers.numel() // QUANTILES_OF)
        ends = torch.quantile(numbers[::step].float(), torch.tensor(REACH), dim=0)
        margin = MARGIN * (ends[1] - ends[0]) + 1e-3
        low, high = ends[0] - margin, ends[1] + margin
        self.set_ends(torch.stack([low, high]))
        width, height = self.grid.sizes[0]
        texels = self.grid.texels[: width * height]
        texels.copy_(numbers).sub_(low).div_(high - low).clamp_(0, 1)  # no copies of a map


def build_field(
    recipe: MaterialRecipe, side: int, rng: torch.Generator | None, levels: int = 1
) -> Field:
    """Return the untrained field, which returns f * cos of wi. A fit starts with one level."""
    sizes = [(max(1, side >> level),) * 2 for level in range(levels)]
    grid = LatentGrid(sizes, range(levels), recipe.features, BITS,
                      wraps=recipe.wrap == "repeat", rng=rng)  # fmt: skip
    lobes = lobe_inputs(recipe, rng)
    encoding = MaterialEncoding(grid, lobes, recipe.varied_count)
    encoding.compressed = recipe.latents == "bc7"
    network = MLP(encoding.width, 3, recipe.hidden_layers, recipe.hidden_width, recipe.activation,
                  "exp", rng=rng)  # fmt: skip
    bias = network.members[-1].bias
    assert bias is not None
    torch.nn.init.constant_(bias, FIRST)
    return Field(encoding, network)


def as_decoded(recipe: MaterialRecipe) -> MaterialRecipe:
    """Return the recipe of a field whose blocks are decompressed, as 8 bits a number."""
    return replace(recipe, latents="plain")


def lobe_inputs(recipe: MaterialRecipe, rng: torch.Generator | None) -> LobeInputs:
    """Return the untrained lobes of a recipe; without ``rng`` all numbers are equal."""
    return LobeInputs(recipe.features, recipe.lobes, recipe.lobe_inputs, recipe.below, rng=rng)


def log_decoder(network: MLP) -> MLP:
    """Return a decoder without its last exponential, so that float16 holds its outputs."""
    copied = copy.deepcopy(network).cpu()
    copied.kinds = [*network.kinds[:-1], "none"]
    return copied


def encoding_of(field: Field) -> MaterialEncoding:
    """Return the encoding of a material's field."""
    assert isinstance(field.encoding, MaterialEncoding)
    return field.encoding
