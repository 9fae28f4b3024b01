"""Roles of the shared prior in one set's fit: none, its training, or its use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from neuralshade.kinds.mipmaps.engine import MipEngine
from neuralshade.kinds.mipmaps.family.training import (
    Examples,
    FamilyTraining,
    better_levels,
    by_level,
    corrected,
    examples_of,
)
from neuralshade.kinds.mipmaps.kernels import LevelSizes
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.mip_filters import Floats, Maps
from neuralshade.model.mip_correction import MipCorrection


class PriorRole(Protocol):
    """The parts of a fit that a prior changes."""

    def start(
        self, engine: MipEngine, recipe: MipmapsRecipe, base: Maps, filtered: Floats
    ) -> tuple[str, ...]: ...
    def trained(self, base: Maps, levels: LevelSizes, filtered: Floats, values: Floats) -> None: ...


@dataclass
class NoPrior:
    """No prior: texels start as a box filter's."""

    def start(
        self, engine: MipEngine, recipe: MipmapsRecipe, base: Maps, filtered: Floats
    ) -> tuple[str, ...]:
        """Set other start numbers than ``filtered`` in ``engine``; return notes."""
        return ()

    def trained(self, base: Maps, levels: LevelSizes, filtered: Floats, values: Floats) -> None:
        """Called with the trained numbers."""


@dataclass
class PriorTrainer(NoPrior):
    """Collects trained texels, to train the prior on them."""

    training: FamilyTraining = field(default_factory=FamilyTraining)
    seed: int = 0
    examples: list[Examples] = field(default_factory=list)
    sets: list[dict[str, Any]] = field(default_factory=list)  # width and height of each

    def trained(self, base: Maps, levels: LevelSizes, filtered: Floats, values: Floats) -> None:
        """Keep the trained texels as examples."""
        width, height = levels.sizes[0]
        self.sets.append({"width": width, "height": height})
        self.examples.append(
            examples_of(base, levels, filtered, values, self.training, self.seed)
        )  # fmt: skip


@dataclass
class PriorUser(NoPrior):
    """Starts training from the prior's correction of a box filter's texels.

    A level starts from the box filter if that is better: the set is not of the family.
    """

    network: MipCorrection
    origin: str  # of the network, for notes

    def start(
        self, engine: MipEngine, recipe: MipmapsRecipe, base: Maps, filtered: Floats
    ) -> tuple[str, ...]:
        """Set the prior's numbers where they are better; return notes."""
        values = corrected(self.network, base, engine.levels, filtered)
        better = better_levels(engine, recipe, filtered, values)
        engine.set_values(by_level(engine.levels, better, filtered, values))
        left = [str(level) for level, taken in enumerate(better, 1) if not taken]
        if not left:
            return (self.origin,)
        named = f"{'level' if len(left) == 1 else 'levels'} {', '.join(left)}"
        return (f"{self.origin} It makes {named} worse: started from a box filter there.",)
