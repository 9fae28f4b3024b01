"""Trained texels that are as dense in each tile as it needs. Device half: tile_grid.slang."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.errors import ConfigError
from neuralshade.model.bilinear import corner_weights, mix_scattered
from neuralshade.model.dense_grid import START_RANGE
from neuralshade.model.grid import Grid
from neuralshade.model.parameters import SlangType, check_count
from neuralshade.model.quantize import fake_quantize

FEWEST = 2  # texels along a tile's side: there is always one before and one after a position
MOST = 128  # the same
ENTRY_BITS = 24  # of a tile's word, the lowest, hold its first entry; the others its side
LARGEST_ENTRIES = 2**ENTRY_BITS - 1
SIDE_SCALE, SIDE_SHIFT = 1 / 16, -1.0  # of the last column: what the network reads of a tile's side
CONSTANTS = """StructuredBuffer<uint> {name}_tiles;
public struct {name}Tiles : ITiles
{{
    public static const uint ENTRIES = {entries}u;
    public static uint entries() {{ return ENTRIES; }}
    public static float4 place() {{ return float4({place}); }}
    public static uint2 count() {{ return uint2({across}u, {down}u); }}
    public static uint word(uint tile) {{ return {name}_tiles[tile]; }}
}}
"""
UNIFORMS = """StructuredBuffer<uint> {name}_tiles;
uniform uint4 {name}_counts;
uniform float4 {name}_place;
public struct {name}Tiles : ITiles
{{
    public static const uint ENTRIES = 2u; // some: see `entries`
    public static uint entries() {{ return {name}_counts.z; }}
    public static float4 place() {{ return {name}_place; }}
    public static uint2 count() {{ return {name}_counts.xy; }}
    public static uint word(uint tile) {{ return {name}_tiles[tile]; }}
}}
"""


class TileGrid(Grid):
    """Encoding by bilinear look-up in tiles that have texels of their own, dense or few.

    A picture of ``width`` x ``height`` pixels is cut into tiles of ``tile`` x ``tile``, those at
    its right and lower border as large, though the picture ends in them. ``sides`` [down, across]
    says how many texels a tile has along either side; the first and last of these lie at the
    centres of its outermost pixels, and between two tiles the look-up jumps. All tiles together
    have at most ``texels`` texels. ``features`` numbers per texel, then one that is not trained:
    the tile's side, / 16 - 1, so that the network knows how fine the texels are.

    Until ``set_sides`` all tiles are alike. Gradients reach the texels, not the position.
    ``bits`` as in ``DenseGrid``.
    Source: ours. The table of tiles is that of virtual textures (Barrett 2008, Sparse Virtual
    Textures), where it points to pages of one size.
    """

    features_axis = 0
    fixed = ("sides",)

    def __init__(
        self,
        features: int = 2,
        width: int = 128,
        height: int = 128,
        tile: int = 32,
        texels: int = 4096,
        *,
        rng: torch.Generator | None = None,
    ):
        super().__init__()
        self.size, self.tile, self.features = (width, height), tile, features
        across, down = check_texels(width, height, tile, texels)
        start = torch.empty(features, texels).uniform_(-START_RANGE, START_RANGE, generator=rng)
        self.texels = torch.nn.Parameter(start)
        side = min(MOST, int((texels / (across * down)) ** 0.5))
        self.register_buffer("sides", torch.full((down, across), side, dtype=torch.uint8))
        self.width = features + 1

    @property
    def count(self) -> tuple[int, int]:
        """Return the tiles (across, down)."""
        return tile_counts(*self.size, self.tile)

    @torch.no_grad()
    def set_sides(self, sides: torch.Tensor) -> None:
        """Set the texels along each tile's side: uint8 [down, across].

        Raises: ConfigError for another shape, a side out of range, and more texels than there are.
        """
        known = self.get_buffer("sides")
        least, most = (int(sides.min()), int(sides.max())) if sides.numel() else (0, 0)
        squares = int(sides.long().square().sum())
        fits = sides.dtype == known.dtype and sides.shape == known.shape
        if not fits or least < FEWEST or most > MOST:
            got = f"{sides.dtype} {list(sides.shape)} of {least} to {most}"
            need = f"torch.uint8 {list(known.shape)} of {FEWEST} to {MOST}"
            raise ConfigError(f"encoding tile_grid.sides: got {got}, need {need}. Set others.")
        if squares > self.texels.shape[1]:
            need = f"at most texels={self.texels.shape[1]}"
            raise ConfigError(f"encoding tile_grid.sides: got {squares} texels in all tiles, need "
                              f"{need}. Set smaller ones.")  # fmt: skip
        known.copy_(sides)

    def firsts(self) -> torch.Tensor:
        """Return each tile's first entry: int64 [down, across].

        Tiles of one side follow each other, row by row; those of small sides come first.
        """
        sides = self.get_buffer("sides").long().flatten()
        order = sides.argsort(stable=True)
        squares = sides[order].square()
        firsts = torch.empty_like(sides)
        firsts[order] = squares.cumsum(0) - squares
        return firsts.view(self.get_buffer("sides").shape)

    def place(self) -> tuple[float, float, float, float]:
        """Return the tiles across and down a picture, and factor and shift of places in one.

        A place in a tile is a fraction of its outermost pixels' distance: 0 and 1 at their centres.
        """
        (width, height), tile = self.size, self.tile
        return width / tile, height / tile, tile / (tile - 1), -0.5 / (tile - 1)

    def slang(self, name: str) -> SlangType:
        across, down = self.count
        text = CONSTANTS.format(
            name=name, entries=self.texels.shape[1], across=across, down=down,
            place=", ".join(f"{value!r}f" for value in self.place()),
        )  # fmt: skip
        return self._type(name, text)

    def sized_slang(self, name: str) -> SlangType:
        counts = np.array([*self.count, self.texels.shape[1], 0], np.uint32)
        uniforms = {f"{name}_counts": counts, f"{name}_place": np.array(self.place(), np.float32)}
        return self._type(name, UNIFORMS.format(name=name), **uniforms)

    def _type(self, name: str, text: str, **uniforms: npt.NDArray[np.generic]) -> SlangType:
        check_count(type(self).__name__, self.number_count())
        modules = frozenset({"neuralshade.model.bilinear", "neuralshade.model.tile_grid"})
        return SlangType(f"TileGrid<{name}Tiles, {self.features}>", modules, text, uniforms)

    def fixed_buffers(self, name: str) -> Mapping[str, npt.NDArray[np.uint32]]:
        return {f"{name}_tiles": self.words()}

    def words(self) -> npt.NDArray[np.uint32]:
        """Return each tile's first entry, and its side in the highest bits, row by row."""
        sides = self.get_buffer("sides").long().cpu() << ENTRY_BITS
        found: npt.NDArray[np.uint32] = (self.firsts().cpu() | sides).flatten().numpy()
        return found.astype(np.uint32)

    def forward(self, uv: torch.Tensor) -> torch.Tensor:
        across, down = self.count
        scale, factor, shift = uv.new_tensor(self.place()[:2]), *self.place()[2:]
        place = uv.clamp(0, 1) * scale
        tile = torch.minimum(place.floor(), uv.new_tensor([across - 1, down - 1]))
        index = tile[:, 1].long() * across + tile[:, 0].long()
        side = self.get_buffer("sides").flatten()[index].long()
        within = ((place - tile) * factor + shift).clamp(0, 1) * (side - 1)[:, None]
        before = torch.minimum(within.floor(), (side - 2)[:, None].to(uv.dtype))
        col, row = before.long().unbind(1)
        upper = self.firsts().flatten()[index] + row * side + col
        corners = torch.stack([upper, upper + 1, upper + side, upper + side + 1], dim=1)
        weights = corner_weights(*(within - before).unbind(1))
        rounded = self.stored().detach().t().contiguous()
        mixed = mix_scattered(self.texels.t(), rounded, corners, weights)
        known = side.to(uv.dtype) * SIDE_SCALE + SIDE_SHIFT
        return torch.cat([mixed, known[:, None]], dim=1)

    def combine(
        self, along_u: torch.Tensor, along_v: torch.Tensor, compute: torch.dtype | None = None
    ) -> torch.Tensor:
        return super().combine(along_u, along_v).to(dtype=compute)

    @torch.no_grad()
    def drawn(self, longest: int) -> torch.Tensor:
        """Return what is read at evenly spaced places, ``longest`` along a side at most."""
        share = min(1.0, longest / max(self.size))
        width, height = (max(1, round(side * share)) for side in self.size)
        place = self.texels.device
        u, v = ((torch.arange(n, device=place) + 0.5) / n for n in (width, height))
        return self.on_lattice(u, v)

    def stored(self) -> torch.Tensor:
        """Return the texels as the asset will hold them: float32 [features, texels]."""
        return fake_quantize(self.texels, self.bits, grid=True)


def check_texels(width: int, height: int, tile: int, texels: int) -> tuple[int, int]:
    """Return the tiles (across, down) of a picture, which share so many texels.

    Raises: ConfigError for fewer than they need, or more than they can have.
    """
    across, down = tile_counts(width, height, tile)
    least, most = across * down * FEWEST**2, min(across * down * MOST**2, LARGEST_ENTRIES)
    if least > most:
        raise ConfigError(f"encoding tile_grid.tile: got {tile} for {width} x {height} pixels, "
                          f"need at most {most // FEWEST**2:,} tiles. Write tile=32.")  # fmt: skip
    if not least <= texels <= most:
        raise ConfigError(f"encoding tile_grid.texels: got {texels}, need {least} to {most} for "
                          f"{across} x {down} tiles. Write texels={min(least * 16, most)}."
                          )  # fmt: skip
    return across, down


def tile_counts(width: int, height: int, tile: int) -> tuple[int, int]:
    """Return how many tiles cover so many pixels: (across, down)."""
    return -(-width // tile), -(-height // tile)
