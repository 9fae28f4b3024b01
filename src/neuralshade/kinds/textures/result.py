"""Result of a texture set's fit, and its warnings."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from neuralshade.base.message_text import decimals, plain, plural
from neuralshade.fitting.facts import Reached, more_of_it
from neuralshade.fitting.picture_result import HEADER_PIXELS
from neuralshade.fitting.progress import Progress
from neuralshade.fitting.refinement_job import CodeRefinement
from neuralshade.kinds.textures.planner import TargetReached
from neuralshade.measure.map_psnr import EQUAL_DB, db_text
from neuralshade.source.material_set import MaterialSet

OTHER_SHARE = 1 / 3  # of a file, above which a warning says that latents are not all of it


@dataclass(frozen=True)
class TexturesResult(Reached):
    """Result of a fit; quality and size are those of the file."""

    # resembles the results of other kinds, which it may not import
    asset: str  # path
    engine: str
    device: str
    seconds: float  # of training, with measuring
    steps: int
    loss: float  # of the last batch
    psnr_db: float  # mean over the maps, mip 0
    maps: dict[str, list[float]]  # PSNR in dB of each map, mip by mip
    asset_bytes: int
    bits_per_texel: float  # of mip 0
    skipped_steps: int  # whose gradient was not finite
    notes: tuple[str, ...]  # changes made to the maps while reading
    target: TargetReached | None = None  # where dB were requested
    search: CodeRefinement | None = None  # after training, where the recipe has passes for it

    def brief(self) -> str:
        return f"{self.asset}, {db_text(self.psnr_db)} dB, {self.asset_bytes:,} bytes"

    def print(self) -> None:
        """Print notes to standard error, and the result in two lines; ``evaluate`` has the rest."""
        for note in self.notes:
            print(plain(note), file=sys.stderr)
        memory = "" if self.memory_bytes is None else f"; in a GPU: {self.memory_bytes:,} bytes"
        print(f"{self.asset}: {db_text(self.psnr_db)} dB{self._worst} in {self.asset_bytes:,} "
              f"bytes ({decimals(self.bits_per_texel, 2)} bits per texel, all maps and mips)"
              f"{memory}")  # fmt: skip
        line = f"{plural(self.steps, 'step')} in {self.seconds:.1f} s on {self.device}"
        if self.skipped_steps:
            line += f", {self.skipped_steps} steps skipped: gradient not finite"
        print(line if self.search is None else f"{line}; {self.search}")

    @property
    def _worst(self) -> str:
        """Return the number of maps and the worst one, for users; empty where all are equal."""
        first = {name: values[0] for name, values in self.maps.items()}
        worst = min(first, key=lambda name: first[name], default="")
        if len(first) < 2 or first[worst] >= EQUAL_DB:
            return ""
        return f", mean of {len(first)} maps (worst: {plain(worst)}, {first[worst]:.2f} dB),"


def mostly_network(textures: MaterialSet, byte_count: int, other: int) -> str | None:
    """Return a warning where a large part of a file, ``other`` bytes, is no latents."""
    texels = textures.width * textures.height
    if texels < HEADER_PIXELS or other <= OTHER_SHARE * byte_count:
        return None
    bits = [8 * count / texels for count in (other, byte_count)]
    return (f"fit: decoder and header take {bits[0]:.1f} of the {bits[1]:.1f} bits per texel, as "
            f"the set is small: {textures.width} x {textures.height} texels. Less with "
            "--hidden-width 32 or --network-bits 8.")  # fmt: skip


def missed_target(
    target: TargetReached | None, byte_count: int, p: Progress, recipe: Any
) -> str | None:
    """Return a warning where a fit missed its target in dB."""
    if target is None or not target.missed:
        return None
    return (f"fit: target missed: {target.missed} in {byte_count:,} bytes.{more_of_it(p, recipe)} "
            "To ask for a little more helps, too.")  # fmt: skip
