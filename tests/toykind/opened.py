"""Opening a toy: one color."""

from dataclasses import dataclass

import numpy as np

from neuralshade.asset.schema import Boolean
from neuralshade.kinds.picture import OpenedPicture
from neuralshade.source.crop import WHOLE
from toykind import KIND, ToyRecipe

RULES = {**OpenedPicture.parts, "grey": Boolean()}


@dataclass(frozen=True)
class OpenedToy(OpenedPicture):
    """One color."""

    recipe: ToyRecipe
    kind = KIND
    parts = RULES
    curve_note = "PSNR of one color."

    @property
    def numbers(self):
        return self.tensors["color"].size

    def draw(self, width, height, crop=WHOLE):
        """Return the color everywhere."""
        return np.broadcast_to(self.tensors["color"], (height, width, self.numbers))

    def reached(self):
        return [("Color", str(self.tensors["color"].tolist()))]
