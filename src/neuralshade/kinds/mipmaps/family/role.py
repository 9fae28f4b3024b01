"""What a family of PBR sets has to do with the fit of one of them: it is taught, or it helps."""

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
    """The part of a fit that a family may change."""

    def start(
        self, engine: MipEngine, recipe: MipmapsRecipe, base: Maps, filtered: Floats
    ) -> tuple[str, ...]: ...
    def trained(self, base: Maps, levels: LevelSizes, filtered: Floats, values: Floats) -> None: ...


@dataclass
class NoPrior:
    """Of no family: texels start as a box filter's."""

    def start(
        self, engine: MipEngine, recipe: MipmapsRecipe, base: Maps, filtered: Floats
    ) -> tuple[str, ...]:
        """Give ``engine``, which has ``filtered`` numbers, others; return what to tell of it."""
        return ()

    def trained(self, base: Maps, levels: LevelSizes, filtered: Floats, values: Floats) -> None:
        """Take note of trained numbers."""


@dataclass
class PriorTrainer(NoPrior):
    """Trained as if alone, and then learned from."""

    training: FamilyTraining = field(default_factory=FamilyTraining)
    seed: int = 0
    examples: list[Examples] = field(default_factory=list)
    sets: list[dict[str, Any]] = field(default_factory=list)  # width and height of each

    def trained(self, base: Maps, levels: LevelSizes, filtered: Floats, values: Floats) -> None:
        """Keep what was trained, to learn from."""
        width, height = levels.sizes[0]
        self.sets.append({"width": width, "height": height})
        self.examples.append(
            examples_of(base, levels, filtered, values, self.training, self.seed)
        )  # fmt: skip


@dataclass
class PriorUser(NoPrior):
    """Trained on from what the family's network makes of a box filter's texels.

    A level starts from a box filter's where that is less wrong: the set is not of the family.
    """

    network: MipCorrection
    told: str  # where it is from

    def start(
        self, engine: MipEngine, recipe: MipmapsRecipe, base: Maps, filtered: Floats
    ) -> tuple[str, ...]:
        """Give ``engine`` the network's numbers where they are better; return what to tell."""
        values = corrected(self.network, base, engine.levels, filtered)
        better = better_levels(engine, recipe, filtered, values)
        engine.set_values(by_level(engine.levels, better, filtered, values))
        left = [str(level) for level, taken in enumerate(better, 1) if not taken]
        if not left:
            return (self.told,)
        named = f"{'level' if len(left) == 1 else 'levels'} {', '.join(left)}"
        return (f"{self.told} It makes {named} worse: started from a box filter there.",)
