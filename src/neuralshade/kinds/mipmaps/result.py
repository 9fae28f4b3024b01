"""Result of a fit of mip levels."""

from __future__ import annotations

from dataclasses import dataclass

from neuralshade.base.message_text import memory_text, plain, plural
from neuralshade.fitting.facts import Reached
from neuralshade.kinds.mipmaps.asset import TEXEL
from neuralshade.kinds.mipmaps.judge import KEPT, STORED
from neuralshade.kinds.mipmaps.levels_table import LevelsTable
from neuralshade.measure.plane.mip_filters import FILTERS


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
        """Print the result: notes that were no warnings, errors by level, files."""
        for note in self.notes:
            if note not in self.warnings:
                print(plain(note))
        rows = [
            {"level": i + 1, "width": width, "height": height, "light": light,
             "kept": self.kept[i], "ours": errors[KEPT][i],
             **{name: errors[STORED[name]][i] for name in FILTERS},
             "bias": self.bias[light][KEPT][i],
             **{f"{name}_bias": self.bias[light][STORED[name]][i] for name in FILTERS}}
            for i, (width, height) in enumerate(self.sizes[1:])
            for light, errors in self.errors.items()
        ]  # fmt: skip
        LevelsTable(rows).print()
        print(f"{self.asset}: {self.asset_bytes:,} bytes")
        if self.memory_bytes is not None:
            width, height = self.sizes[0]
            print(f"in a GPU: {memory_text(self.memory_bytes, width * height, TEXEL)}")
        print(f"{plural(self.steps, 'step')} in {self.seconds:.1f} s on {self.device}, "
              f"{self._lost}")  # fmt: skip
        print(*self.files, sep="\n")
