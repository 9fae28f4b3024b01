"""Result of a fit of mip levels."""

from __future__ import annotations

import os
from dataclasses import dataclass

from neuralshade.base.message_text import memory_text, plain, plural
from neuralshade.fitting.facts import Reached
from neuralshade.kinds.mipmaps.asset import TEXEL
from neuralshade.kinds.mipmaps.levels_table import LightsTable


@dataclass(frozen=True)
class MipmapsResult(Reached):
    """Result of a fit; ``errors`` are held-out errors by kind of lights and method."""

    asset: str  # path
    files: tuple[str, ...]  # paths of the chains
    sizes: tuple[tuple[int, int], ...]  # width and height of each level, 0 first
    device: str
    seconds: float  # of training
    steps: int
    loss: float  # of the last step, over a box filter's under the same lights
    asset_bytes: int
    kept: tuple[str, ...]  # the method of each level from 1 on
    # Symmetric relative error of each level from 1 on. box, toksvig, lean and trained are not
    # rounded; kept and the stored_ filters are rounded to 8 bits.
    errors: dict[str, dict[str, list[float]]]
    # Mean color over the reference's, like errors, of kept and stored_ filters: 1 is right.
    bias: dict[str, dict[str, list[float]]]
    notes: tuple[str, ...]  # changes of the maps and of the recipe

    def brief(self) -> str:
        return f"{self.asset}, {self._lost}, {self.asset_bytes:,} bytes"

    @property
    def _lost(self) -> str:
        return f"loss {self.loss:.3g} of a box filter's"

    def print(self) -> None:
        """Print notes that were not warned of, the mean error under each kind of lights, files."""
        for note in self.notes:
            if note not in self.warnings:
                print(plain(note))
        LightsTable(self.errors).print()
        memory = ""
        if self.memory_bytes is not None:
            width, height = self.sizes[0]
            memory = f"; in a GPU: {memory_text(self.memory_bytes, width * height, TEXEL)}"
        print(f"{self.asset}: {self.asset_bytes:,} bytes{memory}")
        if self.files:
            folder = os.path.dirname(self.files[0]) or "."
            print(f"{folder}: {plural(len(self.files), 'file')}, such as "
                  f"{os.path.basename(self.files[0])}")  # fmt: skip
        print(f"{plural(self.steps, 'step')} in {self.seconds:.1f} s on {self.device}, "
              f"{self._lost}")  # fmt: skip
