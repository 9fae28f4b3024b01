"""Evaluation of a fitted material against its reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neuralshade.base.closeable import Closeable
from neuralshade.base.message_text import plural
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.kind import Notice, ignore
from neuralshade.kinds.material.judging.judge import Judge, field_shade
from neuralshade.kinds.material.judging.mip_judge import LevelJudge, level_rows
from neuralshade.kinds.material.noise import sampler_noise
from neuralshade.kinds.material.references.reference_bsdf import (
    ReferenceBsdf,
    ReferenceKernels,
    open_reference_gpu,
)
from neuralshade.kinds.material.references.sources import load_same, reference_digest
from neuralshade.kinds.material.references.varied_reference import vary_reference
from neuralshade.measure.quality import missing_flip
from neuralshade.measure.table import Column, Table

COLUMNS = (
    Column("", "name", right=False),
    Column("bytes", "bytes", ","),
    Column("GPU bytes", "memory_bytes", ","),
    Column("PSNR [dB]", "psnr_db", ".2f"),
    Column("worst light", "worst_db", ".2f"),
    Column("sky", "sky_db", ".2f"),
    Column("L1, highlights", "l1_highlight", ".3f"),
    Column("FLIP", "flip", ".4f"),
    Column("bias", "bias", "+.1%"),
)
# Lines below the table: a title, the measures, and their format.
MEASURES_SHOWN = (
    ("SMAPE, uniform / by half vectors / around highlights",
     ("smape_uniform", "smape_half", "smape_highlight"), ".3f"),
    ("L1, uniform / by half vectors / around highlights",
     ("l1_uniform", "l1_half", "l1_highlight"), ".3f"),
    ("Albedo's error, mean / 95th percentile / of grazing eyes",
     ("albedo_mean", "albedo_p95", "albedo_grazing"), ".1%"),
    ("Largest albedo, network / material", ("albedo_most", "teacher_albedo_most"), ".3f"),
    ("Reciprocity gap, median, network / material", ("reciprocity", "teacher_reciprocity"), ".1%"),
    ("Noise of one direction, by cosine / by lobes / by the sampler",
     ("noise_cosine", "noise_lobes", "noise_sampler"), ".2f"),
)  # fmt: skip
FOOTNOTES = (
    "PSNR and FLIP: of spheres in sRGB, 256 pixels wide, under 16 single lights that no fit has "
    "seen, and under a sky, against the material itself.",
    "SMAPE: mean of |x - y| / (x + y + 0.01) of light x and the material's y: 0 is equal, "
    "1 the most.",
    "L1: sum of errors over sum of values, of light itself. Around highlights it shows one that "
    "is lost (1), where PSNR does not: screens clip it.",
    "Albedo: share of the light from all around that goes to an eye. Above 1 a surface gives back "
    "more than it gets, as a fit may where the material itself comes near it. An error is over the "
    "material's albedo, of eyes whose cosine is at least 0.1; below, the sum of errors over the "
    "sum of albedos.",
    "Noise: standard deviation over mean of the albedo that a single direction tells, the median "
    "of 256 places and eyes; halving it takes four times as many directions.",
)  # fmt: skip


def reference_of(opened: Any, reference: Any) -> ReferenceBsdf:
    """Return the reference of an asset, loaded or passed as such.

    Raises: ConfigError for None; AssetError for another material; errors of ``load_reference``.
    """
    if reference is None:
        raise ConfigError(f"{opened.path}: got no material, need the one that it was fitted to. "
                          "Give its file as the second argument.")  # fmt: skip
    bsdf: ReferenceBsdf = reference
    if not isinstance(reference, ReferenceBsdf):
        bsdf = load_same(
            reference, opened.material.get("element"), opened.recipe.wrap, trust=opened.trusted
        )
    if not bsdf.varied:
        bsdf = vary_reference(bsdf, opened.recipe.vary)
    if bsdf.name != opened.material["name"]:
        raise AssetError(f"{opened.path}: got {bsdf.name}, need {opened.material['name']}. "
                         "Give the document that it was fitted to.")  # fmt: skip
    return bsdf


def measure_lines(quality: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return titles and measures as text."""
    return [
        (title, " / ".join(format(quality[name], form) for name in names))
        for title, names, form in MEASURES_SHOWN
    ]


LEVELS_FOOTNOTE = (
    "Levels: SMAPE against the material's mean over footprints as wide as a texel, of directions "
    "as training draws them: of the finest it is not that of light itself, at points. Beside it "
    "that of what was trained, of box-filtered numbers, and of the finest level in a footprint's "
    "middle."
)


def level_cells(levels: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Return for each level: side, kept method, its SMAPE, and those of the other methods."""
    return [
        (str(level["side"]), level["kept"], f"{level['error']:.3f}",
         *(f"{level[how]:.3f}" if how in level else "-"
           for how in ("trained", "filtered", "finest")))
        for level in levels
    ]  # fmt: skip


def _level_lines(levels: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"Level {i}, {plural(int(side), 'texel')} a side: {error} ({kept}); trained {trained}, "
            f"filtered {filtered}, finest {finest}"
            for i, (side, kept, error, trained, filtered, finest) in
            enumerate(level_cells(levels))]  # fmt: skip


def is_unchanged(opened: Any, reference: ReferenceBsdf, notice: Notice) -> bool:
    """Return whether the reference has not changed since the fit; else call ``notice``."""
    unchanged = bool(reference_digest(reference) == opened.material["digest"])
    if not unchanged:
        notice(f"{opened.path}: {reference.name} is not what it was fitted to: its text or its "
               "pictures have changed since.")  # fmt: skip
    return unchanged


class Comparison(Closeable):
    """An asset and its reference on a device; close it, or use it in a ``with``."""

    def __init__(self, opened: Any, reference: Any, notice: Notice = ignore):
        """Load the reference; call ``notice`` if it has changed since the fit.

        Raises: AssetError for another material; errors of ``load_reference``; DeviceError.
        """
        bsdf = reference_of(opened, reference)
        self.unchanged = is_unchanged(opened, bsdf, notice)
        self.opened, self._gpu = opened, open_reference_gpu()
        self.reference = ReferenceKernels(self._gpu, bsdf)

    def row(self) -> dict[str, Any]:
        """Return sizes and all measures; ``flip`` is None if it cannot be measured.

        ``levels``: as in a header, see ``with_levels``.
        """
        opened = self.opened
        judge, stored = LevelJudge(self.reference, opened.recipe), opened.material.get("levels")
        shares = opened.shares if opened.values else None  # None: the whole ranges
        measured = Judge(self.reference, shares).judge(field_shade(opened.field)).facts()
        measured |= sampler_noise(opened.field, opened.sampler, shares)
        return self._row_of(measured, level_rows(judge, opened.tensors, stored))

    def stored_row(self) -> dict[str, Any]:
        """Return the measures of the fit, if all are stored and the material is unchanged."""
        quality, levels = self.opened.header.quality, self.opened.material.get("levels")
        needed = {name for _, names, _ in MEASURES_SHOWN for name in names}
        known = self.unchanged and needed <= quality.keys() and levels is not None
        known = known and not self.opened.values  # a fit measures the whole ranges
        return self._row_of(quality, levels) if known else self.row()

    def _row_of(
        self, measured: Mapping[str, Any], levels: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        return {"name": "neuralshade", "bytes": self.opened.byte_count,
                "memory_bytes": self.opened.memory_bytes, "flip": None,
                **measured, "levels": list(levels)}  # fmt: skip

    def close(self) -> None:
        """Release the device."""
        self._gpu.close()


def evaluate_material(opened: Any, reference: Any, notice: Notice = ignore) -> Table:
    """Return a table of errors against ``reference``, a material's file or a ReferenceBsdf.

    ``notice`` is called where the material has changed since the fit.

    Raises: AssetError for another material; errors of ``load_reference``.
    """
    with Comparison(opened, reference, notice) as compared:
        row = compared.row()
    lines = [f"{title}: {text}" for title, text in measure_lines(row)]
    missing = missing_flip()
    lines += [*_level_lines(row["levels"]), LEVELS_FOOTNOTE]
    return Table([row], COLUMNS, lines=[*lines, *FOOTNOTES, *([missing] if missing else [])])
