"""Opened network of a family of mip levels, which has information but no picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy.typing as npt

from neuralshade.asset.rules import COUNT, SIDE
from neuralshade.asset.schema import Form, ListOf, MapOf, Number, ObjectOf, Text
from neuralshade.base.message_text import shown
from neuralshade.errors import AssetError
from neuralshade.fitting.scene import Scene
from neuralshade.kinds.kind import Notice, Opened, ignore
from neuralshade.kinds.mipmaps.family import KIND
from neuralshade.kinds.mipmaps.family.footprints import INVARIANTS, VECTORS
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.table import Table
from neuralshade.model.widths import correction_shapes
from neuralshade.source.crop import WHOLE, Crop

RULES = {
    "family": ObjectOf({
        "sets": ListOf(ObjectOf({"name": Text(), "width": SIDE, "height": SIDE}), 1),
        "network": ObjectOf({"hidden_layers": Number(0, 64, whole=True), "batch": COUNT,
                          "hidden_width": Number(1, 2**16, whole=True)}),
    }),
    "quality": ObjectOf({"left": MapOf(Number(0, 1e30))}),
}  # fmt: skip
MISSED = "0: all is learned, 1: nothing"  # of corrections


@dataclass(frozen=True, init=False)  # the base's, whose hints are read there
class OpenedFamily(Opened):
    """The network that corrects box-filtered texels of a family's sets.

    ``family`` in its header has ``sets`` (name, width and height of each) and ``network``, its
    training settings; ``quality`` has ``left``, by set: the share of the trained texels'
    corrections that the network misses. Its tensors are float32 parameters of a MipCorrection.
    """

    recipe: MipmapsRecipe
    offered = ("family",)
    kind = KIND
    parts = RULES

    def forms(self) -> Mapping[str, Form]:
        """Return the forms of the network's parameters; AssetError for a set without a share."""
        for one in self.family["sets"]:
            if one["name"] not in self.header.quality["left"]:
                raise AssetError(f"{self.path}: got no quality.left of {shown(one['name'])}, need "
                                 "that of every set. Train the family again.")  # fmt: skip
        network = self.family["network"]
        shapes = correction_shapes(INVARIANTS, VECTORS, network["hidden_layers"],
                                   network["hidden_width"])  # fmt: skip
        return {name: ("float32", shape) for name, shape in shapes.items()}

    @property
    def family(self) -> Mapping[str, Any]:
        """Return the header's facts of the sets and the network."""
        found: Mapping[str, Any] = self.header.own["family"]
        return found

    @property
    def numbers(self) -> int:
        """Return the number of trained numbers."""
        return sum(t.size for n, t in self.tensors.items() if n.startswith("network."))

    @property
    def shows(self) -> bool:
        """Return False."""
        return False

    def _refuse(self) -> NoReturn:
        raise AssetError(f"{self.path}: got the network of a family of mip levels, need an "
                         "asset that shows something. Give it to fit mipmaps by "
                         "--share.")  # fmt: skip

    @property
    def picture(self) -> Mapping[str, Any]:
        """Raise AssetError: it shows nothing."""
        self._refuse()

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Raise AssetError: it shows nothing."""
        self._refuse()

    def scene(self, reference: Any = None) -> Scene:
        """Raise AssetError: it shows nothing."""
        self._refuse()

    def evaluate(self, reference: Any = None, notice: Notice = ignore) -> Table:
        """Raise AssetError: it shows nothing to compare."""
        self._refuse()

    def report(self, reference: Any, output: Any, **others: Any) -> None:
        """Raise AssetError: it shows nothing."""
        self._refuse()

    def summary(self) -> dict[str, str]:
        """Return summary lines: the network, and each set that it was trained on."""
        left, network = self.header.quality["left"], self.family["network"]
        lines = {"size": f"{self.byte_count:,} bytes",
                 "network": f"{network['hidden_layers']} x {network['hidden_width']}, batches of "
                 f"{network['batch']:,} texels",
                 "family": f"{len(left)} sets, share of their corrections that the network misses "
                 f"beside ({MISSED})"}  # fmt: skip
        for one in self.family["sets"]:
            size = f"{one['width']} x {one['height']}"
            lines[f"  {one['name']}"] = f"{size}, {left[one['name']]:.2f}"
        return lines
