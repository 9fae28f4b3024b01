"""The light of HDR pictures: how wide its range is, and how much of it a result keeps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.measure.picture_psnr import decibels
from neuralshade.source.picture import Picture

Floats = npt.NDArray[np.floating[Any]]
WIDE = 1e3  # brightest value over the median, from which on outputs are coded by their logarithm
MOST_NEGATIVE = 1e-2  # that such a coding, which has none, may lose
LOOKED_AT = 1 << 20  # values that a median is of, about
MOST_LIGHT = 1.25  # times the picture's, or a share of it, that is no warning


def median_of(picture: Picture) -> float:
    """Return the median of a picture's colors above 0, of some evenly spread; 1 without any."""
    colors = picture.pixels[..., : picture.channels - picture.has_alpha].reshape(-1)
    some = colors[:: max(1, colors.size // LOOKED_AT)].astype(np.float32)
    some = some[some > 0]
    return float(np.median(some)) if some.size else 1.0


def range_of(picture: Picture) -> float:
    """Return the largest color of a picture over its median."""
    return float(picture.pixels[..., : picture.channels - picture.has_alpha].max()) / median_of(
        picture
    )


def is_wide(picture: Picture) -> bool:
    """Return whether a picture is HDR of so wide a range that linear outputs lose its light."""
    return (picture.hdr and range_of(picture) >= WIDE
            and float(picture.pixels.min()) >= -MOST_NEGATIVE)  # fmt: skip


def wide_note(picture: Picture, loss: str) -> str | None:
    """Return what to say of a picture whose outputs are coded by their logarithm."""
    if loss != "log_l2" or not is_wide(picture):
        return None
    return (f"{picture.name}: the brightest value is {range_of(picture):,.0f} times the median; "
            "outputs are exponents, and errors are of logarithms. --output-activation none and "
            "--loss relative_l2 fit it linearly.")  # fmt: skip


@dataclass
class Light:
    """How much of an HDR picture's light is kept, and its PSNR by logarithms.

    Color channels count, and values below 0 as 0. ``log_psnr_db`` is the PSNR of
    log2(1 + value / median), whose peak is that of the largest value.
    """

    median: float
    white: float
    wanted: float = 0.0
    drawn: float = 0.0
    squares: float = 0.0
    count: int = 0

    @classmethod
    def of(cls, picture: Picture) -> Light:
        """Return what counts the light of an HDR picture."""
        return cls(median_of(picture), max(0.0, float(picture.pixels.max())))

    def add(self, drawn: Floats, wanted: Floats) -> None:
        """Count a part [h, w, C] of a picture."""
        colors = 1 if wanted.shape[2] < 3 else 3
        had, due = (each[..., :colors].astype(np.float64).clip(0) for each in (drawn, wanted))
        self.wanted, self.drawn = self.wanted + float(due.sum()), self.drawn + float(had.sum())
        error = np.log2(1 + had / self.median) - np.log2(1 + due / self.median)
        self.squares += float(np.square(error).sum())
        self.count += due.size

    def facts(self) -> dict[str, Any]:
        """Return ``log_psnr_db``, and ``light_kept``: 1 is all; None of a black picture."""
        peak = math.log2(1 + self.white / self.median)
        kept = self.drawn / self.wanted if self.wanted > 0 else None
        found = decibels(self.squares / self.count, peak) if peak > 0 else None
        rounded = None if found is None or not math.isfinite(found) else round(found, 3)
        return {
            "log_psnr_db": rounded,
            "light_kept": kept if kept is None else float(f"{kept:.4g}"),
        }


def light_facts(picture: Picture, drawn: Floats) -> dict[str, Any]:
    """Return ``Light.facts`` of ``drawn`` [H, W, C] beside an HDR picture; empty for others."""
    if not picture.hdr:
        return {}
    light = Light.of(picture)
    light.add(drawn, picture.as_float())
    return light.facts()


def light_text(quality: Mapping[str, Any]) -> str:
    """Return the facts for people, behind a PSNR; nothing where there are none."""
    said = ""
    if quality.get("log_psnr_db") is not None:
        said += f", log-PSNR {quality['log_psnr_db']:.2f} dB"
    if quality.get("light_kept") is not None:
        said += f", {100 * quality['light_kept']:.4g} % of the light"
    return said


def lost_light(quality: Mapping[str, Any], larger: str) -> str | None:
    """Return what to say of a result that has far less or more light than its picture.

    ``larger``: what gives the file more, as a sentence begins.
    """
    kept = quality.get("light_kept")
    if kept is None or 1 / MOST_LIGHT <= kept <= MOST_LIGHT:
        return None
    return (f"fit: the result has {100 * kept:.3g} % of the picture's light, most of which is in "
            f"few bright pixels. {larger} or more --steps keep more of it; fit image codes a wide "
            "range by exp and log_l2.")  # fmt: skip
