"""Encoding of the position within a few latent texels. Device half: latent_position.slang."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from neuralshade.model.encoding import Encoding
from neuralshade.model.level_table import MOST_MIPS, float_bits, table_type
from neuralshade.model.parameters import SlangType
from neuralshade.model.widths import OCTAVES, POSITION_WIDTH

LONGEST_PERIOD = 8  # in texels of the finest mip that the same latents serve

LEVELS = """public struct {name}Mips : IMips
{{
    static const float3 PLACES[{mips}] = {{ {places} }};
    public static float3 place(int mip) {{ return PLACES[mip]; }}
}}
"""


class LatentPosition(Encoding):
    """Encoding of (u, v, mip): sines and cosines of the position within a few texels, and the mip.

    13 numbers: for periods of 8, 4 and 2 texels sin and cos along u, then along v; then
    (mip - served) / 2 - 1/2, ``served`` being the finest mip that the same latents serve. Texels
    are those of that mip, so that all mips share what the network learns about latents' borders.
    mip is a whole number, as a float. Without trained numbers; no gradient reaches the position.
    Source: Vaidyanathan et al. 2023, Random-Access Neural Compression of Material Textures,
    section 4.1 (tiled positional encoding, and the level of detail as an input).
    """

    dimensions = 3
    width = POSITION_WIDTH

    def __init__(self, sizes: Sequence[tuple[int, int]], served: Sequence[int]):
        super().__init__()
        self.places = [
            (width * 2.0 ** (mip - first), height * 2.0 ** (mip - first), 0.5 * (mip - first) - 0.5)
            for mip, ((width, height), first) in enumerate(zip(sizes, served, strict=True))
        ]
        self._places = torch.tensor(self.places)

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        if self._places.device != at.device:
            self._places = self._places.to(at.device)
        place = self._places[at[:, 2].long()]
        octaves = 2.0 ** torch.arange(OCTAVES, device=at.device)
        turns = (at[:, :2] * place[:, :2])[:, None] * (octaves / LONGEST_PERIOD)[:, None]
        angles = (turns - turns.round()) * (2 * math.pi)  # [N, octave, axis]
        waves = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        return torch.cat([waves, place[:, 2:]], dim=1)

    def slang(self, name: str) -> SlangType:
        places = ", ".join(f"float3({w!r}, {h!r}, {level!r})" for w, h, level in self.places)
        declaration = LEVELS.format(name=name, mips=len(self.places), places=places)
        modules = frozenset({"neuralshade.model.latent_position"})
        return SlangType(f"LatentPosition<{name}Mips>", modules, declaration)

    def sized_slang(self, name: str) -> SlangType:
        rows = [(0, float_bits(w), float_bits(h), float_bits(level)) for w, h, level in self.places]
        return table_type(name, f"LatentPosition<MipTable<{name}Table>>", rows, 0,
                          frozenset({"neuralshade.model.latent_position"}), MOST_MIPS)  # fmt: skip
