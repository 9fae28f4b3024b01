"""Opened material assets: BSDF queries, drawing, evaluation and reports."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.asset import Asset
from neuralshade.asset.schema import Form
from neuralshade.asset.texture.bc7_modes import are_stored_modes
from neuralshade.base.lazy_import import lazy_type
from neuralshade.base.message_text import memory_text
from neuralshade.errors import AssetError, NeuralShadeError
from neuralshade.fitting.scene import Scene
from neuralshade.kinds.kind import Notice, Opened, ignore
from neuralshade.kinds.material import KIND
from neuralshade.kinds.material.bsdf_queries import BsdfQueries
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.schema import RULES, field_forms, level_sides
from neuralshade.kinds.material.shared import SharedPart, check_digest, shared_of
from neuralshade.kinds.material.summary import (
    inputs_summary,
    levels_summary,
    noise_summary,
    shared_summary,
)
from neuralshade.kinds.material.varied import Varied, read_varied, shares_of, values_of
from neuralshade.measure.table import Table
from neuralshade.source.color import linear_to_srgb
from neuralshade.source.crop import WHOLE, Crop, check_pixels

if TYPE_CHECKING:
    from neuralshade.kinds.material.judging.lit_surfaces import Shade
    from neuralshade.kinds.material.references.reference_bsdf import (
        ReferenceBsdf,
        ReferenceKernels,
    )
    from neuralshade.model.field import Field
    from neuralshade.model.lobe_sampler import LobeSampler
else:  # for tools that read type hints at run time
    Shade = lazy_type("neuralshade.kinds.material.judging.lit_surfaces:Shade")
    ReferenceBsdf = lazy_type("neuralshade.kinds.material.references.reference_bsdf:ReferenceBsdf")
    ReferenceKernels = lazy_type(
        "neuralshade.kinds.material.references.reference_bsdf:ReferenceKernels"
    )
    Field = lazy_type("neuralshade.model.field:Field")
    LobeSampler = lazy_type("neuralshade.model.lobe_sampler:LobeSampler")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class OpenedMaterial(BsdfQueries, Opened):
    """Opened asset of a fitted material: feature map, lobes and decoder."""

    recipe: MaterialRecipe
    offered = ("levels", "material", "sampler", "varied")
    values: Mapping[str, Any] = field(default_factory=dict)  # of varied inputs
    trusted: bool = False  # run the code of reference documents
    kind = KIND
    parts = RULES

    @classmethod
    def of(
        cls, asset: Asset, values: Mapping[str, Any] | None = None, *, trust: bool = False
    ) -> OpenedMaterial:
        """Open an asset, with values for its varied inputs in place of their defaults.

        ``trust``: run the code of a MaterialX document that it is compared with.
        Raises: AssetError for an invalid asset; ConfigError for a value out of its range or of an
            input that it does not have.
        """
        opened = super().of(asset)
        blocks = opened.tensors.get("blocks")
        if blocks is not None and not are_stored_modes(blocks):
            raise AssetError(f"{asset.path}: got BC7 blocks of another mode, need 4 or 6, which "
                             "fits make. Fit it again.")  # fmt: skip
        shares_of(opened.varied, values or {}, asset.path)
        return replace(opened, values=values or {}, trusted=trust)

    def forms(self) -> Mapping[str, Form]:
        """Return the tensors of the recipe's map, lobes and decoder. Raises AssetError."""
        check_digest(self.path, self.material.get("shared"), self.tensors)
        return field_forms(self.recipe, self.side, self.levels)

    @property
    def material(self) -> Mapping[str, Any]:
        """Return the header's facts of the material."""
        found: Mapping[str, Any] = self.header.own["material"]
        return found

    @property
    def varied(self) -> tuple[Varied, ...]:
        """Return the varied inputs, which can be set."""
        facts = self.material.get("varied", ())
        return read_varied(facts, self.recipe.vary, self.path)

    @property
    def shares(self) -> list[float]:
        """Return each varied input's position in its range: the opened value, else the default."""
        return shares_of(self.varied, self.values, self.path)

    @property
    def side(self) -> int:
        """Return the side of the feature map in texels."""
        return int(self.material["side"])

    @property
    def levels(self) -> int:
        """Return the number of levels of the feature map; one in files of the first version."""
        found, most = len(self.material.get("levels", [None])), len(level_sides(self.side))
        if found not in (1, most):
            raise AssetError(f"{self.path}: got {found} levels of a map of {self.side} texels a "
                             f"side, need 1 or {most}. Fit it again.")  # fmt: skip
        return found

    @cached_property
    def field(self) -> Field:
        """Return the stored field, in float32."""
        from neuralshade.kinds.material.asset import stored_field

        return stored_field(self.recipe, self.side, self.tensors)

    @cached_property
    def sampler(self) -> LobeSampler:
        """Return the stored sampler of directions, in float32."""
        from neuralshade.kinds.material.asset import stored_sampler

        return stored_sampler(self.recipe, self.tensors)

    @property
    def numbers(self) -> int:
        """Return the number of trained numbers."""
        return sum(tensor.size for tensor in self.tensors.values())

    @property
    def memory_bytes(self) -> int:
        """Return the bytes in a GPU's memory: RGBA8 or BC7 textures, float16 weights."""
        return sum(tensor.nbytes for tensor in self.tensors.values())

    def map_bytes(self, levels: int) -> int:
        """Return the bytes of the first levels of the map."""
        forms = field_forms(self.recipe, self.side, levels)
        return next(math.prod(shape) for _, shape in forms.values())

    @property
    def shared_part(self) -> SharedPart:
        """Return the part of its decoder that other materials may use."""
        return shared_of(self.path, self.recipe, self.tensors)

    @property
    def picture(self) -> Mapping[str, Any]:
        """Return name, size and color space of the drawn sphere."""
        from neuralshade.kinds.material.scene import DRAWN_PX

        return {"name": str(self.material["name"]), "width": DRAWN_PX, "height": DRAWN_PX,
                "channels": 3, "color_space": "srgb", "dtype": "uint8"}  # fmt: skip

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> Floats:
        """Return a sphere of the material under a light and a weak sky: [height, width, 3].

        Each pixel uses the level whose texels are as wide as its footprint.
        """
        from neuralshade.kinds.material.judging.lit_surfaces import sphere

        check_pixels(width, height)
        lit = sphere(width, height, crop).lit_by_default(self.eval_footprint, self.sample)
        if not np.isfinite(lit).all():
            raise AssetError(f"{self.path}: got numbers beyond float32 in what is drawn, need "
                             "finite ones. Fit it again.")  # fmt: skip
        return linear_to_srgb(lit.clip(0, 1))

    def scene(self, reference: Any = None) -> Scene:
        """Return a sphere and a plane under a light, beside the reference.

        Varied inputs start at the values that it was opened with.

        Raises: AssetError for another material; errors of ``load_reference``.
        """
        from neuralshade.kinds.material.judging.evaluate import reference_of
        from neuralshade.kinds.material.scene import material_scene

        bsdf = None if reference is None else reference_of(self, reference)
        itself = None if bsdf is None else partial(self._reference_shade, bsdf)
        values = values_of(self.varied, self.values, self.path)
        inputs = [replace(one, default=value)
                  for one, value in zip(self.varied, values, strict=True)]  # fmt: skip
        return material_scene(str(self.material["name"]), lambda: self.eval_footprint, itself,
                              changes=False, varied=inputs)  # fmt: skip

    def same_reference(self, reference: Any) -> Any:
        """Return ``reference`` if this was fitted to it, else None."""
        from neuralshade.kinds.material.judging.evaluate import reference_of
        from neuralshade.kinds.material.references.sources import reference_digest

        try:
            same = reference_digest(reference_of(self, reference)) == self.material["digest"]
        except NeuralShadeError:  # another kind's picture, for example
            return None
        return reference if same else None

    def close(self) -> None:
        """Release the device that draws the reference."""
        kernels: ReferenceKernels | None = vars(self).pop("_kernels", None)
        if kernels is not None:
            kernels.gpu.close()

    def _reference_shade(self, reference: ReferenceBsdf) -> Shade:
        """Return the reference's f * cos, on a device opened for it."""
        if "_kernels" not in vars(self):
            from neuralshade.kinds.material.references.reference_bsdf import (
                ReferenceKernels,
                open_reference_gpu,
            )

            vars(self)["_kernels"] = ReferenceKernels(open_reference_gpu(), reference)
        kernels: ReferenceKernels = vars(self)["_kernels"]
        return kernels.eval

    def evaluate(self, reference: Any = None, notice: Notice = ignore) -> Table:
        """Return the errors of spheres under held-out lights against the reference."""
        from neuralshade.kinds.material.judging.evaluate import evaluate_material

        return evaluate_material(self, reference, notice)

    def speed(self, reference: Any, notice: Notice = ignore) -> Table:
        """Return how long a screen of it takes on this GPU, beside the reference.

        A report that is written afterwards includes it.
        """
        from neuralshade.kinds.material.speed.summary import material_speed

        vars(self)["_timed"] = material_speed(self, reference, notice)
        return self.timed

    @property
    def timed(self) -> Table:
        """Return the last result of ``speed``, empty before that."""
        found: Table = vars(self).get("_timed", Table([]))
        return found

    # The signature of Opened again: mypy compares the two, and callers and writers read it here.
    def report(
        self,
        reference: Any,
        output: str | os.PathLike[str],
        *,
        snapshots: Any = (),
        facts: Sequence[tuple[str, str]] = (),
        notice: Notice = ignore,
    ) -> None:
        from neuralshade.kinds.material.judging.report import report_material

        report_material(self, reference, output, facts, notice)

    def summary(self) -> dict[str, str]:
        """Return summary lines: the size, and the quality."""
        quality = self.header.quality
        lost = quality.get("l1_highlight")
        coarse = self.map_bytes(self.levels) - self.map_bytes(1)
        shine = "" if lost is None else f", L1 around highlights {lost:.3f}"
        return {
            "size": f"{self.byte_count:,} bytes",
            "in a GPU": memory_text(self.memory_bytes, self.side**2, "texel of its map"),
            "map": f"{self.material['name']}, {self.side} x {self.side} x {self.recipe.features}"
                   f"{', BC7' * ('blocks' in self.tensors)}",
            "levels": levels_summary(self.material.get("levels"), coarse),
            **inputs_summary(self.varied),
            **shared_summary(self.material.get("shared")),
            "quality": f"{quality['psnr_db']:.2f} dB, worst light {quality['worst_db']:.2f}, sky "
                       f"{quality['sky_db']:.2f}{shine}",
            **noise_summary(quality),
        }  # fmt: skip
