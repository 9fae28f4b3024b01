"""Results of fits of several materials, and the cost of sharing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from neuralshade.base.message_text import plain
from neuralshade.base.short_repr import ShortRepr
from neuralshade.kinds.material.fit import MaterialResult
from neuralshade.measure.table import Column, Table

DECIBELS = ("psnr_db", "worst_db", "sky_db")


@dataclass(frozen=True)
class FittedMaterial(ShortRepr):
    """Result of one of them; ``alone``: result of the same steps without sharing, if fitted.

    ``cost``: how much worse sharing is, in dB and in L1 around highlights; below 0: better.
    """

    name: str
    fitted: MaterialResult
    alone: MaterialResult | None = None
    report: str | None = None  # path of the page

    @property
    def cost(self) -> dict[str, float] | None:
        """Return the cost by measure; None without a comparison."""
        if self.alone is None:
            return None
        lost = {name: getattr(self.alone, name) - getattr(self.fitted, name) for name in DECIBELS}
        more = self.fitted.highlight_l1 - self.alone.highlight_l1
        return {name: round(v, 5) for name, v in {**lost, "highlight_l1": more}.items()}

    def brief(self) -> str:
        return f"{self.name}, {self.fitted.psnr_db:.2f} dB"

    def row(self) -> dict[str, Any]:
        """Return its row of the table."""
        cost, one, alone = self.cost or {}, self.fitted, self.alone
        return {"name": self.name, "steps": one.steps, "seconds": one.seconds,
                **{name: getattr(one, name) for name in (*DECIBELS, "highlight_l1")},
                "bytes": one.asset_bytes, "alone": None if alone is None else alone.psnr_db,
                "cost": cost.get("psnr_db"), "cost_l1": cost.get("highlight_l1")}  # fmt: skip


# like the table of one material, with other columns
COLUMNS = (
    Column("material", "name", right=False),
    Column("dB", "psnr_db", ".2f"),
    Column("worst", "worst_db", ".2f"),
    Column("sky", "sky_db", ".2f"),
    Column("L1", "highlight_l1", ".3f"),
    Column("bytes", "bytes", ","),
    Column("steps", "steps", ","),
    Column("seconds", "seconds", ".1f"),
)
COMPARED = (
    Column("alone dB", "alone", ".2f"),
    Column("costs dB", "cost", "+.2f"),
    Column("costs L1", "cost_l1", "+.3f"),
)


@dataclass(frozen=True)
class MaterialsResult(ShortRepr):
    """Results by material, in the order of the call."""

    folder: str
    share: str | None  # the asset with the common first layer; None if nothing is shared
    digest: str | None  # of that layer, as in each asset's header
    materials: tuple[FittedMaterial, ...]
    failed: Mapping[str, str]  # materials that could not be fitted, and why
    costs: Mapping[str, Mapping[str, float]]  # of sharing, by material; see FittedMaterial

    @property
    def asset(self) -> str:
        """Return the folder of the assets."""
        return self.folder

    def brief(self) -> str:
        return f"{self.folder}, {len(self.materials)} materials, {len(self.failed)} failed"

    def print(self) -> None:
        """Print a table, and the materials that were left out."""
        for one in self.materials:
            for note in one.fitted.notes:
                print(plain(f"{one.name}: {note}"))
        columns = (*COLUMNS, *(COMPARED if self.costs else ()))
        Table([one.row() for one in self.materials], columns, lines=self._lines()).print()

    def _lines(self) -> list[str]:
        lines = ["dB: PSNR of spheres under single lights, the worst of them, under a sky; L1: "
                 "around highlights."]  # fmt: skip
        if self.share is not None:
            lines.append(f"The decoder's first layer is that of {self.share}.")
        lost = {name: cost["psnr_db"] for name, cost in self.costs.items()}
        if lost:
            most = max(lost, key=lambda name: lost[name])
            lines.append(f"To share it costs {fmean(lost.values()):+.2f} dB in the mean and at "
                         f"most {lost[most]:+.2f} ({most}), at equal steps.")  # fmt: skip
        lines += [f"{one.name}: {one.report}" for one in self.materials if one.report is not None]
        return lines + [f"not fitted: {name}: {why}" for name, why in self.failed.items()]


def materials_result(
    folder: str,
    share: str | None,
    digest: str | None,
    materials: tuple[FittedMaterial, ...],
    failed: Mapping[str, str],
) -> MaterialsResult:
    """Return the result with the costs."""
    costs = {one.name: one.cost for one in materials if one.cost is not None}
    return MaterialsResult(folder, share, digest, materials, failed, costs)
